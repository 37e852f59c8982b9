"""The panels over the cycle: what each draws and tells, and the same numbers for the page's script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.body.quality import combined
from gaitid.drawing import SHAPE, Scale, area, middle, path, paths, scale_for, wider
from gaitid.norms import Band, Norms
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.report.page import CYCLE, PERCENT, Basis, Pooled
from gaitid.report.page.messages import each_note
from gaitid.report.page.sure import against, band_at, norm_words, standard_over_cycle
from gaitid.report.panels import GROUPS, MUSCLES, PANELS, SIDES, CyclePanel, Group, muscle_panels
from gaitid.results.result import Result, unknown_spans
from gaitid.trial import Array, Mask
from gaitid.uncertainty.usable import COVERAGE_FACTOR

# Codes of notes that say why no moment is known although loads are.
_WHY_NO_MOMENTS = {"mass_unknown", "no_known_wrench"}
# The panel that shows whether the knee's flexion leaks into other planes.
_CROSS_TALK = "knee_adduction_deg"
# Of more curves a side so many are drawn, evenly chosen; the mean is of all.
MOST_DRAWN = 40
# From so many curves a side on, each is drawn at every second percent.
_COARSE_FROM = 13


@frozen_dataclass()
class Drawn:
    """What all panels of a session share.

    Attributes
    ----------
    key : str
        Unique on the page.
    of : tuple of str
        The sides that the trials have.
    why_empty : mapping of str to str
        By side: why no load is known; told under the first group that needs a load.
    results : tuple of Result
        Those that the means are of.
    """

    key: str
    of: tuple[str, ...]
    basis: Basis
    norms: Norms | None
    why_empty: Mapping[str, str]
    results: tuple[Result, ...] = ()

    @property
    def most(self) -> int:
        """Of more curves a side so many are drawn."""
        return MOST_DRAWN

    @property
    def norm_words(self) -> str:
        """What the grey band is."""
        return norm_words(self.norms) if self.norms is not None else ""

    @property
    def has_impacts(self) -> bool:
        """Whether any curve is in the impact of a foot strike."""
        return any(pooled.impact.any() for pooled in self.basis.sides.values())

    @property
    def has_estimates(self) -> bool:
        """Whether any curve has a load that was estimated from the motion."""
        every = [(side, name) for side in self.basis.sides.values() for name in side.curves.columns]
        return any(side.by_motion(name).any() for side, name in every)

    @property
    def has_bands(self) -> bool:
        """Whether it is known of any trial how sure its curves are."""
        return self.basis.kind == CYCLE and any("uncertainty" in result.record for result in self.results)

    def band(self, panel: CyclePanel) -> Band | None:
        """The norms of a panel, where they are over the same axis."""
        return self.norms.bands.get(panel.column) if self.norms is not None and self.basis.kind == CYCLE else None


def why_unknown(results: Sequence[Result]) -> dict[str, str]:
    """By side why loads are unknown: what the contacts say, of all trials, each once; else what the coverage counts."""
    empty = [text for result in results for _, code, text in each_note(result) if code in _WHY_NO_MOMENTS]
    why = {}
    for side in SIDES:
        contacts = [c for result in results for c in result.contacts if c.side == side and c.reason]
        texts = [f"plate {c.plates}: {c.reason}" if c.known else c.reason for c in contacts]
        if all(c.known for c in contacts):
            texts += [span.reason for result in results for span in unknown_spans(result) if span.side == side]
        why[side] = "; ".join(dict.fromkeys([*empty, *texts]))
    return why


def groups_of(basis: Basis) -> list[Group]:
    """The groups and panels that any side has a column of."""
    there = {name for pooled in basis.sides.values() for name in pooled.curves.columns}
    kept = [group._replace(panels=tuple(p for p in group.panels if p.column in there)) for group in GROUPS]
    greatest: dict[str, float] = {}
    for pooled in basis.sides.values():
        for name, values in pooled.muscles.items():
            greatest[name] = max(greatest.get(name, 0.0), float(np.nanmax(values, initial=0.0)))
    kept.append(Group("muscles", "Muscles", MUSCLES, muscle_panels(greatest)))
    return [group for group in kept if group.panels]


class Mark(NamedTuple):
    """When a side's foot leaves the ground, and when the other's leaves and strikes it: across; None where unknown.

    ``before`` is whether the letter stands left of the line.
    """

    side: str
    off: float | None
    before: bool
    opposite_off: float | None
    opposite_strike: float | None


class Figure(NamedTuple):
    """One panel as it is drawn.

    Attributes
    ----------
    panel : CyclePanel
    scale : Scale
    label : str
        For those who do not see it.
    beyond : list of (side, words)
        Which side leaves the norms, and where.
    norm : list of (class, area, middle)
        Paths of the norm's band, and of its spike.
    sides : list of (side, paths)
        Paths by their class, from below.
    missing, notes : list of str
    """

    panel: CyclePanel
    scale: Scale
    label: str
    beyond: list[tuple[str, str]]
    norm: list[tuple[str, str, str]]
    sides: list[tuple[str, list[tuple[str, str]]]]
    missing: list[str]
    notes: list[str]


def figures(drawn: Drawn) -> list[tuple[Group, list[str], list[Figure]]]:
    """Each group with what is told of it, and its panels; none of a quantity of which no side has a value."""
    sides = drawn.basis.sides.values()
    results = []
    for group in groups_of(drawn.basis):
        known = [p for p in group.panels if any(np.isfinite(side.values(p.column)).any() for side in sides)]
        notes = [*([group.note] if group.note else []), *_without_mean(drawn, group)]
        if group.key == "muscles":
            message = (each for result in drawn.results for each in each_note(result))
            notes += dict.fromkeys(text for _, code, text in message if code.startswith("emg_"))
        if known and (empty := [p.title for p in group.panels if p not in known]):
            notes.append(f"Without a curve: {', '.join(empty)}.")
        results.append((group, notes, [_figure(drawn, panel) for panel in known]))
    return results


def _figure(drawn: Drawn, panel: CyclePanel) -> Figure:
    sides, kind = drawn.basis.sides, drawn.basis.kind
    means = {side: pooled.mean(panel.column) for side, pooled in sides.items()}
    band = drawn.band(panel)
    # of sides within the norms nothing is said beside the curves, the eye sees it
    compared = {side: against(panel, sides.get(side), band) for side in SIDES}
    judged = drawn.norms is not None and drawn.norms.judges and not (band and band.borrowed)
    missing = []
    for side in drawn.of:  # which has no curve, or no mean; why stands above the panels of the group
        mean = means.get(side)
        if mean is None or not mean.n:
            no_whole = f"no whole {kind}{' with a known load' if panel.loaded else ''}"
            in_part = mean is not None and mean.part.any()
            known = f"known in part of a {kind} only (thin, and in no mean)" if in_part else no_whole
            missing.append(f"{side.capitalize()}: {known}")
    described = []
    for side, mean in means.items():
        curves = f"{mean.n} curve{'' if mean.n == 1 else 's'}" if mean.n else "no whole curve"
        described.append(f"{side}: {'mean of ' if mean.n > 1 else ''}{curves}")
    scale = scale_for(panel.low, panel.high, _all_values(drawn, panel, band))
    return Figure(
        panel,
        scale,
        f"{panel.title} over {drawn.basis.label}. {'; '.join(described)}",
        [(side, of.words) for side, of in compared.items() if of.level == "outside" and judged],
        [] if band is None else _norm(scale, panel, band),
        # the left one's dashes lie on the right one's line
        [(side, _paths(drawn, scale, panel, pooled)) for side, pooled in reversed(list(sides.items()))],
        missing,
        _knee_axes(drawn) if panel.column == _CROSS_TALK else [],
    )


def _knee_axes(drawn: Drawn) -> list[str]:
    """Of each side how far the axes of the thigh seem turned, by all trials together."""
    lines = []
    for side in drawn.of:
        axis = combined(result.mapping("quality", "calibration", side, "knee_axis") for result in drawn.results)
        if axis is not None:
            way = "inward" if axis[0] > 0 else "outward"
            seem = f"the thigh’s axes seem turned {way} by {abs(axis[0]):.0f}° ± {axis[1]:.0f}°"
            lines.append(f"{side.capitalize()}: {seem}")
    return lines


def _without_mean(drawn: Drawn, group: Group) -> list[str]:
    """Of each side whose load is known in no whole cycle: why."""
    loaded = [panel.column for panel in group.panels if panel.loaded]
    sides, with_mean = drawn.basis.sides, set[str]()
    for side, pooled in sides.items():
        if any(pooled.mean(column).n for column in loaded):
            with_mean.add(side)
    without = [side for side in drawn.of if loaded and side not in with_mean]
    if not without:
        return []
    first = next(g for g in groups_of(drawn.basis) if any(panel.loaded for panel in g.panels))
    what = f"no whole {drawn.basis.kind} with a known load"
    if group.key != first.key:
        return [f"{' and '.join(without).capitalize()}: {what}; why stands under {first.title.lower()}."]
    whys = {side: drawn.why_empty.get(side, "") for side in without}
    return [f"{side.capitalize()}: {what}{f': {why}' if why else ''}." for side, why in whys.items()]


def _all_values(drawn: Drawn, panel: CyclePanel, band: Band | None) -> Array:
    """What the y axis has to show: no impact of a foot strike, and no spike of the norms."""
    values = [np.empty(0)]
    for pooled in drawn.basis.sides.values():
        spoiled, mean = pooled.spoiled(panel.column), pooled.mean(panel.column)
        values.append(panel.scale * np.where(spoiled, np.nan, pooled.values(panel.column)).ravel())
        if mean.n > 1:
            calm = ~spoiled.any(axis=0)
            values += [panel.scale * (mean.mean + way * mean.sd)[calm] for way in (-1, 1)]
    if band is not None:
        norm, sd = band_at(band)
        beside = band.spike_until_percent <= PERCENT
        values += [panel.scale * (norm + way * np.nan_to_num(sd))[beside] for way in (-1, 1)]
    return np.concatenate(values)


def _norm(scale: Scale, panel: CyclePanel, band: Band) -> list[tuple[str, str, str]]:
    """The band of one SD and its mean, and its spike apart."""
    mean, sd = (panel.scale * v for v in band_at(band))
    spike = (band.spike_until_percent > PERCENT) & (band.spike_until_percent > 0)
    results = []
    for mask, name in ((~spike, "norm"), (wider(spike), "norm spike")):
        if mask.any():
            middle = np.where(mask, mean, np.nan)
            results.append(
                (
                    f"{name} other" if band.borrowed else name,
                    area(scale, PERCENT, middle - sd, middle + sd),
                    path(scale, PERCENT, middle),
                )
            )
    return results


def _paths(drawn: Drawn, scale: Scale, panel: CyclePanel, pooled: Pooled) -> list[tuple[str, str]]:
    """Edges of the 95 % band, SD, each curve, and the mean; the part of an impact apart from the rest."""
    values, mean = panel.scale * pooled.values(panel.column), pooled.mean(panel.column)
    # where an impact is estimated it is shown as an impact
    apart = {"impact": pooled.spoiled(panel.column)}
    apart["estimated"] = pooled.by_motion(panel.column) & ~apart["impact"]
    result, standard = [], None
    if drawn.has_bands:
        standard = standard_over_cycle(drawn.results, pooled.side, panel.column, len(PERCENT))
    if standard is not None and mean.n:
        edges = [panel.scale * (mean.mean + way * COVERAGE_FACTOR * standard) for way in (-1, 1)]
        result.append(("sure", "".join(paths(scale, PERCENT, np.array(edges)))))
    if mean.n > 1:
        low, high = (panel.scale * (mean.mean + way * mean.sd) for way in (-1, 1))
        result.append(("sd", area(scale, PERCENT, low, high)))
    if not (len(values) == 1 and mean.n == 1):
        chosen = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_DRAWN)).round().astype(int))
        step = 2 if len(chosen) >= _COARSE_FROM else 1
        calm, others = _parts(scale, values[chosen], {name: of[chosen] for name, of in apart.items()}, step)
        result.append(("each part" if not mean.n else "each many" if step > 1 else "each", calm))
        result += [(f"each {name}", d) for name, d in others.items()]
    struck, by_motion = (np.asarray(of.any(axis=0)) for of in (apart["impact"], apart["estimated"][mean.whole]))
    in_any = {"impact": struck[None], "estimated": (by_motion & ~struck)[None]}
    calm, others = _parts(scale, (panel.scale * mean.mean)[None], in_any, 1)
    return result + ([("mean", calm)] if calm else []) + [(f"mean {name}", d) for name, d in others.items()]


def _parts(scale: Scale, values: Array, apart: Mapping[str, Mask], step: int) -> tuple[str, dict[str, str]]:
    """The paths of curves, (curves, points), outside of some parts, and by name those within these up to the
    neighbours.
    """
    outside = ~np.logical_or.reduce([*apart.values()])
    calm = paths(scale, PERCENT[::step], np.where(outside, values, np.nan)[:, ::step])
    others = {}
    for name, part in apart.items():
        within = [np.where(wider(hit), curve, np.nan) for curve, hit in zip(values, part, strict=True) if hit.any()]
        if within and (d := "".join(paths(scale, PERCENT, np.array(within)))):
            others[name] = d
    return "".join(calm), others


def marks(sides: Mapping[str, Pooled]) -> list[Mark]:
    """Foot off of each side, and the other foot's off and strike."""
    offs = {side: middle(pooled.curves.off_percent) for side, pooled in sides.items()}
    first = min((x for x in offs.values() if x is not None), default=None)
    return [
        Mark(
            side,
            x := offs[side],
            x == first and not (side == "right" and list(offs.values()).count(x) > 1),
            middle(pooled.curves.opposite_off_percent),
            middle(pooled.curves.opposite_strike_percent),
        )
        for side, pooled in sides.items()
    ]


