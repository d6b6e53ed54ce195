"""Images as one GIF: a palette with the colours exactly as they are drawn, which Pillow's own would tint.

Pillow is not installed with the program; without it `gif_bytes` raises ImportError.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

Codes = NDArray[np.uint32]
"""Colours as one number each, red above green above blue."""
MOST_COLORS = 255
"""One is left for "as in the frame before", which makes the file small."""


def gif_bytes(frames: Iterable[QImage], samples: Sequence[QImage], times: Sequence[int]) -> bytes:
    """The bytes of a GIF that repeats for ever.

    Args:
        frames: equally large, opaque.
        samples: those whose most frequent colours make the palette.
        times: how long each frame is shown, milliseconds.

    Raises:
        ImportError: when Pillow is not installed.
    """
    from PIL import Image

    palette = _Palette(samples)

    def pictures() -> Iterator[Image.Image]:
        for frame in frames:
            picture = Image.frombytes("P", (frame.width(), frame.height()), palette.indices(frame).tobytes())
            picture.putpalette(palette.parts)
            yield picture

    memory, others = io.BytesIO(), pictures()
    first = next(others)  # Pillow copies each picture: those that are copied need not be there
    first.save(memory, "GIF", save_all=True, append_images=others, duration=list(times), loop=0, disposal=1)
    return memory.getvalue()


class _Palette:
    """At most 255 colours, and for every other colour the nearest of them.

    Attributes:
        parts: red, green and blue of each colour in turn.
    """

    def __init__(self, samples: Sequence[QImage]) -> None:
        counted = [np.unique(_codes(image), return_counts=True) for image in samples]
        found, places = np.unique(np.concatenate([codes for codes, _ in counted]), return_inverse=True)
        counts = np.bincount(places, np.concatenate([times for _, times in counted]))
        self._colors: Codes = found[np.argsort(counts, kind="stable")[::-1][:MOST_COLORS]]
        self.parts: list[int] = _parts(self._colors).ravel().tolist()
        self._known = np.full(1 << 24, -1, dtype=np.int16)
        self._known[self._colors] = np.arange(len(self._colors))

    def indices(self, frame: QImage) -> NDArray[np.uint8]:
        """The number of the colour of each pixel (height, width)."""
        codes = _codes(frame)
        new = np.unique(codes[self._known[codes] < 0])
        if len(new):
            apart = _parts(new)[:, None, :] - _parts(self._colors)[None, :, :]
            self._known[new] = (apart**2).sum(axis=2).argmin(axis=1)
        return self._known[codes].astype(np.uint8)


def _codes(image: QImage) -> Codes:
    """The colours of an image (height, width)."""
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(plain.constBits(), dtype=np.uint32).reshape(plain.height(), plain.width())
    return pixels & np.uint32(0xFFFFFF)


def _parts(codes: Codes) -> NDArray[np.int32]:
    """Red, green and blue of each colour (n, 3)."""
    return np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=1).astype(np.int32)
