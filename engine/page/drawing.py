"""The picture of a graph as SVG whose numbers a script can change; made without a drawing library.

Boxes look as on the canvas. Widths of texts are estimated, as a browser's fonts are not known; the page's script
narrows a name that does not fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from engine.graph import Box, BoxNumbers, Circle, Edge, Picture
from engine.graph.drawn_parts import SYMBOLS, arrow_head, lines_of, printable
from engine.graph.forms import FORMS, POINT, BoxForm, Rectangle

MARGIN = 14.0
RADIUS, CUT, LARGEST_ROUNDING, CARD_STEP = 6.0, 9.0, 17.0, 3.5
NAME_PIXELS, SMALLEST_NAME, SYMBOL_PIXELS = 16, 10, 15
CAPTION_WIDTH = 25.0
"""Room that a caption needs beside a name."""
DIGIT = 0.62
"""Width of a digit of a fixed-width face, in heights of its letters."""
CONSTANT_PIXELS = 15
STATES = {"unknown": "u", "zero": "z", "positive": "p", "negative": "n", "size": "s", "bad": "b"}
"""Letters for the states of a number, as the style sheet knows them."""
_NARROW, _WIDE = frozenset("iljtfrI.,:;|!'()[] -·"), frozenset("mwMW@%—…")


def size_of(picture: Picture) -> tuple[float, float]:
    """Width and height of the drawing, scene pixels."""
    left, top, right, bottom = picture.bounds
    return right - left + 2 * MARGIN, bottom - top + 2 * MARGIN


def svg_of(
    picture: Picture,
    readings: Mapping[str, BoxNumbers],
    ids: Mapping[object, str],
    longest: Mapping[str, int],
    name: str,
    about: str,
) -> str:
    """An SVG element.

    Args:
        picture: what to draw.
        readings: the numbers of every box.
        ids: of boxes and circles by key and of edges by (source, target), the same in several drawings of a graph.
        longest: characters of the longest number that each box ever has, by key.
        name: begins the identifiers of shapes, different in each drawing of a page.
        about: text alternative.
    """
    left, top, _right, _bottom = picture.bounds
    width, height = size_of(picture)
    outlines: dict[str, str] = {}
    boxes = []
    for key, box in picture.boxes.items():
        path = outline_of(box)
        shape = outlines.setdefault(path, f"{name}-shape-{len(outlines)}")
        boxes.append(_box(box, readings[key], ids[key], longest[key], shape, name))
    shapes = "".join(
        f'<path id="{shape}" d="{path}"/><clipPath id="{shape}-clip"><use href="#{shape}"/></clipPath>'
        for path, shape in outlines.items()
    )
    hatch = (
        f'<pattern id="{name}-hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><path d="M0,0V6" class="hatching"/></pattern>'
    )
    return "\n".join([
        f'<svg class="graph" viewBox="{left - MARGIN:.6g} {top - MARGIN:.6g} {width:.6g} {height:.6g}" role="img" '
        f'aria-label="{escape(about)}">',
        f"<defs>{shapes}{hatch}</defs>",
        *(_edge(edge, ids[pair]) for pair, edge in picture.edges.items()),
        *(_circle(circle, ids[key]) for key, circle in picture.circles.items()),
        *boxes,
        "</svg>",
    ])  # fmt: skip


def outline_of(box: Box) -> str:
    """The path of a box around its centre: its shape says the role, as on the canvas."""
    x, y = box.width / 2, box.height / 2

    def round_left(radius: float) -> str:
        corner = f"A{radius:g},{radius:g} 0 0 1 "
        return f"H{-x + radius:g}{corner}{-x:g},{y - radius:g}V{-y + radius:g}{corner}{-x + radius:g},{-y:g}Z"

    corner = f"A{RADIUS:g},{RADIUS:g} 0 0 1 "
    right = f"H{x - RADIUS:g}{corner}{x:g},{-y + RADIUS:g}V{y - RADIUS:g}{corner}{x - RADIUS:g},{y:g}"
    if box.role == "constant":
        return f"M{-x + y:g},{-y:g}H{x - y:g}A{y:g},{y:g} 0 0 1 {x - y:g},{y:g}{round_left(y)}"
    if box.role == "parameter":
        return f"M{-x + CUT:g},{-y:g}{right}H{-x + CUT:g}L{-x:g},{y - CUT:g}V{-y + CUT:g}Z"
    if box.role == "output":
        right = f"H{x - POINT:g}L{x:g},0L{x - POINT:g},{y:g}"
    radius = min(y, LARGEST_ROUNDING) if box.role == "input" else RADIUS
    return f"M{-x + radius:g},{-y:g}{right}{round_left(radius)}"


def _box(box: Box, reading: BoxNumbers, id_: str, longest: int, shape: str, name: str) -> str:
    form, constant = FORMS[box.form], box.role == "constant"
    rect = (-box.width / 2, -box.height / 2, box.width, box.height)
    label = rect if constant else form.name_cell(box.width, box.height)
    marks = " problem" if reading.problem else ""
    parts = [f'<g class="box {box.role}{marks}" data-id="{id_}" transform="translate({box.x:.6g},{box.y:.6g})">']
    if box.label:
        parts.append(f"<title>{escape(printable(box.label))}</title>")
    if box.members:
        parts += [f'<use href="#{shape}" class="card" y="{depth * CARD_STEP:g}"/>' for depth in (2, 1)]
    parts.append(f'<use href="#{shape}" class="halo"/><g clip-path="url(#{shape}-clip)">')
    parts.append(f'<rect class="ground" {_rect(rect)}/><rect class="name" {_rect(label)}/>')
    if constant:
        pixels = min(CONSTANT_PIXELS, (box.width - 8) / (DIGIT * max(longest, 1)))
        number = f'<text class="number" font-size="{pixels:.3g}" y="{0.36 * pixels:.3g}">{escape(reading.data)}</text>'
        parts.append(f'</g><g class="cell data" data-state="{STATES[reading.data_state]}">{number}</g>')
    else:
        cells = form.number_cells(box.width, box.height, box.role)
        parts.append(_separators(form, label, cells[1]) + "</g>")
        parts.append(_name(box, label, captions=form.name_above and not form.stacked))
        texts = (reading.data, reading.data_state), (reading.grad, reading.grad_state)
        pixels = min(form.number_pixels - 1, form.number_room / (DIGIT * max(longest, 1)))
        for part, cell, (text, state) in zip(("data", "grad"), cells, texts, strict=True):
            parts.append(_cell(part, cell, text, STATES[state], pixels, name, caption=not form.name_above))
    corner = f"translate({box.width / 2 - 4:g},{-box.height / 2 + 1:g})"
    parts.append(f'<use href="#{shape}" class="outline"/>')
    parts.append(f'<g class="mark" transform="{corner}"><circle r="7"/><text y="4">!</text></g></g>')
    return "".join(parts)


def _rect(area: Rectangle) -> str:
    return 'x="{:.6g}" y="{:.6g}" width="{:.6g}" height="{:.6g}"'.format(*area)


def _separators(form: BoxForm, label: Rectangle, grad: Rectangle) -> str:
    left, top, width, height = label
    x, y, _width, tall = grad
    end = f"{left + width:g},{top + height:g}"
    after_name = f"M{left:g},{top + height:g}L{end}" if form.name_above else f"M{left + width:g},{top:g}L{end}"
    between = "" if form.stacked else f"M{x:g},{y + 5:g}V{y + tall - 5:g}"
    return f'<path class="separator" d="{after_name}{between}"/>'


def _name(box: Box, cell: Rectangle, captions: bool) -> str:
    """The name in the largest letters that fit, shortened where none do; its note under it, captions beside it."""
    left, top, width, height = cell
    point = POINT if box.role == "output" and captions else 0.0
    text, note, room = printable(box.label) or "·", printable(box.note), width - 10 - point
    pixels = NAME_PIXELS
    while pixels > SMALLEST_NAME and text_width(text, pixels) > room:
        pixels -= 1
    while len(text) > 1 and text_width(text, pixels) > room:
        text = text[:-2].rstrip("… ") + "…"
    middle, baseline = left + (width - point) / 2, top + height / 2 + 0.35 * pixels - 5 * bool(note)
    place = f'font-size="{pixels}" x="{middle:g}" y="{baseline:.4g}" data-room="{room:g}"'
    drawn = f'<text class="label" {place}>{escape(text)}</text>'
    if note:
        place = f'x="{middle:g}" y="{top + height - 5:g}" data-room="{room:g}"'
        drawn += f'<text class="note" {place}>{escape(note)}</text>'
    if captions and (room - text_width(text, pixels)) / 2 > CAPTION_WIDTH:
        y = top + height - 4.5
        drawn += f'<text class="caption" x="{left + 5:g}" y="{y:g}">data</text>'
        drawn += f'<text class="caption end" x="{left + width - 5 - point:g}" y="{y:g}">grad</text>'
    return drawn


def _cell(part: str, cell: Rectangle, text: str, state: str, pixels: float, name: str, caption: bool) -> str:
    left, top, width, height = cell
    y, frame, words = top + height / 2 + 0.36 * pixels, (left + 4, top + 2.5, width - 8, height - 5), ""
    if caption:  # the form with the name at the left has them in the cells
        words = f'<text class="caption" x="{left + 6:g}" y="{top + 10:g}">{part}</text>'
        y, frame = top + height - 6.5, (left + 4, top + 12, width - 8, height - 15)
    place = f'font-size="{pixels:.3g}" x="{left + width / 2:g}" y="{y:.4g}"'
    return (
        f'<g class="cell {part}" data-state="{state}">'
        f'<rect class="unknown" rx="2" fill="url(#{name}-hatch)" {_rect(frame)}/>'
        f'{words}<text class="number" {place}>{escape(text)}</text></g>'
    )


def _circle(circle: Circle, id_: str) -> str:
    text = printable(SYMBOLS.get(circle.text, circle.text))
    pixels = min(SYMBOL_PIXELS, (2 * circle.radius - 4) / max(text_width(text, 1), 0.1))
    return (
        f'<g class="op" data-id="{id_}" transform="translate({circle.x:.6g},{circle.y:.6g})">'
        f'<circle class="halo" r="{circle.radius:g}"/><circle class="outline" r="{circle.radius:g}"/>'
        f'<text font-size="{pixels:.3g}" y="{0.36 * pixels:.3g}">{escape(text)}</text></g>'
    )


def _edge(edge: Edge, id_: str) -> str:
    drawn = []
    for curves in lines_of(edge):
        pieces = " ".join(",".join(f"{number:.1f}" for point in curve[1:] for number in point) for curve in curves)
        x, y = curves[0][0]
        head = " ".join(f"{a:.1f},{b:.1f}" for a, b in arrow_head(curves[-1]))
        drawn.append(f'<path d="M{x:.1f},{y:.1f}C{pieces}"/><polygon points="{head}"/>')
    return f'<g class="edge" data-id="{id_}">{"".join(drawn)}</g>'


def text_width(text: str, pixels: float) -> float:
    """Estimated width of a bold text in a face without serifs, pixels."""
    shares = (0.34 if c in _NARROW else 0.95 if c in _WIDE or ord(c) > 0x2E7F else 0.64 for c in text)
    return pixels * sum(shares)
