"""Programs that want it to fail: nothing happens outside, a clear word says what ended them, and the next one runs."""

import copy
import random
import re
import sys
import threading

import pytest

from engine.language import Limits, ProgramCancelled, ProgramError, decoding, evaluate, limited_runs
from engine.language import evaluation as evaluation
from engine.language.numpy_door import NumpyDoor
from engine.language.runtime import RunInterrupted, RunTrapped

NUMBER = "a = Value(2.0)\nb = a * 3\n"


def refusal(text, **settings):
    with pytest.raises(ProgramError) as refused:
        evaluate(text, **settings)
    return refused.value


TIME = [
    (NUMBER + "def f():\n    while True: pass\nf()", 4),
    (NUMBER + "from time import sleep\nsleep(1000)", 4),
    (NUMBER + "def f():\n    kept = []\n    while True:\n        kept.append(Value(1.0) * 2)\nf()", 6),
]


def refusal_beyond(line, text):
    """The refusal of a program that got beyond a line before its time was up, which grows on a busy machine."""
    for seconds in (0.1, 1.0, 10.0, 100.0):
        error = refusal(text, seconds=seconds)
        if error.line > line:
            break
    return error


@pytest.mark.slow
@pytest.mark.parametrize(("text", "line"), TIME)
def test_at_the_limit_of_time_the_line_is_named_and_what_was_computed_stays(text, line):
    error = refusal_beyond(2, text)
    assert error.at_limit
    assert abs(error.line - line) <= 1
    assert error.variables["b"].data == 6.0


WHILE = [
    "while True: pass",
    "while True:\n    if now > 1:\n        continue\n    now += 1",
    "i = 0\nwhile i < 1:\n    for k in range(3): pass",
    "def f(i):\n    while i:\n        i -= 0\nf(1)",
]


@pytest.mark.slow
@pytest.mark.parametrize("text", WHILE)
def test_an_endless_while_is_stopped_in_the_run_that_printed(text):
    error = refusal_beyond(3, "import time\nnow = time.time_ns()\nprint(now)\n" + text)
    assert error.at_limit
    assert "".join(piece.text for piece in error.output) == f"{error.variables['now']}\n"


@pytest.mark.long
@pytest.mark.parametrize("text", ["z = 10**10**8", "import itertools\nsum(itertools.count())"])
def test_a_single_operation_without_end_is_found_by_its_line(text):
    error = refusal_beyond(len(text.splitlines()), "x = 1\n" + text)
    assert (error.at_limit, error.line) == (True, 1 + len(text.splitlines()))


@pytest.mark.slow
def test_a_program_cannot_catch_its_end():
    error = refusal("while True:\n    try:\n        while True: pass\n    except BaseException: pass", seconds=0.2)
    assert error.at_limit


MEMORY = [
    ("x = 5.0\ny = x * 2\nkept = []\nwhile True:\n    kept.append(bytearray(10_000_000))", 5),
    ("x = 5.0\ny = x * 2\ntext = 'x' * 10**9", 3),
    ("x = 5.0\ny = x * 2\ndef f():\n    return [0] * 10**9\nf()", 4),
]


@pytest.mark.parametrize(("text", "line"), MEMORY)
def test_at_the_limit_of_memory_the_line_is_named_and_what_was_computed_stays(text, line):
    error = refusal(text)
    assert (error.at_limit, error.line) == (True, line)
    assert error.evaluation.names["y"].data == 10.0


OWN = """\
class Own:
    def __init__(self, data, _prev=(), _op=""):
        self.data, self.grad, self._prev, self._op, self._backward = data, 0.0, _prev, _op, lambda: None
    def __add__(self, other): return Own(self.data + other.data, (self, other), "+")
    def backward(self): pass
a, b = Own(2.0), Own(3.0)
c = a + b
"""

NESTED = [
    ("def f(n): return f(n + 1)\nf(0)", 1),
    ("import sys\nsys.setrecursionlimit(10**6)\nclass A:\n    def __add__(s, o): return s + o\nA() + A()", 4),
    ("x = 1\ny = " + "+".join(["x"] * 9000), 2),
]


