"""The data sets as small pictures: one is the data, a click or Return takes another.

Data of one's own stand among them as soon as there are any, so that one can go back to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QResizeEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QMenu,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QWidgetAction,
)

from datasets import DATASETS, Dataset, make_dataset, sample_rows, scaling_advice
from engine.document import Data, Document, DocumentError, replace_section
from engine.experiment.prepared import prepare
from gui.painting import painting, saved
from gui.session import Session
from gui.theme import LIGHT, Colors, text_font, text_pixels

MOST_POINTS = 90
MARGIN = 5.0  # pixels
DOT = 3.2
SHADES = 9
Index = QModelIndex | QPersistentModelIndex
PICTURE = QSize(42, 31)  # pixels, as drawn with letters of 13 pixels
GAP, CAPTION, CAPTION_HEIGHT, RADIUS = 5, 10, 13, 5
SEED = 1
FEW = 60
MOST_COLUMNS = 5  # in the menu
TEXTS = {
    "tip": "{title}. {about}",
    "kind": "{name} ▾",
    "kind tip": "{title}. {about} Click to choose other data.",
}
OF_SOURCES = {
    "formula": ("formula", "A formula of your own", "Type what is to be learnt, in x1 and x2."),
    "table": ("table", "Your table", "The table that was imported last."),
    "points": ("drawn", "Your points", "The points that were drawn."),
}
"""Short name, title and a sentence for sources other than generators."""


def data_picture(dataset: Dataset, colors: Colors, size: QSize, sharpness: float = 1.0) -> QPixmap:
    """A sample of the points of a data set: classes by colour and shape, a height by its shade, a curve as it runs.

    Of points with more than two numbers the first two are shown.

    Args:
        dataset: unscaled.
        colors: of the theme.
        size: in pixels of the widget.
        sharpness: of the screen: its pixels for each of the widget's.
    """
    picture = _empty_picture(size, sharpness)
    with painting(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        groups = dataset.classes if dataset.n_classes else np.zeros(dataset.n_samples, dtype=np.int64)
        rows = sample_rows(groups, MOST_POINTS)
        across, up = _places(dataset, rows, size)
        few = 1.6 if len(rows) <= 12 else 1.0
        for x, y, (color, square) in zip(across, up, _looks(dataset, rows, colors), strict=True):
            painter.setBrush(QColor(color))
            dot = QRectF(x - few * DOT / 2, y - few * DOT / 2, few * DOT, few * DOT)
            painter.drawRect(dot) if square else painter.drawEllipse(dot)
    return picture


def action_picture(lines: bool, colors: Colors, size: QSize, sharpness: float = 1.0) -> QPixmap:
    """Return the picture for data still to be made: lines of a table, or a stroke."""
    picture = _empty_picture(size, sharpness)
    with painting(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colors.muted), 1.4))
        left, right = size.width() * 0.28, size.width() * 0.72
        middle, third = size.height() / 2, size.height() / 5
        if lines:
            for height in (middle - third, middle, middle + third):
                painter.drawLine(QPointF(left, height), QPointF(right, height))
        else:
            painter.drawLine(QPointF(left, middle + third), QPointF(right, middle - third))
    return picture


def _empty_picture(size: QSize, sharpness: float) -> QPixmap:
    picture = QPixmap(size * sharpness)
    picture.setDevicePixelRatio(sharpness)
    picture.fill(Qt.GlobalColor.transparent)
    return picture


def _places(dataset: Dataset, rows: NDArray[np.int64], size: QSize) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the places of the points, pixels; y goes up, and data of two equal units keep their aspect ratio."""
    first = dataset.X[:, 0]
    is_curve = dataset.n_features == 1
    second = np.asarray(dataset.y if is_curve else dataset.X[:, 1], dtype=float)
    room = np.array([size.width() - 2 * MARGIN, size.height() - 2 * MARGIN])
    low = np.array([first.min(), second.min()])
    span = np.array([np.ptp(first), np.ptp(second)])
    scale = np.divide(room, span, out=np.full(2, np.inf), where=span > 0)
    if not is_curve:
        scale[:] = scale.min()
    scale[~np.isfinite(scale)] = 0.0
    offset = (np.array([size.width(), size.height()]) - span * scale) / 2
    across = offset[0] + (first[rows] - low[0]) * scale[0]
    return across, size.height() - offset[1] - (second[rows] - low[1]) * scale[1]


def _looks(dataset: Dataset, rows: NDArray[np.int64], colors: Colors) -> list[tuple[str, bool]]:
    """Return the colour of each point, and True for squares."""
    if dataset.n_classes:
        palette = (colors.negative, colors.positive, colors.third, colors.accent, colors.muted)
        return [(palette[kind % len(palette)], kind == 1) for kind in dataset.classes[rows]]
    if dataset.n_features == 1:
        return [(colors.positive, False)] * len(rows)
    low, span = float(dataset.y.min()), float(np.ptp(dataset.y)) or 1.0
    middle, shades = QColor(colors.line), []  # from the negative over the neutral to the positive colour
    for share in np.linspace(-1.0, 1.0, SHADES).tolist():
        end = QColor(colors.positive if share >= 0 else colors.negative)
        pairs = ((middle.red(), end.red()), (middle.green(), end.green()), (middle.blue(), end.blue()))
        shades.append(QColor(*(round(dark + abs(share) * (bright - dark)) for dark, bright in pairs)).name())
    return [(shades[int((value - low) / span * (SHADES - 1) + 0.5)], False) for value in dataset.y[rows]]


