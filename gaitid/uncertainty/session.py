"""A static and what was measured of a subject, found again with errors: once for all walks of a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from gaitid.analysis.pipeline import pipeline_of
from gaitid.analysis.result import Result
from gaitid.body.calibration import calibrate
from gaitid.body.frames import Geometry, with_given
from gaitid.body.joints import Calibration, Place
from gaitid.body.resolve import COMPUTED, faultless
from gaitid.numerics.rotation import apply
from gaitid.trial import Array
from gaitid.uncertainty.shift import Shift

#: Of an error: what measurements follow by is straight for so little, and far above rounding.
_STEP = 1e-3
_T = TypeVar("_T")
_LAST: list[Session] = []


def session_of(result: Result, sides: Sequence[str]) -> Session | None:
    """That of a result's static, which the last result's may be; None without a static of its own."""
    before = pipeline_of(result)
    if before.subject_file.calibration.places or before.static_geometry is None:
        return None
    if not (_LAST and _LAST[0].is_of(result, sides)):
        _LAST[:] = [Session(result, before.static_geometry, sides)]
    return _LAST[0]


class Session:
    """What the walks with one static share.

    Parameters
    ----------
    result : Result
        Of any of them.
    static : Geometry
    sides : sequence of str
    """

    def __init__(self, result: Result, static: Geometry, sides: Sequence[str]) -> None:
        self.static, self.sides, self._found = static, tuple(sides), pipeline_of(result).found
        self._kept: dict[object, object] = {}

    def is_of(self, result: Result, sides: Sequence[str]) -> bool:
        """Whether another result has the same static, model and measurements."""
        before, mine = pipeline_of(result), self.static
        found, static = before.found, before.static_geometry
        return (
            static is not None
            and found.model is self._found.model
            and static.model is mine.model
            and self.sides == tuple(sides)
            and found.subject.measured == self._found.subject.measured
            and (static.n_frames, static.foot_flat) == (mine.n_frames, mine.foot_flat)
            and np.array_equal(static.up_g, mine.up_g)
            and static.tracks.keys() == mine.tracks.keys()
            and all(np.array_equal(of, mine.tracks[label], equal_nan=True) for label, of in static.tracks.items())
        )

    def calibration(self, shift: Shift, points: Mapping[Place, Array], keep: bool) -> Calibration:
        """What is carried over from the static with a shift, and with points of it moved in the axes of the base.

        It is kept for other walks where these ask for the same.
        """

        def make() -> Calibration:
            static, subject = self.static, self._found.subject
            numbers = {name: value + shift.numbers.get(name, 0.0) for name, value in subject.numbers.items()}
            markers = {label: track + shift.static.get(label, 0.0) for label, track in static.tracks.items()}
            geometry = Geometry(static.model, markers, numbers, static.n_frames, static.up_g, static.foot_flat)
            return calibrate(with_points_moved(geometry, points), self.sides, "static trial")

        return self._once(make, shift.static, shift.numbers, points) if keep else make()

    def changes(self, static: Mapping[str, Array], numbers: Mapping[str, float]) -> dict[str, float]:
        """By how much measurements change with markers of the static and with others, those included; SI.

        Parameters
        ----------
        static : mapping of label to (3,) array, m
            To the markers of the static.
        numbers : mapping of str to float
            To measurements that somebody made.
        """

        def make() -> dict[str, float]:
            after = self._measured(static, numbers, self._following | numbers.keys())
            moved = {n: (after[n] - value) / _STEP for n, value in self._as_measured.items() if n in after}
            return {name: change for name, change in moved.items() if np.isfinite(change) and change}

        return {**numbers, **self._once(make, static, numbers)} if static or numbers else {}

    def _once(self, make: Callable[[], _T], *asked: Mapping[Any, Any]) -> _T:
        """What is made of this, made before or now."""
        key = make.__qualname__, *(tuple((name, np.asarray(of).tobytes()) for name, of in one.items()) for one in asked)
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]  # type: ignore[return-value]

    @cached_property
    def _as_measured(self) -> dict[str, float]:
        return self._measured({}, {}, {*self._found.subject.measured})

    @cached_property
    def _following(self) -> set[str]:
        """The measurements that are computed from others, or change where every marker of the static lies elsewhere."""
        random, before = np.random.default_rng(0), self._as_measured
        static = {label: random.standard_normal(3) for label in self.static.tracks}
        moved, measured = self._measured(static, {}, {*before}), self._found.subject.measured
        return {
            name for name in before if measured[name].source.startswith(COMPUTED) or moved.get(name) != before[name]
        }

    def _measured(self, static: Mapping[str, Array], numbers: Mapping[str, float], names: set[str]) -> dict[str, float]:
        """What is measured with a part of these changes."""
        sources, known = self._found.sources, self._found.subject.numbers
        assert sources.static is not None
        markers = {label: track + _STEP * static.get(label, 0.0) for label, track in sources.static.markers.items()}
        values = {name: known[name] + _STEP * by for name, by in numbers.items() if name in known}
        file = replace(sources.file, values={**sources.file.values, **values})
        sources = replace(sources, file=file, static=replace(sources.static, markers=markers))
        again = faultless(self._found.model, names, sources) or {}
        return {name: measured.value for name, measured in again.items()}


def with_points_moved(geometry: Geometry, offsets: Mapping[Place, Array]) -> Geometry:
    """With points moved in the axes of the base, by (3,) or (frames, 3), m."""
    if not offsets:
        return geometry
    R = geometry.frame(geometry.model.base.frame).R_gs
    points = {place: geometry.point(place[1], place[0]) + apply(R, offset) for place, offset in offsets.items()}
    return with_given(geometry, geometry.model, points, {}, {})
