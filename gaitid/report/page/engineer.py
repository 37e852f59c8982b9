"""What an engineer asks, folded; the methods paragraph of a paper, and the topics of a reporting checklist."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gaitid.norms import Norms
from gaitid.records import NamedTuple
from gaitid.report.page.messages import agreed, agreed_at, in_mean, measured, model_of, named, notes
from gaitid.report.panels import SIDES
from gaitid.report.text import UNKNOWN, number
from gaitid.results.result import Contact, Result, Span, unknown_spans

_SEVERITIES = {
    "error": "Errors",
    "doubt": "Doubts",
    "assumption": "Assumptions",
    "info": "For information",
    "": "Notes",
}
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
    """What is folded of one trial: who stood when (None where nobody did), and frames with moments of each joint."""

    name: str
    result: Result
    timeline: Timeline | None
    coverage: list[dict[str, Any]]


def folded(results: Sequence[Result]) -> list[Folded]:
    """Of each trial."""
    return [Folded(name, r, _timeline(r) if r.contacts else None, _coverage(r)) for name, r in named(results)]


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


def notes_by_severity(results: Sequence[Result]) -> dict[str, list[str]]:
    """Every note, the most serious first."""
    lists: dict[str, list[str]] = {}
    for note in notes(results):
        lists.setdefault(_SEVERITIES.get(note.severity, note.severity), []).append(note.words)
    return lists


NOT_RECORDED = "not recorded"
_COUNTS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
# How the source of a measurement begins, and what a paper calls it.
_CALIBRATED = {
    "trial, stored": "measurements stored in the trial",
    "static": "a static trial",
    "subject file": "a file of measurements",
}
_UNITS = {"mass": "kg", "height": "m", "age": "years"}


def methods_text(results: Sequence[Result], norms: Norms | None) -> str:
    """A paragraph to paste, in the past tense; what the records do not say is left out or named as missing."""
    means, numpy = in_mean(results), results[0].record_at("versions", "numpy")
    sentences = [
        _recorded(results),
        _model(results[0]),
        _filters(results),
        _loads(results),
        _dynamics(results[0]),
        _struck(results),
        _cycles(means.results),
        f"Not in the means: {'; '.join(means.left_out)}." if means.left_out else "",
        f"Results were compared with {norms.title}, {norms.speed} ({norms.source.rstrip('. ')})." if norms else "",
        f"Analyses were run with gaitid {agreed_at(results, 'gaitid')}{f' (numpy {numpy})' if numpy else ''}.",
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _rates(results: Sequence[Result]) -> str:
    """Of the cameras, in words."""
    return agreed(number(result.record["trial"]["camera_rate_hz"], 4) for result in results)


def _most_plates(results: Sequence[Result]) -> int:
    return max(len(result.mappings("quality", "plates")) for result in results)


def _recorded(results: Sequence[Result]) -> str:
    count, plates = len(results), _most_plates(results)
    trials = "One trial was" if count == 1 else f"{_COUNTS[count] if count < len(_COUNTS) else count} trials were"
    with_plates = f" together with {plates} force plate{'' if plates == 1 else 's'}" if plates else ""
    return f"{trials} analysed. Marker trajectories were recorded at {_rates(results)} Hz{with_plates}."


def _model(result: Result) -> str:
    """The model, what it was calibrated with, and its segments' inertia."""
    title, unchecked = result.record_at("model", "title"), agreed_at([result], "model", "unchecked")
    subject = result.mapping("subject")
    sources = [str(result.record_at("subject", name, "source") or "") for name in subject]
    results = [words for begin, words in _CALIBRATED.items() if any(source.startswith(begin) for source in sources)]
    words = (
        f"Segment axes and joint centres followed model “{model_of(result) or NOT_RECORDED}” of gaitid"
        f"{f' ({title})' if title else ''}{', calibrated with ' + ' and '.join(results) if results else ''}."
        f"{f' {unchecked[0].upper()}{unchecked[1:]}.' if unchecked else ''}"
    )
    if not (source := result.record_at("model", "table", "source")):
        return words
    mass = measured([result], "mass")
    of_mass = f", scaled to a body mass of {number(mass[0], 3)} kg ({_in_words(mass[1])})" if mass else ""
    return f"{words} Segment inertial parameters were those of {str(source).rstrip('. ')}{of_mass}."


def _in_words(source: str) -> str:
    return "as stored in the trial" if source == "trial, stored" else source or NOT_RECORDED


