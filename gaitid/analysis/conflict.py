"""Two calibrations of one trial, what it stores and a static -> how far apart their angles and moments are.

`run` uses a static or subject file that was given, else what the trial stores (docs/static.md). Here the other one is
tried, where they differ, so that a reader knows what hangs on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from gaitid.analysis.pipeline import Pipeline, pipeline_of
from gaitid.analysis.result import Result, SideResult
from gaitid.analysis.stored_outputs import stored_angles, stores_the_same
from gaitid.body.against_static import compare_with_static
from gaitid.body.frames import Geometry
from gaitid.body.joints import Calibration
from gaitid.body.resolve import BESIDE_TRIAL, DIFFERENCE, STORED_IN_TRIAL
from gaitid.body.subject import Measured, Subject, SubjectFile, display, request
from gaitid.errors import GaitidError
from gaitid.model import specs
from gaitid.model.marker_sets import MarkerSet
from gaitid.model.settings import ReaderSettings
from gaitid.notes import Notes, note, phrase
from gaitid.numerics.rotation import wrapped
from gaitid.records import NamedTuple
from gaitid.trial import Array, Trial, seen_labels

# Two calibrations that agree to this are as good as one. Degrees: what repeated gait analyses of one person agree to at
# best (McGinley 2009, Gait Posture 29:360-369: 2° to 5° are typical, 2° and less acceptable). N·m/kg: half of what no
# trial may be wrong by unsaid.
SAME_DEG, SAME_NM_PER_KG = 2.0, 0.05
# Frames of the static that are looked at: enough for means.
_LOOKED_AT = 50


Columns = Mapping[str, Mapping[str, Array]]
#: By side; and what computes other trials with the same calibration.
Sides = Mapping[str, SideResult]
Way = tuple[Sides, Pipeline]


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
        return phrase("calibration/effect", **self._asdict())


def _is_calibrated(measurement: specs.Measurement) -> bool:
    """Whether it is a calibration angle, which a static shows."""
    return isinstance(measurement.static, specs.StaticAngle | specs.StaticTurn)


def stored_is_used(subject: Subject, model: specs.Model) -> bool:
    """Whether calibration angles come from what the trial stores, or has beside it."""
    return any(
        measured.source in (STORED_IN_TRIAL, BESIDE_TRIAL) and _is_calibrated(model.subject[name.rpartition(".")[2]])
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


def given_static_notes(result: Result, settings: ReaderSettings | None = None) -> Notes:
    """That the static which was given and the calibration that the trial stores make two results, and how far apart."""
    by_static = pipeline_of(result)
    if by_static.static is None or by_static.subject_file.calibration.places:
        return ()
    if not _stores_any(result.trial, result.model):
        return ()
    by_stored = by_static.with_(static=None)
    try:
        alone = by_stored.found
        if not stored_is_used(alone.subject, result.model) or not _differences(result.subject, alone.subject):
            return ()
        sides = _sides_with(result, _calibrated(result, alone.subject, Calibration()))
    except GaitidError:  # the trial stores none, or none of a body
        return ()
    effect = largest_differences(result.sides, sides)
    if not effect.matters:
        return ()
    off = off_outputs(result.trial, (sides, by_stored), (result.sides, by_static), settings)
    return (note("calibration_conflict/static", effect=effect.words, off=off.words if off else ""),)


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


def _asked(result: Result) -> _Asked:
    pipeline = pipeline_of(result)
    measured = {name: one for name, one in result.subject.measured.items() if one.unit != "kg"}
    labels, parameters = tuple(seen_labels(result.trial)), result.trial.parameters
    return _Asked(pipeline.model, pipeline.marker_set, labels, result.model.spelled, parameters, measured)


#: Of a static, as long as it is kept for its session: the last question to which it said the same.
_SAYS_THE_SAME: WeakKeyDictionary[Trial, _Asked] = WeakKeyDictionary()


def _with_static(result: Result, static: Trial) -> tuple[Pipeline, list[str]]:
    """A trial's pipeline with a static, and which of its measurements differ from those that it has without.

    Raises
    ------
    GaitidError
        The static does not serve.
    """
    some = replace(static, points_g=static.points_g[:: max(1, static.n_frames // _LOOKED_AT)])
    other = pipeline_of(result).with_(static=some)
    return other, _differences(result.subject, other.found.subject)


def says_the_same(result: Result, static: Trial) -> bool:
    """Whether a static gives the measurements that a trial has without it."""
    asked, nothing = _asked(result), _says_nothing(pipeline_of(result).subject_file)
    before = _SAYS_THE_SAME.get(static)
    if before is not None and nothing and asked.same(before):
        return True
    try:
        other, differences = _with_static(result, static)
    except GaitidError:
        return False
    if not differences:
        same_labels = other.found.model.marker_set == result.model.marker_set
        if same_labels and nothing and not _by_own_markers(other.found.subject, result.model):
            _SAYS_THE_SAME[static] = asked
    return not differences


def static_beside_notes(result: Result, static: Trial, settings: ReaderSettings | None = None) -> Notes:
    """What a static beside a trial says otherwise than the calibration that the trial stores, which is used.

    Nothing where both are the same.
    """
    if says_the_same(result, static):
        return ()
    name, path = static.path.name, static.path
    try:
        other, differences = _with_static(result, static)
        calibration = other.with_(legs=result.body.sides).calibration
        geometry = _calibrated(result, other.found.subject, calibration)
        compare_with_static(geometry, result.body.sides)
    except GaitidError as error:
        return (note("file_beside/static_unfit", name=name, why=error.wrong),)
    try:
        sides = _sides_with(result, geometry)
    except GaitidError:
        return (note("file_beside/static_stored", name=name, path=path),)
    by_stored = pipeline_of(result)
    off = off_outputs(result.trial, (result.sides, by_stored), (sides, by_stored.with_(static=static)), settings)
    effect = largest_differences(result.sides, sides)
    return (
        note(
            "calibration_conflict/stored" if effect.matters else "file_beside/static_alike",
            name=name,
            path=path,
            off=off.words if off else "",
            effect=effect.words,
            differences=differences,
        ),
    )


def _says_nothing(file: SubjectFile) -> bool:
    """Whether a subject file is empty, as where nobody gave one."""
    return file == SubjectFile(calibration=file.calibration, reason=file.reason) and not any(
        vars(file.calibration).values()
    )


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
            off = wrapped(off)
        if abs(off) > DIFFERENCE[mine.unit]:
            mine_shown, theirs_shown = (display(m.value, m.unit) for m in (mine, theirs))
            words.append(phrase("calibration/other", what=name.replace(".", " "), other=theirs_shown, used=mine_shown))
    return words


def _calibrated(result: Result, subject: Subject, calibration: Calibration) -> Geometry:
    """The trial's points and frames with another calibration."""
    mine, tracks = result.body.geometry, result.markers.filtered
    return Geometry(mine.model, tracks, subject.numbers, mine.n_frames, mine.up_g, calibration=calibration)


