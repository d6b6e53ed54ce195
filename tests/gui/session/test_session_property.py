"""Any mixture of edits, training, undo, open, new, save and crash: files change by a save only, and come back whole."""

import dataclasses
import random

import numpy as np
import pytest

from engine.document import Document, Trained, View, replace_section
from engine.document.frozen_floats import FrozenFloats
from engine.experiment.assemble import curve_of
from engine.session_file import from_json, to_json
from gui.session import Session
from gui.session.programs import BackgroundPrograms, Programs
from gui.session.recovery import Recovery, find_copies
from tests.gui.training import train

WALK = 40
EDITS = [
    {"expression": {"text": "a = 1.0\nb = a * a\n"}},
    {"expression": {"text": "a = (\n"}},
    {"expression": {"text": ""}},
    {"training": {"learning_rate": 0.3}},
    {"training": {"optimizer": "adam"}},
    {"training": {"optimizer": "sgd", "batch_size": 2}},
    {"training": {"loss": "hinge"}},
    {"training": {"loss": "sum_squared_error", "schedule": "cosine"}},
    {"network": {"layer_sizes": (2, 3, 1)}},
    {"network": {"layer_sizes": (2, 1)}},
    {"network": {"seed": 7}},
    {"data": {"name": "xor"}},
    {"data": {"source": "generator", "name": "spiral3", "n_samples": 30}},
    {"data": {"source": "formula", "formula": "x1 * x2 > 0", "test_share": 0.3, "scaling": True}},
    {"data": {"source": "formula", "formula": "sin(x1)", "features": ("x1", "sin x1")}},
    {"data": {"source": "points", "points": ((0.0, 0.5, 0), (1.0, -0.25, 1), (0.5, 0.5, 1)), "split_seed": 3}},
    {"data": {"source": "table", "table": {"height": [1.5, 1.75, 1.0], "kind": ["a", "b", "a"]}}},
    {"data": {"features": ("x1", "x1^2")}},
    {"training": {"learning_rate": -1.0}},
    {"network": {"layer_sizes": (2, 0, 1)}},
]
ACTIONS = {
    "edit": 3,
    "train": 3,
    "undo": 2,
    "redo": 1,
    "view": 3,
    "save": 2,
    "open": 2,
    "reset": 1,
    "open_nothing": 1,
    "new": 1,
    "crash": 1,
}
"""What the user does, and how often."""

NAMES = ["a.gradstep", "b.gradstep"]


def kept(document):
    """What would be lost: not what one looks at, and not gradients, which the next phase of a step computes anew."""
    trained = dataclasses.replace(document.trained, gradients=FrozenFloats())
    return dataclasses.replace(document, view=View(), trained=trained)


