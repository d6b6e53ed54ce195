"""The window of the help: contents and search at the left, a page at the right, back and forward."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QKeyEvent, QTextCharFormat, QTextCursor, QTextDocument, QTextFormat
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QSplitter,
    QTextBrowser,
    QTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QVBoxLayout,
    QWidget,
)

from gui.help.pages import FIRST, GROUPS, Page, page_of_link, pages, search
from gui.theme import text_pixels
from gui.unexpected import contained
from gui.widgets.buttons import tool_button
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets

WIDTH, HEIGHT, LARGEST_SHARE = 940, 660, 0.95
"""Size in the designed size of text, and largest share of the main window's width and height."""
CONTENTS_WIDTH = 230
MOST_MARKS = 300
"""Found words that are marked on a page."""
NAME = Qt.ItemDataRole.UserRole


class HelpWindow(QDialog):
    """A window beside the main one; it deletes itself when it is closed.

    Attributes:
        field: search field for all pages.
        contents: all pages by groups, or the results of a search.
        browser: shows the page.
        back, forward: buttons to the previous and the next page.
        page: the page that is shown.
    """

    def __init__(self, window: Any) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Help")
        self._window = window
        self._visited: list[tuple[str, int | None]] = []
        self._at = -1
        self.page: Page = pages()[FIRST]
        self.field = QLineEdit()
        self.field.setPlaceholderText("Search all pages")
        self.field.setAccessibleName("search the help")
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._search)
        self.field.returnPressed.connect(self._open_first_result)
        self.found = muted_label()
        self.contents = QTreeWidget()
        self.contents.setHeaderHidden(True)
        self.contents.setAccessibleName("pages")
        self.contents.currentItemChanged.connect(self._follow_contents)
        self.browser = QTextBrowser()
        self.browser.setAccessibleName("page of the help")
        self.browser.setOpenLinks(False)
        self.browser.anchorClicked.connect(lambda url: self.follow_link(url.toString()))
        self.back = tool_button("◀", "Back (Alt+Left)", lambda: self.go(-1), "back")
        self.forward = tool_button("▶", "Forward (Alt+Right)", lambda: self.go(1), "forward")
        home = tool_button("Contents", "The first page of the help", lambda: self.show_page(FIRST))
        self._lay_out(home)
        self._fill_contents()
        self.show_page(FIRST)

    def _lay_out(self, home: QWidget) -> None:
        left, right = QWidget(), QWidget()
        add_widgets(QVBoxLayout(left), self.field, self.contents, 1, self.found, margins=(0, 0, 0, 0))
        top = add_widgets(QHBoxLayout(), self.back, self.forward, home)
        top.addStretch(1)
        add_widgets(QVBoxLayout(right), top, self.browser, 1, margins=(0, 0, 0, 0))
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(left)
        splitter.addWidget(right)
        splitter.setCollapsible(1, False)
        add_widgets(QVBoxLayout(self), splitter)
        wanted = QSize(text_pixels(WIDTH), text_pixels(HEIGHT))
        self.resize(wanted.boundedTo(self._window.size() * LARGEST_SHARE))
        splitter.setSizes([text_pixels(CONTENTS_WIDTH), max(1, self.width() - text_pixels(CONTENTS_WIDTH))])

    # Pages

    def show_page(self, name: str, part: str = "") -> None:
        """Show a page, at one of its parts; one that does not exist shows the first page."""
        self._leave()
        del self._visited[self._at + 1 :]
        self._visited.append((name if name in pages() else FIRST, None))
        self._at += 1
        self._show(part)

    def go(self, steps: int) -> None:
        """Go back (-1) or forward (1) through the pages that were shown."""
        if 0 <= self._at + steps < len(self._visited):
            self._leave()
            self._at += steps
            self._show()

    def follow_link(self, link: str) -> None:
        """Follow a link of the page: to another page, to a panel, or do an action in the main window."""
        kind, _colon, name = link.partition(":")
        if kind == "panel":
            self._window.show_panel(name)
        elif kind == "action":
            with contained(self._window):
                self._window.action(name).trigger()
        elif (found := page_of_link(link, self.page.name)) is not None:
            if found[0] == self.page.name:
                self.browser.scrollToAnchor(found[1])
            else:
                self.show_page(*found)

    def _leave(self) -> None:
        """Remember how far the present page is scrolled."""
        if self._at >= 0:
            self._visited[self._at] = self._visited[self._at][0], self.browser.verticalScrollBar().value()

    def _show(self, part: str = "") -> None:
        name, scrolled = self._visited[self._at]
        self.page = pages()[name]
        self._fill()
        if scrolled is not None:  # otherwise a found word is in view
            self.browser.verticalScrollBar().setValue(scrolled)
        if part:
            self.browser.scrollToAnchor(part)
        self.setWindowTitle(f"Help: {self.page.title}" if self.page.group else self.page.title)
        self.back.setEnabled(self._at > 0)
        self.forward.setEnabled(self._at + 1 < len(self._visited))
        for item in self._items():
            if item.data(0, NAME) == name and item is not self.contents.currentItem():
                self.contents.blockSignals(True)
                self.contents.setCurrentItem(item)
                self.contents.blockSignals(False)

    def _fill(self) -> None:
        if self.page.is_html:
            self.browser.setHtml(self.page.text)
        else:
            self.browser.setMarkdown(self.page.markdown())
            _space_out(self.browser.document())
        self._mark_found()

    # Contents and search

    def _items(self) -> list[QTreeWidgetItem]:
        found = []
        at = QTreeWidgetItemIterator(self.contents)
        while (item := at.value()) is not None:
            found.append(item)
            at += 1
        return found

    def _fill_contents(self) -> None:
        self.contents.clear()
        self.contents.setRootIsDecorated(True)
        self.found.setText("")
        for group in GROUPS:
            top = QTreeWidgetItem([group])
            top.setFlags(Qt.ItemFlag.ItemIsEnabled)
            self.contents.addTopLevelItem(top)
            for page in pages().values():
                if page.group == group:
                    top.addChild(_item(page, page.title))
        self.contents.expandAll()

    def _search(self, text: str) -> None:
        self.contents.blockSignals(True)
        if text.strip():
            results = search(text)
            self.contents.clear()
            self.contents.setRootIsDecorated(False)
            self.contents.addTopLevelItems([_item(page, page.title) for page in results])
            self.found.setText(f"{len(results)} found" if results else "Nothing found: try one word")
        else:
            self._fill_contents()
        self.contents.blockSignals(False)
        self._mark_found()

    def _open_first_result(self) -> None:
        first = self.contents.topLevelItem(0)
        if self.field.text().strip() and first is not None:
            self.contents.setCurrentItem(first)

    def _walk_results(self, steps: int) -> None:
        """Open the result below (1) or above (-1) the present one, while the field keeps the keyboard."""
        current = self.contents.currentItem()
        at = -1 if current is None else self.contents.indexOfTopLevelItem(current)
        item = self.contents.topLevelItem(max(0, at + steps))
        if item is not None:
            self.contents.setCurrentItem(item)

    def _follow_contents(self, item: QTreeWidgetItem | None) -> None:
        name = None if item is None else item.data(0, NAME)
        if name and name != self.page.name:
            self.show_page(name)

    def _mark_found(self) -> None:
        """Mark the searched words on the page; scroll to where they stand together, or else to the first of them."""
        marks: list[QTextEdit.ExtraSelection] = []
        style = QTextCharFormat()
        style.setBackground(self.palette().highlight())
        style.setForeground(self.palette().highlightedText())
        searched = self.field.text().strip()
        for word in searched.split():
            cursor = self.browser.document().find(word)
            while not cursor.isNull() and len(marks) < MOST_MARKS:
                mark = QTextEdit.ExtraSelection()
                mark.cursor, mark.format = cursor, style
                marks.append(mark)
                cursor = self.browser.document().find(word, cursor, QTextDocument.FindFlag(0))
        self.browser.setExtraSelections(marks)
        if marks:
            first = QTextCursor(self.browser.document())
            phrase = self.browser.document().find(searched)
            first.setPosition(
                min(mark.cursor.selectionStart() for mark in marks) if phrase.isNull() else phrase.selectionStart()
            )
            self.browser.setTextCursor(first)
            self.browser.ensureCursorVisible()

    # Events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
        if alt and event.key() == Qt.Key.Key_Left:
            self.go(-1)
        elif alt and event.key() == Qt.Key.Key_Right:
            self.go(1)
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up) and self.field.hasFocus() and self.field.text().strip():
            self._walk_results(1 if event.key() == Qt.Key.Key_Down else -1)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()  # no button of a dialog is pressed
        elif event.key() == Qt.Key.Key_Escape and self.field.text():
            self.field.clear()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange) and self._at >= 0:
            self._leave()
            self._show()  # colours and sizes of letters are in the text


