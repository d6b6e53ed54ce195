"""Tables of panels and workspaces: the first place of each panel, and the arrangement on a small screen."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar

from gui.panels.figure_tip import FigureTip
from gui.panels.frame import PanelDock, is_on_small_screen
from gui.panels.panel import Panel
from gui.session import Session
from gui.theme import text_pixels

TITLE_BAR = 30
"""Pixels that a window manager's title bar may take."""

NARROW = 1200
"""Windows of less than this many pixels across get narrower columns and a shorter read-out."""
LOW = 600
"""Windows less high than this have fewer panels below one another; pixels with text in its designed size."""


LEFT, RIGHT, BOTTOM = (
    Qt.DockWidgetArea.LeftDockWidgetArea,
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
)


COLUMNS = (LEFT, BOTTOM, RIGHT)
"""From left to right, where the bottom area is in the middle."""


@dataclass(frozen=True)
class Workspace:
    """An arrangement for what one is doing.

    Attributes:
        title: on its button.
        tip: its purpose.
        keys: that lead there.
        bar: items of the tool bar, see gui/bars/main_bar.py.
        main: the action of its main button, which F5 does, too.
        widths, narrow_widths, low_widths: of the left and the right column in a wide, a narrow and a low window,
            pixels in the designed size of text.
        is_listed: it has a button in the tool bar; others stand in the View menu alone.
        has_graph: the graph is in the middle. Without it all panels are in one area, as three columns: with an
            empty middle the areas around it change their widths each time that Qt places them.
        only_named: show only the panels that name it in their `places`, and none behind them.
        version: increased when saved arrangements of users become useless.
    """

    title: str
    tip: str
    keys: str
    bar: tuple[str, ...]
    main: str
    widths: tuple[int, int]
    narrow_widths: tuple[int, int]
    low_widths: tuple[int, int]
    is_listed: bool = True
    has_graph: bool = True
    only_named: bool = False
    version: int = 0


WALK_BAR = ("back", "next", "play", "walk speed", "walk by")
LESSON_BAR = ("smaller text", "larger text", "lesson everything", "leave lesson")
WORKSPACES = {
    "welcome": Workspace(
        "Welcome", "A place to start from: lessons, examples, your own program", "Ctrl+6", (), "play",
        (0, 0), (0, 0), (0, 0), has_graph=False, only_named=True,
    ),
    "lesson": Workspace(
        "Lesson", "Lessons from the first slope to an engine of your own", "Ctrl+5",
        ("back", "next", "play", "walk by", "space", *LESSON_BAR), "play",
        (430, 380), (316, 276), (316, 276), only_named=True,
    ),
    "understand": Workspace(
        "Understand", "Program, graph and explanation large", "Ctrl+1",
        (*WALK_BAR, "export"), "play", (420, 320), (316, 236), (316, 236),
    ),
    "train": Workspace(
        "Train", "Network, decision boundary and loss large, without the graph", "Ctrl+2",
        ("reset", "back step", "phase", "step", "steps", "run", "training speed", "readout", "export"), "run",
        (380, 466), (270, 320), (256, 290), has_graph=False, version=1,
    ),
    "both": Workspace(
        "Both", "Program and network side by side", "Ctrl+3",
        ("back", "next", "play", "walk by", "training words", "phase", "step", "run", "training speed", "readout",
         "export"), "play",
        (350, 330), (306, 240), (306, 240), is_listed=False,
    ),
    "stage": Workspace(
        "Stage", "Network, boundary and loss alone, for a projector", "Ctrl+4",
        ("reset", "back step", "step", "steps", "run", "training speed", "readout", "export"), "run",
        (0, 620), (0, 460), (330, 230), is_listed=False, has_graph=False, only_named=True,
    ),
    "lesson training": Workspace(
        "Lesson", "", "", ("reset", "step", "steps", "run", "training speed", "space", *LESSON_BAR),
        "run", (430, 400), (316, 300), (316, 300), is_listed=False, has_graph=False, only_named=True,
    ),
}  # fmt: skip
"""All workspaces by name, in the order of their buttons. A lesson without the graph stands in "lesson training"."""
LESSON = ("lesson", "lesson training")
FIRST_WORKSPACE = "understand"
"""Workspace of a user who has not chosen one yet."""


