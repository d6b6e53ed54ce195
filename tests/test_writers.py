"""Every file is written by `engine.file_access`: no module opens, moves or saves a file in a way of its own."""

import ast
from collections import defaultdict

import pytest

from tests.sources import calls, trees_of_program

ALLOWED = {
    "engine/file_access.py": "the one way",
    "engine/commands/headless.py": "a log that can be read while it grows",
    "engine/language/machine_code.py": "a temporary file without a name takes the output of a process",
    "engine/terminal.py": "standard output that nothing reads any more is led to the null device",
    "gui/export/animation.py": "frames are written by the one way, and moved together",
    "gui/settings_file.py": "Qt changes a copy of the settings; a damaged file is set aside",
    "gui/tour.py": "the description of a screen, which Qt reads from a temporary file",
    "gui/session/recovery.py": "an empty lock file",
}
"""Modules that touch files in another way, and why that loses nothing."""
IN_MEMORY = {
    ("gui/export/drawing.py", "save"),
    ("gui/export/gif.py", "save"),
    ("gui/panels/start/recent_cards.py", "save"),
}
"""Pictures that are saved into memory."""
FUNCTIONS = {
    "write_text", "write_bytes", "fdopen", "mkstemp", "NamedTemporaryFile", "TemporaryFile", "TemporaryDirectory",
    "mkdtemp", "open_stream", "touch", "renames", "link", "symlink_to", "hardlink_to", "truncate", "savez",
    "savez_compressed", "savetxt", "tofile", "FileHandler", "RotatingFileHandler", "ZipFile", "copyfile", "copy2",
    "copytree", "move", "mknod", "mkfifo", "QFile", "QSaveFile", "QTemporaryFile", "QTemporaryDir", "QSettings",
    "QImageWriter", "setFileName", "setOutputFileName",
}  # fmt: skip
"""Functions and classes by which files are written; numpy's `save` and Qt's are looked at by their arguments."""


def name_of(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def owner_of(call: ast.Call) -> str:
    function = call.func
    return ast.unparse(function.value) if isinstance(function, ast.Attribute) else ""


def writes(path: str, call: ast.Call) -> bool:
    """Return True for a call that could write a file."""
    name, owner = name_of(call), owner_of(call)
    texts = [each.value for each in ast.walk(call) if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    if name == "open":
        modes = [text for text in texts if text and set(text) <= set("rwxabt+")]
        return owner == "os" or any(set(mode) & set("wxa+") for mode in modes)
    if name in ("replace", "rename"):  # of a path, not of a text, a dataclass or a run
        return owner == "os" or (len(call.args) == 1 and not call.keywords and owner not in ("", "dataclasses", "self"))
    if name == "save":
        of_painter_or_session = not call.args or "session" in owner or "painter" in owner or owner in ("self", "cls")
        return not of_painter_or_session and (path, name) not in IN_MEMORY and "files" not in owner
    if name == "copy":
        return owner == "shutil"
    if name == "dump":
        return owner in ("json", "pickle", "marshal")
    return name in FUNCTIONS and not (name == "move" and owner != "shutil")


def test_no_module_writes_files_in_a_way_of_its_own():
    found = defaultdict(set)
    for path, tree in trees_of_program().items():
        for call in calls(tree):
            if writes(path, call):
                found[path].add(f"{name_of(call)} in line {call.lineno}")
    others = {path: sorted(names) for path, names in found.items() if path not in ALLOWED}
    assert others == {}, "use write_atomically of engine/file_access.py"
    assert set(found) == set(ALLOWED), "no longer needs to be allowed"


@pytest.mark.parametrize(
    "line",
    [
        "path.write_text(text)",
        "open(path, 'w')",
        "path.open('ab')",
        "os.open(path, os.O_WRONLY)",
        "image.save(str(path))",
        "part.replace(path)",
        "np.savez(path, a=1)",
        "logging.FileHandler(path)",
        "QSaveFile(name)",
        "open_stream(path)",
        "shutil.copy(part, path)",
    ],
)
def test_a_way_of_its_own_is_noticed(line):
    assert writes("gui/new.py", ast.parse(line).body[0].value)
