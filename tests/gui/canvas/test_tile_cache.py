import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPixmap

from gui.canvas.level_of_detail import CAPTIONS_FROM
from gui.canvas.tiles import MAX_SCALES, SIDE, STEP, FrameBudget, TileCache

VIEW = QRectF(-300, -200, 1000, 700)


@pytest.fixture
def tiles(qapp):
    tiles = TileCache()
    tiles.choose_scale(1.0, 1.0, False)
    return tiles


def fill(tiles, area=VIEW):
    for place in tiles.missing(tiles.places(area)):
        tiles.put(place, QPixmap(1, 1))


def covered(pieces):
    return sum(piece.area.width() * piece.area.height() for piece in pieces)


def test_places_cover_an_area(tiles):
    whole = QRectF()
    for place in tiles.places(VIEW):
        whole |= tiles.area(place)
    assert whole.contains(VIEW) and whole.width() < VIEW.width() + 2 * SIDE


@pytest.mark.parametrize("zoom", [1 / 1.2, 1.2, 2.3])
def test_while_the_zoom_changes_other_tiles_stand_in_for_every_place(tiles, zoom):
    fill(tiles)
    tiles.choose_scale(zoom, 1.0, True)
    places = tiles.places(QRectF(-200, -100, 300, 200))
    pieces, uncovered = tiles.pieces(places)
    assert uncovered == [] and covered(pieces) == pytest.approx(sum(covered(tiles.pieces([one])[0]) for one in places))


def test_near_scales_share_their_tiles_while_the_zoom_changes_and_none_at_rest(tiles):
    tiles.choose_scale(STEP * 0.99, 1.0, True)
    assert tiles.scale == 1.0
    tiles.choose_scale(STEP * 0.99, 1.0, False)
    assert tiles.scale == STEP * 0.99


def test_a_scale_is_on_the_side_of_the_zoom_for_captions_where_the_zoom_is(tiles):
    for number in range(60):
        zoom = 0.3 * 1.02**number
        tiles.choose_scale(zoom, 1.0, True)
        assert (tiles.scale < CAPTIONS_FROM) == (zoom < CAPTIONS_FROM) and 1 / STEP <= zoom / tiles.scale <= STEP


def test_places_without_a_stand_in_are_made_first(tiles):
    fill(tiles, QRectF(0, 0, 600, 600))
    tiles.choose_scale(0.7, 1.0, True)
    missing = tiles.missing(tiles.places(QRectF(-200, -200, 900, 900)))
    uncovered = tiles.pieces(missing)[1]
    assert uncovered and missing[: len(uncovered)] == uncovered


def test_few_scales_and_few_tiles_are_kept(tiles):
    for number in range(30):
        tiles.choose_scale(1.3**number / 100, 1.0, True)
        fill(tiles, QRectF(0, 0, 1000 / tiles.scale, 700 / tiles.scale))
        tiles.drop_spare(20)
    assert len(tiles.scales) <= MAX_SCALES and len(tiles) < 100


def test_what_changed_is_forgotten_at_every_scale(tiles):
    fill(tiles)
    tiles.choose_scale(0.7, 1.0, True)
    fill(tiles)
    tiles.forget(QRectF(10, 10, 5, 5))
    assert tiles.pieces(tiles.places(QRectF(10, 10, 5, 5)))[0] == []
    assert tiles.pieces(tiles.places(QRectF(-290, -190, 5, 5)))[1] == []


def test_after_a_move_frames_go_on_until_one_is_complete(qtbot):
    budget = FrameBudget()
    budget.start_moving()
    assert budget.is_time_limited
    with qtbot.waitSignal(budget.continued):
        budget.end_frame(complete=False)
    qtbot.waitSignal(budget.settling_started).wait()
    assert budget.mode == "settling"
    with qtbot.waitSignal(budget.continued):
        budget.end_frame(complete=False)
    budget.end_frame(complete=True)
    assert not budget.is_time_limited
