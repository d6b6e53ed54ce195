"""Calls of a program that made objects of its own engine: function, arguments, result.

Python's own monitoring reports them, so the program is not changed in any way. Each place that returns is watched a
limited number of times and then switched off, after which it costs nothing.
"""

from __future__ import annotations

import sys
import types
from dataclasses import dataclass
from typing import Any

from engine.language.guest import monitoring
from engine.language.guest.engines import STARTS, ClassWatch, copied, mark
from engine.language.guest.program import PROGRAM

MOST_CALLS = 12
MOST_PARTS = 16
MOST_UNLINKED = 2_000
"""Calls that are noted of each operation; the second of objects that do not hold their inputs."""
_MOST_MISSES = 30
_MOST_REPEATED = 300
"""Calls in succession without a further operation after which a place that serves several is watched no longer."""
_MOST_OPERATIONS = 200
_SKIPPED = ("<module>", "<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>")


@dataclass(eq=False)
class Call:
    """One call that made an object.

    Attributes:
        code: of the function.
        space: its globals.
        names: its variables when it returned, those taken from around it included.
        line: where it returned.
        out: the object that it made.
        data: of nodes among its variables, and of `out`, by id, when it returned; the program may have changed them.
        part: place of `out` in the list or tuple that was returned; None where it was returned itself.
        marks: functions, classes and texts among its arguments, which may name one operation of several.
    """

    code: types.CodeType
    space: dict[str, Any]
    names: dict[str, Any]
    line: int
    out: Any
    data: dict[int, Any]
    marks: tuple[Any, ...] = ()
    part: int | None = None

    @property
    def arguments(self) -> list[str]:
        """Names of the parameters."""
        return parameters(self.code)


def _items(thing: Any) -> Any:
    return thing if type(thing) in (list, tuple) else ()


def _first_argument(frame: types.FrameType) -> Any:
    code = frame.f_code
    return frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None


def _operation_of(code: types.CodeType, names: dict[str, Any]) -> str:
    """Return the name of a call's operation: its function; for a power with a plain exponent, the exponent."""
    exponent = names.get(code.co_varnames[1]) if code.co_name == "__pow__" and code.co_argcount > 1 else None
    return f"**{exponent}" if type(exponent) in (int, float) else code.co_name


def parameters(code: types.CodeType) -> list[str]:
    """Return the names of a function's parameters, `*args` and `**keywords` last."""
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    return list(code.co_varnames[:count])


