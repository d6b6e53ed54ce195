"""Long and deep programs: they work, or get an answer soon."""

import pytest

from engine.language import ProgramError, evaluate

X = "x = 2.0\n"


def test_a_hundred_brackets_work():
    """B019."""
    assert evaluate(X + "(" * 100 + "x" + ")" * 100).root.data == 2.0
    assert evaluate(X + "-(" * 90 + "x" + ")" * 90).root.data == 2.0


@pytest.mark.slow
def test_a_thousand_terms_work():
    """B020."""
    result = evaluate("x = 2.0\ny = " + " + ".join(["x"] * 1_000))
    result.root.backward()
    assert result.names["x"].grad == 1_000.0


@pytest.mark.slow
def test_a_chain_of_five_hundred_statements_works():
    """B028."""
    result = evaluate("a0 = 1.0\n" + "\n".join(f"a{i} = a{i - 1} + 1" for i in range(1, 500)))
    result.root.backward()
    assert result.root.data == 500.0
    assert result.names["a0"].grad == 1.0


def test_doubling_thirty_times_stays_thirty_one_nodes():
    """B029."""
    result = evaluate("a0 = 1.0\n" + "; ".join(f"a{i} = a{i - 1} + a{i - 1}" for i in range(1, 31)))
    result.root.backward()
    assert len(result.origins) == 31
    assert result.root.data == result.names["a0"].grad == 2.0**30


LONG_TEXTS = [
    "'" * 19_998, '"""' * 6_666, "(" * 19_999, "a." * 9_999, "1e" * 9_999, "\\\n" * 499, "a=" * 9_999, ";" * 19_999,
    "a,b" * 6_000, "^" * 19_999, "²" * 19_999, "+".join(["f(1"] * 4_000), "print(" * 3_000, "a" + "\0" * 19_000,
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("text", LONG_TEXTS, ids=range(len(LONG_TEXTS)))
def test_long_texts_of_one_kind_get_an_answer(text):
    """A quadratic or exponential step would show here as a test that does not end."""
    try:
        evaluate(text)
    except ProgramError as error:
        assert error.line >= 1


@pytest.mark.slow
def test_refusal_needs_little_of_the_stack():
    """A caller that is deep in its own calls still gets a polite answer."""

    def deep(calls: int) -> str:
        if calls:
            return deep(calls - 1)
        with pytest.raises(ProgramError) as refusal:
            evaluate("y = " + "-(" * 99 + "q" + ")" * 99)
        return refusal.value.message

    assert deep(300) != ""
