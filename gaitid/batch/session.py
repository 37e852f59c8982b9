"""Trials of one session, and of one laboratory's day, together: what only all of them show.

A marker that lies 10 mm off throughout a trial changes the length of a segment between joint centres by some
millimetres, or the axis of the knee by degrees: one trial cannot tell that from the person, but trials of one session,
with the same markers, agree to a millimetre and two degrees.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from gaitid.batch.job import DONE, Outcome
from gaitid.batch.results_folder import read_bytes
from gaitid.batch.types import Planned
from gaitid.body.quality import NAMED as TOGETHER
from gaitid.body.quality import TURNED, combined
from gaitid.errors import counted
from gaitid.faults.laboratory import Day, Share, added
from gaitid.faults.laboratory_file import laboratory_text, read_laboratory, share_in, words_of
from gaitid.inputs import LABORATORY
from gaitid.model.specs import TRIAL_SOURCE
from gaitid.notes import phrase
from gaitid.records import NamedTuple
from gaitid.results.record_checks import mapping_at, mappings_at, number_at
from gaitid.trial import Array

# deg, mm, and share of what a length does within a trial: standard deviations between trials of a session (14 legs of 7
# walks and turns of 3 persons in 2 laboratories: 1.0° to 1.7°; 0.1 to 0.6 mm, which turns make 0.5 to 0.6).
AXIS_DEG, LENGTH_MM, OF_VARIATION = 2.0, 0.6, 0.1
# Standard errors from which on a trial is named: one leg in some thousand sessions.
NAMED = 4.0
#: What is compared of a leg, by its name in the words.
_LENGTHS = ("thigh", "shank")


class Leg(NamedTuple):
    """What a trial shows of one leg: the turn of the knee's axis, deg, and the lengths of thigh and shank, mm.

    NaN where unknown.
    """

    trial: str
    values: Array
    errors: Array
    knee_axis: Mapping[str, Any] = MappingProxyType({})


def session_lines(planned: Sequence[Planned], outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    """A line for each leg that a trial shows otherwise than the other trials of its subject, session and condition, and
    for each that all of them show with a thigh whose axes are turned.
    """
    groups: dict[tuple[str, ...], list[Leg]] = {}
    for trial in planned:
        record = _record(trial, outcomes.get(str(trial.trial)))
        calibration = mapping_at(record, "quality", "calibration")
        of = trial.subject, trial.session, trial.condition, _calibrated_by(record)
        for side, content in calibration.items():
            if mapping_at(content, "knee_axis"):
                groups.setdefault((*of, side), []).append(_leg(trial.trial.stem, content))
    for (subject, session, *_, side), legs in groups.items():
        of_session = " ".join(filter(None, (subject, session))) or "all"
        axis = combined(leg.knee_axis for leg in legs) if len(legs) > 1 else None
        if axis is not None and abs(axis[0]) > TOGETHER * axis[1]:
            deg, error = axis
            yield phrase(
                "session/axis", of=of_session, n=len(legs), side=side, deg=abs(deg), error=error, inward=deg > 0
            )
        for odd, rest, off, errors in differing(legs):
            telling = np.abs(off) > NAMED * errors
            turned, *mm = np.where(telling, off, 0.0).tolist()
            lengths = [
                phrase("session/length", segment=name, mm=abs(by), longer=by > 0)
                for name, by in zip(_LENGTHS, mm, strict=True)
                if by
            ]
            yield phrase(
                "session/differs",
                of=of_session,
                trial=odd.trial,
                side=side,
                others=[leg.trial for leg in rest],
                axis=abs(turned),
                inward=turned > 0,
                lengths=lengths,
            )


def differing(legs: Sequence[Leg]) -> Iterator[tuple[Leg, Sequence[Leg], Array, Array]]:
    """Trials whose leg differs from that of all others, the most different first; by how much, and standard errors."""
    legs = list(legs)
    while len(legs) > 1:
        compared = []
        for odd in legs:
            rest = [leg for leg in legs if leg is not odd]
            values, errors = np.array([leg.values for leg in rest]), np.array([leg.errors for leg in rest])
            off = odd.values - values.mean(axis=0)
            # by what varies in the others: a marker that lies elsewhere makes the lengths of its own trial vary more
            error = np.sqrt((errors**2).mean(axis=0) * (1 + 1 / len(rest)))
            compared.append((float(np.max(np.nan_to_num(np.abs(off) / error))), (odd, rest, off, error)))
        most, found = max(compared, key=lambda one: one[0])
        if most < NAMED:
            return
        yield found
        legs.remove(found[0])


def _leg(trial: str, content: Mapping[str, Any]) -> Leg:
    axis, repeats = (number_at(content, "knee_axis", name) for name in (TURNED, "axis_turned_repeats_deg"))
    means = [number_at(content, segment, "length", "mean_mm") for segment in _LENGTHS]
    varies = [number_at(content, segment, "length", "sd_mm") for segment in _LENGTHS]
    values = np.array([axis, *means], dtype=float)
    errors = np.hypot(
        [AXIS_DEG, LENGTH_MM, LENGTH_MM], [repeats or 0.0, *(OF_VARIATION * (sd or 0.0) for sd in varies)]
    )
    return Leg(trial, values, errors, mapping_at(content, "knee_axis"))


def _calibrated_by(record: Mapping[str, Any]) -> str:
    """What all trials of one person and session share: the model, the static and the measurements."""
    static = [entry.get("sha256") for entry in mappings_at(record, "inputs") if entry.get("role") == "static"]
    subject = mapping_at(record, "subject")
    given = {name: of for name, of in subject.items() if isinstance(of, Mapping) and of.get("source") != TRIAL_SOURCE}
    measured = {name: of.get("value") for name, of in given.items() if of.get("unit") == "m"}
    return json.dumps([mapping_at(record, "model").get("name"), static, measured], sort_keys=True)


def _record(trial: Planned, outcome: Outcome | None) -> Mapping[str, Any]:
    """A trial's record; empty where it has none."""
    record = f"{trial.trial.stem}.run.json"
    if outcome is None or outcome.status != DONE or record not in outcome.outputs:
        return {}
    content = json.loads(read_bytes(trial.folder / record) or "{}")
    return content if isinstance(content, dict) else {}


