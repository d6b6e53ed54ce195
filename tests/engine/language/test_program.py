"""Programs of the little language: what they build, and what is known about it."""

import math

import pytest

from engine.autograd import Constant, Value
from engine.language import Limits, ProgramError, evaluate, replace_number


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("x = 1\nx + 2*3 - 4/2", 5),
        ("x = 1\n(x + 2) * (3 - 4)", -3),
        ("x = 2\nx**3**2", 512),
        ("x = 2\n-x**2", -4),
        ("x = 2; (-x)**2", 4),
        ("x = 2; x - -3", 5),
        ("x = 16; x / 4 / 2", 2),
        ("x = 2\n+ x", 2),
        ("x = 1\nmax(x, 2) + min(3, 4)", 5),
        ("x = -2\nabs(x)", 2),
        ("x = 1\nsum([x, 2, 3])", 6),
        ("x = 4\nsum((x,))", 4),
        ("x = 1\n(x +\n 2)", 3),
        ("x = 1\nx + \\\n2", 3),
        ("a = 2 # two\n# nothing\n\na * a", 4),
        ("a = b = 2; a * b", 4),
        ("a = 2; a += 1; a -= 5; a *= 4; a /= 2; a **= 2", 16),
        ("x = -1; x.relu()", 0),
        ("x = 4; (x + 5).sqrt()", 3),
        ("x = 1; x.exp().log()", 1),
        ("x = 3\nadd(1, mul(2, x))", 7),
        ("w = Value(1)\nweighted_sum(w, 2, 3, 4, 5)", 19),
        ("z = Value(0)\nlogsumexp(z, 0)", math.log(2)),
        ("z = Value(0)\nlogsumexp([z, 0])", math.log(2)),
        ("pi = 3; pi + 1", 4),
        ("exp = 2; exp + math.exp(0)", 3),
        ("match = 3; match + 1", 4),
        ("Value(2.0) * Value(-3)", -6),
        ("x = 0.0\nmath.exp(x) + math.pi - math.pi", 1),
    ],
)
def test_programs_and_their_results(text, data):
    assert evaluate(text).root.data == pytest.approx(data, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "shown"), [("1 + 2*3", "7"), ("pi", "3.141592653589793"), ("np.maximum(1, 2)", "np.int64(2)")]
)
def test_numbers_without_a_name_are_shown_and_are_no_graph(text, shown):
    result = evaluate(text)
    assert result.displayed.text == shown and result.root is None


def test_names_hold_the_last_binding_and_the_graph_both():
    result = evaluate("c = 2.0\nd = c*c\nc += 1\ne = c*d")
    first, second = result.names["d"].inputs[0], result.names["c"]
    assert (first.data, second.data) == (2.0, 3.0)
    assert (first.label, second.label) == ("c₁", "c₂")
    assert second.inputs[0] is first


def test_a_name_bound_once_has_no_number():
    assert [value.label for value in evaluate("a = 1\nb = a + a").origins] == ["a", "b"]


def test_unnamed_parts_get_short_labels():
    result = evaluate("x1 = 2; w1 = 3; b = 1\nn = tanh(x1*w1 + b) + (x1 - b)**2/exp(b) + 2*x1*(w1 + b)")
    labels = {value.label for value in result.origins if value.op}
    assert {"x1w1", "x1w1+b", "tanh(x1w1+b)", "x1-b", "(x1-b)²", "exp(b)", "2x1", "w1+b", "2x1·(w1+b)", "n"} <= labels
    assert max(map(len, labels)) <= 12


def test_products_of_words_are_not_run_together():
    result = evaluate("rate = 2; x = 3\ny = rate*x + x*x + x*2 + x*-1 + (x*rate)**2")
    assert {"rate·x", "x·x", "x·2", "x·(-1)", "(x·rate)²"} <= {value.label for value in result.origins}


def test_numbers_in_formulas_are_constants_and_bound_ones_leaves():
    result = evaluate("x = 2.0\ny = 3*x + 1")
    kinds = {value.data: type(value).__name__ for value in result.origins if value.op is None}
    assert kinds == {2.0: "Value", 3.0: "Constant", 1.0: "Constant"}


