"""Update rules of parameters, with PyTorch's defaults and order of operations.

An optimizer works in place on flat float arrays (n_parameters,), or (n_runs, n_parameters), in a few numpy calls. To
add one, write a subclass of `Optimizer` that names its state arrays and its rule, and put it into the table; the
contract test compares every entry with the same rule written plainly.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.network.errors import SizeError, checked_name, checked_number

Floats = NDArray[Any]
Rate = float | Floats


@dataclass(frozen=True)
class Setting:
    """A number that an optimizer or a schedule takes besides the learning rate.

    Attributes:
        default: used unless another number is given.
        low, high: the range it may have.
        below: the upper bound is exclusive.
        description: one sentence for a learner.
        title: text of a label; empty: the name.
    """

    default: float
    low: float = 0.0
    high: float = math.inf
    below: bool = False
    description: str = ""
    title: str = ""

    def checked(self, thing: str, given: Any) -> float:
        """`given` as a float in range; else SettingError."""
        return checked_number(thing, given, self.low, self.high, below=self.below)


def checked_settings(owner: str, table: Mapping[str, Setting], given: Mapping[str, Any]) -> dict[str, float]:
    """Return the given numbers in the order of a table; SettingError for unknown names and wrong numbers."""
    for key in given:
        checked_name(f"setting of {owner}", key, table)
    return {key: entry.checked(f"{key} of {owner}", given[key]) for key, entry in table.items() if key in given}


def with_defaults(owner: str, table: Mapping[str, Setting], given: Mapping[str, Any]) -> dict[str, float]:
    """Return a number for every entry of a table: those given, checked, and the defaults of the others."""
    return {key: entry.default for key, entry in table.items()} | checked_settings(owner, table, given)


@dataclass(frozen=True)
class Memory:
    """Description of an array that an optimizer keeps between steps.

    Attributes:
        symbol: in its rule.
        description: one sentence for a learner.
    """

    symbol: str
    description: str


MEMORIES: MappingProxyType[str, Memory] = MappingProxyType(
    {
        "velocity": Memory("v", "The velocity: the gradients so far, older ones counting less and less."),
        "average": Memory("m", "The average of the gradients so far, older ones counting less and less."),
        "square_average": Memory("s", "The average of the squared gradients so far: its root is their usual size."),
    }
)
"""Description of each name of `Optimizer.state_names`."""

_DECAY = Setting(0.9, 0.0, 1.0, below=True, description="Share of the past that the average keeps with every step.")
_EPS = Setting(1e-8, 1e-30, 1e9, description="Prevents a division by 0.")  # 1e-300 is 0 in float32


class Optimizer(ABC):
    """An update rule and its memory.

    Attributes:
        name: its key in OPTIMIZERS.
        title: as a menu writes it.
        description: one sentence with the source.
        rule: the update as formulas, for display; p parameter, g gradient, lr learning rate, t update number.
        code: the update as Python for exported programs: lines that change `p` and the names of `state_names`, from
            `g`, `lr`, `t` (from 1) and the settings by name; for floats and for arrays alike.
        settings_table: the numbers it takes.
        state_names: the arrays it remembers, one number for each parameter.
        squares: those of them that sum up squares, never below 0: a step is divided by their root.
        settings: the numbers in use.
        state: the arrays by name.
        updates: how often it was applied.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    rule: ClassVar[str]
    code: ClassVar[tuple[str, ...]]
    settings_table: ClassVar[dict[str, Setting]] = {}
    state_names: ClassVar[tuple[str, ...]] = ()
    squares: ClassVar[tuple[str, ...]] = ()

    def __init__(self, parameters: Floats, **settings: float) -> None:
        """Start with an empty memory.

        Args:
            parameters: (n_parameters,) or (n_runs, n_parameters), the later updated array; only shape and dtype are
                looked at.
            **settings: numbers of `settings_table`.

        Raises:
            UnknownNameError, SettingError: a setting it does not have, a number out of range.
        """
        self.settings = with_defaults(self.name, self.settings_table, settings)
        self.state = {key: np.zeros_like(parameters) for key in self.state_names}
        self.updates = 0
        self._last_rate = 0.0
        self._rate = np.zeros((), parameters.dtype)  # an array: numpy takes it in faster than a Python number
        self._work = np.empty_like(parameters)
        self._more = np.empty_like(parameters)

    def update(self, parameters: Floats, gradients: Floats, learning_rate: Rate) -> None:
        """Change `parameters` in place by one step against `gradients`, both (n_parameters,).

        Or both (n_runs, n_parameters); then the learning rate may be (n_runs, 1).
        """
        self.updates += 1
        self._apply(parameters, gradients, learning_rate)

    @abstractmethod
    def _apply(self, parameters: Floats, gradients: Floats, learning_rate: Rate) -> None:
        """Make the step."""

    @np.errstate(all="ignore")  # numbers of a diverged network may be too large for 32 bits
    def take_over(self, state: Mapping[str, Floats], updates: int) -> None:
        """Continue with a stored state (arrays by name, copied) after this number of updates.

        Raises:
            SizeError: when an array is missing or of another size; nothing is changed then.
        """
        for key, array in self.state.items():
            shape = np.shape(state.get(key, ()))
            if shape != array.shape:
                raise SizeError(f"memory {key} of {self.name}", f"of the shape {array.shape}", shape)
        for key, array in self.state.items():
            array[:] = state[key]
        self.updates = updates

    def _descend(self, parameters: Floats, direction: Floats, learning_rate: Rate) -> None:
        rate = learning_rate
        if isinstance(learning_rate, float):
            rate = self._rate
            if learning_rate != self._last_rate:
                self._last_rate = learning_rate
                self._rate.fill(learning_rate)
        np.multiply(direction, rate, self._work)
        np.subtract(parameters, self._work, parameters)

    def _average(self, mean: Floats, gradients: Floats, keep: float) -> None:
        """mean = keep * mean + (1 - keep) * gradients."""
        np.subtract(gradients, mean, self._work)
        np.multiply(self._work, 1.0 - keep, self._work)
        np.add(mean, self._work, mean)

    def _average_square(self, mean: Floats, gradients: Floats, keep: float) -> None:
        """mean = keep * mean + (1 - keep) * gradients**2."""
        np.multiply(mean, keep, mean)
        np.multiply(gradients, gradients, self._work)
        np.multiply(self._work, 1.0 - keep, self._work)
        np.add(mean, self._work, mean)


