"""A session as text: what a chat or a mail does to it, what is damaged, and what is not a session."""

import base64
import random
import textwrap
import zlib

import pytest

from engine.document import Document, DocumentError, replace_section
from engine.session_file import to_json
from engine.session_file.pasted import BEGIN, END, is_session, session_of_text, text_of_session
from engine.session_file.strict_json import LARGEST_TEXT

PROGRAM = "größe = 2.0  # ✓ [end of session]\nb = größe * größe\n"
SESSION = replace_section(Document(), "expression", text=PROGRAM)


def test_a_session_comes_back_from_its_text():
    text = text_of_session(SESSION)
    assert session_of_text(text) == SESSION and is_session(text)
    assert text[text.index(BEGIN) :].isascii() and max(map(len, text.splitlines())) < 120


def test_a_person_can_read_the_program_before_the_compressed_file():
    text = text_of_session(SESSION)
    assert "b = größe * größe" in text[: text.index(BEGIN)] and "2-4-4-1" in text[: text.index(BEGIN)]
    marked = replace_section(Document(), "expression", text=f"a = 1.0  # {BEGIN}\n" * 500)
    assert session_of_text(text_of_session(marked)) == marked
    assert len(text_of_session(marked).splitlines()) < 90


def test_the_text_of_a_file_is_a_session_too():
    assert session_of_text("\n  " + to_json(SESSION)) == SESSION


@pytest.mark.parametrize(
    "sent",
    [
        lambda text: "\n".join("> > " + line for line in text.splitlines()),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", " "),
        lambda text: "Look at this:\n\n" + text + "\nBest wishes",
        lambda text: text.replace("[G", "[ g").replace("\n", "\n\u200b\xa0 "),
        lambda text: "\n".join(line[i : i + 31] for line in text.splitlines() for i in range(0, len(line), 31)),
    ],
    ids=["quoted in a mail", "ends of lines", "on one line", "among words", "blanks", "wrapped"],
)
def test_a_chat_or_a_mail_does_no_harm(sent):
    assert session_of_text(sent(text_of_session(SESSION))) == SESSION


def smart(text):
    """As a word processor has it: opening and closing quotes by turns."""
    parts = text.split('"')
    return "".join(part + "\u201c\u201d"[i % 2] for i, part in enumerate(parts[:-1])) + parts[-1]


MAIL = {
    "quoted": lambda text: "On Monday Ada wrote:\n" + "\n".join("> > " + line for line in text.splitlines()),
    "ends of lines": lambda text: text.replace("\n", "\r\n"),
    "among words": lambda text: "Look at this:\n\n" + text + "\nBest wishes, Ada {really}"[:12],
    "fence": lambda text: "```json\n" + text + "```\nDoes it work for you?",
    "typographic quotes": smart,
    "blanks": lambda text: text.replace("  ", "\xa0 ").replace("\n", "\u200b\n"),
    "wrapped": lambda text: "\n".join(
        textwrap.fill(line, 40, break_long_words=False, drop_whitespace=False, break_on_hyphens=False)
        for line in text.splitlines()
    ),
    "wrapped and quoted": lambda text: MAIL["quoted"](MAIL["wrapped"](text)),
}


@pytest.mark.parametrize("kind", MAIL)
def test_the_text_of_a_file_survives_mail_and_chat(kind):
    program = "a = 2.0  # a comment that is longer than what a mail has on a line, so it is wrapped\nb = a * a\n"
    sent = replace_section(SESSION, "expression", text=program + "print(\"x\", 'y')  # “quoted” words\n")
    text = MAIL[kind](to_json(sent))
    assert is_session(text)
    if kind == "typographic quotes":
        assert session_of_text(text).training == sent.training
    else:
        assert session_of_text(text) == sent


@pytest.mark.parametrize("kind", MAIL)
def test_the_compressed_text_survives_mail_and_chat(kind):
    assert session_of_text(MAIL[kind](text_of_session(SESSION))) == SESSION


@pytest.mark.parametrize("text", ['d = {"gradstep": 1}', "> hello", "```python\na = 1\n```", "{"])
def test_a_program_is_no_session(text):
    assert not is_session(text)


def test_damage_that_cannot_be_undone_is_named_with_its_line():
    text = MAIL["quoted"](to_json(SESSION)).replace('"noise": 0.1', '"noise" 0.1')
    with pytest.raises(DocumentError, match=r"line \d+, column \d+"):
        session_of_text(text)


@pytest.mark.parametrize("seed", range(30))
def test_a_missing_or_changed_letter_is_noticed(seed):
    chance, text = random.Random(seed), text_of_session(SESSION)
    begin, end = text.index(BEGIN) + len(BEGIN), text.rindex(END)
    place = chance.choice([i for i in range(begin, end) if text[i].isalnum()])
    other = "" if seed % 2 else chance.choice([letter for letter in "Aa0+z" if letter != text[place]])
    with pytest.raises(DocumentError, match="damaged"):
        session_of_text(text[:place] + other + text[place + 1 :])


def packed(content):
    return f"{BEGIN}{base64.b64encode(zlib.compress(content)).decode()}{END}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no session"),
        ("a = 1", "no session"),
        ("{}", "no session"),
        (text_of_session(SESSION)[:-30], "end of the session is missing"),
        (f"{BEGIN}{END}", "damaged"),
        (f"{BEGIN}====AAAA{END}", "damaged"),
        (packed(b"\xff\xfe"), "damaged"),
        (packed(b"[" * 100_000), "not a session"),
        (packed(b'{"gradstep": 3, "network": {"layer_sizes": [2, 0, 1]}}'), "from 1"),
        (packed(b'{"gradstep": 3, "expression": {"text": NaN}}'), "NaN"),
        (packed(b"cos\nsystem\n(S'true'\ntR."), "not a session"),
    ],
)
def test_what_is_not_a_session_is_refused_with_the_reason(text, reason):
    with pytest.raises(DocumentError, match=reason):
        session_of_text(text)


def test_a_text_that_is_too_long_is_not_looked_at():
    with pytest.raises(DocumentError, match="too long"):
        session_of_text("x" * (2 * LARGEST_TEXT + 1))


def test_a_small_text_that_would_be_unpacked_to_very_much_is_refused():
    with pytest.raises(DocumentError, match="too large"):
        session_of_text(packed(b" " * (LARGEST_TEXT + 2)))
