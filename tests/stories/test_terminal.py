"""The command line in terminals of every kind: encodings, closed and full outputs, displays that are not there."""

import ctypes
import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.terminal import Progress, spoken_seconds
from gui.display import X_LIBRARIES
from main import COMMANDS, main

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
NEURON = "größe = 2.0\nw = -3.0\no = tanh(größe * w)\n"
QT_OF_TESTS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_SESSION_TYPE")


def gradstep(*arguments, environment=None, **options):
    """Runs the program as a process of its own."""
    plain = {name: value for name, value in os.environ.items() if name not in QT_OF_TESTS}
    command = [sys.executable, str(ROOT / "main.py"), *map(str, arguments)]
    return subprocess.run(command, env=plain | (environment or {}), stderr=subprocess.PIPE, timeout=600, **options)


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "größe.txt"
    path.write_text(NEURON, encoding="utf-8")
    return path


@pytest.mark.long
@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_a_result_is_told_in_every_encoding(program, encoding):
    shown = gradstep("check", program, environment={"PYTHONIOENCODING": encoding}, stdout=subprocess.PIPE)
    words = shown.stdout.decode(encoding)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert "3 of 3" in words or "gradients agree" in words
    assert ("✓" if encoding == "utf-8" else "ok") in words


@pytest.mark.long
def test_an_export_is_told_in_every_encoding(program, tmp_path):
    output = tmp_path / "中.dot"
    shown = gradstep("export", program, "-o", output, environment={"PYTHONIOENCODING": "ascii"}, stdout=subprocess.PIPE)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert b"\\u4e2d.dot" in shown.stdout and output.stat().st_size > 100


def test_labels_and_names_do_not_command_the_terminal(tmp_path, capsys, qapp):
    path = tmp_path / "evil\x1b[2J.txt"
    path.write_text("a = Value(2.0, label='\x1b]0;title\x07\u202egnp')\nb = a * 3.0\n", encoding="utf-8")
    code = main(["check", str(path)])
    said = capsys.readouterr()
    assert all(line.isprintable() for line in (said.out + said.err).splitlines())
    assert main(["export", str(path), "-o", str(tmp_path / "out\x1b[2J.dot")]) == code
    said = capsys.readouterr()
    assert all(line.isprintable() for line in (said.out + said.err).splitlines())


def test_wrong_words_do_not_command_the_terminal(capsys):
    assert main(["check", "a", "\x1b[2J"]) == 2
    assert capsys.readouterr().err[:-1].isprintable()


if os.name == "posix":

    @pytest.mark.long
    def test_an_output_that_nobody_reads_any_more_is_no_error(program):
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as closed:
            shown = gradstep("check", program, stdout=closed)
        assert (shown.returncode, shown.stderr) == (141, b"")

    def test_help_that_nobody_reads_any_more_is_no_error():
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as closed:
            shown = gradstep("--help", stdout=closed)
        assert (shown.returncode, shown.stderr) == (141, b"")

    @pytest.mark.long
    def test_a_full_disk_behind_the_output_is_one_line(program):
        if Path("/dev/full").exists():
            with Path("/dev/full").open("wb") as full:
                shown = gradstep("check", program, stdout=full)
            assert shown.returncode == 2
            assert shown.stderr.startswith(b"gradstep: ") and shown.stderr.endswith(b": No space left on device\n")
            assert shown.stderr.count(b"\n") == 1


