"""The trials of a laboratory's day together: ``laboratory.yaml``, and what only their sum shows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gaitid.batch.job import DONE, Outcome
from gaitid.batch.results_folder import read_bytes
from gaitid.batch.types import Planned
from gaitid.errors import counted
from gaitid.faults.laboratory import Day, Share, added
from gaitid.faults.laboratory_file import laboratory_text, read_laboratory, share_in, words_of
from gaitid.inputs import LABORATORY

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
