"""The about box names what is run and opens the license texts."""

from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget

from engine import __version__
from gui.about import LICENSES, TITLES, open_about
from gui.help.diagnostics import versions


def test_the_about_box_names_versions_and_opens_every_license_text(qtbot, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()) or True)
    parent = QWidget()
    qtbot.addWidget(parent)
    copied = []
    open_about(parent, lambda: copied.append(True))
    box = parent.findChild(QMessageBox)
    text = box.text()
    assert {__version__, "CPython"} <= set(text.replace("</b>", " ").replace(",", "").split())
    assert all(f"{name} {version}" in text for name, version in versions().items())
    label = next(label for label in box.findChildren(QLabel) if "href" in label.text())
    for name in TITLES:
        label.linkActivated.emit(name)
    assert opened == [str(LICENSES / name) for name in TITLES]
    assert {path.name for path in LICENSES.iterdir()} == set(TITLES)
    next(button for button in box.buttons() if button.text() == "Copy diagnostics").click()
    assert copied == [True]
    box.close()
