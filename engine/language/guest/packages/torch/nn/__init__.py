"""`torch.nn`: layers and losses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from .. import _random
from .._kinds import check_options, missing
from .._tensor import Tensor, made
from . import functional, init


class Parameter(Tensor):
    """A tensor that a module trains."""

    __slots__ = ()

    def __new__(cls, data: Any = (), requires_grad: bool = True) -> Any:
        """Make a parameter of numbers."""
        tensor = Tensor(data)
        out = made(tensor._data, tensor._dims, tensor.dtype, cls=cls)
        out.requires_grad = requires_grad
        return out

    def __deepcopy__(self, memo: dict[Any, Any]) -> Any:
        twin = super().__deepcopy__(memo)
        twin._grad = None  # as in PyTorch, which copies the gradients of other tensors
        return twin

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"


class Module:
    """Something with parameters and a `forward` method; modules may hold modules."""

    training = True

    def __init__(self) -> None:
        self.__dict__["_is_made"] = True

    def __setattr__(self, name: str, part: Any) -> None:
        kind = "module" if isinstance(part, Module) else "parameters" if isinstance(part, Parameter) else ""
        if kind and "_is_made" not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        super().__setattr__(name, part)

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Return the output for inputs."""
        return self.forward(*inputs, **named)

    def forward(self, *inputs: Any) -> Any:
        """Return the output for inputs."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def _parts(self) -> Iterator[tuple[str, Module]]:
        yield from ((name, part) for name, part in vars(self).items() if isinstance(part, Module))

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield the modules that this one holds, each once, with their names."""
        yield from _each_once(self._parts())

    def children(self) -> Iterator[Module]:
        """Yield the modules that this one holds."""
        yield from (child for _, child in self.named_children())

    def modules(self) -> Iterator[Module]:
        """Yield this module and all inside it, each once."""
        inside = chain.from_iterable(child.modules() for child in self.children())
        yield from (module for _, module in _each_once(("", module) for module in chain([self], inside)))

    def named_parameters(self, prefix: str = "") -> Iterator[tuple[str, Parameter]]:
        """Yield the parameters, each once, with their names, such as `0.weight`."""
        own = ((f"{prefix}{name}", part) for name, part in vars(self).items() if isinstance(part, Parameter))
        inside = (child.named_parameters(f"{prefix}{name}.") for name, child in self.named_children())
        yield from _each_once(chain(own, *inside))

    def parameters(self) -> Iterator[Parameter]:
        """Yield the parameters, module by module."""
        yield from (parameter for _, parameter in self.named_parameters())

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or set them to 0."""
        for parameter in self.parameters():
            parameter.reset_gradient(set_to_none)

    def state_dict(self) -> dict[str, Tensor]:
        """Return the parameters by their names."""
        return {name: parameter.detach() for name, parameter in self.named_parameters()}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Take the numbers of parameters by their names."""
        for name, parameter in self.named_parameters():
            parameter.data = state[name]

    def train(self, mode: bool = True) -> Module:
        """Note that training goes on."""
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Module:
        """Note that training is over."""
        return self.train(False)

    def to(self, *wanted: Any) -> Module:
        """Return it; its parameters become `double` where that is asked for."""
        for parameter in self.parameters():
            parameter.dtype = parameter.detach().to(*wanted).dtype
        return self

    def double(self) -> Module:
        """Return it, with parameters of 64 bits."""
        from .._kinds import float64

        return self.to(float64)

    def apply(self, function: Any) -> Module:
        """Call a function with every module."""
        for child in self.children():
            child.apply(function)
        function(self)
        return self

    def extra_repr(self) -> str:
        """Return what stands between the brackets of its text."""
        return ""

    def __repr__(self) -> str:
        lines = []
        for name, child in self._parts():
            text = repr(child).replace("\n", "\n  ")
            lines.append(f"  ({name}): {text}")
        inside = self.extra_repr()
        return f"{type(self).__name__}(" + ("\n" + "\n".join(lines) + "\n" if lines else inside) + ")"


def _each_once(named: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, Any]]:
    """Return objects with their names; one that has several has the first."""
    found: dict[int, tuple[str, Any]] = {}
    for name, part in named:
        found.setdefault(id(part), (name, part))
    return found.values()