def test_an_alias_is_the_same_value():
    result = evaluate("a = 2.0\nb = a\nc = b*b")
    assert result.names["a"] is result.names["b"]
    assert result.names["a"].label == "a"


def test_leaves_know_where_their_number_stands():
    text = "a = 2.0;  b=-3.0\nc = Value(4e0, label='q')\nd = a*5\ne = torch.tensor([ -1.5 ]) # 7\nf = - 6.0"
    result = evaluate(text)
    assert [(leaf.name, leaf.number, text[leaf.start : leaf.end]) for leaf in result.leaves] == [
        ("a", 2.0, "2.0"), ("b", -3.0, "-3.0"), ("c", 4.0, "4e0"), ("e", -1.5, "-1.5"), ("f", -6.0, "- 6.0"),
    ]  # fmt: skip
    assert [(leaf.line, leaf.column) for leaf in result.leaves][:2] == [(1, 5), (1, 13)]
    assert all(leaf.value is result.names.get(leaf.name, leaf.value) for leaf in result.leaves)


def test_columns_count_characters_not_bytes():
    (leaf,) = evaluate("größe = 2.0").leaves
    assert leaf.column == 9


def test_replacing_a_number_writes_the_shortest_one():
    text = "a = 2.0; b = -3\nc = a*b"
    leaves = {leaf.name: leaf for leaf in evaluate(text).leaves}
    assert replace_number(text, leaves["a"], 0.1) == "a = 0.1; b = -3\nc = a*b"
    changed = replace_number(text, leaves["b"], 1e-9)
    assert changed == "a = 2.0; b = 1e-09\nc = a*b"
    assert evaluate(changed).names["b"].data == 1e-9


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_slider_cannot_write_what_is_no_number(number):
    (leaf,) = evaluate("a = 2").leaves
    with pytest.raises(ValueError, match="finite"):
        replace_number("a = 2", leaf, number)


def test_a_number_is_not_replaced_in_another_text():
    (leaf,) = evaluate("a = 2").leaves
    with pytest.raises(ValueError, match="no longer"):
        replace_number("a = b", leaf, 1.0)


def test_with_x_like_names_the_other_leaves_are_parameters():
    result = evaluate("x1 = 1; w = 2; target = 3; b = 4\nL = (w*x1 + b - target)**2")
    assert {value.label: role for value, role in result.roles.items()} == {
        "x1": "input", "w": "parameter", "target": "input", "b": "parameter",
    }  # fmt: skip


def test_a_label_that_is_a_sentence_or_too_long_makes_no_parameter_and_the_name_of_a_part_does():
    labels = ["hello. world", "w" * 2_000, "1.5", "n.w[0]", "layers[1].weight", "net.0.bias"]
    text = f"leaves = [Value(1.0, label=each) for each in {labels}]\ny = sum(leaves)\n"
    roles = [role for value, role in evaluate(text).roles.items() if value.label]
    assert roles == ["input"] * 3 + ["parameter"] * 3


def test_without_them_all_leaves_are_inputs():
    result = evaluate("a = 1; y = 2\nb = a*y + 1")
    assert set(result.roles.values()) == {"input"}
    assert not any(isinstance(value, Constant) for value in result.roles)


def test_every_value_has_an_origin_with_a_key_of_its_own():
    result = evaluate("a = 2\nb = (a + 1)*a\nb += a\na*b\na + b")
    keys = [origin.key for origin in result.origins.values()]
    assert keys == ["a", "b.0", "b.1", "b", "b#2", "="]
    assert len(set(keys)) == len(keys)


def test_keys_do_not_change_when_other_lines_do():
    before = evaluate("a = 2; b = 3\nd = a*b + a\nL = tanh(d)*2")
    after = evaluate("# a comment\na = 2; z = exp(1.5)\nb = 3 + z\nd = a*b + a\nL = tanh(d)*2")
    keys = [{origin.key for origin in result.origins.values()} for result in (before, after)]
    assert keys[0] <= keys[1]


