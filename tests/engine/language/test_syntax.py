"""Colours and completions, on texts that are right and on texts that are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.autograd import OPS
from engine.language import KnownNames, Span, completions, highlight, highlight_line


def coloured(text):
    lines = text.split("\n")
    return [(lines[s.line - 1][s.column - 1 : s.column - 1 + s.length], s.kind) for s in highlight(text)]


def test_the_kinds_of_tokens():
    assert coloured("y = tanh(x1) * 2.5 # note") == [
        ("y", "name"), ("=", "operator"), ("tanh", "function"), ("(", "operator"), ("x1", "name"), (")", "operator"),
        ("*", "operator"), ("2.5", "number"), ("# note", "comment"),
    ]  # fmt: skip


def test_methods_are_functions_and_functions_without_brackets_names():
    assert ("relu", "function") in coloured("x.relu ()")
    assert ("tanh", "name") in coloured("tanh + 1")


def test_strings_keywords_and_strange_characters():
    assert coloured("for 'a' ² ?") == [("for", "keyword"), ("'a'", "string"), ("²", "bad"), ("?", "bad")]


@pytest.mark.parametrize("line", ["%matplotlib inline", "%%time", "!pip install micrograd"])
def test_lines_that_are_set_aside_have_a_colour_of_their_own(line):
    assert {kind for _, kind in coloured(line)} == {"set-aside"}


@pytest.mark.parametrize("line", ["import torch", "print(x,\n 1)", "x.backward()", "random.seed(7)", "x % 2"])
def test_what_runs_is_coloured_as_a_program(line):
    assert "set-aside" not in {kind for _, kind in coloured(line)}


def test_a_line_set_aside_ends_with_its_line():
    assert ("y", "name") in coloured("%time\ny = 1")
    assert ("# why", "comment") in coloured("import torch # why")


def test_functions_of_python_are_functions():
    assert ("print", "function") in coloured("print(len(x))")
    assert ("len", "function") in coloured("print(len(x))")


def test_places_are_right_in_every_line():
    spans = highlight("a = 1\n\n  bb = (a +\n 2)")
    assert [(s.line, s.column) for s in spans if s.kind == "name"] == [(1, 1), (3, 3), (3, 9)]
    assert (spans[-1].line, spans[-1].column) == (4, 3)


@pytest.mark.long
@given(st.text(max_size=200))
def test_any_text_can_be_coloured(text):
    lines = text.split("\n")
    for span in highlight(text):
        assert 1 <= span.line <= len(lines)
        assert span.length >= 1
        assert span.column + span.length - 1 <= len(lines[span.line - 1])


def words(text, at):
    return [completion.text for completion in completions(text, at)]


def test_names_come_before_functions():
    text = "taxes = 1\ny = ta"
    assert words(text, len(text)) == ["taxes", "tanh"]
    assert words(text, "ta") == ["taxes", "tanh"]


def test_after_a_dot_come_methods():
    text = "x = 1\ny = x."
    offered = completions(text, len(text))
    assert {"relu", "tanh", "exp"} <= {completion.text for completion in offered}
    assert {completion.kind for completion in offered} == {"method"}
    assert words(text + "si", len(text) + 2) == ["sigmoid", "sin"]


def test_every_function_of_one_number_is_offered_with_its_rule():
    offered = {completion.text: completion.detail for completion in completions("", 0)}
    for op in OPS.values():
        if op.elementwise and not op.infix:
            assert offered[op.name] == op.rule
    assert {"sum", "Value"} <= offered.keys()


def test_the_word_being_typed_is_no_completion_of_itself():
    assert words("wei = 1\nwe", "wei") == ["weighted_sum"]
    assert words("a = 1; b += 2\nc **= 3\nd == 4\n", "")[:3] == ["a", "b", "c"]


def test_a_line_that_is_not_finished_leaves_the_other_lines_their_colours():
    text = 'a = 1\nb = "open\nfor k in range(3):\n    c = (a +\n'
    kinds = coloured(text)
    assert kinds[:3] == [("a", "name"), ("=", "operator"), ("1", "number")]
    assert ('"open', "string") in kinds and ("for", "keyword") in kinds and ("range", "function") in kinds


def test_a_text_over_several_lines_is_one_colour_on_each():
    text = 's = """one\n  two"""\nx = 1'
    assert [(s.line, s.column, s.length) for s in highlight(text) if s.kind == "string"] == [(1, 5, 6), (2, 1, 8)]


def test_names_and_attributes_of_the_last_run_are_offered():
    assert [c.text for c in completions("x = los", 7, {"loss": "Value", "other": "number"})] == ["loss"]
    offered = completions("model.pa", 8, known=KnownNames({"model": ("layers", "parameters(")}))
    assert [(c.text, c.kind) for c in offered] == [("parameters", "method")]
    assert [c.text for c in completions("def double(n): return n\ndou", 27)] == ["double"]


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        *(("import nu", ["numpy"]), ("import numpy.", ["linalg", "random"]), ("from mat", ["math", "matplotlib"])),
        *(("from math import s", ["sin", "sqrt"]), ("print(1)  # los", []), ("print('los", [])),
    ],
)
def test_modules_and_their_names_are_offered_where_they_are_imported(text, offered):
    modules = ("math", "matplotlib", "matplotlib.pyplot", "numpy", "numpy.linalg", "numpy.random")
    known = KnownNames({"math": ("cos(", "sin(", "sqrt(")}, importable=modules)
    assert [each.text for each in completions(text, len(text), {"loss": "Value"}, known)] == offered


@pytest.mark.parametrize("quote", "'\"")
def test_a_string_goes_on_behind_a_backslash_and_ends_with_its_line_elsewhere(quote):
    spans, goes_on = highlight_line(f"s = {quote}one \\")
    assert (spans[-1].kind, spans[-1].length, goes_on) == ("string", 6, quote)
    assert highlight_line("two \\", goes_on) == ([Span(1, 1, 5, "string")], quote)
    assert highlight_line("three + y", goes_on) == ([Span(1, 1, 9, "string")], "")
    assert highlight_line(f"three{quote}", goes_on) == ([Span(1, 1, 6, "string")], "")


def test_the_lines_of_a_long_string_are_one_colour_each_by_itself():
    spans, goes_on = highlight_line('s = """one')
    assert spans[-1].kind == "string" and goes_on == '"""'
    assert highlight_line("it's two # no comment", goes_on) == ([Span(1, 1, 21, "string")], '"""')
    spans, goes_on = highlight_line('three""" + y', goes_on)
    assert [(span.column, span.length, span.kind) for span in spans] == [
        (1, 8, "string"), (10, 1, "operator"), (12, 1, "name"),
    ]  # fmt: skip
    assert goes_on == ""
