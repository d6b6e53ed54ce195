"""Pictures of a graph as files: PNG, SVG and PDF, drawn by the canvas's own painting code.

`IMAGE_FORMATS` is the one list of formats; a new one is one entry with a function that turns a `Sheet` into bytes.
Files are replaced in one move or not at all. Works without a window; a QGuiApplication must exist: texts need fonts.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QMimeData, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFontInfo, QGuiApplication, QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from engine.document.files import write_atomically
from engine.graph.picture import Picture, Reading
from gui.canvas.ink import Ink
from gui.canvas.paint import Marks, paint_picture
from gui.theme import LIGHT, Colors

PAPER_MARGIN = 24.0
DOTS_PER_INCH = 96
"""Scene pixels in an inch, as on the web: the size of a PDF page or an SVG on paper."""
MOST_PIXELS = 64_000_000
"""As an image in memory 256 MB, which other programs still open."""
LONGEST_SIDE = 32_000
LONGEST_PAGE = 14_400.0
"""Points; PDF allows no longer page (ISO 32000-1, annex C)."""


class ExportError(ValueError):
    """Something that cannot be exported, with the reason and what could be."""


@dataclass(frozen=True)
class Sheet:
    """What goes onto the paper.

    Attributes:
        picture, readings, marks: the graph, its numbers, what is set apart.
        colors: theme.
        region: part of the scene that is drawn, scene pixels.
        scale: pixels of a PNG for one scene pixel.
        transparent: leaves the background out.
        title: written into the file.
    """

    picture: Picture
    readings: Mapping[str, Reading]
    colors: Colors
    region: QRectF
    scale: float = 2.0
    transparent: bool = False
    title: str = "Computation graph"
    marks: Mapping[object, Marks] = field(default_factory=dict)

    def paint(self, painter: QPainter) -> None:
        """Draws the sheet with its top left corner at the painter's origin, one scene pixel for one unit."""
        ink = Ink(self.colors)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        if not self.transparent:
            painter.fillRect(QRectF(0, 0, self.region.width(), self.region.height()), ink.canvas)
        painter.translate(-self.region.topLeft())
        paint_picture(painter, self.picture, self.readings, ink, self.marks, self.region)


def sheet_image(sheet: Sheet) -> QImage:
    """The sheet as pixels.

    Raises:
        ExportError: when the image would be too large; the message names the largest scale.
    """
    width, height = (math.ceil(side * sheet.scale) for side in (sheet.region.width(), sheet.region.height()))
    if width * height > MOST_PIXELS or max(width, height) > LONGEST_SIDE:
        limit = _largest_scale(sheet.region)
        raise ExportError(f"an image of {width:,} x {height:,} pixels is too large: the scale is at most {limit:.2f}")
    image = QImage(max(1, width), max(1, height), QImage.Format.Format_ARGB32_Premultiplied)
    dots = round(DOTS_PER_INCH * sheet.scale / 0.0254)
    image.setDotsPerMeterX(dots)
    image.setDotsPerMeterY(dots)
    image.setText("Title", sheet.title)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.scale(sheet.scale, sheet.scale)
    sheet.paint(painter)
    painter.end()
    return image


def _largest_scale(region: QRectF) -> float:
    """Rounded down to two digits, so that what the message says is accepted."""
    by_area = math.sqrt(MOST_PIXELS / (region.width() * region.height()))
    by_side = LONGEST_SIDE / max(region.width(), region.height())
    return max(0.01, math.floor(100 * min(by_area, by_side) * 0.999) / 100)


def _png(sheet: Sheet) -> bytes:
    return image_bytes(sheet_image(sheet))


def image_bytes(image: QImage) -> bytes:
    """An image as the bytes of a PNG file."""
    with _Bytes() as device:
        image.save(device.buffer, "PNG")  # type: ignore[call-overload]
    return device.content


