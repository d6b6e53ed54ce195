"""The generated methods of Value as an editor sees them."""

import ast
import inspect

import pytest

from engine.autograd import OPS, Value, operators
from scripts.write_operators import TARGET, written


def declared():
    (kind,) = (node for node in ast.parse(inspect.getsource(operators)).body if isinstance(node, ast.ClassDef))
    return {node.name: node for node in ast.walk(kind) if isinstance(node, ast.FunctionDef)}


def test_the_declarations_are_those_the_table_makes():
    assert TARGET.read_text(encoding="utf-8") == written(), "run python -m scripts.write_operators"


@pytest.mark.slow
@pytest.mark.parametrize("op", [op for op in OPS.values() if op.elementwise], ids=lambda op: op.name)
def test_every_operation_has_a_method_with_a_docstring_and_a_declaration(op):
    names = {name for name in dir(Value) if getattr(getattr(Value, name), "__doc__", None) and name in declared()}
    method = {"add": "__add__", "sub": "__sub__", "mul": "__mul__", "div": "__truediv__", "pow": "__pow__",
              "neg": "__neg__"}.get(op.name, op.name)  # fmt: skip
    function = getattr(Value, method)
    assert function.__doc__ and function.__module__ == Value.__module__
    assert method in names or op.name in ("max", "min")
    assert op.rule in function.__doc__ or op.name in ("max", "min")


@pytest.mark.parametrize("name", sorted(declared()))
def test_a_declaration_is_a_method_with_these_arguments_and_this_docstring(name):
    function = getattr(Value, name)
    parameters = [argument.arg for argument in declared()[name].args.args]
    assert list(inspect.signature(function).parameters) == parameters
    assert " ".join(ast.get_docstring(declared()[name]).split()) == function.__doc__ or name == "__abs__"


def test_every_public_name_of_value_is_documented():
    public = {name: member for name, member in vars(Value).items() if not name.startswith("_")}
    slots = {"grad", "label", "op"}
    assert [name for name, member in public.items() if not member.__doc__ and name not in slots] == []
