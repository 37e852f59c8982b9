"""A laboratory's own norms: walks of its subjects -> mean and standard deviation between subjects.

Each subject counts once: the mean of all whole cycles of both sides and all trials. The standard deviation is that of
subjects' means (n - 1).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.errors import GaitidError, counted, first_few
from gaitid.norms.collect import SIDES, Walk, load_walk
from gaitid.norms.fit import VARIABLES, gait_profile
from gaitid.norms.sets import Array, Band, Definitions, Figure, Group, Norms, NormSet
from gaitid.records import frozen_dataclass
from gaitid.results.result import find_records

#: Of results: those that norms are made of where nothing else is asked for.
VERDICTS = ("good", "usable")
_PERCENT = np.linspace(0.0, 100.0, 101)
_SPIKED = ("hip_", "knee_")
# How a walk goes that goes not straight on over level ground (`fit.way_words`) -> as a count of them says it.
_OTHER_WAYS = {
    "the walk turns": "turning",
    "the walk goes up": "going up",
    "the walk goes down": "going down",
    "the subject walks backward": "backward",
}
# How the name of a figure ends -> its unit.
_UNITS = (("_m_per_s", "m/s"), ("_steps_per_min", "steps/min"), ("_percent", "%"), ("_m", "m"), ("_s", "s"))


@frozen_dataclass()
class About:
    """What cannot be read from results: the words of a set, which results are taken, and speeds (m/s) between which
    trials are a group each."""

    name: str
    title: str
    population: str
    ages_years: tuple[float, float] | None = None
    verdicts: tuple[str, ...] = VERDICTS
    with_turns: bool = False
    speed_edges: tuple[float, ...] = ()


@frozen_dataclass()
class _Person:
    """A subject's own means."""

    curves: Mapping[str, Array]
    figures: Mapping[str, float]
    features: Mapping[str, float]
    nine: Mapping[str, Mapping[str, Array]]


