"""A name that is code in some format stays a name in every format.

    python -m tests.reliability.escaping

A program is exported once with a plain name and once with each hostile one, as label, in what it prints and in its own
text; and a table with the name in its columns and cells, as the code, the graph, a plot and the table of a network. A
handout has the name in its program. Read by the format's own reader, both files must be made of the same parts; only
texts may differ. No export is Markdown: lessons are read as Markdown, and printed as HTML or PDF.
"""

from __future__ import annotations

import argparse
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

from datasets import table_text
from engine.code import TARGETS
from engine.commands.inputs import shown
from engine.csv_text import csv_text, is_number
from engine.document import Document, DocumentError, replace_section
from engine.experiment.prepared import prepare
from engine.graph.formats import FORMATS
from engine.lessons.lesson_file import parse_lesson
from engine.page import page_of_document
from engine.session_file import to_json
from gui.export.drawing import IMAGE_FORMATS
from gui.export.exports import PictureChoices, laid_out
from gui.export.figures import widget_drawing
from gui.export.handout import HANDOUT_FORMATS
from gui.export.target import STILL
from gui.plots.plot import Plot
from gui.theme import LIGHT

PLAIN = "plain"
FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r")
"""First characters of a formula in a spreadsheet; written again, as the program's own list is what is checked."""
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
    """Return the kinds of elements with the names of their attributes; refuse what could run or load something.

    A text that has no width, such as a mark of direction, is written without its width.
    """
    found = set()
    for element in ElementTree.fromstring(content).iter():
        found.add((element.tag, *sorted(element.attrib.keys() - {"textLength", "lengthAdjust"})))
        for name, value in element.attrib.items():
            assert not name.lower().startswith("on") and "javascript:" not in value.lower(), (name, value)
    return found


def of_html(content: bytes) -> object:
    """Return the kinds of elements with the names of their attributes, and how many scripts there are."""
    kinds, scripts = set(), []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            kinds.add((tag, *sorted(name for name, _ in attrs)))
            loaded = [value or "" for name, value in attrs if name in ("href", "src", "srcset", "action", "data")]
            assert all(value.startswith(("#", "data:")) for value in loaded), loaded
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
    text = re.sub(r"^%.*|\\[{}%#_$&]", "", content.decode(), flags=re.MULTILINE)
    assert text.count("{") == text.count("}")
    commands = set(re.findall(r"\\([A-Za-z]+|\\)", text)) - LATEX_FOR_LETTERS
    return commands, text.count("&"), text.count(r"\\"), [text.count(letter) for letter in "#%~"]


def of_json(content: bytes) -> object:
    """Return the keys and kinds of everything; the columns of a session's table are keys, and count as texts."""

    def kind(part: object) -> object:
        if isinstance(part, dict):
            return {name: kind(entry) for name, entry in part.items()}
        return [kind(entry) for entry in part] if isinstance(part, list) else isinstance(part, str)

    whole = json.loads(content)
    if "gradstep" in whole:
        whole["data"]["table"] = [list(column) for column in whole["data"].get("table", {}).items()]
    return kind(whole)


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


LESSON = """+++
format = 1
title = "A lesson"
order = 1
minutes = 1
program = {program}
+++
The gradient of the first value.

## Look
```start
select = "c"
```
"""


def exports(name: str) -> Iterator[tuple[str, str, bytes]]:
    """Yield every export of a small program with the name: what it is, its extension, its content."""
    told = ascii(name)
    text = f"a = Value(2.0, label={told})\nk = Value(-3.0)\nc = tanh(a * k + a)\nprint({told})\nc.backward()\n"
    document = replace_section(Document(), "expression", text=text)
    yield from of_graph("graph", document)
    yield "session", "json", to_json(document).encode()
    yield "table", "csv", csv_text([(name, [1.0, -2.0]), ("b", [name, "x"])]).encode(errors="backslashreplace")
    lesson = parse_lesson(LESSON.format(program=json.dumps(text)), "lesson.md")
    for extension, write in HANDOUT_FORMATS.items():
        yield f"handout as {extension}", extension, write(lesson, True, True)


def table_exports(name: str) -> Iterator[tuple[str, str, bytes]]:
    """Yield every export of a network whose data have the name as column, as target and as class.

    Raises:
        DocumentError: for a name that no document takes: it is too long, or no text.
    """
    other, goal = f"{name} 2", f"{name} 3"
    columns = (
        (name, (1.0, 2.0, 3.5, 4.0)),
        (other, (4.0, 1.0, 2.0, 3.5)),
        (goal, (name or "y", "x", name or "y", "x")),
    )
    fields = {"source": "table", "table": columns, "table_inputs": (name, other), "table_target": goal}
    document = replace_section(Document(), "data", table_name=name, **fields)
    document = replace_section(document, "network", layer_sizes=(2, 2, 1))
    document = replace_section(document, "view", shows="network")
    yield from of_graph("network", document)
    for key, kind in TARGETS.items():
        yield f"network code for {key}", kind.extension, kind.function(document, None).encode()
    yield "session with a table", "json", to_json(document).encode()
    yield "data", "csv", table_text(prepare(document.data).raw).encode()
    plot = Plot(name)
    plot.setLabel("bottom", name)
    plot.resize(400, 300)
    for extension, image in IMAGE_FORMATS.items():
        yield f"plot as {extension}", extension, image.draw(widget_drawing(plot))
    plot.deleteLater()


def of_graph(what: str, document: Document) -> Iterator[tuple[str, str, bytes]]:
    """Yield every export of the graph that a document shows."""
    view = shown(document)
    drawn = laid_out(view, LIGHT, document.view)
    for extension in STILL:
        if extension in FORMATS or extension != "html":
            yield f"{what} as {extension}", extension, drawn.content(PictureChoices(extension))
    yield f"page of the {what}", "html", page_of_document(document, view).encode()
    for key, kind in TARGETS.items():
        yield f"{what}'s code for {key}", kind.extension, kind.function(document, view).encode()


def findings() -> tuple[str, list[str]]:
    """Return a line of figures, and the files whose structure a name has changed."""
    count, kinds, refused, found = 0, set(), [], []
    for make in (exports, table_exports):
        plain = {what: READERS[extension](content) for what, extension, content in make(PLAIN)}
        kinds |= plain.keys()
        for name in HOSTILE:
            try:
                for what, extension, content in make(name):
                    count += 1
                    found += [f"{what}, {name[:40]!r}: {words}" for words in differs(extension, content, plain[what])]
            except DocumentError as error:
                refused.append(f"{name[:10]!a}: {error.sentence}")
    figures = f"{count} files, {len(kinds)} exports, {len(READERS)} formats, {len(HOSTILE)} names"
    return f"{figures}, {len(refused)} names refused for a table ({'; '.join(refused)})", found


def differs(extension: str, content: bytes, plain: object) -> list[str]:
    """Return what is wrong with a file, if anything is."""
    try:
        same = READERS[extension](content) == plain
    except (AssertionError, SyntaxError, ValueError, ElementTree.ParseError) as error:
        return [f"{type(error).__name__}: {error}"]
    return [] if same else ["other parts than with a plain name"]


def main() -> int:
    """Export everything; return 1 when a name became more than a name."""
    about = __doc__.partition("\n\n")[0]
    argparse.ArgumentParser(prog="python -m tests.reliability.escaping", description=about).parse_args()
    application = QApplication.instance() or QApplication(["escaping", "-platform", "offscreen"])
    figures, found = findings()
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{figures}, {len(found)} findings")
    del application
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
