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
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path

from tests.reliability.kills import load_everything

WINDOWS = 4
RECENT_FOR_EACH = 6
PATIENCE_SECONDS = 60.0


def _write(own: int, times: int, folder: Path, together: Barrier) -> list[str]:
    """Write from one window, each time at the same moment as the others; return what was found to be damaged."""
    from gui.session import Session
    from gui.session.course import Course
    from gui.session.recent import RecentFiles
    from gui.settings_file import open_settings

    session = Session()
    session.lessons_folder = folder / "lessons"
    recent = RecentFiles(session)
    recent.use(folder / "recent.json")
    recent.set_limit(30)
    found = []
    for number in range(times):
        kept, damage = open_settings()
        kept.patience = 2000  # there is no event loop that tries again
        found += [damage] if damage else []
        kept.setValue(f"window {own}/{number}", number)
        course = Course(session)  # one that does not write its earlier entries again
        together.wait(PATIENCE_SECONDS)
        kept.sync()
        together.wait(PATIENCE_SECONDS)
        course.note_opened(f"{own} {number}")
        together.wait(PATIENCE_SECONDS)
        if number < RECENT_FOR_EACH:
            recent.note(folder / f"{own}-{number}.gradstep")
        course.stop()
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
        children, together = [], get_context("fork").Barrier(WINDOWS)
        for own in range(WINDOWS):
            if (child := os.fork()) == 0:
                code = 2
                try:
                    from gui.app import make_application

                    application = make_application()
                    found = _write(own, times, folder, together)
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
    from engine.lessons.progress import read_opened
    from gui.settings_file import open_settings

    settings, damage = open_settings()
    recent = json.loads((folder / "recent.json").read_text())
    found = [damage] if damage else []
    kept = {
        "settings": (len([key for key in settings.allKeys() if key.startswith("window ")]), times),
        "recent files": (len(recent), min(times, RECENT_FOR_EACH)),
        "progress": (len(read_opened(folder / "lessons" / "progress.json")), times),
    }
    found += [f"{what}: {n} of {WINDOWS * each} are left" for what, (n, each) in kept.items() if n != WINDOWS * each]
    return {"found": found, **{what: n for what, (n, _) in kept.items()}}


if __name__ == "__main__":
    sys.exit(main())
