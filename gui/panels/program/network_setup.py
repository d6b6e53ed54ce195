"""*Set up as network*: a button that is there while the program builds a network and trains it."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from engine.document import Document
from engine.experiment.program_network import NetworkSetup, NoNetwork, read_network_program, set_up_network
from engine.language import Evaluation, ProgramError, evaluate
from gui.background import Job, once
from gui.session import Session
from gui.session.edits import changed_fields

TEXTS = {
    "button": "Set up as network",
    "tip": "Copy sizes, data, first weights, loss and learning rate of the program to the network builder",
    "working": "The network of the program is compared with Gradstep's …",
    "done": "The network of the program is set up here: Train makes the same {steps:,} steps. The first losses agree: "
    "{losses}.",
    "not done": "The program was not set up as a network. {reason}",
    "changed": "The program was not set up as a network: it has changed meanwhile.",
}
"""Texts of the button."""


class NetworkSetupButton(QPushButton):
    """Button that sets the network builder up like the program's network; hidden for programs without one."""

    def __init__(self, session: Session) -> None:
        super().__init__(TEXTS["button"])
        self.setToolTip(TEXTS["tip"])
        self._session = session
        self._read, self._trains = "", False
        self._job = Job("network setup", self)
        self._job.delivered.connect(self._take)
        self._job.failed.connect(lambda _document, error: self._tell(TEXTS["not done"].format(reason=error), "error"))
        self.clicked.connect(self.set_up)
        self.hide()

    def follow(self) -> None:
        """Show itself where the program has come to its end and is one that trains a network."""
        self.setVisible(self.is_possible)

    @property
    def is_possible(self) -> bool:
        """True when the program builds a network and trains it."""
        program, text = self._session.program, self._session.document.expression.text
        if text != self._read:
            self._read, self._trains = text, _trains(text)
        return self._trains and program.error is None and program.is_evaluated

    def set_up(self) -> None:
        """Look in a worker thread for settings that train as the program does, and apply them as one edit."""
        evaluation, document = self._session.evaluation, self._session.document
        if evaluation is not None:
            self._tell(TEXTS["working"], "note")
            self._job.start(document, once(lambda: _found(document, evaluation)))

    def _take(self, document: Document, found: NetworkSetup | str) -> None:
        session = self._session
        if isinstance(found, str):
            self._tell(TEXTS["not done"].format(reason=found), "error")
        elif session.document.expression.text != document.expression.text:
            self._tell(TEXTS["changed"], "error")
        elif session.edit("set up as network", "", **changed_fields(document, found.document)):
            session.action_requested.emit("workspace train")
            losses = ", ".join(f"{loss:.6g}" for loss in found.losses)
            self._tell(TEXTS["done"].format(steps=found.steps, losses=losses), "note")

    def _tell(self, text: str, kind: str) -> None:
        self._session.message_posted.emit(text, kind)


def _trains(text: str) -> bool:
    try:
        read_network_program(text)
    except NoNetwork:
        return False
    return True


def _found(document: Document, evaluation: Evaluation) -> NetworkSetup | str:
    """Return the settings, or why there are none; runs in a worker thread."""
    try:
        return set_up_network(document, evaluation, evaluate)
    except (NoNetwork, ProgramError) as error:
        return str(error)