if sys.platform == "linux":
    NOWHERE = [
        {"DISPLAY": ":7777"},
        {"DISPLAY": ":7777.0"},
        {"DISPLAY": "unix:7777"},
        {"DISPLAY": "/nowhere/socket:0"},
        {"DISPLAY": "nonsense"},
        {"DISPLAY": "\x1b[2J"},
        {"WAYLAND_DISPLAY": "wayland-77"},
        {"WAYLAND_DISPLAY": "/nowhere/wayland-0", "XDG_SESSION_TYPE": "wayland"},
        {"WAYLAND_DISPLAY": "wayland-77", "DISPLAY": ":7777"},
        {"QT_QPA_PLATFORM": "nonsense"},
        {"QT_QPA_PLATFORM": "xcb", "DISPLAY": ":7777"},
        {},
    ]

    STARTS_AGAIN_AND_AGAIN = f"""
import json, os, sys
sys.path.insert(0, {str(ROOT)!r})
import main, gui.app, gui.display
for number, environment in enumerate(json.loads(sys.argv[1])):
    if os.fork() == 0:
        os.environ.update(environment)
        os.dup2(os.open(f"{{number}}.txt", os.O_WRONLY | os.O_CREAT), 2)
        sys.exit(main.main([]))
    os.write(1, b"%d " % os.waitstatus_to_exitcode(os.wait()[1]))
"""

    @pytest.mark.long
    def test_a_display_that_is_not_there_is_one_line(tmp_path):
        """Each start is a process of its own, split off from one that has loaded everything and started nothing."""
        plain = {name: value for name, value in os.environ.items() if name not in QT_OF_TESTS}
        command = [sys.executable, "-c", STARTS_AGAIN_AND_AGAIN, json.dumps(NOWHERE)]
        ended = subprocess.run(command, env=plain, cwd=tmp_path, capture_output=True, text=True, timeout=600)
        assert (ended.stdout.split(), ended.stderr) == (["2"] * len(NOWHERE), "")
        for number, environment in enumerate(NOWHERE):
            said = (tmp_path / f"{number}.txt").read_text()
            assert said.startswith("gradstep: no display: ") and said.endswith("work without\n"), environment
            assert said[:-1].isprintable(), environment

    def can_be_loaded(library):
        try:
            ctypes.CDLL(library)
        except OSError:
            return False
        return True

    @pytest.mark.long
    def test_all_libraries_of_the_display_that_are_missing_are_named_in_one_line(tmp_path):
        for library in ("libxcb-cursor.so.0", "libxcb-icccm.so.4", "libxkbcommon-x11.so.0"):
            (tmp_path / library).touch()  # found before the system's, and not loadable
        environment = {"DISPLAY": ":7777", "LD_LIBRARY_PATH": str(tmp_path), "QT_LOGGING_RULES": ""}
        shown = gradstep(environment=environment, stdout=subprocess.PIPE)
        assert (shown.returncode, shown.stderr.count(b"\n")) == (2, 1)
        assert shown.stderr.endswith(b"work without\n")
        lacking = [package.encode() for library, package in X_LIBRARIES.items() if not can_be_loaded(library)]
        assert set(re.findall(rb"libx\S+\d", shown.stderr)) == {
            b"libxcb-cursor0",
            b"libxcb-icccm4",
            b"libxkbcommon-x11-0",
            *lacking,  # a new machine without a screen has not all of them
        }

    @pytest.mark.long
    def test_a_display_on_another_machine_that_refuses_is_one_line():
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        if port > 6000:
            shown = gradstep(environment={"DISPLAY": f"127.0.0.1:{port - 6000}"}, stdout=subprocess.PIPE)
            assert shown.returncode == 2 and shown.stderr.count(b"\n") == 1

    @pytest.mark.long
    def test_a_display_that_hangs_up_is_one_line(tmp_path):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]

            def hang_up():
                for _ in range(2):
                    server.accept()[0].close()

            thread = threading.Thread(target=hang_up, daemon=True)
            if port > 6000:
                thread.start()
                shown = gradstep(environment={"DISPLAY": f"127.0.0.1:{port - 6000}"}, stdout=subprocess.PIPE)
                assert shown.returncode == 2 and shown.stderr.count(b"\n") == 1
                for _ in range(2):
                    if thread.is_alive():
                        socket.create_connection(("127.0.0.1", port)).close()
                thread.join()


COUNTRIES = ["ar_EG"]  # which Qt knows by itself
if shutil.which("localedef") and Path("/usr/share/i18n/locales/tr_TR").exists():
    COUNTRIES.append("tr_TR")

IN_ANY_COUNTRY = f"""
import sys
from datetime import datetime
sys.path.insert(0, {str(ROOT)!r})
from gui.app import make_application
application = make_application()
from PySide6.QtCore import QLocale, QTimer
print(QTimer(interval=7).interval(), QLocale().toString(1234.5), datetime(2020, 5, 1).strftime("%B"))
"""


