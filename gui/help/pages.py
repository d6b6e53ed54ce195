"""The pages of the help: Markdown files of `resources/help`, and pages made from the tables of the program.

A page about a panel is the file `panels/<class of the panel>.md`; it has the sections of `SECTIONS`. A link is one of

* `SweepPanel.md` or `../guide/training.md`: another page, relative to the file as everywhere in Markdown;
* `reference:losses`: a page made from a table, see `gui/help/reference.py`; `reference:operations#tanh` a part of it;
* `action:check`: does that action of the registry; its keys are written after the words of the link;
* `panel:SweepPanel`: shows that panel in the window.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from pathlib import Path

from gui.actions.registry import ACTIONS
from gui.arrangement import PANELS
from gui.help.reference import REFERENCE
from gui.widgets.action_set import keys_text

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "help"
SECTIONS = ("What it shows", "Example", "Formula", "How it is computed", "What to try")
"""Headings that the page of every panel has, in this order."""
GUIDE = ("first_minutes", "programs", "graph", "training", "lessons", "export", "keyboard")
"""Chapters of the guide, in their order."""
GROUPS = ("Guide", "Panels", "Reference")
FIRST = "index"
GRAPH = "panels/GraphPanel"
"""The page of the graph in the middle of the window, which is no dock."""
LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes:
        name: by which links and the window find it.
        title: its heading.
        group: one of `GROUPS`; "" for the first page.
        text: Markdown or HTML.
        is_html: which of the two.
        panel: the class of the panel that it is about; "" for none.
    """

    name: str
    title: str
    group: str
    text: str
    is_html: bool = False
    panel: str = ""

    @property
    def plain_text(self) -> str:
        """The words of the page, without marks."""
        if self.is_html:
            return unescape(re.sub(r"<[^>]+>", " ", self.text))
        return LINK.sub(r"\1", self.text).replace("`", "").replace("**", "")

    def links(self) -> Iterator[tuple[str, str]]:
        """The words and the target of each link."""
        yield from LINK.findall(self.text) if not self.is_html else ()

    def markdown(self) -> str:
        """The text for showing: keys stand after links to actions, and a panel's page leads to its panel."""
        keys = {entry.id: keys_text(entry) for entries in ACTIONS.values() for entry in entries}

        def with_keys(found: re.Match[str]) -> str:
            words, link = found.groups()
            kind, _colon, name = link.partition(":")
            pressed = f" ({keys[name]})" if kind == "action" and keys.get(name) else ""
            return f"[{words}{pressed}]({link.replace(' ', '%20')})"

        text = LINK.sub(with_keys, self.text)
        if self.panel in PANELS:
            heading, _newline, rest = text.partition("\n")
            text = f"{heading}\n\n[Show this panel](panel:{self.panel})\n{rest}"
        return text


@lru_cache(1)
def pages() -> Mapping[str, Page]:
    """All pages by name, in the order of the contents."""
    found = [_file(FIRST, ""), *(_file(f"guide/{name}", "Guide") for name in GUIDE), _file(GRAPH, "Panels")]
    found += [_file(f"panels/{name}", "Panels", name) for name in PANELS]
    found += [
        Page(f"reference/{name}", about.title, "Reference", f"<h1>{about.title}</h1>{about.html()}", is_html=True)
        for name, about in REFERENCE.items()
    ]
    return {page.name: page for page in found}


def _file(name: str, group: str, panel: str = "") -> Page:
    path = FOLDER / f"{name}.md"
    text = path.read_text(encoding="utf-8") if path.is_file() else f"# {PANELS[panel].title}\n\nThere is no page yet.\n"
    return Page(name, text.partition("\n")[0].removeprefix("# ").strip(), group, text, panel=panel)


def page_of_link(link: str, page: str) -> tuple[str, str] | None:
    """Return the name of the page that a link leads to, and the part of it; None for a link to anything else.

    Args:
        link: as it stands in a text.
        page: the name of the page that it stands in.
    """
    target, _hash, part = link.partition("#")
    if target.startswith("reference:"):
        return f"reference/{target.removeprefix('reference:')}", part
    if target.endswith(".md"):
        return posixpath.normpath(posixpath.join(posixpath.dirname(page), target)).removesuffix(".md"), part
    return (page, part) if not target and part else None


def search(text: str) -> list[Page]:
    """Return the pages that have all words of a text, the best first: those with a word in the title or a heading."""
    words = text.casefold().split()
    found = []
    for page in pages().values() if words else ():
        title, body = page.title.casefold(), page.plain_text.casefold()
        if all(word in body or word in title for word in words):
            headings = " ".join(_headings(page))
            score = sum(20 * (word in title) + 5 * (word in headings) + min(body.count(word), 5) for word in words)
            found.append((score, page))
    return [page for _score, page in sorted(found, key=lambda pair: -pair[0])]


def _headings(page: Page) -> list[str]:
    pattern = r"<h\d[^>]*>(.*?)</h\d>" if page.is_html else r"(?m)^#+ (.*)$"
    return [heading.casefold() for heading in re.findall(pattern, page.text)]