# --- for the script -------------------------------------------------------------------------------------------


def curve_data(drawn: Drawn, groups: Sequence[tuple[Group, list[str], list[Figure]]]) -> dict[str, Any]:
    """Means, SDs and norms at each percent, and the axes of each panel."""
    panels = {}
    for panel, scale in ((figure.panel, figure.scale) for _, _, figures in groups for figure in figures):
        entry: dict[str, Any] = {"axis": [scale.low, scale.high], "decimals": panel.decimals}
        for side, pooled in drawn.basis.sides.items():
            mean = pooled.mean(panel.column)
            entry[side] = {"mean": rounded(panel, mean.mean, 1), "n": mean.n}
            if mean.n > 1:
                entry[side]["sd"] = rounded(panel, mean.sd, 1)
        if (band := drawn.band(panel)) is not None:
            entry["norm"] = [rounded(panel, values, 1) for values in band_at(band)]
        panels[panel.column] = entry
    return {"kind": drawn.basis.kind, "shape": SHAPE, "panels": panels}


def rounded(panel: CyclePanel, values: Array, more: int = 0) -> list[float | None]:
    """Values as a panel shows them, with so many decimals more; None where unknown."""
    shown = np.round(panel.scale * values, panel.decimals + more)
    return [value if np.isfinite(value) else None for value in shown.tolist()]


