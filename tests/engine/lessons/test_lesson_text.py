"""Text of lessons: what is let through, and what is refused in whatever disguise."""

import pytest

from engine.lessons.lesson_text import live_nodes, text_errors, with_live_numbers


def errors(text):
    return list(text_errors(enumerate(text.split("\n"), start=1)))


@pytest.mark.parametrize(
    "text",
    [
        "Plain, *emphasis*, **strong**, `code`, ~~gone~~ and a [control](show:nudge.h).",
        "- one\n- two\n  - three\n\n1. first\n2. second\n\n> quoted",
        "| a | b |\n|---|---|\n| `x` | 2 |",
        "```python\nx[0]: int = f(a)[1](b)  # <b> http://e.x {a.gradient} ![x](y)\n```",
        "A span with `<b>`, `` a ` b ``, `http://e.x`, `![x](y)` and `x[0](1)` is code.",
        "It is smaller: a < b, 3 <4, <= and <-; a @ b; https is a word, and so is www.",
        "The gradient is {a.grad}, the data {w[0].data}; a set {1, 2} and {a} are text.",
        "### A small heading\n\n***\n\n#### A smaller one",
    ],
)
def test_plain_markdown_is_let_through(text):
    assert errors(text) == []


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("fine\n<script>alert(1)</script>", 2, "HTML"),
        ("fine\n<img src=x onerror=alert(1)>", 2, "HTML"),
        ("<http://e.x>", 1, "HTML"),
        ("<someone@e.x>", 1, "HTML"),
        ("<!-- hidden -->", 1, "HTML"),
        ("see http://e.x", 1, "addresses"),
        ("see HTTPS://e.x", 1, "addresses"),
        ("see www.e.x", 1, "addresses"),
        ("write to someone@e.x", 1, "addresses"),
        ("![x](show:nudge)", 1, "pictures"),
        ("[x](javascript:alert(1))", 1, "javascript"),
        ("[x](//e.x)", 1, "links"),
        ("[x](file:///etc/passwd)", 1, "links"),
        ("[x](<show:nudge>)", 1, "HTML"),
        ('[x](show:nudge "title")', 1, "links"),
        ("[x](show:nudge\n'title')", 1, "links"),
        ("[x](\nhttp:/e.x)", 1, "links"),
        ("[x](show:nugde)", 1, "did you mean 'nudge'"),
        ("[`x`](e.x)", 1, "links"),
        ("[a [b](show:nudge) c](e.x)", 1, "links"),
        ("[x][y]\n\n> - [y]: e.x", 3, "reference"),
        ("[x`]: e.x/`", 1, "reference"),
        ("[two\nlines]: e.x", 2, "reference"),
        ("&lt;img src=x&gt;", 1, "character itself"),
        ("&#60;b&#62;", 1, "character itself"),
        ("a `span\nof two [x](e.x)` lines", 1, "`"),
        ("\\`[x](e.x)\\`", 1, "`"),
        ("a|b\n-|-\n`x | [y](e.x)` |", 3, "links"),
        ("a|b\n-|-\n```\n[x](e.x)", 3, "block"),
        ("text\n    [x](e.x)", 2, "links"),
        ("- ```\n  [x](e.x)", 1, "block"),
        ("- [ ] ~~~\n[x](e.x)", 1, "block"),
        ("```\n ```\n[x](e.x)\n```", 2, "block"),
        ("``` two words\n[x](e.x)", 1, "block"),
        ("---\nhidden\n---", 1, "begin"),
        ("- " * 1000 + "x", 1, "deeply"),
        (">" * 1000 + "x", 1, "deeply"),
        (" " * 2000 + "- x", 1, "deeply"),
        ("{a.gradient}", 1, ".grad"),
    ],
)
def test_markup_that_leads_out_of_the_lesson_is_refused_at_its_line(text, line, word):
    found = errors(text)
    assert found
    assert found[0][0] == line
    assert word in found[0][1]


def test_each_wrong_line_has_its_error():
    assert [line for line, _ in errors("<b>\nfine\nhttp://e.x\n`\n")] == [1, 3, 4]


TEXT = "a is {a.data}\n\n```\n{b.data}\n```\n`{c.data}` and {d[0].grad}"


def test_live_numbers_are_those_outside_of_code():
    assert list(live_nodes(enumerate(TEXT.split("\n"), start=1))) == [(1, "a"), (6, "d[0]")]
    written = with_live_numbers(TEXT, lambda node, which: f"<{node} {which}>")
    assert written == "a is <a data>\n\n```\n{b.data}\n```\n`{c.data}` and <d[0] grad>"
