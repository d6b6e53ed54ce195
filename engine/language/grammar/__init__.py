"""The little language, read token by token: formulas of data, and what is best said of a text that is not Python.

Programs themselves are read by Python's own parser (`../program_tree.py`).
"""
