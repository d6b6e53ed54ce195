"""The guest's numpy prints what NumPy prints: written and generated programs, in the normal interpreter.

Where the component has been built, some run inside it, too.
"""

import builtins
import contextlib
import copy
import io
import json
import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import engine.language.guest.packages.numpy as np
from engine.autograd import Value
from engine.language import runtime
from engine.language.guest import host
from engine.language.numpy_door import NumpyDoor

PROGRAMS = Path(__file__).with_name("numpy_programs.txt").read_text(encoding="utf-8").split("# %%\n")[1:]
MEMORY = 200_000_000


@pytest.fixture(scope="module", autouse=True)
def door() -> Iterator[NumpyDoor]:
    """One door for all: arrays of the guest are freed whenever they are collected."""
    before, host.array = host.array, NumpyDoor(MEMORY)
    yield host.array
    np.seterr()  # the last request says which arrays are not used any more
    host.array = before


def output_of(text: str, numpy_is_guest: bool) -> str:
    """Run a program and return what it printed, its warnings and its exception."""
    import_module = builtins.__import__

    def import_guest(name: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        of_program = globals_ is not None and globals_.get("__name__") == "__main__"
        if of_program and name.partition(".")[0] == "numpy":
            module = import_module(f"engine.language.guest.packages.{name}", globals_, locals_, ("x",), 0)
            return module if fromlist else np
        return import_module(name, globals_, locals_, fromlist, level)

    names = dict(vars(builtins), __import__=import_guest if numpy_is_guest else import_module)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(text, "<program>", "exec"), {"__name__": "__main__", "__builtins__": names})
        except Exception as error:
            print(type(error).__name__, error)
    lines = sorted(f"{each.category.__name__} {each.message}" for each in caught)
    return "\n".join([printed.getvalue().replace("'numpy.", "'"), *lines])  # as Python names classes made in C


def assert_prints_the_same(text: str) -> None:
    assert output_of(text, True) == output_of(text, False)


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_a_program_prints_what_numpy_prints(program):
    assert_prints_the_same(f"import numpy as np\n{program}")


DTYPES = ["bool", "int8", "uint8", "int32", "int64", "float32", "float64", "complex128"]
SHAPES: list[tuple[int, ...]] = [(), (0,), (1,), (3,), (2, 3), (3, 1), (2, 1, 3), (2, 2)]


def an_array(rng: random.Random, shape: tuple[int, ...] | None = None) -> str:
    """Return an expression for an array."""
    shape, kind = rng.choice(SHAPES) if shape is None else shape, rng.choice(DTYPES)
    number = 1
    for length in shape:
        number *= length
    values: list[Any] = [rng.choice([0, 1, 2, 3, 7, 100, 127]) for _ in range(number)]
    if kind in ("float32", "float64", "complex128"):
        values = [rng.choice([0.0, 1.0, -1.5, 0.1, 1e10, 1e-10, 3.14159]) for _ in range(number)]
    return f"np.array({values}, dtype=np.{kind}).reshape({shape})"