def build_norms(
    paths: Sequence[Path], about: About, progress: Callable[[int, int], None] = lambda done, of: None
) -> tuple[NormSet, tuple[str, ...]]:
    """Norms from results, and what is to be said of them.

    Parameters
    ----------
    paths : sequence of Path
        Records, or folders of them.
    about : About
    progress : callable
        Called with the number of results read, and of all.

    Raises
    ------
    GaitidError
        No result is left, or they are of different models.
    """
    files = find_records(paths)
    walks = []
    for number, file in enumerate(files, start=1):
        walks.append(load_walk(file))
        progress(number, len(files))
    kept, lines = _kept(walks, about)
    definitions = _one_definition(kept)
    groups = []
    for name, label, inside in _by_speed(kept, about.speed_edges, lines):
        group, cycles = _group(name, label, inside)
        which = f"{label}: " if about.speed_edges else ""
        sizes = f"{counted(group.n, 'subject')}, {counted(len(inside), 'trial')}, {counted(cycles, 'cycle')}"
        lines.append(f"{which}{sizes}")
        if group.n < 2:
            lines.append(f"{which}one subject only: no standard deviations; a band needs at least two")
        groups.append(group)
    if not groups:
        raise GaitidError("no trial has a walking speed", expected="whole strides", todo="leave out --speeds")
    norms = NormSet(
        name=about.name,
        title=about.title,
        source="built by gaitid norms build",
        licence="the laboratory's own",
        population=about.population,
        force_filter=_one_filter(walk.force_filter for walk in kept),
        ages_years=about.ages_years,
        usual=groups[len(groups) // 2].name,
        definitions=definitions,
        groups=tuple(groups),
        marker_filter=_one_filter(walk.marker_filter for walk in kept),
    )
    return norms, tuple(lines)


def _by_speed(
    walks: Sequence[Walk], edges: Sequence[float], lines: list[str]
) -> Iterator[tuple[str, str, Sequence[Walk]]]:
    """Name, label and trials of each group: by the mean speed of a trial's strides, slow to fast."""
    if not edges:
        yield "all", "all speeds", walks
        return
    bounds = (0.0, *edges, math.inf)
    speeds = [[v for of in walk.figures.values() for v in of.get("speed_m_per_s", ())] for walk in walks]
    if unknown := speeds.count([]):
        lines.append(f"{counted(unknown, 'trial')} without a speed: in no group")
    for low, high in zip(bounds, bounds[1:]):
        label = f"from {low:g} m/s" if high == math.inf else f"{low:g} to {high:g} m/s"
        inside = [w for w, of in zip(walks, speeds, strict=True) if of and low <= float(np.mean(of)) < high]
        if inside:
            yield f"from_{low:g}".replace(".", "_"), label, inside


def _group(name: str, label: str, kept: Sequence[Walk]) -> tuple[Group, int]:
    """The subjects of some trials, each once, and how many cycles these have."""
    of_subjects: dict[str, list[Walk]] = {}
    for walk in sorted(kept, key=lambda walk: walk.subject):
        of_subjects.setdefault(walk.subject, []).append(walk)
    people = [_person(members) for members in of_subjects.values()]
    cycles = sum(len(next(iter(curves.values()))) for walk in kept for curves in walk.curves.values())
    units = {name: unit for walk in kept for name, unit in walk.units.items()}
    group = Group(
        name=name,
        label=label,
        n=len(people),
        speeds=_speeds(people),
        bands=_bands(people, max(walk.spike_until_percent for walk in kept)),
        spatiotemporal=_figures(
            [p.figures for p in people], lambda name: next((u for end, u in _UNITS if name.endswith(end)), "")
        ),
        features={**_figures([p.features for p in people], lambda name: units[name]), **_scores(people)},
    )
    speeds = [speed for walk in kept for given in walk.figures.values() for speed in given.get("speed_m_per_s", ())]
    if speeds:
        group = replace(group, speed_range_m_per_s=(min(speeds), max(speeds)))
    return group, cycles


def _one_filter(filters: Iterable[str]) -> str:
    different = sorted({*filters})
    return different[0] if len(different) == 1 else f"mixed: {', '.join(different)}"


def _kept(walks: Sequence[Walk], about: About) -> tuple[list[Walk], list[str]]:
    """Walks and their sides of a verdict that is taken, each trial once, and how many were left out."""
    verdicts = about.verdicts
    lines: list[str] = []
    left_out, seen, kept = [], set(), []
    why: Counter[str] = Counter()
    for walk in walks:
        sides = [side for side in walk.curves if walk.verdict.get(side, verdicts[0]) in verdicts]
        verdict = walk.verdict.get("trial", "no verdict")
        if verdict not in verdicts or not sides:
            why[f"no cycle of a side that is {' or '.join(verdicts)}" if verdict in verdicts else verdict] += 1
            left_out.append(walk)
        elif walk.way and not about.with_turns:
            why[_OTHER_WAYS[walk.way.split(" by ")[0]]] += 1
            left_out.append(walk)
        elif walk.sha256 and walk.sha256 in seen:
            lines.append(f"{walk.path}: the same trial as another result: left out")
        else:
            seen.add(walk.sha256)
            given: dict[str, Any] = {
                key: {side: getattr(walk, key)[side] for side in sides if side in getattr(walk, key)}
                for key in ("curves", "figures", "features")
            }
            kept.append(replace(walk, **given))
    if left_out:
        words = ", ".join(f"{n} {reason}" for reason, n in sorted(why.items()))
        names = first_few([str(walk.path) for walk in left_out], 3)
        lines.append(f"{counted(len(left_out), 'result')} left out ({words}): {names}")
    if not kept:
        expected = f"at least one with the verdict {' or '.join(map(repr, verdicts))} and a whole cycle"
        raise GaitidError("no result is left", expected=expected, found="; ".join(lines) or "none")
    return kept, lines


def _one_definition(walks: Sequence[Walk]) -> Definitions:
    """That of all; refused where they differ."""
    members: dict[str, list[Walk]] = {}
    for walk in walks:
        members.setdefault(repr(walk.definitions), []).append(walk)
    if len(members) == 1:
        return walks[0].definitions
    groups = sorted(members.values(), key=len, reverse=True)
    names = [f"{', '.join(group[0].definitions.models[:1])} ({len(group)}: {group[0].path} ...)" for group in groups]
    differ = [
        key
        for key in ("models", "angles", "moments", "axes")
        if len({repr(getattr(group[0].definitions, key)) for group in groups}) > 1
    ]
    raise GaitidError(
        "results of different models or conventions",
        expected="all of one model, with the same angles, moments and axes",
        found=f"{'; '.join(names[:3])}: they differ in {', '.join(differ)}",
        todo="build from one of them at a time",
    )


def _person(walks: Sequence[Walk]) -> _Person:
    """The means over all cycles of one subject, of each quantity those that are whole."""
    columns = dict.fromkeys(column for walk in walks for curves in walk.curves.values() for column in curves)
    curves: dict[str, Array] = {}
    for column in columns:
        cycles = np.concatenate([c[column] for walk in walks for c in walk.curves.values() if column in c])
        whole = cycles[np.isfinite(cycles).all(axis=1)]
        if len(whole):
            curves[column] = whole.mean(axis=0)
    figures = _means(given for walk in walks for given in walk.figures.values())
    features = _means(given for walk in walks for given in walk.features.values())
    return _Person(curves, figures, features, {side: _nine(walks, side) for side in SIDES})


def _means(group: Iterable[Mapping[str, Sequence[float]]]) -> dict[str, float]:
    """Of each name, over all values."""
    values: dict[str, list[float]] = {}
    for given in group:
        for name, cycles in given.items():
            values.setdefault(name, []).extend(cycles)
    return {name: float(np.mean(cycles)) for name, cycles in values.items()}


def _nine(walks: Sequence[Walk], side: str) -> dict[str, Array]:
    """(cycles, 101) of the variables of the Gait Profile Score; empty where a trial lacks one."""
    given = [walk.curves[side] for walk in walks if side in walk.curves]
    if not given or any(variable not in curves for curves in given for variable in VARIABLES):
        return {}
    return {variable: np.concatenate([curves[variable] for curves in given]) for variable in VARIABLES}


def _spread(values: Array) -> Array:
    """Standard deviation over the first axis; NaN of less than two."""
    return values.std(axis=0, ddof=1) if len(values) > 1 else np.full(values.shape[1:], np.nan)


def _bands(people: Sequence[_Person], spike: float) -> dict[str, Band]:
    bands = {}
    for column in dict.fromkeys(column for person in people for column in person.curves):
        values = np.stack([person.curves[column] for person in people if column in person.curves])
        spiked = column.startswith(_SPIKED) and not column.endswith("_deg")
        bands[column] = Band(_PERCENT, values.mean(axis=0), _spread(values), len(values), spike if spiked else 0.0)
    return bands


def _figure(values: Iterable[float], unit: str) -> Figure:
    numbers = np.array(list(values), dtype=np.float64)
    return Figure(float(numbers.mean()), float(_spread(numbers)), unit, len(numbers))


def _figures(people: Sequence[Mapping[str, float]], unit: Callable[[str], str]) -> dict[str, Figure]:
    names = dict.fromkeys(name for person in people for name in person if name != "dimensionless_speed")
    return {name: _figure([person[name] for person in people if name in person], unit(name)) for name in names}


def _speeds(people: Sequence[_Person]) -> dict[str, Figure]:
    results = {}
    for unit, name in (("m/s", "speed_m_per_s"), ("dimensionless", "dimensionless_speed")):
        values = [person.figures[name] for person in people if name in person.figures]
        if values and len(values) == len(people):
            results[unit] = _figure(values, unit)
    return results


def _scores(people: Sequence[_Person]) -> dict[str, Figure]:
    """Profile scores of each subject against the mean of all others, so that none is a part of its own norm."""
    whole = [person for person in people if any(person.nine.values())]
    whole = [person for person in whole if all(variable in person.curves for variable in VARIABLES)]
    if len(whole) < 3:
        return {}
    scores: dict[str, list[float]] = {}
    for person in whole:
        others = [other for other in whole if other is not person]
        means = {v: np.mean([other.curves[v] for other in others], axis=0) for v in VARIABLES}
        bands = {variable: Band(_PERCENT, mean, np.full(len(_PERCENT), np.nan), 0) for variable, mean in means.items()}
        of_others = Norms("others", "", "", "", "", 0, "", False, "", bands)
        profile = gait_profile(person.nine["left"], person.nine["right"], of_others)
        if profile is None:
            continue
        scores.setdefault("gait_profile_score", []).append(profile.overall)
        sides = [score for score in (profile.left, profile.right) if math.isfinite(score)]
        scores.setdefault("gait_profile_score_side", []).append(float(np.mean(sides)))
        for variable in VARIABLES:
            each = [by_variable[variable] for by_variable in profile.scores.values()]
            name = f"gait_variable_score_{variable.removesuffix('_deg')}"
            scores.setdefault(name, []).append(float(np.mean(each)))
    known = {name: [value for value in values if math.isfinite(value)] for name, values in scores.items()}
    return {name: _figure(values, "deg") for name, values in known.items() if values}
