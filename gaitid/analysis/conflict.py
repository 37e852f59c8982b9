"""Two calibrations of one trial, what it stores and a static -> how far apart their angles and moments are.

One rule decides which is used (docs/static.md): a static or subject file that was given, else what the trial stores.
Here the other one is tried, where they differ, so that a reader knows what hangs on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from gaitid.analysis.limb import Mechanics, angles_and_moments
from gaitid.analysis.origin import Origin
from gaitid.analysis.pipeline import calibration_of
from gaitid.analysis.recorded import seen_labels
from gaitid.analysis.result import Result
from gaitid.body.frames import Calibration, Geometry
from gaitid.body.poses import Key, differentiate, pose_segments
from gaitid.body.requested import display, request
from gaitid.body.resolve import DIFFERENCE, STORED_IN_TRIAL
from gaitid.body.sanity import check_body, line_notes
from gaitid.body.standing import check_fits, compare_with_static
from gaitid.body.subject import Measured, Subject, SubjectFile
from gaitid.dynamics.wrench import Wrench
from gaitid.errors import GaitidError, first_few
from gaitid.model import specs
from gaitid.model.marker_sets import MarkerSet
from gaitid.notes import Note, Notes, as_option
from gaitid.records import NamedTuple
from gaitid.trial import Array, Trial

# Two calibrations that agree to this are as good as one. Degrees: what repeated gait analyses of one person agree to at
# best (McGinley 2009, Gait Posture 29:360-369: 2° to 5° are typical, 2° and less acceptable). N·m/kg: half of what no
# trial may be wrong by unsaid.
SAME_DEG, SAME_NM_PER_KG = 2.0, 0.05
# Frames of the static that are looked at: enough for means.
_LOOKED_AT = 50
# So many measurements that differ are named.
_SHOWN = 3


class Effect(NamedTuple):
    """The largest differences of two results, and where."""

    angle_deg: float
    angle: str
    moment_Nm_per_kg: float
    moment: str

    @property
    def matters(self) -> bool:
        """Whether they are two results, not one."""
        return self.angle_deg > SAME_DEG or self.moment_Nm_per_kg > SAME_NM_PER_KG

    @property
    def words(self) -> str:
        """For a person."""
        angle = f"angles by up to {self.angle_deg:.1f}° ({self.angle})"
        if not self.moment:
            return angle
        return f"{angle} and moments by up to {self.moment_Nm_per_kg:.2f} N·m/kg ({self.moment})"


def _is_calibrated(measurement: specs.Measurement) -> bool:
    """Whether it is a calibration angle, which a static shows."""
    return isinstance(measurement.static, specs.StaticAngle | specs.StaticTurn)


def stored_is_used(subject: Subject, model: specs.Model) -> bool:
    """Whether calibration angles come from what the trial stores."""
    return any(
        measured.source == STORED_IN_TRIAL and _is_calibrated(model.subject[name.rpartition(".")[2]])
        for name, measured in subject.measured.items()
    )


def _stores_any(trial: Trial, model: specs.Model) -> bool:
    """Whether a trial stores a calibration angle at all."""
    names = (
        f"{side.name}.{name}" if measurement.sided else name
        for name, measurement in model.subject.items()
        if _is_calibrated(measurement)
        for side in model.sides
    )
    return any(request(model, name).stored(model, trial.parameters) is not None for name in names)


def given_static_notes(result: Result, origin: Origin) -> Notes:
    """That the static which was given and the calibration that the trial stores make two results, and how far apart."""
    if origin.static is None or origin.subject_file.calibration.places or not _stores_any(result.trial, result.model):
        return ()
    try:
        alone = origin.prepared(result.trial, None, None)
    except GaitidError:  # the trial stores none
        return ()
    if not stored_is_used(alone.subject, result.model) or not _differences(result.subject, alone.subject):
        return ()
    effect = _effect(result, _calibrated(result, alone.subject, Calibration()))
    if effect is None or not effect.matters:
        return ()
    text = f"the static is used, not the calibration that the trial stores: they change {effect.words}"
    return (Note("calibration_conflict", text, cure="look which of both was measured with these markers"),)


class _Asked(NamedTuple):
    """What it follows from whether a static says the same as the calibration that a trial stores.

    Where nobody gave a subject file and no measurement comes from the trial's own markers: all trials of a session have
    one answer then.
    """

    model: specs.Model
    marker_set: MarkerSet | None
    labels: tuple[str, ...]
    spelled: Mapping[tuple[str, str], tuple[str, ...]]
    parameters: Mapping[str, float]
    measured: Mapping[str, Measured]

    def same(self, other: _Asked) -> bool:
        """Whether both have one answer."""
        return self.model is other.model and self.marker_set is other.marker_set and self[2:] == other[2:]


def _asked(result: Result, origin: Origin) -> _Asked:
    measured = {name: one for name, one in result.subject.measured.items() if one.unit != "kg"}
    labels, parameters = tuple(seen_labels(result.trial)), result.trial.parameters
    return _Asked(origin.model, origin.marker_set, labels, result.model.spelled, parameters, measured)


#: Of a static, as long as it is kept for its session: the last question to which it said the same.
_SAYS_THE_SAME: WeakKeyDictionary[Trial, _Asked] = WeakKeyDictionary()


def static_beside_notes(result: Result, origin: Origin, static: Trial) -> Notes:
    """What a static beside a trial says otherwise than the calibration that the trial stores, which is used.

    Nothing where both are the same.
    """
    asked = _asked(result, origin)
    before = _SAYS_THE_SAME.get(static)
    if before is not None and _says_nothing(origin.subject_file) and asked.same(before):
        return ()
    of_session = static
    name = static.path.name
    begin = f"{name} lies beside it and was not used, as the trial stores a calibration"
    cure = as_option("--static", static.path)
    static = replace(static, points_g=static.points_g[:: max(1, static.n_frames // _LOOKED_AT)])
    try:
        other = origin.prepared(result.trial, static, None)
        if other.denies_foot_flat:
            other = origin.prepared(result.trial, static, False)
        differences = _differences(result.subject, other.subject)
        if not differences:
            same_labels = other.model.marker_set == result.model.marker_set
            if same_labels and _says_nothing(origin.subject_file) and not _by_own_markers(other.subject, result.model):
                _SAYS_THE_SAME[of_session] = asked
            return ()
        geometry = _calibrated(result, other.subject, calibration_of(other, result.body.sides))
        compare_with_static(geometry, result.body.sides)
    except GaitidError as error:
        return (Note("file_beside", f"{begin}; nor would it serve: {error.wrong}"),)
    effect = _effect(result, geometry)
    if effect is None:
        return (Note("file_beside", begin, cure=cure),)
    text = f"{begin}; the static would change {effect.words}"
    if not effect.matters:
        return (Note("file_beside", text, cure=cure),)
    text = f"{text}: {first_few(differences, _SHOWN)}"
    return (Note("calibration_conflict", text, cure=f"look which was measured with these markers: {cure} takes it"),)


def _says_nothing(file: SubjectFile) -> bool:
    """Whether a subject file is empty, as where nobody gave one."""
    return file == SubjectFile(calibration=file.calibration) and not any(vars(file.calibration).values())


def _by_own_markers(subject: Subject, model: specs.Model) -> bool:
    """Whether a measurement follows from the markers of the trial itself."""
    return any(
        measured.source == model.subject[name.rpartition(".")[2]].trial_source
        for name, measured in subject.measured.items()
    )


def _differences(used: Subject, other: Subject) -> list[str]:
    """Measurements that differ, in words; the mass apart, of which no static is needed."""
    words = []
    for name, mine in used.measured.items():
        theirs = other.measured.get(name)
        if theirs is None or mine.unit == "kg":
            continue
        off = theirs.value - mine.value
        if mine.unit == "rad":
            off -= 2 * np.pi * np.round(off / (2 * np.pi))
        if abs(off) > DIFFERENCE[mine.unit]:
            mine_shown, theirs_shown = (display(m.value, m.unit) for m in (mine, theirs))
            words.append(f"{name.replace('.', ' ')} {theirs_shown} instead of {mine_shown}")
    return words


def _calibrated(result: Result, subject: Subject, calibration: Calibration) -> Geometry:
    """The trial's points and frames with another calibration."""
    mine, tracks = result.body.geometry, result.markers.filtered
    return Geometry(mine.model, tracks, subject.numbers, mine.n_frames, mine.up_g, calibration=calibration)


