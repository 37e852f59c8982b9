"""Can a trial be analysed, is what comes out trustworthy, and did it move since last time?

Every check has a number, a limit and a reason for the limit; none of them judges how somebody walks.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.contacts import AIR, LOADED
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.errors import GaitidError
from gaitid.frames import Geometry
from gaitid.read import read_trial
from gaitid.result import Result, SideResult
from gaitid.rotation import apply, apply_transposed, cross
from gaitid.run import Prepared, sha256
from gaitid.signals import known_rows, spans
from gaitid.trial import Array

PASS, WARN, FAIL = "pass", "warn", "fail"

# The three solvers differ by rounding only: 1e-14 is usual, a wrong term is 1e-3 and more. Relative to the
# largest force or moment of the joint.
SOLVER_TOLERANCE = 1e-9
# Newton's and Euler's laws over windows of this many seconds, from positions only (see `balance`). What is
# left is the error of the derivatives: below 1e-6 of body weight and 0.0002 N·m/kg in recorded walks (0.025
# with Plug-in Gait's angular velocity, 0.02 with 2 mm of unfiltered noise). A lost or doubled term, a wrong
# sign or a wrong arm is far above the limits.
BALANCE_WINDOW_S = 0.3
BALANCE_FORCE_BW = 0.001
BALANCE_MOMENT_NM_PER_KG = 0.05
# Standard deviation, m, of the distance between neighbouring joint centres, and among the ankle, heel and toe. Skin
# moves them by 2 to 11 mm in walking; markers that are mislabelled for part of a trial move them by centimetres.
LENGTH_SD_M = 0.015
# A length that changes by more than this from one frame to the next, m: a label jumped to another marker.
LENGTH_JUMP_M = 0.03
# Left and right segments that differ more than this (share of their mean) are a measurement of the wrong leg.
SIDE_DIFFERENCE = 0.15
# Share of the frames with a known load in which the leg's wrenches are empty: gaps of markers, ends of spans.
EMPTY_WARN, EMPTY_FAIL = 0.2, 0.8
# Peak vertical force of a whole stance in body weights: 0.9 to 1.4 in walking, up to 3 in running.
PEAK_WARN, PEAK_FAIL = (0.7, 3.0), (0.4, 6.0)
# From the middle of one single support to the middle of the next the body neither rises nor falls on the
# whole, so the mean of the vertical force is body weight (0.98 to 1.06 in recorded walks and on stairs). A
# stored mass was seen to be wrong by 14 %; pounds taken for kilograms are wrong by 55 %.
MEAN_WARN, MEAN_FAIL = 0.1, 0.3

# Largest differences from golden results that are not a change. Well below what a clinic can tell, well above
# what another processor or library does (1e-9 of a value).
TOLERANCES = {
    "force_N": 0.01,
    "moment_Nm": 0.001,
    "angle_deg": 0.001,
    "position_m": 1e-5,
    "moment_Nm_per_kg": 1e-5,
    "power_W_per_kg": 1e-4,
}
# Endings of columns, the longest first, and the quantity of each.
_ENDINGS = (
    ("_Nm_per_kg", "moment_Nm_per_kg"),
    ("_W_per_kg", "power_W_per_kg"),
    ("_deg", "angle_deg"),
    ("_Nm", "moment_Nm"),
    ("_N", "force_N"),
    ("_m", "position_m"),
)


@dataclass(frozen=True)
class Finding:
    """What one check found.

    Attributes
    ----------
    name : str
    status : str
        ``pass``, ``warn`` or ``fail``.
    text : str
        For a person, with the number that was measured and the limit.
    value : float or None
    limit : float or None
    unit : str
        Of both.
    """

    name: str
    status: str
    text: str
    value: float | None = None
    limit: float | None = None
    unit: str = ""


@dataclass(frozen=True)
class Report:
    """All findings on one trial."""

    path: Path
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        return all(f.status != FAIL for f in self.findings)

    def line(self) -> str:
        """``PASS walk.c3d: …`` or ``FAIL walk.c3d: …`` with what failed."""
        if self.passed:
            return f"PASS {self.path}: " + "; ".join(f.text for f in self.findings if f.status == PASS)
        return f"FAIL {self.path}: " + "; ".join(f"{f.name}: {f.text}" for f in self.findings if f.status == FAIL)

    def as_dict(self) -> dict[str, Any]:
        return {
            "file": str(self.path),
            "passed": self.passed,
            "checks": [
                {
                    "name": f.name,
                    "status": f.status,
                    "text": f.text,
                    "value": f.value,
                    "limit": f.limit,
                    "unit": f.unit,
                }
                for f in self.findings
            ],
        }


def check_file(
    path: Path, prepared: Prepared, against: Path | None = None, tolerances: Mapping[str, float] = TOLERANCES
) -> Report:
    """Analyse one trial with every solver and judge the result.

    Parameters
    ----------
    path : Path
    prepared : Prepared
    against : Path, optional
        Folder with golden results, as `run` writes them.
    tolerances : mapping of quantity to float
        Of the comparison with golden results.

    Returns
    -------
    Report
        A trial that cannot be analysed is a report with one failure: nothing is raised for it.
    """
    from gaitid.pipeline import analyse

    options = prepared.options
    try:
        trial = read_trial(path, forces=options.forces, plates=options.plates)
        results = {
            name: analyse(
                trial,
                prepared.model,
                prepared.subject,
                prepared.static,
                solver=name,
                require_forces=options.require_forces,
            )
            for name in SOLVERS
        }
    except GaitidError as error:
        text = error.line().removeprefix(f"{path}: ")
        return Report(path, (Finding("analysis", FAIL, text),))
    result = results[options.solver]
    findings = check_result(result)
    findings.insert(0, solvers_agree(results))
    if against is not None:
        findings += compare(result, prepared, path, against, tolerances)
    return Report(path, tuple(findings))


def check_result(result: Result) -> list[Finding]:
    """Every check that needs one result only."""
    return [
        *balance(result),
        loads_known(result),
        *coverage(result),
        *segment_lengths(result),
        *vertical_force(result),
        *(Finding("note", WARN, text) for text in result.warnings),
    ]


# --- the mechanics ------------------------------------------------------------------------------------------


def solvers_agree(results: Mapping[str, Result]) -> Finding:
    """The largest difference between solvers, relative to the largest value of that joint."""
    names = list(results)
    worst, where = 0.0, ""
    first = results[names[0]]
    for name in names[1:]:
        for side, leg in first.sides.items():
            for joint, wrench in leg.wrenches.items():
                other = results[name].sides[side].wrenches[joint]
                for kind, a, b in (("force", wrench.f_g, other.f_g), ("moment", wrench.m_g, other.m_g)):
                    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
                        text = f"{names[0]} and {name} leave different frames of {side} {joint} {kind} empty"
                        return Finding("solvers", FAIL, text)
                    known = np.isfinite(a)
                    scale = float(np.abs(a[known]).max()) if known.any() else 0.0
                    if scale > 0:
                        size = float(np.abs(a - b)[known].max()) / scale
                        if size > worst:
                            worst, where = size, f"{name} against {names[0]}, {side} {joint} {kind}"
    ok = worst <= SOLVER_TOLERANCE
    text = f"solvers agree to {worst:.1g}" if ok else f"{worst:.2g} ({where}), at most {SOLVER_TOLERANCE:g}"
    return Finding("solvers", PASS if ok else FAIL, text, worst, SOLVER_TOLERANCE, "1")


def balance(result: Result) -> list[Finding]:
    """Newton's and Euler's laws for the leg below each joint, from positions and orientations only.

    For a smooth window w that is 0 with its derivatives at both ends, integration by parts moves the
    derivatives from the noisy data to the window:

        Newton:  ∫ (F_joint + F_ground + Σ m g) w dt = Σ m ∫ c ẅ dt
        Euler, about a fixed point, with L = Σ c × m ċ + R I Rᵀ ω:
                 ∫ (M_joint + M_ground + Σ c × m g) w dt = −∫ L ẇ dt

    So noise averages out and the accelerations that the result was computed with are not used. The residuals
    are means over the window, N and N·m about the joint's place in its middle.
    """
    rate = result.trial.rate_hz
    n = 2 * max(4, round(BALANCE_WINDOW_S * rate / 2)) + 1
    half_s = (n + 1) / 2 / rate
    u = (np.arange(n) - n // 2) / ((n + 1) / 2)
    s = 1 - u**2
    w, dw, ddw = s**6, -12 * u * s**5 / half_s, (120 * u**2 * s**4 - 12 * s**5) / half_s**2
    total = w.sum()
    mass = result.subject.numbers["mass"]
    gravity = _gravity(result)
    force_limit = BALANCE_FORCE_BW * mass * result.settings.gravity_m_per_s2
    force_limit = max(force_limit, 0.1)  # N: where gravity was set to 0
    moment_limit = BALANCE_MOMENT_NM_PER_KG * mass
    worst = {"force": (0.0, ""), "moment": (0.0, "")}
    windows = 0
    for side, leg in result.sides.items():
        if not leg.bodies:
            continue
        ground = leg.load.wrench.at(np.zeros(3))
        momentum: Array = np.zeros_like(ground.f_g)
        first_moment: Array = np.zeros_like(ground.f_g)
        weight: Array = np.zeros(3)
        weight_moment: Array = np.zeros_like(ground.f_g)
        for body in result.model.chain:
            parameters, motion = leg.bodies[body.segment], leg.motions[body.segment]
            m, c = parameters.mass_kg, motion.com_g
            first_moment = first_moment + m * c
            momentum = momentum + m * cross(c, _derivative(c, rate)) + _spin(motion.R_gs, parameters.inertia_s, rate)
            weight = weight + m * gravity
            weight_moment = weight_moment + cross(c, np.broadcast_to(m * gravity, c.shape))
            joint = leg.wrenches[body.joint].at(np.zeros(3))
            force, moment = joint.f_g + ground.f_g + weight, joint.m_g + ground.m_g + weight_moment
            known = known_rows(np.concatenate([force, moment, momentum], axis=1))
            for start, stop in spans(known):
                for a in range(start, stop - n + 1, max(1, n // 8)):
                    part = slice(a, a + n)
                    place = leg.joints_g[body.joint][a + n // 2]
                    origin = first_moment[a + n // 2]
                    f = (w @ force[part] - ddw @ (first_moment[part] - origin)) / total
                    about_origin = (w @ moment[part] + dw @ (momentum[part] - momentum[a + n // 2])) / total
                    t = about_origin - np.cross(place, f)
                    windows += 1
                    at = f"{side} {body.joint} near frame {result.trial.first_frame + a + n // 2}"
                    for kind, size in (
                        ("force", float(np.linalg.norm(f))),
                        ("moment", float(np.linalg.norm(t))),
                    ):
                        if size > worst[kind][0]:
                            worst[kind] = (size, at)
    if not windows:
        text = f"no {BALANCE_WINDOW_S:g} s on end with known wrenches: the equations of motion were not checked"
        return [Finding("balance", WARN, text)]
    findings = []
    for kind, limit, unit in (("force", force_limit, "N"), ("moment", moment_limit, "N·m")):
        size, at = worst[kind]
        ok = size <= limit
        text = f"{kind} balance {size:.2g} {unit}" if ok else f"{size:.3g} {unit} ({at}), at most {limit:.3g} {unit}"
        findings.append(Finding(f"{kind} balance", PASS if ok else FAIL, text, size, limit, unit))
    return findings


def _gravity(result: Result) -> Array:
    # the record's words begin with the axis, as "+Z, found from plates"
    axis = result.conventions["vertical"]
    up = np.zeros(3)
    up["XYZ".index(axis[1])] = -1.0 if axis[0] == "-" else 1.0
    return -result.settings.gravity_m_per_s2 * up


def _derivative(x: Array, rate_hz: float) -> Array:
    """Five-point central difference (fourth order); not the spline that the result was computed with."""
    d = np.full_like(x, np.nan)
    d[2:-2] = (8 * (x[3:-1] - x[1:-3]) - (x[4:] - x[:-4])) * rate_hz / 12
    return d


def _spin(R_gs: Array, inertia_s: Array, rate_hz: float) -> Array:
    """R I Rᵀ ω with ω from the skew part of Ṙ Rᵀ."""
    S = _derivative(R_gs, rate_hz) @ np.swapaxes(R_gs, -1, -2)
    omega = np.stack([S[:, 2, 1] - S[:, 1, 2], S[:, 0, 2] - S[:, 2, 0], S[:, 1, 0] - S[:, 0, 1]], axis=1) / 2
    return apply(R_gs, apply_transposed(R_gs, omega) @ inertia_s.T)


# --- what is known ------------------------------------------------------------------------------------------


def loads_known(result: Result) -> Finding:
    """At least one stance with a known load; with `--require-forces` the analysis fails without one."""
    known = [c for c in result.contacts if c.plates]
    if not known:
        return Finding("loads", WARN, "no foot stands wholly on the plates: wrenches are known in the air only", 0, 1)
    words = ", ".join(f"{c.side} on plate {'+'.join(str(p) for p in c.plates)}" for c in known)
    return Finding("loads", PASS, f"loads known: {words}", len(known), 1, "stances")


def coverage(result: Result) -> list[Finding]:
    """Share of the frames with a known load in which a joint's wrench is empty, worst joint."""
    worst, where, any_filled = 0.0, "", False
    for side, leg in result.sides.items():
        loaded = (leg.load.state == LOADED) | (leg.load.state == AIR)
        loaded[: result.settings.end_frames] = False
        loaded[len(loaded) - result.settings.end_frames :] = False
        for joint, wrench in leg.wrenches.items():
            filled = known_rows(wrench.m_g)
            any_filled |= bool(filled.any())
            if loaded.any():
                empty = float((loaded & np.logical_not(filled)).sum() / loaded.sum())
                if empty > worst:
                    worst, where = empty, f"{side} {joint}"
    if not any_filled:
        angles = any(
            np.isfinite(v).any() for leg in result.sides.values() for a in leg.angles.values() for v in a.values()
        )
        if not angles:
            return [Finding("coverage", FAIL, "no angle and no wrench is known in any frame", 1.0, EMPTY_FAIL, "1")]
        return [Finding("coverage", WARN, "no wrench is known in any frame", 1.0, EMPTY_WARN, "1")]
    status = FAIL if worst > EMPTY_FAIL else WARN if worst > EMPTY_WARN else PASS
    text = f"{worst:.0%} of the frames with a known load are empty"
    if status != PASS:
        limit = EMPTY_FAIL if status == FAIL else EMPTY_WARN
        text += f" ({where}), at most {limit:.0%}: markers are missing there"
    return [Finding("coverage", status, text, worst, EMPTY_FAIL, "1")]


