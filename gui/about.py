"""The about box: the program, and other people's work that it contains. Help > About Gradstep."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QIcon
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget

from gui.help.diagnostics import versions

ABOUT = (
    "<b>Gradstep {version}</b><p>See how autograd and neural networks work: type an expression, step through its "
    "forward and backward pass, train a small network with the same engine.</p>"
)
COMPONENTS = "<p>Programs run in CPython 3.14, compiled to WebAssembly by componentize-py, in Wasmtime.</p>"
VERSIONS = "<p>{versions}.</p>"
TEXTS = "<p>Licenses: {links}</p>"
LICENSES = Path(__file__).resolve().parents[1] / "resources" / "licenses"
TITLES = {
    "python.txt": "CPython",
    "apache-2.0-llvm.txt": "Wasmtime, componentize-py, wasi-libc and LLVM",
    "libraries.txt": "libraries in it",
}
"""The license texts, by their file in `resources/licenses`."""


def open_about(parent: QWidget, copy_diagnostics: Callable[[], object]) -> None:
    """Open the box; it does not block the window. Its button calls `copy_diagnostics`."""
    box = QMessageBox(QMessageBox.Icon.NoIcon, "About Gradstep", about_text(), parent=parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
    copy = box.addButton("Copy diagnostics", QMessageBox.ButtonRole.ActionRole)
    copy.setToolTip("Versions, screen, theme and problems as text for a report, without your programs")
    copy.clicked.connect(lambda: copy_diagnostics())
    close = box.addButton(QMessageBox.StandardButton.Close)
    close.setIcon(QIcon())  # no other button has one
    box.setEscapeButton(close)
    for label in box.findChildren(QLabel):
        label.setOpenExternalLinks(False)
        label.linkActivated.connect(open_license)
    box.open()


def about_text() -> str:
    """Return the text of the box, with a link for each license text."""
    parts = ", ".join(f"{name} {version}" for name, version in versions().items() if name != "Gradstep")
    links = ", ".join(f'<a href="{name}">{title}</a>' for name, title in TITLES.items())
    about = ABOUT.format(version=versions()["Gradstep"]) + VERSIONS.format(versions=parts)
    return about + COMPONENTS + TEXTS.format(links=links)


def open_license(name: str) -> None:
    """Open a license text in the program that the system has for texts."""
    if name in TITLES:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(LICENSES / name)))
