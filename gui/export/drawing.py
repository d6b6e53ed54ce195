"""Anything that can be painted as a file: PNG, SVG or PDF.

`IMAGE_FORMATS` is the one list of formats; a new one is one entry with a function that turns a `Drawing` into bytes.
Works without a window and in any thread; a QGuiApplication must exist: texts need fonts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPageSize, QPainter, QPdfWriter, QTransform

from gui.export.svg import Area, finished, with_settled_lines
from gui.painting import painting

if TYPE_CHECKING:
    from PySide6.QtSvg import QSvgGenerator

DOTS_PER_INCH = 96
"""Pixels in an inch, as on the web: the size of a PDF page or an SVG on paper."""
MOST_PIXELS = 40_000_000
"""As an image in memory 160 MB."""
LONGEST_SIDE = 32_000
SOFTWARE = "Gradstep"
"""Stands in every PNG and PDF."""
LONGEST_PAGE = 14_400.0
"""Points; PDF allows no longer page (ISO 32000-1, annex C)."""

HINTS = QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing
END = object()
"""Stands for a painting that has come to its end."""
MEASURED_AT = 100
"""Pixels of the letters by which widths of texts are measured."""

Paint = Callable[[QPainter], Iterator[None] | None]
"""Draws with a painter. One that yields may find it on another device afterwards, with the same coordinates and nothing
else of before: so a large SVG is written in pieces.
"""


class ExportError(ValueError):
    """Something that cannot be exported, with the reason and what could be."""


@dataclass(frozen=True)
class Drawing:
    """Content of the page.

    Attributes:
        size: pixels at scale 1, above 0.
        paint: draws between (0, 0) and `size` with the painter it is given.
        title: a plain text, written into the file.
        scale: pixels of a PNG for one pixel.
        families: for each of Qt's families what another reader should take, such as "'DejaVu Sans', sans-serif".
        windows: for each plot its area, whose background is painted first, and inside it the place where its curves may
            be seen (SVG knows no clipping of painters).
    """

    size: QSizeF
    paint: Paint
    title: str
    scale: float = 2.0
    families: Mapping[str, str] = field(default_factory=dict)
    windows: Sequence[tuple[QRectF, QRectF]] = ()

    def paint_all(self, painter: QPainter) -> None:
        """Draws it in one go."""
        for _ in self.paint(painter) or ():
            pass


def draw_image(drawing: Drawing) -> QImage:
    """The drawing as pixels.

    Raises:
        ExportError: when the image would be too large; the message names the largest scale. Or when the scale is no
            positive number.
    """
    scale = drawing.scale
    if not (math.isfinite(scale) and scale > 0):
        raise ExportError(f"the scale is a number above 0, not {scale}")
    width, height = pixel_size(drawing)
    if width * height > MOST_PIXELS or max(width, height) > LONGEST_SIDE:
        limit = largest_scale(drawing.size)
        raise ExportError(f"an image of {width:,} x {height:,} pixels is too large: the scale is at most {limit:.2f}")
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    image.setDevicePixelRatio(scale)  # a painter's scale would leave points and legends of plots small
    _paint_on(image, drawing)
    image.setDevicePixelRatio(1.0)
    dots = round(DOTS_PER_INCH * scale / 0.0254)  # set last: a QPicture is played larger on a finer device
    image.setDotsPerMeterX(dots)
    image.setDotsPerMeterY(dots)
    image.setText("Title", drawing.title)
    image.setText("Software", SOFTWARE)
    return image


def pixel_size(drawing: Drawing) -> tuple[int, int]:
    """Width and height of the drawing as an image."""
    return math.ceil(drawing.size.width() * drawing.scale), math.ceil(drawing.size.height() * drawing.scale)


def largest_scale(size: QSizeF) -> float:
    """The scale up to which an image is made, rounded down to two digits."""
    by_area = math.sqrt(MOST_PIXELS / (size.width() * size.height()))
    by_side = LONGEST_SIDE / max(size.width(), size.height())
    return max(0.01, math.floor(100 * min(by_area, by_side) * 0.999) / 100)


def at_most(drawing: Drawing) -> Drawing:
    """The drawing at its scale, or at the largest an image can have."""
    return replace(drawing, scale=min(drawing.scale, largest_scale(drawing.size)))


def draw_png(drawing: Drawing) -> bytes:
    """The bytes of a PNG file."""
    return png_bytes(draw_image(drawing))


def png_bytes(image: QImage) -> bytes:
    """An image as the bytes of a PNG file."""
    with _Memory() as memory:
        image.save(memory.device, "PNG")  # type: ignore[call-overload]
    return memory.content


def draw_svg(drawing: Drawing) -> bytes:
    """The bytes of an SVG file, with texts as texts."""
    text = finished(_svg_pieces(drawing), _text_width, drawing.families)
    if not drawing.windows:
        return text

    def sides(area: QRectF) -> Area:
        return area.x(), area.y(), area.width(), area.height()

    windows = {sides(area): sides(inside) for area, inside in drawing.windows}
    return with_settled_lines(text.decode(), windows).encode()


def _svg_pieces(drawing: Drawing) -> Iterator[bytes]:
    """A file for each piece of a drawing, as QSvgGenerator writes it, which takes ten times its size in memory."""
    painter, coordinates, steps = QPainter(), QTransform(), None
    is_done = False
    while not is_done:
        with _Memory() as memory:
            generator = _svg_generator(drawing, memory.device)
            with painting(generator, painter):
                painter.setRenderHints(HINTS)
                painter.setWorldTransform(coordinates)
                steps = iter(drawing.paint(painter) or ()) if steps is None else steps
                is_done = next(steps, END) is END
                coordinates = painter.worldTransform()
        del generator  # it holds all of it as a text of its own
        yield memory.content


def _svg_generator(drawing: Drawing, device: QIODevice) -> QSvgGenerator:
    from PySide6.QtSvg import QSvgGenerator

    generator = QSvgGenerator()
    generator.setOutputDevice(device)
    generator.setResolution(DOTS_PER_INCH)
    generator.setSize(QSize(math.ceil(drawing.size.width()), math.ceil(drawing.size.height())))
    generator.setViewBox(QRectF(0, 0, drawing.size.width(), drawing.size.height()))
    generator.setTitle(drawing.title)
    generator.setDescription("drawn by Gradstep")
    return generator


def _text_width(text: str, family: str, pixels: float, bold: bool, italic: bool) -> float:
    """Width of a text in pixels, as it is drawn without hinting."""
    font = QFont(family)
    font.setPixelSize(MEASURED_AT)
    font.setBold(bold)
    font.setItalic(italic)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return QFontMetricsF(font).horizontalAdvance(text) * pixels / MEASURED_AT


def draw_pdf(drawing: Drawing) -> bytes:
    """The bytes of a PDF with one page as large as the drawing, its pixels 1/96 inch.

    A drawing larger than PDF allows pages to be is made smaller. Qt's pages are whole points: the drawing is stretched
    by less than one to fill its page, or a line of another colour would be seen at its side.
    """
    points = drawing.size * (72.0 / DOTS_PER_INCH)
    shrink = min(1.0, LONGEST_PAGE / max(points.width(), points.height()))
    page = QSize(max(1, round(points.width() * shrink)), max(1, round(points.height() * shrink)))
    stretch = DOTS_PER_INCH / 72.0
    with _Memory() as memory:
        writer = QPdfWriter(memory.device)
        writer.setTitle(drawing.title)
        writer.setCreator(SOFTWARE)
        writer.setResolution(DOTS_PER_INCH)  # coordinates are real numbers, so nothing is lost
        match = QPageSize.SizeMatchPolicy.ExactMatch
        writer.setPageSize(QPageSize(page, "", match))
        writer.setPageMargins(QMarginsF(0, 0, 0, 0))
        width, height = page.width() * stretch, page.height() * stretch
        _paint_on(writer, drawing, (width / drawing.size.width(), height / drawing.size.height()))
    return memory.content


def _paint_on(device: QImage | QPdfWriter, drawing: Drawing, scale: tuple[float, float] = (1.0, 1.0)) -> None:
    with painting(device) as painter:
        painter.setRenderHints(HINTS)
        painter.scale(*scale)
        drawing.paint_all(painter)


class _Memory:
    """A device to write into; `content` holds the result."""

    def __enter__(self) -> _Memory:
        self._data = QByteArray()
        self.device = QBuffer(self._data)
        self.device.open(QIODevice.OpenModeFlag.WriteOnly)
        return self

    def __exit__(self, *_: object) -> None:
        self.device.close()

    @property
    def content(self) -> bytes:
        return bytes(self._data.data())


@dataclass(frozen=True)
class ImageFormat:
    """A kind of image file: its name for a menu, and what makes its bytes."""

    name: str
    draw: Callable[[Drawing], bytes]


IMAGE_FORMATS: Mapping[str, ImageFormat] = {
    "png": ImageFormat("PNG image", draw_png),
    "svg": ImageFormat("SVG drawing", draw_svg),
    "pdf": ImageFormat("PDF document", draw_pdf),
}
"""Formats by extension, without a dot."""
