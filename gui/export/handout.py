"""A lesson on paper: texts, questions with boxes to tick, goals in words, pictures of graph and boundary; HTML or PDF.

One page of plain HTML is made of a lesson, with every text escaped, no script and no link. As a file it holds its
pictures; for a PDF a QTextDocument lays it out. Numbers that a step asks for are left out of its picture.
"""

from __future__ import annotations

import base64
import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFontDatabase,
    QPageSize,
    QPainter,
    QPdfWriter,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)

from engine.autograd import name_of
from engine.autograd.notation import counted, short
from engine.experiment.assemble import make_model, make_trainer
from engine.experiment.consistency import check_consistent
from engine.file_access import write_atomically
from engine.graph.picture import BoxNumbers
from engine.lessons.actions import ACTIONS, code_block
from engine.lessons.goals import Goal
from engine.lessons.lesson_file import Lesson, Step
from engine.lessons.lesson_text import with_live_numbers
from engine.lessons.rehearsal import Rehearsal, shown_nodes
from engine.messages import unknown_name
from gui.export.drawing import Drawing, ExportError, draw_image, draw_svg
from gui.export.exports import GraphSnapshot, PictureChoices, laid_out
from gui.export.plain_html import html_of_markdown, inline_html
from gui.export.target import extension_of, naming
from gui.number_texts import with_minus
from gui.painting import painting, saved
from gui.plots.boundary_figure import BoundaryFigure
from gui.plots.painted_plot import Frame
from gui.theme import LIGHT

SHORT_PROGRAM = 24
"""Lines of a program that is printed as a whole when a few of its lines have changed."""
MOST_BOXES = 60
"""Limit of values of a graph that can be read on a page."""
LARGEST_WIDTH, LARGEST_HEIGHT, BOUNDARY = 640.0, 330.0, 260.0  # pixels, 96 an inch
MARGIN, FOOT, LINES_KEPT = 64.0, 34.0, 60.0  # pixels of a page
RESOLUTION = 120
NETWORK_CONTROLS = frozenset({"boundary", "network", "hidden"})
"""Controls of a lesson that is about a network; its handout shows the boundary."""
BOX, BLANK = "☐", "_" * 24

TEXTS = {
    "minutes": "about {minutes}",
    "name": "Name",
    "date": "Date",
    "program": "The program:",
    "new program": "The program is now:",
    "solved program": "Change the program to:",
    "changes": "(lines with + are new, lines with - are gone)",
    "prepared": "Done for you when this step opens:",
    "goal": "Goal:",
    "same graph": "The graph is that of step {number}.",
    "same boundary": "The boundary is that of step {number}.",
    "graph": "The graph at the start of this step.",
    "asked": "The graph at the start of this step; ? stands for what is asked, or not computed yet.",
    "large": "The graph has {values}: look at it in the window.",
    "boundary": "Outputs of the network and its data, after {steps}.",
    "first boundary": "Outputs of the network and its data, before the training.",
    "hints": "Hints",
    "hint": "Hint {number}",
    "solutions": "Solutions",
    "wrong": "If the answer is {answer}:",
    "foot": "{title} · page {number} of {count}",
}
STYLE = """
body { font-family: sans-serif; font-size: 11pt; color: #1b1f24; max-width: 660px; margin: 2em auto; }
h1 { font-size: 20pt; margin: 0 0 4px 0; }
h2 { font-size: 14pt; margin: 22px 0 4px 0; }
h3 { font-size: 12pt; margin: 14px 0 4px 0; }
p, ul, ol { margin: 5px 0; }
p, li { line-height: 130%; }
code, pre { font-family: monospace; }
pre { font-size: 9pt; background-color: #f1f3f5; padding: 6px; margin: 6px 0; white-space: pre-wrap; }
td, th { border: 1px solid #9aa4ae; padding: 3px 8px; text-align: left; }
table { border-collapse: collapse; margin: 6px 0; }
blockquote { margin: 5px 24px; }
.muted { color: #57606a; }
.choice { margin: 3px 0 3px 18px; }
.goal { background-color: #eef4fb; padding: 6px; }
img { max-width: 100%; }
.picture { line-height: 100%; }
@media print { h2, h3, .kept { break-after: avoid; } pre, img { break-inside: avoid; } .part { break-before: page; } }
"""
KEPT = 'class="{} kept" style="-qt-user-state:1"'
"""Attributes of a paragraph that stands on the same page as the one after it."""
PDF_STYLE = "pre { background-color: transparent; margin-left: 12px; }"
"""The background of a line would cover the feet of the letters above it."""


