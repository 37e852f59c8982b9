"""What an engineer asks, folded: who stood where and when, gaps, filters, segments, conventions, notes, the record."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from gaitid.norms import Norms
from gaitid.report.page.methods import checklist_html, methods_text
from gaitid.report.page.told import named, notes
from gaitid.report.result import Contact, Result
from gaitid.report.stance import Span, unknown_spans
from gaitid.report.text import UNKNOWN, each, escape, fixed, pairs_table, records_table, title, value_html

_SEVERITIES = {
    "error": "Errors",
    "doubt": "Doubts",
    "assumption": "Assumptions",
    "info": "For information",
    "": "Notes",
}
# As `gaitid inspect` shows them.
_SHOWN = {"m": ("mm", 1e3), "rad": ("°", 180 / math.pi)}
_WIDTH, _LEFT, _ROW = 1000, 60, 26


def engineer_html(results: Sequence[Result], norms: Norms | None, plans: Sequence[str], key: str) -> str:
    """All folded parts."""
    methods = (
        f'<p class="paste" id="{key}-paste">{escape(methods_text(results, norms))}</p>'
        f'<p><button type="button" class="copy" data-copy="{key}-paste">Copy the paragraph</button></p>'
    )
    return (
        _details("Contacts: plan of the plates", "".join(plans))
        + _details("Contacts: timeline of who stood where, and why", _each(results, _timeline))
        + _details("Gaps, filters and coverage", _each(results, _processing))
        + _details("Subject: measurements and their sources", _each(results, _subject, same=True))
        + _details("Segments: mass, centre of mass, inertia", _each(results, _segments, same=True))
        + _details("All notes of the record", _notes(results))
        + _details("Methods, to paste into a paper", methods, f"{key}-methods")
        + _details("Checklist for papers (after Derrick et al. 2020)", checklist_html(results))
        + _details("Conventions and signs", _each(results, _conventions, same=True))
        + _details("Files, settings and versions", _each(results, _files))
    )


def chain_html(results: Sequence[Result], key: str) -> str:
    """The folded parts of chains that do not walk."""
    return (
        _details("Gaps, filters and coverage", _each(results, _processing))
        + _details("Segments: mass, centre of mass, inertia", _each(results, _segments, same=True))
        + _details("All notes of the record", _notes(results))
        + _details("Conventions and signs", _each(results, _conventions, same=True))
        + _details("Files, settings and versions", _each(results, _files), f"{key}-files")
    )


def _details(summary: str, body: str, key: str = "") -> str:
    """A folded part; nothing where there is nothing to fold."""
    identity = f' id="{key}"' if key else ""
    part = f'<details class="part"{identity}><summary>{summary}</summary><div class="inside">{body}</div></details>'
    return part if body else ""


def _each(results: Sequence[Result], part: Callable[[Result], str], same: bool = False) -> str:
    """A part of each trial under its name; with `same`, trials of which it is the same share one."""
    shown: dict[str, list[str]] = {}
    for name, result in named(results):
        if body := part(result):
            shown.setdefault(body if same else f"{body}<!--{escape(name)}-->", []).append(name)
    if len(results) == 1:
        return "".join(shown)
    return "".join(f"<h4>{escape(', '.join(names))}</h4>{body}" for body, names in shown.items())


# --- who stood where ------------------------------------------------------------------------------------------


def _timeline(result: Result) -> str:
    """A row a side: bars of contacts with their plates, hatched where the load is unknown; and a table."""
    if not result.on_ground:
        return ""
    if not result.contacts:
        return '<p class="quiet">No contact was found.</p>'
    first, last = int(result.frame[0]), int(result.frame[-1])
    height = _ROW * len(result.sides) + 22

    def across(frame: float) -> float:
        return _LEFT + (frame - first) / max(last - first, 1) * (_WIDTH - _LEFT - 10)

    parts = []
    for y, side in zip(range(0, height, _ROW), result.sides):
        parts.append(f'<text class="side {side}" x="0" y="{y + 17}">{side}</text>')
        bars: list[Contact | Span] = [contact for contact in result.contacts if contact.known]
        for of in [*bars, *unknown_spans(result)]:
            begin, end = max(of.first_frame, first), min(of.last_frame, last)
            if of.side != side or end < begin:
                continue
            kind, text, why = "unknown", "unknown", of.reason
            if isinstance(of, Contact):
                kind, text, why = "known", f"plate {of.plates}", of.method
            x, width = across(begin), max(across(end) - across(begin), 1.5)
            hover = escape(f"{text}, frames {begin}–{end}: {why}")
            label = f'<text class="bart" x="{x + width / 2:.1f}" y="{y + 17}">{escape(text)}</text>'
            parts.append(
                f'<g class="{side} {kind}"><rect x="{x:.1f}" y="{y + 3}" width="{width:.1f}" '
                f'height="{_ROW - 6}" rx="3"><title>{hover}</title></rect>{label if width > 70 else ""}</g>'
            )
    step = max(1, round((last - first) / 8 / 10) * 10) if last - first > 80 else max(1, (last - first) // 4)
    for frame in range(-(-first // step) * step, last + 1, step):
        parts.append(f'<path class="grid" d="M{across(frame):.1f} 0V{height - 18}"/>')
        parts.append(f'<text class="tx" x="{across(frame):.1f}" y="{height - 5}">{frame}</text>')
    rows = "".join(
        f'<tr><td class="{c.side}">{c.side}</td><td>{escape(c.plates) or "load unknown"}</td>'
        f'<td class="n">{c.first_frame}–{c.last_frame}</td>'
        f'<td class="n">{fixed(result.time_of(c.first_frame), 2)}–{fixed(result.time_of(c.last_frame), 2)}</td>'
        f'<td class="n">{fixed(c.peak_vertical_N, 0)}</td><td class="n">{escape(c.confidence) or UNKNOWN}</td>'
        f"<td>{escape(c.method) or UNKNOWN}</td><td>{escape(c.reason) or UNKNOWN}</td></tr>"
        for c in result.contacts
    )
    return (
        f'<div class="scroll"><svg class="timeline" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="Contacts of '
        f'each foot over the frames of {escape(result.stem)}; the table below says the same">{"".join(parts)}</svg>'
        '</div><div class="scroll"><table><thead><tr><th scope="col">Side</th><th scope="col">Plates</th>'
        '<th scope="col" class=n>Frames</th><th scope="col" class=n>Time, s</th><th scope="col" class=n>Peak, N</th>'
        '<th scope="col" class=n>Confidence</th><th scope="col">Found by</th><th scope="col">Doubt, or why unknown</th>'
        f"</tr></thead><tbody>{rows}</tbody></table></div>"
    )


# --- processing -----------------------------------------------------------------------------------------------


def _processing(result: Result) -> str:
    """Gaps of markers, filters, and frames with and without values."""
    gaps, settings, html = result.record_at("quality", "gaps"), result.mapping("settings"), ""
    if isinstance(gaps, list):
        rows = [
            {key: round(v, 2) if isinstance(v, float) else v for key, v in gap.items()}
            for gap in result.mappings("quality", "gaps")
        ]
        html = f'<div class="scroll">{records_table(rows)}</div>' if gaps else "<p>No gap of a marker.</p>"
    if isinstance(result.record_at("settings"), Mapping):
        shown = [
            ("Cut-off of the markers", settings.get("cutoff_hz"), "Hz"),
            ("Cut-off of the plates", settings.get("force_cutoff_hz"), "Hz"),
            ("Noise of the markers", result.record_at("quality", "marker_noise_mm"), "mm"),
            ("Markers hold frequencies up to", result.record_at("quality", "marker_bandwidth_hz"), "Hz"),
        ]
        html += pairs_table(
            (words, f"{_sensible(value)}{f' {unit}' if isinstance(value, int | float) else ''}")
            for words, value, unit in shown
            if value is not None or words.startswith("Cut-off")
        )
    counted = []
    for side, joints in result.mapping("coverage").items():
        for joint, counts in joints.items() if isinstance(joints, Mapping) else ():
            if isinstance(counts, Mapping):
                why = counts.get("reasons")
                why = "; ".join(f"{w}: {n}" for w, n in why.items()) if isinstance(why, Mapping) else why
                row = {"side": side, "joint": joint, **counts, "why empty": why}
                counted.append({key: value for key, value in row.items() if key != "reasons"})
    if counted:
        html += f'<h4>Frames with moments</h4><div class="scroll">{records_table(counted)}</div>'
    return html


# --- subject and segments -------------------------------------------------------------------------------------


def _subject(result: Result) -> str:
    rows = []
    for name, value in result.mapping("subject").items():
        entry = value if isinstance(value, Mapping) else {"value": value}
        of = entry.get("value")
        unit, times = _SHOWN.get(str(entry.get("unit")), (entry.get("unit") or "", 1.0))
        shown = f"{_sensible(of * times)} {escape(unit)}" if isinstance(of, float) else value_html(of)
        words = title(str(name).removesuffix(f"_{entry.get('unit')}").replace(".", " "))
        rows.append(
            f'<tr><th scope="row">{escape(words)}</th><td class="n">{shown}</td>'
            f"<td>{escape(entry.get('source') or UNKNOWN)}</td></tr>"
        )
    html = (
        '<div class="scroll"><table><thead><tr><th scope="col">Measurement</th><th scope="col" class="n">Value</th>'
        f'<th scope="col">Source</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )
    return html if rows else ""


def _segments(result: Result) -> str:
    segments = {name: of for name, of in result.mapping("segments").items() if isinstance(of, Mapping)}
    rows = []
    for name, of in segments.items():
        com, inertia = of.get("com_m"), of.get("inertia_kg_m2")
        centre = ", ".join(_fixed(1e3, v, 0) for v in com) if isinstance(com, list) else UNKNOWN
        # the principal moments
        diagonal = enumerate(inertia if isinstance(inertia, list) else [])
        principal = [_fixed(1e4, row[i] if isinstance(row, list) and i < len(row) else None, 1) for i, row in diagonal]
        rows.append(
            f'<tr><th scope="row">{escape(title(name))}</th><td class="n">{_sensible(of.get("mass_kg"))}</td>'
            f'<td class="n">{_fixed(1e3, of.get("length_m"), 0)}</td><td class="n">{centre}</td>'
            f'<td class="n">{", ".join(principal) or UNKNOWN}</td></tr>'
        )
    sources = "; ".join(sorted({str(of["source"]) for of in segments.values() if of.get("source")}))
    html = (
        '<div class="scroll"><table><thead><tr><th scope="col">Segment</th><th scope="col" class="n">Mass, kg</th>'
        '<th scope="col" class="n">Length, mm</th><th scope="col" class="n">Centre of mass x, y, z, mm</th>'
        '<th scope="col" class="n">Inertia xx, yy, zz, kg·cm²</th></tr></thead>'
        f'<tbody>{"".join(rows)}</tbody></table></div><p class="note">From the proximal joint, in segment axes; '
        f"inertia about the centre of mass. {escape(sources)}</p>"
    )
    return html if rows else ""


def _fixed(times: float, value: object, decimals: int) -> str:
    """A value in another unit; an unknown one as a dash."""
    return fixed(times * value, decimals) if isinstance(value, int | float) else UNKNOWN


def _sensible(value: object) -> str:
    """Four digits, and no number so small that it is only rounding."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return "none" if value is None else value_html(value)
    if abs(value) < 1e-4:
        return "0"
    return fixed(value, max(0, 3 - math.floor(math.log10(abs(value))))) if abs(value) < 1e4 else fixed(value, 0)


