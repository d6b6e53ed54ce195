"""The Python component as machine code: kept in a private folder, made again when it does not load."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.language import ProgramError, RuntimeUnavailableError, evaluate, machine_code
from engine.language.machine_code import cache_folder, is_preparing, load, seconds_preparing, take_notice
from engine.language.text_functions import add_text_function

ROOT = Path(__file__).resolve().parents[3]
USERS_OWN = Path(os.environ["GRADSTEP_CACHE"])
REASONS = {"full": OSError(28, "No space left on device"), "read-only": OSError(30, "Read-only file system")}


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """Like a process that has just started, with an empty cache."""
    load()  # so that the user's own cache has it
    monkeypatch.setattr(machine_code, "state", machine_code.State())
    monkeypatch.setenv("GRADSTEP_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "python"


@pytest.fixture
def compiled(monkeypatch):
    """Compiling takes no time and gives the code that the user's cache has; returns one item for each time."""
    load()
    code = machine_code.state.code
    data = code if isinstance(code, bytes) else code.read_bytes()
    times = []
    monkeypatch.setattr(machine_code, "compile_component", lambda engine: times.append(engine) or data)
    return times


@pytest.fixture
def quickly(fresh, monkeypatch):
    """Code is four bytes, compiled and loaded in no time; returns one item for each time they are compiled."""
    times = []
    monkeypatch.setattr(machine_code, "compile_component", lambda engine: times.append(engine) or b"code")
    monkeypatch.setattr(machine_code, "_deserialize", lambda engine, code: code)
    return times


def start_again(monkeypatch):
    monkeypatch.setattr(machine_code, "state", machine_code.State())


def prints(text="print(6 * 7)"):
    return "".join(piece.text for piece in evaluate(text).output)


def code_files(folder):
    return sorted(folder.glob("*.cwasm"))


@pytest.mark.slow
def test_it_is_made_once_in_a_folder_of_the_users_own(compiled, fresh, monkeypatch):
    for _start in range(3):
        assert prints() == "42\n"
        start_again(monkeypatch)
    assert len(compiled) == 1
    assert len(code_files(fresh)) == 1
    if sys.platform != "win32":
        assert fresh.stat().st_mode & 0o777 == 0o700
        assert {file.stat().st_mode & 0o777 for file in fresh.iterdir()} == {0o600}


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["cut", "removed", "note"])
def test_a_damaged_file_is_made_anew(compiled, fresh, monkeypatch, damage):
    load()
    [path] = code_files(fresh)
    data = path.read_bytes()
    if damage == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "removed":
        path.unlink()
    else:
        path.with_suffix(".json").write_text("[]", encoding="utf-8")
    start_again(monkeypatch)
    assert prints() == "42\n"
    assert len(compiled) == 2
    assert path.read_bytes() == data


@pytest.mark.parametrize("platform", ["linux", "win32"])
def test_a_file_that_a_backup_brought_back_is_used(quickly, fresh, monkeypatch, platform):
    monkeypatch.setattr(sys, "platform", platform)
    load()
    [path] = code_files(fresh)
    os.utime(path, (1_000_000, 1_000_000))
    if platform == "win32":
        fresh.chmod(0o777)  # the profile protects its folders
    start_again(monkeypatch)
    load()
    assert len(quickly) == 1


@pytest.mark.slow
def test_a_file_that_another_wasmtime_made_is_made_anew(compiled, fresh, monkeypatch):
    """Its version is part of the name; here the name is right and the file is not."""
    load()
    [path] = code_files(fresh)
    right = path.read_bytes()
    path.write_bytes(right.replace(b"50.0.1", b"49.0.1") if b"50.0.1" in right else b"\x7fELF" + right[4:9000])
    found = path.stat()
    note = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    note |= {"bytes": found.st_size, "modified": found.st_mtime_ns}
    path.with_suffix(".json").write_text(json.dumps(note), encoding="utf-8")
    start_again(monkeypatch)
    assert prints() == "42\n"


