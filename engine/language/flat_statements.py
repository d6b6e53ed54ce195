"""Statements of a program that has lost its indentation, each with the names that it binds, reads and changes."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.language.source import lines_of

_HEADS = frozenset(
    ("class", "def", "if", "elif", "else", "for", "while", "try", "except", "finally", "with", "match", "case")
)
_WRAPPED = {
    "else": ("if 1: pass\n", ""),
    "elif": ("if 1: pass\n", ""),
    "except": ("try: pass\n", ""),
    "finally": ("try: pass\n", ""),
    "try": ("", "\nfinally: pass"),
    "case": ("match 0:\n ", ""),
    "match": ("", "\n case _: pass"),
    "@": ("", "\ndef f(): pass"),
}
"""Text put around a part of a statement, so that Python's parser accepts it."""
_EMPTY = frozenset({"[]", "{}", "set()", "list()", "dict()", "0", "0.0", "''", "defaultdict(list)", "defaultdict(int)"})
_READING = frozenset(
    {"backward", "zero_grad", "grad", "item", "keys", "values", "items", "parameters", "format", "join"}
)
"""Methods and attributes that do not change the inputs of the next iteration of a training loop."""


@dataclass(eq=False)
class Statement:
    """A statement, or the head of a compound one.

    Attributes:
        kind: its keyword; `assign`, `expression`, `text` (a docstring) or `decorator` without one.
        first_line, last_line: from 1.
        opens: True for a head whose block stands on the following lines.
        blank_lines: above it, comments included in between.
        binds, uses, changes: names that it binds, needs from above, and whose objects it may change.
        reads: names that it reads, those that it has bound itself included.
        later: names that only functions in it need, when they are called.
        jumps: `return`, `yield`, `break`, `continue` and `raise` in it, also in one-line bodies.
        name, parameters: of a function or class.
    """

    kind: str
    first_line: int
    last_line: int
    opens: bool
    blank_lines: int
    node: ast.AST
    binds: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()
    jumps: frozenset[str] = frozenset()
    name: str = ""
    parameters: tuple[str, ...] = ()
    imports: bool = field(init=False)
    starts_empty: bool = field(init=False)
    is_idle: bool = field(init=False)
    is_main_guard: bool = field(init=False)

    def __post_init__(self) -> None:
        node = self.node
        value = getattr(node, "value", None)
        self.imports = isinstance(node, (ast.Import, ast.ImportFrom))
        values = value.elts if isinstance(value, ast.Tuple) else [value]
        self.starts_empty = isinstance(node, ast.Assign) and all(ast.unparse(each) in _EMPTY for each in values if each)
        self.is_idle = isinstance(node, ast.Expr) and not isinstance(
            value, (ast.Call, ast.Constant, ast.Yield, ast.YieldFrom, ast.Await)
        )
        self.is_main_guard = isinstance(node, ast.If) and ast.unparse(node.test).startswith("__name__ ==")


def read_flat(text: str) -> tuple[list[Statement], list[int]]:
    """Return the statements of a flat text and the lines of its comments.

    Raises:
        SyntaxError: for a text with something else wrong than its indentation, or one that has indentation.
    """
    lines = lines_of(text)
    statements: list[Statement] = []
    comments: list[int] = []
    tokens: list[tokenize.TokenInfo] = []
    last_end = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.INDENT, tokenize.DEDENT):
            raise SyntaxError("the text has indentation")
        if token.type == tokenize.COMMENT and not tokens:
            comments.append(token.start[0])
        elif token.type == tokenize.NEWLINE:
            if not tokens:  # a backslash before a comment
                raise SyntaxError("a line without a statement")
            first, last = tokens[0].start[0], tokens[-1].end[0]
            blank = sum(not line.strip() for line in lines[last_end : first - 1])
            last_end = last
            statements.append(_statement(tokens, "\n".join(lines[first - 1 : last]), blank))
            tokens = []
        elif token.type not in (tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER):
            tokens.append(token)
    return statements, comments


