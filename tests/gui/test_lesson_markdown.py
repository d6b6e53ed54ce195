"""Text of lessons in the window: no accepted text shows a picture, loads anything, or links out of the program."""

import random

import pytest
from PySide6.QtGui import QTextDocument

from engine.lessons.lesson_text import POINTER, text_errors
from gui.panels.lesson.lesson import LessonText

PIECES = (
    *("`", "``", "```", "~~~", "~~", "\\", "\n", "\n", "\n", "\n\n", " ", "  "),
    *("    ", "\t", "\r", "\x0b", "\xa0", "\u200b"),
    *("- ", "* ", "1. ", "> ", "| ", "|", "|-|-|\n", "- [ ] ", "### h\n", "---\n", "===\n", "+++\n", "***\n", "#", "$"),
    *("[", "]", "(", ")", "<", ">", "!", "@", ":", "*", "**", "_", "](", "]:",),
    *("\\[", "\\]", "\\`", "\\!", "\\<", "\\("),
    *("[x](show:nudge)", "[x](show:graph)", "](show:nudge)", '](show:nudge "t")',),
    *("](http://e.x)", "](javascript:alert(1))"),
    *("[a]", "[a][a]", "[a`]", "[a]: http://e.x", "[a]: http://e.x `", "![x](y.png)", "![x](data:image/png;base64,AA)"),
    *("<b>", "<!-- -->", "<http://e.x>", "<a@b.cd>", "<img src=x>", "&lt;img src=x&gt;",),
    *("&#60;b&#62;", "&#x5b;", "&colon;"),
    *("http://e.x", "HTTP://E.X", "ftp://e.x", "www.e.xy", "WWW.", "a@b.cd", "mailto:a@b.cd",),
    *("://e.x", "//e.x", "http", "e.x"),
    *("`[q](http://e.x)`", "`<http://e.x>`", "`a | b`", "`|`", "a", "word", "é", "\ufffd", "{a.grad}"),
)  # fmt: skip


class RecordingText(LessonText):
    """Lesson text that records what it is asked to load."""

    def __init__(self):
        super().__init__("text")
        self.asked = []

    def loadResource(self, kind, name):
        self.asked.append(name)
        return super().loadResource(kind, name)


def fragments(document: QTextDocument):
    block = document.begin()
    while block.isValid():
        position = block.begin()
        while not position.atEnd():
            yield position.fragment()
            position += 1
        block = block.next()


def links(shown: RecordingText) -> set[str]:
    """Return the targets of all links; pictures and anything else that is no text fail."""
    targets = set()
    for fragment in fragments(shown.document()):
        form = fragment.charFormat()
        assert not form.isImageFormat()
        assert "\ufffc" not in fragment.text()
        if form.isAnchor():
            targets.add(form.anchorHref())
    return targets


@pytest.fixture
def shown(qtbot):
    text = RecordingText()
    qtbot.addWidget(text)
    return text


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_no_accepted_text_leads_out_of_the_program(shown, seed):
    chance, n_accepted, n_linked = random.Random(seed), 0, 0
    for _ in range(6000):
        text = "".join(chance.choices(PIECES, k=chance.choice((3, 6, 10, 16)))).strip()
        if any(text_errors(enumerate(text.replace("\r", "\n").split("\n")))):
            continue
        shown.show_markdown(text)
        targets = links(shown)
        assert all(POINTER.fullmatch(target) for target in targets), text
        n_accepted += 1
        n_linked += bool(targets)
    assert shown.asked == []
    assert n_accepted > 100
    assert n_linked > 3


@pytest.mark.parametrize(
    "text",
    [
        "<http://e.x>",
        "http://e.x",
        "www.e.xy",
        "a@b.cd",
        "[x][y]\n\n[y]: http://e.x",
        "[x](e.x)",
        "\\`[x](http://e.x)\\`",
        "text\n    [x](http://e.x)",
        "a|b\n-|-\n```\nhttp://e.x",
        "```\n ```\nhttp://e.x\n```",
    ],
)
def test_texts_that_would_link_out_of_the_program_are_refused(shown, text):
    shown.show_markdown(text)
    assert not all(POINTER.fullmatch(target) for target in links(shown)), "no link: the case shows nothing"
    assert list(text_errors(enumerate(text.split("\n"))))
