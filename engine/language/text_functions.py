"""Host functions that take a text and return one, called with less work than wasmtime's own Python interface needs.

That interface asks for the type of a function at every call, which takes 15 µs of the 50 µs of an operation of NumPy.
Here the text is read from the arguments themselves. It uses names of wasmtime 50 that are not public; where one of them
is missing the function is added in the public way.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from engine.language import machine_code


def add_text_function(instance: Any, name: str, function: Callable[[str], str]) -> object:
    """Add a function to an instance of a linker.

    Args:
        instance: `wasmtime.component.LinkerInstance`.
        name: of the import.
        function: must not raise.

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
        instance.add_func(name, lambda _store, text: function(text))
        return None

    def call(_data: Any, _store: Any, _type: Any, arguments: Any, _n: int, results: Any, _n_results: int) -> int:
        text = arguments[0].of.string
        request = ctypes.string_at(text.data, text.size).decode()
        delete(ctypes.byref(text))
        results[0].kind = text_kind
        results[0].of.string = write(function(request))
        return 0

    callback = callback_type(call)
    if add(pointer, ctypes.create_string_buffer(name.encode()), len(name), callback, None, _NOTHING_TO_FREE):
        raise RuntimeError(f"the function {name} cannot be added")
    return callback


_NOTHING_TO_FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _data: None)
