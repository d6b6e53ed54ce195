"""Reports of a run that no run writes: a program can change what writes them, so every part is checked."""

import base64

import numpy as np
import pytest

from engine.language.decoding import UNREADABLE, UnreadableReport, checked, decode_graph, whole_places


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
