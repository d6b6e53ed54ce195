import threading
from importlib.util import find_spec

from PySide6.QtWidgets import QWidget

import gui.loading
from gui.background import join_stopped
from gui.loading import MODULES, load_later


def test_what_may_be_needed_later_is_loaded_in_a_thread(qtbot, monkeypatch):
    window, loaded = QWidget(), []
    qtbot.addWidget(window)
    monkeypatch.setattr(gui.loading, "LATER_MILLISECONDS", 0)
    monkeypatch.setattr(gui.loading, "import_module", lambda name: loaded.append((name, threading.current_thread())))
    loading = load_later(window)
    with qtbot.waitSignal(loading.ended):
        pass
    assert [name for name, _thread in loaded] == list(MODULES)
    assert threading.main_thread() not in dict(loaded).values()
    assert all(map(find_spec, MODULES))
    loading.stop()
    assert join_stopped()
