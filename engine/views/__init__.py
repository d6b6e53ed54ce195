"""Graphs as the canvas shows them: of a program, of a network's loss on a sample, of a mistake in the bug lab."""
