"""What the page says about loads: unknown spans and why, and a table of peaks within each contact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from gaitid.numerics.masks import spans
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.report.panels import AXES, ground_column
from gaitid.report.result import Contact, Result
from gaitid.report.text import UNKNOWN, each, escape, fixed


class Span(NamedTuple):
    """Frames (both ends included) in which a foot's load is unknown, and why."""

    side: str
    first_frame: int
    last_frame: int
    reason: str


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


def runs(mask: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """First and last index of every run of True."""
    return ((first, after - 1) for first, after in spans(mask))


def unknown_spans(result: Result) -> list[Span]:
    """The frames in which a foot's load is unknown (its cells are empty), with the reason that the contacts give."""
    found: list[Span] = []
    for side in result.sides if result.on_ground else ():
        empty = np.isnan(np.array([result.columns[ground_column(side, axis)] for axis in AXES])).any(axis=0)
        for first, last in runs(empty):
            begin, end = int(result.frame[first]), int(result.frame[last])
            found.append(Span(side, begin, end, _why(result, side, begin, end)))
    return found


def _why(result: Result, side: str, first: int, last: int) -> str:
    """The reasons of the contacts that overlap; where there are none, what the coverage counts."""
    reasons = [
        contact.reason or "no reason given"
        for contact in result.contacts
        if contact.side == side and not contact.known and contact.first_frame <= last and contact.last_frame >= first
    ]
    if not reasons:
        counted = result.record_at("coverage", side, "ankle", "reasons")
        reasons = [str(reason) for reason in counted] if isinstance(counted, Mapping | list) else []
    return "; ".join(dict.fromkeys(reasons)) or "no reason recorded"


# --- peaks ----------------------------------------------------------------------------------------------------------


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


def peaks_html(result: Result) -> str:
    """The figures of results without features, as records of before and single stances: a row for every contact with a
    known load."""
    known = [contact for contact in result.contacts if contact.known]
    if not known:
        return '<p class="quiet">No contact has a known load.</p>'
    kinds = [kind for kind in PEAKS if f"{result.sides[0]}_{kind.column}" in result.columns]
    tables = [
        _peak_table(result, known, group, list(of_group), with_force=not i)
        for i, (group, of_group) in enumerate(groupby(kinds, key=lambda kind: kind.group))
    ]
    return (
        f"{''.join(tables)}"
        '<p class="note">The greatest value (for absorption the least) within each contact whose load is '
        "known, with its sign. Where frames of the contact are empty, the true peak may lie among them. Frames of the "
        "impact of the foot strike are left out: knee and hip moments there come from a force that is faster than the "
        "markers.</p>"
    )


def _peak_table(
    result: Result, contacts: Sequence[Contact], group: str, kinds: Sequence[PeakKind], *, with_force: bool
) -> str:
    """A row for every contact; the first table has the peak vertical force too."""
    rows = []
    for c in contacts:
        force = f'<td class="n">{fixed(c.peak_vertical_N, 0)}</td>' if with_force else ""
        cells = "".join(f'<td class="n">{_peak_cell(peak(result, c, kind))}</td>' for kind in kinds)
        # its peak may lie outside
        ends = {"start": c.first_frame <= result.frame[0], "end": c.last_frame >= result.frame[-1]}
        cut = each("""<small class="part">cut by the trial's {}</small>""", [end for end in ends if ends[end]])
        rows.append(
            f'<tr><th scope="row"><span class="{c.side}">{c.side}</span></th><td>{escape(c.plates)}</td>'
            f'<td class="n">{c.first_frame}–{c.last_frame}{cut}</td>{force}{cells}</tr>'
        )
    names = "".join(f'<th scope="col" class="n">{escape(kind.name).replace(" ", "<br>", 1)}</th>' for kind in kinds)
    force_group = '<th class="group" scope="col">Force, N</th>' if with_force else ""
    force_head = '<th scope="col" class="n">Peak<br>vertical</th>' if with_force else ""
    return (
        f'<div class="scroll"><table class="peaks"><thead><tr><td colspan="3"></td>{force_group}'
        f'<th class="group" scope="colgroup" colspan="{len(kinds)}">{escape(group)}</th></tr><tr>'
        '<th scope="col">Side</th><th scope="col">Plates</th><th scope="col" class="n">Frames</th>'
        f"{force_head}{names}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _peak_cell(p: Peak) -> str:
    value = fixed(p.value, 2)
    if value == UNKNOWN:
        return value
    part = f'<small class="part">{p.empty} of {p.frames} empty</small>' if p.empty else ""
    beside = '<small class="part">beside the impact</small>' if p.beside_impact else ""
    return f"{value}<small>frame {p.frame}</small>{part}{beside}"
