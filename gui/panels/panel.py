"""The base class of panels in docks: it follows each change of the session once, and works only while it is seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from engine.csv_text import Column
from engine.document.document import SECTIONS
from engine.network.run.progress import RunState
from gui.background import Job
from gui.scheduling import Throttle, idle_tasks
from gui.session import Change, Session
from gui.session.change import EVERYTHING
from gui.theme import LIGHT, Colors
from gui.unexpected import contained, report
from gui.widgets.failure_notice import FailureNotice, update_all

BY_USER: Change = frozenset({*SECTIONS, "program", "model", "selection", "run"})
"""Changes that come from the user's actions, not from running training alone."""


class Panel(QWidget):
    """A view of the session with a caption for the title bar around it.

    Where a refresh fails, or a painter in the panel, a line in it says so, and the rest of the window goes on. It is
    tried again by the button of that line, with the next change that is no report of running training, and once when
    the panel comes into view again.

    A subclass names in `depends_on` what it shows, and shows it in `refresh`. There it reads the document and the
    training from `session`, and the graph on the canvas from `session.presenter`: no panel is passed getters or
    callbacks for them. It is refreshed at most once for a change, while it can be seen: changes that come while it is
    hidden, or behind another tab, are gathered and refreshed once when it is seen again. It is first refreshed when it
    is first seen, with everything.

    Attributes:
        depends_on: names of a `Change` that concern the panel (see `gui/session/change.py`).
        session: the shown session.
        colors: of the theme.
        caption: a few words for the title bar.
        caption_tip: the same in whole sentences.
        shorter_captions: texts for narrower title bars, the longest first.
        plot: the panel's figure, a widget, where its entry in `gui/arrangement.py` names one.
        figure_tip: explanation of the figure, a few whole sentences; "": the panel sets its plot's tooltip
            itself, since it depends on the content.
        figure_key: legend widget of the panel's figure, exported below it; None for none.
        is_held: frozen although visible, until its place in the window is final.
        rest_seconds: between two reports of running training that are shown, at least; 0 for each of them.
        full_speed_rest_seconds: the same while the training makes as many steps as it can and needs the processor.

    Signals:
        caption_changed(str): `caption` and `caption_tip` are new.
        height_wanted(int): pixels that new content needs to be readable; a lower dock grows where it can.
    """

    caption_changed = Signal(str)
    height_wanted = Signal(int)
    depends_on: Change
    plot: Any
    figure_tip = ""
    figure_key: QWidget | None = None
    rest_seconds = 0.0
    full_speed_rest_seconds = 0.25
    is_held = False
    _notice: FailureNotice | None = None
    _was_seen = False

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.colors: Colors = LIGHT
        self.caption = self.caption_tip = ""
        self.shorter_captions: tuple[str, ...] = ()
        self._missed: Change = EVERYTHING
        self._reports = Throttle(self._show_report, self._seconds_between_reports, self)
        session.changed.connect(self._follow)

    # For subclasses to override

    def refresh(self, change: Change) -> None:
        """Show what differs; called by this class only.

        Args:
            change: all differences since the last refresh.
        """
        raise NotImplementedError

    def update_caption(self) -> None:
        """Show the figures of the caption; for panels whose caption has the loss or accuracy of the present moment.

        Called with every report of running training, while the rest of the panel waits for its turn: captions, tool
        bar and history then have the figures of the same moment.
        """

    def figure_data(self) -> Sequence[Column]:
        """The numbers of the panel's figure, as CSV has them: columns of a name, with its unit, and numbers.

        For every panel whose entry in `gui/arrangement.py` has a `plot`: the drawn numbers, with all digits and not as
        it is drawn (no logarithms); nothing while there is nothing to see. Columns may be of different lengths.
        """
        raise NotImplementedError

    @property
    def has_figure(self) -> bool:
        """True when the figure has anything to export; `PanelEntry.empty` has the reason when not."""
        return True

    def stop(self) -> None:
        """Stop the panel's work for good, as the window closes."""
        for job in self.findChildren(Job):
            job.stop()

    # Public interface

    def set_colors(self, colors: Colors) -> None:
        """Set the theme's colours; the dock calls this before the panel is seen, and when the theme changes."""
        self.colors = colors

    def set_caption(self, caption: str, tip: str = "", shorter: Sequence[str] = ()) -> None:
        """Show a text in the title bar.

        Args:
            caption: the whole text.
            tip: the tooltip; "" for the caption.
            shorter: texts for narrower title bars, the longest first.
        """
        tip, shorter = tip or caption, tuple(shorter)
        if (caption, tip, shorter) != (self.caption, self.caption_tip, self.shorter_captions):
            self.caption, self.caption_tip, self.shorter_captions = caption, tip, shorter
            self.caption_changed.emit(caption)

    @property
    def is_seen(self) -> bool:
        """True when a part of the panel is visible: not hidden, not behind another tab, and in its place."""
        return not self.is_held and self.isVisible() and not self.visibleRegion().isEmpty()

    def catch_up(self) -> None:
        """Refresh with all missed changes, visible or not; called before the panel is read."""
        if self._missed:
            change, self._missed = self._missed, frozenset()
            self._reports.restart()
            try:
                self.refresh(change)
            except Exception as error:
                self._missed |= change
                report(error)
                self.show_failure()
            else:
                if self._notice is not None:
                    self._notice.hide()

    def outdate(self) -> None:
        """Mark everything as outdated: it is refreshed now if visible, otherwise when it becomes visible."""
        self._missed = EVERYTHING
        self.follow_visibility()

    # Failures

    @property
    def has_failed(self) -> bool:
        """True when a refresh or a painter of the panel has failed and has not been tried again since."""
        return self._notice is not None and not self._notice.isHidden()

    def show_failure(self) -> None:
        """Show that something in the panel failed, with a button that tries again."""
        if self._notice is None:
            self._notice = FailureNotice(self, self.try_again)
        self._notice.appear()

    def try_again(self) -> None:
        """Show and paint everything again, after something failed."""
        self._missed = EVERYTHING
        if self.is_seen:
            self.catch_up()
        update_all(self)

    # Refreshing

    def _follow(self, change: Change) -> None:
        if self.depends_on & change:
            self._missed |= change
            if self.has_failed and not self._is_report(change):
                self.try_again()  # the edit may have removed the cause of the failure
            elif self.is_seen and not self.has_failed:
                if self._is_report(change):
                    with contained(self):
                        self.update_caption()
                    self._reports.request()
                else:
                    self.catch_up()

    def _seconds_between_reports(self) -> float:
        training = self.session.training
        is_calm = training.rests or training.viewed_step is not None  # a viewed past step is shown immediately
        return self.rest_seconds if is_calm else self.full_speed_rest_seconds

    def _show_report(self) -> None:
        """Show a report in an idle task: panels alternate with one another and with input."""
        idle_tasks().add(self, self.follow_visibility)

    def _is_report(self, change: Change) -> bool:
        """Return True when a change comes from running training alone, so that the next one follows soon."""
        return self.session.run_state is RunState.RUNNING and not change & BY_USER

    def follow_visibility(self) -> None:
        """Refresh a visible panel with the changes it missed; to be called when its visibility may have changed."""
        was_seen, self._was_seen = self._was_seen, self.is_seen
        if not self._was_seen or (self.has_failed and was_seen):
            return
        if "numbers" in self.depends_on:
            self.session.presenter.catch_up()  # colours wait until the panel is seen
        self.try_again() if self.has_failed else self.catch_up()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.follow_visibility()
        if (layout := self.layout()) is not None and not self.is_held:
            layout.activate()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.follow_visibility()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.follow_visibility()
