"""Text as it is pasted: code taken out of a page, typographic characters put right, cells of a notebook.

`engine.language.indentation` brings a lost indentation back.
"""

from __future__ import annotations

import ast
import re
import textwrap
from typing import NamedTuple

from engine.language.source import lines_of, parse

_BLANKS = dict.fromkeys("\xa0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(8192, 8203))), " ")
_NOTHING = dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", "")
_SIGNS = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d", "-"),
    **dict.fromkeys("×∗⋅·•", "*"),
    **dict.fromkeys("÷∕⁄", "/"),
    **dict.fromkeys("‘’‚‛′´`", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    "≤": "<=", "≥": ">=", "≠": "!=", "…": "...", "²": "**2", "³": "**3",
    "（": "(", "）": ")", "，": ",", "：": ":", "；": ";", "＝": "=", "＋": "+", "＊": "*",
}  # fmt: skip
_STRAIGHT = str.maketrans(_BLANKS | _NOTHING | _SIGNS)
_INVISIBLE = str.maketrans(_BLANKS | _NOTHING)
_QUOTES = str.maketrans({letter: sign for letter, sign in _SIGNS.items() if sign in ("'", '"')})
_STRING_OR_COMMENT = re.compile(
    r"""(?P<kept>\#[^\n]*|'''[\s\S]*?'''|\"\"\"[\s\S]*?\"\"\"|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
    r"""|(?P<curly>[“”„‟«][^“”„‟»"\n]*[“”‟»"]|[‘‚‛][^‘’‛'\n]*[’‛'])"""
)

_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.|In ?\[[ \d*]*\]:|\[\d+\]:|\$ )(?: |$)")
_CONTINUED = re.compile(r"^[ \t]*\.\.\.:?(?: |$)")
_OUTPUT = re.compile(r"^[ \t]*Out ?\[[ \d]*\]:")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)")
_NUMBERED = re.compile(r"^[ \t]*(\d+)(?:[.:|)]| |\t|$)")
_CELL = re.compile(r"^[ \t]*#[ \t]*(?:%%|In\[)")
_CODE_LIKE = re.compile(
    r"^[ \t]*(?:[\w.\[\], ()'\"]+[-+*/%]?=(?!=)"
    r"|(?:def|class|for|while|if|elif|else|with|try|except)\b.*:[ \t]*(?:#.*)?$"
    r"|[\w.]+\(.*\)[ \t]*$|(?:import|return|from \w+ import)\b)"
)
"""A line that is code, even where it has an error: never left out as prose."""
_BLOCK_END = re.compile(r":[ \t]*(?:#.*)?$")


class Cell(NamedTuple):
    """A stretch of lines that is run together; both from 1, the last one included."""

    first_line: int
    last_line: int


def straighten_typography(text: str) -> str:
    """Return a program with typographic quotes, dashes, blanks and signs as Python reads them.

    What stands in straight quotes and in comments keeps its letters; quotes that delimit a text become straight ones.
    A program that parses is returned as it is.
    """
    if parse(text) is not None:
        return text
    parts: list[str] = []
    at = 0
    for found in _STRING_OR_COMMENT.finditer(text):
        parts.append(text[at : found.start()].translate(_STRAIGHT))
        kept, curly = found["kept"], found["curly"]
        if kept is not None:
            parts.append(kept)
        elif len(curly) > 2 and "'" in curly[1:-1] and '"' not in curly[1:-1]:
            parts.append('"' + curly[1:-1].translate(_INVISIBLE) + '"')
        else:
            quote = curly[0].translate(_QUOTES)
            parts.append(quote + curly[1:-1].translate(_INVISIBLE) + quote)
        at = found.end()
    parts.append(text[at:].translate(_STRAIGHT))
    return "".join(parts)


def keep_only_code(text: str) -> str | None:
    """Return the code of a pasted page without its prose, prompts, line numbers, fences and output.

    Returns None where nothing can be taken out, or what is left is no program.
    """
    if parse(text) is not None and not _PROMPT.match(text):
        return None
    lines = text.replace("\r\n", "\n").split("\n")
    for kept in (_in_fences(lines), _behind_prompts(lines), _without_numbers(lines), lines):
        if kept is None:
            continue
        for candidate in (kept, _without_prose(kept)):
            if candidate is None:
                continue
            code = textwrap.dedent("\n".join(candidate)).strip("\n")
            for tried in (code, straighten_typography(code)):
                if tried.strip() and tried.strip() != text.strip() and parse(tried) is not None:
                    return tried + "\n"
    return None


def begins_cell(line: str) -> bool:
    """Return True for a line that begins with `# %%`."""
    return _CELL.match(line) is not None


def cells(text: str, blank_lines: bool = False) -> list[Cell]:
    """Return the cells of a program, which together are all of its lines.

    Args:
        text: the program; a line that begins with `# %%` begins a cell.
        blank_lines: begin one at every statement of the top level behind a blank line, too, where no line has `# %%`.
    """
    lines = lines_of(text)
    starts = [number for number, line in enumerate(lines, 1) if begins_cell(line)]
    if not starts and blank_lines:
        tree = parse(text)
        for first in map(_first_line, tree.body if tree is not None else ()):
            while first > 1 and lines[first - 2].lstrip().startswith("#"):
                first -= 1
            if first > 1 and not lines[first - 2].strip():
                starts.append(first)
    starts = [1, *(start for start in starts if start > 1)]
    ends = [start - 1 for start in starts[1:]] + [len(lines)]
    return [Cell(start, end) for start, end in zip(starts, ends, strict=True)]


def _first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min(node.lineno, *(each.lineno for each in decorators)) if decorators else node.lineno


def _in_fences(lines: list[str]) -> list[str] | None:
    """Return the lines between Markdown fences, those of other languages left out; None without fences."""
    kept: list[str] = []
    fence, wanted = "", False
    for line in lines:
        found = _FENCE.match(line)
        if found and not fence:
            fence, wanted = found[1], found[2].lower() in ("", "python", "py", "python3", "ipython", "pycon")
        elif found and found[1].startswith(fence) and not found[2]:
            fence = ""
        elif fence and wanted:
            kept.append(line)
    return (_behind_prompts(kept) or kept) if kept else None


def _behind_prompts(lines: list[str]) -> list[str] | None:
    """Return the code behind the prompts of a session; None without prompts."""
    if not any(_PROMPT.match(line) and not _CONTINUED.match(line) for line in lines):
        return None
    kept: list[str] = []
    notebook = any(re.match(r"^[ \t]*(?:In ?)?\[[ \d*]*\]:[ \t]*$", line) for line in lines)
    in_cell = False
    for line in lines:
        if _OUTPUT.match(line):
            in_cell = False
        elif found := _PROMPT.match(line) or _CONTINUED.match(line):
            in_cell = notebook
            kept.append(line[found.end() :])
        elif in_cell:
            kept.append(line)
    return kept


def _without_numbers(lines: list[str]) -> list[str] | None:
    """Return the lines without the numbers of an editor in front of them; None where they have none."""
    found = map(_NUMBERED.match, lines)
    numbers = [int(each[1]) if each and len(each[1]) < 9 else None for each in found]
    counted = [number for number in numbers if number is not None]
    if len(counted) < 2 or counted != list(range(counted[0], counted[0] + len(counted))):
        return None
    if sum(bool(line.strip()) for line in lines) > len(counted) * 1.2:
        return None
    if all(number is None or line.strip() == str(number) for line, number in zip(lines, numbers, strict=True)):
        return None
    bare = [
        _NUMBERED.sub("", line, count=1) if number is not None else line
        for line, number in zip(lines, numbers, strict=True)
    ]
    common = all(line[:1] in ("", " ") for line in bare)
    return [line[1:] for line in bare] if common else bare


def _without_prose(lines: list[str]) -> list[str] | None:
    """Return the longest stretches of lines that are code; None where one that is left out looks like code."""
    kept: list[str] = []
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            kept.append("")
            at += 1
            continue
        end = _end_of_code(lines, at)
        below = lines[at + 1] if at + 1 < len(lines) else ""
        if end == at and (_CODE_LIKE.match(lines[at]) or (below[:1].isspace() and below.strip())):
            return None
        kept.extend(lines[at:end])
        at = max(end, at + 1)
    return kept


def _end_of_code(lines: list[str], at: int) -> int:
    """Return the end of the longest stretch of code that begins at a line; that line itself for none."""
    best = at
    for end in range(at + 1, min(len(lines), at + 120) + 1):
        stretch = lines[at:end]
        if _is_code("\n".join(stretch)):
            best = end
        elif (end - at > 1 and best == at and not _goes_on(stretch)) or (best > at and end - best > 40):
            break
    while best > at and not lines[best - 1].strip():
        best -= 1
    return best


def _goes_on(stretch: list[str]) -> bool:
    text = "\n".join(stretch)
    opened = sum(map(text.count, "([{")) > sum(map(text.count, ")]}"))
    return opened or bool(_BLOCK_END.search(stretch[0])) or text.count('"""') % 2 == 1 or stretch[0].startswith("@")


def _is_code(text: str) -> bool:
    """Return True for text that parses and does something: a word or a number alone may be prose or output."""
    tree = parse(textwrap.dedent(text))
    if tree is None or not tree.body:
        return tree is not None and text.lstrip().startswith("#")
    return not any(map(_is_idle, tree.body))


def _is_idle(node: ast.stmt) -> bool:
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return True  # `Note: this`
    return (
        isinstance(node, ast.Expr)
        and not any(isinstance(each, (ast.Call, ast.Await, ast.Yield)) for each in ast.walk(node.value))
        and not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str))
    )
