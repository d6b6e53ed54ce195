"""What a network's output at a place means, in words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network import Loss
from gui.number_texts import reading_text
from gui.panels.planes.data_points import Samples
from gui.panels.planes.decision import class_texts, decided

TEXTS = {
    "undefined": "the output is not a finite number",
    "number": "output {output}",
    "probability": "output {output}, the probability of {second}: class {name}",
    "decided": "output {output}: class {name}",
    "largest probability": "class {name} with probability {output}, of {outputs}",
    "largest": "class {name} with the largest output {output}, of {outputs}",
}
"""Every form that it takes."""


def output_text(outputs: NDArray[Any], loss: Loss, samples: Samples) -> str:
    """Shown outputs (n_outputs,) of one place: the number, the class that it means, the probability where it is one.

    Args:
        outputs: of one place, as they are shown.
        loss: says how outputs are read.
        samples: have the classes and the level between them.
    """
    if not np.isfinite(outputs).all():
        return TEXTS["undefined"]
    if samples.targets.classes is None:
        return TEXTS["number"].format(output=reading_text(outputs[0]))
    names = class_texts(samples.raw, samples.all_targets)
    best = int(decided(outputs[None], samples.level)[0])
    if len(outputs) == 1:
        text = TEXTS["probability" if loss.probability else "decided"]
        return text.format(output=reading_text(outputs[0]), second=names[1], name=names[best])
    text = TEXTS["largest probability" if loss.probability else "largest"]
    others = ", ".join(map(reading_text, outputs))
    return text.format(name=names[best], output=reading_text(outputs[best]), outputs=others)
