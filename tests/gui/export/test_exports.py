"""The export menu of the real window: what is clicked is what is written."""

import json
import math
import re
import threading
import xml.etree.ElementTree as ElementTree

import pypdfium2
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QMenu

from engine.document import Document, replace_section
from gui.canvas import GraphCanvas
from gui.export.dialog import VISIBLE, PictureDialog
from gui.export.pictures import PAPER_MARGIN
from gui.export.target import FORMAT_NAMES, STILL
from gui.panels.graph.graph import context_menu
from gui.theme import DARK, LIGHT
from tests.gui.canvas.conftest import NEURON
from tests.gui.export.likeness import margin_is_empty, pixels, unlike
from tests.gui.menus import entry, submenus

SVG_TEXT = "{http://www.w3.org/2000/svg}text"


def opened(window, qtbot, monkeypatch):
    """The window on a neuron, where nothing moves by itself."""
    monkeypatch.setattr(GraphCanvas, "motion_allowed", lambda canvas: False)
    window.resize(1400, 900)
    show(window, qtbot, expression={"text": NEURON})
    yield window
    QGuiApplication.clipboard().clear()


@pytest.fixture
def window(reused_window, qtbot, monkeypatch):
    """For tests that do not close it."""
    yield from opened(reused_window, qtbot, monkeypatch)


@pytest.fixture
def own_window(make_window, qtbot, monkeypatch):
    """For what looks at every pixel of the screen."""
    yield from opened(make_window(), qtbot, monkeypatch)


def show(window, qtbot, **sections):
    window.session.edit("for a test", **sections)
    settle(window, qtbot)


def settle(window, qtbot):
    qtbot.waitUntil(lambda: not window.session.presenter.busy, timeout=5000)


def click(window, qtbot, title):
    """Clicks an entry of a submenu of the export menu."""
    whole = next(menu for menu in window.findChildren(QMenu) if menu.title() == "&Export")
    menu = next(each for each in submenus(whole) if entry(each, title) is not None)
    entry_of_it = entry(menu, title)
    menu.popup(window.mapToGlobal(window.rect().center()))
    qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(entry_of_it).center())
    menu.close()


def choose(window, qtbot, path, name_filter=""):
    """Answers the file dialog."""
    dialog = window.findChild(QFileDialog)
    if name_filter:
        dialog.filterSelected.emit(next(one for one in dialog.nameFilters() if name_filter in one))
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    qtbot.waitUntil(lambda: window.findChild(QFileDialog) is None, timeout=2000)
    wait_until_written(window, qtbot)


def wait_until_written(window, qtbot):
    qtbot.waitUntil(lambda: not window.exporter.busy, timeout=20_000)


def told(window):
    return window.message.message


@pytest.mark.smoke
def test_every_format_is_in_the_menu_and_written_by_a_click_with_the_name_completed(window, qtbot, tmp_path, subtests):
    with subtests.test("every format"):
        for extension in STILL:
            click(window, qtbot, f"Graph as {FORMAT_NAMES[extension]}…")
            choose(window, qtbot, tmp_path / f"a.{extension}")
            assert (tmp_path / f"a.{extension}").stat().st_size > 200
            assert told(window) == f"exported a.{extension}"
    with subtests.test("a name without a known extension gets that of the entry"):
        named = tmp_path / "named"
        named.mkdir()
        click(window, qtbot, "Graph as SVG drawing…")
        choose(window, qtbot, named / "net.v2")
        assert [path.name for path in named.iterdir()] == ["net.v2.svg"]
    with subtests.test("the format in view completes the name"):
        click(window, qtbot, "Visible part of the graph…")
        assert window.findChild(QFileDialog).defaultSuffix() == "png"
        choose(window, qtbot, tmp_path / "part", "pdf")
        assert (tmp_path / "part.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
def test_the_page_of_a_network_in_training_goes_through_the_step_that_comes_next(window, qtbot, tmp_path):
    session = window.session
    session.edit("for a test", view={"shows": "network"})
    session.train("step")
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == 1)
    settle(window, qtbot)
    window.exporter.save_graph("html")
    choose(window, qtbot, tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    steps = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])["steps"]
    updates = [line for _place, phase, _title, line, *_rest in steps if phase == "update"]
    assert len(updates) == len(session.newest.snapshot.parameters)
    _data, gradient = session.presenter.sample.numbers(session.presenter.sample.parameters[0])
    first = session.presenter.sample.parameters[0].label
    arrived = [line for _place, _phase, _title, line, *_rest in steps if line.startswith(f"{first}.grad = ")]
    assert math.isclose(float(re.split("[=≈] ", arrived[-1])[-1].replace("−", "-")), gradient, rel_tol=1e-3)


