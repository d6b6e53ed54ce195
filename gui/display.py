"""The display that a window needs: looked for without Qt ending the process.

Qt aborts when none of its platforms works. So it is given one more that always does, drawing in memory; when it comes
to that, there is no display, and Qt's first message has the reason.
"""

from __future__ import annotations

import ctypes
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from gui.app import make_application

PATIENCE_SECONDS = 5.0
"""Timeout for the answer of another machine's display."""
IN_MEMORY = "offscreen"
X_LIBRARIES = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
"""Libraries that Qt's plugin for X needs, with the packages of Debian and Ubuntu that have them."""
OTHERWISE = "export, check, train, gallery and tour work without"


class NoDisplay(Exception):
    """Why no window can be opened, in one line."""


def platforms() -> list[str]:
    """Qt's platforms to try in its own order: the user's choice, else Wayland's and X's displays.

    Raises:
        NoDisplay: when there is none.
    """
    if wanted := os.environ.get("QT_QPA_PLATFORM"):
        return wanted.split(";")
    wayland, x = os.environ.get("WAYLAND_DISPLAY", ""), os.environ.get("DISPLAY", "")
    if not wayland and not x:
        raise NoDisplay(f"no display: a window needs DISPLAY or WAYLAND_DISPLAY; {OTHERWISE}")
    found = [name for name, answers in (("wayland", _wayland_answers(wayland)), ("xcb", _x_answers(x))) if answers]
    if not found:
        names = " and ".join(name for name in (wayland, x) if name)
        raise NoDisplay(f"no display: {names} does not answer; {OTHERWISE}")
    return found


def _wayland_answers(name: str) -> bool:
    path = Path(os.environ.get("XDG_RUNTIME_DIR", ""), name)
    return bool(name) and _answers(socket.AF_UNIX, str(path))


def _x_answers(name: str) -> bool:
    """Return True when an X display may be there; displays of this machine are left to Qt."""
    host, _, number = name.rpartition(":")
    digits = number.partition(".")[0]
    if not host or host.startswith(("/", "unix")) or "/" in host or not digits.isdecimal():
        return bool(name)
    return _answers(socket.AF_INET, (host, 6000 + int(digits)))


def _answers(family: socket.AddressFamily, address: str | tuple[str, int]) -> bool:
    try:
        if isinstance(address, tuple):
            socket.create_connection(address, PATIENCE_SECONDS).close()
            return True
        with socket.socket(family) as connection:
            connection.settimeout(PATIENCE_SECONDS)
            connection.connect(address)
            return True
    except (OSError, OverflowError):
        return False


def open_application() -> QApplication:
    """The application, on a display.

    Raises:
        NoDisplay: when there is none that works, with the reason.
    """
    if sys.platform.startswith(("win", "darwin")):
        return make_application()
    names = platforms()
    with _messages_kept() as said, _environment("QT_QPA_PLATFORM", ";".join([*names, IN_MEMORY])):
        application = make_application()
    if QApplication.platformName() == IN_MEMORY and IN_MEMORY not in [name.partition(":")[0] for name in names]:
        missing = missing_packages() if "xcb" in names else []
        reason = said[0].rstrip(".") if said else f"{' and '.join(names)} cannot be used"
        if missing:
            reason = f"Qt lacks libraries for X; on Debian or Ubuntu: sudo apt-get install {' '.join(missing)}"
        raise NoDisplay(f"no display: {reason}; {OTHERWISE}")
    sys.stderr.writelines(f"{line}\n" for line in said)
    return application


def missing_packages() -> list[str]:
    """Return the packages of the libraries for X that cannot be loaded: Qt's own message names one of them only."""
    missing = []
    for library, package in X_LIBRARIES.items():
        try:
            ctypes.CDLL(library)
        except OSError:
            missing.append(package)
    return missing


@contextmanager
def _messages_kept() -> Iterator[list[str]]:
    """Collect Qt's messages inside the block instead of printing them."""
    said: list[str] = []

    def keep(_kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        said.append(message)

    before = qInstallMessageHandler(keep)
    try:
        yield said
    finally:
        qInstallMessageHandler(before)


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