@dataclass(frozen=True)
class Place:
    """The first place of a dock.

    Attributes:
        side: the area, below those before it.
        behind: name of the panel behind which it is a tab; "" for none.
        height: its share of the column, in pixels of a window of 900.
        keeps_height: keep the height in a lower window, where others of its column shrink.
        waits: it is hidden until it has something to show.
        low: where it stands in a low window (`is_low`) instead; None: in this place, too.
    """

    side: Qt.DockWidgetArea
    behind: str = ""
    height: int = 400
    keeps_height: bool = False
    waits: bool = False
    low: Place | None = None


@dataclass(frozen=True)
class PanelEntry:
    """One panel of the window.

    Attributes:
        name: its class.
        title: of its dock, and in the View menu.
        module: where the class stands in `gui.panels`; loaded when the panel is first seen.
        side, behind, height: its `Place` where `places` does not name another one.
        at_once: made when the window opens; the others follow one by one after the first painting, and what
            is behind a tab when it is seen.
        plot: what its attribute `plot` is called in the Export menu; "" for a panel without one. Its method
            `figure_data` gives the numbers for a CSV file.
        scrolls: it can be lower than its content, which is scrolled then.
        empty: why its figure cannot be exported while it has none (`Panel.has_figure`); "" where there always is one.
        own_window: size of the window of its own in which it opens, pixels, for what needs more width than a column
            has; None: it opens where it stands.
        at_right: that window opens at the right, so that the program can be edited beside it.
        has_title: its dock has a title bar; a panel that fills a workspace of its own name needs none.
        places: its place in a workspace; None where it is not shown. In "both" it is shown by default;
            in the others if it is named here, or is a tab behind a shown panel.
    """

    name: str
    title: str
    module: str
    side: Qt.DockWidgetArea
    behind: str = ""
    at_once: bool = False
    plot: str = ""
    empty: str = ""
    height: int = 400
    scrolls: bool = False
    own_window: QSize | None = None
    at_right: bool = False
    has_title: bool = True
    places: Mapping[str, Place | None] = field(default_factory=dict)

    def place(self, workspace: str, low: bool = False) -> Place | None:
        """Return where it stands first in a workspace, in a low window if `low`; None where it is not shown."""
        if workspace in self.places:
            place = self.places[workspace]
            return place.low or place if low and place is not None else place
        if WORKSPACES[workspace].only_named:
            return Place(LEFT) if workspace in LESSON and self.name == "LessonPanel" else None
        if self.name in ("LessonPanel", "StartPanel"):
            return None
        if workspace == "both":
            return Place(self.side, self.behind, self.height)
        front = PANELS[self.behind].place(workspace, low) if self.behind else None
        return None if front is None else Place(front.side, self.behind)


