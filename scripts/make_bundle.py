"""Make Gradstep as a program that needs no Python, and try it: `make bundle`; with `--deb` a Debian package, too.

PyInstaller puts Python, Qt and everything else into the folder dist/gradstep. The folder is then moved to another place
and used there without any Python on the path: a program, a training, a sweep with worker processes, exports, and the
window. `make deb` wraps the same folder as dist/gradstep_VERSION_ARCHITECTURE.deb.

The result runs on the kind of system that it was made on, with that system's C library or a newer one.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
ICON = ROOT / "resources/icons/gradstep.svg"
NAME = "org.gradstep.Gradstep"
WINDOW_SECONDS = 6.0
"""The window is left open for so long before it is asked to end."""
PROGRAM = "a = 2.0\nb = a * a + 1\nb.backward()\nprint(a.grad)\n"
DEPENDS = "libc6, libgl1, libegl1, libfontconfig1"
CONTROL = """Package: gradstep
Version: {version}
Architecture: {architecture}
Maintainer: The Gradstep developers <gradstep@localhost>
Installed-Size: {kilobytes}
Depends: {depends}
Section: education
Priority: optional
Description: see how autograd and neural networks work
 A playground for backpropagation: computation graphs with the data and
 gradient of every node, forward and backward passes step by step, networks
 that train live, and lessons.
"""
COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Gradstep
Comment: The texts of all licenses are in /usr/lib/gradstep/_internal/NOTICE and
 /usr/lib/gradstep/_internal/resources/licenses.

Files: *
Copyright: the Gradstep developers
License: Expat
{license}
"""


class BundleError(Exception):
    """A fault of the bundle, in one sentence."""


def main(arguments: list[str]) -> int:
    """Build, try, and wrap; return the exit code."""
    try:
        bundle = build()
        with tempfile.TemporaryDirectory(prefix="gradstep-bundle-") as folder:
            moved = Path(folder, "elsewhere", "gradstep")
            shutil.copytree(bundle, moved, symlinks=True)
            try_out(moved, Path(folder))
        if "--deb" in arguments:
            print(f"wrote {make_deb(bundle)}")
    except BundleError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def build() -> Path:
    """Return the folder with the program, made by PyInstaller."""
    if importlib.util.find_spec("PyInstaller") is None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        run([sys.executable, "-m", "pip", "install", "--quiet", *project["optional-dependencies"]["bundle"]])
    work = ROOT / "build" / "bundle"
    options = ["--noconfirm", "--log-level", "ERROR", "--distpath", str(DIST), "--workpath", str(work)]
    started = time.monotonic()
    run([sys.executable, "-m", "PyInstaller", *options, str(ROOT / "scripts" / "gradstep.spec")])
    bundle = DIST / "gradstep"
    print(f"built {bundle.relative_to(ROOT)}: {size_of(bundle) / 1e6:.0f} MB in {time.monotonic() - started:.0f} s")
    return bundle


