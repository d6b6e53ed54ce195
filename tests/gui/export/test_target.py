from pathlib import Path

import pytest

from gui.export.drawing import ExportError
from gui.export.target import FORMAT_NAMES, chosen, naming, target


def test_a_missing_extension_is_added_and_a_known_one_kept(tmp_path):
    assert target(tmp_path / "graph") == tmp_path / "graph.png"
    assert target(tmp_path / "graph.") == tmp_path / "graph.png"
    assert target(tmp_path / "graph.PDF") == tmp_path / "graph.PDF"
    assert {target(tmp_path / f"a.{extension}").suffix[1:] for extension in FORMAT_NAMES} == set(FORMAT_NAMES)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.dott", r"no format 'dott', did you mean 'dot'\? \(there are: png, .*gif, dot, .*html\)"),
        ("a.jpeg", r"no format 'jpeg' \(there are: png, svg"),
        ("nowhere/a.png", "no folder '.*nowhere'"),
        ("", "is a folder: name a file in it, such as .*graph.png"),
    ],
)
def test_what_cannot_be_written_is_refused_in_words(tmp_path, name, words):
    with pytest.raises(ExportError, match=words):
        target(tmp_path / name)


def test_a_name_from_a_dialog_gets_the_extension_in_view(tmp_path):
    assert chosen(tmp_path / "net.v2", {"svg", "png"}, "svg") == tmp_path / "net.v2.svg"
    assert chosen(tmp_path / "net.PNG", {"svg", "png"}, "svg") == tmp_path / "net.PNG"
    assert chosen(tmp_path / "pass.png", {"gif"}, "gif") == tmp_path / "pass.png.gif"
    (tmp_path / "net.v2.svg").write_text("old")
    with pytest.raises(ExportError, match=r"net\.v2\.svg exists already"):
        chosen(tmp_path / "net.v2", {"svg", "png"}, "svg")


def test_errors_of_the_system_name_the_file_that_was_wanted():
    with (
        pytest.raises(ExportError, match=r"^out/a\.png could not be written: Permission denied$"),
        naming(Path("out/a.png")),
    ):
        raise PermissionError(13, "Permission denied", "out/.a.png.x1.part")
