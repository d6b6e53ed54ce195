"""The hidden space: where a layer of the network takes the points of the plane and the lines of a grid upon it.

A slider bends the plane from the raw inputs to the layer. For a layer with two neurons, the outputs that the
layers behind it compute from the two are drawn, too, with the decision line, straight behind the last hidden layer:
there one sees why XOR needs a hidden layer. Of wider layers two neurons or the principal components are the axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QScrollArea, QSlider, QVBoxLayout, QWidget

from engine.autograd.notation import counted
from engine.csv_text import Column
from engine.experiment.hidden_picture import HiddenPicture, bounds_around, hidden_picture, with_aspect
from engine.experiment.snapshot_network import SnapshotNetwork
from engine.network.hidden_space import COMPONENTS, PLANE, Axes, HiddenSpace
from engine.network.shape import NetworkShape
from gui.panels.moment_panel import MomentPanel
from gui.panels.planes.output_map import OutputMap
from gui.plots.color_scale import ColorScale
from gui.plots.data_points import DataPoints, samples_of
from gui.plots.plot import Plot
from gui.session import Change, Session
from gui.theme import Colors, set_text_sized, text_pixels
from gui.widgets.buttons import tool_button
from gui.widgets.choices import NarrowCombo, segmented
from gui.widgets.labels import LinesLabel, muted_label
from gui.widgets.layouts import add_widgets

SENTENCES = {
    "slider": "Drag from the raw inputs (left) to the chosen layer (right) to see the plane bend",
    "axes": "The axes: two of the layer's neurons, or its principal components, the directions in which the samples "
    "spread most; the percentage is a component's share of the samples' variance",
    "plane": "The raw inputs; the thick line is the decision boundary.",
    "plane tip": "Choose a layer and drag the slider to see how the grid bends and the line straightens.",
    "straight": "After this layer the decision boundary is a straight line.",
    "straight tip": "The axes are the two neurons of the last hidden layer, and the colours are the output computed "
    "from them. The boundary may wind through the raw inputs, but here it is straight.",
    "two neurons": "Colours: the output that the later layers compute from these two neurons.",
    "two neurons tip": "The axes are the layer's two neurons. The line is the decision boundary of the later layers.",
    "wide": "The axes are two of the {width} neurons, or two principal components.",
    "wide tip": "More than two dimensions cannot be drawn directly. The thick line is the decision boundary, as "
    "the layer bends it.",
    "output": "Every output against its target.",
    "output tip": "The further apart the classes are from left to right, the more certain the network is.",
    "not finite": "The network's outputs are not finite numbers: there is nothing to draw.",
    "caption": "step {step:,}",
}
"""Texts of the panel."""
LAYER_TIPS = {
    "raw": "The data's own plane: straight grid lines, and the decision line of the whole network",
    "inputs": "Inputs of the network: the data's columns after features and scaling",
    "layer": "Outputs of the {neurons} of layer {layer} for every point",
    "output": "Outputs of the output layer for every point",
}
"""Tooltips of the buttons of the layers."""
BUTTONS_HEIGHT = 33  # pixels
TICKS = 100
"""Positions of the slider between the raw inputs and the layer."""
NARROW = 400
"""Width in pixels below which the slider has no label."""
GRID_ALPHA = 130
STEADY = 0.7
"""Share of the view that the picture fills at least before the view is made smaller: axes that stand are read."""


class LayerChoice(QScrollArea):
    """Buttons from the raw inputs to the output, one for each layer; they scroll sideways when there are many.

    Signals:
        layer_chosen(int): as `engine.network.hidden_space` numbers them.
    """

    layer_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        set_text_sized(self, setFixedHeight=BUTTONS_HEIGHT)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._shown: tuple[NetworkShape, bool] | None = None
        self.group = QButtonGroup(self)
        self.group.idClicked.connect(lambda number: self.layer_chosen.emit(number - 1))

    def show_layers(self, shape: NetworkShape, is_plain: bool, chosen: int) -> None:
        """Make a button for each layer if the layers have changed, and check the chosen one.

        Args:
            shape: of the network.
            is_plain: the network's inputs are the raw inputs, so that both are one button.
            chosen: the layer that is shown.
        """
        if self._shown != (shape, is_plain):
            self._shown = shape, is_plain
            for old in self.group.buttons():
                self.group.removeButton(old)
            buttons = list[QWidget]()
            for layer in [PLANE, *range(1 if is_plain else 0, shape.n_layers + 1)]:
                text, tip = _layer_texts(layer, shape)
                button = tool_button(text, tip, name=f"hidden space of {text}", padding="3px 7px", checkable=True)
                self.group.addButton(button, layer + 1)  # Qt gives -1 for no button
                buttons.append(button)
            self.setWidget(segmented([*buttons, QWidget()]))
        checked = self.group.button(chosen + 1)
        checked.setChecked(True)
        self.ensureWidgetVisible(checked)


def _layer_texts(layer: int, shape: NetworkShape) -> tuple[str, str]:
    """Return the caption and the tooltip of a layer's button."""
    if layer == PLANE:
        return "input", LAYER_TIPS["raw"]
    if layer == 0:
        return "features", LAYER_TIPS["inputs"]
    if layer == shape.n_layers:
        return "output", LAYER_TIPS["output"]
    neurons = counted(shape.layer_sizes[layer], "neuron")
    return f"L{layer}", LAYER_TIPS["layer"].format(neurons=neurons, layer=layer)


