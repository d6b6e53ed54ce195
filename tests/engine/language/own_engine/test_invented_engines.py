"""Engines as learners invent them: right ones are drawn and not complained of, one change each is named where it is."""

import contextlib
import io
from pathlib import Path

import pytest

from engine.language import evaluate
from tests.engine.language.own_engine.added_to_closures import ADDED_TO_CLOSURES_WITH_A_SEED

FOLDER = Path(__file__).parents[1] / "own_engines"
ENGINES = (
    "slots_and_closures", "dataclass_of_pairs", "functions_with_contexts", "tape_of_functions", "dual_numbers",
    "pairs_of_functions", "tensor_of_returned_gradients", "random_and_kinked", "counted_consumers", "expression_tree",
    "list_of_children", "graph_of_all_nodes", "operations_given_inputs", "decorated_operations", "fused_cross_entropy",
    "frozen_nodes", "large_and_small_numbers", "shared_operations", "seed_as_an_argument", "gradients_of_a_batch",
)  # fmt: skip
RULES = [
    ("slots_and_closures", "(1 + math.exp(-self.data))", "(1 + math.exp(self.data))", "softplus"),
    ("dataclass_of_pairs", "(other, -1.0)", "(other, 1.0)", "__sub__"),
    ("functions_with_contexts", "(g, 0.0) if a > b", "(g, 0.0) if a < b", "Max.backward"),
    ("functions_with_contexts", "g * ctx.saved[0]", "g + ctx.saved[0]", "Exp.backward"),
    ("tape_of_functions", "3 * self.v**2", "2 * self.v**2", "cube"),
    ("dual_numbers", "self.dual * o.real - self", "self.dual * o.real + self", "__truediv__"),
    ("pairs_of_functions", "g if self.x > 0 else -g", "g", "abs"),
    ("tensor_of_returned_gradients", "(1 - t**2)", "(1 - t)", "tanh"),
    ("tensor_of_returned_gradients", "fit(g, o.data.shape))", "fit(g, o.data.shape) / 3)", "__add__"),
    ("random_and_kinked", "keep * out.grad", "out.grad", "dropout"),
    ("counted_consumers", "math.exp(x.val - m) / s for", "math.exp(x.val) / s for", "logsumexp"),
    ("expression_tree", "self.b.backprop(g * self.a.value)", "self.b.backprop(g)", "Mul.backprop"),
    ("list_of_children", '[self, other], "*"', '[self], "*"', "__mul__"),
    ("graph_of_all_nodes", "self.data * (1 - self.data)", "(1 - self.data)", "_push"),
    ("graph_of_all_nodes", "for i in self.ins: i.grad += g", "self.ins[0].grad += g", "_push"),
    ("operations_given_inputs", "return g * b, g * a", "return g * a, g * b", "Mul.backward"),
    ("decorated_operations", "(1 - t * t,)", "(1 - t,)", "wrapper"),
    ("fused_cross_entropy", "if i == target", "if i != target", "cross_entropy"),
    ("frozen_nodes", "g / (2 * math.sqrt(self.value))", "g / math.sqrt(self.value)", "sqrt"),
    ("large_and_small_numbers", "out.grad / self.data", "out.grad / self.data ** 2", "log"),
    ("shared_operations", "(g * b, g * a)", "(g * a, g * b)", "__call__"),
]
PASSES = [
    ("slots_and_closures", "for v in reversed(order)", "for v in order"),
    ("slots_and_closures", "self.grad = 1.0", "pass"),
    ("slots_and_closures", "self.grad = 1.0", "self.grad = 2.0"),
    ("dataclass_of_pairs", "node.gradient += upstream", "node.gradient = upstream"),
    ("dataclass_of_pairs", "upstream * local)", "local)"),
    ("functions_with_contexts", "i.grad += g", "i.grad = g"),
    ("tape_of_functions", "in reversed(tape)", "in tape"),
    ("pairs_of_functions", "d.bar += f(v.bar)", "d.bar += f(1.0)"),
    ("pairs_of_functions", "order[::-1]", "order"),
    ("counted_consumers", "k.g += l * n.g", "k.g += l"),
    ("list_of_children", "order.append(v)", "order.insert(0, v)"),
    ("operations_given_inputs", "in reversed(order)", "in order"),
    ("decorated_operations", "root.adj = 1.0", "root.adj = 3.0"),
    ("seed_as_an_argument", "self.grad = seed", "self.grad = 3 * seed"),
]


