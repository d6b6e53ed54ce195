"""A name that is code in some format stays a name in every format.

    python -m tests.reliability.escaping

A program is exported once with a plain name and once with each hostile one, as label, in what it prints and in its own
text. Read by the format's own reader, both files must be made of the same parts; only texts may differ.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping
from html.parser import HTMLParser

from PySide6.QtWidgets import QApplication

from engine.code import TARGETS
from engine.csv_text import FORMULA_BEGINS, csv_text, is_number
from engine.document import Document, replace_section
from engine.graph.formats import FORMATS
from engine.language import evaluate
from engine.page import page_of_document
from engine.views.graph_view import show_expression
from gui.export.exports import PictureChoices, laid_out
from gui.export.target import STILL
from gui.theme import LIGHT

PLAIN = "plain"
HOSTILE = (
    "<script>alert(1)</script>", "</script><script>alert(1)</script>", "<!--<script>", '"><img src=x onerror=alert(1)>',
    "' onload='alert(1)", "&lt;b&gt;&#60;i&#62;", "]]></text><script/>", "javascript:alert(1)", "<a href=file:///etc>",
    "{{title}} ${1+1} %(x)s {0}", '"]; evil [URL="file:///etc/passwd"', "\\N\\G\\\\", "<<B>x</B>>", "{a|<p>b}",
    "\\input{/etc/passwd}", "\\end{tabular}\\write18{true}", "$}{%#_^~&", "=cmd|' /C calc'!A1", "@SUM(A1)", "\t=1+1",
    '"""\nimport os\nos.system("true")\n"""', "''' + __import__('os') + '''", "# \nimport os",
    "a\nb\r\nc\rd\u2028e\x85f", "\0\x1b[2J\x07", "\u202eevil\u2066", "\ud800", "é🎈مرحبا", "y" * 3_000, "",
)  # fmt: skip
LATEX_FOR_LETTERS = {
    "textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater", "textbar", "ldots", "cdot",
}  # fmt: skip
Structure = Callable[[bytes], object]


def of_xml(content: bytes) -> object:
    """Return the kinds of elements with the names of their attributes; refuse what could run or load something."""
    found = set()
    for element in ElementTree.fromstring(content).iter():
        found.add((element.tag, *sorted(element.attrib)))
        for name, value in element.attrib.items():
            assert not name.lower().startswith("on") and "javascript:" not in value.lower(), (name, value)
    return found


def of_html(content: bytes) -> object:
    """Return the kinds of elements with the names of their attributes, and how many scripts there are."""
    kinds, scripts = set(), []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            kinds.add((tag, *sorted(name for name, _ in attrs)))
            if tag == "script":
                scripts.append(dict(attrs))

    Reader().feed(content.decode())
    return kinds, scripts


def of_dot(content: bytes) -> object:
    """Return everything but texts, and what depends on a name: the direction (its width), the role (a dot in it)."""
    without_roles = re.sub(
        r"shape=(box, style=rounded|octagon), kind=value, role=(input|parameter)", "", content.decode()
    )
    return re.sub(r'"(?:[^"\\]|\\.)*"|rankdir=\w+', '""', without_roles, flags=re.DOTALL)


def of_latex(content: bytes) -> object:
    """Return the commands, the number of cells and of lines, without the commands that stand for a letter."""
    text = re.sub(r"\\[{}%#_$&]", "", content.decode())
    assert text.count("{") == text.count("}")
    commands = set(re.findall(r"\\([A-Za-z]+|\\)", text)) - LATEX_FOR_LETTERS
    return commands, text.count("&"), text.count(r"\\")


def of_json(content: bytes) -> object:
    """Return the keys and kinds of everything."""

    def kind(part: object) -> object:
        if isinstance(part, dict):
            return {name: kind(entry) for name, entry in part.items()}
        return [kind(entry) for entry in part] if isinstance(part, list) else isinstance(part, str)

    return kind(json.loads(content))


def of_text(content: bytes) -> object:
    """Return the number of lines; no character may command a terminal or turn the direction of writing."""
    text = content.decode()
    assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", text)
    return text.count("\n")


def of_python(content: bytes) -> object:
    """Return what the program imports and calls; names of variables are made of labels."""
    imports, calls = set(), set()
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports.add(ast.unparse(node))
        elif isinstance(node, ast.Call):
            calls.add(node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func))
    return imports, calls


def of_pdf(content: bytes) -> object:
    """Refuse everything that a reader of PDF files would run or follow."""
    return [word for word in (b"/JavaScript", b"/JS", b"/URI", b"/Launch", b"/OpenAction", b"/AA") if word in content]


def of_csv(content: bytes) -> object:
    """Return the shape of the table; no text may be read as a formula."""
    rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
    assert not [cell for row in rows for cell in row if cell.startswith(FORMULA_BEGINS) and not is_number(cell)]
    return [len(row) for row in rows]


READERS: Mapping[str, Structure] = {
    "svg": of_xml, "graphml": of_xml, "html": of_html, "dot": of_dot, "tex": of_latex, "json": of_json, "txt": of_text,
    "py": of_python, "pdf": of_pdf, "csv": of_csv,
    "png": lambda content: content[:8], "gif": lambda content: content[:6],
}  # fmt: skip


def exports(name: str) -> Iterator[tuple[str, str, bytes]]:
    """Yield every export of a small program with the name: what it is, its extension, its content."""
    told = ascii(name)
    text = f"a = Value(2.0, label={told})\nk = Value(-3.0)\nc = tanh(a * k + a)\nprint({told})\nc.backward()\n"
    document = replace_section(Document(), "expression", text=text)
    view = show_expression(evaluate(text), hide_constants=False)
    drawn = laid_out(view, LIGHT, document.view)
    for extension in STILL:
        if extension in FORMATS or extension != "html":
            yield f"graph as {extension}", extension, drawn.content(PictureChoices(extension))
    yield "page", "html", page_of_document(document, view).encode()
    for key, kind in TARGETS.items():
        yield f"code for {key}", kind.extension, kind.function(document, view).encode()
    yield "table", "csv", csv_text([(name, [1.0, -2.0]), ("b", [name, "x"])]).encode(errors="backslashreplace")


def findings() -> tuple[int, list[str]]:
    """Return how many files were read, and those whose structure a name has changed."""
    plain = {what: READERS[extension](content) for what, extension, content in exports(PLAIN)}
    count, found = 0, []
    for name in HOSTILE:
        for what, extension, content in exports(name):
            count += 1
            try:
                same = READERS[extension](content) == plain[what]
            except (AssertionError, SyntaxError, ValueError, ElementTree.ParseError) as error:
                found.append(f"{what}, {name[:40]!r}: {type(error).__name__}: {error}")
            else:
                found += [] if same else [f"{what}, {name[:40]!r}: other parts than with a plain name"]
    return count, found


def main() -> int:
    """Export everything; return 1 when a name became more than a name."""
    application = QApplication.instance() or QApplication(["escaping", "-platform", "offscreen"])
    count, found = findings()
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{count} files, {len(HOSTILE)} names, {len(found)} findings")
    del application
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
