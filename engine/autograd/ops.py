"""THE table of operations: value, partials, domain and words of each, stated once.

The engine, the language, the gradient checks, the explanations, the fast program, the exports and Help > Operations all
read this table; a new operation is one entry here. Formulas are text, and the text that is shown is the
text that runs (`formula.py`). Their vocabulary:

* `x` the input of a unary operation; `a`, `b` of a binary one; `y` the output; `g` the gradient of the root with
  respect to `y`;
* variadic operations (`logsumexp`) take a list `x`; their one partial is written for one element `x` of it;
* paired operations (`weighted_sum`) take two lists `w`, `x` of one length and a number `b`; their three partials are
  written for one pair `w`, `x`, and for `b`;
* an expansion computes with lists element by element, and `sum` adds one up;
* functions: those of `formula.py`, and every other one of `math` and numpy by its bare name.

`partials` are local derivatives, one for each input; array operations that mix elements state `vjps` (vector-Jacobian
products) instead. Where a derivative does not exist the `kink` says which subgradient is used.

A custom operation needs no entry here; `apply` runs it, forward and backward, for numbers and arrays:

>>> from engine.autograd import Op, Value, apply
>>> cube = Op("cube", "x**3", ("3 * x**2",), rule="A cube multiplies the upstream gradient by 3·x².")
>>> x = Value(2.0)
>>> y = apply(cube, x) + 1
>>> y.backward()
>>> y.data, x.grad
(9.0, 12.0)

Added to the table, it is a method of every Value, and with `activation=True` a layer may use it:

>>> from engine.autograd import add_operation
>>> add_operation(Op("arctan", "arctan(x)", ("1 / (1 + x**2)",), activation=True))
>>> Value(1.0).arctan()
Value(data=0.7854, grad=0.0000)
>>> from engine.network import MLP
>>> MLP(2, [3, 1], activation="arctan").activations
('arctan', 'linear')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

from engine.autograd import formula
from engine.autograd.data import index_text

Range = tuple[float, float]


@dataclass(frozen=True)
class Domain:
    """Domain of an operation.

    Attributes:
        condition: formula in the inputs that is true where the operation is defined; empty: everywhere.
        problem: message for a learner where it is not defined.
        samples: a range for each input from which checks draw their points.
    """

    condition: str = ""
    problem: str = ""
    samples: tuple[Range, ...] = ((-2.5, 2.5), (-2.5, 2.5))


REAL = Domain()
POSITIVE = Domain("x > 0", "log is defined for positive numbers only", ((0.2, 4.0),))
NON_NEGATIVE = Domain("x >= 0", "sqrt is defined for numbers from 0 up", ((0.2, 4.0),))
DIVISOR = Domain("b != 0", "division by zero", ((-2.5, 2.5), (0.4, 2.5)))
POWER = Domain(
    "a > 0 or (a == 0 and b >= 0) or (a != 0 and b == b // 1)",
    "a power needs a positive base, or a whole exponent (and 0 has no negative powers)",
    ((0.3, 2.5), (-2.0, 2.5)),
)


@dataclass(frozen=True, eq=False)
class Op:
    """One operation with all its formulas and words. Pickled by name when it is in the table.

    Attributes:
        name: its name in the language, in files and in code.
        value: formula of the output.
        partials: formula of the local derivative for each input.
        vjps: for array operations, formula of the gradient for each input.
        symbol: text in the circle of the graph; the name if empty.
        infix: its Python operator, such as `+`.
        domain: where it is defined.
        kink: formula that is zero where the derivative does not exist.
        at_kink: the subgradient used there, in words.
        infinite_at: where the derivative is infinite, in words.
        kink_of: the only input whose derivative is undefined at the kink; empty: every input.
        nonzero: formula that is true where the exact result is not 0, so that a 0 is a rounded smaller number.
        rule: the derivative rule in one sentence for a learner.
        expansion: the same operation in simpler ones of its inputs: lines `name = formula`, the last one `y = ...`.
        activation: a layer may use it.
        title: its name in menus; the name if empty.
        variadic: it takes any number of inputs.
        paired: its inputs are pairs of a weight and an input, and a bias.
        synonyms: its names in other libraries.
        shapes: the arrays that fit together, in words; empty: arrays that can be broadcast.
        needs_elements: an array without elements has no result.
        settings: arguments besides its inputs, such as the axis of a sum: (name in the formulas, value).
        pull: custom rule that adds to the gradients of the inputs instead of the partials; None: the partials.

    Raises:
        ValueError: when there is not one derivative for each of its one or two inputs.
    """

    name: str
    value: str
    partials: tuple[str, ...] = ()
    vjps: tuple[str, ...] = ()
    symbol: str = ""
    infix: str = ""
    domain: Domain = REAL
    kink: str = ""
    at_kink: str = ""
    infinite_at: str = ""
    kink_of: str = ""
    nonzero: str = ""
    rule: str = ""
    expansion: str = ""
    activation: bool = False
    title: str = ""
    variadic: bool = False
    paired: bool = False
    synonyms: tuple[str, ...] = ()
    shapes: str = ""
    needs_elements: bool = False
    settings: tuple[tuple[str, Any], ...] = ()
    pull: Callable[[], None] | None = None

    def __post_init__(self) -> None:
        derivatives, wanted = len(self.partials) + len(self.vjps), {3} if self.paired else {1, 2}
        if (self.partials and self.vjps) or derivatives not in ({1} if self.variadic and not self.paired else wanted):
            raise ValueError(
                f"the operation {self.name!r} needs partials, or vjps for arrays: one for each of its one or two inputs"
            )

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names of the inputs in the formulas."""
        if self.paired:
            return ("w", "x", "b")
        return ("x",) if len(self.partials or self.vjps) == 1 else ("a", "b")

    @property
    def arity(self) -> int | None:
        """Number of inputs, None for any number."""
        return None if self.variadic else len(self.arguments)

    @property
    def elementwise(self) -> bool:
        """True when an array is treated element by element (partials, no vjps)."""
        return not self.vjps and not self.variadic

    @property
    def affine(self) -> bool:
        """True when its formulas are w·x + b: several with the same inputs are then one matrix product."""
        return self.paired and (self.value, self.partials) == ("dot(w, x) + b", ("x", "w", "1"))

    @property
    def index_text(self) -> str:
        """Text between the brackets of an indexing operation; empty for every other."""
        settings = dict(self.settings)
        return index_text(settings["index"]) if "index" in settings else ""

    @property
    def text(self) -> str:
        """Text in the circle of the graph."""
        return self.symbol or self.name

    def __repr__(self) -> str:
        return f"<Op {self.name}>"

    def __copy__(self) -> Op:
        return self  # an Op is immutable

    def __deepcopy__(self, memo: Any) -> Op:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if OPS.get(self.name) is self:
            return entry, (self.name,)
        return Op, tuple(getattr(self, field.name) for field in fields(self))

    def _arrays(self, text: str, *more: str) -> Callable[..., Any]:
        """A formula as a function of arrays; the settings are filled in."""
        settings = dict(self.settings)
        function = formula.array_function(text, ", ".join((*self.arguments, *more, *settings)))
        return partial(function, **settings) if settings else function

    @cached_property
    def scalar(self) -> Callable[..., Any]:
        """The value as a function of floats."""
        return formula.scalar_function(self.value, ", ".join(self.arguments))

    @cached_property
    def array(self) -> Callable[..., Any]:
        """The value as a function of float64 arrays."""
        return self._arrays(self.value)

    @cached_property
    def complex(self) -> Callable[..., Any]:
        """The value as a function of complex numbers, for the complex-step check."""
        return formula.complex_function(self.value, ", ".join(self.arguments))

    @cached_property
    def scalar_partials(self) -> tuple[Callable[..., Any], ...]:
        """The local derivatives as functions of the inputs and `y`, all floats."""
        return tuple(formula.scalar_function(p, ", ".join((*self.arguments, "y"))) for p in self.partials)

    @cached_property
    def array_vjps(self) -> tuple[Callable[..., Any], ...]:
        """Gradients for the inputs as functions of the inputs, `y` and `g`, all arrays."""
        products = self.vjps or tuple("g" if p == "1" else f"g * ({p})" for p in self.partials)
        return tuple(self._arrays(text, "y", "g") for text in products)

    @cached_property
    def defined(self) -> Callable[..., Any]:
        """Function of float inputs; True where the operation is defined."""
        return formula.scalar_function(self.domain.condition or "True", ", ".join(self.arguments))

    @cached_property
    def exactly_nonzero(self) -> Callable[..., Any]:
        """Function of float inputs; True where the exact result is known not to be 0."""
        return formula.scalar_function(self.nonzero or "False", ", ".join(self.arguments))

    @cached_property
    def distance_to_kink(self) -> Callable[..., Any]:
        """A function of the float inputs whose zeros are the kinks."""
        return formula.scalar_function(self.kink or "1.0", ", ".join(self.arguments))


