import os
import sys
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image
from PySide6.QtGui import QColor, QImage

from engine.graph import EMPTY_PICTURE, layout, make_picture
from engine.language import evaluate
from engine.teaching import Walk
from engine.views.graph_view import GraphView, show_expression
from gui.export import animation
from gui.export.animation import BackwardPass, frame_times, write_animation, write_frames
from gui.export.drawing import ExportError
from gui.export.gif import gif_bytes
from gui.theme import DARK, LIGHT
from main import main
from tests.gui.export.likeness import pixels


@pytest.fixture
def moving(qapp):
    """The backward pass of a program."""

    def made(text="a = 2\nb = 3\nc = a * b\nd = c + a\n", colors=LIGHT, scale=None):
        shown = show_expression(evaluate(text))
        return BackwardPass(shown, make_picture(shown.graph, layout(shown.graph)), colors, scale)

    return made


def test_there_is_a_frame_before_the_seed_and_one_for_every_contribution(moving):
    backward = moving()
    assert backward.frame_count == 1 + 1 + 4
    frames = list(backward.frames())
    assert len(frames) == 6
    assert all(one != next_one for one, next_one in pairwise(frames))
    assert len({(frame.width(), frame.height()) for frame in frames}) == 1


def test_each_frame_says_its_contribution(moving):
    backward = moving()
    assert backward.words(0).startswith("forward is done")
    assert [backward.words(number) for number in (1, 2, 4)] == [
        "d.grad = 1", "c.grad += 1 × 1 = 1", "a.grad += 1 × 3 = 3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "ending",
    [
        "d.backward()\na.grad = 5.0\n",
        "d.backward()\na.grad += 1.0\n",
        "d.backward()\nc.grad = 0.0\nd.backward()\n",
        "a.grad = 5.0\n",
        "d.backward()\na.data -= 0.1 * a.grad\na.grad = 0.0\n",
        "c.backward()\n",
    ],
)
def test_gradients_that_the_program_has_set_or_kept_are_in_the_frames(qapp, ending):
    text = "a = Value(2.0)\nb = Value(3.0)\nc = a * b\nd = c + a\n" + ending
    result = evaluate(text)
    shown = show_expression(result)
    backward = BackwardPass(shown, make_picture(shown.graph, layout(shown.graph)), LIGHT)
    assert all(backward.words(number) for number in range(backward.frame_count))
    walk = Walk(shown.root, None, shown.program_gradients)
    assert backward.frame_count == 1 + len(walk) - shown.step_counts[0]
    drawn = [value for value in result.names.values() if value in walk]
    assert [walk.gradient(value, len(walk)) or 0.0 for value in drawn] == [value.grad for value in drawn]
    assert all(not frame.isNull() for frame in backward.frames())


@pytest.mark.slow
@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_a_gif_holds_every_frame_and_repeats(moving, tmp_path, colors):
    written = write_animation(moving(colors=colors), tmp_path / "a.gif")
    assert written.path == tmp_path / "a.gif" and written.note == ""
    with Image.open(written.path) as image:
        assert image.n_frames == 6 and image.info["loop"] == 0
        corner = image.convert("RGB").getpixel((2, 2))
    canvas = QColor(colors.canvas).getRgb()[:3]
    assert max(abs(one - other) for one, other in zip(corner, canvas, strict=True)) < 6  # of 255 colours
    assert [path.name for path in tmp_path.iterdir()] == ["a.gif"]