class SGD(Optimizer):
    """Stochastic gradient descent: a step straight against the gradient (Robbins & Monro 1951)."""

    name, title = "sgd", "SGD"
    description = "A step straight against the gradient (Robbins & Monro 1951)."
    rule = "p -= lr * g"
    code = ("p = p - lr * g",)

    def _apply(self, parameters: Floats, gradients: Floats, learning_rate: Rate) -> None:
        self._descend(parameters, gradients, learning_rate)


class Momentum(Optimizer):
    """A rolling ball: the velocity keeps most of its past, gradients push it (Polyak 1964)."""

    name, title = "momentum", "Momentum"
    description = "A rolling ball: the velocity keeps most of its past and gradients push it (Polyak 1964)."
    rule = "v = momentum * v + g;  p -= lr * v"
    code = ("velocity = momentum * velocity + g", "p = p - lr * velocity")
    settings_table: ClassVar[dict[str, Setting]] = {"momentum": _DECAY}
    state_names = ("velocity",)

    def _apply(self, parameters: Floats, gradients: Floats, learning_rate: Rate) -> None:
        velocity = self.state["velocity"]
        np.multiply(velocity, self.settings["momentum"], velocity)
        np.add(velocity, gradients, velocity)
        self._descend(parameters, self._direction(velocity, gradients), learning_rate)

    def _direction(self, velocity: Floats, gradients: Floats) -> Floats:
        return velocity


class Nesterov(Momentum):
    """Momentum that looks one step ahead (Nesterov 1983, in the form of Sutskever et al. 2013)."""

    name, title = "nesterov", "Nesterov"
    description = "Momentum that looks one step ahead (Nesterov 1983; Sutskever et al. 2013)."
    rule = "v = momentum * v + g;  p -= lr * (g + momentum * v)"
    code = ("velocity = momentum * velocity + g", "p = p - lr * (g + momentum * velocity)")

    def _direction(self, velocity: Floats, gradients: Floats) -> Floats:
        np.multiply(velocity, self.settings["momentum"], self._more)
        return np.add(self._more, gradients, self._more)


class RMSProp(Optimizer):
    """Each gradient divided by its own recent size (Tieleman & Hinton 2012, lecture 6.5)."""

    name, title = "rmsprop", "RMSProp"
    description = "Each gradient divided by its own recent size (Tieleman & Hinton 2012, lecture 6.5)."
    rule = "s = alpha * s + (1 - alpha) * g²;  p -= lr * g / (√s + eps)"
    code = (
        "square_average = alpha * square_average + (1 - alpha) * g * g",
        "p = p - lr * g / (square_average**0.5 + eps)",
    )
    settings_table: ClassVar[dict[str, Setting]] = {
        "alpha": Setting(0.99, 0.0, 1.0, below=True, description="Share of the past that the average of g² keeps."),
        "eps": _EPS,
    }
    state_names = ("square_average",)
    squares = ("square_average",)

    def _apply(self, parameters: Floats, gradients: Floats, learning_rate: Rate) -> None:
        square = self.state["square_average"]
        self._average_square(square, gradients, self.settings["alpha"])
        np.sqrt(square, self._more)
        np.add(self._more, self.settings["eps"], self._more)
        np.divide(gradients, self._more, self._more)
        self._descend(parameters, self._more, learning_rate)


