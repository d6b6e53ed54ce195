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
from engine.language.guest.engines import ClassWatch, copied
from engine.language.guest.program import PROGRAM

MOST_CALLS = 12
MOST_UNLINKED = 2_000
"""Calls that are noted of each place that returns; the second of objects that do not hold their inputs."""
_MOST_MISSES = 30
_STARTS = ("__init__", "__post_init__")
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
        data: of nodes among its variables, by id, when it returned; the program may have changed them since.
    """

    code: types.CodeType
    space: dict[str, Any]
    names: dict[str, Any]
    line: int
    out: Any
    data: dict[int, Any]

    @property
    def arguments(self) -> list[str]:
        """Names of the parameters."""
        return parameters(self.code)


def _first_argument(frame: types.FrameType) -> Any:
    code = frame.f_code
    return frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None


def _operation_of(code: types.CodeType, names: dict[str, Any]) -> str:
    """Return what a call's operation is called: its function; of a power with a plain exponent, that."""
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
        self._counts: dict[tuple[types.CodeType, int], int] = {}

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
        is_start = value is None and code.co_name in _STARTS
        if is_start:
            made = _first_argument(frame)
            outer = frame.f_back
            if outer is not None and outer.f_code.co_name == "__init__" and made is _first_argument(outer):
                return None  # of a base class: the object is not complete
        if not watch.may_be_node(type(made)) or (shape := watch.shape(made)) is None:
            return self._counted(code, offset, _MOST_MISSES)
        names = dict(frame.f_locals)
        if not is_start and any(names.get(name) is made for name in parameters(code)):
            return self._counted(code, offset, _MOST_MISSES)  # an argument is returned
        calls = self.of.setdefault(id(made), [])
        calls.append(Call(code, frame.f_globals, names, frame.f_lineno, made, self._data_of(names)))
        if not is_start:
            watch.look_at(made, shape)
            watch.makers.setdefault(id(made), _operation_of(code, names))
        if type(made) in watch.linked:
            return self._counted(code, offset, MOST_CALLS)
        self._add_sources(made, calls[-1])
        return self._counted(code, offset, MOST_UNLINKED)

    def _data_of(self, names: dict[str, Any]) -> dict[int, Any]:
        found, watch = {}, self._watch
        for thing in names.values():
            for each in thing if type(thing) in (list, tuple) else (thing,):
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
            for each in ([thing] if not isinstance(thing, (tuple, list)) else thing)
            if each is not made and self._watch.is_node(each)
        ]
        if found:
            self._watch.sources[id(made)] = tuple(found)

    def _counted(self, code: types.CodeType, offset: int, most: int) -> Any:
        count = self._counts[code, offset] = self._counts.get((code, offset), 0) + 1
        return monitoring.DISABLE if count >= most else None
