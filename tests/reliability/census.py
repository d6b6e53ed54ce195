"""Everything that is alive in a process with a window, counted by type, and which types have grown.

Memory is told in two figures, 0 where the system does not tell: what is in use of the heap of the C library, which Qt,
NumPy and large objects of Python come from, and what the process has resident. The first shows what is lost; the second
holds free pieces between those in use, too, and how many depends on the order of all that was ever asked for.
"""

from __future__ import annotations

import ctypes
import gc
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median

from PySide6.QtCore import QAbstractEventDispatcher, QObject, QThreadPool, QTimer
from PySide6.QtGui import QGuiApplication, QStandardItem
from PySide6.QtWidgets import (
    QApplication,
    QGraphicsItem,
    QGraphicsLayoutItem,
    QGraphicsView,
    QLayoutItem,
    QListWidgetItem,
    QTableWidgetItem,
    QTreeWidgetItem,
)
from shiboken6 import createdByPython, getCppPointer, isValid, ownedByPython

OURS = ("gui.", "engine.", "datasets.", "pyqtgraph.", "networkx.")
MEMORY, HEAP = "resident MB", "heap MB"
TRAINING = "training"
"""The one thread that stays, and waits for the next command."""
SPARE = {
    MEMORY: 30.0,
    HEAP: 30.0,
    "descriptors": 2,
    "threads": 1,
    "Python: engine.language.syntax.Span": 2000,
    "Python: pyqtgraph.Point.Point": 200,
}
"""Growth that is allowed: what widgets and caches of Qt take at first use, and the pieces between them; the editor's
cache of coloured lines; the last hundred pairs of points that pyqtgraph keeps."""
ITEMS = (
    QGraphicsItem,
    QGraphicsLayoutItem,
    QLayoutItem,
    QListWidgetItem,
    QStandardItem,
    QTableWidgetItem,
    QTreeWidgetItem,
)
"""Items that an object of Qt owns. Unlike a QObject, they do not announce their deletion."""
SPARE_PARTS, SPARE_OBJECTS, SPARE_SHARE = 8, 30, 0.05
"""Growth that is none in the number of objects: of a class of the window, of any other type, and the share that is none
of a type with many objects."""


def census() -> Counter[str]:
    """Collect garbage, and return how many of everything there are; for the thread of the window, while it rests."""
    for _ in range(3):
        gc.collect()
    found: Counter[str] = Counter(f"Python: {name}" for name in map(_type_name, gc.get_objects()) if name)
    found.update(f"Qt: {each.metaObject().className()}" for each in objects())
    views = [each for each in QApplication.allWidgets() if isinstance(each, QGraphicsView)]
    scenes = {id(scene): scene for view in views if (scene := view.scene()) is not None}
    found.update(f"item: {type(item).__name__}" for scene in scenes.values() for item in scene.items())
    found["threads"] = threading.active_count()
    if Path("/proc/self/fd").exists():
        found["descriptors"] = sum(1 for _ in Path("/proc/self/fd").iterdir())
    return found | Counter({MEMORY: round(resident()), HEAP: round(heap_in_use())})


def _type_name(each: object) -> str:
    """Return the name of a type of ours or of Python; of Qt's objects those are counted that exist in C++."""
    kind = type(each)
    module = kind.__module__ if isinstance(kind.__module__, str) else ""
    if module.startswith(OURS):
        return f"{module}.{kind.__qualname__}"
    return kind.__name__ if module == "builtins" else ""


def objects() -> list[QObject]:
    """Return all QObjects that can be reached: below the application, its windows, and those that Python knows."""
    application = QGuiApplication.instance()
    assert application is not None
    known = [each for each in gc.get_objects() if issubclass(type(each), QObject) and isValid(each)]
    roots = [application, *QApplication.topLevelWidgets(), *QGuiApplication.topLevelWindows(), *known]
    found: dict[int, QObject] = {}
    for root in roots:
        if _address(root) not in found:
            for each in (root, *root.findChildren(QObject)):
                found[_address(each)] = each
    return list(found.values())


