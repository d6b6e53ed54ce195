"""Recent files on the Welcome page: cards with pictures, and the cache of these pictures."""

import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage

from engine.document import Document, replace_section
from engine.session_file import to_json
from gui.panels.start import recent_cards, start
from gui.panels.start.recent_cards import RecentCards, cached_picture, drop_pictures
from gui.panels.start.thumbnails import picture_of_document
from gui.session.programs import Programs
from gui.session.recent import recent_of
from gui.theme import LIGHT

COLOR = QColor("#336699")


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / f"{name}.gradstep" for name in "abc"]
    for path in paths:
        path.write_text(to_json(Document()))
    return paths


@pytest.fixture
def draw():
    """Draws a picture, and notes of what."""

    def one(path):
        one.drawn.append(path)
        image = QImage(20, 10, QImage.Format.Format_ARGB32)
        image.fill(COLOR)
        return image

    one.drawn = []
    return one


@pytest.fixture
def cards(shown, session, files, monkeypatch, draw):
    monkeypatch.setattr(recent_cards, "cached_picture", lambda path, *_others: draw(path))
    for path in files:
        recent_of(session).note(path)
    return shown(RecentCards, 600, 400)


# The cache


def test_a_picture_is_drawn_once_for_each_state_of_its_file_and_each_theme(files, tmp_path, draw):
    folder = tmp_path / "cache"
    for _ in range(2):
        image = cached_picture(files[0], "light", folder, draw)
        assert image.pixelColor(3, 3) == COLOR and image.size().toTuple() == (20, 10)
    assert len(draw.drawn) == 1
    cached_picture(files[0], "dark", folder, draw)
    files[0].write_text(to_json(Document()) + "\n")
    cached_picture(files[0], "light", folder, draw)
    assert len(draw.drawn) == 3


@pytest.mark.parametrize(
    "spoil", [lambda _: b"", lambda _: b"\x89PNG", lambda kept: kept[:-1], lambda kept: kept[:-9] + b"\xff" + kept[-8:]]
)
def test_a_damaged_picture_is_drawn_again(files, tmp_path, draw, spoil):
    folder = tmp_path / "cache"
    cached_picture(files[0], "light", folder, draw)
    (kept,) = folder.iterdir()
    kept.write_bytes(spoil(kept.read_bytes()))
    assert cached_picture(files[0], "light", folder, draw).pixelColor(3, 3) == COLOR
    assert len(draw.drawn) == 2


def test_pictures_go_with_their_files_and_other_files_stay(files, tmp_path, draw):
    folder = tmp_path / "cache"
    for path in files:
        cached_picture(path, "light", folder, draw)
    (folder / "other.txt").write_text("mine")
    files[0].unlink()
    drop_pictures(folder, files[:2])
    assert len(list(folder.glob("*.picture"))) == 1 and (folder / "other.txt").exists()


def test_what_cannot_be_read_drawn_or_cached_has_no_picture_or_is_drawn_each_time(files, tmp_path, draw):
    def fail(_path):
        raise ValueError("planted")

    assert cached_picture(tmp_path / "gone", "light", None, draw).isNull()
    assert cached_picture(files[0], "light", None, fail).isNull()
    (tmp_path / "cache").write_text("no folder")
    assert not cached_picture(files[0], "light", tmp_path / "cache", draw).isNull()


def test_a_trained_network_and_a_program_have_pictures_of_their_own(qapp):
    room = recent_cards.QSize(240, 104)
    network = replace_section(Document(), "view", shows="network")
    trained = replace_section(network, "trained", step=2, parameters=[0.5] * 37)
    pictures = [picture_of_document(document, LIGHT, room) for document in (Document(), network, trained)]
    assert len({picture.cacheKey() for picture in pictures}) == 3
    assert pictures[1] != pictures[2] and all(not picture.isNull() for picture in pictures)


# The cards


def test_the_newest_file_comes_first_with_its_folder_and_its_picture(cards, files, qtbot):
    assert [card.title for card in cards.grid.examples] == ["c.gradstep", "b.gradstep", "a.gradstep"]
    assert cards.grid.examples[0].summary.endswith(files[0].parent.name)
    qtbot.waitUntil(lambda: len(cards.grid.pictures) == 3)


def test_a_card_is_opened_by_click_and_key_and_taken_from_the_list_by_delete(cards, files, session, qtbot):
    chosen = []
    cards.file_chosen.connect(chosen.append)
    place = cards.grid.visualRect(cards.grid.model().index(1, 0)).center()
    qtbot.mouseClick(cards.grid.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.keyClick(cards.grid, Qt.Key.Key_Return)
    assert chosen == [files[1], files[1]]
    qtbot.keyClick(cards.grid, Qt.Key.Key_Delete)
    assert recent_of(session).paths == (files[2], files[0]) and files[1].exists()


def test_a_missing_file_says_so_and_is_not_opened(cards, files, session, qtbot):
    chosen = []
    cards.file_chosen.connect(chosen.append)
    files[2].unlink()
    recent_of(session).refresh()
    qtbot.waitUntil(lambda: bool(cards.grid.muted))
    assert "no longer exists" in cards.grid.examples[0].summary
    cards.grid.example_chosen.emit(str(files[2]))
    assert chosen == []


def test_without_recent_files_the_page_begins_with_the_lessons(shown, session, files, monkeypatch):
    monkeypatch.setattr(start, "BackgroundPrograms", Programs)
    monkeypatch.setattr(recent_cards, "cached_picture", lambda *_others: QImage())
    page = shown(start.StartPanel, 1000, 800)
    assert page.choice.chosen == start.LESSONS and not page.recent.isVisible()
    page.stop()
    recent_of(session).note(files[0])
    page = shown(start.StartPanel, 1000, 800)
    assert page.choice.chosen == start.RECENT and page.recent.grid.isVisible()
    requested = []
    session.file_requested.connect(requested.append)
    page.recent.file_chosen.emit(Path(files[0]))
    assert requested == [files[0]]
    page.stop()


@pytest.mark.skipif(os.name != "posix", reason="permissions")
def test_the_cache_is_private(files, tmp_path, draw):
    cached_picture(files[0], "light", tmp_path / "cache", draw)
    (kept,) = (tmp_path / "cache").iterdir()
    assert kept.stat().st_mode & 0o077 == 0
