"""Statements of a program that has lost its indentation, each with the names that it binds, reads and changes."""

from __future__ import annotations

import ast
import io
import tokenize
from dataclasses import dataclass

_OPENERS = frozenset(
    ("class", "def", "async", "if", "elif", "else", "for", "while", "try", "except", "finally", "with", "match", "case")
)
_EMPTY = frozenset({"[]", "{}", "set()", "list()", "dict()", "0", "0.0", "''", "defaultdict(list)", "defaultdict(int)"})
_NO_UPDATES = frozenset(
    {"backward", "zero_grad", "grad", "item", "keys", "values", "items", "parameters", "format", "join"}
)
"""Methods and attributes whose change does not make the next iteration of a training loop another one."""


@dataclass(eq=False)
class Statement:
    """A statement, or the head of a compound one.

    Attributes:
        kind: its keyword; `assign`, `expression`, `text` (a docstring) or `decorator` without one.
        first_line, last_line: from 1.
        opens: True for a head whose block stands on the following lines.
        blank_lines: above it, comments included in between.
        binds, uses, changes: names that it binds, reads, and whose objects it may change.
        updates: of the changes those that depend on what was there before.
        plain_uses: names that it reads other than to call them.
        parameters: of a function, in order.
    """

    kind: str
    first_line: int
    last_line: int
    opens: bool
    blank_lines: int
    node: ast.AST | None
    binds: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    plain_uses: frozenset[str] = frozenset()
    updates: frozenset[str] = frozenset()
    parameters: tuple[str, ...] = ()
    yields: bool = False
    is_main_guard: bool = False
    is_idle: bool = False
    starts_empty: bool = False
    seen_guard: tuple[str, ...] = ()
    imports: bool = False
    name: str = ""


def read_flat(text: str) -> tuple[list[Statement], list[int]]:
    """Return the statements of a flat text and the lines of its comments.

    Raises:
        SyntaxError: for a text with something else wrong than its indentation, or one that has indentation.
    """
    lines = text.splitlines()
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
            first, last = tokens[0].start[0], tokens[-1].end[0]
            blank = sum(not line.strip() for line in lines[last_end : first - 1])
            last_end = last
            source = "\n".join([lines[first - 1][tokens[0].start[1] :], *lines[first:last]])
            statements.append(_statement(tokens, source, first, last, blank))
            tokens = []
        elif token.type not in (tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER):
            tokens.append(token)
    return statements, comments


def _statement(tokens: list[tokenize.TokenInfo], source: str, first: int, last: int, blank: int) -> Statement:
    word = tokens[0].string
    ends_in_colon = tokens[-1].string == ":"
    if word == "async":
        word = tokens[1].string
    if word in ("match", "case") and (not ends_in_colon or tokens[1].string in (".", "=", ":", ",", ")")):
        word = ""
    opens = ends_in_colon and word in _OPENERS
    if ends_in_colon and not opens:
        raise SyntaxError("a colon at the end of a statement")
    body = " pass" if opens else ""
    if opens and "#" in source:
        end_line, end_column = tokens[-1].end
        kept = source.split("\n")
        kept[-1] = (
            kept[-1][:end_column] if end_line != tokens[0].start[0] else kept[-1][: end_column - tokens[0].start[1]]
        )
        source = "\n".join(kept)
    if word == "@" or tokens[0].string == "@":
        tree = ast.parse(source + "\ndef f(): pass").body[0].decorator_list[0]  # type: ignore[attr-defined]
        return _described(Statement("decorator", first, last, False, blank, tree), tree)
    if word in ("else", "finally", "try"):
        if opens:
            return Statement(word, first, last, True, blank, None)
        node: ast.AST = ast.parse(f"if 1:\n {source[source.index(':') + 1 :].strip()}").body[0]
    elif word == "elif":
        node = ast.parse(source[2:] + body).body[0]
    elif word == "except":
        node = ast.parse(f"try: pass\n{source}{body}").body[0]
    elif word == "match":
        node = ast.parse(f"{source}\n case _: pass").body[0]
    elif word == "case":
        node = ast.parse(f"match 0:\n {source}{body}").body[0]
    else:
        parsed = ast.parse(source + body).body
        node = parsed[0] if len(parsed) == 1 else ast.Module(parsed, [])
    if word in _OPENERS:
        kind = word
    elif isinstance(node, (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Pass, ast.Global, ast.Nonlocal)):
        kind = type(node).__name__.lower()
    elif isinstance(node, ast.Module) and isinstance(node.body[-1], (ast.Return, ast.Raise, ast.Break, ast.Continue)):
        kind = type(node.body[-1]).__name__.lower()
    elif isinstance(node, ast.Expr):
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        is_dots = isinstance(node.value, ast.Constant) and node.value.value is ...
        kind = "text" if is_text else "pass" if is_dots else "expression"
    else:
        kind = "assign"
    return _described(Statement(kind, first, last, opens, blank, node), node)


