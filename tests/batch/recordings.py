"""A data set of small trials: four subjects with six walks each, three of the twenty-four broken."""

from __future__ import annotations

import shutil
from pathlib import Path

from gaitid.batch.plan import Plan
from gaitid.simulate.files import simulate

# The last as ten: names of digits are in their order, not in that of letters.
NUMBERS = (1, 2, 3, 4, 5, 10)
SUBJECTS, WALKS = 4, len(NUMBERS)
BROKEN = {"P2/walk3.c3d", "P3/walk1.c3d", "P4/walk10.c3d"}
FRAMES = 150


def make_recordings(folder: Path) -> Path:
    """``P1`` … ``P4``, each with ``static.c3d`` and a walk of each of `NUMBERS`, no two of the same bytes."""
    one, top = folder / "one", folder / "recordings"
    simulate("walk", one, duration=FRAMES / 100.0)
    (one / "walk.c3d").rename(one / "calibrated.c3d")
    walk = without_calibration((one / "calibrated.c3d").read_bytes())
    (one / "walk.c3d").write_bytes(walk)
    for i in range(1, SUBJECTS + 1):
        (top / f"P{i}").mkdir(parents=True)
        shutil.copy(one / "static.c3d", top / f"P{i}")
        for k in NUMBERS:
            # after the last frame: another file with the same trial in it
            (top / f"P{i}" / f"walk{k}.c3d").write_bytes(walk + bytes([i, k]))
    (top / "P2" / "walk3.c3d").write_bytes(walk[: len(walk) // 2])
    (top / "P3" / "walk1.c3d").write_bytes(b"")
    (top / "P4" / "walk10.c3d").unlink()
    (top / "P4" / "walk10.c3d").symlink_to("nowhere.c3d")
    return top


def without_calibration(walk: bytes) -> bytes:
    """A C3D file that stores no calibration of the foot: a static is needed. (`calibrated.c3d` stores one.)"""
    changed = walk.replace(b"StaticPlantFlex", b"NotStoredAnyMor")
    assert changed != walk
    return changed


def pairs(plan: Plan, top: Path) -> dict[str, str | None]:
    """Trial -> static, below a folder."""
    return {
        p.trial.relative_to(top).as_posix(): p.static and p.static.path.relative_to(top).as_posix() for p in plan.trials
    }
