"""The bar that appears when a run has diverged: what happened, what to try, and a way back to good weights."""

from __future__ import annotations

from PySide6.QtWidgets import QMainWindow, QPushButton, QSizePolicy, QToolBar

from engine.network.progress import Progress
from gui.number_texts import reading_text
from gui.session import Change, Session
from gui.widgets.labels import ElidedLabel


class DivergenceBar(QToolBar):
    """Shown while the newest progress is that of a diverged run."""

    def __init__(self, session: Session, window: QMainWindow) -> None:
        """Follows the session; hidden until a run diverges."""
        super().__init__("Diverged run", window)
        self.setObjectName("divergence bar")
        self.setMovable(False)
        self.toggleViewAction().setVisible(False)  # it comes and goes by itself
        self._session = session
        self.words = ElidedLabel()  # gives way: the button must not leave the bar
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.words.setContentsMargins(8, 0, 12, 0)
        self.addWidget(self.words)
        self.go_back = QPushButton()
        self.go_back.setProperty("primary", True)
        self.go_back.clicked.connect(session.training.go_back)
        self.addWidget(self.go_back)
        session.changed.connect(self._follow)
        self.follow()

    def follow(self) -> None:
        """Shows or hides itself, as the session's newest progress says."""
        progress = self._session.newest
        if progress is None or progress.diverged_at is None:
            self.hide()
        else:
            self._show(progress)

    def _follow(self, change: Change) -> None:
        if change.moment:
            self.follow()

    def _show(self, progress: Progress) -> None:
        rate = progress.snapshot.learning_rate
        self.words.setText(
            f"The run diverged at step {progress.diverged_at:,}. "
            f"A learning rate below {rate:g}, or clipped gradients, may help."
        )
        self.words.setToolTip(self.words.text())
        keep = progress.keep
        loss = "" if keep.loss is None else f" (loss {reading_text(keep.loss)})"
        self.go_back.setText(f"Back to step {keep.step:,}{loss}")
        self.go_back.setToolTip("The weights from before the loss took off")
        self.show()
