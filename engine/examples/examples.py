"""The examples of File > Examples: the steps of a tutorial and every published case, in groups, each ready to run.

A program is a file in a folder of `resources/examples`: the folder's name is the group, the first line has the title
and, after a colon, the summary, and the numbers in front are the order. The published cases come from the gallery
(`gallery.py`), with their texts and settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine.document.document import Document
from engine.examples.gallery import EXAMPLES, Case, published_examples

SETTINGS = ("data", "network", "training")
"""Sections of a document that a published network defines."""
OWN_DATA = ("formula", "table", "table_name", "table_inputs", "table_target", "table_task", "points", "signed_points")
"""Fields of the user that a published data set leaves unchanged."""
GROUPS = {
    "programs": "Published: gradients",
    "nudges": "Published: derivatives as quotients",
    "accumulation": "Published: several backward passes",
    "networks": "Published: networks",
    "published_statements_that_do_not_hold": "Published: statements that do not hold",
}
"""Menu titles of the kinds of published cases."""

_ORDER = re.compile(r"^[0-9]+_")
_NUMBER = re.compile(r"\w+ = (Value\()?[-+.0-9e]+\)?")


@dataclass(frozen=True)
class Example:
    """A program or a network that can be opened.

    Attributes:
        name: unique, such as `A13` or `1_build_your_own_engine/05_backward`.
        title: menu text.
        group: title of its menu.
        summary: one line on what it shows.
        sections: fields by section that it sets in a document.
    """

    name: str
    title: str
    group: str
    summary: str
    sections: Mapping[str, Mapping[str, Any]]

    @property
    def text(self) -> str:
        """Return the program; empty for a network."""
        return str(self.sections.get("expression", {}).get("text", ""))


@cache
def examples() -> tuple[Example, ...]:
    """Return all examples in menu order."""
    return (*_written(EXAMPLES.parent), *_published())


def _written(folder: Path) -> Iterator[Example]:
    for path in sorted(folder.glob("*/*.py")):
        text = path.read_text(encoding="utf-8")
        title, _, summary = text.partition("\n")[0].removeprefix("#").strip().partition(": ")
        group = _ORDER.sub("", path.parent.name).replace("_", " ").capitalize()
        yield _program(f"{path.parent.name}/{path.stem}", title, group, summary[:1].upper() + summary[1:], text)


def _published() -> Iterator[Example]:
    published = published_examples()
    texts = {case["id"]: case["program"] for case in published["programs"]}
    for kind, cases in published.items():
        for case in cases:
            yield from _published_case(case, GROUPS[kind], texts)


def _published_case(case: Case, group: str, texts: Mapping[str, str]) -> Iterator[Example]:
    """Yield the case, a program or a network, as an example."""
    title = f"{case['id']}: {case['title']}"
    text = case.get("program") or texts.get(case.get("of", ""))
    if text:
        comment = f"# {case['text']}\n" if "text" in case else ""
        yield _program(case["id"], title, group, case.get("text") or _formulas(text), f"{comment}{text}\n")
    else:
        sections = {section: {**_first(section), **case[section]} for section in SETTINGS}
        sections |= {"trained": _first("trained"), "view": {"shows": "network"}}
        yield Example(case["id"], title, group, case["text"], sections)


def _formulas(text: str) -> str:
    """Return the lines of a program that compute something: those that do not only give a number a name."""
    return "; ".join(line for line in text.splitlines() if not _NUMBER.fullmatch(line))


def _first(section: str) -> dict[str, Any]:
    """Return a section of a new document: earlier settings must not affect a published network."""
    fields = vars(getattr(Document(), section))
    return {name: value for name, value in fields.items() if name not in OWN_DATA}


def _program(name: str, title: str, group: str, summary: str, text: str) -> Example:
    return Example(name, title, group, summary, {"expression": {"text": text}, "view": {"shows": "expression"}})