class _Names(ast.NodeVisitor):
    """Collects the names of a statement; those of functions and comprehensions inside it only where they are free."""

    def __init__(self) -> None:
        self.binds: set[str] = set()
        self.uses: set[str] = set()
        self.called: set[str] = set()
        self.plain: set[str] = set()
        self.changes: set[str] = set()
        self.updates: set[str] = set()
        self.yields = False

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.uses.add(node.id)
            self.plain.add(node.id)
        else:
            self.binds.add(node.id)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name):
            self.uses.add(node.func.id)
            self.called.add(node.func.id)
        else:
            self.visit(node.func)
            if isinstance(node.func, ast.Attribute) and node.func.attr not in _NO_UPDATES:
                self.updates |= self._change(node.func.value)
        for each in (*node.args, *node.keywords):
            self.visit(each)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load) and node.attr not in _NO_UPDATES:
            self._change(node.value)
        self.visit(node.value)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._change(node.value)
        self.visit(node.value)
        self.visit(node.slice)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.uses.add(node.target.id)
            self.changes.add(node.target.id)
            self.updates.add(node.target.id)
        else:
            self.updates |= self._change(node.target)
        self.generic_visit(node)

    def _change(self, node: ast.AST) -> set[str]:
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        if not isinstance(node, ast.Name):
            return set()
        self.changes.add(node.id)
        return {node.id}

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.binds |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}

    visit_ImportFrom = visit_Import

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.binds.add(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self.binds.add(node.name)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_Yield(self, node: ast.Yield | ast.YieldFrom) -> None:
        self.yields = True
        self.generic_visit(node)

    visit_YieldFrom = visit_Yield

    def _inner(self, nodes: list[ast.AST], bound: set[str]) -> None:
        inner = _Names()
        for each in nodes:
            inner.visit(each)
        self.uses |= inner.uses - inner.binds - bound
        self.plain |= inner.plain - inner.binds - bound
        self.called |= inner.called - inner.binds - bound
        self.changes |= inner.changes - inner.binds - bound
        self.updates |= inner.updates - inner.binds - bound

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._inner([node.body], set(_parameters(node.args)))
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)

    def visit_ListComp(self, node: ast.AST) -> None:
        self._inner([*ast.iter_child_nodes(node)], set())

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.binds.add(node.name)
        for each in (*node.args.defaults, *filter(None, node.args.kw_defaults), *node.decorator_list):
            self.visit(each)
        self._inner([*node.body], set(_parameters(node.args)))

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.binds.add(node.name)
        for each in (*node.bases, *node.keywords, *node.decorator_list):
            self.visit(each)
        self._inner([*node.body], set())


def _parameters(arguments: ast.arguments) -> tuple[str, ...]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    return tuple(each.arg for each in every)


def _described(statement: Statement, node: ast.AST) -> Statement:
    names = _Names()
    names.visit(node)
    statement.binds, statement.uses = frozenset(names.binds), frozenset(names.uses)
    statement.changes = frozenset(names.changes)
    statement.updates = frozenset(names.updates)
    statement.plain_uses = frozenset(names.plain)
    statement.yields = names.yields
    statement.imports = isinstance(node, (ast.Import, ast.ImportFrom))
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        statement.starts_empty = all(ast.unparse(each) in _EMPTY for each in values)
    statement.is_idle = isinstance(node, ast.Expr) and isinstance(
        node.value, (ast.Name, ast.Attribute, ast.Compare, ast.BinOp, ast.Tuple, ast.Subscript)
    )
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        statement.parameters = _parameters(node.args)
        statement.name = node.name
    elif isinstance(node, ast.ClassDef):
        statement.name = node.name
    elif isinstance(node, ast.If) and isinstance(node.test, ast.Compare):
        statement.is_main_guard = isinstance(node.test.left, ast.Name) and node.test.left.id == "__name__"
        if isinstance(node.test.ops[0], ast.NotIn):
            sides = [node.test.left, node.test.comparators[0]]
            statement.seen_guard = tuple(n.id for side in sides for n in ast.walk(side) if isinstance(n, ast.Name))
    return statement
