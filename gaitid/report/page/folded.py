"""What an engineer asks, folded: who stood where and when, gaps, filters, segments, conventions, notes, the record."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from gaitid.norms import Norms
from gaitid.report.page.methods import checklist_html, file_names, methods_text
from gaitid.report.page.told import names_of, notes
from gaitid.report.result import Contact, Result
from gaitid.report.stance import Span, unknown_spans
from gaitid.report.text import UNKNOWN, escape, fixed, records_table, title, value_html

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


def details(summary: str, body: str, key: str = "") -> str:
    """A folded part; nothing where there is nothing to fold."""
    if not body:
        return ""
    identity = f' id="{key}"' if key else ""
    return f'<details class="part"{identity}><summary>{summary}</summary><div class="inside">{body}</div></details>'


def engineer_html(results: Sequence[Result], norms: Norms | None, plans: Sequence[str], key: str) -> str:
    """All folded parts."""
    several = len(results) > 1
    return "".join(
        [
            details("Contacts: plan of the plates", "".join(plans)),
            details("Contacts: timeline of who stood where, and why", _each(results, _timeline, several)),
            details("Gaps, filters and coverage", _each(results, _processing, several)),
            details("Subject: measurements and their sources", _each(results, _subject, several, same=True)),
            details("Segments: mass, centre of mass, inertia", _each(results, _segments, several, same=True)),
            details("All notes of the record", _notes(results)),
            details("Methods, to paste into a paper", _methods(results, norms, key), f"{key}-methods"),
            details("Checklist for papers (after Derrick et al. 2020)", checklist_html(results)),
            details("Conventions and signs", _each(results, _conventions, several, same=True)),
            details("Files, settings and versions", _each(results, _files, several)),
        ]
    )


def chain_html(results: Sequence[Result], key: str) -> str:
    """The folded parts of chains that do not walk."""
    several = len(results) > 1
    return "".join(
        [
            details("Gaps, filters and coverage", _each(results, _processing, several)),
            details("Segments: mass, centre of mass, inertia", _each(results, _segments, several, same=True)),
            details("All notes of the record", _notes(results)),
            details("Conventions and signs", _each(results, _conventions, several, same=True)),
            details("Files, settings and versions", _each(results, _files, several), f"{key}-files"),
        ]
    )


def _each(results: Sequence[Result], part: object, several: bool, same: bool = False) -> str:
    """A part of each trial under its name; with `same`, trials of which it is the same share one."""
    assert callable(part)
    shown: dict[str, list[str]] = {}
    for name, result in zip(names_of(results), results, strict=True):
        body = part(result)
        if body:
            shown.setdefault(body if same else f"{body}<!--{escape(name)}-->", []).append(name)
    if not several:
        return "".join(shown)
    return "".join(f"<h4>{escape(', '.join(names))}</h4>{body}" for body, names in shown.items())


# --- who stood where ------------------------------------------------------------------------------------------


def _timeline(result: Result) -> str:
    if not result.on_ground:
        return ""
    if not result.contacts:
        return '<p class="quiet">No contact was found.</p>'
    return f'<div class="scroll">{_timeline_svg(result)}</div>{_contact_table(result)}'


def _timeline_svg(result: Result) -> str:
    """A row a side: bars of contacts with their plates, hatched where the load is unknown."""
    spans = unknown_spans(result)
    height = _ROW * len(result.sides) + 22
    parts = []
    for row, side in enumerate(result.sides):
        y = row * _ROW
        parts.append(f'<text class="side {side}" x="0" y="{y + 17}">{side}</text>')
        parts += [_bar(result, y, contact) for contact in result.contacts if contact.side == side and contact.known]
        parts += [_bar(result, y, span) for span in spans if span.side == side]
    first, last = int(result.frame[0]), int(result.frame[-1])
    step = max(1, round((last - first) / 8 / 10) * 10) if last - first > 80 else max(1, (last - first) // 4)
    for frame in range(-(-first // step) * step, last + 1, step):
        x = _x(result, frame)
        parts.append(f'<path class="grid" d="M{x:.1f} 0V{height - 18}"/>')
        parts.append(f'<text class="tx" x="{x:.1f}" y="{height - 5}">{frame}</text>')
    return (
        f'<svg class="timeline" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="Contacts of each foot over the '
        f'frames of {escape(result.stem)}; the table below says the same">{"".join(parts)}</svg>'
    )


def _x(result: Result, frame: float) -> float:
    length = max(int(result.frame[-1] - result.frame[0]), 1)
    return _LEFT + (frame - int(result.frame[0])) / length * (_WIDTH - _LEFT - 10)


def _bar(result: Result, y: float, of: Contact | Span) -> str:
    first, last = max(of.first_frame, int(result.frame[0])), min(of.last_frame, int(result.frame[-1]))
    if last < first:
        return ""
    x, width = _x(result, first), max(_x(result, last) - _x(result, first), 1.5)
    known = isinstance(of, Contact)
    text = f"plate {of.plates}" if isinstance(of, Contact) else "unknown"
    label = f'<text class="bart" x="{x + width / 2:.1f}" y="{y + 17}">{escape(text)}</text>' if width > 70 else ""
    reason = (of.method if known else of.reason) if isinstance(of, Contact) else of.reason
    hover = escape(f"{text}, frames {first}–{last}: {reason}")
    return (
        f'<g class="{of.side} {"known" if known else "unknown"}"><rect x="{x:.1f}" y="{y + 3}" width="{width:.1f}" '
        f'height="{_ROW - 6}" rx="3"><title>{hover}</title></rect>{label}</g>'
    )


def _contact_table(result: Result) -> str:
    rows = "".join(
        f'<tr><td class="{c.side}">{c.side}</td><td>{escape(c.plates) or "load unknown"}</td>'
        f'<td class="n">{c.first_frame}–{c.last_frame}</td>'
        f'<td class="n">{fixed(result.time_of(c.first_frame), 2)}–{fixed(result.time_of(c.last_frame), 2)}</td>'
        f'<td class="n">{fixed(c.peak_vertical_N, 0)}</td><td class="n">{escape(c.confidence) or UNKNOWN}</td>'
        f"<td>{escape(c.method) or UNKNOWN}</td><td>{escape(c.reason) or UNKNOWN}</td></tr>"
        for c in result.contacts
    )
    heads = "".join(
        f'<th scope="col"{" class=n" if i in (2, 3, 4, 5) else ""}>{head}</th>'
        for i, head in enumerate(
            ("Side", "Plates", "Frames", "Time, s", "Peak, N", "Confidence", "Found by", "Doubt, or why unknown")
        )
    )
    return f'<div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'


# --- processing -----------------------------------------------------------------------------------------------


def _processing(result: Result) -> str:
    parts = [_gaps(result), _filter(result), _coverage(result)]
    return "".join(part for part in parts if part)


def _gaps(result: Result) -> str:
    gaps = result.record_at("quality", "gaps")
    if not isinstance(gaps, list):
        return ""
    if not gaps:
        return "<p>No gap of a marker.</p>"
    rows = [row for row in gaps if isinstance(row, Mapping)]
    return f'<div class="scroll">{records_table([_rounded(row) for row in rows])}</div>'


def _filter(result: Result) -> str:
    pairs = [
        ("Cut-off of the markers", result.record_at("settings", "cutoff_hz"), "Hz"),
        ("Cut-off of the plates", result.record_at("settings", "force_cutoff_hz"), "Hz"),
        ("Noise of the markers", result.record_at("quality", "marker_noise_mm"), "mm"),
        ("Markers hold frequencies up to", result.record_at("quality", "marker_bandwidth_hz"), "Hz"),
    ]
    if not isinstance(result.section("settings"), Mapping):
        return ""
    rows = "".join(
        f'<tr><th scope="row">{words}</th><td>{_sensible(value)}{f" {unit}" if isinstance(value, int | float) else ""}'
        "</td></tr>"
        for words, value, unit in pairs
        if value is not None or words.startswith("Cut-off")
    )
    return f'<table class="pairs"><tbody>{rows}</tbody></table>'


def _coverage(result: Result) -> str:
    """Frames with and without values; any other shape than the usual one is shown as it is."""
    coverage = result.section("coverage")
    if not isinstance(coverage, Mapping):
        return ""
    rows = []
    for side, joints in coverage.items():
        for joint, counts in joints.items() if isinstance(joints, Mapping) else ():
            if isinstance(counts, Mapping):
                reasons = counts.get("reasons")
                why = "; ".join(f"{w}: {n}" for w, n in reasons.items()) if isinstance(reasons, Mapping) else reasons
                rows.append(
                    {
                        "side": side,
                        "joint": joint,
                        **{k: v for k, v in counts.items() if k != "reasons"},
                        "why empty": why,
                    }
                )
    return f'<h4>Frames with moments</h4><div class="scroll">{records_table(rows)}</div>' if rows else ""


# --- subject and segments -------------------------------------------------------------------------------------


def _subject(result: Result) -> str:
    subject = result.section("subject")
    if not isinstance(subject, Mapping) or not subject:
        return ""
    rows = []
    for name, value in subject.items():
        entry = value if isinstance(value, Mapping) else {"value": value}
        of = entry.get("value")
        unit, times = _SHOWN.get(str(entry.get("unit")), (entry.get("unit") or "", 1.0))
        shown = f"{_sensible(of * times)} {escape(unit)}" if isinstance(of, float) else value_html(of)
        words = title(str(name).removesuffix(f"_{entry.get('unit')}").replace(".", " "))
        rows.append(
            f'<tr><th scope="row">{escape(words)}</th><td class="n">{shown}</td>'
            f"<td>{escape(entry.get('source') or UNKNOWN)}</td></tr>"
        )
    return (
        '<div class="scroll"><table><thead><tr><th scope="col">Measurement</th><th scope="col" class="n">Value</th>'
        f'<th scope="col">Source</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _segments(result: Result) -> str:
    segments = result.section("segments")
    if not isinstance(segments, Mapping):
        return ""
    rows = []
    for name, of in segments.items():
        if not isinstance(of, Mapping):
            continue
        com, inertia = of.get("com_m"), of.get("inertia_kg_m2")
        principal = [_row(row, i) for i, row in enumerate(inertia)] if isinstance(inertia, list) else []
        rows.append(
            f'<tr><th scope="row">{escape(title(name))}</th><td class="n">{_sensible(of.get("mass_kg"))}</td>'
            f'<td class="n">{_millimetres(of.get("length_m"))}</td>'
            f'<td class="n">{", ".join(_millimetres(v) for v in com) if isinstance(com, list) else UNKNOWN}</td>'
            f'<td class="n">{", ".join(principal) or UNKNOWN}</td></tr>'
        )
    if not rows:
        return ""
    source = {str(of.get("source")) for of in segments.values() if isinstance(of, Mapping) and of.get("source")}
    heads = ("Mass, kg", "Length, mm", "Centre of mass x, y, z, mm", "Inertia xx, yy, zz, kg·cm²")
    columns = "".join(f'<th scope="col" class="n">{head}</th>' for head in heads)
    return (
        f'<div class="scroll"><table><thead><tr><th scope="col">Segment</th>{columns}</tr></thead>'
        f'<tbody>{"".join(rows)}</tbody></table></div><p class="note">From the proximal joint, in segment axes; '
        f"inertia about the centre of mass. {escape('; '.join(sorted(source)))}</p>"
    )


def _row(row: object, at: int) -> str:
    """A principal moment of inertia, kg·cm²."""
    value = row[at] if isinstance(row, list) and at < len(row) else None
    return fixed(1e4 * value, 1) if isinstance(value, int | float) else UNKNOWN


def _millimetres(value: object) -> str:
    return fixed(1e3 * value, 0) if isinstance(value, int | float) else UNKNOWN


def _sensible(value: object) -> str:
    """Four digits, and no number so small that it is only rounding."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return "none" if value is None else value_html(value)
    if abs(value) < 1e-4:
        return "0"
    return fixed(value, max(0, 3 - math.floor(math.log10(abs(value))))) if abs(value) < 1e4 else fixed(value, 0)