class _Picture(NamedTuple):
    """A picture of a state.

    Attributes:
        drawing: what is drawn.
        words: stand under it.
        size: on the page, pixels.
        kind: "graph" or "boundary".
        key: equal for pictures of a kind that are the same.
    """

    drawing: Drawing
    words: str
    size: QSizeF
    kind: str
    key: Any


@dataclass(frozen=True)
class _State:
    """The state in which a step begins.

    Attributes:
        number: of the step, from 1.
        graph: None where the program has none.
        asked_data, asked_gradients: boxes whose numbers the step asks for, or that its walk has not computed.
        rehearsal: of its document.
        end_program: the program when the step is solved.
    """

    number: int
    rehearsal: Rehearsal
    graph: GraphSnapshot | None
    asked_data: frozenset[str]
    asked_gradients: frozenset[str]
    end_program: str = ""

    @property
    def program(self) -> str:
        """The program at the start of the step."""
        return self.rehearsal.document.expression.text

    def number_text(self, node: str, which: str) -> str:
        """Return a live number as it is when the step begins; a ? for one that is asked for or not computed."""
        view = self.rehearsal.graph_view
        shown = shown_nodes(view).get(node)
        number = None if shown is None else shown.data if which == "data" else shown.grad
        asked = self.asked_data if which == "data" else self.asked_gradients
        if number is None or any(view.box_of(value) in asked for value in view.values if name_of(value) == node):
            return "**?**"
        return f"**{with_minus(short(number))}**"


def write_handout(lesson: Lesson, path: Path, *, hints: bool = False, solutions: bool = False) -> None:
    """Write a lesson as a page for readers of paper.

    Args:
        lesson: one that `rehearse` finds nothing wrong with.
        path: ends in .html or .pdf.
        hints, solutions: add them at the end, each on a page of its own.

    Raises:
        ExportError: for another extension, or a file that cannot be written.
        ActionError: for a lesson whose solutions cannot be done.
    """
    extension = extension_of(path)
    if extension not in HANDOUT_FORMATS:
        raise ExportError(unknown_name("format of a handout", extension, HANDOUT_FORMATS))
    content = HANDOUT_FORMATS[extension](lesson, hints, solutions)
    with naming(path):
        write_atomically(path, content)


def _html_file(lesson: Lesson, hints: bool, solutions: bool) -> bytes:
    def image(picture: _Picture) -> str:
        source = base64.b64encode(draw_svg(picture.drawing)).decode()
        return f"data:image/svg+xml;base64,{source}"

    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    head = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(lesson.title)}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"><style>{STYLE}</style></head>\n<body>\n'
    )
    return (head + "\n".join(_body(lesson, hints, solutions, image)) + "\n</body></html>\n").encode()


def _pdf_file(lesson: Lesson, hints: bool, solutions: bool) -> bytes:
    document = QTextDocument()
    pictures: list[_Picture] = []

    def image(picture: _Picture) -> str:
        scale = 3 * picture.size.width() / picture.drawing.size.width()  # 288 dots an inch
        name = f"picture:{len(pictures)}"
        pixels = draw_image(replace(picture.drawing, scale=scale))
        document.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(name), pixels)
        pictures.append(picture)
        return name

    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setPointSizeF(10.5)
    document.setDefaultFont(font)
    document.setDocumentMargin(0)
    document.setDefaultStyleSheet(STYLE.partition("@media")[0] + PDF_STYLE)
    document.setHtml("\n".join(_body(lesson, hints, solutions, image)))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(96)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setTitle(lesson.title)
    writer.setCreator("Gradstep")
    room = QRectF(0, 0, writer.width() - 2 * MARGIN, writer.height() - 2 * MARGIN - FOOT)
    document.documentLayout().setPaintDevice(writer)
    document.setPageSize(room.size())
    _keep_together(document)
    with painting(writer) as painter:
        for number in range(document.pageCount()):
            if number:
                writer.newPage()
            with saved(painter):
                painter.translate(MARGIN, MARGIN - number * room.height())
                document.drawContents(painter, room.translated(0, number * room.height()))
            foot = TEXTS["foot"].format(title=lesson.title, number=number + 1, count=document.pageCount())
            _paint_foot(painter, QRectF(MARGIN, MARGIN + room.height(), room.width(), FOOT), foot)
    buffer.close()
    return bytes(buffer.data().data())


