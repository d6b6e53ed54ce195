"""Engines of many styles, and programs of random operations in them, with rules that are right or wrong."""

import random
import re
from typing import NamedTuple

from engine.language import evaluate
from tests.engine.language.own_engine.random_operations import BENDS, BOTH, FORGETS, REPLACES, random_operation

PASS = """    def backward(self):
        order, seen = [], set()
        def visit(v):
            if id(v) not in seen:
                seen.add(id(v))
                for p in {inputs}:
                    visit(p)
                order.append(v)
        visit(self)
        self.{grad} = 1.0
        for v in reversed(order):
            {step}
"""


class Style(NamedTuple):
    """A style of engines.

    Attributes:
        engine: text of the class; METHODS stands for the methods of the operations, RULES for their rules.
        operation: text of an operation, with the fields that `program` fills.
        rule: text of its rule where that stands elsewhere.
        use: how the operation is applied, with its first input, the others and all of them.
        data, grad, upstream: how these are read in the operation and its rule.
        nodes: names of the inputs.
    """

    engine: str
    operation: str
    rule: str = ""
    use: str = "{first}.{name}({others})"
    data: str = "data"
    grad: str = "grad"
    upstream: str = "out.grad"
    nodes: tuple[str, ...] = ("self", "b", "c", "d")


