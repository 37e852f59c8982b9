"""Limits of markers that turn together (`gaitid.markers.group_shifts.TURNS`), each laboratory left out in turn.

    python benchmarks/turned.py [--write]

Clean are the markers of the trials that `attacks.py` spoils, as they are and changed without harm: at other rates, with
noise, smoothed, with a frame lost. Spoilt are their feet, shanks and thighs, turned. `--write`: into docs/gaps.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from attack_markers import direction, of_segment  # noqa: E402
from attack_plates import about  # noqa: E402
from attack_trials import RECORDED, SIMULATED, Case, recorded_case, simulated_case  # noqa: E402
from scipy.interpolate import CubicSpline  # noqa: E402
from scipy.signal import butter, filtfilt  # noqa: E402

from gaitid.markers import group_shifts  # noqa: E402
from gaitid.markers.clean import model_markers  # noqa: E402
from gaitid.markers.group_shifts import TURNS, Turned, TurnLimits, find_group_shifts  # noqa: E402
from gaitid.markers.labels import check_labels  # noqa: E402
from gaitid.trial import Array  # noqa: E402

BEGIN, END = "    <!-- benchmarks/turned.py writes from here -->\n", "    <!-- to here, too -->\n"
Markers = Mapping[str, Array]
RATES_HZ = (50.0, 60.0, 75.0, 85.0, 100.0, 120.0, 150.0, 200.0, 250.0)
NOISE_MM, CUTOFFS_HZ, LOST = (0.1, 0.3, 1.0, 3.0), (6.0, 10.0, 20.0), 2
DEGREES, FRAMES, PLACES = (4.0, 8.0, 15.0), (1, 5, 0), 2
#: Looser than any limit.
LOOSE = TurnLimits(shows=0.5, of_two=0.5, leave=1.0, leave_of_two=1.0, rest=1.0, steps=3)
#: Words, field, which of `TURNS`, and whether it is of two markers (None: of both).
CHOSEN: tuple[tuple[str, str, int, bool | None], ...] = (
    ("show", "shows", 0, False),
    ("each of two", "of_two", 0, True),
    ("turn leaves", "rest", 0, None),
    ("close: show", "shows", 1, False),
    ("each of two", "of_two", 1, True),
    ("steps leave", "leave", 1, False),
    ("turn leaves", "rest", 1, None),
)


@dataclass(frozen=True)
class Found:
    """What is found in one trial: turns that the loosest limits take for some."""

    laboratory: str
    turns: Sequence[Turned]

    def told(self, limits: Sequence[TurnLimits]) -> bool:
        """Whether some are told."""
        return any(_within(turn, one, k) for turn in self.turns for k, one in enumerate(limits))


def _within(turn: Turned, limits: TurnLimits, k: int) -> bool:
    return turn.within(TURNS[0] if limits == TURNS[0] else limits) if k == 0 else turn.within(limits)


def _with(limits: TurnLimits, field: str, value: float) -> TurnLimits:
    return limits._replace(**{field: value})  # type: ignore[arg-type]


def turns_in(markers: Markers, rate_hz: float, who: Sequence[str] = (), behind: int = -1) -> list[Turned]:
    """Turns of a trial; of some markers and behind one frame only, if these are given."""
    seen: list[Turned] = []
    original, limits = group_shifts.turns_about, group_shifts.TURNS

    def kept(*given: Any) -> Iterator[Turned]:
        for turn in original(*given):
            seen.append(turn)
            yield turn

    group_shifts.turns_about, group_shifts.TURNS = kept, (TURNS[0], LOOSE)  # type: ignore[assignment]
    try:
        found = find_group_shifts(markers, rate_hz)
    finally:
        group_shifts.turns_about, group_shifts.TURNS = original, limits
    at = {last for one in found for last, _ in (*one.shifted.at, *one.shifted.stays)}
    labels = list(markers)
    return [
        turn
        for turn in seen
        if {step.last for step in turn.steps} <= at
        and (not who or (turn.steps[0].last == behind and {labels[i] for i in turn.who} <= {*who}))
    ]


def unharmed(markers: Markers, rate_hz: float, draw: np.random.Generator) -> Iterator[tuple[Markers, float]]:
    """The markers of a trial as they are and changed without harm, with their rate."""
    yield markers, rate_hz
    for every in (2, 3, 4, 5):
        for first in range(every if rate_hz / every >= group_shifts.FROM_HZ else 0):
            yield {label: points[first::every] for label, points in markers.items()}, rate_hz / every
    for mm in NOISE_MM:
        yield {x: points + 1e-3 * mm * draw.standard_normal(points.shape) for x, points in markers.items()}, rate_hz
    count = len(next(iter(markers.values())))
    for frame in draw.integers(10, count - 10, LOST):
        yield {label: np.delete(points, frame, axis=0) for label, points in markers.items()}, rate_hz
    whole = {label: points for label, points in markers.items() if np.isfinite(points).all()}
    for hz in CUTOFFS_HZ if len(whole) > group_shifts.FEWEST_TOGETHER else ():
        b, a = butter(2, hz / (rate_hz / 2))
        yield {label: filtfilt(b, a, points, axis=0) for label, points in whole.items()}, rate_hz
    times = np.arange(count) / rate_hz
    for hz in RATES_HZ if len(whole) > group_shifts.FEWEST_TOGETHER else ():
        at = np.arange(0, times[-1], 1 / hz)
        yield {label: CubicSpline(times, points)(at) for label, points in whole.items()}, hz


def spoilt(case: Case, markers: Markers, draw: np.random.Generator) -> Iterator[tuple[Markers, list[str], int]]:
    """Markers of which those of a segment are turned; which, and the frame behind which they are."""
    count = len(next(iter(markers.values())))
    for segment in ("foot", "shank", "thigh"):
        for side in case.result.sides:
            some = [label for label in of_segment(case, segment, side) if label in markers]
            for degrees in DEGREES if len(some) > 1 else ():
                for frames in FRAMES:
                    for frame in draw.integers(15, count - 25, PLACES):
                        at, R = slice(frame, frame + frames if frames else None), about(direction(draw), degrees)
                        middle = np.nanmean([markers[label] for label in some], axis=0)
                        turned = {**markers, **{label: markers[label].copy() for label in some}}
                        for label in some:
                            turned[label][at] = (middle + (markers[label] - middle) @ R.T)[at]
                        yield turned, some, int(frame) - 1


def measured() -> tuple[list[Found], list[Found]]:
    """What is found in clean and in spoilt trials."""
    draw, clean, turned = np.random.default_rng(7), list[Found](), list[Found]()
    for case in (*map(recorded_case, RECORDED), *map(simulated_case, SIMULATED)):
        of_model = model_markers(case.trial, case.result.model)
        markers = dict(check_labels(of_model, case.trial.rate_hz).markers)
        for changed, rate_hz in unharmed(markers, case.trial.rate_hz, draw):
            clean.append(Found(case.laboratory, turns_in(changed, rate_hz)))
        for changed, some, behind in spoilt(case, markers, draw):
            turned.append(Found(case.laboratory, turns_in(changed, case.trial.rate_hz, some, behind)))
    return clean, turned


def values(found: Sequence[Found], field: str, k: int, two: bool | None) -> list[float]:
    """Of turns that are within the other limits, and beyond the ones before: the value of a field, of each trial's
    nearest.
    """
    others = _with(TURNS[k], field, getattr(LOOSE, field))
    largest = field in ("shows", "of_two")
    nearest = []
    for one in found:
        some = [
            turn.shows if largest else getattr(turn, field)
            for turn in one.turns
            if two in (None, len(turn.who) == group_shifts.FEWEST_TOGETHER)
            and _within(turn, others, k)
            and not any(_within(turn, before, j) for j, before in enumerate(TURNS[:k]))
        ]
        nearest += [max(some) if largest else min(some)] if some else []
    return nearest


def chosen(clean: Sequence[Found], turned: Sequence[Found], field: str, k: int, two: bool | None) -> float:
    """Midway between the nearest clean trial and the quarter of spoilt ones nearest to it; NaN where none is near."""
    near, told, most = values(clean, field, k, two), values(turned, field, k, two), field in ("shows", "of_two")
    if not near or not told:
        return float("nan")
    return ((max(near) if most else min(near)) + float(np.quantile(told, 0.25 if most else 0.75))) / 2


def table(clean: Sequence[Found], turned: Sequence[Found]) -> list[str]:
    """For each laboratory the limits by the others, and what becomes of its own trials by them."""
    heads = ["left out", *(f"{words} ({getattr(TURNS[k], field):g})" for words, field, k, _ in CHOSEN)]
    lines = [f"| {' | '.join([*heads, 'false alarms', 'told', 'told as it is'])} |", "|---" * (len(heads) + 3) + "|"]
    for laboratory in dict.fromkeys(found.laboratory for found in clean):
        clean_of, turned_of = ([one for one in some if one.laboratory == laboratory] for some in (clean, turned))
        clean_others, turned_others = ([x for x in some if x.laboratory != laboratory] for some in (clean, turned))
        limits, cells = [*TURNS], [laboratory]
        for _, field, k, two in CHOSEN:
            limit = chosen(clean_others, turned_others, field, k, two)
            cells.append("–" if np.isnan(limit) else f"{limit:.2g}")
            limits[k] = limits[k] if np.isnan(limit) else _with(limits[k], field, limit)
        alarms = sum(one.told(limits) for one in clean_of)
        told, now = (sum(one.told(by) for one in turned_of) for by in (limits, TURNS))
        lines.append(
            f"| {' | '.join([*cells, f'{alarms} of {len(clean_of)}', f'{told} of {len(turned_of)}', str(now)])} |"
        )
    nearest = [values(clean, field, k, two) for _, field, k, two in CHOSEN]
    edges = [
        (max if field in ("shows", "of_two") else min)(near) if near else float("nan")
        for near, (_, field, _, _) in zip(nearest, CHOSEN, strict=True)
    ]
    cells = ["–" if np.isnan(edge) else f"{edge:.2g}" for edge in edges]
    as_is = sum(one.told(TURNS) for one in clean)
    lines.append(f"| *nearest clean one* | {' | '.join(cells)} | {as_is} of {len(clean)} as it is | | |")
    return lines


def main() -> None:
    """Print the tables; write them where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="into docs/gaps.md")
    options = parser.parse_args()
    lines = table(*measured())
    print("\n".join(lines))
    if options.write:
        page = ROOT / "docs" / "gaps.md"
        before, rest = page.read_text(encoding="utf-8").split(BEGIN)
        text = (
            before
            + BEGIN
            + "".join(f"    {line}".rstrip() + "\n" for line in ["", *lines, ""])
            + END
            + rest.split(END, 1)[1]
        )
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