class Linear(Module):
    """x @ weight.T + bias, with PyTorch's random weights."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, **options: Any) -> None:
        super().__init__()
        check_options("Linear", options)
        self.in_features, self.out_features = in_features, out_features
        bound = 1.0 / math.sqrt(in_features) if in_features else 0.0
        drawn = _random.uniform(out_features * in_features, -bound, bound)
        self.weight = Parameter(_random.shaped(drawn, (out_features, in_features)))
        self.bias = (
            Parameter(_random.shaped(_random.uniform(out_features, -bound, bound), (out_features,))) if bias else None
        )

    def forward(self, x: Any) -> Any:
        """Return the output for inputs."""
        return functional.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Sequential(Module):
    """Modules one behind the other."""

    def __init__(self, *parts: Any) -> None:
        super().__init__()
        named = parts[0].items() if len(parts) == 1 and isinstance(parts[0], dict) else enumerate(parts)
        for name, part in named:
            setattr(self, str(name), part)

    def forward(self, x: Any) -> Any:
        """Return the output of the last module."""
        for part in self:
            x = part(x)
        return x

    def __getitem__(self, index: Any) -> Any:
        parts = [part for _, part in self._parts()]
        return Sequential(*parts[index]) if isinstance(index, slice) else parts[index]

    def __len__(self) -> int:
        return sum(1 for _ in self._parts())

    def __iter__(self) -> Iterator[Module]:
        return (part for _, part in self._parts())


class ModuleList(Sequential):
    """A list of modules."""

    def __init__(self, parts: Any = ()) -> None:
        super().__init__(*parts)

    def append(self, part: Module) -> ModuleList:
        """Add a module at the end."""
        setattr(self, str(len(self)), part)
        return self


def _activation(function: str, **options: Any) -> dict[str, Any]:
    """Return the methods of a module that calls a function, with these options and their usual values."""

    def __init__(self: Any, *given: Any, inplace: bool = False, **named: Any) -> None:
        Module.__init__(self)
        known = dict(zip(options, given, strict=False)) | named
        if len(given) > len(options) or not known.keys() <= options.keys():
            raise TypeError(f"{type(self).__name__} takes {', '.join(options) or 'no options'} here")
        self.__dict__["_options"] = options | known

    def extra_repr(self: Any) -> str:
        return ", ".join(f"{name}={option!r}" for name, option in self._options.items())

    return {
        "__init__": __init__,
        "forward": lambda self, x: getattr(functional, function)(x, **self._options),
        "extra_repr": extra_repr,
        "__module__": __name__,
        "__doc__": f"`{function}` as a module.",
    }


for _name, _methods in {
    "Tanh": _activation("tanh"),
    "ReLU": _activation("relu"),
    "Sigmoid": _activation("sigmoid"),
    "SiLU": _activation("silu"),
    "Softplus": _activation("softplus", beta=1.0, threshold=20.0),
    "LeakyReLU": _activation("leaky_relu", negative_slope=0.01),
    "ELU": _activation("elu", alpha=1.0),
    "GELU": _activation("gelu", approximate="none"),
}.items():
    globals()[_name] = type(_name, (Module,), _methods)
Identity = type("Identity", (Module,), {"forward": lambda _self, x: x, "__doc__": "Its input."})


class Softmax(Module):
    """Shares of exp(x) along an axis."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, x: Any) -> Any:
        """Return the output for inputs."""
        return x.softmax(self.dim)

    def extra_repr(self) -> str:
        """Return the axis."""
        return f"dim={self.dim}"


class Flatten(Module):
    """All axes but the first as one."""

    def forward(self, x: Any) -> Any:
        """Return the output for inputs."""
        return x.view(x.shape[0], -1)


class _Loss(Module):
    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, output: Any, target: Any) -> Any:
        """Return the loss of outputs for targets."""
        return self.function(output, target, reduction=self.reduction)  # type: ignore[attr-defined]


for _name, _loss in (
    ("MSELoss", functional.mse_loss), ("L1Loss", functional.l1_loss), ("BCELoss", functional.binary_cross_entropy),
    ("BCEWithLogitsLoss", functional.binary_cross_entropy_with_logits), ("NLLLoss", functional.nll_loss),
    ("CrossEntropyLoss", functional.cross_entropy),
):  # fmt: skip
    globals()[_name] = type(_name, (_Loss,), {"function": staticmethod(_loss), "__doc__": _loss.__doc__})


def __getattr__(name: str) -> Any:
    raise missing("module 'torch.nn'", name, globals())