def test_the_backward_pass_is_written_as_frames_into_the_chosen_folder_and_always_as_a_gif(
    window, qtbot, tmp_path, subtests
):
    with subtests.test("frames"):
        click(window, qtbot, "Backward pass as PNG frames…")
        choose(window, qtbot, tmp_path)
        assert [path.name for path in sorted(tmp_path.iterdir())] == [f"frame_{n:03}.png" for n in range(1, 12)]
        assert "frame_001.png to frame_011.png" in told(window)
        (tmp_path / "frame_002.png").write_bytes(b"mine")
        click(window, qtbot, "Backward pass as PNG frames…")
        choose(window, qtbot, tmp_path)
        assert "not overwritten" in told(window) and (tmp_path / "frame_002.png").read_bytes() == b"mine"
    with subtests.test("a GIF"):
        click(window, qtbot, "Backward pass as GIF…")
        choose(window, qtbot, tmp_path / "pass.png")
        with Image.open(tmp_path / "pass.png.gif") as image:
            assert image.format == "GIF" and image.n_frames == 11


def picture(window, qtbot, **choices):
    """Opens the dialog of choices and makes them."""
    click(window, qtbot, "Picture of the graph…")
    dialog = window.findChild(PictureDialog)
    dialog.scale.setValue(choices.get("scale", 2.0))
    dialog.transparent.setChecked(choices.get("transparent", False))
    dialog.part.setCurrentText(choices.get("part", dialog.part.currentText()))
    dialog.format.setCurrentIndex(dialog.format.findData(choices.get("extension", "png")))
    return dialog


def test_scale_and_background_are_chosen_in_the_window(window, qtbot, tmp_path):
    dialog = picture(window, qtbot, scale=1.5, transparent=True)
    said = dialog.size_label.text()
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    choose(window, qtbot, tmp_path / "clear")
    image = QImage(str(tmp_path / "clear.png"))
    assert said == f"{image.width():,} × {image.height():,} pixels"
    assert image.pixelColor(2, 2).alpha() == 0
    assert image.dotsPerMeterX() == pytest.approx(1.5 * 96 / 0.0254, rel=0.01)


def copied_width(window, qtbot, extension, choice):
    """Copies a picture by the dialog; how wide the one in the clipboard is."""
    dialog = picture(window, qtbot, extension=extension, scale=1.0, **choice)
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    wait_until_written(window, qtbot)
    kind = {"png": "image/png", "svg": "image/svg+xml"}[extension]
    content = bytes(QGuiApplication.clipboard().mimeData().data(kind).data())
    if extension == "png":
        return QImage.fromData(content).width()
    return float(ElementTree.fromstring(content).get("viewBox").split()[2])


def test_both_kinds_and_both_parts_go_to_the_clipboard(window, qtbot, subtests):
    window.graph_panel.canvas.set_zoom(2.0)
    settle(window, qtbot)
    left, _top, right, _bottom = window.graph_panel.canvas.picture.bounds
    whole, seen = right - left + 2 * PAPER_MARGIN, window.graph_panel.canvas.visible_region.width()
    for extension in ("png", "svg"):
        for part, choice, width in (("visible", {"part": VISIBLE}, seen), ("whole", {}, whole)):
            with subtests.test(extension=extension, part=part):
                assert copied_width(window, qtbot, extension, choice) == pytest.approx(width, abs=2)


SHOWN = {
    "zoomed in": {},
    "a closed group": {"view": {"shows": "network"}},
    "dragged by hand": {"view": {"moved": {"n": (30.0, 120.0), "x1": (-200.0, 0.0)}}},
    "constants hidden, top-down": {
        "expression": {"text": "a = 2\nb = a * 3 + 1\nc = tanh(b) / 7\n"},
        "view": {"hide_constants": True, "direction": "down"},
    },
}


@pytest.mark.long
@pytest.mark.parametrize("flow", [False, True], ids=["plain", "flow"])
@pytest.mark.parametrize("name", SHOWN)
def test_the_visible_part_is_what_is_on_the_screen_and_the_whole_is_all_of_it(own_window, qtbot, tmp_path, name, flow):
    window = own_window
    show(window, qtbot, **SHOWN[name])
    canvas = window.graph_panel.canvas
    window.action("minimap").trigger()  # it stands over the graph on the screen, and is not exported
    if flow:
        window.action("flow").trigger()
    canvas.set_zoom(1.0)
    canvas.show_minimap(False)  # it is on the screen and in no export
    dialog = picture(window, qtbot, part=VISIBLE, scale=1.0)
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    choose(window, qtbot, tmp_path / "visible.png")
    qtbot.waitUntil(lambda: canvas.is_sharp)
    on_screen = pixels(canvas.viewport().grab().toImage())
    exported = pixels(QImage(str(tmp_path / "visible.png")))
    height, width = min(on_screen.shape[0], exported.shape[0]), min(on_screen.shape[1], exported.shape[1])
    assert abs(on_screen.shape[0] - exported.shape[0]) <= 2 and abs(on_screen.shape[1] - exported.shape[1]) <= 2
    assert unlike(on_screen[:height, :width], exported[:height, :width], LIGHT.canvas) == []
    click(window, qtbot, "Graph as PNG image…")
    choose(window, qtbot, tmp_path / "whole.png")
    assert margin_is_empty(pixels(QImage(str(tmp_path / "whole.png"))), LIGHT.canvas, int(PAPER_MARGIN))


