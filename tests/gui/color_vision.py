"""Colours as people see them: contrast of two (WCAG 2.1), difference of two (CIEDE2000), and what is left of them for
colour-blind people (Machado, Oliveira & Fernandes 2009, matrices of severity 1.0, on linear RGB)."""

import math

import numpy as np
from PySide6.QtGui import QColor

VISION = {
    "all colours": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                            [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                              [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                            [0.004733, 0.691367, 0.303900]]),
}  # fmt: skip
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = TO_XYZ.sum(axis=1)


def linear(color):
    """Red, green and blue in proportion to light, 0 to 1."""
    parts = np.array(QColor(color).getRgbF()[:3])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """Ratio of the luminances, 1 to 21."""
    dark, light = sorted(float(linear(color) @ TO_XYZ[1]) for color in (one, other))
    return (light + 0.05) / (dark + 0.05)


def lab(color, vision="all colours"):
    """CIE L*a*b* of a colour, as that vision sees it."""
    xyz = TO_XYZ @ np.clip(VISION[vision] @ linear(color), 0.0, 1.0) / WHITE
    x, y, z = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one, other, vision="all colours"):
    """CIEDE2000 of two colours for that vision: about 2 is just seen side by side, 10 at a glance."""
    return ciede2000(lab(one, vision), lab(other, vision))


def ciede2000(one, other):
    """Difference of two colours in L*a*b* (Sharma, Wu & Dalal 2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    grey = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    stretch = 1 + 0.5 * (1 - math.sqrt(grey**7 / (grey**7 + 25**7)))
    c1, c2 = math.hypot(a1 * stretch, b1), math.hypot(a2 * stretch, b2)
    h1, h2 = (math.degrees(math.atan2(b, a * stretch)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    hue = h1 + h2 if c1 * c2 == 0 else h1 + turn / 2
    d_hue = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    t = 1 - 0.17 * math.cos(math.radians(hue - 30)) + 0.24 * math.cos(math.radians(2 * hue))
    t += 0.32 * math.cos(math.radians(3 * hue + 6)) - 0.20 * math.cos(math.radians(4 * hue - 63))
    s_light = 1 + 0.015 * (light - 50) ** 2 / math.sqrt(20 + (light - 50) ** 2)
    s_chroma, s_hue = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    bend = -2 * math.sqrt(chroma**7 / (chroma**7 + 25**7))
    bend *= math.sin(math.radians(60 * math.exp(-(((hue % 360 - 275) / 25) ** 2))))
    parts = (l2 - l1) / s_light, (c2 - c1) / s_chroma, d_hue / s_hue
    return math.sqrt(sum(part**2 for part in parts) + bend * parts[1] * parts[2])
