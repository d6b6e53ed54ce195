"""Two buttons: the samples that are trained on, or those that only test; hidden where there are none of these."""

from __future__ import annotations

from gui.widgets.choices import Segments

KINDS = {
    "train": "Training samples: the gradients come from them",
    "test": "Test samples: evaluated, but not trained on",
}
"""The kinds of samples, and the tooltip of each button."""


class KindChoice(Segments):
    """The buttons."""

    def __init__(self) -> None:
        super().__init__(KINDS.items())

    @property
    def is_test(self) -> bool:
        """True when the test samples are chosen."""
        return self.chosen == 1

    def show_kinds(self, has_test: bool) -> None:
        """Show the choice if there are test samples."""
        self.setVisible(has_test)
        self.choose(self.is_test and has_test)
