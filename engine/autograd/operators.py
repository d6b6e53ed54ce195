"""The operators and methods that Value gets from the table of operations, for editors and type checkers.

Written by `python -m scripts.write_operators`; a test fails when it is outdated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self


class Operators:
    """Base class of Value; the methods themselves are generated from the table together with Value."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __add__(self, other: Any) -> Self:
            """a + b, `self` being a. A sum passes its gradient on unchanged to both inputs."""

        def __radd__(self, other: Any) -> Self:
            """a + b, `self` being b. A sum passes its gradient on unchanged to both inputs."""

        def __sub__(self, other: Any) -> Self:
            """a - b, `self` being a. A difference passes its gradient on to the first input and the negative of it to
            the second."""

        def __rsub__(self, other: Any) -> Self:
            """a - b, `self` being b. A difference passes its gradient on to the first input and the negative of it to
            the second."""

        def __mul__(self, other: Any) -> Self:
            """a * b, `self` being a. A product gives each input the upstream gradient times the other input."""

        def __rmul__(self, other: Any) -> Self:
            """a * b, `self` being b. A product gives each input the upstream gradient times the other input."""

        def __truediv__(self, other: Any) -> Self:
            """a / b, `self` being a. A quotient multiplies the upstream gradient by 1/b for the numerator and by -a/b²
            for the denominator."""

        def __rtruediv__(self, other: Any) -> Self:
            """a / b, `self` being b. A quotient multiplies the upstream gradient by 1/b for the numerator and by -a/b²
            for the denominator."""

        def __pow__(self, other: Any) -> Self:
            """a ** b, `self` being a. A power brings its exponent down and lowers it by one; the exponent itself gets
            y·log(a)."""

        def __rpow__(self, other: Any) -> Self:
            """a ** b, `self` being b. A power brings its exponent down and lowers it by one; the exponent itself gets
            y·log(a)."""

        def __neg__(self) -> Self:
            """-x. Negation flips the sign of the gradient."""

        def exp(self) -> Self:
            """x.exp() = exp(x). The exponential is its own derivative: it multiplies the upstream gradient by y."""

        def log(self) -> Self:
            """x.log() = log(x). The logarithm multiplies the upstream gradient by 1/x."""

        def sqrt(self) -> Self:
            """x.sqrt() = sqrt(x). The square root multiplies the upstream gradient by 1/(2·√x): steep near 0."""

        def tanh(self) -> Self:
            """x.tanh() = tanh(x). tanh multiplies the upstream gradient by 1 - y²: nearly 0 where it is saturated."""

        def sigmoid(self) -> Self:
            """x.sigmoid() = 1 / (1 + exp(-x)). The sigmoid multiplies the upstream gradient by y·(1 - y): at most a
            quarter."""

        def relu(self) -> Self:
            """x.relu() = max(x, 0.0). ReLU passes the gradient on where x > 0 and stops it elsewhere."""

        def leaky_relu(self) -> Self:
            """x.leaky_relu() = max(x, 0.01 * x). Leaky ReLU passes the whole gradient on where x > 0 and a hundredth of
            it elsewhere."""

        def elu(self) -> Self:
            """x.elu() = where(x > 0, x, expm1(min(x, 0.0))). ELU passes the gradient on where x > 0 and multiplies it
            by exp(x) elsewhere."""

        def softplus(self) -> Self:
            """x.softplus() = max(x, 0.0) + log1p(exp(-abs(x))). Softplus, a smooth ReLU, multiplies the upstream
            gradient by σ(x)."""

        def swish(self) -> Self:
            """x.swish() = x * sigmoid(x). Swish is x·σ(x); its derivative is σ(x)·(1 + x·(1 - σ(x)))."""

        def gelu(self) -> Self:
            """x.gelu() = 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))). GELU (its tanh form, Hendrycks &
            Gimpel 2016) weighs x by a smooth step; product and chain rule at once."""

        def sin(self) -> Self:
            """x.sin() = sin(x). The sine multiplies the upstream gradient by cos(x)."""

        def cos(self) -> Self:
            """x.cos() = cos(x). The cosine multiplies the upstream gradient by -sin(x)."""

        def abs(self) -> Self:
            """abs(x). The absolute value multiplies the upstream gradient by the sign of x."""

        def __abs__(self) -> Self:
            """abs(x). The absolute value multiplies the upstream gradient by the sign of x."""

        def __matmul__(self, other: Any) -> Self:
            """a @ b, `self` being a. A matrix product gives g @ bᵀ to the left factor and aᵀ @ g to the right one."""

        def __rmatmul__(self, other: Any) -> Self:
            """a @ b, `self` being b. A matrix product gives g @ bᵀ to the left factor and aᵀ @ g to the right one."""
