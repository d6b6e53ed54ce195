"""Panels and controls that a lesson can name: those that it shows (`show = [...]`), and those that its text points at.

A name with a dot is a part of the control before the dot. The window has a widget for each name, see
`gui/lesson_view.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

CONTROLS: Mapping[str, str] = {
    "program": "the editor with the program",
    "program.sliders": "the sliders of the program's numbers",
    "output": "what the program prints",
    "graph": "the graph",
    "stepper": "the buttons and the slider under the graph",
    "stepper.start": "the button that goes to the start of the walk",
    "stepper.back": "the button that goes back one step",
    "stepper.next": "the button that makes the next step",
    "stepper.marks": "the marks of the phases",
    "stepper.lines": "the choice between operations and lines",
    "why": "the panel Why?",
    "nudge": "the panel Nudge",
    "nudge.h": "the field of h",
    "lens": "the panel Lens",
    "follow": "the panel Follow the gradient",
    "predict": "the panel Predict",
    "loop": "the panel Loop",
    "checks": "the panel Checks",
    "data": "the panel Data",
    "network": "the drawing of the network",
    "learning": "the panel Learning",
    "boundary": "the decision boundary",
    "curves": "the curve of the loss",
    "accuracy": "the curve of the accuracy",
    "gradients": "the size of the gradients",
    "optimizer": "the table of the optimizer",
    "predictions": "the table of predictions",
    "confusion": "the confusion matrix",
    "weights": "the histograms of the weights",
    "activations": "the histograms of the activations",
    "hidden": "the hidden space",
    "runs": "the list of runs",
    "compare": "two runs side by side",
    "training": "the buttons of the training",
    "training.start": "the button that starts the training",
    "training.step": "the button that makes one step",
    "training.steps": "the button that makes several steps",
    "training.reset": "the button that goes back to the first weights",
    "training.speed": "the speed of the training",
    "history": "the slider through the steps of the training",
}
