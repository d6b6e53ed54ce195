"""`export` on the command line, as a user calls it: what is written, and what is said when it cannot be."""

import json
import os
from pathlib import Path

import networkx as nx
import pytest
from PIL import Image
from PySide6.QtGui import QImage

from engine.document import Document, replace_section
from engine.session_file import to_json
from gui.actions.window import EXPORT_ACTIONS
from gui.export import exports
from gui.export.target import FORMAT_NAMES, STILL
from main import main
from tests.programs import README_OF_MICROGRAD

NEURON = "x1 = 2.0\nw1 = -3.0\nb = 6.5\nn = x1*w1 + b\no = tanh(n)\n"
HOSTILE = (
    "größe = 2\nw = Value(3.0, label='<b>&amp; \"q\"</b>]]>')\nbad = log(-größe)\n"
    "out = größe * w + bad + 1e308 * 1e10\n"
)
STEPS = [f"x{n} = x{n - 1} * 0.5 + sin(x{max(0, n - 3)})\n" for n in range(1, 250)]
CHAIN = "x0 = 1.0\n" + "".join(STEPS)
TOO_LONG = "x0 = 1.0\n" + "".join(STEPS[:120])
"""More than the 400 nodes of which a backward pass is written picture by picture."""


@pytest.fixture
def export(qapp, tmp_path, capsys, monkeypatch):
    """Runs `export` on a program or a session in an empty folder: exit code, what it said, what lies there after."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QT_LOGGING_RULES", "")

    def run(content, *arguments):
        source = Path("session.gradstep" if isinstance(content, Document) else "program.txt")
        source.write_text(to_json(content) if isinstance(content, Document) else content)
        try:
            code = main(["export", str(source), *arguments])
        except SystemExit as stop:
            code = stop.code
        source.unlink()
        said = capsys.readouterr()
        return code, (said.out if code == 0 else said.err).rstrip("\n"), sorted(map(str, Path().rglob("*")))

    return run


PROGRAMS = {"readme": README_OF_MICROGRAD, "hostile": HOSTILE, "a thousand nodes": CHAIN}


@pytest.mark.long
@pytest.mark.parametrize("extension", [e for e in FORMAT_NAMES if e != "gif"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_format_is_written_of_every_program(export, name, extension):
    scale = ["--scale", "0.1"] if name == "a thousand nodes" else []
    written = export(PROGRAMS[name], "-o", f"a.{extension}", *scale)
    if name == "a thousand nodes" and extension == "html":
        code, said, left = written
        assert (code, left) == (2, []) and "at most 400" in said
        return
    assert written == (0, f"wrote a.{extension}", [f"a.{extension}"])
    assert Path(f"a.{extension}").stat().st_size > 200


@pytest.mark.slow
@pytest.mark.parametrize("extension", FORMAT_NAMES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_format_is_written_of_a_session_with_a_network(export, extension, theme):
    session = replace_section(Document(), "view", shows="network")
    code, said, left = export(session, "-o", f"a.{extension}", "--theme", theme, "--scale", "0.5")
    assert (code, said, left) == (0, f"wrote a.{extension}", [f"a.{extension}"])


@pytest.mark.long
def test_a_thousand_nodes_load_in_networkx(export):
    export(CHAIN, "-o", "a.json")
    export(CHAIN, "-o", "a.graphml")
    one = nx.node_link_graph(json.loads(Path("a.json").read_text()), edges="edges")
    other = nx.read_graphml("a.graphml")
    assert len(one) > 1_000 and set(one) == set(other) and set(one.edges) == set(other.edges)
    assert all(
        one.nodes[key]["grad"] == other.nodes[key]["grad"] for key in one if one.nodes[key].get("grad") is not None
    )


def test_a_missing_extension_is_added(export):
    assert export(NEURON, "-o", "graph") == (0, "wrote graph.png", ["graph.png"])


@pytest.mark.slow
def test_frames_go_into_a_folder_when_asked_for(export):
    code, said, left = export(NEURON, "-o", "frames/", "--frames")
    assert (code, said) == (0, "wrote frame_001.png to frame_007.png into frames")
    assert left == ["frames", *(f"frames/frame_{number:03}.png" for number in range(1, 8))]
    assert QImage("frames/frame_001.png").size() == QImage("frames/frame_007.png").size()
    code, said, _left = export(NEURON, "-o", "frames", "--frames", "--theme", "dark")
    assert code == 0 and said.endswith("the frames of an earlier pass are replaced")


@pytest.mark.slow
def test_frames_and_gif_show_the_same(export):
    export(NEURON, "-o", "frames", "--frames")
    export(NEURON, "-o", "a.gif")
    with Image.open("a.gif") as image:
        assert image.n_frames == 7 and image.size == QImage("frames/frame_001.png").size().toTuple()


@pytest.mark.slow
def test_a_session_is_drawn_as_it_was_left(export):
    program = replace_section(Document(), "expression", text=NEURON)
    plain = replace_section(program, "view", form="row", direction="right")
    sizes = {}
    for name, view in {
        "plain": {},
        "down": {"direction": "down"},
        "dragged": {"moved": (("b", (0.0, 900.0)),)},
        "hidden": {"hide_constants": True},
    }.items():
        assert export(replace_section(plain, "view", **view), "-o", f"{name}.png", "--scale", "1")[0] == 0
        sizes[name] = QImage(f"{name}.png").size().toTuple()
    assert sizes["down"][1] > sizes["plain"][1] and sizes["down"][0] < sizes["plain"][0]
    assert sizes["dragged"][1] > sizes["plain"][1] + 700
    turned = replace_section(plain, "view", direction="down", moved=(("b", (0.0, 900.0)),))
    assert export(turned, "-o", "right.png", "--scale", "1", "--direction", "right")[0] == 0
    assert QImage("right.png").size().toTuple() == sizes["plain"]


@pytest.mark.slow
def test_what_is_chosen_automatically_fits_a_page_and_can_be_asked_for_by_name(export):
    sizes = {}
    for name, arguments in {
        "auto": ("--direction", "auto", "--form", "auto"),
        "long": ("--direction", "right", "--form", "row"),
        "spring": ("--layout", "spring"),
    }.items():
        assert export(README_OF_MICROGRAD, "-o", f"{name}.png", "--scale", "0.5", *arguments)[0] == 0
        sizes[name] = QImage(f"{name}.png").size()
    shapes = {name: max(size.width() / size.height(), size.height() / size.width()) for name, size in sizes.items()}
    assert shapes["auto"] < 6 < 10 < shapes["long"] and shapes["spring"] < 3
    code, *told = export(README_OF_MICROGRAD, "-o", "planar.png", "--layout", "planar")
    assert code == 2 and "the layout planar cannot draw this graph: this graph is not planar" in "".join(map(str, told))


@pytest.mark.slow
def test_scale_theme_and_transparency_reach_the_picture(export):
    export(NEURON, "-o", "one.png", "--scale", "1")
    export(NEURON, "-o", "three.png", "--scale", "3", "--transparent")
    one, three = QImage("one.png"), QImage("three.png")
    assert three.width() == 3 * one.width()
    assert one.pixelColor(2, 2).alpha() == 255 and three.pixelColor(2, 2).alpha() == 0
    export(NEURON, "-o", "clear.svg", "--transparent")
    export(NEURON, "-o", "full.svg")
    assert "#fbfbfc" in Path("full.svg").read_text() and "#fbfbfc" not in Path("clear.svg").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "arguments", "words"),
    [
        (NEURON, ["-o", "a.dott"], "no format 'dott', did you mean 'dot'? (there are: png, svg, pdf"),
        (NEURON, ["-o", "nowhere/a.png"], "no folder 'nowhere'"),
        (NEURON, ["-o", "nowhere/a.dot"], "no folder 'nowhere'"),
        (NEURON, ["-o", "nowhere/a.gif"], "no folder 'nowhere'"),
        (NEURON, ["-o", "nowhere/frames", "--frames"], "no folder 'nowhere'"),
        (NEURON, ["-o", "."], "'.' is a folder: name a file in it, such as graph.png"),
        (NEURON, ["-o", "new/"], "new/ is a folder: name a file in it, or ask with --frames"),
        (NEURON, ["-o", ""], "the name after -o is empty"),
        (NEURON, ["-o", "a.gif", "--frames"], "--frames wants a folder, not a.gif"),
        (NEURON, ["-o", "a.png", "--scale", "0"], "a scale is a number from 0.01 to 20"),
        (NEURON, ["-o", "a.png", "--scale", "nan"], "a scale is a number from 0.01 to 20"),
        (NEURON, ["-o", "a.png", "--scale", "1000"], "a scale is a number from 0.01 to 20"),
        (NEURON, ["-o", "a.png", "--theme", "blue"], "invalid choice: 'blue'"),
        (NEURON, [], "-o"),
        (TOO_LONG, ["-o", "a.png", "--scale", "20"], "is too large: the scale is at most "),
        (TOO_LONG, ["-o", "a.gif"], "frames is too long: at most 400"),
        (TOO_LONG, ["-o", "a", "--frames"], "frames is too long: at most 400"),
        (NEURON, ["-o", "a.gif", "--scale", "20"], "are too large: the scale is at most"),
        ("", ["-o", "a.png"], "nothing to export: the program is empty"),
        ("", ["-o", "a.json"], "nothing to export: the program is empty"),
        (
            "a = 1\nb = tahn(a)\n",
            ["-o", "a.svg"],
            "line 2, column 5: NameError: name 'tahn' is not defined. Did you mean: 'tanh'?",
        ),
        (HOSTILE, ["-o", "a.gif"], "no backward pass: the output could not be computed"),
    ],
)
def test_what_cannot_be_exported_is_one_line_and_nothing_written(export, program, arguments, words):
    code, said, left = export(program, *arguments)
    assert code == (1 if "NameError" in words else 2)
    assert said.startswith("gradstep: ") and words in said and "\n" not in said
    assert left == []


@pytest.mark.parametrize("link", ["same", "in other words", "without its extension", "symbolic", "hard"])
def test_an_export_never_replaces_what_it_reads(qapp, tmp_path, capsys, monkeypatch, link):
    monkeypatch.chdir(tmp_path)
    source = Path("p.txt")
    source.write_text(NEURON)
    output = {"same": "p.txt", "in other words": f"../{tmp_path.name}/p.txt"}.get(link, "other.txt")
    if link == "without its extension":
        source.rename("p.png")
        source, output = Path("p.png"), "p"
        source.write_text(to_json(Document()))
    elif link == "symbolic":
        Path(output).symlink_to(source)
    elif link == "hard":
        Path(output).hardlink_to(source)
    before = source.read_text()
    assert main(["export", str(source), "-o", output]) == 2
    assert "is the file that is read, and would be lost: choose another name" in capsys.readouterr().err
    assert source.read_text() == before


def test_frames_never_replace_what_they_are_made_from(qapp, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("frame_001.png", "frame_002.png"):
        source = Path(name)
        source.write_text(to_json(Document()))
        assert main(["export", name, "--frames", "-o", "."]) == 2
        assert capsys.readouterr().err.count("\n") == 1
        assert source.read_text() == to_json(Document())


@pytest.mark.parametrize("name", ["nowhere/a.png", "p.txt/a.png", "read_only.png", "nowhere/frames"])
def test_an_output_is_looked_at_before_the_graph_is_laid_out(qapp, tmp_path, capsys, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Path("p.txt").write_text(NEURON)
    Path("read_only.png").write_bytes(b"precious")
    Path("read_only.png").chmod(0o444)
    monkeypatch.setattr(exports, "place", lambda *_arguments, **_options: pytest.fail("laid out"))
    frames = ["--frames"] if name.endswith("frames") else []
    assert main(["export", "p.txt", "-o", name, *frames]) == 2
    error = capsys.readouterr().err
    assert name.split("/")[0] in error and error.count("\n") == 1
    assert Path("read_only.png").read_bytes() == b"precious"


@pytest.mark.long
def test_the_largest_scale_that_is_named_can_be_drawn(export):
    _code, said, _left = export(CHAIN, "-o", "a.png", "--scale", "20")
    limit = said.rsplit(" ", 1)[1]
    assert export(CHAIN, "-o", "a.png", "--scale", limit) == (0, "wrote a.png", ["a.png"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.png", "a.svg", "a.pdf", "a.dot", "a.gif", "frames"])
def test_what_fails_at_the_last_moment_leaves_everything_as_it_was(export, monkeypatch, name):
    frames = ["--frames"] if name == "frames" else []
    if not frames:
        Path(name).write_text("precious")

    def fails(path, _target):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Path, "replace", fails)
    code, said, left = export(NEURON, "-o", name, *frames)
    assert (code, said) == (2, f"gradstep: {name} could not be written: No space left on device")
    assert left == ([] if frames else [name])
    assert frames or Path(name).read_text() == "precious"


if os.name == "posix" and os.geteuid() != 0:

    @pytest.mark.parametrize("name", ["a.png", "a.json", "a.gif"])
    def test_a_folder_that_may_not_be_written_is_named(export, tmp_path, name):
        folder = tmp_path / "locked"
        folder.mkdir(mode=0o500)
        code, said, _left = export(NEURON, "-o", f"locked/{name}")
        assert code == 2 and said == f"gradstep: locked/{name} could not be written: Permission denied"
        assert list(folder.iterdir()) == []


def test_every_format_of_the_command_line_is_in_the_menu():
    assert {*STILL, "gif"} == set(FORMAT_NAMES)
    titles = [entry.text for entry in EXPORT_ACTIONS]
    assert all(any(name in title for title in titles) for name in FORMAT_NAMES.values() if name != "GIF animation")