@pytest.mark.slow
def test_a_file_removed_while_the_program_runs_is_made_anew(compiled, fresh):
    load()
    shutil.rmtree(fresh)
    assert prints() == "42\n"
    assert len(code_files(fresh)) == 1


@pytest.mark.slow
def test_files_of_older_versions_are_removed_but_the_two_used_last(quickly, fresh):
    fresh.mkdir(parents=True, mode=0o700)
    for age in range(1, 6):
        for suffix in (".cwasm", ".json"):
            old = fresh / f"python-{age}{suffix}"
            old.touch()
            os.utime(old, (1_000_000 - age, 1_000_000 - age))
    load()
    kept = {path.stem for path in code_files(fresh)}
    assert len(kept) == 3 and {"python-1", "python-2"} < kept
    assert {path.stem for path in fresh.glob("*.json")} == kept


@pytest.mark.slow
@pytest.mark.parametrize("reason", REASONS)
def test_where_nothing_can_be_written_it_is_kept_for_the_session_and_said_once(compiled, fresh, monkeypatch, reason):
    def refuse(path, data, private):
        raise REASONS[reason]

    monkeypatch.setattr(machine_code, "write_atomically", refuse)
    assert prints() == prints() == "42\n"
    assert len(compiled) == 1
    assert REASONS[reason].strerror in take_notice()
    assert take_notice() == ""


@pytest.mark.slow
def test_code_that_others_could_have_written_is_not_used(compiled, fresh, monkeypatch):
    load()
    monkeypatch.setattr(sys, "platform", "linux")  # on Windows the profile protects its folders
    fresh.chmod(0o777)
    start_again(monkeypatch)
    assert prints() == "42\n"
    assert len(compiled) == 2
    assert isinstance(machine_code.state.code, bytes)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the profile protects its files")
def test_a_file_that_others_can_write_is_made_anew_for_the_user_alone(compiled, fresh, monkeypatch):
    load()
    (file,) = code_files(fresh)
    file.chmod(0o666)
    start_again(monkeypatch)
    assert prints() == "42\n"
    assert len(compiled) == 2
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_a_later_start_writes_the_file_that_a_full_disk_had_no_room_for(compiled, fresh, monkeypatch):
    def refuse(path, data, private):
        raise REASONS["full"]

    with monkeypatch.context() as patch:
        patch.setattr(machine_code, "write_atomically", refuse)
        load()
    start_again(monkeypatch)
    assert prints() == "42\n"
    assert len(code_files(fresh)) == 1 and take_notice() == ""


@pytest.mark.slow
def test_several_threads_make_it_once(compiled, fresh):
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: prints(), range(4))) == {"42\n"}
    assert len(compiled) == 1
    assert not is_preparing()
    assert seconds_preparing() > 0


@pytest.mark.parametrize("reason", ["no Python to start", "packaged as an application"])
def test_where_no_process_can_be_started_it_is_compiled_here(monkeypatch, tmp_path, reason):
    monkeypatch.setattr(machine_code, "compile_here", lambda engine, component: component)
    if reason == "no Python to start":
        monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    else:
        monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert machine_code.compile_component(None) == machine_code.COMPONENT


@pytest.mark.skipif(sys.platform == "win32", reason="the Python that compiles is a shell script here")
def test_what_another_process_compiles_is_used(monkeypatch, tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nprintf code\n", encoding="utf-8")
    python.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(python))
    assert machine_code.compile_component(None) == b"code"


def test_what_cannot_be_compiled_is_refused_with_the_reason(tmp_path):
    component = tmp_path / "part.wasm"
    with pytest.raises(RuntimeUnavailableError, match=r"part\.wasm cannot be read"):
        machine_code.compile_here(machine_code.make_engine(), component)
    component.write_bytes(b"no component")
    with pytest.raises(RuntimeUnavailableError, match="could not be prepared"):
        machine_code.compile_here(machine_code.make_engine(), component)