ALL_ELEMENTS = (("axis", None), ("keepdims", False))
"""The settings of a reduction to one number."""

_TABLE = (
    Op("add", "a + b", ("1", "1"), symbol="+", infix="+",
       rule="A sum passes its gradient on unchanged to both inputs."),
    Op("sub", "a - b", ("1", "-1"), symbol="-", infix="-",
       rule="A difference passes its gradient on to the first input and the negative of it to the second."),
    Op("mul", "a * b", ("b", "a"), symbol="×", infix="*", nonzero="a != 0 and b != 0",
       rule="A product gives each input the upstream gradient times the other input."),
    Op("div", "a / b", ("1 / b", "-a / b**2"), symbol="÷", infix="/", domain=DIVISOR, nonzero="a != 0",
       rule="A quotient multiplies the upstream gradient by 1/b for the numerator and by -a/b² for the denominator."),
    Op("pow", "a**b", ("where(b == 0, 0.0, b * a**(b - 1))", "where(a == 0, 0.0, y * log(a))"), symbol="^",
       infix="**", domain=POWER, nonzero="a != 0", synonyms=("power",), kink="a", kink_of="b",
       at_kink="at a = 0 the exponent gets the gradient 0; for a < 0 it has none (nan)",
       rule="A power brings its exponent down and lowers it by one; the exponent itself gets y·log(a)."),
    Op("neg", "-x", ("-1",), symbol="-", infix="-", rule="Negation flips the sign of the gradient."),
    Op("exp", "exp(x)", ("y",), nonzero="True",
       rule="The exponential is its own derivative: it multiplies the upstream gradient by y."),
    Op("log", "log(x)", ("1 / x",), domain=POSITIVE, synonyms=("ln",),
       rule="The logarithm multiplies the upstream gradient by 1/x."),
    Op("sqrt", "sqrt(x)", ("0.5 / y",), symbol="√", domain=NON_NEGATIVE,
       infinite_at="x = 0",
       rule="The square root multiplies the upstream gradient by 1/(2·√x): steep near 0."),
    Op("tanh", "tanh(x)", ("1 - y**2",), activation=True, title="tanh",
       expansion="e = exp(2 * x)\ny = (e - 1) / (e + 1)",
       rule="tanh multiplies the upstream gradient by 1 - y²: nearly 0 where it is saturated."),
    Op("sigmoid", formula.SIGMOID, ("y * (1 - y)",), symbol="σ", activation=True,
       expansion="e = exp(-x)\ny = 1 / (1 + e)",
       rule="The sigmoid multiplies the upstream gradient by y·(1 - y): at most a quarter."),
    Op("relu", "max(x, 0.0)", ("where(x > 0, 1.0, 0.0)",), symbol="ReLU", activation=True, title="ReLU",
       kink="x", at_kink="0 at x = 0", expansion="y = max(x, 0)",
       rule="ReLU passes the gradient on where x > 0 and stops it elsewhere."),
    Op("leaky_relu", "max(x, 0.01 * x)", ("where(x > 0, 1.0, 0.01)",), symbol="LReLU", activation=True,
       title="Leaky ReLU", kink="x", at_kink="0.01 at x = 0", expansion="y = max(x, 0.01 * x)",
       rule="Leaky ReLU passes the whole gradient on where x > 0 and a hundredth of it elsewhere."),
    Op("elu", "where(x > 0, x, expm1(min(x, 0.0)))", ("exp(min(x, 0.0))",), symbol="ELU", activation=True,
       title="ELU", expansion="y = max(x, 0) + exp(min(x, 0)) - 1",
       rule="ELU passes the gradient on where x > 0 and multiplies it by exp(x) elsewhere."),
    Op("softplus", "max(x, 0.0) + log1p(exp(-abs(x)))", ("sigmoid(x)",), symbol="soft+", activation=True,
       expansion="y = log(1 + exp(x))", rule="Softplus, a smooth ReLU, multiplies the upstream gradient by σ(x)."),
    Op("swish", "x * sigmoid(x)", ("sigmoid(x) * (1 + x * (1 - sigmoid(x)))",), activation=True, synonyms=("silu",),
       expansion="s = 1 / (1 + exp(-x))\ny = x * s",
       rule="Swish is x·σ(x); its derivative is σ(x)·(1 + x·(1 - σ(x)))."),
    Op("gelu", "0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))",
       ("0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))"
        " + 0.5 * x * (1 - tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))**2) * sqrt(2 / pi) * (1 + 0.134145 * x**2)",),
       symbol="GELU", activation=True, title="GELU",
       expansion="t = tanh(0.7978845608028654 * (x + 0.044715 * x**3))\ny = 0.5 * x * (1 + t)",
       rule="GELU (its tanh form, Hendrycks & Gimpel 2016) weighs x by a smooth step; product and chain rule at once."),
    Op("sin", "sin(x)", ("cos(x)",), rule="The sine multiplies the upstream gradient by cos(x)."),
    Op("cos", "cos(x)", ("-sin(x)",), rule="The cosine multiplies the upstream gradient by -sin(x)."),
    Op("abs", "abs(x)", ("where(x > 0, 1.0, where(x < 0, -1.0, 0.0))",), symbol="|x|", kink="x",
       at_kink="0 at x = 0", rule="The absolute value multiplies the upstream gradient by the sign of x."),
    Op("max", "max(a, b)", ("where(a > b, 1.0, where(a == b, 0.5, 0.0))",
        "where(b > a, 1.0, where(a == b, 0.5, 0.0))"), synonyms=("maximum",),
       kink="a - b", at_kink="half to each at a = b",
       rule="The maximum passes its gradient on to the larger input alone."),
    Op("min", "min(a, b)", ("where(a < b, 1.0, where(a == b, 0.5, 0.0))",
        "where(b < a, 1.0, where(a == b, 0.5, 0.0))"), synonyms=("minimum",),
       kink="a - b", at_kink="half to each at a = b",
       rule="The minimum passes its gradient on to the smaller input alone."),
    Op("weighted_sum", "dot(w, x) + b", ("x", "w", "1"), symbol="Σ", variadic=True, paired=True,
       expansion="p = w * x\ny = sum(p) + b",
       rule="A weighted sum gives each weight the upstream gradient times its input, and each input times its weight."),
    Op("logsumexp", "logsumexp(x)", ("exp(x - y)",), variadic=True, expansion="e = exp(x)\ny = log(sum(e))",
       rule="logsumexp multiplies the upstream gradient by exp(x - y), the softmax share of each input."),
    Op("matmul", "a @ b", vjps=("matmul_left(g, a, b)", "matmul_right(g, a, b)"), symbol="@", infix="@",
       shapes="@ multiplies vectors and matrices whose last length on the left is the first on the right; write * for "
       "a single number", rule="A matrix product gives g @ bᵀ to the left factor and aᵀ @ g to the right one."),
    Op("transpose", "transpose(x)", vjps=("transpose(g)",), symbol="ᵀ",
       rule="A transposition passes the gradient on transposed."),
    Op("sum", "sum(x, axis, keepdims)", vjps=("spread(g, x, axis, keepdims)",), symbol="Σ", settings=ALL_ELEMENTS,
       rule="A sum passes its gradient on to every element."),
    Op("mean", "sum(x, axis, keepdims) / count(x, axis)", vjps=("spread(g, x, axis, keepdims) / count(x, axis)",),
       settings=ALL_ELEMENTS, rule="A mean gives every element its share, the gradient divided by their number."),
    Op("amax", "amax(x, axis, keepdims)", vjps=("share(g, x, y, axis, keepdims)",), symbol="max",
       settings=ALL_ELEMENTS, needs_elements=True,
       rule="The largest element gets the whole gradient; several that are largest share it."),
    Op("amin", "amin(x, axis, keepdims)", vjps=("share(g, x, y, axis, keepdims)",), symbol="min",
       settings=ALL_ELEMENTS, needs_elements=True,
       rule="The smallest element gets the whole gradient; several that are smallest share it."),
    Op("getitem", "take(x, index)", vjps=("scatter(g, x, index)",), symbol="[ ]", settings=(("index", ...),),
       rule="An index gives each gradient back to the place it was taken from; a place taken twice gets both."),
    Op("logsumexp_rows", "logsumexp(x)", vjps=("column(g) * exp(x - column(y))",), symbol="logsumexp",
       rule="logsumexp gives each element of a row its softmax share of the row's gradient."),
)  # fmt: skip

