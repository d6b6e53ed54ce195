"""Nothing that Gradstep opens runs outside the sandbox, and nothing it does reaches the network.

    python -m tests.reliability.isolation

Files of every kind that is read hold code; they are opened in the window and by every command, while an audit hook of
Python looks at what is executed, loaded and started. Where strace is installed, the system calls of the same process
and of its workers are looked at as well.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

from tests.sources import ROOT

MARK = "run_by_a_file"
"""Name of the folder that each piece of hostile code would make."""
CODE = f"__import__('os').mkdir('{MARK}')"
PROGRAM = f"a = 2.0\nb = Value(3.0)\ntry:\n    {CODE}\nexcept OSError:\n    print('refused')\nc = a * b\n"
TABLE = f'x1,x2,"{CODE}"\n1,2,"{CODE}"\n3,4,=cmd|x\n5,6,"{CODE}"\n'
LESSON = f"""+++
title = "{CODE}"
minutes = 5
level = 1
start.expression.text = '''
{PROGRAM}'''
+++

# One

{{a.data}} and `{CODE}`.
"""
PATIENCE_SECONDS = 60.0
NETWORK_EVENTS = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "urllib.Request", "http.client")
STARTS = ("os.system", "os.exec", "os.spawn", "os.startfile", "webbrowser.open", "code.__new__")


class Watch:
    """What the process executed, loaded, started and connected to, as far as it should not."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.events = 0
        sys.addaudithook(self._look)

    def _look(self, event: str, arguments: tuple[Any, ...]) -> None:
        self.events += 1
        if event == "exec" and isinstance(arguments[0], CodeType) and MARK in _texts(arguments[0]):
            self.found.append(f"executed: {arguments[0].co_filename}")
        elif event == "import" and MARK in str(arguments):
            self.found.append(f"imported: {arguments}")
        elif event.startswith(NETWORK_EVENTS) or (event == "socket.__new__" and arguments[1] != socket.AF_UNIX):
            self.found.append(f"network: {event} {arguments[1:]}")
        elif event.startswith(STARTS) or (event == "pickle.find_class" and not _between_our_processes()):
            self.found.append(f"{event} {arguments}")
        elif event == "subprocess.Popen" and arguments[0] != sys.executable:
            self.found.append(f"started: {arguments[1]}")


def _between_our_processes() -> bool:
    """Return whether the pool of workers is reading what its own worker sent through their pipe."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_globals.get("__name__") == "multiprocessing.connection":
            return True
    return False


def _texts(code: CodeType) -> str:
    inner = " ".join(_texts(part) if isinstance(part, CodeType) else str(part) for part in code.co_consts)
    return " ".join((*code.co_names, *code.co_varnames, inner))


def inputs(folder: Path) -> None:
    """Write one file of each kind that is read, with code in every text."""
    from engine.document import Document, replace_section
    from engine.session_file import to_json

    document = replace_section(Document(), "expression", text=PROGRAM)
    for name, text in {
        "a.gradstep": to_json(document), "a.py": PROGRAM, "a.csv": TABLE, "a.md": LESSON,
        "sitecustomize.py": CODE, "numpy.py": CODE, "engine.py": CODE,
    }.items():  # fmt: skip
        Path(folder, name).write_text(text, encoding="utf-8")


def commands() -> Iterator[str]:
    """Return every command that reads a file."""
    yield "run a.py"
    yield "run a.gradstep"
    yield "check a.py"
    yield "compare a.py a.gradstep"
    yield "train a.gradstep --steps 20 --log losses.csv -o trained.gradstep"
    yield "sweep a.gradstep --vary learning_rate=0.01,0.1 --seeds 1 --steps 20 --workers 2 -o sweep.csv"
    yield "export a.py -o a.svg"
    yield "code a.py --target numpy -o exported.py"
    yield "run exported.py"
    yield "lessons check a.md"
    yield "gallery"


def open_in_the_window() -> None:
    """Open each kind of file in the window, train and save."""
    from PySide6.QtTest import QTest

    from gui.importing.imports import TableImports
    from gui.main_window import MainWindow
    from gui.session import Session
    from gui.theme import LIGHT

    window = MainWindow(Session(), theme="light")
    window.show()
    session = window.session

    def wait(condition: Any) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(condition)
            QTest.qWait(5)

    for name in ("a.gradstep", "a.py", "exported.py", "trained.gradstep"):
        if not session.open(Path(name)):
            raise RuntimeError(f"{name} was not opened")
        wait(lambda: not session.presenter.busy)
    imports = TableImports(window, session, lambda: LIGHT)
    imports.open_path(Path("a.csv"))
    QTest.qWait(300)
    imports.stop()
    session.train("step")
    wait(lambda: session.newest is not None and session.newest.snapshot.step)
    session.save(Path("saved.gradstep"))
    session.discard_changes()
    window.close()


def inside() -> int:
    """Do everything in this process; print what was found."""
    watch = Watch()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        inputs(Path(name))
        from main import main as command_line

        for line in commands():
            code = command_line(line.split())
            if code not in (0, 1):
                watch.found.append(f"{line}: exit code {code}")
        open_in_the_window()
        if Path(MARK).exists():
            watch.found.append("a file made a folder")
        os.chdir(ROOT)
    print(*(f"FOUND {each}" for each in watch.found), f"AUDITED {watch.events}", sep="\n")
    return 0


def findings() -> tuple[str, list[str]]:
    """Run everything in a process of its own; return a line of figures, and what was found."""
    command = [sys.executable, "-m", "tests.reliability.isolation", "--inside"]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    with tempfile.NamedTemporaryFile() as calls:
        if shutil.which("strace"):
            command = ["strace", "-f", "-qq", "-e", "trace=socket,connect,bind,execve", "-o", calls.name, *command]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        lines = Path(calls.name).read_text(encoding="utf-8", errors="replace").splitlines()
    found = [line.removeprefix("FOUND ") for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    audited = re.search(r"AUDITED (\d+)", done.stdout)
    if done.returncode or audited is None:
        found.append(f"ended with {done.returncode}: {done.stderr[-2000:]}")
    found += [line for line in lines if re.search(r"AF_INET|AF_NETLINK|AF_PACKET", line)]
    started = {match[1] for line in lines if (match := re.search(r'execve\("([^"]+)".* = 0$', line))}
    python = Path(sys.executable).resolve().name
    found += [f"started {name}" for name in started if Path(name).resolve().name != python]
    return f"{audited[1] if audited else 0} events of Python, {len(lines)} system calls", found


def main() -> int:
    """Open everything; return 1 when something ran or reached out."""
    if sys.argv[1:] == ["--inside"]:
        return inside()
    figures, found = findings()
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{figures}: {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
