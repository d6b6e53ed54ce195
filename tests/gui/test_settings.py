"""The table of settings: every entry round-trips, is applied at once, is found, and survives damage; the dialog."""

import errno
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QByteArray, QCoreApplication, QLockFile, QPoint, QPointF, QSettings, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QMessageBox, QSpinBox

from engine.graph.picture import DECIMALS, cell_text, set_decimals
from engine.language.limits import Limits
from gui.number_texts import reading_text
from gui.settings import GROUPS, SETTINGS, Folders, Settings, Switch
from gui.settings_dialog import SettingsDialog
from gui.settings_file import SettingsFile, open_settings
from gui.system_theme import system_theme
from gui.theme import text_size

with suppress(ImportError):  # Windows has none
    import resource

EVERY = pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
DAMAGED = ("", "nonsense", "-1", "99999999999999999999", "1e9", "\0", "None", "@Invalid()", "tru", "٣")


@pytest.fixture
def kept(tmp_path):
    """A settings file."""
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)


@pytest.fixture(autouse=True)
def usual(qapp):
    """What belongs to the whole application is as at first, afterwards."""
    yield
    set_decimals(DECIMALS)
    system_theme().set_motion("system")


def other_value(setting):
    return next(value for value in setting.examples if value != setting.default)


# The table


@EVERY
def test_every_value_comes_back_from_the_settings_file(setting, kept, tmp_path):
    for value in setting.examples:
        Settings(kept).set(setting.name, value)
        again = Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
        assert again[setting.name] == value and type(again[setting.name]) is type(value)


@EVERY
@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_value_is_the_default(setting, text, kept):
    kept.setValue(setting.name, text)
    assert setting.allows(Settings(kept)[setting.name])
    try:
        setting.parse(text)
    except ValueError:
        assert Settings(kept)[setting.name] == setting.default


@EVERY
def test_every_setting_says_what_it_is_and_is_found_by_that(setting):
    assert setting.title[0].isupper() and not setting.title.endswith(".")
    assert setting.explanation[0].isupper() and setting.explanation.endswith(".")
    assert setting.group in GROUPS and setting.allows(setting.default)
    for words in (setting.title, setting.title.upper(), setting.explanation, setting.words, setting.group):
        assert setting.matches(words)
    assert not setting.matches("a word that no setting has")


@EVERY
def test_a_value_that_is_not_allowed_is_refused_and_changes_nothing(setting):
    settings, told = Settings(), []
    settings.changed.connect(told.append)
    for value in (None, object(), -7, "nonsense", 10**30):
        with pytest.raises((ValueError, TypeError)):
            settings.set(setting.name, value)
    assert settings.is_default(setting.name) and not told


@EVERY
def test_a_change_is_told_once_and_reset_brings_the_default_back(setting):
    settings, told = Settings(), []
    settings.changed.connect(told.append)
    settings.set(setting.name, other_value(setting))
    settings.set(setting.name, other_value(setting))
    assert told == [setting.name] and not settings.is_default(setting.name)
    settings.reset(setting.name)
    assert settings[setting.name] == setting.default


# The file


@pytest.fixture
def users_file(qapp):
    """Path of the user's settings file, which is not there."""
    path = Path(QSettings().fileName())
    path.parent.mkdir(parents=True, exist_ok=True)
    yield path
    for each in path.parent.iterdir():
        each.unlink()


@pytest.mark.parametrize(
    "content",
    [
        b"\x00\xff\xfe\x01 binary", b"[General]\nno line of settings\n", b"theme=\xff\xfe", b"theme=dark\x00\n",
        b"[General]\ntheme=@Variant(\\0\\0\\0\\x7f\\0\\0\\0\\x18PySide::PyObjectWrapper\\0\\0\\0\\0\\x3N.)\n",
        b"{\"theme\": \"dark\"}\n",
    ],
)  # fmt: skip
def test_a_damaged_file_is_kept_aside_and_told_once(users_file, content):
    users_file.write_bytes(content)
    settings, words = open_settings()
    assert "damaged" in words and Settings(settings)["theme"] == "system"
    (aside,) = users_file.parent.glob("*.damaged*")
    assert aside.read_bytes() == content and str(aside) in words
    Settings(settings).set("theme", "dark")
    again, words = open_settings()
    assert words == "" and Settings(again)["theme"] == "dark"


