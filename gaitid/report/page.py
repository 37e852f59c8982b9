"""The HTML page: one file, no script, nothing fetched. Every text from outside is escaped."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby

from gaitid.analysis.wording import reason_words, verdict_words
from gaitid.report.figures import figure_svg, page_figures
from gaitid.report.result import Contact, Result
from gaitid.report.stance import Peak, PeakKind, count_warnings, counted_warnings, peak, peak_kinds, unknown_by_reason
from gaitid.report.style import CSS
from gaitid.report.text import (
    UNKNOWN,
    escape,
    file_name,
    fixed,
    mapping_table,
    number,
    records_table,
    title,
    value_html,
)

_SEVERITIES = {"error": "Errors", "doubt": "Doubts", "assumption": "Assumptions", "info": "For information"}
# As `gaitid inspect` shows them.
_SHOWN = {"m": ("mm", 1e3), "rad": ("deg", 180 / math.pi)}
_CAPTIONS = {
    "ground": "Force of the ground on each foot, along the laboratory's axes. In the air it is zero.",
    "moments": "Internal: what the proximal segment exerts on the distal one. Per kilogram of body mass.",
    "powers": "Per kilogram of body mass.",
}


def page(results: Sequence[Result]) -> str:
    """The page, with a section for each result."""
    labels = _labels(results)
    heading = labels[0] if len(results) == 1 else f"{len(results)} results"
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>{escape(heading)} – gait report</title><style>{CSS}</style></head><body><main>",
    ]
    if len(results) > 1:
        items = "".join(
            f'<li><a href="#r{i}">{escape(label)}</a> <span class="quiet">{count_warnings(result)}</span></li>'
            for i, (label, result) in enumerate(zip(labels, results, strict=True))
        )
        parts.append(f'<nav aria-label="Results"><strong>Results</strong><ol>{items}</ol></nav>')
    for i, (label, result) in enumerate(zip(labels, results, strict=True)):
        parts.append(f'<article id="r{i}">{_article(result, label, f"r{i}")}</article>')
    parts.append(
        "<footer>Values as computed; no normative data, no interpretation. "
        f"{UNKNOWN} and gaps in curves: unknown.</footer></main></body></html>\n"
    )
    return "\n".join(parts)


def _labels(results: Sequence[Result]) -> list[str]:
    """The stems; with the folder's name where two results share one."""
    stems = [result.stem for result in results]
    return [
        stem if stems.count(stem) == 1 else f"{result.path.absolute().parent.name}/{stem}"
        for stem, result in zip(stems, results, strict=True)
    ]


def _article(result: Result, label: str, key: str) -> str:
    return "\n".join(
        [
            _head(result, label),
            _verdict(result),
            _warnings(result),
            _legend(result),
            *_figures(result, key),
            "<h2>Contacts with the ground</h2>",
            _contacts(result),
            "<h2>Peaks while the foot is on the ground</h2>",
            _peaks(result),
            "<h2>Coverage</h2>",
            _coverage(result),
            "<h2>Trial</h2>",
            _trial(result),
            '<div class="columns">',
            _section("Model", value_html(result.section("model"))),
            _section("Subject", _subject(result)),
            _section("Settings, as resolved", value_html(_null_as_none(result.section("settings")))),
            _section("Quality", value_html(result.section("quality"))),
            "</div>",
            f'<h2>Segments</h2><div class="scroll">{value_html(result.section("segments"))}</div>',
            "<h2>Conventions</h2>",
            _conventions(result),
        ]
    )


def _model_name(result: Result) -> str:
    model = result.section("model")
    return escape(model.get("name", UNKNOWN)) if isinstance(model, Mapping) else value_html(model)


def _head(result: Result, label: str) -> str:
    known = sum(contact.known for contact in result.contacts)
    facts = [
        f"model {_model_name(result)}",
        f"gaitid {escape(result.section('gaitid'))}",
        f"frames {result.frame[0]}–{result.frame[-1]} ({number(1 / result.step_s, 4)} Hz)",
        f"{known} of {len(result.contacts)} contacts with a known load",
    ]
    if digest := result.trial_sha256():
        facts.append(f"trial sha256 <code>{escape(digest)[:12]}</code>")
    return f'<h1>{escape(label)}</h1><p class="facts">{"".join(f"<span>{fact}</span>" for fact in facts)}</p>'


def _verdict(result: Result) -> str:
    """What the trial can be used for, and why no more; nothing of a record of before verdicts."""
    verdict = result.section("verdict")
    if not isinstance(verdict, Mapping):
        return ""
    items = "".join(f"<li>{escape(reason_words(reason))}</li>" for reason in result.reasons())
    words = f"Verdict: {escape(verdict_words(verdict))}"
    if not items:
        return f'<p aria-label="Verdict"><strong>{words}</strong></p>'
    return f'<section class="warnings" aria-label="Verdict"><h2>{words}</h2><ul>{items}</ul></section>'


def _warnings(result: Result) -> str:
    """What the notes say beside the verdict, which stands above."""
    all_of, others = result.warnings(), result.warnings(beside_verdict=True)
    lists = []
    for severity, texts in others.items():
        items = "".join(f"<li>{escape(text)}</li>" for text in texts)
        heading = f"<h3>{_SEVERITIES.get(severity, escape(severity))}</h3>" if severity else ""
        lists.append(f"{heading}<ul>{items}</ul>")
    more = "more " if others != all_of else ""
    if not lists:
        return f'<p class="quiet">No {more}warnings.</p>'
    heading = f"<h2>{counted_warnings(others, more).capitalize()}</h2>"
    return f'<section class="warnings" aria-label="Warnings">{heading}{"".join(lists)}</section>'


