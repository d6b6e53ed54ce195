"""Engines of learners: right ones get no complaint, and what is wrong with the others is named at its line."""

from textwrap import indent

import pytest

from engine.language import ProgramError, evaluate
from tests.engine.language.own_engine.further_engine_cases import FURTHER
from tests.engine.language.own_engine.own_engine_cases import PUBLISHED, SETS, USES, right_program
from tests.engine.language.own_engine.own_engine_cases import engine as engine_text


@pytest.fixture
def rows_of():
    return lambda program: evaluate(program).engine_check


@pytest.mark.slow
@pytest.mark.parametrize("style", USES)
def test_a_right_engine_gets_no_complaint(style, rows_of):
    rows = rows_of(right_program(style))
    assert len(rows) >= 4
    assert [row.message for row in rows if row.message] == []
    assert all(row.ok and row.given == pytest.approx(row.expected) for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("case", PUBLISHED, ids=lambda case: case.name)
def test_a_program_indented_as_a_whole_is_told_the_same(case, rows_of):
    told, expected = [[(row.line, row.ok, row.message) for row in rows_of(text)]
                      for text in (indent(case.program, "  "), case.program)]  # fmt: skip
    assert expected and told == expected


@pytest.mark.slow
@pytest.mark.parametrize("case", [*PUBLISHED, *FURTHER], ids=lambda case: case.name)
def test_a_mistake_is_named_where_it_stands(case, rows_of):
    rows = rows_of(case.program)
    wrong = [row for row in rows if not row.ok]
    assert wrong, rows
    row = wrong[0]
    for words in case.words:
        assert words in row.message, row.message
    if case.method:
        assert f"{case.method}, line" in row.message, row.message
    if case.line:
        assert case.line in case.program.split("\n")[row.line - 1], (row, case.program.split("\n")[row.line - 1])
    if case.expected is not None:
        assert (row.expected, row.given) == pytest.approx((case.expected, case.given), rel=1e-5)


def test_values_that_are_their_own_inputs_are_said_to_be_so(rows_of):
    program = (
        engine_text("closures") + "\na = Value(1.0, label='a')\nb = a * 2\nb.label = 'b'\na._prev = (b,)\nc = b + a\n"
    )
    (row,) = rows_of(program)
    assert not row.ok and row.of_pass and row.value.label == row.input != ""
    assert program.splitlines()[row.line - 1].strip() == "def backward(self):"
    assert "lead back to" in row.message


def test_inputs_in_a_set_are_remarked_on_and_not_complained_of(rows_of):
    (change,) = SETS
    program = engine_text("closures").replace(*change) + "\nx = Value(3.0, label='x')\ny = x * x\ny.backward()\n"
    (row,) = rows_of(program)
    assert row.ok
    assert "set" in row.message and "both edges are drawn" in row.message and len(row.value.inputs) == 2
    assert (row.expected, row.given) == (6.0, 6.0)


@pytest.mark.parametrize("case", PUBLISHED[:2], ids=lambda case: case.name)
def test_a_gradient_that_is_replaced_is_named_where_the_inputs_are_a_set(rows_of, case):
    (change,) = SETS
    (row,) = (row for row in rows_of(case.program.replace(*change)) if not row.ok)
    for words in case.words:
        assert words in row.message


def test_a_program_without_an_engine_has_no_rows():
    assert evaluate("class Point:\n    def __init__(self):\n        self.x = 1\nPoint()\n").engine_check is None


def test_the_judge_changes_nothing_that_the_program_has():
    program = right_program("closures")
    gradients = evaluate(program + "print([each.grad for each in (a, b, c, d, e, f, L)])\n")
    numbers = [gradients.names[name].grad for name in "abcdefL"]
    assert "".join(piece.text for piece in gradients.output) == f"{numbers}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule", ["lambda: 1 / 0", "5", "lambda *args: [1] * 9", "c.backward", "lambda: c._backward()", "[c]"]
)
def test_a_rule_that_is_none_leaves_the_others_judged(rows_of, rule):
    rows = rows_of(f"{right_program('closures')}\nc._backward = {rule}\nd._backward = {rule}\n")
    assert len([row for row in rows if row.ok and row.given is not None]) >= 5


def test_a_row_knows_the_value_that_is_drawn():
    result = evaluate(engine_text("closures") + "\np = Value(2.0)\nq = Value(5.0)\ns = p * q + p\ns.backward()\n")
    rows = [(row.op, row.value.data) for row in result.engine_check]  # a rule for each input of each method
    assert rows == [("mul", 10.0), ("mul", 10.0), ("add", 12.0), ("add", 12.0)]
    assert result.engine_check[-1].value is result.root


