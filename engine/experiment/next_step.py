"""The next step of training from any moment of a run, computed in another thread while the run continues."""

from __future__ import annotations

import dataclasses

from engine.document.document import Document, Network, Trained
from engine.experiment.assemble import make_model, make_trainer
from engine.experiment.prepared import PreparedData
from engine.network import SettingError, Snapshot, Trainer, Update


class NextStep:
    """Computes the next step again and again; for one thread at a time.

    The trainer is reused while network and data stay the same: making one takes up to a second for a large
    network, setting it to a moment a fraction of a step.
    """

    def __init__(self) -> None:
        self._made_for: tuple[Network, PreparedData] | None = None
        self._trainer: Trainer | None = None

    def at(self, document: Document, data: PreparedData, moment: Snapshot) -> Update | None:
        """Return the step that training makes from a moment, with the settings of that moment.

        Args:
            document: defines the network.
            data: of the document.
            moment: of a run of that network on these data.

        Returns:
            None where the network's numbers are not finite, or would not stay so.
        """
        try:
            trainer = self._trainer_for(document, data)
            trainer.restore(moment, with_settings=True)
        except SettingError:
            return None
        update = trainer.next_update()
        return update if update.is_finite else None

    def _trainer_for(self, document: Document, data: PreparedData) -> Trainer:
        known = self._made_for
        if self._trainer is None or known is None or known[0] != document.network or known[1] is not data:
            fresh = dataclasses.replace(document, trained=Trained())
            self._trainer, self._made_for = make_trainer(fresh, make_model(fresh), data), (document.network, data)
        return self._trainer
