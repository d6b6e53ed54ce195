"""The expression panel: the program, what is wrong with it and how to mend it, and a slider for each of its leaves."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any

from PySide6.QtGui import QHideEvent, QKeySequence, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout

from engine.document.fields import line_count
from engine.language import Evaluation, Fix, Leaf, Note, Problem, replace_number
from engine.language.rising_loss import RisingLoss, rising_loss
from engine.language.source import lines_of
from engine.views.group_visibility import view_of_new_program
from engine.views.walk_texts import LINE_SENTENCES
from gui.actions.program import PROGRAM_ACTIONS
from gui.panels.panel import Panel
from gui.panels.program.difference import DifferenceDialog
from gui.panels.program.editor import CELL_TIP, ProgramEditor, too_long
from gui.panels.program.editor_marks import characters, offset_of, place_of
from gui.panels.program.message_line import EngineStrip, FixButtons, Message, MessageLine, RunLine
from gui.panels.program.network_setup import NetworkSetupButton
from gui.panels.program.output import variable_texts
from gui.panels.program.replace_bar import ReplaceBar
from gui.panels.program.sliders import LeafSliders, default_range
from gui.session import Change, Session
from gui.session.programs import leaves_in, same_but_for_numbers
from gui.theme import LIGHT, Colors
from gui.widgets.action_set import ActionSet, fill_menu
from gui.widgets.layouts import add_widgets, scrolled

MOST_VARIABLES = 4
"""Limit of the variables that the message of an error lists, those of its line."""
MOST_OF_SLIDERS = 0.25
"""Largest share of the panel's height for the sliders of a long program; beside a short one they have the rest."""
LEAST_SLIDERS = 40
"""Pixels down: one slider."""
PAUSE_BETWEEN_EDITS = 1.0
"""Seconds without typing after which an undo step ends."""
SENTENCES = {
    "no number": "There is no number at the caret: put the caret on one.",
    "preparing": "Preparing Python (once, about five seconds)",
    "taken back": "{problem} The last change was taken back.",
    "slider of before": "This slider belongs to the previous program; a newer one is running",
    "outdated slider": "The program has an error in line {line}: correct it to move this slider",
    "error": "Line {line}, column {column}: {message}",
    "note": "Line {line}: {message}",
    "variables": "There {variables}.",
    "called": "Called in line {line}.",
    "called inside": "Called in line {line}, in {name}.",
    "seconds": "ran in {seconds:.1f} s",
    "milliseconds": "ran in {milliseconds} ms",
}
"""Texts of the panel on a program."""


