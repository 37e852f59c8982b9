"""The subject's measurements: each from the first source that says it, with that source; none is invented."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.body.plausible import measurement_faults
from gaitid.body.static_angles import foot_flat_notes, mean, static_angle
from gaitid.body.subject import SI, Measured, Requested, Sources, Subject, SubjectFile, display, key_of, request
from gaitid.errors import SubjectError
from gaitid.model import specs
from gaitid.model.expression import Expression
from gaitid.notes import Note, Notes, note, phrase
from gaitid.numerics.rotation import norm, wrapped
from gaitid.records import NamedTuple
from gaitid.trial import Array

# Two sources that differ by more than this share of the value, or by these amounts, are worth a note.
DIFFERENCE = {"kg": 0.05, "m": 0.001, "rad": 0.01, "years": 0.5, "sex": 0.5}
# A static whose mass or leg length is farther from the trial's than this share is somebody else's.
_ANOTHER_BODY = 0.1
# Where a value stood that a program wrote into a file.
STORED_IN_STATIC, STORED_IN_TRIAL = "static trial, stored", "trial, stored"
BESIDE_TRIAL = "subject file of Nexus beside the trial"
#: So begins the source of an angle that the static's markers tell.
COMPUTED = "static trial, computed from its markers"


class MeasurementFault(SubjectError):
    """A measurement that no body can have: wrong, not missing."""


class _Candidate(NamedTuple):
    """What a source says, and where that is a recording the number that it stores with its unit."""

    measured: Measured
    stored: tuple[float, str] | None = None


class _Answer(NamedTuple):
    """What is known of a measurement, what is worth saying of it, and why it is impossible."""

    measured: Measured | None
    notes: Notes = ()
    fault: str = ""


class _Resolver(Mapping[str, float]):
    """Looks each measurement up where it may come from, when it is asked for, and remembers the answer.

    As a mapping it gives formulas and a `Geometry` the values that they ask for; NaN where nobody knows one.
    """

    def __init__(self, model: specs.Model, sources: Sources) -> None:
        self.model, self.sources = model, sources
        self.signs = {side.name: float(side.sign) for side in model.sides}
        #: In the order in which they were settled: what another was computed from comes first.
        self.answers: dict[str, _Answer] = {}
        self._open: set[str] = set()
        # Those being looked up that a formula asked for again: what did so is not settled before they are.
        self._asked_again: set[str] = set()

    def __contains__(self, name: object) -> bool:
        side, _, bare = str(name).rpartition(".")
        return bare in self.model.subject and self.model.subject[bare].sided == bool(side)

    def __getitem__(self, name: str) -> float:
        measured = self.resolve(name)
        return np.nan if measured is None else measured.value

    def __iter__(self) -> Iterator[str]:
        return iter(self.model.subject)

    def __len__(self) -> int:
        return len(self.model.subject)

    def resolve(self, name: str) -> Measured | None:
        """The measurement; None where nobody knows it."""
        if name in self._open:
            self._asked_again.add(name)
            return None  # a formula that asks for itself finds nothing
        if name not in self.answers:
            self._open.add(name)
            answer = self._answer(name)
            self._open.remove(name)
            self._asked_again.discard(name)
            if self._asked_again:
                return answer.measured
            self.answers[name] = answer
        return self.answers[name].measured

    def _answer(self, name: str) -> _Answer:
        requested = request(self.model, name)
        candidates, notes = self._without_impossible(requested, self.given(name, requested))
        if not candidates:
            candidates, guess_notes = self._guessed(requested)
            notes += guess_notes
        if not candidates:
            return _Answer(None, notes)
        measured, *others = candidates
        sources: dict[str, list[str]] = {}
        for other in others:
            limit = DIFFERENCE[requested.unit] * (abs(measured.value) if requested.unit == "kg" else 1.0)
            difference = other.value - measured.value
            if requested.unit == "rad":
                difference = wrapped(difference)
            if abs(difference) > limit:
                sources.setdefault(display(other.value, other.unit), []).append(other.source)
        for says, others_say in sources.items():
            at = "; ".join(others_say)
            notes += (note("measurements_differ", **_shown(requested, measured), other=at, says=says),)
        fault = "" if requested.possible(measured.value) else _outside(requested, measured)
        return _Answer(measured, notes, fault)

    def _without_impossible(self, requested: Requested, candidates: list[_Candidate]) -> tuple[list[Measured], Notes]:
        """What the sources say but for what is stored, cannot be and is not needed; and in what units it was read."""
        notes: Notes = ()
        kept = []
        for measured, stored in candidates:
            needed = not requested.measurement.optional and measured.source != BESIDE_TRIAL  # nobody gave that file
            if stored is not None and not needed and not requested.possible(measured.value):
                notes += (note("measurement_ignored/outside", fault=_outside(requested, measured)),)
                continue
            if stored is not None and requested.unit == "m" and stored[1] != requested.measurement.c3d_unit:
                number, unit = stored
                shown = _shown(requested, measured) | {"usual": requested.measurement.c3d_unit}
                notes += (note("measurement_assumed/unit", **shown, stored=number, unit=unit),)
            kept.append(measured)
        return kept, notes

    def given(self, name: str, requested: Requested) -> list[_Candidate]:
        """What the sources say, the one that counts first."""
        file, static, recorded = self.sources.file, self.sources.static, self.sources.recorded
        levelled = isinstance(requested.measurement.static, specs.StaticAngle) and self.sources.foot_flat
        angle = None if self.geometry is None else static_angle(self.geometry, requested.measurement, requested.side)
        candidates = [
            _Candidate(Measured(float(value), requested.unit, source))
            for value, source in (
                (file.values.get(name), file.sources.get(name, "subject file")),
                (angle, f"{COMPUTED}{' (foot-flat)' if levelled else ''}"),
            )
            if value is not None
        ]
        of_static = {} if static is None else static.parameters
        for parameters, source, angle_unit in (
            (of_static, STORED_IN_STATIC, "rad" if static is None else static.angle_unit),
            (self.sources.trial, STORED_IN_TRIAL, "rad" if recorded is None else recorded.angle_unit),
            ({} if self.of_another else self.sources.beside, BESIDE_TRIAL, "deg"),
        ):
            if parameters and (stored := requested.stored_in(self.model, parameters, angle_unit)) is not None:
                value = float(stored[0] * SI[stored[1]])
                candidates.append(_Candidate(Measured(value, requested.unit, source), stored))
        return candidates

    @cached_property
    def of_another(self) -> dict[str, Any] | None:
        """How the file beside the trial shows that it is another person's (`_apart`)."""
        beside = self.sources.beside
        return _apart(self.model, beside, self.sources.trial) if beside else None

    def stored_as_zero(self, name: str) -> bool:
        """Whether a recording stores a measurement, and as 0 only."""
        static, requested = self.sources.static, request(self.model, name)
        stored = (self.sources.trial, {} if static is None else static.parameters)
        return any(requested.stored_as_zero(self.model, parameters) for parameters in stored)

    def _guessed(self, requested: Requested) -> tuple[list[Measured], Notes]:
        """What no source says: from the static's markers, the trial's, else assumed as the model has it; or nothing."""
        m, value = requested.measurement, None
        if isinstance(m.static, Expression) and self.sources.static is not None:
            value = self._formula(m.static, requested.side, self.geometry)
            source, how, by = "static trial, estimated from its markers", "estimated", m.static.text
        if value is None and m.trial is not None and self.sources.recorded is not None:
            value = self._formula(m.trial, requested.side, self.recorded)
            if value is not None and not m.low <= value <= m.high:
                value = None  # nobody said it, so nobody need correct it
            source = m.trial_source
            how, by = ("by_trial", m.trial.text) if source == specs.TRIAL_SOURCE else ("by_source", source)
        if value is None and m.otherwise is not None:
            value = self._formula(m.otherwise, requested.side, self.geometry)
            source, how, by = f"assumed: {m.because}", "assumed", m.because
        if value is None:
            return [], ()
        shown = display(value, requested.unit)
        assumed = note(f"measurement_assumed/{how}", what=requested.words, value=shown, by=by)
        return [Measured(value, requested.unit, source)], (assumed,)

    def _formula(self, formula: Expression, side: str, geometry: Geometry | None) -> float | None:
        """A formula's value (its mean where it has one a frame); None where something it needs is not known."""

        def number(name: str) -> object:
            prefix, dot, bare = name.rpartition(".")
            place = prefix if dot else side
            if bare == "sign":
                return self.signs[place]
            if bare in self.model.subject:
                return self[f"{place}.{bare}" if self.model.subject[bare].sided else bare]
            for scope, where in ((self.model.each_side, place), (self.model.middle, "")):
                if bare in scope.numbers and (where or scope is self.model.middle):
                    value = self._formula(scope.numbers[bare], where, geometry)
                    return np.nan if value is None else value
            return np.nan

        def distance(a: str, b: str) -> Array:
            if geometry is None:
                return np.array(np.nan)
            return norm(geometry.point(a, side) - geometry.point(b, side))

        return mean(formula.evaluate(number, distance))

    @cached_property
    def geometry(self) -> Geometry | None:
        """The static's points and frames; None without a static."""
        static = self.sources.static
        if static is None:
            return None
        return Geometry(static.model, static.markers, self, static.n_frames, static.up_g, self.sources.foot_flat)

    @cached_property
    def recorded(self) -> Geometry | None:
        """The trial's own points and frames, from its markers as they were recorded."""
        trial = self.sources.recorded
        return None if trial is None else Geometry(self.model, trial.markers, self, trial.n_frames, trial.up_g)


