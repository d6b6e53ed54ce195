"""`graphviz`: graphs with a source text; they are not drawn, because the canvas shows the graph."""

from engine.language.guest import notes

CANVAS = "the canvas shows the graph of the values"


class Digraph:
    """A directed graph as DOT text."""

    def __init__(
        self, name=None, comment=None, format="svg", graph_attr=None, node_attr=None, edge_attr=None, **_others
    ):
        self.name, self.comment, self.format = name, comment, format
        self.graph_attr, self.node_attr, self.edge_attr = (
            dict(each or {}) for each in (graph_attr, node_attr, edge_attr)
        )
        self.body = []

    def node(self, name, label=None, _attributes=None, **attributes):
        """Add a node."""
        self.body.append(f"\t{_quoted(name)}{_attribute_list(label, attributes)}\n")

    def edge(self, tail_name, head_name, label=None, _attributes=None, **attributes):
        """Add an edge."""
        self.body.append(f"\t{_quoted(tail_name)} -> {_quoted(head_name)}{_attribute_list(label, attributes)}\n")

    def edges(self, tail_head_iter):
        """Add several edges, such as `["ab", "bc"]`."""
        for tail, head in tail_head_iter:
            self.edge(tail, head)

    def attr(self, kw=None, **attributes):
        """Set attributes of the graph, its nodes or its edges."""
        getattr(self, f"{kw}_attr", self.graph_attr).update(attributes)

    @property
    def source(self):
        """The DOT text."""
        head = f"digraph {_quoted(self.name)} {{\n" if self.name else "digraph {\n"
        for kind, attributes in (("graph", self.graph_attr), ("node", self.node_attr), ("edge", self.edge_attr)):
            if attributes:
                head += f"\t{kind}{_attribute_list(None, attributes)}\n"
        return head + "".join(self.body) + "}\n"

    def __str__(self):
        return self.source

    def __repr__(self):
        n_edges = sum(" -> " in line for line in self.body)
        return f"<{type(self).__name__}: {len(self.body) - n_edges} nodes, {n_edges} edges; {CANVAS}>"

    def render(self, *_arguments, **_keywords):
        """Note that no file is written: programs here have no files."""
        from engine.language.guest.output import current_line  # it loads this module

        notes.note(f"graphviz writes no files here: {CANVAS}", current_line())
        return ""

    view = render

    def pipe(self, *_arguments, **_keywords):
        """Return nothing: a program here starts no other programs."""
        return b""


class Graph(Digraph):
    """The same for graphs without directions."""


def _quoted(text):
    text = str(text)
    return text if text.isidentifier() or text.isdigit() else '"' + text.replace('"', '\\"') + '"'


def _attribute_list(label, attributes):
    pairs = ([("label", label)] if label is not None else []) + sorted(attributes.items())
    return " [" + " ".join(f"{name}={_quoted(value)}" for name, value in pairs) + "]" if pairs else ""
