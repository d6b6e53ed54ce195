"""What is shown at a zoom."""

import dataclasses
from itertools import pairwise

import pytest

from gui.canvas.level_of_detail import (
    FULL_DETAIL,
    MAX_CURVES,
    MAX_DECORATED_CURVES,
    MAX_NODES,
    MAX_NODES_AGAIN,
    MAX_READABLE,
    LevelOfDetail,
    level_of_detail,
)  # fmt: skip

ZOOMS = [0.02 * 1.05**step for step in range(120)]


@pytest.mark.parametrize(
    ("zoom", "captions", "digits", "cells"),
    [(6.0, True, True, True), (1.0, True, True, True), (0.62, True, True, True), (0.61, False, True, True),
     (0.3, False, True, True), (0.29, False, False, True), (0.14, False, False, True), (0.13, False, False, False)],
)  # fmt: skip
def test_small_things_go_first_when_the_zoom_falls(zoom, captions, digits, cells):
    assert level_of_detail(zoom) == LevelOfDetail(captions=captions, digits=digits, cells=cells)


def test_what_is_seen_at_a_zoom_is_seen_at_every_larger_one():
    shown = [dataclasses.astuple(level_of_detail(zoom, nodes=MAX_NODES + 1)) for zoom in ZOOMS]
    assert all(a <= b for one, two in pairwise(shown) for a, b in zip(one, two, strict=True))
    assert level_of_detail(ZOOMS[-1]) == FULL_DETAIL


@pytest.mark.parametrize(
    ("zoom", "most"), [(0.2, MAX_NODES), (0.49, MAX_NODES), (0.5, MAX_READABLE), (1.0, MAX_READABLE)]
)
def test_too_many_nodes_in_view_are_drawn_all_at_once(zoom, most):
    assert level_of_detail(zoom, nodes=most).one_by_one
    assert not level_of_detail(zoom, nodes=most + 1).one_by_one


def test_a_little_panning_does_not_go_back_and_forth_between_the_two():
    many = level_of_detail(0.2, nodes=MAX_NODES + 1)
    fewer = level_of_detail(0.2, nodes=MAX_NODES, previous=many)
    few = level_of_detail(0.2, nodes=MAX_NODES_AGAIN, previous=fewer)
    assert [one.one_by_one for one in (many, fewer, few)] == [False, False, True]
    assert level_of_detail(0.2, nodes=MAX_NODES, previous=few).one_by_one


def test_edges_that_are_only_a_texture_are_no_curves():
    assert level_of_detail(0.3, edges=MAX_CURVES).curves and not level_of_detail(0.3, edges=MAX_CURVES + 1).curves
    few, many = (
        level_of_detail(1.0, decorated_edges=count) for count in (MAX_DECORATED_CURVES, MAX_DECORATED_CURVES + 1)
    )
    assert few.decorated_curves and not many.decorated_curves and few.curves and many.curves


def test_a_level_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        FULL_DETAIL.captions = False
