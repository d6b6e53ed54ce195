"""Fuzzy matching: how well a few typed letters fit a title, and which letters of it they are.

As in the palettes of code editors, the letters of a word have to stand in the title in their order, with gaps. A gap
ends in the same word or at the start of another one: `grph` and `gpng` find "Graph as PNG", but `undo` does not find
"A product and a power". Letters at the start of a word, and letters that follow one another, count more.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")

LETTER, CONSECUTIVE, WORD_START, TITLE_START, GAP = 1, 5, 6, 4, -2
"""Points of a letter: by itself, right after the one before, at the start of a word or the title, after a gap."""
WHOLE_WORD = 4
"""Points of a word that is a whole word of the title: `2` is lesson 2 rather than lesson 20."""
IN_PATH, IN_TIP = -12, -30
"""Points of a word that is not in the title: in the menus that lead to it, or only in its tip."""
LEAST_OF_TIP = 3
"""Letters from which on tips are searched."""
LEAST_TO_NARROW = 4
"""Letters of a word from which on an entry that has them in one piece is closer than one that has them scattered."""


@dataclass(frozen=True)
class Match:
    """Score and matched letters of typed words in a title.

    Attributes:
        score: larger is better.
        title: indices of the matched letters of the title.
        path: indices of the matched letters of the path.
        is_close: every word, except short ones, stands in the title or path in one piece.
    """

    score: int
    title: frozenset[int] = frozenset()
    path: frozenset[int] = frozenset()
    is_close: bool = True


NO_MATCH = Match(0)
"""Of an entry that is listed while nothing is typed."""


def plain(text: str) -> str:
    """Return a text of the same length in small letters without forms: `X₁` becomes `x1`."""
    return text.lower() if text.isascii() else "".join(map(_plain_letter, text))


@lru_cache(4096)
def _plain_letter(letter: str) -> str:
    return (unicodedata.normalize("NFKD", letter).casefold() or letter)[0]


def match(words: Sequence[str], title: str, path: str = "", tip: str = "") -> Match | None:
    """Match typed words with an entry; every word has to be found.

    Args:
        words: as `plain` returns them, none empty.
        title: as `plain` returns it.
        path: the menus that lead to it, likewise; letters in it have to follow one another or begin words.
        tip: searched for whole words only.

    Returns:
        The score and the letters to mark; None where a word is not found.
    """
    score, in_title, in_path = 0, set[int](), set[int]()
    is_close = True
    for word in words:
        is_close = is_close and (word in title or word in path or len(word) < LEAST_TO_NARROW)
        found = best_letters(word, title)
        if found is not None:
            score += found[0] + (WHOLE_WORD if f" {word} " in f" {title} " else 0)
            in_title.update(found[1])
            continue
        found = best_letters(word, f"{path} {title}", strict=True)
        if found is not None:
            score += found[0] + IN_PATH
            in_path.update(place for place in found[1] if place < len(path))
            in_title.update(place - len(path) - 1 for place in found[1] if place > len(path))
        elif len(word) >= LEAST_OF_TIP and f" {word}" in f" {tip}":
            score += IN_TIP
            is_close = False
        else:
            return None
    if len(words) == 1 and words[0] == title:
        score += WORD_START * len(title)
    return Match(score, frozenset(in_title), frozenset(in_path), is_close)


def closest(found: Sequence[tuple[Match, T]]) -> list[tuple[Match, T]]:
    """Return the close matches; all where there are none.

    An editor's palette lists scattered letters below the rest; here tips are searched too, and after `undo` fifty lines
    that only mention it would follow the one that is meant.
    """
    close = [pair for pair in found if pair[0].is_close]
    return close or list(found)


def best_letters(word: str, text: str, strict: bool = False) -> tuple[int, tuple[int, ...]] | None:
    """Return the score and places of the best way to find the letters of a word in a text; None where there is none.

    Args:
        word: what was typed, not empty.
        text: searched.
        strict: each letter follows the one before immediately, or begins a word.
    """
    at = -1
    for letter in word:  # most texts are ruled out here
        at = text.find(letter, at + 1)
        if at < 0:
            return None
    # For each place of the letter: the best score of the word up to it, and the places of its letters.
    before: dict[int, tuple[int, tuple[int, ...]]] = {}
    for number, letter in enumerate(word):
        here: dict[int, tuple[int, tuple[int, ...]]] = {}
        place = text.find(letter)
        while place >= 0:
            starts = _starts_word(text, place)
            points = LETTER + (WORD_START if starts else 0) + (TITLE_START if place == 0 else 0)
            if number == 0:
                if starts or not strict:
                    here[place] = points, (place,)
            else:
                best: tuple[int, tuple[int, ...]] | None = None
                for end, (score, places) in before.items():
                    goes_on = end == place - 1 or starts or (not strict and text[end:place].isalnum())
                    if end < place and goes_on:
                        total = score + points + (CONSECUTIVE if end == place - 1 else GAP)
                        if best is None or total > best[0]:
                            best = total, (*places, place)
                if best is not None:
                    here[place] = best
            place = text.find(letter, place + 1)
        before = here
    return max(before.values(), default=None)


def _starts_word(text: str, place: int) -> bool:
    return place == 0 or not text[place - 1].isalnum() or (text[place].isdigit() and not text[place - 1].isdigit())
