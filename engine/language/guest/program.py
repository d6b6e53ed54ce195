"""A learner's program: compiled, run as `__main__`, in a namespace of its own.

The text is never changed. In its syntax tree, numbers that are bound to names at the top level become leaves
(`recording.leaf`), where the program takes its graph from numbers; places stay those of the text.
"""

from __future__ import annotations

import ast
import builtins
import math
import random
import sys
import types
from typing import Any

from engine.autograd.kernels import scalar_result
from engine.autograd.ops import OPS
from engine.autograd.value import Value, apply
from engine.language.guest import networks, notes, packages_for_programs, recording
from engine.language.guest.bindings import bindings, bound, statements
from engine.language.guest.engines import ClassWatch
from engine.language.guest.notebook_commands import COMMAND

PROGRAM = "<program>"
"""File name under which a program is compiled."""

ABOUT_TORCH = "This is a small torch of Gradstep's own, for learning: PyTorch's interface on values that are drawn"
_LEAF = "_gradstep_leaf"
_VALUE_ATTRIBUTES = frozenset({"backward", "grad", "data", "item"})
_OF_NUMPY_TOO = frozenset({"item", "data", "max", "min"})
"""Attributes of a Value that NumPy's scalars have, too: `total = 0.0; total += np.mean(x); total.item()`."""
_ENGINE_NAMES = frozenset({"Value", "Neuron", "Layer", "MLP"})
_ENGINE_MODULES = frozenset({"micrograd", "torch"})
_ARITHMETIC = frozenset({"__add__", "__mul__", "__sub__", "__matmul__", "__pow__", "__truediv__"})


class Program:
    """A program that was compiled.

    Attributes:
        tree: its syntax tree.
        bindings: names in the text, see `bindings.py`.
        namespace: of the module `__main__`.
        code: of all but a last expression, whose value a notebook would show.
        last_line: line of that expression; 0 without one.
        records_numbers: True when its graph is made of numbers.
    """

    def __init__(self, text: str, watch: ClassWatch) -> None:
        """Compile a program; `watch` notes its classes.

        Raises:
            SyntaxError: and whatever else `compile` raises for a text that is no program.
        """
        text = blank_magics(text)
        self._watch = watch
        self.tree = tree = parse(text)
        self.bindings = bindings(tree, text)
        self.records_numbers = not _makes_values(self.tree)
        self._leaf = _value_leaf if self.records_numbers and _asks_values(self.tree) else recording.leaf
        self.module = types.ModuleType("__main__")
        self.namespace = vars(self.module)
        self.namespace["__builtins__"] = self._builtins()
        if self.records_numbers:
            _mark_leaves(tree)
        body, self._last, self.last_line = tree.body, None, 0
        if body and isinstance(last := body[-1], ast.Expr):
            body, self.last_line = body[:-1], last.lineno
            self._last = compile(ast.Expression(last.value), PROGRAM, "eval", dont_inherit=True)
        self.code = compile(ast.Module(body, []), PROGRAM, "exec", dont_inherit=True)

    @property
    def codes(self) -> list[types.CodeType]:
        """Code objects of the module and, where it ends with an expression, of that."""
        return [self.code, *([self._last] if self._last is not None else [])]

    def run(self) -> Any:
        """Run the program and return the value of its last expression, or None."""
        sys.modules["__main__"] = self.module
        exec(self.code, self.namespace)
        return eval(self._last, self.namespace) if self._last is not None else None

    def _builtins(self) -> dict[str, Any]:
        names = dict(vars(builtins))
        names |= {"__build_class__": self._watch.build_class, "__import__": self._import}
        names |= {"Value": Value, "Neuron": networks.Neuron, "Layer": networks.Layer, "MLP": networks.MLP}
        names |= {"math": recording.math, "random": random, "pi": recording.math.pi}
        names |= packages_for_programs.at_hand()
        if (ipython := packages_for_programs.module("IPython.display")) is not None:
            names["display"] = ipython.display
        if (graphviz := packages_for_programs.module("graphviz")) is not None:
            names["draw_dot"] = graphviz.Digraph
        offered = [op for op in OPS.values() if op.elementwise or op.variadic]
        functions = {op.name: _function(op, self.records_numbers) for op in offered}
        names |= {name: function for name, function in functions.items() if not hasattr(builtins, name)}
        names |= {synonym: functions[op.name] for op in offered for synonym in op.synonyms}
        if self.records_numbers:
            names |= {_LEAF: self._leaf, "type": recording.Type}
            names |= {name: _choosing(OPS[name], getattr(builtins, name)) for name in ("max", "min")}
        return names

    def _import(self, name: str, *arguments: Any, **keywords: Any) -> Any:
        """Import a module; `math` is the one whose functions record numbers."""
        if name.partition(".")[0] == "torch":
            notes.note(ABOUT_TORCH, sys._getframe(1).f_lineno)
        return recording.math if name == "math" and self.records_numbers else __import__(name, *arguments, **keywords)