def _space_out(document: QTextDocument) -> None:
    """Set headings, paragraphs and code apart: Qt's Markdown has lines without room between them."""
    cursor, block = QTextCursor(document), document.begin()
    while block.isValid():
        style = block.blockFormat()
        if style.headingLevel():
            style.setTopMargin(text_pixels(14) if block.blockNumber() else 0)
            style.setBottomMargin(text_pixels(4))
        elif style.hasProperty(QTextFormat.Property.BlockCodeFence):
            style.setLeftMargin(text_pixels(16))
        elif block.textList() is not None:
            style.setBottomMargin(text_pixels(2))
        else:
            style.setBottomMargin(text_pixels(6))
        cursor.setPosition(block.position())
        cursor.setBlockFormat(style)
        block = block.next()


def _item(page: Page, text: str) -> QTreeWidgetItem:
    item = QTreeWidgetItem([text])
    item.setData(0, NAME, page.name)
    item.setToolTip(0, page.title)
    return item


def open_help(window: Any, page: str = FIRST) -> HelpWindow:
    """Show a page in the help window, which is opened where it is not open yet."""
    found = window.findChild(HelpWindow)
    if found is None:
        found = HelpWindow(window)
        found.show()
    if page != FIRST or found.page.name != FIRST:
        found.show_page(page)
    found.raise_()
    found.activateWindow()
    found.field.setFocus()
    return found
