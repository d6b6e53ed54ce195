"""The words of the language: functions from the table, other libraries' spellings, and what to say about the rest."""

from __future__ import annotations

import keyword
import math
from collections.abc import Mapping
from types import MappingProxyType

from engine.autograd.ops import OPS, Op

OWN = "_gs_"
"""How every name begins that programs must not use."""

FUNCTIONS: Mapping[str, Op] = MappingProxyType({op.name: op for op in OPS.values() if op.elementwise or op.variadic})
"""The functions of the language: every operation of the table that takes plain numbers."""

SYNONYMS: Mapping[str, str] = MappingProxyType({name: op.name for op in FUNCTIONS.values() for name in op.synonyms})
"""Other libraries' names of functions in the table."""

FUNCTION_NAMES = tuple(sorted({*FUNCTIONS, *SYNONYMS, "sum", "Value"}))

MODULES = frozenset({"torch", "math", "np", "numpy", "jnp", "jax", "nn", "functional", "F", "micrograd", "engine"})
"""Names before a dot that are looked through: `torch.tanh(x)` is `tanh(x)`."""

CONSTANTS: Mapping[str, float] = MappingProxyType({"pi": math.pi, "e": math.e})
"""Numbers of the math module; `pi` also works by itself."""

LEAF_MAKERS = frozenset({"Value", "tensor", "Tensor", "DoubleTensor", "FloatTensor", "array", "float64", "Variable"})
"""What makes a leaf of a number, here and in other libraries."""

DISPLAY_FUNCTIONS = frozenset({"print", "display", "draw_dot"})
"""Functions that only show something."""

SET_ASIDE = frozenset({
    "backward", "zero_grad", "zero_", "requires_grad_", "requires_grad", "dtype", "retain_grad", "grad", "data", "item",
    "numpy", "tolist", "manual_seed", "seed", "show",
})  # fmt: skip
"""Attributes in lines of tutorials that are not formulas, and do not keep the others from being such."""

UNCHANGED = frozenset({"double", "float", "clone", "contiguous", "squeeze", "sum", "mean"})
"""Methods that leave a single number what it is."""

NUMBER_ATTRIBUTES = frozenset({"data", "item", "detach"})
"""Attributes that give the number of a value."""

KEYWORDS = frozenset(keyword.kwlist)
NAMED_CONSTANTS = frozenset({"True", "False", "None"})

OPERATORS: Mapping[str, str] = MappingProxyType({
    "^": "^ is not power here: write LEFT ** RIGHT",
    "//": "// (whole division) is not available: write LEFT / RIGHT (a comment starts with #)",
    "%": "% (remainder) is not available",
    "@": "@ (matrix product) is not available: values here are single numbers",
    "&": "& is not available",
    "|": "| is not available: for the absolute value write abs(RIGHT)",
    "~": "~ is not available",
    "<<": "<< is not available",
    ">>": ">> is not available",
    "<": "< compares: in a formula that stands once, outside of all brackets",
    ">": "> compares: in a formula that stands once, outside of all brackets",
    "<=": "<= compares: in a formula that stands once, outside of all brackets",
    ">=": ">= compares: in a formula that stands once, outside of all brackets",
    "!=": "!= compares: in a formula that stands once, outside of all brackets",
    "==": "== compares; write LEFT = RIGHT",
    "=": "= gives a value to a name: one name on the left",
    ":=": ":= is not available: write LEFT = RIGHT on a line of its own",
    "->": "-> is not available",
    ":": ": is not available",
    "!": "! (factorial) is not available",
    "[": "[ ] is not available: lists may only stand in sum([...])",
    "{": "{ } is not available",
    "...": "... is not a number: only numbers and names are allowed",
    ".": "a name is expected after the dot",
})  # fmt: skip
"""What is said about an operator the language does not have; `LEFT` and `RIGHT` are the operands as typed."""

CHARACTERS: Mapping[str, str] = MappingProxyType({
    "−": "-", "–": "-", "—": "-", "×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "∕": "/", "，": ",", "；": ";",
    "（": "(", "）": ")", "＋": "+", "－": "-", "＊": "*", "／": "/", "＝": "=", "．": ".",
})  # fmt: skip
"""Characters of typeset mathematics and of other keyboards, and what to type instead."""
