"""The tour: the real window at work, photographed, for README and for people without a display."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QDeadlineTimer, QEventLoop, QSize, QTimer
from PySide6.QtWidgets import QApplication

from engine.document import Document, replace_section
from engine.document.document import FIRST_PROGRAM
from engine.examples.examples import examples
from engine.examples.gallery import published_programs
from engine.file_access import write_atomically
from gui.app import make_application
from gui.arrangement import TITLE_BAR
from gui.canvas import GraphCanvas
from gui.display import IN_MEMORY
from gui.export.drawing import png_bytes
from gui.main_window import MainWindow
from gui.scheduling import idle_tasks
from gui.session import Session

SIZES = {"large": QSize(1440, 900), "small": QSize(1024, 700)}
PATIENCE_MILLISECONDS = 20_000
STEPS = 20
"""Steps of training between two reports: so few that no report comes between them, and each tour has the same ones."""
WRONG_ENGINE = "3_one_mistake_each/01_the_product_rule"


def make_tour(folder: Path) -> Iterator[Path]:
    """Writes the pictures of every scene, in both sizes and both themes.

    Args:
        folder: is made when missing.

    Yields:
        The path of each picture when it is written.

    Raises:
        OSError: when the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if QApplication.instance() is None:
        with _large_screen():
            make_application()
    for name, set_up in SCENES.items():
        window = MainWindow(Session(), theme="light")
        window.show()
        set_up(window)
        for size_name, size in SIZES.items():
            window.resize(size)
            settle(window)
            window.arrange()
            for theme in ("light", "dark"):
                window.apply_theme(theme)
                settle(window)
                window.graph_panel.canvas.open_view()
                window.session.presenter.readings_changed.emit()  # scrolls the nodes of the last step back into view
                window.docks["ExpressionPanel"].panel.set_caption("")  # how long it ran is another number each time
                wait_for_canvas(window.graph_panel.canvas)
                path = folder / f"{name}_{size_name}_{theme}.png"
                write_atomically(path, png_bytes(window.grab().toImage()))
                yield path
        window.session.discard_changes()
        window.close()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, 52)  # QEvent.DeferredDelete


@contextmanager
def _large_screen() -> Iterator[None]:
    """Configure the offscreen platform with a screen for the largest size; its default is 800 x 800."""
    if os.environ.get("QT_QPA_PLATFORM") != IN_MEMORY:
        yield
        return
    width, height = max(size.width() for size in SIZES.values()), max(size.height() for size in SIZES.values())
    screen = {"name": "tour", "x": 0, "y": 0, "width": width, "height": height + TITLE_BAR}
    screen |= {"logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1.0}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "screens.json")
        file.write_text(json.dumps({"screens": [screen]}), encoding="utf-8")
        os.environ["QT_QPA_PLATFORM"] = f"{IN_MEMORY}:configfile={file}"
        yield
        os.environ["QT_QPA_PLATFORM"] = IN_MEMORY


def wait_until(condition: Callable[[], bool]) -> None:
    """Run the event loop until the condition is true, for at most 20 seconds."""
    deadline = QDeadlineTimer(PATIENCE_MILLISECONDS)
    while not condition() and not deadline.hasExpired():
        _run_event_loop(20)


def _run_event_loop(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def wait_for_canvas(canvas: GraphCanvas) -> None:
    """Wait until the canvas is painted at full resolution."""
    wait_until(lambda: canvas.is_sharp)


def settle(window: MainWindow) -> None:
    """Wait until layouts, animations, hidden panels and the last progress have arrived."""
    wait_until(lambda: not window.session.presenter.busy)
    _run_event_loop(300)
    wait_until(lambda: not window.session.presenter.busy and not idle_tasks().busy)


def _expression(window: MainWindow) -> None:
    window.session.select("w1")


def _stepping(window: MainWindow) -> None:
    published = {program["id"]: program["program"] for program in published_programs()}
    window.session.edit("program", expression={"text": published["B1"]})
    settle(window)
    presenter = window.session.presenter
    presenter.set_position(presenter.n_steps - 9)


def _mistake(window: MainWindow) -> None:
    window.session.edit("program", expression={"text": FIRST_PROGRAM.replace("tanh", "tahn")})


def _training(window: MainWindow) -> None:
    window.show_workspace("both")
    session = window.session
    session.edit("network", network={"layer_sizes": (2, 8, 8, 1), "activations": ("tanh", "tanh")})
    session.edit("training", training={"learning_rate": 0.1})
    _train(window, 1500)
    session.set_view(shows="network")


def _train(window: MainWindow, n_steps: int) -> None:
    """As fast as it goes; the speed that the window remembers stays."""
    session = window.session
    speed, count = session.training.speed, session.training.count
    session.training.set_control(None, STEPS)
    for step in range(STEPS, n_steps + 1, STEPS):
        session.train("steps")
        wait_until(lambda step=step: session.newest is not None and session.newest.snapshot.step == step)  # type: ignore[misc]
    session.pause()
    session.training.set_control(speed, count)


def _laboratory(window: MainWindow) -> None:
    window.show_workspace("train")
    window.session.edit("data", data={"test_share": 0.3})
    window.session.edit("network", network={"layer_sizes": (2, 6, 6, 1), "activations": ("tanh", "tanh")})
    window.session.edit("training", training={"learning_rate": 0.1})
    _train(window, 2000)


def _own_engine(window: MainWindow) -> None:
    text = next(each.text for each in examples() if each.name == WRONG_ENGINE)
    window.session.edit("program", expression={"text": text})
    wait_until(lambda: not window.session.program.busy)


def _phase(window: MainWindow) -> None:
    window.show_workspace("both")
    session = window.session
    document = replace_section(Document(), "data", name="xor", noise=0.0)
    session.reset_document(replace_section(document, "view", shows="network", sample=2))
    for _ in range(4):
        before = session.newest
        session.train("phase")
        wait_until(lambda before=before: session.newest is not before)  # type: ignore[misc]


SCENES: dict[str, Callable[[MainWindow], None]] = {
    "expression": _expression,
    "stepping": _stepping,
    "mistake": _mistake,
    "own_engine": _own_engine,
    "training": _training,
    "laboratory": _laboratory,
    "phase": _phase,
}
"""Scenes of the tour: a name, and a function that sets up the window."""
