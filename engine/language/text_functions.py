"""Host functions that take texts, called with less work and memory than wasmtime's own Python interface needs.

That interface asks for the type of a function at every call, which takes 15 µs of the 50 µs of an operation of NumPy,
and copies a text of any length twice. Here the arguments are read from where they lie, and what is too long is not
copied at all. It uses names of wasmtime 50 that are not public; where one of them is missing the function is added in
the public way.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from engine.language import machine_code

TOO_LONG = ""
"""Stands for a text that is longer than it may be."""


def add_text_function(instance: Any, name: str, function: Callable[..., str | None], most_bytes: int) -> object:
    """Add a function of texts and 32-bit numbers to an instance of a linker.

    Args:
        instance: `wasmtime.component.LinkerInstance`.
        name: of the import.
        function: returns a text, or None where the import returns nothing; must not raise.
        most_bytes: of a text; `TOO_LONG` is given for a longer one.

    Returns:
        What has to be kept as long as the guest can call the function.
    """
    machine_code.wasmtime_modules()
    try:
        from wasmtime import _ffi as ffi

        add, delete, write = (
            ffi.wasmtime_component_linker_instance_add_func, ffi.wasm_byte_vec_delete, ffi.str_to_capi
        )  # fmt: skip
        text_kind, callback_type = ffi.WASMTIME_COMPONENT_STRING, ffi.wasmtime_component_func_callback_t
        pointer = instance.ptr()
    except (ImportError, AttributeError):
        instance.add_func(
            name,
            lambda _store, *given: function(
                *(TOO_LONG if isinstance(one, str) and len(one) > most_bytes else one for one in given)
            ),
        )
        return None

    def read(argument: Any) -> Any:
        if argument.kind != text_kind.value:
            return argument.of.u32
        text = argument.of.string
        found = ctypes.string_at(text.data, text.size).decode() if text.size <= most_bytes else TOO_LONG
        delete(ctypes.byref(text))
        return found

    def call(_data: Any, _store: Any, _type: Any, arguments: Any, count: int, results: Any, n_results: int) -> int:
        returned = function(*(read(arguments[index]) for index in range(count)))
        if n_results:
            results[0].kind = text_kind
            results[0].of.string = write(returned or "")
        return 0

    callback = callback_type(call)
    if add(pointer, ctypes.create_string_buffer(name.encode()), len(name), callback, None, _NOTHING_TO_FREE):
        raise RuntimeError(f"the function {name} cannot be added")
    return callback


_NOTHING_TO_FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _data: None)
