"""What can be done with the training: run, pause, steps, phases and epochs, back, speed, first weights."""

from __future__ import annotations

from engine.network.run.progress import RunState
from gui.actions.action_set import Action, Submenu
from gui.actions.targets import Window

COUNTS = (10, 100, 1_000, 10_000)
"""Steps that are run together; another number can be typed."""
SPEEDS = (1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 100, 150, 200, 300, 500, 1_000, 2_000, 5_000, 10_000, None)
"""Steps a second, from slow to as many as there are."""

TRAINING_MENUS = (Submenu("steps together", "Steps run toge&ther", (("Train", 24),)),)


def place_of(speed: float | None) -> int:
    """Index of the entry of SPEEDS nearest to a speed, by ratio."""
    if speed is None:
        return len(SPEEDS) - 1
    return min(range(len(SPEEDS) - 1), key=lambda place: abs((SPEEDS[place] or 0) / speed - 1))


def _phase(amount: str, window: Window) -> None:
    """Does a phase of a step, or takes one back, where it can be seen."""
    window.session.train(amount)
    window.show_graph()
    if not window.session.graph.shows_network:
        window.session.set_view(shows="network")


def _steps_text(window: Window) -> str:
    count = window.session.training.count
    return f"{count:,} steps" if count > 1 else "1 step"


def _steps_together(count: int) -> Action[Window]:
    return Action(
        f"together {count}", f"{count:,}",
        lambda window: window.session.training.set_control(window.session.training.speed, count),
        "So many steps are run together", places=(("steps together", 10),), choice="steps together",
        checked=lambda window: window.session.training.count == count,
    )  # fmt: skip


def _change_speed(change: int, window: Window) -> None:
    training = window.session.training
    place = min(max(place_of(training.speed) + change, 0), len(SPEEDS) - 1)
    training.set_control(SPEEDS[place], training.count)


def _roll(window: Window) -> None:
    seed = window.session.document.network.seed
    window.session.edit("new weights", network={"seed": seed + 1 if seed < 2**64 - 1 else 0})


RUN_TEXTS = "▶ Run", "❚❚ Pause"
"""What the button of the run says, while nothing runs and while it runs."""


TRAINING_ACTIONS: tuple[Action[Window], ...] = (
    Action(
        "run", RUN_TEXTS[0], lambda window: window.session.toggle_run(), "Train until paused", "F5",
        places=(("Train", 10), ("bar", 17)),
        live_text=lambda window: RUN_TEXTS[window.session.run_state is RunState.RUNNING],
    ),
    Action(
        "back step", "◀ &Back", lambda window: window.session.training.back(),
        "One step back through the history of the run; the run itself stays where it is", "Shift+F8",
        places=(("Train", 20), ("bar", 12)), enabled=lambda window: window.session.training.can_go_back,
    ),
    Action(
        "phase", "&Phase", lambda window: _phase("phase", window), "One phase of a training step", "F7",
        places=(("Train", 21), ("bar", 13)),
    ),
    Action(
        "training phase back", "Phase bac&k", lambda window: _phase("phase back", window),
        "Take the last phase of the training back; between two steps, the update of the step before", "Shift+F7",
        places=(("Train", 21),), enabled=lambda window: window.session.training.can_go_back_a_phase,
    ),
    Action(
        "step", "&Step", lambda window: window.session.train("step"), "One training step: one update", "F8",
        places=(("Train", 22), ("bar", 14)),
    ),
    Action(
        "steps", "100 steps", lambda window: window.session.train("steps"),
        "So many steps, at the speed that is chosen", "Ctrl+F8",
        places=(("Train", 23), ("bar", 15)), live_text=_steps_text,
    ),
    *map(_steps_together, COUNTS),
    Action(
        "epoch", "&Epoch", lambda window: window.session.train("epoch"),
        "One pass over the data, at the speed that is chosen", "F9", places=(("Train", 25), ("bar", 16)),
    ),
    Action(
        "slower", "S&lower", lambda window: _change_speed(-1, window), "Fewer steps a second", "F6",
        places=(("Train", 30),), enabled=lambda window: place_of(window.session.training.speed) > 0,
    ),
    Action(
        "faster", "&Faster", lambda window: _change_speed(1, window), "More steps a second, up to all there are",
        "Shift+F6", places=(("Train", 31),), enabled=lambda window: window.session.training.speed is not None,
    ),
    Action(
        "reset", "&Reset", lambda window: window.session.reset(), "Back to the same first weights", "Ctrl+R",
        places=(("Train", 40), ("bar", 10)),
    ),
    Action(
        "roll", "R&oll", _roll, "Draw other first weights: the next seed",
        "Ctrl+Shift+R", places=(("Train", 41), ("bar", 11)),
    ),
)  # fmt: skip
"""In the order of the page of shortcuts."""
