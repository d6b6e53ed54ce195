"""Actions of the window: files, exports, edits, the view, help."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QKeySequence

from engine.examples.examples import Example, examples
from gui.actions.targets import Window
from gui.actions.training import TRAINING_ACTIONS, TRAINING_MENUS
from gui.arrangement import PANELS, WORKSPACES, Workspace
from gui.export.target import FORMAT_NAMES, STILL
from gui.session.course import course_of
from gui.session.recent import recent_of
from gui.theme import TEXT_SIZES, THEMES, text_size
from gui.widgets.action_set import Action, Submenu

KEYS = QKeySequence.StandardKey
NO_GRAPH = "There is no graph yet: write a program that computes a value"
NOT_TRAINED = "There is no training to show yet: train a step first"


def _has_graph(window: Window) -> bool:
    return bool(window.session.presenter.picture.boxes)


def _has_trained(window: Window) -> bool:
    return window.session.newest is not None and window.session.newest.snapshot.step > 0


def _graph_export(extension: str) -> Action[Window]:
    return Action(
        f"export {extension}", f"Graph as {FORMAT_NAMES[extension]}…",
        lambda window: window.exporter.save_graph(extension), "The whole graph as it stands now",
        places=(("graph export", 20),), enabled=_has_graph, needs=NO_GRAPH,
    )  # fmt: skip


def _graph_copy(extension: str, title: str) -> Action[Window]:
    return Action(
        f"copy {extension}", f"Copy graph as {title}", lambda window: window.exporter.copy_graph(extension),
        "The whole graph onto the clipboard", places=(("graph export", 30),), enabled=_has_graph, needs=NO_GRAPH,
    )  # fmt: skip


def _plot_export(panel: str, title: str) -> Action[Window]:
    return Action(
        f"export {panel}", f"{title}…", lambda window: window.export_plot(panel),
        "The figure as it stands now: PNG, SVG, PDF, or its numbers as CSV", places=(("figure export", 10),),
        reason=lambda window: window.empty_figure(panel),
    )  # fmt: skip


def _pin(window: Window) -> None:
    window.show_panel("ComparePanel")
    window.session.comparison.pin_requested.emit()


def _theme(theme: str) -> Action[Window]:
    return Action(
        f"theme {theme}", f"&{theme.capitalize()}", lambda window: window.apply_theme(theme), f"The {theme} theme",
        places=(("theme", 10),), checked=lambda window: window.theme == theme, choice="theme",
    )  # fmt: skip


def _toggle_contrast(window: Window) -> None:
    window.settings.set("contrast", "normal" if window.colors.has_high_contrast else "high")


def _change_text_size(change: int, window: Window) -> None:
    window.set_text_size(TEXT_SIZES[TEXT_SIZES.index(text_size()) + change])


def _workspace(name: str, about: Workspace) -> Action[Window]:
    return Action(
        f"workspace {name}", f"&{about.title}", lambda window: window.show_workspace(name), about.tip, about.keys,
        places=(("View", 1), *((("workspaces", 10),) if about.is_listed else ())),
        checked=lambda window: WORKSPACES[window.workspace].title == about.title, choice="workspace",
    )  # fmt: skip


def _replaces_program(window: Window) -> str:
    """Return a question when the session has changes that no file has."""
    return "Replace the present program or network? Undo brings it back." if window.session.modified else ""


def _example(example: Example) -> Action[Window]:
    sections: dict[str, Any] = {name: dict(fields) for name, fields in example.sections.items()}

    def open_example(window: Window) -> None:
        fitting = ("train", "both", "stage") if "network" in sections else ("understand", "both")
        shown = window.own_workspace
        if window.session.is_aside:
            window.lessons.leave()
        course_of(window.session).note_opened(example.name)
        is_new = window.session.edit(f"example {example.title}", **sections)
        window.show_workspace(fitting[0] if is_new and shown not in fitting else shown)

    return Action(
        f"example {example.name}", example.title, open_example,
        "Open it in place of the present program or network; undo brings that back", places=((example.group, 10),),
        replaces=_replaces_program,
    )  # fmt: skip


EXAMPLE_GROUPS = tuple(dict.fromkeys(example.group for example in examples()))

WINDOW_MENUS = (
    Submenu("recent", "Open &recent", (("File", 11),)),
    Submenu("examples", "E&xamples", (("File", 12),)),
    *(Submenu(group, group, (("examples", 10 * place),)) for place, group in enumerate(EXAMPLE_GROUPS)),
    Submenu("export", "&Export", (("File", 30), ("background", 30))),
    Submenu("graph export", "&Graph", (("export", 10),)),
    Submenu("training export", "&Training", (("export", 11),)),
    Submenu("figure export", "&Figures", (("export", 12),)),
    Submenu("panels", "&Panels", (("View", 10),)),
    Submenu("theme", "&Theme", (("View", 20),)),
    *TRAINING_MENUS,
)

EXPORT_ACTIONS: tuple[Action[Window], ...] = (
    Action(
        "export picture", "Picture of the graph…", lambda window: window.exporter.choose_picture(),
        "A picture with its format, part, scale and background chosen", places=(("graph export", 10),),
        enabled=_has_graph, needs=NO_GRAPH,
    ),
    Action(
        "export code", "&Code…", lambda window: window.show_code(),
        "The graph or the network as a Python program with the same numbers: Python, micrograd, NumPy, PyTorch, JAX",
        "Ctrl+Shift+E", places=(("export", 5),),
    ),
    *map(_graph_export, STILL),
    Action(
        "export visible", "Visible part of the graph…", lambda window: window.exporter.save_visible(),
        "What is on the screen, as it is marked there", places=(("graph export", 10),), enabled=_has_graph,
        needs=NO_GRAPH,
    ),
    Action(
        "export gif", "Backward pass as GIF…", lambda window: window.exporter.save_gif(),
        "A moving picture, one contribution a frame", places=(("graph export", 40),), enabled=_has_graph,
        needs=NO_GRAPH,
    ),
    Action(
        "export frames", "Backward pass as PNG frames…", lambda window: window.exporter.save_frames(),
        "A folder of images, one contribution each", places=(("graph export", 40),), enabled=_has_graph, needs=NO_GRAPH,
    ),
    Action(
        "export training", "Training as GIF…", lambda window: window.exporter.save_training(),
        "The run up to now as a moving picture: boundary and loss out of its history",
        places=(("training export", 10),), reason=lambda window: "" if _has_trained(window) else NOT_TRAINED,
    ),
    _graph_copy("png", "image"),
    _graph_copy("svg", "SVG"),
    *(_plot_export(entry.name, entry.plot) for entry in PANELS.values() if entry.plot),
    Action(
        "export data", "Data as CSV…", lambda window: window.exporter.save_data(window.session.data.raw),
        "All points with their targets, as a table that can be imported again", places=(("training export", 10),),
    ),
)  # fmt: skip

WINDOW_ACTIONS: tuple[Action[Window], ...] = (
    Action("new", "&New", lambda window: window.files.new(), "A fresh session", KEYS.New, places=(("File", 10),)),
    Action(
        "open", "&Open…", lambda window: window.files.open(), "Open a session or a program text", KEYS.Open,
        places=(("File", 11),),
    ),
    Action(
        "clear recent", "&Clear recent files", lambda window: recent_of(window.session).clear(),
        "Forget the files that were opened and saved last; the files themselves stay", places=(("recent", 20),),
        enabled=lambda window: bool(recent_of(window.session).paths), needs="No file is remembered",
    ),
    Action(
        "import data", "&Import data…", lambda window: window.imports.choose(),
        "Train on a table of your own: a CSV file, its columns chosen", "Ctrl+I", places=(("File", 13),),
    ),
    Action(
        "paste program", "Paste a &program", lambda window: window.paste_program(),
        "Put the program on the clipboard in place of the present one; undo brings that back", places=(("Edit", 15),),
        replaces=_replaces_program,
    ),
    Action(
        "lesson folder", "Folder of &lessons…", lambda window: window.lessons.choose_folder(),
        "Add a folder of lessons by others; they are listed before the lessons of Gradstep", places=(("File", 14),),
    ),
    Action(
        "open clipboard", "Open session from &clipboard", lambda window: window.files.open_clipboard(),
        "Open the session whose text was copied from a chat or a mail", "Ctrl+V", places=(("File", 11),),
    ),
    Action(
        "copy session", "&Copy session as text", lambda window: window.files.copy_text(),
        "The whole session as text for a chat or a mail", "Ctrl+Shift+C", places=(("File", 22),),
    ),
    Action("save", "&Save", lambda window: window.files.save(), "Save the session", KEYS.Save, places=(("File", 20),)),
    Action(
        "save as", "Save &as…", lambda window: window.files.save_as(), "Save the session under another name",
        "Ctrl+Shift+S", places=(("File", 21),),
    ),
    *map(_example, examples()),
    *EXPORT_ACTIONS,
    Action("quit", "&Quit", lambda window: window.close(), "Close the window", "Ctrl+Q", places=(("File", 40),)),
    Action(
        "undo", "&Undo", lambda window: window.session.undo_stack.undo_edit(), "Take the last edit back", KEYS.Undo,
        places=(("Edit", 10),), enabled=lambda window: window.session.undo_stack.can_undo,
        needs="There is no edit to undo",
        live_text=lambda window: f"&Undo {window.session.undo_stack.undo_label}".rstrip(),
    ),
    Action(
        "redo", "&Redo", lambda window: window.session.undo_stack.redo_edit(), "Redo the last undone edit",
        KEYS.Redo, places=(("Edit", 11),), enabled=lambda window: window.session.undo_stack.can_redo,
        needs="Nothing was undone",
        live_text=lambda window: f"&Redo {window.session.undo_stack.redo_label}".rstrip(),
    ),
    Action(
        "history", "&History…", lambda window: window.show_history(), "List all edits; click one to go to it",
        "Ctrl+Alt+Z", places=(("Edit", 12),),
    ),
    Action(
        "settings", "Se&ttings…", lambda window: window.show_settings(),
        "Theme, text size, numbers, questions, limits of programs, folders", "Ctrl+,", places=(("Edit", 60),),
    ),
    Action(
        "draw points", "&Draw points", lambda window: window.draw_points(),
        "Draw the data on the plot of the decision boundary", "Ctrl+D", places=(("Train", 40),),
    ),
    Action(
        "check", "&Check gradients", lambda window: window.check_gradients(),
        "Compare every gradient with a finite difference", "Ctrl+G", button="Check ✓",
        places=(("Graph", 21),),
    ),
    Action(
        "predict", "&Predict gradients", lambda window: window.show_panel("PredictPanel"),
        "Hide gradients, type them, and have them checked", places=(("Graph", 22),), button="Predict",
    ),
    Action(
        "explain sample", "&Explain this sample's loss", lambda window: window.explain_sample(),
        "The graph of the sample on the canvas, and where its loss comes from", places=(("Graph", 24),),
    ),
    Action(
        "bug lab", "Bug &lab", lambda window: window.show_panel("BugLabPanel"),
        "Classic mistakes beside the right way, on this graph", places=(("Graph", 23),),
    ),
    Action(
        "compare", "&Compare with…", lambda window: window.show_panel("ComparePanel"),
        "Show two graphs side by side: this program and an earlier one, an example, or the right gradients",
        "Ctrl+Shift+D", places=(("Graph", 25),),
    ),
    Action(
        "pin", "P&in to compare", _pin,
        "Keep a copy of the program or network as it is now, and show what later edits or steps change",
        places=(("Graph", 25),),
    ),
    Action(
        "main", "Main button of the workspace", lambda window: window.do_main_action(),
        "Play the walk through the program in Understand and Both, train in Train and Stage", "F5",
    ),
    *TRAINING_ACTIONS,
    *map(_theme, ("system", *THEMES)),
    Action(
        "high contrast", "&High contrast", _toggle_contrast,
        "Strong borders and edges, black on white or white on black", places=(("theme", 20),),
        checked=lambda window: window.colors.has_high_contrast,
    ),
    *(_workspace(name, about) for name, about in WORKSPACES.items() if about.tip),
    Action(
        "lesson everything", "Show &everything", lambda window: window.lessons.toggle_controls(),
        "Show all panels and buttons, not only those that this lesson needs", places=(("View", 2),),
        enabled=lambda window: window.session.is_aside,
        needs="Open a lesson first", checked=lambda window: window.lessons.shows_everything,
        button="Show all",
    ),
    Action(
        "leave lesson", "&Leave lesson", lambda window: window.leave_lesson(),
        "Go back to your own work; the lesson stays as it is", places=(("View", 2),),
        enabled=lambda window: window.session.is_aside, needs="No lesson is open", button="Leave lesson",
    ),
    Action(
        "arrange", "&Default arrangement", lambda window: window.arrange(),
        "Put every panel of this workspace back in its place", places=(("View", 30),),
    ),
    Action(
        "next panel", "Ne&xt panel", lambda window: window.move_focus(True, by_panel=True),
        "Move the keyboard focus to the next panel or bar", "Ctrl+F6", places=(("View", 31),),
    ),
    Action(
        "previous panel", "Pre&vious panel", lambda window: window.move_focus(False, by_panel=True),
        "Move the keyboard focus to the previous panel or bar", "Ctrl+Shift+F6", places=(("View", 31),),
    ),
    Action(
        "larger text", "&Larger text", lambda window: _change_text_size(1, window), "Larger text and figures",
        ("Ctrl++", "Ctrl+="), places=(("View", 21),), button="A+", enabled=lambda _window: text_size() < TEXT_SIZES[-1],
        needs="Text has its largest size already",
    ),
    Action(
        "smaller text", "S&maller text", lambda window: _change_text_size(-1, window), "Smaller text and figures",
        "Ctrl+-", places=(("View", 21),), button="A−", enabled=lambda _window: text_size() > TEXT_SIZES[0],
        needs="Text has its smallest size already",
    ),
    Action(
        "normal text", "&Normal text", lambda window: window.set_text_size(100),
        "Text and figures in the size of the system", "Ctrl+0", places=(("View", 21),),
    ),
    Action(
        "full screen", "&Full screen", lambda window: window.toggle_full_screen(),
        "Show the window on the whole screen, or as it was before", "F11", places=(("View", 22),),
        checked=lambda window: window.isFullScreen(),
    ),
    Action(
        "leave large view", "Leave full screen", lambda window: window.leave_large_view(),
        "Bring a maximised panel back to its place, or leave the full screen", keys=("Esc",),
        enabled=lambda window: window.has_large_view, needs="No panel is maximised, and the window is not full screen",
    ),
    Action(
        "command palette", "&Command palette…", lambda window: window.show_command_palette(),
        "Find any action, example, lesson, panel or value by a few letters of its name", "Ctrl+Shift+P",
        places=(("Help", 1),),
    ),
    Action(
        "help", "&Help", lambda window: window.show_help(), "A guide, a page about each panel, and reference tables",
        "F1", places=(("Help", 10),),
    ),
    Action(
        "panel help", "Help on &this panel", lambda window: window.show_panel_help(),
        "The page about the panel that has the keyboard", "Shift+F1", places=(("Help", 10),),
    ),
    Action(
        "published", "&Published results", lambda window: window.show_published(),
        "Numbers that others have published, and what is obtained here", places=(("Help", 12),),
    ),
    Action(
        "shortcuts", "&Shortcuts", lambda window: window.show_help("reference/shortcuts"),
        "All keys of the program", "Ctrl+F1", places=(("Help", 10),),
    ),
    Action(
        "operations", "&Operations", lambda window: window.show_panel("OperationsPanel"),
        "All operations: value, derivative, where they are defined, a plot and a check of each", places=(("Help", 11),),
    ),
    Action(
        "all notices", "Show all &notices", lambda window: window.notice.show_all_kinds(),
        "Show dismissed notices again", places=(("Help", 12),),
        enabled=lambda window: bool(window.notice.hidden_kinds), needs="No notice was dismissed",
    ),
    Action(
        "problems", "&Problems…", lambda window: window.show_problems(),
        "What has failed since the program was started, and a way to save your work", places=(("Help", 20),),
    ),
    Action(
        "diagnostics", "Copy &diagnostics", lambda window: window.copy_diagnostics(),
        "Versions, screen, theme and problems as text for a report, without your programs", places=(("Help", 20),),
    ),
    Action(
        "about", "&About Gradstep", lambda window: window.show_about(), "What Gradstep is", places=(("Help", 20),),
    ),
)  # fmt: skip
