"""Python's own monitoring (`sys.monitoring`) of a program: a tool for each purpose.

The program is not changed, and what is not asked for costs nothing. Before Python 3.12, where tests run the guest
modules, there is no monitoring, and the tools do nothing.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

_MONITORING: Any = getattr(sys, "monitoring", None)
DISABLE: Any = getattr(_MONITORING, "DISABLE", None)
"""Returned by a callback that needs no further events of this place."""


class Tool:
    """A use of the monitoring, with a number of its own."""

    def __init__(self, number: int, name: str) -> None:
        self._number, self._name = number, name

    def begin(self, callbacks: Mapping[str, Callable[..., Any]], codes: Iterable[types.CodeType] | None = None) -> None:
        """Report events to callbacks, by names such as `LINE`; nothing happens while the tool is in use.

        Args:
            callbacks: for each event a function with the arguments that `sys.monitoring` gives.
            codes: the code that is watched; None: all code.
        """
        if _MONITORING is None or _MONITORING.get_tool(self._number) is not None:
            return
        _MONITORING.use_tool_id(self._number, self._name)
        events = 0
        for name, callback in callbacks.items():
            event = getattr(_MONITORING.events, name)
            _MONITORING.register_callback(self._number, event, callback)
            events |= event
        if codes is None:
            _MONITORING.set_events(self._number, events)
        for code in codes or ():
            _MONITORING.set_local_events(self._number, code, events)

    def end(self) -> None:
        """Stop reporting."""
        if _MONITORING is not None and _MONITORING.get_tool(self._number) == self._name:
            _MONITORING.set_events(self._number, 0)
            _MONITORING.free_tool_id(self._number)


PASSES = Tool(0, "backward passes")
DEADLINE = Tool(1, "deadline")
LOOPS = Tool(2, "loops")
TIME_OF_RULES = Tool(3, "time of rules")
CALLS = Tool(4, "calls")
