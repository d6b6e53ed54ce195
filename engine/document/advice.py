"""What a document may hold but its user should know: sentences for the network panel and the command line."""

from __future__ import annotations

from engine.document.assemble import trainer_settings
from engine.document.consistency import batch_of, numbers_per_sample
from engine.document.document import Document
from engine.document.prepared import prepare
from engine.network import TrainingSettings
from engine.network.shape import count_parameters

SLOW_STEP_SECONDS, LARGE_STEP_SECONDS = 1.0, 0.002
COST = "A training step will take about {milliseconds:.0f} ms: {parameters:,} parameters, {samples:,} samples."
MULTIPLICATIONS_PER_SECOND, NUMBERS_PER_SECOND = 3e9, 3e8


def training_notes(document: Document) -> list[str]:
    """Sentences on what is odd about how it is trained."""
    n_samples, training, notes = _n_samples(document), document.training, []
    if training.batch_size is not None and training.batch_size > n_samples:
        all_of_them = f"all {n_samples:,} samples of the data" if n_samples > 1 else "the only sample of the data"
        notes.append(f"A batch of {training.batch_size:,} is more than there is: a step takes {all_of_them}.")
    return [*notes, *TrainingSettings(**trainer_settings(training)).notes("linear", "uniform", 0)]


def network_notes(document: Document) -> list[str]:
    """Sentences on what is odd about the network: first weights, an output that does not go with the loss."""
    network, settings = document.network, TrainingSettings(**trainer_settings(document.training))
    notes = settings.notes(network.output_activation, network.initialiser, len(network.layer_sizes) - 2)
    return [note for note in notes if note not in training_notes(document)]


def cost_note(document: Document) -> str:
    """A sentence on what a training step of a large network costs, else an empty string."""
    seconds = step_seconds(document)
    if seconds < LARGE_STEP_SECONDS or seconds >= SLOW_STEP_SECONDS:
        return slow_step_note(document)
    count = count_parameters(document.network.layer_sizes)
    return COST.format(milliseconds=1000 * seconds, parameters=count, samples=batch_of(document, _n_samples(document)))


def slow_step_note(document: Document) -> str:
    """A sentence on what a training step costs when it is estimated at more than a second, else an empty string."""
    seconds = step_seconds(document)
    if seconds < SLOW_STEP_SECONDS:
        return ""
    return f"A training step will take about {seconds:.0f} s: a smaller batch or a smaller network is faster."


def step_seconds(document: Document) -> float:
    """How long a step takes on an ordinary computer, to a factor of two or three."""
    # forward, and backward for weights and inputs: three multiplications for each parameter and sample
    multiplications = 3 * count_parameters(document.network.layer_sizes) / MULTIPLICATIONS_PER_SECOND
    return batch_of(document, _n_samples(document)) * (
        multiplications + numbers_per_sample(document) / NUMBERS_PER_SECOND
    )


def _n_samples(document: Document) -> int:
    return prepare(document.data).train.n_samples
