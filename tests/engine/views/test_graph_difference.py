"""Two graphs are matched node by node, and each node that differs is named with both numbers."""

import random
import re

import pytest

from engine.autograd import Value
from engine.examples.examples import examples
from engine.graph import GraphNames
from engine.language import evaluate
from engine.views.graph_difference import KINDS, ComparedGraph, compare_graphs, right_numbers
from engine.views.graph_view import GraphView, show_expression
from tests.programs import README_OF_MICROGRAD

BEFORE = "a = 2.0\nb = -3.0\nc = a*b\nd = c + a\ne = d*c\n"


def graph(text):
    view = show_expression(evaluate(text))
    return ComparedGraph(view, view.numbers)


def compared(before, after):
    return compare_graphs(graph(before), graph(after))


def found(difference):
    """{name: kinds} of the nodes that differ."""
    return {node.name: node.kinds for node in difference.differences}


def starting(difference):
    return [node.name for node in difference.differences if node.starts_here]


def names(difference, mirror=False):
    """All that is said of the nodes, but for their order; `mirror`: as if A were B."""
    other = {"only A": "only B", "only B": "only A"} if mirror else {}
    return {
        (
            *(None if value is None else id(value) for value in ((node.a, node.b)[:: -1 if mirror else 1])),
            tuple(other.get(kind, kind) for kind in node.kinds),
            node.starts_here,
        )
        for node in difference.nodes
    }


def test_an_edited_number_changes_what_is_computed_from_it_and_the_difference_starts_there():
    difference = compared(BEFORE, BEFORE.replace("-3.0", "4.0"))
    assert found(difference) == {
        "a": ("grad",), "b": ("data", "grad"), "c": ("data", "grad"), "d": ("data", "grad"), "e": ("data",),
    }  # fmt: skip
    assert starting(difference) == ["b"]
    by_name = {node.name: node for node in difference.nodes}
    assert by_name["b"].data == (-3.0, 4.0) and by_name["e"].data == (24.0, 80.0)
    assert by_name["e"].grad == (1.0, 1.0)
    assert difference.counts == {"data": 4, "grad": 4}  # three nodes differ in both


def test_another_operation_is_one_and_what_follows_has_other_data():
    difference = compared(BEFORE, BEFORE.replace("c + a", "c - a"))
    by_name = {node.name: node for node in difference.nodes}
    assert by_name["d"].kinds == ("operation", "data") and by_name["d"].words == "operation + in A, − in B, data"
    assert starting(difference) == ["d"] and by_name["e"].kinds == ("data",)


def test_another_exponent_is_another_operation_without_a_node_of_its_own():
    difference = compared("a = 3.0\nb = a**2\n", "a = 3.0\nb = a**3\n")
    assert found(difference) == {"a": ("grad",), "b": ("operation", "data")}
    assert len(difference.nodes) == 2 and difference.nodes[1].words == "operation ^2 in A, ^3 in B, data"


def test_a_line_that_was_added_is_the_only_new_node():
    difference = compared(BEFORE, BEFORE.replace("e = d*c", "t = tanh(d)\ne = t*c"))
    assert [node.name for node in difference.nodes if node.kinds == ("only B",)] == ["t"]
    assert found(difference)["e"][0] == "inputs"
    assert [node.name for node in difference.nodes] == ["a", "b", "c", "d", "t", "e"]
    back = compared(BEFORE.replace("e = d*c", "t = tanh(d)\ne = t*c"), BEFORE)
    assert [node.name for node in back.nodes if node.kinds == ("only A",)] == ["t"]


