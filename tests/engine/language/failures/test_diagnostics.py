"""What a program's errors and notes say, and the edits they offer."""

import pytest

from engine.language import ProgramError, evaluate


def refusal(text):
    with pytest.raises(ProgramError) as refused:
        evaluate(text)
    return refused.value


def notes(text):
    return [(note.line, note.message) for note in evaluate(text).notes]


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("a = 1,000", ["a = 1000", "a = 1.000"]),
        ("a = 12,345,678", ["a = 12345678"]),
        ("a = 1,234.5", ["a = 1234.5"]),
        ("a = 1.234,5", ["a = 1234.5"]),
        ("a = 0,500", ["a = 0.500"]),
        ("a = 3,14", ["a = 3.14"]),
    ],
)
def test_what_a_number_with_commas_can_mean_is_offered_the_likelier_first(text, repaired):
    error = refusal(text)
    assert [fix.apply(text) for fix in error.fixes] == repaired
    assert "comma" in error.message
    for program in repaired:
        evaluate(program)


@pytest.mark.parametrize("text", ["a = 1,2,3", "a = 1, 000", "a = 1,0x10"])
def test_several_numbers_with_commas_are_several_numbers(text):
    assert isinstance(evaluate(text).variables["a"], tuple)


@pytest.mark.parametrize(
    ("text", "words", "repaired"),
    [
        ("w₁ = 2", "₁ is not known here: write w1", "w1 = 2"),
        ("w1 = 2\ny = w₁₂", "write w12", "w1 = 2\ny = w12"),
        ("x = 2\nx¹²", "write x ** 12", "x = 2\nx ** 12"),
        ("x = 2\nx²", "write x ** 2", "x = 2\nx ** 2"),
    ],
)
def test_small_digits_below_belong_to_the_name_and_those_above_are_a_power(text, words, repaired):
    error = refusal(text)
    assert words in error.message
    assert error.fix.apply(text) == repaired


def test_a_small_digit_behind_a_number_is_no_part_of_a_name():
    assert refusal("a = 3₁").fix is None


def test_a_name_with_its_value_further_down_is_told_where_and_the_line_can_be_moved():
    text = "x = 2.0\nz = 3.0\n\n# the sum\ns = x + y  # here\ny = 5.0  # five\nt = s*z"
    error = refusal(text)
    assert error.message == "y has no value yet: it is given its value in line 6, below: move that line above"
    assert (error.line, error.column) == (5, 9)
    moved = error.fix.apply(text)
    assert moved == "x = 2.0\nz = 3.0\n\n# the sum\ny = 5.0  # five\ns = x + y  # here\nt = s*z"
    assert evaluate(moved).root.data == 21.0


@pytest.mark.parametrize("text", ["a = b\nb = a", "a = b\nb = (1 +\n2)", "a = b\nb = c\nc = 1"])
def test_a_line_that_cannot_stand_above_is_not_offered_to_be_moved(text):
    error = refusal(text)
    assert error.message == "b has no value yet: it is given its value in line 2, below"
    assert error.fix is None


def test_a_value_that_follows_in_the_same_line_is_told_its_column():
    assert "behind this, in column 8" in refusal("y = q; q = 1").message


def test_a_name_used_in_its_own_first_value_is_offered_one():
    error = refusal("c += 1")
    assert error.message == "c is used before it has a value: write c = 1.0 above"
    assert error.fix.apply("c += 1") == "c = 1.0\nc += 1"


def test_a_line_is_moved_and_inserted_behind_a_byte_order_mark():
    for text in ("\ufeffy = q + 1\nq = 1", "\ufeffy = q + 1"):
        assert evaluate(refusal(text).fix.apply(text)).root.label == "y"


@pytest.mark.parametrize(
    ("text", "repaired"), [("x = 2\ny = sin x", "x = 2\ny = sin(x)"), ("a = 0123", "a = 123"), ("relu 3", "relu(3)")]
)
def test_what_the_sentence_says_to_write_is_offered(text, repaired):
    error = refusal(text)
    assert error.fix.apply(text) == repaired
    assert error.fix.title in error.message
    evaluate(repaired)


def test_the_nearest_name_is_offered_beside_a_new_one():
    text = "weight = 1\nwieght + 1"
    assert [fix.apply(text) for fix in refusal(text).fixes] == [
        "weight = 1\nwieght = 1.0\nwieght + 1",
        "weight = 1\nweight + 1",
    ]


@pytest.mark.parametrize(
    ("text", "name", "place"),
    [
        ("exp = 3\ny = exp(1)", "exp", (2, 5)),
        ("x = 1\nsum = 3\nsum([1, 2])", "sum", (3, 1)),
        ("Value = 3\na = Value(2.0)", "Value", (2, 5)),
        ("print = 3\nprint(print)", "print", (2, 1)),
        ("exp = 2; exp = exp + 1\nexp(exp)", "exp", (2, 1)),
    ],
)
def test_a_number_with_the_name_of_a_function_is_not_called(text, name, place):
    error = refusal(text)
    assert f"{name} is a number here (line " in error.message
    assert (error.line, error.column) == place


