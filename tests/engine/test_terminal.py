"""What a command prints reaches the terminal as text and never fails; signals end it in order."""

import io
import os
import signal
import subprocess
import sys
import time
from types import ModuleType
from unittest.mock import Mock

import pytest

from engine.messages import visible
from engine.terminal import (
    OutputLost,
    Stopped,
    StopRequest,
    fitting,
    flush_output,
    say,
    say_error,
    say_printed,
    stopped_by_signals,
)
from tests.sources import ROOT

CLEAR_SCREEN, TITLE, BACKWARDS = "\x1b[2J", "\x1b]0;title\x07", "\u202etxt.exe"


@pytest.mark.parametrize(
    "text", [CLEAR_SCREEN, TITLE, BACKWARDS, "a\rb", "a\nb", "a\tb", "\x9b31m", "\u2028", "\udcff"]
)
def test_nothing_commands_the_terminal(text, capsys):
    say(text)
    say_error(text)
    output = capsys.readouterr()
    for line in (output.out, output.err):
        assert line.endswith("\n") and line.count("\n") == 1
        assert line[:-1].isprintable()


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize("command", [CLEAR_SCREEN, TITLE, "\x9b31m", "\b", "\x7f", "\x0b"])
def test_what_a_program_prints_commands_no_terminal_and_goes_into_a_pipe_unchanged(command, monkeypatch):
    for stream, is_same in [(Terminal(), False), (io.StringIO(), True)]:
        monkeypatch.setattr(sys, "stdout", stream)
        say_printed(f"a\tb{command}\r100 %\n")
        shown = stream.getvalue()
        assert (shown == f"a\tb{command}\r100 %\n") == is_same
        assert shown.startswith("a\tb") and shown.endswith("\r100 %\n")
        assert is_same or shown.replace("\t", "").replace("\r", "").replace("\n", "").isprintable()


