"""The system's settings: light or dark, contrast, motion and text size; kept apart from the application's own.

Once an application has a palette of its own, asking Qt for the palette gives just that. So the system's is kept from
before, and what changes later is heard from `QStyleHints.colorSchemeChanged`, or, where a platform has no such hint
(plain X11, offscreen), from a palette set by another program.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QStyle

from gui.theme import Colors, colors_of


class SystemTheme(QObject):
    """The system's wishes; one for the application, and its child.

    Signals:
        changed(): the system has become light or dark, wants another contrast, or has other letters.

    Attributes:
        wanted_motion: "full" or "reduced", as the user has chosen; "system" for what the system says.
    """

    changed = Signal()
    wanted_motion = "system"

    def __init__(self, application: QApplication) -> None:
        """Store the system's palette; create this before the application gets its own palette."""
        super().__init__(application)
        self._application = application
        self._own: str = ""
        self._has_dark_windows = _is_dark(application.palette())
        self._flash_time = application.cursorFlashTime()
        self._hints = application.styleHints()
        self._scheme = self._hints.colorScheme()
        self._hints.colorSchemeChanged.connect(self._follow_scheme)
        self._accessibility = self._hints.accessibility() if hasattr(self._hints, "accessibility") else None  # Qt 6.10
        if self._accessibility is not None:
            self._accessibility.contrastPreferenceChanged.connect(lambda _preference: self.changed.emit())
        application.paletteChanged.connect(self._follow_palette)
        application.fontChanged.connect(self._follow_font)

    @property
    def is_dark(self) -> bool:
        """True when the system asks for dark windows: by its hint, or else by the lightness of its windows."""
        if self._scheme == Qt.ColorScheme.Unknown:
            return self._has_dark_windows
        return self._scheme == Qt.ColorScheme.Dark

    @property
    def has_high_contrast(self) -> bool:
        """True when the system asks for high contrast."""
        wanted = None if self._accessibility is None else self._accessibility.contrastPreference()
        return wanted is not None and wanted.name == "HighContrast"

    @property
    def has_motion(self) -> bool:
        """True when things may move to their places: as the user has chosen, or else the system."""
        if self.wanted_motion != "system":
            return self.wanted_motion == "full"
        preference = getattr(self._accessibility, "motionPreference", None)  # Qt 6.12
        if preference is not None and preference().name == "ReducedMotion":
            return False
        return self._application.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) > 0

    def set_motion(self, wanted: str) -> None:
        """Take the user's choice, see `wanted_motion`; the caret of text fields stands still for "reduced".

        Otherwise it blinks as the system has it, which has a setting of its own for carets.
        """
        self.wanted_motion = wanted
        self._application.setCursorFlashTime(0 if wanted == "reduced" else self._flash_time)

    def colors(self, theme: str, contrast: str, palette: str) -> Colors:
        """Return the colours of a theme; where "system" is chosen as theme or contrast, the system's."""
        if theme == "system":
            theme = "dark" if self.is_dark else "light"
        if contrast == "system":
            contrast = "high" if self.has_high_contrast else "normal"
        return colors_of(theme, contrast, palette)

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