NO_CURVE = "There is no curve yet: train a step first"
PANELS = {
    entry.name: entry
    for entry in (
        PanelEntry(
            "StartPanel", "Welcome", "start.start", BOTTOM, has_title=False, places={"welcome": Place(BOTTOM)}
        ),
        PanelEntry("LessonPanel", "Lesson", "lesson.lesson", LEFT),
        PanelEntry(
            "ExpressionPanel", "Program", "program.expression", LEFT, at_once=True,
            places={"understand": Place(LEFT, height=460),
                    "both": Place(LEFT, height=354, keeps_height=True, low=Place(LEFT, height=354))},
        ),
        PanelEntry(
            "NetworkPanel", "Network", "network.network", LEFT, height=390, scrolls=True, plot="Network drawing",
            places={"train": Place(BOTTOM, height=560), "stage": Place(BOTTOM, low=Place(LEFT))},
        ),
        PanelEntry(
            "DataPanel", "Data", "data.data", LEFT, behind="NetworkPanel",
            places={"train": Place(LEFT, height=490, low=Place(LEFT, height=280))},
        ),
        PanelEntry(
            "LearningPanel", "Learning", "learning.learning", LEFT, behind="NetworkPanel",
            places={"train": Place(LEFT, height=280, low=Place(LEFT, behind="DataPanel"))},
        ),
        PanelEntry(
            "SideBySidePanel", "Side by side", "comparisons.side_by_side", BOTTOM, behind="NetworkPanel",
            plot="Two runs", empty="There is no comparison yet: open Side by side", places={"both": None},
        ),
        PanelEntry(
            "SweepPanel", "Sweep", "comparisons.sweep", BOTTOM, behind="NetworkPanel", plot="Map of the sweep",
            empty="There is no sweep yet: run one in Sweep",
            places={"both": None},
        ),
        PanelEntry(
            "ComparePanel", "Compare", "comparisons.compare", BOTTOM, behind="NetworkPanel", plot="Two graphs",
            empty="There is no comparison yet: open Compare", own_window=QSize(1000, 720),
            at_right=True, places={"both": None, "understand": None},
        ),
        PanelEntry(
            "RunsPanel", "Runs", "comparisons.runs", LEFT, behind="NetworkPanel",
            places={"train": Place(LEFT, height=140, low=Place(LEFT, behind="DataPanel"))},
        ),
        PanelEntry(
            "BoundaryPanel", "Boundary", "planes.boundary", RIGHT, plot="Decision boundary", height=420,
            places={"train": Place(RIGHT, height=520), "stage": Place(RIGHT, height=430, low=Place(BOTTOM))},
        ),
        PanelEntry("HiddenSpacePanel", "Hidden space", "planes.hidden_space", RIGHT, behind="BoundaryPanel",
                   plot="Hidden space"),
        PanelEntry("LossSurfacePanel", "Loss surface", "planes.loss_surface", RIGHT, behind="BoundaryPanel",
                   plot="Loss surface"),
        PanelEntry(
            "TrainingPanel", "Loss", "curves.training", RIGHT, plot="Loss plot", empty=NO_CURVE, height=300,
            places={"train": Place(BOTTOM, height=270, low=Place(LEFT, height=290)),
                    "stage": Place(RIGHT, height=250)},
        ),
        PanelEntry(
            "AccuracyPanel", "Accuracy", "curves.accuracy", RIGHT, behind="TrainingPanel", plot="Accuracy plot",
            empty=NO_CURVE, places={"understand": None, "both": None},
        ),
        PanelEntry(
            "GradientsPanel", "Gradients", "curves.gradient_norms", RIGHT, behind="TrainingPanel",
            plot="Gradient norms", empty=NO_CURVE, places={"understand": None, "both": None},
        ),
        PanelEntry(
            "OptimizerPanel", "Optimizer", "figures.optimizer", RIGHT, behind="TrainingPanel",
            plot="Table of the optimizer", places={"understand": None, "both": None},
        ),
        PanelEntry(
            "PredictionsPanel", "Predictions", "figures.predictions", RIGHT, behind="TrainingPanel",
            plot="Table of predictions",
            places={"train": Place(RIGHT, height=270, low=Place(RIGHT, behind="BoundaryPanel"))},
        ),
        PanelEntry(
            "ConfusionPanel", "Confusion", "figures.confusion", RIGHT, behind="PredictionsPanel",
            plot="Confusion matrix", places={"understand": None, "both": None},
        ),
        PanelEntry(
            "ResidualsPanel", "Residuals", "figures.residuals", RIGHT, behind="PredictionsPanel",
            plot="Residuals", places={"understand": None, "both": None},
        ),
        PanelEntry(
            "WeightsPanel", "Weights", "figures.histograms", RIGHT, behind="PredictionsPanel",
            plot="Histograms of weights", places={"understand": None, "both": None},
        ),
        PanelEntry(
            "ActivationsPanel", "Activations", "figures.histograms", RIGHT, behind="PredictionsPanel",
            plot="Histograms of activations", places={"understand": None, "both": None},
        ),
        PanelEntry(
            "ExplainPanel", "Why?", "explanations.explain", BOTTOM, height=210,
            places={"understand": Place(RIGHT),
                    "both": Place(BOTTOM, height=210, low=Place(LEFT, behind="NetworkPanel"))},
        ),
        PanelEntry("OutlinePanel", "Outline", "graph.outline", BOTTOM, behind="ExplainPanel", places={"both": None}),
        PanelEntry("LoopPanel", "Loop", "explanations.loop", BOTTOM, behind="ExplainPanel",
                   places={"understand": None}),
        PanelEntry(
            "NudgePanel", "Nudge", "explanations.nudging", BOTTOM, behind="ExplainPanel", plot="Error of a nudge by h",
            places={"both": None},
        ),
        PanelEntry("AscentPanel", "Follow the gradient", "explanations.nudging", BOTTOM, behind="ExplainPanel",
                   places={"understand": None, "both": None}),
        PanelEntry(
            "LensPanel", "Lens", "explanations.nudging", BOTTOM, behind="ExplainPanel", plot="Derivative lens",
            places={"both": None},
        ),
        PanelEntry("PredictPanel", "Predict", "explanations.predict", BOTTOM, behind="ExplainPanel",
                   places={"both": None, "understand": None}),
        PanelEntry(
            "BugLabPanel", "Bug lab", "explanations.bug_lab", BOTTOM, behind="ExplainPanel",
            own_window=QSize(1120, 600), places={"both": None, "understand": None},
        ),
        PanelEntry(
            "OperationsPanel", "Operations", "explanations.operations", BOTTOM, behind="ExplainPanel",
            own_window=QSize(1300, 640), plot="Operation and derivative", places={"both": None, "understand": None},
        ),
        PanelEntry("ChecksPanel", "Checks", "explanations.checks", BOTTOM, behind="ExplainPanel",
                   places={"understand": None}),
        PanelEntry(
            "OutputPanel", "Output", "program.output", BOTTOM, behind="ExplainPanel", plot="Plot of the program",
            places={"understand": Place(LEFT, height=260, waits=True),
                    "both": Place(BOTTOM, height=210, low=Place(LEFT, behind="NetworkPanel"))},
        ),
        PanelEntry(
            "VaryPanel", "Vary", "program.vary", BOTTOM, behind="OutputPanel", plot="Varied runs",
            empty="There is no comparison yet: choose Vary this number, and run it",
            own_window=QSize(760, 560), places={"both": None, "understand": None},
        ),
    )
}  # fmt: skip
"""All panels in their first order, by name; dock, View menu, arrangement, themes, Export menu and tests read it."""


