import itertools
import math
import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.graph.moved import Ends, route, simple_curve
from engine.layout import visibility
from engine.layout.result import straight
from engine.layout.visibility import Obstacles, SearchBudget, rounded, shortest_way

SOURCE, TARGET = (-100.0, -17.0, 0.0, 17.0), (600.0, -17.0, 700.0, 17.0)


def points_on(curves, count=200):
    """Points of cubic curves, the ends of each left out, as rows of x and y."""
    t = np.arange(1, count)[:, None] / count
    u = 1 - t
    places = [u**3 * a + 3 * u * u * t * b + 3 * u * t * t * c + t**3 * d for a, b, c, d in map(np.array, curves)]
    return np.concatenate(places)


def is_entered(rect, points, margin):
    """Whether any of the points lies within a rectangle."""
    left, top, right, bottom = rect
    x, y = points.T
    return bool(np.any((left + margin < x) & (x < right - margin) & (top + margin < y) & (y < bottom - margin)))


def touched(way, rects, margin=1e-3):
    """The rectangles whose inside the way enters, by sampling: nothing of the module is asked."""
    points = points_on(way)
    return [rect for rect in rects if is_entered(rect, points, margin)]


def ends_of(source, target, downwards=False):
    if downwards:
        return Ends(((source[0] + source[2]) / 2, source[3]), ((target[0] + target[2]) / 2, target[1]), True)
    return Ends((source[2], (source[1] + source[3]) / 2), (target[0], (target[1] + target[3]) / 2))


def between(source, target, others, downwards=False):
    return route(ends_of(source, target, downwards), [source, target], Obstacles(others))


def overlap(one, two, room=0.0):
    return one[0] < two[2] + room and one[2] > two[0] - room and one[1] < two[3] + room and one[3] > two[1] - room


def test_a_free_way_is_the_simple_curve():
    assert between(SOURCE, TARGET, [(200.0, 100.0, 300.0, 140.0)]) == (simple_curve(ends_of(SOURCE, TARGET)),)


def test_a_way_goes_around_a_box_on_the_shorter_side():
    low, high = (200.0, -10.0, 300.0, 80.0), (200.0, -80.0, 300.0, 10.0)
    above, below = between(SOURCE, TARGET, [low]), between(SOURCE, TARGET, [high])
    assert touched(above, [low, SOURCE, TARGET]) == touched(below, [high, SOURCE, TARGET]) == []
    assert min(y for curve in above for _, y in curve) < -10 and max(y for curve in below for _, y in curve) > 10
    assert max(y for curve in above for _, y in curve) < 20


def test_a_way_finds_the_gap_in_a_column():
    column = [(250.0, 52.0 * row - 17.0, 450.0, 52.0 * row + 17.0) for row in range(-20, 21)]
    way = between(SOURCE, TARGET, column)
    assert touched(way, column) == [] and max(abs(y) for curve in way for _, y in curve) < 60


@pytest.mark.parametrize("downwards", [False, True])
def test_a_target_behind_its_source_is_reached_around_both(downwards):
    way = between(TARGET, SOURCE, [(250.0, -40.0, 350.0, 40.0)], downwards)
    assert touched(way, [SOURCE, TARGET, (250.0, -40.0, 350.0, 40.0)]) == []


def test_a_way_leaves_and_arrives_as_edges_do():
    for downwards, axis in ((False, 1), (True, 0)):
        way = between(SOURCE, TARGET, [(100.0, -60.0, 500.0, 60.0)], downwards)
        ends = ends_of(SOURCE, TARGET, downwards)
        assert way[0][0] == ends.start and way[-1][3] == ends.end
        assert way[0][1][axis] == pytest.approx(way[0][0][axis]) and way[-1][2][axis] == pytest.approx(way[-1][3][axis])


def test_parallel_lines_have_room_beside_one_another():
    box = (200.0, -20.0, 300.0, 60.0)
    single, triple = (
        route(Ends((0.0, 0.0), (600.0, 0.0), spread=spread), [SOURCE, TARGET], Obstacles([box]))
        for spread in (0.0, 5.0)
    )
    assert min(y for c in triple for _, y in c) == pytest.approx(min(y for c in single for _, y in c) - 5.0)