OPS: dict[str, Op] = {op.name: op for op in _TABLE}
"""Every operation by name, in the order in which a learner meets them."""


def entry(name: str) -> Op:
    """The table's operation of this name, which a pickle refers to.

    Raises:
        LookupError: when there is none.
    """
    if name not in OPS:
        raise LookupError(f"there is no operation {name!r} in the table here; put it into OPS before loading this")
    return OPS[name]


INFIX: Mapping[str, Op] = MappingProxyType({op.infix: op for op in _TABLE if op.infix and op.arity == 2})
"""The infix operations, by their Python operator."""

# Those that Value and the network apply without an operator to look them up by.
WEIGHTED_SUM, LOGSUMEXP, LOGSUMEXP_ROWS = OPS["weighted_sum"], OPS["logsumexp"], OPS["logsumexp_rows"]
TRANSPOSE, SUM, MEAN, LARGEST, SMALLEST = OPS["transpose"], OPS["sum"], OPS["mean"], OPS["amax"], OPS["amin"]
MAXIMUM, MINIMUM, ABSOLUTE = OPS["max"], OPS["min"], OPS["abs"]


def along_axis(op: Op, axis: int | tuple[int, ...] | None, keepdims: bool = False) -> Op:
    """A reduction along some axes, derived from the table's entry for all elements.

    Args:
        op: SUM, MEAN, LARGEST or SMALLEST.
        axis: one or several, from 0 (not negative); None: all.
        keepdims: keep these axes, with the length 1.
    """
    if axis is None and not keepdims:
        return op
    return replace(op, settings=(("axis", axis), ("keepdims", keepdims)))


def at_index(index: Any) -> Op:
    """The operation that picks the elements at `index`, any index numpy accepts."""
    return replace(OPS["getitem"], settings=(("index", index),))


def custom_operation(name: str, n_inputs: int) -> Op:
    """Return a custom operation; its value is given, its rule is set later (see `with_rule`)."""
    if n_inputs > 2:
        return Op(name, "0 * logsumexp(x)", ("0 * x",), variadic=True, rule=OWN_RULE)
    partials = ("0 * x",) if n_inputs == 1 else ("0 * a", "0 * b")
    return Op(name, " + ".join(partials), partials, rule=OWN_RULE)


def with_rule(op: Op, rule: Callable[[], None]) -> Op:
    """Return an operation that passes gradients on by a custom rule."""
    return replace(op, pull=rule)


OWN_RULE = "A custom operation passes its gradient on by its own rule."
