"""The table of operations is checked operation by operation, and the check finds a derivative that is wrong."""

from dataclasses import replace

import pytest

from engine.autograd import OPS
from engine.autograd.op_check import PLACES, check_op


@pytest.mark.parametrize("op", OPS.values(), ids=lambda op: op.name)
def test_every_operation_of_the_table_passes_its_check(op):
    check = check_op(op)
    assert check.ok and check.digits >= 7
    assert len(check.rows) >= 2


@pytest.mark.parametrize("name, partials", [("tanh", ("1.0005 - y**2",)), ("mul", ("b", "b")), ("exp", ("y + 1e-6",))])
def test_a_wrong_derivative_does_not_pass(name, partials):
    assert not check_op(replace(OPS[name], partials=partials)).ok


def test_a_wrong_product_of_a_jacobian_does_not_pass():
    op = OPS["sum"]
    assert not check_op(replace(op, vjps=("spread(g, x, axis, keepdims) * 1.01",))).ok


def test_a_point_at_a_kink_is_left_out():
    op = OPS["relu"]
    low, high = op.domain.samples[0]
    there = low + PLACES[1] * (high - low)
    moved = replace(
        op, value=f"max(x - {there!r}, 0.0)", partials=(f"where(x > {there!r}, 1.0, 0.0)",), kink=f"x - {there!r}"
    )
    check = check_op(moved)
    assert check.ok and len(check.rows) == len(PLACES) - 1
