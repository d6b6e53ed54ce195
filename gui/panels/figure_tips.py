"""What figures teach whose panels say nothing livelier about them: the tool-tips of their plots, by the panel's class.

A panel whose sentence depends on what is drawn, such as the loss panel, sets its plot's tool-tip by itself.
"""

from __future__ import annotations

FIGURE_TIPS = {
    "BoundaryPanel": (
        "What the network gives around the data at the viewed step: colours over two inputs, with a line where the "
        "decision between classes changes, or a curve over one input. The points are the data; those that only test "
        "are hollow, or square where colours are numbers to predict, and a red ring marks what is decided wrong."
    ),
    "HiddenSpacePanel": (
        "Where a layer puts the points and the grid of the input plane: it bends and folds them until the next layer "
        "can part the classes with a straight line. Of more than two neurons two are the axes, or two principal "
        "components. The slider goes from the inputs to the layer."
    ),
    "LossSurfacePanel": (
        "The loss along two directions in the space of all weights and biases, through the step at which it was "
        "computed. Dark is low. The white line is the run's way, as far as it can be seen on this slice: the square "
        "is its first step that is kept, the dot the step that is viewed."
    ),
    "SweepPanel": (
        "Each cell is the network trained with its two settings, from several seeds. Look for low losses, and for "
        "wide regions of them: a single good cell may be luck. A click opens a run of the cell."
    ),
    "SideBySidePanel": (
        "Two trainings that differ in one setting, at the same step: what each network gives around the data, and "
        "both losses over the steps, A as a solid line, B dashed."
    ),
    "OptimizerPanel": (
        "For each weight and bias what the last update was made of: the gradient, what the optimizer remembers, and "
        "the update that leads to the next value."
    ),
    "LensPanel": (
        "The output as a function of the selected value, all other leaves held. The slope of the tangent is the "
        "gradient; the secant turns into it as h becomes small."
    ),
    "NudgePanel": (
        "How far the slope of a nudge is from the gradient for each h: a large h sees the curve bend (truncation), a "
        "small one sees only the rounding of floats."
    ),
    "OperationsPanel": (
        "The operation, and dashed its derivative: the number by which backward multiplies the upstream gradient at "
        "each x."
    ),
}
"""A few whole sentences for each."""
