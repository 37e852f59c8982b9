"""Where the files lie that come with gaitid: apart, as a shell that completes a name needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType


@cache
def bundled_folder(name: str) -> Path:
    """The folder `configs` or `sample_data`: inside an installed package, or beside it in a checkout."""
    here = Path(__file__).resolve().parents[1]
    inside = here / "_bundled" / name
    return inside if inside.is_dir() else here.parent / name


@cache
def bundled_names(name: str) -> Mapping[str, Path]:
    """The same by the names that users give."""
    return MappingProxyType({path.stem: path for path in bundled_files(name)})


@cache
def bundled_files(name: str) -> tuple[Path, ...]:
    """The YAML files of a bundled folder, sorted (`Path.glob` compiles its pattern first: 0.5 ms)."""
    return tuple(sorted(path for path in bundled_folder(name).iterdir() if path.suffix == ".yaml"))
