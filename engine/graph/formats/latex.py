"""A LaTeX table of derivatives: every value, how it is computed, its data, and the output's derivative by it.

That derivative is a total one, over every way to the output, and so written with d, not ∂.

It is a plain `tabular`, for any LaTeX without packages; Greek letters, signs and small digits are put into math.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from engine.autograd import Constant, Value
from engine.autograd.notation import counted, short
from engine.autograd.printer import Part, Style, formula, part_of
from engine.graph.formats.numbered import Numbered, without_controls
from engine.graph.picture import cell_text, norm

SIGNS: Mapping[str, str] = {"*": r"\cdot", "-": "-", "+": "+", "/": "/", "@": "@"}
_IN_MATH: Mapping[str, str] = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "µ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho",
    "σ": "sigma", "ς": "varsigma", "τ": "tau", "υ": "upsilon", "φ": "varphi", "χ": "chi", "ψ": "psi", "ω": "omega",
    "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon",
    "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega", "∂": "partial", "∇": "nabla", "∞": "infty", "×": "times", "÷": "div",
    "√": "surd", "·": "cdot", "‖": "Vert", "→": "rightarrow", "≈": "approx", "≤": "leq", "≥": "geq", "±": "pm",
    "∑": "sum",
}  # fmt: skip
ESCAPES: Mapping[str, str] = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': "''", "−": "$-$", "–": "--", "…": r"\ldots{}", "ᵀ": "$^{T}$",
    "[": "{[}", "]": "{]}", "*": "{*}",  # after \\ a bracket or a star would belong to it
    **{letter: rf"$\{name}$" for letter, name in _IN_MATH.items()},
    **{small: f"$_{{{digit}}}$" for digit, small in enumerate("₀₁₂₃₄₅₆₇₈₉")},
    **{small: f"$^{{{digit}}}$" for digit, small in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
}  # fmt: skip
_SIMPLE_NAME = re.compile(r"[\w.]+(?:\([^()]*\))?")
_PLAIN_NUMBER = re.compile(r"-?[\d.]+")
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]")
MOST_ELEMENTS = 16
"""Maximum number of elements of an array written whole; a larger one is written as its shape."""
LAST_LATIN = "\u017f"
"""Up to here LaTeX knows the letters of every language without more ado."""


def latex(numbered: Numbered) -> str:
    """The table; constants stand in the formulas only."""
    graph = numbered.graph
    output = next((a["label"] for _key, a in graph.nodes(data=True) if a.get("role") == "output"), "") or "y"
    head = rf"value & computed as & data & $\mathrm{{d}}\,${escaped(output)}$\,/\,\mathrm{{d}}\,$value \\"
    rows = [
        _row(numbered, key)
        for key in nx.lexicographical_topological_sort(graph, key=str)
        if graph.nodes[key]["kind"] == "value" and graph.nodes[key]["role"] != "constant"
    ]
    lines = [r"\begin{tabular}{llrr}", r"\hline", head, r"\hline", *rows, r"\hline", r"\end{tabular}", ""]
    rare = dict.fromkeys(c for row in rows for c in row if c > LAST_LATIN)
    note = f"% XeLaTeX or LuaLaTeX, and a font that has them, can set these: {' '.join(rare)}\n" if rare else ""
    return note + "\n".join(lines)


def _row(numbered: Numbered, key: str) -> str:
    a = numbered.graph.nodes[key]
    outputs = a.get("outputs", ())
    if len(outputs) > 1:
        cells = [_norm(list(part)) for part in zip(*map(numbered.look_up, outputs), strict=True)]
    else:
        cells = [_number(part) for part in numbered.numbers(key)]
    return " & ".join([escaped(a["label"] or key), _formula(numbered.graph, key), *cells]) + r" \\"


def _norm(numbers: list[Any]) -> str:
    size = norm(numbers)
    return "--" if size is None else rf"$\Vert\cdot\Vert = {_number(size).strip('$')}$"


def _number(number: Any) -> str:
    if number is None:
        return "--"
    if isinstance(number, float) and math.isnan(number):
        return r"\textit{nan}"
    if isinstance(number, np.ndarray) and number.ndim <= 2 and 0 < number.size <= MOST_ELEMENTS:
        return _array(np.atleast_2d(number))
    text = cell_text(number).replace("−", "-")
    if "e" in text:
        mantissa, power = text.split("e")
        return rf"${mantissa}\cdot 10^{{{int(power)}}}$"
    return f"${text}$".replace("×", r"\times ").replace("∞", r"\infty")


def _array(numbers: NDArray[np.float64]) -> str:
    """The elements in round brackets, which need no package."""
    rows = [" & ".join(_number(float(number)).strip("$") for number in row) for row in numbers]
    lines = r" \\ ".join(rows)
    return rf"$\left(\begin{{array}}{{{'r' * numbers.shape[1]}}} {lines} \end{{array}}\right)$"


def _formula(graph: nx.DiGraph, key: str) -> str:
    value, members = graph.nodes[key]["value"], graph.nodes[key]["members"]
    if members:
        return counted(members, "value")
    if value.op is None:
        return "--"
    return formula(value.op, [part_of(_operand(graph, source)) for source in value.inputs], LATEX).text


def _power(base: Part, exponent: Part, style: Style) -> str:
    name = base.text
    loose = not _SIMPLE_NAME.fullmatch(name) or _SUPERSCRIPT.search(name)
    above = exponent.text if _PLAIN_NUMBER.fullmatch(exponent.text) else rf"\textrm{{{escaped(exponent.text)}}}"
    return f"{f'({escaped(name)})' if loose else escaped(name)}$^{{{above}}}$"


def _operand(graph: nx.DiGraph, source: Value) -> str:
    """Text of an input in a formula: a constant's number, or the label of its box."""
    if isinstance(source, Constant):
        return f"{source.data:g}" if source.data.__class__ is float else short(source.data)
    box: str | None = graph.graph["places"].get(id(source))
    return source.label or "?" if box is None else graph.nodes[box]["label"] or box


def escaped(text: str) -> str:
    """The text as LaTeX shows it."""
    return "".join(ESCAPES.get(c, c) for c in without_controls(text).replace("\n", " "))


LATEX = Style(
    MappingProxyType({sign: f" ${written}$ " for sign, written in SIGNS.items()}),
    _power, minus="$-$", leading_minus=False, escaped=escaped,
)  # fmt: skip
