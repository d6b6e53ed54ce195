"""The part of the main window that opens the command palette, the help, problems and the about box.

Each of them is imported when it is first opened.
"""

from __future__ import annotations

from PySide6.QtCore import QSettings
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from gui.panels.frame import PanelDock
from gui.tab_order import TabWindow


class WindowWithHelp(TabWindow):
    """Base of the main window.

    Attributes:
        docks: the panels by class name.
    """

    docks: dict[str, PanelDock]
    _settings: QSettings | None

    def show_message(self, text: str, kind: str = "note") -> None:
        """Show a line in the status bar."""
        raise NotImplementedError

    def show_command_palette(self) -> None:
        """Open the palette of all actions, panels, lessons and values."""
        from gui.command_palette.command_palette import CommandPalette

        CommandPalette(self, self._settings).show()

    def show_about(self) -> None:
        """Open the about box."""
        from gui.about import open_about

        open_about(self, self.copy_diagnostics)

    def show_help(self, page: str = "index") -> None:
        """Open a page of the help, by its name."""
        from gui.help.help_window import open_help

        open_help(self, page)

    def show_panel_help(self) -> None:
        """Open the page about the panel that has the keyboard."""
        focus = QApplication.focusWidget()
        name = next((name for name, dock in self.docks.items() if focus is not None and dock.isAncestorOf(focus)), "")
        self.show_help(f"panels/{name or 'GraphPanel'}")

    def show_problems(self) -> None:
        """Open the list of what has failed."""
        from gui.help.problems_dialog import ProblemsDialog

        ProblemsDialog(self).open()

    def copy_diagnostics(self) -> None:
        """Copy versions, screen, theme and problems to the clipboard."""
        from gui.help.diagnostics import diagnostics

        QGuiApplication.clipboard().setText(diagnostics(self))
        self.show_message("The diagnostics are on the clipboard")