UNARY_TEXT = """
-x ; +x ; abs(x) ; ~x ; np.exp(x) ; np.log(x) ; np.sqrt(x) ; np.tanh(x) ; np.sin(x) ; np.sign(x) ; np.square(x) ;
np.floor(x) ; np.isfinite(x) ; x.sum() ; x.mean() ; x.std() ; x.max() ; x.argmax() ; x.cumsum() ; x.prod() ; x.T ;
x.ravel() ; x.reshape(-1) ; x.reshape(2,-1) ; x.round(1) ; x.astype(int) ; x.astype(np.float32) ; x.tolist() ;
x.any() ; x.all() ; x.copy() ; x[0] ; x[-1] ; x[...] ; x[None] ; x[1:] ; x[::-1] ; x[x>1] ; x.sum(axis=0) ;
x.mean(axis=-1) ; x.max(axis=0, keepdims=True) ; x.var(axis=1) ; np.sort(x) ; np.argsort(x) ; np.unique(x) ; len(x)
; np.where(x>1,x,0) ; np.clip(x,1,2) ; list(x) ; bool(x) ; float(x) ; int(x) ; str(x) ; f'{x}' ; x.dtype ; x.shape ;
x.ndim ; x.nbytes ; np.diff(x) ; np.median(x) ; np.nonzero(x) ; np.outer(x,x) ; np.linalg.norm(x) ; x==1 ; x!=x ;
x>0 ; 1 in x ; x.size ; np.repeat(x,2) ; np.tile(x,2) ; np.concatenate([x,x]) ; np.stack([x,x]) ;
np.expand_dims(x,0) ; np.zeros_like(x) ; np.cumsum(x) ; np.flip(x) ; np.atleast_2d(x) ; x@x ; np.dot(x,x) ; x.item()
; x.flatten() ; x.squeeze() ; x.real ; x.imag ; np.max(x,axis=1) ; np.array_equal(x,x) ; np.isnan(x).sum() ;
np.percentile(x,50) ; np.pad(x,1) ; np.argmin(x) ; np.ptp(x) ; x.min(initial=5) ; np.linalg.det(x) ;
np.linalg.inv(x) ; x.trace() ; np.histogram(x,3) ; x.swapaxes(0,1) ; np.add.reduce(x) ; np.nan_to_num(x) ; max(x) ;
sum(x) ; sorted(x) ; x.fill(1) ; x.sort() ; hash(x)
"""
UNARY = [each.strip() for each in UNARY_TEXT.replace("\n", " ").split(" ; ")]
BINARY_TEXT = """
x+y ; x-y ; x*y ; x/y ; x//y ; x%y ; x**y ; x@y ; x<y ; x<=y ; x==y ; x!=y ; x&y ; np.maximum(x,y) ; np.dot(x,y) ;
np.allclose(x,y) ; np.isclose(x,y) ; np.outer(x,y) ; np.where(x>y,x,y) ; x.__iadd__(y) ; x.__imul__(y) ;
x.__isub__(y) ; np.add.outer(x,y) ; np.concatenate([x,y]) ; np.stack([x,y]) ; np.vstack([x,y]) ; np.logical_and(x,y)
; np.arctan2(x,y) ; np.broadcast_arrays(x,y) ; divmod(x,y) ; np.hypot(x,y) ; np.power(x,y) ; np.append(x,y) ;
np.array([x,y]) ; x.dot(y) ; np.matmul(x,y) ; np.minimum(x,y) ; np.array_equal(x,y) ; np.isin(x,y) ; x|y
"""
BINARY = [each.strip() for each in BINARY_TEXT.replace("\n", " ").split(" ; ")]
SCALARS = [
    "2",
    "2.0",
    "-1",
    "0.5",
    "0",
    "True",
    "1j",
    "[1,2,3]",
    "np.float32(1.5)",
    "np.float64(2.5)",
    "np.int8(3)",
    "np.int64(4)",
]
SCALARS += ["np.bool_(True)"]


def a_program(seed: int) -> str:
    """Return a program of some twenty lines, each of which prints a result or an error."""
    rng = random.Random(seed)
    lines = ["import numpy as np", "def show(f, x, y=0):", "  try: print(repr(f(x, y)), repr(x))"]
    lines.append("  except Exception as error: print(type(error).__name__, error)")
    for _ in range(8):
        lines.append(f"show(lambda x, y: {rng.choice(UNARY)}, {an_array(rng)})")
        lines.append(f"show(lambda x, y: {rng.choice(UNARY)}, {an_array(rng)}[...].sum())")
        lines.append(f"show(lambda x, y: {rng.choice(BINARY)}, {an_array(rng)}, {an_array(rng)})")
        other = rng.choice(SCALARS)
        pair = [other, an_array(rng)] if rng.random() < 0.5 else [an_array(rng), other]
        lines.append(f"show(lambda x, y: {rng.choice(BINARY)}, {pair[0]}, {pair[1]})")
        lines.append(f"show(lambda x, y: {rng.choice(BINARY)}, {an_array(rng, ())}[()], {rng.choice(SCALARS)})")
    return "\n".join(lines)


def differing_lines(program: str) -> list[tuple[str, str]]:
    ours, numpys = (output_of(program, guest).split("\n") for guest in (True, False))
    return [(a, b) for a, b in zip(ours, numpys, strict=False) if a != b] or (
        [("length", "")] if len(ours) != len(numpys) else []
    )


@pytest.mark.parametrize("seed", range(60))
def test_a_generated_program_prints_what_numpy_prints(seed):
    assert differing_lines(a_program(seed)) == []


INSIDE = [*PROGRAMS[::6], a_program(1000), a_program(1001)]


@pytest.mark.parametrize("program", INSIDE, ids=range(len(INSIDE)))
def test_a_program_in_the_component_prints_what_numpy_prints(program):
    text = f"import warnings; warnings.simplefilter('ignore')\nimport numpy as np\n{program}"
    printed: list[str] = []
    functions = runtime.HostFunctions(lambda line, piece: printed.append(piece), NumpyDoor(MEMORY))
    request = json.dumps({"text": text, "output_bytes": 1_000_000, "recursion": 1000})
    report = json.loads(runtime.run_guest(request, functions, seconds=60, memory_bytes=MEMORY))
    error = report["error"]
    ended = "" if error is None else f"{error['kind']} {error['message']}\n"
    assert ("".join(printed) + ended).replace("'numpy.", "'").strip() == output_of(text, False).strip()


