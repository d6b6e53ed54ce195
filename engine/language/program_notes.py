"""Notes on a program that runs: notebook commands, characters that cannot be seen, random numbers without a seed."""

from __future__ import annotations

import ast
import re

from engine.language.guest.notebook_commands import COMMAND
from engine.language.hidden import hidden_name, hidden_places, turns_direction
from engine.language.notes import Note
from engine.language.source import Source, offsets, parse

_SEEDS = frozenset({"seed", "manual_seed", "default_rng", "RandomState", "Random", "SystemRandom"})
_RANDOM_MODULES = frozenset({"random", "numpy.random"})


def program_notes(source: Source, tree: ast.Module | None) -> list[Note]:
    """Return the notes on the text of a program, by line; `tree`: see `tree_without_commands`."""
    found = [*_commands(source), *_hidden(source)]
    if tree is not None:
        found += [*_unseeded(source, tree), *_decimal_commas(source, tree)]
    notes = {(note.line, note.message): note for note in found}
    return sorted(notes.values(), key=lambda note: (note.line, note.column))


def tree_without_commands(text: str) -> ast.Module | None:
    """Return the syntax tree of a program, its notebook commands left out; None where it does not parse."""
    tree = parse(text)
    if tree is None and COMMAND.search(text):
        return parse(COMMAND.sub(lambda found: " " * len(found[0]), text))
    return tree


def _commands(source: Source) -> list[Note]:
    places = [source.place(found.start("command")) for found in COMMAND.finditer(source.text)]
    if not places or parse(source.text) is not None:
        return []
    return [Note("ignored: a notebook command", line, column) for line, column in places]


def _hidden(source: Source) -> list[Note]:
    notes: dict[int, Note] = {}
    for at in hidden_places(source.text):
        line, column = source.place(at)
        letter = source.text[at]
        effect = ", which changes the displayed order of this line" if turns_direction(letter) else ""
        message = f"invisible character U+{ord(letter):04X}{hidden_name(letter)}{effect}"
        notes.setdefault(line, Note(message, line, column))
    return list(notes.values())


def _decimal_commas(source: Source, tree: ast.Module) -> list[Note]:
    """Return notes at numbers with a comma, such as `a = 3,14` or `a += 3,14`, which Python reads as two numbers."""
    notes, offset = [], offsets(source.text)
    for node in tree.body:
        value = getattr(node, "value", None)
        targets = [node.target] if isinstance(node, ast.AugAssign) else getattr(node, "targets", [])
        single = bool(targets) and all(isinstance(target, ast.Name) for target in targets)
        if single and isinstance(value, ast.Tuple) and len(value.elts) == 2 and node.lineno == node.end_lineno:
            start = offset(value.lineno, value.col_offset)
            written = source.text[start : offset(value.lineno, value.end_col_offset or 0)]
            if re.fullmatch(r"[-+]?\d+,\d+", written):
                message = f"{written} is two numbers in Python: write a decimal point as a dot, and 1,000 as 1000"
                notes.append(Note(message, *source.place(start)))
    return notes


def _unseeded(source: Source, tree: ast.Module) -> list[Note]:
    """Return a note at the first random number of a program that sets no seed."""
    names = {"random", "np", "numpy"}
    first: ast.expr | None = None
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in _RANDOM_MODULES:
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Call):
            path = _path(node.func)
            if path and path[-1] in _SEEDS:
                return []
            drawn = len(path) > 1 and "random" in path[:-1] and path[0] in names
            if (drawn or path == ["MLP"] or (len(path) == 1 and path[0] in names)) and first is None:
                first = node
    if first is None:
        return []
    message = "random numbers without a seed: here they are the same in every run"
    return [Note(message, *source.place(offsets(source.text)(first.lineno, first.col_offset)))]


def _path(node: ast.expr) -> list[str]:
    """Return the names of `a.b.c`; empty for another expression."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []
