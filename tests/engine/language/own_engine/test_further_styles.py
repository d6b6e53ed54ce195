"""Engines in further styles, each with its program: right as they are, and wrong with one change."""

from pathlib import Path

import pytest

from engine.language import evaluate

FOLDER = Path(__file__).parents[1] / "own_engines"
WRONG = [
    ("tape_of_closures", "self.g += o.v * out.g", "self.g += self.v * out.g", "__mul__", 3.0, 2.0),
    ("tape_of_records", "2 * self.value]", "self.value]", "square", 12.0, 6.0),
    ("contexts", "return y * grad", "return 2 * y * grad", "Exp.backward", None, None),
    ("numpy_tensor", "* out.grad / self.data.size", "* out.grad", "mean", 1 / 6, 1.0),
    ("dataclass_with_slots", "3 * self.z ** 2", "2 * self.z ** 2", "cube", None, None),
    ("dependencies", "(1 - t * t)", "(1 - t)", "tanh", None, None),
    ("fused_operations", "return [b.data, a.data, 1.0]", "return [b.data, a.data, c.data]", "grads", None, None),
    ("forward_mode", "math.cos(self.real) *", "-math.cos(self.real) *", "sin", -0.416147, 0.416147),
]


def text_of(style):
    return (FOLDER / f"{style}.py").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("style", [row[0] for row in WRONG])
def test_a_right_engine_is_drawn_and_gets_no_complaint(style):
    evaluation = evaluate(text_of(style))
    assert evaluation.root is not None and evaluation.root.inputs
    assert [row.message for row in evaluation.engine_check if not row.ok] == []
    assert not any("not compared" in row.message for row in evaluation.engine_check)


@pytest.mark.slow
@pytest.mark.parametrize(("style", "old", "new", "method", "expected", "given"), WRONG, ids=lambda each: str(each)[:20])
def test_a_wrong_rule_is_named_with_its_line_and_numbers(style, old, new, method, expected, given):
    text = text_of(style)
    assert old in text
    wrong = [row for row in evaluate(text.replace(old, new)).engine_check if not row.ok]
    assert wrong and wrong[0].message.startswith(method)
    lines = text.replace(old, new).split("\n")[wrong[0].line - 2 : wrong[0].line]  # a record is made before the return
    assert any(new in line for line in lines)
    if expected is not None:
        assert (wrong[0].expected, wrong[0].given) == pytest.approx((expected, given), rel=1e-5)


TAPES = {
    "beside another list": ("tape = []\nlosses = []\n", "tape"),
    "object": ("class Tape:\n    def __init__(self):\n        self.rules = []\ntape = Tape()\n", "tape.rules"),
    "class": ("class Tape:\n    rules = []\n", "Tape.rules"),
}


@pytest.mark.parametrize(("definition", "name"), TAPES.values(), ids=TAPES)
def test_a_tape_is_found_wherever_the_program_holds_it(definition, name):
    text = text_of("tape_of_closures").replace("tape = []\n", "<tape>").replace("tape.append", f"{name}.append")
    text = text.replace("reversed(tape)", f"reversed({name})").replace("<tape>", definition)
    assert all(row.ok and "not compared" not in row.message for row in evaluate(text).engine_check)
    rows = evaluate(text.replace("self.g += o.v * out.g", "self.g += self.v * out.g")).engine_check
    assert [(row.expected, row.given) for row in rows if not row.ok][:1] == [(pytest.approx(3.0), pytest.approx(2.0))]


@pytest.mark.parametrize(("definition", "name"), TAPES.values(), ids=TAPES)
def test_a_tape_is_read_before_there_is_a_pass_that_does(definition, name):
    text = (
        definition
        + f"""class V:
    def __init__(self, v):
        self.v, self.g = v, 0.0
    def __mul__(self, o):
        out = V(self.v * o.v)
        def rule():
            self.g += o.v * out.g
            o.g += self.v * out.g
        {name}.append(rule)
        return out
x = V(3.0)
y = x * V(5.0)
"""
    )
    assert [(row.expected, row.given) for row in evaluate(text).engine_check] == [(5.0, 5.0), (3.0, 3.0)]


def test_of_several_functions_that_a_result_holds_the_one_with_the_name_of_a_rule_is_judged():
    text = text_of("returned_by_lambdas").replace(
        "        self.grad = 0.0\n", "        self.grad = 0.0\n        self.first = lambda g: (7 * g, 7 * g)\n"
    )
    assert "self.first" in text
    text += "a, b = Scalar(2.0), Scalar(3.0)\nc = a * b - a\nc.backward()\n"
    rows = evaluate(text).engine_check
    assert rows and all(row.ok and "not compared" not in row.message for row in rows)
    wrong = [row for row in evaluate(text.replace("(g, -g)", "(g, g)")).engine_check if not row.ok]
    assert wrong and (wrong[0].expected, wrong[0].given) == pytest.approx((-1.0, 1.0))