def buttons(drawn: Drawn) -> dict[tuple[str, str], dict[str, str]]:
    """By a set's name and what its buttons toggle: their values and words."""
    sides = drawn.basis.sides
    there = {column for pooled in sides.values() for column in pooled.curves.columns}
    kinds = {
        "Angles": ("angles", "_deg"),
        "Moments": ("moments", "_moment_"),
        "Powers": ("powers", "_power_"),
        "Ground reaction": ("ground", "ground_reaction"),
    }
    layers = {
        "Each curve": ("each", any(len(pooled) > 1 for pooled in sides.values())),
        "Norm": ("norm", drawn.norms is not None),
        "95 % band": ("sure", drawn.has_bands),
    }
    curves = {key: name for name, (key, part) in kinds.items() if any(part in of for of in there)}
    if any(pooled.muscles for pooled in sides.values()):
        curves["muscles"] = "Muscles"
    of_panels = {PANELS[name].joint for name in there if name in PANELS}
    joints = [joint for joint in ("pelvis", "hip", "knee", "ankle", "foot") if joint in of_panels]
    return {
        ("Sides", "side"): {side: side.capitalize() for side in sides},
        ("Show", "layer"): {key: name for name, (key, is_there) in layers.items() if is_there},
        ("Joints", "joint"): {joint: joint.capitalize() for joint in joints},
        ("Curves", "group"): curves,
    }