class ExpressionPanel(Panel):
    """Editor, message line with its fixes, sliders."""

    depends_on = frozenset({"expression", "program", "selection"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._typing = 0
        self._last_edit = 0.0
        self._colors = LIGHT
        self.editor = ProgramEditor()
        self.editor.setMinimumHeight(90)
        self.replace_bar = ReplaceBar(self.editor, self._end_step)
        self.message = MessageLine()
        self.fixes = FixButtons()
        self.engine_strip = EngineStrip()
        self.engine_strip.line_chosen.connect(lambda line: self.editor.go_to(line, 1))
        self.run_line = RunLine(session)
        self.network_setup = NetworkSetupButton(session)
        self.sliders = LeafSliders()
        self._area = scrolled(self.sliders, downwards_only=True)
        self._area.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        said = self.run_line, self.message, self.fixes, self.engine_strip, self.network_setup
        parts = self.replace_bar, self.editor, 1, *said, self._area
        add_widgets(QVBoxLayout(self), *parts, margins=(8, 6, 8, 6), spacing=4)
        self._connect()

    def _connect(self) -> None:
        session = self.session
        self.editor.program_changed.connect(self._edit_text)
        self.editor.undo_requested.connect(lambda: session.undo_stack.undo_edit())
        self.editor.redo_requested.connect(lambda: session.undo_stack.redo_edit())
        self.editor.refused.connect(self._refuse)
        self.editor.session_pasted.connect(session.session_pasted)
        self.editor.find_requested.connect(self.replace_bar.start)
        self.editor.caret_placed.connect(self._select_at)
        self.editor.cell_chosen.connect(self.run_up_to_cell)
        self.message.place_chosen.connect(self.editor.go_to)
        session.program.place_requested.connect(self.editor.go_to)
        self.fixes.chosen.connect(self.apply_fix)
        self.sliders.number_chosen.connect(self._choose_number)
        self.sliders.range_chosen.connect(self._choose_range)
        self.sliders.refused.connect(self._tell)
        self.sliders.vary_requested.connect(self._vary_leaf)
        self.action_set = ActionSet(self, PROGRAM_ACTIONS, before=session.commit_requested.emit)
        self.action_set.attach(self)
        keys = self.action_set["run up to cell"].shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self.editor.cell_tip = CELL_TIP.format(keys=f" ({keys} with the caret in it)")
        self.editor.menu_filled.connect(lambda menu: fill_menu(menu, "editor", [self.action_set]))
        session.changed.connect(self._follow_program)
        session.commit_requested.connect(self.editor.flush)
        session.commit_requested.connect(self.sliders.commit)

    def _follow_program(self, change: Change) -> None:
        """Update the actions on the program, also while the panel is hidden."""
        if "program" in change:
            self.action_set.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_sliders()
        self.message.fit()

    def _fit_sliders(self) -> None:
        lines = (self.editor.blockCount() + 2) * self.editor.fontMetrics().lineSpacing()
        spare = self._area.height() + self.editor.height() - max(lines, self.editor.minimumHeight())
        self._area.setMaximumHeight(max(LEAST_SLIDERS, round(self.height() * MOST_OF_SLIDERS), spare))

    def hideEvent(self, event: QHideEvent) -> None:
        """Commit the typed text: later, nothing would tell it from outdated text."""
        self.editor.flush()
        super().hideEvent(event)

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.editor.set_colors(colors)
        self._colors = colors

    def refresh(self, change: Change) -> None:
        if "expression" in change:
            self._show_document()
        if "program" in change:
            self._show_evaluation()
        self._show_selected()
        self._show_sliders()
        self._fit_sliders()

    # Text

    def edit_lines(self, edit: Callable[[QTextCursor], object]) -> None:
        """Make an edit of the selected lines, such as to indent them, as an undo step of its own."""
        self._end_step()
        edit(self.editor.textCursor())
        self._end_step()

    def _end_step(self) -> None:
        """Begin a new undo step at this point."""
        self.editor.flush()
        self._last_edit = -math.inf

    def _edit_text(self, text: str) -> None:
        now = monotonic()
        if now - self._last_edit > PAUSE_BETWEEN_EDITS:
            self._typing += 1
        self._last_edit = now
        document = self.session.document
        fields: dict[str, dict[str, Any]] = {"expression": {"text": text}}
        if self.editor.is_new_program:
            fields["view"] = view_of_new_program(document.view.expanded, document.view.collapsed)
        if problem := too_long(len(text), line_count(text)):
            self._show_document()
            self._refuse(SENTENCES["taken back"].format(problem=problem))
        elif not self.session.edit("typing", merge=f"typing {self._typing}", **fields):
            self._show_document()
        elif text == document.expression.text:
            self._show_evaluation()  # what was refused is gone

    def _refuse(self, reason: str) -> None:
        """Show the reason why the editor refused an input, until the next edit."""
        self.message.say([Message(reason)], error=True)
        self._tell(reason)

    def _tell(self, reason: str) -> None:
        self.session.message_posted.emit(reason, "error")

    def _show_document(self) -> None:
        self.editor.show_text(self.session.document.expression.text)

    # The selected value

    def _show_selected(self) -> None:
        """Mark where the value that is selected on the canvas stands in the text."""
        session, text = self.session, self.session.document.expression.text
        value, shown = session.presenter.value(session.selection), session.program.view.shown
        origin = None
        if shown is not None and value is not None and text == session.program.evaluation_text:
            origin = shown.origins.get(value)
        self.editor.show_selected(
            None if origin is None else (place_of(text, origin.start), place_of(text, origin.end))
        )

    def _select_at(self, line: int, column: int) -> None:
        """Select the value whose expression is the innermost around a place of the text; the last one of several."""
        session, shown = self.session, self.session.program.view.shown
        if shown is None or session.presenter.shows_network or not session.program.is_evaluated:
            return
        offset, keys = offset_of(session.document.expression.text, (line, column)), session.presenter.keys()
        around = [
            (origin.end - origin.start, keys[id(value)])
            for value, origin in shown.origins.items()
            if origin.start <= offset <= origin.end and id(value) in keys
        ]
        if around:
            session.select(min(reversed(around), key=lambda pair: pair[0])[1])

    # Texts

    def _show_evaluation(self) -> None:
        """Show the outcome of the program; while a newer one has just started, everything stays as it is."""
        program = self.session.program
        self._show_caption()
        self.run_line.show_run()
        self.editor.show_not_run(program.last_line)
        if program.is_slow or not program.busy:
            ran = program.error.evaluation if program.error is not None else program.evaluation
            if ran is not None:  # else the text is no program yet, because it is being typed
                completion = self.editor.completion
                completion.variables, completion.known = program.variables, ran.known_names
            self.editor.show_notes(program.shown_printed.beside())
            walk = program.walk
            is_walking = walk.is_walking and not self.session.presenter.shows_network
            self.editor.show_walk(*((walk.line, walk.next_line) if is_walking else (None, None)))
        if program.is_slow or program.trouble:
            self.editor.show_error(None)
            said = SENTENCES["preparing"] if program.is_preparing else program.trouble
            self.message.say([Message(said)] if said else [], error=bool(program.trouble))
            self.fixes.offer(())
        elif not program.busy:
            self._show_outcome()

    def run_to_line(self) -> None:
        """Walk the program line by line to where the line of the caret was run next."""
        self.editor.flush()
        self.session.set_view(shows="expression")
        self.session.program.wait(self._run_to_line)

    def _run_to_line(self) -> None:
        program, line = self.session.program, self.editor.textCursor().blockNumber() + 1
        if not program.go_to_line(line):
            sentence = LINE_SENTENCES["never kept" if program.walk.n_left_out else "never"]
            self.session.message_posted.emit(sentence.format(line=line, kept=len(program.walk.steps)), "note")

    def run_up_to_cell(self, line: int | None = None) -> None:
        """Run the program up to the end of the cell that a line stands in, from 1; None: the line of the caret."""
        self.editor.flush()
        self.session.set_view(shows="expression")
        self.session.program.run_up_to(self.editor.textCursor().blockNumber() + 1 if line is None else line)

    def _show_outcome(self) -> None:
        session, rising = self.session, None
        error, evaluation = session.error, session.evaluation
        if error is not None:
            self.editor.show_error((error.line, error.column, error.end_column))
            text = SENTENCES["error"].format(line=error.line, column=error.column, message=error.message)
            self.message.say([Message(text, (error.line, error.column)), *_calls(self.session)], error=True)
        else:
            self.editor.show_error(None)
            rising = None if evaluation is None else rising_loss(evaluation, session.program.evaluation_text)
            notice = [Message(session.program.notice)] if session.program.notice else []
            self.message.say(notice + ([] if evaluation is None else _notes(evaluation, rising)))
        self.fixes.offer(error.fixes if error is not None else ())
        self.network_setup.follow()
        ran = evaluation if error is None else error.evaluation
        rows = ran.engine_check if ran is not None else None
        if error is not None and all(row.ok for row in rows or ()):
            rows = None  # correct rules alone would read as if the program were correct
        self.engine_strip.show_rows(rows, loss_rises=rising is not None)
        self.editor.show_wrong_lines(self.engine_strip.lines)

    def _show_caption(self) -> None:
        """Show the running time of the program; empty while another run is under way."""
        program = self.session.program
        if program.is_slow or program.trouble:
            self.set_caption("")
        elif not program.busy:
            self.set_caption(_seconds_text(program.seconds) if program.is_evaluated and program.error is None else "")

    def apply_first_fix(self) -> None:
        """Make the edit that is offered for the error of the text as it stands."""
        self.editor.flush()
        self.session.program.wait(self._apply_first_fix)

    def _apply_first_fix(self) -> None:
        error = self.session.error
        if self.session.program.is_evaluated and error is not None and error.fix is not None:
            self.apply_fix(error.fix)

    def apply_fix(self, fix: Fix) -> None:
        """Make the edit of a fix as one undo step; one that changes the whole text is shown first."""
        self.editor.flush()
        self.session.program.wait(lambda: self._apply_fix(fix))

    def _apply_fix(self, fix: Fix) -> None:
        error, text = self.session.error, self.session.document.expression.text
        if not self.session.program.is_evaluated or error is None or fix not in error.fixes:
            return
        if fix.preview:
            title = fix.title[:1].upper() + fix.title[1:]
            dialog = DifferenceDialog(title, text, fix.apply(text), self._colors, self)
            dialog.accepted.connect(lambda: self._take_fix(fix, text))
            dialog.open()
        else:
            self._take_fix(fix, text)

    def _take_fix(self, fix: Fix, text: str) -> None:
        """Make the edit of a fix, unless the text that it was made for has changed."""
        if text != self.session.document.expression.text:
            return
        self._typing += 1  # what is typed next is a step of its own
        if self.session.edit(fix.title, expression={"text": fix.apply(text)}):
            before = text[: fix.start] + fix.replacement
            self.editor.go_to(*place_of(before, len(before)))

    # Varying

    def vary_number(self) -> None:
        """Let the number at the caret vary, or say that there is none."""
        self.editor.flush()
        place = self.editor.textCursor()
        column = characters(place.block().text(), place.positionInBlock()) + 1
        self._vary(offset_of(self.session.document.expression.text, (place.blockNumber() + 1, column)))

    def _vary_leaf(self, key: str) -> None:
        leaf = next((leaf for leaf in self._leaves() or () if leaf.key == key), None)
        if leaf is not None:
            self._vary(leaf.start)

    def _vary(self, offset: int) -> None:
        if not self.session.variation.choose(self.session.document.expression.text, offset):
            self.session.message_posted.emit(SENTENCES["no number"], "note")

    # Sliders

    def _leaves(self) -> list[Leaf] | None:
        """The leaves with the numbers that they have in the text now; of the last program that worked where it has an
        error, and None where that is not known before it has run.
        """
        session, text = self.session, self.session.document.expression.text
        if session.error is not None or session.evaluation is None:
            return list(session.evaluation.leaves) if session.evaluation is not None else []
        if not same_but_for_numbers(text, session.program.evaluation_text):
            return None
        return leaves_in(text, session.evaluation.leaves, session.program.evaluation_text)

    def _show_sliders(self) -> None:
        error, leaves = self.session.error, self._leaves()
        reason = "" if error is None else SENTENCES["outdated slider"].format(line=error.line)
        if leaves is None and self.session.program.is_slow:
            reason = SENTENCES["slider of before"]
        if leaves is not None:
            self.sliders.show_leaves(leaves, dict(self.session.document.expression.ranges))
            self._area.setVisible(bool(leaves))
        self.sliders.set_outdated(reason)

    def _choose_number(self, key: str, number: float, drag: int) -> None:
        self.editor.flush()
        leaves = self._leaves()
        if leaves is None:
            self.session.program.wait(lambda: self._move(key, number, drag, self._leaves() or []))
        else:
            self._move(key, number, drag, leaves)

    def _move(self, key: str, number: float, drag: int, leaves: Sequence[Leaf]) -> None:
        leaf = next((leaf for leaf in leaves if leaf.key == key), None)
        if self.session.error is not None or leaf is None or leaf.number == number:
            return
        section = self.session.document.expression
        ranges = {key: default_range(leaf.number), **dict(section.ranges)}  # the ends stay while the number moves
        changes = {"text": replace_number(section.text, leaf, number), "ranges": ranges}
        self.session.edit(f"change {leaf.title}", merge=f"drag {key} {drag}", expression=changes)

    def _choose_range(self, key: str, low: float, high: float) -> None:
        self.editor.flush()
        ranges = {**dict(self.session.document.expression.ranges), key: (low, high)}
        self.session.edit(f"range of {key}", expression={"ranges": ranges})


def _calls(session: Session) -> list[Message]:
    """Return the chain of calls that led to the error, the innermost first, and the variables of its line."""
    error = session.error
    if error is None:
        return []
    calls = error.calls
    lines = lines_of(session.document.expression.text)
    names = dict.fromkeys(re.findall(r"[^\W\d]\w*", lines[error.line - 1] if error.line <= len(lines) else ""))
    known = {name: error.variables[name] for name in names if name in error.variables}
    there = ", ".join(f"{name} = {variable_texts(value)[0]}" for name, value in list(known.items())[:MOST_VARIABLES])
    messages = (
        [Message(SENTENCES["variables"].format(variables=there), (error.line, error.column))] if there and calls else []
    )
    for call in calls[-2::-1]:
        sentence = SENTENCES["called inside" if call.name else "called"]
        messages.append(Message(sentence.format(line=call.line, name=call.name), (call.line, 1)))
    return messages


def _notes(evaluation: Evaluation, rising: RisingLoss | None) -> list[Message]:
    """Return what is worth saying of a program that ran; of a loss that rises, unless a note at its line says it."""
    messages: list[Problem | Note] = [*evaluation.problems, *evaluation.notes]
    places = [(item.line, item.column, item.message) for item in messages]
    if rising is not None and all(line != rising.line for line, _column, _message in places):
        places.append((rising.line, 1, rising.text))
    return [
        Message(SENTENCES["note"].format(line=line, message=message), (line, column))
        for line, column, message in places
    ]


def _seconds_text(seconds: float) -> str:
    if seconds >= 1.0:
        return SENTENCES["seconds"].format(seconds=seconds)
    return SENTENCES["milliseconds"].format(milliseconds=max(1, round(1000 * seconds)))
