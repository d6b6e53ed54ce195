"""`torch.optim`: SGD and Adam, by PyTorch's formulas."""

from __future__ import annotations

import math
from typing import Any

from ._kinds import missing
from ._tensor import Tensor


class Optimizer:
    """Changes parameters by their gradients; groups of them may have an lr and a weight_decay of their own."""

    decays_apart = False
    """True where weight decay shrinks the parameters directly, and is no part of the gradient."""

    def __init__(self, params: Any, lr: float, weight_decay: float) -> None:
        if lr < 0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if weight_decay < 0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts")
        given = list(params)
        if not given:
            raise ValueError("optimizer got an empty parameter list")
        groups = given if isinstance(given[0], dict) else [{"params": given}]
        defaults = {"lr": lr, "weight_decay": weight_decay}
        if others := {name for group in groups for name in group} & {"momentum", "betas", "eps", "nesterov"}:
            raise NotImplementedError(f"groups of parameters have no {min(others)} of their own here")
        self.param_groups = [{**defaults, **group, "params": _listed(group["params"])} for group in groups]
        self.state: dict[int, Any] = {}

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of the parameters, or set them to 0."""
        for parameter in [each for group in self.param_groups for each in group["params"]]:
            parameter.reset_gradient(set_to_none)

    def step(self, closure: Any = None) -> Any:
        """Change every parameter that has a gradient."""
        loss = closure() if closure is not None else None
        pairs = [(group, parameter) for group in self.param_groups for parameter in group["params"]]
        for number, (group, parameter) in enumerate(pairs):
            if parameter._grad is None:
                continue
            gradient, lr, decay = parameter._grad, group["lr"], group["weight_decay"]
            if self.decays_apart:
                parameter._data = parameter._data * (1 - lr * decay)
            else:
                gradient = gradient + decay * parameter._data
            parameter._data = parameter._data - self._change(self.state.setdefault(number, {}), gradient, lr)
        return loss

    def _change(self, state: dict[str, Any], gradient: Any, lr: float) -> Any:
        raise NotImplementedError


class SGD(Optimizer):
    """Gradient descent, with momentum where that is asked for."""

    def __init__(
        self, params: Any, lr: float = 1e-3, momentum: float = 0.0, dampening: float = 0.0, weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(params, lr, weight_decay)
        if momentum < 0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if nesterov and (momentum <= 0 or dampening):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        self._momentum, self._nesterov, self._dampening = momentum, nesterov, dampening

    def _change(self, state: dict[str, Any], gradient: Any, lr: float) -> Any:
        if self._momentum:
            known = state.get("momentum_buffer")
            state["momentum_buffer"] = velocity = (
                gradient if known is None else (self._momentum * known + (1 - self._dampening) * gradient)
            )
            gradient = gradient + self._momentum * velocity if self._nesterov else velocity
        return lr * gradient


class Adam(Optimizer):
    """Adam (Kingma and Ba 2015)."""

    def __init__(
        self, params: Any, lr: float = 1e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0.0
    ) -> None:
        super().__init__(params, lr, weight_decay)
        self._betas, self._eps = betas, eps

    def _change(self, state: dict[str, Any], gradient: Any, lr: float) -> Any:
        first, second = self._betas
        state["step"] = step = state.get("step", 0) + 1
        state["exp_avg"] = mean = first * state.get("exp_avg", 0.0) + (1 - first) * gradient
        state["exp_avg_sq"] = square = second * state.get("exp_avg_sq", 0.0) + (1 - second) * gradient * gradient
        size = (square**0.5) / math.sqrt(1 - second**step) + self._eps
        return lr / (1 - first**step) * mean / size


class AdamW(Adam):
    """Adam with weight decay beside the gradient."""

    decays_apart = True

    def __init__(
        self, params: Any, lr: float = 1e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0.01
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay)


def _listed(params: Any) -> list[Tensor]:
    tensors = [params] if isinstance(params, Tensor) else list(params)
    for each in tensors:
        if not isinstance(each, Tensor):
            raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(each).__name__}")
        if not (each.is_leaf or each._keeps_grad):
            raise ValueError("can't optimize a non-leaf Tensor")
    return tensors


def __getattr__(name: str) -> Any:
    raise missing("module 'torch.optim'", name, globals())