def segment_lengths(result: Result) -> list[Finding]:
    """How constant each segment's length is, and whether left and right agree."""
    worst: tuple[float, str] = (0.0, "")
    jump: tuple[float, str] = (0.0, "")
    means: dict[tuple[str, str], float] = {}
    for side, lengths in _lengths(result).items():
        for segment, length in lengths.items():
            known = length[np.isfinite(length)]
            if known.size < 2:
                continue
            means[segment, side] = float(known.mean())
            worst = max(worst, (float(known.std()), f"{side} {segment}"))
            step = np.abs(np.diff(length))
            if np.isfinite(step).any():
                at = int(np.nanargmax(step))
                words = f"{side} {segment} at frame {at + 1 + result.trial.first_frame}"
                jump = max(jump, (float(step[at]), words))
    if not means:
        return []
    ok = worst[0] <= LENGTH_SD_M
    text = f"{worst[1]} length varies by {worst[0] * 1e3:.1f} mm (SD)"
    if not ok:
        text += (
            f", at most {LENGTH_SD_M * 1e3:g} mm: markers are mislabelled or slipped, or widths and wand "
            "angles of the calibration do not fit"
        )
    findings = [Finding("segment length", PASS if ok else FAIL, text, worst[0], LENGTH_SD_M, "m")]
    if jump[0] > LENGTH_JUMP_M:
        text = (
            f"{jump[1]} changes by {jump[0] * 1e3:.0f} mm in one frame, at most {LENGTH_JUMP_M * 1e3:g} mm: "
            "markers are swapped"
        )
        findings.append(Finding("segment jump", FAIL, text, jump[0], LENGTH_JUMP_M, "m"))
    for segment in dict.fromkeys(name for name, _ in means):
        pair = [means[key] for key in means if key[0] == segment]
        if len(pair) == 2:
            share = abs(pair[0] - pair[1]) / (sum(pair) / 2)
            if share > SIDE_DIFFERENCE:
                text = f"left and right {segment} differ by {share:.0%} in length, at most {SIDE_DIFFERENCE:.0%}"
                findings.append(Finding("sides", WARN, text, share, SIDE_DIFFERENCE, "1"))
    return findings


