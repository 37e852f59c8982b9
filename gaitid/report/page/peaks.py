"""Peaks within each contact: the figures of results without features, as records of before and single stances."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from gaitid.report.result import Contact, Result
from gaitid.report.stance import Peak, PeakKind, peak, peak_kinds
from gaitid.report.text import UNKNOWN, escape, fixed


def peaks_html(result: Result) -> str:
    """A row for every contact with a known load."""
    known = [contact for contact in result.contacts if contact.known]
    if not known:
        return '<p class="quiet">No contact has a known load.</p>'
    tables = [
        _peak_table(result, known, group, list(kinds), with_force=not i)
        for i, (group, kinds) in enumerate(groupby(peak_kinds(result), key=lambda kind: kind.group))
    ]
    return (
        "".join(tables)
        + '<p class="note">The greatest value (for absorption the least) within each contact whose load is '
        "known, with its sign. Where frames of the contact are empty, the true peak may lie among them. Frames of the "
        "impact of the foot strike are left out: knee and hip moments there come from a force that is faster than the "
        "markers.</p>"
    )


def _peak_table(
    result: Result, contacts: Sequence[Contact], group: str, kinds: Sequence[PeakKind], *, with_force: bool
) -> str:
    """A row for every contact; the first table has the peak vertical force too."""
    names = "".join(f'<th scope="col" class="n">{_two_lines(kind.name)}</th>' for kind in kinds)
    rows = []
    for c in contacts:
        force = f'<td class="n">{fixed(c.peak_vertical_N, 0)}</td>' if with_force else ""
        cells = "".join(f'<td class="n">{_peak_cell(peak(result, c, kind))}</td>' for kind in kinds)
        rows.append(
            f'<tr><th scope="row"><span class="{c.side}">{c.side}</span></th><td>{escape(c.plates)}</td>'
            f'<td class="n">{c.first_frame}–{c.last_frame}{_cut(result, c)}</td>{force}{cells}</tr>'
        )
    return (
        '<div class="scroll"><table class="peaks"><thead><tr><td colspan="3"></td>'
        + ('<th class="group" scope="col">Force, N</th>' if with_force else "")
        + f'<th class="group" scope="colgroup" colspan="{len(kinds)}">{escape(group)}</th></tr><tr>'
        '<th scope="col">Side</th><th scope="col">Plates</th><th scope="col" class="n">Frames</th>'
        + ('<th scope="col" class="n">Peak<br>vertical</th>' if with_force else "")
        + f"{names}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _peak_cell(p: Peak) -> str:
    value = fixed(p.value, 2)
    if value == UNKNOWN:
        return value
    part = f'<small class="part">{p.empty} of {p.frames} empty</small>' if p.empty else ""
    beside = '<small class="part">beside the impact</small>' if p.beside_impact else ""
    return f"{value}<small>frame {p.frame}</small>{part}{beside}"


def _cut(result: Result, contact: Contact) -> str:
    """A note where the trial begins or ends while the foot is down: its peak may lie outside."""
    notes = []
    if contact.first_frame <= result.frame[0]:
        notes.append("cut by the trial's start")
    if contact.last_frame >= result.frame[-1]:
        notes.append("cut by the trial's end")
    return "".join(f'<small class="part">{note}</small>' for note in notes)


def _two_lines(name: str) -> str:
    return "<br>".join(escape(word) for word in name.split(" ", 1))
