"""Snippets of tutorials work as they are pasted, and print what they print in a notebook."""

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
    """The result of a program that calls backward(), with the gradients it has at its end."""
    result = evaluate(text)
    return result, [result.names[name].grad for name in names]


def printed(text):
    return "".join(piece.text for piece in evaluate(text).output)


def test_the_readme_of_micrograd():
    result, grads = gradients(README_OF_MICROGRAD, "a", "b")
    assert result.root.data == pytest.approx(24.70408163265306, abs=1e-12)
    assert grads == pytest.approx([138.83381924198252, 645.5772594752186], abs=1e-9)
    assert [(piece.line, piece.text) for piece in result.output] == [
        (15, "24.7041\n"), (17, "138.8338\n"), (18, "645.5773\n"),
    ]  # fmt: skip
    assert result.notes == []
    assert [(moment.line, moment.root.data) for moment in result.moments] == [(16, result.root.data)]


@pytest.mark.parametrize(
    ("text", "output"),
    [(NEURON_IN_PYTORCH, 0.7071066904050358), (NEURON_IN_MICROGRAD, 0.7071067811865476)],  # `torch.Tensor` is float32
)
def test_the_neuron_of_the_lecture(text, output):
    result, grads = gradients(text, "x1", "w1", "x2", "w2", "b")
    assert result.root is result.names["o"]
    assert result.root.data == pytest.approx(output, abs=1e-12)
    assert grads == pytest.approx([-1.5, 1.0, 0.5, 0.0, 0.5], abs=1e-6)
    assert [leaf.name for leaf in result.leaves] == ["x1", "x2", "w1", "w2", "b"]


def test_given_labels_are_shown():
    result = evaluate(NEURON_IN_MICROGRAD)
    assert result.names["x1w1"].label == "x1*w1"
    assert result.names["o"].label == "o"


def test_the_sanity_check_of_micrograd():
    result, grads = gradients(SANITY_CHECK, "x")
    assert (result.root.data, grads) == (-20.0, [46.0])


# a line, what it prints, data and grad of x behind it
LINES = [
    ("import numpy as np", "", 2.0, None),
    ("from graphviz import Digraph", "", 2.0, None),
    ("plt.show()", "", 2.0, None),
    ("print('grad', x.grad, end='')", "grad 0.0", 2.0, None),
    ("x.backward()", "", 2.0, 1.0),
    ("x.grad = 0.0", "", 2.0, 0.0),
    ("x.backward(); x.backward()", "", 2.0, 2.0),
    ("x.grad = 1.0", "", 2.0, 1.0),
    ("x.grad += 1", "", 2.0, 1.0),
    ("x.grad = 3; x.grad += 1", "", 2.0, 4.0),
    ("x.data = 5.0", "", 5.0, None),
    ("x.data -= 1", "", 1.0, None),
    ("draw_dot(x)", "", 2.0, None),
    ("torch.manual_seed(42)", "", 2.0, None),
    ("np.random.seed(1337)", "", 2.0, None),
    ("random.seed(7); print(random.random())", "0.32383276483316237\n", 2.0, None),
]


@pytest.mark.parametrize("leaf", ["2.0", "Value(2.0)"])
@pytest.mark.parametrize(("line", "output", "data", "grad"), LINES, ids=[case[0] for case in LINES])
def test_a_line_of_a_notebook_does_what_it_says(line, output, data, grad, leaf):
    result = evaluate(f"x = {leaf}\n{line}\ny = x*3")
    assert "".join(piece.text for piece in result.output) == output
    assert result.root.data == data * 3
    x = result.names["x"]
    assert (x.data, x.known_grad) == (data, grad)
    assert result.notes == []


LINES_OF_TORCH = [
    ("print('grad', x.grad, end='')", "grad None", 2.0, None),
    ("x.backward()", "", 2.0, 1.0),
    ("x.backward(retain_graph=True); x.backward()", "", 2.0, 2.0),
    ("x.grad = None", "", 2.0, None),
    ("x.backward(); x.grad.zero_()", "", 2.0, 0.0),
    ("x.requires_grad_(True)", "", 2.0, None),
    ("x.retain_grad()", "", 2.0, None),
    ("print(x.item(), x.detach().item())", "2.0 2.0\n", 2.0, None),
    ("x.backward(); x.data += -0.5 * x.grad; print(x.grad.item())", "1.0\n", 1.5, 1.0),
]


@pytest.mark.parametrize(("line", "output", "data", "grad"), LINES_OF_TORCH, ids=[case[0] for case in LINES_OF_TORCH])
def test_a_line_of_torch_does_what_it_does_there(line, output, data, grad):
    result = evaluate(f"import torch\nx = torch.tensor(2.0, requires_grad=True)\n{line}\ny = x*3")
    assert "".join(piece.text for piece in result.output) == output
    assert result.root.data == data * 3
    assert (result.names["x"].data, result.names["x"].known_grad) == (data, grad)


@pytest.mark.parametrize("line", ["%matplotlib inline", "!pip install micrograd", "%%time", "x?", "?x", "x??"])
def test_commands_of_a_notebook_are_set_aside(line):
    result = evaluate(f"x = 2.0\n{line}\ny = x*3")
    assert [(note.message, note.line, note.column) for note in result.notes] == [("ignored: a notebook command", 2, 1)]
    assert result.root.data == 6.0


def test_a_percent_sign_within_a_program_is_no_command():
    assert printed('text = """\n%d apples\n"""\nprint(text\n%3)') == "\n3 apples\n\n"
    with pytest.raises(ProgramError) as raised:
        evaluate("x = 2.0\nfor i in range(\n% 4):\n    x = x*i\n")
    assert (raised.value.line, raised.value.column) == (3, 1)


@pytest.mark.parametrize(
    "line",
    [
        "x = torch.tensor(2.0, requires_grad=True)",
        "x = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)",
        "x = torch.Tensor([2.0]).double().requires_grad_()",
        "x = Value(data=2.0)",
        "x = Value(2.0, (), '', label='x')",
        "x = Value((2.0))",
        "x = Value(1.0 + 1.0)",
        "x = 2.0",
    ],
)
def test_ways_to_make_a_leaf(line):
    result = evaluate(f"{line}\ny = x*x")
    assert result.root.data == 4.0
    assert result.names["x"].op is None
    assert result.names["x"].label == "x"
