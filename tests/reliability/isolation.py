"""Nothing that Gradstep opens runs outside the sandbox, and nothing it does reaches the network.

    python -m tests.reliability.isolation

Files of every kind that is read hold code that tries to get out; they are opened by every command and in the window,
where the program of a lesson runs and a table is imported. Three witnesses look on: an audit hook of Python, strace
(where it is installed), and a server on this computer that nobody may reach. The program itself fails when one of its
attempts succeeds, so that the exit code of each command says whether it ran and was refused.
"""

from __future__ import annotations

import argparse
import os
import pickle
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import Any

from tests.sources import ROOT

MARK = "run_by_a_file"
"""Name of the folder or file that each piece of hostile code would make."""
SECRET = "secret.txt"
"""File of the trial that no program may read or remove."""
REFUSED = "refused all"
"""Printed by the program when it could do nothing of what it tried."""
CODE = f"__import__('os').mkdir('{MARK}')"
ATTEMPTS = (
    CODE,
    "import os; os.system('mkdir MARK')",
    "import os; os.mkdir('MARK')",
    "import os; os.listdir('/')",
    "import os; os.fork()",
    "import os; os.execv('/bin/mkdir', ['mkdir', 'MARK'])",
    "import os; os.remove('SECRET')",
    "open('SECRET').read()",
    "open('MARK', 'w').write('x')",
    "import subprocess; subprocess.run(['mkdir', 'MARK'])",
    "import multiprocessing; multiprocessing.Process(target=print).start()",
    "import ctypes; ctypes.CDLL(None).system(b'mkdir MARK')",
    "import socket; socket.socket().connect(('127.0.0.1', PORT))",
    "import socket; socket.socket(2, 2).sendto(b'x', ('127.0.0.1', PORT))",
    "import socket; socket.socket().bind(('127.0.0.1', 0))",
    "import socket; socket.getaddrinfo('example.org', 80)",
    "import urllib.request; urllib.request.urlopen('http://127.0.0.1:PORT/')",
    "import gui.main_window",
    "eval('open(\"SECRET\")')",
    "exec('import os; os.system(\"mkdir MARK\")')",
)
"""Statements by which a program would reach files, the network, other programs or Gradstep itself."""
TABLE = f'x1,x2,"{CODE}"\n' + "".join(f'{x},{x % 3},"{CODE}"\n{x}.5,{x % 5},=cmd|x\n' for x in range(12))
LESSON = f"""+++
format = 1
title = "{CODE}"
summary = "{CODE}"
order = 1
minutes = 5
show = ["program", "program.sliders", "graph"]
program = '''
PROGRAM'''
+++
The gradient of `a` is {{a.grad}}; `{CODE}`.

## Change it to `{CODE}`
```start
select = "a"
```
```goal
kind = "value"
node = "c"
is = 9.0
wrong = [{{ is = 5.0, says = "`{CODE}`" }}]
```
```hint
`{CODE}`
```
```solution
edit = {{ find = "Value(2.0)", replace = "Value(3.0)" }}
```
```mistake
sliders = {{ a = 4.0 }}
```
"""
SAYS_SO = ("guide/programs", "panels/ExpressionPanel")
"""Pages of the help that say where programs run."""
PATIENCE_SECONDS = 60.0
NETWORK_EVENTS = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "urllib.Request", "http.client")
STARTS = ("os.system", "os.exec", "os.spawn", "os.startfile", "webbrowser.open", "code.__new__")
TRACED = (
    "execve,execveat,socket,connect,bind,sendto,sendmsg,sendmmsg,clone,clone3,fork,vfork,"
    "open,openat,openat2,creat,mkdir,mkdirat"
)
"""System calls that start programs, reach out, or make files; without writes into what is open already."""


class Watch:
    """What the process executed, loaded, started and connected to, as far as it should not."""

    def __init__(self, secret: str) -> None:
        self.found: list[str] = []
        self.events, self._secret = 0, secret
        sys.addaudithook(self._look)

    def _look(self, event: str, arguments: tuple[Any, ...]) -> None:
        self.events += 1
        if event == "exec" and isinstance(arguments[0], CodeType) and MARK in _texts(arguments[0]):
            self.found.append(f"executed: {arguments[0].co_filename}")
        elif event == "import" and MARK in str(arguments):
            self.found.append(f"imported: {arguments}")
        elif event in ("open", "os.remove") and arguments[0] == self._secret:
            self.found.append(f"{event} of a file that only a program names: {self._secret}")
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


def program(folder: Path, port: int) -> str:
    """Return a program that tries to get out in every way, and fails when one of them succeeds."""
    lines = ["a = Value(2.0)", "b = Value(3.0)", "done = []"]
    for attempt in ATTEMPTS:
        text = attempt.replace("'MARK'", f"'{folder / MARK}'").replace("MARK", str(folder / MARK))
        text = text.replace("SECRET", str(folder / SECRET)).replace("PORT", str(port))
        lines += ["try:", f"    {text}", "except Exception: pass", f"else: done.append({attempt!r})"]
    lines += ["if done: raise RuntimeError(str(done))", f"print('{REFUSED}')", "c = a * b"]
    return "\n".join(lines) + "\n"


