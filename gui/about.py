"""The about box: the program, and other people's work that it contains. Help > About Gradstep."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget

from engine import __version__

ABOUT = (
    "<b>Gradstep {version}</b><p>See how autograd and neural networks work: type an expression, step through its "
    "forward and backward pass, train a small network with the same engine.</p>"
)
COMPONENTS = "<p>Programs run in CPython 3.14, compiled to WebAssembly by componentize-py, in Wasmtime{wasmtime}.</p>"
TEXTS = "<p>Licenses: {links}</p>"
LICENSES = Path(__file__).resolve().parents[1] / "resources" / "licenses"
TITLES = {
    "python.txt": "CPython",
    "apache-2.0-llvm.txt": "Wasmtime, componentize-py, wasi-libc and LLVM",
    "libraries.txt": "libraries in it",
}
"""The license texts, by their file in `resources/licenses`."""


def open_about(parent: QWidget) -> None:
    """Open the box; it does not block the window."""
    box = QMessageBox(QMessageBox.Icon.NoIcon, "About Gradstep", about_text(), parent=parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
    for label in box.findChildren(QLabel):
        label.setOpenExternalLinks(False)
        label.linkActivated.connect(open_license)
    box.open()


def about_text() -> str:
    """Return the text of the box, with a link for each license text."""
    try:
        wasmtime = f" {importlib.metadata.version('wasmtime')}"
    except importlib.metadata.PackageNotFoundError:  # where programs cannot be run
        wasmtime = ""
    links = ", ".join(f'<a href="{name}">{title}</a>' for name, title in TITLES.items())
    return ABOUT.format(version=__version__) + COMPONENTS.format(wasmtime=wasmtime) + TEXTS.format(links=links)


def open_license(name: str) -> None:
    """Open a license text in the program that the system has for texts."""
    if name in TITLES:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(LICENSES / name)))
