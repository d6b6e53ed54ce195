"""Graphs as programs: every operation of the table in every target that is installed, hostile names, refusals."""

import ast
import math

import numpy as np
import pytest

from engine.autograd import OPS, Op, Value, apply, topological_order
from engine.autograd.op_check import N_INPUTS, PLACES
from engine.autograd.ops import ALL_ELEMENTS, along_axis, at_index, custom_operation, with_rule
from engine.code import TARGETS, CodeError
from engine.code.libraries import LIBRARIES
from engine.document import Document, replace_section
from engine.language import evaluate
from engine.session_file.files import read_document
from engine.session_file.pasted import is_session, session_of_text
from engine.views.graph_view import GraphView, show_expression
from tests.engine.code.exported import ELSEWHERE, HERE, agree, document, graph_of, is_installed, run_here


def scalar_cases(op):
    """The operation on numbers at some points of its domain, each used again so that gradients add up."""
    n = op.arity or (2 * N_INPUTS + 1 if op.paired else N_INPUTS)
    for place in PLACES[:2]:
        ranges = [op.domain.samples[min(index, len(op.domain.samples) - 1)] for index in range(n)]
        points = [low + (place + 0.31 * i) % 1.0 * (high - low) for i, (low, high) in enumerate(ranges)]
        values = [Value(point, f"x{i}") for i, point in enumerate(points)]
        result = apply(op, *values)
        yield result * result + values[0] * 0.5


def summed(result):
    weights = np.linspace(0.5, 1.5, result.data.size).reshape(result.shape) if result.shape else 1.25
    product = result * weights
    return product.sum() if product.shape else product


def array_cases(op):
    """The operation on arrays, with shapes that are broadcast."""
    numbers = np.linspace(0.3, 1.7, 6)
    if op.elementwise and not op.paired:
        yield summed(apply(op, *[Value(numbers.reshape(2, 3) + i / 3, f"x{i}") for i in range(op.arity)]))
        if op.arity == 2:
            yield summed(apply(op, Value(numbers.reshape(2, 3), "a"), Value(numbers[:3] + 0.4, "b")))
            yield summed(apply(op, Value(2.5, "a"), Value(numbers.reshape(3, 1, 2) + 0.4, "b")))
    elif dict(op.settings) == dict(ALL_ELEMENTS):
        for axis, keepdims in ((None, False), (0, False), (1, True), (None, True), ((0, 1), False)):
            tied = np.array([[1.0, 3.0, 3.0], [2.0, 1.0, 1.0]])
            yield summed(apply(along_axis(op, axis, keepdims), Value(tied, "x")))
    elif op.settings:
        indices = [1, (0, slice(None)), (slice(None), [0, 2, 0]), ([0, 1], [2, 2]), (..., -1), slice(0, 1)]
        for index in [*indices, (slice(None), None, 1), np.array([[True, False, True], [False, True, False]])]:
            yield summed(apply(at_index(index), Value(numbers.reshape(2, 3), "x")))
    elif op.infix:
        shapes = [
            ((2, 3), (3, 2)),
            ((3,), (3, 2)),
            ((2, 3), (3,)),
            ((3,), (3,)),
            ((2, 2, 3), (3, 2)),
            ((2, 3, 2), (2,)),
            ((2, 1, 2, 3), (2, 3, 1)),
            ((3,), (2, 3, 2)),
        ]
        for shape in shapes:
            yield summed(apply(op, *(Value(np.linspace(-1, 1, math.prod(each)).reshape(each)) for each in shape)))
    elif op.vjps:
        yield summed(apply(op, Value(numbers.reshape(2, 3), "x")))


def cases_of(op):
    roots = [] if op.vjps else [*scalar_cases(op)]
    return [(Document(), graph_of(root)) for root in [*roots, *array_cases(op)]]


def at_kinks():
    zero, three = Value(0.0, "zero"), Value(3.0, "three")
    root = zero.relu() + abs(zero) + three.max(Value(3.0, "also")) + three.min(3.0) + zero**2 + three**zero
    return root + zero.leaky_relu() + zero.elu() + zero.softplus()


