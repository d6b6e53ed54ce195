"""The computing half of Gradstep: values, graphs, networks, documents. It does not import Qt."""

__version__ = "0.1.0"