def test_the_flow_is_in_the_whole_picture_and_the_selection_is_not(window, qtbot, tmp_path):
    def whole(name):
        click(window, qtbot, "Graph as PNG image…")
        choose(window, qtbot, tmp_path / name)
        return QImage(str(tmp_path / name))

    plain = whole("plain.png")
    window.session.select("n")
    assert whole("selected.png") == plain
    window.action("flow").trigger()
    assert whole("flow.png") != plain


def test_text_formats_have_the_numbers_of_the_step(window, qtbot, tmp_path):
    presenter = window.session.presenter
    presenter.set_position(presenter.walk.phases["seed"] + 1)
    click(window, qtbot, "Graph as JSON, node-link…")
    choose(window, qtbot, tmp_path / "step.json")
    grads = {
        node["id"]: node["grad"] for node in json.loads((tmp_path / "step.json").read_text())["nodes"] if "grad" in node
    }
    assert grads["o"] == 1.0 and grads["n"] is None
    click(window, qtbot, "Graph as SVG drawing…")
    choose(window, qtbot, tmp_path / "step.svg")
    texts = [element.text for element in ElementTree.parse(tmp_path / "step.svg").iter(SVG_TEXT)]
    assert texts.count("+1.0000") == 1 and "+0.5000" not in texts


def test_the_dark_theme_is_exported_dark(window, qtbot, tmp_path):
    window.apply_theme("dark")
    click(window, qtbot, "Graph as PDF document…")
    choose(window, qtbot, tmp_path / "a.pdf")
    document = pypdfium2.PdfDocument(tmp_path / "a.pdf")
    corner = document[0].render(rev_byteorder=True).to_numpy()[2, 2][:3]
    document.close()
    assert "#" + bytes(corner.tolist()).hex().upper() == DARK.canvas


def test_an_empty_graph_is_told_and_nothing_is_written(window, qtbot, tmp_path):
    window.session.reset_document(replace_section(Document(), "expression", text=""))
    settle(window, qtbot)
    for name in ("export svg", "export graphml", "export gif", "copy png"):
        assert not window.action(name).isEnabled()
    for export in (lambda: window.exporter.save_graph("svg"), window.exporter.save_gif):
        export()
        choose(window, qtbot, tmp_path / "a")
        assert "nothing to export: the graph is empty" in told(window)
    window.exporter.copy_graph("png")
    wait_until_written(window, qtbot)
    assert told(window) == "the graph was not copied: nothing to export: the graph is empty"
    assert list(tmp_path.iterdir()) == []


def test_the_menu_of_the_canvas_exports_too_and_a_file_that_cannot_be_written_is_told_by_its_own_name(
    window, qtbot, tmp_path, subtests
):
    with subtests.test("the menu of the canvas"):
        menu = context_menu(window.session, None, window.action_sets, window)
        entry(menu, "Graph as SVG drawing…").trigger()
        choose(window, qtbot, tmp_path / "a.svg")
        assert (tmp_path / "a.svg").stat().st_size > 200
        menu.deleteLater()
    with subtests.test("a file that cannot be written"):
        for title in ("Graph as SVG drawing…", "Graph as GraphML…", "Backward pass as GIF…"):
            click(window, qtbot, title)
            choose(window, qtbot, tmp_path / "nowhere" / "a")
            assert "not exported" in told(window) and ".part" not in told(window) and "Errno" not in told(window)


def test_an_export_never_replaces_the_sessions_own_file(window, qtbot, tmp_path):
    own, told = tmp_path / "own.json", []
    window.session.save(own)
    before = own.read_bytes()
    window.session.message_posted.connect(lambda line, kind: told.append((line, kind)))
    linked = tmp_path / "linked.json"
    linked.hardlink_to(own)
    for path in (own, linked):
        click(window, qtbot, "Graph as JSON, node-link…")
        choose(window, qtbot, path)
        assert told[-1][1] == "error" and "the session's own file own.json" in told[-1][0]
        assert own.read_bytes() == before


def test_an_export_has_what_is_still_being_typed(window, qtbot, tmp_path):
    window.docks["ExpressionPanel"].panel.editor.setPlainText("typed = 2.0\nlast = typed * 3\n")
    click(window, qtbot, f"Graph as {FORMAT_NAMES['txt']}…")
    choose(window, qtbot, tmp_path / "a.txt")
    assert "last" in (tmp_path / "a.txt").read_text()


def test_closing_the_window_gives_up_an_export_and_leaves_nothing_behind(make_window, qtbot, tmp_path):
    window = make_window()
    began = threading.Event()

    def endless(_path):
        def work(report):
            while True:
                report(0.5)
                began.set()

        return work

    window.exporter.save(tmp_path / "a.gif", endless)
    qtbot.waitUntil(began.is_set)
    window.session.discard_changes()
    assert window.close()
    assert not window.exporter.busy and list(tmp_path.iterdir()) == []
    assert not [thread for thread in threading.enumerate() if thread.name == "export"]
