"""What running a program gives besides its values: output, variables, plots, moments, series, errors."""

from itertools import pairwise

import numpy as np
import pytest

from engine.autograd import Value, topological_order
from engine.language import ProgramError, evaluate, replace_number

TRAINING = """\
import random
random.seed(4)
xs = [[1.0, 0.5], [-0.5, 1.5], [0.25, -1.0]]
ys = [1.0, -1.0, 1.0]
net = MLP(2, [3, 1])
for k in range(5):
    predictions = [net(x) for x in xs]
    loss = sum((p - y)**2 for p, y in zip(predictions, ys))
    net.zero_grad()
    loss.backward()
    for p in net.parameters():
        p.data -= 0.1 * p.grad
    print(k, loss.data)
"""


def refusal(text, **settings):
    with pytest.raises(ProgramError) as refused:
        evaluate(text, **settings)
    return refused.value


# Output


def test_every_piece_of_output_knows_its_line():
    text = "def f(x):\n    print('in', x)\n    return x\nprint(f(1), end='')\n"
    text += "for i in range(2):\n    print(i,\n      i)\nlist(map(print, [7]))"
    result = evaluate(text)
    assert "".join(piece.text for piece in result.output) == "in 1\n10 0\n1 1\n7\n"
    lines = [piece.line for piece in result.output for _ in piece.text.splitlines()]
    assert lines == [2, 4, 6, 6, 8]


def test_output_is_given_while_the_program_runs_and_whole_at_its_end():
    came = []
    result = evaluate("for i in range(3): print(i)", on_output=came.append)
    assert [piece.text for piece in came] == ["0\n", "1\n", "2\n"]
    assert "".join(piece.text for piece in result.output) == "0\n1\n2\n"


def test_lines_of_output_cannot_be_forged():
    result = evaluate("print('\\x0099\\x00here')")
    assert [(piece.line, piece.text) for piece in result.output] == [(1, "\x0099\x00here\n")]


def test_what_was_printed_before_an_error_is_kept_with_the_variables_and_what_was_computed():
    error = refusal(
        "a = Value(2.0)\nprint('before')\nb = a * 3\nn = 5\ndef f(x):\n    return x / 0\nf(n)\nprint('after')"
    )
    assert "".join(piece.text for piece in error.output) == "before\n"
    assert (error.line, error.column, error.message) == (6, 12, "ZeroDivisionError: division by zero")
    assert [(call.name, call.line) for call in error.calls] == [("", 7), ("f", 6)]
    assert error.variables["n"] == 5
    assert error.evaluation.root.data == 6.0


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a = 2.0\na*3", "6.0"),
        ("'x'", "'x'"),
        ("Value(2.0)", "Value(data=2.0000, grad=0.0000)"),
        ("x = 3", None),
        ("None", None),
        ("[1, Value(1.0)]", "[1, Value(data=1.0000, grad=0.0000)]"),
    ],
)
def test_the_value_of_a_bare_last_line_is_shown_as_a_notebook_does(text, shown):
    displayed = evaluate(text).displayed
    assert (displayed and displayed.text) == shown


# Values


def test_values_have_the_numbers_and_the_topology_that_the_program_gave_them():
    result = evaluate("a = Value(2.0)\nb = a * a\nc = b + a\nc.backward()\na.data = 7.0\nb.grad = 11.0")
    a, b, c = (result.names[name] for name in "abc")
    assert c.inputs == (b, a) and b.inputs == (a, a)
    assert (a.data, b.data, c.data) == (7.0, 4.0, 6.0)
    assert (a.grad, b.grad, c.grad) == (5.0, 11.0, 1.0)


def test_names_that_are_given_values_together_are_told_apart():
    result = evaluate("x1, w1 = Value(2.0), Value(-3.0)\n(c, d), e = (x1*w1, x1 + w1), Value(1.0)\ny = c*d*e")
    origins = {value.label: origin.key for value, origin in result.origins.items() if "." not in origin.key}
    assert origins == {"x1": "x1", "w1": "w1", "c": "c", "d": "d", "e": "e", "y": "y"}
    assert result.roles[result.names["x1"]] == "input" and result.roles[result.names["w1"]] == "parameter"


def test_variables_are_numbers_texts_and_collections_with_values_in_them():
    text = "n = 3\nt = 'text'\nv = Value(1.0)\nl = [v, 2, 'x']\nd = {'a': v}\n"
    text += "f = lambda x: x\nclass A: pass\no = A()\nimport math\nt2 = (1, None)"
    variables = evaluate(text).variables
    value = variables["v"]
    assert (variables["n"], variables["t"], variables["t2"]) == (3, "text", (1, None))
    assert variables["l"] == [value, 2, "x"] and variables["d"] == {"a": value}
    assert repr(variables["o"]) == "<A>"
    assert not {"f", "A", "math"} & set(variables)


