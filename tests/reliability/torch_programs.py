"""Random programs with gradients, as learners write them, that Gradstep and PyTorch both can run.

Of three kinds: single Values as in micrograd, Values that hold arrays, and tensors of torch. A program prints JSON
lines: name, data and gradient of its variables, after each backward pass and at its end.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Shape = tuple[int, ...]
NUMBER, VECTOR, MATRIX = (), (3,), (2, 3)
KINDS = ("numbers", "arrays", "tensors")
SAFE = ("tanh", "sigmoid", "relu", "sin", "cos", "abs", "softplus")
OF_VALUES = ("leaky_relu", "elu", "swish", "gelu")
OF_TENSORS = (
    "F.leaky_relu({0})", "F.leaky_relu({0}, 0.2)", "F.elu({0})", "F.elu({0}, alpha=1.5)", "F.silu({0})", "F.gelu({0})",
    "F.gelu({0}, approximate='tanh')", "torch.nn.GELU()({0})", "torch.nn.LeakyReLU(0.3)({0})", "torch.square({0})",
    "F.softplus({0})", "F.softplus({0}, beta=2.0)", "torch.nn.Sequential(torch.nn.Tanh(), torch.nn.ELU(0.5))({0})",
)  # fmt: skip
OPTIMIZERS = (
    "SGD({0}, lr=0.1)", "SGD({0}, lr=0.05, momentum=0.9)", "SGD({0}, lr=0.1, momentum=0.8, nesterov=True)",
    "SGD({0}, lr=0.1, weight_decay=0.01)", "Adam({0}, lr=0.1)", "Adam({0}, lr=0.05, betas=(0.8, 0.9), eps=1e-6)",
    "AdamW({0}, lr=0.1)", "Adam({0}, lr=0.1, weight_decay=0.1)",
)  # fmt: skip


@dataclass(eq=False)
class Variable:
    """A name of the program.

    Attributes:
        name: of the variable.
        shape: of its data.
        leaf: it was made of written numbers, and its gradient is wanted.
        tracked: gradients pass through it.
    """

    name: str
    shape: Shape
    leaf: bool = False
    tracked: bool = True


class Writer:
    """Writes one program."""

    def __init__(self, rng: random.Random, kind: str) -> None:
        self.rng, self.kind = rng, kind
        self.lines: list[str] = []
        self.known: list[Variable] = []
        self.count = 0
        self.indent = ""

    @property
    def tensors(self) -> bool:
        return self.kind == "tensors"

    def write(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def new(self, text: str, shape: Shape, *, leaf: bool = False, tracked: bool = True) -> Variable:
        """Write an assignment to a new name."""
        name = f"{'abcdwx'[self.rng.randrange(6)]}{self.count}"
        self.count += 1
        self.write(f"{name} = {text}")
        made = Variable(name, shape, leaf, tracked)
        self.known.append(made)
        return made

    # Numbers and leaves

    def number(self) -> str:
        choices = [str(self.rng.randint(-2, 3)), f"{self.rng.uniform(-2, 2):.2f}", f"{self.rng.uniform(-1, 1):.4f}"]
        return self.rng.choice(choices)

    def written(self, shape: Shape) -> str:
        """Return a nested list of numbers; some of them equal, so that kinks and ties are met."""
        if not shape:
            return repr(float(self.number()))
        return "[" + ", ".join(self.written(shape[1:]) for _ in range(shape[0])) + "]"

    def leaf(self, shape: Shape) -> Variable:
        numbers = self.written(shape)
        if self.tensors:
            forms = [
                f"torch.tensor({numbers}, dtype=torch.float64, requires_grad=True)",
                f"torch.tensor({numbers}, dtype=torch.double).requires_grad_()",
                f"torch.nn.Parameter(torch.tensor({numbers}, dtype=torch.float64))",
            ]
            return self.new(self.rng.choice(forms), shape, leaf=True)
        return self.new(f"Value({numbers})", shape, leaf=True)

    # Expressions

    def expression(self, shape: Shape, depth: int) -> str:
        """Return an expression of this shape, of values that are there."""
        here = [each for each in self.known if each.shape == shape]
        recent = here[-3:]
        if not depth or self.rng.random() < 0.12:
            if here and self.rng.random() < 0.92:
                return self.rng.choice([*here, *recent]).name
            if not here and shape and self.known:
                broader = [each.name for each in self.known if each.shape == NUMBER]
                numbers = self.constant(shape)
                return f"({numbers} * {self.rng.choice(broader)})" if broader else numbers
            return self.number() if not shape else self.constant(shape)
        forms: list[Callable[[Shape, int], str]] = [self.two, self.two, self.two, self.one, self.one, self.power]
        if self.kind != "numbers":
            forms += [self.shaped, self.shaped, self.shaped]
        return self.rng.choice(forms)(shape, depth - 1)

    def constant(self, shape: Shape) -> str:
        numbers = self.written(shape)
        return f"torch.tensor({numbers}, dtype=torch.float64)" if self.tensors else f"np.array({numbers})"

    def valued(self, shape: Shape, depth: int) -> str:
        """Return an expression that surely is a Value or tensor: a method can be called on it."""
        text = self.expression(shape, depth)
        here = [each for each in self.known if each.shape == shape]
        if here:
            return f"({self.rng.choice(here).name} {self.rng.choice('+-*')} {text})"
        return f"({self.scalar_name()} * {self.constant(shape)})" if shape else self.scalar_name()

    def scalar_name(self) -> str:
        numbers = [each.name for each in self.known if each.shape == NUMBER]
        return self.rng.choice(numbers)

    def two(self, shape: Shape, depth: int) -> str:
        other = shape
        if shape and self.rng.random() < 0.4:
            other = self.rng.choice([NUMBER, shape[1:]])
        first, second = self.expression(shape, depth), self.expression(other, depth)
        if other == shape and self.rng.random() < 0.1:
            first, second = self.valued(shape, depth), self.valued(shape, depth)
            name = self.rng.choice(["max", "min"])
            return f"torch.{name}imum({first}, {second})" if self.tensors else f"{first}.{name}({second})"
        sign = self.rng.choice(["+", "+", "-", "*", "*", "/"])
        if sign == "/":
            second = f"({second} * {second} + {self.rng.choice(['0.5', '1', '2'])})"
        if self.rng.random() < 0.5 and sign in "+*" and self.rng.random() < 0.5:
            first, second = second, first
        return f"({first} {sign} {second})"

    def one(self, shape: Shape, depth: int) -> str:
        inner = self.valued(shape, depth)
        name = self.rng.choice(SAFE)
        if self.rng.random() < 0.3:
            name = self.rng.choice(OF_TENSORS if self.tensors else OF_VALUES)
            if self.tensors:
                return name.format(inner)
        if name == "softplus" and self.tensors:
            return f"F.softplus({inner})"
        roll = self.rng.random()
        if roll < 0.15:
            return f"(-{inner})"
        if roll < 0.3:
            return f"({inner}.tanh() * 2).exp()"
        if roll < 0.4:
            return f"({inner}**2 + {self.rng.choice(['0.3', '1', '2.5'])}).{self.rng.choice(['log', 'sqrt'])}()"
        if name == "abs" and self.rng.random() < 0.5:
            return f"abs({inner})"
        if self.rng.random() < 0.3 and name not in ("abs",):
            return f"torch.{name}({inner})" if self.tensors else f"{name}({inner})"
        return f"{inner}.{name}()"

    def power(self, shape: Shape, depth: int) -> str:
        inner = self.valued(shape, depth)
        forms = [f"{inner}**2", f"{inner}**3", f"({inner}**2 + 0.5)**0.5", f"({inner}**2 + 1)**-1",
                 f"2**{inner}.tanh()", f"({inner}**2 + 0.5)**{self.valued(shape, 0)}.sin()"]  # fmt: skip
        return f"({self.rng.choice(forms)})"

    def shaped(self, shape: Shape, depth: int) -> str:
        """Return an operation that changes the shape, or a matrix product."""
        keep = "keepdim" if self.tensors else "keepdims"
        axis = "dim" if self.tensors else "axis"
        pick = self.rng.choice
        reductions = ("sum", "sum", "mean", "amax", "amin") if self.tensors else ("sum", "sum", "mean", "max", "min")
        if not shape:
            inner = self.valued(pick([VECTOR, MATRIX]), depth)
            forms = [f"{inner}.{pick(['sum', 'mean'])}()", f"{inner}.{pick(['max', 'min'])}()"]
            vector = self.valued(VECTOR, depth)
            forms += [f"{vector}[{pick([0, 1, -1])}]", f"({vector} @ {self.valued(VECTOR, depth)})"]
            if self.tensors:
                forms += [
                    f"F.mse_loss({vector}, {self.constant(VECTOR)})",
                    f"F.cross_entropy({self.valued(MATRIX, depth)}, torch.tensor([{pick([0, 1])}, 2]))",
                    f"F.binary_cross_entropy_with_logits({vector}, torch.tensor([1, 0, 1], dtype=torch.float64))",
                    f"F.l1_loss({vector}, {self.constant(VECTOR)})",
                    f"torch.dot({vector}, {self.valued(VECTOR, 0)})",
                    f"{inner}.var()", f"torch.logsumexp({vector}, dim=0)",
                ]  # fmt: skip
            return str(pick(forms))
        if shape == VECTOR:
            inner = self.valued(MATRIX, depth)
            forms = [f"{inner}.{pick(reductions)}({axis}=0)", f"{inner}[{pick([0, 1, -1])}]", f"{inner}.sum({axis}=0)"]
            forms += [f"({self.valued((2,), depth)} @ {inner})"]
            if self.tensors:
                forms += [
                    f"torch.stack([{', '.join(self.valued(NUMBER, depth) for _ in range(3))}])",
                    f"{inner}.max(dim=0).values", f"F.softmax({self.valued(VECTOR, depth)}, dim=0)",
                    f"{self.valued(VECTOR, depth)}.clamp(-1, 1.5)", f"{inner}.view(-1)[1:4]",
                    f"torch.where({self.valued(VECTOR, 0)} > 0, {self.valued(VECTOR, depth)}, "
                    f"{self.valued(VECTOR, depth)})", f"{inner}.reshape(3, 2)[:, 0]",
                ]  # fmt: skip
            else:
                forms += [f"{inner}[[0, 1, 1], [2, 0, 0]]", f"{self.valued(VECTOR, depth)}[[2, 0, 2]]"]
            return str(pick(forms))
        if shape == MATRIX:
            inner = self.valued(MATRIX, depth)
            forms = [
                f"({self.valued((2, 2), depth)} @ {inner})", f"({inner} @ {self.valued((3, 3), depth)})",
                f"({inner} - {inner}.{pick(reductions)}({axis}=1, {keep}=True))",
                f"({self.valued((3, 2), depth)}).T",
            ]  # fmt: skip
            if self.tensors:
                forms += [
                    f"F.softmax({inner}, dim=1)", f"torch.cat([{self.valued(VECTOR, depth)}.unsqueeze(0), "
                    f"{self.valued(VECTOR, depth)}.view(1, 3)], dim=0)", f"F.log_softmax({inner}, dim=-1)",
                    f"torch.stack([{self.valued(VECTOR, depth)}, {self.valued(VECTOR, depth)}])",
                ]  # fmt: skip
            return str(pick(forms))
        return self.two(shape, depth)

    # Statements

    def statement(self) -> None:
        kinds = [self.assign, self.assign, self.assign, self.accumulate, self.loop, self.branch, self.function]
        kinds += [self.several, self.detached, self.backward, self.update]
        self.rng.choice(kinds)()

    def shape(self) -> Shape:
        return NUMBER if self.kind == "numbers" else self.rng.choice([NUMBER, NUMBER, VECTOR, MATRIX])

    def assign(self) -> None:
        shape = self.shape()
        self.new(self.valued(shape, self.rng.randint(1, 2)), shape)

    def changeable(self) -> Variable | None:
        found = [each for each in self.known if not each.leaf and each.tracked]
        return self.rng.choice(found[-4:]) if found else None

    def accumulate(self) -> None:
        """Write `v += ...` for a computed value."""
        each = self.changeable()
        if each is not None:
            sign = self.rng.choice(["+=", "+=", "-=", "*="])
            self.write(f"{each.name} {sign} {self.valued(each.shape, 1)}")

    def loop(self) -> None:
        shape = self.shape()
        total = self.new(self.valued(shape, 1), shape)
        name = total.name
        body = [f"{name} = ({name} * {self.valued(shape, 0)}).tanh() + {self.valued(shape, 1)}",
                f"{name} += {self.valued(shape, 1)} * (i + 1)",
                f"{name} = {name} / (i + 2) + {self.valued(shape, 0)}"]  # fmt: skip
        self.write(f"for i in range({self.rng.randint(1, 4)}):")
        self.write(f"    {self.rng.choice(body)}")
        if self.rng.random() < 0.3:
            self.write(f"    if i == {self.rng.randint(0, 2)}:")
            self.write("        " + self.rng.choice(["continue", "break", f"{name} = {name} * 0.5"]))

    def number_of(self, each: Variable) -> str:
        if each.shape:
            return f"{each.name}.sum().item()"
        return f"{each.name}.item()" if self.tensors else f"{each.name}.data"

    def branch(self) -> None:
        shape, asked = self.shape(), self.rng.choice(self.known)
        first, second = self.valued(shape, 1), self.valued(shape, 1)
        made = self.new(self.valued(shape, 0), shape)
        self.write(f"if {self.number_of(asked)} > {self.rng.choice(['0', '0.5', '-1'])}:")
        self.write(f"    {made.name} = {first}")
        if self.rng.random() < 0.7:
            self.write("else:")
            self.write(f"    {made.name} = {made.name} + {second}")

    def function(self) -> None:
        shape = self.shape()
        name = f"f{self.count}"
        inner = self.rng.choice(["(p * q + p).tanh()", "p * p - q", "(p - q)**2", "abs(p) * q.sigmoid()"])
        self.write(f"def {name}(p, q):")
        self.write(f"    h = {inner}")
        self.write("    return h * p + h")
        self.new(f"{name}({self.valued(shape, 1)}, {self.valued(shape, 1)})", shape)

    def several(self) -> None:
        """Write a list of values and its sum."""
        parts = ", ".join(self.valued(NUMBER, 1) for _ in range(self.rng.randint(2, 4)))
        form = self.rng.choice(["sum([{0}])", "sum(p * p for p in [{0}])", "sum([p.tanh() for p in ({0})])"])
        self.new(form.format(parts), NUMBER)

    def detached(self) -> None:
        """Write numbers that gradients do not pass."""
        each = self.rng.choice(self.known)
        if self.tensors:
            if self.rng.random() < 0.5:
                self.write("with torch.no_grad():")
                self.indent = "    "
                self.new(self.valued(each.shape, 1), each.shape, tracked=False)
                self.indent = ""
            else:
                self.new(f"{each.name}.detach() * 2", each.shape, tracked=False)
            return
        self.new(f"Value({each.name}.data)", each.shape, leaf=True)

    def leaves(self) -> list[Variable]:
        return [each for each in self.known if each.leaf]

    def show(self, variables: Sequence[Variable]) -> None:
        for each in variables:
            name = each.name
            if self.tensors:
                grad = f"None if {name}.grad is None else {name}.grad.tolist()" if each.leaf else "None"
                self.write(f"print(json.dumps(['{name}', {name}.tolist(), {grad}]))")
            elif each.shape:
                self.write(f"print(json.dumps(['{name}', {name}.data.tolist(), np.array({name}.grad).tolist()]))")
            else:
                self.write(f"print(json.dumps(['{name}', {name}.data, {name}.grad]))")

    def backward(self) -> None:
        """Write a loss and its backward pass; gradients of leaves add up over several."""
        loss = self.loss()
        again = "retain_graph=True" if self.tensors else ""
        self.write(f"{loss}.backward({again})")
        if self.rng.random() < 0.3:
            self.write(f"{loss}.backward({again})")
        if self.rng.random() < 0.5:
            self.show(self.leaves()[:3])
        if self.rng.random() < 0.3:
            for each in self.leaves():
                self.zero(each)

    def loss(self) -> str:
        first = self.leaves()[self.rng.randrange(len(self.leaves()))]
        part = f"{first.name}.sum()" if first.shape else first.name
        return self.new(f"({self.valued(NUMBER, 1)}) + {part} * 0.5", NUMBER).name

    def zero(self, each: Variable) -> None:
        if self.tensors:
            self.write(self.rng.choice([f"{each.name}.grad = None",
                                        f"if {each.name}.grad is not None: {each.name}.grad.zero_()"]))  # fmt: skip
        else:
            self.write(f"{each.name}.grad = {self.rng.choice(['0.0', '0', 'None']) if not each.shape else 'None'}")

    def update(self) -> None:
        """Write steps of training of some leaves, with the loss computed in the loop; what depends on them is gone."""
        leaves = self.rng.sample(self.leaves(), min(2, len(self.leaves())))
        before = list(self.known)
        self.known = [each for each in self.known if each.leaf]
        optimised = self.tensors and self.rng.random() < 0.5
        if optimised:
            optimizer = self.rng.choice(OPTIMIZERS).format(f"[{', '.join(each.name for each in leaves)}]")
            self.write(f"optimizer = torch.optim.{optimizer}")
        self.write(f"for step in range({self.rng.randint(1, 3)}):")
        self.indent = "    "
        loss = self.loss()
        if optimised:
            self.write("optimizer.zero_grad()")
            self.write(f"{loss}.backward()")
            self.write("optimizer.step()")
            self.indent = ""
            self.known = [each for each in before if each.leaf]
            return
        if self.rng.random() < 0.7:
            for each in leaves:
                self.zero(each)
        self.write(f"{loss}.backward()")
        rate = self.rng.choice(["0.1", "0.01", "0.5"])
        if self.tensors:
            self.write("with torch.no_grad():")
            for each in leaves:
                change = f"{rate} * ({each.name}.grad if {each.name}.grad is not None else 0)"
                self.write(f"    {each.name} -= {change}")
        else:
            for each in leaves:
                self.write(f"{each.name}.data {self.rng.choice(['-=', '-=', '+='])} {rate} * {each.name}.grad")
        self.indent = ""
        self.known = [each for each in before if each.leaf]

    def program(self) -> str:
        """Return a whole program."""
        self.write("import json")
        if self.tensors:
            self.write("import torch")
            self.write("import torch.nn.functional as F")
        elif self.kind == "arrays":
            self.write("import numpy as np")
        for shape in [NUMBER, NUMBER] if self.kind == "numbers" else [NUMBER, VECTOR, MATRIX]:
            self.leaf(shape)
        for _ in range(self.rng.randint(0, 2)):
            self.leaf(self.shape())
        for _ in range(self.rng.randint(2, 8)):
            self.statement()
        self.backward()
        self.show([each for each in self.known if each.leaf or each.tracked])
        return "\n".join(self.lines) + "\n"


def program(seed: int) -> tuple[str, str]:
    """Return the kind and the text of the program with a number."""
    kind = KINDS[seed % len(KINDS)]
    return kind, Writer(random.Random(f"beside torch {seed}"), kind).program()
