"""The colours of all themes, in tables, and how they reach Qt's widgets.

A theme is light or dark, of normal or high contrast, and has the sign colours of one palette: `colors_of`. Everything
that paints (widgets, plots, the graph canvas, exported pictures) takes a `Colors`. The palette is built from its
tokens; the style sheet is the same in all themes and names the palette's roles. Fusion is the base style everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QGuiApplication, QPalette
from PySide6.QtWidgets import QWidget


@dataclass(frozen=True)
class Colors:
    """Colour tokens of one theme, as #RRGGBB.

    Attributes:
        window: behind panels.
        panel: panels and node boxes.
        canvas: graph canvas and editor.
        line: borders.
        text, muted: text; captions and units.
        accent: selection, primary button, active path. `on_accent` is text on it.
        positive, negative: sign of a gradient or weight, class +1 and -1.
        input, parameter, output, neutral: tints of a node's label cell.
        positive_tint, negative_tint: areas of the decision boundary.
        warning: background of the current line and of notices.
        is_dark, has_high_contrast: which kind of theme it is.
        sign_words: names of the colours of positive and negative numbers, for legends.
    """

    name: str
    window: str
    panel: str
    canvas: str
    line: str
    text: str
    muted: str
    accent: str
    on_accent: str
    positive: str
    negative: str
    third: str
    input: str
    parameter: str
    output: str
    neutral: str
    positive_tint: str
    negative_tint: str
    third_tint: str
    warning: str
    error: str
    is_dark: bool = False
    has_high_contrast: bool = False
    sign_words: tuple[str, str] = ("blue", "orange")


LIGHT = Colors(
    "light", window="#F4F5F7", panel="#FFFFFF", canvas="#FBFBFC", line="#DFE3E9", text="#1B1F27", muted="#5F697D",
    accent="#3B5BDB", on_accent="#FFFFFF", positive="#1D5FC2", negative="#AE4B09", third="#7E3F70",
    input="#E8F0FE", parameter="#F1EAFB", output="#E6F6EF", neutral="#F2F4F7",
    positive_tint="#7FA6E3", negative_tint="#F0A878", third_tint="#D9BDD1", warning="#FFF3CD", error="#B42318",
)  # fmt: skip
DARK = Colors(
    "dark", window="#121419", panel="#1A1D24", canvas="#15181E", line="#2D323C", text="#E7EAF0", muted="#98A2B3",
    accent="#8AA4FF", on_accent="#121419", positive="#6EA8FE", negative="#F2994A", third="#D3A3C8",
    input="#1C2A44", parameter="#2C2240", output="#17332A", neutral="#22262F",
    positive_tint="#28508F", negative_tint="#9A5526", third_tint="#6B4661", warning="#3A3215", error="#FF8A80",
    is_dark=True,
)  # fmt: skip
LIGHT_HIGH = Colors(
    "light, high contrast", window="#FFFFFF", panel="#FFFFFF", canvas="#FFFFFF", line="#5A606B", text="#000000",
    muted="#3A404C", accent="#1B3AA6", on_accent="#FFFFFF", positive="#0B3FA8", negative="#7B2900", third="#4A0F45",
    input="#E6F0FF", parameter="#F3EAFF", output="#E2F7EC", neutral="#F0F0F0",
    positive_tint="#91A9D8", negative_tint="#C49F8C", third_tint="#D2C3D1", warning="#FFF1B8", error="#8F1010",
    has_high_contrast=True,
)  # fmt: skip
DARK_HIGH = Colors(
    "dark, high contrast", window="#000000", panel="#000000", canvas="#000000", line="#9AA1AD", text="#FFFFFF",
    muted="#CDD3DD", accent="#AFC2FF", on_accent="#000000", positive="#92B8F3", negative="#FFA826", third="#FFBFDF",
    input="#0A1C38", parameter="#221538", output="#06281B", neutral="#1C1C1C",
    positive_tint="#42536D", negative_tint="#734C11", third_tint="#403038", warning="#332900", error="#FFB0A8",
    is_dark=True, has_high_contrast=True,
)  # fmt: skip
THEMES = {colors.name: colors for colors in (LIGHT, DARK)}
"""Themes of the menu and of exported pictures."""
BASES = {
    ("light", "normal"): LIGHT,
    ("dark", "normal"): DARK,
    ("light", "high"): LIGHT_HIGH,
    ("dark", "high"): DARK_HIGH,
}
CONTRASTS = ("normal", "high")
SIGN_TOKENS = ("positive", "negative", "third", "positive_tint", "negative_tint", "third_tint")
FIRST_PALETTE = "blue and orange"
PALETTES: Mapping[str, Mapping[tuple[str, str], str]] = {
    FIRST_PALETTE: {kind: " ".join(getattr(colors, token) for token in SIGN_TOKENS) for kind, colors in BASES.items()},
    "purple and green": {
        ("light", "normal"): "#6B21A8 #1F7300 #3F0010 #D7C5E7 #6CA358 #A68A92",
        ("dark", "normal"): "#C9A0FF #5FD35F #DB8399 #665583 #366C3B #47333D",
        ("light", "high"): "#4B0082 #004B00 #3F0020 #AE8CC7 #8CAE8C #CFBFC7",
        ("dark", "high"): "#DDB3FF #33FF33 #9EC392 #635173 #125912 #283125",
    },
    "blue and vermilion": {
        ("light", "normal"): "#0062B0 #AB4400 #00402F #5898CB #C78458 #BCCCC9",
        ("dark", "normal"): "#56B4E9 #FF8A33 #BFFFE4 #253F51 #96572A #516963",
        ("light", "high"): "#004A8C #8A2400 #0A3326 #739BC0 #CA9C8C #C2CCC9",
        ("dark", "high"): "#73BEFF #FFA55C #BFFFE4 #1D3040 #734A29 #435950",
    },
}
"""Colours of signs, classes and decision regions, in the order of `SIGN_TOKENS`: apart for colour-blind people, too.
The third palette takes its hues from Okabe & Ito, "Color Universal Design" (2008)."""


@lru_cache
def colors_of(theme: str, contrast: str = "normal", palette: str = FIRST_PALETTE) -> Colors:
    """Return the colours of a theme; the same object for the same names.

    Args:
        theme: "light" or "dark".
        contrast: one of `CONTRASTS`.
        palette: a name of `PALETTES`.
    """
    base = BASES[theme, contrast]
    if palette == FIRST_PALETTE:
        return base
    signs: dict[str, Any] = dict(zip(SIGN_TOKENS, PALETTES[palette][theme, contrast].split(), strict=True))
    above, _and, below = palette.split()
    return replace(base, name=f"{base.name}, {palette}", sign_words=(above, below), **signs)


def plain_theme(colors: Colors) -> Colors:
    """Return the theme of normal contrast and the first palette that is as light or dark: for exported pictures."""
    return DARK if colors.is_dark else LIGHT


def luminance(color: str | QColor) -> float:
    """Return the relative luminance of a colour, 0 to 1 (WCAG 2.1)."""
    channels = QColor(color)
    parts = channels.redF(), channels.greenF(), channels.blueF()
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast_ratio(one: str | QColor, other: str | QColor) -> float:
    """Return the contrast of two colours, 1 to 21 (WCAG 2.1)."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def distinct(color: str, ground: str, least: float = 3.0) -> str:
    """Return the colour, lighter or darker where its contrast to the ground is below `least`."""
    shade, end = QColor(color), QColor("#FFFFFF" if luminance(ground) < 0.18 else "#000000")
    for _step in range(20):
        if contrast_ratio(shade, ground) >= least:
            break
        pairs = (shade.redF(), end.redF()), (shade.greenF(), end.greenF()), (shade.blueF(), end.blueF())
        shade = QColor.fromRgbF(*(0.9 * part + 0.1 * last for part, last in pairs))
    return shade.name()


