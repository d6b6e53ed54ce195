"""What is typed or pasted that belongs to another language, to a shell or to a text: what to write instead."""

from __future__ import annotations

import re

from engine.language.errors import ProgramError
from engine.language.source import Source

_SENTENCES = (
    (r"^\s*(>>>|\.\.\.(?=\s))", "{0} is the prompt of a Python shell: leave it out"),
    (r"^\s*(```)", "{0} begins or ends the code in a text: leave this line out"),
    (r"^\s*function\s+(\w+)\s*\(([\w\s,]*)\)", "a function begins with def: write def {0}({1}):"),
    (r"^\s*(var|let|const)\s+(\w+)", "a name needs no {0}: write {1} = ..."),
    (r"\b(else\s+if)\b", "{0} is elif in Python"),
    (r"\b(\w+)(\+\+|--)(?!\w)", "{1} is not there in Python: write {0} {2}= 1"),
    (r"(&&)", "{0} is not there in Python: write and"),
    (r"(\|\|)", "{0} is not there in Python: write or"),
    (r"(!)\s*(?!=)[\w(]", "{0} is not there in Python: write not"),
)
"""Patterns of a line, and what is said where one is found; the groups stand for the braces."""

_NAMES = {"true": "True", "false": "False", "null": "None", "nil": "None", "none": "None"}
"""What Python's words are called elsewhere."""


def name_of_another_language(name: str) -> str | None:
    """What is said of a name without a value that is known from elsewhere."""
    if name in _NAMES:
        return f"{name} has no value: did you mean {_NAMES[name]}?"
    return f"{name} [1]: is the prompt of a notebook: leave it out" if name in ("In", "Out") else None


def of_another_language(source: Source, line: int) -> ProgramError | None:
    """What is said about a line that Python refuses; None where it is not known from elsewhere.

    Args:
        source: the text.
        line: from 1.
    """
    start = source.start_of_line(line)
    text = re.sub(r"(['\"]).*?\1", lambda found: " " * len(found[0]), source.text[start : source.line_end(start)])
    for pattern, sentence in _SENTENCES:
        found = re.search(pattern, text)
        if found is not None:
            groups = [*found.groups(), (found.groups()[-1] or " ")[0]]
            at = start + found.start(1)
            return source.error(sentence.format(*groups), at, start + found.end(1))
    return None
