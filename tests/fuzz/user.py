"""A user of the window who does anything: each action chooses among what is there by numbers from 0 to 1."""

import time
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QEventLoop, QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QContextMenuEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QCheckBox,
    QComboBox,
    QDockWidget,
    QFileDialog,
    QLineEdit,
    QMenu,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from gui.arrangement import WORKSPACES
from gui.command_palette.command_palette import CommandPalette
from gui.main_window import MainWindow
from gui.panels.network.network_diagram import MenuButton
from gui.settings import SETTINGS
from gui.widgets.action_set import ActionSet
from tests.fuzz.watch import Watch

QUIET_TURNS = 3
POPUP_MS = 20
NEXT_EVENT = QEventLoop.ProcessEventsFlag.WaitForMoreEvents
LEFT_ALONE = {"quit"}
KEYS = [
    *(Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Home),
    *(Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backspace, Qt.Key.Key_Delete, Qt.Key.Key_Space, Qt.Key.Key_Plus),
    *(Qt.Key.Key_Minus, Qt.Key.Key_PageDown, Qt.Key.Key_End, Qt.Key.Key_F, Qt.Key.Key_A, Qt.Key.Key_Z, Qt.Key.Key_V),
]
MODIFIERS = [Qt.KeyboardModifier.NoModifier] * 3 + [
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
]
NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
ACTIONS = {
    "act": 6,
    "lesson": 2,
    "type": 4,
    "key_in_editor": 4,
    "choose": 3,
    "enter": 4,
    "press": 3,
    "point": 4,
    "network": 3,
    "drag": 3,
    "wheel": 2,
    "key_on_canvas": 3,
    "slide": 3,
    "drop": 2,
    "open_file": 2,
    "menu": 3,
    "choose_row": 1,
    "resize": 1,
    "dock": 1,
    "wait": 2,
    "collect": 1,
    "undo": 2,
    "save": 1,
    "train": 2,
    "walk": 3,
    "workspace": 1,
    "setting": 1,
    "palette": 1,
    "key": 2,
    "click": 3,
    "hover": 2,
    "own_lesson": 1,
    "compare": 2,
    "recent": 1,
    "code": 1,
}
TYPED = ("", "0", "3", "-1", "0.25", "a", "tanh", "nan", "1e9", "x1, x2", "9" * 12, "ä", "b" * 60)
"""Texts that are typed into dialogs."""
WALKS = ("next", "next", "back", "step", "epoch", "back step", "phase", "start", "all", "play", "phase on", "reset")


