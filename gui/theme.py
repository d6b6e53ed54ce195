"""The colours of both themes, in one table, and how they reach Qt's widgets.

Everything that paints (widgets, plots, the graph canvas, exported pictures) takes a `Colors`. The palette is built from
its tokens; the style sheet is the same in all themes and names the palette's roles. Fusion is the base style on every
system.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

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


LIGHT = Colors(
    "light", window="#F4F5F7", panel="#FFFFFF", canvas="#FBFBFC", line="#DFE3E9", text="#1B1F27", muted="#5F697D",
    accent="#3B5BDB", on_accent="#FFFFFF", positive="#1D5FC2", negative="#AE4B09", third="#7E3F70",
    input="#E8F0FE", parameter="#F1EAFB", output="#E6F6EF", neutral="#F2F4F7",
    positive_tint="#7FA6E3", negative_tint="#F0A878", third_tint="#CBA0BF", warning="#FFF3CD", error="#B42318",
)  # fmt: skip
DARK = Colors(
    "dark", window="#121419", panel="#1A1D24", canvas="#15181E", line="#2D323C", text="#E7EAF0", muted="#98A2B3",
    accent="#8AA4FF", on_accent="#121419", positive="#6EA8FE", negative="#F2994A", third="#D3A3C8",
    input="#1C2A44", parameter="#2C2240", output="#17332A", neutral="#22262F",
    positive_tint="#28508F", negative_tint="#9A5526", third_tint="#6B4661", warning="#3A3215", error="#FF8A80",
)  # fmt: skip
THEMES = {colors.name: colors for colors in (LIGHT, DARK)}


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
QFileDialog QToolButton {{ padding: 3px; }}
QToolButton::menu-indicator {{ image: none; width: 0; }}
QToolButton[popupMode="2"] {{ padding-right: 10px; }}
QAbstractScrollArea::corner {{ background: transparent; border: none; }}
QLineEdit, QComboBox, QAbstractSpinBox, QPlainTextEdit, QTextBrowser, QAbstractScrollArea#field {{ background: {canvas};
    color: {text}; border: 1px solid {line}; border-radius: 6px; padding: 3px 6px;
    selection-background-color: {accent}; selection-color: {on_accent}; }}
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
