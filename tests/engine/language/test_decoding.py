"""Reports of a run that no run writes: a program can change what writes them, so every part is checked."""

import base64

import numpy as np
import pytest

from engine.autograd.backward import pull_back, run_backward
from engine.autograd.ops import OPS
from engine.autograd.value import node
from engine.language.decoding import (
    UNREADABLE,
    UnreadableReport,
    checked,
    decode,
    decode_graph,
    decode_moments,
    decode_plots,
    whole_places,
)
from engine.language.engine_check import check_engine
from engine.language.pass_check import Pass


def column(numbers, dtype=np.int32):
    return base64.b64encode(np.array(numbers, dtype).tobytes()).decode()


SUM = {
    "kinds": column([0, 0, 2], np.uint8),
    "has_grad": column([0, 0, 1], np.uint8),
    "whole": column([1, 0, 0], np.uint8),
    "ops": column([0, 0, 1]),
    "input_counts": column([0, 0, 2]),
    "inputs": column([0, 1]),
    "data": column([2.0, 3.0, 5.0], np.float64),
    "grads": column([0.0, 0.0, 1.0], np.float64),
    "op_names": ["", "add"],
    "arrays": {},
    "array_grads": {},
    "labels": {"0": "a"},
}


def test_a_reported_graph_has_its_values_names_and_gradients():
    a, b, total = decode_graph(SUM)
    assert (a.label, a.data, b.data, total.data, total.grad, total.op.name) == ("a", 2.0, 3.0, 5.0, 1.0, "add")
    assert total.inputs == (a, b)
    assert whole_places(SUM) == {0}


@pytest.mark.parametrize(
    "wrong",
    [
        *({"data": column([2.0], np.float64)}, {"data": "!"}, {"data": 5}, {"kinds": None}, {"ops": column([0, 0, 9])}),
        *({"labels": ["a"]}, {"labels": {"first": "a"}}, {"arrays": {"0": 5}}, {"op_names": None}, {"kinds": "AA"}),
    ],
)
def test_a_reported_graph_whose_columns_do_not_fit_is_refused(wrong):
    with pytest.raises(UNREADABLE):
        decode_graph(SUM | wrong)


def test_a_graph_without_its_whole_numbers_has_none():
    assert whole_places({}) == whole_places({"whole": 5}) == frozenset()


@pytest.mark.parametrize(
    "wrong",
    [
        *({"op_names": ["", "no operation"]}, {"op_names": ["", "where"]}, {"input_counts": column([0, 0, 1])}),
        *({"input_counts": column([0, 0, 9])}, {"inputs": column([0, 7])}, {"kinds": column([0, 0, 9], np.uint8)}),
    ],
)
def test_an_operation_that_does_not_give_its_number_is_replaced_by_one_that_does(wrong):
    total = decode_graph(SUM | wrong)[2]
    assert (total.op.name, sum(value.data for value in total.inputs)) == ("add", 5.0)


def array_graph(name, data, *arrays):
    """The report of an operation on arrays."""
    datas = [*arrays, data]
    count = len(arrays)
    return {
        "kinds": column([0] * count + [2], np.uint8),
        "has_grad": column([0] * len(datas), np.uint8),
        "ops": column([0] * count + [1]),
        "input_counts": column([0] * count + [count]),
        "inputs": column(range(count)),
        "data": column([0.0] * len(datas), np.float64),
        "grads": column([0.0] * len(datas), np.float64),
        "op_names": ["", name],
        "arrays": {str(place): [np.shape(each), np.ravel(each).tolist()] for place, each in enumerate(datas)},
        "array_grads": {},
        "labels": {},
    }


@pytest.mark.parametrize(
    ("name", "data", "arrays"),
    [
        ("getitem:1", [3.0, 4.0], [[[1.0, 2.0], [3.0, 4.0]]]),
        ('getitem:[{"all": 1}, 0]', [1.0, 3.0], [[[1.0, 2.0], [3.0, 4.0]]]),
        ("cat", [[1.0, 2.0, 9.0], [3.0, 4.0, 9.0]], [[[1.0, 2.0], [3.0, 4.0]], [[9.0], [9.0]]]),
    ],
)
def test_a_reported_operation_on_arrays_passes_gradients_back_to_what_it_was_made_of(name, data, arrays):
    *inputs, result = decode_graph(array_graph(name, data, *arrays))
    np.testing.assert_array_equal(result.data, data)
    result.grad = np.ones(np.shape(data))
    pull_back(result)
    for value, array in zip(inputs, arrays, strict=True):
        np.testing.assert_array_equal(value.grad, np.isin(array, data).astype(float))


