"""The stepper page: its numbers and texts are those of the walk, its labels are harmless, and it loads nothing."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from engine.autograd import Value, weighted_sum
from engine.document import Document, View
from engine.graph import read_numbers
from engine.language import evaluate
from engine.page import MOST_BOXES, MOST_STEPS, PageError, page_of_document, stepper_page
from engine.page.drawing import STATES
from engine.page.page import json_for_script
from engine.views.graph_view import GraphView, show_expression
from engine.views.shown_walk import ShownWalk
from engine.views.walk_texts import gradient_notes, state_text, step_text
from tests.engine.language.own_engine.own_engine_cases import engine

NEURON = "x = Value(2.0)\nw = Value(-3.0)\nb = Value(6.7)\nn = x*w + b\no = n.tanh()\no.backward()\n"
TWICE = "a = Value(3.0)\nb = a * 2\nb.backward()\nb = a * 2\nb.backward()\n"
BY_HAND = "a = Value(2.0)\nb = Value(-3.0)\nc = a * b\nd = c + a\nd.grad = 1.0\nc.grad = 1.0\na.grad = 5.0\n"
UPDATED = "w = Value(2.0)\nloss = (w * 3 - 1)**2\nloss.backward()\nw.data -= 0.01 * w.grad\n"
PROGRAMS = {
    "README": "x = 3\ny = -4\nf = x**2 * y + x*x\n",
    "neuron": NEURON,
    "accumulated": TWICE,
    "by hand": BY_HAND,
    "update": UPDATED,
    "another pass": "a = Value(2.0)\nb = a * 3\nc = b + 1\nb.backward()\nd = c * 2\n",
    "own engine": engine("closures") + "\na = Value(2.0)\nb = a * a + a\nb.backward()\n",
    "wrong rule": engine("closures").replace("+=", "=") + "\na = Value(2.0)\nb = a + a\nb.backward()\n",
    "problem": "a = -1\nb = log(a)\nc = b * 2\n",
    "arrays": "import torch\nX = torch.tensor([1.0, 2.0])\nw = torch.tensor([0.5, 0.5], requires_grad=True)\n"
    "loss = (X * w).sum()\nloss.backward()\n",
}
HOSTILE = "</script><script>alert(1)</script>", "<!--<script>", "\"'&><img src=x onerror=alert(1)>", "a\u2028b\u2029c"


class Page(HTMLParser):
    """Elements of a page and the texts of its script elements, as a browser reads them.

    Attributes:
        elements: name and attributes of each.
        scripts: text of each script element.
        text: all other text.
    """

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements, self.scripts, self.text, self._open = [], [], "", []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag in ("script", "style"):
            self._open.append(tag)
            self.scripts += [""] * (tag == "script")

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self._open.pop()

    def handle_data(self, text):
        if "script" in self._open:
            self.scripts[-1] += text
        elif not self._open:
            self.text += text

    @property
    def data(self):
        return json.loads(self.scripts[0])


def shown_program(text):
    return ShownWalk(show_expression(evaluate(text)), learning_rate=None)


def graph_of(label):
    root = Value(2.0, label) * Value(3.0, "b")
    root.label = label
    root.backward()
    return ShownWalk(GraphView((root,)), learning_rate=None)


def at(changes, position):
    return [change for change in changes if change[0] <= position][-1][1:]


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers_and_texts_of_every_step_are_those_of_the_walk(name):
    shown = shown_program(PROGRAMS[name])
    data = Page(stepper_page(shown, View())).data
    view, walk = shown.graph_view, shown.walk
    keys = [key for key, kind in view.graph.nodes(data="kind") if kind == "value"]
    assert len(data["steps"]) == len(walk) + 2
    for position in range(len(walk) + 2):
        look_up = walk.numbers_at(position, view.numbers_of_pass) if position <= len(walk) else view.numbers
        for number, (key, read) in enumerate(read_numbers(view.graph, look_up, view.problems).items()):
            states = STATES[read.data_state], STATES[read.grad_state]
            assert at(data["boxes"][f"b{number}"], position) == [read.data, states[0], read.grad, states[1]], key
    lines = [line for _place, _phase, _title, line, *_rest in data["steps"]]
    assert lines[1:-1] == [step_text(step).split("\n")[0] for step in walk.script]
    assert lines[0] == state_text(view, True, shown.data)
    for key in keys:
        for note in gradient_notes(view, key):
            assert note in str(data["steps"][-1]).replace("', '", "")


@pytest.mark.slow
def test_a_page_ends_in_what_the_program_has():
    page = Page(stepper_page(shown_program(TWICE), View()))
    assert "2 + 2 = 4" in page.text and "+4.0000" in page.text  # without a script, too
    page = Page(stepper_page(shown_program(BY_HAND), View()))
    assert page.data["wrong"] and "+5.0000" in page.text
    phases = [step[1] for step in page.data["steps"]]
    assert "backward" not in phases and "set" in phases


@pytest.mark.slow
def test_a_page_updates_parameters_only_where_the_program_does():
    assert "update" in [step[1] for step in Page(stepper_page(shown_program(UPDATED), View())).data["steps"]]
    assert "update" not in [step[1] for step in Page(stepper_page(shown_program(NEURON), View())).data["steps"]]


@pytest.mark.slow
def test_a_network_has_a_page_of_its_loss():
    document = Document()
    page = Page(page_of_document(document, None))
    assert len(page.data["steps"]) > 20 and page.data["steps"][-2][1] == "backward"
    assert "<details" not in page.text and not any("program" in a.get("class", "") for _tag, a in page.elements)


@pytest.mark.parametrize("label", HOSTILE)
def test_hostile_labels_are_texts_and_nothing_else(label):
    program = f"a = 1  # {label}\n"
    tame, page = (Page(stepper_page(graph_of(each), View(), text)) for each, text in (("a", "a = 1"), (label, program)))
    known = {tag for tag, _attributes in tame.elements}
    assert {tag for tag, _attributes in page.elements} == known
    assert len([1 for tag, _ in page.elements if tag == "script"]) == 2
    assert len(page.scripts) == 2 and page.scripts[1] == tame.scripts[1]
    assert not any(name.startswith("on") for _tag, attributes in page.elements for name in attributes)
    one_line = label.replace("\u2028", " ").replace("\u2029", " ").replace("-", "−")
    assert one_line in page.text.replace("-", "−") and one_line in str(page.data["steps"]).replace("\\'", "'")


def test_data_in_a_script_element_can_neither_end_it_nor_be_broken():
    data = [*HOSTILE, "\\", '"', "\ud800", "\x00\x1f", "]]>", "é"]
    text = json_for_script(data)
    assert json.loads(text) == data
    assert not re.search("[<>&\u2028\u2029\ud800]", text)


@pytest.mark.parametrize("character", ["\ud800", "\x00", "\x1b", "\u202e"])
def test_a_label_with_a_character_that_no_page_may_hold_is_written_without_it(character):
    html = stepper_page(graph_of(f"a{character}b"), View(), f"x{character}\n")
    assert character not in html and html.encode()


def test_a_page_loads_nothing_and_allows_only_its_own_script_and_style():
    html = stepper_page(graph_of("y"), View())
    page = Page(html)
    policy = next(a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    digest = base64.b64encode(hashlib.sha256(page.scripts[1].encode()).digest()).decode()
    assert rules["default-src"] == "'none'" and rules["script-src"] == f"'sha256-{digest}'"
    style = re.search("<style>(.*?)</style>", html, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert rules["style-src"] == f"'sha256-{digest}'"
    assert not re.search(r"https?:|url\((?!#)|@import", html)
    for _tag, attributes in page.elements:
        assert not {"src", "srcset", "style"} & attributes.keys()
        assert attributes.get("href", "#").startswith("#")
    assert "</script" not in page.scripts[1] and "<!--" not in page.scripts[1]


def test_the_graph_has_a_text_alternative_and_every_control_a_name():
    page = Page(stepper_page(graph_of("y"), View()))
    drawings = [a for tag, a in page.elements if tag == "svg" and a.get("class") == "graph"]
    assert len(drawings) == 2
    assert all(a["role"] == "img" and "y" in a["aria-label"] for a in drawings)
    assert any(a.get("aria-live") == "polite" for _tag, a in page.elements)
    slider = next(a for tag, a in page.elements if tag == "input")
    assert slider["aria-label"]
    assert all(word in page.text for word in ("Back", "Next", "Play"))
    identifiers = [a["id"] for _tag, a in page.elements if "id" in a]
    assert len(identifiers) == len(set(identifiers))


def luminance(color):
    shares = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    lighter, darker = sorted(map(luminance, (one, other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_texts_have_contrast_in_light_in_dark_and_on_paper():
    html = stepper_page(graph_of("y"), View())
    blocks = [dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in re.findall(r":root \{(.*?)\}", html, re.S)]
    themes = [block for block in blocks if "panel" in block]
    assert len(themes) == 3
    for theme in themes:
        for color in ("text", "muted", "positive", "negative", "error"):
            for ground in ("panel", "window", "canvas"):
                assert contrast(theme[color], theme[ground]) >= 4.5, (color, ground)
        for ground in ("neutral", "input", "parameter", "output"):
            assert contrast(theme["text"], theme[ground]) >= 4.5, ground
        if "on-accent" in theme:
            assert contrast(theme["on-accent"], theme["accent"]) >= 4.5


def test_what_is_too_large_or_empty_is_refused_with_the_number():
    with pytest.raises(PageError, match="empty"):
        page_of_document(Document(), GraphView())
    total = Value(1.0, "x")
    for _ in range(MOST_BOXES):
        total = total + Value(1.0)
    with pytest.raises(PageError, match=f"{2 * MOST_BOXES + 1} boxes.*{MOST_BOXES}"):
        stepper_page(ShownWalk(GraphView((total,)), learning_rate=None), View())
    x = Value(1.0, "x")
    often = weighted_sum([x] * (MOST_STEPS // 2), [x] * (MOST_STEPS // 2), x)  # few boxes, and a step for each use
    with pytest.raises(PageError, match=f"{MOST_STEPS + 3:,} steps.*{MOST_STEPS:,}"):
        stepper_page(ShownWalk(GraphView((often,)), learning_rate=None), View())


@pytest.mark.slow
def test_an_output_that_is_an_array_has_no_steps_and_says_so():
    view = show_expression(evaluate("import numpy as np\na = Value(np.array([1.0, 2.0]))\nb = a * 2\n"))
    with pytest.raises(PageError):
        stepper_page(ShownWalk(view, learning_rate=None), View())


@pytest.mark.parametrize(("form", "captions"), [("row", True), ("above", True), ("compact", False)])
def test_numbers_have_captions_where_the_form_of_the_boxes_has_room_for_them(form, captions):
    html = stepper_page(graph_of("product"), View(form=form))
    wide = html[html.index("<svg") : html.index("</svg>")]
    assert (">data</text>" in wide) == captions


def test_the_drawings_are_well_formed():
    html = stepper_page(graph_of("a<b>&\"'"), View())
    for drawing in re.findall(r'<svg class="graph".*?</svg>', html, re.DOTALL):
        assert len(ElementTree.fromstring(drawing).findall(".//*[@data-id]")) == 4 + 3
