"""CITATION.cff: what the Citation File Format 1.2.0 asks for, and the package's own version, licence and authors."""

from __future__ import annotations

import tomllib
from pathlib import Path

import yaml

from gaitid.version import __version__

ROOT = Path(__file__).resolve().parents[1]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
# of the format's schema: the keys that are required, and those of them that are used here
REQUIRED = {"cff-version", "message", "title", "authors"}
KNOWN = REQUIRED | {"type", "abstract", "version", "license", "keywords"}


def test_the_format() -> None:
    assert set(CITATION) >= REQUIRED
    assert set(CITATION) <= KNOWN
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["type"] == "software"
    assert all(isinstance(word, str) for word in CITATION["keywords"])
    assert len(set(CITATION["keywords"])) == len(CITATION["keywords"])


def test_it_is_of_this_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert CITATION["version"] == __version__, "write the version of gaitid/version.py into CITATION.cff"
    assert CITATION["license"] == project["license"]
    assert [author["name"] for author in CITATION["authors"]] == [author["name"] for author in project["authors"]]
