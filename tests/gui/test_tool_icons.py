"""Icons of the tool bar: drawn in every state and colour, beside their texts where there is room, never instead."""

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QIcon

from gui.actions.registry import ACTIONS
from gui.bars.tool_icons import GLYPHS, ICON_FILES, PAUSE, tool_icon
from gui.theme import DARK, ICONS

STATES = [
    (QIcon.Mode.Normal, QIcon.State.Off, "#ff0000"), (QIcon.Mode.Disabled, QIcon.State.Off, "#00ff00"),
    (QIcon.Mode.Normal, QIcon.State.On, "#0000ff"),
]  # fmt: skip


def colors_in(picture):
    image = picture.toImage()
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return {pixel.name() for pixel in pixels if pixel.alpha() == 255}


@pytest.mark.parametrize("file", [*ICON_FILES.values(), PAUSE])
@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0])
def test_every_icon_is_drawn_in_the_colour_of_its_state_on_every_screen(file, ratio, qapp):
    icon = tool_icon(file, *(color for _mode, _state, color in (STATES[0], STATES[1], STATES[2])), 16, ratio)
    for mode, state, color in STATES:
        picture = icon.pixmap(icon.availableSizes(mode, state)[0], 1.0, mode, state)
        assert color in colors_in(picture)


def test_every_file_is_an_entry_names_no_colour_and_belongs_to_an_action():
    files = {path.stem: path.read_text(encoding="utf-8") for path in (ICONS / "toolbar").iterdir()}
    assert files.keys() == {*ICON_FILES.values(), PAUSE}
    for text in files.values():
        assert "currentColor" in text and not re.search(r"#[0-9a-fA-F]{3}|http://(?!www\.w3\.org/2000/svg)", text)
    assert ICON_FILES.keys() - {"export"} <= {entry.id for entries in ACTIONS.values() for entry in entries}


def test_icons_stand_beside_texts_in_a_wide_bar_and_make_way_in_a_narrow_one(reused_window):
    bar = reused_window.main_bar
    bar.fit_width(2560)
    for name in ("next", "run", "step", "play"):
        button = bar.item(name)
        assert not button.icon().isNull() and button.text() and not GLYPHS.search(button.text())
        assert button.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    bar.fit_width(1024)
    assert all(bar.item(name).icon().isNull() and bar.item(name).text() for name in ("next", "run", "step", "play"))
    bar.fit_width(bar.window().width())


def test_icons_take_the_colours_of_another_theme_and_of_what_runs(reused_window):
    bar = reused_window.main_bar
    bar.fit_width(2560)
    before = bar.item("step").icon().cacheKey()
    reused_window.apply_theme("dark")
    bar.fit_width(2560)
    icon = bar.item("step").icon()
    assert icon.cacheKey() != before
    assert QColor(DARK.text).name() in colors_in(icon.pixmap(32, 32))
    reused_window.apply_theme("light")
    bar.fit_width(bar.window().width())
