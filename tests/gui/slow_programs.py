"""Programs that take as long as a test wants: a stand-in for the sandbox that is let go by hand."""

import threading
from types import SimpleNamespace

from engine.language import evaluate
from gui.session.programs import BackgroundPrograms

SLOW = "# slow\n"
PATIENCE_SECONDS = 10.0


class SlowEvaluate:
    """Evaluates as ever, but a text with `# slow` in it only when it is let go.

    Attributes:
        began: texts that were begun, in order.
        cancelled: those that were ended because they were not wanted any more.
        printed: lines and texts that a slow program prints before it is let go.
        failure: what is raised instead of any answer.
    """

    def __init__(self):
        self.began, self.cancelled = [], []
        self.printed = ()
        self.failure = None
        self._gate = threading.Event()

    def __call__(self, text, *, on_output, cancelled, limits):
        self.began.append(text)
        if self.failure is not None:
            raise self.failure
        if SLOW in text:
            for line, printed in self.printed:
                on_output(SimpleNamespace(line=line, text=printed))
            for _ in range(int(PATIENCE_SECONDS * 500)):
                if cancelled():
                    self.cancelled.append(text)
                    raise RuntimeError("not wanted any more")
                if self._gate.wait(0.002):
                    break
        return evaluate(text)

    def let_go(self):
        """Every slow program that is running, and every later one, comes to its end."""
        self._gate.set()

    def hold(self):
        """Slow programs are slow again."""
        self._gate.clear()


def slow_programs():
    """What a session runs programs with in the background, and the evaluation in it."""
    slow = SlowEvaluate()
    return BackgroundPrograms(slow), slow
