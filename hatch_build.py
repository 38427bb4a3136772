"""Compiles the plugin library while the package is built; for all platforms with QUOTA_ROUTER_BUILD_ALL=1."""

import importlib.util
import os
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

__all__ = ["LibraryHook"]


class LibraryHook(BuildHookInterface):
    """Runs for wheels and editable installations; a source distribution carries the sources alone."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the hook's signature
        """Compile what this build ships; what an earlier one left behind would be of another version."""
        if self.target_name != "wheel":
            return
        compiler = _load(Path(self.root) / "qr" / "abi" / "build.py")
        for stale in compiler.BUILT.glob("quota-router-*"):
            stale.unlink()
        everything = os.environ.get("QUOTA_ROUTER_BUILD_ALL") == "1"
        for target in compiler.TARGETS.values() if everything else [compiler.host_target()]:
            compiler.build(target, version=self.metadata.version)
            self.app.display_info(f"plugin library for {target.name}")


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("quota_router_build", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