def test_origins_say_where_a_value_was_written():
    text = "a = 2\nbb = (a +\n  tanh(a)) * 3"
    result = evaluate(text)
    by_key = {origin.key: origin for origin in result.origins.values()}
    assert text[by_key["bb.0"].start : by_key["bb.0"].end] == "tanh(a)"
    assert text[by_key["bb.1"].start : by_key["bb.1"].end] == "a +\n  tanh(a)"
    assert (by_key["bb"].line, by_key["bb"].column) == (2, 1)
    assert (by_key["bb.0"].line, by_key["bb.0"].column) == (2, 1)


def test_the_root_is_the_last_assignment_or_expression():
    assert evaluate("a = 2\nb = a*3\nprint(b)").root.label == "b"
    assert evaluate("a = 2\nb = a*3\na").root.label == "a"
    assert evaluate("a = 2\na*3").root.data == 6.0


def test_data_of_a_value_is_a_plain_number():
    result = evaluate("x = 2.0\ny = x*x.data")
    result.root.backward()
    assert result.root.data == 4.0
    assert result.names["x"].grad == 2.0


def test_labels_can_be_given():
    result = evaluate("a = Value(2.0, label='weight')\nb = a*2\nb.label = 'twice'")
    assert [result.names[name].label for name in "ab"] == ["weight", "twice"]


def test_an_error_builds_nothing():
    with pytest.raises(ProgramError) as refusal:
        evaluate("a = 1\nb = a +\nc = a")
    assert refusal.value.line == 2


@pytest.mark.slow
def test_a_graph_of_as_many_values_as_allowed_is_given_and_no_larger_one():
    text = "x = 1.0\ny = x" + "+x" * 400
    assert len(evaluate(text, limits=Limits(values=401)).origins) == 401
    ended = evaluate(text, limits=Limits(values=300))
    assert ended.variables["y"] == 401.0 and "300 computed numbers" in ended.notes[0].message
    with pytest.raises(ProgramError, match=r"too many nodes \(300\)"):
        evaluate(text.replace("1.0", "Value(1.0)"), limits=Limits(values=300))


def test_the_weights_of_the_built_in_network_have_the_names_of_the_network_panel():
    result = evaluate("net = MLP(2, [2, 1])\no = net([1.0, -2.0])\n")
    labels = {value.label: role for value, role in result.roles.items() if value.label}
    weights = [f"L1N{j}.{name}" for j in (1, 2) for name in ("w1", "w2", "b")] + ["L2N1.w1", "L2N1.w2", "L2N1.b"]
    assert {name: labels.get(name) for name in weights} == dict.fromkeys(weights, "parameter")


@pytest.mark.slow
def test_a_program_of_formulas_with_more_than_five_thousand_values_is_one_all_the_same():
    rows = [f"s{i} = " + " + ".join(["x*2"] * 100) for i in range(18)]
    result = evaluate("\n".join(["x = 1.5", *rows, "y = " + " + ".join(f"s{i}" for i in range(18))]))
    assert result.root.data == 1.5 * 2 * 1800
    assert len(result.origins) > 5_000


@pytest.mark.parametrize(
    "text",
    [
        "import math as m\nx = 2.0\nm.sin(x)\nprint(int(x))",
        "class Stack:\n    def __init__(self):\n        self.data = []\ns = Stack()\nx = 2.0\nprint(int(x), s.data)",
        "import numpy as np\nW = np.ones(2)\nx = 2.0\nprint(W.max(), int(x))\nW -= x * W",
        "rows = [1, 2]\nx = 2.0\nprint(int(x), {'a': 1}.items())\nfor row in rows: print(row.real)",
    ],
)
def test_numbers_stay_numbers_where_other_things_have_attributes_of_values(text):
    assert isinstance(evaluate(text).variables["x"], float)


@pytest.mark.parametrize(
    "text",
    [
        "x = 2.0\ny = x * 3\ny.backward()",
        "x = 2.0\ny = (x + 1).tanh()",
        "def f(x):\n    return x * x\nx = 2.0\ny = f(x)\ny.backward()",
        "x, w = 2.0, 3.0\ny = tanh(x * w)\nfor p in (x, w):\n    p.grad = 0.0\n",
    ],
)
def test_numbers_of_which_a_program_asks_gradients_are_values(text):
    assert isinstance(evaluate(text).variables["x"], Value)
