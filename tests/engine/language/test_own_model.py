"""A model of the learner's own is found, asked over the plane of its data, and compared with the targets."""

import math

import numpy as np
import pytest

from engine.language import Limits, evaluate, own_model
from engine.language.own_model import own_model_plots
from engine.language.runtime import RunInterrupted, RunTrapped

DATA = "X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]\ny = [-1.0, 1.0, 1.0, 3.0]\n"
MODELS = {
    "a function of a list": "def model(x):\n    return 2 * x[0] + 2 * x[1] - 1\n",
    "a function of two numbers": "def predict(a, b):\n    return 2 * a + 2 * b - 1\n",
    "Values of the program's own class": (
        "class Value:\n    def __init__(self, data, _children=()):\n"
        "        self.data, self._prev, self.grad = data, set(_children), 0.0\n"
        "    def __add__(self, other):\n        return Value(self.data + other.data, (self, other))\n"
        "    def __mul__(self, other):\n        return Value(self.data * other.data, (self, other))\n"
        "def model(x):\n    return Value(2.0) * x[0] + Value(2.0) * x[1] + Value(-1.0)\n"
    ),
    "the built-in Value": (
        "w = [Value(2.0), Value(2.0)]\ndef net(x):\n    return sum(a * b for a, b in zip(w, x)) - 1\n"
    ),
    "an object that is called": (
        "class Line:\n    def parameters(self): return []\n"
        "    def __call__(self, x): return [2 * x[0] + 2 * x[1] - 1]\n"
        "own = Line()\n"
    ),
    "a function of a matrix": (
        "import numpy as np\nX, y = np.array(X), np.array(y)\n"
        "def model(X):\n    return X.dot(np.array([2.0, 2.0])) - 1\n"
    ),
    "a torch module": (
        "import torch\nX, y = torch.tensor(X), torch.tensor(y)\nmodel = torch.nn.Linear(2, 1)\n"
        "with torch.no_grad():\n    model.weight.copy_(torch.tensor([[2.0, 2.0]]))\n"
        "    model.bias.copy_(torch.tensor([-1.0]))\n"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("code", MODELS.values(), ids=MODELS)
def test_its_outputs_over_the_plane_and_beside_the_targets_are_those_it_gives(code):
    assert evaluate(DATA + code).has_own_model
    plane, beside = own_model_plots(DATA + code)
    field, line, points = plane.series if len(plane.series) == 3 else (plane.series[0], None, plane.series[-1])
    line = line or field
    assert points.x == (0, 0, 1, 1) and points.y == (0, 1, 0, 1) and points.z == (-1, 1, 1, 3)
    assert field.x[0] < 0 < 1 < field.x[-1]
    across, up = np.meshgrid(field.x, field.y)
    np.testing.assert_allclose(field.z, np.clip(2 * across + 2 * up - 1, -1, 3), atol=1e-6)
    targets, predictions = beside.series
    assert targets.y == predictions.y == pytest.approx((-1, 1, 1, 3))


def test_the_border_between_two_classes_is_drawn_where_the_output_is_between_their_targets():
    text = "X = [[0.0, 0.0], [1.0, 1.0]]\ny = [0, 1]\ndef model(x):\n    return x[0]\n"
    plane, _ = own_model_plots(text)
    assert [series.levels for series in plane.series if series.kind == "contour"] == [(0.5,)]


def test_of_several_outputs_the_largest_is_shown():
    text = "X = [[0.0, 0.0], [1.0, 1.0]]\ny = [0, 1]\ndef model(x):\n    return [1 - x[0], x[0]]\n"
    _, beside = own_model_plots(text)
    assert beside.series[1].y == (0, 1)


def test_a_model_of_one_number_is_a_curve():
    text = "xs = [0.0, 1.0, 2.0]\nys = [0.0, 1.0, 4.0]\ndef model(x):\n    return x * x\n"
    curve, _ = own_model_plots(text)
    line, points = curve.series
    assert line.y == pytest.approx([x * x for x in line.x]) and points.y == (0, 1, 4)


def test_data_of_three_features_give_predictions_alone():
    text = "xs = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]\nys = [6.0, 15.0]\ndef model(x):\n    return sum(x)\n"
    (beside,) = own_model_plots(text)
    assert beside.series[1].y == (6, 15)


def test_at_an_earlier_moment_the_model_has_the_parameters_of_then():
    text = (
        "xs, ys = [[1.0, 1.0], [2.0, 1.0]], [0.0, 1.0]\nw = Value(1.0)\ndef model(x):\n    return w * x[0]\n"
        "for k in range(3):\n    w.grad = 0.0\n    loss = model(xs[0]) ** 2\n    loss.backward()\n"
        "    w.data -= 0.25 * w.grad\n"
    )
    moments = evaluate(text).moments
    assert [moment.number for moment in moments] == [1, 2, 3]
    w = [own_model_plots(text, number)[1].series[1].y[0] for number in (1, 2, 3, 0)]
    assert w == pytest.approx([1.0, 0.5, 0.25, 0.125])


@pytest.mark.parametrize(
    "text",
    [
        "a = 1.0\nb = a * 2\n",
        "def model(x): return x\n",
        DATA,
        DATA + "def model(x): return 'no number'\n",
        DATA + "def model(x): raise ValueError\n",
        DATA + "def model(x): return float('nan')\n",
        DATA + "class model: pass\n",
        "X = [[1.0, 2.0], [3.0]]\ny = [1, 2]\ndef model(x): return 1.0\n",
        "X = [[1.0, 2.0], [3.0, 4.0]]\ny = [1, 2, 3]\ndef model(x): return 1.0\n",
        DATA + "def model(x): return 1.0\n1/0\n(",
    ],
)
def test_a_program_without_a_model_and_data_gives_nothing(text):
    try:
        assert own_model_plots(text) == ()
    except Exception as error:  # a text that is no program is told by its own run
        assert type(error).__name__ == "ProgramError"


def test_targets_that_are_all_alike_leave_the_colours_a_range():
    plane, _ = own_model_plots("X = [[0.0, 0.0], [1.0, 1.0]]\ny = [2, 2]\ndef model(x):\n    return 5 * x[0]\n")
    assert plane.series[0].ends == (1.0, 3.0) and {1.0, 3.0} <= {z for row in plane.series[0].z for z in row}


REPORT = {"model": "f", "x": "X", "y": "y", "rows": [[0, 0], [1, 1]], "targets": [0, 1], "predictions": [0, 1]}
GRID = {"x": [0, 1], "y": [0, 1], "z": [[0, 0], [1, 1]]}


@pytest.mark.parametrize(
    "found",
    [
        *(RunInterrupted(cancelled=False), RunTrapped("unreachable"), None, {"own_model": 5}, {"own_model": {}}),
        {"own_model": REPORT | {"predictions": [0]}},
        {"own_model": REPORT | {"grid": GRID | {"z": [[0, 0], [1]]}}},
        {"own_model": REPORT | {"grid": GRID | {"z": [["x", 0], [1, 1]]}}},
    ],
    ids=str,
)
def test_a_run_without_an_answer_or_with_one_that_cannot_be_gives_nothing(monkeypatch, found):
    def run(*_):
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(own_model, "report_of_run", lambda *_: {"own_model": REPORT | {"grid": GRID}})
    assert len(own_model_plots(DATA)) == 2
    monkeypatch.setattr(own_model, "report_of_run", run)
    assert own_model_plots(DATA) == ()


@pytest.mark.long
def test_a_model_that_never_answers_ends_with_its_time():
    text = DATA + "def model(x):\n    while True: pass\n"
    assert own_model_plots(text, limits=Limits(seconds=0.5)) == ()


@pytest.mark.long
def test_a_slow_model_is_asked_at_fewer_places():
    text = DATA + "from time import sleep\ndef model(x):\n    sleep(0.002)\n    return x[0]\n"
    plane, _ = own_model_plots(text, limits=Limits(seconds=3.0))
    assert len(plane.series[0].x) == 20 and math.isfinite(plane.series[0].z[0][0])
