"""The dock around a panel: a title bar with the panel's name and a caption, as all panels have it.

A panel is made when it is first asked for, or in an idle task after its dock is first painted. So the window is there
before the plots are, whose library takes a third of the time to start, and a panel behind a tab costs nothing until it
is seen. Panels that are seen together are made one after the other, each when the one before is painted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.file_drops import leave_drops_to_window
from gui.panels.panel import Panel
from gui.scheduling import idle_tasks
from gui.session import Change
from gui.theme import Colors, text_pixels, text_scale
from gui.unexpected import contained
from gui.widgets.buttons import tool_button
from gui.widgets.failure_notice import FailureNotice
from gui.widgets.labels import ElidedLabel
from gui.widgets.layouts import add_widgets, hold_layout, release_layout

Make = Callable[[], Panel]

SMALL_SCREEN = 500
"""Pixels down: on a screen with less (a laptop's at 200 %) panels can be scrolled, so that the window stays on it."""
LEAST_SHARES = 0.24, 0.17
"""Largest share of the screen's width and height that a panel may need: four side by side and three below
one another fit, with the bars of the window and text in any size. It is scrolled where it needs more."""
LARGEST_SHARE = 0.92
SHARE_AT_RIGHT = 0.72
"""Largest share of the main window for a panel in a window of its own."""
TITLE_TIP = "A double click shows the panel as large as the window; another one, or Escape, brings it back"
HELP_TIP = "What this panel shows, an example, the formula, and what to try"
LEAST_WIDTH = 236
"""Pixels across in which every panel can be read; a window made tiny and large again has columns no narrower."""


def is_on_small_screen(widget: QWidget) -> bool:
    """Return True when not everything can have the height that it needs."""
    return widget.screen().availableGeometry().height() < SMALL_SCREEN


class _Frame(QFrame):
    """The room for the panel.

    Attributes:
        seen: called when it has been painted.
    """

    def __init__(self, seen: Callable[[], None]) -> None:
        super().__init__()
        self.seen = seen

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.seen()


class _TitleBar(QFrame):
    """The title bar of a dock.

    Signals:
        double_clicked(): anywhere on it but on a button.
    """

    double_clicked = Signal()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.double_clicked.emit()


class PanelArea(QScrollArea):
    """The area of a panel, scrolled when the panel needs more room, as with larger text.

    So the least size of a window does not grow with its text: with text at 200 % all columns still fit on the screen.
    """

    def __init__(self, panel: QWidget, scrolls: bool) -> None:
        """Put a panel into an area; `scrolls`: the area may always be lower than the panel."""
        super().__init__()
        self._panel, self._scrolls = panel, scrolls
        self._fitted: tuple[QSize, QSize, QSize] | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(panel)
        for each in (self.viewport(), panel):
            each.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        return self._panel.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return the panel's minimum size at the designed text size; tiny on a small screen.

        It is bounded by a share of the screen: while the size of text changes, panels still have the sizes of before.
        """
        tiny = super().minimumSizeHint()
        if is_on_small_screen(self):
            return tiny
        room = self.screen().availableGeometry().size()
        most = QSize(int(LEAST_SHARES[0] * room.width()), int(LEAST_SHARES[1] * room.height()))
        least = (self._panel.minimumSizeHint() / max(1.0, text_scale())).boundedTo(most)
        return QSize(least.width(), tiny.height()) if self._scrolls else least

    def fit_panel(self) -> None:
        """Give the panel all the room of the area, or as much as it needs at least.

        The needed height depends on the panel's form at the width of the area, so that width is set first.
        Both resizes request a layout, which ends here again: nothing is done while room and needs are the same.
        """
        if self._state() == self._fitted:
            return
        panel, room = self._panel, self.viewport().size()
        panel.resize(room.width(), max(room.height(), self._least_height(room.width())))
        width = max(room.width(), panel.minimumSizeHint().width())
        panel.resize(width, max(room.height(), self._least_height(width)))
        self._fitted = self._state()

    def _state(self) -> tuple[QSize, QSize, QSize]:
        """Return the room, the panel's size, and the least size that the panel has in this width."""
        size = self._panel.size()
        least = QSize(self._panel.minimumSizeHint().width(), self._least_height(size.width()))
        return self.viewport().size(), size, least

    def _least_height(self, width: int) -> int:
        panel = self._panel
        layout = panel.layout()
        if layout is not None and layout.hasHeightForWidth():
            return layout.minimumHeightForWidth(width)
        return panel.minimumSizeHint().height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_panel()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow a panel whose content has changed."""
        if event.type() == QEvent.Type.LayoutRequest and watched is self._panel:
            self.updateGeometry()
            self.fit_panel()
        return super().eventFilter(watched, event)


class PanelDock(QDockWidget):
    """A dock that can be moved, floated and closed (the View menu brings it back).

    Attributes:
        colors: of the theme; the panel has them when `show_colors` was called.
        help_button: opens the page about the panel; there when the title bar is.
        close_button: seen while the dock floats, where its title bar is a window's, and always where the panel stands
            in no workspace.

    Signals:
        maximise_requested(PanelDock): its title was double-clicked.
        help_requested(): the "?" of its title bar was pressed.
        height_wanted(int): pixels that new content of the panel needs to be readable.
        panel_made(Panel): the panel was made.
    """

    maximise_requested = Signal(object)
    help_requested = Signal()
    height_wanted = Signal(int)
    panel_made = Signal(object)

    def __init__(
        self,
        title: str,
        make: Make,
        window: QMainWindow,
        own_window: QSize | None = None,
        scrolls: bool = False,
        has_title: bool = True,
        at_right: bool = False,
    ) -> None:
        """Make the frame; the panel follows when the frame is seen.

        Args:
            title: the panel's name.
            make: makes the panel.
            window: the dock's owner.
            own_window: the size of the window in which it opens, pixels; None: it opens where it stands.
            scrolls: the panel is scrolled where the dock is lower than it needs.
            has_title: the dock has a title bar.
            at_right: its own window opens at the right side of the main window, not in its middle.
        """
        super().__init__(title, window)
        self._at_right = at_right
        self._make, self._window, self._own_window = make, window, own_window
        self._scrolls, self._has_title = scrolls, has_title
        self._panel: Panel | None = None
        self._close_button: QToolButton | None = None
        self._notice: FailureNotice | None = None
        self.colors: Colors | None = None
        self._shown_colors: Colors | None = None
        self.setObjectName(f"dock {title}")
        if own_window is None and has_title:
            self.topLevelChanged.connect(self._follow_floating)
        self._frame = _Frame(self._make_later)
        self._frame.setObjectName("panel")
        self._frame.setMinimumWidth(LEAST_WIDTH)
        self._frame.setFocusPolicy(Qt.FocusPolicy.ClickFocus if own_window is not None else Qt.FocusPolicy.NoFocus)
        QVBoxLayout(self._frame).setContentsMargins(1, 0, 1, 1)
        self.setWidget(self._frame)
        self.toggleViewAction().triggered.connect(self._come_forward)

    def shows(self, change: Change) -> bool:
        """Return True when its panel is visible and concerned by a change."""
        return self._panel is not None and self._panel.is_seen and bool(self._panel.depends_on & change)

    @property
    def panel(self) -> Any:
        """The panel, made now if it was not yet, in the colours of the theme."""
        self.make()
        self.show_colors()
        return self._panel

    def make(self) -> None:
        """Make the panel if it was not made yet."""
        if self._panel is None:
            self._panel = panel = self._make()
            if self._notice is not None:
                self._notice.hide()
            room = self._frame.layout()
            assert room is not None
            content = PanelArea(panel, self._scrolls)
            room.addWidget(content)
            leave_drops_to_window(panel)
            panel.caption_changed.connect(self._show_caption)
            panel.height_wanted.connect(self.height_wanted)
            self._show_caption(panel.caption)
            self.visibilityChanged.connect(lambda _visible: panel.follow_visibility())
            self.show_colors()
            if is_on_small_screen(self):  # it takes its room now, not after the next events
                content.show()
            self.panel_made.emit(panel)

    @property
    def has_failed(self) -> bool:
        """True when the panel could not be made, or has failed since its last attempt."""
        if self._panel is not None:
            return self._panel.has_failed
        return self._notice is not None and not self._notice.isHidden()

    def show_failure(self) -> None:
        """Show that the panel could not be made, or given its place or colours, with a button that tries again."""
        if self._panel is not None:
            self._panel.show_failure()
            return
        if self._notice is None:
            self._notice = FailureNotice(self._frame, self._try_again)
        self._notice.appear()

    def _try_again(self) -> None:
        with contained(self):
            self.make()

    def _make_later(self) -> None:
        if not (self.is_made or self.has_failed):
            idle_tasks().add(self, self.make)

    def hold(self) -> None:
        """Freeze the panel: it keeps its size and content, whatever becomes of the dock."""
        hold_layout(self._frame)
        if self._panel is not None:
            self._panel.is_held = True

    def release(self) -> None:
        """Unfreeze the panel: fit it to the dock and show the missed changes."""
        release_layout(self._frame)
        if self._panel is not None:
            self._panel.is_held = False
            self._panel.follow_visibility()

    @property
    def is_made(self) -> bool:
        """True when the panel exists."""
        return self._panel is not None

    def stop(self) -> None:
        """Stop the panel's work for good."""
        if self._panel is not None:
            self._panel.stop()

    def _come_forward(self, is_shown: bool) -> None:
        """Bring a panel that was asked for to the front of its tabs, or open it in a window of its own."""
        if is_shown:
            if self._own_window is not None:  # centred on the main window, and smaller than that
                wanted = QSize(text_pixels(self._own_window.width()), text_pixels(self._own_window.height()))
                self.setFloating(True)
                around = self._window.frameGeometry()
                place = QRect(QPoint(), wanted.boundedTo(around.size() * LARGEST_SHARE))
                if self._at_right:
                    place.setWidth(min(place.width(), round(SHARE_AT_RIGHT * around.width())))
                place.moveCenter(around.center())
                if self._at_right:
                    place.moveRight(around.right())
                self.setGeometry(place)
                self.activateWindow()  # the keyboard, too: Escape closes it
                self._frame.setFocus()
            self.raise_()

    def show_in_front(self) -> None:
        """Show it where it can be seen."""
        was_hidden = self.isHidden()
        self.show()
        self._come_forward(True) if was_hidden else self.raise_()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.isFloating():
            self.close()
        else:
            super().keyPressEvent(event)

    def _follow_double_click(self) -> None:
        """Maximise the panel, or put one that floats back into the window."""
        if self.isFloating():
            self.setFloating(False)
        else:
            self.maximise_requested.emit(self)

    def _show_caption(self, caption: str) -> None:
        self._make_title_bar()
        if not self._has_title:
            return
        self._caption.set_texts(caption, *(() if self._panel is None else self._panel.shorter_captions))
        self._caption.setToolTip("" if self._panel is None else self._panel.caption_tip)

    def restyle(self) -> None:
        """Update colours and font sizes of the panel."""
        self._shown_colors = None
        self.show_colors()

    def show_colors(self) -> None:
        """Set the theme's colours on the panel if it exists and does not have them."""
        if self._panel is not None and self.colors is not None and self._shown_colors is not self.colors:
            self._shown_colors = self.colors
            self._panel.set_colors(self.colors)

    def setVisible(self, visible: bool) -> None:
        """Make the title bar when the dock is first shown: half of the docks of a window are not."""
        if visible:
            self._make_title_bar()
        super().setVisible(visible)

    def showEvent(self, event: QShowEvent) -> None:
        self._make_title_bar()
        super().showEvent(event)

    def _make_title_bar(self) -> None:
        if self.titleBarWidget() is not None:
            return
        if not self._has_title:
            self.setTitleBarWidget(QWidget())
            return
        bar = _TitleBar()
        bar.setObjectName("titleBar")
        bar.setToolTip(TITLE_TIP)
        bar.double_clicked.connect(self._follow_double_click)
        name = QLabel(self.windowTitle())
        name.setProperty("title", True)
        self._caption = ElidedLabel()
        self._caption.setProperty("muted", True)
        self._caption.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.help_button = tool_button("?", HELP_TIP, self.help_requested.emit, f"help on {self.windowTitle()}")
        add_widgets(QHBoxLayout(bar), name, self._caption, 1, self.help_button, margins=(10, 6, 10, 6))
        self.setTitleBarWidget(bar)
        if self._own_window is not None:
            self._add_close_button().show()

    @property
    def close_button(self) -> QToolButton:
        """Closes the panel; made when it is first needed."""
        self._make_title_bar()
        return self._close_button or self._add_close_button()

    def _add_close_button(self) -> QToolButton:
        self._close_button = button = QToolButton()
        button.hide()
        button.setText("×")
        button.setAccessibleName(f"close {self.windowTitle()}")
        button.setToolTip("Close; the View menu brings it back")
        button.clicked.connect(self.close)
        row = self.titleBarWidget().layout()
        assert row is not None
        row.addWidget(button)
        return button

    def _follow_floating(self, is_floating: bool) -> None:
        if is_floating or self._close_button is not None:
            self.close_button.setVisible(is_floating)
