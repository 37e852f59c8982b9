"""What `gaitid inspect` says to a person: the content of its JSON as text."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gaitid.analysis.wording import WIDTH as LONGEST
from gaitid.analysis.wording import fitted, level_words, reason_words, verdict_words
from gaitid.errors import counted, first_few, in_print
from gaitid.inspect.signals import AXES, KINDS, MARKER
from gaitid.markers.faults import fault_words

# What a person reads a value in, and the factor from SI.
SHOWN = {"m": ("mm", 1e3), "rad": ("deg", 180 / math.pi)}
# So many entries of a long list go to the screen; --json has all.
MAX_SHOWN = 12
# So many names of points that are no markers.
_NAMED = 4
# What a stored output is, by a word in its name: forces before the ground's moments.
_OUTPUTS = {"angle": "angles", "moment": "moments", "force": "forces", "grf": "forces", "power": "powers"}
# Columns of text, as wide as a terminal that nobody widened.
WIDTH = 110


def describe(content: Mapping[str, Any], everything: bool) -> str:
    """The same as text for a terminal, a few lines a topic; without `everything` only the models that are nearest."""
    p = content["points"]
    made = ", ".join(filter(None, (content["format"], content["software"])))
    lines = [f"{content['file']}" + (f"  ({made})" if made else "")]

    def add(topic: str, texts: Sequence[str]) -> None:
        for i, text in enumerate(texts):
            lines.append(f"{topic if i == 0 else '':<10}{text}")

    verdict = content["verdict"]
    if verdict is not None:
        custom = content["models"][content["verdict_with"]]["given"]
        add(
            "verdict",
            [
                verdict_words(verdict) + (f" (with {content['verdict_with']})" if custom else ""),
                *(
                    reason_words(one) if everything else fitted(reason_words({**one, "cure": ""}), one["cure"], LONGEST)
                    for one in verdict["reasons"]
                ),
            ],
        )
    units = f"; the file's lengths are in {p['units']}" if p["units"] else ""
    add(
        "frames",
        [
            f"{p['frames']} at {p['rate_hz']:g} Hz, numbered {p['first_frame']} to {p['last_frame']} "
            f"({p['duration_s']:.2f} s){units}"
        ],
    )
    if len(content["passes"]) > 1:
        add("passes", _wrapped([f"{walk['first_frame']}-{walk['last_frame']}" for walk in content["passes"]]))
    vertical = content["vertical"]
    add("vertical", [f"{vertical['up']}, from {vertical['found_from']}" if vertical["up"] else vertical["found_from"]])
    if content["segments"]["labels"]:
        add("segments", _segment_lines(content["segments"], p["frames"]))
    of_model = set(content["chosen"]["markers"].values())
    add("markers", [*_marker_lines(p, of_model), *(_doubt_line(fault) for fault in content["labels_in_doubt"])])
    add("besides", _other_points(p))
    if content["upper_body"]:
        add("upper", _wrapped(content["upper_body"]))
    analog = content["analog"]
    if analog["channels"]:
        named = [c["label"] + (f" [{c['unit']}]" if c["unit"] else "") for c in analog["channels"]]
        add("analog", _listed(f"{len(named)} at {analog['rate_hz']:g} Hz: ", named))
    plates = [text for plate in content["plates"] for text in _plate_lines(plate)]
    add("plates", plates or ["none"])
    note = content["contacts_note"]
    add("contacts", [*(_contact_line(c) for c in content["contacts"]), *([note] if note else [])] or ["none"])
    events = [
        f"{e['side']} {e['name']} {e['frame']}{'' if e['means'] else ' (not understood)'}" for e in content["events"]
    ]
    add("events", _wrapped(events) if events else ["none"])
    subject = [_subject_words(name, m) for name, m in content["subject"].items()]
    add("subject", _wrapped(subject) if subject else ["no measurement of a bundled model is stored"])
    if "subject_names" in content:
        add("names", [", ".join(content["subject_names"]) or "none"])
    add("stored", _stored_lines(content["stored_outputs"]))
    chosen = content["chosen"]["model"]
    taken = f"`--model auto` takes {chosen}" if chosen else "no bundled model fits"
    taken += "" if everything else "; --verbose shows all models"
    if chosen and content["models"][chosen]["marker_set"]:
        taken += f" (labels: {content['models'][chosen]['marker_set']})"
    if content["calibration"]:
        add("fit", calibration_lines(content["calibration"]))
    add("models", [taken, *_model_lines(content["models"] if everything else _nearest(content["models"], chosen))])
    add("warnings", [text if everything else fitted(text, "", LONGEST) for text in content["warnings"]])
    # names in a file may hold what steers a terminal, or begin a new line
    plain = ("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line) for line in lines)
    return "\n".join(plain) + "\n"


def _marker_lines(p: Mapping[str, Any], of_model: Collection[str]) -> list[str]:
    """The markers on the body, those of the model first, and their gaps."""
    body = [m for m in p["markers"] if m["kind"] == MARKER]
    body.sort(key=lambda m: m["label"] not in of_model)
    if not body:
        return ["none"]
    lines = _listed(f"{len(body)}: ", [m["label"] for m in body], 60)
    with_gaps = sorted((m for m in body if m["missing_frames"]), key=lambda m: -m["missing_frames"])
    if never := [m["label"] for m in with_gaps if not m["seen_frames"]]:
        lines += _listed("never seen: ", never)
    with_gaps = [m for m in with_gaps if m["seen_frames"]]
    for m in with_gaps[:MAX_SHOWN]:
        lines.append(
            f"gaps in {m['label']}: {m['missing_frames']} of {p['frames']} frames, "
            f"longest {m['longest_gap_frames']}: {_frames_of(m['gaps'])}"
        )
    if len(with_gaps) > MAX_SHOWN:
        lines.append(f"gaps in {len(with_gaps) - MAX_SHOWN} more markers (--json lists all)")
    if not never and not with_gaps:
        lines.append("no gaps")
    return lines


def _frames_of(gaps: Sequence[Mapping[str, Any]]) -> str:
    where = ", ".join(f"{g['first_frame']}-{g['last_frame']}" for g in gaps[:6])
    return where + (f", and {len(gaps) - 6} more" if len(gaps) > 6 else "")


def _segment_lines(segments: Mapping[str, Any], frames: int) -> list[str]:
    lines = _listed(f"{len(segments['labels'])} with stored poses: ", segments["labels"], 60)
    by_gaps: dict[str, list[str]] = {}
    for label, gaps in segments["gaps"].items():
        missing = sum(g["frames"] for g in gaps)
        by_gaps.setdefault(f"{missing} of {frames} frames: {_frames_of(gaps)}", []).append(label)
    for where, labels in list(by_gaps.items())[:MAX_SHOWN]:
        shown = labels[0] if len(labels) == 1 else f"{labels[0]} and {len(labels) - 1} more"
        lines.append(f"gaps in {shown}: {where}")
    return lines if by_gaps else [*lines, "no gaps"]


def _other_points(p: Mapping[str, Any]) -> list[str]:
    """What else is stored as points: a line for each kind."""
    lines = []
    for kind, words in KINDS.items():
        labels = [m["label"] or "(no label)" for m in p["markers"] if m["kind"] == kind]
        if kind != MARKER and labels:
            named = list(dict.fromkeys(label[:-1] for label in labels)) if kind == AXES else labels
            what = f"{counted(len(named), 'segment')}: " if kind == AXES else ""
            lines.append(f"{len(labels)} {words} ({what}{first_few(named, _NAMED)})")
    return lines


def _stored_lines(labels: Sequence[str]) -> list[str]:
    """Stored outputs, counted by what they are."""
    if not labels:
        return ["no model outputs"]
    kinds: dict[str, list[str]] = {}
    for label in labels:
        kind = next((words for word, words in _OUTPUTS.items() if word in label.lower()), "others")
        kinds.setdefault(kind, []).append(label)
    words = [f"{len(of)} {kind}" for kind, of in kinds.items() if kind != "others"]
    if "others" in kinds:
        words.append(f"{len(kinds['others'])} others ({first_few(kinds['others'], _NAMED)})")
    return [f"{len(labels)} model outputs: {', '.join(words)}"]


def _doubt_line(fault: Mapping[str, Any]) -> str:
    where = ", ".join(f"{a}-{b}" for a, b in fault["frames"])
    what = fault_words(fault["kind"], fault["labels"], fault["size_mm"] / 1e3, also=fault["or_labels"])
    return what + (f": not believed in frames {where}" if where else "")


def _plate_lines(plate: Mapping[str, Any]) -> list[str]:
    number = plate["plate"]
    if not plate["used"]:
        return [f"{number}  not used: {plate['reason']}"]
    kind, outline, where = "force record", "no outline is known", []
    if plate["outlined"]:
        kind = f"type {plate['type']}"
        outline = " x ".join(f"{v:.3f}" for v in plate["size_m"]) + " m"
        corners = " ".join("(" + ", ".join(f"{v + 0.0:.3f}" for v in c) + ")" for c in plate["corners_m"])
        where = [f"   corners {corners} m"]
    peak = "no sample" if plate["peak_vertical_N"] is None else f"peak vertical {plate['peak_vertical_N']:.0f} N"
    bias = "never surely empty"
    if plate["bias_N"] is not None:
        bias = "reads (" + ", ".join(f"{b + 0.0:.1f}" for b in plate["bias_N"]) + ") N while empty"
        bias += ", which `run` takes off" if plate["bias_removed"] else ""
    return [f"{number}  {kind}, {outline}, {plate['rate_hz']:g} Hz, {peak}, {bias}", *where]


def _contact_line(c: Mapping[str, Any]) -> str:
    where = f"plate {c['plates']}" if c["plates"] else "load unknown"
    peak = f", peak {c['peak_vertical_N']:.0f} N" if c["peak_vertical_N"] is not None else ""
    sure = f", confidence {c['confidence']:g}" if c["plates"] else ""
    reason = f": {c['reason']}" if c["reason"] else ""
    return f"{c['side']:<6}{c['first_frame']}-{c['last_frame']}  {where}{peak}{sure}{reason} (by {c['method']})"


def _subject_words(name: str, m: Mapping[str, Any]) -> str:
    unit, times = SHOWN.get(m["unit"], (m["unit"], 1.0))
    return f"{name.replace('.', ' ').replace('_', ' ')} {m['value'] * times:.4g} {unit}"


def _nearest(models: Mapping[str, Mapping[str, Any]], chosen: str) -> dict[str, Mapping[str, Any]]:
    """Of all models those of the user, the one that was chosen, and the one that lacks least of the others."""
    lacking = {
        name: sum(clause.count(",") + 1 for clause in m["lacks"]) + len(m["missing_measurements"])
        for name, m in models.items()
        if not m["runs"]
    }
    shown = {chosen, min(lacking, key=lambda name: lacking[name] or math.inf, default="")}
    return {name: m for name, m in models.items() if m["given"] or name in shown}


def _model_lines(models: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What each model lacks, those of the user first; bundled ones that lack the same stand together."""
    groups: dict[tuple[str, ...], list[str]] = {}
    lines: list[str] = []
    for name, m in models.items():
        first, *others = _lacks(m)
        if m["given"]:
            lines += [f"{name} ({m['title'] or 'no title'}): {first}", *(f"  {text}" for text in others)]
        else:
            groups.setdefault((first, *others), []).append(name)
    return lines + [
        f"{', '.join(names) + ': ' if i == 0 else '  '}{text}"
        for texts, names in groups.items()
        for i, text in enumerate(texts)
    ]


