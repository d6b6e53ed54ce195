"""Several windows write settings, the list of recent files and the progress in lessons at the same time.

    python -m tests.reliability.two_windows --times 200

Each window is a process, and writes entries of its own again and again. At the end the newest entry of each has to be
there, and no file may be damaged at any moment. The list of recent files holds 30: nothing of it may be lost before.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import traceback
from pathlib import Path

from tests.reliability.kills import load_everything

WINDOWS = 4
RECENT_FOR_EACH = 6
SETTINGS = ("decimals", "program seconds", "program memory", "recent files")
"""One for each window, with its values in `_value`."""


def _value(name: str, number: int) -> int:
    low, high = {"decimals": (2, 6), "program seconds": (1, 99), "program memory": (50, 999), "recent files": (20, 30)}[
        name
    ]
    return low + number % (high - low)


def _write(own: int, times: int, folder: Path) -> list[str]:
    """Write from one window; return what was found to be damaged."""
    from engine.lessons import read_folder
    from gui.session import Session
    from gui.session.course import OWN_LESSONS, course_of
    from gui.session.recent import RecentFiles
    from gui.settings import Settings
    from gui.settings_file import open_settings

    session = Session()
    session.lessons_folder = folder / "lessons"
    recent, course = RecentFiles(session), course_of(session)
    recent.use(folder / "recent.json")
    recent.set_limit(30)
    found, lessons = [], read_folder(OWN_LESSONS)[0]
    for number in range(times):
        kept, damage = open_settings()
        kept.patience = 2000  # there is no event loop that tries again
        found += [damage] if damage else []
        Settings(kept).set(SETTINGS[own], _value(SETTINGS[own], number))
        if number < RECENT_FOR_EACH:
            recent.note(folder / f"{own}-{number}.gradstep")
            course.open(lessons[own * RECENT_FOR_EACH + number].name)
    session.close()
    return found


def main() -> int:
    """Write from all windows; print a JSON object with what was found."""
    parser = argparse.ArgumentParser(description="Write settings and lists from several windows at once.")
    parser.add_argument("--times", type=int, default=200)
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        load_everything(folder)
        children = []
        for own in range(WINDOWS):
            if (child := os.fork()) == 0:
                code = 2
                try:
                    from gui.app import make_application

                    application = make_application()
                    found = _write(own, times, folder)
                    print(*found, file=sys.stderr, sep="\n", end="\n" if found else "", flush=True)
                    code = 1 if found else 0
                    del application
                except Exception:
                    traceback.print_exc()
                finally:
                    os._exit(code)
            children.append(child)
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        figures = _left(folder, times) | {"windows": WINDOWS, "writes of settings": WINDOWS * times, "codes": codes}
    print(json.dumps(figures, indent=1))
    return 1 if figures["found"] or any(codes) else 0


def _left(folder: Path, times: int) -> dict[str, object]:
    """Return what was lost."""
    from engine.lessons.progress import read_progress
    from gui.settings import Settings
    from gui.settings_file import open_settings

    kept, damage = open_settings()
    settings = Settings(kept)
    found = [damage] if damage else []
    for setting in SETTINGS:
        if settings[setting] != _value(setting, times - 1):
            found.append(f"{setting} is {settings[setting]}, written was {_value(setting, times - 1)}")
    recent = json.loads((folder / "recent.json").read_text())
    progress = read_progress(folder / "lessons" / "progress.json")
    wanted = WINDOWS * min(times, RECENT_FOR_EACH)
    if len(recent) != wanted:
        found.append(f"{len(recent)} of {wanted} recent files are left")
    if len(progress) != wanted:
        found.append(f"{len(progress)} of {wanted} lessons are left")
    return {"found": found, "recent files": len(recent), "lessons": len(progress)}


if __name__ == "__main__":
    sys.exit(main())