CLOSURES = Style(
    """class V:
    def __init__(self, data, prev=()):
        self.data, self.grad, self.prev, self.rule = data, 0.0, prev, lambda: None
METHODS
""" + PASS.format(inputs="v.prev", grad="grad", step="v.rule()"),
    """    def {name}({nodes}):
        {letters} = {read}
        out = V({value}, ({nodes},))
        def rule():
            {add:12}
        out.rule = rule
        return out
""",
)  # fmt: skip
SLOTS = Style(
    CLOSURES.engine.replace("    def __init__", "    __slots__ = ('num', 'bar', 'prev', 'rule')\n    def __init__", 1)
    .replace("self.data", "self.num").replace("self.grad", "self.bar"),
    CLOSURES.operation, data="num", grad="bar", upstream="out.bar",
)  # fmt: skip
RETURNED = Style(
    """class V:
    def __init__(self, data, prev=(), rule=None):
        self.data, self.grad, self.prev, self.rule = data, 0.0, prev, rule
METHODS
""" + PASS.format(inputs="v.prev", grad="grad", step="""for p, g in zip(v.prev, v.rule(v.grad) if v.rule else ()):
                p.grad += g"""),
    """    def {name}({nodes}):
        {letters} = {read}
        return V({value}, ({nodes},), lambda g: ({products},))
""", upstream="g",
)  # fmt: skip
LOCAL_GRADIENTS = Style(
    """class V:
    __slots__ = ("data", "grad", "_children", "_local_grads")
    def __init__(self, data, children=(), local_grads=()):
        self.data, self.grad, self._children, self._local_grads = data, 0, children, local_grads
METHODS
""" + PASS.format(inputs="v._children", grad="grad", step="""for p, g in zip(v._children, v._local_grads):
                p.grad += g * v.grad"""),
    """    def {name}({nodes}):
        {letters} = {read}
        return V({value}, ({nodes},), ({partials},))
""",
)  # fmt: skip
PAIRS = Style(
    """from dataclasses import dataclass, field
@dataclass(eq=False)
class V:
    value: float
    parents: list = field(default_factory=list)
    gradient: float = 0.0
METHODS
""" + PASS.format(inputs="[p for p, _ in v.parents]", grad="gradient", step="""for p, g in v.parents:
                p.gradient += g * v.gradient"""),
    """    def {name}({nodes}):
        {letters} = {read}
        return V({value}, [{pairs}])
""", data="value",
)  # fmt: skip
CONTEXTS = Style(
    """class V:
    def __init__(self, data, context=None):
        self.data, self.grad, self.context = data, 0.0, context
""" + PASS.format(inputs="v.context.inputs if v.context else ()", grad="grad",
                  step="""if v.context:
                for p, g in zip(v.context.inputs, v.context.backward(v.context, v.grad)):
                    p.grad += g""") + """class Function:
    @classmethod
    def apply(cls, *inputs):
        context = cls()
        context.inputs = inputs
        return V(cls.forward(context, *[each.data for each in inputs]), context)
METHODS
""",
    """class {name}(Function):
    @staticmethod
    def forward(ctx, {letters}):
        ctx.saved = ({letters},)
        return {value}
    @staticmethod
    def backward(ctx, g):
        {letters}, = ctx.saved
        return ({products},)
""", use="{name}.apply({all})", upstream="g",
)  # fmt: skip
FUNCTION_OBJECTS = Style(
    """class V:
    def __init__(self, data):
        self.data, self.grad, self.creator = data, None, None
    def backward(self):
        self.grad = 1.0
        functions = [self.creator] if self.creator else []
        while functions:
            f = functions.pop()
            for x, g in zip(f.inputs, f.backward(f.output.grad)):
                x.grad = g if x.grad is None else x.grad + g
                if x.creator is not None:
                    functions.append(x.creator)
class Function:
    def __call__(self, *inputs):
        out = V(self.forward(*[x.data for x in inputs]))
        out.creator = self
        self.inputs, self.output = inputs, out
        return out
METHODS
""",
    """class {name}(Function):
    def forward(self, {letters}):
        return {value}
    def backward(self, g):
        {letters}, = [each.data for each in self.inputs]
        return [{products}]
""", use="{name}()({all})", upstream="g",
)  # fmt: skip
TAPE = """def backward(root):
    root.grad = 1.0
    for rule in reversed(tape):
        rule()
"""
TAPE_OF_CLOSURES = Style(
    """tape = []
class V:
    def __init__(self, data):
        self.data, self.grad = data, 0.0
METHODS
""" + TAPE,
    """    def {name}({nodes}):
        {letters} = {read}
        out = V({value})
        def rule():
            {add:12}
        tape.append(rule)
        return out
""",
)  # fmt: skip
TAPE_OF_RECORDS = Style(
    """class Tape:
    def __init__(self):
        self.records = []
TAPE = Tape()
class V:
    def __init__(self, value):
        self.value, self.grad = value, 0.0
METHODS
def backward(root):
    root.grad = 1.0
    for out, inputs, slopes in reversed(TAPE.records):
        for each, slope in zip(inputs, slopes):
            each.grad += slope * out.grad
""",
    """    def {name}({nodes}):
        {letters} = {read}
        out = V({value})
        TAPE.records.append((out, ({nodes},), ({partials},)))
        return out
""", data="value",
)  # fmt: skip
DUAL_NUMBERS = Style(
    """class V:
    def __init__(self, real, dual=0.0):
        self.real, self.dual = real, dual
    def __add__(self, other):
        return V(self.real + other.real, self.dual + other.dual)
METHODS
""",
    """    def {name}({nodes}):
        {letters} = {read}
        return V({value}, {tangent})
""", data="real",
)  # fmt: skip
EXPRESSION_TREE = Style(
    """class V:
    def __init__(self, value):
        self.value, self.grad = value, 0.0
    def backprop(self, g):
        self.grad += g
METHODS
""",
    """class {name}(V):
    def __init__(self, {nodes}):
        {letters} = {read}
        super().__init__({value})
        {kept} = {nodes}
    def backprop(self, g):
        self.grad += g
        {letters} = {read_kept}
        {push:8}
""", use="{name}({all})", data="value", upstream="g", nodes=("a", "b", "c", "d"),
)  # fmt: skip
ONE_RULE_FOR_ALL = Style(
    """class V:
    def __init__(self, data, op="", inputs=()):
        self.data, self.grad, self.op, self.inputs = data, 0.0, op, inputs
METHODS
    def push(self):
        pass
RULES
""" + PASS.format(inputs="v.inputs", grad="grad", step="v.push()"),
    """    def {name}({nodes}):
        {letters} = {read}
        return V({value}, "{name}", ({nodes},))
""",
    """        if self.op == "{name}":
            {all_nodes} = self.inputs
            {letters}, = [each.data for each in self.inputs]
            {add:12}
""", upstream="self.grad", nodes=("a", "b", "c", "d"),
)  # fmt: skip
FUNCTIONS = Style(
    """class V:
    def __init__(self, val, parents=(), rule=None):
        self.val, self.grad, self.parents, self.rule = val, 0.0, parents, rule
""" + PASS.format(inputs="v.parents", grad="grad", step="v.rule and v.rule(v.grad)") + "METHODS\n",
    """def {name}({nodes}):
    {letters} = {read}
    def pull(g):
        {add:8}
    return V({value}, ({nodes},), pull)
""", use="{name}({all})", data="val", upstream="g", nodes=("a", "b", "c", "d"),
)  # fmt: skip
PARTIAL_FUNCTIONS = Style(
    """import functools
class V:
    def __init__(self, data, parents=()):
        self.data, self.grad, self.parents, self.rule = data, None, parents, None
    def accumulate(self, g):
        self.grad = g if self.grad is None else self.grad + g
METHODS
""" + PASS.format(inputs="v.parents", grad="grad", step="v.rule and v.rule()") + "RULES\n",
    """    def {name}({nodes}):
        {letters} = {read}
        out = V({value}, ({nodes},))
        out.rule = functools.partial({name}_back, out, {nodes})
        return out
""",
    """def {name}_back(out, {all_nodes}):
    {letters} = {read_all}
    {accumulate:4}
""",
)  # fmt: skip
MAPPINGS = Style(
    """class V:
    def __init__(self, data, parents=None):
        self.data, self.grad, self.parents = data, 0.0, parents or {}
METHODS
""" + PASS.format(inputs="v.parents", grad="grad", step="""for p, f in v.parents.items():
                p.grad += f(v.grad)"""),
    """    def {name}({nodes}):
        {letters} = {read}
        return V({value}, {{{functions}}})
""", upstream="g",
)  # fmt: skip
STYLES = {name.lower(): style for name, style in list(globals().items()) if isinstance(style, Style)}