def test_a_value_made_in_a_function_has_its_place_there_and_one_of_a_list_that_of_the_list():
    text = "x = Value(2.0)\ndef f(v):\n    w = v * 3.0\n    return w\ny = f(x) + 1.0\nz = [x * 2.0, x + 5.0]"
    result = evaluate(text)
    y = result.names["y"]
    assert result.origins[y].start == text.index("f(x) + 1.0")
    assert result.origins[y.inputs[0]].line == 3
    assert {result.origins[value].line for value in result.variables["z"]} == {6}


def test_numbers_of_a_program_with_loops_are_numbers_of_python_with_a_slider_where_they_are_floats():
    result = evaluate("rate = 0.5\nsteps = 3\nw = Value(1.0)\nfor i in range(steps): w = w * rate")
    assert result.root.data == 0.125
    assert [(leaf.name, leaf.number) for leaf in result.leaves] == [("rate", 0.5), ("w", 1.0)]


# Moments, series, plots


def test_each_backward_is_a_moment_with_the_numbers_of_that_time():
    result = evaluate(TRAINING)
    assert [(moment.line, moment.label) for moment in result.moments] == [(10, f"k = {k}") for k in range(5)]
    printed = [float(piece.split()[1]) for piece in "".join(p.text for p in result.output).splitlines()]
    assert [moment.root.data for moment in result.moments] == printed
    for moment in result.moments:
        values = topological_order(moment.root)
        before = [repr(value.grad) for value in values]  # that of an exponent may be nan
        for value in values:
            value.grad = None
        moment.root.backward()
        assert [repr(value.grad) for value in values] == before


def test_moments_of_a_loop_without_a_counter_and_outside_of_loops_have_labels_too():
    result = evaluate("a = Value(1.0)\nb = a * 2\nb.backward()\nwhile a.grad < 7: b.backward()")
    assert [moment.label for moment in result.moments] == ["backward() 1", *(f"iteration {i}" for i in range(3))]


def test_of_many_moments_the_first_three_and_few_others_are_kept_evenly():
    result = evaluate("a = Value(1.0)\nfor i in range(1000):\n    b = a * 2.0\n    b.backward()")
    assert 32 <= len(result.moments) <= 64
    numbers = [int(moment.label.split(" = ")[1]) for moment in result.moments]
    assert numbers[:3] == [0, 1, 2] and numbers[-1] == 999
    assert len({second - first for first, second in pairwise([0, *numbers[3:-1]])}) == 1


def test_variables_of_a_loop_are_rows_over_its_iterations():
    result = evaluate(TRAINING)
    (row,) = [row for row in result.loop_series if row.name == "loss"]
    assert (row.line, row.counter, row.iterations) == (6, "k", tuple(range(5)))
    assert list(row.numbers) == [moment.root.data for moment in result.moments]


def test_a_row_of_very_many_iterations_is_thinned():
    result = evaluate("s = 0.0\nfor i in range(5000):\n    s = s + 1.0")
    (row,) = result.loop_series
    assert 500 <= len(row.iterations) <= 1001
    assert all(number == iteration + 1 for iteration, number in zip(row.iterations, row.numbers, strict=True))


def test_plots_are_noted_with_their_titles_and_points():
    text = """import numpy as np
import matplotlib.pyplot as plt
xs = np.linspace(0, 1, 3)
plt.plot(xs, xs**2, 'r--', label='square'); plt.scatter([1, 2], [Value(3.0), 4])
plt.title('T'); plt.xlabel('x'); plt.ylabel('y'); plt.legend(); plt.show()
plt.plot([3, 1])"""
    first, second = evaluate(text).plots
    assert (first.title, first.x_label, first.y_label) == ("T", "x", "y")
    assert first.series[0][:4] == ("line", (0.0, 0.5, 1.0), (0.0, 0.25, 1.0), "square")
    assert first.series[1][:4] == ("points", (1.0, 2.0), (3.0, 4.0), "")
    assert second.series[0][1:3] == ((0.0, 1.0), (3.0, 1.0))


# What the sandbox lacks, written in another way

CLASSES = """\
class Module:
    count = 3
    def zero_grad(self):
        for p in self.parameters(): p.grad = 0
    def parameters(self):
        return []
class Neuron(Module):
    def __init__(self, n):
        super().__init__()
        self.w = [Value(1.0) for _ in range(n)]
    @property
    def size(self):
        return len(self.w)
    def parameters(self):
        return self.w + super().parameters()
    @staticmethod
    def make(n):
        return Neuron(n)
class Big(Neuron):
    pass
n = Big(3)
n.zero_grad()
print(n.size, n.count, n.make(2).size + 1, [p.grad for p in n.parameters()])
print(isinstance(n, Module), isinstance(n, (int, Neuron)), isinstance(3, Module), isinstance(n, Big))
"""


def test_base_classes_properties_and_static_methods_of_a_program_work():
    output = "".join(piece.text for piece in evaluate(CLASSES).output)
    assert output == "3 3 3 [0, 0, 0]\nTrue True False True\n"