def _each_filter(results: Sequence[Result], of: str) -> str:
    """How ``markers`` or ``forces`` were filtered, in words."""
    words = []
    for result in results:
        cutoff = result.number("settings", "cutoff_hz" if of == "markers" else "force_cutoff_hz")
        spline = result.number("settings", "spline_mse_mm2") if of == "markers" else None
        if cutoff is not None and of == "forces":
            words.append(f"a zero-phase Butterworth low-pass filter at {number(cutoff, 3)} Hz")
        elif cutoff is not None:
            method = result.record_at("settings", "marker_filter")
            kind = "zero-phase Butterworth low-pass filter" if method == "butterworth" else f"{method} filter"
            words.append(f"a {kind} with an effective cut-off (−3 dB of both passes) of {number(cutoff, 3)} Hz")
        elif spline is not None:
            words.append(f"a smoothing spline (mean squared residual {number(spline, 3)} mm²)")
        else:
            words.append("no filter")
    return " or ".join(dict.fromkeys(words))


def _filters(results: Sequence[Result]) -> str:
    markers, forces = _each_filter(results, "markers"), _each_filter(results, "forces")
    held = [band for r in results if (band := r.number("quality", "marker_bandwidth_hz")) is not None]
    as_stored = f" (as stored, they held frequencies up to about {number(min(held), 2)} Hz)" if held else ""
    of_markers = f"were not filtered{as_stored}" if markers.startswith("no filter") else f"went through {markers}"
    of_forces = "were not filtered" if forces == "no filter" else f"went through {forces}"
    return f"Marker trajectories {of_markers}; ground reaction forces {of_forces}."


def _loads(results: Sequence[Result]) -> str:
    contacts = [contact for result in results for contact in result.contacts]
    if not any(result.on_ground for result in results):
        return ""
    threshold = results[0].number("settings", "contact_threshold_N")
    above = f" above {number(threshold, 3)} N" if threshold is not None else ""
    return (
        f"Contacts of a foot with a plate were detected from the plate’s force{above} and the foot’s markers, and "
        "loads were assigned to a foot only where plate, foot and centre of pressure agreed: "
        f"{sum(contact.known for contact in contacts)} of {len(contacts)} contacts. "
        "Where the load on a foot was not known, moments and powers were left empty."
    )


def _dynamics(result: Result) -> str:
    if not any("_moment_" in name for name in result.columns):
        return "Joint angles were computed as Cardan angles."
    gravity, axes = result.number("settings", "gravity_m_per_s2"), _moment_axes(result)
    g = f" (g = {number(gravity, 4)} m/s²)" if gravity is not None else ""
    return (
        "Joint angles were computed as Cardan angles; net intersegmental moments by Newton–Euler inverse dynamics from "
        f"the foot up{g}. Moments are internal, taken about the joint centres{f', expressed in {axes}' if axes else ''}"
        ", and divided by body mass; joint power is the product of moment and relative angular velocity."
    )


def _struck(results: Sequence[Result]) -> str:
    """What was done about impacts of foot strikes."""
    count = sum(len(r.record["impacts"]) for r in results)
    strikes = "one foot strike" if count == 1 else f"{count} foot strikes"
    return (
        f"The ground reaction of {strikes} was faster than the markers; these frames were marked, and no peak of a "
        "joint’s moment or power was taken from them."
        if count
        else ""
    )


def _moment_axes(result: Result) -> str:
    """``axes of thigh (hip), shank (knee) and foot (ankle)``."""
    outcome = re.findall(r"(\w+): in axes of (\w+)", str(result.record_at("conventions", "moments") or ""))
    parts = [f"{axes.replace('_', ' ')} ({joint})" for joint, axes in outcome]
    return f"the axes of {' and '.join(filter(None, (', '.join(parts[:-1]), parts[-1])))}" if parts else ""


def _cycles(results: Sequence[Result]) -> str:
    counts = {side: sum(len(r.cycles.get(side, ())) for r in results) for side in SIDES}
    rows = [row for r in results for row in r.spatiotemporal]
    sources = agreed(row.get(f"{event}_source") for row in rows for event in ("strike", "off", "next_strike"))
    by = f" (events from: {sources})" if sources else ""
    sides = " and ".join(f"{n} of the {side} leg" for side, n in counts.items() if n)
    return (
        f"Curves were normalised in time to the gait cycle, from strike to the next strike of the same foot{by}; "
        f"cycles available: {sides}."
        if sides
        else ""
    )


# --- checklist ------------------------------------------------------------------------------------------------


