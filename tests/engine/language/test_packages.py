"""Packages that tutorials import: scikit-learn's data sets number for number, and graphviz beside the canvas."""

import json

import pytest

from engine.language import ProgramError, evaluate

IMPORTS = "import json\nimport numpy as np\nfrom sklearn.datasets import make_blobs, make_circles, make_moons\n"
FIRST = {
    "make_moons(n_samples=100, noise=0.1, random_state=1337)": (
        [[1.1221146075409685, 0.08147717341718697], [-0.8188294130836691, 0.058790063907949996]],
        [0, 0, 1, 0, 1, 1],
    ),
    "make_circles(n_samples=50, noise=0.05, factor=0.5, random_state=42)": (
        [[-0.9991256261823283, -0.12699290356763154], [-0.5023420691162934, -0.22298137669688387]],
        [0, 1, 1, 1, 0, 1],
    ),
    "make_blobs(n_samples=30, centers=3, random_state=0)": (
        [[-1.5767197372875836, 4.957405922888751], [-1.5550862415605602, 3.3462141318635403]],
        [0, 2, 2, 2, 1, 0],
    ),
}
"""The first points and classes that scikit-learn 1.9.1 gives."""
DRAW_DOT = """from graphviz import Digraph
def trace(root):
    nodes, edges = set(), set()
    def build(v):
        if v not in nodes:
            nodes.add(v)
            for child in v._prev:
                edges.add((child, v))
                build(child)
    build(root)
    return nodes, edges
def draw_dot(root):
    dot = Digraph(format='svg', graph_attr={'rankdir': 'LR'})
    nodes, edges = trace(root)
    for n in nodes:
        uid = str(id(n))
        dot.node(name=uid, label="{ %s | data %.4f | grad %.4f }" % (n.label, n.data, n.grad), shape='record')
        if n._op:
            dot.node(name=uid + n._op, label=n._op)
            dot.edge(uid + n._op, uid)
    for n1, n2 in edges:
        dot.edge(str(id(n1)), str(id(n2)) + n2._op)
    return dot
"""


@pytest.mark.parametrize("call", FIRST)
def test_data_sets_are_scikit_learns_number_for_number(call):
    evaluation = evaluate(f"{IMPORTS}X, y = {call}\nprint(json.dumps([X[:2].tolist(), y[:6].tolist()]))\n")
    assert json.loads(evaluation.output[0].text) == list(FIRST[call])


def test_a_data_set_takes_numpys_own_seed():
    evaluation = evaluate(f"{IMPORTS}np.random.seed(5)\nprint(make_moons(10, noise=0.2)[0][0].tolist())\n")
    assert json.loads(evaluation.output[0].text) == [1.9595672587971054, 0.05862914417466969]


@pytest.mark.parametrize("make", ["", "from micrograd.engine import Value\n"])
def test_draw_dot_of_the_tutorials_runs_on_the_built_in_value_and_points_to_the_canvas(make):
    text = (
        DRAW_DOT
        + make
        + (
            "x = Value(1.0)\ny = (x * 2 + 1).tanh()\ny.backward()\ndot = draw_dot(y)\ndot.render('graph')\n"
            "print(dot.source.count('->'), dot.source.count('label='))\ndot\n"
        )
    )
    evaluation = evaluate(text)
    assert evaluation.output[0].text == "8 9\n"
    assert "canvas" in evaluation.displayed.text and "8 edges" in evaluation.displayed.text
    assert [note.line for note in evaluation.notes if "canvas" in note.message] == [
        text[: text.index("dot.render")].count("\n") + 1
    ]
    assert len(evaluation.origins) >= 6, "the graph itself is drawn"


@pytest.mark.parametrize("module", ["tqdm", "tqdm.auto", "tqdm.notebook"])
def test_tqdm_loops_and_prints_nothing_of_its_own(module):
    program = """\
from tqdm import tqdm, trange
print([k for k in tqdm(range(3), desc='epoch')], sum(trange(4)))
bar = tqdm(['a'])
for each in bar:
    bar.set_description(each)
print(len(bar))
"""
    program = program.replace("from tqdm", f"from {module}")
    assert "".join(piece.text for piece in evaluate(program).output) == "[0, 1, 2] 6\n1\n"


IMPORTS_OF_SCORES = """import numpy as np
from sklearn.metrics import accuracy_score, mean_squared_error
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
"""


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("accuracy_score(np.array([0, 1, 1]), np.array([[0], [1], [0]]))", 2 / 3),
        ("accuracy_score(np.eye(3)[[0, 1, 1]], np.eye(3)[[0, 1, 2]])", 2 / 3),
        ("mean_squared_error(np.array([[0.0], [1.0]]), np.array([0, 3]))", 2.0),
    ],
)
def test_scores_compare_sample_with_sample_whether_they_are_columns_or_flat(line, number):
    evaluation = evaluate(f"{IMPORTS_OF_SCORES}print({line})\n")
    assert float(evaluation.output[0].text) == number


@pytest.mark.parametrize(
    "line",
    [
        "accuracy_score([0, 1], [0.2, 0.9])",
        "accuracy_score([0, 1], [0, 1, 1])",
        "train_test_split([1, 2, 3, 4], test_size=1.5)",
        "train_test_split([1, 2, 3, 4], test_size=4)",
        "StandardScaler().fit_transform([1.0, 2.0])",
    ],
)
def test_what_scikit_learn_refuses_is_refused(line):
    with pytest.raises(ProgramError) as caught:
        evaluate(f"{IMPORTS_OF_SCORES}{line}\n")
    assert caught.value.message.startswith("ValueError")
    assert caught.value.line == 5
