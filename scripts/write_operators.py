"""Write `engine/autograd/operators.py`, which tells editors and type checkers the methods that Value gets.

Run it after a change of the table of operations: `python -m scripts.write_operators`.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

from engine.autograd.kernels import description, methods_of
from engine.autograd.ops import OPS, Op

TARGET = Path(__file__).resolve().parent.parent / "engine" / "autograd" / "operators.py"
HEAD = '''"""The operators and methods that Value gets from the table of operations, for editors and type checkers.

Written by `python -m scripts.write_operators`; a test fails when it is outdated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self


class Operators:
    """Base class of Value; the methods themselves are generated from the table together with Value."""

    __slots__ = ()

    if TYPE_CHECKING:

'''


def written() -> str:
    """The text of the module."""
    methods = [_method(op, method, reflected) for op in OPS.values() for method, reflected in methods_of(op)]
    return HEAD + "\n".join(methods)


def _method(op: Op, method: str, reflected: bool) -> str:
    arguments = "self" if op.arity == 1 else "self, other: Any"
    text = textwrap.wrap(f'"""{description(op, method, reflected)}"""', 108, break_long_words=False)
    lines = [f"def {method}({arguments}) -> Self:", *(f"    {line}" for line in text)]
    return textwrap.indent("\n".join(lines) + "\n", " " * 8)


if __name__ == "__main__":
    TARGET.write_text(written(), encoding="utf-8")
