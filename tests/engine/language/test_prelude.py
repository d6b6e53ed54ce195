"""What programs find defined: the operations of the table, made anew in the sandbox, agree with the engine."""

import ast
import random

import numpy as np
import pytest

from engine.autograd import OPS, Value, apply
from engine.language import evaluate
from engine.language.prelude import READY, prelude_text, ready_text
from engine.network import MLP

ELEMENTWISE = [op for op in OPS.values() if op.elementwise]


def points(op, count):
    generator = random.Random(op.name)
    return [[generator.uniform(*op.domain.samples[i]) for i in range(op.arity)] for _ in range(count)]


def written(op, names):
    if op.infix and op.arity == 2:
        return f" {op.infix} ".join(names)
    return f"{op.infix}{names[0]}" if op.infix else f"{op.name}({', '.join(names)})"


def made(op, numbers, style="Value({})"):
    """The values of a program that applies the operation and calls backward on twice the result."""
    names = "ab"[: op.arity]
    lines = [f"{name} = {style.format(number)}" for name, number in zip(names, numbers, strict=True)]
    result = evaluate("\n".join([*lines, f"y = {written(op, names)}", "z = y.sum() * 2.0", "z.backward()"]))
    return result.names["y"], [result.names[name] for name in names]


@pytest.mark.parametrize("op", ELEMENTWISE, ids=lambda op: op.name)
def test_an_operation_has_the_value_and_the_gradient_of_the_engine(op):
    for numbers in points(op, 2):
        inputs = [Value(number) for number in numbers]
        root = apply(op, *inputs)
        (root * 2.0).backward()
        lines = [f"{name} = Value({number!r})" for name, number in zip("ab", numbers, strict=False)]
        text = "\n".join([*lines, f"y = {written(op, 'ab'[: op.arity])}", "z = y * 2.0", "z.backward()"])
        result = evaluate(text)
        assert result.names["y"].op is op
        assert result.names["y"].data == root.data
        assert [result.names[name].grad for name in "ab"[: op.arity]] == [value.grad for value in inputs]


@pytest.mark.parametrize("op", ELEMENTWISE, ids=lambda op: op.name)
def test_an_operation_on_arrays_is_the_one_of_the_engine(op):
    rows = np.array(points(op, 4)).T
    inputs = [Value(row) for row in rows]
    root = apply(op, *inputs)
    (root.sum() * 2.0).backward()
    result, sources = made(op, [row.tolist() for row in rows])
    assert result.op is op
    np.testing.assert_allclose(result.data, root.data, rtol=1e-15)
    for source, value in zip(sources, inputs, strict=True):
        np.testing.assert_allclose(source.grad, value.grad, rtol=1e-14)


@pytest.mark.parametrize("op", [op for op in ELEMENTWISE if not op.infix and op.arity == 1], ids=lambda op: op.name)
def test_an_operation_is_a_method_and_a_function_of_torch_and_numpy(op):
    ((number,),) = points(op, 1)
    text = f"a = Value({number!r})\nb = a.{op.name}()\nc = torch.{op.name}(a)\nd = np.{op.name}({number!r})"
    result = evaluate(text)
    assert result.names["b"].op is result.names["c"].op is op
    assert result.variables["d"] == result.names["b"].data == result.names["c"].data


def test_a_column_and_a_row_are_broadcast_and_their_gradients_summed():
    result = evaluate("a = Value([[1.0], [2.0]])\nb = Value([3.0, 4.0, 5.0])\ny = (a * b + 1.0).sum()\ny.backward()")
    assert result.root.data == 42.0
    assert result.names["a"].grad.tolist() == [[12.0], [12.0]]
    assert result.names["b"].grad.tolist() == [3.0, 3.0, 3.0]


@pytest.mark.parametrize(
    ("left", "right"), [((2, 3), (3, 2)), ((3,), (3, 2)), ((2, 3), (3,)), ((3,), (3,)), ((1, 1), (1, 4))]
)
def test_matrix_products_and_their_gradients_are_those_of_the_engine(left, right):
    generator = np.random.RandomState(0)
    a, b = generator.normal(size=left), generator.normal(size=right)
    values = [Value(a), Value(b)]
    (values[0] @ values[1]).sum().backward() if left != (3,) or right != (3,) else (values[0] @ values[1]).backward()
    text = f"a = Value({a.tolist()})\nb = Value({b.tolist()})\ny = a @ b\nz = y.sum()\nz.backward()"
    result = evaluate(text)
    for name, value in zip("ab", values, strict=True):
        np.testing.assert_allclose(result.names[name].grad, value.grad, rtol=1e-14)