def _value_leaf(number: Any, label: str = "", place: Any = None) -> Any:
    """Return a written number as a Value, for a program that asks its numbers for gradients."""
    value = Value(number, label=label)
    value._place = place
    return value


def _asks_values(tree: ast.Module) -> bool:
    """Return True for a program that uses `.backward()`, `.grad` or `.tanh()` of its numbers, which have none."""
    methods = _VALUE_ATTRIBUTES | {op.name for op in OPS.values() if op.elementwise and not op.infix}
    numbers = _names_of_numbers(tree)
    nothing_else = _bound_to_nothing_else(tree, numbers)
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in methods
        and _is_number(node.value, nothing_else if node.attr in _OF_NUMPY_TOO else numbers)
        for node in ast.walk(tree)
    )


def _bound_to_nothing_else(tree: ast.Module, numbers: set[str]) -> set[str]:
    """Return those of the names that are bound to numbers alone, as far as the text says so."""
    pairs = [pair for statement, _in_loop in statements(tree.body) for pair in bound(statement)]
    numbers = set(numbers)
    while others := {name for name, value in pairs if name in numbers and not _is_number(value, numbers)}:
        numbers -= others
    return numbers


def _names_of_numbers(tree: ast.Module) -> set[str]:
    """Return the names outside of functions that are bound to written numbers, or to what is computed from these."""
    numbers: set[str] = set()
    for statement, _in_loop in statements(tree.body):
        if isinstance(statement, ast.For) and isinstance(statement.target, ast.Name):
            looped = statement.iter.elts if isinstance(statement.iter, (ast.List, ast.Tuple)) else []
            if looped and all(_is_number(each, numbers) for each in looped):
                numbers.add(statement.target.id)
        numbers |= {name for name, value in bound(statement) if _is_number(value, numbers)}
    return numbers


def _is_number(node: ast.expr, numbers: set[str]) -> bool:
    """Return True for an expression that is made of numbers as far as its text says so."""
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    if isinstance(node, ast.Name):
        return node.id in numbers
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand, numbers)
    if isinstance(node, ast.BinOp):
        return _is_number(node.left, numbers) and _is_number(node.right, numbers)
    if isinstance(node, ast.Attribute):
        return _is_number(node.value, numbers)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return bool(node.args) and all(_is_number(each, numbers) for each in node.args)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_number(node.func.value, numbers)