def _lacks(m: Mapping[str, Any]) -> list[str]:
    missing = bool(m["missing_measurements"]) or bool(m["lacks"])
    lines = [] if missing else [f"`run` refuses this trial: {m['reason']}"]
    if m["runs"]:
        lines = ["`run` takes this trial as it stands" if m["analysed"] else "its markers and measurements are there"]
        lines[0] += " for one leg" if missing else ""
        if m["assumed"]:
            lines += _listed("would be assumed: ", [n.replace(".", " ") for n in m["assumed"]], 60)
    for clause in m["lacks"]:
        lines += _wrapped(clause.split(", "))
    if m["missing_measurements"] and not (m["runs"] and m["lacks"]):  # nobody asks for those of a leg without markers
        lines += _listed("measurements missing (--subject or --static): ", m["missing_measurements"], 60)
    return [*lines, *m["faults"]]


def _listed(head: str, items: Sequence[str], most: int = MAX_SHOWN) -> list[str]:
    shown = list(items[:most])
    if len(items) > most:
        shown.append(f"and {len(items) - most} more (--json lists all)")
    return _wrapped(shown, head)


def _wrapped(items: Sequence[str], head: str = "") -> list[str]:
    lines: list[str] = []
    line = head
    for i, item in enumerate(items):
        part = item + ("," if i < len(items) - 1 else "")
        if line.strip() and len(line) + len(part) > WIDTH - 10:
            lines.append(line.rstrip())
            line = " " * (len(head) - len(head.lstrip())) + "  "
        line += part + " "
    return [*lines, line.rstrip()]


