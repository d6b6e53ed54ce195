"""The network panel: the network as an editable diagram, its sizes, first weights, and cost of a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QImage, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout

from engine.autograd.notation import counted
from engine.csv_text import Column
from engine.experiment.advice import cost_note, network_notes
from engine.experiment.assemble import network_shape
from engine.experiment.snapshot_network import Neuron, targets_of
from engine.network import INITIALISERS, LOSSES, SettingError
from engine.network.neuron_maps import NeuronMaps, neuron_map, neuron_maps, plane_bounds
from engine.network.run.progress import RunState
from engine.network.shape import count_parameters
from gui.fields.binding import ChoiceField, EntryField, FieldBinding, FormRow, choices_of, integer_field
from gui.number_texts import reading_text, with_minus
from gui.panels.network.network_diagram import HEADER_HEIGHT, NetworkDiagram, small_button
from gui.panels.network.network_drawing import ENLARGED, LEAST_HEIGHT, NetworkDrawing
from gui.panels.network.network_edits import NetworkEdits, SizesField
from gui.panels.network.network_picture import Mode, NetworkPicture, PictureJob, PictureRequest, paint
from gui.panels.network.parameter_bar import ParameterBar
from gui.panels.panel import Panel
from gui.plots.decision import decision_level, strongest_levels
from gui.session import Change, Session
from gui.session.training_edits import shown_parameters
from gui.theme import Colors, set_text_sized, text_pixels
from gui.widgets.buttons import push_button
from gui.widgets.choices import segmented
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets, scrolled

LEAST_WIDTH, NARROW, ROOMY, LEAST_SIZES = 236, 400, 480, 84  # pixels across
LOW = 330
"""Height of the panel, pixels in the designed size of text, below which the drawing has the room of the first weights.
It is more than the panel needs at least with them."""
FIGURE = QSize(960, 540)
"""Pixels of the drawing in a file; more where the network needs more."""
FEWEST, MOST = 16, 56  # points along the side of a map
TEXTS = {
    "more": "Add a hidden layer after the others",
    "less": "Remove the last hidden layer",
    "roll": "Start from other random first weights: the next seed",
    "seed": "The same seed draws the same first weights",
    "linear": "{parameters}, no hidden layer: a linear model",
    "no hidden": "no hidden layer",
    "maps": "Squares: outputs over {plane}, {above} above 0, {below} below; point at a neuron for its scale.{output} "
    "Lines: weights, full width is {weight}. Dots: biases.",
    "output": " The output's full colours are {low} and {high}.",
    "curves": "Squares: outputs over {plane}, {above} above 0, {below} below; point at a neuron for its scale. Lines: "
    "weights, full width is {weight}. Dots: biases.",
    "weights": "Lines are weights: {above} above 0, {below} below; full width is {weight}. Dots are biases.",
    "gradients": "Lines and dots are the gradients of the last step: {above} above 0, {below} below; full width is "
    "{weight}.",
    "no gradients": "There are no gradients yet: the first step of training computes them.",
    "no biases": "Every bias is 0.",
    "biases": "Squares are biases: {above} above 0, {below} below; the full colour is {bias}.",
    "others at means": "{plane}, the other inputs at their means",
}
"""Texts of the panel, except those on sizes, columns and single weights."""
MODE_TIPS: dict[Mode, str] = {
    "maps": "The output of every neuron over the plane of the data",
    "weights": "Every weight as the width and colour of its line, with its number where there is room",
    "gradients": "Every weight's gradient, as the last step used it",
    "biases": "Every neuron's bias as the colour of its square",
}
"""Tooltip of each mode of the drawing, in the order of their buttons."""


class NetworkPanel(Panel):
    """The network; the caption counts the parameters.

    Attributes:
        diagram: the drawing with the headers of its columns.
        plot: the same for an export.
        bar: below it, a text on the pointed neuron, and fields for its numbers.
        sizes: the layer sizes as text.
        cost: cost of a step, where it is high, and notes on a questionable network.
        modes: the buttons for the contents of the drawing, by mode.
        first_weights: the row of the initialiser.
    """

    rest_seconds = 0.09
    depends_on = frozenset({"network", "data", "training", "model", "moment"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.sizes = SizesField(session)
        self.edits = NetworkEdits(session, self.sizes)
        self.diagram = NetworkDiagram(session, self.edits)
        self._figure: NetworkDiagram | None = None
        self.drawing = self.diagram.drawing
        self.more = small_button("+", TEXTS["more"], self.edits.add_layer)
        self.less = small_button("−", TEXTS["less"], self.edits.remove_last_layer)
        for button in (self.more, self.less):
            set_text_sized(button, setFixedWidth=24, setFixedHeight=28)
        self.modes = self._mode_buttons()
        self.cost = muted_label(wrap=True)
        self.bar = ParameterBar(session)
        self.fields: dict[str, ChoiceField | EntryField] = {}
        self.roll = push_button("New weights", TEXTS["roll"], self._roll, TEXTS["roll"])
        section = partial(FieldBinding, self.session, "network")
        initialiser = ChoiceField(section("initialiser", "first weights"), choices_of(INITIALISERS))
        seed = integer_field(section("seed", "seed of the weights"), TEXTS["seed"])
        set_text_sized(seed, setMaximumWidth=46)
        self.fields |= {"network.initialiser": initialiser, "network.seed": seed, "network.layer_sizes": self.sizes}
        self.first_weights = FormRow("First weights", initialiser, "seed", seed, self.roll)
        self._levels: tuple[float, float] | None = None  # of the only output neuron's full colours
        self._pictures = PictureJob(self)
        self._pictures.painted.connect(self._show_painted)
        self.drawing.arranged.connect(self._ask_for_picture)
        self.drawing.neuron_changed.connect(self._ask_for_picture)
        self.drawing.reading_changed.connect(self._read_out)
        self.drawing.chosen.connect(self.bar.show_place)
        self.bar.place_changed.connect(self.drawing.pin)
        self.bar.escaped.connect(self.drawing.setFocus)
        self._lay_out()

    def _mode_buttons(self) -> dict[Mode, QToolButton]:
        group = QActionGroup(self)
        buttons: dict[Mode, QToolButton] = {}
        for mode, tip in MODE_TIPS.items():
            action = QAction(mode.capitalize(), group)
            action.setCheckable(True)
            action.setChecked(not buttons)
            action.setToolTip(tip)
            action.triggered.connect(partial(self._set_mode, mode))
            buttons[mode] = QToolButton()
            buttons[mode].setDefaultAction(action)
            buttons[mode].setAccessibleName(tip)
        return buttons

    def _lay_out(self) -> None:
        self._layer_word = muted_label("layer")
        set_text_sized(self.sizes, setMinimumWidth=LEAST_SIZES)
        self.size_row = FormRow(self.sizes, self._layer_word, self.less, self.more)
        area = scrolled(self.diagram)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        set_text_sized(area, setMinimumHeight=HEADER_HEIGHT + LEAST_HEIGHT)
        switch = segmented(list(self.modes.values()))
        switch.setStyleSheet("QToolButton { padding: 3px 1px; }")
        switch.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._top = add_widgets(QHBoxLayout(), self.size_row, 1, switch, margins=(0, 0, 0, 0), spacing=6)
        parts = self._top, self.cost, area, 1, self.bar, self.first_weights
        add_widgets(QVBoxLayout(self), *parts, margins=(10, 8, 10, 8), spacing=4)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(min(least.width(), text_pixels(LEAST_WIDTH)), least.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the drawing its room.

        In a narrow column the switch stands below the sizes, and New weights in the menu Train only. A low panel is
        without the row of the first weights: the panel has it when it is maximised.
        """
        self.first_weights.setVisible(self.height() >= text_pixels(LOW))
        narrow = self.width() < text_pixels(NARROW)
        self._layer_word.setVisible(self.width() >= text_pixels(ROOMY))
        self._top.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
        self._top.setSpacing(4 if narrow else 6)
        self.roll.setVisible(not narrow)
        super().resizeEvent(event)

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.drawing.set_colors(colors)
        self._ask_for_picture()
        self.bar.show_words("", self._legend())

    # Document

    def refresh(self, change: Change) -> None:
        """Show what differs: the network with its settings, its weights, or both."""
        if change & {"network", "data", "training", "model"}:
            document = self.session.document
            sizes = document.network.layer_sizes
            self.diagram.show_document()
            self._levels = self._output_levels()
            self.more.setEnabled(self.edits.can_add)
            self.less.setEnabled(len(sizes) > 2)
            parameters = counted(count_parameters(sizes), "parameter")
            if len(sizes) > 2:
                self.set_caption(parameters)
            else:
                linear = TEXTS["linear"].format(parameters=parameters)
                self.set_caption(linear, shorter=(TEXTS["no hidden"], parameters))
            notes = [] if self.session.is_aside else network_notes(document)  # a lesson asks for what they say
            self.cost.setText("\n".join([*filter(None, [cost_note(document)]), *notes]))
            self.cost.setVisible(bool(self.cost.text()))
        if "model" in change or "moment" in change:
            if self.session.document.network.layer_sizes != self.drawing.sizes:
                self.bar.close_fields()
            self._show_network(self.drawing)
            self.bar.show_numbers()
            self._ask_for_picture()

    def _output_levels(self) -> tuple[float, float] | None:
        """Return the outputs with the boundary's full colours; None where it does not show the output neuron's own."""
        data, loss = self.session.data.raw, LOSSES[self.session.document.training.loss]
        n_outputs = self.session.document.network.layer_sizes[-1]
        if n_outputs > 1 or loss.probability or data.n_features < 2:
            return None
        try:
            targets = targets_of(data, loss, n_outputs)
        except SettingError:  # data and loss are edited together: the next change fits
            return None
        return strongest_levels(decision_level(loss, targets), targets)

    def _show_network(self, drawing: NetworkDrawing) -> None:
        progress = self.session.shown
        moment = None if progress is None else progress.snapshot
        gradients = moment.gradients if moment is not None and moment.has_gradients else None
        names = list(self.session.data.train.feature_names)
        sizes = self.session.document.network.layer_sizes
        drawing.show_network(sizes, shown_parameters(self.session), gradients, names)

    def follow_visibility(self) -> None:
        super().follow_visibility()
        if not self.is_seen:
            self.drawing.leave()

    # The picture

    def _ask_for_picture(self) -> None:
        """Request a picture of the viewed moment from the worker thread, with neuron maps where they are shown."""
        if self.is_seen and self.session.document.network.layer_sizes == self.drawing.sizes:
            self._pictures.ask(self._request_for(self.drawing), at_once=self.session.run_state is not RunState.RUNNING)

    def _request_for(self, drawing: NetworkDrawing) -> PictureRequest:
        """Return a request for the picture of a drawing at the moment that is viewed."""
        maps = self._maps_of_moment(drawing) if drawing.picture.mode == "maps" else ()
        picture = replace(drawing.picture, maps=None)
        request = PictureRequest(picture, drawing.size(), self.devicePixelRatioF(), *(maps or (None,)))
        return replace(request, levels=self._levels)

    @property
    def plot(self) -> NetworkDiagram:
        """The diagram for an export: painted now, in a size of its own, whatever the size of the panel."""
        if self._figure is None:
            self._figure = NetworkDiagram(self.session, self.edits)
            self._figure.setParent(self)
            self._figure.hide()
            self._figure.drawing.is_figure = True
        figure, drawing, shown = self._figure, self._figure.drawing, self.drawing.picture
        drawing.set_colors(self.colors)
        drawing.set_mode(shown.mode)
        figure.show_document()
        figure.resize(FIGURE.expandedTo(figure.minimumSizeHint()))
        figure.ensurePolished()
        layout = figure.layout()
        assert layout is not None
        layout.activate()
        self._show_network(drawing)
        drawing.arrange()
        picture, image, _ = paint(self._request_for(drawing))
        drawing.show_painted(picture, image)
        figure.show_scales(() if picture.maps is None else picture.maps.largest, self._levels)
        return figure

    def _maps_of_moment(
        self, drawing: NetworkDrawing
    ) -> tuple[Callable[[], NeuronMaps], Neuron | None, Callable[[Neuron], NDArray[Any]]]:
        """Return the computation of all maps, the neuron under the pointer, and the computation of its enlarged map."""
        shape, parameters = network_shape(self.session.document.network), shown_parameters(self.session)
        width, reading = int(np.clip(drawing.picture.geometry.side, FEWEST, MOST)), drawing.reading
        X, inputs = self.session.data.raw.X, self.session.data.to_inputs

        def maps() -> NeuronMaps:
            return neuron_maps(shape, parameters, plane_bounds(X), width, X.shape[1], inputs, X.mean(axis=0))

        def enlarged(neuron: Neuron) -> NDArray[Any]:
            bounds, at = plane_bounds(X), X.mean(axis=0)
            return neuron_map(shape, parameters, bounds, ENLARGED, X.shape[1], neuron, inputs, at)

        return maps, None if reading is None or not drawing.enlarges else reading.neuron, enlarged

    def _show_painted(self, picture: NetworkPicture, image: QImage) -> None:
        self.drawing.show_painted(picture, image)
        self.diagram.show_scales(() if picture.maps is None else picture.maps.largest, self._levels)

    def _set_mode(self, mode: Mode) -> None:
        self.drawing.set_mode(mode)
        self._ask_for_picture()
        self._read_out("")

    # Pointer

    def _read_out(self, words: str) -> None:
        self.session.neurons.point_at(self.drawing.pointed_at)
        self.drawing.enlarges = not self.session.neurons.is_shown_large
        self.bar.show_words(words, self._legend())

    def _legend(self) -> str:
        """Return the legend: the meaning of colours and widths."""
        numbers, mode = self.drawing.picture.numbers, self.drawing.picture.mode
        if mode == "gradients" and not numbers.known:
            return TEXTS["no gradients"]
        if mode == "biases" and numbers.largest_bias == 0.0:
            return TEXTS["no biases"]
        names = self.session.data.raw.feature_names
        key = "curves" if mode == "maps" and len(names) == 1 else mode
        plane = " and ".join(names[:2])
        if len(names) > 2:
            plane = TEXTS["others at means"].format(plane=plane)
        weight, bias = map(reading_text, (numbers.weight_scale, numbers.bias_scale))
        output = ""
        if self._levels is not None:
            low, high = (with_minus(f"{level:g}") for level in self._levels)
            output = TEXTS["output"].format(low=low, high=high)
        above, below = self.colors.sign_words
        return TEXTS[key].format(plane=plane, weight=weight, bias=bias, output=output, above=above, below=below)

    def figure_data(self) -> Sequence[Column]:
        names = list(network_shape(self.session.document.network).parameter_names())
        columns: list[Column] = [("parameter", names), ("value", shown_parameters(self.session).tolist())]
        progress = self.session.shown
        if progress is not None and progress.snapshot.has_gradients:
            columns.append(("gradient", progress.snapshot.gradients.tolist()))
        return columns

    def _roll(self) -> None:
        seed = self.session.document.network.seed
        self.session.edit("new weights", network={"seed": seed + 1 if seed < 2**64 - 1 else 0})
