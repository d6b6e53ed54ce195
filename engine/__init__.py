"""The computing half of Gradstep: values, graphs, networks, documents; no Qt anywhere."""

__version__ = "0.1.0"