def _lengths(result: Result) -> dict[str, dict[str, Array]]:
    """Between neighbouring joint centres, and among the lowest one, heel and toe, by side; (frames,) m."""
    trial, model = result.trial, result.model
    labels = Geometry(model, {}, {}, 0, np.zeros(3))
    markers = {
        label: trial.marker(label)
        for side in model.sides
        for role in model.each_side.markers
        for label in labels.labels(role, side.name)
        if trial.has(label)
    }
    geometry = Geometry(model, markers, {}, trial.n_frames, np.zeros(3))
    lengths: dict[str, dict[str, Array]] = {}
    for side, leg in result.sides.items():
        found: dict[str, Array] = {}
        for below, body in zip(model.chain[:-1], model.chain[1:], strict=True):
            found[body.segment] = np.linalg.norm(leg.joints_g[below.joint] - leg.joints_g[body.joint], axis=1)
        lowest = model.chain[0]
        heel, toe = geometry.point(model.heel, side), geometry.point(model.toe, side)
        found["heel to toe"] = np.linalg.norm(toe - heel, axis=1)
        for name, point in (("heel", heel), ("toe", toe)):
            found[f"{lowest.joint} to {name}"] = np.linalg.norm(point - leg.joints_g[lowest.joint], axis=1)
        lengths[side] = found
    return lengths