def test_a_component_that_is_replaced_is_compiled_again_whatever_the_stamp_beside_it_says(
    quickly, fresh, monkeypatch, tmp_path
):
    component = tmp_path / "python.wasm"
    component.with_suffix(".stamp").write_text('{"bytes": 1, "sha256": "that of another one"}', encoding="utf-8")
    monkeypatch.setattr(machine_code, "COMPONENT", component)
    monkeypatch.setattr(machine_code, "BUILD_SCRIPT", tmp_path / "none.py")
    for content in (b"one", b"two", b"two"):
        component.write_bytes(content)
        start_again(monkeypatch)
        load()
    assert len(code_files(fresh)) == len(quickly) == 2


def test_the_file_with_the_code_is_named_where_one_could_be_written(quickly, fresh, monkeypatch):
    assert [machine_code.machine_code_file()] == code_files(fresh)
    start_again(monkeypatch)
    machine_code.state.code = b"code"
    assert machine_code.machine_code_file() is None


FIRST_PROGRAM = """
from pathlib import Path
from engine.language import evaluate, machine_code
def peak():
    status = Path("/proc/self/status")  # of this process since it began, in kB; only Linux has it
    return next(int(line.split()[1]) for line in status.open() if line.startswith("VmHWM")) if status.exists() else 0
before = peak()
machine_code.load()
taken = peak() - before
print(evaluate("print(6 * 7)").output[0].text.strip(), taken)
"""


@pytest.mark.long
def test_processes_that_make_it_at_once_do_not_hurt_each_other_and_keep_no_memory_of_it(fresh):
    """Compiling takes 400 MB, and not in the process that asks for it."""
    command = [sys.executable, "-c", FIRST_PROGRAM]
    started = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = [process.communicate()[0].split() for process in started]
    assert [answer for answer, _taken in answers] == ["42", "42"]
    assert all(int(taken) < 200_000 for _answer, taken in answers)
    assert len(code_files(fresh)) == 1
    assert not list(fresh.glob("*.part"))


def test_without_the_component_the_reason_is_given(fresh, monkeypatch, tmp_path):
    monkeypatch.setattr(machine_code, "COMPONENT", tmp_path / "python.wasm")
    monkeypatch.setattr(machine_code, "BUILD_SCRIPT", tmp_path / "none.py")
    with pytest.raises(RuntimeUnavailableError, match=r"python\.wasm is missing"):
        evaluate("x = 1.0")


def test_in_a_checkout_without_the_tool_that_builds_it_the_tool_is_named(fresh, monkeypatch, tmp_path):
    monkeypatch.setattr(machine_code, "COMPONENT", tmp_path / "python.wasm")
    monkeypatch.setitem(sys.modules, "componentize_py", None)
    with pytest.raises(RuntimeUnavailableError, match="componentize-py"):
        evaluate("x = 1.0")


@pytest.mark.slow
def test_a_missing_component_is_built_where_the_tool_is_there(compiled, fresh, monkeypatch, tmp_path):
    target = tmp_path / "python.wasm"
    script = tmp_path / "build.py"
    script.write_text(f"import shutil; shutil.copy({str(machine_code.COMPONENT)!r}, {str(target)!r})", encoding="utf-8")
    monkeypatch.setattr(machine_code, "COMPONENT", target)
    monkeypatch.setattr(machine_code, "BUILD_SCRIPT", script)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    assert prints() == "42\n"


@pytest.mark.slow
def test_an_old_component_runs_programs_where_the_tool_that_builds_it_is_missing(fresh, monkeypatch, tmp_path):
    monkeypatch.setenv("GRADSTEP_CACHE", str(USERS_OWN))
    script = tmp_path / "build.py"
    script.write_text("def is_older_than_sources(): return True", encoding="utf-8")
    monkeypatch.setattr(machine_code, "BUILD_SCRIPT", script)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert prints() == "42\n"


