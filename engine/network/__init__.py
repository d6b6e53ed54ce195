"""A perceptron and its training."""

from engine.network.errors import LossError, SettingError, SizeError, UnknownNameError
from engine.network.initialisers import INITIALISERS, draw_network
from engine.network.layer import ACTIVATIONS, Layer, Neuron
from engine.network.losses import LOSSES, Loss, Targets, encode
from engine.network.mlp import MLP
from engine.network.objective import Penalty, array_objective, sample_loss, scalar_objective
from engine.network.optimizers import OPTIMIZERS, Setting, checked_settings
from engine.network.schedules import SCHEDULES
from engine.network.settings import TrainingSettings
from engine.network.snapshot import PHASES, Phase, Snapshot, saved_snapshot
from engine.network.stop_rules import StopRules
from engine.network.stopping import TrainingDiverged
from engine.network.trainer import Trainer
from engine.network.update import Update

__all__ = [
    "ACTIVATIONS",
    "INITIALISERS",
    "LOSSES",
    "MLP",
    "OPTIMIZERS",
    "PHASES",
    "SCHEDULES",
    "Layer",
    "Loss",
    "LossError",
    "Neuron",
    "Penalty",
    "Phase",
    "Setting",
    "SettingError",
    "SizeError",
    "Snapshot",
    "StopRules",
    "Targets",
    "Trainer",
    "TrainingDiverged",
    "TrainingSettings",
    "UnknownNameError",
    "Update",
    "array_objective",
    "checked_settings",
    "draw_network",
    "encode",
    "sample_loss",
    "saved_snapshot",
    "scalar_objective",
]