@pytest.mark.parametrize(("text", "line"), NESTED)
def test_what_is_nested_too_deeply_is_refused_at_its_line(text, line):
    error = refusal(text)
    assert error.at_limit
    assert error.line in (line, line + 1)  # the call, or the line in which it calls again


def test_a_program_may_ask_for_deeper_calls():
    text = "import sys\nsys.setrecursionlimit(10**4)\ndef f(n): return 0 if n == 0 else 1 + f(n - 1)\nprint(f(5000))"
    assert evaluate(text).output[0].text == "5000\n"


def test_a_graph_of_too_many_recorded_numbers_is_cut_and_the_program_goes_on():
    result = evaluate("a = 1.0\nfor i in range(4000): a = a + 1.0\nprint(a)", limits=Limits(values=3000))
    assert result.output[0].text == "4001.0\n"
    assert any("3,000" in note.message for note in result.notes)


@pytest.mark.parametrize("text", ["'x' * 10**6", "'_' * 10**6", "'(' * 10**6", "'tanh' * 10**5"])
def test_a_name_without_end_is_no_name_of_an_operation(text):
    result = evaluate(OWN + f"c._op = {text}\n")
    assert result.names["c"].data == 5.0
    assert [value.data for value in result.names["c"].inputs] == [2.0, 3.0]


EXITS = ["sys.exit(3)", "raise SystemExit", "os._exit(1)", "os.abort()", "exit_ = sys.exit\nexit_('the end')"]


@pytest.mark.parametrize("text", EXITS)
def test_a_program_that_ends_itself_is_no_error_and_keeps_its_values(text):
    result = evaluate("import os, sys\nx = 2.0\ny = x * x\n" + text)
    assert result.names["y"].data == 4.0
    assert any(note.line >= 4 for note in result.notes)


OUTSIDE = [
    "open('/etc/passwd')",
    "open('written.txt', 'w')",
    "import os\nos.listdir('/')",
    "import os\nos.mkdir('/made')",
    "import os\nos.system('true')",
    "import os\nos.fork()",
    "import socket\nsocket.create_connection(('127.0.0.1', 80))",
    "import subprocess\nsubprocess.run(['true'])",
    "import ctypes",
    "import threading\nthreading.Thread(target=print).start()",
    "import tempfile\ntempfile.TemporaryFile()",
    "import urllib.request\nurllib.request.urlopen('http://127.0.0.1')",
    "import gui.main_window",
    "import engine.document",
    "__import__('no_such_module')",
    "import pathlib\npathlib.Path('/').iterdir().__next__()",
    "import sqlite3\nsqlite3.connect('/made')",
]
INSIDE = [
    "import gc\nfor each in gc.get_objects():\n    try: each.clear()\n    except BaseException: pass",
    "import sys\nfor name in list(sys.modules): del sys.modules[name]",
    "import sys\nsys._getframe(1).f_locals.clear()\nsys._getframe(2).f_globals.clear()",
    "import wit_world\nwit_world.emit(2**31, 'x' * 100)\nwit_world.array('[')\nwit_world.array('{}')",
    "import wit_world\nwit_world.emit(-1, 5)",
    "import wit_world\nwit_world.array('[\"zeros\",[[1000000,1000000]],{}]')",
    "import engine.language.guest.main as main\nmain.describe = main.place_of = None",
    "import engine.language.guest.main as main\nmain._Session.report = lambda *a: {'graph': 5}",
    "import engine.language.guest.graphs as graphs\ngraphs.Graph.columns = lambda self: {'kinds': 'x'}",
    'import json\njson.dumps = lambda *a, **k: \'{"error": null, "graph": {}}\'',
    "import json\njson.dumps = lambda *a, **k: '[' * 100000",
    "import json\njson.dumps = lambda *a, **k: 5",
    "import engine.language.guest.deadline as d\nd.begin = d.end = d.check = None",
    "import sys\nsys.stdout = None\nprint('x')\nsys.stdout.write('x')",
    "import sys\nsys.setrecursionlimit(5)",
    "import sys\nsys.settrace(lambda *a: 1 / 0)\nsys.setprofile(5)",
    "import builtins\nfor name in list(vars(builtins)):\n    delattr(builtins, name)",
    "class M(type):\n    def __instancecheck__(c, o): raise SystemExit\nclass A(metaclass=M): pass\nisinstance(1, A)",
    "class Bomb:\n    def __hash__(self): return 1\n    def __eq__(self, o): return False\n"
    "d = {Bomb(): i for i in range(3000)}",
    "import numpy as np\nnp.zeros(10**12)",
    "import numpy as np\nnp.arange(10**12).reshape(10**6, 10**6) @ np.ones(10**6)",
    "import numpy as np\nkept = [np.zeros(2) for i in range(20_000)]\nprint(len(kept))",
    "import wit_world\nwit_world.pause(-1)\nwit_world.pause(float('nan'))\nwit_world.pause('x')",
    "import sys\ndel sys.modules['time']\nimport time as t\nt.sleep(1000)",
    "import gc\nfor each in gc.get_objects():\n    if getattr(each, '__name__', '') == 'sleep': each(1000)",
    "import ctypes.util",
    "import importlib.machinery as m\nm.SourceFileLoader('a', '/etc/passwd').load_module()",
    "import sys\nsys.path.append('/')\nsys.meta_path.clear()\nimport passwd",
    "type(lambda: 0)(compile('open(\"/x\")', '', 'exec').replace(co_name='x'), {})()",
    "().__class__.__base__.__subclasses__()[0].__init__.__globals__",
    "x = [0.5 * i for i in range(3 * 10**6)]\nx",
    "import numpy as np\nx = np.zeros(20_000_000)\nx",
    "import numpy as np\nclass V: pass\nx = np.array([V(), V()])\nx",
    "class A:\n    __class__ = property(lambda s: 1 / 0)\n    __repr__ = lambda s: 5\nx = A()\nx",
    "import numpy as np\nclass A:\n    shape = property(lambda s: 1 / 0)\n    dtype = ravel = None\n"
    "A.__name__ = 'ndarray'\nA.tolist = lambda s: s\nx = A()",
    "x = {}\nx['x'] = x\ny = [x]\ny.append(y)",
    "raise BaseException('x' * 10**6)",
    "class E(Exception):\n    def __str__(self): raise MemoryError\nraise E",
]