def vertical_force(result: Result) -> list[Finding]:
    """Whether the plates carry the body weight that the mass says."""
    gravity = _gravity(result)
    g = float(np.linalg.norm(gravity))
    if g == 0:
        return []
    weight = result.subject.numbers["mass"] * g
    up = -gravity / g
    findings: list[Finding] = []
    last = result.trial.n_frames - 1
    for c in result.contacts:
        if not c.plates or c.first == 0 or c.last == last:
            continue
        share = c.peak_vertical_N / weight
        status, limits = _judge(share, PEAK_WARN, PEAK_FAIL)
        words = f"{c.side} foot on plate {'+'.join(str(p) for p in c.plates)} peaks at {share:.2f} body weights"
        if status != PASS:
            words += f", expected {limits[0]:g} to {limits[1]:g}: body mass or plate wrong"
            findings.append(Finding("peak force", status, words, share, limits[0 if share < 1 else 1], "BW"))
    first = result.trial.first_frame
    for mean, start, stop in _mean_over_steps(result.sides, up, weight):
        status, limits = _judge(mean, (1 - MEAN_WARN, 1 + MEAN_WARN), (1 - MEAN_FAIL, 1 + MEAN_FAIL))
        text = f"mean vertical force {mean:.3f} body weights over frames {start + first}-{stop + first}"
        if status != PASS:
            text += f", expected {limits[0]:g} to {limits[1]:g}: body mass or plate wrong"
        findings.append(Finding("mean force", status, text, mean, limits[0 if mean < 1 else 1], "BW"))
    peaks = [c.peak_vertical_N / weight for c in result.contacts if c.plates]
    if peaks and all(f.name != "peak force" for f in findings):
        findings.append(
            Finding(
                "peak force",
                PASS,
                f"peak vertical force {max(peaks):.2f} body weights",
                max(peaks),
                PEAK_FAIL[1],
                "BW",
            )
        )
    return findings