class Bomb:
    """An object whose pickle runs code when it is loaded."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (MARK,)


def inputs(folder: Path, port: int) -> None:
    """Write a file of each kind that is read, with code in every text."""
    from engine.document import Document, replace_section
    from engine.session_file import to_json

    text = program(folder, port)
    document = replace_section(Document(), "expression", text=text)
    for name, content in {
        "a.gradstep": to_json(document), "a.py": text, "a.csv": TABLE,
        "lessons/own.md": LESSON.replace("PROGRAM", text),
        "old.md": LESSON.replace("format = 1\n", ""), "uncaught.py": f"a = Value(2.0)\n{CODE}\n", SECRET: "secret",
        "sitecustomize.py": CODE, "numpy.py": CODE, "engine.py": CODE,
    }.items():  # fmt: skip
        Path(folder, name).parent.mkdir(exist_ok=True)
        Path(folder, name).write_text(content, encoding="utf-8")
    Path(folder, "pickle.gradstep").write_bytes(pickle.dumps(Bomb()))


def commands() -> Iterator[tuple[str, int]]:
    """Yield every command that reads a file, with its exit code.

    0: the program ran to its end and each of its attempts was refused. 1: the file was read, and its program or lesson
    is wrong. 2: the file is not of a kind that the command reads.
    """
    yield "run a.py", 0
    yield "run a.gradstep", 0
    yield "run uncaught.py", 1  # the refusal stops a program that does not catch it
    yield "run pickle.gradstep", 2  # no session: it is refused, not unpickled
    yield "run a.csv", 2  # a table is no program
    yield "check a.py", 0
    yield "compare a.py a.gradstep", 0  # the same program twice
    yield "train a.gradstep --steps 20 --log losses.csv -o trained.gradstep", 0
    yield "sweep a.gradstep --vary learning_rate=0.01,0.1 --seeds 1 --steps 20 --workers 2 -o sweep.csv", 0
    yield "export a.py -o a.svg", 0
    yield "export a.gradstep -o a.html", 0
    yield "code a.py --target numpy -o exported.py", 0
    yield "run exported.py", 0  # the session in it runs, not the Python around it
    yield "lessons list lessons", 0
    yield "lessons check lessons/own.md", 0  # every step is played, its program included
    yield "lessons check old.md", 1  # a lesson without its format
    yield "lessons print lessons/own.md -o own.html --hints --solutions", 0
    yield "lessons print lessons/own.md -o own.pdf", 0
    yield "gallery", 0


def wait(condition: Any, what: str) -> None:
    """Run the event loop until the condition holds."""
    from PySide6.QtTest import QTest

    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(what)
        QTest.qWait(5)


def check_ran(session: Any, what: str) -> None:
    """Wait for the program in the window; raise unless it ran to its end and was refused everything."""
    wait(lambda: not session.program.busy and not session.presenter.busy, what)
    printed = [line.text for line in session.program.printed.lines]
    if session.error is not None or printed != [REFUSED]:
        raise RuntimeError(f"{what}: {session.error}, {printed}")


def open_in_the_window() -> None:
    """Open each kind of file in the window, play a lesson, import a table, train and save; look what the help says."""
    from gui.help.help_window import HelpWindow
    from gui.main_window import MainWindow
    from gui.session import Session
    from gui.session.programs import BackgroundPrograms

    window = MainWindow(Session(programs=BackgroundPrograms()), theme="light")
    window.show()
    session = window.session
    for name in ("a.gradstep", "a.py", "exported.py", "trained.gradstep"):
        if not session.open(Path(name)):
            raise RuntimeError(f"{name} was not opened")
        check_ran(session, name)
    play_lesson(window)
    import_table(window)
    for name in window.docks:
        window.show_panel(name)
        wait(lambda: not session.presenter.busy, name)
    session.train("step")
    wait(lambda: session.newest is not None and session.newest.snapshot.step, "training")
    session.save(Path("saved.gradstep"))
    for page in SAYS_SO:
        window.show_help(page)
        browser = window.findChild(HelpWindow).browser
        if "in a sandbox" not in browser.toPlainText().replace("\n", " "):
            raise RuntimeError(f"the help page {page} does not say where a program runs")
    session.discard_changes()
    window.close()


def play_lesson(window: Any) -> None:
    """Open the lesson full of code, do the solution of its second step, and leave it."""
    session, course = window.session, window.course
    window.lessons.add_folder(Path("lessons").absolute())
    wait(lambda: any(lesson.name == "lessons/own" for lesson in course.lessons), "reading the lesson")
    if not course.open("lessons/own"):
        raise RuntimeError("the lesson was not opened")
    check_ran(session, "the lesson")
    course.go_to(1)
    check_ran(session, "the lesson's second step")
    course.show_solution()
    wait(lambda: course.is_met(1), "the lesson's solution")
    check_ran(session, "the lesson's solution")
    course.leave()


def import_table(window: Any) -> None:
    """Open the table full of code, and import it: its names and cells reach the panels."""
    from gui.importing.import_dialog import ImportDialog

    window.show_workspace("train")
    window.files.open_path(Path("a.csv"))
    wait(lambda: any(each.import_button.isEnabled() for each in window.findChildren(ImportDialog)), "reading the table")
    window.findChild(ImportDialog).import_button.click()
    wait(lambda: window.session.document.data.source == "table", "the import")
    data = window.session.document.data
    if data.table_target != CODE or CODE not in window.session.dataset.class_names:
        raise RuntimeError(f"imported otherwise: {data.table_target}, {window.session.dataset.class_names}")


def inside(folder: Path) -> int:
    """Do everything in this process; print what was found."""
    watch = Watch(str(folder / SECRET))
    os.chdir(folder)
    from main import main as command_line

    count = 0
    for line, right in commands():
        count += 1
        code = command_line(line.split())
        if code != right:
            watch.found.append(f"{line}: exit code {code}, not {right}")
    open_in_the_window()
    os.chdir(ROOT)
    print(*(f"FOUND {each}" for each in watch.found), f"DONE {count} AUDITED {watch.events}", sep="\n")
    return 0


def of_system_calls(lines: Iterable[str], folder: Path) -> list[str]:
    """Return what system calls did that they should not.

    Args:
        lines: of strace -y, which writes the path behind each descriptor.
        folder: of the trial; only in it files may be made.
    """
    found, python = set(), Path(sys.executable).resolve().name
    allowed = (f"{folder}/", "/dev/null", "/dev/shm/", "/memfd:")
    for line in lines:
        started = re.search(r'exec(?:ve|veat)\((?:[^"]*, )?"([^"]+)".* = 0$', line)
        if re.search(r"AF_INET|AF_NETLINK|AF_PACKET", line):
            found.add(line)
        elif started and Path(started[1]).resolve().name != python:
            found.add(f"started {started[1]}")
        elif f'{folder / SECRET}"' in line:
            found.add(f"reached for a file that only a program names: {line}")
        elif re.search(r"O_WRONLY|O_RDWR|O_CREAT|creat\(", line) and (opened := re.search(r" = \d+<([^>]+)>", line)):
            found |= set() if opened[1].startswith(allowed) else {f"opened for writing: {opened[1]}"}
        elif (made := re.search(r'mkdir(?:at)?\((?:[^"]*, )?"(/[^"]+)".* = 0$', line)) and not made[1].startswith(
            allowed
        ):
            found.add(f"made the folder {made[1]}")
    return sorted(found)


def reached(server: socket.socket, datagrams: socket.socket) -> list[str]:
    """Return who has reached one of the servers of the trial."""
    found = []
    for each in (server, datagrams):
        each.setblocking(False)
    with suppress(BlockingIOError):
        visitor, address = server.accept()
        visitor.close()
        found.append(f"connected to the server: {address}")
    with suppress(BlockingIOError):
        found.append(f"sent to the server: {datagrams.recvfrom(1)}")
    return found


def findings() -> tuple[str, list[str]]:
    """Run everything in a process of its own; return a line of figures, and what was found."""
    tcp, udp = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
    with tempfile.TemporaryDirectory() as name, tempfile.NamedTemporaryFile() as calls, tcp, udp:
        folder = Path(name).resolve()
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        udp.bind(tcp.getsockname())
        inputs(folder, tcp.getsockname()[1])
        command = [sys.executable, "-m", "tests.reliability.isolation", "--inside", str(folder)]
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "TMPDIR": str(folder)}
        environment |= {"PYTHONDONTWRITEBYTECODE": "1", "XDG_CONFIG_HOME": name, "XDG_DATA_HOME": name}
        if traced := shutil.which("strace") is not None:
            command = ["strace", "-f", "-qq", "-y", "-e", f"trace={TRACED}", "-o", calls.name, *command]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        lines = Path(calls.name).read_text(encoding="utf-8", errors="replace").splitlines()
        found = [line.removeprefix("FOUND ") for line in done.stdout.splitlines() if line.startswith("FOUND ")]
        found += [*of_system_calls(lines, folder), *reached(tcp, udp)]
        found += [f"a file made {path}" for path in (*folder.rglob(f"{MARK}*"), *ROOT.glob(MARK))]
        secret = folder / SECRET
        if not secret.is_file() or secret.read_text(encoding="utf-8") != "secret":
            found.append("the secret file was removed or changed")
    counted = re.search(r"DONE (\d+) AUDITED (\d+)", done.stdout)
    if done.returncode or counted is None:
        found.append(f"ended with {done.returncode}: {done.stderr[-2000:]}")
    n_commands, n_events = counted.groups() if counted else ("0", "0")
    calls_words = f"{len(lines):,} system calls" if traced else "NO system calls, as strace is not installed"
    figures = f"{len(ATTEMPTS)} attempts in each program, {n_commands} commands and the window"
    return f"{figures}, {int(n_events):,} events of Python, {calls_words}", found


def main() -> int:
    """Open everything; return 1 when something ran or reached out."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.reliability.isolation", description=__doc__.partition("\n\n")[0]
    )
    parser.add_argument("--inside", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside is not None:
        return inside(options.inside)
    figures, found = findings()
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{figures}: {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
