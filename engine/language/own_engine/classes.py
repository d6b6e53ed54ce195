"""Which classes of a program are an engine of the learner's, and where the rules of it stand; read from the text alone.

A class is one when its objects have data, a gradient and inputs under any of the usual names. Nothing is run here: the
syntax tree says what the attributes are called, which method makes an operation, and in which line its rule stands.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import field

from engine.language.nodes import last_name, walk
from engine.quick_dataclass import dataclass

DATA = ("data", "value", "val", "_data", "_value")
GRAD = ("grad", "gradient", "_grad", "derivative", "adjoint")
INPUTS = (
    *("_prev", "_children", "children", "parents", "_parents", "inputs", "_inputs", "prev", "operands", "_operands"),
    *("sources", "args", "_args", "previous", "predecessors", "deps", "depends_on", "creators", "saved"),
)
PAIRS = (
    *(("left", "right"), ("_left", "_right"), ("lhs", "rhs"), ("l", "r"), ("a", "b"), ("x", "y"), ("first", "second")),
    *(("parent1", "parent2"), ("child1", "child2"), ("input1", "input2"), ("in1", "in2"), ("operand", "other")),
)
SINGLE = ("parent", "child", "operand", "input", "arg", "source")
OPERATION = ("_op", "op", "creation_op", "operation", "op_name", "_operation", "kind")
LABEL = ("label", "_label", "name")
LOCAL = ("_local_grads", "local_grads", "local_gradients", "_local_gradients", "partials", "local_derivatives", "grads")
RULE = (
    *("_backward", "backward_fn", "_backward_fn", "backward_", "grad_fn", "_grad_fn", "_backprop", "backprop_fn"),
    *("backward_step", "_backward_step", "vjp", "_vjp", "pullback", "local_backward", "propagate", "_grad_rule"),
)
FUNCTION = ("creator", "_creator", "ctx", "_ctx", "grad_fn", "fn", "func", "function", "history", "op")
PASS = ("backward", "backprop", "backpropagate", "backward_pass", "run_backward", "differentiate", "back")

Function = ast.FunctionDef | ast.Lambda


@dataclass(frozen=True)
class Place:
    """Where a rule stands.

    Attributes:
        name: what a learner calls it, `__mul__` or `Mul.backward`.
        line: from 1, of its definition.
        lines: of the statements that give each input its gradient, by position; shorter where one serves several.
        operands: what the text calls the inputs, `self` and `other`.
    """

    name: str
    line: int
    lines: tuple[int, ...] = ()
    operands: tuple[str, ...] = ()

    def line_of(self, position: int) -> int:
        """The line that gives the input at this position its gradient."""
        return self.lines[min(position, len(self.lines) - 1)] if self.lines else self.line


@dataclass(frozen=True)
class OwnEngine:
    """What the text says of the engine: names of attributes in the order in which they are to be tried, and places.

    Attributes:
        classes: names of the classes whose objects have data, a gradient and inputs.
        data: attributes that hold the number.
        grad: attributes that hold the gradient.
        inputs: attributes that hold all the inputs.
        pairs: attributes that hold one input each.
        op: attributes that name the operation.
        label: attributes that name the value.
        local: attributes that hold the local derivatives.
        rule: attributes or methods that run one value's rule.
        function: attributes that hold an object whose `backward` is the rule.
        recursive: the method that passes a gradient on and calls itself on the inputs; empty where there is none.
        run: the method that runs the whole backward pass; empty where there is none.
        run_line: where it stands.
        wants_gradient: whether some rule takes the upstream gradient as an argument.
        runs_backward: whether the program calls for a backward pass anywhere.
        changes_data: whether data are assigned outside the classes, as a training step does.
        of_one_input: methods that take something beside `self` and make a value with one input, such as `__pow__`.
        shared_texts: texts that several methods give what they make: they name no operation.
        by_operation: places by the text that names the operation.
        by_method: places by the method, or the class of an operation, in which they stand.
        definitions: the classes' last lines.
    """

    classes: tuple[str, ...]
    data: tuple[str, ...]
    grad: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    op: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    local: tuple[str, ...] = ()
    rule: tuple[str, ...] = ()
    function: tuple[str, ...] = ()
    recursive: str = ""
    run: str = ""
    run_line: int = 0
    wants_gradient: bool = False
    runs_backward: bool = False
    changes_data: bool = False
    of_one_input: tuple[str, ...] = ()
    shared_texts: frozenset[str] = frozenset()
    by_operation: dict[str, Place] = field(default_factory=dict)
    by_method: dict[str, Place] = field(default_factory=dict)
    definitions: dict[str, int] = field(default_factory=dict)


def read_own_engine(tree: ast.Module) -> OwnEngine | None:
    """The engine that a program defines; None for a program without one.

    Args:
        tree: the program; what is nested too deeply must have been refused before.
    """
    classes = [node for node in walk(tree) if isinstance(node, ast.ClassDef)]
    nodes = [one for one in classes if _is_node(_attributes(one, classes))]
    if not nodes:
        return None
    attributes = [name for one in nodes for name in _attributes(one, classes)]
    return _Reader(tree, classes, nodes, attributes).engine()


def _is_node(attributes: Sequence[str]) -> bool:
    names = set(attributes)
    pairs = any(names.issuperset(pair) for pair in PAIRS)
    has_inputs = pairs or not names.isdisjoint((*INPUTS, *FUNCTION, *SINGLE))
    return not names.isdisjoint(DATA) and not names.isdisjoint(GRAD) and has_inputs


def _attributes(one: ast.ClassDef, classes: Sequence[ast.ClassDef]) -> list[str]:
    """The attributes of a class and of its bases in the same program; those that a constructor is given come first."""
    given: list[str] = []
    others: list[str] = []
    for base in _with_bases(one, classes):
        others += _fields(base)
        for method in _methods(base):
            parameters = {argument.arg for argument in _arguments(method)}
            for name, value in _own_assignments(method):
                used = {part.id for part in walk(value) if isinstance(part, ast.Name)}
                (given if method.name == "__init__" and used & parameters else others).append(name)
    return list(dict.fromkeys([*given, *others]))


def _fields(one: ast.ClassDef) -> list[str]:
    """The names that the body of a class declares: `data: float`."""
    declared = [part.target for part in one.body if isinstance(part, ast.AnnAssign)]
    return [target.id for target in declared if isinstance(target, ast.Name)]


def _with_bases(one: ast.ClassDef, classes: Sequence[ast.ClassDef]) -> list[ast.ClassDef]:
    found = [one]
    for known in found:
        names = {base.id for base in known.bases if isinstance(base, ast.Name)}
        found += [other for other in classes if other.name in names and other not in found]
    return found


def _methods(one: ast.ClassDef) -> list[ast.FunctionDef]:
    return [part for part in one.body if isinstance(part, ast.FunctionDef)]


def _arguments(function: Function) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args]


def _own_assignments(method: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """`self.name = value` of a method: names and values, `self.a, self.b = x, y` taken apart."""
    first = next((argument.arg for argument in _arguments(method)), "")
    for part in walk(method):
        if isinstance(part, ast.AnnAssign) and part.value is not None:
            pairs: list[tuple[ast.expr, ast.expr]] = [(part.target, part.value)]
        elif isinstance(part, ast.Assign):
            pairs = [(target, part.value) for target in part.targets]
        else:
            continue
        for target, value in pairs:
            targets = target.elts if isinstance(target, ast.Tuple) else [target]
            values = value.elts if isinstance(value, ast.Tuple) and len(targets) > 1 else [value] * len(targets)
            for one, its_value in zip(targets, values, strict=False):
                if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == first:
                    yield one.attr, its_value


class _Reader:
    """Puts together what the text says of one engine."""

    def __init__(
        self, tree: ast.Module, classes: Sequence[ast.ClassDef], nodes: Sequence[ast.ClassDef], attributes: list[str]
    ) -> None:
        self.tree = tree
        self.classes = classes
        self.nodes = nodes
        self.attributes = attributes
        self.grad = self._known(GRAD)
        self.data = self._known(DATA)
        self.around = list(dict.fromkeys([*attributes, *(n for one in classes for n in _attributes(one, classes))]))
        self.methods = [(one, method) for one in classes for method in _methods(one)]
        self.names_of_methods = {method.name for one, method in self.methods if one in nodes}

    def _known(self, usual: Sequence[str], anywhere: bool = False) -> tuple[str, ...]:
        """The usual names that the classes have; those that a constructor is given come first.

        Args:
            usual: names.
            anywhere: whether the other classes of the program count, too.
        """
        return tuple(name for name in (self.around if anywhere else self.attributes) if name in usual)

    def engine(self) -> OwnEngine:
        function = self._known(FUNCTION)
        assigned = self._assigned()
        rule = tuple(n for n in RULE if n in self.names_of_methods or n in assigned)
        recursive = "" if rule or function or self._known(LOCAL) else self._recursive()
        run, line = self._run(recursive)
        return OwnEngine(
            classes=tuple(one.name for one in self.nodes),
            data=self.data,
            grad=self.grad,
            inputs=self._known(INPUTS, anywhere=bool(function)),
            pairs=self._pair(self.around if function else self.attributes),
            op=self._known(OPERATION),
            label=self._known(LABEL),
            local=self._known(LOCAL),
            rule=rule,
            function=function,
            recursive=recursive,
            run=run,
            run_line=line,
            wants_gradient=self._wants_gradient(rule),
            runs_backward=self._calls_backward(),
            changes_data=self._changes_data(),
            of_one_input=self._of_one_input(),
            shared_texts=self._shared_texts(),
            by_operation=self._by_operation(),
            by_method=self._by_method(),
            definitions={one.name: one.end_lineno or one.lineno for one in self.classes},
        )

    def _assigned(self) -> set[str]:
        """Every attribute of anything that the program assigns, `out._backward` included."""
        return {node.attr for node in walk(self.tree) if isinstance(node, ast.Attribute) and _is_stored(node)} | set(
            self.attributes
        )

    def _pair(self, attributes: Sequence[str]) -> tuple[str, ...]:
        for pair in PAIRS:
            if set(pair) <= set(attributes):
                return pair
        return tuple(name for name in attributes if name in SINGLE)

    def _recursive(self) -> str:
        """The method of the nodes that passes on and calls the same of the inputs."""
        for one, method in self.methods:
            if one in self.nodes and method.name in (*PASS, *RULE) and _calls(method, method.name):
                return method.name
        several = [method.name for one, method in self.methods if one in self.nodes and method.name in PASS]
        return next((name for name in PASS if several.count(name) > 1), "")

    def _run(self, recursive: str) -> tuple[str, int]:
        for one, method in self.methods:
            if one in self.nodes and method.name in PASS and method.name != recursive:
                return method.name, method.lineno
        functions = [node for node in self.tree.body if isinstance(node, ast.FunctionDef)]
        for function in functions:
            if "backward" in function.name or "backprop" in function.name:
                return "", function.lineno
        return "", next((method.lineno for _, method in self.methods if method.name == recursive), 0)

    def _wants_gradient(self, rule: Sequence[str]) -> bool:
        for node in walk(self.tree):
            if isinstance(node, ast.FunctionDef) and node.name in rule:
                nested = not any(node is method for _, method in self.methods)
                return len(_arguments(node)) - len(node.args.defaults) > (0 if nested else 1)
        return False

    def _calls_backward(self) -> bool:
        inside = {id(node) for one in self.classes for node in walk(one)}
        return any(
            isinstance(node, ast.Call) and id(node) not in inside and last_name(node.func) in (*PASS, "backward_from")
            for node in walk(self.tree)
        ) or any(
            isinstance(node, ast.Call) and ("backward" in last_name(node.func) or "backprop" in last_name(node.func))
            and isinstance(node.func, ast.Name)
            for node in walk(self.tree)
        )  # fmt: skip

    def _changes_data(self) -> bool:
        inside = {id(node) for one in self.nodes for node in walk(one)}
        return any(
            isinstance(node, ast.Attribute) and node.attr in self.data and _is_stored(node) and id(node) not in inside
            for node in walk(self.tree)
        )

    def _by_method(self) -> dict[str, Place]:
        """Places by the name of the method, and of the class for a class of its own for each operation."""
        places: dict[str, Place] = {}
        for one, method in self.methods:
            if one in self.nodes and method.name not in ("__init__", *PASS):
                places.setdefault(method.name, self._place(method, method.name))
            if method.name in (*PASS, *RULE) and one is not self.nodes[0]:
                places[one.name] = self._place(method, f"{one.name}.{method.name}")
        for one in self.nodes:  # `__radd__ = __add__`
            for part in one.body:
                if isinstance(part, ast.Assign) and isinstance(part.value, ast.Name) and part.value.id in places:
                    names = [target.id for target in part.targets if isinstance(target, ast.Name)]
                    places.update({name: places[part.value.id] for name in names if name not in places})
        return places

    def _by_operation(self) -> dict[str, Place]:
        """Places by the text that a method gives what it makes, or by which one rule for all tells operations apart."""
        places: dict[str, Place] = {}
        for one, method in sorted(self.methods, key=lambda pair: pair[1].name not in (*RULE, *PASS)):
            if one not in self.nodes or method.name in ("__init__", "__repr__", "__str__", "__format__"):
                continue
            branches = [part for part in walk(method) if isinstance(part, ast.If)]
            for branch in branches if method.name in (*RULE, *PASS) else ():
                for text in _texts(branch.test):
                    places.setdefault(text, self._place(method, method.name, branch.body))
            if not branches or method.name not in (*RULE, *PASS):
                for text in _texts(method):
                    places.setdefault(text, self._place(method, method.name))
        return places

    def _of_one_input(self) -> tuple[str, ...]:
        """Methods that take something beside `self` and name `self` alone as the input: `(self,)`."""
        found = []
        for one, method in self.methods:
            tuples = [part.elts for part in walk(method) if isinstance(part, (ast.Tuple, ast.List, ast.Set))]
            alone = any(len(part) == 1 and isinstance(part[0], ast.Name) and part[0].id == "self" for part in tuples)
            if one in self.nodes and alone and len(_arguments(method)) > 1:
                found.append(method.name)
        return tuple(found)

    def _shared_texts(self) -> frozenset[str]:
        """Texts that name what several methods make."""
        methods = [method for one, method in self.methods if one in self.nodes and method.name not in (*RULE, *PASS)]
        texts = [text for method in methods for text in set(_texts(method))]
        return frozenset(text for text in texts if texts.count(text) > 1)

    def _place(self, method: ast.FunctionDef, name: str, body: Sequence[ast.stmt] | None = None) -> Place:
        operands = tuple(argument.arg for argument in _arguments(method))
        statements = [part for top in (body or method.body) for part in walk(top)]
        lines: dict[str, int] = {}
        for part in statements:
            target: ast.expr | None = part.target if isinstance(part, ast.AugAssign) else None
            if isinstance(part, ast.Assign):
                target = part.targets[0]
            if isinstance(target, ast.Attribute) and target.attr in self.grad:
                lines.setdefault(ast.unparse(target.value), target.lineno)
        ordered = [lines[operand] for operand in operands if operand in lines] or sorted(lines.values())
        if not ordered:
            ends = [part.lineno for part in statements if isinstance(part, ast.Return) and part.value is not None]
            ordered = ends[:1]
        return Place(name, method.lineno, tuple(ordered), operands)


def _is_stored(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store)


def _calls(method: ast.FunctionDef, name: str) -> bool:
    return any(isinstance(node, ast.Call) and last_name(node.func) == name for node in walk(method))


def _texts(tree: ast.AST) -> list[str]:
    """The texts of a piece of program, what is put in left out: `**` of f'**{n}'."""
    documented = isinstance(tree, ast.FunctionDef) and ast.get_docstring(tree) is not None
    nodes = [part for top in (tree.body[documented:] if isinstance(tree, ast.FunctionDef) else [tree])
             for part in walk(top)]  # fmt: skip
    asserted = {id(part) for node in nodes if isinstance(node, (ast.Assert, ast.Raise)) for part in walk(node)}
    constants = [node for node in nodes if isinstance(node, ast.Constant) and id(node) not in asserted]
    return [node.value.strip() for node in constants if isinstance(node.value, str) and node.value.strip()]