def calibration_lines(figures: Mapping[str, Any]) -> list[str]:
    """A line for each segment and knee of `gaitid.body.quality.calibration_figures`."""
    segments = {name: value for name, value in figures.items() if "fit" in value}
    for side, of_side in figures.items():
        if side not in segments:
            segments |= {f"{side} {name}": value for name, value in of_side.items() if name != "knee_axis"}
    lines = []
    for name, segment in segments.items():
        fit, length, parts = segment["fit"], segment["length"], []
        if fit is not None and fit["residual_rms_mean_mm"] is not None:
            parts.append(
                f"fits to {fit['residual_rms_mean_mm']:.1f} mm (worst {fit['residual_rms_worst_mm']:.1f} mm "
                f"at frame {fit['residual_rms_worst_frame']}) by {len(fit['points'])} points"
            )
        if length is not None:
            off = length["trial_minus_static_mm"]
            static = "" if off is None else f", {off:+.0f} mm against the static"
            parts.append(f"{length['mean_mm']:.0f} mm long, sd {length['sd_mm']:.1f} mm{static}")
        if parts:
            lines.append(f"{name}: {'; '.join(parts)}")
    for side, of_side in figures.items():
        knee = of_side.get("knee_axis")
        if knee is not None:
            way = "inward" if knee["axis_turned_deg"] > 0 else "outward"
            turned = f"{abs(knee['axis_turned_deg']):.0f}° ± {knee['axis_turned_error_deg']:.0f}°"
            lines.append(f"{side} knee: the thigh's axes seem turned {way} by {turned}")
    return lines


def in_one_line(content: Mapping[str, Any]) -> str:
    """The same in a line: for many files."""
    p, chosen, verdict = content["points"], content["chosen"]["model"], content["verdict"]
    body = [m for m in p["markers"] if m["kind"] == MARKER]
    with_gaps = sum(bool(m["missing_frames"]) for m in body)
    known = sum(bool(c["plates"]) for c in content["contacts"])
    used = sum(plate["used"] for plate in content["plates"])
    words = [
        f"{p['duration_s']:.2f} s at {p['rate_hz']:g} Hz",
        counted(len(body), "marker") + (f", {with_gaps} with gaps" if with_gaps else ""),
        f"{counted(used, 'plate')}, {counted(known, 'known load')}" if content["plates"] else "no plate",
        f"model {chosen}" if chosen else "no bundled model fits",
    ]
    if verdict is not None:
        words.append(level_words(verdict))
    return in_print(f"{content['file']}: {'; '.join(words)}") + "\n"