@dataclass(frozen=True)
class LessonPlace:
    """Place of a panel in a lesson that names it.

    Attributes:
        control: its name in lessons (`engine.lessons.controls.CONTROLS`).
        group: panels of one group are tabs of one place.
        side: of its group in a lesson without the graph; with the graph all stand at its right.
        height: of its group, in pixels of a window of 900.
    """

    control: str
    group: str
    side: Qt.DockWidgetArea
    height: int


LESSON_PLACES = {
    "ExpressionPanel": LessonPlace("program", "program", BOTTOM, 620),
    "OutputPanel": LessonPlace("output", "output", BOTTOM, 150),
    "ExplainPanel": LessonPlace("why", "explanations", BOTTOM, 380),
    "NudgePanel": LessonPlace("nudge", "explanations", BOTTOM, 380),
    "LensPanel": LessonPlace("lens", "explanations", BOTTOM, 380),
    "AscentPanel": LessonPlace("follow", "explanations", BOTTOM, 380),
    "PredictPanel": LessonPlace("predict", "explanations", BOTTOM, 380),
    "LoopPanel": LessonPlace("loop", "explanations", BOTTOM, 380),
    "ChecksPanel": LessonPlace("checks", "explanations", BOTTOM, 380),
    "NetworkPanel": LessonPlace("network", "network", BOTTOM, 480),
    "TrainingPanel": LessonPlace("curves", "curves", BOTTOM, 260),
    "AccuracyPanel": LessonPlace("accuracy", "curves", BOTTOM, 260),
    "GradientsPanel": LessonPlace("gradients", "curves", BOTTOM, 260),
    "SideBySidePanel": LessonPlace("compare", "compare", BOTTOM, 480),
    "BoundaryPanel": LessonPlace("boundary", "boundary", RIGHT, 420),
    "HiddenSpacePanel": LessonPlace("hidden", "boundary", RIGHT, 420),
    "DataPanel": LessonPlace("data", "settings", RIGHT, 320),
    "LearningPanel": LessonPlace("learning", "settings", RIGHT, 320),
    "RunsPanel": LessonPlace("runs", "settings", RIGHT, 320),
    "OptimizerPanel": LessonPlace("optimizer", "settings", RIGHT, 320),
    "PredictionsPanel": LessonPlace("predictions", "settings", RIGHT, 320),
    "ConfusionPanel": LessonPlace("confusion", "settings", RIGHT, 320),
    "WeightsPanel": LessonPlace("weights", "settings", RIGHT, 320),
    "ActivationsPanel": LessonPlace("activations", "settings", RIGHT, 320),
}
"""The panels that a lesson can name, from top to bottom."""