def _paint_foot(painter: QPainter, room: QRectF, text: str) -> None:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setPointSizeF(8.5)
    painter.setFont(font)
    painter.setPen(QColor(LIGHT.muted))
    painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, text)


def _keep_together(document: QTextDocument) -> None:
    """Begin a new page at each heading, question or picture that would be parted from the paragraph after it."""
    size = document.pageSize()
    kept: list[QTextBlock] = []
    block = document.begin()
    while block.isValid():
        if block.userState() == 1 or block.blockFormat().headingLevel():
            kept.append(block)
        elif kept:
            layout = document.documentLayout()
            top, last = layout.blockBoundingRect(kept[0]).top(), layout.blockBoundingRect(block)
            end = last.top() + min(last.height(), LINES_KEPT) - 1
            if top // size.height() < end // size.height() and top % size.height() > 1:
                cursor, form = QTextCursor(kept[0]), kept[0].blockFormat()
                form.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
                cursor.setBlockFormat(form)
                document.setPageSize(QSizeF(size.width(), 2 * size.height()))  # everything is laid out again
                document.setPageSize(size)
            kept.clear()
        block = block.next()


HANDOUT_FORMATS: Mapping[str, Callable[[Lesson, bool, bool], bytes]] = {"html": _html_file, "pdf": _pdf_file}
"""Formats of a handout by extension."""


# The page


def _body(lesson: Lesson, hints: bool, solutions: bool, image: Callable[[_Picture], str]) -> Iterator[str]:
    """Yield the page as HTML.

    Args:
        lesson: what to print.
        hints, solutions: add them.
        image: returns the source of a picture.
    """
    yield f"<h1>{escape(lesson.title)}</h1>"
    minutes = TEXTS["minutes"].format(minutes=counted(lesson.minutes, "minute"))
    about = f"{lesson.summary} · {minutes}" if lesson.summary else minutes
    yield f'<p class="muted">{escape(about)}</p>'
    yield f"<p>{TEXTS['name']}: {BLANK}&nbsp;&nbsp; {TEXTS['date']}: {BLANK[:12]}</p>"
    program = lesson.document.expression.text
    if program.strip():
        yield f"<p>{TEXTS['program']}</p>\n{html_of_markdown(code_block(program))}"
    drawn: dict[str, dict[Any, int]] = {}
    states = list(_states(lesson))
    for step, state in zip(lesson.steps, states, strict=True):
        if step.title != lesson.title or state.number > 1:
            yield f"<h2>{state.number}. {inline_html(step.title)}</h2>"
        yield html_of_markdown(with_live_numbers(step.text, state.number_text))
        if state.program != program:
            yield from _program(program, state.program, TEXTS["new program"])
        program = state.end_program
        prepared = [ACTIONS[name].words(value) for name, value in step.start if name not in ("program", "edit")]
        if any(prepared):
            yield f'<p class="muted">{TEXTS["prepared"]} {inline_html(" ".join(prepared))}</p>'
        yield from _pictures(lesson, state, drawn, image)
        if step.goal is not None:
            yield from _goal(step.goal)
    if hints and any(step.hints for step in lesson.steps):
        yield f'<h2 class="part" style="page-break-before: always">{TEXTS["hints"]}</h2>'
        for number, step in enumerate(lesson.steps, start=1):
            if step.hints:
                yield f"<h3>{number}. {inline_html(step.title)}</h3>"
                for n, hint in enumerate(step.hints, start=1):
                    yield f'<p class="muted">{TEXTS["hint"].format(number=n)}</p>\n{html_of_markdown(hint)}'
    if solutions and any(step.goal for step in lesson.steps):
        yield f'<h2 class="part" style="page-break-before: always">{TEXTS["solutions"]}</h2>'
        for step, state in zip(lesson.steps, states, strict=True):
            if step.goal is not None:
                yield f"<h3>{state.number}. {inline_html(step.title)}</h3>"
                yield from _solution(step, step.goal, state)