def test_an_end_inside_another_box_has_the_simple_curve():
    around = [(-50.0, -60.0, 40.0, 60.0)]
    assert between(SOURCE, TARGET, around) == (simple_curve(ends_of(SOURCE, TARGET)),)


rects = st.tuples(
    st.integers(-300, 900), st.integers(-400, 400), st.sampled_from([30, 190, 260]), st.sampled_from([24, 30, 34])
).map(lambda r: (float(r[0]), float(r[1]), float(r[0] + r[2]), float(r[1] + r[3])))


def well_apart(found, room):
    return not any(overlap(one, two, room) for one, two in itertools.combinations(found, 2))


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(st.lists(rects, min_size=2, max_size=14), st.booleans())
def test_a_way_between_boxes_that_stand_apart_touches_none(found, downwards):
    apart = []
    for rect in found:
        apart += [rect] if not any(overlap(rect, other, 18.0) for other in apart) else []
    assume(len(apart) > 1)
    source, target, *others = apart
    way = between(source, target, others, downwards)
    assert touched(way, apart) == []


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(st.lists(rects, min_size=2, max_size=12), st.booleans())
def test_a_way_is_unbroken_and_smooth_whatever_stands_there(found, downwards):
    source, target, *others = found
    way = between(source, target, others, downwards)
    ends = ends_of(source, target, downwards)
    assert way[0][0] == ends.start and way[-1][3] == ends.end
    for one, two in pairwise(way):
        assert one[3] == two[0]
    assert all(math.isfinite(value) for curve in way for point in curve for value in point)
    if touched(way, others):
        assert way == (simple_curve(ends),)


def test_corners_are_rounded():
    way = between(SOURCE, TARGET, [(200.0, -30.0, 300.0, 100.0), (400.0, -100.0, 500.0, 30.0)])
    for one, two in pairwise(way):
        before = math.atan2(one[3][1] - one[2][1], one[3][0] - one[2][0])
        after = math.atan2(two[1][1] - two[0][1], two[1][0] - two[0][0])
        assert abs(math.remainder(after - before, math.tau)) < 0.01


BAR = (200.0, -50.0, 300.0, 50.0)


def test_a_search_gives_up_where_there_is_no_way_or_it_would_take_too_long(monkeypatch):
    def search(obstacles=(BAR,), walls=(), most_boxes=9, budget=1e6):
        return shortest_way((0.0, 0.0), (600.0, 10.0), Obstacles(obstacles), SearchBudget(budget), most_boxes, walls)

    assert search() == [(0.0, 0.0), (200.0, 50.0), (300.0, 50.0), (600.0, 10.0)]
    assert search(walls=[(-9.0, -9.0, 9.0, 9.0)]) is None  # it begins inside a wall
    assert search(most_boxes=0) is None
    assert search(budget=-1) is None
    monkeypatch.setattr(visibility, "MOST_ROUNDS", 1)
    assert search() is None
    assert search(obstacles=()) == [(0.0, 0.0), (600.0, 10.0)]


def test_a_corner_without_room_to_be_rounded_stays_sharp():
    line = [(0.0, 0.0), (100.0, 0.0), (100.0, 100.0)]
    assert list(rounded(line, [Obstacles([(90.0, -10.0, 110.0, 10.0)])], 8.0)) == [
        straight(line[0], line[1]),
        straight(line[1], line[2]),
    ]


@pytest.mark.slow
def test_a_large_graph_costs_what_stands_in_the_way():
    """Ten thousand boxes far from the way do not enter the search."""
    chance = random.Random(3)
    far = [
        (x, y, x + 190.0, y + 34.0)
        for x, y in ((chance.uniform(-9e4, 9e4), chance.uniform(500, 9e4)) for _ in range(10_000))
    ]
    near = [(200.0, -40.0, 300.0, 40.0)]
    assert between(SOURCE, TARGET, near + far) == between(SOURCE, TARGET, near)
