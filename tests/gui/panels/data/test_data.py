"""The data panel: data sets by their pictures, numbers by slider and by typing, inputs, a formula, what suits."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QLabel

from datasets import DATASETS, FEATURES, Dataset, available_features, feature_title, make_dataset
from engine.document import Document
from engine.experiment.fitted import suited
from engine.experiment.prepared import table_fields
from engine.network import LOSSES, OPTIMIZERS
from gui.fields.slider import SliderScale
from gui.panels.data.data import DataPanel
from gui.panels.data.data_choice import cell_size, data_picture, picture_size
from gui.theme import DARK, LIGHT, follow_text_size, set_text_size, style_sheet
from gui.widgets.labels import PaintedLabel
from tests.gui.training import train


def choose(panel, name):
    panel.tiles.choose(next(tile for tile in panel.tiles.tiles if name in (tile.name, tile.source)))


def texts(panel):
    labels = [*panel.findChildren(QLabel), *panel.findChildren(PaintedLabel)]
    return "\n".join(label.text() for label in labels if not label.isHidden())


def test_another_data_set_comes_with_its_own_numbers(session, shown):
    panel = shown(DataPanel)
    choose(panel, "spiral")
    data = session.document.data
    assert (data.name, data.n_samples, data.noise) == ("spiral", 200, 0.03)
    assert panel.n_samples.text() == "200"
    assert session.dataset.n_samples == 200
    assert DATASETS["spiral"].description in texts(panel)
    session.undo_stack.undo_edit()
    assert session.document.data.name == "moons"
    assert panel.n_samples.text() == "100"


def test_every_data_set_is_offered_by_a_picture_with_a_name_and_what_it_is(shown):
    panel = shown(DataPanel)
    model = panel.tiles.model()
    names = [tile.name for tile in panel.tiles.tiles if tile.source == "generator"]
    assert names == list(DATASETS)
    for row, tile in enumerate(panel.tiles.tiles):
        index = model.index(row, 0)
        assert index.data(Qt.ItemDataRole.AccessibleTextRole) == tile.title
        assert tile.about in index.data(Qt.ItemDataRole.ToolTipRole)
        assert not index.data(Qt.ItemDataRole.DecorationRole).isNull()
        assert len(tile.short) <= 10


def test_a_picture_of_another_theme_can_be_chosen_before_it_is_drawn_anew(session, shown):
    """A click on one raised an IndexError."""
    panel = shown(DataPanel)
    before = panel.tiles.model().index(0, 0).data(Qt.ItemDataRole.DecorationRole).cacheKey()
    panel.tiles.set_colors(DARK)
    panel.tiles.clicked.emit(panel.tiles.model().index(list(DATASETS).index("circles"), 0))
    assert session.document.data.name == "circles"
    assert panel.tiles.model().index(0, 0).data(Qt.ItemDataRole.DecorationRole).cacheKey() != before


@pytest.mark.slow
def test_a_data_set_is_chosen_by_a_click_or_by_keys(session, shown):
    panel = shown(DataPanel)
    place = panel.tiles.visualRect(panel.tiles.model().index(list(DATASETS).index("circles"), 0)).center()
    QTest.mouseClick(panel.tiles.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert session.document.data.name == "circles"
    panel.tiles.setFocus()
    QTest.keyClick(panel.tiles, Qt.Key.Key_Right)
    assert session.document.data.name == "circles"
    QTest.keyClick(panel.tiles, Qt.Key.Key_Return)
    assert session.document.data.name == list(DATASETS)[list(DATASETS).index("circles") + 1]


@pytest.mark.parametrize("width", [236, 380])
def test_the_pictures_take_as_many_rows_as_the_width_needs(shown, width):
    panel = shown(DataPanel)
    panel.resize(width, 500)
    columns = (panel.tiles.width() - 2) // cell_size().width()
    assert panel.tiles.height() == -(-len(panel.tiles.tiles) // columns) * cell_size().height() + 2
    last = panel.tiles.visualRect(panel.tiles.model().index(len(panel.tiles.tiles) - 1, 0))
    assert panel.tiles.viewport().rect().contains(last.center())


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", DATASETS)
def test_a_picture_has_a_dot_for_each_class_inside_its_frame(qapp, name, colors):
    size = QSize(46, 34)
    image = data_picture(make_dataset(name, 60, seed=1), colors, size).toImage()
    pixels = {(x, y): image.pixelColor(x, y) for x in range(46) for y in range(34)}
    inked = {place for place, color in pixels.items() if color.alpha() == 255}
    assert inked and all(2 <= x < 44 and 2 <= y < 32 for x, y in inked)
    expected = (colors.negative, colors.positive, colors.third)[: DATASETS[name].n_classes]
    assert set(map(str.lower, expected)) <= {pixels[place].name() for place in inked}


@pytest.mark.slow
def test_fields_that_mean_nothing_are_disabled_with_the_reason(session, shown):
    panel = shown(DataPanel)
    session.edit("data", data={"name": "xor", "noise": 0.0})
    for field in (panel.n_samples, panel.sliders["n_samples"], panel.test_share, panel.seed, panel.again):
        assert not field.isEnabled()
    assert panel.n_samples.text() == "4"
    assert "always these 4 points" in panel.n_samples.toolTip()
    session.edit("noise", data={"noise": 0.1})
    assert panel.seed.isEnabled() and panel.again.isEnabled()
    session.edit("points", data={"source": "points", "points": [[0.0, 0.0, 0], [1.0, 1.0, 1]]})
    assert not panel.noise.isEnabled() and panel.test_share.isEnabled()
    assert panel.n_samples.text() == "2"


def test_a_noise_that_is_not_in_use_is_not_shown(session, shown):
    panel = shown(DataPanel)
    session.edit("noise", data={"noise": 0.4})
    assert panel.noise.text() == "0.4" and panel.sliders["noise"].value() == 40
    table = {"height": [1.5, 1.75, 1.0], "kind": ["a", "b", "a"]}
    session.edit("table", data={"source": "table", "table": table, "table_name": "people.csv"})
    assert "4" not in panel.noise.text() and panel.sliders["noise"].value() == 0
    choose(panel, "moons")
    assert panel.noise.text() == "0.1" and panel.sliders["noise"].value() == 10


@pytest.mark.slow
def test_bad_numbers_stay_out_of_the_document(session, shown):
    """E011, E016, D017: each is refused at its field, in words."""
    panel = shown(DataPanel)
    before = session.document
    for field, entries in {
        panel.n_samples: ("0", "10000000", "1.5", ""),
        panel.noise: ("-1", "20", "2000 %", "nan", "0,1"),
        panel.test_share: ("100", "99.99 %", "-1", "nan"),
        panel.seed: ("-1", str(2**64), "abc", ""),
        panel.split_seed: ("-1",),
    }.items():
        for entry in entries:
            field.enter(entry)
            assert field.problem, (field.accessibleName(), entry)
    panel.test_share.enter("100 %")
    assert panel.test_share.problem == "Test data must be from 0 % to 90 %"
    assert session.document == before


@pytest.mark.slow
def test_the_share_of_test_data_is_typed_in_percent(session, shown):
    panel = shown(DataPanel)
    panel.test_share.enter("30")
    assert session.document.data.test_share == 0.3
    assert panel.test_share.text() == "30 %"
    assert (session.data.train.n_samples, session.data.test.n_samples) == (70, 30)
    assert "70 of them train, 30 only test" in panel.caption_tip
    panel.test_share.enter("12.5 %")
    assert session.document.data.test_share == 0.125


@pytest.mark.slow
def test_a_drag_of_a_slider_is_one_undo_step_and_the_last_position_counts(session, shown, qtbot):
    panel = shown(DataPanel)
    slider, before = panel.sliders["noise"], len(session.undo_stack.steps)
    slider.setSliderDown(True)
    for position in (20, 35, 50):
        slider.setSliderPosition(position)
        qtbot.waitUntil(lambda position=position: session.document.data.noise == position / 100)
    for position in range(50, 80):
        slider.setSliderPosition(position)
    slider.setSliderDown(False)
    assert session.document.data.noise == 0.79
    assert panel.noise.text() == "0.79"
    assert len(session.undo_stack.steps) == before + 1
    session.undo_stack.undo_edit()
    assert session.document.data.noise == 0.1 and slider.value() == 10


@pytest.mark.slow
def test_a_key_after_a_drag_is_an_undo_step_of_its_own(session, shown, qtbot):
    slider, before = shown(DataPanel).sliders["noise"], len(session.undo_stack.steps)
    slider.setSliderDown(True)
    slider.setSliderPosition(50)
    qtbot.waitUntil(lambda: session.document.data.noise == 0.5)
    slider.setSliderDown(False)
    slider.setValue(51)  # as a key does
    qtbot.waitUntil(lambda: session.document.data.noise == 0.51)
    assert len(session.undo_stack.steps) == before + 2


@pytest.mark.slow
def test_the_number_of_points_grows_by_factors_along_its_slider(session, shown, qtbot):
    panel = shown(DataPanel)
    slider = panel.sliders["n_samples"]
    assert SliderScale(4, 5000).value(slider.minimum()) == 4 and SliderScale(4, 5000).value(slider.maximum()) == 5000
    slider.setValue(slider.maximum())
    qtbot.waitUntil(lambda: session.document.data.n_samples == 5000)
    panel.n_samples.enter("20000")
    assert session.document.data.n_samples == 20_000 and slider.value() == slider.maximum()


@pytest.mark.parametrize("scale", [SliderScale(4, 5000), SliderScale(0.0, 1.0, 0.01), SliderScale(0.0, 0.9, 0.05)])
def test_each_position_of_a_slider_reads_back(scale):
    values = [scale.value(position) for position in range(scale.last + 1)]
    assert values == sorted(values)
    assert {scale.value(scale.position(value)) for value in values} == set(values)


@pytest.mark.parametrize("name", ["spiral3", "checkerboard", "yin_yang"])
def test_the_name_of_the_chosen_picture_is_not_cut(shown, name):
    panel = shown(DataPanel)
    choose(panel, name)
    row = next(row for row, tile in enumerate(panel.tiles.tiles) if tile.name == name)
    cell = panel.tiles.visualRect(panel.tiles.model().index(row, 0))
    below = QRect(QPoint(cell.left() - 2, cell.top() + picture_size().height() + 2), QSize(cell.width(), 12))
    image = panel.tiles.viewport().grab(below).toImage()
    columns = [{image.pixel(x, y) for y in range(image.height())} for x in range(image.width())]
    assert len(columns[0]) == len(columns[-1]) == 1 < max(map(len, columns))


def test_the_caption_says_what_there_is(session, shown):
    panel = shown(DataPanel)
    assert panel.caption == "100 points, 2 inputs, 2 classes"
    session.edit("data", data={"name": "curve"})
    assert panel.caption == "100 points, 1 input, a number to predict"


@pytest.mark.slow
def test_what_is_odd_about_the_data_is_said(session, shown):
    panel = shown(DataPanel)
    session.edit("points", data={"source": "points", "points": [[0.0, 0.0, 0], [1.0, 1.0, 0]]})
    assert "one class" in texts(panel)


@pytest.mark.slow
def test_inputs_are_added_and_left_out_by_a_click_and_one_stays(session, shown):
    panel = shown(DataPanel)
    assert list(panel.inputs.buttons) == list(FEATURES)
    panel.inputs.buttons["x1^2"].click()
    assert session.document.data.features == ("x1", "x2", "x1^2")
    assert session.document.network.layer_sizes[0] == 3
    assert session.dataset.X[:, 2].tolist() == (session.data.raw.X[:, 0] ** 2).tolist()
    for name in ("x1", "x2", "x1^2"):
        panel.inputs.buttons[name].click()
    assert session.document.data.features == ("x1^2",)
    assert panel.inputs.buttons["x1^2"].isChecked()
    for name in ("x2", "x1", "x1^2"):
        panel.inputs.buttons[name].click()
    assert session.document.data.features == () and session.data.is_plain
    assert panel.inputs.buttons["x1"].isChecked() and not panel.inputs.buttons["x1^2"].isChecked()


@pytest.mark.slow
def test_inputs_that_other_data_do_not_have_are_left_out(session, shown):
    panel = shown(DataPanel)
    for name in ("x2^2", "sin x1"):
        panel.inputs.buttons[name].click()
    choose(panel, "curve")
    assert session.document.data.features == ("x1", "sin x1")
    assert tuple(panel.inputs.buttons) == available_features(1)
    assert session.document.network.layer_sizes[0] == 2


@pytest.mark.slow
def test_scaling_is_off_unless_asked_for_and_then_says_what_is_fed(session, shown):
    panel = shown(DataPanel)
    assert not panel.inputs.scaling.isChecked() and panel.inputs.scaled.isHidden()
    panel.inputs.scaling.click()
    x1, x2 = session.data.raw.X.T
    lines = panel.inputs.scaled.text().split("\n")
    assert lines[0].startswith("x1 ") and lines[0].endswith(f"(x1 − {x1.mean():.4g}) / {x1.std():.4g}")
    assert f"(x2 − {x2.mean():.4g})" in lines[1]
    assert np.allclose(session.dataset.X.mean(axis=0), 0.0)
    panel.inputs.scaling.click()
    assert session.data.is_plain


@pytest.mark.slow
def test_a_formula_makes_the_data(session, shown):
    panel = shown(DataPanel)
    assert panel.formula.isHidden() or not panel.formula.isVisible()
    choose(panel, "formula")
    assert panel.formula.isVisible() and panel.caption.endswith("a number to predict")
    panel.formula.enter("x1**2 + x2**2 < 4")
    panel.noise.enter("0")
    inside = (session.dataset.X**2).sum(axis=1) < 4
    assert session.dataset.classes.tolist() == inside.astype(int).tolist()
    assert "class 1 where x1**2 + x2**2 < 4 is true" in texts(panel)
    panel.formula.enter("sin(x1)")
    assert session.data.raw.n_features == 1


@pytest.mark.slow
def test_what_is_wrong_with_a_formula_is_underlined_at_its_place(session, shown):
    panel = shown(DataPanel)
    choose(panel, "formula")
    panel.formula.setText("sin(x1) + y3 * 2")
    assert panel.formula.underlined == "y3"
    panel.formula.enter("sin(x1) + y3 * 2")
    assert "column 11" in panel.formula.problem and "not of y3" in panel.formula.problem
    assert session.document.data.formula == "sin(x1) * cos(x2)"
    panel.formula.grab()
    panel.formula.enter("log(x1)")
    assert session.document.data.formula == "sin(x1) * cos(x2)"
    panel.formula.setText("x1 +")
    assert panel.formula.underlined == "+"


@pytest.mark.slow
def test_own_data_can_be_gone_back_to(session, shown):
    panel = shown(DataPanel)
    assert "points" not in [tile.source for tile in panel.tiles.tiles]
    session.edit("points", data={"source": "points", "points": [[0.0, 0.0, 0], [1.0, 1.0, 1]]})
    choose(panel, "xor")
    choose(panel, "points")
    assert session.document.data.source == "points" and session.dataset.n_samples == 2


@pytest.mark.slow
@pytest.mark.parametrize(("numbers", "standardised"), [([5e5, 6e5, 7e5, 8e5], True), ([-1.0, 0.0, 1.0, 2.0], False)])
def test_standardising_a_table_ends_with_the_table_and_comes_back_where_its_numbers_need_it(
    session, shown, numbers, standardised
):
    panel = shown(DataPanel)
    X = np.column_stack([numbers, numbers[::-1]])
    table = Dataset("mine", X, np.array([0, 1, 0, 1]), "classification", class_names=("a", "b"))
    assert session.edit("import", data=table_fields(table) | {"scaling": True})
    choose(panel, "moons")
    assert session.data.scaling is None and np.abs(session.dataset.X).max() < 3.0
    choose(panel, "table")
    assert (session.data.scaling is not None) == standardised
    choose(panel, "moons")
    assert session.edit("standardise", data={"scaling": True})
    choose(panel, "circles")
    assert session.data.scaling is not None


@pytest.mark.slow
def test_choosing_data_keeps_the_settings_and_what_suits_is_taken_when_asked(session, shown):
    panel = shown(DataPanel)
    training, network = session.document.training, session.document.network
    choose(panel, "spiral")
    assert (session.document.training, session.document.network) == (training, network)
    assert "Hidden layers: 16 and 16, tanh, loss: SVM max-margin (hinge)" in panel.use_suited.toolTip()
    said = []
    session.message_posted.connect(lambda text, _kind: said.append(text))
    panel.use_suited.click()
    assert session.document == suited(session.document)
    taken = session.document.training
    chosen = LOSSES[taken.loss].title, OPTIMIZERS[taken.optimizer].title, f"{taken.learning_rate:g}"
    assert all(words in said[-1] for words in ("16 and 16", *chosen))
    assert session.document.network.layer_sizes == (2, 16, 16, 1)
    assert not panel.use_suited.isEnabled()
    session.undo_stack.undo_edit()
    assert (session.document.training, session.document.network) == (training, network)
    assert panel.use_suited.isEnabled()


@pytest.mark.slow
def test_other_points_are_drawn_by_the_next_seed(session, shown):
    panel = shown(DataPanel)
    before = session.data.raw.X
    panel.again.click()
    assert session.document.data.seed == 2
    assert session.data.raw.X.tolist() == make_dataset("moons", 100, 0.1, 2).X.tolist() != before.tolist()


def test_every_field_of_the_data_that_a_generator_needs_has_a_control(shown):
    panel = shown(DataPanel)
    controls = {"n_samples", "noise", "test_share", "seed", "split_seed", "formula"}
    assert controls <= set(vars(Document().data))
    assert all(getattr(panel, name).accessibleName() for name in controls)


def test_a_table_is_asked_for_by_its_tile(session, shown):
    panel = shown(DataPanel)
    asked = []
    session.action_requested.connect(asked.append)
    choose(panel, "import data")
    assert asked == ["import data"] and session.document.data.source == "generator"


@pytest.mark.slow
def test_a_loss_that_does_not_fit_other_data_is_replaced_aloud(session, shown):
    panel = shown(DataPanel)
    session.edit("loss", training={"loss": "hinge"})
    said = []
    session.message_posted.connect(lambda text, kind: said.append((text, kind)))
    choose(panel, "spiral3")
    assert said[-1][1] == "note" and said[-1][0].startswith("The loss is now Softmax cross-entropy")
    assert session.document.training.loss == "softmax_cross_entropy"


@pytest.mark.slow
def test_columns_of_a_table_are_offered_by_their_names(session, shown):
    panel = shown(DataPanel)
    table = {"height": [1.5, 1.75, 1.0], "kind": ["a", "b", "a"]}
    session.edit("table", data={"source": "table", "table": table, "table_name": "people.csv"})
    offered = [button.text() for button in panel.inputs.buttons.values()]
    assert offered == ["height", *(feature_title(name) for name in available_features(1)[1:])]
    assert "Imported from people.csv, to predict kind." in texts(panel)


def seen_whole(panel, widgets):
    return [widget for widget in widgets if widget.visibleRegion().boundingRect().size() == widget.size()]


MAIN = ("use_suited", "again", "n_samples", "noise", "test_share")


@pytest.fixture
def letters_of(qapp):
    """Changes the size of all text in a panel."""

    def change(panel, percent):
        set_text_size(percent)
        panel.setStyleSheet(style_sheet())
        follow_text_size(panel)

    yield change
    set_text_size(100)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "percent", "has_tiles"),
    [((372, 370), 100, True), ((256, 248), 100, False), ((376, 215), 150, False), ((376, 190), 150, False)],
    ids=["1440 x 900", "1024 x 700", "1280 x 720 at 150 %", "less high at 150 %"],
)
def test_the_main_controls_are_seen_without_scrolling(shown, qtbot, letters_of, size, percent, has_tiles):
    panel = shown(DataPanel, *size)
    letters_of(panel, percent)
    controls = [panel.tiles if has_tiles else panel.kind, *(getattr(panel, name) for name in MAIN)]
    if has_tiles:
        controls += [panel.inputs.scaling, *panel.inputs.buttons.values()]
    qtbot.waitUntil(lambda: seen_whole(panel, controls) == controls)


@pytest.mark.parametrize("size", [(352, 600), (256, 248), (256, 120)])
def test_nothing_scrolls_inside_of_what_scrolls(shown, qtbot, size):
    panel = shown(DataPanel, *size)
    panel.setStyleSheet(style_sheet())
    qtbot.waitUntil(lambda: panel.tiles.isVisible() or panel.kind.isVisible())
    inner = [area for area in panel.findChildren(QAbstractScrollArea) if area.isVisible() and area.parent() != panel]
    assert all(area.verticalScrollBar().maximum() == 0 for area in inner)


@pytest.mark.slow
def test_where_the_tiles_have_no_room_a_menu_shows_all_of_them_with_their_names(shown, session, qtbot):
    panel = shown(DataPanel, 256, 248)
    qtbot.waitUntil(lambda: panel.kind.isVisible() and not panel.tiles.isVisible())
    assert "moons" in panel.kind.text()
    tiles, menu = panel.kind.tiles, panel.kind.menu()
    menu.popup(panel.kind.mapToGlobal(QPoint(0, panel.kind.height())))
    places = [tiles.visualRect(tiles.model().index(row, 0)) for row in range(len(tiles.tiles))]
    assert len(places) == len(panel.tiles.tiles)
    assert all(tiles.viewport().rect().contains(place) for place in places)
    row = next(row for row, tile in enumerate(tiles.tiles) if tile.name == "circles")
    qtbot.mouseClick(tiles.viewport(), Qt.MouseButton.LeftButton, pos=places[row].center())
    assert session.document.data.name == "circles" and "circles" in panel.kind.text()
    assert not menu.isVisible()


@pytest.mark.slow
def test_no_control_moves_when_the_description_is_longer(shown, qtbot):
    panel = shown(DataPanel, 256, 248)
    panel.setStyleSheet(style_sheet())
    qtbot.waitUntil(lambda: seen_whole(panel, [panel.noise]) == [panel.noise])
    place = panel.noise.mapTo(panel, QPoint(0, 0))
    for name in (*DATASETS, "formula"):
        choose(panel, name)
        qtbot.waitUntil(lambda: panel.noise.mapTo(panel, QPoint(0, 0)) == place)


@pytest.mark.slow
def test_other_data_start_training_again_unless_the_weights_are_kept(shown, session, qtbot):
    panel = shown(DataPanel)
    train(session, qtbot, "step")
    choose(panel, "circles")
    assert session.trained_so_far.step == 0 and not len(session.trained_so_far.parameters)
    session.undo_stack.undo_edit()
    assert session.trained_so_far.step == 1
    weights = session.trained_so_far.parameters
    panel.keep_weights.click()
    assert session.trained_so_far.step == 1  # to choose it is no reason to start again
    choose(panel, "circles")
    assert session.trained_so_far.step == 0 and session.trained_so_far.parameters == weights
    assert not len(session.trained_so_far.curve)