def test_sums_means_and_elements_of_an_array_keep_their_gradients_in_place():
    text = "x = Value([[1.0, 2.0], [3.0, 4.0]])\ny = x.sum(0)[1] * x.mean() + x[1, 0]\ny.backward()"
    result = evaluate(text)
    x = Value([[1.0, 2.0], [3.0, 4.0]])
    y = x.sum(0)[1] * x.mean() + x[1, 0]
    y.backward()
    assert result.root.data == y.data
    assert result.names["x"].grad.tolist() == x.grad.tolist()


def test_a_network_draws_its_weights_as_python_does_and_gives_what_the_engine_gives():
    text = (
        "import random\nrandom.seed(7)\nnet = MLP(2, [3, 1])\ny = net([1.0, -2.0])\ny.backward()\nps = net.parameters()"
    )
    result = evaluate(text)
    model = MLP(2, [3, 1], activation="tanh", output_activation="tanh", rng=random.Random(7))
    output = model([Value(1.0), Value(-2.0)])
    root = output[0] if isinstance(output, list) else output
    root.backward()
    assert result.names["y"].data == root.data
    assert [value.data for value in result.variables["ps"]] == [value.data for value in model.parameters()]
    assert [value.grad for value in result.variables["ps"]] == [value.grad for value in model.parameters()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Value(True)", "a Value holds real numbers, not True"),
        ("Value(Value(1.0))", "a Value holds numbers, not another Value"),
        ("Value([[1.0], [2.0, 3.0]])", "lists of numbers of one length"),
        ("a = Value(1.0) + 'text'", "+ is not defined for a Value and text"),
        ("tanh(None)", "tanh takes numbers and Values, not None"),
        ("Value([1.0, 2.0]).backward()", "backward() starts at a single number; this value has the shape (2,)"),
        ("Value([1.0, 2.0]).item()", "item() gives a single number"),
        ("Value(1.0)[0]", "a single number has no elements"),
        ("Value([1.0, 2.0]) + Value([1.0, 2.0, 3.0])", "do not fit together"),
        ("Value([1.0]) @ Value([1.0, 2.0])", "@ multiplies vectors and matrices"),
        ("Neuron(2)([1.0])", "this neuron takes 2 inputs, 1 given"),
        ("a = Value(1.0)\nif a > 0: pass", "> does not compare Values"),
        ("a = Value(1.0)\na.data += a.grad", "a gradient is None until backward() computes it"),
        (
            "x = 3.0\nclass V:\n    def __init__(s): s.data = 1\n    def __add__(s, o): return o.data\nV() + x",
            "wrap it",
        ),
    ],
)
def test_misuse_is_said_in_words_of_ours(text, message):
    with pytest.raises(ValueError, match="line") as refusal:
        evaluate(text)
    assert message in refusal.value.message


def test_names_of_python_that_a_program_takes_for_itself_change_nothing_else():
    names = (
        "len list isinstance type id range str print sum max min float int map set dict tuple zip getattr random math"
    )
    text = "\n".join(f"{name} = {number}" for number, name in enumerate(names.split()))
    result = evaluate(
        f"{text}\nnet = MLP(2, [2, 1])\ny = net([Value(1.0), 2.0])\ny.backward()\nz = Value([1.0, 2.0]).sum()"
    )
    assert result.names["y"].grad == 1.0
    assert result.root.data == 3.0


@pytest.mark.slow
def test_what_the_sandbox_writes_of_operations_is_in_the_table_and_has_a_way_back():
    """The texts of `sandboxed/` name those that mix the elements of arrays by themselves."""
    tree = ast.parse(prelude_text())
    calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call) and ast.unparse(each.func) == "_gs_made"]
    texts = [part.value for call in calls for part in ast.walk(call.args[-1]) if isinstance(part, ast.Constant)]
    made = {text.partition(":")[0] for text in texts if isinstance(text, str)} - {"", ","}
    [pulls] = [each.value for each in tree.body if isinstance(each, ast.Assign) and _target(each) == "_gs_PULL"]
    known = {key.value for key in pulls.keys}
    assert {"getitem", "transpose"} <= made <= known <= set(OPS)
    assert known >= {op.name for op in OPS.values() if not op.vjps}


def _target(node):
    return ast.unparse(node.targets[0])


@pytest.mark.slow
def test_the_prelude_that_lies_ready_is_what_the_texts_and_the_table_make():
    """Written by another version of Python it may have other quotes and brackets."""
    there, made = READY.read_text(encoding="utf-8"), ready_text()
    assert there.split("\n", 1)[0] == made.split("\n", 1)[0], "run python -m scripts.write_operators"
    assert ast.dump(ast.parse(there)) == ast.dump(ast.parse(made)), "run python -m scripts.write_operators"
    assert there.endswith(prelude_text())