def left_behind() -> list[QObject]:
    """Return the Python objects of QObjects that were deleted; `objects` makes some that stay, by asking for all."""
    return [each for each in gc.get_objects() if issubclass(type(each), QObject) and not isValid(each)]


def foreign_item_wrappers() -> list[str]:
    """Return the types of Python wrappers for items that Qt created, and deletes without telling PySide.

    A new C++ object at the same address would get such a wrapper and crash. Those that `gc.freeze` has hidden are not
    found.
    """
    items = [each for each in gc.get_objects() if issubclass(type(each), ITEMS) and not isinstance(each, QObject)]
    foreign = [each for each in items if isValid(each) and not (createdByPython(each) or ownedByPython(each))]
    return sorted({type(each).__name__ for each in foreign})


def _address(each: QObject) -> int:
    return int(getCppPointer(each)[0])


def active_timers() -> list[str]:
    """Return a line for each timer that goes on, QBasicTimers and animations among them: of whom, and its interval."""
    dispatcher = QAbstractEventDispatcher.instance()
    lines = []
    for each in objects():
        if isinstance(each, QTimer):
            if each.isActive():
                lines.append(f"{lineage(each)} every {each.interval()} ms")
        else:
            lines += [f"{lineage(each)} every {timer.interval} ms" for timer in dispatcher.registeredTimers(each)]
    return lines


def lineage(each: QObject | None) -> str:
    """Return the names or classes of an object and of those it belongs to."""
    names = []
    while each is not None:
        names.append(each.objectName() or each.metaObject().className())
        each = each.parent()
    return " in ".join(names[:4])


def running_jobs() -> list[str]:
    """Return what runs in other threads: the names of Python's, and how many jobs of Qt's pool."""
    names = [each.name for each in threading.enumerate() if each is not threading.current_thread()]
    names = [name for name in names if name != TRAINING]
    n_pooled = QThreadPool.globalInstance().activeThreadCount()
    return names + [f"{n_pooled} of Qt's thread pool"] * bool(n_pooled)


def resident() -> float:
    """Return the resident memory of this process, MB, after free memory was given back."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    figures = Path("/proc/self/statm")
    return 0.0 if not figures.exists() else int(figures.read_text(encoding="ascii").split()[1]) * 4096 / 1e6


class _Heap(ctypes.Structure):
    """Result of glibc's mallinfo2: `hblkhd` are bytes that are mapped each by themselves, `uordblks` all others."""

    _names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = tuple((name, ctypes.c_size_t) for name in _names.split())


def heap_in_use() -> float:
    """Return what was asked for from the C library and not given back yet, MB; 0 but for glibc 2.33 and later."""
    with suppress(OSError, AttributeError):
        tell = ctypes.CDLL(None).mallinfo2
        tell.restype = _Heap
        heap = tell()
        return float(heap.uordblks + heap.hblkhd) / 1e6
    return 0.0


def grown(counts: Sequence[Mapping[str, float]]) -> dict[str, tuple[float, float]]:
    """Compare the last third of some counts with the first; return the medians of both for each type that has grown."""
    third = max(1, len(counts) // 3)
    early, late = counts[:third], counts[-third:]
    found = {}
    for name in sorted(set().union(*counts)):
        before, after = [each.get(name, 0) for each in early], [each.get(name, 0) for each in late]
        least = SPARE_PARTS if name.startswith("Python: gui.") else SPARE_OBJECTS
        spare = SPARE.get(name, max(least, SPARE_SHARE * median(before)))
        if min(after) > max(before) and median(after) - median(before) > spare:
            found[name] = (median(before), median(after))
    return found


def thread_times() -> tuple[float, float]:
    """Return how long this thread has run, and how long it was kept waiting for a processor, in seconds."""
    with suppress(OSError):
        ran, waited, _slices = Path("/proc/thread-self/schedstat").read_text(encoding="ascii").split()
        return int(ran) / 1e9, int(waited) / 1e9
    return time.thread_time(), 0.0