def _rounded(row: Mapping[str, object]) -> dict[str, object]:
    return {key: round(v, 2) if isinstance(v, float) else v for key, v in row.items()}


# --- words ----------------------------------------------------------------------------------------------------


def _notes(results: Sequence[Result]) -> str:
    """Every note, the most serious first."""
    lists: dict[str, list[str]] = {}
    for note in notes(results):
        lists.setdefault(note.severity, []).append(f"<li>{escape(note.words)}</li>")
    return "".join(
        f"<h4>{_SEVERITIES.get(severity, escape(severity))}</h4><ul>{''.join(items)}</ul>"
        for severity, items in lists.items()
    )


def _methods(results: Sequence[Result], norms: Norms | None, key: str) -> str:
    return (
        f'<p class="paste" id="{key}-paste">{escape(methods_text(results, norms))}</p>'
        f'<p><button type="button" class="copy" data-copy="{key}-paste">Copy the paragraph</button></p>'
    )


def _conventions(result: Result) -> str:
    conventions = result.section("conventions")
    if not isinstance(conventions, Mapping):
        return ""
    items = "".join(f"<dt>{escape(title(t))}</dt><dd>{value_html(words)}</dd>" for t, words in conventions.items())
    return f'<dl class="words">{items}</dl>'


def _files(result: Result) -> str:
    settings = result.section("settings")
    shown = {k: "none" if v is None else v for k, v in settings.items()} if isinstance(settings, Mapping) else {}
    rows = "".join(
        f'<tr><th scope="row">{escape(title(k))}</th><td>{value_html(v)}</td></tr>' for k, v in shown.items()
    )
    files = records_table(file_names(result))
    table = f'<h4>Settings</h4><table class="pairs"><tbody>{rows}</tbody></table>' if rows else ""
    return f'<div class="scroll">{files}</div>{table}'
