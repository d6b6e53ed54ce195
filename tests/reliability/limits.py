"""The largest inputs, and those beyond: whether they are there, or refused with the reason, and what they cost.

    python -m tests.reliability.limits [NAME ...]

Each case has a process and a window of its own, which shows program, graph and training. It says what has to be seen:
of an input at a limit that it is there as it was given, of one beyond a part of the words of the refusal. What is not
so is printed and makes the exit code 1, as does what costs too much: the longest time that the window's thread was held
by work or by waiting (see heartbeat.py), and the most memory beyond that of the window before. A line tells both, the
seconds until everything was shown, and what the window said.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from datasets.limits import N_SAMPLES_LIMITS
from datasets.text_file import MAX_BYTES, MAX_CELLS, MAX_COLUMNS
from engine.document import Document, replace_section
from engine.document.data_section import MOST_TABLE_CELLS
from engine.document.document import LARGEST_LAYER, LONGEST_PROGRAM, MOST_HIDDEN, MOST_PARAMETERS, MOST_PROGRAM_LINES
from engine.graph.expanded import MOST_VALUES
from engine.language.limits import Limits
from engine.language.source import MAX_CHARACTERS, MAX_LINES
from engine.lessons.lesson_file import LARGEST_FILE, MOST_LESSONS
from engine.network.run.progress import RunState
from engine.network.shape import count_parameters
from engine.session_file import to_json
from engine.session_file.strict_json import LARGEST_TEXT, MOST_MARKS
from engine.views.sample import count_values
from gui.app import make_application
from gui.loading import load_later
from gui.main_window import MainWindow
from gui.session import Session
from gui.session.programs import BackgroundPrograms
from tests.gui.reuse import is_busy
from tests.reliability.heartbeat import LONGEST_HOLD, Heartbeat
from tests.sources import ROOT

MOST_MEMORY = 250.0
"""MB."""
PATIENCE_SECONDS, CASE_SECONDS = 300.0, 1200.0
STEPS = 1_000_000
LARGEST_SIZES, SIZES_BEYOND = (2, 256, 256, 129, 1), (2, 256, 256, 130, 1)
"""Layers of a network with 99,843 parameters, and with one neuron more: 100,101."""
LIMITS = Limits()
STATUS = Path("/proc/self/status")


class Trial:
    """A window that is given something large.

    Attributes:
        said: lines of the status bar, and errors of the program with their line.
        missing: what was not as it has to be.
        heartbeat: notes what holds the event loop.
    """

    def __init__(self, folder: Path) -> None:
        self.session = Session(programs=BackgroundPrograms())
        self.window = MainWindow(self.session, theme="light", workspace="both")  # the start page draws no graph
        self.window.resize(1440, 900)
        self.window.show()
        self.folder, self.said, self.missing = folder, list[str](), list[str]()
        self.session.message_posted.connect(lambda text, _kind: self.said.append(text))
        self.heartbeat = Heartbeat(lambda: "")

    def wait(self, condition: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> None:
        """Let the event loop run until the condition holds."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError("the window did not come to rest")
            QTest.qWait(20)

    def begin(self) -> None:
        """Measure from now on: what was made until now is the trial's own."""
        self.heartbeat.pause(True)

    def rest(self) -> None:
        """Wait until everything is shown."""
        for _ in range(5):
            QTest.qWait(60)
            self.wait(lambda: not is_busy(self.window))

    # What is done

    def show_program(self, text: str) -> None:
        self.begin()
        self.session.edit("type", expression={"text": text})
        self.rest()
        if error := self.session.error:
            self.said.append(f"line {error.line}: {error.message}")

    def paste(self, text: str) -> None:
        """Paste in place of the whole program."""
        editor = self.window.docks["ExpressionPanel"].panel.editor
        QGuiApplication.clipboard().setText(text)
        self.begin()
        editor.setFocus()
        editor.selectAll()
        editor.paste()
        editor.flush()
        self.rest()
        QGuiApplication.clipboard().clear()

    def open_file(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.begin()
        self.window.files.open_path(path)
        self.rest()
        return path

    def size_network(self, sizes: tuple[int, ...]) -> None:
        self.begin()
        self.session.edit("size", network={"layer_sizes": sizes}, view={"shows": "network"})
        self.rest()

    def train(self, steps: int) -> None:
        session = self.session
        session.run()
        self.wait(lambda: session.newest is not None and session.newest.snapshot.step >= steps)
        session.pause()
        self.wait(lambda: session.run_state is not RunState.RUNNING)
        self.rest()

    # What has to be seen

    def must(self, what: str, is_so: object) -> None:
        """Note what is not as it has to be; looking is not measured."""
        self.heartbeat.pause(False)
        if not is_so:
            self.missing.append(what)

    def must_say(self, *parts: str) -> None:
        """One line that was said has to have all these parts."""
        is_said = any(all(part in text for part in parts) for text in self.said)
        self.must(f"a line that says {' and '.join(parts)}", is_said)

    def must_refuse_program(self, line: int, *parts: str) -> None:
        """The program has to be stopped at this line, with these parts in the reason."""
        error = self.session.error
        at = 0 if error is None else error.line
        self.must(f"an error at line {line}, not {at or 'none'}", at == line)
        self.must(f"a reason with {' and '.join(parts)}", error and all(part in error.message for part in parts))

    def must_show_program(self, text: str, *names: str) -> None:
        """The document and the editor have to hold the program, without an error; these values have to be drawn."""
        error, editor = self.session.error, self.window.docks["ExpressionPanel"].panel.editor
        self.must("the program in the document", self.session.document.expression.text == text)
        self.must("the program in the editor", editor.toPlainText() == text)
        self.must(f"a program without an error: {error and error.message}", error is None)
        read = {key.split("#")[0].split(".")[0] for key in self.session.presenter.readings}
        self.must(f"readings of {names}", set(names) <= read)
        self.must("boxes of its graph", len(self.window.graph_panel.canvas.picture.boxes) >= len(names))

    def must_have_network(self, sizes: tuple[int, ...]) -> None:
        """The document has to have this network, trained, and with all parameters."""
        document = self.session.current_document()
        trained = document.trained
        self.must(f"a network of {sizes}", document.network.layer_sizes == sizes)
        self.must("steps of training", self.session.newest is not None)
        n_parameters = 0 if trained is None else len(trained.parameters)
        self.must(f"all its parameters, not {n_parameters:,}", n_parameters == count_parameters(sizes))


# Programs


def longest_program(trial: Trial) -> None:
    lines = ["x = 0.5", "y = x", *(f"y = tanh(y*0.{1 + n % 9}) + x" for n in range(MAX_LINES - 3)), "z = y * x"]
    trial.show_program("\n".join(lines))
    trial.must_show_program("\n".join(lines), "z")


def longest_program_opened(trial: Trial) -> None:
    longest_program(trial)
    before = len(trial.window.graph_panel.canvas.picture.boxes)
    trial.begin()
    trial.session.set_view(expanded=("*",))
    trial.rest()
    trial.must("more boxes than before", len(trial.window.graph_panel.canvas.picture.boxes) > before)


def program_beyond(trial: Trial) -> None:
    trial.show_program("x = 0.5\n" + "y = x\n" * MAX_LINES)
    trial.must_refuse_program(MAX_LINES + 1, f"{MAX_LINES + 1:,}", f"{MAX_LINES:,}")
    trial.show_program("x = 1.0  #".ljust(MAX_CHARACTERS + 1, "#"))
    trial.must_refuse_program(1, f"{MAX_CHARACTERS + 1:,}", f"{MAX_CHARACTERS:,}")


def longest_line(trial: Trial) -> None:
    text = ("x = 0.5\ny = x" + "; y = y*x" * (MAX_CHARACTERS // 9 - 10)).ljust(MAX_CHARACTERS, "#")
    trial.show_program(text)
    trial.must_show_program(text, "x", "y")


def nested_program(trial: Trial) -> None:
    text = "x = 0.5\ny = " + "(" * 90 + "x*x" + ")" * 90
    trial.show_program(text)
    trial.must_show_program(text, "x", "y")


def deepest_program(trial: Trial) -> None:
    trial.show_program("x = 0.5\ny = " + "(" * 5_000 + "x" + ")" * 5_000)
    trial.must_refuse_program(2, "nested too deeply")
    trial.show_program("x = 0.5\ny = x" + " + x*x" * (MAX_CHARACTERS // 6 - 10))
    trial.must_refuse_program(2, "nested too deeply")


def loop(rounds: int, start: str = "0.5") -> str:
    """A program whose graph has four values for each round."""
    return f"x = {start}\ny = x\nfor i in range({rounds}):\n    y = y * 0.9999 + 0.1"


def many_values(trial: Trial) -> None:
    text = loop((MOST_VALUES - 1) // 4, "Value(0.5)")
    trial.show_program(text)
    trial.must_show_program(text, "y")


def values_cut(trial: Trial) -> None:
    trial.show_program(loop(2_000_000))
    evaluation = trial.session.program.evaluation
    notes = [] if evaluation is None else [note.message for note in evaluation.notes]
    trial.must(f"a note that the graph ends, not {notes}", any("graph ends after" in note for note in notes))
    trial.must("a program that went on", trial.session.error is None)


def values_beyond(trial: Trial) -> None:
    trial.show_program(loop(LIMITS.values // 4 + 1, "Value(0.5)"))
    trial.must_refuse_program(4, f"{LIMITS.values:,}")


def largest_output(trial: Trial) -> None:
    text = f"x = Value(1.0)\nprint('x' * {LIMITS.output_bytes - 1})"
    trial.show_program(text)
    trial.must_show_program(text, "x")
    trial.must(
        "all of the output",
        sum(len(line.text) for line in trial.session.program.printed.lines) == LIMITS.output_bytes - 1,
    )


def endless_output(trial: Trial) -> None:
    trial.show_program("x = Value(1.0)\nwhile True:\n    print('x' * 1000)")
    trial.must_refuse_program(3, f"{LIMITS.output_bytes // 1_000_000} MB")


def largest_array(trial: Trial) -> None:
    text = f"import numpy as np\na = np.ones({LIMITS.array_bytes // 8})\nb = Value(a[-1]) * 2.0"
    trial.show_program(text)
    trial.must_show_program(text, "b")


def array_beyond(trial: Trial) -> None:
    trial.show_program(f"import numpy as np\nn = 3\na = np.ones({LIMITS.array_bytes // 8 + 100_000})")
    trial.must_refuse_program(3, "MemoryError", f"{LIMITS.array_bytes // 1_000_000} MB")


def array_of_graph(trial: Trial) -> None:
    text = "import numpy as np\na = Value(np.ones(500_000))\nb = (a * a).sum()"
    trial.show_program(text)
    trial.must_show_program(text, "a", "b")


def array_of_graph_beyond(trial: Trial) -> None:
    trial.show_program("import numpy as np\na = Value(np.ones(4_900_000))\nb = (a * a).sum()")
    trial.must_refuse_program(3, "MemoryError", f"{LIMITS.array_bytes // 1_000_000} MB")
    trial.show_program("import numpy as np\na = Value(np.ones(1_000_000))\nb = (a * a).sum()")
    trial.must_refuse_program(3, "MemoryError", f"{LIMITS.array_bytes // 1_000_000} MB")


def largest_object(trial: Trial) -> None:
    text = f"a = bytearray({LIMITS.object_bytes - 3_000_000})\nb = Value(1.0)"
    trial.show_program(text)
    trial.must_show_program(text, "b")


def objects_beyond(trial: Trial) -> None:
    trial.show_program(f"b = Value(1.0)\na = bytearray({LIMITS.object_bytes + 5_000_000})")
    trial.must_refuse_program(2, "MemoryError", f"{LIMITS.object_bytes // 1_000_000} MB")
    trial.show_program("b = Value(1.0)\na = []\nwhile True:\n    a.append(bytearray(100_000))")
    trial.must_refuse_program(4, "MemoryError", f"{LIMITS.object_bytes // 1_000_000} MB")


def longest_paste(trial: Trial) -> None:
    text = ("# comment\n" * (MOST_PROGRAM_LINES - 1)).ljust(LONGEST_PROGRAM, "#")
    trial.paste(text)
    trial.must("the text in the document", trial.session.document.expression.text == text)
    error = trial.session.error
    trial.must("a refusal of its lines", error and f"{MAX_CHARACTERS:,}" in error.message)


def paste_beyond(trial: Trial) -> None:
    before = trial.session.document.expression.text
    trial.paste("# comment\n" * 500_000)
    trial.must("the program as it was", trial.session.document.expression.text == before)
    trial.must_say(f"{LONGEST_PROGRAM:,}", "not inserted")
    trial.paste("# comment\n" * MOST_PROGRAM_LINES)
    trial.must("the program as it was", trial.session.document.expression.text == before)
    trial.must_say(f"{MOST_PROGRAM_LINES:,} are possible", "not inserted")


# Networks and their history


def largest_network(trial: Trial) -> None:
    trial.size_network(LARGEST_SIZES)
    trial.train(100)
    trial.must_have_network(LARGEST_SIZES)


def deepest_network(trial: Trial) -> None:
    sizes = (2, *(64,) * MOST_HIDDEN, 1)
    trial.size_network(sizes)
    trial.train(20)
    trial.must_have_network(sizes)


def largest_drawn_network(trial: Trial) -> None:
    def drawn(width: int) -> Document:
        return replace_section(Document(), "network", layer_sizes=(2, LARGEST_LAYER, width, 1))

    width = max(width for width in range(1, LARGEST_LAYER) if count_values(drawn(width)) <= MOST_VALUES)
    trial.size_network(drawn(width).network.layer_sizes)
    trial.must("boxes of its graph", len(trial.window.graph_panel.canvas.picture.boxes) > 3)
    trial.begin()
    trial.train(20)
    trial.must_have_network(drawn(width).network.layer_sizes)


def network_beyond(trial: Trial) -> None:
    before = trial.session.document.network.layer_sizes
    trial.size_network(SIZES_BEYOND)
    trial.must_say(f"{MOST_PARAMETERS:,}", f"{count_parameters(SIZES_BEYOND):,}")
    trial.size_network((2, *(4,) * (MOST_HIDDEN + 1), 1))
    trial.must_say(f"{MOST_HIDDEN + 2} entries", f"{MOST_HIDDEN + 3} entries")
    trial.size_network((2, LARGEST_LAYER + 1, 1))
    trial.must_say(f"{LARGEST_LAYER}", f"{LARGEST_LAYER + 1}")
    trial.must("the network as it was", trial.session.document.network.layer_sizes == before)


def longest_history(trial: Trial) -> None:
    session = trial.session
    trial.window.show_workspace("train")
    session.training.set_control(None, 100)
    session.edit("stop", training={"max_steps": STEPS})
    session.run()
    trial.wait(lambda: session.newest is not None and session.newest.snapshot.step >= STEPS)
    trial.wait(lambda: session.run_state is not RunState.RUNNING)
    trial.rest()
    trial.must(f"{STEPS:,} steps", session.newest is not None and session.newest.snapshot.step == STEPS)
    trial.begin()
    for step in (0, STEPS // 2, STEPS - 1, 1, STEPS // 3):
        session.training.view_step(step)
        trial.wait(lambda step=step: session.shown is not None and session.shown.snapshot.step == step)
    trial.rest()
    trial.must("the last step that was asked for", session.shown and session.shown.snapshot.step == STEPS // 3)


# Files


def session_text(size: int) -> str:
    """A session of so many characters, blanks behind its last section."""
    text = to_json(replace_section(Document(), "expression", text="x = 2.0\ny = x * x"))
    return text[:-2] + " " * (size - len(text)) + "}\n"


def largest_session(trial: Trial) -> None:
    path = trial.open_file("a.gradstep", session_text(LARGEST_TEXT))
    trial.must("the file in the window", trial.session.path == path)
    trial.must("a file at the limit", path.stat().st_size == LARGEST_TEXT)
    trial.must_show_program("x = 2.0\ny = x * x", "x", "y")


def refused_session(trial: Trial, content: str, *parts: str) -> None:
    before = trial.session.document
    trial.open_file("a.gradstep", content)
    trial.must_say("a.gradstep", *parts)
    trial.must("the session as it was", trial.session.path is None and trial.session.document == before)


def session_beyond(trial: Trial) -> None:
    refused_session(trial, session_text(LARGEST_TEXT + 1), f"{LARGEST_TEXT:,}", "too large")


def nested_session(trial: Trial) -> None:
    refused_session(trial, '{"gradstep": 5, "view": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply")


def full_session(trial: Trial) -> None:
    refused_session(trial, '{"gradstep": 5, "view": [' + "1," * MOST_MARKS + "1]}", f"{MOST_MARKS:,}")


def table(lines: int, columns: int, cell: str = "0.5") -> str:
    """A table of so many lines, the header among them; its last column is a class."""
    rows = (f"{cell}," * (columns - 1) + "0\n", f"{cell}," * (columns - 1) + "1\n")
    return ",".join(f"c{n}" for n in range(columns)) + "\n" + "".join(rows[n % 2] for n in range(lines - 1))


def import_table(trial: Trial, text: str, *problem: str) -> None:
    """Open a table and import it, or see the parts of the reason why it cannot be."""
    from gui.importing.import_dialog import ImportDialog

    path = trial.folder / "a.csv"
    path.write_text(text, encoding="utf-8")
    before = trial.session.document
    trial.begin()
    trial.window.files.open_path(path)
    trial.wait(lambda: trial.window.findChild(ImportDialog) or trial.said, 10.0)
    if (dialog := trial.window.findChild(ImportDialog)) is None:
        trial.must_say(*problem)
        return
    trial.wait(lambda: not dialog.job.busy)
    QTest.qWait(200)
    trial.said.append(dialog.problem.text() or dialog.notes.text())
    if problem:
        trial.must_say(*problem)
        trial.must("a button that cannot be pressed", not dialog.import_button.isEnabled())
        trial.begin()
        dialog.reject()
    else:
        dialog.import_button.click()
    trial.rest()
    trial.must(
        "the document as it was" if problem else "other data", (trial.session.document == before) == bool(problem)
    )


def must_have_table(trial: Trial, rows: int, columns: int) -> None:
    document, dataset = trial.session.document, trial.session.dataset
    trial.must("data of a table", document.data.source == "table")
    trial.must(f"inputs of {rows:,} x {columns - 1:,}", dataset.X.shape == (rows, columns - 1))
    trial.must("every cell", (dataset.X == 0.5).all() and sorted(set(dataset.y.tolist())) == [0, 1])
    trial.must("a network with its inputs", document.network.layer_sizes[0] == columns - 1)


def largest_table(trial: Trial) -> None:
    import_table(trial, table(MOST_TABLE_CELLS // 10 + 1, 10))
    must_have_table(trial, MOST_TABLE_CELLS // 10, 10)


def table_beyond(trial: Trial) -> None:
    import_table(trial, table(MOST_TABLE_CELLS // 10 + 2, 10), f"{MOST_TABLE_CELLS:,}", f"{MOST_TABLE_CELLS + 10:,}")


def most_inputs(trial: Trial) -> None:
    import_table(trial, table(101, LARGEST_LAYER + 1))
    must_have_table(trial, 100, LARGEST_LAYER + 1)
    trial.begin()
    trial.train(20)
    trial.must_have_network(trial.session.document.network.layer_sizes)


def inputs_beyond(trial: Trial) -> None:
    import_table(trial, table(101, LARGEST_LAYER + 2), f"{LARGEST_LAYER}", f"{LARGEST_LAYER + 1}")


def most_columns(trial: Trial) -> None:
    import_table(trial, table(901, MAX_COLUMNS), f"{LARGEST_LAYER}", f"{MAX_COLUMNS - 1}")


def columns_beyond(trial: Trial) -> None:
    import_table(trial, table(101, MAX_COLUMNS + 1), f"{MAX_COLUMNS:,}", f"{MAX_COLUMNS + 1:,}")


def most_cells(trial: Trial) -> None:
    columns = MAX_CELLS // N_SAMPLES_LIMITS[1] + 1
    import_table(trial, table(N_SAMPLES_LIMITS[1], columns), f"{MOST_TABLE_CELLS:,}")


def cells_beyond(trial: Trial) -> None:
    columns = MAX_CELLS // N_SAMPLES_LIMITS[1] + 1
    import_table(trial, table(N_SAMPLES_LIMITS[1] + 1, columns), f"{MAX_CELLS:,} cells")


def rows_beyond(trial: Trial) -> None:
    import_table(trial, table(N_SAMPLES_LIMITS[1] + 2, 3), f"{N_SAMPLES_LIMITS[1]:,}")


def largest_table_file(trial: Trial) -> None:
    cell = "0.50000000000000000000"
    text = table((MAX_BYTES - 1_000) // len(f"{cell}," * 9 + "0\n"), 10, cell)
    import_table(trial, text.replace("c9", "c9".ljust(MAX_BYTES - len(text) + 2, "c"), 1), f"{MOST_TABLE_CELLS:,}")


def table_file_beyond(trial: Trial) -> None:
    import_table(trial, "0" * (MAX_BYTES + 1), f"{MAX_BYTES:,}", f"{MAX_BYTES + 1:,}")


def binary_table(trial: Trial) -> None:
    import_table(trial, "\0\x01\x02" * 1_000_000, "not a text file")


# Lessons


def lesson_text(title: str, size: int = 0) -> str:
    """A lesson with as many steps as it needs for so many characters."""
    text = f'+++\nformat = 1\ntitle = "{title}"\norder = 1\nminutes = 5\nprogram = "a = 2.0"\n+++\n\n## One\n\nWords.\n'
    while len(text) < size - 9_000:
        text += "## Another\n\n" + "word word word\n" * 500
    return f"{text}## Last\n\n".ljust(size, "x") if size else text


def add_lessons(trial: Trial, texts: Mapping[str, str]) -> tuple[list[str], str]:
    """Add a folder with these files; return the titles in the list, and what the panel says of other files."""
    folder = trial.folder / "large"
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    trial.begin()
    trial.window.lessons.add_folder(folder)
    trial.wait(lambda: any(lesson.name.startswith("large/") for lesson in trial.window.course.lessons))
    trial.rest()
    panel = trial.window.docks["LessonPanel"].panel
    titles = [panel.list.item(row).text() for row in range(panel.list.count())]
    trial.said.append(panel.problems.text() if panel.problems.isVisible() else "")
    return titles, trial.said[-1]


def largest_lesson(trial: Trial) -> None:
    sizes = {"a.md": LARGEST_FILE, "b.md": LARGEST_FILE + 1, "c.md": 20 * LARGEST_FILE}
    titles, _problems = add_lessons(trial, {name: lesson_text(f"Large {name}", size) for name, size in sizes.items()})
    found = [name for name in sizes if any(f"Large {name}" in title for title in titles)]
    trial.must(f"the largest lesson alone in the list, not {found}", found == ["a.md"])
    trial.must_say("b.md", f"{LARGEST_FILE + 1:,}", f"{LARGEST_FILE:,}")
    trial.must_say("c.md", f"{20 * LARGEST_FILE:,}", f"{LARGEST_FILE:,}")


def most_lessons(trial: Trial) -> None:
    titles, problems = add_lessons(trial, {f"l{n:03}.md": lesson_text(f"Many {n}") for n in range(MOST_LESSONS)})
    trial.must(f"{MOST_LESSONS} lessons", sum("Many" in title for title in titles) == MOST_LESSONS)
    trial.must("no problem", problems == "")


def lessons_beyond(trial: Trial) -> None:
    titles, _problems = add_lessons(trial, {f"l{n:03}.md": lesson_text(f"Many {n}") for n in range(MOST_LESSONS + 1)})
    trial.must(f"{MOST_LESSONS} lessons", sum("Many" in title for title in titles) == MOST_LESSONS)
    trial.must_say("large", f"{MOST_LESSONS + 1:,} lessons", f"{MOST_LESSONS} are read")


CASES: Mapping[str, Callable[[Trial], None]] = {
    function.__name__: function
    for function in (
        longest_program, longest_program_opened, program_beyond, longest_line, nested_program, deepest_program,
        many_values, values_cut, values_beyond, largest_output, endless_output, largest_array, array_beyond,
        array_of_graph, array_of_graph_beyond, largest_object, objects_beyond, longest_paste, paste_beyond,
        largest_network, deepest_network, largest_drawn_network, network_beyond, longest_history,
        largest_session, session_beyond, nested_session, full_session, largest_table, table_beyond, most_inputs,
        inputs_beyond, most_columns, columns_beyond, most_cells, cells_beyond, rows_beyond, largest_table_file,
        table_file_beyond, binary_table, largest_lesson, most_lessons, lessons_beyond,
    )
}  # fmt: skip


def memory(name: str) -> float:
    """Resident memory of this process in MB, now (VmRSS) or at most since it was reset (VmHWM)."""
    if not STATUS.exists():
        return 0.0
    found = next(line for line in STATUS.read_text(encoding="ascii").splitlines() if line.startswith(name))
    return int(found.split()[1]) / 1000


def inside(name: str) -> None:
    """Try one case in this process and print its figures as JSON."""
    _application = make_application()
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder))
        loaded: list[bool] = []
        load_later(trial.window).ended.connect(lambda: loaded.append(True))
        trial.wait(lambda: loaded)
        trial.rest()
        before = memory("VmRSS")
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the highest figure counts from now
        begun = time.monotonic()
        trial.heartbeat.holds.clear()
        trial.said.clear()
        trial.begin()
        CASES[name](trial)
        seconds = time.monotonic() - begun
        trial.heartbeat.stop()
        holds = sorted(trial.heartbeat.holds, key=lambda hold: -hold.stretch.held)
        figures = {
            "hold": max((hold.stretch.cpu for hold in holds), default=0.0),
            "wait": max((hold.stretch.idle for hold in holds), default=0.0),
            "memory": memory("VmHWM") - before,
            "seconds": seconds,
            "said": [text[:300] for text in trial.said if text][-3:],
            "missing": trial.missing,
            "lines": [line for hold in holds[:2] for line in hold.lines[:3]],
        }
        print(json.dumps(figures))
        sys.stdout.flush()
        os._exit(0)


def faults_of(figures: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with a case: what was not seen, and what cost too much."""
    found = [f"not seen: {what}" for what in figures["missing"]]
    for key, what in (("hold", "held by work"), ("wait", "waited with the whole process")):
        if figures[key] > LONGEST_HOLD:
            found += [f"{what} for {figures[key]:.2f} s", *figures["lines"]]
    if figures["memory"] > MOST_MEMORY:
        found.append(f"{figures['memory']:.0f} MB")
    return found


def trial_of(name: str) -> list[str]:
    """Try a case in a process of its own and print its line; return what is wrong with it."""
    command = [sys.executable, "-m", "tests.reliability.limits", "--inside", name]
    environment = {**os.environ, "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=CASE_SECONDS
        )
        figures = json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return [f"did not end in {CASE_SECONDS:.0f} s"]
    except (IndexError, ValueError):
        return [f"ended with {done.returncode}: {done.stderr[-800:]}"]
    print(
        f"{name}: held {figures['hold']:.2f} s, waited {figures['wait']:.2f} s, {figures['memory']:.0f} MB, "
        f"{figures['seconds']:.1f} s; said {figures['said']}"
    )
    return faults_of(figures)


def main() -> int:
    """Try all cases, or those named; return 1 when one is not as it has to be."""
    if sys.argv[1:2] == ["--inside"]:
        inside(sys.argv[2])
    names = sys.argv[1:] or list(CASES)
    n_found = 0
    for name in names:
        if found := trial_of(name):
            n_found += 1
            print(f"{name}: FAULT", *(f"    {line}" for line in found), sep="\n", flush=True)
    print(f"{n_found} of {len(names)} not as they have to be, or beyond {LONGEST_HOLD} s or {MOST_MEMORY:.0f} MB")
    return 1 if n_found else 0


if __name__ == "__main__":
    sys.exit(main())
