"""Writes pytorch_figures.json beside this file, with PyTorch: `python -m tests.engine.network.make_pytorch_figures`.

With `--compare` nothing is written; PyTorch as installed is compared with Gradstep live.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from engine.network import MLP
from tests.engine.network.pytorch_runs import RUNS, STEPS, gradstep_run, network, problem, rate

FILE = Path(__file__).with_name("pytorch_figures.json")

LOSS_FUNCTIONS = {
    "mean_squared_error": F.mse_loss,
    "sum_squared_error": lambda o, t: F.mse_loss(o, t, reduction="sum"),
    "hinge": lambda o, t: F.relu(1 - t * o).mean(),
    "binary_cross_entropy": F.binary_cross_entropy_with_logits,
    "softmax_cross_entropy": F.cross_entropy,
    "huber": F.huber_loss,
}
OPTIMIZERS = {
    "sgd": lambda p, lr: torch.optim.SGD(p, lr=lr),
    "momentum": lambda p, lr: torch.optim.SGD(p, lr=lr, momentum=0.9),
    "nesterov": lambda p, lr: torch.optim.SGD(p, lr=lr, momentum=0.9, nesterov=True),
    "rmsprop": lambda p, lr: torch.optim.RMSprop(p, lr=lr),
    "adam": lambda p, lr: torch.optim.Adam(p, lr=lr),
    "adamw": lambda p, lr: torch.optim.AdamW(p, lr=lr),
}


def torch_network(model: MLP) -> torch.nn.Sequential:
    """The same network with the same weights, float64."""
    modules: list[torch.nn.Module] = []
    for matrix in model.shape.layer_matrices(model.weights):
        linear = torch.nn.Linear(matrix.shape[1] - 1, matrix.shape[0], dtype=torch.float64)
        with torch.no_grad():
            linear.weight.copy_(torch.from_numpy(matrix[:, :-1].copy()))
            linear.bias.copy_(torch.from_numpy(matrix[:, -1].copy()))
        modules += [linear, torch.nn.Tanh()]
    return torch.nn.Sequential(*modules[:-1])


def torch_run(loss: str, optimizer: str) -> dict[str, list[float]]:
    """What 50 steps of PyTorch saw, and the weights they led to, in Gradstep's order."""
    X, y = problem(loss)
    net = torch_network(network(loss))
    inputs = torch.from_numpy(X)
    targets = torch.from_numpy(np.array(y))
    if loss != "softmax_cross_entropy":
        targets = targets.to(torch.float64).reshape(len(X), -1)
    update = OPTIMIZERS[optimizer](net.parameters(), rate(loss, optimizer))
    losses = []
    for _ in range(STEPS):
        update.zero_grad()
        total = LOSS_FUNCTIONS[loss](net(inputs), targets)
        total.backward()
        update.step()
        losses.append(total.item())
    return {"losses": losses, "weights": _flat(net)}


def _flat(net: torch.nn.Sequential) -> list[float]:
    linears = [module for module in net if isinstance(module, torch.nn.Linear)]
    rows: list[Any] = [torch.cat([linear.weight, linear.bias[:, None]], dim=1).reshape(-1) for linear in linears]
    return list(torch.cat(rows).tolist())


def main() -> None:
    """Writes the figures, or with `--compare` compares them live."""
    figures = {f"{loss} {optimizer}": torch_run(loss, optimizer) for loss, optimizer in RUNS}
    if "--compare" in sys.argv:
        worst = 0.0
        for loss, optimizer in RUNS:
            theirs, ours = figures[f"{loss} {optimizer}"], gradstep_run(loss, optimizer)
            worst = max(worst, *(np.max(np.abs(np.subtract(theirs[key], ours[key]))) for key in theirs))
        print(f"PyTorch {torch.__version__}: {len(RUNS)} runs of {STEPS} steps, largest difference {worst:.1e}")
        return
    lines = [f"{json.dumps(name)}: {json.dumps(run)}" for name, run in figures.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