def _goal(goal: Goal) -> Iterator[str]:
    """Yield a question with its choices to tick or a line to write on, or a goal in words."""
    if goal.kind != "answer":
        yield f'<p class="goal"><b>{TEXTS["goal"]}</b> {escape(goal.wanted)}</p>'
        return
    choices = [f"{BOX}&nbsp; {inline_html(choice['text'])}" for choice in goal.fields.get("choices", ())] or [BLANK]
    yield f"<p {KEPT.format('question')}><b>{inline_html(goal.fields['question'])}</b></p>"
    yield from (f"<p {KEPT.format('choice')}>{choice}</p>" for choice in choices[:-1])
    yield f'<p class="choice">{choices[-1]}</p>'


def _solution(step: Step, goal: Goal, state: _State) -> Iterator[str]:
    """Yield what is to be done, and what to say to each wrong answer."""
    for name, value in step.solution:
        if name in ("program", "edit"):
            yield from _program(state.program, state.end_program, TEXTS["solved program"])
        elif words := ACTIONS[name].words(value):
            yield html_of_markdown(words)
    for wrong, says in goal.wrong:
        answer = wrong if isinstance(wrong, str) else f"{wrong:g}"
        words = TEXTS["wrong"].format(answer=f"<i>{inline_html(answer)}</i>")
        yield f'<p class="choice muted">{words} {inline_html(says)}</p>'


def _program(before: str, after: str, words: str) -> Iterator[str]:
    """Yield a program; of a long one that was there before only the lines that have changed."""
    old, new = before.strip("\n").split("\n"), after.strip("\n").split("\n")
    changes = list(difflib.unified_diff(old, new, lineterm="", n=2))[2:]
    if len(new) <= SHORT_PROGRAM or len(changes) > len(new) / 2:
        yield f"<p {KEPT.format('')}>{words}</p>\n{html_of_markdown(code_block(after))}"
        return
    hunks = "\n".join("…" if line.startswith("@@") else line for line in changes[1:])
    yield f"<p {KEPT.format('')}>{words} {TEXTS['changes']}</p>\n{html_of_markdown(code_block(hunks))}"


# States and pictures


def _states(lesson: Lesson) -> Iterator[_State]:
    """Yield the state in which each step begins, when the steps before were solved."""
    rehearsal = Rehearsal(lesson.document)
    for index, step in enumerate(lesson.steps):
        rehearsal.enter(step)
        rehearsal.do(step.start)
        later = [step, *_with_the_same_program(lesson.steps[index + 1 :])]
        state = _state_of(index + 1, rehearsal, [each.goal for each in later if each.goal is not None])
        rehearsal.do(step.solution)
        yield replace(state, end_program=rehearsal.document.expression.text)


