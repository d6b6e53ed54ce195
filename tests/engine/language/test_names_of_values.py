"""Values are named by where the program's objects hold them, with and without loops, the same in every run."""

import pytest

from engine.autograd import Constant
from engine.language import evaluate

CLASSES = """
class Neuron:
    def __init__(self, n):
        self.w = [Value(0.1 * (i + 1)) for i in range(n)]
        self.b = Value(0.0)
    def __call__(self, x):
        return sum((w * xi for w, xi in zip(self.w, x)), self.b).tanh()
class Layer:
    def __init__(self, n, m):
        self.neurons = [Neuron(n) for _ in range(m)]
    def __call__(self, x):
        out = [n(x) for n in self.neurons]
        return out[0] if len(out) == 1 else out
class Net:
    __slots__ = ("layers", "parent")
    def __init__(self, *sizes):
        self.parent = self
        self.layers = [Layer(a, b) for a, b in zip(sizes, sizes[1:])]
    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
    def parameters(self):
        return [p for l in self.layers for n in l.neurons for p in [*n.w, n.b]]
model = Net(2, 2, 1)
"""
ONCE = CLASSES + "out = model([1.0, -2.0])\nout.backward()\n"
LOOP = """
for k in range(3):
    out = (model([1.0, -2.0]) - 1.0) ** 2
    for p in model.parameters():
        p.grad = 0.0
    out.backward()
    for p in model.parameters():
        p.data -= 0.1 * p.grad
"""
NAMES = {f"model.layers[0].neurons[{j}].{part}" for j in (0, 1) for part in ("w[0]", "w[1]", "b")}
NAMES |= {f"model.layers[1].neurons[0].{part}" for part in ("w[0]", "w[1]", "b")}


def leaf_names(text):
    result = evaluate(text)
    return {value.label for value in result.origins if value.op is None and not isinstance(value, Constant)}


@pytest.mark.parametrize("text", [ONCE, CLASSES + LOOP, (CLASSES + LOOP).replace("Value(0.0)", "Value(0.3)")])
def test_parameters_are_named_by_the_objects_they_live_in(text):
    assert leaf_names(text) == NAMES


def test_every_value_has_a_key_of_its_own_that_stays_when_numbers_change():
    before, after = evaluate(ONCE), evaluate(ONCE.replace("-2.0", "3.0"))
    keys = [[origin.key for origin in result.origins.values()] for result in (before, after)]
    assert keys[0] == keys[1] and len(set(keys[0])) == len(keys[0])


def test_values_in_dictionaries_and_lists_are_named_by_their_places():
    text = "p = {'w': [Value(1.0), Value(2.0)], 'b': Value(3.0)}\ny = p['w'][0] * p['w'][1] + p['b']\n"
    assert leaf_names(text) == {"p['w'][0]", "p['w'][1]", "p['b']"}


def test_a_name_of_its_own_comes_before_the_place_in_an_object():
    text = "class Box: pass\nbox = Box()\na = Value(1.0)\nbox.a = a\n"
    text += "box.b = Value(2.0, label='given')\ny = box.a * box.b\n"
    assert leaf_names(text) == {"a", "given"}


def test_an_object_that_calls_the_program_when_it_is_asked_for_attributes_is_not_asked():
    text = "class Odd:\n    def __getattr__(self, name):\n        print('asked', name)\n        return 1\n"
    result = evaluate(text + "o = Odd()\nx = 2.0\ny = x * 3")
    assert result.output == () and result.root.data == 6.0
