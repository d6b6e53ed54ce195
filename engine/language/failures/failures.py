"""What a program raised, said to a learner: the sentence, the place, how it came there."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Mapping

from engine.autograd.notation import counted
from engine.language.advice.other_languages import name_of_another_language
from engine.language.errors import Call, Fix, ProgramError
from engine.language.failures.class_failures import lacking_in_class, of_kind
from engine.language.failures.places import unbound_use, unfit_call
from engine.language.fetching import OtherObject
from engine.language.nodes import walk
from engine.language.prelude import exported_names
from engine.language.reading import Reading
from engine.language.rewriting.tried_lines import raised_in
from engine.language.sandbox_session import Frame, ProgramFailed
from engine.language.words import MODULES, OWN
from engine.messages import nearest, visible

LONGEST = 200
_UNKNOWN = re.compile(r"name '(.+?)' is not defined")
_ATTRIBUTE = re.compile(r"'(.+?)' object has no attribute '(.+?)'")
_OPERANDS = re.compile(r"unsupported operand type\(s\) for (.+?): '(.+?)' and '(.+?)'")
_MISSING = re.compile(r"(\w+)\(\) missing (\d+) required positional arguments?")
_COMPARED = re.compile(r"'(.+?)' not supported between instances of '(.+?)' and '(.+?)'")


def failure(
    reading: Reading,
    failed: ProgramFailed,
    text: int,
    known: Mapping[str, object],
    running: int = 1,
    tried: int = 0,
) -> ProgramError:
    """The error for what a program raised.

    Args:
        reading: the program.
        failed: what it raised.
        text: the number of the program's text in frames.
        known: the names that had a value then.
        running: the line that was being run, as far as is known: where the sandbox names no place.
        tried: the line that was run last in the body of a `try`; 0 for none.
    """
    frames = [frame for frame in failed.frames if frame.text == text and frame.line > 0]
    source = reading.source
    message = sentence(failed.kind, failed.message, known)
    if not frames:
        start = source.start_of_line(max(running, 1))
        return source.error(message, start, source.line_end(start))
    start, end = span(reading, frames[-1])
    message, start, end = _placed(reading, failed, message, start, end)
    if raised_in(reading.tree, source, reading.places, start, tried):
        start, end = source.span_of_line(tried)
    line, column = source.place(start)
    if failed.kind in ("TypeError", "AttributeError"):
        first = source.start_of_line(line)
        lacking = lacking_in_class(reading.tree, failed.message, source.text[first : source.line_end(first)])
        message = lacking or message
    unknown = _UNKNOWN.search(failed.message) if failed.kind == "NameError" else None
    fixes: tuple[Fix, ...] = ()
    if unknown is not None and re.match(rf"(?!__){re.escape(unknown[1])}\s*\(", source.text[start:end]):
        message, fixes = _unknown_function(unknown[1], reading, known, start)
    end_line, end_column = source.place(end)
    lines = [*(source.place(span(reading, frame)[0])[0] for frame in frames[:-1]), line]
    calls = tuple(Call(frame.function.removeprefix("<module>"), at) for frame, at in zip(frames, lines, strict=True))
    return ProgramError(message, line, column, end_column if end_line == line else column + 1, fixes, calls)


def _placed(reading: Reading, failed: ProgramFailed, message: str, start: int, end: int) -> tuple[str, int, int]:
    """The message and the place where the sandbox has them elsewhere."""
    node: ast.expr | None = None
    if failed.kind == "UnboundLocalError":
        node = unbound_use(reading, failed.message, failed.frames[-1].function)
    elif failed.kind == "TypeError" and (unfit := unfit_call(reading, failed.message, start)) is not None:
        node = unfit[0]
        message = message.replace("__init__()", f"{unfit[1]}()")
    return (message, start, end) if node is None else (message, *reading.places.span(node))


def _unknown_function(
    name: str, reading: Reading, known: Mapping[str, object], start: int
) -> tuple[str, tuple[Fix, ...]]:
    """What is said of a name without a value that is called at `start`, and the edit where another one is near."""
    own = [node.name for node in walk(reading.tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    own += [name for name, thing in known.items() if isinstance(thing, OtherObject)]  # a model, say
    is_pythons = hasattr(builtins, name)  # and left out on purpose
    similar = nearest(name, [*own, *exported_names()]) if len(name) > 2 and not is_pythons else None
    if similar is None or similar == name:
        return _is_missing(name), ()
    return f"no function '{name}', did you mean '{similar}'?", (
        Fix(f"write {similar}", start, start + len(name), similar),
    )


def span(reading: Reading, frame: Frame) -> tuple[int, int]:
    """Where a frame is in the text as typed."""
    start = reading.patched.original(frame.line, frame.column)
    end = reading.patched.original(frame.end_line, frame.end_column)
    return start, max(end, start + 1)


def sentence(kind: str, message: str, known: Mapping[str, object]) -> str:
    """What is said about an exception."""
    message = visible(
        message.replace(OWN + "Number", "float")
        .replace(OWN + "Array", "array")
        .replace(OWN + "op_", "")
        .replace(OWN, ""),
        LONGEST,
    )
    made = _SENTENCES.get(kind)
    said = made(message, known) if made is not None else None
    if said is not None:
        return said
    if kind in _PLAIN:
        return message or kind
    return f"{kind}: {message}" if message else kind


_PLAIN = frozenset({"SyntaxError", "NotImplementedError", "MemoryError", "TypeError", "ValueError", "IndexError"})
"""Exceptions whose message is a sentence by itself."""


_INSTEAD_OF = {
    "input": "nothing can be typed while a program runs here, write the number itself",
    "vars": "name the attributes that you want to see",
    "dir": "name the attributes that you want to see",
}
"""What to write instead of functions that Python has and programs here have not."""


def _is_missing(name: str) -> str:
    """What is said of a function that there is not."""
    if not hasattr(builtins, name):
        return f"unknown function '{name}'"
    return f"unknown function '{name}': {_INSTEAD_OF.get(name, 'Python has it, programs here have not')}"


def _name_error(message: str, known: Mapping[str, object]) -> str | None:
    refused = re.fullmatch(r"unknown function '(\w+)'", message)
    if refused is not None:
        return _is_missing(refused[1])
    found = _UNKNOWN.search(message)
    if found is None:
        return message
    name = found[1]
    if name in MODULES or name == "plt":
        module = {"np": "numpy as np", "plt": "matplotlib.pyplot as plt", "F": "torch.nn.functional as F"}.get(
            name, name
        )
        return f"{name} has no value: write import {module} above"
    if (other := name_of_another_language(name)) is not None:
        return other
    similar = nearest(name, [*known, *exported_names()]) if len(name) > 2 else None
    hint = f" (or did you mean {similar}?)" if similar else ""
    return f"{name} has no value: write {name} = 1.0 above{hint}"


def _attribute_error(message: str, known: Mapping[str, object]) -> str | None:
    found = _ATTRIBUTE.search(message)
    if found is None:
        return None
    kind, name = found.groups()
    if kind in ("int", "float") and name in ("data", "grad", "_prev", "_backward", "backward"):
        wrap = "wrap it: other = other if isinstance(other, Value) else Value(other)"
        return f"a plain number has no .{name}: {wrap if name != 'backward' else 'make it a Value to have gradients'}"
    if kind == "Pyplot":
        return f"plt.{name} is not available: there are plot, scatter, bar, subplots, title, labels, legend and show"
    if kind == "Module":
        similar = nearest(name, exported_names())
        return f"this module has no {name} here" + (f", did you mean '{similar}'?" if similar else "")
    similar = nearest(name, [*exported_names(), "data", "grad", "backward", "zero_grad", "label", "item", "detach"])
    hint = f", did you mean '{similar}'?" if similar and kind == "Value" else ""
    if kind in ("function", "method", "bound_method") and not name.startswith("__"):
        hint = ": call it, with ( ) behind its name, and ask what it gives"
    return f"{_kind(kind)} has no attribute '{name}'{hint}"


def _type_error(message: str, known: Mapping[str, object]) -> str | None:
    found = _COMPARED.search(message)
    if found is not None and "array" in found.groups():
        return f"{found[1]} does not compare arrays here: compare their elements, such as [x {found[1]} 0 for x in a]"
    if found is not None and "Value" in found.groups():
        return f"{found[1]} does not compare Values: compare their numbers, such as a.data {found[1]} b.data"
    found = _MISSING.search(message)
    if found is not None:
        return f"{found[1]}() needs {counted(int(found[2]), 'more input')}: {message.rpartition(': ')[2]}"
    found = _OPERANDS.search(message)
    if found is not None:
        hint = ": a gradient is None until backward() computes it" if "NoneType" in found.groups() else ""
        return f"{found[1]} is not defined for {_kind(found[2])} and {_kind(found[3])}{hint}"
    return None


_KINDS = {"str": "text", "NoneType": "None", "list": "a list", "tuple": "a tuple", "dict": "a dict", "Value": "a Value",
          "int": "a whole number", "float": "a number", "function": "a function", "array": "an array",
          "Gone": "a name that has no value after del"}  # fmt: skip


def _kind(name: str) -> str:
    return _KINDS.get(name, of_kind(name))


def _not_yet(message: str, known: Mapping[str, object]) -> str | None:
    text = message.removeprefix("The monty syntax parser does not yet support ")
    text = "a yield expression" if text == "yield expressions" else text
    return f"{text} is not available here" if text != message else None


def _unbound(message: str, known: Mapping[str, object]) -> str | None:
    found = re.search("'(.+?)'", message)
    return f"the local variable {found[1] if found else ''} is used before it has a value"


_SENTENCES: Mapping[str, Callable[[str, Mapping[str, object]], str | None]] = {
    "NameError": _name_error,
    "UnboundLocalError": _unbound,
    "AttributeError": _attribute_error,
    "TypeError": _type_error,
    "NotImplementedError": _not_yet,
    "ZeroDivisionError": lambda said, _: "division by zero" if "power" not in said else "0 has no negative powers",
    "RecursionError": lambda *_: "the calls go too deep: a function calls itself without an end, or too many times",
    "KeyError": lambda said, _: f"there is no key {said} in the dict",
    "OverflowError": lambda *_: "overflow: number too large (over 1.8e308)",
    "AssertionError": lambda said, _: "the assertion does not hold" + (said and f": {said}"),
}