@pytest.mark.long
def test_a_rule_that_never_ends_costs_seconds_and_not_the_result():
    endless = "def endless():\n    while True:\n        pass\n\n\nc = a + b\nc._backward = endless\n"
    result = evaluate(engine_text("closures") + "\na = Value(1.0)\nb = Value(2.0)\n" + endless + "print(c.data)\n")
    assert "".join(piece.text for piece in result.output) == "3.0\n"


@pytest.mark.slow
def test_a_constant_that_is_not_wrapped_is_refused_at_its_line_with_what_to_write():
    wrap = "        other = other if isinstance(other, Value) else Value(other)\n"
    program = engine_text("closures").replace(wrap, "") + "\nx = Value(1.0)\ny = x + 2\n"
    with pytest.raises(ProgramError) as caught:
        evaluate(program)
    assert "other = other if isinstance(other, Value) else Value(other)" in caught.value.message
    assert "self.data + other.data" in program.split("\n")[caught.value.line - 1]


@pytest.mark.parametrize(("factor", "rule", "is_told"), [
    ("3", "other.data * out.grad", True), ("3.0", "other.data * out.grad", True),
    ("q", "other.data * out.gard", False), ("q", "other.name.data * out.grad", False),
])  # fmt: skip
def test_to_wrap_numbers_is_advised_where_a_rule_takes_a_number_for_a_value(factor, rule, is_told):
    product = "        out = Value(self.data * other.data"
    wrapped = f"        other = other if isinstance(other, Value) else Value(other)\n{product}"
    loose = product.replace("other.data", "(other.data if isinstance(other, Value) else other)")
    text = engine_text("closures")
    assert wrapped in text and "other.data * out.grad" in text
    text = text.replace(wrapped, loose).replace("self.grad += other.data * out.grad", f"self.grad += {rule}")
    text += f"\np, q = Value(2.0), Value(5.0)\nq.name = None\ns = p * {factor}\nt = s + q\n"
    (row,) = [row for row in evaluate(text).engine_check if "cannot run its rule" in row.message]
    assert ("wrap numbers first" in row.message) is is_told


def test_the_rules_of_a_program_that_fails_later_are_judged_and_an_interrupted_pass_is_not():
    wrong = engine_text("closures").replace("self.grad += other.data * out.grad", "self.grad += self.data * out.grad")
    program = f"{wrong}\np = Value(2.0, label='p')\nq = Value(5.0)\ns = p * q\ns.backward()\nmissing\n"
    with pytest.raises(ProgramError) as caught:
        evaluate(program)
    rows = caught.value.evaluation.engine_check
    assert [(row.ok, row.expected, row.given) for row in rows] == [(False, 5.0, 2.0), (True, 2.0, 2.0)]
    assert not any(row.of_pass for row in rows)


@pytest.mark.slow
def test_a_missing_seed_is_named_when_the_program_fails_after_the_pass_and_not_when_it_fails_in_it():
    right = engine_text("closures")
    no_seed, no_rule = (
        right.replace("        self.grad = 1.0\n", ""),
        right.replace("+= other.data * out", "+= 1 / 0 * out"),
    )
    later = "s.backward()\nassert p.grad == 5.0, 'check'\n"
    for engine, use, is_named in ((no_seed, later, True), (right, "s.backward(1)\n", False), (no_rule, later, False)):
        with pytest.raises(ProgramError) as caught:
            evaluate(f"{engine}\np = Value(2.0)\nq = Value(5.0)\ns = p * q\n{use}")
        told = [row.message for row in caught.value.evaluation.engine_check if not row.ok]
        assert any("does not have its own 1.0" in message for message in told) is is_named


ENGINE = engine_text("closures") + "\na = Value(2.0)\nb = Value(-3.0)\nc = a * b + a\nd = c * c\nd.backward()\n"


def test_values_of_the_learners_own_class_are_drawn_with_their_operations_and_numbers():
    result = evaluate(ENGINE)
    a, c = result.names["a"], result.names["c"]
    assert result.root is result.names["d"]
    assert (result.root.op.infix, c.op.infix) == ("*", "+")
    assert result.root.inputs == (c, c)
    assert (result.root.data, a.grad, result.root.grad) == (16.0, 16.0, 1.0)
    assert [moment.line for moment in result.moments] == [len(ENGINE.splitlines())]
    assert result.engine_check and all(row.ok for row in result.engine_check)


def test_a_wrong_rule_of_the_learners_own_class_is_named_with_its_line():
    result = evaluate(ENGINE.replace("self.grad += other.data * out.grad", "self.grad += self.data * out.grad"))
    wrong = [row for row in result.engine_check if not row.ok]
    assert wrong and "__mul__, line" in wrong[0].message
