"""Icons of the tool bar: our own SVG files, drawn in the colours of the theme and as sharp as the screen is.

An icon is an entry of `ICON_FILES`, by the id of its action; the file draws with `currentColor`, 16 by 16.
"""

from __future__ import annotations

import re
from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QImage, QPixmap
from PySide6.QtSvg import QSvgRenderer

from gui.painting import painting
from gui.theme import ICONS

ICON_FILES = {
    "back": "back", "next": "next", "play": "play", "reset": "reset", "back step": "back_step", "phase": "phase",
    "step": "step", "steps": "steps", "run": "run", "check": "check", "predict": "predict", "export": "export",
    "lesson everything": "lesson_everything", "leave lesson": "leave_lesson",
}  # fmt: skip
PAUSE = "pause"
"""File of the icon of a button while a click on it pauses."""
GLYPHS = re.compile(r"\s*[▶◀❚✓|]+\s*")
"""Signs in texts of buttons, which have an icon in their place where there is room for it."""


def icon_file(name: str, text: str) -> str:
    """Return the file of an action's icon while it has that text; "" for none."""
    return PAUSE if "❚" in text and name in ICON_FILES else ICON_FILES.get(name, "")


@lru_cache(256)
def tool_icon(file: str, normal: str, disabled: str, checked: str, pixels: int, ratio: float) -> QIcon:
    """Return an icon in the colours of its states.

    Args:
        file: a name of `ICON_FILES`.
        normal, disabled, checked: #RRGGBB.
        pixels: width and height, independent of the device.
        ratio: pixels of the device for each of them; it is drawn twice as large, too, for another screen.
    """
    icon, source = QIcon(), (ICONS / "toolbar" / f"{file}.svg").read_text(encoding="utf-8")
    states = (
        (normal, QIcon.Mode.Normal, QIcon.State.Off), (checked, QIcon.Mode.Normal, QIcon.State.On),
        (disabled, QIcon.Mode.Disabled, QIcon.State.Off), (disabled, QIcon.Mode.Disabled, QIcon.State.On),
    )  # fmt: skip
    for color, mode, state in states:
        renderer = QSvgRenderer(QByteArray(source.replace("currentColor", color).encode()))
        for scale in (ratio, 2 * ratio):
            side = round(pixels * scale)
            image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
            image.fill(Qt.GlobalColor.transparent)
            with painting(image) as painter:
                renderer.render(painter, QRectF(0, 0, side, side))
            picture = QPixmap.fromImage(image.copy())  # an image that was painted on keeps memory of the painter
            picture.setDevicePixelRatio(scale)
            icon.addPixmap(picture, mode, state)
    return icon
