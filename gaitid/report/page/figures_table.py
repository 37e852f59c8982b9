"""Tables of both sides beside their norms: strides, features, profile scores; and peaks within each contact."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np

from gaitid.norms import NO_PROFILE, Figure, Norms, gait_profile
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.report.page import CYCLE, Basis
from gaitid.report.page.sure import NORMAL_SD
from gaitid.report.panels import PANELS, SIDES
from gaitid.report.text import UNKNOWN, fixed, mean_sd
from gaitid.results.result import Contact, Result


class Row(NamedTuple):
    """A quantity: its key in the files, what people call it, unit as shown, decimals, and factor to it."""

    key: str
    words: str
    unit: str
    decimals: int
    times: float = 1


SPATIOTEMPORAL = (
    Row("speed_m_per_s", "Walking speed", "m/s", 2),
    Row("cadence_steps_per_min", "Cadence", "steps/min", 0),
    Row("stride_length_m", "Stride length", "m", 2),
    Row("stride_time_s", "Stride time", "s", 2),
    Row("step_length_m", "Step length", "m", 2),
    Row("step_time_s", "Step time", "s", 2),
    Row("step_width_m", "Step width", "cm", 1, 100),
    Row("stance_percent", "Stance", "% cycle", 1),
    Row("single_support_percent", "Single support", "% cycle", 1),
    Row("double_support_percent", "Double support", "% cycle", 1),
    Row("flight_percent", "Flight", "% cycle", 1),
)
_UNITS = {
    "deg": ("°", 1),
    "Nm_per_kg": ("N·m/kg", 2),
    "Nms_per_kg": ("N·m·s/kg", 3),
    "W_per_kg": ("W/kg", 2),
    "J_per_kg": ("J/kg", 3),
    "BW": ("body weights", 2),
    "BW_s": ("body weights · s", 3),
    "BW_per_s": ("body weights/s", 1),
}
# What a clinic looks at first; all others are folded.
_ANGLES = {
    "pelvis_anterior_tilt_angle_mean": "Pelvic tilt, mean",
    "hip_flexion_angle_max": "Hip flexion, greatest",
    "hip_flexion_angle_min_stance": "Hip flexion in stance, least",
    "knee_flexion_angle_at_strike": "Knee flexion at strike",
    "knee_flexion_angle_max_early_stance": "Knee flexion, loading response",
    "knee_flexion_angle_min_stance": "Knee flexion in stance, least",
    "knee_flexion_angle_max_swing": "Knee flexion in swing, greatest",
    "ankle_dorsiflexion_angle_at_strike": "Ankle dorsiflexion at strike",
    "ankle_dorsiflexion_angle_max_stance": "Ankle dorsiflexion in stance, greatest",
    "ankle_dorsiflexion_angle_min_foot_off": "Ankle dorsiflexion at foot off, least",
    "foot_progression_internal_rotation_angle_mean_stance": "Foot progression in stance, mean",
}
_MOMENTS = {
    "hip_extension_moment_max_early_stance": "Hip extension moment, early stance",
    "hip_abduction_moment_max_early_stance": "Hip abduction moment, first peak",
    "knee_extension_moment_max_early_stance": "Knee extension moment, loading response",
    "knee_abduction_moment_max_early_stance": "Knee abduction moment, first peak",
    "ankle_plantarflexion_moment_max_late_stance": "Ankle plantarflexion moment, greatest",
}
_POWERS = {
    "hip_power_generation_max_H1": "Hip power H1",
    "hip_power_generation_max_H3": "Hip power H3",
    "knee_power_absorption_max_K1": "Knee power K1 (absorbed)",
    "knee_power_generation_max_K2": "Knee power K2",
    "ankle_power_generation_max_A2": "Ankle power A2 (push-off)",
}
FEATURES = tuple(
    Row(key, words, *_UNITS[unit])
    for unit, rows in (("deg", _ANGLES), ("Nm_per_kg", _MOMENTS), ("W_per_kg", _POWERS))
    for key, words in rows.items()
)


class Cell(NamedTuple):
    """Of one side: mean ± SD, of how many, and ``above`` or ``below`` where the mean is beyond the norm."""

    text: str
    n: int
    beyond: str = ""


class SideTable(NamedTuple):
    """Quantities of both sides beside their norms.

    Attributes
    ----------
    caption : str
    with_norms : bool
    asked : int
        Of so many quantities.
    rows : list of (Row, cells of the sides, norm)
        Those that any side has.
    """

    caption: str
    with_norms: bool
    asked: int
    rows: list[tuple[Row, list[Cell], str]]


def spatiotemporal(results: Sequence[Result], norms: Norms | None, speed: Figure | None) -> SideTable:
    """Strides and steps: mean ± SD and number of each side, and the norms; `speed` where these have none of it."""
    values = {
        side: {row.key: [v for result in results for v in strides(result, side, row.key)] for row in SPATIOTEMPORAL}
        for side in SIDES
    }
    flies = any(v > 0 for side in SIDES for v in values[side]["flight_percent"])
    rows = SPATIOTEMPORAL if flies else SPATIOTEMPORAL[:-1]
    given = {} if speed is None else {"speed_m_per_s": speed}
    given |= norms.spatiotemporal if norms is not None else {}
    return side_table(rows, values, given, "Spatio-temporal", norms is not None and norms.judges)


def strides(result: Result, side: str, key: str) -> list[float]:
    """A figure of each stride of a side (of ``both`` too, with an empty `side`)."""
    results = []
    for row in result.spatiotemporal:
        if row["cycle"].isdecimal() and side in ("", row["side"]) and row.get(key):
            try:
                results.append(float(row[key]))
            except ValueError:
                continue
    return [v for v in results if math.isfinite(v)]


def features(results: Sequence[Result], norms: Norms | None) -> list[SideTable]:
    """The features of ``features.csv``: angles and loads that a clinic looks at first, then all; none without any."""
    values: dict[str, dict[str, list[float]]] = {side: {} for side in SIDES}
    units: dict[str, str] = {}
    for result in results:
        for feature in result.features:
            if feature.cycle.isdecimal() and feature.side in values:
                values[feature.side].setdefault(feature.name, []).append(feature.value)
                units[feature.name] = feature.unit
    if not units:
        return []
    given, judges = (norms.features, norms.judges) if norms is not None else ({}, False)
    n_angles = len(_ANGLES)
    rest = [Row(name, _spoken(name), *_UNITS.get(unit, (unit.replace("_", " "), 3))) for name, unit in units.items()]
    tables = {"Angles": FEATURES[:n_angles], "Loads": FEATURES[n_angles:], "All features": rest}
    return [side_table(rows, values, given, name, judges) for name, rows in tables.items()]


def _spoken(name: str) -> str:
    words = name.replace("_angle_", ", ")
    for kind in ("moment", "power", "force"):
        words = words.replace(f"_{kind}_", f" {kind}, ")
    words = words.replace("_", " ")
    return words[:1].upper() + words[1:]


def side_table(
    rows: Sequence[Row],
    values: Mapping[str, Mapping[str, Sequence[float]]],
    norms: Mapping[str, Figure],
    caption: str,
    judges: bool,
) -> SideTable:
    """A row a quantity that any side has, marked where it is beyond norms that judge."""
    shown = []
    for row in rows:
        of_sides = [[v for v in values[side].get(row.key, ()) if math.isfinite(v)] for side in SIDES]
        if not any(of_sides):
            continue
        figure, norm = norms.get(row.key), ""
        cells = [_cell(of_side, row, figure if judges else None) for of_side in of_sides]
        if figure is not None:
            spread = f" ± {fixed(figure.sd * row.times, row.decimals)}" if math.isfinite(figure.sd) else ""
            norm = f"{fixed(figure.mean * row.times, row.decimals)}{spread}"
        shown.append((row, cells, norm))
    return SideTable(caption, any(row.key in norms for row in rows), len(rows), shown)


def _cell(values: Sequence[float], row: Row, norm: Figure | None) -> Cell:
    """Mean ± SD (n); marked where the mean lies beyond two SD of the norm."""
    if not values:
        return Cell(UNKNOWN, 0)
    beyond = ""
    if norm is not None and norm.sd > 0:
        apart = (float(np.mean(values)) * row.times / row.times - norm.mean) / norm.sd
        if abs(apart) > NORMAL_SD:
            beyond = "above" if apart > 0 else "below"
    return Cell(mean_sd(values, row.times, row.decimals), len(values), beyond)


# --- scores ---------------------------------------------------------------------------------------------------


class Profile(NamedTuple):
    """Gait Profile Score and Movement Analysis Profile, or why there are none.

    Attributes
    ----------
    why_not : str
    overall, healthy : float
        Degrees, of the subject and of people of the norm.
    rows : list of (words, (left, right, norm))
        The last is the score.
    """

    why_not: str
    overall: float = math.nan
    healthy: float = math.nan
    rows: Sequence[tuple[str, Sequence[float]]] = ()


def profile(basis: Basis, norms: Norms | None) -> Profile:
    """The scores of what is drawn."""
    if norms is None:
        return Profile("it is the distance from norms, and none are drawn")
    if basis.kind != CYCLE:
        return Profile("there is no whole gait cycle")
    curves = {side: basis.sides[side].curves.columns if side in basis.sides else {} for side in SIDES}
    scored = gait_profile(curves["left"], curves["right"], norms)
    if scored is None:
        return Profile(NO_PROFILE)
    rows: list[tuple[str, Sequence[float]]] = []
    for name in next(iter(scored.scores.values())):
        of_sides = [scored.scores.get(side, {}).get(name, math.nan) for side in SIDES]
        words = PANELS[name].title if name in PANELS else name.replace("_", " ")
        rows.append((words, [*of_sides, scored.band_scores.get(name, math.nan)]))
    rows.append(("Gait Profile Score", [scored.left, scored.right, scored.band_side]))
    return Profile("", scored.overall, scored.band_overall, rows)


def speeds_of(results: Sequence[Result]) -> list[float]:
    """Walking speed of each stride of each trial, m/s."""
    return [v for result in results for v in strides(result, "", "speed_m_per_s")]


# --- peaks ----------------------------------------------------------------------------------------------------


class PeakKind(NamedTuple):
    """A peak that is looked for: the greatest value of a column, or the least one."""

    group: str
    name: str
    column: str
    greatest: bool


@frozen_dataclass()
class Peak:
    """A peak within one contact.

    ``value`` is NaN where no frame of the contact has one; ``empty`` frames of ``frames`` have none, so the
    true peak may lie among them. ``beside_impact`` where it lies beside the frames of the impact, which are left out:
    then the true peak may lie there.
    """

    value: float
    frame: int
    empty: int
    frames: int
    beside_impact: bool = False


PEAKS = (
    *(
        PeakKind("Moment, N·m/kg", name, f"{name.lower().replace(' ', '_')}_moment_Nm_per_kg", True)
        for name in ("Ankle plantarflexion", "Knee extension", "Knee abduction", "Hip extension", "Hip abduction")
    ),
    *(
        PeakKind("Power, W/kg", f"{joint.capitalize()} {what}", f"{joint}_power_W_per_kg", what == "generation")
        for joint in ("ankle", "knee", "hip")
        for what in ("generation", "absorption")
    ),
)


def peak(result: Result, contact: Contact, kind: PeakKind) -> Peak:
    """The greatest (or least) value while the foot is on the ground, over the frames that have one.

    Frames of the strike's impact are left out: what knee and hip have there is no moment of the joint.
    """
    inside = (result.frame >= contact.first_frame) & (result.frame <= contact.last_frame)
    frame, values = result.frame[inside], result.columns[f"{contact.side}_{kind.column}"][inside]
    impact, empty = np.zeros(len(frame), dtype=bool), int((~np.isfinite(values)).sum())
    for first, last in result.impacts(contact.side):
        impact |= (frame >= first) & (frame <= last)
    values = np.where(impact, np.nan, values)
    if not np.isfinite(values).any():
        return Peak(float("nan"), -1, empty, len(values))
    at = int(np.nanargmax(values) if kind.greatest else np.nanargmin(values))
    return Peak(float(values[at]), int(frame[at]), empty, len(values), bool(impact[max(at - 1, 0) : at + 2].any()))


class PeakTable(NamedTuple):
    """Peaks of one kind of load in each contact with a known load.

    Attributes
    ----------
    group : str
    kinds : list of PeakKind
    rows : list of (Contact, ends of the trial that cut it, peaks)
    """

    group: str
    kinds: list[PeakKind]
    rows: list[tuple[Contact, list[str], list[Peak]]]


def peak_tables(result: Result) -> list[PeakTable]:
    """The figures of results without features, as single stances; none without a known load."""
    known = [contact for contact in result.contacts if contact.known]
    kinds = [kind for kind in PEAKS if f"{result.sides[0]}_{kind.column}" in result.columns]
    tables = []
    for group, of_group in groupby(kinds, key=lambda kind: kind.group) if known else ():
        of_kind, rows = list(of_group), []
        for c in known:
            # its peak may lie outside
            ends = {"start": c.first_frame <= result.frame[0], "end": c.last_frame >= result.frame[-1]}
            rows.append((c, [end for end in ends if ends[end]], [peak(result, c, kind) for kind in of_kind]))
        tables.append(PeakTable(group, of_kind, rows))
    return tables
