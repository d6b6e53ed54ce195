"""The part of Python's standard library that programs can import.

A component holds only the modules that were imported when it was built, so this module imports them all.
"""

import importlib

MODULES = [
    "abc", "argparse", "array", "ast", "asyncio", "base64", "bisect", "calendar", "cmath", "codecs", "collections",
    "collections.abc", "colorsys", "contextlib", "contextvars", "copy", "copyreg", "csv", "dataclasses", "datetime",
    "decimal", "difflib", "dis", "doctest", "enum", "errno", "fnmatch", "fractions", "functools", "gc", "getopt",
    "glob", "graphlib", "hashlib", "heapq", "html", "importlib", "inspect", "io", "itertools", "json", "keyword",
    "linecache", "locale", "logging", "math", "numbers", "operator", "optparse", "os", "os.path", "pathlib",
    "pickle", "platform", "pprint", "queue", "random", "re", "reprlib", "secrets", "shelve", "shlex", "shutil",
    "signal", "statistics", "string", "struct", "sys", "tempfile", "textwrap", "threading", "time", "timeit",
    "token", "tokenize", "traceback", "tracemalloc", "types", "typing", "unicodedata", "unittest", "unittest.mock",
    "uuid", "warnings", "weakref", "zlib", "zoneinfo", "__future__",
]  # fmt: skip

AVAILABLE: list[str] = []
"""Those that this Python has; filled when the module is imported."""

for _name in MODULES:
    try:
        importlib.import_module(_name)
    except ImportError:
        continue
    AVAILABLE.append(_name)