def readable_text(color: str, colors: Colors) -> str:
    """Return the colour, darker or lighter where it has not the contrast of text: 4.5 : 1, in high contrast 7 : 1."""
    return distinct(color, colors.panel, 7.0 if colors.has_high_contrast else 4.5)


def text_on(ground: str | QColor) -> str:
    """Return black or white, whichever is easier to read on the ground: at least 4.5 : 1."""
    return max("#000000", "#FFFFFF", key=lambda color: contrast_ratio(color, ground))


def set_style_property(widget: QWidget, name: str, value: bool | str) -> None:
    """Sets a property that the style sheet looks at ("error", "invalid"), and has the widget drawn by it."""
    widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def make_palette(colors: Colors) -> QPalette:
    """The Qt palette of a theme, disabled state included."""
    palette = QPalette()
    roles = {
        QPalette.ColorRole.Window: colors.window,
        QPalette.ColorRole.WindowText: colors.text,
        QPalette.ColorRole.Base: colors.panel,
        QPalette.ColorRole.AlternateBase: colors.canvas,
        QPalette.ColorRole.Text: colors.text,
        QPalette.ColorRole.PlaceholderText: colors.muted,
        QPalette.ColorRole.Button: colors.panel,
        QPalette.ColorRole.ButtonText: colors.text,
        QPalette.ColorRole.BrightText: colors.error,
        QPalette.ColorRole.ToolTipBase: colors.panel,
        QPalette.ColorRole.ToolTipText: colors.text,
        QPalette.ColorRole.Highlight: colors.accent,
        QPalette.ColorRole.HighlightedText: colors.on_accent,
        QPalette.ColorRole.Link: colors.accent,
        QPalette.ColorRole.LinkVisited: colors.neutral,
        QPalette.ColorRole.Light: colors.panel,
        QPalette.ColorRole.Midlight: colors.line,
        QPalette.ColorRole.Mid: colors.line,
        QPalette.ColorRole.Dark: colors.line,
        QPalette.ColorRole.Shadow: colors.window,
    }
    for role, color in roles.items():
        palette.setColor(role, QColor(color))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(colors.muted))
    return palette