def _svg(sheet: Sheet) -> bytes:
    return draw_svg(sheet.region.size(), sheet.title, sheet.paint, generic_families(Ink(sheet.colors)))


def draw_svg(
    size: QSizeF, title: str, paint: Callable[[QPainter], None], families: Mapping[str, str] | None = None
) -> bytes:
    """The bytes of an SVG file with texts as texts.

    Args:
        size: of the drawing, in pixels.
        title: a plain text.
        paint: draws with the painter it is given.
        families: the generic family to fall back to, by family.
    """
    with _Bytes() as device:
        generator = QSvgGenerator()
        generator.setOutputDevice(device.buffer)
        generator.setResolution(DOTS_PER_INCH)
        generator.setSize(QSize(math.ceil(size.width()), math.ceil(size.height())))
        generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
        generator.setTitle(title)
        _paint_on(generator, paint)
    text = device.content
    for family, generic in (families or {}).items():
        name = family.encode()
        text = text.replace(b'font-family="%b"' % name, b'font-family="%b, %b"' % (name, generic.encode()))
    return text


def generic_families(ink: Ink) -> dict[str, str]:
    """What a reader of the file without our fonts should take instead."""
    return {
        QFontInfo(ink.label_font).family(): "sans-serif",
        ink.label_font.family(): "sans-serif",
        QFontInfo(ink.number_font).family(): "monospace",
        ink.number_font.family(): "monospace",
    }


def _pdf(sheet: Sheet) -> bytes:
    return draw_pdf(sheet.region.size(), sheet.title, sheet.paint)


def draw_pdf(size: QSizeF, title: str, paint: Callable[[QPainter], None]) -> bytes:
    """The bytes of a one-page PDF whose page is as large as the drawing.

    Args:
        size: of the drawing, in pixels of 1/96 inch; larger ones than PDF allows are made smaller.
        title: a plain text.
        paint: draws with the painter it is given.
    """
    points = 72.0 / DOTS_PER_INCH
    shrink = min(1.0, LONGEST_PAGE / (points * max(size.width(), size.height())))
    page = size * points * shrink
    with _Bytes() as device:
        writer = QPdfWriter(device.buffer)
        writer.setTitle(title)
        writer.setCreator("Gradstep")
        writer.setResolution(1200)
        writer.setPageSize(QPageSize(page, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch))
        writer.setPageMargins(QMarginsF(0, 0, 0, 0))
        dots = 1200 / DOTS_PER_INCH * shrink

        def paint_scaled(painter: QPainter) -> None:
            painter.scale(dots, dots)
            paint(painter)

        _paint_on(writer, paint_scaled)
    return device.content


def _paint_on(device: object, paint: Callable[[QPainter], None]) -> None:
    painter = QPainter(device)  # type: ignore[call-overload]
    try:
        paint(painter)
    finally:
        painter.end()


class _Bytes:
    """A buffer to write into; afterwards `content` holds what was written."""

    def __enter__(self) -> _Bytes:
        self._data = QByteArray()
        self.buffer = QBuffer(self._data)
        self.buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        return self

    def __exit__(self, *_: object) -> None:
        self.buffer.close()

    @property
    def content(self) -> bytes:
        return bytes(self._data.data())


@dataclass(frozen=True)
class ImageFormat:
    """A kind of image file: its name for a menu, its extension without a dot, and what makes its bytes."""

    name: str
    extension: str
    write: Callable[[Sheet], bytes]


IMAGE_FORMATS: Mapping[str, ImageFormat] = {
    image_format.extension: image_format
    for image_format in (
        ImageFormat("PNG image", "png", _png),
        ImageFormat("SVG drawing", "svg", _svg),
        ImageFormat("PDF document", "pdf", _pdf),
    )
}
"""Formats by extension."""