def _judge(value: float, warn: tuple[float, float], fail: tuple[float, float]) -> tuple[str, tuple[float, float]]:
    if not fail[0] <= value <= fail[1]:
        return FAIL, fail
    return (PASS, warn) if warn[0] <= value <= warn[1] else (WARN, warn)


def _mean_over_steps(sides: Mapping[str, SideResult], up: Array, weight: float) -> list[tuple[float, int, int]]:
    """(mean vertical force in body weights, first, last) from mid single support to the other foot's."""
    if len(sides) != 2:
        return []
    legs = list(sides.values())
    states = [np.asarray(leg.load.state) for leg in legs]
    alone = [(states[i] == LOADED) & (states[1 - i] == AIR) for i in (0, 1)]
    known = np.isin(states[0], (AIR, LOADED)) & np.isin(states[1], (AIR, LOADED))
    vertical = np.asarray(sum(leg.load.wrench.f_g @ up for leg in legs))
    supports = sorted((start, stop, i) for i in (0, 1) for start, stop in spans(alone[i]))
    found = []
    for (a0, a1, one), (b0, b1, other) in pairwise(supports):
        start, stop = (a0 + a1) // 2, (b0 + b1) // 2
        if one == other or not known[start:stop].all():
            continue
        middle = (vertical[start] + vertical[stop]) / 2
        mean = float((vertical[start + 1 : stop].sum() + middle) / (stop - start)) / weight
        found.append((mean, start, stop))
    return found


