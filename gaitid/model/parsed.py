"""The bundled models and tables as the building of the package parsed them: a run needs no YAML reader for them."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

#: Written by `hatch_build.py`; a checkout from which nothing was installed has none, and reads YAML instead.
FILE = Path(__file__).parent / "bundled.json"
# Bytes: a larger file is not looked up.
MAX_BYTES = 1_000_000


def parse_all(configs: Path) -> str:
    """Every model and table of a folder as JSON: its content by the SHA-256 of its file."""
    from gaitid.model.yaml_file import load_yaml

    files = sorted(
        [
            *configs.glob("*.yaml"),
            *configs.glob("tables/*.yaml"),
            *configs.glob("marker_sets/*.yaml"),
            *configs.glob("choices/*.yaml"),
            *configs.glob("upper_body/*.yaml"),
        ]
    )
    return json.dumps({_digest(file): load_yaml(file) for file in files}, indent=1, ensure_ascii=False) + "\n"


def content_of(path: Path) -> object:
    """What a YAML file holds: as parsed before where it has the bytes of a bundled one. Not to be changed.

    Raises
    ------
    ModelError
        As `load_yaml`.
    """
    try:
        if path.is_file() and path.stat().st_size < MAX_BYTES and (digest := _digest(path)) in _parsed(FILE):
            return _parsed(FILE)[digest]
    except OSError:
        pass  # told by the reader
    from gaitid.model.yaml_file import load_yaml  # its import is 15 ms of a run

    return load_yaml(path)


@cache
def _parsed(file: Path) -> dict[str, object]:
    try:
        content: dict[str, object] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