def test_a_second_damaged_file_does_not_replace_the_first_one(users_file):
    for content in (b"first\n", b"second\n"):
        users_file.write_bytes(content)
        open_settings()
    assert sorted(each.read_bytes() for each in users_file.parent.glob("*.damaged*")) == [b"first\n", b"second\n"]


def test_a_damaged_file_that_cannot_be_renamed_stays_and_nothing_is_written(users_file, monkeypatch):
    def refuse(_path, _target):
        raise PermissionError(errno.EACCES, "Permission denied")

    users_file.write_bytes(b"no line of settings\n")
    monkeypatch.setattr(Path, "rename", refuse)
    settings, words = open_settings()
    settings.setValue("theme", "dark")
    settings.sync()
    assert "could not be renamed" in words and settings.value("theme") == "dark"
    del settings
    assert users_file.read_bytes() == b"no line of settings\n"
    assert not Path(os.devnull).is_file()  # Qt would have put one in the place of the device


def test_a_file_that_gradstep_has_written_is_not_damaged(users_file, make_window):
    settings, _words = open_settings()
    window = make_window(settings=settings)
    for name, setting in SETTINGS.items():
        window.settings.set(name, other_value(setting))
    window.close()
    settings.sync()
    assert users_file.stat().st_size > 1000
    again, words = open_settings()
    assert words == ""
    assert all(Settings(again)[name] == other_value(setting) for name, setting in SETTINGS.items())


def test_a_folder_with_unusual_line_separators_in_its_name_does_no_damage(users_file):
    folder = Path("/lessons\u2028of\x85others").absolute()
    settings, _words = open_settings()
    Settings(settings).set("lesson folders", (folder,))
    again, words = open_settings()
    assert words == "" and Settings(again)["lesson folders"] == (folder,)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the administrator may write everything")
def test_a_file_that_cannot_be_written_is_told_once(tmp_path):
    kept = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    tmp_path.chmod(0o500)
    try:
        settings, told = Settings(kept), []
        settings.unsaved.connect(told.append)
        for theme in ("dark", "light"):
            settings.set("theme", theme)
            assert settings["theme"] == theme
        assert len(told) == 1
    finally:
        tmp_path.chmod(0o700)


def test_two_windows_keep_each_others_settings(tmp_path, qapp):
    path = tmp_path / "settings.conf"
    one, other = SettingsFile(path), SettingsFile(path)
    one.setValue("theme", "dark")
    one.setValue("geometry", QByteArray(b"\0\xff,;="))
    one.sync()
    other.setValue("decimals", "6")
    other.remove("theme")
    other.sync()
    one.setValue("folder", "/a, b;\u2028c")
    QCoreApplication.sendPostedEvents(one)  # without `sync`, too
    again = SettingsFile(path)
    assert set(again.allKeys()) == {"geometry", "decimals", "folder"}
    assert [again.value(key) for key in ("geometry", "decimals", "folder")] == [
        QByteArray(b"\0\xff,;="), "6", "/a, b;\u2028c",
    ]  # fmt: skip
    assert again.value("theme") is None and one.value("theme") == "dark" and other.value("theme", "light") == "light"


@pytest.mark.slow
def test_while_another_window_writes_settings_wait_for_it_without_a_word(tmp_path, qapp, qtbot):
    path, told = tmp_path / "settings.conf", []
    lock = QLockFile(f"{path}.lock")
    assert lock.tryLock(0)
    file = SettingsFile(path)
    file.patience = 0
    settings = Settings(file)
    settings.unsaved.connect(told.append)
    settings.set("decimals", 5)
    QCoreApplication.sendPostedEvents(file)
    assert settings["decimals"] == 5 and not path.exists() and not told
    lock.unlock()
    qtbot.waitUntil(path.exists)
    assert Settings(SettingsFile(path))["decimals"] == 5 and not file.problem