ARGUMENTS = {
    "any number, with options": (
        """def total(first, *others, **options):
    terms = [first, *others]
    out = Value(options["scale"] * sum(each.data for each in terms), terms, "total")""",
        "total(a, b, scale=3.0)",
    ),
    "a list that contains itself": (
        """def total(given):
    terms = given[:2]
    options = {"scale": 3.0}
    out = Value(options["scale"] * sum(each.data for each in terms), terms, "total")""",
        "total(nodes)",
    ),
    "an object that contains itself": (
        """class Terms:
    def __init__(self, *values):
        self.values, self.terms, self.scale = values, self, 3.0
def total(given):
    terms = given.terms.values
    options = {"scale": given.scale}
    out = Value(options["scale"] * sum(each.data for each in terms), terms, "total")""",
        "total(Terms(a, b))",
    ),
    "a dictionary that contains itself": (
        """def total(given):
    given["self"] = given
    terms, options = given["values"], {"scale": 3.0}
    out = Value(options["scale"] * sum(each.data for each in terms), terms, "total")""",
        "total({'values': (a, b)})",
    ),
}


@pytest.mark.parametrize(("definition", "call"), ARGUMENTS.values(), ids=ARGUMENTS)
@pytest.mark.parametrize(("factor", "ok"), [("options['scale']", True), ("2.0", False)])
def test_an_operation_is_judged_whatever_its_arguments_are(definition, call, factor, ok):
    rule = f"""
    def rule():
        for each in terms:
            each.grad += {factor} * out.grad
    out._backward = rule
    return out


a, b = Value(2.0), Value(5.0)
nodes = [a, b]
nodes.append(nodes)
c = {call} * a
c.backward()
"""
    rows = evaluate(f"{text_of('closures')}\n{definition}{rule}").engine_check
    totals = [row for row in rows if row.op == "total" and row.expected is not None]
    assert totals and all(row.ok is ok and row.expected == pytest.approx(6.0) for row in totals)


def test_an_engine_in_forward_mode_is_said_to_be_one():
    evaluation = evaluate(text_of("forward_mode"))
    assert any("forward mode" in row.message for row in evaluation.engine_check)
    assert evaluation.root.known_grad is None


def test_a_gradient_of_another_shape_than_the_data_is_named():
    text = text_of("numpy_tensor").replace("other.grad += unbroadcast(out.grad, other.data.shape)",
                                           "other.grad = other.grad + out.grad")  # fmt: skip
    wrong = [row for row in evaluate(text).engine_check if not row.ok]
    assert "(3, 2)" in wrong[0].message and "(2,)" in wrong[0].message


def test_objects_with_numbers_that_are_no_engine_are_not_drawn_and_a_note_says_why():
    vectors = """class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)


v = Vector(1.0, 2.0) + Vector(3.0, 4.0)
"""
    evaluation = evaluate(vectors)
    assert evaluation.root is None and evaluation.engine_check is None
    assert [note.line for note in evaluation.notes if "Vector" in note.message] == [1]


@pytest.mark.parametrize("rule", ["(out.data >= 0) * out.grad", "(out.data > 0) * out.grad", "0.3 * out.grad"])
def test_at_a_kink_any_gradient_between_both_sides_is_right(rule):
    text = text_of("closures").replace("(out.data > 0) * out.grad", rule)
    rows = evaluate(text + "\nx = Value(0.0, label='x')\ny = x.relu() * 2\ny.backward()\n").engine_check
    assert all(row.ok for row in rows)


@pytest.mark.long
def test_rules_that_never_end_leave_the_others_judged():
    text = text_of("closures")
    for rule in (
        "other.data * out.grad",
        "(1 - t**2) * out.grad",
        "(out.data > 0) * out.grad",
        "1 / self.data * out.grad",
    ):
        assert f"self.grad += {rule}" in text
        text = text.replace(f"self.grad += {rule}", "while True:\n                pass")
    rows = evaluate(text + "\na = Value(1.0)\nb = Value(2.0)\nc = (a * b + a).tanh().relu().log()\n").engine_check
    assert [row.op for row in rows if row.expected is not None] == ["add", "add"]
    assert sum("did not end" in row.message for row in rows) == 4


def test_an_update_is_not_taken_for_a_wrong_rule_and_leftovers_are_named_only_where_there_were_any():
    loop = (
        "\nw = Value(0.5, label='w')\nfor k in range(5):\n    loss = (w * 2.0 - 3.0)**2\n{zero}"
        "    loss.backward()\n    w.data -= 0.01 * w.grad\n"
    )
    right = evaluate(text_of("closures") + loop.format(zero="    w.grad = 0.0\n")).engine_check
    assert all(row.ok for row in right)
    wrong = [row for row in evaluate(text_of("closures") + loop.format(zero="")).engine_check if not row.ok]
    assert [row.of_pass for row in wrong] == [True] and "step 1" in wrong[0].message


NESTED = """
def scaled(x, options):
    factor = options["layers"]["first"]["slopes"][0]["factor"]
    out = Value(x.data * factor, (x,), "scaled")
    def rule():
        x.grad += {slope} * out.grad
    out._backward = rule
    return out
y = scaled(Value(2.0, label="p"), {{"layers": {{"first": {{"slopes": [{{"factor": 3.0}}]}}}}}})
y.backward()
"""


@pytest.mark.parametrize(("slope", "ok"), [("factor", True), ("2", False)])
def test_an_operation_that_takes_nested_options_is_judged(slope, ok):
    (row,) = evaluate(text_of("closures") + NESTED.format(slope=slope)).engine_check
    assert (row.ok, row.expected, row.given) == (ok, 3.0, 3.0 if ok else 2.0)
