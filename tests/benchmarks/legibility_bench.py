"""Legibility: how high a digit is, in pixels of the screen, when a graph of the tutorials is first shown and when it is
shown whole, in the default arrangement of each workspace with the graph, at 1440 x 900.

    python -m tests.benchmarks legibility

On a display the window is as large as that allows; without one a screen of that size is made.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SCREEN = {"name": "screen", "x": 0, "y": 0, "width": 1440, "height": 900}
TITLE_BAR = 30


def rows() -> list[dict[str, Any]]:
    """One record for each graph and workspace."""
    with tempfile.TemporaryDirectory() as folder:
        screens = Path(folder, "screens.json")
        screens.write_text(json.dumps({"screens": [SCREEN]}), encoding="utf-8")
        environment = {"QT_QPA_PLATFORM": f"offscreen:configfile={screens}", **os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "tests.legibility", str(SCREEN["width"]), str(900 - TITLE_BAR)]
        ended = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    table: list[dict[str, Any]] = json.loads(ended.stdout.splitlines()[-1])
    return table
