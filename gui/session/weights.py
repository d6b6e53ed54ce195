"""Weights of the moment that is viewed, and what a user puts in their place."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.document import Trained
from engine.document.frozen_floats import FrozenFloats
from engine.experiment.assemble import trained_at, weights_of
from engine.experiment.carried import trained_until
from engine.network.run.progress import RunState
from gui.session.edits import all_fields
from gui.session.session import Session


def shown_parameters(session: Session) -> NDArray[Any]:
    """Weights and biases of the moment that is viewed, (n_parameters,); not to be written into."""
    progress = session.shown
    return weights_of(session.document) if progress is None else progress.snapshot.parameters


def set_parameter(session: Session, index: int, number: float, label: str) -> bool:
    """Set one weight or bias as one undo step; return True if the number was allowed.

    It is done to the moment that is viewed: what came after a past one is left, and undo brings it back. The optimizer
    keeps its memory. A run goes on from there.
    """
    parameters = np.array(shown_parameters(session))
    if index >= len(parameters):  # its neuron has gone while it was typed
        return False
    parameters[index] = number
    moment = dataclasses.replace(_moment(session), parameters=FrozenFloats(parameters))
    was_running = session.run_state is RunState.RUNNING
    done = session.edit(label, "", trained=all_fields(moment))
    if done and was_running:
        session.run()
    return done


def _moment(session: Session) -> Trained:
    """Return the viewed moment as a file would save it."""
    if session.training.viewed_step is None or session.shown is None:
        return session.trained_so_far
    return trained_until(session.trained_so_far, trained_at(session.shown.snapshot))
