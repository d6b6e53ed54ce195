"""Corrections to the output of QSvgGenerator, text in, text out: brevity, fallback fonts, lines of plots, clipping."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import unescape
from io import BytesIO
from xml.etree import ElementTree

SVG = "http://www.w3.org/2000/svg"
Matrix = tuple[float, float, float, float, float, float]
Area = tuple[float, float, float, float]
"""x, y, width, height"""
Measure = Callable[[str, str, float, bool, bool], float]
"""Width of a text in a family, at a size in pixels, bold or not, italic or not."""
_GROUP_END = b"</g>\n\n"
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_PAIR = re.compile(rf"({_NUMBER.pattern})[ ,]({_NUMBER.pattern})")
_TEXT = re.compile(
    r'(?P<start><text [^>]*?font-family="(?P<family>[^"]*)" font-size="(?P<size>[\d.]+)" font-weight="(?P<weight>\d+)"'
    r' font-style="(?P<style>\w+)"\s*)>(?P<text>[^<]*)</text>'
)
_GROUP_FONT = re.compile(
    r'(<g [^>]*?)\s*font-family="[^"]*" font-size="[^"]*" font-weight="[^"]*" font-style="[^"]*"\s*>'
)


_OUTER_END = b"</g>\n</svg>"
"""Close the outermost group, which contains all others."""


def finished(pieces: Iterable[bytes], measure: Measure, families: Mapping[str, str]) -> bytes:
    """Return the output of QSvgGenerator without redundant parts, with texts that keep their place in any reader.

    Goes from group to group, so that a large file is in memory once as it becomes, and other threads are not held up.

    Args:
        pieces: one file or more of one size: one drawing, the later over the earlier. Only the first has definitions.
        measure, families: see `with_texts_for_all_readers`.
    """
    out, end = BytesIO(), b""
    for svg in pieces:
        inside, place = svg.index(b">", svg.index(b"<g ")) + 1, svg.rindex(_OUTER_END)
        if not end:
            out.write(svg[:inside])  # the outermost group states the rules for all
        for group in _groups(svg, inside, place):
            out.write(with_texts_for_all_readers(group, measure, families).encode())
        end = svg[place:]
    out.write(end)
    return out.getvalue()


def _groups(svg: bytes, start: int, end: int) -> Iterator[str]:
    """The groups between two places, slimmed, the last one with what comes after it."""
    while (place := svg.find(_GROUP_END, start, end)) >= 0:
        yield _slimmed(svg[start:place].decode()) + "</g>\n"
        start = place + len(_GROUP_END)
    yield _slimmed(svg[start:end].decode())


def _slimmed(group: str) -> str:
    """Drop redundant parts: fonts of groups (each text has its own), defaults, and moves by nothing."""
    group = _GROUP_FONT.sub(r"\1>", group)
    for nothing in (' vector-effect="none"', ' fill-rule="evenodd"', ' transform="matrix(1,0,0,1,0,0)"'):
        group = group.replace(nothing, "")
    return group


def with_texts_for_all_readers(svg: str, measure: Measure, families: Mapping[str, str]) -> str:
    """Add width and fallback fonts to each text, so that it keeps its place in a viewer without our fonts.

    Args:
        svg: as QSvgGenerator writes it, its families as Qt calls them.
        measure: gives the width of a text in pixels.
        families: replacement of a family, such as "'DejaVu Sans', sans-serif", by Qt's name for it.
    """

    def finished(found: re.Match[str]) -> str:
        bold, italic = int(found["weight"]) >= 600, found["style"] != "normal"
        width = measure(unescape(found["text"]), found["family"], float(found["size"]), bold, italic)
        length = f' textLength="{width:.6g}" lengthAdjust="spacingAndGlyphs"' if width > 0 else ""
        start = found["start"].rstrip() if length else found["start"]
        others = families.get(found["family"], found["family"])
        start = start.replace(f'font-family="{found["family"]}"', f'font-family="{others}"', 1)
        return f"{start}{length}>{found['text']}</text>"

    return _TEXT.sub(finished, svg)


def with_settled_lines(svg: str, windows: Mapping[Area, Area]) -> str:
    """Draws curves that have a coordinate system of their own in that of the page, and only inside their plot.

    Their width is meant in pixels of the page ("non-scaling-stroke"), which several programs do not know and then draw
    bands instead of lines.

    Args:
        svg: as QSvgGenerator writes it: groups with a matrix and elements with absolute coordinates.
        windows: for each plot the area of its background, which comes before its curves, and where these may be seen;
            coordinates of the page.
    """
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ElementTree.fromstring(svg)
    outer = root.find(f"{{{SVG}}}g")
    areas = [[round(side) for side in area] for area in windows]
    number, sides = 0, ("x", "y", "width", "height")
    for index, group in enumerate([] if outer is None else list(outer)):
        for rectangle in group.iter(f"{{{SVG}}}rect"):
            area = [round(float(rectangle.get(side, "0"))) for side in sides]
            number = areas.index(area) if area in areas else number
        if _is_scaled(group):
            _settle(group)
            wrapped = ElementTree.Element(f"{{{SVG}}}g", {"clip-path": f"url(#window{number})"})
            outer[index] = wrapped  # type: ignore[index]
            wrapped.append(group)
    for place, window in enumerate(windows.values()):
        clip = ElementTree.Element(f"{{{SVG}}}clipPath", {"id": f"window{place}"})
        attributes = {name: f"{side:g}" for name, side in zip(sides, window, strict=True)}
        ElementTree.SubElement(clip, f"{{{SVG}}}rect", attributes)
        root.insert(place, clip)
    return '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n' + ElementTree.tostring(root, "unicode")


def _matrix(group: ElementTree.Element) -> Matrix | None:
    text = group.get("transform", "")
    numbers = [float(number) for number in _NUMBER.findall(text)]
    return tuple(numbers) if text.startswith("matrix") and len(numbers) == 6 else None  # type: ignore[return-value]


def _is_scaled(group: ElementTree.Element) -> bool:
    """Return True when a group is scaled; rotated texts are not."""
    matrix = _matrix(group)
    return matrix is not None and abs(abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]) - 1) > 1e-6


def _settle(group: ElementTree.Element) -> None:
    """Applies the group's matrix to its lines, where they are all it holds."""
    lines = [child for child in group if child.get("vector-effect") == "non-scaling-stroke"]
    if not lines or len(lines) != len(group) or any(not {"d", "points"} & set(line.keys()) for line in lines):
        return
    matrix = _matrix(group)
    assert matrix is not None
    for line in lines:
        name = "d" if "d" in line.keys() else "points"  # noqa: SIM118 - an Element is no dict
        line.set(name, _PAIR.sub(lambda pair: _mapped(pair, matrix), line.get(name, "")))
        del line.attrib["vector-effect"]
    del group.attrib["transform"]


def _mapped(pair: re.Match[str], matrix: Matrix) -> str:
    x, y = float(pair[1]), float(pair[2])
    a, b, c, d, e, f = matrix
    return f"{a * x + c * y + e:.6g},{b * x + d * y + f:.6g}"
