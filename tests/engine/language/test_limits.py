"""What a program cannot do: go on for ever, print for ever, or make the window believe anything of its values."""

import gc
import threading
import time

import pytest

from engine.language import Limits, ProgramCancelled, ProgramError, evaluate
from engine.language.runtime import HAS_FINE_THREAD_TIME

OWN = "class V:\n    def __init__(s, d=1.0, p=()): s.data = d; s.grad = 0.0; s._prev = p\n"


def refusal(text, **settings):
    with pytest.raises(ProgramError) as refused:
        evaluate(text, **settings)
    return refused.value


def test_a_program_at_its_limit_of_time_is_told_so_at_its_line_and_keeps_what_it_has():
    text = "a = Value(2.0)\nb = a * 3\nprint('on')\nwhile True:\n    pass"
    for seconds in (0.1, 1.0, 10.0, 100.0):  # on a busy machine a program gets not far in a tenth of a second
        error = refusal(text, seconds=seconds)
        if error.line > 3:
            break
    assert error.line in (4, 5)
    assert error.at_limit
    assert "".join(piece.text for piece in error.output) == "on\n"
    assert error.evaluation.root.data == 6.0


@pytest.mark.skipif(not HAS_FINE_THREAD_TIME, reason="this system counts the time of a thread in coarse steps")
def test_the_clock_of_a_program_counts_what_it_takes_and_sleeps_and_not_what_it_has_to_wait_for():
    text = "import time\nbegan = time.monotonic()\nprint('on')\nwaited = time.monotonic() - began\ntime.sleep(0.05)\n"
    text += "slept = time.monotonic() - began"
    found = evaluate(text, on_output=lambda printed: time.sleep(1.0)).variables
    assert found["waited"] < 1.0 and found["slept"] >= 0.05


def test_a_program_at_its_limit_of_output_is_told_so():
    error = refusal("while True: print('x' * 100)", limits=Limits(output_bytes=10_000))
    assert "printed more than 0.01 MB" in error.message
    assert sum(len(piece.text) for piece in error.output) <= 10_000


@pytest.mark.long
def test_what_is_fetched_counts_in_the_time():
    text = OWN + "    def __repr__(self):\n        while True: pass\nV()"
    assert refusal(text, seconds=0.2).at_limit


def test_limits_can_be_ten_times_as_wide():
    limits = Limits().times(10)
    assert (limits.seconds, limits.memory_bytes, limits.values) == (200.0, 2_000_000_000, 2_000_000)


def test_a_cancelled_run_raises_what_says_so():
    cancelled = threading.Event()
    with pytest.raises(ProgramCancelled):
        evaluate("print('on')\nwhile True: pass", on_output=lambda printed: cancelled.set(), cancelled=cancelled.is_set)


