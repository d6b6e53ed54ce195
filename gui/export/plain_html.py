"""Markdown as plain HTML: Qt reads it, and its document is written with every text escaped, no link and no picture."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from PySide6.QtGui import (
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextDocument,
    QTextFormat,
    QTextFrame,
    QTextListFormat,
    QTextTable,
)

_BULLETS = (QTextListFormat.Style.ListDisc, QTextListFormat.Style.ListCircle, QTextListFormat.Style.ListSquare)
_MARKERS = {QTextBlockFormat.MarkerType.Unchecked: "☐ ", QTextBlockFormat.MarkerType.Checked: "☑ "}


def html_of_markdown(text: str) -> str:
    """Return Markdown as HTML: paragraphs, headings from h4 on, lists, tables, code, quotes."""
    document = QTextDocument()
    features = QTextDocument.MarkdownFeature
    document.setMarkdown(text, features.MarkdownDialectGitHub | features.MarkdownNoHTML)
    return "\n".join(_frame(document.rootFrame()))


def inline_html(text: str) -> str:
    """Return Markdown as HTML without paragraphs, for the inside of one."""
    document = QTextDocument()
    features = QTextDocument.MarkdownFeature
    document.setMarkdown(text, features.MarkdownDialectGitHub | features.MarkdownNoHTML)
    blocks, block = [], document.begin()
    while block.isValid():
        blocks.append(_fragments(block))
        block = block.next()
    return " ".join(blocks)


def _frame(frame: QTextFrame) -> Iterator[str]:
    """Yield the blocks and tables of a frame."""
    blocks: list[QTextBlock] = []
    position = frame.begin()
    while not position.atEnd():
        inner, block = position.currentFrame(), position.currentBlock()
        if isinstance(inner, QTextTable):
            yield from _blocks(blocks)
            blocks = []
            yield from _table(inner)
        elif block.isValid():
            blocks.append(block)
        position += 1
    yield from _blocks(blocks)


def _table(table: QTextTable) -> Iterator[str]:
    yield '<table cellspacing="0">'
    for row in range(table.rows()):
        tag = "td" if row else "th"
        cells = []
        for column in range(table.columns()):
            cell = table.cellAt(row, column)
            position, pieces = cell.begin(), []
            while not position.atEnd():
                pieces.append(_fragments(position.currentBlock()))
                position += 1
            cells.append(f"<{tag}>{'<br>'.join(pieces)}</{tag}>")
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</table>"


def _blocks(blocks: list[QTextBlock]) -> Iterator[str]:
    """Yield blocks; lines of code that follow one another are one, and so are the items of a list."""
    open_lists: list[str] = []
    code: list[str] = []
    for block in blocks:
        form, items = block.blockFormat(), block.textList()
        if code and not form.nonBreakableLines():
            yield f"<pre>{chr(10).join(code)}</pre>"
            code = []
        depth = items.format().indent() if items is not None else 0
        while len(open_lists) > depth:
            yield f"</{open_lists.pop()}>"
        if form.nonBreakableLines():
            code.append(escape(block.text()))
            continue
        inside = _fragments(block)
        if items is not None:
            tag = "ul" if items.format().style() in _BULLETS else "ol"
            while len(open_lists) < depth:
                open_lists.append(tag)
                yield f"<{tag}>"
            yield f"<li>{_MARKERS.get(form.marker(), '')}{inside}</li>"
        elif form.hasProperty(QTextFormat.Property.BlockTrailingHorizontalRulerWidth):
            yield "<hr>"
        elif not inside:
            continue
        elif level := form.headingLevel():
            yield f"<h{min(level + 1, 6)}>{inside}</h{min(level + 1, 6)}>"
        elif form.hasProperty(QTextFormat.Property.BlockQuoteLevel):
            yield f"<blockquote>{inside}</blockquote>"
        else:
            yield f"<p>{inside}</p>"
    if code:
        yield f"<pre>{chr(10).join(code)}</pre>"
    yield from (f"</{tag}>" for tag in reversed(open_lists))


def _fragments(block: QTextBlock) -> str:
    """Return the text of a block with its emphasis and code; links and pictures are their text."""
    pieces = []
    position = block.begin()
    while not position.atEnd():
        fragment = position.fragment()
        form = fragment.charFormat()
        text = escape(fragment.text().replace("\u2028", "\n").replace("\ufffc", "")).replace("\n", "<br>")
        if form.fontFixedPitch():
            text = f"<code>{text}</code>"
        if form.fontWeight() >= QFont.Weight.DemiBold.value and not block.blockFormat().headingLevel():
            text = f"<b>{text}</b>"
        if form.fontItalic():
            text = f"<i>{text}</i>"
        if form.fontStrikeOut():
            text = f"<s>{text}</s>"
        pieces.append(text)
        position += 1
    return "".join(pieces)
