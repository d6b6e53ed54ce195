"""The installed program's first lines: gradstep_app/launch.py in the wheel, beside main.py and its packages."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))  # so that no other package called datasets is found first

from main import main

__all__ = ["main"]
