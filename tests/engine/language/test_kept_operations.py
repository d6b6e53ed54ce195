"""Operations of a program's own class: those of the table are recognised, others are kept with their numbers."""

import math

import numpy as np
import pytest

from engine.autograd import OPS, formula, kernels
from engine.autograd.value import Value
from engine.language import known_operations


@pytest.mark.parametrize("module", [formula, kernels, known_operations])
def test_what_is_kept_of_the_numbers_of_programs_has_an_end(module):
    own = [each for each in vars(module).values() if getattr(each, "__module__", "") == module.__name__]
    caches = [each for each in own if hasattr(each, "cache_info")]
    assert caches and all(each.cache_info().maxsize for each in caches)


def test_a_measured_operation_whose_formula_was_dropped_still_has_its_derivative():
    x = Value(2.0)
    y = known_operations.linearised("wave", [x], 5.0, [3.0])
    for each in (formula.scalar_function, formula.array_function, kernels._fixed_puller):
        each.cache_clear()
    y.backward()
    assert (y.data, x.grad) == (5.0, 3.0)


def test_a_number_beside_one_input_is_worked_out_for_numbers_of_any_size():
    x = Value(1e200)
    y = known_operations.own_operation("*", [x], 1.5e200)
    assert y.op is OPS["mul"] and [value.data for value in y.inputs] == [1e200, 1.5]


def test_a_function_of_math_or_numpy_is_recognised_by_its_name():
    (found,) = known_operations.recognise("", math.gamma(4.5), [4.5], ["GammaBackward"])
    assert found.op.name == "gamma" and found.partials([4.5], 0.0) == pytest.approx([math.gamma(4.5) * 1.388871], 1e-5)


@pytest.mark.slow
def test_a_name_that_a_program_gives_a_method_calls_nothing_that_does_more_than_compute_a_number(capfd):
    """`numpy.test` runs the tests of NumPy, `numpy.info` prints, `numpy.fromfile` reads, `numpy.str` warns."""
    for name in sorted({"str", "object", *dir(np), *dir(math)}):
        for found in known_operations.recognise("", 6.0, [-0.5], [name]):
            assert all(type(number) is float for number in [found.value([-0.5]), *found.partials([-0.5], 6.0)]), name
    assert capfd.readouterr() == ("", "")


def test_whole_numbers_of_a_report_are_numbers_of_its_operations():
    """With Python's whole numbers, 10**9 to the power of 10**9 would take all memory: they are made floats."""
    assert known_operations.recognise("", 7, [10**9, 10**9], []) == []