def _statement(tokens: list[tokenize.TokenInfo], source: str, blank: int) -> Statement:
    word = tokens[tokens[0].string == "async"].string
    ends_in_colon = tokens[-1].string == ":"
    if word in ("match", "case") and (not ends_in_colon or tokens[1].string in (".", "=", ":", ",", ")")):
        word = ""
    opens = ends_in_colon and word in _HEADS
    before, behind = _WRAPPED.get(word, ("", ""))
    body = "\n  pass" if opens and word != "match" else ""
    parsed = ast.parse(before + source + body + behind).body
    node: ast.AST = parsed[-1]
    if word == "@":
        node = parsed[-1].decorator_list[0]  # type: ignore[attr-defined]
    elif word == "elif":
        node = parsed[-1].orelse[0]  # type: ignore[attr-defined]
    elif len(parsed) > 1:
        node = ast.Module(parsed, [])
    kind = "decorator" if word == "@" else word if word in _HEADS else _kind(parsed[-1])
    names = _Names()
    names.add(node.body if isinstance(node, ast.Module) else [node])
    return Statement(
        kind,
        tokens[0].start[0],
        tokens[-1].end[0],
        opens,
        blank,
        node,
        frozenset(names.binds),
        frozenset(names.uses),
        frozenset(names.changes),
        frozenset(names.reads),
        frozenset(names.later),
        frozenset(names.jumps),
        getattr(node, "name", None) or "",
        _parameters(node.args) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else (),
    )


def _kind(node: ast.stmt) -> str:
    if isinstance(node, (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Pass, ast.Global, ast.Nonlocal)):
        return type(node).__name__.lower()
    if not isinstance(node, ast.Expr):
        return "assign"
    value = node.value.value if isinstance(node.value, ast.Constant) else None
    return "pass" if value is ... else "text" if isinstance(value, str) else "expression"


class _Names:
    """Return the names in a piece of syntax; of functions and comprehensions inside it only free ones."""

    def __init__(self) -> None:
        self.binds: set[str] = set()
        self.uses: set[str] = set()
        self.reads: set[str] = set()
        self.later: set[str] = set()
        self.changes: set[str] = set()
        self.jumps: set[str] = set()

    def add(self, nodes: Iterable[ast.AST]) -> None:
        """Add the names of nodes, in the order in which they run."""
        for node in nodes:
            if isinstance(node, ast.Name):
                if not isinstance(node.ctx, ast.Load):
                    self.binds.add(node.id)
                else:
                    self.reads.add(node.id)
                    self.uses |= {node.id} - self.binds
                    self.later.discard(node.id)
            elif isinstance(node, ast.alias):
                self.binds.add((node.asname or node.name).partition(".")[0])
            elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
                self.binds.add(node.name)
            elif isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.Raise, ast.Yield, ast.YieldFrom)):
                self.jumps.add(type(node).__name__.lower().removesuffix("from"))
            self._add_changes(node)
            if isinstance(node, ast.Lambda):
                self._add_inner([node.body], _parameters(node.args), later=True)
                self.add([*node.args.defaults, *filter(None, node.args.kw_defaults)])
            elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
                self._add_inner(ast.iter_child_nodes(node))
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.binds.add(node.name)
                self.add([*node.args.defaults, *filter(None, node.args.kw_defaults), *node.decorator_list])
                self._add_inner(node.body, _parameters(node.args), later=True)
            elif isinstance(node, ast.ClassDef):
                self.binds.add(node.name)
                self.add([*node.bases, *node.keywords, *node.decorator_list])
                self._add_inner(node.body)
            elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                self.add(reversed(list(ast.iter_child_nodes(node))))
            else:
                self.add(ast.iter_child_nodes(node))

    def _add_changes(self, node: ast.AST) -> None:
        changed: ast.AST | None = None
        if isinstance(node, ast.AugAssign):
            changed = node.target
            if isinstance(changed, ast.Name):
                self.uses.add(changed.id)
                self.reads.add(changed.id)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            changed = node.func
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            changed = node
        if isinstance(changed, ast.Attribute) and changed.attr in _READING:
            return
        while isinstance(changed, (ast.Attribute, ast.Subscript)):
            changed = changed.value
        if isinstance(changed, ast.Name):
            self.changes.add(changed.id)

    def _add_inner(self, nodes: Iterable[ast.AST], parameters: Iterable[str] = (), later: bool = False) -> None:
        inner = _Names()
        inner.add(nodes)
        own = inner.binds.union(parameters)
        self.later |= inner.uses - own - self.uses if later else inner.later - own
        self.uses |= inner.uses - own
        self.reads |= inner.uses - own
        self.changes |= inner.changes - own


def _parameters(arguments: ast.arguments) -> tuple[str, ...]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return tuple(each.arg for each in every if each is not None)
