"""Themes: the system's is followed at all times, every text can be read, and letters are as large as the system's."""

import itertools

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QPalette
from PySide6.QtWidgets import QCheckBox, QFrame, QLabel, QLineEdit, QListWidget, QTabBar, QToolButton, QWidget

from gui.canvas.style import FLOW_LEVELS, CanvasStyle
from gui.panels.program import editor_marks
from gui.plots.step_plot import run_color
from gui.scheduling import idle_tasks
from gui.system_theme import SystemTheme, system_theme
from gui.theme import (
    CONTRASTS,
    DARK,
    LIGHT,
    PALETTES,
    THEMES,
    colors_of,
    distinct,
    mono_font,
    plain_theme,
    text_on,
    text_pixels,
)
from tests.gui.color_vision import VISION, ciede2000, contrast, difference

TEXTS = ("text", "muted", "accent", "positive", "negative", "third", "error")
GROUNDS = ("window", "panel", "canvas", "neutral", "input", "parameter", "output", "warning")
TINTS = ("positive_tint", "negative_tint", "third_tint")


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


@pytest.fixture(params=itertools.product(("light", "dark"), CONTRASTS, PALETTES), ids=" ".join)
def colors(request, qapp):
    """Each theme in each contrast with each palette."""
    return colors_of(*request.param)


def below(colors, pairs, least):
    """The pairs of tokens, or colours, whose contrast is too small."""
    found = {pair: contrast(*(getattr(colors, name, name) for name in pair)) for pair in pairs}
    return {pair: ratio for pair, ratio in found.items() if ratio < least}


def test_every_text_can_be_read_on_every_ground(colors):
    pairs = [*itertools.product(TEXTS, GROUNDS), ("on_accent", "accent"), *itertools.product(("text",), TINTS)]
    assert below(colors, pairs, 7.0 if colors.has_high_contrast else 4.5) == {}


def test_every_number_can_be_read_on_its_box(colors):
    style = CanvasStyle(colors)
    pens = {*(pen.color().name() for pen in (*style.data_pens.values(), *style.grad_pens.values()))}
    names = {brush.color().name() for brush in style.tints.values()}
    least = 7.0 if colors.has_high_contrast else 4.5
    assert below(colors, itertools.product(pens, {colors.panel, colors.canvas}), least) == {}
    assert below(colors, itertools.product((colors.text,), names), least) == {}


def test_every_word_of_a_program_can_be_read_in_every_line(colors, qtbot):
    formats = editor_marks.word_formats(colors)
    words = {form.foreground().color().name() for form in formats.values()}
    grounds = (colors.canvas, colors.warning, colors.output, colors.input)
    assert below(colors, itertools.product(words, grounds), 7.0 if colors.has_high_contrast else 4.5) == {}


def test_what_is_written_on_a_tint_can_be_read():
    for red, green, blue in itertools.product(range(0, 256, 51), repeat=3):
        ground = QColor(red, green, blue)
        assert contrast(text_on(ground), ground) >= 4.5


def test_high_contrast_has_strong_borders_edges_and_focus(colors):
    if not colors.has_high_contrast:
        colors = colors_of("dark" if colors.is_dark else "light", "high")
    assert below(colors, itertools.product(("line", "accent", "muted"), GROUNDS), 3.0) == {}
    style = CanvasStyle(colors)
    pens = [style.edge, style.wide_edge, style.border, style.thick_border, style.dashed, style.path_edge, style.focus]
    lines = {pen.color().name() for pen in (*pens, *map(style.level_pen, range(-FLOW_LEVELS, FLOW_LEVELS + 1)))}
    runs = {run_color(colors, number, None) for number in range(1, 12)}
    assert below(colors, itertools.product(lines | runs, (colors.canvas, colors.panel)), 3.0) == {}
    assert style.focus.color().alpha() == 255


@pytest.mark.parametrize("vision", VISION)
def test_signs_and_classes_are_told_apart_with_every_vision(colors, vision):
    """CIEDE2000 of 10 is seen at a glance; the two signs are much further apart than that."""
    assert difference(colors.positive, colors.negative, vision) > 30
    assert difference(colors.positive_tint, colors.negative_tint, vision) > 20
    for tokens in (("positive", "negative", "third"), TINTS):
        for one, other in itertools.combinations(tokens, 2):
            assert difference(getattr(colors, one), getattr(colors, other), vision) > 10, (one, other)


@pytest.mark.parametrize(
    ("one", "other", "published"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_measure_of_difference_is_the_published_one(one, other, published):
    assert ciede2000(one, other) == pytest.approx(published, abs=1e-4)


def test_exported_pictures_keep_the_plain_themes(colors):
    assert plain_theme(colors) is (DARK if colors.is_dark else LIGHT)


@pytest.mark.parametrize("ground", ["#FFFFFF", "#000000", "#1A1D24"])
def test_a_colour_too_near_to_its_ground_is_moved_until_it_is_distinct(ground):
    for color in ("#56B4E9", "#FFFFFF", "#000000", "#777777"):
        assert contrast(distinct(color, ground), ground) >= 3.0
    assert distinct("#ffffff", "#000000") == "#ffffff"


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


def test_a_list_that_its_own_rows_cover_has_another_theme_at_once(window):
    """Qt counts it as covered by what it holds: the rest of it stayed white until the program was idle."""
    rows = QListWidget(window.docks["ExpressionPanel"].panel, frameShape=QFrame.Shape.NoFrame)
    rows.setGeometry(0, 0, 50, 50)
    rows.show()
    for colors in (DARK, LIGHT):
        window.apply_theme(colors.name)
        assert rows.palette().color(QPalette.ColorRole.Base) == QColor(colors.panel)


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
