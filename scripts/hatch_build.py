"""Hatch's hook: builds the component of `build_runtime.py` into the wheel, which stays independent of the platform."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class RuntimeHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds `engine/language/python.wasm` and its stamp to a wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the component when a wheel is made."""
        if self.target_name != "wheel" or version == "editable":
            return
        spec = importlib.util.spec_from_file_location("build_runtime", Path(self.root, "scripts/build_runtime.py"))
        assert spec is not None and spec.loader is not None
        build_runtime = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(build_runtime)
        if build_runtime.is_up_to_date(build_runtime.fingerprint()):
            return  # the wheel takes it with the folder engine
        component = build_runtime.COMPONENT
        if component.exists() or os.access(component.parent, os.W_OK):
            build_runtime.build()
            return
        self._folder = folder = tempfile.TemporaryDirectory(prefix="gradstep-wheel-")  # the sources are read-only
        component = Path(folder.name, "python.wasm")
        build_runtime.build(component)
        for file in (component, component.with_suffix(".stamp")):
            build_data["force_include"][str(file)] = f"gradstep_app/engine/language/{file.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was built beside the wheel."""
        if folder := getattr(self, "_folder", None):
            folder.cleanup()