class Adam(Optimizer):
    """Momentum divided by the gradient's recent size, both freed of their bias (Kingma & Ba 2015, arXiv:1412.6980)."""

    name, title = "adam", "Adam"
    description = "Momentum over the gradient's recent size, both bias-corrected (Kingma & Ba 2015, arXiv:1412.6980)."
    rule = "m = β1 m + (1 - β1) g;  s = β2 s + (1 - β2) g²;  p -= lr / (1 - β1ᵗ) * m / (√s / √(1 - β2ᵗ) + eps)"
    code: ClassVar[tuple[str, ...]] = (
        "average = beta1 * average + (1 - beta1) * g",
        "square_average = beta2 * square_average + (1 - beta2) * g * g",
        "step_size = lr / (1 - beta1**t)",
        "p = p - step_size * average / ((square_average / (1 - beta2**t))**0.5 + eps)",
    )
    settings_table: ClassVar[dict[str, Setting]] = {
        "beta1": replace(_DECAY, title="β₁"),
        "beta2": Setting(
            0.999, 0.0, 1.0, below=True, description="Share of the past that the average of g² keeps.", title="β₂"
        ),
        "eps": _EPS,
    }
    state_names = ("average", "square_average")
    squares = ("square_average",)

    def _apply(self, parameters: Floats, gradients: Floats, learning_rate: Rate) -> None:
        settings, average, square = self.settings, self.state["average"], self.state["square_average"]
        self._average(average, gradients, settings["beta1"])
        self._average_square(square, gradients, settings["beta2"])
        np.sqrt(square, self._more)
        np.divide(self._more, math.sqrt(1.0 - settings["beta2"] ** self.updates), self._more)
        np.add(self._more, settings["eps"], self._more)
        np.divide(average, self._more, self._more)
        self._descend(parameters, self._more, learning_rate / (1.0 - settings["beta1"] ** self.updates))


class AdamW(Adam):
    """Adam whose weights also shrink a little with every update (Loshchilov & Hutter 2019, arXiv:1711.05101)."""

    name, title = "adamw", "AdamW"
    description = "Adam with weights that shrink a little each update (Loshchilov & Hutter 2019, arXiv:1711.05101)."
    rule = "p *= 1 - lr * weight_decay;  then Adam's rule"
    code: ClassVar[tuple[str, ...]] = ("p = p * (1 - lr * weight_decay)", *Adam.code)
    settings_table: ClassVar[dict[str, Setting]] = {
        **Adam.settings_table,
        "weight_decay": Setting(
            0.01, high=1e9, description="Share of the learning rate by which every weight shrinks."
        ),
    }

    def _apply(self, parameters: Floats, gradients: Floats, learning_rate: Rate) -> None:
        np.multiply(parameters, 1.0 - learning_rate * self.settings["weight_decay"], parameters)
        super()._apply(parameters, gradients, learning_rate)


OPTIMIZERS: MappingProxyType[str, type[Optimizer]] = MappingProxyType(
    {entry.name: entry for entry in (SGD, Momentum, Nesterov, RMSProp, Adam, AdamW)}
)
"""Every optimizer by name."""


@dataclass(frozen=True)
class Clipping:
    """Limits on a gradient before it is used.

    Attributes:
        norm: the whole gradient is scaled down to this length; None: no limit.
        value: each number is cut to -value .. value (after the norm); None: no limit.
    """

    norm: float | None = None
    value: float | None = None

    def __post_init__(self) -> None:
        for thing, limit in (("clip_norm", self.norm), ("clip_value", self.value)):
            if limit is not None:
                checked_number(thing, limit, 0.0, above=True)

    def __bool__(self) -> bool:
        return self.norm is not None or self.value is not None

    def apply(self, gradients: Floats) -> None:
        """Limits `gradients` in place as torch.nn.utils.clip_grad_norm_ and clip_grad_value_ do.

        Args:
            gradients: (n_parameters,), or (n_runs, n_parameters), of which each row is limited by itself.
        """
        if self.norm is not None:
            together = gradients.ndim == 1
            squares = gradients.dot(gradients) if together else np.einsum("ij,ij->i", gradients, gradients)[:, None]
            gradients *= np.fmin(1.0, self.norm / (np.sqrt(squares) + 1e-6))
        if self.value is not None:
            np.clip(gradients, -self.value, self.value, out=gradients)