class User:
    """One user with two files.

    `saved` is what the files must hold, `trained_before` what undo must bring back, `done` what was done, for the
    message of a failure. `known` are parameters of steps of the present run, `left` those of runs that an edit or its
    undo has ended, by the edit.
    """

    def __init__(self, folder, seed, qtbot):
        self.folder, self.random, self.qtbot = folder, random.Random(seed), qtbot
        self.programs = (Programs, BackgroundPrograms)[seed % 2]
        self.saved, self.trained_before, self.left, self.done = {}, {}, {}, []
        self._start_program()
        self._begin(replace_section(Document(), "data", n_samples=12))

    def _begin(self, document, *more, **options):
        self.session.reset_document(document, *more, **options)
        self.known = self._first_known()

    def _first_known(self):
        trained = self.session.trained_so_far
        return {trained.step: np.array(trained.parameters.array)} if trained.step else {}

    def _start_program(self):
        self.session = Session(programs=self.programs())
        self.recovery = Recovery(self.session, self.folder / "recovery", self.session)

    def close(self):
        self.recovery.close()
        self.session.close()

    def act(self):
        (action,) = self.random.choices([getattr(self, name) for name in ACTIONS], ACTIONS.values())
        self.done.append(action.__name__)
        action()
        self.files_hold_what_was_saved()
        self.what_counts_as_saved_is_in_the_file()
        self.the_curve_is_that_of_the_run()

    def edit(self):
        index = self.random.randrange(len(EDITS))
        self.done.append(str(EDITS[index]))
        self._do(lambda: self.session.edit(f"edit {index}", **EDITS[index]))

    def train(self):
        train(self.session, self.qtbot, self.random.choice(["step", "step", "epoch", "phase"]))
        newest = self.session.newest.snapshot
        self.known = {step: numbers for step, numbers in self.known.items() if step < newest.step}
        self.known[newest.step] = newest.parameters

    def view(self):
        """A past step, and sometimes on from there."""
        session, before = self.session, self._file_and_run()
        if session.newest is None or not self.known:
            return
        step = self.random.choice(sorted(self.known))
        session.training.view_step(step)
        self.qtbot.waitUntil(lambda: session.shown is not None and session.shown.snapshot.step == step)
        assert np.array_equal(session.shown.snapshot.parameters, self.known[step])
        assert self._file_and_run() == before
        if self.random.random() < 0.3:
            viewed = session.newest
            self._do(session.continue_here)
            self.qtbot.waitUntil(lambda: session.newest is not viewed and session.newest.snapshot.step == step)
            self.known = {past: numbers for past, numbers in self.left_last.items() if past <= step}
        elif self.random.random() < 0.5:
            session.training.view_step(None)

    def _file_and_run(self):
        """What viewing must leave alone. (The memory of an optimizer that was replaced goes with the next report.)"""
        trained = self.session.trained_so_far
        document = dataclasses.replace(self.session.current_document(), trained=Trained())
        return document, trained.step, trained.parameters, trained.curve, self.session.modified

    def _do(self, action):
        """Remembers what was trained before an action that goes forward on the undo stack."""
        stack, trained = self.session.undo_stack, self.session.trained_so_far
        before = stack.index
        is_redo = stack.can_redo and action == stack.redo_edit
        comes_back = is_redo and self._past_of(before)
        action()
        if stack.index > before:
            self.trained_before[before] = trained
            if stack.steps[before].restarts:
                self._leave(before, comes_back)

    def _past_of(self, index):
        """What is known of the run that comes back with the edit's undo, or its redo."""
        return self.left.get(index, {}) if self.session.undo_stack.steps[index].saved_history is not None else {}

    def _leave(self, index, comes_back):
        self.left_last = self.left[index] = self.known
        self.known = comes_back or self._first_known()

    def undo(self):
        stack = self.session.undo_stack
        if not stack.can_undo:
            return
        index = stack.index - 1
        comes_back = self._past_of(index)
        stack.undo_edit()
        if stack.steps[index].restarts:
            assert self.session.trained_so_far == self.trained_before[index]
            self._leave(index, comes_back)

    def redo(self):
        self._do(self.session.undo_stack.redo_edit)

    def reset(self):
        self._do(self.session.reset)

    def save(self):
        name = self.random.choice(NAMES)
        self.saved[name] = self.session.current_document()
        assert self.session.save(self.folder / name)
        assert not self.session.modified

    def open(self):
        if self.saved:
            name = self.random.choice(sorted(self.saved))
            assert self.session.open(self.folder / name)
            self.known = self._first_known()
            assert self.session.current_document() == self.saved[name]
            assert not self.session.modified
            assert not self.session.undo_stack.can_undo

    def open_nothing(self):
        before = self.session.current_document()
        assert not self.session.open(self.folder / "missing.gradstep")
        assert self.session.current_document() == before

    def new(self):
        self._begin(Document())
        assert self.session.current_document() == Document()
        assert self.session.path is None

    def crash(self):
        expected, unsaved = self.session.current_document(), self.session.modified
        assert self.recovery.close(keep=True) == unsaved
        self.session.close()
        self._start_program()
        self.known = {}
        copies = find_copies(self.folder / "recovery")
        assert len(copies) == unsaved
        for copy in copies:
            assert copy.document == expected
            self._begin(copy.document, copy.path, copy.stamp, unsaved_copy=True)
            copy.discard()
            assert self.session.modified

    # What must be true after every action

    def files_hold_what_was_saved(self):
        for name, document in self.saved.items():
            assert (self.folder / name).read_text(encoding="utf-8") == to_json(document)

    def what_counts_as_saved_is_in_the_file(self):
        session = self.session
        if session.path is not None and not session.modified:
            assert kept(session.current_document()) == kept(from_json(session.path.read_text(encoding="utf-8")))

    def the_curve_is_that_of_the_run(self):
        trained = self.session.trained_so_far
        steps, losses = curve_of(trained.curve)
        assert steps.tolist() == list(range(trained.step))
        assert len(losses) == trained.step


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_no_mixture_of_actions_loses_or_mixes_up_work(seed, qtbot, tmp_path):
    user = User(tmp_path, seed, qtbot)
    try:
        for _ in range(WALK):
            user.act()
    except AssertionError as error:
        raise AssertionError(f"after {', '.join(user.done)}: {error}") from error
    finally:
        user.close()
