"""The section "Write your own model in ten minutes" of docs/model.md, typed literally."""

from __future__ import annotations

import csv
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal import SHARED

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "model.md").read_text(encoding="utf-8")
SECTION = TEXT.partition("## Write your own model in ten minutes\n")[2].partition("\n## ")[0]
BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="the section is typed in a shell that has sed")


def typed(part: str) -> Iterator[tuple[str, str]]:
    """What the reader types: ("", command), or (file, content), in the order of the page."""
    for block in re.finditer(r"^```yaml\n# (\S+\.yaml)\n(.*?)^```$|^    (\S[^\n]*)$", part, re.MULTILINE | re.DOTALL):
        yield (block[1], block[2]) if block[1] else ("", block[3])


def type_in(part: str, folder: Path) -> str:
    """All that the commands print, on stdout and stderr."""
    said = []
    for file, text in typed(part):
        if file:
            (folder / file).write_text(text, encoding="utf-8")
            continue
        script = f'gaitid() {{ "{sys.executable}" -m gaitid "$@"; }}; {text}'
        environment = os.environ | {"PYTHONUTF8": "1"}
        done = subprocess.run(
            [BASH or "", "-e", "-c", script], cwd=folder, capture_output=True, encoding="utf-8", env=environment
        )
        assert done.returncode == 0, f"{text}: {done.stderr}"
        said.append(done.stdout + done.stderr)
    return "\n".join(said)


def columns(path: Path) -> dict[str, list[float]]:
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) if row[name] else math.nan for row in rows] for name in rows[0]}


def spread(values: list[float]) -> tuple[float, float]:
    known = [value for value in values if math.isfinite(value)]
    return min(known), max(known)


def part(title: str) -> str:
    found = SECTION.partition(f"### {title}\n")[2].partition("\n### ")[0]
    assert found
    return found


@pytest.mark.slow
def test_a_static_with_medial_markers_and_another_hip(tmp_path: Path) -> None:
    recorded = SHARED / "qualisys"
    if not recorded.is_dir():
        pytest.skip("recorded trials (../shared/trials) are not here")
    for file in ("static.c3d", "walk.c3d"):
        shutil.copy(recorded / file, tmp_path)
    page = part("A static with medial markers, and another hip")
    said = type_in(page, tmp_path)
    assert "OK mine.yaml: mine: Clusters calibrated in the static, hips by Bell" in said
    assert "mine.yaml (Clusters calibrated in the static, hips by Bell): `run` takes this trial as it stands" in said
    found = {name: columns(tmp_path / name / "walk.joints.csv") for name in ("cast", "mine")}
    rows = re.findall(r"^\| `(\w+)` \| (\S+) to (\S+) \| (\S+) to (\S+) \|$", page.replace("−", "-"), re.MULTILINE)
    assert len(rows) == 5
    for column, *ends in rows:
        told = [float(end) for end in ends]
        true = [*spread(found["cast"][f"left_{column}"]), *spread(found["mine"][f"left_{column}"])]
        digit = 0.01 if "moment" in column else 0.1
        assert all(abs(a - b) <= 0.51 * digit for a, b in zip(told, true, strict=True)), (column, told, true)