@pytest.mark.parametrize(
    "name",
    [
        *(
            "getitem:7",
            "getitem:[0, 0, 0]",
            "getitem:{",
            'getitem:{"array": [0.5]}',
            'getitem:{"all": []}',
            "getitem:{}",
        ),
        *('getitem:{"slice": [1]}', "sum:x", "sum:7", "reshape", "no operation"),
    ],
)
def test_an_operation_on_arrays_that_cannot_have_given_its_result_keeps_the_data_and_passes_nothing_on(name):
    array, result = decode_graph(array_graph(name, [5.0, 6.0, 7.0], [1.0, 2.0]))
    np.testing.assert_array_equal(result.data, [5.0, 6.0, 7.0])
    result.grad = np.ones(3)
    pull_back(result)
    np.testing.assert_array_equal(array.grad, [0.0, 0.0])


def test_slopes_of_an_operation_that_gave_an_array_change_nothing():
    graph = array_graph("+", [5.0, 7.0], [1.0, 2.0], [4.0, 5.0]) | {"kinds": column([0, 0, 3], np.uint8)}
    a, b, total = decode_graph(graph, {2: [9.0, 9.0]})
    assert total.op.name == "add" and total.inputs == (a, b)


def test_a_graph_whose_shapes_do_not_fit_is_judged_without_its_gradients():
    a, b, total = decode_graph(array_graph("add", [5.0, 7.0, 9.0], [1.0, 2.0], [4.0, 5.0]))
    root = node(1.0, OPS["sum"], total)
    with pytest.raises(ValueError, match="shape"):
        run_backward(root)
    values = [a, b, total, root]
    assert check_engine({"cases": [], "backward": None}, values, root, [Pass(values, 1, {}, {}, {})]) == ()


def test_a_moment_whose_graph_cannot_be_read_is_a_number_that_is_none():
    reported = [{"line": 3, "label": "k = 0", "graph": {"kinds": 5}, "known": {}, "number": 1}]
    (moment,) = decode_moments(reported, [])
    assert (moment.line, moment.label) == (3, "k = 0") and np.isnan(moment.root.data)


PLOT = {
    **dict.fromkeys(("title", "x", "y", "page"), ""),
    **dict.fromkeys(("x_log", "y_log", "legend", "equal", "bare", "upside_down"), False),
    **dict.fromkeys(("figure", "row", "column"), 0),
    "x_range": None,
    "y_range": None,
    "x_ticks": [],
    "y_ticks": [],
}


def test_a_matrix_of_a_plot_whose_rows_have_different_lengths_is_refused():
    image = {"kind": "image", "z": [[1.0, 2.0], [3.0, 4.0]], "extent": [0, 1, 0, 1]}
    assert decode_plots([{**PLOT, "series": [image]}])[0].series[0].z == ((1.0, 2.0), (3.0, 4.0))
    with pytest.raises(UNREADABLE):
        decode_plots([{**PLOT, "series": [image | {"z": [[1.0, 2.0], [3.0]]}]}])


def test_a_number_of_a_variable_that_is_a_collection_is_refused():
    assert decode(["plain", "text"], []) == "text" and decode(["number", 2.0, 0], []) == 2.0
    with pytest.raises(UNREADABLE):
        decode(["plain", [1]], [])


@pytest.mark.parametrize(
    "report",
    [
        *(None, 5, [1], {}, {"graph": {}, "places": [[1, 2, 3]]}, {"graph": {}, "places": [[1, 2, 3, -1]]}),
        *({"graph": {}, "places": [[1, 2, 3, 4.0]]}, {"graph": {}, "places": [5]}, {"graph": {}, "places": 5}),
        *({"graph": {}, "variables": [[5, "x"]]}, {"graph": {}, "variables": ["x"]}, {"graph": {}, "bindings": [{}]}),
        *({"graph": {}, "displayed": [1]}, {"graph": {}, "displayed": 1}, {"graph": {}, "last_node": True}),
        *({"graph": {}, "n_statements": 1 << 31}, {"graph": {}, "known_names": 1}, {"error": 5}),
        *({"graph": {}, "notes": [[1]]}, {"graph": {}, "moments": 7}),
    ],
)
def test_a_report_with_parts_of_other_kinds_is_refused(report):
    with pytest.raises(UnreadableReport):
        checked(report)


def test_a_report_may_leave_parts_out():
    assert checked({"graph": {}})["places"] == []