def lesson_places(controls: Collection[str], workspace: str, n_lines: int = 10) -> dict[str, Place]:
    """Return the place of each panel in a lesson, by the panel's name.

    A column has at most three panels below one another, as a small screen has room for; others are tabs of the third.

    Args:
        controls: names of the controls that the lesson shows.
        workspace: one of `LESSON`.
        n_lines: of the lesson's longest program; a short one leaves its height to the panels below.
    """
    places = {"LessonPanel": Place(LEFT)}
    fronts: dict[str, str] = {}
    columns: dict[Qt.DockWidgetArea, list[str]] = {RIGHT: [], BOTTOM: []}
    for name, about in LESSON_PLACES.items():
        if about.control in controls:
            side = RIGHT if WORKSPACES[workspace].has_graph else about.side
            if about.group not in fronts:
                columns[side] = [*columns[side], name][:3]
                fronts[about.group] = front = columns[side][-1]
                if front != name:
                    places[front] = replace(places[front], height=max(places[front].height, about.height))
            front = fronts[about.group]
            height = min(about.height, 150 + 22 * n_lines) if name == "ExpressionPanel" else about.height
            places[name] = Place(side, "" if front == name else front, height)
    return places


def _make_panel(entry: PanelEntry, session: Session) -> Panel:
    panel: Panel = getattr(import_module(f"gui.panels.{entry.module}"), entry.name)(session)
    if panel.figure_tip:
        panel.plot.setToolTip(panel.figure_tip)
    for figure in (vars(panel).get("plot"), panel.figure_key):  # a property makes its plot on first access
        if figure is not None:
            FigureTip(figure, panel)
    return panel


def make_docks(window: QMainWindow, session: Session) -> dict[str, PanelDock]:
    """The docks of all panels by class name; most panels are made when they are first seen.

    They stand nowhere in the window before they are arranged: to place them takes Qt as long as to make them. They are
    hidden until then: the window would show all of them with itself.
    """
    docks = {}
    for entry in PANELS.values():
        make = partial(_make_panel, entry, session)
        docks[entry.name] = dock = PanelDock(
            entry.title, make, window, entry.own_window, entry.scrolls, entry.has_title, entry.at_right
        )
        dock.hide()
        if entry.at_once:
            dock.make()
    return docks


def place_new_docks(window: QMainWindow, docks: Mapping[str, PanelDock]) -> None:
    """Add the docks that a restored arrangement did not have, each as a tab behind another."""
    for name, dock in docks.items():
        if window.dockWidgetArea(dock) == Qt.DockWidgetArea.NoDockWidgetArea and not dock.isFloating():
            window.addDockWidget(PANELS[name].side, dock)
            if PANELS[name].behind:
                window.tabifyDockWidget(docks[PANELS[name].behind], dock)
            dock.show()


def is_low(window: QMainWindow) -> bool:
    """Return True when the window is too low, for text in its present size, for three panels below one another."""
    return window.height() < text_pixels(LOW)


def default_places(window: QMainWindow, workspace: str) -> dict[str, Place]:
    """Return the place of each panel that a workspace shows by default, by the panel's name."""
    low = is_low(window)
    return {name: place for name, entry in PANELS.items() if (place := entry.place(workspace, low)) is not None}


