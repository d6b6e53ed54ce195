"""Modules that run inside the sandbox, together with a learner's program.

They are compiled with CPython 3.14 into one WebAssembly component (`scripts/build_runtime.py`). They use only Python's
standard library and `engine.autograd`, so that tests can import them in the normal interpreter, too.
"""
