"""A session as text: what a chat or a mail does to it, what is damaged, and what is not a session."""

import base64
import random
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
    assert text.isascii() and max(map(len, text.splitlines())) < 120


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


@pytest.mark.parametrize("seed", range(30))
def test_a_missing_or_changed_letter_is_noticed(seed):
    chance, text = random.Random(seed), text_of_session(SESSION)
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
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
