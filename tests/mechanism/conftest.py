"""Fixtures: bundled mechanisms, solved, and copies of them with changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from solved_mechanisms import Solved, merged, solved

from gaitid.mechanism.file import find_mechanism


@pytest.fixture(scope="session")
def bundled() -> Callable[[str], Solved]:
    """`bundled("four_bar")`: each is solved once a session."""
    return solved


@pytest.fixture
def edited(tmp_path: Path) -> Callable[[str, Mapping[str, Any]], Path]:
    """`edited("four_bar", {"drivers": None})`: the path of a bundled mechanism with changes."""

    def edit(name: str, changes: Mapping[str, Any]) -> Path:
        content = merged(yaml.safe_load(find_mechanism(name).read_text(encoding="utf-8")), dict(changes))
        path = tmp_path / f"{name}.yaml"
        path.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True), encoding="utf-8")
        return path

    return edit