class Lines(list):
    """Lines of a program; their format is the indentation of all but the first."""

    def __format__(self, indentation):
        return ("\n" + " " * int(indentation)).join(self)


def program(style, rng, count, make=random_operation):
    """Return a program with random operations, and which of them have wrong rules, by name."""
    methods, rules, uses, wrong = "", "", "", {}
    for number in range(count):
        name, operation = f"op{number}", make(rng)
        nodes = list(style.nodes[: len(operation.letters)])
        every = ["a", "b", "c", "d"][: len(nodes)]
        upstream = {FORGETS: "1.0", BOTH: "1.0", BENDS: f"abs({style.upstream})"}.get(operation.manner, style.upstream)
        products = [f"({partial}) * {upstream}" for partial in operation.partials]
        sign = "=" if operation.manner in (REPLACES, BOTH) else "+="
        held = every if style.rule else nodes
        fields = {
            "name": name, "nodes": ", ".join(nodes), "all_nodes": ", ".join(every) + ("," if len(every) == 1 else ""),
            "letters": ", ".join(operation.letters), "value": operation.value,
            "read": ", ".join(f"{node}.{style.data}" for node in nodes),
            "read_all": ", ".join(f"{node}.{style.data}" for node in every),
            "read_kept": ", ".join(f"self.{node}.{style.data}" for node in nodes),
            "kept": ", ".join(f"self.{node}" for node in nodes),
            "products": ", ".join(products), "partials": ", ".join(operation.partials),
            "pairs": ", ".join(f"({node}, {p})" for node, p in zip(nodes, operation.partials, strict=True)),
            "tangent": " + ".join(f"({p}) * {node}.dual" for node, p in zip(nodes, operation.partials, strict=True)),
            "functions": ", ".join(f"{node}: (lambda g: {p})" for node, p in zip(nodes, products, strict=True)),
            "add": Lines(f"{node}.{style.grad} {sign} {p}" for node, p in zip(held, products, strict=True)),
            "push": Lines(f"self.{node}.backprop({p})" for node, p in zip(nodes, products, strict=True)),
            "accumulate": Lines(f"{node}.accumulate({p})" for node, p in zip(every, products, strict=True)),
        }  # fmt: skip
        methods += style.operation.format(**fields)
        rules += style.rule.format(**fields)
        for use_number, point in enumerate(operation.points):
            first, *others = (f"V({x})" for x in point)
            if operation.manner == REPLACES:  # each input is used twice
                names = [f"n{number}_{use_number}_{place}" for place in range(len(point))]
                uses += f"{', '.join(names)}, = {', '.join([first, *others])},\n"
                first, *others = names
                use = style.use.format(name=name, first=first, others=", ".join(others), all=", ".join(names))
                uses += f"again{number}_{use_number} = {use}\n"
            use = style.use.format(name=name, first=first, others=", ".join(others), all=", ".join([first, *others]))
            uses += f"r{number}_{use_number} = {use}\n"
        wrong[name] = operation.is_wrong
    return "import math\n" + style.engine.replace("METHODS\n", methods).replace("RULES\n", rules) + uses, wrong


def operation_of(row, evaluation, text):
    """Return the operation that a row of the judge is about: named by it, where its value was made, or at its line."""
    origin = evaluation.origins.get(row.value)
    made = text[origin.start : origin.end] if origin is not None else ""
    above = reversed(text.split("\n")[: row.line])
    return next((found[0] for part in (row.message, made, *above) if (found := re.search(r"\bop\d+", part))), "")


def judged(name, seed, count, make=random_operation):
    """Return for each operation of a random program whether it is wrong, and the verdict: wrong, right, or None."""
    text, wrong = program(STYLES[name], random.Random(f"{name} {seed}"), count, make)
    evaluation = evaluate(text)
    verdicts = dict.fromkeys(wrong)
    for row in evaluation.engine_check or ():
        each = operation_of(row, evaluation, text)
        if each and "not compared" not in row.message:
            verdicts[each] = verdicts[each] or not row.ok
    return {each: (wrong[each], verdicts[each]) for each in wrong}


def misjudged(name, seed, count):
    """Return the operations of a random program that are not judged as they are."""
    return [each for each, (truth, verdict) in judged(name, seed, count).items() if verdict is not truth]