@dataclass(frozen=True)
class Tile:
    """One of the pictures that can be chosen.

    Attributes:
        source: of the data, as in the document's data section; "" for an action of the window.
        name: of a generator, or of the action.
        short: under the picture.
        title: as the undo menu and screen readers call it.
        about: a sentence on it.
    """

    source: str
    name: str
    short: str
    title: str
    about: str

    @property
    def key(self) -> tuple[str, str]:
        """Key that identifies the choice."""
        return self.source, self.name if self.source in ("generator", "") else ""


ACTION_TILES: tuple[Tile, ...] = (
    Tile("", "import data", "CSV …", "Import a table", "Choose a file with a table of your own: CSV, TSV."),
    Tile("", "draw points", "draw …", "Draw points", "Draw the points yourself, on the plot of the decision boundary."),
)
"""Ways to data of one's own: actions of the window, see `DataTiles.action_requested`."""


def tiles_of(data: Data) -> tuple[Tile, ...]:
    """Return the tiles offered for this data, in order."""
    generators = (Tile("generator", e.name, e.short, e.title, e.description) for e in DATASETS.values())
    own = [source for source in ("table", "points") if getattr(data, source) or data.source == source]
    others = (Tile(source, "", *OF_SOURCES[source]) for source in ("formula", *own))
    return (*generators, *others, *ACTION_TILES)


def key_of(data: Data) -> tuple[str, str]:
    """The key of the tile that is this data."""
    return data.source, data.name if data.source == "generator" else ""