@pytest.mark.long
def test_nothing_is_opened_outside_but_our_own_files():
    evaluate("x = 1.0")
    opened = []
    active = [True]

    def hook(event, arguments):
        quiet = event.startswith(("open", "os.", "socket.", "subprocess.", "shutil.", "ctypes.dlopen"))
        if active[0] and quiet and threading.current_thread().name in ("MainThread", "program"):
            opened.append((event, str(arguments[0]) if arguments else ""))

    sys.addaudithook(hook)
    try:
        for text in OUTSIDE + INSIDE:
            try:
                evaluate(text, seconds=3)
            except ProgramError as error:
                assert error.line >= 1
                assert error.message
            if text in OUTSIDE:
                assert refusal(text, seconds=3).message
    finally:
        active[0] = False
    allowed = re.compile(r"\.py$|\.pyc$|\.cwasm$|site-packages|__pycache__")
    assert [each for each in opened if not allowed.search(each[1])] == []
    assert evaluate("x = 1.0\ny = x + 1").root.data == 2.0


@pytest.mark.parametrize("written", ["'[' * 100_000", "'{'", '\'{"error": null, "graph": {}}\''])
def test_a_program_that_writes_its_own_report_is_refused(written):
    error = refusal(f"print('before')\nimport json\njson.dumps = lambda *a, **k: {written}")
    assert error.line >= 1 and "report" in error.message
    assert error.output[0].text == "before\n"


def test_what_waits_for_something_that_cannot_come_ends_with_an_error():
    assert refusal("import sys\ndel sys.modules['time']\nimport time\ntime.sleep(1000)").line == 4


@pytest.mark.slow
def test_a_request_to_numpy_that_is_longer_than_the_memory_for_arrays_is_refused(monkeypatch):
    monkeypatch.setattr(Limits, "array_bytes", property(lambda limits: 10_000))
    assert refusal("import numpy as np\nx = 2.0\nnp.array([0] * 10_000)").line == 3
    assert "too long" in evaluate("import wit_world\nprint(wit_world.array('x' * 10_001))").output[0].text