class User:
    """Does to a window what the actions of a case say."""

    def __init__(self, window: MainWindow, folder: str, watch: Watch):
        self.window, self.folder, self.watch = window, folder, watch

    def do(self, name, a, b, c, text):
        """One action of a case, what comes of it, and an answer to what it asks."""
        self.begin_with_popups(name, a, b, c, text)
        for _ in range(QUIET_TURNS):
            self.watch.turn(QApplication.processEvents, "(later)")
            self.answer(a, b, c)

    def begin_with_popups(self, name, a, b, c, text):
        """One action; the menu of a button has an event loop of its own, which ends when it is answered."""
        popups = QTimer(interval=POPUP_MS)
        popups.timeout.connect(lambda: self.answer_popup(a, b))
        popups.start()
        self.begin(name, a, b, c, text)
        popups.stop()

    def begin(self, name, a, b, c, text):
        """One action of a case; what comes of it happens in the event loop."""
        if name in ACTIONS:
            self.watch.doing = name
            action = partial(getattr(self, name), a, b, c, text)
            action() if name == "wait" else self.watch.turn(action)  # a wait measures each of its turns itself

    def say(self, detail):
        """What exactly is being done."""
        self.watch.doing = f"{self.watch.doing.split(': ')[0]}: {detail}"

    def one_of(self, kind, a, inside=None):
        """A control of that kind that can be used now."""
        found = [w for w in (inside or self.window).findChildren(kind) if w.isVisible() and w.isEnabled()]
        return found[int(a * len(found))] if found else None

    @property
    def editor(self):
        return self.window.docks["ExpressionPanel"].panel.editor

    @property
    def canvas(self):
        return self.window.graph_panel.canvas

    def act(self, a, _b, _c, _text):
        """An action of any table: of menus, tool bar and canvas, and those of the plots."""
        sets = self.window.findChildren(ActionSet)
        actions = [(name, each[name]) for each in sets for name in each.entries if name not in LEFT_ALONE]
        name, action = actions[int(a * len(actions))]
        self.say(name)
        if action.isEnabled():
            action.trigger()

    def train(self, _a, _b, _c, _text):
        """Trains from now on."""
        self.window.session.run()

    def walk(self, a, _b, _c, _text):
        """Forward or backward, through the graph or the training."""
        self.say(name := WALKS[int(a * len(WALKS))])
        self.window.action(name).trigger()

    def workspace(self, a, _b, _c, _text):
        name = list(WORKSPACES)[int(a * len(WORKSPACES))]
        self.say(name)
        self.window.show_workspace(name)

    def setting(self, a, b, c, _text):
        """In the dialog, or by a value that the table of settings allows."""
        setting = list(SETTINGS.values())[int(a * len(SETTINGS))]
        values = setting.examples
        if c < 0.4 or not values:
            self.say(f"dialog {setting.name}")
            self.window.show_settings(setting.name)
        else:
            value = values[int(b * len(values))]
            self.say(f"{setting.name} = {value}")
            self.window.settings.set(setting.name, value)

    def palette(self, a, b, _c, _text):
        """Letters of an entry's name, and Return."""
        self.window.show_command_palette()
        palette = self.window.findChildren(CommandPalette)[-1]
        rows = [row for row in palette.model.rows if row.entry.title.replace("&", "") != "Quit"]
        title = rows[int(a * len(rows))].entry.title
        self.say(title)
        palette.field.setText(title if b < 0.7 else title[:3])
        if any("Quit" in row.entry.title for row in palette.model.rows[:1]):
            palette.close()
        else:
            QTest.keyClick(palette.field, Qt.Key.Key_Return)
            palette.close()

    def key(self, a, b, _c, _text):
        """For whatever has the keyboard."""
        widget = QApplication.focusWidget()
        if widget is not None:
            self._key(widget, a, b)

    def _widget(self, a):
        """Any part of the window that can be seen."""
        return self.one_of(QWidget, a) or self.window

    def click(self, a, b, c, _text):
        """Anywhere, with the left button or twice."""
        widget = self._widget(a)
        self.say(f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()}")
        menu = QTimer(
            singleShot=True, interval=20
        )  # a button waits in an event loop of its own for the end of its menu
        menu.timeout.connect(lambda: self.answer_popup(c, b))
        menu.start()
        self._press_and_release(widget, self._at(b, c, widget), times=1 if b + c < 1.5 else 2)

    def _press_and_release(self, widget, place, times):
        """Click, or double click; QTest itself would go on with a widget that a press has removed."""
        for press in (QTest.mousePress, double_press)[:times]:
            for send in (press, QTest.mouseRelease):
                if isValid(widget):
                    send(widget, LEFT, NONE, place)

    def hover(self, a, b, c, _text):
        widget = self._widget(a)
        self.say(f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()}")
        QTest.mouseMove(widget, self._at(b, c, widget))

    def lesson(self, a, b, c, _text):
        """A step of any lesson, its solution or any answer; or back to the user's own work."""
        course = self.window.course
        if c < 0.2:
            course.leave()
        elif c < 0.6 or course.lesson is None:
            chosen = course.lessons[int(a * len(course.lessons))]
            self.say(chosen.name)
            if course.open(chosen.name):
                course.go_to(int(b * len(chosen.steps)))
        elif c < 0.8:
            course.show_solution()
        else:
            course.give_answer(10 * a - 5)

    def own_lesson(self, a, b, _c, text):
        """A lesson of a folder that is added, or read again when it was changed meanwhile."""
        folder = Path(self.folder, "lessons")
        folder.mkdir(exist_ok=True)
        Path(folder, f"own{int(3 * a)}.md").write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
        self.window.lessons.add_folder(folder)
        course = self.window.course
        own = [lesson for lesson in course.lessons if lesson.name.startswith(f"{folder.name}/own")]
        if own and course.open(own[int(a * len(own))].name):
            course.go_to(int(b * len(course.lesson.steps)))

    def compare(self, a, b, c, _text):
        """Another graph on one side of the comparison, or the program pinned for it."""
        self.window.show_panel("ComparePanel")
        panel = self.window.docks["ComparePanel"].panel
        if c < 0.3:
            (panel.pin_button if a < 0.5 else panel.swap_button).click()
            return
        menu = panel.menus["AB"[int(2 * a)]]
        menu.aboutToShow.emit()
        self._trigger_one(menu, b)

    def recent(self, a, _b, _c, _text):
        """A file that was opened or saved before, which may be gone."""
        menus = [menu for menu in self.window.findChildren(QMenu) if "recent" in menu.title()]
        for menu in menus[:1]:
            menu.aboutToShow.emit()
            self._trigger_one(menu, a)

    def code(self, _a, _b, _c, _text):
        """The window of the code, where `answer` chooses what is written, and for which language."""
        self.window.show_code()

    def _trigger_one(self, menu, a):
        entries = [entry for entry in menu.actions() if entry.isEnabled() and entry.text() and not entry.menu()]
        if entries:
            entry = entries[int(a * len(entries))]
            self.say(entry.text())
            entry.trigger()

    def undo(self, a, _b, _c, _text):
        self.window.action("undo" if a < 0.6 else "redo").trigger()

    def menu(self, a, b, _c, _text):
        """An entry of any menu: theme, panels, exports, what a button opens."""
        menus = [menu for menu in self.window.findChildren(QMenu) if menu.title() or menu.actions()]
        menu = menus[int(a * len(menus))]
        menu.aboutToShow.emit()
        entries = [entry for entry in menu.actions() if entry.isEnabled() and not entry.menu()]
        entries = [entry for entry in entries if entry.text() not in ("&Quit", "") and entry is not None]
        if entries:
            entry = entries[int(b * len(entries))]
            self.say(entry.text())
            entry.trigger()

    def type(self, a, b, _c, text):
        """Into the editor."""
        if a < 0.5:
            self.editor.selectAll()
        self.editor.insertPlainText(text)
        if b < 0.6:
            self.editor.flush()

    def key_in_editor(self, a, b, c, text):
        if c < 0.4:
            self._key(self.editor, a, b)
        else:
            for letter in text[:12]:
                for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                    QApplication.sendEvent(self.editor, QKeyEvent(kind, 0, NONE, letter))

    def key_on_canvas(self, a, b, _c, _text):
        self._key(self.canvas, a, b)

    def _key(self, widget, a, b):
        key, modifier = KEYS[int(a * len(KEYS))], MODIFIERS[int(b * len(MODIFIERS))]
        self.say(key.name)
        QTest.keyClick(widget, key, modifier)

    def choose(self, a, b, _c, _text):
        """From a list."""
        combo = self.one_of(QComboBox, a)
        if combo is not None and combo.count():
            self.say(f"{combo.accessibleName()}: {combo.itemText(int(b * combo.count()))}")
            combo.setCurrentIndex(int(b * combo.count()))
            combo.activated.emit(combo.currentIndex())

    def enter(self, a, b, _c, text):
        """Into a field."""
        field = self.one_of(QLineEdit, a)
        if field is not None:
            self.say(field.accessibleName() or field.objectName())
            field.setFocus()
            field.selectAll()
            field.insert(text)
            QTest.keyClick(field, Qt.Key.Key_Return if b < 0.7 else Qt.Key.Key_Tab)

    def press(self, a, _b, _c, _text):
        """A button without a menu."""
        button = self.one_of(QAbstractButton, a)
        if button is not None and not (isinstance(button, QToolButton) and button.menu()):
            self.say(button.text() or button.accessibleName() or button.toolTip())
            button.click()

    def _at(self, a, b, widget=None):
        viewport = widget or self.canvas.viewport()
        return QPoint(int(a * viewport.width()), int(b * viewport.height()))

    def _box(self, a, b):
        """The middle of a box of the graph, or any place."""
        boxes = list(self.canvas.picture.boxes.values())
        if not boxes or b > 0.8:
            return self._at(a, b)
        box = boxes[int(a * len(boxes))]
        return self.canvas.mapFromScene(QPointF(box.x, box.y))

    def point(self, a, b, c, _text):
        """At the canvas: select, open, or ask for the menu."""
        place, viewport = self._box(a, b), self.canvas.viewport()
        if not viewport.rect().contains(place):
            place = self._at(a, b)
        if c < 0.3:
            event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, viewport.mapToGlobal(place))
            QApplication.sendEvent(viewport, event)
        else:
            (QTest.mouseClick if c < 0.7 else QTest.mouseDClick)(viewport, LEFT, NONE, place)

    def network(self, a, b, c, _text):
        """At the drawn network: a neuron, a weight, a key, or an entry of a menu over a column."""
        panel = self.window.docks["NetworkPanel"].panel
        if c < 0.4:
            QTest.mouseMove(panel.drawing, self._at(a, b, panel.drawing))
            QTest.mouseClick(panel.drawing, LEFT, NONE, self._at(a, b, panel.drawing))
        elif c < 0.6:
            self._key(panel.drawing, a, b)
        else:
            buttons = panel.findChildren(MenuButton)
            button = buttons[int(a * len(buttons))]
            button.fill()
            entries = [entry for entry in button.menu().actions() if entry.isEnabled() and entry.text()]
            if entries:
                entry = entries[int(b * len(entries))]
                self.say(entry.text())
                entry.trigger()

    def drag(self, a, b, c, _text):
        """Over the canvas."""
        viewport, place = self.canvas.viewport(), self._box(a, b)
        if not viewport.rect().contains(place):
            place = self._at(a, b)
        QTest.mousePress(viewport, LEFT, NONE, place)
        QTest.mouseMove(viewport, self._at(b, c))
        QTest.mouseMove(viewport, self._at(c, a))
        QTest.mouseRelease(viewport, LEFT, NONE, self._at(c, a))

    def wheel(self, a, b, c, _text):
        viewport = self.canvas.viewport()
        place = self._at(a, b)
        turned = QPoint(0, int((c - 0.5) * 2400))
        none = Qt.MouseButton.NoButton, NONE, Qt.ScrollPhase.NoScrollPhase, False
        event = QWheelEvent(QPointF(place), QPointF(viewport.mapToGlobal(place)), QPoint(), turned, *none)
        QApplication.sendEvent(viewport, event)

    def slide(self, a, b, _c, _text):
        """Any slider or scroll bar."""
        slider = self.one_of(QAbstractSlider, a)
        if slider is not None:
            self.say(slider.accessibleName() or type(slider).__name__)
            slider.setValue(slider.minimum() + int(b * (slider.maximum() - slider.minimum())))

    def choose_row(self, a, b, _c, _text):
        table = self.one_of(QAbstractItemView, a)
        if table is not None and table.viewport().isVisible():
            QTest.mouseClick(table.viewport(), LEFT, NONE, self._at(b, a, table.viewport()))

    def _file(self, a, text):
        """A file with this text, which has mostly the name that somebody would give it."""
        names = ("s.gradstep", "p.txt", "p.py", "missing.gradstep", "\u202e.gradstep", "t.csv", "l.md")
        name = usual_name(text) if a < 0.7 else names[int((a - 0.7) / 0.3 * 7)]
        path = Path(self.folder, name)
        while path.is_dir():  # of frames that were exported
            path = path.with_stem(f"{path.stem}1")
        if name != "missing.gradstep":
            path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
        self.say(path.suffix)
        return path

    def open_file(self, a, _b, _c, text):
        self.window.files.open_path(self._file(a, text))

    def drop(self, a, b, c, text):
        """A file or a text on any part of the window."""
        data = QMimeData()
        if c < 0.8:
            data.setUrls([QUrl.fromLocalFile(str(self._file(a, text)))])
        else:
            data.setText(text.encode(errors="replace").decode())
        target = [self.window, self.editor.viewport(), self.canvas.viewport()][int(b * 3)]
        copy, middle = Qt.DropAction.CopyAction, target.rect().center()
        entered = QDragEnterEvent(middle, copy, data, LEFT, NONE)
        QApplication.sendEvent(target, entered)
        if entered.isAccepted():
            QApplication.sendEvent(target, QDropEvent(QPointF(middle), copy, data, LEFT, NONE))

    def save(self, _a, _b, _c, _text):
        self.window.action("save").trigger()

    def resize(self, a, b, _c, _text):
        self.window.resize(int(200 + a * 1800), int(150 + b * 1000))

    def dock(self, a, b, _c, _text):
        docks = self.window.findChildren(QDockWidget)
        dock = docks[int(a * len(docks))]
        self.say(dock.windowTitle())
        if b < 0.2:
            dock.setFloating(not dock.isFloating())
        elif b < 0.5:
            dock.setVisible(not dock.isVisible())
        else:
            dock.show()
            dock.raise_()

    def wait(self, a, _b, _c, _text):
        """Lets training, layouts and timers go on for a while."""
        end = time.monotonic() + 0.3 * a
        while time.monotonic() < end:
            self.watch.turn(lambda: QApplication.processEvents(NEXT_EVENT))

    def use(self, dialog, a, b, c):
        """Types into a field of a dialog, ticks a box or chooses a row."""
        kinds = (QLineEdit, QCheckBox, QAbstractItemView)
        controls = [control for kind in kinds if (control := self.one_of(kind, b, dialog)) is not None]
        if not controls:
            return
        control = controls[int(a * len(controls))]
        if isinstance(control, QCheckBox):
            use = control.click
        elif isinstance(control, QAbstractItemView):
            place = self._at(b, a, control.viewport())
            use = partial(QTest.mouseClick, control.viewport(), LEFT, NONE, place)
        else:
            control.setFocus()
            control.selectAll()
            use = partial(control.insert, TYPED[int(c * len(TYPED))])
        self.watch.turn(use, f"{type(dialog).__name__}: {type(control).__name__} {control.accessibleName()}")

    def collect(self, _a, _b, _c, _text):
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)

    def answer(self, a, b, c):
        """What has popped up or asks, before anything else can be done."""
        self.answer_popup(a, b)
        for _ in range(5):
            if (dialog := self.answer_dialog(a, b, c)) is None:
                return
            self.watch.turn(QApplication.processEvents, f"(after {dialog})")
            a, b, c = b, c, a

    def answer_popup(self, a, b):
        """The menu that has popped up, if one has."""
        popup = QApplication.activePopupWidget()
        if popup is not None:
            self._choose_in(popup, a, b)

    def answer_dialog(self, a, b, c):
        """The dialog that asks, if one does; gives its class."""
        dialog = QApplication.activeModalWidget()
        if dialog is not None:
            self._answer_dialog(dialog, a, b, c)
        return None if dialog is None else type(dialog).__name__

    def _choose_in(self, popup, a, b):
        entries = popup.actions() if isinstance(popup, QMenu) else []
        entries = [entry for entry in entries if entry.isEnabled() and not entry.menu() and entry.text() != "&Quit"]
        popup.close()
        if entries and b < 0.8:
            entry = entries[int(a * len(entries))]
            self.watch.turn(entry.trigger, f"menu: {entry.text()}")

    def _answer_dialog(self, dialog, a, b, c):
        what = f"{type(dialog).__name__} {dialog.windowTitle()}"
        if isinstance(dialog, QFileDialog):
            if b < 0.75:
                names = (
                    "o.gradstep",
                    "o.png",
                    "new",
                    "s.gradstep",
                    "missing/o.svg",
                    "o.gif",
                    "o.xyz",
                    "o.html",
                    "o.csv",
                )
                name = names[int(a * len(names))]
                suffix = "" if "." in name or c < 0.3 else f".{dialog.defaultSuffix()}"
                path = str(Path(self.folder, name + suffix))
                self.watch.turn(lambda: dialog.fileSelected.emit(path), f"{what} {Path(path).suffix}")
            dialog.reject()
        else:
            buttons = [button for button in dialog.findChildren(QAbstractButton) if button.isEnabled()]
            shown = [button for button in buttons if button.isVisible()]
            if c < 0.2:
                self.use(dialog, a, b, c / 0.2)
            elif c < 0.5 and (combo := self.one_of(QComboBox, a, dialog)) is not None and combo.count():
                place = int(b * combo.count())
                self.watch.turn(lambda: combo.setCurrentIndex(place), f"{what} {combo.itemText(place)}")
            elif shown and b < 0.9:
                button = shown[int(a * len(shown))]
                self.watch.turn(button.click, f"{what} {button.text()}")
            else:
                dialog.reject()


def usual_name(text):
    """The name of a file by its first line."""
    first = text.lstrip().partition("\n")[0]
    if first.startswith(("+++", "{")):
        return "l.md" if first.startswith("+") else "s.gradstep"
    return "t.csv" if any(mark in first for mark in ",;\t|") and not {*"=(["} & {*first} else "p.txt"


def double_press(widget, button, modifiers, place):
    """Send the second press of a double click."""
    points = QPointF(place), QPointF(widget.mapToGlobal(place))
    QApplication.sendEvent(widget, QMouseEvent(QEvent.Type.MouseButtonDblClick, *points, button, button, modifiers))
