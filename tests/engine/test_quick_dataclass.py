"""`engine.quick_dataclass` does what the standard library's dataclass does, for the first object and for later ones."""

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field

import pytest

from engine.quick_dataclass import FEW, dataclass


def made(decorator, **how):
    class Point:
        x: float
        y: float = 2.0
        tags: list[str] = field(default_factory=list, compare=False)
        hidden: int = field(default=3, repr=False)

        def __post_init__(self):
            self.tags.append("made")

    return decorator(**how)(Point)


@dataclass(frozen=True, slots=True)
class Corner:
    x: float
    y: float = 0.0


WAYS = [{}, {"frozen": True}, {"frozen": True, "slots": True}, {"slots": True}, {"eq": False}]


@pytest.mark.parametrize("how", WAYS, ids=repr)
def test_objects_look_compare_and_hash_as_the_librarys(how):
    ours, library = made(dataclass, **how), made(dataclasses.dataclass, **how)
    for _ in range(FEW + 2):  # another __init__ is at work after that
        found = []
        for cls in (library, ours):
            point, same, other = cls(1.0), cls(x=1.0, tags=["set"]), cls(1.0, hidden=4)
            moved = dataclasses.replace(point, y=5.0)
            found.append((repr(point), point == same, point == other, point == 1, moved.y, point.tags, same.tags))
            found[-1] += ([(each.name, each.type) for each in dataclasses.fields(cls)], cls.__annotations__)
            found[-1] += (cls.__match_args__, dataclasses.astuple(other), hasattr(point, "__dict__"))
            found[-1] += (cls.__hash__ is None or (hash(point) == hash(same), hash(point) == hash((1.0, 2.0, 3))),)
        assert found[0] == found[1]


@pytest.mark.parametrize("how", WAYS, ids=repr)
@pytest.mark.parametrize("call", [((), {}), ((1, 2, [], 4, 5), {}), ((1,), {"x": 2}), ((1,), {"z": 2})])
def test_a_wrong_call_is_refused_in_the_librarys_words(how, call):
    values, named = call
    words = []
    for decorator in (dataclasses.dataclass, dataclass):
        with pytest.raises(TypeError) as refused:
            made(decorator, **how)(*values, **named)
        words.append(str(refused.value))
    assert words[0].partition("__init__")[2] == words[1].partition("__init__")[2]


def test_a_frozen_object_is_not_changed_and_one_that_is_not_is():
    frozen, open_to_change = made(dataclass, frozen=True)(1.0), made(dataclass)(1.0)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        frozen.x = 2.0
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del frozen.x
    open_to_change.x = 2.0
    assert (frozen.x, open_to_change.x) == (1.0, 2.0)


@pytest.mark.parametrize("remade", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_frozen_object_with_slots_is_copied_and_pickled(remade):
    assert remade(Corner(1.0)) == Corner(1.0, 0.0)