def size_of(folder: Path) -> int:
    """Return the bytes of all files of a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() or path.is_symlink())


def try_out(bundle: Path, folder: Path) -> None:
    """Use the program in an environment without Python.

    Raises:
        BundleError: when a command fails or leaves out what it should write.
    """
    home = folder / "home"
    home.mkdir()
    environment = {"HOME": str(home), "PATH": "", "LANG": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen"}
    if sys.platform == "win32":
        environment |= {key: os.environ[key] for key in ("SYSTEMROOT", "TEMP", "TMP") if key in os.environ}
        environment |= {"USERPROFILE": str(home), "LOCALAPPDATA": str(home), "APPDATA": str(home)}
    program = bundle / ("gradstep.exe" if sys.platform == "win32" else "gradstep")

    def use(*words: str) -> str:
        started = time.monotonic()
        printed = run([str(program), *words], cwd=folder, environment=environment)
        print(f"{time.monotonic() - started:6.1f} s  gradstep {' '.join(words)}")
        return printed

    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    write_session(folder / "xor.gradstep")
    use("--version")
    for _ in range(2):  # the first run compiles the Python of programs
        if use("run", "program.py").strip() != "4.0":
            raise BundleError("the program of the test printed something else than 4.0")
    use("check", "program.py")
    use("export", "program.py", "-o", "graph.png")
    use("export", "program.py", "-o", "backward.gif")
    use("train", "xor.gradstep", "--steps", "50", "-o", "trained.gradstep")
    use("sweep", "xor.gradstep", "--vary", "learning_rate=0.01,0.1", "--seeds", "2", "--steps", "50", "--workers", "2",
        "-o", "sweep.csv")  # fmt: skip
    for name in ("graph.png", "backward.gif", "trained.gradstep", "sweep.csv"):
        if not (folder / name).is_file() or not (folder / name).stat().st_size:
            raise BundleError(f"{name} was not written")
    if sys.platform != "win32":
        open_window(program, folder, environment)


def write_session(path: Path) -> None:
    """Write a session with a small network, by the sources."""
    code = "import sys; from engine.document import Document; from engine.session_file.format import to_json; "
    run([sys.executable, "-c", code + "open(sys.argv[1], 'w').write(to_json(Document()))", str(path)])


def open_window(program: Path, folder: Path, environment: dict[str, str]) -> None:
    """Open the window and ask it to end, as a desktop does at its own end."""
    with subprocess.Popen([str(program), "program.py"], cwd=folder, env=environment, stderr=subprocess.PIPE) as window:
        try:
            _, errors = window.communicate(timeout=WINDOW_SECONDS)
        except subprocess.TimeoutExpired:
            window.send_signal(signal.SIGTERM)
            _, errors = window.communicate(timeout=30)
            if window.returncode == 128 + signal.SIGTERM:
                print(f"        open for {WINDOW_SECONDS:.0f} s, then ended in order: the window")
                return
    raise BundleError(f"the window ended with {window.returncode}: {errors.decode(errors='replace')}")


def make_deb(bundle: Path) -> Path:
    """Return a Debian package of the program, with its entries for the desktop."""
    sys.path.insert(0, str(ROOT))
    from engine import __version__ as version

    architecture = run(["dpkg", "--print-architecture"]).strip()
    package = DIST / f"gradstep_{version}_{architecture}.deb"
    with tempfile.TemporaryDirectory(prefix="gradstep-deb-") as name:
        root = Path(name)
        root.chmod(0o755)
        shutil.copytree(bundle, root / "usr/lib/gradstep", symlinks=True)
        (root / "usr/bin").mkdir()
        (root / "usr/bin/gradstep").symlink_to("../lib/gradstep/gradstep")
        desktop, share = ROOT / "resources/desktop", root / "usr/share"
        put(share / f"applications/{NAME}.desktop", (desktop / f"{NAME}.desktop").read_text("utf-8"))
        put(share / f"mime/packages/{NAME}.xml", (desktop / f"{NAME}.mime.xml").read_text("utf-8"))
        put(share / f"metainfo/{NAME}.metainfo.xml", metainfo(version))
        put(
            share / f"icons/hicolor/scalable/apps/{NAME}.svg",
            (ROOT / "resources/icons/gradstep.svg").read_text("utf-8"),
        )
        license_lines = (ROOT / "LICENSE").read_text("utf-8").splitlines()
        indented = "\n".join(f" {line}" if line.strip() else " ." for line in license_lines)
        put(share / "doc/gradstep/copyright", COPYRIGHT.format(license=indented))
        kilobytes = size_of(root) // 1024
        control = CONTROL.format(version=version, architecture=architecture, kilobytes=kilobytes, depends=DEPENDS)
        put(root / "DEBIAN/control", control)
        run(["dpkg-deb", "--root-owner-group", "-Zxz", "-z1", "--build", str(root), str(package)])
    return package


def metainfo(version: str) -> str:
    """Return the description for software centres, with this version."""
    text = (ROOT / f"resources/desktop/{NAME}.metainfo.xml").read_text(encoding="utf-8")
    return text.replace("@VERSION@", version).replace("@DATE@", date.today().isoformat())


def put(path: Path, text: str) -> None:
    """Write a file of the package, readable by everyone, in folders that are."""
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o644)


def run(command: list[str], cwd: Path = ROOT, environment: dict[str, str] | None = None) -> str:
    """Return what a command prints.

    Raises:
        BundleError: when it fails, with its last words.
    """
    done = subprocess.run(
        command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise BundleError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
