"""Numbers and counts as the window writes and reads them: one function for each purpose.

The engine has its own for formulas (`engine.autograd.notation.short`) and for the boxes of the graph
(`engine.graph.picture.cell_text`).
"""

from __future__ import annotations

import math
import re
from typing import Any

from engine.autograd.notation import short
from engine.graph.picture import cell_text, shown_decimals
from engine.messages import visible

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,30}")
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")


def with_minus(text: str) -> str:
    """A number's text with real minus signs, − for -: they are as wide as + and the digits."""
    return text.replace("-", "−")


def reading_text(number: Any, signed: bool = False) -> str:
    """A number that is read off: in captions, tables, tool-tips and under the pointer, as the canvas has it.

    Four decimals, or as many as the settings say; powers of ten where these would show fewer than two digits or more
    than eight: 0.6931, 3.40e−04, 2.35e+141. At most ten characters.

    Args:
        number: a number; None, not known, is a dash.
        signed: writes + before positive numbers.
    """
    if number is not None and 0.0 < abs(number) < 10.0 ** (1 - shown_decimals()):
        return with_minus(f"{number:{'+' if signed else ''}.2e}")
    return cell_text(None if number is None else float(number), signed)


def input_text(number: float) -> str:
    """A number in a column of inputs: two decimals, or a power of ten where it is too large for that."""
    return with_minus(f"{number:.2f}" if abs(number) < 1000 else f"{number:.1e}")


def check_text(number: float) -> str:
    """Return a number for comparison with another one: ten digits; words for nan and inf."""
    return with_minus(f"{number:.10g}" if math.isfinite(number) else short(number))


def entry_text(number: float) -> str:
    """A number in a field: the shortest text that reads back as the same number, such as 1e-9, 0.05, 3."""
    text = repr(float(number)).removesuffix(".0")
    return re.sub(r"e([+-])0*", lambda match: "e" + match[1].replace("+", ""), text)


def tick_text(number: float, digits: int = 6) -> str:
    """A number at an axis, in as few characters as a narrow one has: 0.05, 250, 2.5k, 1.5M, 2e141.

    Args:
        number: to write.
        digits: significant digits that distinguish it from its neighbours, 1 or more.
    """
    scales = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (0.0, ""))
    size, suffix = next(scale for scale in scales if abs(number) >= scale[0]) if abs(number) < 1e12 else (0.0, "")
    rounded = float(f"{number / (size or 1.0):.{digits}g}")
    if 1e12 <= abs(rounded) < math.inf:
        mantissa, exponent = f"{rounded:.{digits - 1}e}".split("e")
        return with_minus(f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{int(exponent)}")
    return with_minus(f"{rounded:.15g}".replace("e+", "e").replace("e-0", "e-")) + suffix


def count_text(count: int) -> str:
    """A count in at most seven letters: 99,999, then 123k and 2.35M."""
    if count < 100_000:
        return f"{count:,}"
    return f"{count // 1000}k" if count < 1_000_000 else f"{count / 1e6:.2f}M"


class EntryError(ValueError):
    """Text that is no valid entry of a field.

    The message completes "the field must be ..."; or it is a sentence, with a capital letter.
    """


def parse_integer(text: str) -> int:
    """A whole number in plain digits; EntryError for anything else, `1_0` and `1.0` included."""
    if not WHOLE_NUMBER.fullmatch(text.strip()):
        raise EntryError("a whole number, such as 10")
    return int(text)


def parse_number(text: str) -> float:
    """A finite number with a decimal point; EntryError for anything else: `0,1`, `1e`, `nan`, `1_0`."""
    entry = text.strip().replace("−", "-")
    if re.fullmatch(r"[+-]?[0-9]+,[0-9]+", entry):
        raise EntryError(f"a number with a decimal point: {visible(entry.replace(',', '.'), 30)}")
    if not NUMBER.fullmatch(entry):
        raise EntryError("a number, such as 0.05 or 1e-3")
    number = float(entry)
    if not math.isfinite(number):
        raise EntryError("a smaller number")
    return number
