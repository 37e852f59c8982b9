"""Remake gaitid/model/bundled.json: the bundled models and tables, parsed, by the SHA-256 of their files.

    python benchmarks/parse_bundled.py

A run with a bundled model reads this instead of importing a YAML reader. A test holds it to the YAML files.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from gaitid.model.yaml_file import load_yaml

ROOT = Path(__file__).resolve().parents[1]
TWIN = ROOT / "gaitid" / "model" / "bundled.json"


def twins() -> dict[str, object]:
    """What the twin should hold."""
    files = sorted([*(ROOT / "configs").glob("*.yaml"), *(ROOT / "configs" / "tables").glob("*.yaml")])
    return {hashlib.sha256(file.read_bytes()).hexdigest(): load_yaml(file) for file in files}


if __name__ == "__main__":
    TWIN.write_text(json.dumps(twins(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
