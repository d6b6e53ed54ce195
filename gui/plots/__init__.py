"""Pieces that every plot is made of: axes and ticks, points, maps, curves over steps. They know no session."""
