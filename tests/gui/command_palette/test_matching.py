"""Fuzzy matching: which titles a few letters find, in which order, and which letters are marked."""

import pytest

from gui.command_palette.matching import best_letters, closest, match, plain


def found(typed, titles):
    """The titles that fit, the best first."""
    words = plain(typed).split()
    scored = [(m.score, title) for title in titles if (m := match(words, plain(title)))]
    return [title for _score, title in sorted(scored, key=lambda pair: -pair[0])]


@pytest.mark.parametrize(
    ("typed", "title", "marked"),
    [
        ("gpng", "Graph as PNG image…", "GPNG"),
        ("grph", "Graph as PNG image…", "Grph"),
        ("train", "Constraints, then Train", "Train"),
        ("as png", "Graph as PNG image…", "asPNG"),
        ("x12", "x₁₂", "x₁₂"),
        ("uber", "Über die Steigung", "Über"),
        ("91", "values[991]", "91"),
    ],
)
def test_letters_are_found_in_order_at_the_best_places(typed, title, marked):
    fit = match(plain(typed).split(), plain(title))
    assert "".join(title[place] for place in sorted(fit.title)) == marked


@pytest.mark.parametrize(
    ("typed", "title"),
    [("undo", "A product and a power"), ("pgn", "Graph as PNG"), ("redo undo", "Undo"), ("q", "Graph")],
)
def test_other_letters_and_gaps_into_the_middle_of_another_word_find_nothing(typed, title):
    assert match(plain(typed).split(), plain(title)) is None


def test_starts_of_words_and_whole_titles_stand_first():
    titles = ["Constraints", "Train faster", "▶ Train", "Train"]
    assert found("train", titles)[0] == "Train"
    assert found("train", titles)[-1] == "Constraints"
    assert found("sl", ["Train slower", "Tools", "Sliders"]) == ["Sliders", "Train slower"]


def test_a_word_is_found_in_the_menus_that_lead_to_a_title_and_a_longer_one_in_its_tip():
    path, tip = plain("View › Theme"), plain("Easier on the eyes at night")
    assert match(["theme", "dark"], "dark", path, tip).path == frozenset(range(7, 12))
    assert match(["night"], "dark", path, tip).score < match(["view"], "dark", path, tip).score
    assert match(["ni"], "dark", path, tip) is None


def test_entries_with_a_word_in_one_piece_hide_those_that_have_its_letters_scattered_or_only_in_the_tip():
    entries = [("undo", "edit", ""), ("a new doubt", "", ""), ("redo", "edit", "the opposite of undo")]

    def listed(typed):
        fits = [(match(typed.split(), *entry), entry[0]) for entry in entries]
        return [title for _fit, title in closest([(fit, title) for fit, title in fits if fit is not None])]

    assert listed("undo") == ["undo"] and listed("edit undo") == listed("undo edit") == ["undo"]
    assert listed("opposite") == ["redo"] and listed("under") == [] and listed("do") == ["undo", "a new doubt", "redo"]


def test_a_marked_letter_is_one_letter_of_the_title_whatever_its_form():
    assert len(plain("ﬁne ½ İstanbul ß X₁")) == len("ﬁne ½ İstanbul ß X₁")
    assert best_letters("i", plain("İ")) is not None
