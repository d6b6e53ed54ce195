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

NOT_NEEDED: Mapping[str, str] = MappingProxyType({
    "backward": "gradients are always computed",
    "zero_grad": "gradients start from zero each time",
    "zero_": "gradients start from zero each time",
    "requires_grad_": "every value has a gradient",
    "requires_grad": "every value has a gradient",
    "dtype": "every number is a float64",
    "retain_grad": "every value has a gradient",
    "grad": "gradients are shown in the graph",
    "data": "data are shown in the graph",
    "item": "data are shown in the graph",
    "numpy": "data are shown in the graph",
    "tolist": "data are shown in the graph",
    "manual_seed": "nothing random happens here",
    "seed": "nothing random happens here",
    "show": "the graph is always shown",
})  # fmt: skip
"""Attributes that end a line of a tutorial which has nothing to do here, and why."""

UNCHANGED = frozenset({"double", "float", "clone", "contiguous", "squeeze", "sum", "mean"})
"""Methods that leave a single number what it is."""

DETACHING = frozenset({"data", "item", "detach"})
"""Attributes that give the plain number: no gradient flows through it."""

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
    "<": "< compares: only numbers are computed here",
    ">": "> compares: only numbers are computed here",
    "<=": "<= compares: only numbers are computed here",
    ">=": ">= compares: only numbers are computed here",
    "!=": "!= compares: only numbers are computed here",
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
