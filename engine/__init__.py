"""The computing half of Gradstep: values, graphs, networks, documents; no Qt anywhere."""
