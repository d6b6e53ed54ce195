"""How large the numbers on the canvas are, in the real window in each of its workspaces.

    python -m tests.legibility WIDTH HEIGHT

prints what `rows` gives as JSON, for a window of that size.
"""

import json
import statistics
import sys

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QFont, QFontMetricsF

from engine.document import Document, replace_section
from engine.document.document import FIRST_PROGRAM
from engine.examples.gallery import published_programs
from gui.arrangement import WORKSPACES
from gui.canvas.painters import NOTHING_READ
from gui.canvas.style import CanvasStyle
from gui.tour import settle


def digit_heights(canvas):
    """Heights on the screen of the digits in each box in view but constants, pixels."""
    style = CanvasStyle(canvas.window().colors)
    heights = []
    for key, box in canvas.picture.boxes.items():
        if box.role != "constant" and canvas.visible_region.contains(canvas.centre_of(key)):
            reading = canvas.readings.get(key, NOTHING_READ)
            font = style.number_font(box.form, reading.data, reading.grad).font
            heights.append(font.pixelSize() * _digit_share(font) * canvas.zoom)
    return heights


def _digit_share(font):
    """Height of a digit for a pixel of the font's size: measured large, as small ones are rounded."""
    large = QFont(font)
    large.setPixelSize(1000)
    return QFontMetricsF(large).tightBoundingRect("1").height() / 1000


def documents():
    """What is looked at: the programs of the gallery, and networks on a sample."""
    programs = {"first program": FIRST_PROGRAM}
    programs |= {f"{one['id']} {one['title']}": one["program"] for one in published_programs()}
    found = {name: replace_section(Document(), "expression", text=text) for name, text in programs.items()}
    network = replace_section(Document(), "view", shows="network")
    found["perceptron 2-4-4-1"] = replace_section(network, "network", layer_sizes=(2, 4, 4, 1))
    xor = replace_section(replace_section(network, "data", name="xor", noise=0.0), "network", layer_sizes=(2, 2, 1))
    found["XOR 2-2-1, one sample, all open"] = replace_section(xor, "view", expanded=("*",))
    return found


def rows(window):
    """One record for each graph and workspace with the graph: how it is drawn, and how large its numbers are."""
    table = []
    for workspace in (name for name, about in WORKSPACES.items() if about.has_graph):
        window.show_workspace(workspace)
        window.arrange()
        settle(window)
        for name, document in documents().items():
            window.session.reset_document(document)
            settle(window)
            table.append(
                _row(window.graph_panel.canvas, window.session.presenter.placement.choice, f"{name}, {workspace}")
            )
    return table


def _row(canvas, choice, case):
    opened = digit_heights(canvas)
    record = {"case": case, "form": f"{choice.form}, {choice.direction}", "first_screen_px": min(opened)}
    canvas.fit()
    return record | {"fit_zoom": canvas.zoom, "digit_px_at_fit": statistics.median(digit_heights(canvas))}


def main(width, height):
    """Opens the window in that size and prints the rows."""
    from gui.app import make_application
    from gui.main_window import MainWindow
    from gui.session import Session

    application = make_application()
    window = MainWindow(Session(), theme="light", workspace="both")
    window.show()
    window.resize(width, height)
    settle(window)
    print(json.dumps(rows(window)))
    window.session.discard_changes()
    window.close()
    QCoreApplication.sendPostedEvents(None, 52)  # QEvent.DeferredDelete
    del application


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