# --- golden results -----------------------------------------------------------------------------------------


def compare(
    result: Result, prepared: Prepared, path: Path, folder: Path, tolerances: Mapping[str, float] = TOLERANCES
) -> list[Finding]:
    """Differences from the golden results kept in a folder, by quantity, and what else differs.

    Parameters
    ----------
    result : Result
    prepared : Prepared
    path : Path
        The trial.
    folder : Path
        With ``<stem>.wrenches.csv`` and ``<stem>.joints.csv``, and ``<stem>.run.json`` if it was kept.
    tolerances : mapping of quantity to float
    """
    from gaitid.write.tables import joints_csv, wrenches_csv

    stem = path.stem
    findings: list[Finding] = []
    largest: dict[str, tuple[float, str]] = {}
    try:
        wrenches = _table((folder / f"{stem}.wrenches.csv").read_text(encoding="utf-8"), f"{stem}.wrenches.csv")
        joints = _table((folder / f"{stem}.joints.csv").read_text(encoding="utf-8"), f"{stem}.joints.csv")
        express_in = _frames_of_expression(list(wrenches), result)
    except OSError as error:
        text = (
            f"no golden result {error.filename} ({error.strerror}); "
            f"make one with gaitid run {path} --model {prepared.options.model} -o {folder}"
        )
        return [Finding("golden", FAIL, text)]
    except (UnicodeDecodeError, GaitidError) as error:
        text = error.line() if isinstance(error, GaitidError) else f"{stem}.*.csv is not text"
        return [Finding("golden", FAIL, text)]
    for name, old, text in (
        ("wrenches", wrenches, wrenches_csv(result, express_in)),
        ("joints", joints, joints_csv(result)),
    ):
        findings += _differences(name, old, _table(text, name), largest)
    moved = []
    for quantity, limit in tolerances.items():
        if quantity not in largest:
            continue
        size, column = largest[quantity]
        moved.append(f"{_words(quantity)} {size:.3g}")
        if size > limit:
            unit = quantity.partition("_")[2]
            text = f"{column} moved by {size:.3g} {_unit(unit)}, at most {limit:g}"
            findings.append(Finding("golden", FAIL, text, size, limit, _unit(unit)))
    changes = _changes(result, prepared, path, folder)
    if any(f.status == FAIL for f in findings):
        why = (
            f"it differs from the golden run in {'; '.join(changes)}"
            if changes
            else "no difference of version, settings, model or input is recorded"
        )
        findings.append(Finding("golden record", FAIL, why))
    else:
        findings.append(Finding("golden", PASS, "as golden (largest differences: " + ", ".join(moved) + ")"))
        findings += [Finding("golden record", WARN, f"same numbers, but {change}") for change in changes]
    return findings


def _table(text: str, name: str) -> dict[str, Array]:
    """Columns by name; NaN where a cell is empty."""
    rows = list(csv.reader(text.splitlines()))
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise GaitidError(f"{name} is not a table that gaitid run writes", expected="rows of equal length")
    try:
        values = np.array([[float(cell) if cell else np.nan for cell in row] for row in rows[1:]], dtype=float)
    except ValueError as error:
        raise GaitidError(f"{name} is not a table that gaitid run writes", found=str(error)) from None
    values = values.reshape(len(rows) - 1, len(rows[0]))
    return {column: values[:, i] for i, column in enumerate(rows[0])}


def _frames_of_expression(columns: Sequence[str], result: Result) -> tuple[str, ...]:
    """The frames of expression of a golden table, in its order."""
    from gaitid.write.tables import FRAMES_OF_EXPRESSION

    side, joint = result.model.sides[0].name, result.model.chain[0].joint
    found = [
        frame for column in columns for frame in FRAMES_OF_EXPRESSION if column == f"{side}_{joint}_force_{frame}_x_N"
    ]
    if not found:
        raise GaitidError("the golden wrenches have no column of this model", found=", ".join(columns[2:5]))
    return tuple(found)


