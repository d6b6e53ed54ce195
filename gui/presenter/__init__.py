"""Presentation of one canvas: graph, layout, numbers, walk. It does not know the session."""