def _sides_with(result: Result, geometry: Geometry) -> Mapping[str, SideResult]:
    """Each side with another calibration, under the same loads.

    Raises
    ------
    GaitidError
        That is no body.
    """
    before = pipeline_of(result)
    other = before.with_(geometry=geometry, cleaned=result.markers, mechanics=before.mechanics)
    acting = {name: result.sides[name].acting for name in result.body.sides}
    return other.with_(body=other.posed, emptied={}, on_feet=acting).solved


def largest_differences(first: Sides, second: Sides) -> Effect:
    """The largest differences of two results."""
    angle, moment = (0.0, ""), (0.0, "")
    for side in (name for name in first if name in second):
        mine, theirs = first[side], second[side]
        angle = max(angle, *_largest(side, mine.angles, theirs.angles, turns=True))
        moment = max(moment, *_largest(side, mine.moments, theirs.moments))
    return Effect(*angle, *moment)


def _largest(side: str, first: Columns, second: Columns, turns: bool = False) -> Iterator[tuple[float, str]]:
    """The largest difference of each column, with its name in words."""
    yield 0.0, ""
    for joint, name, mine, theirs in shared(first, second):
        off = wrapped(theirs - mine, 360.0) if turns else theirs - mine
        known = np.abs(off[np.isfinite(off)])
        if known.size:
            yield float(known.max()), f"{side} {joint} {name}".replace("_", " ")


# --- against what another program stored --------------------------------------------------------------------


class Off(NamedTuple):
    """How far the angles of both calibrations lie from those that another program stored in a file, degrees RMS."""

    stored_deg: float
    static_deg: float
    file: str

    @property
    def words(self) -> str:
        """For a person."""
        return phrase("calibration/off", **self._asdict())


def off_outputs(trial: Trial, stored: Way, by_static: Way, settings: ReaderSettings | None) -> Off | None:
    """How far both calibrations are from the angles that the trial's file stores, else from those of the static's.

    None where neither stores any.
    """
    (first, of_stored), (second, of_static) = stored, by_static
    if off := _rms(stored_angles(trial.path, settings), first, second):
        return Off(*off, trial.path.name)
    static = of_static.static
    if static is None or not (angles := stored_angles(static.path, settings)):
        return None
    try:
        stored_in_static = replace(static, parameters=trial.parameters)
        standing = of_stored.of_trial(stored_in_static), of_static.of_trial(static)
    except GaitidError:
        return None
    off = _rms(angles, *(result.sides for result in standing))
    return Off(*off, static.path.name) if off else None


