"""Hatch's hook: builds the component of `build_runtime.py` into the wheel, which stays independent of the platform."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class RuntimeHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds `engine/language/python.wasm` to a wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the component when a wheel is made."""
        if self.target_name != "wheel" or version == "editable":
            return
        spec = importlib.util.spec_from_file_location("build_runtime", Path(self.root, "scripts/build_runtime.py"))
        assert spec is not None and spec.loader is not None
        build_runtime = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(build_runtime)
        target = Path(self.directory, "python.wasm")
        target.parent.mkdir(parents=True, exist_ok=True)
        build_runtime.build(target)
        build_data["force_include"][str(target)] = "gradstep_app/engine/language/python.wasm"