def mono_font(pixels: int) -> QFont:
    """The fixed-width face for numbers and code in panels: digits that do not jump.

    Args:
        pixels: its height; scaled with the system's text size.
    """
    return drawn_mono_font(text_pixels(pixels))


def drawn_mono_font(pixels: int) -> QFont:
    """The fixed-width face, exactly `pixels` high, for drawings that have a zoom of their own."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setPixelSize(pixels)
    return font


TEXT_SIZES = (80, 90, 100, 110, 125, 150, 175, 200)
"""Sizes of all text and figures that the user can choose, percent of the system's."""
_TEXT_SIZE, _TEXT_SIZED = "textSize", "textSized"
"""Property of the application, and of widgets."""
SMALL_LETTERS = (10, 11, 12)
"""Heights of smaller letters that the style sheet knows, pixels; see `small_letters` in gui/widgets/labels.py."""


def text_size() -> int:
    """Return the size of all text that the user has chosen, percent."""
    application = QGuiApplication.instance()
    return 100 if application is None else int(application.property(_TEXT_SIZE) or 100)


def set_text_size(percent: int) -> None:
    """Choose the size of all text and figures, one of `TEXT_SIZES`; the window has to be restyled then."""
    application = QGuiApplication.instance()
    assert application is not None
    application.setProperty(_TEXT_SIZE, percent)


def text_scale() -> float:
    """Return how much larger than designed all text is: by the system's letters and the user's choice."""
    dots_per_inch = QGuiApplication.primaryScreen().logicalDotsPerInch()
    return _system_scale(QGuiApplication.font().key(), dots_per_inch) * text_size() / 100


def text_pixels(plain: int = 13) -> int:
    """Scale the height of text, or of a widget that holds some.

    Args:
        plain: pixels in the designed size.
    """
    return round(plain * text_scale())


def set_text_sized(widget: QWidget, **plain: int) -> None:
    """Give a widget sizes in pixels that follow the size of text, now and whenever that changes.

    Args:
        widget: any widget.
        **plain: pixels in the designed size, by the setter's name, such as `setFixedWidth=48`.
    """
    widget.setProperty(_TEXT_SIZED, (widget.property(_TEXT_SIZED) or {}) | plain)
    for setter, pixels in plain.items():
        getattr(widget, setter)(text_pixels(pixels))


def follow_text_size(root: QWidget) -> None:
    """Resize all widgets of a window that were sized by `set_text_sized` to the present text size."""
    for widget in root.findChildren(QWidget):
        for setter, pixels in (widget.property(_TEXT_SIZED) or {}).items():
            getattr(widget, setter)(text_pixels(pixels))


@lru_cache(1)
def _system_scale(_font: str, _dots_per_inch: float) -> float:
    """Return the system's text size relative to the usual one. Cached, as a lookup takes 0.2 ms."""
    return max(1.0, QFontInfo(QGuiApplication.font()).pixelSize() / 13)


