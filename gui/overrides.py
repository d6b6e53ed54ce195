"""Guard of every override of a virtual function of Qt: an exception in one is reported and never reaches Qt.

C++ cannot hand a Python exception on. PySide (6.11) keeps one that is raised beneath Python code, as when a resize
lays out and paints, and calls the next override with the exception still set: the process ends with a segmentation
fault. So classes that override a function of `ANSWERS`, or an event handler, have it wrapped when they are defined;
pyqtgraph's, too. An override that fails returns the answer of the table; Qt goes on with that.

The original function is the wrapper's `__wrapped__`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from PySide6.QtCore import QModelIndex, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QAccessible
from shiboken6 import Shiboken

from gui.unexpected import report

Answer = Callable[[], Any]


def nothing() -> None:
    """Answer of functions that return nothing, or that may return a null pointer or an invalid QVariant."""


def last_argument() -> Any:
    """Answer of functions that return what they were given last."""
    raise NotImplementedError


def _empty_path() -> Any:
    from PySide6.QtGui import QPainterPath

    return QPainterPath()


def _no_flags() -> Any:
    return Qt.ItemFlag.NoItemFlags


_WIDGET: Mapping[str, Answer] = {
    "sizeHint": QSize, "minimumSizeHint": lambda: QSize(0, 0), "heightForWidth": lambda: -1, "hasHeightForWidth": bool,
    "setVisible": nothing, "focusNextPrevChild": bool, "viewportEvent": bool, "scrollContentsBy": nothing,
    "drawForeground": nothing, "drawBackground": nothing, "createMimeDataFromSelection": nothing,
    "canInsertFromMimeData": bool, "insertFromMimeData": nothing, "loadResource": nothing,
}  # fmt: skip
ANSWERS: Mapping[str, Mapping[str, Answer]] = {
    "QObject": {"event": bool, "eventFilter": bool},
    "QWidget": _WIDGET,
    "QGraphicsScene": {"drawForeground": nothing, "drawBackground": nothing},
    "QGraphicsItem": {
        "paint": nothing, "boundingRect": QRectF, "shape": _empty_path, "sceneEvent": bool, "sceneEventFilter": bool,
        "itemChange": last_argument,
    },
    "QGraphicsLayoutItem": {"sizeHint": QSizeF},
    "QDialog": {"done": nothing, "accept": nothing, "reject": nothing},
    "QAbstractItemDelegate": {
        "paint": nothing, "sizeHint": QSize, "createEditor": nothing, "setEditorData": nothing,
        "setModelData": nothing, "updateEditorGeometry": nothing, "editorEvent": bool, "helpEvent": bool,
        "initStyleOption": nothing, "displayText": str,
    },
    "QAbstractItemModel": {
        "data": nothing, "setData": bool, "headerData": nothing, "rowCount": int, "columnCount": int,
        "flags": _no_flags, "sort": nothing, "index": QModelIndex, "parent": QModelIndex, "hasChildren": bool,
    },
    "QAccessibleInterface": {
        "isValid": bool, "object": nothing, "window": nothing, "parent": nothing, "childCount": int, "child": nothing,
        "childAt": nothing, "focusChild": nothing, "indexOfChild": lambda: -1, "role": lambda: QAccessible.Role.NoRole,
        "text": str, "setText": nothing, "rect": QRect, "state": QAccessible.State,
    },
    "QTextObjectInterface": {"intrinsicSize": QSizeF, "drawObject": nothing},
    "QSyntaxHighlighter": {"highlightBlock": nothing},
}  # fmt: skip
"""By class of Qt its virtual functions that are overridden, and what each returns when the override has failed."""


def guard_overrides() -> None:
    """Wrap the overrides of every class of Qt that is defined from now on."""

    def guard(cls: type, **options: Any) -> None:
        super(Shiboken.Object, cls).__init_subclass__(**options)  # type: ignore[misc]
        names = {base.__name__ for base in cls.__mro__}
        answers = {name: answer for root, table in ANSWERS.items() if root in names for name, answer in table.items()}
        for name, function in list(vars(cls).items()):
            answer = answers.get(name, nothing if name.endswith("Event") else None)
            is_override = answer is not None and callable(function) and hasattr(super(cls, cls), name)
            if answer is not None and is_override and not isinstance(function, type):
                setattr(cls, name, _guarded(function, answer))

    setattr(Shiboken.Object, "__init_subclass__", classmethod(guard))  # noqa: B010  # else mypy sees a method replaced


def _guarded(function: Callable[..., Any], answer: Answer) -> Callable[..., Any]:
    @functools.wraps(function)
    def override(self: Any, *args: Any, **options: Any) -> Any:
        try:
            return override.__wrapped__(self, *args, **options)  # type: ignore[attr-defined]  # by functools.wraps
        except BaseException as error:
            with suppress(BaseException):  # of the report itself, as where the stack has no room for it
                report(error, self)
            return args[-1] if answer is last_argument else answer()

    return override