class Calls:
    """The calls that are noted.

    Attributes:
        of: for each object that was made, by id, the calls that returned it, the innermost first.
    """

    def __init__(self, watch: ClassWatch) -> None:
        self.of: dict[int, list[Call]] = {}
        self._watch = watch
        self._counts: dict[tuple[Any, ...], int] = {}
        self._operations: dict[tuple[types.CodeType, int], int] = {}
        self._repeated: dict[tuple[types.CodeType, int], int] = {}
        self._named: list[Any] = []

    def begin(self) -> None:
        """Begin to note calls."""
        monitoring.CALLS.begin({"PY_RETURN": self._return})

    def end(self) -> None:
        """Note no further calls."""
        monitoring.CALLS.end()

    def _return(self, code: types.CodeType, offset: int, value: Any) -> Any:
        if code.co_filename != PROGRAM or code.co_name in _SKIPPED:
            return monitoring.DISABLE
        made, watch, frame = value, self._watch, sys._getframe(1)
        if type(value) in (list, tuple) and value and type(value[0]) in watch.linked:
            return self._return_several(code, offset, value, frame)
        is_start = value is None and code.co_name in STARTS
        if is_start:
            made = _first_argument(frame)
            outer = frame.f_back
            if outer is not None and outer.f_code.co_name == "__init__" and made is _first_argument(outer):
                return None  # of a base class: the object is not complete
        if not watch.may_be_node(type(made)) or (shape := watch.shape(made)) is None:
            return self._counted((code, offset), _MOST_MISSES)
        names = dict(frame.f_locals)
        if not is_start and any(names.get(name) is made for name in parameters(code)):
            return self._counted((code, offset), _MOST_MISSES)  # an argument is returned
        marks = self._marks_of(code, names, made)
        most = MOST_CALLS if type(made) in watch.linked else MOST_UNLINKED
        is_first = not any(call.code.co_name not in STARTS for call in self.of.get(id(made), ()))
        if not is_start and is_first and id(made) in watch.makers:
            return self._counted((code, offset), most)  # an inner call, which is noted no longer, has made the object
        wants_name = not is_start and not watch.op_of(made) and len(self._named) < MOST_UNLINKED
        if self._counts.get((code, offset, *marks), 0) >= most and wants_name:
            self._named.append(made)  # keeps the id of the object from being used again
            watch.makers[id(made)] = _operation_of(code, names)
            return None
        if marks and self._counts.get((code, offset, *marks), 0) >= most:
            repeated = self._repeated[code, offset] = self._repeated.get((code, offset), 0) + 1
            return monitoring.DISABLE if repeated >= _MOST_REPEATED else None
        calls = self.of.setdefault(id(made), [])
        data = self._data_of(names) | {id(made): copied(getattr(made, shape.data, None))}
        calls.append(Call(code, frame.f_globals, names, frame.f_lineno, made, data, marks))
        if not is_start:
            watch.look_at(made, shape)
            watch.makers.setdefault(id(made), _operation_of(code, names))
        if type(made) not in watch.linked:
            self._add_sources(made, calls[-1])
        return self._counted((code, offset, *marks), most, wants_name)

    def _return_several(self, code: types.CodeType, offset: int, made: Any, frame: types.FrameType) -> Any:
        """Note a call that returns several nodes, such as softmax."""
        names = dict(frame.f_locals)
        ours = {id(thing) for name in parameters(code) for thing in (names.get(name), *_items(names.get(name)))}
        data = self._data_of(names)
        for part, out in enumerate(made[:MOST_PARTS]):
            if type(out) in self._watch.linked and id(out) not in ours:
                call = Call(code, frame.f_globals, names, frame.f_lineno, out, data, (part,), part)
                self.of.setdefault(id(out), []).append(call)
        return self._counted((code, offset), MOST_CALLS)

    def _marks_of(self, code: types.CodeType, names: dict[str, Any], made: Any) -> tuple[Any, ...]:
        """Return the arguments that distinguish operations of one function: functions, classes, objects, texts."""
        things = [names.get(name) for name in (*parameters(code), *code.co_freevars)]
        nodes = {type(made), *self._watch.linked}
        if code.co_name in STARTS:
            nodes.add(str)  # often a label
        marks = [mark(thing) for thing in things if type(thing) not in nodes]
        return tuple(part for part in marks if part is not None)

    def _data_of(self, names: dict[str, Any]) -> dict[int, Any]:
        found, watch = {}, self._watch
        for thing in names.values():
            for each in _items(thing) or (thing,):
                if watch.may_be_node(type(each)) and (shape := watch.shape(each)) is not None:
                    found[id(each)] = copied(getattr(each, shape.data))
        return found

    def _add_sources(self, made: Any, call: Call) -> None:
        if id(made) in self._watch.sources:
            return
        found = [
            each
            for name in call.arguments
            for thing in [call.names.get(name)]
            for each in _items(thing) or (thing,)
            if each is not made and self._watch.is_node(each)
        ]
        if found:
            self._watch.sources[id(made)] = tuple(found)

    def _counted(self, key: tuple[Any, ...], most: int, wants_name: bool = False) -> Any:
        """Count a call of an operation; switch its place off when there were enough, unless it serves several.

        It is not switched off either where only the method tells what the operation is called.
        """
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if len(key) == 2:
            return monitoring.DISABLE if count >= most and not wants_name else None
        place = key[0], key[1]
        self._repeated[place] = 0
        n_operations = self._operations[place] = self._operations.get(place, 0) + (count == 1)
        return monitoring.DISABLE if n_operations > _MOST_OPERATIONS else None
