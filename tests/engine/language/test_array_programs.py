"""Programs of arrays: gradients of columns, of views and of ties, constants that are arrays, options of torch."""

import ast

import numpy as np
import pytest

from engine.autograd import Value, check_gradients, topological_order
from engine.autograd.replay import is_outdated
from engine.graph.formats import FORMATS, write_graph
from engine.language import ProgramError, evaluate
from engine.teaching import Walk
from engine.views.graph_view import show_expression

pytestmark = pytest.mark.slow
TORCH = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
X = "x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=torch.float64, requires_grad=True)\n"


def numbers(line, first=TORCH + X):
    output = evaluate(f"{first}{line}\n").output
    return ast.literal_eval("".join(piece.text for piece in output))


@pytest.mark.parametrize(
    ("part", "grad"),
    [
        ("x[:, 0]", [[1, 0, 0], [1, 0, 0]]),
        ("x[..., -1]", [[0, 0, 1], [0, 0, 1]]),
        ("x.reshape(3, 2)[:, 0]", [[1, 0, 1], [0, 1, 0]]),
        ("x[[0, 0], [1, 2]]", [[0, 1, 1], [0, 0, 0]]),
        ("(x * 0).max(dim=0).values", [[0, 0, 0], [0, 0, 0]]),
        ("torch.minimum(x, torch.tensor(9.0)).relu().amin(dim=1)", [[1, 0, 0], [1, 0, 0]]),
    ],
)
def test_the_gradient_of_a_part_goes_back_to_its_places(part, grad):
    assert numbers(f"({part}).sum().backward()\nprint(x.grad.tolist())") == grad


def test_of_equal_elements_the_largest_along_an_axis_is_the_one_at_its_index():
    line = "y = (x - x + 1.0)\nz = y.max(dim=1)\n(z.values * x.sum(dim=1) - z.values).sum().backward()\n"
    assert numbers(line + "print(z.indices.tolist())") == [0, 0]
    tied = "t = torch.tensor([[2.0, 2.0]], requires_grad=True)\nt.max(dim=1).values.sum().backward()\n"
    assert numbers(tied + "print(t.grad.tolist())") == [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("y = torch.logsumexp(x[0], dim=0)", {"getitem", "logsumexp"}),
        ("y = torch.stack([x[0, 0], x[0, 1]]).sum()", {"getitem", "reshape", "cat", "sum"}),
        ("y = x[0, 0] * 2\ny *= torch.logsumexp(x[1], dim=0)\ny = torch.stack([y, y]).mean()",
         {"getitem", "mul", "logsumexp", "reshape", "cat", "mean"}),
    ],
)  # fmt: skip
def test_operations_that_the_table_lacks_have_their_own_names(line, names):
    evaluation = evaluate(f"{TORCH}{X}{line}\n")
    assert {value.op.name for value in topological_order(evaluation.root) if value.op is not None} == names
    assert not is_outdated(evaluation.root)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("F.gelu", -0.15865525),
        ("nn.GELU()", -0.15865525),
        ("nn.GELU(approximate='tanh')", -0.15880801),
        ("nn.LeakyReLU(0.2)", -0.2),
        ("nn.ELU(alpha=2.0)", -1.26424112),
        ("nn.Softplus(beta=2.0)", 0.06346401),
        ("torch.erf", -0.84270079),
    ],
)
def test_activations_follow_their_options_as_in_pytorch(call, expected):
    found = numbers(f"print({call}(torch.tensor(-1.0, dtype=torch.float64)).item())")
    assert found == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("call", ["F.relu(x, slope=2.0)", "nn.Tanh(3)", "nn.ELU(b=2.0)", "F.cross_entropy(x, x, a=1)"])
def test_an_option_that_is_not_followed_is_refused(call):
    with pytest.raises(ProgramError) as caught:
        evaluate(TORCH + X + call)
    assert caught.value.message.startswith("TypeError")


@pytest.mark.parametrize(
    "last",
    [
        "y = (x.view(3, 2) * 2).sum()",
        "y = torch.cat([x, x * x], dim=1).tanh().sum()",
        "y = F.log_softmax(x, dim=1)[0, 1]",
        "y = F.softmax(x[0] * 2, dim=0)[1]",
        "y = torch.stack([x[0], x[1]]).mean()",
        "y = F.gelu(x).sum()",
        "y = x[:, 1:].sum() + x[:, 0].mean()",
        "y = (x * torch.tensor([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]])).tanh().sum() / 3",
    ],
)
def test_a_program_of_arrays_is_shown_and_its_gradients_are_right(last):
    evaluation = evaluate(TORCH + X + last)
    shown = show_expression(evaluation)
    assert len(shown.graph) > 2
    assert all(write_graph(shown.graph, name, shown.numbers, shown.problems) for name in FORMATS)
    Walk(shown.root).state(1)
    rows = check_gradients(shown.root)
    assert [row for row in rows if not row.ok and row.defined] == []


def test_constant_arrays_in_a_deep_formula_are_written_by_their_shape():
    lines = "import numpy as np\na = Value([1.0, 2.0, 3.0])\n"
    lines += "y = ((a * np.array([1.0, 2.0, 0.5]) + a).tanh() * np.array([3.0, 1.0, 1.0]) - a * a).exp().sum()\n"
    shown = show_expression(evaluate(lines))
    assert all(write_graph(shown.graph, name, shown.numbers, shown.problems) for name in FORMATS)


@pytest.mark.parametrize("ties", [[1.0, 1.0, 1.0, 0.5], [0.0, 0.0, 0.0]])
def test_a_check_at_equal_largest_elements_finds_no_error(ties):
    rows = check_gradients(Value(ties).max() * 3.0)
    assert all(row.ok for row in rows)


def test_a_wrong_gradient_at_equal_largest_elements_is_found(monkeypatch):
    out = Value([2.0, 2.0, 2.0]).max()
    assert out.op.name == "amax"
    monkeypatch.setitem(vars(out.op), "array_vjps", (lambda x, y, g: np.full(np.shape(x), 7.0),))
    assert any(not row.ok for row in check_gradients(out))