@pytest.mark.skipif(os.name != "posix", reason="a disk with room for a part of the file")
def test_settings_that_do_not_fit_on_the_disk_leave_the_old_file_and_say_so(tmp_path, qapp):
    path, limits = tmp_path / "settings.conf", resource.getrlimit(resource.RLIMIT_FSIZE)
    first = SettingsFile(path)
    for name in ("one", "two", "three"):
        first.setValue(f"{name}/state", name * 4_000)
    first.sync()
    old, settings = path.read_bytes(), Settings(SettingsFile(path))
    told = []
    settings.unsaved.connect(told.append)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        for room in (0, 4_096, 20_000, len(old) - 1):
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
            settings.set("decimals", 6)
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            assert path.read_bytes() == old
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert len(told) == 1
    settings.set("decimals", 5)
    assert Settings(SettingsFile(path))["decimals"] == 5 and SettingsFile(path).value("three/state") == "three" * 4_000


def test_settings_that_could_not_be_written_are_written_with_the_next_one(tmp_path, qapp):
    folder = tmp_path / "settings"
    folder.write_text("a file where the folder should be")
    settings = SettingsFile(folder / "settings.conf")
    settings.setValue("one", "1")
    qapp.sendPostedEvents(settings)
    assert settings.problem
    folder.unlink()
    settings.setValue("two", "2")
    qapp.sendPostedEvents(settings)
    assert settings.problem == ""
    again = SettingsFile(folder / "settings.conf")
    assert (again.value("one"), again.value("two")) == ("1", "2")


# Applied


def test_numbers_have_the_chosen_decimals_on_the_canvas_and_in_texts(reused_window):
    window, key = reused_window, next(iter(reused_window.session.presenter.readings))
    full = float(window.session.presenter.readings[key].full.split()[1])
    for decimals in (2, 6, 4):
        window.settings.set("decimals", decimals)
        for shown in (window.session.presenter.readings[key], window.graph_panel.canvas.readings[key]):
            assert float(shown.data.replace("−", "-")) == round(full, decimals)
        assert reading_text(1 / 3) == f"{1 / 3:.{decimals}f}"