def _legend(result: Result) -> str:
    """What the hatched frames are, before the first curve."""
    unknown = unknown_by_reason(result)
    if not unknown:
        return ""
    items = "".join(
        f'<li><span class="{side}">{side}</span>, frames {frames}: {escape(reason)}</li>'
        for side, frames, reason in unknown
    )
    return f"<h3>Load unknown (hatched, no curve)</h3><ul>{items}</ul>"


def _figures(result: Result, key: str) -> list[str]:
    parts = []
    for name, heading, rows, layout in page_figures(result):
        svg = figure_svg(result, rows, layout, f"{key}-{name}", f"{heading}, {result.stem}")
        caption = f"<figcaption>{_CAPTIONS[name]}</figcaption>" if name in _CAPTIONS else ""
        parts.append(f'<h2>{heading}</h2><figure><div class="scroll">{svg}</div>{caption}</figure>')
    return parts


def _contacts(result: Result) -> str:
    if not result.contacts:
        return '<p class="quiet">None found.</p>'
    rows = "".join(
        f'<tr><td><span class="{c.side}">{c.side}</span></td><td>{escape(c.plates) or "load unknown"}</td>'
        f'<td class="n">{c.first_frame}–{c.last_frame}</td>'
        f'<td class="n">{fixed(result.time_of(c.first_frame), 2)}–'
        f"{fixed(result.time_of(c.last_frame), 2)}</td>"
        f'<td class="n">{fixed(c.peak_vertical_N, 0)}</td><td>{escape(c.method) or UNKNOWN}</td>'
        f"<td>{escape(c.confidence) or UNKNOWN}</td><td>{escape(c.reason) or UNKNOWN}</td></tr>"
        for c in result.contacts
    )
    return (
        '<div class="scroll"><table><thead><tr><th scope="col">Side</th><th scope="col">Plates</th>'
        '<th scope="col" class="n">Frames</th><th scope="col" class="n">Time, s</th>'
        '<th scope="col" class="n">Peak vertical, N</th><th scope="col">Found by</th>'
        '<th scope="col">Confidence</th><th scope="col">Reason</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _peaks(result: Result) -> str:
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
        '<div class="scroll"><table><thead><tr><td colspan="3"></td>'
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


def _coverage(result: Result) -> str:
    """Frames with and without values; any other shape than the usual one is shown as it is."""
    coverage = result.section("coverage")
    if not isinstance(coverage, Mapping):
        return value_html(coverage)
    rows = []
    for side, joints in coverage.items():
        if not isinstance(joints, Mapping):
            return mapping_table(coverage)
        for joint, counts in joints.items():
            if not isinstance(counts, Mapping):
                return mapping_table(coverage)
            reasons = counts.get("reasons")
            if isinstance(reasons, Mapping):
                counts = {**counts, "reasons": "; ".join(f"{why}: {n}" for why, n in reasons.items())}
            rows.append({"side": side, "joint": joint, **counts})
    return f'<div class="scroll">{records_table(rows)}</div>' if rows else UNKNOWN


def _section(heading: str, body: str) -> str:
    return f'<section><h2>{heading}</h2><div class="scroll">{body}</div></section>'


def _null_as_none(settings: object) -> object:
    """A setting of null is "none" (no filter, say), not something unknown."""
    if isinstance(settings, Mapping):
        return {key: _null_as_none(value) for key, value in settings.items()}
    return "none" if settings is None else settings


def _trial(result: Result) -> str:
    """The stem, and every input by name and hash."""
    inputs = result.section("inputs")
    files = [
        # The path stays in run.json: a report is passed on, and folders often name people.
        {key: file_name(value) if key == "path" and value else value for key, value in entry.items()}
        for entry in (inputs if isinstance(inputs, list) else [])
        if isinstance(entry, Mapping)
    ]
    tables = mapping_table({"trial": result.stem, "gaitid": result.section("gaitid")})
    tables += records_table(files) if files else ""
    return f'<div class="scroll">{tables}</div>'


def _subject(result: Result) -> str:
    subject = result.section("subject")
    if not isinstance(subject, Mapping) or not subject:
        return value_html(subject)
    rows = []
    for name, value in subject.items():
        entry = _sourced(value)
        # The unit has a column of its own.
        rows.append({"quantity": title(name.removesuffix(f"_{entry.get('unit')}")), **_shown(entry)})
    return records_table(rows)


def _shown(entry: Mapping[str, object]) -> Mapping[str, object]:
    """A measurement in the unit that people read, to five digits."""
    value, unit = entry.get("value"), entry.get("unit")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return entry
    shown, times = _SHOWN.get(str(unit), (unit, 1.0))
    return {**entry, "value": float(f"{value * times:.5g}"), "unit": shown}


def _sourced(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {"value": value}


def _conventions(result: Result) -> str:
    conventions = result.section("conventions")
    if not isinstance(conventions, Mapping):
        return value_html(conventions)
    items = "".join(
        f"<dt>{escape(title(topic))}</dt><dd>{value_html(words)}</dd>" for topic, words in conventions.items()
    )
    return f"<dl>{items}</dl>"
