"""Themes: the system's is followed at all times, every text can be read, and letters are as large as the system's."""

import itertools

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QPalette
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QTabBar, QToolButton, QWidget

from gui.scheduling import idle_tasks
from gui.system_theme import SystemTheme, system_theme
from gui.theme import DARK, LIGHT, THEMES, mono_font, text_pixels

TEXTS = ("text", "muted", "accent", "positive", "negative", "third", "error")
GROUNDS = ("window", "panel", "canvas", "neutral", "input", "parameter", "output", "warning")


@pytest.fixture
def new_system(qapp):
    """Makes Qt forget what the application has set and been told, as at its start."""

    def forget(window_color=None):
        for old in qapp.findChildren(SystemTheme):
            old.setParent(None)
            old.deleteLater()
        palette = QPalette()
        if window_color is not None:
            palette.setColor(QPalette.ColorRole.Window, QColor(window_color))
        qapp.setPalette(palette)

    forget()
    font = QFont(qapp.font())
    yield forget
    qapp.setFont(font)
    forget()


@pytest.fixture
def window(new_system, make_window):
    return make_window(theme="system")


def luminance(color):
    """Relative luminance, 0 to 1 (WCAG 2.1)."""
    parts = [channel / 12.92 if channel <= 0.03928 else ((channel + 0.055) / 1.055) ** 2.4
             for channel in QColor(color).getRgbF()[:3]]  # fmt: skip
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colors", THEMES.values(), ids=THEMES)
def test_every_text_can_be_read_on_every_ground(colors):
    pairs = [(text, ground) for text, ground in itertools.product(TEXTS, GROUNDS)] + [("on_accent", "accent")]
    too_faint = {pair: contrast(*(getattr(colors, name) for name in pair)) for pair in pairs}
    assert {pair: ratio for pair, ratio in too_faint.items() if ratio < 4.5} == {}


def test_the_system_is_followed_again_after_another_theme_was_chosen(window):
    assert window.colors is LIGHT
    window.apply_theme("dark")
    window.apply_theme("system")
    assert window.colors is LIGHT


def ground(widget):
    """The colour behind what a widget holds, as it is painted."""
    image = widget.grab().toImage()
    return image.pixelColor(image.width() // 2, 3)


@pytest.mark.long
def test_another_theme_is_at_once_on_what_is_seen_and_then_on_all_that_is_hidden(window, qtbot):
    seen, hidden = window.docks["ExpressionPanel"].panel.editor, window.docks["SweepPanel"].panel
    fields = [field for field in hidden.findChildren(QLineEdit) if field.isEnabled()]
    box = QCheckBox(hidden, checked=True)
    assert fields and not hidden.isVisible()
    for colors in (DARK, LIGHT, DARK):
        window.apply_theme(colors.name)
        assert ground(seen) == QColor(colors.canvas)
        qtbot.waitUntil(lambda: not idle_tasks().busy)
        assert {ground(field).name() for field in fields} == {QColor(colors.canvas).name()}
        assert all(field.palette().color(QPalette.ColorRole.Text) == QColor(colors.text) for field in fields)
        marks = box.grab().toImage()
        inside = {marks.pixelColor(x, y).name() for x in range(20) for y in range(marks.height())}
        assert QColor(colors.accent).name() in inside  # the check mark is drawn over it, in its own colour
        lightest = max(QColor(color).lightness() for color in inside)
        assert (lightest < QColor(colors.text).lightness()) == (colors is DARK)


def test_the_style_sheet_is_the_same_in_every_theme(window):
    sheet = window.styleSheet()
    for theme in THEMES:
        window.apply_theme(theme)
        assert window.styleSheet() == sheet


def test_a_dark_system_is_known_by_its_windows(new_system, make_window):
    new_system("#202020")
    window = make_window()
    window.apply_theme("system")
    assert window.colors is DARK


@pytest.mark.long
def test_a_system_that_turns_dark_is_followed_by_everything_that_is_open(window, qapp, qtbot):
    dialog = QWidget(window, Qt.WindowType.Dialog)
    label = QLabel("words", dialog)
    dialog.show()
    for dock in window.docks.values():
        assert dock.panel is not None
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert window.colors is DARK and window.graph_panel.colors is DARK
    assert all(dock.colors is DARK for dock in window.docks.values())
    qtbot.waitUntil(lambda: label.palette().color(QPalette.ColorRole.WindowText) == QColor(DARK.text))
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert window.colors is LIGHT
    dialog.close()
    dialog.deleteLater()


def test_where_there_is_no_hint_a_palette_from_outside_is_followed(window, qapp):
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Window, QColor("#101010"))
    qapp.setPalette(palette)
    assert window.colors is DARK
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(DARK.window)


def test_a_theme_that_was_chosen_stays_when_the_system_changes(window, qapp):
    window.apply_theme("light")
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert window.colors is LIGHT
    window.apply_theme("system")
    assert window.colors is DARK


def test_there_is_one_system_for_all_windows(window):
    assert system_theme() is system_theme()


def larger(qapp, factor):
    font = QFont(qapp.font())
    font.setPixelSize(round(13 * factor))
    qapp.setFont(font)


def assert_the_graph_panels_buttons_are_whole(window):
    for bar in (window.graph_panel.stepper, window.graph_panel.header):
        for button in bar.findChildren(QToolButton):
            if button.isVisible():
                assert bar.rect().contains(QRect(button.mapTo(bar, QPoint()), button.size()))
                assert button.width() >= button.fontMetrics().horizontalAdvance(button.text())


@pytest.mark.parametrize("factor", [1.5, 2.0])
def test_letters_are_as_large_as_the_systems_and_every_button_whole_in_a_narrow_window(
    window, qapp, qtbot, factor, subtests
):
    larger(qapp, factor)
    expected = round(13 * factor)
    with subtests.test("letters"):
        label = window.docks["ExpressionPanel"].panel.findChild(QLabel)
        assert text_pixels() == expected
        assert QFontInfo(label.font()).pixelSize() == expected
        assert QFontInfo(window.docks["ExpressionPanel"].panel.editor.font()).pixelSize() == expected
        assert mono_font(12).pixelSize() == round(12 * expected / 13)
    with subtests.test("buttons"):
        window.resize(1024, 660)
        qtbot.waitUntil(lambda: window.width() <= 1024)
        assert_the_graph_panels_buttons_are_whole(window)


def test_letters_smaller_than_the_designed_ones_stay_readable(window, qapp):
    larger(qapp, 0.5)
    assert text_pixels() == 13


def test_the_buttons_that_scroll_a_row_of_tabs_have_their_arrows(window, qtbot):
    bar = QTabBar(window)
    for number in range(9):
        bar.addTab(f"panel {number}")
    bar.setGeometry(0, 0, 120, 30)
    bar.show()
    left, right = bar.findChildren(QToolButton)
    drawn = right.grab().toImage()
    right.setArrowType(Qt.ArrowType.NoArrow)
    assert right.grab().toImage() != drawn and left.isVisible()