@pytest.mark.slow
def test_without_pillow_the_frames_are_written_and_it_is_said(moving, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    written = write_animation(moving(), tmp_path / "a.gif")
    assert "Pillow" in written.note and written.path == tmp_path / "a_frames"
    assert len(list(written.path.glob("*.png"))) == 6


@pytest.mark.slow
def test_frames_of_a_longer_pass_before_are_removed_and_other_files_are_not(moving, tmp_path):
    (tmp_path / "mine.png").write_bytes(b"mine")
    write_frames(moving(), tmp_path)
    write_frames(moving("a = 2\nb = a * a\n"), tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["frame_001.png", "frame_002.png", "frame_003.png", "frame_004.png", "mine.png"]
    assert not QImage(str(tmp_path / "frame_004.png")).isNull()


@pytest.mark.slow
def test_frames_are_numbered_so_that_they_sort_and_are_those_of_the_pass(moving, tmp_path):
    backward = moving()
    written = write_frames(backward, tmp_path / "frames")
    paths = sorted(written.path.iterdir())
    assert [path.name for path in paths] == [f"frame_{number:03}.png" for number in range(1, 7)]
    for path, frame in zip(paths, backward.frames(), strict=True):
        assert QImage(str(path)).convertToFormat(frame.format()) == frame
    assert "frame_001.png to frame_006.png" in written.note and "earlier" not in written.note


def test_a_file_that_is_no_frame_of_ours_is_not_overwritten_and_nothing_is_written(moving, tmp_path):
    other = tmp_path / "frame_004.png"
    QImage(4, 4, QImage.Format.Format_RGB32).save(str(other))
    before = other.read_bytes()
    with pytest.raises(ExportError, match=r"frame_004\.png is not a frame of an earlier pass and is not overwritten"):
        write_frames(moving(), tmp_path)
    assert list(tmp_path.iterdir()) == [other] and other.read_bytes() == before


@pytest.mark.slow
def test_what_a_killed_export_left_is_removed_by_the_next_and_nothing_else(moving, tmp_path):
    old, young, mine = (tmp_path / name for name in (".frames-abcdefgh", ".frames-12345678", ".frames-mine"))
    for folder in (old, young, mine):
        folder.mkdir()
        (folder / "frame_001.png").write_bytes(b"half")
    (mine / "letter.txt").write_text("precious")
    for folder in (old, mine):
        os.utime(folder, (1e9, 1e9))
    write_frames(moving(), tmp_path)
    assert {*tmp_path.glob(".frames-*")} == {young, mine} and len(list(mine.iterdir())) == 2


@pytest.mark.slow
def test_frames_that_are_replaced_are_told(moving, tmp_path):
    write_frames(moving(), tmp_path)
    assert write_frames(moving(colors=DARK), tmp_path).note.endswith("the frames of an earlier pass are replaced")


@pytest.mark.slow
def test_frames_that_cannot_all_be_written_leave_everything_as_it_was(moving, tmp_path, monkeypatch):
    write_frames(moving(), tmp_path / "old")
    before = {path.name: path.read_bytes() for path in (tmp_path / "old").iterdir()}
    content, left = animation.png_bytes, iter(range(3))

    def fails_at_the_fourth(frame):
        if next(left, None) is None:
            raise OSError(28, "No space left on device")
        return content(frame)

    monkeypatch.setattr(animation, "png_bytes", fails_at_the_fourth)
    for folder in ("old", "new"):
        with pytest.raises(OSError, match="No space"):
            write_frames(moving(colors=DARK), tmp_path / folder)
    assert {path.name: path.read_bytes() for path in (tmp_path / "old").iterdir()} == before
    assert not (tmp_path / "new").exists()


def test_frames_go_into_a_folder_that_can_be_there(moving, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ExportError, match="is a file; the frames go into a folder"):
        write_frames(moving(), tmp_path / "file")
    with pytest.raises(ExportError, match="no folder"):
        write_frames(moving(), tmp_path / "nowhere" / "frames")


@pytest.mark.slow
@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_a_gif_has_the_colours_of_the_canvas_exactly(moving, tmp_path, colors):
    backward = moving(colors=colors)
    path = write_animation(backward, tmp_path / "a.gif").path
    with Image.open(path) as image:
        for number, frame in enumerate(backward.frames()):
            image.seek(number)
            shown = np.asarray(image.convert("RGB")).astype(int)
            apart = abs(shown - pixels(frame)).max(axis=2)
            assert (apart == 0).mean() > 0.97 and apart.max() < 40


def test_a_gif_of_many_frames_goes_faster_but_can_still_be_read():
    assert frame_times(11) == [900] * 10 + [3000]
    assert frame_times(100)[0] == 450
    assert frame_times(400)[0] == 300
    assert all(time % 10 == 0 for count in range(1, 400) for time in frame_times(count))  # a GIF counts hundredths


@pytest.mark.parametrize("text", ["v = -1\ny = log(v)\n", "v = 1e308\ny = v * 10\n", "v = -1\ny = log(v) * 2\n"])
def test_without_an_output_there_is_no_backward_pass(moving, text):
    with pytest.raises(ExportError, match="no backward pass: the output could not be computed"):
        moving(text)


@pytest.mark.slow
def test_what_is_too_large_or_too_long_is_refused_and_says_the_limit(moving, monkeypatch):
    with pytest.raises(ExportError, match=r"the scale is at most \d"):
        moving(scale=20.0)
    monkeypatch.setattr(animation, "MOST_PIXELS", 50_000)
    assert moving().frame(0).width() < 420  # smaller than at scale 1, and not refused
    monkeypatch.setattr(animation, "MOST_FRAMES", 5)
    with pytest.raises(ExportError, match="6 frames is too long: at most 5"):
        moving()


@pytest.mark.long
def test_a_frame_is_no_larger_than_memory_allows_and_its_gif_takes_little(moving):
    wide = moving("a = 2\n" + "".join(f"b{i} = a*{i}\n" for i in range(400)) + "c = a + 1")
    frames = list(wide.frames())
    n_pixels = frames[0].width() * frames[0].height()
    assert 1_000_000 < n_pixels <= animation.MOST_FRAME_PIXELS
    tracemalloc.start()
    gif_bytes(iter(frames), frames, frame_times(len(frames)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40_000_000 + 25 * n_pixels  # a table of all colours, and some numbers for each pixel of one frame


def test_an_empty_graph_and_a_missing_folder_are_refused(moving, tmp_path):
    with pytest.raises(ExportError, match="empty"):
        BackwardPass(GraphView(), EMPTY_PICTURE, LIGHT)
    with pytest.raises(ExportError, match="no folder"):
        write_animation(moving(), tmp_path / "nowhere" / "a.gif")


@pytest.mark.slow
def test_the_command_line_writes_a_gif(qapp, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("QT_LOGGING_RULES", "")
    (tmp_path / "p.txt").write_text("a = 2\nb = a * a\n")
    assert main(["export", str(tmp_path / "p.txt"), "-o", str(tmp_path / "out.gif"), "--scale", "0.5"]) == 0
    assert "out.gif" in capsys.readouterr().out
    with Image.open(tmp_path / "out.gif") as image:
        assert image.n_frames == 4