@pytest.mark.slow
@pytest.mark.parametrize("op", OPS.values(), ids=str)
@pytest.mark.parametrize("target", HERE)
def test_every_operation_gives_the_same_numbers_in_a_program(target, op, tmp_path):
    assert agree(target, cases_of(op), tmp_path) or op.vjps


@pytest.mark.long
@pytest.mark.parametrize("target", ELSEWHERE)
def test_every_operation_gives_the_same_numbers_in_another_library(target, tmp_path):
    if not is_installed(target):
        pytest.skip(f"{target} is not installed")
    cases = [case for op in OPS.values() for case in cases_of(op)]
    assert agree(target, [*cases, (Document(), graph_of(at_kinks()))], tmp_path) > len(OPS)


@pytest.mark.parametrize("target", HERE)
def test_derivatives_at_kinks_are_those_of_the_table(target, tmp_path):
    assert agree(target, [(Document(), graph_of(at_kinks()))], tmp_path) == 1


HOSTILE = [
    '"""', "'''\nimport os", "\\", "a\nb", "lambda", "None", "print", "sum", "math", "np", "tanh", "forward", "Value",
    "σ", "größe", "ﬁ", "a b", "\u202e", "\u2028", "\ud800", "{x}", "%s", "# [Gradstep session]", "[end of session]",
    "d_x", "__class__", "leaves", "compare", "v1", "c", "x" * 300, "0", "-", "EXPECTED", "nudges", "locals", "exp_of",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("target", HERE)
def test_labels_cannot_break_out_of_a_program(target, tmp_path):
    leaves = [Value(0.1 * i + 0.2, label) for i, label in enumerate(HOSTILE)]
    total = leaves[0]
    for leaf in leaves[1:]:
        total = total + leaf.tanh() * leaf
        total.label = leaf.label
    made = replace_section(Document(), "expression", text="a = 1.0")
    text = TARGETS[target].function(made, graph_of(total.exp().log()))
    assert not [name for node in ast.walk(ast.parse(text)) for name in imported(node) if name == "os"]
    variables, _printed = run_here(text, tmp_path)
    assert len(variables["EXPECTED"]) == sum(bool(v.op) for v in topological_order(total)) + len(HOSTILE) + 2
    assert session_of_text(text) == made


def imported(node):
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def test_values_beside_the_result_are_in_the_program_with_the_gradient_0(tmp_path):
    view = show_expression(evaluate("a = Value(2.0)\nunused = a * 3\nb = a * a"))
    for target in HERE:
        variables, _printed = run_here(TARGETS[target].function(Document(), view), tmp_path)
        assert variables["EXPECTED"]["unused"] == (6.0, 0.0)


def test_a_step_moves_the_parameters_alone_and_more_of_them_go_on(tmp_path):
    x, w = Value(2.0, "x"), Value(-3.0, "w")
    made = replace_section(Document(), "training", learning_rate=0.125)
    text = TARGETS["python"].function(made, graph_of(w * w * x, parameters=[w]))
    variables, printed = run_here(text.replace("MORE_STEPS = 0", "MORE_STEPS = 2"), tmp_path)
    w_after, x_after = (variables["leaves"][name].data for name in "wx")
    assert (w_after, x_after) == (-3.0 * (1 - 2 * 2 * 0.125) ** 3, 2.0)
    assert repr(w_after**2 * 2) in printed


def test_a_learning_rate_that_is_too_large_is_made_smaller(tmp_path):
    x = Value(1.0, "x")
    text = TARGETS["python"].function(replace_section(Document(), "training", learning_rate=1e6), graph_of(-x.exp()))
    assert 0 < run_here(text, tmp_path)[0]["LEARNING_RATE"] < 1e3


def test_a_learning_rate_of_0_is_kept(tmp_path):
    made = replace_section(Document(), "training", learning_rate=0.0)
    x = Value(3.0, "x")
    variables, _printed = run_here(TARGETS["python"].function(made, graph_of(x * x)), tmp_path)
    assert (variables["LEARNING_RATE"], variables["leaves"]["x"].data) == (0.0, 3.0)


@pytest.mark.parametrize(
    ("lines", "differ"),
    [("b.backward()", False), ("b.backward()\na.grad += 5", True), ("a.grad = 5.0\nb.backward()", True),
     ("a.grad = 5.0", True), ("for _ in range(2):\n    b.backward()", True)],
)  # fmt: skip
def test_a_program_says_where_its_gradients_are_not_those_of_the_session(lines, differ):
    view = show_expression(evaluate(f"a = Value(2.0)\nb = a * a\n{lines}"))
    text = TARGETS["python"].function(Document(), view)
    assert ("gradients of the session's program differ" in ast.get_docstring(ast.parse(text))) == differ


@pytest.mark.parametrize("target", HERE)
def test_a_program_finds_a_wrong_number(target, tmp_path):
    text = TARGETS[target].function(Document(), graph_of((Value(2.0, "x") * 3.0).tanh()))
    number = repr(math.tanh(6.0))
    for wrong in ("0.5", "float('nan')"):
        with pytest.raises(AssertionError):
            run_here(text.replace(number, wrong), tmp_path)


def cubed():
    y = apply(custom_operation("cube", 1), Value(2.0, "x"))
    y.data = 8.0
    return y


def changed():
    x = Value(2.0, "x")
    y = x * 3.0
    y.label = "y"
    root = y.tanh()
    y.data = 5.0
    return root


@pytest.mark.parametrize(
    ("root", "target", "named"),
    [
        (Value(np.ones(3), "x") * 2.0, "numpy", "(3,)"),
        (Value(np.ones(3), "row").sum(), "python", "row"),
        (Value(np.ones(3), "row").sum(), "micrograd", "NumPy"),
        (Value(-1.0, "x").log(), "python", "log"),
        (Value(0.0, "root").sqrt(), "numpy", "gradient"),
        (Value(1e-300, "x").sqrt(), "numpy", "step"),
        (cubed(), "numpy", "cube"),
        (apply(with_rule(custom_operation("own", 1), print), Value(2.0)), "numpy", "own"),
        (changed(), "python", "y is 5.0"),
        (apply(at_index(slice(None, None, -1)), Value(np.ones(3))).sum(), "pytorch", "negative step"),
    ],
)
def test_what_a_target_cannot_express_is_refused_with_the_reason(root, target, named):
    with pytest.raises(CodeError) as refused:
        TARGETS[target].function(Document(), graph_of(root))
    assert named in str(refused.value)


def test_an_empty_and_a_huge_graph_are_refused():
    for target in TARGETS.values():
        with pytest.raises(CodeError, match="empty"):
            target.function(Document(), GraphView())
    total = Value(1.0)
    for _ in range(6_000):
        total = total + 1.0
    with pytest.raises(CodeError):
        TARGETS["python"].function(Document(), graph_of(total))


@pytest.mark.parametrize("target", LIBRARIES)
def test_a_program_has_short_lines_and_nothing_but_what_it_says(target):
    x = Value(0.5, "x")
    text = TARGETS[target].function(Document(), graph_of(x.gelu() * x.swish() + x.softplus()))
    assert max(map(len, text.splitlines())) <= 120
    ast.parse(text)


def test_an_exported_program_opens_as_the_session_that_it_was(tmp_path):
    made = replace_section(document(3), "expression", text="größe = Value(2.0)\nb = größe * größe\n")
    view = show_expression(evaluate(made.expression.text))
    for graph in (view, None):
        text = TARGETS["numpy"].function(made, graph)
        assert is_session(text) and session_of_text(text) == made
        path = tmp_path / "exported.py"
        path.write_text(text, encoding="utf-8")
        read = read_document(path)
        assert read.document == made and read.is_code and not read.is_program
    path.write_text("a = 2.0  # [end of session]\n", encoding="utf-8")
    assert read_document(path).is_program


def test_an_operation_that_is_added_to_the_table_is_exported_too(monkeypatch, tmp_path):
    monkeypatch.setitem(OPS, "cube", Op("cube", "x**3", ("3 * x**2",), rule="Three times the square."))
    for target in HERE:
        assert agree(target, [(Document(), graph_of(apply(OPS["cube"], Value(2.0, "x"))))], tmp_path) == 1