def _with_the_same_program(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps up to the first that begins with another program."""
    for step in steps:
        if step.start:
            return
        yield step


def _state_of(number: int, rehearsal: Rehearsal, goals: Sequence[Goal]) -> _State:
    """Return the state of a step; `goals` are those for which its numbers must not be read from its picture."""
    view = rehearsal.graph_view
    if view.root is None or rehearsal.document.view.shows == "network":
        return _State(number, rehearsal.copy(), None, frozenset(), frozenset())
    graph = (
        laid_out(view, LIGHT, rehearsal.document.view, (LARGEST_WIDTH, LARGEST_HEIGHT))
        if len(view.values) <= MOST_BOXES
        else None
    )
    predicted = any(goal.kind == "predicted" for goal in goals)
    answers = [goal.fields["is"] for goal in goals if goal.kind == "answer" and "is" in goal.fields]
    data, gradients, shown = set(), set(), rehearsal.shown_numbers
    for value in view.values:
        box = view.box_of(value)
        (computed, gradient), walked = view.numbers(value), shown(value)
        if box is None:
            continue
        if predicted or (walked[1] is None and gradient is not None) or _is_one_of(gradient, answers):
            gradients.add(box)
        if value.inputs and (walked[0] is None or _is_one_of(computed, answers)):
            data.add(box)
    return _State(number, rehearsal.copy(), graph, frozenset(data), frozenset(gradients))


def _is_one_of(number: Any, answers: Iterable[float]) -> bool:
    return isinstance(number, float | int) and any(abs(number - each) <= 1e-3 * max(1.0, abs(each)) for each in answers)


def _pictures(
    lesson: Lesson, state: _State, drawn: dict[str, dict[Any, int]], image: Callable[[_Picture], str]
) -> Iterator[str]:
    """Yield the pictures of a state; a reference where one was drawn before, nothing where it is the one seen last.

    Args:
        lesson: for what it is about.
        state: to be drawn.
        drawn: for each kind of picture those that were drawn, with the number of their step; is added to.
        image: returns the source of a picture.
    """
    n_values = len(state.rehearsal.graph_view.values)
    if state.graph is None and n_values > MOST_BOXES and state.rehearsal.document.view.shows != "network":
        words = TEXTS["large"].format(values=counted(n_values, "value"))
        if words not in drawn.setdefault("large", {}):
            drawn["large"][words] = state.number
            yield f'<p class="muted">{words}</p>'
    for picture in (*_graph_picture(state), *_boundary_picture(lesson, state)):
        steps = drawn.setdefault(picture.kind, {})
        if picture.key in steps:
            if steps[picture.key] != max(steps.values()):
                words = TEXTS[f"same {picture.kind}"].format(number=steps[picture.key])
                yield f'<p class="muted">{words}</p>'
            continue
        steps[picture.key] = state.number
        size = f'width="{round(picture.size.width())}" height="{round(picture.size.height())}"'
        alone = f'<img src="{image(picture)}" {size} alt="{escape(picture.words)}">'
        yield f"<p {KEPT.format('picture')}>{alone}</p>"
        yield f"<p {KEPT.format('muted')}>{escape(picture.words)}</p>"


def _graph_picture(state: _State) -> Iterator[_Picture]:
    graph = state.graph
    if graph is None:
        return
    readings = {
        key: _without(reading, key in state.asked_data, key in state.asked_gradients)
        for key, reading in graph.readings.items()
    }
    words = TEXTS["asked" if state.asked_data or state.asked_gradients else "graph"]
    drawing = replace(graph, readings=readings).drawing(PictureChoices(transparent=True))
    key = state.rehearsal.document.expression.text, state.asked_data, state.asked_gradients
    yield _Picture(drawing, words, _fitting(drawing.size), "graph", key)


def _without(reading: BoxNumbers, data: bool, gradient: bool) -> BoxNumbers:
    if data:
        reading = replace(reading, data="?", data_state="unknown")
    if gradient and reading.grad:
        reading = replace(reading, grad="?", grad_state="unknown")
    return reading


def _boundary_picture(lesson: Lesson, state: _State) -> Iterator[_Picture]:
    document = state.rehearsal.saved
    if document.view.shows != "network" and not NETWORK_CONTROLS & set(lesson.show):
        return
    figure = BoundaryFigure(document)
    if not figure.is_drawn:
        return
    parameters = make_trainer(document, make_model(document), check_consistent(document)).snapshot().parameters
    size = QSizeF(BOUNDARY, BOUNDARY)

    def paint(painter: QPainter) -> None:
        painter.fillRect(QRectF(0, 0, BOUNDARY, BOUNDARY), QColor(LIGHT.panel))
        frame = Frame.within(QRectF(0, 0, BOUNDARY, BOUNDARY), figure.x, figure.y)
        figure.paint(painter, frame, figure.outputs(parameters, RESOLUTION), LIGHT)
        frame.paint_axes(painter, LIGHT, *figure.names)

    steps = document.trained.step
    words = TEXTS["boundary"].format(steps=counted(steps, "step")) if steps else TEXTS["first boundary"]
    yield _Picture(
        Drawing(size, paint, words), words, size, "boundary", (document.data, document.network, document.trained)
    )


def _fitting(size: QSizeF) -> QSizeF:
    """Return the size at which a drawing fits on the page; none is made larger."""
    scale = min(1.0, LARGEST_WIDTH / size.width(), LARGEST_HEIGHT / size.height())
    return size * scale
