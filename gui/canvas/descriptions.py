"""Nodes in words: tool-tips, lines of the outline, and what screen readers say of a node. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from types import MappingProxyType

from engine.autograd import OPS
from engine.autograd.notation import counted
from engine.graph.moved import Links
from engine.graph.picture import BoxNumbers, Picture

Notes = Callable[[str], Sequence[str]]

ROLE_WORDS = {
    "input": "input", "parameter": "parameter", "output": "output", "constant": "constant",
    "intermediate": "computed value", "group": "group",
}  # fmt: skip
NOT_FINITE = MappingProxyType({"nan": "not a number", "∞": "infinite", "+∞": "infinite", "−∞": "minus infinity"})
SPOKEN = MappingProxyType(
    {
        "add": "sum", "sub": "difference", "mul": "product", "div": "quotient", "pow": "power", "neg": "negative",
        "abs": "absolute value", "matmul": "matrix product", "getitem": "element", "amax": "largest",
        "amin": "smallest",
    }
)  # fmt: skip
"""Operations whose titles are signs, or no words of a sentence."""
UNNAMED = "unnamed"
MOST_NAMES = 6
"""Names up to which inputs or consumers are all said; of more the first ones, and how many there are beside them."""


def no_notes(_key: str) -> Sequence[str]:
    """Return no sentences: the numbers of a value stand alone."""
    return ()


def tool_tip(
    picture: Picture,
    readings: Mapping[str, BoxNumbers],
    key: str | None,
    notes: Notes = no_notes,
) -> str:
    """Name, role, all digits, what went wrong and the notes, as HTML with everything escaped; "" for no value."""
    if key is None or key not in picture.boxes:
        return ""
    box, reading = picture.boxes[key], readings.get(key)
    count = f" of {counted(box.members, 'value')}" if box.members else ""
    title = f"<b>{escape(box.label)}</b> · " if box.label else ""
    lines = [f"{title}{ROLE_WORDS[box.role]}{count}"]
    if reading is not None:
        lines += map(_line, reading.full.splitlines())
        lines += [f"<b>!</b> {escape(reading.problem)}"] if reading.problem else []
    lines += map(escape, notes(key))
    lines += ["double-click opens it"] if box.members else []
    return "<br>".join(lines)


def _line(text: str) -> str:
    """Return a line as HTML; a line of a table keeps its columns."""
    return f"<code>{escape(text).replace(' ', '&nbsp;')}</code>" if "  " in text else escape(text)


def summary(picture: Picture) -> str:
    """Return the size of a graph and how to get around in it, in one line."""
    if not picture.boxes:
        return "no graph yet"
    return f"{counted(len(picture.boxes), 'value')}; the arrow keys walk along the edges, Return explains a value"


def spoken_name(picture: Picture, readings: Mapping[str, BoxNumbers], key: str) -> str:
    """Return the label of a box, the number of a constant, or "unnamed"."""
    box = picture.boxes[key]
    constant = readings[key].data if box.role == "constant" and key in readings else ""
    return box.label or constant or UNNAMED


def operation(picture: Picture, links: Links, key: str) -> tuple[str, list[str]]:
    """Return how a value was computed.

    Returns:
        The title of the operation, "" for a leaf or a closed group, and the keys of the inputs; an input that is used
        twice stands there twice.
    """
    sources = links.before[key]
    circle = next((source for source in sources if source in picture.circles), None)
    if circle is None:
        return "", [source for source in sources if source in picture.boxes]
    name, text = picture.circles[circle].name, picture.circles[circle].text
    title = SPOKEN.get(name) or (OPS[name].title if name in OPS else "") or name.replace("_", " ")
    edges = [picture.edges[source, circle] for source in links.before[circle]]
    operands = [(place, edge.source) for edge in edges for place in edge.operands or range(edge.multiplicity)]
    is_plain_power = name == "pow" and len(operands) == 1  # the exponent stands in the circle
    return (f"{title} {text[1:]}" if is_plain_power else title), [source for _place, source in sorted(operands)]


def consumers(picture: Picture, links: Links, key: str) -> list[str]:
    """Return the keys of the values that are computed from a value."""
    nexts = (
        further
        for target in links.after[key]
        for further in ([target] if target in picture.boxes else links.after[target])
    )
    return list(dict.fromkeys(target for target in nexts if target in picture.boxes))


def numbers(reading: BoxNumbers | None) -> list[str]:
    """Return data and gradient in words, with what is wrong with them: "data 4.0000", "gradient not computed"."""
    if reading is None:
        return ["not computed"]
    words = [_number("data", reading.data, reading.data_state), _number("gradient", reading.grad, reading.grad_state)]
    return [*words, reading.problem] if reading.problem else words


def _number(name: str, text: str, state: str) -> str:
    if text == "?":
        return f"{name} hidden: predict it"
    if state == "unknown":
        return f"{name} not computed"
    return f"{name} {NOT_FINITE.get(text, 'not finite') if state == 'bad' else text.removeprefix('+')}"


def describe(picture: Picture, links: Links, readings: Mapping[str, BoxNumbers], key: str) -> str:
    """Return a node in one line: name, numbers, what is wrong, operation, consumers.

    For example "d, computed value, data 4.0000, gradient −2.0000, sum of e and c, used by L".
    """
    box = picture.boxes[key]
    words = [spoken_name(picture, readings, key), ROLE_WORDS[box.role]]
    words += [f"closed, {box.note or counted(box.members, 'value')}"] if box.members else []
    words += numbers(readings.get(key)) if box.role != "constant" else []
    title, inputs = operation(picture, links, key)
    if inputs:
        how = f"{title} of" if title else "computed from"
        words.append(f"{how} {_names(picture, readings, inputs)}")
    after = consumers(picture, links, key)
    return ", ".join([*words, f"used by {_names(picture, readings, after)}"] if after else words)


def _names(picture: Picture, readings: Mapping[str, BoxNumbers], keys: Sequence[str]) -> str:
    names = [spoken_name(picture, readings, key) for key in keys]
    if len(names) > MOST_NAMES:
        names = [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def details(readings: Mapping[str, BoxNumbers], key: str, notes: Notes = no_notes) -> str:
    """Return the numbers of a node with all their digits, and the notes on it."""
    reading = readings.get(key)
    return "; ".join([*(reading.full.splitlines() if reading is not None else ()), *notes(key)])