class _TilePainter(QStyledItemDelegate):
    """Draws a picture in its frame, and its name below."""

    colors: Colors = LIGHT
    chosen: tuple[str, str] = ("", "")

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return cell_size()

    def paint(self, painter: QPainter, option: Any, index: Index) -> None:
        tile: Tile = index.data(Qt.ItemDataRole.UserRole)
        picture: QPixmap = index.data(Qt.ItemDataRole.DecorationRole)
        is_chosen = tile.key == self.chosen
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            frame = QRect(option.rect.topLeft(), picture_size()).adjusted(1, 1, -1, -1)
            marked = option.state & (QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_MouseOver)
            line = self.colors.accent if is_chosen or marked else self.colors.line
            painter.setPen(QPen(QColor(line), 2.0 if is_chosen else 1.0))
            painter.setBrush(QColor(self.colors.canvas))
            painter.drawRoundedRect(frame, RADIUS, RADIUS)
            painter.drawPixmap(option.rect.topLeft(), picture)
            painter.setFont(text_font(text_pixels(CAPTION)))
            painter.setPen(QColor(self.colors.text if is_chosen else self.colors.muted))
            width, above = picture_size().width() + GAP, frame.bottom() + 2
            caption = QRect(option.rect.left() - GAP // 2, above, width, text_pixels(CAPTION_HEIGHT))
            name = painter.fontMetrics().elidedText(tile.short, Qt.TextElideMode.ElideRight, width)
            painter.drawText(caption, Qt.AlignmentFlag.AlignCenter, name)


def picture_size() -> QSize:
    """Return the size of a picture with its frame, pixels."""
    return QSize(text_pixels(PICTURE.width()), text_pixels(PICTURE.height()))


def cell_size() -> QSize:
    """Return the size of a tile: picture, name and the margins around both, pixels."""
    return picture_size() + QSize(GAP, text_pixels(CAPTION_HEIGHT) + GAP)


class DataTiles(QListView):
    """The pictures, as many in a row as there is room for; high enough for all rows, so that it never scrolls.

    Attributes:
        tiles: in order.

    Signals:
        action_requested(str): the name of an action of the window, by its tile.
        chosen(): a tile was clicked, or Return was pressed on it.
    """

    action_requested = Signal(str)
    chosen = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.tiles: Sequence[Tile] = ()
        self._session, self._colors = session, LIGHT
        self._drawn: dict[str, Data] = {}
        self._are_old = False  # the pictures, of another theme
        self._model = QStandardItemModel(self)
        self._painter = _TilePainter(self)
        self.setModel(self._model)
        self.setItemDelegate(self._painter)
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setSelectionMode(QListView.SelectionMode.NoSelection)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("QListView { background: transparent; border: none; padding: 0; }")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("data sets")
        self.clicked.connect(lambda index: self.choose(self.tiles[index.row()]))
        self.activated.connect(lambda index: self.choose(self.tiles[index.row()]))

    def set_colors(self, colors: Colors) -> None:
        self._colors = self._painter.colors = colors
        self._are_old, self._drawn = True, {}

    def show_data(self, data: Data) -> None:
        """Show which of them is the data; pictures are drawn where they are new."""
        tiles = tiles_of(data)
        if self._are_old or tiles != tuple(self.tiles):
            self._model.clear()
            self._are_old, self._drawn = False, {}
            for tile in tiles:
                item = QStandardItem()
                item.setEditable(False)
                item.setData(tile, Qt.ItemDataRole.UserRole)
                item.setData(tile.title, Qt.ItemDataRole.AccessibleTextRole)
                item.setData(tile.about, Qt.ItemDataRole.AccessibleDescriptionRole)
                item.setToolTip(TEXTS["tip"].format(title=tile.title, about=tile.about))
                item.setData(self._picture(tile, data), Qt.ItemDataRole.DecorationRole)
                self._model.appendRow(item)
            self.tiles = tiles
        for row, tile in enumerate(tiles):
            if tile.source in OF_SOURCES and self._drawn.get(tile.source) != (shown := _shown(tile, data)):
                self._drawn[tile.source] = shown
                self._model.item(row).setData(self._picture(tile, data), Qt.ItemDataRole.DecorationRole)
        self._painter.chosen = key_of(data)
        self.setCurrentIndex(self._model.index(self._row_of(data), 0))
        self._fit()
        self.viewport().update()

    def choose(self, tile: Tile) -> None:
        """Use a tile's data; a generator comes with its own number of points and noise."""
        self.chosen.emit()
        if not tile.source:
            self.action_requested.emit(tile.name)
            return
        fields: dict[str, Any] = {"source": tile.source}
        if tile.source == "generator":
            entry = DATASETS[tile.name]
            fields |= {"name": tile.name, "n_samples": entry.n_samples, "noise": entry.noise}
        data = self._session.document.data
        if tile.source != data.source:  # whether to standardise is a question of the numbers of a table
            is_table = tile.source == "table"
            fields["scaling"] = is_table and bool(scaling_advice(prepare(_shown(tile, data)).raw))
        if tile.key != key_of(data):
            self._session.edit("data set", data=fields)

    def _row_of(self, data: Data) -> int:
        return next((row for row, tile in enumerate(self.tiles) if tile.key == key_of(data)), 0)

    def shown_tile(self, data: Data) -> tuple[Tile, QPixmap]:
        """Return the tile of the data, once they are shown, and its picture."""
        row = self._row_of(data)
        picture: QPixmap = self._model.item(row).data(Qt.ItemDataRole.DecorationRole)
        return self.tiles[row], picture

    def _picture(self, tile: Tile, data: Data) -> QPixmap:
        look = self._colors, picture_size(), self.devicePixelRatioF()
        if tile.source == "generator":
            return data_picture(make_dataset(tile.name, FEW, seed=SEED), *look)
        try:
            return data_picture(prepare(_shown(tile, data)).raw, *look)
        except DocumentError:  # none yet, or a formula without a value somewhere
            return action_picture(tile.name == "import data" or tile.source == "table", *look)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._fit()

    def height_for(self, width: int) -> int:
        """Return the height of all rows in a list so wide, pixels."""
        cell = cell_size()
        return -(-len(self.tiles) // max(1, (width - 2) // cell.width())) * cell.height() + 2

    def _fit(self) -> None:
        cell = cell_size()
        if cell != self.gridSize():  # setting it again would lay out everything again
            self.setGridSize(cell)
        self.setFixedHeight(self.height_for(self.width()))


class DataButton(QToolButton):
    """Button with picture and name of the data, for panels without room for all tiles; opens a menu of the tiles.

    Attributes:
        tiles: in the menu.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.tiles = DataTiles(session)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("data set")
        menu, self._holder = QMenu(self), QWidgetAction(self)
        self._holder.setDefaultWidget(self.tiles)
        menu.addAction(self._holder)
        menu.aboutToShow.connect(self._show_tiles)
        self.tiles.chosen.connect(menu.close)
        self.setMenu(menu)

    def _show_tiles(self) -> None:
        self.tiles.show_data(self._session.document.data)
        width = MOST_COLUMNS * cell_size().width() + 4
        self.tiles.setFixedSize(width, self.tiles.height_for(width))
        self.menu().removeAction(self._holder)  # a menu keeps the size that a widget had when it was added
        self.menu().addAction(self._holder)
        self.tiles.setFocus()

    def show_tile(self, tile: Tile, picture: QPixmap) -> None:
        self.setText(TEXTS["kind"].format(name=tile.short))
        self.setToolTip(TEXTS["kind tip"].format(title=tile.title, about=tile.about))
        self.setIcon(QIcon(picture))
        self.setIconSize(QSize(text_pixels(PICTURE.width() // 2), text_pixels(PICTURE.height() // 2)))


def _shown(tile: Tile, data: Data) -> Data:
    """The data of one's own that a tile stands for, as few of them as a picture needs."""
    few = {"n_samples": FEW, "noise": 0.0} if tile.source == "formula" else {}
    fields = {"source": tile.source, "features": (), "scaling": False, "test_share": 0.0, **few}
    return replace_section(Document(data=data), "data", **fields).data
