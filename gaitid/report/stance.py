"""What the pictures and tables say about loads: unknown spans, the vertical axis, peaks within a contact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gaitid.numerics.masks import spans
from gaitid.records import frozen_dataclass
from gaitid.report.panels import AXES, ground_column
from gaitid.report.result import Contact, Result


@frozen_dataclass()
class Span:
    """Frames (both ends included) in which a foot's load is unknown, and why."""

    side: str
    first_frame: int
    last_frame: int
    reason: str


@frozen_dataclass()
class PeakKind:
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
    PeakKind("Moment, N·m/kg", "Ankle plantarflexion", "ankle_plantarflexion_moment_Nm_per_kg", True),
    PeakKind("Moment, N·m/kg", "Knee extension", "knee_extension_moment_Nm_per_kg", True),
    PeakKind("Moment, N·m/kg", "Knee abduction", "knee_abduction_moment_Nm_per_kg", True),
    PeakKind("Moment, N·m/kg", "Hip extension", "hip_extension_moment_Nm_per_kg", True),
    PeakKind("Moment, N·m/kg", "Hip abduction", "hip_abduction_moment_Nm_per_kg", True),
    PeakKind("Power, W/kg", "Ankle generation", "ankle_power_W_per_kg", True),
    PeakKind("Power, W/kg", "Ankle absorption", "ankle_power_W_per_kg", False),
    PeakKind("Power, W/kg", "Knee generation", "knee_power_W_per_kg", True),
    PeakKind("Power, W/kg", "Knee absorption", "knee_power_W_per_kg", False),
    PeakKind("Power, W/kg", "Hip generation", "hip_power_W_per_kg", True),
    PeakKind("Power, W/kg", "Hip absorption", "hip_power_W_per_kg", False),
)

#: Severities that say what was assumed or done; all others are warnings.
MERE_NOTES = ("assumption", "info")


def peak_kinds(result: Result) -> list[PeakKind]:
    """The peaks whose columns the result has."""
    return [kind for kind in PEAKS if f"{result.sides[0]}_{kind.column}" in result.columns]


def peak(result: Result, contact: Contact, kind: PeakKind) -> Peak:
    """The greatest (or least) value while the foot is on the ground, over the frames that have one.

    Frames of the strike's impact are left out: what knee and hip have there is no moment of the joint.
    """
    impact = result.impact_frames(contact.side)
    inside = (result.frame >= contact.first_frame) & (result.frame <= contact.last_frame)
    values = result.columns[f"{contact.side}_{kind.column}"][inside]
    filled, impact = np.isfinite(values), impact[inside]
    values, empty = np.where(impact, np.nan, values), int((~filled).sum())
    if not np.isfinite(values).any():
        return Peak(float("nan"), -1, empty, len(values))
    at = int(np.nanargmax(values) if kind.greatest else np.nanargmin(values))
    beside = bool(impact[max(at - 1, 0) : at + 2].any())
    return Peak(float(values[at]), int(result.frame[inside][at]), empty, len(values), beside)


def runs(mask: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """First and last index of every run of True."""
    return ((first, after - 1) for first, after in spans(mask))


def unknown_spans(result: Result) -> list[Span]:
    """The frames in which a foot's load is unknown (its cells are empty), with the reason that the contacts give."""
    spans: list[Span] = []
    for side in result.sides if result.on_ground else ():
        empty = np.isnan(np.array([result.columns[ground_column(side, axis)] for axis in AXES])).any(axis=0)
        for first, last in runs(empty):
            begin, end = int(result.frame[first]), int(result.frame[last])
            spans.append(Span(side, begin, end, _why(result, side, begin, end)))
    return spans


def unknown_by_reason(result: Result) -> list[tuple[str, str, str]]:
    """Side, frames ("97–160, 627–690") and reason, one entry for each reason of a side."""
    frames: dict[tuple[str, str], list[str]] = {}
    for span in unknown_spans(result):
        frames.setdefault((span.side, span.reason), []).append(f"{span.first_frame}–{span.last_frame}")
    return [(side, ", ".join(spans), reason) for (side, reason), spans in frames.items()]


def _why(result: Result, side: str, first: int, last: int) -> str:
    """The reasons of the contacts that overlap; where there are none, what the coverage counts."""
    reasons = [
        contact.reason or "no reason given"
        for contact in result.contacts
        if contact.side == side and not contact.known and contact.first_frame <= last and contact.last_frame >= first
    ]
    if not reasons:
        reasons = _coverage_reasons(result, side)
    return "; ".join(dict.fromkeys(reasons)) or "no reason recorded"


def _coverage_reasons(result: Result, side: str) -> list[str]:
    entry: object = result.section("coverage")
    for key in (side, "ankle", "reasons"):
        entry = entry.get(key) if isinstance(entry, Mapping) else None
    return [str(reason) for reason in entry] if isinstance(entry, Mapping | list) else []


def vertical_axis(result: Result) -> str | None:
    """The laboratory axis along which the feet are loaded, or None where no axis is clearly it.

    The record says it in words that a program does not read; the load does say it: while walking, the mean
    vertical component is many times the others.
    """
    if not result.on_ground:
        return None
    means = {}
    for axis in AXES:
        values = np.concatenate([result.columns[ground_column(side, axis)] for side in result.sides])
        values = values[np.isfinite(values)]
        means[axis] = float(np.abs(values).mean()) if len(values) else 0.0
    best = max(means, key=lambda axis: means[axis])
    others = [mean for axis, mean in means.items() if axis != best]
    return best if means[best] > 3 * max(others) else None


def count_warnings(result: Result) -> str:
    """How many of the record's warnings are such, and how many only notes, in words."""
    return counted_warnings(result.warnings())


def counted_warnings(texts: Mapping[str, Sequence[str]], more: str = "") -> str:
    """The same of texts by severity; `more` stands before the word."""
    notes = sum(len(texts.get(severity, ())) for severity in MERE_NOTES)
    count = sum(map(len, texts.values())) - notes
    words = f"{count or 'no'} {more}warning{'' if count == 1 else 's'}"
    return f"{words}, {notes} note{'s' if notes > 1 else ''}" if notes else words
