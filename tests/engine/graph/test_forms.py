"""The forms of a value's box, and which of them makes the texts of a graph largest."""

from itertools import product

import pytest

from engine.examples.gallery import published_programs
from engine.graph import build_graph, layout, make_picture
from engine.graph.formats import write_graph
from engine.graph.forms import FIRST_FORM, FORMS, sized
from engine.graph.legibility import DIRECTIONS, LARGEST_ZOOM, FormChoice, most_readable, text_heights
from engine.graph.placing import GraphStyle, choose_form, place
from engine.language import evaluate
from engine.layout import LAYOUTS, why_not
from engine.views.graph_view import show_expression

PROGRAMS = {program["id"]: program["program"] for program in published_programs()}
CHOICES = [FormChoice(*pair) for pair in product(FORMS, DIRECTIONS)]
ROOMS = {"wide": (720.0, 380.0), "square": (730.0, 600.0), "narrow": (450.0, 560.0)}
EPS = 1e-9


def graph_of(text):
    return show_expression(evaluate(text)).graph


def inside(cell, width, height):
    left, top, across, down = cell
    return (
        left >= -width / 2 - EPS
        and top >= -height / 2 - EPS
        and left + across <= width / 2 + EPS
        and top + down <= height / 2 + EPS
    )


def overlap(one, other):
    (x0, y0, w0, h0), (x1, y1, w1, h1) = one, other
    return min(x0 + w0, x1 + w1) - max(x0, x1) > EPS and min(y0 + h0, y1 + h1) - max(y0, y1) > EPS


@pytest.mark.parametrize("role", ["input", "parameter", "output", "intermediate", "group"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_name_and_numbers_of_every_form_have_room_of_their_own_inside_the_box(form, role):
    for label, note in (("", ""), ("x", ""), ("x1w1+x2w2+a_long_name", ""), ("Layer 1", "4 neurons · 20 values")):
        size = form.size(label, role, note)
        cells = [form.name_cell(*size), *form.number_cells(*size, role)]
        assert all(inside(cell, *size) for cell in cells)
        assert not any(overlap(cells[a], cells[b]) for a, b in ((0, 1), (0, 2), (1, 2)))
        assert all(cell[2] >= form.number_room and cell[3] >= form.number_pixels for cell in cells[1:])


def test_the_first_form_is_that_of_the_graph_itself():
    graph = graph_of(PROGRAMS["A13"])
    assert sized(graph, FIRST_FORM) is graph
    for _key, a in graph.nodes(data=True):
        if a["kind"] == "value":
            assert (a["width"], a["height"]) == FORMS[FIRST_FORM].size(a["label"], a["role"])


@pytest.mark.parametrize("choice", CHOICES, ids="-".join)
def test_edges_end_at_the_sides_of_the_boxes_in_every_form_and_direction(choice):
    graph = graph_of(PROGRAMS["A13"])
    [placed] = place(graph, choice)
    picture = make_picture(graph, placed, choice.form)
    axis = DIRECTIONS.index(choice.direction)
    for (source, target), edge in picture.edges.items():
        for key, point, side in ((source, edge.curves[0][0], 1), (target, edge.curves[-1][3], -1)):
            node = picture.boxes.get(key) or picture.circles[key]
            half = node.radius if key in picture.circles else (node.width, node.height)[axis] / 2
            assert point[axis] == pytest.approx((node.x, node.y)[axis] + side * half)
            assert point[1 - axis] == pytest.approx((node.x, node.y)[1 - axis])


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("name", ["A5", "A13", "B2", "B11"])
def test_what_is_chosen_has_the_largest_texts_when_every_form_is_laid_out(name, room):
    graph, (across, down) = graph_of(PROGRAMS[name]), ROOMS[room]
    heights = {}
    for form, direction in CHOICES:
        x0, y0, x1, y1 = layout(sized(graph, form), direction=direction, fold=True).bounds
        zoom = min(across / (x1 - x0), down / (y1 - y0), LARGEST_ZOOM)
        heights[FormChoice(form, direction)] = FORMS[form].number_pixels * zoom
    estimated = text_heights(graph, ROOMS[room], CHOICES)
    assert estimated == pytest.approx(heights, rel=0.2)
    chosen = most_readable(graph, ROOMS[room])
    assert heights[chosen] >= 0.9 * max(heights.values())


def test_what_is_asked_for_is_taken():
    graph = graph_of(PROGRAMS["A13"])
    for form, direction in CHOICES:
        assert most_readable(graph, (700.0, 400.0), form, direction) == (form, direction)
        assert most_readable(graph, (700.0, 400.0), form=form).form == form
        assert most_readable(graph, (700.0, 400.0), direction=direction).direction == direction


@pytest.mark.slow
def test_a_form_stays_while_one_types_until_another_is_clearly_better():
    room, current, changes = (720.0, 380.0), None, 0
    lines = PROGRAMS["B1"].splitlines()
    for n_lines in range(2, len(lines)):
        graph = graph_of("\n".join(lines[:n_lines]))
        if len(graph):
            chosen = choose_form(graph, GraphStyle(), room, current)
            changes += current is not None and chosen != current
            best = max(text_heights(graph, room, CHOICES).values())
            assert text_heights(graph, room, [chosen])[chosen] >= 0.75 * best
            current = chosen
    assert changes <= 3


@pytest.mark.parametrize("layout_name", LAYOUTS)
def test_an_empty_graph_and_a_single_value_have_a_form_in_every_layout(layout_name):
    for graph in (build_graph([]), graph_of("x = 2.0")):
        choice = choose_form(graph, GraphStyle(layout=layout_name), (300.0, 200.0))
        assert choice in CHOICES
        if not why_not(layout_name, graph):
            *_, placed = place(graph, choice, layout_name)
            assert set(placed.positions) == set(graph)


def test_dot_follows_form_and_direction():
    graph = graph_of("x = 2.0\ny = x * x")
    texts = {choice: write_graph(graph, "dot", choice=choice) for choice in CHOICES}
    assert all(f"rankdir={'LR' if choice.direction == 'right' else 'TB'};" in text for choice, text in texts.items())
    assert 'label="y | data 4.0000 | grad +1.0000"' in texts["row", "right"]
    assert 'label="y\\ndata 4.0000 | grad +1.0000"' in texts["above", "down"]
    assert 'label="y\\ndata 4.0000\\ngrad +1.0000"' in texts["compact", "down"]
