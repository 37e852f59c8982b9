"""docs/examples/validation_table.py: one table of comparisons, as docs/validate.md asks for."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

import gaitid

ROOT = Path(__file__).resolve().parents[2]


def test_a_table_of_another_program_and_one_of_stored_outputs(tmp_path: Path) -> None:
    """Knee flexion that another program has 2 degrees higher, and the same result in Plug-in Gait's labels."""
    walk = gaitid.analyse(ROOT / "sample_data" / "walk" / "walk.c3d", model="pig_vicon")
    walk.write(tmp_path)
    theirs = walk.joints[["frame", "time_s", "left_knee_flexion_deg"]].assign(name="not a curve of gaitid")
    theirs["left_knee_flexion_deg"] += 2
    theirs.to_csv(tmp_path / "other.csv", index=False)
    exported = [
        sys.executable,
        "-m",
        "gaitid",
        "export",
        tmp_path / "walk.run.json",
        "--to",
        "c3d",
        "-o",
        tmp_path / "c",
    ]
    subprocess.run(exported, check=True, capture_output=True)
    pairs = ["trial,program,result,other", "A1,V3D,walk.run.json,other.csv", "A1,Nexus,walk.run.json,c/walk.c3d"]
    (tmp_path / "pairs.csv").write_text("\n".join(pairs), encoding="utf-8")
    script = ROOT / "docs" / "examples" / "validation_table.py"
    command = [sys.executable, script, tmp_path / "pairs.csv", "-o", tmp_path / "table.csv"]
    subprocess.run(command, check=True, capture_output=True)
    with (tmp_path / "table.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    (knee,) = (row for row in rows if row["program"] == "V3D")
    assert (knee["column"], knee["unit"], knee["model"], knee["verdict"]) == (
        *("left_knee_flexion_deg", "deg", "pig_vicon"),
        walk.verdict["trial"],
    )
    assert all(float(knee[name]) == pytest.approx(2, abs=1e-6) for name in ("rms", "bias", "largest"))
    stored = [row for row in rows if row["program"] == "Nexus"]
    assert len(stored) > 20
    assert max(float(row["rms"]) for row in stored if row["unit"] == "deg") < 1e-4
