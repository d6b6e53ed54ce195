"""Actions of the training: train and pause, steps, parts of a step, epochs, back, speed, new weights."""

from __future__ import annotations

from collections.abc import Callable

from engine.autograd.notation import counted
from engine.network.run.progress import RunState
from gui.actions.targets import Window
from gui.widgets.action_set import Action, Submenu

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


PHASES = "forward", "loss", "zero_grad", "backward", "update"
PHASE_TEXTS = tuple(f"Part: {name}" for name in PHASES)
"""Texts of the button: the part of a step that it makes."""


def _next_phase(window: Window) -> str:
    newest = window.session.newest
    done = newest.phase if newest is not None else None
    return PHASE_TEXTS[0 if done is None else (PHASES.index(done.name) + 1) % len(PHASES)]


def _phase(amount: str, window: Window) -> None:
    """Make a part of a step, or take one back, where its numbers can be seen: in the graph of the network."""
    window.session.train(amount)
    window.show_graph("both")
    if not window.session.presenter.shows_network:
        window.session.set_view(shows="network")


def _train(do: Callable[[Window], object]) -> Callable[[Window], None]:
    """An action of the training, which is brought onto the screen first."""

    def show_and_do(window: Window) -> None:
        window.show_training()
        do(window)

    return show_and_do


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


def _new_weights(window: Window) -> None:
    seed = window.session.document.network.seed
    window.session.edit("new weights", network={"seed": seed + 1 if seed < 2**64 - 1 else 0})


def _replaces_weights(window: Window) -> str:
    """Return a question when the network was trained."""
    step = window.session.newest.snapshot.step if window.session.newest is not None else 0
    return f"Start again? {counted(step, 'step')} of training will be replaced." if step else ""


RUN_TEXTS = "▶ Train", "❚❚ Pause"
"""Texts of the button while nothing trains, and while a training runs."""


TRAINING_ACTIONS: tuple[Action[Window], ...] = (
    Action(
        "run", RUN_TEXTS[0], _train(lambda window: window.session.toggle_run()),
        "Train the network until paused; F5 in the workspaces Train and Stage", "Shift+F5",
        places=(("Train", 10),),
        live_text=lambda window: RUN_TEXTS[window.session.run_state is RunState.RUNNING],
    ),
    Action(
        "back step", "◀ &Back", _train(lambda window: window.session.training.back()),
        "One step back through the history of the run; the run itself stays where it is", "Shift+F8",
        places=(("Train", 20),), enabled=lambda window: window.session.training.can_go_back,
        needs="There is no earlier step: train first", follows_numbers=True,
    ),
    Action(
        "phase", PHASE_TEXTS[0], lambda window: _phase("phase", window),
        "The next part of a training step: forward, loss, zero_grad, backward or update", "F7",
        places=(("Train", 21),), live_text=_next_phase, follows_numbers=True,
    ),
    Action(
        "training phase back", "Bac&k by a part", lambda window: _phase("phase back", window),
        "Take the last part of the training step back; between two steps, the update of the step before", "Shift+F7",
        places=(("Train", 21),), enabled=lambda window: window.session.training.can_go_back_a_phase,
        needs="There is no part of a step to take back: press Part first",
        follows_numbers=True,
    ),
    Action(
        "step", "&Step", _train(lambda window: window.session.train("step")), "One training step: one update", "F8",
        places=(("Train", 22),),
    ),
    Action(
        "steps", "100 steps", _train(lambda window: window.session.train("steps")),
        "So many steps, at the speed that is chosen", "Ctrl+F8", places=(("Train", 23),), live_text=_steps_text,
    ),
    *map(_steps_together, COUNTS),
    Action(
        "epoch", "&Epoch", _train(lambda window: window.session.train("epoch")),
        "One pass over the data, at the speed that is chosen", "F9", places=(("Train", 25),),
    ),
    Action(
        "slower", "Train s&lower", lambda window: _change_speed(-1, window), "Fewer training steps a second", "F6",
        places=(("Train", 30),), enabled=lambda window: place_of(window.session.training.speed) > 0,
        needs="The training has its slowest speed",
    ),
    Action(
        "faster", "Train &faster", lambda window: _change_speed(1, window),
        "More training steps a second, up to full speed", "Shift+F6", places=(("Train", 31),),
        enabled=lambda window: window.session.training.speed is not None, needs="The training has full speed",
    ),
    Action(
        "reset", "&Reset", _train(lambda window: window.session.reset()),
        "Start the training again, from the same first weights", "Ctrl+R", places=(("Train", 40),),
        replaces=_replaces_weights,
    ),
    Action(
        "roll", "New &weights", _train(_new_weights), "Start from other random first weights: the next seed",
        "Ctrl+Shift+R", places=(("Train", 41),), replaces=_replaces_weights,
    ),
)  # fmt: skip
"""In the order of the page of shortcuts."""
