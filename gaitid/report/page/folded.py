"""What an engineer asks, folded: who stood where and when, gaps, filters, segments, conventions, notes, the record."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from gaitid.records import NamedTuple
from gaitid.report.page.told import named, notes
from gaitid.report.result import Contact, Result
from gaitid.report.stance import Span, unknown_spans
from gaitid.report.text import UNKNOWN, fixed

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


class Bar(NamedTuple):
    """A span of frames on a timeline."""

    side: str
    known: bool
    x: float
    y: int
    width: float
    text: str
    hover: str


class Timeline(NamedTuple):
    """Who stood when, in units of the picture.

    Attributes
    ----------
    width, height, row : int
    bars : list of Bar
    ticks : list of (x, frame)
    """

    width: int
    height: int
    row: int
    bars: list[Bar]
    ticks: list[tuple[float, int]]


class Folded(NamedTuple):
    """What is folded of one trial.

    Attributes
    ----------
    name : str
    result : Result
    timeline : Timeline or None
    gaps : list of mapping, or None
        None where the record does not say.
    filters : list of (words, value)
    coverage : list of mapping
    subject : list of (words, value, unit, source)
    segments : list of (name, mass, length, centre of mass, inertia)
    sources : str
        Of the segments' inertia.
    inputs : list of mapping
    """

    name: str
    result: Result
    timeline: Timeline | None
    gaps: list[dict[str, Any]] | None
    filters: list[tuple[str, str]]
    coverage: list[dict[str, Any]]
    subject: list[tuple[str, Any, str, str]]
    segments: list[tuple[str, str, str, str, str]]
    sources: str
    inputs: list[dict[str, str]]


def folded(results: Sequence[Result]) -> list[Folded]:
    """Of each trial."""
    trials = []
    for name, result in named(results):
        segments, sources = _segments(result)
        gaps = None
        if isinstance(result.record_at("quality", "gaps"), list):
            of_gaps = result.mappings("quality", "gaps")
            gaps = [{key: round(v, 2) if isinstance(v, float) else v for key, v in gap.items()} for gap in of_gaps]
        inputs = [
            {
                "role": str(entry.get("role") or UNKNOWN),
                # folders often name people, and a page is passed on
                "file": PurePath(str(entry.get("path") or "").replace("\\", "/")).name or UNKNOWN,
                "sha256": str(entry.get("sha256") or UNKNOWN),
            }
            for entry in result.mappings("inputs")
        ]
        timeline = _timeline(result) if result.contacts else None
        of_trial = (_filters(result), _coverage(result), _subject(result), segments, sources, inputs)
        trials.append(Folded(name, result, timeline, gaps, *of_trial))
    return trials


def _timeline(result: Result) -> Timeline:
    """A row a side: bars of contacts with their plates, and where the load is unknown."""
    first, last = int(result.frame[0]), int(result.frame[-1])

    def across(frame: float) -> float:
        return _LEFT + (frame - first) / max(last - first, 1) * (_WIDTH - _LEFT - 10)

    bars = []
    for i, side in enumerate(result.sides):
        spans: list[Contact | Span] = [contact for contact in result.contacts if contact.known]
        for of in [*spans, *unknown_spans(result)]:
            begin, end = max(of.first_frame, first), min(of.last_frame, last)
            if of.side != side or end < begin:
                continue
            known, text, why = False, "unknown", of.reason
            if isinstance(of, Contact):
                known, text, why = True, f"plate {of.plates}", of.method
            x, width = across(begin), max(across(end) - across(begin), 1.5)
            bars.append(Bar(side, known, x, _ROW * i, width, text, f"{text}, frames {begin}–{end}: {why}"))
    step = max(1, round((last - first) / 8 / 10) * 10) if last - first > 80 else max(1, (last - first) // 4)
    ticks = [(across(frame), frame) for frame in range(-(-first // step) * step, last + 1, step)]
    return Timeline(_WIDTH, _ROW * len(result.sides) + 22, _ROW, bars, ticks)


def _filters(result: Result) -> list[tuple[str, str]]:
    if not isinstance(result.record_at("settings"), Mapping):
        return []
    settings = result.mapping("settings")
    shown = [
        ("Cut-off of the markers", settings.get("cutoff_hz"), "Hz"),
        ("Cut-off of the plates", settings.get("force_cutoff_hz"), "Hz"),
        ("Noise of the markers", result.record_at("quality", "marker_noise_mm"), "mm"),
        ("Markers hold frequencies up to", result.record_at("quality", "marker_bandwidth_hz"), "Hz"),
    ]
    return [
        (words, f"{_sensible(value)}{f' {unit}' if isinstance(value, int | float) else ''}")
        for words, value, unit in shown
        if value is not None or words.startswith("Cut-off")
    ]


def _coverage(result: Result) -> list[dict[str, Any]]:
    """Frames with and without moments of each joint."""
    counted = []
    for side, joints in result.mapping("coverage").items():
        for joint, counts in joints.items() if isinstance(joints, Mapping) else ():
            if isinstance(counts, Mapping):
                why = counts.get("reasons")
                why = "; ".join(f"{w}: {n}" for w, n in why.items()) if isinstance(why, Mapping) else why
                row = {"side": side, "joint": joint, **counts, "why empty": why}
                counted.append({key: value for key, value in row.items() if key != "reasons"})
    return counted


def _subject(result: Result) -> list[tuple[str, Any, str, str]]:
    rows = []
    for name, value in result.mapping("subject").items():
        entry = value if isinstance(value, Mapping) else {"value": value}
        of = entry.get("value")
        unit, times = _SHOWN.get(str(entry.get("unit")), (entry.get("unit") or "", 1.0))
        shown = (_sensible(of * times), str(unit)) if isinstance(of, float) else (of, "")
        words = str(name).removesuffix(f"_{entry.get('unit')}").replace(".", " ").replace("_", " ")
        rows.append((words, *shown, str(entry.get("source") or UNKNOWN)))
    return rows


def _segments(result: Result) -> tuple[list[tuple[str, str, str, str, str]], str]:
    """Of each segment, and where it is from."""
    segments = {name: of for name, of in result.mapping("segments").items() if isinstance(of, Mapping)}
    rows = []
    for name, of in segments.items():
        com, inertia = of.get("com_m"), of.get("inertia_kg_m2")
        centre = ", ".join(_fixed(1e3, v, 0) for v in com) if isinstance(com, list) else UNKNOWN
        # the principal moments
        diagonal = enumerate(inertia if isinstance(inertia, list) else [])
        principal = [_fixed(1e4, row[i] if isinstance(row, list) and i < len(row) else None, 1) for i, row in diagonal]
        mass, length = _sensible(of.get("mass_kg")), _fixed(1e3, of.get("length_m"), 0)
        rows.append((name.replace("_", " "), mass, length, centre, ", ".join(principal) or UNKNOWN))
    return rows, "; ".join(sorted({str(of["source"]) for of in segments.values() if of.get("source")}))


def _fixed(times: float, value: object, decimals: int) -> str:
    """A value in another unit; an unknown one as a dash."""
    return fixed(times * value, decimals) if isinstance(value, int | float) else UNKNOWN


def _sensible(value: object) -> str:
    """Four digits, and no number so small that it is only rounding."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return "none" if value is None else str(value)
    if abs(value) < 1e-4:
        return "0"
    return fixed(value, max(0, 3 - math.floor(math.log10(abs(value))))) if abs(value) < 1e4 else fixed(value, 0)


def notes_by_severity(results: Sequence[Result]) -> dict[str, list[str]]:
    """Every note, the most serious first."""
    lists: dict[str, list[str]] = {}
    for note in notes(results):
        lists.setdefault(_SEVERITIES.get(note.severity, note.severity), []).append(note.words)
    return lists