def make_sheet(
    picture: Picture,
    readings: Mapping[str, Reading],
    colors: Colors = LIGHT,
    scale: float = 2.0,
    transparent: bool = False,
    region: QRectF | None = None,
    marks: Mapping[object, Marks] | None = None,
) -> Sheet:
    """Checks what is to be exported.

    Args:
        region: what is drawn, scene pixels; None for the whole graph with a margin.

    Raises:
        ExportError: for an empty graph or region, or a scale that is no positive number.
    """
    if not picture.boxes:
        raise ExportError("nothing to export: the graph is empty")
    if not (math.isfinite(scale) and scale > 0):
        raise ExportError(f"the scale is a number above 0, not {scale}")
    if region is None:
        left, top, right, bottom = picture.bounds
        width, height = math.ceil(right - left + 2 * PAPER_MARGIN), math.ceil(bottom - top + 2 * PAPER_MARGIN)
        region = QRectF(left - PAPER_MARGIN, top - PAPER_MARGIN, width, height)
    if region.isEmpty():
        raise ExportError("nothing to export: the region is empty")
    return Sheet(picture, readings, colors, region, scale, transparent, marks=marks or {})


def export_graph(
    picture: Picture,
    readings: Mapping[str, Reading],
    path: Path | str,
    *,
    colors: Colors = LIGHT,
    scale: float = 2.0,
    transparent: bool = False,
    region: QRectF | None = None,
    marks: Mapping[object, Marks] | None = None,
) -> Path:
    """Writes a picture of a graph.

    Args:
        picture: what to draw.
        readings: its numbers by key.
        path: its extension says the format; without one a PNG is written. The folder must exist.
        colors: theme.
        scale: pixels for a scene pixel (PNG only), > 0.
        transparent: leaves the background out.
        region: part of the scene, such as what is on the screen; None for everything.
        marks: what is set apart, such as `GraphCanvas.marks`.

    Returns:
        The path that was written, extension included.

    Raises:
        ExportError: unknown extension, nothing to draw, too large an image, or a folder that is missing.
        OSError: when the file cannot be written; an old one is left as it was.
    """
    target, image_format = resolve(path)
    sheet = make_sheet(picture, readings, colors, scale, transparent, region, marks)
    write_atomically(target, image_format.write(sheet))
    return target


def resolve(path: Path | str) -> tuple[Path, ImageFormat]:
    """The path with an extension, and the format it asks for.

    Raises:
        ExportError: for an extension that is no image format, or a missing folder.
    """
    path = Path(path)
    if not path.suffix:
        path = path.with_name(path.name + ".png")
    extension = path.suffix[1:].lower()
    if extension not in IMAGE_FORMATS:
        near = difflib.get_close_matches(extension, IMAGE_FORMATS, 1)
        hint = f"; did you mean .{near[0]}?" if near else ""
        raise ExportError(f"no image format {path.suffix!r}: one of .{', .'.join(IMAGE_FORMATS)}{hint}")
    if not path.parent.is_dir():
        raise ExportError(f"no folder {str(path.parent)!r}")
    return path, IMAGE_FORMATS[extension]


def render_image(
    picture: Picture,
    readings: Mapping[str, Reading],
    colors: Colors = LIGHT,
    scale: float = 2.0,
    transparent: bool = False,
    region: QRectF | None = None,
) -> QImage:
    """A picture of a graph as an image in memory; arguments and errors as for `export_graph`."""
    return sheet_image(make_sheet(picture, readings, colors, scale, transparent, region))


def copy_image(sheet: Sheet) -> None:
    """Puts the sheet onto the clipboard as an image."""
    QGuiApplication.clipboard().setImage(sheet_image(sheet))


def copy_svg(sheet: Sheet) -> None:
    """Puts the sheet onto the clipboard as SVG, for drawing programs, and as its text."""
    content = _svg(sheet)
    data = QMimeData()
    data.setData("image/svg+xml", content)
    data.setText(content.decode())
    QGuiApplication.clipboard().setMimeData(data)
