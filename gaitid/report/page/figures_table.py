"""Spatio-temporal figures, features and profile scores of both sides beside their norms, as tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.norms import NO_GDI, Figure, Norms, gait_profile
from gaitid.records import NamedTuple
from gaitid.report.page.pool import CYCLE, Basis
from gaitid.report.page.sure import NORMAL_SD
from gaitid.report.panels import PANELS, SIDES
from gaitid.report.result import Result
from gaitid.report.text import UNKNOWN, escape, fixed, mean_sd, title


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


def spatiotemporal_html(results: Sequence[Result], norms: Norms | None) -> str:
    """Strides and steps: mean ± SD and number of each side, and the norms."""
    values = {
        side: {row.key: [v for result in results for v in strides(result, side, row.key)] for row in SPATIOTEMPORAL}
        for side in SIDES
    }
    flies = any(v > 0 for side in SIDES for v in values[side]["flight_percent"])
    rows = SPATIOTEMPORAL if flies else SPATIOTEMPORAL[:-1]
    given = norms.spatiotemporal if norms is not None else {}
    table = side_table(rows, values, given, "Spatio-temporal", norms is not None and norms.judges)
    return table or '<p class="quiet">No whole stride.</p>'


def strides(result: Result, side: str, key: str) -> list[float]:
    """A figure of each stride of a side (of ``both`` too, with an empty `side`)."""
    found = []
    for row in result.spatiotemporal:
        if row["cycle"].isdecimal() and side in ("", row["side"]) and row.get(key):
            try:
                found.append(float(row[key]))
            except ValueError:
                continue
    return [v for v in found if math.isfinite(v)]


def features_html(results: Sequence[Result], norms: Norms | None) -> str:
    """The features of ``features.csv``: what a clinic looks at first, then all."""
    values: dict[str, dict[str, list[float]]] = {side: {} for side in SIDES}
    units: dict[str, str] = {}
    for result in results:
        for feature in result.features:
            if feature.cycle.isdecimal() and feature.side in values:
                values[feature.side].setdefault(feature.name, []).append(feature.value)
                units[feature.name] = feature.unit
    if not units:
        return ""
    given, judges = (norms.features, norms.judges) if norms is not None else ({}, False)
    n_angles = len(_ANGLES)
    first = "".join(
        f"<div>{side_table(rows, values, given, name, judges)}</div>"
        for name, rows in (("Angles", FEATURES[:n_angles]), ("Loads", FEATURES[n_angles:]))
    )
    rest = [Row(name, _spoken(name), *_UNITS.get(unit, (title(unit), 3))) for name, unit in units.items()]
    everything = side_table(rest, values, given, "All features", judges)
    return (
        f'<div class="columns">{first}</div><details><summary>All {len(rest)} features</summary>{everything}</details>'
        '<p class="note">Of each cycle, then mean ± SD (n). None comes from an unknown load, and no peak of a joint '
        "from the impact of the foot strike: where it lies there, none is given. Work and impulses run through it, "
        "with forces filtered as the markers are: where the curve has an impact, its own area differs. The ground’s "
        "impact peak and loading rate are of the impact itself.</p>"
    )


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
    judges: bool = True,
) -> str:
    """A row a quantity that any side has, marked where it is beyond norms that judge; empty where none is."""
    body = []
    with_norms = any(row.key in norms for row in rows)
    for row in rows:
        of_sides = [[v for v in values[side].get(row.key, ()) if math.isfinite(v)] for side in SIDES]
        if not any(of_sides):
            continue
        figure, norm = norms.get(row.key), ""
        cells = "".join(_cell(of_side, row, figure if judges else None) for of_side in of_sides)
        if figure is not None:
            spread = f" ± {fixed(figure.sd * row.times, row.decimals)}" if math.isfinite(figure.sd) else ""
            norm = f"{fixed(figure.mean * row.times, row.decimals)}{spread}"
        norm = f'<td class="n norm">{norm}</td>' if with_norms else ""
        name = f'{escape(row.words)} <span class="unit">{escape(row.unit)}</span>'
        body.append(f'<tr><th scope="row">{name}</th>{cells}{norm}</tr>')
    head = '<th scope="col" class="n norm">Norm</th>' if with_norms else ""
    html = (
        f'<div class="scroll"><table class="figures" aria-label="{escape(caption)}"><thead><tr><th scope="col"></th>'
        '<th scope="col" class="n left">Left</th><th scope="col" class="n right">Right</th>'
        f"{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )
    return html if body else ""


def _cell(values: Sequence[float], row: Row, norm: Figure | None) -> str:
    """Mean ± SD (n); marked where the mean lies beyond two SD of the norm."""
    if not values:
        return f'<td class="n">{UNKNOWN}</td>'
    beyond = ""
    if norm is not None and norm.sd > 0:
        apart = (float(np.mean(values)) * row.times / row.times - norm.mean) / norm.sd
        if abs(apart) > NORMAL_SD:
            beyond = f' <small class="beyond">{"above" if apart > 0 else "below"}</small>'
    return f'<td class="n">{mean_sd(values, row.times, row.decimals)} <small>({len(values)})</small>{beyond}</td>'


# --- scores ---------------------------------------------------------------------------------------------------


def profile_html(basis: Basis, norms: Norms | None) -> str:
    """Gait Profile Score and Movement Analysis Profile, or why there are none."""
    why, profile = "", None
    if norms is None:
        why = "it is the distance from norms, and none are drawn"
    elif basis.kind != CYCLE:
        why = "there is no whole gait cycle"
    else:
        curves = {side: basis.sides[side].curves.columns if side in basis.sides else {} for side in SIDES}
        profile = gait_profile(curves["left"], curves["right"], norms)
        why = "no side has a cycle in which all nine angles are known, or the norms lack one of them"
    heading = "<h3>Gait Profile Score</h3>"
    if profile is None or norms is None:
        return f'{heading}<p class="note">Not computed: {why}.</p>'
    rows = []
    for name in next(iter(profile.scores.values())):
        of_sides = [profile.scores.get(side, {}).get(name, math.nan) for side in SIDES]
        words = PANELS[name].title if name in PANELS else title(name)
        rows.append(_scores("<tr>", words, [*of_sides, profile.band_scores.get(name, math.nan)]))
    total = [profile.left, profile.right, profile.band_side]
    rows.append(_scores('<tr class="total">', "Gait Profile Score", total))
    healthy = f" (people of the norm: {fixed(profile.band_overall, 1)}°)" if math.isfinite(profile.band_overall) else ""
    return (
        f'{heading}<p>Overall <strong>{fixed(profile.overall, 1)}°</strong>{healthy}</p><div class="scroll">'
        '<table class="figures" aria-label="Movement Analysis Profile"><thead><tr><th scope="col">Movement Analysis '
        'Profile <span class="unit">° rms from the norm’s mean</span></th><th scope="col" class="n left">Left</th>'
        '<th scope="col" class="n right">Right</th><th scope="col" class="n norm">Norm</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
        f'<p class="note">Baker et al. 2009, Gait Posture 30:265–269, against {escape(norms.title)}. '
        f"{escape(NO_GDI)}</p>"
    )


def _scores(begin: str, words: str, values: Sequence[float]) -> str:
    """Left, right, norm."""
    cells = "".join(f'<td class="n">{fixed(value, 1)}</td>' for value in values)
    return f'{begin}<th scope="row">{escape(words)}</th>{cells}</tr>'


def speeds_of(results: Sequence[Result]) -> list[float]:
    """Walking speed of each stride of each trial, m/s."""
    return [v for result in results for v in strides(result, "", "speed_m_per_s")]