@pytest.mark.long
@pytest.mark.parametrize("country", COUNTRIES)
def test_numbers_and_names_are_the_same_in_every_country(country, tmp_path):
    name = f"{country}.UTF-8"
    if country == "tr_TR":
        subprocess.run(["localedef", "-i", country, "-f", "UTF-8", tmp_path / name], check=True)
    there = {"LC_ALL": name, "LANG": name, "LOCPATH": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    call = [sys.executable, "-c", IN_ANY_COUNTRY]
    shown = subprocess.run(call, env=os.environ | there, capture_output=True, text=True, encoding="utf-8")
    assert shown.stdout == "7 1234.5 May\n", shown.stderr


WITHOUT_QT = f"""
import sys
sys.modules["PySide6"] = None
sys.path.insert(0, {str(ROOT)!r})
import main
sys.exit(main.main())
"""


@pytest.mark.parametrize("command", [[], ["export"], ["train"], ["check"], ["window"], ["gallery"], ["tour"]], ids=str)
def test_help_needs_no_qt(command):
    call = [sys.executable, "-c", WITHOUT_QT, *command, "--help"]
    shown = subprocess.run(call, capture_output=True, text=True)
    assert (shown.returncode, shown.stderr) == (0, "") and "usage: gradstep" in shown.stdout


def test_without_the_windows_libraries_it_is_one_line():
    shown = subprocess.run([sys.executable, "-c", WITHOUT_QT], capture_output=True, text=True)
    assert shown.returncode == 2 and shown.stderr.startswith("gradstep: a library that this needs cannot be loaded: ")
    assert shown.stderr.count("\n") == 1


# Progress


class Terminal(io.StringIO):
    """Standard error that is a terminal."""

    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still; `clock.now` sets it."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr("engine.terminal.time.monotonic", lambda: clock.now)
    return clock


def test_progress_has_the_share_the_detail_and_the_time_left(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Progress("Training") as progress:
        for seconds, share in ((0.1, 0.01), (1.0, 0.1), (2.0, 0.1), (3.0, 0.2), (3.01, 0.9), (62.0, 0.3)):
            clock.now = 100.0 + seconds
            progress.show(share, f"{share * 1000:.0f} of 1,000 steps")
    shown = [text.strip() for text in sys.stderr.getvalue().split("\r") if text.strip()]
    assert shown == [  # nothing in the first moment, nor twice within a tenth of a second
        "Training: 10%, 100 of 1,000 steps",
        "Training: 10%, 100 of 1,000 steps",
        "Training: 20%, 200 of 1,000 steps, 16 s left",
        "Training: 30%, 300 of 1,000 steps, 3 min 34 s left",
    ]
    assert sys.stderr.getvalue().endswith("\r") and "\x1b" not in sys.stderr.getvalue()


def test_progress_of_unknown_length_has_the_time_and_at_the_beginning_there_is_no_forecast(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Progress("Preparing") as progress:
        for seconds, share in ((1.0, None), (3.0, None), (4.0, 0.0)):
            clock.now = 100.0 + seconds
            progress.show(share)
    shown = [text.strip() for text in sys.stderr.getvalue().split("\r") if text.strip()]
    assert shown == ["Preparing: 1 s", "Preparing: 3 s", "Preparing: 0%"]


def test_a_shorter_line_leaves_nothing_of_a_longer_one(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    progress = Progress("Playing")
    clock.now += 1
    progress.show(0.5, "a lesson with a long name")
    clock.now += 1
    progress.show(0.6, "short")
    first, second = sys.stderr.getvalue().split("\r")[1:]
    assert len(second) >= len(first) and second.strip() == "Playing: 60%, short, 4 s left"
    progress.clear()
    assert sys.stderr.getvalue().endswith("\r" + " " * len(second.rstrip()) + "\r")


def test_progress_is_silent_where_nobody_watches(clock, monkeypatch, capsys):
    with Progress("Training") as progress, progress.watching(lambda: pytest.fail("looked at")):
        clock.now += 10
        progress.show(0.5)
    monkeypatch.setattr(sys, "stderr", None)
    with Progress("Training") as progress:
        clock.now += 10
        progress.show(0.5)
    assert capsys.readouterr() == ("", "")


def test_work_that_is_waited_for_is_watched(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr("engine.terminal.FIRST_SECONDS", 0.0)
    monkeypatch.setattr("engine.terminal.BETWEEN_SECONDS", 0.001)
    seen = threading.Event()

    def look():
        if "50%" not in sys.stderr.getvalue():
            return 0.5, "2 of 4 runs"
        if sys.stderr.getvalue().endswith(" \r"):  # removed while there is nothing to show
            seen.set()
        return None

    with Progress("Training") as progress, progress.watching(look):
        assert seen.wait(10)
    assert "Training: 50%, 2 of 4 runs" in sys.stderr.getvalue()
    assert sys.stderr.getvalue().split("\r")[-2].strip() == ""


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "0 s"), (59.4, "59 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"), (7800, "2 h 10 min")]
)
def test_times_for_people(seconds, words):
    assert spoken_seconds(seconds) == words


# Encodings, streams and signals of every command


class Narrow(io.TextIOWrapper):
    """A stream of an encoding with few characters."""

    def __init__(self, encoding):
        super().__init__(io.BytesIO(), encoding=encoding, errors="strict", newline="")

    def text(self):
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437"])
def test_every_command_prints_in_every_encoding(tmp_path, monkeypatch, encoding):
    """Windows' consoles and files have such encodings; a character that is missing must not end a command."""
    monkeypatch.chdir(tmp_path)
    program = Path("größe_中.py")
    program.write_text("größe = 2.0\nw = tanh(größe * -3.0)\nprint('中 → √', 'ä')\n", encoding="utf-8")
    wrong = Path("中.py")
    wrong.write_text("print('→')\na = größe\n", encoding="utf-8")
    commands = [
        *([name, *part, "--help"] for name in COMMANDS for part in ([], *([p] for p in COMMANDS[name].parts))),
        *(["completion", shell] for shell in ("bash", "zsh", "fish")),
        *(["--help"], ["--version"], ["lessons", "list"]),
        *(["run", str(path), *more] for path in (program, wrong) for more in ([], ["--json"])),
        *(["check", str(path), *more] for path in (program, wrong) for more in ([], ["--json"])),
        ["train", str(program), "--steps", "1"],
        ["tränieren"],
    ]  # fmt: skip
    for command in commands:
        out, err = Narrow(encoding), Narrow(encoding)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = main(command)
        assert out.text() or err.text(), command
        assert code in (0, 1, 2) and "Traceback" not in err.text(), command


def wait_until_it_runs(process):
    """Until the thread of the program has had half a second of a processor, where that can be seen."""
    if not Path("/proc").is_dir():
        time.sleep(1.5)
        return
    spent = 0.0
    while spent < 0.5 and process.poll() is None:
        time.sleep(0.05)
        others = [path for path in Path(f"/proc/{process.pid}/task").iterdir() if path.name != str(process.pid)]
        ticks = [int(path.joinpath("stat").read_text().rpartition(")")[2].split()[11]) for path in others]
        spent = max(ticks, default=0) / os.sysconf("SC_CLK_TCK")


if os.name == "posix":

    @pytest.mark.long
    @pytest.mark.parametrize("arguments", [["run", "loop.py"], ["run", "loop.py", "--json"], ["check", "loop.py"]])
    def test_ctrl_c_ends_a_command_with_130_and_one_line(tmp_path, arguments):
        """A line printed by the program says that it runs."""
        (tmp_path / "loop.py").write_text("print('on', flush=True)\nwhile True: pass\n")
        command = [sys.executable, str(ROOT / "main.py"), *arguments]
        with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            if arguments == ["run", "loop.py"]:
                assert process.stdout.readline() == b"on\n"
            else:
                wait_until_it_runs(process)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=600)
        assert process.returncode == 130
        assert err == b"gradstep: stopped by Ctrl+C (SIGINT)\n"
        assert (b"stopped by" in out) is ("--json" in arguments)

    @pytest.mark.long
    @pytest.mark.parametrize("typed", ["completion bash", "run p.py --json", "run p.py", "run q.py"])
    def test_a_closed_pipe_ends_every_command_quietly(tmp_path, typed):
        (tmp_path / "p.py").write_text("for i in range(50000): print(i)\n")
        (tmp_path / "q.py").write_text("print(1)\n")
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as closed:
            shown = gradstep(*typed.split(), stdout=closed, cwd=tmp_path)
        assert (shown.returncode, shown.stderr) == (141, b"")
