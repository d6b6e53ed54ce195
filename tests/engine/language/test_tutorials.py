"""Snippets of tutorials work as they are pasted: what has nothing to do here is set aside with a note."""

import pytest

from engine.language import ProgramError, evaluate
from tests.programs import README_OF_MICROGRAD

NEURON_IN_PYTORCH = """\
import torch

x1 = torch.Tensor([2.0]).double()                ; x1.requires_grad = True
x2 = torch.Tensor([0.0]).double()                ; x2.requires_grad = True
w1 = torch.Tensor([-3.0]).double()               ; w1.requires_grad = True
w2 = torch.Tensor([1.0]).double()                ; w2.requires_grad = True
b = torch.Tensor([6.8813735870195432]).double()  ; b.requires_grad = True
n = x1*w1 + x2*w2 + b
o = torch.tanh(n)

print(o.data.item())
o.backward()

print('---')
print('x2', x2.grad.item())
print('w1', w1.grad.item())
"""

NEURON_IN_MICROGRAD = """\
# inputs x1,x2
x1 = Value(2.0, label='x1')
x2 = Value(0.0, label='x2')
# weights w1,w2
w1 = Value(-3.0, label='w1')
w2 = Value(1.0, label='w2')
b = Value(6.8813735870195432, label='b')
x1w1 = x1*w1; x1w1.label = 'x1*w1'
x2w2 = x2*w2; x2w2.label = 'x2*w2'
x1w1x2w2 = x1w1 + x2w2; x1w1x2w2.label = 'x1*w1 + x2*w2'
n = x1w1x2w2 + b; n.label = 'n'
e = (2*n).exp()
o = (e - 1) / (e + 1)
o.label = 'o'
o.backward()
draw_dot(o)
o.grad = 1.0
x1.data += 0.01 * x1.grad
"""

SANITY_CHECK = """\
x = torch.Tensor([-4.0]).double()
x.requires_grad = True
z = 2 * x + 2 + x
q = z.relu() + z * x
h = (z * z).relu()
y = h + q + q * x
y.backward()
"""


def gradients(text, *names):
    result = evaluate(text)
    result.root.backward()
    return result, [result.names[name].grad for name in names]


def test_the_readme_of_micrograd():
    result, grads = gradients(README_OF_MICROGRAD, "a", "b")
    assert result.root.data == pytest.approx(24.70408163265306, abs=1e-12)
    assert grads == pytest.approx([138.83381924198252, 645.5772594752186], abs=1e-9)
    assert [note.line for note in result.notes] == [1, 15, 16, 17, 18]
    assert all(note.message.startswith("set aside: ") for note in result.notes)


@pytest.mark.parametrize("text", [NEURON_IN_PYTORCH, NEURON_IN_MICROGRAD])
def test_the_neuron_of_the_lecture(text):
    result, grads = gradients(text, "x1", "w1", "x2", "w2", "b")
    assert result.root is result.names["o"]
    assert result.root.data == pytest.approx(0.7071067811865476, abs=1e-12)
    assert grads == pytest.approx([-1.5, 1.0, 0.5, 0.0, 0.5], abs=1e-12)
    assert [leaf.name for leaf in result.leaves] == ["x1", "x2", "w1", "w2", "b"]


def test_given_labels_are_shown():
    result = evaluate(NEURON_IN_MICROGRAD)
    assert result.names["x1w1"].label == "x1*w1"
    assert result.names["o"].label == "o"


def test_the_sanity_check_of_micrograd():
    result, grads = gradients(SANITY_CHECK, "x")
    assert (result.root.data, grads) == (-20.0, [46.0])


@pytest.mark.parametrize(
    "line",
    [
        "import numpy as np",
        "from graphviz import Digraph",
        "print('grad', x.grad, end='')",
        "x.backward()",
        "x.backward(retain_graph=True)",
        "x.zero_grad()",
        "x.grad.zero_()",
        "x.grad = None",
        "x.grad += 1",
        "x.requires_grad = True",
        "x.requires_grad_()",
        "x.requires_grad_(True)",
        "x.retain_grad()",
        "x.data",
        "x.data.item()",
        "x.item()",
        "x.data += -0.01 * x.grad",
        "x.grad",
        "z = x.grad * 2",
        "draw_dot(x)",
        "torch.manual_seed(42)",
        "np.random.seed(1337)",
        "random.seed(1337)",
        "plt.show()",
        "%matplotlib inline",
        "!pip install micrograd",
    ],
)
def test_lines_that_are_set_aside(line):
    result = evaluate(f"x = 2.0\n{line}\ny = x*3")
    assert [(note.message[:9], note.line, note.column) for note in result.notes] == [("set aside", 2, 1)]
    assert len(result.origins) == 3
    assert result.root.data == 6.0


@pytest.mark.parametrize(
    "line",
    [
        "x = torch.tensor(2.0, requires_grad=True)",
        "x = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)",
        "x = torch.Tensor([2.0]).double().requires_grad_()",
        "x = np.array(2.0)",
        "x = Value(data=2.0)",
        "x = Value(2.0, (), '', label='x')",
        "x = Value((2.0))",
        "x = Value(1.0 + 1.0)",
        "x = jnp.float64(2)",
    ],
)
def test_ways_to_make_a_leaf(line):
    result = evaluate(f"{line}\ny = x*x")
    assert result.root.data == 4.0
    assert result.names["x"].op is None
    assert result.names["x"].label == "x"


def test_arguments_that_nothing_needs_are_noted():
    text = "x = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)\ny = x*x"
    assert [(note.message, note.line, note.column) for note in evaluate(text).notes] == [
        ("set aside: every number is a float64", 1, 25),
        ("set aside: every value has a gradient", 1, 46),
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("q.backward()", "q has no value"),
        ("x.backwrd()", "attributes are not allowed"),
        ("x = torch.tensor([1.0, 2.0])", "one number only"),
        ("x = torch.tnah(1)", "did you mean 'tanh'"),
        ("x = Value('a')", "text is not allowed"),
        ("x = torch.foo", "attributes are not allowed"),
    ],
)
def test_mistakes_in_pasted_lines_are_still_found(line, words):
    with pytest.raises(ProgramError, match=words) as refusal:
        evaluate(f"x = 1\n{line}")
    assert refusal.value.line == 2