SAME = {
    "itself": (BEFORE, BEFORE),
    "other names": (BEFORE, "p = 2.0\nq = -3.0\nr = p*q\ns = r + p\nt = s*r\n"),
    "another order of lines": (BEFORE, "b = -3.0\na = 2.0\nc = a*b\nd = c + a\ne = d*c\n"),
    "operands the other way round": (BEFORE, "a = 2.0\nb = -3.0\nc = b*a\nd = a + c\ne = c*d\n"),
    "a square": ("x = 3.0\ny = x*x\nz = y + x\n", "u = 3.0\nv = u*u\nw = v + u\n"),
    "equal constants": ("x = 3.0\ny = 2*x + 2*x*x + 2\n", "k = 3.0\ny = 2*k + 2*k*k + 2\n"),
    "a name with several values": ("x = 2.0\nx = x*3\nx = x*3\ny = x + 1\n", "k = 2.0\nk = k*3\nk = k*3\ny = k + 1\n"),
    "a loop": (
        "x = Value(2.0)\nfor i in range(4):\n    x = x*x + 1\nx.backward()\n",
        "y = Value(2.0)\ny = y*y + 1\ny = y*y + 1\nfor i in range(2):\n    y = y*y + 1\ny.backward()\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_programs_that_compute_the_same_have_no_difference(name):
    for one, other in (SAME[name], SAME[name][::-1]):
        difference = compared(one, other)
        assert found(difference) == {}
        assert all(node.a is not None and node.b is not None for node in difference.nodes)
        assert difference.summary().startswith("All")


def test_a_part_that_is_computed_twice_instead_of_once_is_one_new_node():
    difference = compared(BEFORE, "a = 2.0\nb = -3.0\ne = (a*b + a)*(a*b)\n")
    assert difference.counts == {"only B": 1, "inputs": 1, "grad": 1} and found(difference)["e"] == ("inputs",)
    assert len(difference.nodes) == 6


def test_a_sum_from_0_has_the_0_and_its_addition_more():
    lists = "w = [Value(1.0), Value(1.0)]\nx = [Value(2.0), Value(3.0)]\n"
    one, other = "y = sum(a*b for a, b in zip(w, x))\n", "y = w[0]*x[0] + w[1]*x[1]\n"
    difference = compared(lists + one, lists + other)
    assert difference.counts == {"only A": 2, "inputs": 1}


def test_a_renamed_program_with_another_number_is_matched_by_what_its_values_are_used_for():
    difference = compared(BEFORE, "p = 2.0\nq = 4.0\nr = p*q\ns = r + p\nt = s*r\n")
    assert [node.name for node in difference.nodes] == ["a / p", "b / q", "c / r", "d / s", "e / t"]
    assert starting(difference) == ["b / q"]


def test_a_line_before_a_reassigned_name_does_not_shift_the_others():
    one = "x = 2.0\nx = tanh(x)\nx = x*5\nx = exp(x)\n"
    difference = compared(one, one.replace("x = tanh", "x = x + 1\nx = tanh"))
    assert [node.kinds[0] for node in difference.differences if "only B" in node.kinds] == ["only B"] * 2  # + and its 1
    matched = [node for node in difference.nodes if node.a is not None and node.b is not None]
    assert [node.a.op and node.a.op.name for node in matched] == [node.b.op and node.b.op.name for node in matched]
    assert "only A" not in difference.counts


def test_a_removed_step_of_a_reassigned_name_takes_its_values_away_and_no_others():
    difference = compared(README_OF_MICROGRAD, README_OF_MICROGRAD.replace("c += c + 1\n", "", 1))
    assert [node.name for node in difference.nodes if node.kinds == ("only A",)] == ["1", "c₁+1", "c₂"]
    assert {"1+c₂ / 1+c₁", "c₃ / c₂"} <= {node.name for node in difference.nodes}
    assert set(difference.counts) == {"only A", "inputs", "data", "grad"} and difference.counts["inputs"] == 2


def test_the_same_name_for_a_number_and_for_a_formula_is_another_operation():
    difference = compared("a = 2.0\nk = 6.0\ny = a*k\n", "a = 2.0\nk = a + 4\ny = a*k\n")
    assert found(difference) == {"a": ("grad",), "k": ("operation",), "4": ("only B",)}
    assert starting(difference) == ["4", "k"]


def test_values_of_one_numbered_name_are_counterparts_where_nothing_else_tells():
    difference = compared("s = 2.0\ns = tanh(s) + exp(s)\ny = s * s\n", "s = 2.0\ns = relu(s) + (s - 1)\nz = exp(s)\n")
    assert found(difference)["s₂"] == ("data", "grad")


def test_two_factors_that_changed_places_in_a_quotient_are_other_inputs():
    assert found(compared("a = 2.0\nb = 2.0\nc = a/b\n", "a = 2.0\nb = 2.0\nc = b/a\n"))["c"] == ("inputs",)


def test_the_mistake_of_an_own_engine_starts_where_its_rule_is_wrong():
    text = next(each.text for each in examples() if each.name.endswith("01_the_product_rule"))
    view = show_expression(evaluate(text))
    difference = compare_graphs(ComparedGraph(view, view.numbers), ComparedGraph(view, right_numbers(view)))
    assert found(difference) == {"p": ("grad",), "q": ("grad",)} and starting(difference) == ["p", "q"]
    p = difference.differences[0]
    assert p.grad == (2.0, 5.0) and p.data == (2.0, 2.0)


def test_right_numbers_of_a_right_program_differ_nowhere():
    view = graph(BEFORE).view
    assert not compare_graphs(ComparedGraph(view, view.numbers), ComparedGraph(view, right_numbers(view))).differences


@pytest.mark.parametrize(
    "text", ["", "print(1)\n", "x = Value([1.0, 2.0])\ny = x*2\nz = y.sum()\n", "a = 1e200\nb = a*a\n"]
)
def test_empty_graphs_arrays_and_undefined_numbers_are_compared_too(text):
    one, other = graph(text), graph(BEFORE)
    assert not compared(text, text).differences
    assert names(compare_graphs(one, other)) == names(compare_graphs(other, one), mirror=True)


# Random programs


def random_program(seed, n=14):
    dice = random.Random(seed)
    names = ["a", "b", "c"]
    lines = [f"{name} = {dice.randint(1, 4)}.0" for name in names]
    for number in range(n):
        one, other = dice.choice(names), dice.choice(names)
        formula = dice.choice(["{0}*{1}", "{0}+{1}", "{0}-{1}", "tanh({0})", "{0}*{0}", "0.1*{0}", "{0}*{1}+{0}"])
        names.append(f"v{number}")
        lines.append(f"v{number} = {formula.format(one, other)}")
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_a_random_program_has_the_graph_of_itself_with_other_names_in_another_order(seed):
    lines = random_program(seed)
    dice = random.Random(seed + 100)
    waiting, done, moved = lines[:], set(), []
    while waiting:  # any line whose names are there
        ready = [line for line in waiting if set(re.findall(r"\b[abcv]\d*\b", line.split(" = ")[1])) <= done]
        line = dice.choice(ready)
        waiting.remove(line)
        moved.append(line)
        done.add(line.split(" = ")[0])
    moved.remove(lines[-1])
    moved.append(lines[-1])
    one, renamed = graph("\n".join(lines)), re.sub(r"\b([abcv]\d*)\b", r"n_\1", "\n".join(moved))
    for text in ("\n".join(moved), renamed):
        other = graph(text)
        difference = compare_graphs(one, other)
        matched = {node.a: node.b for node in difference.nodes if node.a and node.b}
        for value, counterpart in matched.items():  # a value may have several right counterparts: all equal
            assert value.op is counterpart.op or (value.op and value.op.name == counterpart.op.name)
        assert "only A" not in difference.counts and "only B" not in difference.counts, text
        assert "operation" not in difference.counts and "data" not in difference.counts


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_another_operation_in_a_renamed_program_is_the_only_other_operation(seed):
    lines = random_program(seed)
    lines.append("end = " + " + ".join(f"v{number}" for number in range(14)))  # all of it is used
    place = random.Random(seed).randrange(8, 14)
    edited = [*lines[:place], f"{lines[place].split(' = ')[0]} = exp(0.1*a)", *lines[place + 1 :]]
    other = re.sub(r"\b([abcv]\d*|end)\b", r"n_\1", "\n".join(edited))
    difference = compared("\n".join(lines), other)
    (new,) = [node for node in difference.nodes if node.b is not None and node.b.op and node.b.op.name == "exp"]
    others = [node for node in difference.differences if node is not new and "operation" in node.kinds]
    assert new.starts_here and not others


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_a_comparison_the_other_way_round_is_its_mirror_image(seed):
    dice = random.Random(seed)
    lines = random_program(seed)
    edited = lines[:]
    for _ in range(3):
        place = dice.randrange(4, len(edited))
        edited[place] = edited[place].replace("*", "-", 1) if dice.random() < 0.6 else edited[place] + " + 2*a"
    one, other = graph("\n".join(lines)), graph("\n".join(edited))
    assert names(compare_graphs(one, other)) == names(compare_graphs(other, one), mirror=True)


def chain(n, first=1.0, extra=()):
    """A graph of about 2·n values without a sandbox."""
    total, keys = Value(first, label="x0"), {}
    for number in range(n):
        total = (total * 0.999 if number % 2 else total + Value(number / n)).tanh()
        if number in extra:
            total = total * total
    total.backward()
    view = GraphView((total,), GraphNames(keys))
    return ComparedGraph(view, view.numbers)


@pytest.mark.slow
def test_of_two_thousand_values_only_the_added_ones_have_no_counterpart():
    one, other = chain(700), chain(700, extra=(10, 500))
    assert len(one.view.values) > 1_900
    difference = compare_graphs(one, other)
    assert difference.counts["only B"] == 2 and "only A" not in difference.counts


@pytest.mark.slow
def test_a_value_that_everything_uses_is_told_apart_in_its_places():
    def star(constant):
        x = Value(2.0, label="x")
        total = x * 1.0
        for number in range(1_500):
            total = total + x * (constant + number)
        view = GraphView((total,))
        return ComparedGraph(view, view.numbers)

    difference = compare_graphs(star(1.0), star(5.5))
    assert not {"only A", "only B", "inputs", "operation"} & set(difference.counts)


def test_every_kind_has_words_and_a_badge_that_fits_on_a_box():
    assert all(kind.words and kind.title and 0 < len(kind.badge) <= 2 for kind in KINDS.values())
