"""The bundled models and tables as the building of the package parsed them: a run needs no YAML reader for them."""

from __future__ import annotations

import hashlib
import json
from functools import cache, lru_cache
from pathlib import Path

#: Written by `hatch_build.py`; a checkout from which nothing was installed has none, and reads YAML instead.
FILE = Path(__file__).parent / "bundled.json"
# Bytes: a larger file is not looked up.
MAX_BYTES = 1_000_000


def parse_all(configs: Path) -> str:
    """Every model and table of a folder as JSON: its content by the SHA-256 of its file, a line each."""
    from gaitid.model.yaml_file import load_yaml

    folders = ("", "tables", "marker_sets", "choices", "upper_body", "labels", "anthropometry")
    files = sorted(file for folder in folders for file in (configs / folder).glob("*.yaml"))
    lines = [f'"{_digest(file)}": {json.dumps(load_yaml(file), ensure_ascii=False)}' for file in files]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def content_of(path: Path) -> object:
    """What a YAML file holds: as parsed before where it has the bytes of a bundled one, or is the same as it was then.

    Not to be changed.

    Raises
    ------
    ModelError
        As `load_yaml`.
    """
    try:
        if path.is_file() and path.stat().st_size < MAX_BYTES:
            digest = _digest(path)
            text = _lines(FILE).get(digest)
            return _same(path, digest) if text is None else _parsed(text)
    except (OSError, ValueError):
        pass  # told by the reader, if it is not our own file that is damaged
    return _read(path)


@lru_cache(maxsize=256)
def _same(path: Path, digest: str) -> object:
    """The content of a file as long as its bytes are the same: a model is loaded several times, and reads ten files."""
    return _read(path)


def _read(path: Path) -> object:
    from gaitid.model.yaml_file import load_yaml  # its import is 15 ms of a run

    return load_yaml(path)


@cache
def _lines(file: Path) -> dict[str, str]:
    """The content of each file by its SHA-256, as text: a run needs five of forty."""
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError):
        return {}
    parts = (line.partition(": ") for line in lines)
    return {digest.strip('"'): content.removesuffix(",") for digest, _, content in parts}


@cache
def _parsed(text: str) -> object:
    return json.loads(text)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
