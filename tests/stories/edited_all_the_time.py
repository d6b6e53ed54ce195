"""A window that is edited, stepped, trained, closed and opened again at random while a reader reads it.

After its last edit it shows a graph and waits until the reader has read enough nodes, however slow the machine is.
It prints `done` at its end.
"""

import faulthandler
import gc
import random
import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from gui.main_window import MainWindow
from gui.session import Session

EVERY_MILLISECONDS = 60


def program(chance: random.Random) -> str:
    """A program of some leaves and operations."""
    lines = [f"{name} = {chance.uniform(-3, 3):.3f}" for name in "abcdef"[: chance.randint(2, 6)]]
    names = [line[0] for line in lines]
    for number in range(chance.randint(1, 12)):
        a, b = chance.choice(names), chance.choice(names)
        formula = chance.choice([f"{a}*{b}", f"tanh({a})", f"{a} + {b}", f"log({a})", f"{a}/{b} - 1"])
        lines.append(f"v{number} = {formula}")
        names.append(f"v{number}")
    return "\n".join(lines)


class Story:
    """Does one thing after the other to the window."""

    def __init__(self, n_steps: int) -> None:
        self.left, self.chance = n_steps, random.Random(1)
        self.window = self.open()

    @staticmethod
    def open() -> MainWindow:
        window = MainWindow(Session(), theme="light", workspace="both")
        window.show()
        return window

    def close(self) -> None:
        self.window.session.discard_changes()
        self.window.close()
        self.window.deleteLater()

    def step(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.window.show_workspace("understand")
            self.window.session.set_view(shows="expression")
        if self.left <= 0:
            self.end_when_read()
        else:
            self.edit()

    def end_when_read(self) -> None:
        if Path("read").exists():  # a reader makes it when it has read enough nodes
            self.close()
            print("done", flush=True)
            QApplication.quit()

    def edit(self) -> None:
        chance, window = self.chance, self.window
        session, keys = window.session, list(window.session.presenter.picture.boxes)
        what = chance.random()
        if what < 0.5:
            session.edit("program", expression={"text": program(chance)})
        elif what < 0.62 and keys:
            window.graph_panel.canvas.setFocus()
            session.select(chance.choice(keys))
        elif what < 0.7:
            session.set_view(shows=chance.choice(["network", "expression"]))
        elif what < 0.76:
            window.show_workspace(chance.choice(["understand", "both", "train", "welcome"]))
        elif what < 0.84:
            session.presenter.set_position(chance.randint(0, 10))
        elif what < 0.88:
            window.action("run").trigger()
        elif what < 0.92:
            session.set_view(hide_constants=chance.random() < 0.5)
        elif what < 0.95:
            gc.collect()
        else:
            self.close()
            self.window = self.open()


if __name__ == "__main__":
    faulthandler.enable()
    app = QApplication(sys.argv)
    app.setApplicationName("Gradstep")
    story = Story(int(sys.argv[1]))
    timer = QTimer(interval=EVERY_MILLISECONDS)
    timer.timeout.connect(story.step)
    timer.start()
    sys.exit(app.exec())
