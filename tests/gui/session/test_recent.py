"""Recent files: what is listed, how it is named, and what two windows do to one list."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QLockFile
from PySide6.QtWidgets import QMenu

from engine.document import Document, replace_section
from engine.file_access import write_atomically
from engine.session_file import to_json
from gui.session.recent import MOST_REMEMBERED, RecentFiles, recent_labels, recent_of
from tests.gui.menus import entries

HOME = Path("/home/ada")


@pytest.fixture
def recents(session, tmp_path):
    """Makes the recent files of another window, all of them with one list."""

    def make():
        recent = RecentFiles(session)
        recent.use(tmp_path / "folder" / "recent.json")
        return recent

    return make


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / f"{name}.gradstep" for name in "abcdef"]
    for path in paths:
        path.write_text(to_json(Document()))
    return paths


@pytest.mark.parametrize(
    ("paths", "labels"),
    [
        (["/home/ada/a.gradstep"], [("a.gradstep", "~")]),
        (["/data/a.gradstep"], [("a.gradstep", "/data")]),
        (
            ["/home/ada/one/x.gradstep", "/home/ada/two/x.gradstep"],
            [("x.gradstep", "~/one"), ("x.gradstep", "~/two")],
        ),
        (
            [f"/home/ada/{top}/{'long' * 5}/{'deep' * 6}/same/x.gradstep" for top in ("one", "two")],
            [("x.gradstep", f"~/{top}/{'long' * 5}/{'deep' * 6}/same") for top in ("one", "two")],
        ),
        ([f"/home/ada/{'long' * 15}/{'deep' * 6}/same/x.py"], [("x.py", f"~/…/{'deep' * 6}/same")]),
        (["/home/ada/\x1b[2J\n.gradstep"], [("\\x1b[2J\\n.gradstep", "~")]),
    ],
)
def test_folders_are_shortened_as_long_as_the_files_can_be_told_apart(paths, labels):
    assert recent_labels(list(map(Path, paths)), HOME) == labels


def test_the_file_used_last_comes_first_and_stands_once(recents, files):
    recent = recents()
    for path in (files[0], files[1], files[0]):
        recent.note(path)
    assert recent.paths == (files[0], files[1])


def test_two_windows_lose_nothing_of_each_other(recents, files):
    one, other = recents(), recents()
    for number, path in enumerate(files):
        (one, other)[number % 2].note(path)
    one.refresh()
    assert one.paths == other.paths == tuple(reversed(files))
    other.clear()
    one.refresh()
    assert one.paths == ()


def test_the_list_has_a_limit_and_zero_remembers_nothing(recents, files):
    recent = recents()
    for number in range(MOST_REMEMBERED + 5):
        recent.note(Path(f"/none/{number}.gradstep"))
    assert len(recent.paths) == 10
    recent.set_limit(3)
    assert [path.stem for path in recent.paths] == ["34", "33", "32"]
    recent.set_limit(0)
    recent.note(files[0])
    other = recents()
    assert recent.paths == other.paths == ()


@pytest.mark.parametrize(
    "content", ["", "{", "[1, null, {}]", '{"a": 1}', '["relative.gradstep", "/a\\u0000b"]', "[" * 9999]
)
def test_a_damaged_list_is_ignored_and_replaced(recents, files, tmp_path, content):
    (tmp_path / "folder").mkdir()
    list_file = tmp_path / "folder" / "recent.json"
    list_file.write_text(content)
    recent = recents()
    assert recent.paths == ()
    recent.note(files[0])
    assert json.loads(list_file.read_text()) == [str(files[0])]


def test_a_list_that_cannot_be_written_lasts_as_long_as_the_window(recents, files, tmp_path, caplog):
    (tmp_path / "folder").write_text("no folder")
    recent = recents()
    recent.note(files[0])
    recent.note(files[1])
    assert recent.paths == (files[1], files[0]) and len(caplog.records) == 1


def test_missing_files_have_their_reason(recents, files, tmp_path, qtbot):
    recent = recents()
    gone, moved = tmp_path / "gone.gradstep", tmp_path / "other" / "moved.gradstep"
    for path in (files[0], gone, moved, tmp_path):
        recent.note(path)
    qtbot.waitUntil(lambda: len(recent.reasons) == 3)
    assert set(recent.reasons) == {gone, moved, tmp_path}
    assert recent.reasons[gone] != recent.reasons[moved]


# The menu


@pytest.fixture
def window(reused_window):
    recent_of(reused_window.session).clear()
    yield reused_window
    recent_of(reused_window.session).clear()


def shown(window):
    menu = window.findChild(QMenu, "recent")
    return {action.text(): action for action in entries(menu)}


def test_what_is_opened_and_saved_is_in_the_menu_and_is_opened_from_there(window, files, tmp_path, qtbot):
    assert [action.isEnabled() for action in shown(window).values()] == [False, False]
    files[0].write_text(to_json(replace_section(Document(), "expression", text="first = 1.0")))
    window.files.open_path(files[0])
    window.session.save(tmp_path / "saved & kept.gradstep")
    program = tmp_path / "program.py"
    program.write_text("p = 2.0\n")
    window.files.open_path(program)
    texts = list(shown(window))
    assert [text.split(" — ")[0] for text in texts] == [
        *("&1 program.py", "&2 saved && kept.gradstep", "&3 a.gradstep"),
        "&Clear recent files",
    ]
    shown(window)[texts[2]].trigger()
    assert window.session.document.expression.text == "first = 1.0" and window.session.path == files[0]
    window.action("clear recent").trigger()
    assert recent_of(window.session).paths == ()


def test_a_missing_file_is_greyed_with_the_reason(window, files, qtbot):
    window.files.open_path(files[0])
    files[0].unlink()
    recent = recent_of(window.session)
    recent.refresh()
    qtbot.waitUntil(lambda: files[0] in recent.reasons)
    first = next(iter(shown(window).values()))
    assert not first.isEnabled() and recent.reasons[files[0]] in first.text()
    window.session.discard_changes()


def test_a_file_that_cannot_be_opened_is_not_listed(window, tmp_path):
    bad = tmp_path / "bad.gradstep"
    bad.write_text("nothing")
    window.session.open(bad)
    assert recent_of(window.session).paths == ()


def test_the_list_is_locked_while_it_is_changed(recents, files, monkeypatch):
    recent, locked = recents(), []

    def write(path, content, **options):
        locked.append(not QLockFile(f"{path}.lock").tryLock(0))
        write_atomically(path, content, **options)

    monkeypatch.setattr("gui.session.recent.write_atomically", write)
    recent.note(files[0])
    assert locked == [True] and recent.paths[0] == files[0]