def test_values_of_the_engine_work_in_the_component():
    calls: list[str] = []
    door = NumpyDoor(MEMORY)

    def array(request: str) -> str:
        calls.append(request)
        return door(request)

    def run(text: str) -> str:
        printed: list[str] = []
        calls.clear()
        functions = runtime.HostFunctions(lambda line, piece: printed.append(piece), array)
        request = json.dumps({"text": text, "output_bytes": 1_000_000, "recursion": 1000})
        report = json.loads(runtime.run_guest(request, functions, seconds=60, memory_bytes=MEMORY))
        assert report["error"] is None, report
        return "".join(printed)

    assert run(SCALARS_OF_VALUES) == "Value(data=7.0000, grad=1.0000) 4.0\n"
    assert calls == []
    assert run(ARRAYS_OF_VALUES) == "Value(data=9.0000, grad=1.0000) [3. 3.]\n[0.5 0.5]\n"
    assert calls != []


def test_a_float_of_the_guest_is_made_again_from_what_pickle_keeps_of_it():
    make, given = np.float64(1.5).__reduce_ex__(4)
    assert repr(make(*given)) == "np.float64(1.5)"


def test_a_sum_over_a_generator_is_refused_as_newer_versions_of_numpy_refuse_it():
    with pytest.raises(TypeError, match=r"np\.sum\(generator\)"):
        np.sum(number for number in [1, 2])


def test_a_reduction_of_one_value_of_the_engine_is_its_method_or_refused():
    assert np.sum(Value([1.0, 3.0])).data == 4.0
    with pytest.raises(TypeError, match=r"np\.prod works with numbers here, not with a Value"):
        np.prod(Value(2.0))


SCALARS_OF_VALUES = """
from engine.autograd import Value
x = Value(2.0)
y = (x * x + 3).relu()
y.backward()
print(y, x.grad)
"""
ARRAYS_OF_VALUES = """
import numpy as np
from engine.autograd import Value
v = Value([1.0, 2.0])
s = (v * 3).sum()
s.backward()
print(s, v.grad)
w = Value(np.ones(2))
(np.array([2.0, 2.0]) * w / 2).mean().backward()
print(w.grad)
"""


def test_a_warning_points_at_the_line_of_the_program():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile("\n\nnp.ones(2) / 0\nnp.log(0.0)", "<program>", "exec"), {"np": np})
    assert [(each.filename, each.lineno) for each in caught] == [("<program>", 3), ("<program>", 4)]


def test_memory_that_only_cycles_hold_is_found_when_it_is_needed(monkeypatch):
    monkeypatch.setattr(host, "array", NumpyDoor(20_000_000))
    for _ in range(20):
        cycle = {"array": np.ones(500_000)}
        cycle["self"] = cycle
    assert np.ones(500_000).sum() == 500_000
    with pytest.raises(MemoryError):
        np.ones((10**6, 10**6))


@pytest.mark.parametrize("kind", ["bool", "int8", "float32", "float64", "complex128"])
def test_a_number_and_a_dtype_can_be_pickled(kind):
    for value in (np.dtype(kind), np.ones(1, kind)[0]):
        function, arguments = value.__reduce__()
        assert (function(*arguments), type(function(*arguments))) == (value, type(value))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: np.array([None, 1]).sum(initial=2), "axis and keepdims"),
        (lambda: np.sort(np.array([None, 1])), "Use a list and a loop"),
        (lambda: np.array([[[None]]]) @ np.array([[[None]]]), "vectors and matrices"),
        (lambda: np.where([True, False], "a", 1), "text and a number"),
        (lambda: copy.deepcopy(np.random.default_rng(1)), "the same seed"),
        (lambda: np.random.rand("a"), "'a'"),
        (lambda: np.random.normal([None]), "numbers"),
    ],
)
def test_what_is_not_here_says_so(wrong, words):
    with pytest.raises(TypeError, match=words):
        wrong()


def test_a_choice_between_texts_and_none_has_both():
    assert np.where([True, False], ["a", "b"], [1, None]).tolist() == ["a", None]


def test_a_copy_of_an_array_is_its_own():
    a = np.arange(4).reshape(2, 2)
    b = copy.deepcopy(a)
    b[0] = 9
    assert a.tolist() == [[0, 1], [2, 3]]
    assert a.__reduce__()[0](*a.__reduce__()[1]).tolist() == a.tolist()