def test_plain_text_of_every_language_stays():
    assert visible("größe = 1 ✓ 中文 x₁") == "größe = 1 ✓ 中文 x₁"


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1", "utf-8"])
def test_what_an_encoding_lacks_is_written_differently(encoding, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    monkeypatch.setattr(sys, "stdout", stream)
    say("✓ w₁ 中 –")
    say("✗ w₁ 中 –")
    flush_output()
    right, wrong = stream.buffer.getvalue().decode(encoding).splitlines()
    assert right != wrong
    assert (
        fitting("✓ ✗", "ascii") == "ok WRONG" and fitting("中", "ascii") == "\\u4e2d" and fitting("–", "cp1252") == "–"
    )


@pytest.mark.slow
def test_a_message_is_cut_before_it_floods_the_terminal(capsys):
    say_error("x" * 1_000_000)
    assert len(capsys.readouterr().err) < 5000


def test_without_a_terminal_nothing_is_printed_and_nothing_fails(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    say("x")
    say_error("x")
    flush_output()


def test_output_that_cannot_be_written_is_told():
    class Full(io.StringIO):
        def write(self, _text):
            raise OSError(28, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", Full())
        with pytest.raises(OutputLost) as caught:
            say("x")
        assert caught.value.reason == "No space left on device" and not caught.value.is_closed
        patch.setattr(Full, "write", io.StringIO.write)
        patch.setattr(Full, "flush", Mock(side_effect=BrokenPipeError(32, "Broken pipe")))
        with pytest.raises(OutputLost) as caught:
            say_printed("x")
        assert caught.value.is_closed


if os.name == "posix":
    CODES = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]

    @pytest.mark.parametrize(("number", "code"), CODES)
    def test_a_signal_stops_where_the_command_is(number, code):
        before = signal.getsignal(number)
        with pytest.raises(Stopped) as caught, stopped_by_signals():
            signal.raise_signal(number)
        assert caught.value.code == code
        assert signal.getsignal(number) is before

    @pytest.mark.slow
    def test_a_signal_whose_exception_is_lost_in_a_callback_or_a_finalizer_is_repeated(capsys):
        class Ends:
            def __del__(self):
                signal.raise_signal(signal.SIGTERM)

        def call_back():
            try:
                signal.raise_signal(signal.SIGTERM)
            except Stopped:  # as Qt does
                sys.excepthook(*sys.exc_info())

        for lose in (call_back, Ends):
            with pytest.raises(Stopped), stopped_by_signals():
                lose()
                time.sleep(5)
        assert capsys.readouterr().err == ""

    @pytest.mark.slow
    @pytest.mark.parametrize("with_qt", [False, True])
    def test_a_signal_stops_an_import_at_once_unless_qt_is_loaded(with_qt, tmp_path, monkeypatch):
        (tmp_path / "imported_slowly.py").write_text(
            "import signal, state\nsignal.raise_signal(signal.SIGTERM)\nstate.has_ended = True\n"
        )
        state = ModuleType("state")
        state.has_ended = False
        monkeypatch.setitem(sys.modules, "state", state)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr("engine.terminal.PATIENCE_SECONDS", 60.0)
        for name in ("imported_slowly", "shiboken6"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        if with_qt:
            monkeypatch.setitem(sys.modules, "shiboken6", ModuleType("shiboken6"))
        with pytest.raises(Stopped), stopped_by_signals():
            import imported_slowly  # noqa: F401

            time.sleep(5)
        assert state.has_ended is with_qt

    def test_a_signal_of_which_a_library_makes_another_error_stops_the_command():
        with pytest.raises(Stopped) as caught, stopped_by_signals():
            try:
                signal.raise_signal(signal.SIGHUP)
            except Stopped as error:
                raise ImportError("could not import a part") from error  # as NumPy does
        assert caught.value.code == 129

    @pytest.mark.slow
    def test_cleaning_up_after_a_signal_is_not_interrupted_by_another(monkeypatch):
        cleaned = []
        with pytest.raises(Stopped), stopped_by_signals():
            try:
                signal.raise_signal(signal.SIGINT)
            finally:
                signal.raise_signal(signal.SIGINT)
                time.sleep(0.15)
                cleaned.append(True)
        assert cleaned

    @pytest.mark.parametrize(("number", "code"), CODES)
    def test_a_signal_is_remembered_where_work_must_be_completed(number, code):
        with StopRequest() as request:
            assert request.stopped is None
            signal.raise_signal(number)
            signal.raise_signal(number)
        assert request.stopped.code == code

    @pytest.mark.slow
    def test_a_command_that_a_signal_cannot_stop_is_ended(tmp_path):
        program = """
import signal, sys, time
from engine import terminal
terminal.PATIENCE_SECONDS = 0.1
with terminal.stopped_by_signals():
    print("said before")
    while True:
        try:
            signal.raise_signal(signal.SIGTERM)
            time.sleep(60)
        except terminal.Stopped:
            pass
"""
        ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert (ended.returncode, ended.stdout, ended.stderr) == (
            143,
            "said before\n",
            "gradstep: stopped by SIGTERM\n",
        )

    @pytest.mark.slow
    @pytest.mark.parametrize(("moment", "code"), [("atexit.register(late)", 130), ("kept = Kept()", 3)])
    def test_ctrl_c_while_python_shuts_down_never_kills_the_command(moment, code):
        program = f"""
import atexit, os, signal, sys
from engine.terminal import end_by_signals_from_now_on
late = lambda kill=os.kill, here=os.getpid(): kill(here, 2)
class Kept:
    def __del__(self, late=late):
        late()
end_by_signals_from_now_on()
{moment}
sys.exit(3)
"""
        ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert ended.returncode == code and "Traceback" not in ended.stderr

    def test_ctrl_c_once_more_a_second_later_does_not_wait(monkeypatch):
        now = [0.0]
        monkeypatch.setattr("engine.terminal.time.monotonic", lambda: now[0])
        with pytest.raises(Stopped), StopRequest():
            signal.raise_signal(signal.SIGINT)
            now[0] = 1.5
            signal.raise_signal(signal.SIGINT)

    def test_signals_that_were_ignored_before_stay_ignored():
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            with stopped_by_signals(), StopRequest() as request:
                signal.raise_signal(signal.SIGHUP)
            assert request.stopped is None
        finally:
            signal.signal(signal.SIGHUP, before)
