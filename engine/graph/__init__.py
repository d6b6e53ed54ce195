"""From values to a picture: the graph, its layout, and everything that is drawn, all pure."""

from engine.graph.build import GraphNames, build_graph
from engine.graph.groups import Group, GroupText, group_key
from engine.graph.picture import EMPTY_PICTURE, Box, BoxNumbers, Circle, Edge, Picture, make_picture, read_numbers
from engine.layout import Layout, layout, progressive_layout

__all__ = [
    "EMPTY_PICTURE",
    "Box",
    "BoxNumbers",
    "Circle",
    "Edge",
    "GraphNames",
    "Group",
    "GroupText",
    "Layout",
    "Picture",
    "build_graph",
    "group_key",
    "layout",
    "make_picture",
    "progressive_layout",
    "read_numbers",
]
