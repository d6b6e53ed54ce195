"""The pages of the help: every panel has one with its sections, every link leads somewhere, every table is there."""

import re

import pytest

from gui.actions.registry import ACTIONS
from gui.arrangement import PANELS
from gui.help.pages import FIRST, FOLDER, GRAPH, GROUPS, SECTIONS, page_of_link, pages, search
from gui.help.reference import REFERENCE

ACTION_IDS = {entry.id for entries in ACTIONS.values() for entry in entries}
FILES = sorted(path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.rglob("*.md"))
OF_PANELS = [GRAPH, *(f"panels/{name}" for name in PANELS)]
WORDS = re.compile(r"\w+")


def sections_of(page):
    parts = re.split(r"^## (.+)$", page.text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", OF_PANELS)
def test_a_panel_has_a_page_with_all_sections_a_formula_and_no_more_text_than_one_reads(qapp, name):
    page = pages()[name]
    sections = sections_of(page)
    assert tuple(sections) == SECTIONS
    assert all(text.strip() for text in sections.values())
    assert re.search(r"^```\n.+\n```", sections["Formula"], re.MULTILINE | re.DOTALL), "no formula"
    assert "- " in sections["What to try"]
    assert 120 <= len(WORDS.findall(page.plain_text)) <= 320


@pytest.mark.parametrize("name", PANELS)
def test_the_page_of_a_panel_has_its_title_and_leads_to_it(qapp, name):
    page = pages()[f"panels/{name}"]
    assert page.title == PANELS[name].title and f"(panel:{name})" in page.markdown()


@pytest.mark.parametrize("name", FILES)
def test_every_link_leads_to_a_page_a_panel_or_an_action(qapp, name):
    page = pages()[name]
    for words, link in page.links():
        kind, _colon, target = link.partition(":")
        if kind == "action":
            assert target in ACTION_IDS, link
        elif kind == "panel":
            assert target in PANELS, link
        else:
            found = page_of_link(link, name)
            assert found is not None and found[0] in pages(), link
            if found[1]:
                assert f"name='{found[1]}'" in pages()[found[0]].text, link
        assert words.strip()


def test_every_file_is_a_page_and_every_page_belongs_to_a_group(qapp):
    assert set(FILES) == {name for name, page in pages().items() if not page.is_html}
    assert {page.group for page in pages().values()} == {"", *GROUPS}
    assert pages()[FIRST].title == "Help"


@pytest.mark.parametrize("name", REFERENCE)
def test_a_page_of_a_table_has_every_entry_of_it(qapp, name):
    page, parts = pages()[f"reference/{name}"], REFERENCE[name].parts()
    assert parts and all(html for _anchor, _heading, html in parts)
    assert all(f"name='{anchor}'" in page.text for anchor, _heading, _html in parts if "'" not in anchor)
    assert "None" not in page.plain_text and "{" not in page.plain_text


def test_formulas_of_tables_are_text_and_not_markup(qapp):
    assert "<pre>" in pages()["reference/losses"].text
    assert "&lt;" not in pages()["reference/operations"].plain_text


def test_a_search_needs_all_words_and_puts_titles_first(qapp):
    assert search("nudge")[0].name == "panels/NudgePanel"
    assert search("adam")[0].name == "reference/optimizers"
    names = [page.name for page in search("central difference")]
    assert "panels/ChecksPanel" in names
    assert search("zebra difference") == [] and search("  ") == []


def test_keys_stand_after_links_to_actions(qapp):
    text = pages()["guide/graph"].markdown()
    assert "[Check gradients (Ctrl+G)](action:check)" in text and "action:" in text
