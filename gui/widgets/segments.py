"""Buttons of which one is on, side by side in one frame."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton

from gui.widgets.layouts import filled


def segmented(buttons: Sequence[QToolButton]) -> QFrame:
    """A frame with the buttons, whose actions are choices of one another."""
    frame = QFrame()
    frame.setObjectName("segments")
    filled(QHBoxLayout(frame), *buttons, margins=(1, 1, 1, 1), spacing=0)
    return frame
