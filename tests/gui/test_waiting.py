"""While a large graph is laid out the window says so, and what it shows when that is done is a picture of its own."""

import pytest

from engine.file_access import write_atomically

pytestmark = pytest.mark.slow

LARGE = "x = 0.5\ny = x\n" + "\n".join(f"y = tanh(y * 0.{n % 9 + 1}) + x" for n in range(150))


def write(session, text):
    """Types a program, and has everything in its graph drawn."""
    session.edit("type", expression={"text": text}, view={"expanded": ("*",)})


def paleness(canvas):
    """How many colours are seen on the canvas."""
    image = canvas.viewport().grab().toImage()
    return len({image.pixel(x, y) for x in range(0, image.width(), 2) for y in range(0, image.height(), 2)})


def test_nothing_is_awaited_where_the_layout_takes_less_than_a_blink(session):
    write(session, "a = 2\nb = a * a")
    assert session.presenter.awaited == 0


def test_the_nodes_that_are_laid_out_are_counted_until_their_first_drawing(session, qtbot):
    write(session, LARGE)
    qtbot.waitUntil(lambda: session.presenter.awaited > 500)
    qtbot.waitUntil(lambda: not session.presenter.awaited, timeout=10_000)
    assert len(session.presenter.picture.boxes) > 300


@pytest.mark.long
def test_the_graph_before_is_veiled_until_the_one_meant_is_there(panel, session, qtbot):
    drawn = []
    veil = panel.canvas.set_veil
    panel.canvas.set_veil = lambda text: (drawn.append(text), veil(text))
    panel.veil_timer.setInterval(0)
    write(session, LARGE)
    qtbot.waitUntil(lambda: any("Laying out" in text for text in drawn))
    qtbot.waitUntil(lambda: not session.presenter.awaited, timeout=10_000)
    assert drawn[-1] == ""


@pytest.mark.long
def test_the_line_of_words_tells_what_is_awaited_while_the_graph_before_is_veiled(panel, session, qtbot):
    told = []
    tell = panel.stepper.show_awaited
    panel.stepper.show_awaited = lambda text: (tell(text), told.append(panel.stepper.words.text()))
    panel.veil_timer.setInterval(0)
    write(session, LARGE)
    qtbot.waitUntil(lambda: any("Laying out" in text for text in told))
    qtbot.waitUntil(lambda: not session.presenter.awaited, timeout=10_000)
    assert told[-1] == panel.stepper.words.text() == session.presenter.words()


def test_a_veil_pales_what_is_drawn(panel):
    assert panel.canvas.picture.boxes
    before = paleness(panel.canvas)
    panel.canvas.set_veil("Laying out 5,000 nodes…")
    assert panel.canvas.viewport().grab().toImage().pixelColor(5, 5).isValid()
    panel.canvas.set_veil("")
    assert paleness(panel.canvas) == before


def test_going_back_to_the_graph_that_is_drawn_awaits_nothing(panel, session, qtbot):
    text = session.document.expression.text
    write(session, LARGE)
    qtbot.waitUntil(lambda: session.presenter.awaited > 500)
    write(session, text)
    qtbot.waitUntil(lambda: not session.presenter.awaited)


def test_neurons_stand_in_their_order_after_the_layer_has_grown(session, qtbot):
    session.set_view(shows="network")
    session.edit("sizes", network={"layer_sizes": (2, 9, 1)})
    qtbot.waitUntil(lambda: not session.presenter.busy, timeout=10_000)
    boxes = {box.label: box.y for box in session.presenter.picture.boxes.values()}
    heights = [boxes[f"L1N{number}"] for number in range(1, 10)]
    assert heights == sorted(heights)


@pytest.mark.long
def test_another_program_does_not_stay_close_to_the_one_before(session, qtbot, tmp_path):
    path = tmp_path / "large.txt"
    write_atomically(path, LARGE.encode())
    session.open(path)
    session.set_view(expanded=["*"])
    qualities = []
    session.presenter.picture_changed.connect(lambda _keep: qualities.append(session.presenter.placement.quality))
    qtbot.waitUntil(lambda: qualities[-1:] == ["full"], timeout=20_000)
    assert qualities[0] == "quick"


def test_a_graph_with_marked_values_is_not_said_to_be_computed(session):
    write(session, "a = -1\nb = log(a)")
    assert "not finite" in session.presenter.words()
