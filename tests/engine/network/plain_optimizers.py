"""Every update rule in plain Python, for one parameter, with PyTorch's defaults.

Each takes the parameter, its gradient, its memory by the symbols of the rule, the number of the update from 1 and the
learning rate, and gives the next value.
"""

import math


def sgd(p, g, m, t, rate):
    return p - rate * g


def momentum(p, g, m, t, rate):
    m["v"] = 0.9 * m.get("v", 0.0) + g
    return p - rate * m["v"]


def nesterov(p, g, m, t, rate):
    m["v"] = 0.9 * m.get("v", 0.0) + g
    return p - rate * (g + 0.9 * m["v"])


def rmsprop(p, g, m, t, rate):
    m["s"] = 0.99 * m.get("s", 0.0) + 0.01 * g * g
    return p - rate * g / (math.sqrt(m["s"]) + 1e-8)


def adam(p, g, m, t, rate):
    m["m"] = 0.9 * m.get("m", 0.0) + 0.1 * g
    m["s"] = 0.999 * m.get("s", 0.0) + 0.001 * g * g
    return p - rate * (m["m"] / (1 - 0.9**t)) / (math.sqrt(m["s"] / (1 - 0.999**t)) + 1e-8)


def adamw(p, g, m, t, rate):
    return adam(p * (1 - rate * 0.01), g, m, t, rate)


PLAIN = {"sgd": sgd, "momentum": momentum, "nesterov": nesterov, "rmsprop": rmsprop, "adam": adam, "adamw": adamw}
"""By the name in OPTIMIZERS."""
