"""What ends busy workers when this process is gone, however it came to its end.

A worker that is busy does not notice that by itself. The guard, a shell that does nothing but read a pipe, ends the
busy workers when the pipe closes.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from typing import IO


class Guard:
    """Ends busy workers when this process is gone.

    It is told which workers are busy, and acts on what it was told last when the pipe to it closes.
    """

    _SHELL = 'busy=; while read -r line; do busy=$line; done; [ -z "$busy" ] || kill -9 $busy'
    _PYTHON = (
        "import os, sys\n"
        "busy = ''\n"
        "for line in sys.stdin: busy = line\n"
        "for pid in busy.split():\n"
        "    try: os.kill(int(pid), 9)\n"
        "    except OSError: pass\n"
    )

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._busy: list[int] = []

    def watch(self, pid: int | None) -> None:
        """A worker is busy from now on."""
        if pid is not None:
            with self._lock:
                self._busy.append(pid)
                self._tell()

    def release(self, pid: int | None) -> None:
        """A worker is not busy any more."""
        if pid is not None:
            with self._lock:
                if pid in self._busy:
                    self._busy.remove(pid)
                self._tell()

    def close(self) -> None:
        """Ends the guard itself."""
        with self._lock:
            process, self._process = self._process, None
            if process is not None and process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.write("\n")
                    process.stdin.close()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(2)

    def _tell(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            pipe = self._pipe()
            pipe.write(" ".join(map(str, self._busy)) + "\n")
            pipe.flush()

    def _pipe(self) -> IO[str]:
        if self._process is None or self._process.poll() is not None:
            windows = sys.platform == "win32"
            command = [sys.executable, "-I", "-S", "-c", self._PYTHON] if windows else ["/bin/sh", "-c", self._SHELL]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, start_new_session=True
            )
        assert self._process.stdin is not None
        return self._process.stdin
