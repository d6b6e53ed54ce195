import dataclasses

import pytest
from PySide6.QtGui import QColor

from engine.graph import BoxNumbers
from gui.canvas import Activity
from gui.theme import DARK, LIGHT

pytestmark = pytest.mark.slow

GOOD = BoxNumbers("1.0000", "+1.0000", "positive", "positive")


@pytest.fixture
def far(canvas, grid):
    """A canvas that shows 60 columns of 40 values from far."""
    canvas.show_picture(grid(60, 40))
    canvas.show_readings(dict.fromkeys(canvas.picture.boxes, GOOD))
    canvas.fit()
    assert canvas.is_low_detail
    return canvas


def count(canvas, color):
    """Pixels of a colour."""
    image, wanted = canvas.viewport().grab().toImage(), QColor(color)
    return sum(image.pixelColor(x, y) == wanted for x in range(image.width()) for y in range(image.height()))


def shown(canvas):
    return canvas.viewport().grab().toImage()


@pytest.mark.parametrize(
    "activity",
    [
        Activity(nodes=frozenset({"30.20"})),
        Activity(edges=frozenset({("29.20", "30.20:op")})),
        Activity(differing=frozenset({"30.20"})),
        Activity(flow={("29.20", "30.20:op"): -1.0}),
    ],
    ids=["touched", "edge", "differing", "flow"],
)
def test_what_a_step_touched_is_seen_from_far(far, activity):
    before = shown(far)
    far.show_activity(activity)
    assert shown(far) != before
    far.show_activity(Activity())
    assert shown(far) == before


def test_a_problem_is_seen_from_far_and_goes_when_it_is_mended(far):
    before = shown(far)
    far.show_readings({"30.20": dataclasses.replace(GOOD, data_state="bad", data="nan")})
    assert count(far, LIGHT.error) >= 40
    far.show_readings({"30.20": GOOD})
    assert shown(far) == before


@pytest.mark.long
def test_the_selection_and_the_path_of_what_is_hovered_are_seen_from_far(far):
    before = count(far, LIGHT.accent)
    far.select("58.20")
    selected = count(far, LIGHT.accent)
    far.hover("2.20")
    assert before + 20 < selected < count(far, LIGHT.accent) - 20
    far.hover(None)
    assert count(far, LIGHT.accent) == selected


@pytest.mark.long
@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_the_flow_of_the_gradient_has_its_colours_from_far(far, colors):
    far.set_colors(colors)
    edges = {
        pair: 1.0 if pair[1].startswith("9.") else -1.0 for pair in far.picture.edges if not pair[0].endswith("op")
    }
    plain = count(far, colors.negative)
    far.show_activity(Activity(flow=edges))
    assert count(far, colors.negative) > plain + 100 and count(far, colors.positive) > 0


def test_marks_from_far_are_made_once_and_not_while_painting(far, monkeypatch):
    far.select("3.3")
    far.show_activity(Activity(flow=dict.fromkeys(far.picture.edges, 0.5)))
    made = []
    with monkeypatch.context() as watched:
        for name in ("straight_lines", "node_rect", "LowDetailDecorations"):
            watched.setattr(f"gui.canvas.level_of_detail.{name}", lambda *given, **named: made.append(given))
        far.pan(5, 5)
        far.zoom_by(0.9)
        shown(far)
    assert made == []


def test_texts_on_edges_that_cannot_be_read_are_not_measured(far, monkeypatch):
    monkeypatch.setattr("gui.canvas.items.label_bounds", lambda *_: pytest.fail("a text was measured"))
    far.show_activity(Activity(edge_labels=dict.fromkeys(far.picture.edges, "0.5")))
    far.show_activity(Activity())
