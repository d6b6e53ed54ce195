"""Operations that the table does not have: their formulas hold numbers, other ones in each run of a program."""

import pytest

from engine.autograd import formula, kernels
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
