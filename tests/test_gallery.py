"""docs/gallery.md: its pictures are there and small, and what stands under each makes it."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest
from slow import slow_but

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = (DOCS / "gallery.md").read_text(encoding="utf-8")
SCRIPT: dict[str, Any] = runpy.run_path(str(DOCS / "figures" / "gallery.py"))
ENTRIES: dict[str, str] = SCRIPT["entries"](PAGE)
BY_COMMAND = [name for name, commands in ENTRIES.items() if "python docs/" not in commands]


def test_every_picture_has_what_makes_it() -> None:
    assert sorted(ENTRIES) == sorted(set(re.findall(r"\(figures/(\w+\.png)\)", PAGE)))
    for name, commands in ENTRIES.items():
        for script in re.findall(r"python (docs/\S+)", commands):
            assert (DOCS.parent / script).is_file(), name


@pytest.mark.parametrize("name", slow_but({"four_bar.png"}, BY_COMMAND))
def test_the_commands_draw_it(name: str, tmp_path: Path) -> None:
    shutil.copytree(DOCS.parent / "sample_data", tmp_path / "sample_data")
    assert SCRIPT["draw"](ENTRIES[name], name, tmp_path).read_bytes().startswith(b"\x89PNG")
