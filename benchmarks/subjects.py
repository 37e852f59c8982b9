"""What is said of mistakes of the subject, of a static and of where a marker lies throughout a trial.

    python benchmarks/subjects.py [--trials PATTERN] [--mistakes PATTERN] [--bands] [--out FILE]
    python benchmarks/subjects.py --clean [--trials PATTERN]

Every mistake is done to every recorded trial in memory. It is *named* where the refusal or a new note names the
measurement, the static or the marker (or the knee's axis); *inside* where all angles that are off by more than 2° and
moments that are off by more than 0.1 N·m/kg lie inside their 95 % band in 95 % of the frames (`--bands`; else only
those that are not off at all); *silent* are the others. `--clean` lists what is said of the trials as they are.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from attack_markers import measured_sides_exchanged, measured_times, with_marker
from attack_trials import Case, Spoilt, replace_fields
from clean_trials import clean_trials
from common import parser_of
from mistakes import WRONG, curves_of, new_notes, usable

from gaitid.analysis.pipeline import Pipeline
from gaitid.analysis.result import Result
from gaitid.errors import GaitidError
from gaitid.notes import Note
from gaitid.trial import Array
from gaitid.uncertainty.estimate import COVERAGE_FACTOR, estimate
from gaitid.uncertainty.sources import read_sources

#: What the page tells of one person: measurements, lengths, static.
CODES = (
    "calibration_doubtful",
    "calibration_impossible",
    "knee_axis_turned",
    "measurement_ignored",
    "other_person",
    "static_differs",
    "uncalibrated",
)
#: deg. Angles off by more are wrong.
WRONG_DEG = 2.0
SIDES = ("left", "right")
Make = Callable[[Case, np.random.Generator], Iterator[Spoilt]]

# --- measurements -----------------------------------------------------------------------------------------------


def with_values(case: Case, words: str, values: dict[str, float]) -> Iterator[Spoilt]:
    """Measurements, SI, in place of those that trial or subject file give."""
    file, parameters = dict(case.subject.values), dict(case.trial.parameters)
    for name, value in values.items():
        side, _, bare = name.rpartition(".")
        m = case.result.model.subject[bare]
        keys = [key.replace("{S}", side[:1].upper()) for key in m.c3d]
        stored = [key for key in keys if parameters.get(key)]
        if name in file or not stored:
            file[name] = value
        parameters |= {key: parameters[key] * value / case.result.subject.numbers[name] for key in stored}
    yield Spoilt(words, replace_fields(case.trial, parameters=parameters), subject=replace(case.subject, values=file))


def exchanged(a: str, b: str, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Two measurements typed in each other's place."""
    values = case.result.subject.numbers
    if {a, b} <= values.keys():
        yield from with_values(case, f"{a} and {b}", {a: values[b], b: values[a]})


