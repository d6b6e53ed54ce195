"""Lines on the contributions that arrive at a value in the backward pass: each with its consumer, and their sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.autograd.contributions import Contribution
from engine.autograd.naming import grouped_name
from engine.autograd.notation import enough_decimals, equality, factor, placed, short, shown
from engine.autograd.value import Value
from engine.teaching.explanation import ExplanationLine, TextRun, formula, partial_runs, sentence, total_run
from engine.teaching.substep import product_in_numbers
from engine.teaching.wording import partial_in_words

MAX_TERMS = 6
"""Contributions whose local derivatives are worked out, and that appear in the sum."""
MAX_LISTED = 400
"""Contributions that are listed with their consumers."""
MAX_FORMULA = 100


def contribution_lines(root: Value, terms: Sequence[Contribution]) -> list[ExplanationLine]:
    """The contributions consumer by consumer: the local derivative, and with several consumers the amount of each."""
    lines: list[ExplanationLine] = []
    for place, term in enumerate(terms[:MAX_LISTED]):
        if term.partial is not None:
            lines += local_lines(term) if place < MAX_TERMS else []
            lines += [_listed(root, term)] if len(terms) > 1 else []
    if rest := terms[MAX_LISTED:]:
        amount = short(sum(term.amount for term in rest))
        lines.append(sentence("more contributions", count=f"{len(rest):,}", amount=amount))
    return lines


def _listed(root: Value, term: Contribution) -> ExplanationLine:
    """`from e: df/de × ∂e/∂b = -6 × 1 = -6`."""
    product, result = product_in_numbers(term)
    names = total_run(root, term.node), TextRun("math", " × "), *partial_runs(term.node, term.index)
    numbers = TextRun("math", f" = {product} "), TextRun("number", result)
    return ExplanationLine("formula", (TextRun("word", f"from {grouped_name(term.node)}: "), *names, *numbers))


def local_lines(term: Contribution) -> list[ExplanationLine]:
    """`∂n/∂x = formula = numbers = number` for one contribution that is a single number."""
    node, index, exact = term.node, term.index, term.partial
    decimals = enough_decimals(lambda d: partial_in_words(node, index, d)[2], exact)
    words, numbers, given = partial_in_words(node, index, decimals)
    left, result = partial_runs(node, index), short(exact, decimals)
    steps = list(dict.fromkeys(text for text in (words, numbers) if text != result))
    steps = steps[:1] if any(len(text) > MAX_FORMULA for text in steps) else steps
    if steps:
        lines = [formula(*left, f" = {' = '.join(steps)} ", number=equality(given, exact, decimals))]
    else:
        lines = [formula(*left, " ", number=f"= {result}")]
    return lines + _kink_lines(term)


def _kink_lines(term: Contribution) -> list[ExplanationLine]:
    op, datas = term.node.op, [source.data for source in term.node.inputs]
    if op is None or not (op.kink and op.elementwise) or op.distance_to_kink(*datas) != 0.0:
        return []
    if op.kink_of and op.arguments[term.index] != op.kink_of:
        return []  # x² is smooth at 0; only its exponent has no derivative there
    return [sentence("kink", op=op.name, used=op.at_kink)]


def sum_lines(left: str | TextRun, root: Value, terms: Sequence[Contribution], gradient: Any) -> list[ExplanationLine]:
    """The sum over consumers: with names, with numbers, and the sum of the terms; [] for arrays."""
    if any(term.partial is None for term in terms):
        return []
    more, first = " + …" if len(terms) > MAX_TERMS else "", terms[:MAX_TERMS]
    added = () if more else terms  # with hidden terms nobody can see whether they add up
    names: list[str | TextRun] = [left, " = "]
    for place, term in enumerate(first):
        names += [" + " if place else "", total_run(root, term.node), " × ", *partial_runs(term.node, term.index)]
    with_names = formula(*names, more)
    products = _added_up(
        lambda d: [f"{placed(t.upstream, i, d)} × {factor(t.partial, d)}" for i, t in enumerate(first)],
        lambda d: sum((shown(t.upstream, d) * shown(t.partial, d) for t in added), gradient if more else 0.0),
        gradient,
        more,
    )
    if len(terms) == 1:
        return [with_names, products]
    amounts = _added_up(
        lambda d: [placed(t.amount, i, d) for i, t in enumerate(first)],
        lambda d: sum((shown(t.amount, d) for t in added), gradient if more else 0.0),
        gradient,
        more,
    )
    return [with_names, products, amounts]


def _added_up(
    written: Callable[[int], Sequence[str]], computed: Callable[[int], float], total: float, more: str
) -> ExplanationLine:
    """`= 0.5 × 1 + 2 × 3 = 6.5`, with enough decimals for the displayed numbers to add up."""
    decimals = enough_decimals(computed, total)
    return formula(f"= {' + '.join(written(decimals))}{more} ", number=equality(computed(decimals), total, decimals))
