"""Texts about operations: rows of the table of all operations, and the parts of composite ones."""

from __future__ import annotations

from dataclasses import dataclass

from engine.autograd import Op, Value, name_of, short
from engine.autograd.naming import grouped_name
from engine.teaching.explanation import ExplanationLine, Lines, TextRun, heading, plain
from engine.teaching.readable import OTHERWISE, cases_of, mathematics

SENTENCES = {
    "value": "value: ",
    "derivative": "derivative with respect to {argument}: ",
    "vjp": "gradient for {argument}: ",
    "domain": "Defined where {condition}; elsewhere: {problem}.",
    "everywhere": "Defined everywhere.",
    "kink": "Where there is no derivative, this is used: {used}.",
    "infinite": "The derivative is infinite at {place}.",
    "infinite in short": "∞ at {place}",
    "expansion": "In simpler operations:",
    "composite": "{op} is made of simpler operations: expand it in the graph ({keys}), the gradients stay the same.",
    "taken apart": "{name} is computed by the simpler operations of {op} here. Collapse it ({keys}) to see it in one "
    "piece.",
    "if": "  if ",
    "otherwise": "  otherwise",
    "same": "{name}.grad is {apart} this way and {whole} in one piece.",
    "synonyms": "Other libraries call it {names}.",
}
"""Every sentence on operations."""
CODE = "code"


@dataclass(frozen=True, slots=True)
class OperationRow:
    """One operation as a row of texts, all from the table of operations.

    Attributes:
        name: in the language.
        symbol: on its circle in the graph.
        value, derivatives, domain, kink: formulas and words, cases and derivatives one below the other; "" where there
            is nothing to say.
    """

    name: str
    symbol: str
    value: str
    derivatives: str
    domain: str
    kink: str


def row_of(op: Op) -> OperationRow:
    """Return the row of an operation."""
    derivatives = "\n".join(_in_lines(text) for text in op.partials or op.vjps)
    if len(op.partials or op.vjps) > 1:
        pairs = zip(op.arguments, op.partials or op.vjps, strict=True)
        derivatives = "\n".join(f"by {argument}:  {_in_lines(text)}" for argument, text in pairs)
    infinite = SENTENCES["infinite in short"].format(place=op.infinite_at) if op.infinite_at else ""
    domain = mathematics(op.domain.condition) if op.domain.condition else "everywhere"
    return OperationRow(op.name, op.text, _in_lines(op.value), derivatives, domain, op.at_kink or infinite)


def _in_lines(formula: str) -> str:
    return "\n".join(case.text for case in cases_of(formula))


def operation_lines(op: Op) -> Lines:
    """Return the complete description of an operation from the table."""
    which = "vjp" if op.vjps else "derivative"
    lines = [heading(f"{op.text}  {op.name}"), plain(op.rule), *_formula(SENTENCES["value"], op.value)]
    for argument, text in zip(op.arguments, op.vjps or op.partials, strict=False):
        lines += _formula(SENTENCES[which].format(argument=argument), text)
    condition, problem = mathematics(op.domain.condition) if op.domain.condition else "", op.domain.problem
    domain = SENTENCES["domain"].format(condition=condition, problem=problem)
    lines.append(plain(domain if condition else SENTENCES["everywhere"]))
    lines += [plain(SENTENCES["kink"].format(used=op.at_kink))] if op.kink else []
    lines += [plain(SENTENCES["infinite"].format(place=op.infinite_at))] if op.infinite_at else []
    lines += [plain(SENTENCES["expansion"]), *_expansion(op)] if op.expansion else []
    lines += [plain(SENTENCES["synonyms"].format(names=", ".join(op.synonyms)))] if op.synonyms else []
    return tuple(lines)


def composite_lines(value: Value, keys: str) -> Lines:
    """Return the parts of a value's composite operation; () for a simple one."""
    if value.op is None or not value.op.expansion:
        return ()
    return (plain(SENTENCES["composite"].format(op=value.op.name, keys=keys)), *_expansion(value.op))


def expanded_lines(whole: Value, gradients: list[tuple[Value, float, float]], keys: str) -> Lines:
    """Return the text for an operation that is expanded in the graph.

    Args:
        whole: the value as one operation computes it.
        gradients: its inputs, each with its gradient by the single operation and by the parts.
        keys: shortcut that collapses it.
    """
    assert whole.op is not None
    lines = [
        plain(SENTENCES["same"].format(name=grouped_name(source), apart=short(apart), whole=short(in_one)))
        for source, in_one, apart in gradients
    ]
    return (plain(SENTENCES["taken apart"].format(name=name_of(whole), op=whole.op.name, keys=keys)), *lines)


def _formula(before: str, formula: str) -> list[ExplanationLine]:
    """Return a formula of the table after an introduction, its cases one below the other."""
    lines = []
    for number, case in enumerate(cases_of(formula)):
        runs = [TextRun("word", "" if number else before), TextRun("math", case.value)]
        if case.condition == OTHERWISE:
            runs.append(TextRun("word", SENTENCES["otherwise"]))
        elif case.condition:
            runs += [TextRun("word", SENTENCES["if"]), TextRun("math", case.condition)]
        lines.append(ExplanationLine("text", tuple(run for run in runs if run.text)))
    return lines


def _expansion(op: Op) -> list[ExplanationLine]:
    return [ExplanationLine("text", (TextRun(CODE, line),)) for line in op.expansion.splitlines()]