def parse(text: str) -> ast.Module:
    """Return the syntax tree of a program; one that begins indented is taken as if it did not.

    Raises:
        SyntaxError: and whatever else `ast.parse` raises for a text that is no program.
    """
    try:
        return ast.parse(text, PROGRAM)
    except IndentationError:
        first = next(line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#"))
        if not first[0].isspace():
            raise
        try:
            tree = ast.parse("if True:\n" + text, PROGRAM)
        except SyntaxError:
            tree = ast.Module([], [])
        if not tree.body or tree.body[0].orelse:  # type: ignore[attr-defined]
            raise
    ast.increment_lineno(tree, -1)
    return ast.Module([*tree.body[0].body, *tree.body[1:]], [])  # type: ignore[attr-defined]


def blank_magics(text: str) -> str:
    """Return the text with the lines of notebook commands (`%matplotlib inline`, `!pip install`) blanked.

    A blanked line becomes `pass` where it is indented, so that a block keeps a statement; lines and columns stay.
    A line such as `% 4)` may also go on with an expression: the text is returned that Python understands further.
    """
    if COMMAND.search(text) is None:
        return text
    blanked = COMMAND.sub(lambda found: found["indent"] + ("pass" if found["indent"] else ""), text)
    return text if _line_of_error(text) >= _line_of_error(blanked) else blanked


def _line_of_error(text: str) -> float:
    """Return the line that is no Python; infinity for a text without one, or that cannot be parsed at all."""
    try:
        ast.parse(text)
    except SyntaxError as error:
        return error.lineno or 0
    except (ValueError, MemoryError, RecursionError):
        pass
    return math.inf


def _makes_values(tree: ast.Module) -> bool:
    """Return True for a program whose graph is made of Values or of objects of a class of its own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in _ENGINE_NAMES:
            return True
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in (_ARITHMETIC | _ENGINE_NAMES):
            return True
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            if any(module.partition(".")[0] in _ENGINE_MODULES for module in modules):
                return True
    return False


def _mark_leaves(tree: ast.Module) -> None:
    """Make leaves of the numbers that are bound to names outside of functions and classes."""
    for statement, _in_loop in statements(tree.body):
        if isinstance(statement, ast.Assign):
            statement.value = _marked_for(statement.targets[0], statement.value)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            statement.value = _marked_for(statement.target, statement.value)


def _marked_for(target: ast.expr, value: ast.expr) -> ast.expr:
    """Return the value of an assignment with its written numbers marked, those of nested tuples each for its name."""
    if isinstance(target, ast.Name):
        return _marked(value, target.id)
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        for index, part in enumerate(target.elts[: len(value.elts)]):
            value.elts[index] = _marked_for(part, value.elts[index])
    return value


def _marked(node: ast.expr, label: str) -> ast.expr:
    """Return a call that makes a leaf of a written number; numbers in a written list get labels such as `x[0]`."""
    if isinstance(node, (ast.List, ast.Tuple)):
        node.elts = [_marked(element, f"{label}[{index}]") for index, element in enumerate(node.elts)]
        return node
    if not _is_written_number(node):
        return node
    place: Any = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
    function, name, where = ast.Name(_LEAF, ast.Load()), ast.Constant(label), ast.Constant(place)
    call = ast.Call(function, [node, name, where], [])
    made: ast.expr
    for made in (function, name, where, call):
        ast.copy_location(made, node)
    return call


def _is_written_number(node: ast.expr) -> bool:
    """Return True for a number, with or without a sign, and for arithmetic with such numbers alone, such as `2 / 3`."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, (ast.USub, ast.UAdd)) and _is_written_number(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_written_number(node.left) and _is_written_number(node.right)
    return isinstance(node, ast.Constant) and type(node.value) in (float, int)


def _function(op: Any, records: bool) -> Any:
    """Return the function of a program for an operation of the table: `tanh(x)` of a Value or of a number."""

    def function(*inputs: Any) -> Any:
        if op.variadic and len(inputs) == 1 and isinstance(inputs[0], (list, tuple)):
            inputs = tuple(inputs[0])
        if op.arity is not None and len(inputs) != op.arity:
            raise TypeError(f"{op.name}() takes {op.arity} input{'s' * (op.arity != 1)}, {len(inputs)} given")
        if any(isinstance(each, Value) or not isinstance(each, (int, float)) for each in inputs):
            made = apply(op, *inputs)
            frame = sys._getframe(1)
            made._place = frame.f_code, frame.f_lasti
            return made
        result = scalar_result(op, list(map(recording.plain, inputs)))
        return recording.record(result, op.name, *inputs) if records else result

    function.__name__ = function.__qualname__ = op.name
    function.__doc__ = op.rule
    return function


def _choosing(op: Any, builtin: Any) -> Any:
    """Return `max` or `min` of a program whose numbers are recorded: of two plain arguments it is the operation."""

    def function(*arguments: Any, **keywords: Any) -> Any:
        chosen = builtin(*arguments, **keywords)
        if len(arguments) == 2 and not keywords and any(map(recording.is_recorded, arguments)):
            return recording.record(recording.plain(chosen), op.name, *arguments)
        return chosen

    function.__name__ = function.__qualname__ = op.name
    function.__doc__ = builtin.__doc__
    return function