def _rms(stored_deg: Mapping[str, Array], first: Sides, second: Sides) -> tuple[float, float] | None:
    """The distances of two sets of angles from stored ones, degrees RMS, over all of joints that differ between both.

    Those of pelvis and foot to the ground hang on which way a program says that a walk goes, too.
    """
    squares: list[Array] = []
    for side in (name for name in first if name in second):
        for joint, name, mine, theirs in shared(first[side].angles, second[side].angles):
            seen = stored_deg.get(f"{side}_{joint}_{name}_deg")
            if joint not in first[side].moments or seen is None or len(seen) != len(mine):
                continue
            if np.array_equal(mine, theirs, equal_nan=True):
                continue
            off = np.stack([wrapped(values - seen, 360.0) for values in (mine, theirs)])
            squares.append(off[:, np.isfinite(off).all(axis=0)] ** 2)
    joined = np.concatenate(squares, axis=1) if squares else np.empty((2, 0))
    if not joined.size:
        return None
    of_stored, of_static = np.sqrt(joined.mean(axis=1))
    return float(of_stored), float(of_static)


def shared(first: Columns, second: Columns) -> Iterator[tuple[str, str, Array, Array]]:
    """The columns that both have: joint, name and the values of each."""
    for joint, columns in first.items():
        for name, values in columns.items():
            if name in (others := second.get(joint, {})):
                yield joint, name, values, others[name]


# --- the better of both --------------------------------------------------------------------------------------


class Better(NamedTuple):
    """Which of a trial's two calibrations is used, and why.

    Attributes
    ----------
    is_static : bool
    words : str
        The static or ``none``, and why, in one line, with how far both differ in degrees.
    notes : Notes
        What the result has to say of it and does not say by itself.
    """

    is_static: bool
    words: str
    notes: Notes = ()


def better_calibration(
    stored: Result | GaitidError,
    static: Trial | None,
    try_static: Callable[[], Result],
    given: Path,
    settings: ReaderSettings | None = None,
) -> Better:
    """Which is better for a trial, the calibration that it stores or a static that was found.

    The one whose angles lie nearer to those that another program stored in the trial, else in the static. Where
    neither stores any, the static, if it fits, and does not store itself what the trial stores.

    Parameters
    ----------
    stored : Result or GaitidError
        The trial with what it stores, or why it is refused.
    static : Trial or None
        None where it cannot be read.
    try_static : callable
        The trial with the static, called where the two calibrations differ; it may refuse it.
    given : Path
        The static, as people know it.
    settings : ReaderSettings, optional
        How the files are read.

    Raises
    ------
    GaitidError
        `stored`, where the trial is refused with the static too.
    """
    if isinstance(stored, Result) and static is not None and says_the_same(stored, static):
        return Better(False, phrase("calibration/same", static=given))
    try:
        by_static = try_static()
    except GaitidError as error:
        if isinstance(stored, GaitidError):
            raise stored from None
        return _better(False, given, phrase("calibration/no_static", why=error.wrong), stored)
    if isinstance(stored, GaitidError):
        return _better(True, given, phrase("calibration/refused", why=stored.wrong), by_static)
    trial, model = stored.trial, stored.model
    off = off_outputs(trial, (stored.sides, pipeline_of(stored)), (by_static.sides, pipeline_of(by_static)), settings)
    if off is None:
        is_static = static is None or not stores_the_same(static.path, model, trial.parameters)
        why = phrase("calibration/no_angles", fits=is_static)
    else:
        is_static, why = off.static_deg <= off.stored_deg, off.words
    effect = largest_differences(stored.sides, by_static.sides)
    why = phrase("calibration/they_differ", why=why, deg=effect.angle_deg, angle=effect.angle)
    return _better(is_static, given, why, by_static if is_static else stored)


def _better(is_static: bool, static: Path, why: str, result: Result) -> Better:
    """The choice in words, and as a note where `result`, which is used, has none of it."""
    codes = {said.code for said in result.notes}
    if is_static:
        said = note("calibration_conflict/better", why=why)
        return Better(True, f"{static}: {why}", () if codes & {said.code, "measurements_differ"} else (said,))
    said = note("file_beside/worse", path=static, why=why)
    return Better(
        False,
        phrase("calibration/none", why=why, static=static),
        () if codes & {said.code, "calibration_conflict"} else (said,),
    )