def test_a_build_that_cannot_be_started_is_refused_with_its_reason(fresh, monkeypatch, tmp_path):
    monkeypatch.setattr(machine_code, "COMPONENT", tmp_path / "python.wasm")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    with pytest.raises(RuntimeUnavailableError, match=r"could not be built .*no-python"):
        evaluate("x = 1.0")


def test_a_build_that_fails_gives_the_last_line_of_its_reason(fresh, monkeypatch, tmp_path):
    script = tmp_path / "build.py"
    script.write_text("import sys; sys.exit('no memory for it')", encoding="utf-8")
    monkeypatch.setattr(machine_code, "COMPONENT", tmp_path / "python.wasm")
    monkeypatch.setattr(machine_code, "BUILD_SCRIPT", script)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    with pytest.raises(RuntimeUnavailableError, match="no memory for it"):
        evaluate("x = 1.0")


def test_without_wasmtime_its_reason_is_given(fresh, monkeypatch):
    machine_code.wasmtime_modules.cache_clear()
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    with pytest.raises(ProgramError, match="wasmtime cannot be loaded"):
        evaluate("x = 1.0")


def test_the_folder_is_the_systems_own_unless_another_is_named(monkeypatch, tmp_path):
    monkeypatch.delenv("GRADSTEP_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "gradstep"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == Path.home() / "Library" / "Caches" / "Gradstep"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert cache_folder() == tmp_path / "Gradstep" / "Cache"
    monkeypatch.setenv("GRADSTEP_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"


def test_tests_share_the_users_own_cache():
    assert not str(USERS_OWN).startswith(os.environ["HOME"])


@pytest.mark.slow
@pytest.mark.parametrize("text", ["def f(n):\n    return f(n + 1)\nf(0)\n", f"x = {'+'.join(['1'] * 9_000)}\n"])
def test_nesting_too_deep_ends_the_program_with_the_real_stack_and_not_the_process(text):
    with pytest.raises(ProgramError, match=r"nested too deeply|recursion"):
        evaluate(text)
    assert prints() == "42\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["_bindings", "_ffi"])
def test_without_private_modules_of_wasmtime_programs_run_and_fail_as_with_them(monkeypatch, name):
    start_again(monkeypatch)  # engines that are kept were made with them
    monkeypatch.delattr(f"wasmtime.{name}")
    monkeypatch.setitem(sys.modules, f"wasmtime.{name}", None)
    assert prints("import numpy as np\nprint(np.arange(4).sum())") == "6\n"
    with pytest.raises(ProgramError, match=r"nested too deeply|recursion"):
        evaluate("def f(n):\n    return f(n + 1)\nf(0)\n")
    assert prints() == "42\n"


@pytest.mark.slow
def test_a_run_writes_nothing_into_the_users_folders(tmp_path):
    program = "from engine.language import evaluate; print(evaluate('import numpy; print(6 * 7)').output[0].text)"
    folders = {name: str(tmp_path) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_DATA_HOME", "LOCALAPPDATA")}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, **folders, "PYTHONPATH": str(ROOT), "GRADSTEP_CACHE": str(USERS_OWN)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "42" and list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_the_window_is_imported_without_wasmtime_and_without_what_builds_python():
    code = "import sys, gui.app; assert not {'wasmtime', 'componentize_py', 'runpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.mark.long
def test_the_process_that_compiles_ends_with_the_one_that_waits_for_it():
    program = "from engine.language.machine_code import print_code; print_code()"
    command = [sys.executable, "-c", program, str(machine_code.COMPONENT)]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, cwd=ROOT, check=False)
    assert (ended.returncode, ended.stdout) == (1, b"")


def test_a_function_of_the_host_that_the_guest_cannot_be_given_is_an_error():
    _, component_api = machine_code.wasmtime_modules()
    with component_api.Linker(machine_code.make_engine()).root() as root:
        kept = add_text_function(root, "emit", print, 10)
        with pytest.raises(RuntimeError, match="emit"):
            add_text_function(root, "emit", print, 10)
    assert kept is not None