def arrange(
    window: QMainWindow,
    docks: Mapping[str, PanelDock],
    workspace: str = FIRST_WORKSPACE,
    places: Mapping[str, Place] | None = None,
) -> None:
    """Put every panel in its place in a workspace.

    Args:
        window: with the docks.
        docks: by the name of their panel.
        workspace: that is shown.
        places: by the name of the panel; None: the default ones.
    """
    places = default_places(window, workspace) if places is None else places
    for dock in docks.values():
        if dock.isFloating():  # setting it again takes 10 ms
            dock.setFloating(False)
        if window.dockWidgetArea(dock) != Qt.DockWidgetArea.NoDockWidgetArea:
            window.removeDockWidget(dock)
        dock.hide()
    fronts = {name: place for name, place in places.items() if not place.behind}
    in_order = sorted(fronts, key=lambda name: COLUMNS.index(fronts[name].side))
    standing = {
        name: places.get(name) or entry.place(FIRST_WORKSPACE) or Place(entry.side) for name, entry in PANELS.items()
    }
    others = [name for name in docks if name not in fronts]
    for name in [*in_order, *sorted(others, key=lambda name: bool(standing[name].behind))]:  # no tab is split later
        add_dock(window, docks, name, standing[name], workspace, places)
    for name, place in places.items():
        docks[name].setVisible(not place.waits)
    for name in fronts:
        docks[name].raise_()
    _give_widths(window, docks, fronts, WORKSPACES[workspace])
    for side in (LEFT, RIGHT, BOTTOM):
        column = {docks[name]: place.height for name, place in fronts.items() if place.side == side}
        giving = [docks[name] for name, place in fronts.items() if place.side == side and not place.keeps_height]
        if len(giving) < len(column):
            less = (900 - window.height()) // max(len(giving), 1)
            column |= {dock: max(1, column[dock] - less) for dock in giving}
        if side == BOTTOM and WORKSPACES[workspace].has_graph:
            least = 0 if window.width() >= NARROW else 70
            column = {dock: text_pixels(height - least) for dock, height in column.items()}
        window.resizeDocks(list(column), list(column.values()), Qt.Orientation.Vertical)
    fit_screen(window, docks)
    hide_spare_tabs(window, docks)


def add_dock(
    window: QMainWindow,
    docks: Mapping[str, PanelDock],
    name: str,
    place: Place,
    workspace: str,
    places: Mapping[str, Place],
) -> None:
    """Add a dock at its place in a workspace: below or next to existing docks, or behind one as a tab."""
    if place.behind:  # immediately: side by side they would make the window wider than the screen
        window.addDockWidget(place.side, docks[name])
        window.tabifyDockWidget(docks[place.behind], docks[name])
    elif WORKSPACES[workspace].has_graph:
        window.addDockWidget(place.side, docks[name])
    elif column := _column_of(window, docks, place.side, places):
        window.splitDockWidget(column[-1], docks[name], Qt.Orientation.Vertical)
    else:
        window.addDockWidget(BOTTOM, docks[name], Qt.Orientation.Horizontal)


def _column_of(
    window: QMainWindow, docks: Mapping[str, PanelDock], side: Qt.DockWidgetArea, places: Mapping[str, Place]
) -> list[PanelDock]:
    """The docks that stand below one another in a column of a workspace without the graph."""
    column = [docks[name] for name, place in places.items() if place.side == side and not place.behind]
    return [dock for dock in column if window.dockWidgetArea(dock) != Qt.DockWidgetArea.NoDockWidgetArea]


def hide_spare_tabs(window: QMainWindow, docks: Mapping[str, PanelDock]) -> None:
    """Hide the empty tab bars that Qt leaves on the window when docks are moved."""
    layout = window.layout()
    assert layout is not None
    layout.activate()
    groups = {
        frozenset(one.windowTitle() for one in (dock, *window.tabifiedDockWidgets(dock)) if not one.isHidden())
        for dock in docks.values()
    }
    for bar in reversed(window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)):
        bar.setElideMode(Qt.TextElideMode.ElideNone)  # whole titles, and arrows where they do not fit
        titles = frozenset(bar.tabText(index) for index in range(bar.count()))
        in_use = len(titles) > 1 and titles in groups
        bar.setVisible(in_use)
        bar.setAccessibleName("panels: " + ", ".join(bar.tabText(index) for index in range(bar.count())))
        bar.setFocusPolicy(Qt.FocusPolicy.TabFocus if in_use else Qt.FocusPolicy.NoFocus)  # Qt may show it again
        groups.discard(titles)  # the newest one is in use


