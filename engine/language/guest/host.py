"""Functions of the world outside the sandbox that guest modules may call.

Inside the component they are the imports of `world.wit`. In the normal interpreter, where tests run the guest modules,
a test replaces them.
"""

import time

try:
    from wit_world import array, emit, pause  # type: ignore[import-not-found]
except ImportError:

    def emit(line: int, text: str) -> None:
        """Send printed text to the window; `line` of the program from 1, or 0."""

    def array(request: str) -> str:
        """Send a request to NumPy and return its answer, both JSON."""
        raise RuntimeError("NumPy is available in the sandbox only")  # pragma: no cover - tests put NumPy here

    pause = time.sleep


__all__ = ["array", "emit", "pause"]
