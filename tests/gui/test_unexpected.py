"""An exception that nobody caught: told in the user's words and logged, once for what goes on failing."""

import logging
import sys

import pytest

from gui.unexpected import UnexpectedErrors


@pytest.fixture
def told():
    return []


def raised(error):
    try:
        raise error
    except type(error):
        return sys.exc_info()


def test_what_fails_with_every_frame_is_logged_and_told_once(told, caplog):
    hook = UnexpectedErrors(lambda text, kind: told.append((text, kind)))
    with caplog.at_level(logging.ERROR):
        for _ in range(50):
            hook(*raised(ValueError("no box")))
    assert len(caplog.records) == 1
    assert caplog.records[0].exc_info
    ((text, kind),) = told
    assert "no box" in text and "Problems" in text and kind == "error"


def test_what_fails_again_after_a_while_is_told_again(told):
    now = [0.0]
    hook = UnexpectedErrors(lambda text, kind: told.append(text), clock=lambda: now[0])
    for seconds in (0.0, 1.0, 2.5, 20.0):
        now[0] = seconds
        hook(*raised(ValueError("no box")))
    assert len(told) == 2


def test_other_errors_and_other_places_are_logged_too(told, caplog):
    hook = UnexpectedErrors(lambda text, kind: told.append(text))
    with caplog.at_level(logging.ERROR):
        hook(*raised(ValueError("one")))
        hook(*raised(KeyError("two")))
        try:
            _ = 1 / 0
        except ZeroDivisionError:
            hook(*sys.exc_info())
    assert len(caplog.records) == 3


def test_the_user_is_not_told_the_way_through_qt(told):
    hook = UnexpectedErrors(lambda text, kind: told.append(text))
    way = "Error calling Python override of QGraphicsView::paintEvent(): "
    hook(RuntimeError, RuntimeError(f"{way}{way}no box"), None)
    hook(MemoryError, MemoryError(), None)
    assert ["no box" in told[0], "MemoryError" in told[1]] == [True, True] and "override" not in "".join(told)