def is_one_stack(window: QMainWindow, docks: Mapping[str, PanelDock], workspace: str) -> bool:
    """Return True when all panels that have places of their own by default are tabs of one place."""
    places = {name: entry.place(workspace, is_low(window)) for name, entry in PANELS.items()}
    fronts = [docks[name] for name, place in places.items() if place is not None and not place.behind]
    shown = [dock for dock in fronts if not dock.isHidden() and not dock.isFloating()]
    return len(shown) > 2 and set(shown[1:]) <= set(window.tabifiedDockWidgets(shown[0]))


def _give_widths(
    window: QMainWindow, docks: Mapping[str, PanelDock], fronts: Mapping[str, Place], about: Workspace
) -> None:
    """Set the widths of the columns; the middle takes the rest."""
    wanted = about.widths if window.width() >= text_pixels(NARROW) else about.narrow_widths
    wanted = about.low_widths if is_low(window) else wanted
    left, right = (min(text_pixels(each), window.width() // (3 if all(wanted) else 2)) for each in wanted)
    widths = {LEFT: left, RIGHT: right}
    if not about.has_graph:
        widths[BOTTOM] = window.width() - left - right
    firsts = {place.side: docks[name] for name, place in reversed(list(fronts.items()))}
    sides = [side for side in widths if side in firsts]
    window.resizeDocks([firsts[side] for side in sides], [widths[side] for side in sides], Qt.Orientation.Horizontal)
    if about.has_graph:  # docks of the bottom area stand side by side
        row = [docks[name] for name, place in fronts.items() if place.side == BOTTOM]
        window.resizeDocks(row, [100] * len(row), Qt.Orientation.Horizontal)


def scale_columns(window: QMainWindow, docks: Mapping[str, PanelDock], workspace: str, factor: float) -> None:
    """Make the columns at both sides so many times as wide, after text has got another size."""
    places = {name: entry.place(workspace, is_low(window)) for name, entry in PANELS.items()}
    widths: dict[QDockWidget, int] = {}
    for side in (LEFT, RIGHT, BOTTOM):
        fronts = [docks[name] for name, place in places.items() if place and not place.behind and place.side == side]
        column = [each for dock in fronts for each in (dock, *window.tabifiedDockWidgets(dock))]
        if (first := next((dock for dock in column if not dock.visibleRegion().isEmpty()), None)) is not None:
            at_side = min(round(factor * first.width()), window.width() // 3)
            widths[first] = at_side if side != BOTTOM else window.width() - sum(widths.values())
    if WORKSPACES[workspace].has_graph:  # it takes the rest
        widths = {dock: width for dock, width in widths.items() if window.dockWidgetArea(dock) != BOTTOM}
    window.resizeDocks(list(widths), list(widths.values()), Qt.Orientation.Horizontal)


def fit_screen(window: QMainWindow, docks: Mapping[str, PanelDock]) -> None:
    """On a screen too small for the columns, puts the right one and then the bottom one behind the left as tabs."""
    place = window.screen().availableGeometry()
    room = place.size() - QSize(0, TITLE_BAR)
    shown = [dock for dock in docks.values() if not dock.isHidden() and not dock.isFloating()]
    if is_on_small_screen(window):
        for dock in shown:  # before they are made they take no room
            dock.make()
    layout = window.layout()
    assert layout is not None
    for column in (RIGHT, BOTTOM, LEFT) if shown else ():
        least = window.minimumSizeHint()
        if least.width() <= room.width() and least.height() <= room.height():
            break
        front = next((dock for dock in shown if window.dockWidgetArea(dock) == LEFT), shown[0])
        for dock in shown:
            if dock is not front and window.dockWidgetArea(dock) == column:
                window.tabifyDockWidget(front, dock)
        front.raise_()
        layout.activate()  # it still holds the window to the least size of before
    if window.size() != window.size().boundedTo(room):
        window.resize(window.size().boundedTo(room))
        window.move(place.topLeft())
