"""The system's settings: light or dark, and text size; kept apart from the application's own.

Once an application has a palette of its own, asking Qt for the palette gives just that. So the system's is kept from
before, and what changes later is heard from `QStyleHints.colorSchemeChanged`, or, where a platform has no such hint
(plain X11, offscreen), from a palette set by another program.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication


class SystemTheme(QObject):
    """The system's wishes; one for the application, and its child.

    Signals:
        changed(): the system has become light or dark, or has other letters.
    """

    changed = Signal()

    def __init__(self, application: QApplication) -> None:
        """Store the system's palette; create this before the application gets its own palette."""
        super().__init__(application)
        self._application = application
        self._own: str = ""
        self._has_dark_windows = _is_dark(application.palette())
        self._scheme = application.styleHints().colorScheme()
        application.styleHints().colorSchemeChanged.connect(self._follow_scheme)
        application.paletteChanged.connect(self._follow_palette)
        application.fontChanged.connect(self._follow_font)

    @property
    def is_dark(self) -> bool:
        """True when the system asks for dark windows: by its hint, or else by the lightness of its windows."""
        if self._scheme == Qt.ColorScheme.Unknown:
            return self._has_dark_windows
        return self._scheme == Qt.ColorScheme.Dark

    def set_palette(self, palette: QPalette) -> None:
        """Set the application's own palette, so that it is not taken for the system's."""
        self._own = palette.color(QPalette.ColorRole.Window).name()
        self._application.setPalette(palette)

    def _follow_scheme(self, scheme: Qt.ColorScheme) -> None:
        self._scheme = scheme
        self.changed.emit()

    def _follow_font(self, _font: QFont) -> None:
        self.changed.emit()

    def _follow_palette(self, palette: QPalette) -> None:
        if palette.color(QPalette.ColorRole.Window).name() != self._own:
            self._has_dark_windows = _is_dark(palette)
            self.changed.emit()


def system_theme() -> SystemTheme:
    """The application's one, made when it is first asked for."""
    application = QGuiApplication.instance()
    assert isinstance(application, QApplication)
    return application.findChild(SystemTheme) or SystemTheme(application)


def _is_dark(palette: QPalette) -> bool:
    return palette.color(QPalette.ColorRole.Window).lightness() < 128
