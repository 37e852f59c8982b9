"""Results with as many cycles as a test wants, of several sessions and subjects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

Array = NDArray[np.float64]

PERCENT = np.arange(101.0)
MARKS = "side,cycle,percent,first_frame,last_frame,foot_off_percent,opposite_off_percent,opposite_strike_percent"
COLUMNS = ("knee_flexion_deg", "ankle_power_W_per_kg", "ground_reaction_upward_N_per_kg")


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


def write_cycles(result: Path, of_side: dict[str, dict[str, Array]]) -> None:
    """Put ``cycles.csv`` and ``spatiotemporal.csv`` beside a run.json; speed grows by 0.01 m/s a cycle."""
    lines, strides = [f"{MARKS},{','.join(COLUMNS)}"], ["side,cycle,speed_m_per_s,stance_percent"]
    for side, values in of_side.items():
        for cycle in range(len(values[COLUMNS[0]])):
            strides.append(f"{side},{cycle + 1},{1 + 0.01 * cycle:.10g},60")
            for i in range(101):
                cells = [values[name][cycle, i] for name in COLUMNS]
                words = ["" if np.isnan(cell) else f"{cell:.10g}" for cell in cells]
                lines.append(f"{side},{cycle + 1},{i},100,200,60,10,50,{','.join(words)}")
    stem = result.name[: -len(".run.json")]
    result.with_name(f"{stem}.cycles.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    result.with_name(f"{stem}.spatiotemporal.csv").write_text("\n".join(strides) + "\n", encoding="utf-8")


Walk = Callable[..., Path]


@pytest.fixture
def walk(make_result: Callable[..., Path], tmp_path: Path) -> Walk:
    """Write a result: (folder, stem, cycles, extra to knee flexion, seed) -> path of its run.json."""

    def write(folder: str, stem: str = "walk", cycles: int = 4, extra: Array | float = 0.0, seed: int = 1) -> Path:
        result = make_result(tmp_path / "lab" / folder, stem, 60)
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
