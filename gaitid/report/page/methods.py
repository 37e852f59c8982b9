"""The methods paragraph of a paper, and the topics of a reporting checklist, filled in from the record."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath

from gaitid.norms import Norms
from gaitid.report.page.in_mean import in_mean
from gaitid.report.page.told import agreed, measured, model_of, unchecked_of
from gaitid.report.result import Result
from gaitid.report.text import UNKNOWN, escape, number

NOT_RECORDED = "not recorded"
_DERRICK = (
    "Derrick TR, van den Bogert AJ, Cereatti A, Dumas R, Fantozzi S, Leardini A (2020) ISB recommendations on the "
    "reporting of intersegmental forces and moments during human motion analysis. J Biomech 99:109533"
)


_COUNTS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


def methods_text(results: Sequence[Result], norms: Norms | None) -> str:
    """A paragraph to paste, in the past tense; what the records do not say is left out or named as missing."""
    first, means = results[0], in_mean(results)
    sentences = [
        _recorded(results),
        _model(first),
        _inertia(first),
        _filters(results),
        _loads(results),
        _dynamics(first),
        _struck(results),
        _cycles(means.results),
        f"Not in the means: {'; '.join(means.told)}." if means.told else "",
        _norms(norms),
        f"Analyses were run with gaitid {agreed(r.section('gaitid') for r in results)}"
        + (f" (numpy {version})." if (version := first.record_at("versions", "numpy")) else "."),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _recorded(results: Sequence[Result]) -> str:
    rates = agreed(_rate(r.record_at("trial", "camera_rate_hz") or 1 / r.step_s) for r in results)
    count = len(results)
    trials = "One trial was" if count == 1 else f"{_COUNTS[count] if count < len(_COUNTS) else count} trials were"
    plates = max((len(p) for r in results if isinstance(p := r.record_at("quality", "plates"), list)), default=0)
    with_plates = f" together with {plates} force plate{'' if plates == 1 else 's'}" if plates else ""
    return f"{trials} analysed. Marker trajectories were recorded at {rates} Hz{with_plates}."


def _rate(value: object) -> str:
    return number(float(value), 4) if isinstance(value, int | float) else NOT_RECORDED


def _model(result: Result) -> str:
    title = result.record_at("model", "title")
    name = model_of(result) or NOT_RECORDED
    words = f"model “{name}” of gaitid ({title})" if title else f"model “{name}” of gaitid"
    unchecked = unchecked_of(result)
    more = f" {unchecked[0].upper()}{unchecked[1:]}." if unchecked else ""
    return f"Segment axes and joint centres followed {words}{_calibration(result)}.{more}"


def _calibration(result: Result) -> str:
    sources = {
        str(entry.get("source"))
        for entry in _mapping(result.section("subject")).values()
        if isinstance(entry, Mapping) and entry.get("source")
    }
    kinds = [
        ("trial, stored", "measurements stored in the trial"),
        ("static", "a static trial"),
        ("subject file", "a file of measurements"),
    ]
    found = [words for begin, words in kinds if any(source.startswith(begin) for source in sources)]
    return f", calibrated with {' and '.join(found)}" if found else ""


def _inertia(result: Result) -> str:
    source = result.record_at("model", "table", "source")
    if not source:
        return ""
    mass = measured([result], "mass")
    of_mass = ""
    if mass is not None:
        of_mass = f", scaled to a body mass of {number(mass[0], 3)} kg ({_in_words(mass[1])})"
    return f"Segment inertial parameters were those of {_citation(str(source))}{of_mass}."


def _in_words(source: str) -> str:
    return "as stored in the trial" if source == "trial, stored" else source or NOT_RECORDED


def _citation(source: str) -> str:
    """A source that begins with its authors, without the full stop at its end."""
    return source.rstrip(". ")


def marker_filter(results: Sequence[Result]) -> str:
    """How the markers were filtered, in words."""
    words = []
    for result in results:
        cutoff, method = result.record_at("settings", "cutoff_hz"), result.record_at("settings", "marker_filter")
        spline = result.record_at("settings", "spline_mse_mm2")
        if not isinstance(result.section("settings"), Mapping):
            words.append(NOT_RECORDED)
        elif isinstance(cutoff, int | float):
            kind = "zero-phase Butterworth low-pass filter" if method == "butterworth" else f"{method} filter"
            words.append(f"a {kind} with an effective cut-off (−3 dB of both passes) of {number(float(cutoff), 3)} Hz")
        elif isinstance(spline, int | float):
            words.append(f"a smoothing spline (mean squared residual {number(float(spline), 3)} mm²)")
        else:
            words.append("no filter")
    return " or ".join(dict.fromkeys(words))


def force_filter(results: Sequence[Result]) -> str:
    """How the plates were filtered, in words."""
    words = []
    for result in results:
        cutoff = result.record_at("settings", "force_cutoff_hz")
        if not isinstance(result.section("settings"), Mapping):
            words.append(NOT_RECORDED)
        elif isinstance(cutoff, int | float):
            words.append(f"a zero-phase Butterworth low-pass filter at {number(float(cutoff), 3)} Hz")
        else:
            words.append("no filter")
    return " or ".join(dict.fromkeys(words))


def _filters(results: Sequence[Result]) -> str:
    markers, forces = marker_filter(results), force_filter(results)
    if markers == NOT_RECORDED:
        return ""
    held = [b for r in results if isinstance(b := r.record_at("quality", "marker_bandwidth_hz"), int | float)]
    as_stored = f" (as stored, they held frequencies up to about {number(float(min(held)), 2)} Hz)" if held else ""
    unfiltered = f"were not filtered{as_stored}"
    of_markers = unfiltered if markers.startswith("no filter") else f"went through {markers}"
    of_forces = "were not filtered" if forces == "no filter" else f"went through {forces}"
    return f"Marker trajectories {of_markers}; ground reaction forces {of_forces}."


def _loads(results: Sequence[Result]) -> str:
    known = sum(contact.known for result in results for contact in result.contacts)
    whole = sum(len(result.contacts) for result in results)
    if not any(result.on_ground for result in results):
        return ""
    threshold = results[0].record_at("settings", "contact_threshold_N")
    above = f" above {number(float(threshold), 3)} N" if isinstance(threshold, int | float) else ""
    return (
        f"Contacts of a foot with a plate were detected from the plate’s force{above} and the foot’s markers, and "
        "loads were assigned to a foot only where plate, foot and centre of pressure agreed: "
        f"{known} of {whole} contacts. "
        "Where the load on a foot was not known, moments and powers were left empty."
    )


def _dynamics(result: Result) -> str:
    gravity = result.record_at("settings", "gravity_m_per_s2")
    g = f" (g = {number(float(gravity), 4)} m/s²)" if isinstance(gravity, int | float) else ""
    if not any("_moment_" in name for name in result.columns):
        return "Joint angles were computed as Cardan angles."
    axes = moment_axes(result)
    expressed = f", expressed in {axes}" if axes else ""
    return (
        "Joint angles were computed as Cardan angles; net intersegmental moments by Newton–Euler inverse dynamics from "
        f"the foot up{g}. Moments are internal, taken about the joint centres{expressed}, "
        "and divided by body mass; joint power is the product of moment and relative angular velocity."
    )


def _struck(results: Sequence[Result]) -> str:
    """What was done about impacts of foot strikes."""
    impacts = [i for r in results if isinstance(found := r.section("impacts"), list) for i in found]
    if not impacts:
        return ""
    strikes = "one foot strike" if len(impacts) == 1 else f"{len(impacts)} foot strikes"
    return (
        f"The ground reaction of {strikes} was faster than the markers; these frames were marked, and no peak of a "
        "joint’s moment or power was taken from them."
    )


def moment_axes(result: Result) -> str:
    """``axes of thigh (hip), shank (knee) and foot (ankle)``."""
    found = re.findall(r"(\w+): in axes of (\w+)", str(result.record_at("conventions", "moments") or ""))
    parts = [f"{axes.replace('_', ' ')} ({joint})" for joint, axes in found]
    return f"the axes of {_listed(parts)}" if parts else ""


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def _cycles(results: Sequence[Result]) -> str:
    counts = {side: sum(len(r.cycles.get(side, ())) for r in results) for side in ("left", "right")}
    if not any(counts.values()):
        return ""
    sources = agreed(
        row.get(f"{event}_source")
        for r in results
        for row in r.spatiotemporal
        for event in ("strike", "off", "next_strike")
    )
    by = f" (events from: {sources})" if sources else ""
    sides = " and ".join(f"{n} of the {side} leg" for side, n in counts.items() if n)
    return (
        f"Curves were normalised in time to the gait cycle, from strike to the next strike of the same foot{by}; "
        f"cycles available: {sides}."
    )


def _norms(norms: Norms | None) -> str:
    if norms is None:
        return ""
    return f"Results were compared with {norms.title}, {norms.speed} ({_citation(norms.source)})."


# --- checklist ------------------------------------------------------------------------------------------------


def checklist_html(results: Sequence[Result]) -> str:
    """What the recommendations ask to be reported, and what the records say of it."""
    rows = "".join(
        f'<tr{_missing(answer)}><th scope="row">{escape(topic)}</th><td>{escape(answer)}</td></tr>'
        for topic, ask in _TOPICS
        for answer in (ask(results) or NOT_RECORDED,)
    )
    return (
        '<div class="scroll"><table class="checklist"><thead><tr><th scope="col">To be reported</th>'
        f'<th scope="col">In these results</th></tr></thead><tbody>{rows}</tbody></table></div>'
        f'<p class="note">Topics after {escape(_DERRICK)}; grouped and worded by gaitid.</p>'
    )


def _missing(answer: str) -> str:
    return ' class="missing"' if answer == NOT_RECORDED else ""


def _from(*keys: str) -> Callable[[Sequence[Result]], str]:
    return lambda results: agreed(r.record_at(*keys) for r in results)


def _instruments(results: Sequence[Result]) -> str:
    rates = agreed(_rate(r.record_at("trial", "camera_rate_hz") or 1 / r.step_s) for r in results)
    plates = max((len(p) for r in results if isinstance(p := r.record_at("quality", "plates"), list)), default=0)
    return f"markers at {rates} Hz; {plates or 'no'} force plates; their rate and make are {NOT_RECORDED}"


def _subject(results: Sequence[Result]) -> str:
    found = [(name, measured(results, name)) for name in ("mass", "height", "age")]
    parts = [
        f"{name} {number(m[0], 4)} {unit} ({_in_words(m[1])})" for name, m in found if m for unit in (_UNIT[name],)
    ]
    missing = [name for name, m in found if m is None]
    return "; ".join(parts) + (f"; {', '.join(missing)} {NOT_RECORDED}" if missing else "") if parts else ""


_UNIT = {"mass": "kg", "height": "m", "age": "years"}


def _markers(results: Sequence[Result]) -> str:
    markers = results[0].record_at("model", "markers")
    if not isinstance(markers, Mapping) or not markers:
        return ""
    labels = ", ".join(str(label) for label in markers.values())
    return f"{len(markers)} markers: {labels}"


def _coordinates(results: Sequence[Result]) -> str:
    return agreed(r.record_at("conventions", "segment axes") for r in results)


def _expressed(results: Sequence[Result]) -> str:
    axes = agreed(moment_axes(r) for r in results)
    frames = results[0].record_at("settings", "express_in")
    of_wrenches = f"; wrenches in {', '.join(map(str, frames))} axes" if isinstance(frames, list) and frames else ""
    return f"{axes}{of_wrenches}" if axes else ""


def _noise(results: Sequence[Result]) -> str:
    values = [v for r in results if isinstance(v := r.record_at("quality", "marker_noise_mm"), int | float)]
    if not values:
        return ""
    most = max(values)
    return (
        f"marker noise {number(most, 2)} mm at most"
        if most >= 0.001
        else "markers without noise: smoothed before they were stored"
    )


def _impacts(results: Sequence[Result]) -> str:
    counts = [len(i) for r in results if isinstance(i := r.section("impacts"), list)]
    if not counts:
        return ""
    matched = agreed(r.record_at("settings", "joint_loads") for r in results)
    return (
        f"{sum(counts)} foot strikes with an impact faster than the markers; their frames are named and give no peak "
        f"(loads {matched.replace('_', ' ') or NOT_RECORDED})"
    )


def _gaps(results: Sequence[Result]) -> str:
    gaps = [gap for r in results if isinstance(found := r.record_at("quality", "gaps"), list) for gap in found]
    known = any(isinstance(r.record_at("quality", "gaps"), list) for r in results)
    return f"{len(gaps) or 'no'} gaps of markers" if known else ""


def _uncertainty(results: Sequence[Result]) -> str:
    has = any(isinstance(r.section("uncertainty"), Mapping) for r in results)
    return "a budget of uncertainty stands in run.json" if has else ""


_TOPICS: tuple[tuple[str, Callable[[Sequence[Result]], str]], ...] = (
    (
        "What is reported",
        lambda r: "net intersegmental moments and powers, three-dimensional; no contact forces of joints",
    ),
    ("Subject: body mass, height, age", _subject),
    ("Instruments and rates", _instruments),
    ("Markers", _markers),
    ("Gaps and their filling", _gaps),
    ("Filter of the markers", lambda r: marker_filter(r)),
    ("Filter of the ground reaction", lambda r: force_filter(r)),
    ("Impacts: cut-offs of markers and forces", _impacts),
    (
        "Model, joint centres, degrees of freedom",
        lambda r: ", ".join(p for p in (agreed(map(model_of, r)), _title(r)) if p),
    ),
    ("Segment coordinate systems", _coordinates),
    ("Angle convention", _from("conventions", "angles")),
    ("Inertial parameters", _from("model", "table", "source")),
    ("Gravity", lambda r: _gravity(r)),
    ("Method of inverse dynamics", lambda r: _solver(r)),
    ("Internal or external", lambda r: "internal" if "internal" in _from("conventions", "moments")(r) else ""),
    ("Point about which moments are taken", lambda r: "the joint centre" if _from("conventions", "wrench")(r) else ""),
    ("Axes in which moments are expressed", _expressed),
    ("What positive means", _from("conventions", "moments")),
    ("Normalisation", lambda r: "divided by body mass (N·m/kg, W/kg)" if _from("conventions", "moments")(r) else ""),
    ("Joint power", _from("conventions", "power")),
    ("External loads and their assignment", lambda r: _assigned(r)),
    ("Noise of the measurement", _noise),
    ("Uncertainty of the result", _uncertainty),
    ("Software", lambda r: "gaitid " + agreed(x.section("gaitid") for x in r)),
)


def _title(results: Sequence[Result]) -> str:
    return agreed(r.record_at("model", "title") for r in results)


def _gravity(results: Sequence[Result]) -> str:
    g = agreed(r.record_at("settings", "gravity_m_per_s2") for r in results)
    vertical = agreed(r.record_at("conventions", "vertical") for r in results)
    return "; ".join(part for part in (f"{g} m/s²" if g else "", f"vertical {vertical}" if vertical else "") if part)


def _solver(results: Sequence[Result]) -> str:
    solver = agreed(r.record_at("settings", "solver") for r in results)
    return f"Newton–Euler, foot to hip, rigid segments (solver {solver})" if solver else ""


def _assigned(results: Sequence[Result]) -> str:
    if not any(result.on_ground for result in results):
        return ""
    contacts = [contact for result in results for contact in result.contacts]
    by = agreed(contact.method for contact in contacts if contact.known) or UNKNOWN
    return f"{sum(c.known for c in contacts)} of {len(contacts)} contacts known; by {by}"


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def file_names(result: Result) -> list[dict[str, str]]:
    """Inputs by role, name and hash; folders often name people, and a page is passed on."""
    inputs = result.section("inputs")
    return [
        {
            "role": str(entry.get("role") or UNKNOWN),
            "file": PurePath(str(entry.get("path") or "").replace("\\", "/")).name or UNKNOWN,
            "sha256": str(entry.get("sha256") or UNKNOWN),
        }
        for entry in (inputs if isinstance(inputs, list) else [])
        if isinstance(entry, Mapping)
    ]
