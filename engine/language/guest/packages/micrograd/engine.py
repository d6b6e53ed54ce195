"""`micrograd.engine`: its `Value` is Gradstep's."""

from engine.autograd.value import Value

__all__ = ["Value"]