def test_names_and_elements_can_be_deleted():
    text = "x = [1, 2, 3, 4]\ndel x[0]\ndel x[1:]\nd = {'a': 1, 'b': 2}\ndel d['a']\ny = 5\ndel y"
    assert evaluate(text).variables == {"x": [2], "d": {"b": 2}}


def test_sums_means_and_extremes_of_arrays_keep_their_axes_where_that_is_asked_for():
    x = np.array([[1.0, 2.0], [3.0, 5.0]])
    text = "x = np.array([[1.0, 2.0], [3.0, 5.0]])\n" + "\n".join(
        f"y{i} = {asked}"
        for i, asked in enumerate([
            "x.sum(axis=1, keepdims=True)", "x.mean(0, keepdims=True)", "x.sum(keepdims=True)", "x.max(axis=1)",
            "np.sum(x, axis=0, keepdims=True)", "np.max(x)", "np.min(x, axis=0)", "np.mean([[1.0, 3.0]], axis=1)",
            "x.argmax()", "x.min(1, keepdims=True)", "np.sum([[1, 2], [3, 4]], axis=0)",
        ])
    )  # fmt: skip
    made = evaluate(text).variables
    there = [x.sum(axis=1, keepdims=True), x.mean(0, keepdims=True), x.sum(keepdims=True), x.max(axis=1),
             x.sum(axis=0, keepdims=True), 5.0, x.min(axis=0), np.array([2.0]), 3, x.min(1, keepdims=True),
             np.array([4.0, 6.0])]  # fmt: skip
    for index, expected in enumerate(there):
        np.testing.assert_array_equal(made[f"y{index}"], expected, strict=isinstance(expected, np.ndarray))


def test_gradients_flow_through_sums_that_keep_their_axes():
    result = evaluate(
        "x = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)\n"
        "y = (x / x.sum(dim=1, keepdim=True))[1, 0]\ny.backward()"
    )
    x = Value([[1.0, 2.0], [3.0, 5.0]])
    y = (x / x.sum(axis=1, keepdims=True))[1, 0]
    y.backward()
    assert result.root.data == y.data
    np.testing.assert_allclose(result.names["x"].grad, x.grad, rtol=1e-15)


def test_a_call_with_too_few_inputs_is_told_at_its_line():
    with pytest.raises(ProgramError, match="missing 1 required positional argument: 'b'") as refusal:
        evaluate("def f(a, b):\n    return a\nprint(f(1))")
    assert refusal.value.line == 3


# Line by line


def test_a_recorded_run_tells_statement_after_statement_what_changed():
    result = evaluate("a = Value(2.0)\nfor i in range(2):\n    b = a * i\na.data = 5.0\nc = b + 1", record=True)
    assert [(step.line, dict(step.numbers)) for step in result.statements] == [
        (1, {"a": 2.0}), (2, {"i": 0.0}), (3, {"b": 0.0}), (2, {"i": 1.0}), (3, {"b": 2.0}), (4, {}), (5, {"c": 3.0}),
    ]  # fmt: skip
    assert result.statements[-1].changed["c"] is result.names["c"]
    assert evaluate("a = 1").statements == ()


@pytest.mark.parametrize("text, leaves", [
    ("x1, x2 = 2.0, 0.5\ny = x1*x2", ["x1", "x2"]),
    ("(a, b), c = (1.0, -2), 3.5\ny = a*b + c", ["a", "b", "c"]),
    ("[a, b] = (1.0, 2.0,)\nprint(a, b, sep='; ')\na, b = b, a\ny = a/b", ["a", "b"]),
    ("a = b = 2.0\ny = a*b", ["a"]),
    ("x, w = Value(2.0), Value(0.5)\nlr, n = 0.1, 3\ny = x*w\ny.backward()", ["x", "w", "lr"]),
    ("a = 2.0\nb, y = a*3, a + 1", ["a"]),
    ("total, y = 0, 1\nfor k, f in [(1.0, 2.0)]:\n    total, y = y, total + k*f", []),
])  # fmt: skip
def test_numbers_that_are_given_to_several_names_at_once_are_leaves_each_with_its_place(text, leaves):
    """As on lines of their own; what is computed, changed in a loop or counted by it is none."""
    result = evaluate(text)
    assert [leaf.name for leaf in result.leaves] == leaves
    assert [float(text[leaf.start : leaf.end].strip("()")) for leaf in result.leaves] == [
        leaf.number for leaf in result.leaves
    ]
    if leaves:
        moved = replace_number(text, result.leaves[-1], 7.25)
        assert evaluate(moved).leaves[-1].number == 7.25
        assert result.root is not None and result.root.label == "y"


@pytest.mark.parametrize("text", ["a, b = 3", "a, b = 1.0,", "f(a, b) = 1, 2", "(a, b = 1, 2", "a, (b, c) = 1, 2"])
def test_names_without_a_number_each_are_refused_as_python_does(text):
    with pytest.raises(ProgramError) as refusal:
        evaluate(text)
    assert refusal.value.line == 1