@pytest.mark.parametrize("decimals", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("number", [0.0, 1e-9, 4e-5, 1 / 3, 9.4999999, 99.4, 9999.49999, 123456.789, 1e9, 1e300])
def test_no_number_is_longer_than_ten_characters_and_none_looks_like_zero(decimals, number):
    set_decimals(decimals)
    for signed in (number, -number):
        text = cell_text(signed, signed=True)
        assert len(text) <= 10 and float(text.replace("−", "-")) == pytest.approx(signed, rel=0.5 * 10**-1)


def test_programs_run_with_the_chosen_limits(reused_window, monkeypatch):
    window, given = reused_window, []
    programs = window.session.program._programs
    monkeypatch.setattr(programs, "start", lambda text, limits, *others: given.append(limits))
    window.settings.set("program seconds", 40)
    window.settings.set("program memory", 800)
    window.session.program.run_again()
    assert given[-1].seconds == 40.0 and given[-1].memory_bytes == 800_000_000
    assert given[-1].values == 4 * Limits().values
    for name in ("program seconds", "program memory"):
        window.settings.reset(name)
    window.session.program.run_again()
    assert given[-1] is None
    monkeypatch.undo()
    window.session.program.run_again()


def test_the_caret_stands_still_only_while_motion_is_reduced(reused_window):
    settings, hints = reused_window.settings, QGuiApplication.styleHints()
    blinking = hints.cursorFlashTime()
    for wanted, milliseconds in (("reduced", 0), ("full", blinking), ("reduced", 0)):
        settings.set("motion", wanted)
        assert hints.cursorFlashTime() == milliseconds
    settings.reset("motion")
    assert hints.cursorFlashTime() == blinking > 0


def test_reduced_motion_puts_nodes_and_docks_in_their_places_at_once(reused_window):
    window = reused_window
    for wanted, moves in (("reduced", False), ("full", True)):
        window.settings.set("motion", wanted)
        assert window.graph_panel.canvas.motion_allowed() is moves
        assert bool(window.dockOptions() & window.DockOption.AnimatedDocks) is moves
    window.settings.reset("motion")


def test_unsaved_changes_are_dropped_without_a_question_where_that_is_wanted(reused_window):
    window = reused_window
    window.settings.set("ask unsaved", False)
    window.session.edit("mine", expression={"text": "mine = 1.0\n"})
    window.files.new()
    assert "mine" not in window.session.document.expression.text
    window.settings.reset("ask unsaved")


def test_reset_asks_before_it_replaces_a_training_where_that_is_wanted(reused_window, qtbot):
    window = reused_window
    window.action("step").trigger()
    qtbot.waitUntil(lambda: window.session.newest is not None and window.session.newest.snapshot.step == 1)
    for asks, step in ((True, 1), (False, 0)):
        window.settings.set("ask replace", asks)
        window.action("reset").trigger()
        boxes = window.findChildren(QMessageBox)
        newest = window.session.newest
        assert len(boxes) == asks and (0 if newest is None else newest.snapshot.step) == step
        for box in boxes:
            box.reject()
        qtbot.waitUntil(lambda: not window.findChildren(QMessageBox))
    window.settings.set("ask replace", True)
    window.action("reset").trigger()  # nothing is lost
    assert not window.findChildren(QMessageBox)
    window.settings.reset("ask replace")


def test_folders_of_lessons_come_and_go(reused_window, tmp_path, qtbot):
    window, before = reused_window, {lesson.name for lesson in reused_window.course.lessons}
    head = 'format = 1\ntitle = "Mine"\nsummary = "Short."\norder = 1\nminutes = 1\nprogram = "a = 1.0"\n'
    (tmp_path / "mine.md").write_text(f'+++\n{head}show = ["program"]\n+++\nWords.\n')
    window.settings.set("lesson folders", (tmp_path,))
    qtbot.waitUntil(lambda: {lesson.name for lesson in window.course.lessons} > before)
    window.settings.reset("lesson folders")
    assert {lesson.name for lesson in window.course.lessons} == before


# The dialog


@pytest.fixture
def dialog(reused_window):
    """The dialog over the window; all settings are reset afterwards."""
    reused_window.show_settings()
    (dialog,) = reused_window.findChildren(SettingsDialog)
    yield dialog
    for name in SETTINGS:
        if name != "theme":
            reused_window.settings.reset(name)


@EVERY
def test_every_setting_has_a_control_that_shows_and_changes_it(setting, dialog, reused_window):
    row, value = dialog.rows[setting.name], other_value(setting)
    assert row.control.accessibleName() == setting.title
    assert {setting.title, setting.explanation} <= {label.text() for label in row.findChildren(QLabel)}
    reused_window.settings.set(setting.name, value)
    assert row.reset.isEnabled()
    if isinstance(row.control, QComboBox):
        assert row.control.currentText() == setting.choices[value]
        row.control.setCurrentIndex(list(setting.choices.values()).index(setting.choices[setting.default]))
        row.control.activated.emit(row.control.currentIndex())
    elif isinstance(row.control, QSpinBox):
        assert row.control.value() == value
        row.control.setValue(setting.default)
    elif isinstance(setting, Switch):
        assert row.control.isChecked() is value
        row.control.click()
    else:
        assert isinstance(setting, Folders) and row.control.list.count() == len(value)
        for _folder in value:
            row.control.list.setCurrentRow(0)
            row.control.remove.click()
    assert reused_window.settings[setting.name] == setting.default and not row.reset.isEnabled()


@EVERY
def test_every_setting_is_found_and_the_others_are_hidden(setting, dialog):
    QTest.keyClicks(dialog.search, setting.title)
    assert dialog.rows[setting.name].isVisible()
    assert all(row.isVisible() == row.setting.matches(setting.title) for row in dialog.rows.values())
    QTest.keyClick(dialog.search, Qt.Key.Key_Return)
    assert dialog.isVisible() and not dialog.search.hasFocus()


def test_words_of_no_setting_say_so(dialog):
    dialog.search.setText("xyzzy")
    assert dialog.nothing.isVisible() and not any(row.isVisible() for row in dialog.rows.values())
    dialog.search.clear()
    assert not dialog.nothing.isVisible() and all(row.isVisible() for row in dialog.rows.values())


def test_the_dialog_opens_once_and_at_the_setting_that_is_named(dialog, reused_window, qtbot):
    reused_window.show_settings("recent files")
    assert reused_window.findChildren(SettingsDialog) == [dialog]
    qtbot.waitUntil(lambda: dialog.rows["recent files"].control.hasFocus())
    assert not dialog.rows["recent files"].visibleRegion().isEmpty()


def test_every_control_is_reached_by_the_tab_key(dialog, qtbot):
    dialog.activateWindow()
    dialog.search.setFocus()
    reached = []
    for _press in range(80):
        QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
        reached.append(dialog.focusWidget())
        if dialog.search.hasFocus():
            break
    controls = [row.control.focusProxy() or row.control for row in dialog.rows.values()]
    assert dialog.search.hasFocus() and all(control in reached for control in controls)


def test_the_wheel_over_a_control_scrolls_and_changes_nothing(dialog, reused_window):
    for name in ("text size", "program seconds"):
        control, bar = dialog.rows[name].control, dialog.area.verticalScrollBar()
        bar.setValue(0)
        before, place = reused_window.settings[name], QPointF(control.rect().center())
        turned = QWheelEvent(
            place, control.mapToGlobal(place), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QCoreApplication.sendEvent(control, turned)
        assert reused_window.settings[name] == before and bar.value() > 0


def test_reset_all_asks_first_and_resets_everything(dialog, reused_window):
    reused_window.settings.set("decimals", 2)
    reused_window.settings.set("recent files", 3)
    dialog.reset_all.click()
    box = dialog.findChild(QMessageBox)
    assert reused_window.settings["decimals"] == 2
    box.button(box.StandardButton.Reset).click()
    assert all(map(reused_window.settings.is_default, SETTINGS)) and not dialog.reset_all.isEnabled()
    reused_window.apply_theme("light")


def test_text_at_the_largest_size_leaves_the_dialog_on_the_screen(dialog, reused_window):
    reused_window.settings.set("text size", 150)
    assert text_size() == 150
    dialog.close()
    reused_window.show_settings()
    again = reused_window.findChild(SettingsDialog)
    room = again.screen().availableGeometry()
    assert again.width() <= room.width() and again.height() <= room.height()
    for row in again.rows.values():
        assert row.control.width() >= row.control.minimumSizeHint().width()
        assert row.width() <= again.area.viewport().width()


def test_escape_clears_the_search_before_it_closes_the_dialog(make_window, qtbot):
    window = make_window()
    window.show_settings()
    dialog = window.findChild(SettingsDialog)
    dialog.search.setText("motion")
    QTest.keyClick(dialog.search, Qt.Key.Key_Escape)
    assert dialog.isVisible() and not dialog.search.text()
    QTest.keyClick(dialog.search, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_a_number_is_kept_that_a_dialog_gives_back_after_its_window_is_gone(tmp_path):
    kept = SettingsFile(tmp_path / "gradstep.ini")
    chosen = Settings(kept)
    shiboken6.delete(chosen)
    chosen.set("decimals", 6)
    assert Settings(kept)["decimals"] == 6


def test_a_copy_that_qt_has_written_in_part_does_not_replace_the_settings(tmp_path, qapp, monkeypatch):
    class OnAFullDisk(QSettings):
        def sync(self):
            super().sync()
            copy = Path(self.fileName())
            copy.write_bytes(copy.read_bytes()[:10])

    settings = SettingsFile(tmp_path / "settings.conf")
    settings.setValue("one", "1")
    settings.sync()
    old = (tmp_path / "settings.conf").read_bytes()
    monkeypatch.setattr("gui.settings_file.QSettings", OnAFullDisk)
    settings.setValue("two", "2")
    settings.sync()
    assert (tmp_path / "settings.conf").read_bytes() == old and "no room" in settings.problem
