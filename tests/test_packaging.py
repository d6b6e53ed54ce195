"""What the set-up and the wheel rely on."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import pytest

import engine

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture
def set_up():
    return runpy.run_path(str(ROOT / "scripts" / "set_up.py"))


def test_the_version_is_stated_once():
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "engine/__init__.py"
    assert re.fullmatch(r"\d+\.\d+\.\d+", engine.__version__)


def test_the_set_up_installs_the_requirements_of_the_program_and_of_its_tests(set_up):
    wanted = set_up["requirements"]()
    assert {re.split(r"[<>=]", requirement)[0] for requirement in wanted} >= {"PySide6-Essentials", "numpy", "pytest"}
    assert all(re.search(r"[<>=]", requirement) for requirement in wanted)


def test_every_folder_of_the_program_is_in_the_wheel():
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    included = wheel["force-include"]
    assert wheel["bypass-selection"] is True
    assert {"main.py", "gui", "engine", "datasets", "resources"} < set(included)
    assert all(target.startswith("gradstep_app/") for target in included.values())


def test_what_builds_and_runs_programs_is_required_where_it_is_needed():
    names = {kind: " ".join(requirements) for kind, requirements in PROJECT["project"]["optional-dependencies"].items()}
    dependencies = " ".join(PROJECT["project"]["dependencies"])
    assert "wasmtime" in dependencies and "componentize-py" not in dependencies
    assert "componentize-py" in names["dev"] and "componentize-py" in " ".join(PROJECT["build-system"]["requires"])
    assert (ROOT / PROJECT["tool"]["hatch"]["build"]["hooks"]["custom"]["path"]).is_file()


def test_every_license_text_is_named_in_the_notice():
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    assert all(f"resources/licenses/{path.name}" in notice for path in (ROOT / "resources" / "licenses").iterdir())
    assert "NOTICE" in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]


@pytest.fixture
def build_runtime(monkeypatch, tmp_path):
    """The script that builds, with a source, a component and a stamp of its own."""
    script = runpy.run_path(str(ROOT / "scripts" / "build_runtime.py"))
    shared = script["is_up_to_date"].__globals__
    (tmp_path / "guest.py").write_text("x = 1", encoding="utf-8")
    monkeypatch.setitem(shared, "ROOT", tmp_path)
    monkeypatch.setitem(shared, "COPIED", ("guest.py",))
    monkeypatch.setitem(shared, "COMPONENT", tmp_path / "python.wasm")
    monkeypatch.setitem(shared, "STAMP", tmp_path / "python.stamp")
    return script


def write_component(script, folder, data=b"component"):
    (folder / "python.wasm").write_bytes(data)
    stamp = {"sources": script["fingerprint"](), "sha256": "", "bytes": len(data)}
    (folder / "python.stamp").write_text(json.dumps(stamp), encoding="utf-8")


def test_the_component_is_built_again_after_a_change_of_its_sources(build_runtime, tmp_path):
    is_up_to_date, fingerprint = build_runtime["is_up_to_date"], build_runtime["fingerprint"]
    assert not is_up_to_date(fingerprint()) and build_runtime["is_older_than_sources"]()
    write_component(build_runtime, tmp_path)
    assert is_up_to_date(fingerprint()) and not build_runtime["is_older_than_sources"]()
    (tmp_path / "guest.py").write_text("x = 2", encoding="utf-8")
    os.utime(tmp_path / "guest.py", (2**32, 2**32))
    assert not is_up_to_date(fingerprint()) and build_runtime["is_older_than_sources"]()


@pytest.mark.parametrize("stamp", ["", "{}", "[]", "an older form"])
def test_a_stamp_that_does_not_belong_to_the_component_is_not_believed(build_runtime, tmp_path, stamp):
    write_component(build_runtime, tmp_path)
    (tmp_path / "python.wasm").write_bytes(b"cut")
    assert not build_runtime["is_up_to_date"](build_runtime["fingerprint"]())
    write_component(build_runtime, tmp_path)
    (tmp_path / "python.stamp").write_text(stamp, encoding="utf-8")
    assert not build_runtime["is_up_to_date"](build_runtime["fingerprint"]())


def test_windows_opened_at_once_build_the_component_once(build_runtime, tmp_path, monkeypatch):
    built = []

    def build(**_options):
        time.sleep(0.02)
        built.append(threading.current_thread())
        write_component(build_runtime, tmp_path)

    monkeypatch.setitem(build_runtime["main"].__globals__, "build", build)
    monkeypatch.setattr(sys, "argv", ["build_runtime.py"])
    with ThreadPoolExecutor(3) as pool:
        codes = list(pool.map(lambda _number: build_runtime["main"](), range(3)))
    assert codes == [0, 0, 0] and len(built) == 1


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_a_build_ends_with_the_program_that_waits_for_it(build_runtime, tmp_path, monkeypatch):
    monkeypatch.setitem(build_runtime["build"].__globals__, "stage", lambda folder: None)
    endless = tmp_path / "python"
    endless.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    endless.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(endless))
    monkeypatch.setattr(os, "read", lambda _descriptor, _count: b"")  # the other process is gone
    with pytest.raises(subprocess.CalledProcessError):
        build_runtime["build"](tmp_path / "python.wasm", end_with_input=True)
    assert not (tmp_path / "python.wasm").exists()


def test_the_set_up_goes_on_where_programs_cannot_be_prepared(set_up, monkeypatch, tmp_path, capsys):
    prepare = set_up["prepare_programs"]
    monkeypatch.setitem(prepare.__globals__, "VENV", tmp_path)
    monkeypatch.setitem(prepare.__globals__, "PYTHON", sys.executable)
    failing = tmp_path / "build.py"
    failing.write_text("raise SystemExit(1)", encoding="utf-8")
    monkeypatch.setitem(prepare.__globals__, "BUILD_SCRIPT", failing)
    prepare()
    assert "runs no programs" in capsys.readouterr().out


def test_a_program_that_fails_gives_its_last_line_and_one_that_runs_none(set_up):
    runs = set_up["runs"]
    assert runs(sys.executable, "pass") is None
    assert runs(sys.executable, "raise ImportError('libEGL.so.1')") == "ImportError: libEGL.so.1"
    assert runs(sys.executable, "import os; os.abort()") == "exit code -6"
    assert "no-python-here" in runs("no-python-here", "pass")


def test_missing_libraries_are_named_by_what_does_not_work(set_up, monkeypatch):
    answers = {set_up["START_QT"]: None, set_up["LOAD_WINDOW_PLUGIN"]: "OSError: libxcb-cursor.so.0"}
    missing_packages = set_up["missing_packages"]
    monkeypatch.setitem(missing_packages.__globals__, "runs", lambda python, program: answers[program])
    assert missing_packages(screen=False) == ([], None)
    packages, reason = missing_packages(screen=True)
    assert "libxcb-cursor0" in packages and "libegl1" not in packages
    assert reason == "OSError: libxcb-cursor.so.0"


def test_a_python_that_is_too_old_is_told_what_to_install(set_up, monkeypatch):
    check = set_up["use_a_python_that_is_new_enough"]
    monkeypatch.setitem(check.__globals__, "OLDEST", (99, 0))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(set_up["SetUpError"], match=r"needs Python 3\.11 or newer and this is 3\."):
        check()


def test_a_python_that_is_too_old_hands_over_to_a_newer_one(set_up, monkeypatch, tmp_path):
    check = set_up["use_a_python_that_is_new_enough"]
    newer = tmp_path / "python3.13"
    newer.touch(mode=0o755)
    started = []
    monkeypatch.setitem(check.__globals__, "OLDEST", (99, 11))
    monkeypatch.setattr(os, "execv", lambda program, arguments: started.append(program) or sys.exit(0))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit):
        check()
    assert started == [str(newer)]


def test_the_checks_of_a_change_read_as_bash():
    assert subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], check=False).returncode == 0


def test_void_qt_calls_keep_the_reference_count_of_none(qapp):
    from PySide6.QtCore import QObject

    thing, before = QObject(), sys.getrefcount(None)
    for _ in range(2_000):
        thing.setObjectName("x")
    assert sys.getrefcount(None) > before - 1_000


DESKTOP = ROOT / "resources" / "desktop"
VALIDATORS = {
    "desktop-file-validate": ([], "org.gradstep.Gradstep.desktop"),
    "appstreamcli": (["validate", "--no-net"], "org.gradstep.Gradstep.metainfo.xml"),
    "xmllint": (["--noout"], "org.gradstep.Gradstep.mime.xml"),
}


@pytest.fixture
def make_bundle():
    return runpy.run_path(str(ROOT / "scripts" / "make_bundle.py"))


def test_the_desktop_knows_the_program_by_one_name(make_bundle):
    name = make_bundle["NAME"]
    assert {path.name for path in DESKTOP.iterdir()} == {
        f"{name}.{end}" for end in ("desktop", "metainfo.xml", "mime.xml")
    }
    entry = dict(line.split("=", 1) for line in (DESKTOP / f"{name}.desktop").read_text().splitlines() if "=" in line)
    about = ElementTree.fromstring(make_bundle["metainfo"](engine.__version__))
    mime = ElementTree.parse(DESKTOP / f"{name}.mime.xml").getroot()[0]
    assert entry["Icon"] == about.findtext("id") == name
    assert entry["MimeType"] == f"{mime.get('type')};" == f"{about.findtext('provides/mediatype')};"
    assert about.find("releases/release").get("version") == engine.__version__
    assert [glob.get("pattern") for glob in mime if glob.tag.endswith("glob")] == ["*.gradstep"]


@pytest.mark.slow
@pytest.mark.parametrize("program", VALIDATORS)
def test_the_validators_of_desktops_accept_the_entries(program, make_bundle, tmp_path):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    options, name = VALIDATORS[program]
    path = tmp_path / name
    text = (DESKTOP / name).read_text(encoding="utf-8")
    path.write_text(make_bundle["metainfo"](engine.__version__) if "@VERSION@" in text else text, encoding="utf-8")
    done = subprocess.run([program, *options, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workflows_do_what_the_documents_say():
    files = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").iterdir()}
    for system in ("ubuntu", "macos", "windows"):
        assert all(system in text for text in files.values())
    assert "bash .ci/run" in files["checks.yml"]
    named = re.findall(r"scripts[/\\\\]+([a-z_]+\.py)", "".join(files.values()))
    assert named and all((ROOT / "scripts" / name).is_file() for name in named)