def _differences(
    name: str, old: Mapping[str, Array], new: Mapping[str, Array], largest: dict[str, tuple[float, str]]
) -> list[Finding]:
    """Changes of shape and of empty cells; the largest difference of each quantity goes into `largest`."""
    if list(old) != list(new):
        gone = [c for c in old if c not in new]
        come = [c for c in new if c not in old]
        parts = [f"{len(c)} columns {w} ({c[0]}, …)" for c, w in ((gone, "are gone"), (come, "are new")) if c]
        return [Finding("golden", FAIL, f"{name}: {' and '.join(parts) or 'columns are in another order'}")]
    if not np.array_equal(old["frame"], new["frame"]):
        text = f"{name}: frames {_range(new['frame'])} where golden has {_range(old['frame'])}"
        return [Finding("golden", FAIL, text)]
    empty_now, empty_then, first = 0, 0, ""
    for column, b in new.items():
        a = old[column]
        quantity = next((q for ending, q in _ENDINGS if column.endswith(ending)), None)
        changed = np.isnan(a) != np.isnan(b)
        if changed.any():
            empty_now += int((changed & np.isnan(b)).sum())
            empty_then += int((changed & np.isnan(a)).sum())
            first = first or f"{column}, frame {int(new['frame'][np.argmax(changed)])}"
        both = np.isfinite(a) & np.isfinite(b)
        if quantity is None or not both.any():
            continue
        difference = np.abs(a - b)[both]
        if quantity == "angle_deg":
            difference = np.minimum(difference, np.abs(360 - difference))  # an angle that wraps has not moved
        size = float(difference.max())
        if size >= largest.get(quantity, (-1.0, ""))[0]:
            frame = int(new["frame"][both][np.argmax(difference)])
            largest[quantity] = (size, f"{column} (frame {frame})")
    if first:
        text = f"{name}: {empty_now} cells are newly empty and {empty_then} newly filled (first: {first})"
        return [Finding("golden", FAIL, text, float(empty_now + empty_then), 0.0, "cells")]
    return []


def _range(frames: Array) -> str:
    return f"{frames[0]:g} to {frames[-1]:g}" if len(frames) else "none"


def _changes(result: Result, prepared: Prepared, path: Path, folder: Path) -> list[str]:
    """What the golden record says that is no longer so; empty where there is no record."""
    from gaitid.write.record import record

    try:
        old = json.loads((folder / f"{path.stem}.run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    if not isinstance(old, dict):
        return []
    inputs = [{"role": "trial", "path": str(path), "sha256": sha256(path)}, *prepared.inputs]
    new = record(result, (), inputs, prepared.options.express_in, False)
    changes = []
    if old.get("gaitid") != new["gaitid"]:
        changes.append(f"gaitid {old.get('gaitid')} -> {new['gaitid']}")
    for role in ("trial", "static", "subject", "forces", "plates", "model", "table"):
        before, after = _hashes(old.get("inputs"), role), _hashes(new["inputs"], role)
        if before != after:
            changes.append(f"the {role} file" + (" (sha256 differs)" if before and after else " (given once only)"))
    for group, ignored in (("settings", {"express_in"}), ("subject", set())):
        golden, present = old.get(group), new[group]
        if not isinstance(golden, dict):
            continue
        for key in dict.fromkeys([*golden, *present]):
            a, b = golden.get(key), present.get(key)
            if key not in ignored and a != b:
                changes.append(f"{group} {key}: {_value(a)} -> {_value(b)}")
    return changes


def _hashes(inputs: object, role: str) -> list[object]:
    if not isinstance(inputs, list):
        return []
    return [i.get("sha256") for i in inputs if isinstance(i, dict) and i.get("role") == role]


def _value(value: object) -> str:
    if isinstance(value, dict) and "value" in value:
        number = value["value"]
        return f"{number:.6g} {value.get('unit', '')}" if isinstance(number, float) else str(number)
    return "none" if value is None else str(value)


def _words(quantity: str) -> str:
    kind, _, unit = quantity.partition("_")
    return f"{kind} [{_unit(unit)}]"


def _unit(unit: str) -> str:
    return {"Nm": "N·m", "Nm_per_kg": "N·m/kg", "W_per_kg": "W/kg"}.get(unit, unit)