ENDLESS = [
    "def f():\n    while True: pass\nf()",
    "from time import sleep\nsleep(10**9)",
    "import asyncio\nasyncio.run(asyncio.sleep(10**6))",
    "import select\nselect.select([], [], [], None)",
    "import queue\nwhile True:\n    try: queue.Queue().get(timeout=1000)\n    except queue.Empty: pass",
    "import re\nre.match('(a+)+b', 'a' * 40)",
]


@pytest.mark.parametrize("text", ENDLESS)
def test_stop_ends_a_program_whatever_it_waits_for(text):
    """The test never ends if Stop does not end the program."""
    begun = threading.Event()
    with pytest.raises(ProgramCancelled):
        evaluate("print('on')\n" + text, cancelled=begun.is_set, on_output=lambda printed: begun.set())


def test_stop_does_not_wait_for_an_operation_of_numpy(monkeypatch):
    begun, release = threading.Event(), threading.Event()
    printed = []

    class SlowDoor(NumpyDoor):
        def __call__(self, request):
            begun.set()
            release.wait(60)
            return super().__call__(request)

    monkeypatch.setattr(limited_runs, "NumpyDoor", SlowDoor)
    try:
        with pytest.raises(ProgramCancelled):
            evaluate("import numpy as np\nprint(np.ones(3))", cancelled=begun.is_set, on_output=printed.append)
    finally:
        release.set()
    assert printed == []


@pytest.mark.long
def test_a_hundred_thousand_arrays_end_with_a_clear_word():
    error = refusal("import numpy as np\nkept = [np.zeros(1) for i in range(10**6)]", limits=Limits(seconds=600))
    assert (error.at_limit, error.line) == (True, 2)
    assert "100,000 arrays" in error.message


EVERYTHING = """\
import numpy as np
kept = []
def fill(make):
    try:
        while True: kept.append(make())
    except MemoryError: print(4_000_000 * len(kept))
fill(lambda: np.ones(500_000))
fill(lambda: bytearray(4_000_000))
"""


@pytest.mark.slow
@pytest.mark.parametrize("text", [EVERYTHING, EVERYTHING + "fill(lambda: np.ones(500_000))"])
def test_arrays_and_objects_together_stay_within_the_memory_of_a_program(text):
    arrays, *_, everything = map(int, "".join(piece.text for piece in evaluate(text).output).split())
    assert 60_000_000 < arrays < 100_000_000
    assert 150_000_000 < everything <= Limits().memory_bytes


@pytest.mark.parametrize("shape", ["10**12", "(10**6, 10**6)"])
def test_an_array_that_does_not_fit_is_refused_at_its_line(shape):
    error = refusal(f"import numpy as np\nx = 2.0\nnp.zeros({shape})")
    assert (error.at_limit, error.line) == (True, 3)
    assert error.evaluation.names["x"].data == 2.0


def test_coroutines_run_and_sleep():
    text = "import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return 5\nprint(asyncio.run(f()))"
    assert evaluate(text).output[0].text == "5\n"


PROGRAM = """\
x = Value(2.0)
w = 3.0
for k in range(3):
    y = x * x + w
    y.backward()
z = [y, {'a': x}, (1, 'b')]
z
"""


def changed(report, chance):
    """Return a report with one part of it exchanged for something else."""
    report = copy.deepcopy(report)
    others = [None, -1, 1e400, 10**400, "x", "x" * 500, [], {}, [[]], True, {"a": [1]}, ["node", 99], 2**31]
    part = report
    while True:
        keys = list(part) if isinstance(part, dict) else range(len(part))
        if not keys:
            return report
        key = chance.choice(keys)
        if not isinstance(part[key], (dict, list)) or chance.random() < 0.3:
            part[key] = chance.choice(others)
            return report
        part = part[key]


@pytest.mark.long
def test_a_report_that_was_tampered_with_gives_an_evaluation_or_an_error_and_nothing_else(monkeypatch):
    reports = []
    take = decoding.checked
    monkeypatch.setattr(evaluation, "checked", lambda report: (reports.append(copy.deepcopy(report)), take(report))[1])
    evaluate(PROGRAM, record=True)
    chance = random.Random(1)
    readable = 0
    for _ in range(1_000):
        report = changed(reports[0], chance)
        monkeypatch.setattr(evaluation, "report_of_runs", lambda *_, report=report: report)
        monkeypatch.setattr(evaluation, "checked", take)
        try:
            result = evaluate(PROGRAM)
        except ProgramError:
            continue
        readable += 1
        for moment in result.moments:
            assert isinstance(moment.line, int)
            assert moment.root.data is not None
        for value in result.origins:
            assert isinstance(value.label, str)
            assert isinstance(value.data, float) or value.data.dtype == float
        assert all(isinstance(name, str) for name in result.variables)
        assert all(isinstance(piece.text, str) for piece in result.output)
    assert readable > 100


