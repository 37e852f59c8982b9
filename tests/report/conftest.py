"""A made-up result folder: curves that look like gait, known and unknown loads, empty cells."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gaitid.report import write_report

Array = NDArray[np.float64]

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
FIRST_FRAME = 57
RATE_HZ = 100.0
JOINT_COLUMNS = {
    "foot_progression_internal_rotation_deg": (-8.0, 5.0),
    "pelvis_anterior_tilt_deg": (12.0, 2.0),
    "pelvis_upward_obliquity_deg": (0.0, 5.0),
    "pelvis_internal_rotation_deg": (0.0, 6.0),
    "hip_flexion_deg": (15.0, 22.0),
    "hip_adduction_deg": (1.0, 7.0),
    "hip_internal_rotation_deg": (3.0, 6.0),
    "knee_flexion_deg": (25.0, 28.0),
    "knee_adduction_deg": (2.0, 4.0),
    "knee_internal_rotation_deg": (-3.0, 8.0),
    "ankle_dorsiflexion_deg": (2.0, 12.0),
    "ankle_eversion_deg": (1.0, 3.0),
    "ankle_internal_rotation_deg": (-4.0, 6.0),
    "hip_extension_moment_Nm_per_kg": (0.0, 0.9),
    "hip_abduction_moment_Nm_per_kg": (0.3, 0.5),
    "hip_external_rotation_moment_Nm_per_kg": (0.0, 0.15),
    "knee_extension_moment_Nm_per_kg": (0.1, 0.5),
    "knee_abduction_moment_Nm_per_kg": (0.2, 0.25),
    "knee_external_rotation_moment_Nm_per_kg": (0.0, 0.12),
    "ankle_plantarflexion_moment_Nm_per_kg": (0.5, 0.8),
    "ankle_eversion_moment_Nm_per_kg": (0.02, 0.08),
    "ankle_external_rotation_moment_Nm_per_kg": (0.0, 0.1),
    "hip_power_W_per_kg": (0.1, 1.0),
    "knee_power_W_per_kg": (-0.2, 0.9),
    "ankle_power_W_per_kg": (0.4, 2.0),
}
GROUND_COLUMNS = tuple(f"ground_reaction_{way}_N_per_kg" for way in ("forward", "lateral", "upward"))
OTHER_GROUND = (*(f"cop_{axis}_m" for axis in "xyz"), "free_moment_Nm")
EMPTY_TABLES = {
    "cycles": "side,cycle,percent,first_frame,last_frame,foot_off_percent,opposite_off_percent,opposite_strike_percent",
    "stances": "side,contact,percent,first_frame,last_frame,plates",
    "spatiotemporal": "side,cycle,first_frame,last_frame",
    "features": "side,cycle,feature,value,unit,percent,frame",
}
CONTACT_COLUMNS = ("side", "plates", "first_frame", "last_frame", "peak_vertical_N", "method", "confidence", "reason")
CONTACTS = [  # side, plates, first, last, peak, method, confidence, reason
    ("left", "2", 97, 160, 512.4, "geometry", "0.97", ""),
    ("right", "1+3", 150, 213, 498.1, "geometry", "0.9", ""),
    ("left", "", 203, 266, None, "markers", "", "the foot stands across the edge of plate 3"),
    ("right", "", 57, 107, None, "markers", "", "the foot stands beside every plate"),
]


def _curve(t: Array, offset: float, size: float, side: str, seed: int) -> Array:
    phase = 2 * np.pi * t / 1.06 + (np.pi if side == "right" else 0.0) + seed * 0.7
    return offset + size * (0.75 * np.sin(phase) + 0.35 * np.sin(2 * phase + 0.5 * seed))


def _ground(frames: Array, side: str, axis: str) -> Array:
    force = np.zeros(len(frames))
    for who, plates, first, last, *_ in CONTACTS:
        if who != side:
            continue
        on = (frames >= first) & (frames <= last)
        s = (frames[on] - first) / (last - first)
        shape = {
            "x": 25 * np.sin(np.pi * s) * (1 if side == "left" else -1),
            "y": -90 * np.sin(2 * np.pi * s),
            "z": 480 * (np.sin(np.pi * s) ** 0.6) * (1 - 0.22 * np.sin(np.pi * s) ** 4) + 20,
        }[axis]
        force[on] = shape if plates else np.nan
    return force


def _write(path: Path, columns: dict[str, Array]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            out.writerow(["" if np.isnan(v) else f"{v:.10g}" for v in row])


def write_result(folder: Path, stem: str = "walk", n_frames: int = 230) -> Path:
    """Write a result into `folder` and return the path of its run.json."""
    folder.mkdir(parents=True, exist_ok=True)
    frames = np.arange(FIRST_FRAME, FIRST_FRAME + n_frames, dtype=float)
    t = np.arange(n_frames) / RATE_HZ
    base = {"frame": frames, "time_s": t}
    ground = {
        f"{side}_ground_force_{axis}_N": _ground(frames, side, axis) for side in ("left", "right") for axis in "xyz"
    }
    joints = {}
    for side in ("left", "right"):
        unknown = np.isnan(ground[f"{side}_ground_force_z_N"])
        for seed, (name, (offset, size)) in enumerate(JOINT_COLUMNS.items()):
            values = _curve(t, offset, size, side, seed)
            if "moment" in name or "power" in name:
                values[unknown] = np.nan
            values[:3] = values[-3:] = np.nan
            joints[f"{side}_{name}"] = values
    for side in ("left", "right"):
        ground |= {f"{side}_ground_{name}": np.zeros(n_frames) for name in OTHER_GROUND}
    _write(folder / f"{stem}.wrenches.csv", {**base, **ground})
    _write(folder / f"{stem}.joints.csv", {**base, **joints})
    with (folder / f"{stem}.contacts.csv").open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(CONTACT_COLUMNS)
        out.writerows(CONTACTS)
    names = [*JOINT_COLUMNS, *GROUND_COLUMNS]
    for table, columns in EMPTY_TABLES.items():
        curves = names if "percent" in columns else []
        (folder / f"{stem}.{table}.csv").write_text(",".join([columns, *curves]) + "\n", encoding="utf-8")
    path = folder / f"{stem}.run.json"
    content = record(stem, n_frames)
    content["inputs"][0]["sha256"] = sha256_of(folder, stem)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def sha256_of(folder: Path, stem: str) -> str:
    """What stands as the hash of a made-up trial: another one for each."""
    return hashlib.sha256(f"{folder.name}/{stem}".encode()).hexdigest()


def record(stem: str, n_frames: int) -> dict[str, Any]:
    """A run.json with every top-level key."""
    joint = {
        "frames": n_frames,
        "filled": n_frames - 70,
        "empty": 70,
        "reasons": {"load unknown": 64, "filter edge": 6},
    }
    segment = {
        "mass_kg": 4.58,
        "com_m": [0.0, 0.0, -0.1714],
        "inertia_kg_m2": [[0.08, 0.0, 0.0], [0.0, 0.08, 0.0], [0.0, 0.0, 0.01]],
    }
    return {
        "gaitid": "0.2.0.dev0",
        "schema": 2,
        "command": ["gaitid", "run", f"{stem}.c3d", "--model", "pig"],
        "inputs": [
            {"path": f"trials/Jane_Doe/{stem}.c3d", "sha256": "3f" * 32, "role": "trial"},
            {"path": "static.c3d", "sha256": "a1" * 32, "role": "static"},
        ],
        "trial": {"stem": stem, "frames": n_frames, "first_frame": FIRST_FRAME, "camera_rate_hz": RATE_HZ},
        "model": {"name": "pig", "sha256": "0c" * 32, "origin": "bundled"},
        "settings": {
            "cutoff_Hz": 6.0,
            "force_cutoff_Hz": None,
            "solver": "recursive",
            "gaps": {"max_frames": 10, "method": "spline"},
        },
        "subject": {
            "mass_kg": {"value": 45.8, "unit": "kg", "source": "PROCESSING:Bodymass"},
            "left_leg_length_mm": {"value": 830.0, "unit": "mm", "source": "subject.yaml"},
            "right_leg_length_mm": {"value": 832.5, "unit": "mm", "source": "subject.yaml"},
        },
        "segments": {f"{side}_{name}": segment for side in ("left", "right") for name in ("thigh", "shank")},
        "conventions": {
            "wrench": "The one that the proximal segment exerts on the distal segment (internal).",
            "vertical": "Laboratory z points up (found from the plates).",
            "angles": "Cardan angles of the distal in the proximal segment, flexion first.",
        },
        "contacts": [
            {"side": side, "first_frame": first, "last_frame": last, "whole": bool(plates)}
            for side, plates, first, last, *_ in CONTACTS
        ],
        "impacts": [],
        "events": {"cycles": 0, "used": []},
        "coverage": {side: dict.fromkeys(("ankle", "knee", "hip"), joint) for side in ("left", "right")},
        "quality": {"residual": {"force_N": 3.2, "moment_Nm": 1.1}, "marker_noise_mm": 0.4},
        "warnings": [
            {"severity": "info", "code": "gap", "text": "marker RTHI is missing in 12 frames; filled by a spline"},
            {"severity": "info", "code": "legs", "text": "left leg length differs from the right by 2.5 mm"},
        ],
        "verdict": {"trial": "good", "left": "good", "right": "good", "reasons": []},
    }


def strikes(ends: Iterable[tuple[str, int]]) -> list[dict[str, Any]]:
    """The events of a record: strikes of sides at frames."""
    return [{"kind": "strike", "side": side, "time_s": (frame - FIRST_FRAME) / RATE_HZ} for side, frame in ends]


def read_columns(path: Path) -> dict[str, Array]:
    """The columns of a table of numbers, NaN where a cell is empty."""
    header, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    values = [[float(cell) if cell else np.nan for cell in row] for row in rows]
    return dict(zip(header, np.array(values).T, strict=True))


def add_stances(result: Path) -> None:
    """The two contacts whose load is known, curves as in the tables by frames."""
    joints = read_columns(result.with_name("walk.joints.csv"))
    lines = [",".join([EMPTY_TABLES["stances"], *JOINT_COLUMNS, *GROUND_COLUMNS])]
    for side, plates, first, last, *_ in CONTACTS[:2]:
        at = np.linspace(first, last, 101)
        curves = [np.interp(at, joints["frame"], joints[f"{side}_{name}"]) for name in JOINT_COLUMNS]
        for percent, values in enumerate(zip(*curves, strict=True)):
            upward = "" if percent == 0 else "9.81"
            cells = ",".join("" if np.isnan(value) else f"{value:.10g}" for value in values)
            lines.append(f"{side},1,{percent},{first},{last},{plates},{cells},,,{upward}")
    result.with_name("walk.stances.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


CYCLES = (("left", 1, 97, 203), ("left", 2, 207, 281), ("right", 1, 150, 256))
UNKNOWN_FROM = {("left", 2): 40, ("right", 1): 0}
"""From which percent on the load of a cycle is unknown."""


def add_cycles(result: Path) -> None:
    """Cycles, strides and features of a result; knee flexion is 20 + percent / 10 + cycle, all else a wave."""
    path = result.with_name("walk.joints.csv")
    joints = read_columns(path)
    for side, number, first, last in CYCLES:
        within = slice(first - FIRST_FRAME, last - FIRST_FRAME + 1)
        joints[f"{side}_knee_flexion_deg"][within] = 20 + np.linspace(0, 10, last - first + 1) + number
    _write(path, joints)
    lines = [",".join([EMPTY_TABLES["cycles"], *JOINT_COLUMNS, *GROUND_COLUMNS])]
    for side, number, first, last in CYCLES:
        curves = []
        for seed, name in enumerate((*JOINT_COLUMNS, *GROUND_COLUMNS)):
            if name.endswith("_deg"):
                values = np.interp(np.linspace(first, last, 101), joints["frame"], joints[f"{side}_{name}"])
            else:
                offset, size = JOINT_COLUMNS.get(name, (2.0, 4.0))
                values = offset + size * np.sin(2 * np.pi * np.arange(101) / 100 + seed)
                values[UNKNOWN_FROM.get((side, number), 101) :] = np.nan
            curves.append(values)
        for percent, values in enumerate(zip(*curves, strict=True)):
            cells = ",".join("" if np.isnan(value) else f"{value:.10g}" for value in values)
            lines.append(f"{side},{number},{percent},{first},{last},60.5,10.25,50,{cells}")
    result.with_name("walk.cycles.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    strides = ["side,cycle,first_frame,last_frame,speed_m_per_s,stance_percent,strike_source,off_source"]
    strides += [f"{side},{n},{first},{last},1.{n},60.5,force,force" for side, n, first, last in CYCLES]
    strides.append("left,mean,,,1.15,60.5,,")
    result.with_name("walk.spatiotemporal.csv").write_text("\n".join(strides) + "\n", encoding="utf-8")
    features = [EMPTY_TABLES["features"]]
    swings = ("left", 1, "61.25,deg,73,174"), ("left", 2, "63.25,deg,73,261"), ("right", 1, ",deg,,")
    for side, number, swing in swings:
        features += [f"{side},{number},knee_flexion_angle_max_swing,{swing}"]
        features += [f"{side},{number},ankle_power_generation_max_A2,,W_per_kg,,"]
    result.with_name("walk.features.csv").write_text("\n".join(features) + "\n", encoding="utf-8")
    record = json.loads(result.read_text(encoding="utf-8"))
    ends = [(side, frame) for side, _, *frames in CYCLES for frame in frames]
    record["events"] = {"cycles": len(CYCLES), "used": strikes(ends)}
    result.write_text(json.dumps(record), encoding="utf-8")


@pytest.fixture
def result(tmp_path: Path) -> Path:
    """The run.json of a made-up result of two single stances."""
    path = write_result(tmp_path / "results")
    add_stances(path)
    return path


@pytest.fixture
def cycled(tmp_path: Path) -> Path:
    """The made-up result with two gait cycles of the left side, one of the right, strides and features."""
    result = write_result(tmp_path / "results")
    add_cycles(result)
    return result


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a made-up result."""
    folder = tmp_path_factory.mktemp("page") / "results"
    result = write_result(folder)
    add_cycles(result)
    return write_report([result], folder / "walk.html").read_text(encoding="utf-8")


@pytest.fixture
def make_result() -> Callable[..., Path]:
    """Write a result into a folder: (folder, stem, n_frames) -> path of its run.json."""
    return write_result


@pytest.fixture
def edit_record() -> Callable[[Path, dict[str, object]], None]:
    """Change entries of a run.json in place."""

    def edit(path: Path, changes: dict[str, object]) -> None:
        record = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**record, **changes}), encoding="utf-8")

    return edit


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser for one module: a second playwright cannot begin before the first one has ended."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM.exists():
        pytest.skip(f"no {CHROMIUM}")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=str(CHROMIUM), args=list(ARGUMENTS))
        yield browser
        browser.close()