def both_times(factor: float, bare: str, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """A measurement of both sides multiplied."""
    numbers = case.result.subject.numbers
    values = {name: factor * numbers[name] for side in SIDES if (name := f"{side}.{bare}") in numbers}
    if values:
        yield from with_values(case, bare, values)


def of_another(others: dict[str, dict[str, float]], case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """The measurements of each other person."""
    own = case.result.subject.numbers
    if "left.leg_length" not in own or not case.result.model.subject["leg_length"].c3d:
        return
    for name, numbers in others.items():
        if abs(np.log(numbers["left.leg_length"] / own["left.leg_length"])) > 0.04:  # else it is nearly the same
            yield from with_values(case, name, {k: v for k, v in numbers.items() if k in own})


# --- statics ----------------------------------------------------------------------------------------------------


def static_times(factor: float, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """The static in another unit."""
    if case.calibration is not None and case.calibration.scaled is None:
        static = replace_fields(case.calibration, points_g=case.calibration.points_g * factor)
        yield Spoilt("", case.trial, static, base="with the static")


def others_static(others: dict[str, Any], case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """Another person's static, whose labels are the same."""
    if case.calibration is None:
        return
    for name, static in others.items():
        if static.path != case.calibration.path and set(case.side_of) <= set(static.labels):
            yield Spoilt(name, case.trial, static, base="with the static")


# --- markers ----------------------------------------------------------------------------------------------------


def throughout(role: str, mm: float, base: str, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """A marker off in the axes of the thigh in all frames, each way, on one of both sides."""
    model, result = case.result.model, case.base(base)
    for i, (axis, sign) in enumerate((axis, sign) for axis in range(3) for sign in (1, -1)):
        side = SIDES[(i + i // 2) % 2]
        roles = [r for s, r in model.roles if s == side and re.fullmatch(role, r)]
        labels = [label for r in roles for label in model.labels(r, side) if label in case.side_of]
        if not labels or (side, "thigh") not in result.body.segments:
            return
        R = result.body.segments[side, "thigh"].pose.R_gs[..., axis]
        way = np.where(np.isfinite(R), R, np.nanmean(R, axis=0))
        words = f"{labels[0]} {sign * mm:+.0f} mm {('forward', 'left', 'up')[axis]}"
        moved = with_marker(case.trial, labels[0], case.trial.marker(labels[0]) + sign * mm * 1e-3 * way)
        yield Spoilt(words, moved, base=base)


KNEE, THIGH = "knee|knee_marker|knee_lateral|knee_tracked", "thigh.*"


def mistakes(others: dict[str, dict[str, float]], statics: dict[str, Any]) -> dict[str, tuple[Make, str]]:
    """Each with the words that name it (a pattern)."""
    one = {bare: [f"{side}.{bare}" for side in SIDES[:1]] for bare in ("leg_length", "knee_width", "ankle_width")}
    found: dict[str, tuple[Make, str]] = {}
    for factor, words in ((2.2046, "in lb"), (1 / 2.2046, "taken for lb")):
        found[f"mass {words}"] = partial(measured_times, factor, ["mass"]), "mass"
    for factor in (0.3937, 0.8, 1.25):
        found[f"height × {factor:g}"] = partial(measured_times, factor, ["height"]), "height"
    for factor in (0.1, 1 / 25.4, 1 / 2.54, 0.9, 1.1):
        found[f"left leg × {factor:.2g}"] = partial(measured_times, factor, one["leg_length"]), "leg.length"
    for factor in (0.85, 1.15):
        found[f"both legs × {factor:g}"] = partial(both_times, factor, "leg_length"), "leg.length"
    for bare in ("knee_width", "ankle_width"):
        for factor in (0.1, 0.5, 1.5, 2.0):
            found[f"left {bare} × {factor:g}"] = partial(measured_times, factor, one[bare]), f"{bare[:5]}.?width"
        for factor in (0.5, 1.5):
            found[f"both {bare}s × {factor:g}"] = partial(both_times, factor, bare), f"{bare[:5]}.?width"
    for factor in (0.1, 0.75, 1.25):
        name = "inter_asis_distance"
        found[f"inter-ASIS × {factor:g}"] = partial(measured_times, factor, [name]), "inter.asis|ASIS markers"
    found["knee and ankle width exchanged"] = partial(exchanged, "left.knee_width", "left.ankle_width"), "width"
    found["left and right exchanged"] = measured_sides_exchanged, "exchanged"
    found["another person's measurements"] = partial(of_another, others), "person|leg.length|height|ASIS|mass|width"
    for factor in (1000.0, 0.1, 1 / 25.4):
        found[f"static × {factor:.2g}"] = partial(static_times, factor), "unit|static"
    found["another person's static"] = partial(others_static, statics), "static"
    for base in ("as it is", "with the static"):
        for role, mm, words in ((KNEE, 10.0, "knee"), (THIGH, 20.0, "thigh")):
            make = partial(throughout, role, mm, base)
            found[f"{words} marker {mm:g} mm, {base}"] = make, "axes are turned|lies|LABEL|thigh|knee|persons"
    return found


# --- outcome ----------------------------------------------------------------------------------------------------


def told(notes: list[Note]) -> list[str]:
    return [f"{note.code}: {note.text}" for note in notes]


def outcome(case: Case, name: str, wanted: str, spoilt: Spoilt, bands: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"mistake": name, "trial": case.name, "words": spoilt.words, "said": []}
    clean, static = case.base(spoilt.base), spoilt.static
    if static is None:
        static = case.calibration if spoilt.base == "with the static" else case.static
    pattern = re.compile(wanted.replace("LABEL", re.escape(spoilt.words.split()[0] if spoilt.words else "-")), re.I)
    try:
        pipeline = Pipeline(
            trial=spoilt.trial, model=case.model, subject_file=spoilt.subject or case.subject, static=static
        )
        result = pipeline.make_all().result
    except GaitidError as error:
        return row | {"what": "named" if pattern.search(error.line()) else "refused", "said": [error.line()]}
    notes = [n for n in new_notes(clean.notes, result.notes) if n.severity in ("error", "doubt") or n.code in CODES]
    known = {n.text for n in clean.notes}
    notes += [n for n in result.notes if n.code == "knee_axis_turned" and n.text not in known]
    row["said"] = told(notes)
    if any(pattern.search(f"{n.text} {n.cure}") for n in notes):
        return row | {"what": "named"}
    needs = band_needed(clean, result, bands)
    return row | {"needs": needs, "what": "inside" if needs <= 1 else "noticed" if notes else "silent"}


def band_needed(clean: Result, spoilt: Result, bands: bool) -> float:
    """By how much the 95 % bands of the spoilt trial would have to grow to hold 95 % of what is wrong."""
    off, kinds = {}, (("angles", WRONG_DEG, "deg"), ("moments", WRONG, "moment_Nm_per_kg"))
    for kind, limit, unit in kinds:
        after = curves_of(spoilt, kind)
        for (side, joint, column), values in curves_of(clean, kind).items():
            by = np.abs(after[side, joint, column] - values)
            by = np.minimum(by, 360 - by) if kind == "angles" else by
            if np.nanmax(by, initial=0.0) > limit:
                off[f"{side}_{joint}_{column}_{unit}"] = by, by > limit
    if not off:
        return 0.0
    if not bands:
        return np.inf
    found = estimate(spoilt, read_sources("default"), features=False)
    place = {name: i for i, name in enumerate(found.names)}
    times: list[Array] = [
        np.nan_to_num(by[wrong] / (COVERAGE_FACTOR * found.standard[wrong, place[name]]), nan=np.inf)
        for name, (by, wrong) in off.items()
        if name in place
    ]
    return float(np.quantile(np.concatenate(times), 0.95, method="lower")) if times else np.inf


def clean_of(case: Case) -> list[str]:
    bases = ["as it is", *(["with the static"] if case.spare_static is not None else [])]
    return [
        f"{base}: {text}"
        for base in bases
        if usable(case, Spoilt("", case.trial, base=base))
        for text in told([n for n in case.base(base).notes if n.code in CODES])
    ]


def people_of(cases: dict[str, Case]) -> dict[str, dict[str, float]]:
    """What trials store of their subjects' sizes and masses, each person once."""
    people: dict[str, dict[str, float]] = {}
    for name, case in cases.items():
        measured = case.result.subject.measured
        stored = {k: m.value for k, m in measured.items() if "stored" in m.source and m.unit in ("m", "kg")}
        leg = stored.get("left.leg_length")
        if leg is not None and leg not in [person["left.leg_length"] for person in people.values()]:
            people[name] = stored
    return people


def main() -> None:
    parser = parser_of(__doc__)
    for option in ("--trials", "--mistakes", "--out"):
        parser.add_argument(option, default="")
    for option in ("--bands", "--clean"):
        parser.add_argument(option, action="store_true")
    options = parser.parse_args()
    cases = dict[str, Case]()
    for name, make in clean_trials(0, ""):
        try:
            cases[name] = make()
            cases[name].result  # noqa: B018
        except GaitidError as error:
            print(f"{name}: {error.line()}", file=sys.stderr)
            cases.pop(name, None)
    people = people_of(cases)
    statics = {name: case.calibration for name, case in cases.items() if case.calibration is not None}
    rows = []
    for name, case in cases.items():
        if options.clean and re.search(options.trials, name):
            print(name, *clean_of(case), sep="\n    ")
        elif re.search(options.trials, name):
            for mistake, (make, wanted) in mistakes(people, statics).items():
                if re.search(options.mistakes, mistake):
                    made = (spoilt for spoilt in make(case, np.random.default_rng(7)) if usable(case, spoilt))
                    rows += [outcome(case, mistake, wanted, spoilt, options.bands) for spoilt in made]
    if options.out:
        Path(options.out).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    kinds = ("named", "refused", "noticed", "inside", "silent")
    for mistake in dict.fromkeys(row["mistake"] for row in rows):
        of = [row["what"] for row in rows if row["mistake"] == mistake]
        print(f"{mistake:45}", len(of), *(f"{kind} {of.count(kind)}" for kind in kinds))


if __name__ == "__main__":
    main()