# What one day of one laboratory has: its name, the subject and the share of each trial, the file that they were given.
_Group = tuple[str, list[tuple[str, Share]], Path | None]


def laboratory_of(
    planned: Sequence[Planned], outcomes: Mapping[str, Outcome], given: Mapping[str, Path | None]
) -> tuple[dict[str, str], list[str]]:
    """The file by its name, none where no trial tells of its laboratory; and a line for each thing that it shows.

    Parameters
    ----------
    planned : sequence of Planned
    outcomes : mapping of str to Outcome
        By the trial's path.
    given : mapping of str to Path or None
        By the trial's path what was known of the laboratory.
    """
    days, lines = list[Day](), list[str]()
    for name, shares, file in _groups(planned, outcomes, given):
        known = () if file is None else read_laboratory(file)
        before = next((day for day in reversed(known) if day.same_plates(shares[0][1].corners)), None)
        day = added(name, shares, before)
        day = replace(day, shows=tuple(words_of(day, before)))
        of = f"{counted(day.trials, 'trial')} of {counted(day.subjects, 'subject')}"
        lines += [f"{name}, {of} together: {words}; see {LABORATORY}" for words in day.shows]
        days.append(day)
    return ({LABORATORY: laboratory_text(days)} if days else {}), lines


def _groups(
    planned: Sequence[Planned], outcomes: Mapping[str, Outcome], given: Mapping[str, Path | None]
) -> Iterator[_Group]:
    """Trials of one day whose plates are the same; the day is the session, where sessions are known."""
    groups: list[_Group] = []
    for trial in planned:
        name = str(trial.trial)
        share = _share(trial, outcomes.get(name))
        if share is None:
            continue
        day = trial.session or trial.root.name or "all"
        same = (of for of in groups if of[0] == day and Day(day, of[1][0][1].corners, {}).same_plates(share.corners))
        group = next(same, None)
        if group is None:
            groups.append(group := (day, [], given.get(name)))
        group[1].append((trial.subject, share))
    yield from groups


def _share(trial: Planned, outcome: Outcome | None) -> Share | None:
    """What a trial's record says of its laboratory."""
    record = f"{trial.trial.stem}.run.json"
    if outcome is None or outcome.status != DONE or record not in outcome.outputs:
        return None
    content = json.loads(read_bytes(trial.folder / record) or "{}").get("laboratory", {})
    return share_in(content) if "score" in content else None