# --- words ----------------------------------------------------------------------------------------------------


def _notes(results: Sequence[Result]) -> str:
    """Every note, the most serious first."""
    lists: dict[str, list[str]] = {}
    for note in notes(results):
        lists.setdefault(note.severity, []).append(note.words)
    return "".join(
        f"<h4>{_SEVERITIES.get(severity, escape(severity))}</h4><ul>{each('<li>{}</li>', words)}</ul>"
        for severity, words in lists.items()
    )


def _conventions(result: Result) -> str:
    conventions = result.mapping("conventions").items()
    items = "".join(f"<dt>{escape(title(t))}</dt><dd>{value_html(words)}</dd>" for t, words in conventions)
    return f'<dl class="words">{items}</dl>' if isinstance(result.record_at("conventions"), Mapping) else ""


def _files(result: Result) -> str:
    """Inputs by role, name and hash (folders often name people, and a page is passed on), and settings."""
    files = [
        {
            "role": str(entry.get("role") or UNKNOWN),
            "file": PurePath(str(entry.get("path") or "").replace("\\", "/")).name or UNKNOWN,
            "sha256": str(entry.get("sha256") or UNKNOWN),
        }
        for entry in result.mappings("inputs")
    ]
    settings: Mapping[str, Any] = result.mapping("settings")
    shown = pairs_table((title(k), value_html("none" if v is None else v)) for k, v in settings.items())
    table = f"<h4>Settings</h4>{shown}" if settings else ""
    return f'<div class="scroll">{records_table(files)}</div>{table}'
