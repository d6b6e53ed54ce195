"""Whether two images show the same, seen tile by tile: the same letters drawn by two programs are alike, not equal.

A tile's ink is how far its pixels are from the background, summed up. A label that is missing, cut off, moved by a few
pixels or drawn in the wrong font changes the ink of its tiles by far more than another way of smoothing does.
"""

import ctypes

import numpy as np
import pypdfium2
import resvg_py
from pypdfium2 import raw
from PySide6.QtGui import QColor, QImage

TILE = 12
ALIKE = 0.25
"""How much less ink than in the other a tile may have, as a share."""
NOISE = 1_200
"""Ink that does not count: a thin line on the border of two tiles."""


def pixels(image: QImage) -> np.ndarray:
    """Red, green and blue (height, width, 3) of an opaque image."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : 3 * plain.width()].reshape(plain.height(), plain.width(), 3).astype(int)


def pdf_pixels(content: bytes, width: int, height: int) -> np.ndarray:
    """The one page of a PDF as PDFium, which knows nothing of Qt, draws it into so many pixels."""
    document = pypdfium2.PdfDocument(content)
    assert len(document) == 1
    page, bitmap = document[0], raw.FPDFBitmap_Create(width, height, 0)
    raw.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
    raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, raw.FPDF_REVERSE_BYTE_ORDER)
    stride = raw.FPDFBitmap_GetStride(bitmap)
    buffer = ctypes.cast(raw.FPDFBitmap_GetBuffer(bitmap), ctypes.POINTER(ctypes.c_ubyte * (stride * height))).contents
    drawn = np.frombuffer(buffer, np.uint8).reshape(height, stride)[:, : 4 * width].reshape(height, width, 4)
    drawn = drawn[:, :, :3].astype(int)
    raw.FPDFBitmap_Destroy(bitmap)
    document.close()
    return drawn


def svg_pixels(content: bytes, width: int, height: int) -> np.ndarray:
    """An SVG as resvg, which knows nothing of Qt, draws it into so many pixels."""
    drawn = resvg_py.svg_to_bytes(svg_string=content.decode(), dpi=96, width=width, height=height)
    image = QImage.fromData(bytes(drawn))
    assert not image.isNull()
    return pixels(image)


def unlike(one: np.ndarray, other: np.ndarray, background: str) -> list[tuple[int, int]]:
    """Places (x, y) of the tiles in which one image has much more ink than the other."""
    inks = [_around(_ink(image, background)) for image in (one, other)]
    least, most = np.minimum(*inks), np.maximum(*inks)
    rows, columns = np.nonzero(most - least > ALIKE * most + NOISE)
    return [(int(x) * TILE // 2, int(y) * TILE // 2) for y, x in zip(rows, columns, strict=True)]


def margin_is_empty(image: np.ndarray, background: str, margin: int) -> bool:
    """Whether nothing is drawn within `margin` pixels of any side."""
    ink = _ink(image, background) > 24
    inner = np.zeros_like(ink)
    inner[margin:-margin, margin:-margin] = True
    return not (ink & ~inner).any()


def _ink(image: np.ndarray, background: str) -> np.ndarray:
    return abs(image - np.array(QColor(background).getRgb()[:3])).sum(axis=2)


def _around(ink: np.ndarray) -> np.ndarray:
    """The ink of the tile around every sixth pixel, the farther the less, so that a line may move by a pixel."""
    for _ in range(2):
        ink = _sums(_sums(ink).T).T
    return ink[TILE :: TILE // 2, TILE :: TILE // 2] / TILE**2


def _sums(ink: np.ndarray) -> np.ndarray:
    """For each row the sum of it and those before it, a tile in all."""
    total = np.cumsum(np.pad(ink, ((TILE, 0), (0, 0))), axis=0)
    return total[TILE:] - total[:-TILE]
