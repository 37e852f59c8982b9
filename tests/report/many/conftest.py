"""Results with as many cycles as a test wants, of several sessions and subjects."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

Array = NDArray[np.float64]

PERCENT = np.arange(101.0)
MARKS = "side,cycle,percent,first_frame,last_frame,foot_off_percent,opposite_off_percent,opposite_strike_percent"
COLUMNS = ("knee_flexion_deg", "ankle_power_W_per_kg", "ground_reaction_upward_N_per_kg")
TABLES = {
    "joints": ",".join(["frame,time_s", *(f"{side}_{name}" for side in ("left", "right") for name in COLUMNS[:2])]),
    "wrenches": "frame,time_s",
    "cycles": f"{MARKS},{','.join(COLUMNS)}",
    "stances": f"side,contact,percent,first_frame,last_frame,plates,{','.join(COLUMNS)}",
    "spatiotemporal": "side,cycle,first_frame,last_frame,speed_m_per_s,stance_percent",
    "features": "side,cycle,feature,value,unit,percent,frame",
}


def bump(size: float, at: float = 35.0) -> Array:
    """(101,) a smooth rise by `size` about one percent."""
    return size * np.exp(-(((PERCENT - at) / 10) ** 2) / 2)


def curves(rng: np.random.Generator, cycles: int, extra: Array) -> dict[str, Array]:
    """(cycles, 101) of each column: a wave with smooth variation; the ground reaction is 0 from 60 % on."""
    phase = 2 * np.pi * PERCENT / 100
    noise = sum(
        rng.normal(0, 1.0 / k, (cycles, 1)) * np.sin(k * phase + rng.uniform(0, 6, (cycles, 1))) for k in (1, 2, 3)
    )
    knee = 30 - 25 * np.cos(2 * phase) + noise + extra
    upward = np.where(PERCENT < 60, 9 + noise / 10, 0.0)
    return dict(zip(COLUMNS, (knee, np.sin(phase) + noise / 20, upward), strict=True))


# A cycle has as many frames as percents, and the next one begins two frames after its end.
FIRST, EVERY = 57, 102


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    text = [",".join("" if cell != cell else str(cell) for cell in row) for row in (header, *rows)]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")


def write_cycles(result: Path, of_side: dict[str, dict[str, Array]]) -> None:
    """Put the cycles into the tables of a result; speed grows by 0.01 m/s a cycle."""
    beside = {name: result.with_name(result.name.replace("run.json", f"{name}.csv")) for name in TABLES}
    rows: dict[str, list[Sequence[object]]] = {name: [] for name in TABLES}
    n_cycles = max(len(values[COLUMNS[0]]) for values in of_side.values())
    joints = np.full((EVERY * n_cycles, 2, 2), np.nan)
    strikes = []
    for i, (side, values) in enumerate(of_side.items()):
        for cycle, curves in enumerate(zip(*(values[name] for name in COLUMNS), strict=True)):
            ends = FIRST + EVERY * cycle, FIRST + EVERY * cycle + 100
            strikes += [{"kind": "strike", "side": side, "time_s": (frame - FIRST) / 100} for frame in ends]
            joints[EVERY * cycle : EVERY * cycle + 101, i] = np.array(curves[:2]).T
            of_percent = np.array(curves).T.tolist()
            rows["cycles"] += [(side, cycle + 1, at, *ends, 60, 10, 50, *of_percent[at]) for at in range(101)]
            rows["spatiotemporal"].append((side, cycle + 1, *ends, 1 + 0.01 * cycle, 60))
            rows["features"].append((side, cycle + 1, "knee_flexion_angle_max_swing", "", "deg", "", ""))
    frames = FIRST + np.arange(len(joints))
    rows["joints"] = np.column_stack([frames, frames / 100, joints.reshape(len(joints), 4)]).tolist()
    rows["wrenches"] = [(frame, frame / 100) for frame in frames.tolist()]
    for name, header in TABLES.items():
        write_table(beside[name], header.split(","), rows[name])
    record = json.loads(result.read_text(encoding="utf-8"))
    record["events"] = {"cycles": len(rows["spatiotemporal"]), "used": strikes}
    result.write_text(json.dumps(record), encoding="utf-8")


Walk = Callable[..., Path]


@pytest.fixture
def walk(make_result: Callable[..., Path], tmp_path: Path) -> Walk:
    """Write a result: (folder, stem, cycles, extra to knee flexion, seed) -> path of its run.json."""

    def write(folder: str, stem: str = "walk", cycles: int = 4, extra: Array | float = 0.0, seed: int = 1) -> Path:
        result = make_result(tmp_path / "lab" / folder, stem, EVERY * cycles)
        rng = np.random.default_rng([seed, *folder.encode()])
        more = np.broadcast_to(np.asarray(extra, dtype=float), (101,))
        write_cycles(result, {side: curves(rng, cycles, more) for side in ("left", "right")})
        return result

    return write


@pytest.fixture
def table(tmp_path: Path) -> Callable[[Sequence[str]], Path]:
    """Write the batch's table above all results: lines of trial,subject,session,condition -> its folder."""

    def write(lines: Sequence[str]) -> Path:
        path = tmp_path / "lab" / "batch.csv"
        path.write_text("\n".join(["trial,subject,session,condition", *lines]) + "\n", encoding="utf-8")
        return path.parent

    return write