def topics(results: Sequence[Result]) -> dict[str, str]:
    """What is to be reported, and in words what the records say of it; empty where nothing."""
    moments, solver = agreed_at(results, "conventions", "moments"), agreed_at(results, "settings", "solver")
    g, vertical = agreed_at(results, "settings", "gravity_m_per_s2"), agreed_at(results, "conventions", "vertical")
    markers = results[0].mapping("model", "markers")
    gaps = [gaps for r in results if isinstance(gaps := r.record_at("quality", "gaps"), list)]
    of_gravity = (f"{g} m/s²" if g else "", f"vertical {vertical}" if vertical else "")
    contacts = [contact for result in results for contact in result.contacts]
    by = agreed(contact.method for contact in contacts if contact.known) or UNKNOWN
    known = f"{sum(c.known for c in contacts)} of {len(contacts)} contacts known; by {by}"
    model = (agreed(map(model_of, results)), agreed_at(results, "model", "title"))
    has_budget = any(isinstance(r.record_at("uncertainty"), dict) for r in results)
    rates = f"markers at {_rates(results)} Hz; {_most_plates(results) or 'no'} force plates"
    return {
        "What is reported": "net intersegmental moments and powers, three-dimensional; no contact forces of joints",
        "Subject: body mass, height, age": _subject(results),
        "Instruments and rates": f"{rates}; their rate and make are {NOT_RECORDED}",
        "Markers": f"{len(markers)} markers: {', '.join(map(str, markers.values()))}" if markers else "",
        "Gaps and their filling": f"{sum(map(len, gaps)) or 'no'} gaps of markers" if gaps else "",
        "Filter of the markers": _each_filter(results, "markers"),
        "Filter of the ground reaction": _each_filter(results, "forces"),
        "Impacts: cut-offs of markers and forces": _impacts(results),
        "Model, joint centres, degrees of freedom": ", ".join(filter(None, model)),
        "Segment coordinate systems": agreed_at(results, "conventions", "segment axes"),
        "Angle convention": agreed_at(results, "conventions", "angles"),
        "Inertial parameters": agreed_at(results, "model", "table", "source"),
        "Gravity": "; ".join(filter(None, of_gravity)),
        "Method of inverse dynamics": f"Newton–Euler, foot to hip, rigid segments (solver {solver})" if solver else "",
        "Internal or external": "internal" if "internal" in moments else "",
        "Point about which moments are taken": "the joint centre"
        if agreed_at(results, "conventions", "wrench")
        else "",
        "Axes in which moments are expressed": _expressed(results),
        "What positive means": moments,
        "Normalisation": "divided by body mass (N·m/kg, W/kg)" if moments else "",
        "Joint power": agreed_at(results, "conventions", "power"),
        "External loads and their assignment": known if any(r.on_ground for r in results) else "",
        "Noise of the measurement": _noise(results),
        "Uncertainty of the result": "a budget of uncertainty stands in run.json" if has_budget else "",
        "Software": f"gaitid {agreed_at(results, 'gaitid')}",
    }


def _subject(results: Sequence[Result]) -> str:
    collected = {name: measured(results, name) for name in _UNITS}
    parts = [f"{name} {number(m[0], 4)} {_UNITS[name]} ({_in_words(m[1])})" for name, m in collected.items() if m]
    missing = ", ".join(name for name, m in collected.items() if m is None)
    return "; ".join([*parts, *([f"{missing} {NOT_RECORDED}"] if missing else [])]) if parts else ""


def _expressed(results: Sequence[Result]) -> str:
    axes = agreed(map(_moment_axes, results))
    frames = results[0].record_at("settings", "express_in")
    of_wrenches = f"; wrenches in {', '.join(map(str, frames))} axes" if isinstance(frames, list) and frames else ""
    return f"{axes}{of_wrenches}" if axes else ""


def _noise(results: Sequence[Result]) -> str:
    values = [noise for r in results if (noise := r.number("quality", "marker_noise_mm")) is not None]
    if values and max(values) < 0.001:
        return "markers without noise: smoothed before they were stored"
    return f"marker noise {number(max(values), 2)} mm at most" if values else ""


def _impacts(results: Sequence[Result]) -> str:
    count = sum(len(result.record["impacts"]) for result in results)
    matched = agreed_at(results, "settings", "joint_loads").replace("_", " ") or NOT_RECORDED
    return (
        f"{count} foot strikes with an impact faster than the markers; their frames are named and give no peak "
        f"(loads {matched})"
    )
