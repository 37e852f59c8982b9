"""What a static's markers and measurements by hand make of all others: by how much these change with an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from gaitid.analysis.pipeline import pipeline_of
from gaitid.analysis.result import Result
from gaitid.body.frames import Geometry
from gaitid.body.resolve import COMPUTED, faultless
from gaitid.trial import Array

#: Of an error: what measurements follow by is straight for so little, and far above rounding.
_STEP = 1e-3


class Measuring:
    """Measurements of a result, found again.

    Parameters
    ----------
    result : Result
    standing : Geometry
        Of its static.
    """

    def __init__(self, result: Result, standing: Geometry) -> None:
        self._result, self._standing = result, standing

    def changes(self, static: Mapping[str, Array], numbers: Mapping[str, float]) -> dict[str, float]:
        """By how much measurements change with markers of the static and with others, those included; SI.

        Parameters
        ----------
        static : mapping of label to (3,) array, m
            To the markers of the static.
        numbers : mapping of str to float
            To measurements that somebody made.
        """
        after = self._measured(static, numbers, self._following | numbers.keys())
        changes = {name: (after[name] - value) / _STEP for name, value in self._as_measured.items() if name in after}
        return {name: change for name, change in changes.items() if np.isfinite(change) and change}

    @cached_property
    def _as_measured(self) -> dict[str, float]:
        return self._measured({}, {}, {*self._result.subject.measured})

    @cached_property
    def _following(self) -> set[str]:
        """The measurements that are computed from others, or change where every marker of the static lies elsewhere."""
        random, before = np.random.default_rng(0), self._as_measured
        static = {label: random.standard_normal(3) for label in self._standing.tracks}
        moved, measured = self._measured(static, {}, {*before}), self._result.subject.measured
        return {
            name for name in before if measured[name].source.startswith(COMPUTED) or moved.get(name) != before[name]
        }

    def _measured(self, static: Mapping[str, Array], numbers: Mapping[str, float], names: set[str]) -> dict[str, float]:
        """What is measured with a part of these changes."""
        found, subject = pipeline_of(self._result).found, self._result.subject
        sources = found.sources
        assert sources.static is not None
        markers = {label: track + _STEP * static.get(label, 0.0) for label, track in sources.static.markers.items()}
        values = {name: subject.numbers[name] + _STEP * by for name, by in numbers.items()}
        file = replace(sources.file, values={**sources.file.values, **values})
        sources = replace(sources, file=file, static=replace(sources.static, markers=markers))
        again = faultless(found.model, names, sources) or {}
        return {name: measured.value for name, measured in again.items()}