def text_of(engine):
    added = ADDED_TO_CLOSURES_WITH_A_SEED.get(engine, "")
    return (FOLDER / f"{'closures_with_a_seed' if added else engine}.py").read_text(encoding="utf-8") + added


def changed(engine, old, new):
    text = text_of(engine)
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_right_engine_is_drawn_and_every_rule_of_it_agrees(engine):
    evaluation = evaluate(text_of(engine))
    assert evaluation.root is not None and evaluation.root.inputs
    rows = evaluation.engine_check
    assert [row.message for row in rows if not row.ok or "not compared" in row.message] == []
    assert len([row for row in rows if not row.of_pass]) >= 2


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "old", "new", "method"), RULES)
def test_a_wrong_rule_is_named(engine, old, new, method):
    wrong = [row for row in evaluate(changed(engine, old, new)).engine_check if not row.ok]
    assert wrong and not wrong[0].of_pass
    assert wrong[0].message.startswith(method), wrong[0].message


@pytest.mark.parametrize(("engine", "old", "new"), PASSES)
def test_a_wrong_pass_is_named_where_it_is_defined_and_not_laid_to_a_rule(engine, old, new):
    text = changed(engine, old, new)
    (row,) = (row for row in evaluate(text).engine_check if not row.ok)
    assert row.of_pass
    definition, *body = text.split("\n")[row.line - 1 : text_of(engine)[: text_of(engine).index(old)].count("\n") + 1]
    indentation = len(definition) - len(definition.lstrip())
    assert definition.lstrip().startswith("def ") and body
    assert all(line[: indentation + 1].isspace() for line in body if line)


def test_random_numbers_of_the_program_are_those_of_python():
    text = text_of("random_and_kinked") + "print([w.data for w in ws], random.random())\n"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, "<engine>", "exec"), {"__name__": "__main__"})
    assert "".join(piece.text for piece in evaluate(text).output) == printed.getvalue()


TRAINING = (
    "\nw = Value(0.5, label='w')\nfor k in range(4):\n    loss = (w * 2.0 - 3.0)**2\n    w.grad = 0.0\n"
    "    loss.backward()\n    w.data -= 0.01 * w.grad\n"
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("n * self.data ** (n - 1)", "n * self.data ** n"),
        ("self.grad += other.data * out.grad", "self.grad = other.data * out.grad"),
        ("for v in reversed(topo)", "for v in topo"),
    ],
)
def test_gradients_that_are_set_to_0_are_not_called_left_over(old, new):
    text = text_of("closures")
    rows = evaluate((text.replace(old, new) if old in text else text) + TRAINING).engine_check
    assert not any("still there in step" in row.message for row in rows)


def test_the_sign_of_an_update_that_climbs_is_said_at_its_line():
    text = text_of("closures") + TRAINING.replace("w.data -=", "w.data +=")
    line = text[: text.index("w.data +=")].count("\n") + 1
    assert any(note.line == line and "w.data" in note.message for note in evaluate(text).notes)


def test_rules_are_counted_and_not_their_applications():
    rows = evaluate(text_of("closures") + TRAINING.replace("range(4)", "range(40)")).engine_check
    assert 2 <= len(rows) <= 6


def test_values_of_an_own_network_are_named_by_where_they_live():
    text = text_of("closures") + (
        "\nclass Neuron:\n    def __init__(self):\n        self.w = [Value(0.3), Value(-0.2)]\n"
        "        self.b = Value(0.0)\n    def __call__(self, x):\n"
        "        return (self.w[0] * x[0] + self.w[1] * x[1] + self.b).tanh()\n"
        "n = Neuron()\ny = n([1.0, -1.0])\ny.backward()\n"
    )
    assert {"n.w[0]", "n.w[1]", "n.b", "y"} <= {value.label for value in evaluate(text).origins}
