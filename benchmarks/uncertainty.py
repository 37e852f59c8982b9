"""Do the 95 % bands of `--uncertainty` hold the truth in 95 of 100 cases? Tables of docs/uncertainty_method.md.

Simulated walks, whose truth is known exactly, are spoilt with all errors at once, drawn at random as they are
stated: markers as recorded, plates as recorded, what was measured on the subject, the model's hip and table. Each is
analysed as any trial, and the truth held against the bands that this trial itself gives. The errors are made here,
from the simulated skeleton: of the code that is judged only the file of magnitudes is used.

python benchmarks/uncertainty.py [--trials 500] [--sizes 1 0.5 2] [--write]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
from pages import write_between

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from simulated_trials import Simulated, simulated_walk  # noqa: E402 - the tests' walk as a trial in memory

from gaitid.analysis.pipeline import analyse  # noqa: E402
from gaitid.analysis.result import Result  # noqa: E402
from gaitid.body.subject import SubjectFile  # noqa: E402
from gaitid.model import shapes, specs  # noqa: E402
from gaitid.model.expression import Expression, parse_expression  # noqa: E402
from gaitid.model.load import load_model  # noqa: E402
from gaitid.numerics.rotation import apply, cross  # noqa: E402
from gaitid.trial import Array, ForcePlate, Trial  # noqa: E402
from gaitid.uncertainty.estimate import estimate  # noqa: E402
from gaitid.uncertainty.sources import SOURCES, Sources, read_sources  # noqa: E402
from gaitid.uncertainty.usable import COVERAGE_FACTOR  # noqa: E402

PAGE = ROOT / "docs" / "uncertainty_method.md"
#: Which segment each marker is on, without the side's letter.
SEGMENT = {"ASI": "pelvis", "PSI": "pelvis", "THI": "thigh", "KNE": "thigh", "TIB": "shank", "ANK": "shank",
           "HEE": "foot", "TOE": "foot"}  # fmt: skip
WANDS = ("THI", "TIB")
SIDES = {"L": "left", "R": "right"}
NOISE_M = 0.0003
CUTOFF_HZ = 7.0
#: Of the walks, so that not one motion is judged: laboratories turned, cadence and step changed.
WALKS = ({}, {"turn_deg": 40.0}, {"mirror": True}, {"turn_deg": 200.0, "mirror": True})
JOINTS = ("hip", "knee", "ankle")


@cache
def walk_of(i: int) -> Simulated:
    return simulated_walk(duration=3.0, **WALKS[i % len(WALKS)])


# --- errors, made of the simulated skeleton --------------------------------------------------------------------


def spoilt_markers(
    walk: Simulated,
    sources: Sources,
    size: float,
    random: np.random.Generator,
    placing: np.random.Generator,
    skin: np.random.Generator,
) -> Trial:
    """Placement and soft tissue, which have generators of their own, and noise on the markers as recorded."""
    trial, truth = walk.trial, walk.truth
    stride_hz = 1 / walk.walk.gait.pattern.stride_s
    time = trial.time_s
    points = trial.points_g.copy()

    def waves() -> Array:
        """(frames, 3) of unit variance."""
        total = np.zeros((len(time), 3))
        for k, share in enumerate(sources.harmonics, start=1):
            a, b = skin.standard_normal((2, 3)) * np.sqrt(share)
            phase = 2 * np.pi * k * stride_hz * time[:, None]
            total += a * np.cos(phase) + b * np.sin(phase)
        return total

    together: dict[str, Array] = {}
    for i, label in enumerate(trial.labels):
        kind = SEGMENT[label[1:]]
        body = kind if kind == "pelvis" else f"{SIDES[label[0]]}_{kind}"
        R = truth.rotation[body]
        tissue = sources.soft_tissue[kind]
        if body not in together:
            together[body] = tissue.together_m * waves()
        local = together[body] + tissue.each_m * waves()
        if label[1:] not in WANDS:
            local = local + sources.placement_m * placing.standard_normal(3)
        points[:, i] += size * apply(R, local) + size * NOISE_M * random.standard_normal((len(time), 3))
    return replace(trial, points_g=points)


def spoilt_plate(plate: ForcePlate, shift: Mapping[str, Array | float], turn: Array, camera_hz: float) -> ForcePlate:
    """Gain, force, centre of pressure, free moment, turn and delay of one plate as recorded."""
    f, m = plate.force_p.copy(), plate.moment_p.copy()
    loaded = f[:, 2] < -20
    f, m = f * (1 + shift["gain"]), m * (1 + shift["gain"])
    R_gp = axes_of(plate)
    extra = np.where(loaded[:, None], np.asarray(shift["force"]) @ R_gp, 0.0)
    lever = -plate.sensor_p  # from the sensor to the centre of the surface
    about_centre = m - cross(np.broadcast_to(lever, f.shape), f)
    with np.errstate(all="ignore"):
        cop = np.stack([-about_centre[:, 1] / f[:, 2], about_centre[:, 0] / f[:, 2], 0 * f[:, 2]], axis=1)
    cop = np.where(loaded[:, None], cop, 0.0) + lever
    m = m + cross(cop, extra)
    f = f + extra
    m[:, 2] += np.where(loaded, -shift["free_moment"], 0.0)  # z of the plate points down
    n = len(f)
    at = np.arange(n) - float(shift["delay"]) * plate.rate_hz
    f, m = (np.stack([np.interp(at, np.arange(n), v[:, k]) for k in range(3)], axis=1) for v in (f, m))
    centre = plate.corners_g.mean(axis=0)
    corners = centre + (plate.corners_g - centre) @ turn.T + np.asarray(shift["cop"])
    return replace(plate, corners_g=corners, force_p=f, moment_p=m)


def axes_of(plate: ForcePlate) -> Array:
    """(3, 3) plate axes in laboratory axes, by its corners."""
    c = plate.corners_g
    x, y = c[0] + c[3] - c[1] - c[2], c[0] + c[1] - c[2] - c[3]
    x, y = x / np.linalg.norm(x), y / np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)], axis=1)


def spoilt_model(
    model: specs.Model, sources: Sources, size: float, random: np.random.Generator, table: np.random.Generator
) -> specs.Model:
    """Another hip centre, and other segments by a generator of their own."""
    hip = model.each_side.points["hip"]
    assert isinstance(hip, shapes.InFrame)
    off = size * sources.hip_m["davis"] * random.standard_normal(3)
    moved = tuple(parse_expression(f"({old.text}) + {d:.12g}", "hip") for old, d in zip(hip.offset, off, strict=True))
    each = model.each_side._replace(points={**model.each_side.points, "hip": hip._replace(offset=moved)})
    rows, chain, of_table = dict(model.table.rows), [], sources.sizes["segment_parameters"]
    for spec in model.chain:
        row = rows[spec.row]
        mass, inertia = (
            1 + size * of_table[key] * table.standard_normal() for key in ("mass_percent", "inertia_percent")
        )
        assert row.mass_fraction is not None and row.gyration_fractions is not None
        radii = tuple(radius * np.sqrt(inertia / mass) for radius in row.gyration_fractions)
        rows[spec.row] = row._replace(mass_fraction=row.mass_fraction * mass, gyration_fractions=radii)
        com = _with_numbers(spec, row)
        for axis in "xyz":
            part = size * of_table["com_percent_of_length"] * table.standard_normal()
            share = parse_expression(f"{part:.12g} * ({spec.length.text})", "com")
            com = shapes.Along(shapes.FrameAxis(shapes.FrameName(spec.frame), axis), com, share)
        chain.append(spec._replace(com=com))
    return model._replace(each_side=each, chain=tuple(chain), table=model.table._replace(rows=rows))


def _with_numbers(spec: specs.Segment, row: specs.SegmentParameters) -> shapes.PointRef:
    """The centre of mass by numbers, where the model has names that are known to it alone."""
    numbers = {"com_fraction": f"{row.com_fraction:.12g}", "length": f"({spec.length.text})"}

    def of(formula: Expression) -> Expression:
        text = formula.text
        for name, number in numbers.items():
            text = text.replace(name, number)
        return parse_expression(text, "com")

    if isinstance(spec.com, shapes.Between):
        return spec.com._replace(fraction=of(spec.com.fraction))
    assert isinstance(spec.com, shapes.Along)
    return spec.com._replace(distance=of(spec.com.distance))


def spoilt(
    walk: Simulated, sources: Sources, size: float, seed: int, common: Collection[str] = (), common_seed: int = 0
) -> tuple[Trial, specs.Model, SubjectFile]:
    """A trial with all its errors, the model and the subject with theirs; `size` times as large as they are stated.

    The errors of `common` sources are those of `common_seed`: two trials may share them.
    """
    random = np.random.default_rng(seed)

    def of(source: str) -> np.random.Generator:
        return np.random.default_rng([common_seed, [*SOURCES].index(source)]) if source in common else random

    trial = spoilt_markers(walk, sources, size, random, of("marker_placement"), of("soft_tissue"))
    plates = of("force_plates")
    of_plates, timing = sources.sizes["force_plates"], sources.sizes["timing"]
    force = size * of_plates["force_N"] * plates.standard_normal(3)
    level = np.append(size * of_plates["cop_mm"] * plates.standard_normal(2), 0.0)
    angle = size * of_plates["turn_deg"] * plates.standard_normal()
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    shift = {
        "gain": size * of_plates["gain_percent"] * plates.standard_normal(),
        "force": force,
        "cop": level,
        "free_moment": size * of_plates["free_moment_Nm"] * plates.standard_normal(),
        "delay": size * timing["frames"] / trial.rate_hz * random.standard_normal()
        + size * timing["laboratory_ms"] * of("timing").standard_normal(),
    }
    trial = replace(trial, plates=tuple(spoilt_plate(plate, shift, turn, trial.rate_hz) for plate in trial.plates))
    cutoff = CUTOFF_HZ * float(np.exp(size * sources.sizes["cutoff"]["percent"] * of("cutoff").standard_normal()))
    model = load_model("pig", {"cutoff_hz": cutoff})
    model = spoilt_model(model, sources, size, of("hip_centre"), of("segment_parameters"))
    values, measuring = {}, of("measurements")
    for name, true in numbers_of(walk).items():
        measurement = model.subject[name.rpartition(".")[2]]
        values[name] = true + size * sources.measurements.get(measurement.key, 0.0) * measuring.standard_normal()
    return trial, model, SubjectFile(values=values)


def numbers_of(walk: Simulated) -> Mapping[str, float]:
    """What was measured on the simulated subject, without error."""
    return analyse(walk.trial, load_model("pig"), SubjectFile()).subject.numbers


# --- coverage --------------------------------------------------------------------------------------------------


def truth_of(walk: Simulated, names: tuple[str, ...], mass_kg: float) -> Array:
    """(frames, columns) of the columns that are judged, NaN for the others."""
    truth = walk.truth
    n = len(truth.time_s)
    found = np.full((n, len(names)), np.nan)
    for i, name in enumerate(names):
        if name in truth.clinical:
            found[:, i] = truth.clinical[name]
        side, joint, *rest = name.split("_")
        if rest[1:2] == ["global"] and rest[0] in ("force", "moment") and joint in JOINTS:
            of = truth.wrench[side, joint][rest[0] == "moment"]
            found[:, i] = of[:, "xyz".index(rest[2])]
    return found


def one(sources: Sources, size: float, seed: int) -> dict[str, tuple[int, int]]:
    """For each column without its side how many frames were judged, and in how many the band held the truth."""
    walk = walk_of(seed)
    trial, model, subject = spoilt(walk, sources, size, seed)
    result: Result = analyse(trial, model, subject)
    found = estimate(result, sources, features=False)
    names, values, u = found.names, found.values, found.standard
    truth = truth_of(walk, names, walk.walk.subject.mass_kg)
    apart = np.abs(values - truth)
    angles = [i for i, name in enumerate(names) if name.endswith("_deg")]
    apart[:, angles] = np.abs((apart[:, angles] + 180) % 360 - 180)
    held = apart <= COVERAGE_FACTOR * u
    judged = np.isfinite(apart) & np.isfinite(u) & (u > 0)
    for side in result.sides:  # peaks of impacts are no results
        mine = [i for i, name in enumerate(names) if name.startswith(side) and not name.endswith("_deg")]
        judged[np.ix_(result.impact_frames(side), mine)] = False
    counts: dict[str, tuple[int, int]] = {}
    for i, name in enumerate(names):
        key = name.partition("_")[2]
        n, k = counts.get(key, (0, 0))
        counts[key] = n + int(judged[:, i].sum()), k + int((held[:, i] & judged[:, i]).sum())
    return counts


def coverage(trials: int, size: float, processes: int) -> dict[str, float]:
    """Share of trials × frames whose band holds the truth, by column."""
    sources = read_sources("default")
    total: dict[str, tuple[int, int]] = {}
    with ProcessPoolExecutor(processes) as pool:
        for counts in pool.map(partial(one, sources, size), range(trials), chunksize=4):
            for key, (n, k) in counts.items():
                before = total.get(key, (0, 0))
                total[key] = before[0] + n, before[1] + k
    return {key: k / n for key, (n, k) in total.items() if n}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=500)
    parser.add_argument("--sizes", type=float, nargs="*", default=[1.0, 0.5, 2.0])
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="put the table into docs/uncertainty_method.md")
    given = parser.parse_args()
    columns = [coverage(given.trials, size, given.processes) for size in given.sizes]
    lines = [
        f"Share of trials × frames whose band holds the truth, {given.trials} trials each:",
        "",
        "| column (both sides) | " + " | ".join(f"errors × {size:g}" for size in given.sizes) + " |",
        "|---|" + "---|" * len(given.sizes),
    ]
    for key in columns[0]:
        lines.append(f"| `{key}` | " + " | ".join(f"{100 * of.get(key, np.nan):.1f} %" for of in columns) + " |")
    print("\n".join(lines))
    if given.write:
        write_between(PAGE, "coverage", lines)


if __name__ == "__main__":
    main()