class MeasurementsLackError(SubjectError):
    """Measurements that a model needs and nothing gives.

    Attributes
    ----------
    keys : mapping of str to str
        The name of each, sided as ``left.knee_width``, and its key in a subject file.
    """

    keys: Mapping[str, str] = {}


def resolve_subject(model: specs.Model, wanted: set[str], sources: Sources) -> Subject:
    """Find every measurement that is wanted: in the subject file, then the static when given, then the trial.

    What none of them says may follow from the markers of the static, then of the trial, as the model has it.

    Calibration angles come from the static's markers when a static is given, before any stored value.

    Parameters
    ----------
    model : Model
    wanted : set of str
        Names of measurements, sided as ``left.knee_width``.
    sources : Sources

    Returns
    -------
    Subject

    Raises
    ------
    SubjectError
        Measurements that nothing gives, or that are out of range: all at once.
    """
    resolver = _Resolver(model, sources)
    measured: dict[str, Measured] = {}
    missing: dict[str, str] = {}
    for name in _in_model_order(model, wanted | _looked_for(model)):
        known = resolver.resolve(name)
        side, _, bare = name.rpartition(".")
        if known is not None:
            measured[name] = known
        elif name in wanted and not model.subject[bare].optional and model.subject[bare].otherwise is None:
            # one with a formula of its own is missing only because what it is computed from is
            missing[name] = key_of(model.subject[bare], side)
    needed = {name for name in wanted if not model.subject[name.rpartition(".")[2]].optional}
    if not missing and "mass" in model.subject and "mass" not in measured and not needed <= set(measured):
        missing["mass"] = key_of(model.subject["mass"], "")  # a formula asks for it
    faults = {name: answer.fault for name, answer in resolver.answers.items() if answer.fault}
    if faults:
        keys = [key_of(model.subject[name.rpartition(".")[2]], name.rpartition(".")[0]) for name in faults]
        raise MeasurementFault("; ".join(faults.values()), todo=f"correct {', '.join(keys)} with --subject")
    uses_static = sources.static is not None
    if missing:
        zero = [key for name, key in missing.items() if resolver.stored_as_zero(name)]
        error = MeasurementsLackError(
            f"measurements of the subject are missing: {', '.join(missing.values())}",
            found=f"0 in the file for {', '.join(zero)}" if zero else "",
            todo="give these measurements with --subject FILE" + ("" if uses_static else " or --static FILE"),
        )
        error.keys = missing
        raise error
    settled = [note for answer in resolver.answers.values() for note in answer.notes]
    if resolver.of_another:
        settled.append(note("measurement_ignored/person", source=BESIDE_TRIAL, **resolver.of_another))
    units = [note for source in (sources.static, sources.recorded) if source is not None for note in source.notes]
    notes = (*units, *_other_person(model, sources), *_both_sides(settled))
    notes += foot_flat_notes(resolver.geometry, sources, wanted)
    contradictions, doubts = measurement_faults(model, subject := Subject(measured, notes, None))
    if contradictions:
        raise MeasurementFault("; ".join(contradictions), todo="correct it with --subject")
    return replace(
        subject,
        notes=(*notes, *doubts, *_functional_doubts(sources.file)),
        foot_flat=sources.foot_flat if uses_static else None,
        sex=sources.file.sex,
        functional=sources.file.functional,
        segments=sources.file.segments,
        emg=sources.file.emg,
        reason=sources.file.reason,
    )