def test_the_place_of_the_number_that_hides_a_function_is_the_newest():
    assert "(line 2)" in refusal("exp = 2\nexp = 3\nexp(1)").message


def test_a_hidden_function_is_noted_and_its_method_goes_on_working():
    result = evaluate("x = 0.5\ntanh = 2\ny = x.tanh() * tanh + math.tanh(0)")
    assert result.root.data == pytest.approx(2 * 0.46211715726000975)
    assert [(n.line, n.message) for n in result.notes] == [
        (2, "tanh is a number from here on: the function tanh cannot be called any more")
    ]


def test_a_function_may_be_called_for_the_value_that_hides_it():
    assert notes("x = 0.0\nexp = exp(x)\nexp = exp + 1")[0][0] == 2
    assert evaluate("x = 0.0\nexp = exp(x)").root.data == 1.0


def test_an_unnamed_expression_that_nothing_uses_is_noted():
    text = "a = 2.0\na * 3\nb = a + 1\nb * b"
    assert notes(text) == [(2, "this value is not part of the result: give it a name to use it")]
    assert notes("a = 2.0\na\nb = a + 1") == []


@pytest.mark.parametrize("letter", ["\u202e", "\u2066", "\u200b", "\u00ad", "\ufeff", "\u3164", "\u2800", "\x1b"])
def test_a_character_that_cannot_be_seen_is_noted_in_a_comment_and_in_quotes(letter):
    code = f"U+{ord(letter):04X}"
    for text in (f"x = 1 # a{letter}b", f"x = Value(1.0, label='a{letter}b')"):
        ((line, message),) = notes(text)
        assert line == 1
        assert message.startswith(f"invisible character {code}")
        assert evaluate(text).root.label.isprintable()


def test_a_character_that_turns_the_direction_is_said_to_do_so():
    ((_, message),) = notes("x = 1 # \u202eb")
    assert message == (
        "invisible character U+202E (right-to-left override), which shows this line in another order than it has"
    )


@pytest.mark.parametrize("letter", ["\u202e", "\u200b", "\u3164", "\uffa0", "\u2800", "\x1b", "\u2060"])
def test_a_character_that_cannot_be_seen_is_an_error_in_the_program_itself(letter):
    text = f"ab{letter}c = 1"
    error = refusal(text)
    assert error.message.startswith(f"invisible character U+{ord(letter):04X}")
    assert (error.line, error.column) == (1, 3)
    assert error.fix.apply(text) == "abc = 1"


@pytest.mark.parametrize("text", ["a = '\x1b[31m' ^ 2", "x = 1\nx # \x1b]0;\x07\n(x # \x1b[2J\n)(x)", "\x1b[31m"])
def test_no_error_carries_a_control_character_of_the_text(text):
    error = refusal(text)
    assert error.message.isprintable()
    assert all(fix.title.isprintable() for fix in error.fixes)


def test_each_binding_of_a_name_to_a_number_is_a_leaf_that_says_which():
    text = "a = 1.0\nb = a*2\na = 3.0\ny = a*b"
    leaves = evaluate(text).leaves
    assert [(leaf.title, leaf.key, leaf.number, leaf.line) for leaf in leaves] == [
        ("a (line 1)", "a", 1.0, 1),
        ("a (line 3)", "a#2", 3.0, 3),
    ]


def test_a_number_whose_name_changes_later_says_its_line():
    assert [leaf.title for leaf in evaluate("c = 2.0\nc += 1\nd = c * 2").leaves] == ["c (line 1)"]
    assert [leaf.title for leaf in evaluate("c = 2.0\nd = c * 2").leaves] == ["c"]


def test_two_bindings_in_one_line_are_told_apart_by_their_columns():
    titles = [leaf.title for leaf in evaluate("a = 1; b = a; a = 2; y = a*b").leaves]
    assert titles == ["a (line 1, column 5)", "a (line 1, column 19)"]


@pytest.mark.parametrize("text", ["a = 1e400", "a = -1e400", "a = 0x" + "f" * 300])
def test_a_number_too_large_for_a_slider_is_no_leaf_with_one(text):
    assert evaluate(text).leaves == []


def test_a_text_far_too_long_is_refused_by_a_look_at_its_start_only():
    class Watched(str):
        taken = 0

        def __getitem__(self, key):
            piece = super().__getitem__(key)
            Watched.taken += len(piece)
            return piece

        def replace(self, *_):
            raise AssertionError("the whole text was worked on")

        translate = replace

    error = refusal(Watched("a = 1\n" * 100_000))
    assert error.message == "the text is too long: 600,000 characters, at most 20,000"
    assert Watched.taken <= 20_001


@pytest.mark.parametrize("text", ["x = tensor([2.0],", "x = torch.tensor([2.0],ch.tensor([2.0]"])
def test_arguments_that_never_end_are_refused(text):
    """Whoever typed them waited for ever, and a core was busy until the window was closed."""
    with pytest.raises(ProgramError):
        evaluate("import torch\nfrom torch import tensor\n" + text)