UNFINISHED = """\
class Number:
    def __init__(self, data, _prev=()):
        self._prev = _prev
        self.data = float(data)
        self.grad = 0.0
    def __add__(self, other):
        return Number(self.data + other.data, (self, other))
a = Number(1.0)
for i in range(30): a = a + a
Number(1j)
"""


def test_an_object_whose_making_failed_is_no_node():
    error = refusal(UNFINISHED)
    assert error.line in (4, 10)
    assert "complex" in error.message
    assert error.evaluation.names["a"].data == 2.0**30


def test_text_that_is_sent_past_the_limit_of_output_is_not_kept():
    text = "import wit_world\nfor i in range(100): wit_world.emit(i, 'x' * 1000)"
    printed = []
    result = evaluate(text, limits=Limits(output_bytes=10_000), on_output=printed.append)
    assert sum(len(piece.text) for piece in result.output) <= 20_000
    assert sum(len(piece.text) for piece in printed) <= 20_000


def test_a_text_sent_to_the_host_past_all_limits_is_dropped():
    text = "import wit_world\nwit_world.emit(1, 'x' * 30_000_000)\nprint('after')"
    assert "".join(piece.text for piece in evaluate(text).output) == "after\n"


INTERRUPTED, CANCELLED = RunInterrupted(cancelled=False), RunInterrupted(cancelled=True)
OVERFLOWED, FAILED = RunTrapped("call stack exhausted"), RunTrapped("unreachable")
LONGEST = "x = 1\ny = [[[[[]]]]]\nz = 2"


@pytest.mark.parametrize(
    ("first", "second", "line", "words"),
    [
        (INTERRUPTED, INTERRUPTED, 0, "20 s"),
        (INTERRUPTED, {"error": {"kind": "LimitReached", "line": 3}}, 3, "20 s"),
        (INTERRUPTED, {"graph": {}}, 0, "20 s"),
        (INTERRUPTED, None, 0, "20 s"),
        (OVERFLOWED, OVERFLOWED, 2, "nested too deeply"),
        (FAILED, FAILED, 0, "interpreter"),
    ],
)
def test_a_run_that_was_lost_is_told_by_a_second_one_or_its_longest_line(monkeypatch, first, second, line, words):
    runs = iter([first, second])

    def run(*_):
        if isinstance(found := next(runs), Exception):
            raise found
        return found

    monkeypatch.setattr(limited_runs, "report_of_run", run)
    error = refusal(LONGEST)
    assert error.line == max(line, 1) and words in error.message


def test_a_program_may_be_cancelled_in_its_second_run(monkeypatch):
    runs = iter([INTERRUPTED, CANCELLED])

    def run(*_):
        raise next(runs)

    monkeypatch.setattr(limited_runs, "report_of_run", run)
    with pytest.raises(ProgramCancelled):
        evaluate(LONGEST)


def test_damaged_bytecode_ends_the_program_at_its_line():
    text = "def f(): return 1\nf.__code__ = f.__code__.replace(co_code=bytes([250, 255] * 8))\nprint('before')\nf()\n"
    with pytest.raises(ProgramError) as raised:
        evaluate(text)
    assert raised.value.line == 4
    assert "memory" not in raised.value.message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loop", "limits"),
    [("range(60)", Limits(values=50)), ("range(2_000_000)", Limits(memory_bytes=30_000_000))],
    ids=["graph", "memory"],
)
def test_what_the_end_has_no_room_for_is_not_told_at_the_first_line(loop, limits):
    with pytest.raises(ProgramError) as refused:
        evaluate(f"x = Value(0.5)\ny = x\nfor i in {loop}:\n    y = y * 0.9\n", limits=limits)
    assert refused.value.line in (3, 4) and refused.value.at_limit