def faultless(model: specs.Model, names: set[str], sources: Sources) -> dict[str, Measured] | None:
    """What of these measurements is known, each as `resolve_subject` finds it where no other is wanted; None where any
    of them is out of range, or contradicts another: then each has to be asked for by itself.
    """
    resolver = _Resolver(model, sources)
    result = {name: resolver.resolve(name) for name in _in_model_order(model, names | _looked_for(model))}
    known = {name: measured for name, measured in result.items() if measured is not None}
    if any(answer.fault for answer in resolver.answers.values()):
        return None
    return None if measurement_faults(model, Subject(known, (), None))[0] else known


def _looked_for(model: specs.Model) -> set[str]:
    """What is looked for whether it is wanted or not."""
    # the plates may tell the mass, and without it angles are still known (gaitid.analysis.mass)
    return {name for name, m in model.subject.items() if (m.optional or name == "mass") and not m.sided}


def _functional_doubts(file: SubjectFile) -> Notes:
    """What makes the joints doubtful that were measured in functional trials."""
    return tuple(
        note("functional_doubtful/stored", doubt=str(text))
        for joint in file.functional.values()
        for text in joint.get("doubts") or ()
    )


def _both_sides(notes: list[Note]) -> list[Note]:
    """The same notes, but one line where left and right have the same one."""
    result: list[Note] = []
    for said in notes:
        twin = said._replace(text=said.text.replace("right ", "left ", 1))
        if said.text.startswith("right ") and twin in result:
            result[result.index(twin)] = said._replace(text="left and " + said.text)
        else:
            result.append(said)
    return result


