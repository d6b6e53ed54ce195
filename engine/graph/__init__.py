"""From values to a picture: the graph, its layout, and everything that is drawn, all pure."""

from engine.graph.build import Names, build_graph
from engine.graph.groups import Group, GroupText, group_key
from engine.graph.picture import EMPTY_PICTURE, Box, Circle, Edge, Picture, Reading, make_picture, read_numbers
from engine.layout import Placed, layout, passes

__all__ = [
    "EMPTY_PICTURE",
    "Box",
    "Circle",
    "Edge",
    "Group",
    "GroupText",
    "Names",
    "Picture",
    "Placed",
    "Reading",
    "build_graph",
    "group_key",
    "layout",
    "make_picture",
    "passes",
    "read_numbers",
]
