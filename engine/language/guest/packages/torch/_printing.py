"""Texts of tensors, as PyTorch prints them."""

from __future__ import annotations

import math
from typing import Any

LINE = 80
OPTIONS = {"precision": 4}
EDGE = 3
"""Elements shown at each end of an axis of a tensor of more than 1,000."""


def tensor_text(tensor: Any) -> str:
    """Return `tensor([1., 2.], requires_grad=True)` and the like."""
    prefix = "tensor("
    parts = []
    kind = tensor.dtype.name
    if kind == "float64" or not tensor.numel():
        parts.append(f"dtype=torch.{kind}")
    if tensor.grad_fn is not None:
        parts.append(f"grad_fn={tensor.grad_fn}")
    elif tensor.requires_grad:
        parts.append("requires_grad=True")
    rows = tensor.detach().tolist()
    shorten = tensor.numel() > 1_000
    text = _text(rows, len(prefix), _Format(_numbers(rows, shorten)), shorten) if tensor.numel() else "[]"
    text = prefix + text
    for part in parts:  # PyTorch breaks the line where it would be too long
        fits = len(text) - text.rfind("\n") + len(part) + 2 <= LINE + 1
        text += f", {part}" if fits else f",\n{' ' * len(prefix)}{part}"
    return text + ")"


def _numbers(rows: Any, shorten: bool) -> list[Any]:
    if not isinstance(rows, list):
        return [rows]
    if shorten and len(rows) > 2 * EDGE:
        rows = rows[:EDGE] + rows[-EDGE:]
    return [number for row in rows for number in _numbers(row, shorten)]


class _Format:
    """The one form of all the numbers of a tensor."""

    def __init__(self, numbers: list[Any]) -> None:
        self.width, self._whole, self._powers = 1, True, False
        self._floats = isinstance(numbers[0], float)
        if not self._floats:
            self.width = max(len(str(number)) for number in numbers)
            return
        shown = [number for number in numbers if number and math.isfinite(number)]
        if not shown:
            return
        sizes = [abs(number) for number in shown]
        ratio, largest, smallest = max(sizes) / min(sizes), max(sizes), min(sizes)
        self._whole = all(number == math.ceil(number) for number in shown)
        self._powers = ratio > 1000 or largest > 1e8 or (not self._whole and smallest < 1e-4)
        digits = OPTIONS["precision"]
        form = f"{{:.{digits}e}}" if self._powers else "{:.0f}." if self._whole else f"{{:.{digits}f}}"
        self.width = max(len(form.format(number)) for number in shown)

    def __call__(self, number: Any) -> str:
        if not self._floats:
            text = str(number)
        elif self._powers:
            text = f"{number:{self.width}.{OPTIONS['precision']}e}"
        elif self._whole:
            text = f"{number:.0f}" + ("." if math.isfinite(number) else "")
        else:
            text = f"{number:.{OPTIONS['precision']}f}"
        return text.rjust(self.width)


def _text(rows: Any, indent: int, form: _Format, shorten: bool) -> str:
    if not isinstance(rows, list):
        return form(rows).strip() if not isinstance(rows, bool) else form(rows)
    cut = shorten and len(rows) > 2 * EDGE
    shown = rows[:EDGE] + rows[-EDGE:] if cut else rows
    if not rows or not isinstance(rows[0], list):
        per_line = max(1, (LINE - indent) // (form.width + 2))
        texts = [form(number) for number in shown]
        if cut:
            texts.insert(EDGE, " ...")
        lines = [", ".join(texts[at : at + per_line]) for at in range(0, len(texts), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    depth, inner = 1, rows[0]
    while isinstance(inner, list) and inner and isinstance(inner[0], list):
        depth, inner = depth + 1, inner[0]
    texts = [_text(row, indent + 1, form, shorten) for row in shown]
    if cut:
        texts.insert(EDGE, "...")
    return "[" + ("," + "\n" * depth + " " * (indent + 1)).join(texts) + "]"


_NAMES = {"matmul": "Mm", "transpose": "T", "getitem": "Select", "reshape": "View", "amax": "Max", "amin": "Min"}


def gradient_name(name: str) -> str:
    """Return PyTorch's name of the rule of an operation, such as `AddBackward0`."""
    return f"{_NAMES.get(name, ''.join(part.capitalize() for part in name.split('_')))}Backward0"