def _other_person(model: specs.Model, sources: Sources) -> Notes:
    """A note where the static's stored mass or leg length is far from the trial's."""
    apart = None if sources.static is None else _apart(model, sources.static.parameters, sources.trial)
    return () if apart is None else (note("other_person", **apart),)


def _apart(model: specs.Model, its: Mapping[str, float], mine: Mapping[str, float]) -> dict[str, Any] | None:
    """`what`, the mass or leg length, two people differ in, and both values, in words; None where in none."""
    for name in ("mass", "left.leg_length", "right.leg_length"):
        if name.rpartition(".")[2] not in model.subject:
            continue
        requested = request(model, name)
        other, own = (requested.stored(model, stored) for stored in (its, mine))
        if own and other and abs(other / own - 1) > _ANOTHER_BODY:
            unit = requested.unit
            return {"what": requested.words, "its": display(other, unit), "mine": display(own, unit)}
    return None


def _in_model_order(model: specs.Model, names: set[str]) -> list[str]:
    order = list(model.subject)
    return sorted(names, key=lambda n: (order.index(n.rpartition(".")[2]), n))


def _outside(requested: Requested, measured: Measured) -> str:
    low, high = (display(limit, requested.unit) for limit in (requested.measurement.low, requested.measurement.high))
    return phrase("outside", **_shown(requested, measured), low=low, high=high)


def _shown(requested: Requested, measured: Measured) -> dict[str, Any]:
    value = display(measured.value, measured.unit)
    return {"what": requested.words, "value": value, "source": measured.source}