def _effect(result: Result, geometry: Geometry) -> Effect | None:
    """How a result changes with another calibration; None where that is no body."""
    body, trial = result.body, result.trial
    try:
        line_notes(geometry, body.sides)
        check_fits(geometry)
        check_body(geometry, body.sides, result.markers.doubted)
    except GaitidError:
        return None
    other = pose_segments(geometry, result.markers, body.sides)
    motion = differentiate(other, trial.rate_hz)
    applied: Mapping[Key, Wrench] = {}
    if result.applied_loads:
        from gaitid.analysis.applied_loads import summed

        applied = summed(result.applied_loads)
    mechanics = Mechanics(result.subject.mass_kg, result.gravity_g, result.solver, applied)
    angle, moment = (0.0, ""), (0.0, "")
    for side in body.model.sides:
        if side.name not in body.sides:
            continue
        mine = result.sides[side.name]
        theirs = angles_and_moments(side, other, motion, mine.acting, mechanics)
        angle = max(angle, *_largest(side.name, mine.angles, theirs.angles, turns=True))
        moment = max(moment, *_largest(side.name, mine.moments, theirs.moments))
    return Effect(*angle, *moment)


_Columns = Mapping[str, Mapping[str, Array]]


def _largest(side: str, first: _Columns, second: _Columns, turns: bool = False) -> Iterator[tuple[float, str]]:
    """The largest difference of each column, with its name in words."""
    yield 0.0, ""
    for joint, columns in first.items():
        for name, values in columns.items():
            off = second[joint][name] - values
            if turns:
                off = off - 360.0 * np.round(off / 360.0)
            known = np.abs(off[np.isfinite(off)])
            if known.size:
                yield float(known.max()), f"{side} {joint} {name}".replace("_", " ")