def text_font(pixels: int, bold: bool = False) -> QFont:
    """The interface's face, exactly `pixels` high, for drawings."""
    font = QFont(QGuiApplication.font())
    font.setPixelSize(pixels)
    font.setBold(bold)
    return font


STYLE_ROLES = {
    "window": "window", "panel": "button", "canvas": "alternate-base", "line": "mid", "text": "tooltip-text",
    "muted": "placeholder-text", "accent": "highlight", "on_accent": "highlighted-text", "neutral": "link-visited",
    "error": "bright-text",
}  # fmt: skip
"""Palette role of each token of the style sheet: one that is equal in the disabled group."""

ICONS = Path(__file__).resolve().parents[1] / "resources" / "icons"

STYLE_SHEET = """
* {{ font-size: {text_pixels}px; }}
QMainWindow, QDialog {{ background: {window}; }}
QMainWindow::separator {{ background: {window}; width: 6px; height: 6px; }}
QMainWindow::separator:hover {{ background: {accent}; }}
QToolBar {{ background: {panel}; border: none; border-bottom: 1px solid {line}; padding: 5px 8px; spacing: 6px; }}
QStatusBar {{ background: {panel}; border-top: 1px solid {line}; color: {muted}; }}
QStatusBar::item {{ border: none; }}
QDockWidget {{ color: {text}; font-weight: 600; }}
QFrame#titleBar {{ background: {panel}; border: 1px solid {line}; border-top-left-radius: 7px;
    border-top-right-radius: 7px; }}
QLabel[title="true"], PaintedLabel[title="true"] {{ font-weight: 600; }}
QFrame#titleBar QToolButton {{ padding: 0 6px; }}
QFrame#panel {{ background: {panel}; border: 1px solid {line}; border-top: none; border-bottom-left-radius: 7px;
    border-bottom-right-radius: 7px; }}
QFrame#card {{ background: {panel}; border: 1px solid {line}; border-radius: 7px; }}
QPushButton, QToolButton {{ background: {panel}; color: {text}; border: 1px solid {line}; border-radius: 6px;
    padding: 4px 10px; }}
QPushButton:hover, QToolButton:hover {{ border-color: {accent}; }}
QPushButton:pressed, QToolButton:pressed {{ background: {neutral}; border-color: {accent}; }}
QToolButton:checked {{ background: {accent}; color: {on_accent}; border-color: {accent}; }}
QPushButton:disabled, QToolButton:disabled {{ color: {muted}; background: {window}; }}
QPushButton:focus, QToolButton:focus {{ border-color: {accent}; }}
*[primary="true"] {{ background: {accent}; color: {on_accent}; border-color: {accent}; font-weight: 600; }}
*[primary="true"]:focus {{ border-color: {text}; }}
*[primary="true"]:disabled {{ background: {neutral}; color: {muted}; border-color: {line}; }}
QFrame#card QToolButton {{ padding: 4px 8px; }}
QFrame#segments {{ background: {panel}; border: 1px solid {line}; border-radius: 6px; }}
QFrame#segments QToolButton {{ border: 1px solid transparent; border-radius: 5px; padding: 3px 10px; }}
QFrame#segments QToolButton:focus {{ border-color: {accent}; }}
MainBar QToolButton, MainBar QToolButton[popupMode="2"], MainBar QFrame#segments QToolButton {{ padding: 4px 3px; }}
QFileDialog QToolButton {{ padding: 3px; }}
QToolButton::menu-indicator {{ image: none; width: 0; }}
QToolButton[popupMode="2"] {{ padding-right: 10px; }}
QAbstractScrollArea::corner {{ background: transparent; border: none; }}
QLineEdit, QComboBox, QAbstractSpinBox, QPlainTextEdit, QTextBrowser, QAbstractScrollArea#field {{ background: {canvas};
    color: {text}; border: 1px solid {line}; border-radius: 6px; padding: 3px 6px;
    selection-background-color: {accent}; selection-color: {on_accent}; placeholder-text-color: {muted}; }}
QLineEdit:focus, QComboBox:focus, QAbstractSpinBox:focus, QPlainTextEdit:focus {{ border-color: {accent}; }}
QLineEdit[invalid="true"] {{ border-color: {error}; }}
QComboBox {{ padding-right: 14px; }}
QComboBox::drop-down {{ border: none; width: 18px; }}
QComboBox::down-arrow {{ image: url("{icons}/chevron_light.svg"); width: {arrow}px; height: {arrow}px; }}
QAbstractSpinBox {{ padding-right: 18px; }}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ border: none; background: transparent; width: 18px; }}
QAbstractSpinBox::up-arrow {{ image: url("{icons}/chevron_up_light.svg"); width: 10px; height: 10px; }}
QAbstractSpinBox::down-arrow {{ image: url("{icons}/chevron_light.svg"); width: 10px; height: 10px; }}
QCheckBox::indicator, QTableView::indicator {{ width: {indicator}px; height: {indicator}px;
    border: 1px solid {muted}; border-radius: 3px; background: {canvas}; }}
QRadioButton::indicator {{ width: {indicator}px; height: {indicator}px; border: 1px solid {muted};
    border-radius: {radio}px; background: {canvas}; }}
QRadioButton::indicator:checked {{ border: {ring}px solid {accent}; width: {dot}px; height: {dot}px; }}
QRadioButton::indicator:focus, QRadioButton::indicator:hover {{ border-color: {accent}; }}
QCheckBox::indicator:checked, QTableView::indicator:checked {{ background: {accent}; border-color: {accent};
    image: url("{icons}/check_light.svg"); }}
QCheckBox::indicator:focus, QCheckBox::indicator:hover {{ border-color: {accent}; }}
QComboBox QAbstractItemView {{ background: {panel}; border: 1px solid {line}; }}
QLabel, PaintedLabel {{ background: transparent; }}
QLabel[muted="true"], PaintedLabel[muted="true"] {{ color: {muted}; }}
QLabel[error="true"], PaintedLabel[error="true"] {{ color: {error}; }}
QTextBrowser#lessonText {{ border: none; background: transparent; padding: 0; }}
QTextBrowser#lessonText, QLabel#lessonText {{ font-size: {lesson_text}px; }}
QLabel#startTitle {{ font-size: {start_title}px; font-weight: 600; }}
QLabel#doorTitle {{ font-size: {lesson_text}px; font-weight: 600; }}
QWidget#startPage {{ background: {window}; }}
QFrame#door {{ background: {panel}; border: 1px solid {line}; border-radius: 7px; }}
QFrame#door[first="true"] {{ border: 2px solid {accent}; }}
QFrame#door:hover {{ border-color: {accent}; }}
QFrame#liveExample {{ background: {canvas}; border: 1px solid {line}; border-radius: 7px; }}
QListWidget#exampleGrid {{ background: transparent; }}
QTreeWidget#lessonList {{ background: {panel}; alternate-background-color: {canvas}; border-radius: 7px; }}
QTreeWidget#lessonList::item {{ padding: 5px 6px; color: {text}; }}
QTreeWidget#lessonList::item:hover {{ background: {neutral}; }}
QTreeWidget#lessonList::item:selected:active {{ background: {accent}; color: {on_accent}; }}
QTableView#gallery {{ border-radius: 7px; }}
QTableView#gallery::item {{ padding: 0 5px; }}
QProgressBar#thin {{ background: {line}; border: none; border-radius: 3px; }}
QProgressBar#thin::chunk {{ background: {accent}; border-radius: 3px; }}
QLabel#lessonHeading {{ font-size: {lesson_heading}px; font-weight: 600; }}
QFrame#pointer {{ border: 3px solid {accent}; border-radius: 6px; background: transparent; }}
QFrame#notice {{ border: 1px solid {line}; border-radius: 7px; background: {canvas}; }}
QFrame#notice[kind="bad"] {{ border-color: {error}; }}
QFrame#notice[kind="good"] {{ border-color: {accent}; }}
QLabel[kind="bad"] {{ color: {error}; }}
QLabel[kind="good"] {{ color: {accent}; }}
QLabel[kind="plain"] {{ color: {muted}; }}
QToolButton#dot {{ padding: 0; border: 1px solid transparent; border-radius: 4px; background: {line}; }}
QToolButton#dot[state="done"] {{ background: {muted}; }}
QToolButton#dot[state="here"] {{ background: {accent}; }}
QToolButton#dot:focus, QToolButton#dot:hover {{ border-color: {text}; }}
QLabel#problem {{ background: {panel}; border: 1px solid {error}; border-radius: 6px; padding: 3px 6px; }}
QTabBar {{ background: {window}; }}
QTabBar::tab {{ background: {window}; color: {muted}; padding: 5px 10px; border: 1px solid {line};
    border-bottom-left-radius: 6px; border-bottom-right-radius: 6px; margin-right: 2px; }}
QTabBar::tab:selected {{ background: {panel}; color: {text}; }}
QTabBar QToolButton {{ padding: 0; border-radius: 3px; }}
QToolTip {{ background: {panel}; color: {text}; border: 1px solid {line}; padding: 4px; }}
QMenuBar {{ background: {panel}; color: {text}; border-bottom: 1px solid {line}; }}
QMenuBar::item:selected, QMenu::item:selected {{ background: {accent}; color: {on_accent}; }}
QMenu {{ background: {panel}; color: {text}; border: 1px solid {line}; padding: 4px; }}
QMenu::item {{ padding: 5px 24px 5px 16px; }}
QMenu::item:disabled {{ color: {muted}; }}
QMenu::separator {{ height: 1px; background: {line}; margin: 4px 8px; }}
QSlider::groove:horizontal {{ height: 4px; background: {line}; border-radius: 2px; }}
QSlider::sub-page:horizontal {{ background: {accent}; border-radius: 2px; }}
QSlider::handle:horizontal {{ background: {accent}; width: 14px; height: 14px; margin: -5px 0; border-radius: 7px; }}
QSlider::handle:horizontal:focus {{ border: 2px solid {text}; width: 10px; height: 10px; }}
QSlider::handle:horizontal:disabled, QSlider::sub-page:horizontal:disabled {{ background: {muted}; }}
QHeaderView::section {{ background: {panel}; color: {muted}; border: none; padding: 4px 8px; }}
QTableView {{ background: {panel}; color: {text}; border: none; gridline-color: {line}; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {line}; border-radius: 4px; min-height: 24px; min-width: 24px; }}
QScrollBar::handle:hover {{ background: {muted}; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{ background: none;
    width: 0; height: 0; }}
*[dark="true"] QComboBox::down-arrow {{ image: url("{icons}/chevron_dark.svg"); }}
*[dark="true"] QAbstractSpinBox::up-arrow {{ image: url("{icons}/chevron_up_dark.svg"); }}
*[dark="true"] QAbstractSpinBox::down-arrow {{ image: url("{icons}/chevron_dark.svg"); }}
*[dark="true"] QCheckBox::indicator:checked, *[dark="true"] QTableView::indicator:checked {{
    image: url("{icons}/check_dark.svg"); }}
*[contrast="high"] QPushButton:focus, *[contrast="high"] QToolButton:focus, *[contrast="high"] QLineEdit:focus,
*[contrast="high"] QComboBox:focus, *[contrast="high"] QAbstractSpinBox:focus, *[contrast="high"] QPlainTextEdit:focus,
*[contrast="high"] MessageLine:focus {{ border-width: 2px; }}
*[contrast="high"] QCheckBox:focus {{ border: 1px solid {accent}; border-radius: 3px; }}
LeafSliders {{ background: {panel}; }}
MessageLine {{ border: 1px solid transparent; border-radius: 4px; }}
MessageLine:focus {{ border-color: {accent}; }}
"""


def style_sheet() -> str:
    """The short style sheet of all themes, for letters as large as the system's; its colours are the palette's.

    A dark theme is one for the widgets in a window whose property "dark" is set: they take other pictures.
    """
    roles = {token: f"palette({role})" for token, role in STYLE_ROLES.items()}
    small = "".join(f'*[letters="{plain}"] {{ font-size: {text_pixels(plain)}px; }}\n' for plain in SMALL_LETTERS)
    pixels = {"text_pixels": text_pixels(), "indicator": text_pixels(14), "arrow": text_pixels(12)}
    ring = text_pixels(4)
    pixels |= {"radio": text_pixels(14) // 2 + 1, "ring": ring, "dot": text_pixels(14) + 2 - 2 * ring}
    pixels |= {"lesson_text": text_pixels(15), "lesson_heading": text_pixels(19), "start_title": text_pixels(24)}
    return STYLE_SHEET.format(**roles, **pixels, icons=ICONS.as_posix()) + small
