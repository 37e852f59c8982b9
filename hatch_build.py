"""A step of building the package: its models and tables are parsed, so that a run loads no YAML reader for them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FILE = "gaitid/model/bundled.json"


class ParsedModels(BuildHookInterface):
    """Puts the file into the wheel; for an editable install, which has the checkout's files, into the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sys.path.insert(0, self.root)
        from gaitid.model.parsed import parse_all  # needs PyYAML alone, as [build-system] has it

        self.aside = Path(self.directory, "bundled.json")
        target = Path(self.root, FILE) if version == "editable" else self.aside
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(parse_all(Path(self.root, "configs")), encoding="utf-8")
        if target == self.aside:
            build_data["force_include"][str(target)] = FILE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self.aside.unlink(missing_ok=True)