class HiddenSpacePanel(MomentPanel):
    """A button for each layer, the slider, the axes and the plot.

    Attributes:
        layer: the shown layer, see `hidden_space`.
        picture: the drawn figure; None before the first one and where there is none.
    """

    figure_tip = (
        "The points and the grid of the input plane, as a layer maps them: it bends and folds them until the next "
        "layer "
        "can separate the classes with a straight line. With more than two neurons, two of them are the axes, or two "
        "principal "
        "components. The slider goes from the inputs to the layer."
    )
    rest_seconds = 0.1
    depends_on = MomentPanel.depends_on | {"view"}

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.layer = 1
        self.picture: HiddenPicture | None = None
        self._chosen_axes: dict[int, Axes] = {}
        self._samples = samples_of(self.session.document, self.session.data)
        self.plot = Plot("hidden space")
        self.plot.setMinimumSize(120, 50)
        self.plot.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        self.map = OutputMap()
        self.grid, self.upright = pg.PlotCurveItem(), pg.PlotCurveItem()
        self.line, self.boundary = pg.PlotCurveItem(connect="pairs"), pg.PlotCurveItem(connect="pairs")
        for item in (self.map, self.grid, self.upright, self.line, self.boundary):
            self.plot.addItem(item)
        self.points = DataPoints(self.plot)
        self.scale = self.figure_key = ColorScale()
        self.note = LinesLabel(2)
        self.note.setProperty("muted", True)
        self.layers = LayerChoice()
        self.layers.layer_chosen.connect(self.choose_layer)
        self.axes = [self._make_axis(name) for name in ("across", "up")]
        self.slider = slider = QSlider(Qt.Orientation.Horizontal)
        slider.setRange(0, TICKS)
        slider.setValue(TICKS)
        slider.setAccessibleName("way from the inputs to the layer")
        slider.setToolTip(SENTENCES["slider"])
        slider.valueChanged.connect(lambda _tick: self._draw())
        self._ends = muted_label("input"), muted_label("layer")
        way = add_widgets(QHBoxLayout(), self._ends[0], self.slider, 1, self._ends[1], *self.axes, spacing=6)
        parts = (self.layers, way, self.plot, 1, self.scale, self.note)
        add_widgets(QVBoxLayout(self), *parts, margins=(8, 6, 8, 8), spacing=4)
        self.plot.lay_corner()

    def _make_axis(self, name: str) -> NarrowCombo:
        box = NarrowCombo(f"hidden space {name}", SENTENCES["axes"])
        box.hide()
        box.activated.connect(lambda _index: self._choose_axes())
        return box

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for label in self._ends:
            label.setVisible(self.width() >= text_pixels(NARROW))

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.plot.set_colors(colors)
        self.map.set_colors(colors)
        for item, name in ((self.grid, colors.muted), (self.upright, colors.accent)):
            color = pg.mkColor(name)
            color.setAlpha(GRID_ALPHA)
            item.setPen(pg.mkPen(color, width=1))
        self.line.setPen(pg.mkPen(colors.text, width=1, style=Qt.PenStyle.DashLine))
        self.boundary.setPen(pg.mkPen(colors.text, width=2))
        self.outdate()

    # Choices

    def choose_layer(self, layer: int) -> None:
        """Show another layer, from 1; 0: the network's inputs; PLANE: the raw inputs."""
        self.layer = layer
        self.drop_answers()
        self.plot.fit()
        self.ask()

    def _choose_axes(self) -> None:
        first, second = (box.currentData() for box in self.axes)
        self._chosen_axes[self.layer] = first, second
        self.plot.fit()
        self.ask()

    # Following the session

    def refresh(self, change: Change) -> None:
        super().refresh(change)
        if "view" in change:
            self._draw()

    def reset(self) -> None:
        self._samples = samples_of(self.session.document, self.session.data)
        self.map.set_samples(self._samples)
        self.points.show_samples(self._samples, self.colors)
        self.scale.show_scale(self.map.color_scale(self._samples, self.colors, True), self.colors)
        self._chosen_axes, self.picture = {}, None
        self.plot.fit()

    def question(self) -> Callable[[], HiddenPicture | None]:
        """Return the computation of the picture for the chosen layer; offers the layers of the present network."""
        network, samples = self.snapshot_network, self._samples
        self.layer = min(self.layer, network.shape.n_layers)
        if self.layer == 0 and network.data.is_plain:
            self.layer = PLANE
        self.layers.show_layers(network.shape, network.data.is_plain, self.layer)
        self._offer_axes(network)
        axes = self._chosen_axes.get(self.layer, COMPONENTS)
        return partial(hidden_picture, network, samples.X, self.layer, axes, samples.level, self.plot.aspect)

    def _offer_axes(self, network: SnapshotNetwork) -> None:
        """Offer the principal components and the neurons of a wide layer as axes."""
        is_raw = self.layer == PLANE
        width = network.data.raw.n_features if is_raw else network.shape.layer_sizes[self.layer]
        given = network.data.raw.feature_names if is_raw else network.data.train.feature_names
        neurons = [f"L{self.layer}N{n + 1}" if self.layer > 0 else given[n] for n in range(width)]
        chosen = self._chosen_axes.get(self.layer, COMPONENTS)
        for box, component, neuron in zip(self.axes, (1, 2), chosen, strict=True):
            box.setVisible(width > 2)
            names = [f"PC{component}", *neurons]
            if [box.itemText(index) for index in range(box.count())] != names:
                box.clear()
                for number, name in enumerate(names):
                    box.addItem(name, number or None)
            box.setCurrentIndex(neuron or 0)

    # Drawing

    def show_answer(self, answer: HiddenPicture | None) -> None:
        self.picture = answer
        if answer is None:
            self.map.clear()
            for item in (self.grid, self.upright, self.line, self.boundary):
                item.setData([], [])
            self._say(SENTENCES["not finite"])
            return
        self.set_caption(SENTENCES["caption"].format(step=answer.step))
        sentence, tip = _sentences(answer)
        self._say(f"{sentence} {self._samples.note}".strip(), tip)
        self._draw()

    def _say(self, sentence: str, tip: str = "") -> None:
        self.note.setText(sentence)
        self.note.setToolTip(f"{sentence} {tip}".strip())

    def _draw(self) -> None:
        picture, samples = self.picture, self._samples
        if picture is None:
            return
        share, end = self.slider.value() / TICKS, picture.end
        goal = np.column_stack([end.points[:, 0], samples.targets.numbers]) if _is_line(end) else end.points
        points = _between(picture.start.points, goal, share)
        has_grid = not _is_line(end) or share == 0.0
        lines = _between(picture.start.lines, end.lines, share)[: None if has_grid else 0]
        boundary = _between(picture.start.boundary, end.boundary, share)[: None if has_grid else 0]
        half = len(lines) // 2 if samples.X.shape[1] == 2 else len(lines)
        for item, some in ((self.grid, lines[:half]), (self.upright, lines[half:])):
            _draw_lines(item, some)
        self.boundary.setData(*boundary.T)
        self.points.place(*points.T)
        self.points.mark(samples.wrong(picture.outputs), self.session.document.view.sample)
        self._draw_map(picture, share)
        self._name_axes(picture, share)
        self._fit(np.concatenate([points, lines.reshape(-1, 2)]))

    def _draw_map(self, picture: HiddenPicture, share: float) -> None:
        """Draw the decision as a function of two neurons, if only these are shown."""
        if picture.map is None or share < 1.0:
            self.map.clear()
            self.line.setData([], [])
            return
        values = picture.map[..., 0] if picture.map.shape[-1] == 1 else picture.map
        self.map.show_grid(values, picture.bounds)
        self.line.setData(*picture.line)

    def _name_axes(self, picture: HiddenPicture, share: float) -> None:
        first, last, has_target = picture.start.names, picture.end.names, _is_line(picture.end) and share > 0.0
        for side, before, after in zip(("bottom", "left"), first, last, strict=True):
            after = "target" if has_target and side == "left" else after
            on_way = 0.0 < share < 1.0 and before != after
            self.plot.setLabel(side, f"{before} → {after}" if on_way else after if share else before)
        self.plot.getPlotItem().setAspectLocked(not has_target)

    def _fit(self, seen: NDArray[Any]) -> None:
        left, right, bottom, top = bounds_around(seen, 0.05)
        (low, high), (lowest, highest) = self.plot.whole
        fits = low <= left and right <= high and lowest <= bottom and top <= highest
        is_small = right - left < STEADY * (high - low) and top - bottom < STEADY * (highest - lowest)
        if not fits or is_small:
            left, right, bottom, top = with_aspect((left, right, bottom, top), self.plot.aspect)
            self.plot.show_range((left, right), (bottom, top))

    def figure_data(self) -> Sequence[Column]:
        picture, samples = self.picture, self._samples
        if picture is None:
            return []
        names = samples.raw.feature_names
        across, up = (name or "0" for name in picture.end.names)
        raw = [(f"sample {name}", column) for name, column in zip(names, samples.X.T, strict=True)]
        placed = [(f"sample {name}", column) for name, column in zip((across, up), picture.end.points.T, strict=True)]
        lines = picture.end.lines.reshape(-1, 2)
        grid = [(f"grid {name}", column) for name, column in zip((across, up), lines.T, strict=True)]
        return [*raw, *placed, ("target", samples.targets.numbers), *(grid if len(lines) else [])]


def _is_line(space: HiddenSpace) -> bool:
    """Return True for a layer with a single neuron."""
    return space.layer > 0 and space.width == 1


def _between(start: NDArray[Any], end: NDArray[Any], share: float) -> NDArray[Any]:
    return (1.0 - share) * start + share * end


def _draw_lines(item: pg.PlotCurveItem, lines: NDArray[Any]) -> None:
    """Draw lines (n_lines, n_points, 2) as one curve with gaps."""
    connect = np.ones(lines.shape[:2], dtype=np.int32)
    connect[:, -1:] = 0
    item.setData(lines[..., 0].ravel(), lines[..., 1].ravel(), connect=connect.ravel())


def _sentences(picture: HiddenPicture) -> tuple[str, str]:
    """Return a one-line description of the picture, and a longer one for the tooltip."""
    end = picture.end
    if end.layer == PLANE:
        kind = "plane"
    elif _is_line(end):
        kind = "output"
    else:
        kind = "wide" if end.width != 2 else "straight" if picture.is_last_hidden else "two neurons"
    return SENTENCES[kind].format(width=end.width), SENTENCES[f"{kind} tip"]