def test_runs_in_several_threads_do_not_disturb_each_other():
    found = {}

    def run(number):
        found[number] = evaluate(f"a = {number}.0\nb = a * 2").root.data

    threads = [threading.Thread(target=run, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: number * 2.0 for number in range(1, 5)}


LIES = [
    "a = Value(2.0)\nb = a * 3\nb._prev = (b,)",
    "a = Value(2.0)\nb = a * 3\na._prev = (b,)\nb",
    "a = Value(2.0)\nb = a * 3\na.data = 'x'",
    "a = Value(2.0)\nb = a * 3\na.data = [1, 2]\nb",
    "a = Value(2.0)\na.data = None\na",
    "a = Value(2.0)\nb = a * 3\na.grad = 'x'\na.label = 5\nb.label = 'x' * 10000",
    "a = Value(2.0)\nb = a + 1\nb._op = 'foo'",
    "a = Value(2.0)\nb = a + 1\nb._op = 5\nb._prev = 7",
    "a = Value(2.0)\nb = a + 1\nb._prev = (1, 'x', None)",
    "a = Value([1.0, 2.0])\na.data.flat = 'xy'\na.data.shape = (7,)\na",
    "a = Value([1.0, 2.0])\na.data.shape = 'x'\na",
    OWN + "v = V()\nv._prev = [v]\nv2 = V(2.0, [v])",
    OWN + "v = V('text')\nw = V([1], {v})\nw",
    OWN + "v = V(float('nan'), (V(1e999),))\nv.grad = {}\nv",
    OWN + "v = V()\nfor i in range(300): v = V(1.0, (v, v))",
    OWN + "v = V(1.0, 'abc')\nv._prev = {1: 2}\nv",
    "Value.__add__ = lambda a, b: a\nb = Value(1.0) + 2",
    "Value.__init__ = lambda *a: None\nb = Value(1.0)",
    "Value.__repr__ = lambda a: 5\nValue(1.0)",
    "a = []\na.append(a)\nb = {}\nb['x'] = b",
    "a = 10**400\nb = Value(10**400)",
    "def print(*a): return None\nprint(1)",
    "class Value: pass\na = Value()\na.data = 1.0\na.grad = 0.0\na",
    "MLP.parameters = lambda s: 5\nn = MLP(2, [1])\nn.zero_grad = 3",
]


@pytest.mark.parametrize("text", LIES)
def test_a_program_that_lies_gives_an_error_or_a_note_and_nothing_else(text):
    try:
        result = evaluate(text, seconds=5)
    except ProgramError as error:
        assert error.line >= 1
        return
    for value in result.origins:
        assert isinstance(value.data, float) or value.data.dtype == float


def test_a_graph_of_too_many_values_is_refused_and_does_not_last():
    error = refusal("a = Value(1.0)\nfor i in range(4000): a = a + 1.0", limits=Limits(values=3000))
    assert "too many nodes (3,000)" in error.message


def test_data_that_are_no_number_are_refused_at_their_line():
    error = refusal("a = Value(2.0)\na.data = 'x'\na")
    assert error.line == 2
    assert "'x'" in error.message


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "n = 0\nfor i in range(100_000):\n    n += 1\n",
        "class A: pass\nn = A()\nfor i in range(100_000):\n    m = A(); m.before = n; n = m\nn = m = None\n",
        "n = ()\nfor i in range(100_000):\n    n = (n, i)\nn = None\n",
    ],
)
def test_objects_in_a_long_chain_are_freed_as_by_python(text):
    assert evaluate(text + "print('end')").output[-1].text == "end\n"


def test_a_run_that_is_cancelled_before_it_has_begun_leaves_no_thread():
    for _ in range(5):
        with pytest.raises(ProgramCancelled):
            evaluate("while True:\n    pass\n", cancelled=lambda: True)
    running = [thread for thread in threading.enumerate() if thread.name == "program"]
    for thread in running:
        thread.join(timeout=5.0)
    assert not any(thread.is_alive() for thread in running)


@pytest.mark.slow
def test_a_list_that_doubles_reaches_the_limit_of_memory_in_its_line():
    with pytest.raises(ProgramError, match="MemoryError") as raised:
        evaluate("x = [0]\nwhile True: x += x\n")
    assert raised.value.line == 2


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "d = {}\nfor i in range(10**6):\n    d[i * (2**61 - 1)] = i\nprint('end')\n",
        "x = [0.5] * 20_000_000\nprint('end')\n",
        "x = [0]\nfor _ in range(20): x += x\nprint('end')\n",
    ],
)
def test_large_collections_that_a_program_leaves_do_not_make_it_fail(text):
    assert "".join(piece.text for piece in evaluate(text).output) == "end\n"


def test_an_exception_of_whoever_receives_the_output_ends_the_run():
    def refuse(_printed):
        raise KeyError("closed")

    with pytest.raises(KeyError, match="closed"):
        evaluate("print(1)\nwhile True: pass", on_output=refuse)


def test_a_run_is_freed_without_the_garbage_collector():
    """Each holds some 10 MB, which the collector does not see."""
    evaluate("a = 1.0")
    gc.collect()
    gc.disable()
    try:
        before = engines()
        for number in range(5):
            evaluate(f"a = {number}.0\nb = a * a")
        assert engines() <= before
    finally:
        gc.enable()


def engines():
    return sum(type(each).__name__ == "Engine" for each in gc.get_objects())
