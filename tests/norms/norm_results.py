"""Results made up of curves that are known."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.norms.fit import VARIABLES
from gaitid.write import CYCLE_COLUMNS
from gaitid.write.cycles import SPATIOTEMPORAL_COLUMNS

EXTRA = ("hip_extension_moment_Nm_per_kg", "knee_power_W_per_kg", "ground_reaction_upward_N_per_kg")
COLUMNS = (*VARIABLES, *EXTRA)
Make = Callable[..., Path]


def make_result(
    record: Mapping[str, Any],
    root: Path,
    subject: str,
    level: float,
    *,
    stem: str = "walk",
    right: float | None = None,
    cycles: int = 1,
    verdict: str = "good",
    speed: float = 1.0,
    sha256: str = "",
    change: Mapping[str, Any] | None = None,
    gap_in: str = "",
    features: bool = True,
) -> Path:
    """Record and tables of one trial."""
    folder = root / subject
    folder.mkdir(parents=True, exist_ok=True)
    made = json.loads(json.dumps(record))
    made["trial"]["stem"] = stem
    made["inputs"] = [{"role": "trial", "path": f"/data/{subject}/{stem}.c3d", "sha256": sha256 or f"{subject}{stem}"}]
    made["verdict"] = {"trial": verdict, "left": verdict, "right": verdict, "reasons": []}
    made["impacts"] = [{"side": "left", "first_frame": 97, "last_frame": 104, "peak_frame": 101}]
    for key, value in (change or {}).items():
        made[key] = {**made[key], **value} if isinstance(value, Mapping) else value
    levels = {"left": level, "right": level if right is None else right}
    made["trial"] |= {"first_frame": 1, "frames": 300, "camera_rate_hz": 100.0}
    strikes = [{"side": side, "kind": "strike", "time_s": at} for side in levels for at in (0.99, 1.99)]
    made["events"] |= {"cycles": 2 * cycles, "used": strikes}
    by_frame = {f"{side}_{name}": at for side, at in levels.items() for name in COLUMNS if "ground" not in name}
    joints = [",".join(("frame", "time_s", *by_frame))]
    for frame in range(1, 301):
        values = [at + 0.01 * (frame - 100) for at in by_frame.values()]
        joints.append(",".join(map(str, (frame, frame / 100, *values))))
    rows = [",".join((*CYCLE_COLUMNS, *COLUMNS))]
    figures = [",".join(SPATIOTEMPORAL_COLUMNS)]
    tidy = ["side,cycle,feature,value,unit,percent,frame"]
    for side, at in levels.items():
        for cycle in range(1, cycles + 1):
            for percent in range(101):
                gap = gap_in if percent == 50 and cycle == 1 else ""
                cells = ["" if column == gap else f"{at + 0.01 * percent}" for column in COLUMNS]
                rows.append(f"{side},{cycle},{percent},100,200,,,,{','.join(cells)}")
            figures.append(stride(side, cycle, 100, 200, speed, 60 + at, stem, verdict))
            tidy.append(f"{side},{cycle},hip_flexion_angle_max,{at},deg,40,140")
            tidy.append(f"{side},{cycle},knee_flexion_angle_max,,deg,,")
    figures.append(stride("both", "mean", "", "", speed, 60, stem, verdict))
    (folder / f"{stem}.joints.csv").write_text("\n".join(joints) + "\n", encoding="utf-8")
    (folder / f"{stem}.cycles.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / f"{stem}.spatiotemporal.csv").write_text("\n".join(figures) + "\n", encoding="utf-8")
    if features:
        (folder / f"{stem}.features.csv").write_text("\n".join(tidy) + "\n", encoding="utf-8")
    path = folder / f"{stem}.run.json"
    path.write_text(json.dumps(made), encoding="utf-8")
    return path


def stride(*cells: object) -> str:
    """A row of ``spatiotemporal.csv``: side, cycle, its frames, speed, stance, trial and verdict; the rest is empty."""
    names = ("side", "cycle", "first_frame", "last_frame", "speed_m_per_s", "stance_percent", "trial", "verdict")
    of_row = dict(zip(names, cells, strict=True))
    return ",".join(str(of_row.get(name, "")) for name in SPATIOTEMPORAL_COLUMNS)


def profile_curves(value: float | np.ndarray[Any, np.dtype[np.float64]] = 0.0) -> dict[str, Any]:
    """(101,) curves of the nine variables."""
    return {variable: np.zeros(101) + value for variable in VARIABLES}
