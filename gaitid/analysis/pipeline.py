"""The whole job for one trial: `analyse` reads from top to bottom as the data go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gaitid.analysis.conventions import conventions
from gaitid.analysis.figures import figure_notes
from gaitid.analysis.gimbal import gimbal_notes
from gaitid.analysis.impossible import Posed, possible_limbs
from gaitid.analysis.judge import judged
from gaitid.analysis.limb import Mechanics, absent_limb, base_wrench, make_link, no_load, wrench_notes
from gaitid.analysis.mass import Stand
from gaitid.analysis.recorded import Bound, measured_legs, recorded
from gaitid.analysis.result import Result
from gaitid.analysis.sound_loads import sound_loads
from gaitid.analysis.verdict import NOT_JUDGED
from gaitid.analysis.whole_body import balance_of, with_trunk_angles
from gaitid.analysis.withheld import withhold
from gaitid.body.calibration import calibrate, marker_templates
from gaitid.body.discontinuities import without_jumps
from gaitid.body.feet import FootTrack, foot_tracks
from gaitid.body.frames import Calibration, Geometry
from gaitid.body.late_markers import loose_notes
from gaitid.body.lost_points import lost_point_notes
from gaitid.body.measured_joints import measured_joint_notes
from gaitid.body.measured_segments import with_measured
from gaitid.body.poses import Body, Key, Motion, centres_need_segments, differentiate, geometry_of, pose_body
from gaitid.body.possible_masses import check_masses
from gaitid.body.standing import check_sides, check_stands, reading_notes
from gaitid.body.subject import Sources, Subject, SubjectFile, recording
from gaitid.body.upper_body import find_upper_body
from gaitid.disk.large_arrays import rest_aside
from gaitid.dynamics.wrench import Wrench
from gaitid.errors import GaitidError, TrialError
from gaitid.gait.contact_clocks import contact_clock_notes
from gaitid.gait.event_notes import event_notes, ground_notes
from gaitid.gait.impact import find_impacts, impact_notes, matched_load
from gaitid.gait.spatiotemporal import analyse_gait
from gaitid.ground.claims import ByHand, assigned_frames
from gaitid.ground.contacts import Loads, disagreements
from gaitid.ground.ground import Ground, find_ground, no_ground
from gaitid.ground.plate_faults import faults_of_channels
from gaitid.ground.vertical import plate_tilt, vertical
from gaitid.markers.clean import Markers, clean_markers
from gaitid.model import specs
from gaitid.model.marker_sets import MarkerSet, bundled_marker_sets, find_marker_set, load_marker_set
from gaitid.model.needs import Needs
from gaitid.notes import Note, Notes, note, ranked
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Trial

if TYPE_CHECKING:
    from gaitid.analysis.applied_loads import AppliedLoad
    from gaitid.read.tables.body_load import BodyLoad


@frozen_dataclass()
class Options:
    """How a trial is analysed, besides its model and its subject.

    Attributes
    ----------
    solver : str
        One of `SOLVERS`.
    require_forces : bool
        Refuse a trial in which no foot is known to be loaded.
    by_hand : tuple of ByHand
        Which foot was on which plates, frames as the file numbers them.
    marker_set : MarkerSet or None
        What the labels of the markers mean, where the user says it.
    loads : tuple of (str, BodyLoad)
        Measured loads on segments but the ground's, by the word that names the segment.
    let_go : bool
        Whether nobody asks for the samples of the trial's plates any more when they are judged (`ForcePlate`).
    """

    solver: str = "block"
    require_forces: bool = False
    by_hand: tuple[ByHand, ...] = ()
    marker_set: MarkerSet | None = None
    loads: tuple[tuple[str, BodyLoad], ...] = ()
    let_go: bool = False


def analyse(
    trial: Trial,
    model: specs.Model,
    subject_file: SubjectFile,
    static: Trial | None = None,
    options: Options = Options(),  # noqa: B008 - it cannot be changed
) -> Result:
    """Compute everything of one trial.

    Parameters
    ----------
    trial : Trial
    model : Model
    subject_file : SubjectFile
        What the user says of the subject; may be empty.
    static : Trial, optional
        Calibration trial; its values win over those stored in `trial`.
    options : Options

    Returns
    -------
    Result

    Raises
    ------
    TrialError, SubjectError
        What the model needs and neither trial nor subject has.
    """
    return analyse_prepared(trial, prepare(trial, model, subject_file, static, options.marker_set), static, options)


def analyse_prepared(trial: Trial, prepared: Prepared, static: Trial | None, options: Options) -> Result:
    """`analyse` for a trial whose markers and measurements were found before, with the same static."""
    model, needs, subject, up_g = prepared.model, prepared.needs, prepared.subject, prepared.up_g
    if options.loads or trial.loaded:
        from gaitid.analysis.applied_loads import check_loads  # of few trials

        check_loads(trial, model, options.loads)
    calibration = calibration_of(prepared, list(needs))
    markers = clean_markers(trial, model, marker_templates(calibration, model, list(needs)))
    geometry, body = geometry_of(model, markers, subject, up_g, calibration), None
    if centres_need_segments(model):
        body = pose_body(geometry, markers, list(needs))
    # the samples of plates are most of what is held of a long trial: they go before the axes of segments come
    ground = ground_under(trial, markers, list(needs), geometry if body is None else body.geometry)
    of_channels = faults_of_channels(trial, ground)
    for plate in trial.plates if options.let_go else ():
        plate.let_go()

    if body is None:
        body = pose_body(geometry, markers, list(needs))
    body, markers, emptied, jump_notes = without_jumps(body, markers, trial.rate_hz)
    motion = differentiate(body, trial.rate_hz)
    whole = find_upper_body(trial, markers, body)
    applied, on_segments, applied_notes = _applied(options, body, motion, trial.rate_hz)
    by_hand = assigned_frames(options.by_hand, trial, list(ground.feet))
    balance = None if applied else balance_of(body, motion, up_g, trial.rate_hz)  # the ground carries not all of it
    vertical_m_per_s = motion.of_parts(lambda part: part.base.vel_g @ up_g)
    stand = Stand(ground, by_hand, vertical_m_per_s, body.settings, static, prepared.static_model, balance)
    subject, loads, faults, mass_notes = sound_loads(subject, model, stand, trial, of_channels, body, whole)
    check_masses(body, subject.mass_kg)
    ground = faults.without(ground)
    by_file = _sides_by_file(trial, model, applied)
    loads_notes = _loads_notes(trial, model, ground, loads, options.require_forces, by_file)
    threshold_N = body.settings.contact_threshold_N
    gait = analyse_gait(trial.events, loads.by_side, ground.feet, motion.base.com_g, ground.floor, threshold_N)
    timed = [c for c in loads.contacts if balance is not None and not any(ground.cuts(c.first, c.last))]

    weight_N = subject.mass_kg * body.settings.gravity_m_per_s2
    bandwidth_hz = markers.quality["marker_bandwidth_hz"]
    acting = loads.by_side
    if body.settings.joint_loads == "matched":
        acting = {side: matched_load(load, bandwidth_hz, trial.rate_hz) for side, load in acting.items()}
    impacts = find_impacts(acting, loads.contacts, trial.rate_hz, weight_N, bandwidth_hz)

    gravity_g = -body.settings.gravity_m_per_s2 * up_g
    mechanics = Mechanics(subject.mass_kg, gravity_g, options.solver, on_segments)
    measured = [side for side in model.sides if side.name in needs]
    on_ground = [side.name for side in measured if model.touches_ground and side.name not in by_file]
    on_feet = {side.name: acting[side.name] if side.name in on_ground else no_load(trial.n_frames) for side in measured}
    posed = Posed(body, motion, markers, mechanics, trial.rate_hz, emptied)
    limbs, moment_notes = possible_limbs(measured, posed, on_feet, loads.contacts)
    sides = {side.name: limbs.get(side.name) or absent_limb(model, trial.n_frames) for side in model.sides}
    for name in limbs:
        sides[name] = replace(limbs[name], load=loads.by_side.get(name, on_feet[name]))
    sides, body_notes = withhold(sides, body, subject)
    sides = with_trunk_angles(sides, whole)
    base_link = base_body = None
    if model.base.body is not None:
        base_link, base_body = make_link(model.base.body, "", body, motion.base, mechanics)
    result = Result(
        trial=trial,
        model=model,
        settings=body.settings,
        solver=options.solver,
        subject=subject,
        markers=markers,
        body=body,
        ground=ground,
        loads=loads,
        gravity_g=mechanics.gravity_g,
        base=motion.base,
        solve_base=partial(base_wrench, body, tuple(sides.values()), motion, base_link, mechanics),
        base_body=base_body,
        sides=sides,
        gait=gait,
        impacts=impacts,
        conventions=conventions(model, up_g, prepared.up_words, body.R_gp, body.progression_words),
        notes=_told_once(
            (
                *trial.notes,
                *prepared.notes,
                *subject.notes,
                *markers.notes,
                *body.notes,
                *loose_notes(body.geometry, markers.seen, trial.rate_hz, body.notes),
                *lost_point_notes(body, trial.rate_hz, trial.first_frame),
                *jump_notes,
                *moment_notes,
                *body_notes,
                *gimbal_notes(body, list(needs), trial.first_frame),
                *mass_notes,
                *_heel_notes(trial, model, ground),
                *ground_notes(ground.notes, gait.events),
                *faults.notes,
                *contact_clock_notes(gait.events, timed, faults.notes),
                *loads.notes,
                *loads_notes,
                *applied_notes,
                *event_notes(gait, ground.feet, trial),
                *impact_notes(impacts, trial.first_frame, bandwidth_hz),
                *wrench_notes(model, sides, options.require_forces),
                *([Note("model_limits", model.caution)] if model.caution else []),
            )
        ),
        verdict=NOT_JUDGED,
        applied_loads=applied,
        whole_body=whole,
    )
    rest_aside()
    return judged(result, (*result.notes, *figure_notes(result)))


def _applied(
    options: Options, body: Body, motion: Motion, rate_hz: float
) -> tuple[tuple[AppliedLoad, ...], Mapping[Key, Wrench], Notes]:
    """Measured loads but the ground's: each, all on one segment together, and what is worth saying."""
    if not options.loads:
        return (), {}, ()
    from gaitid.analysis.applied_loads import apply_loads, summed

    applied, notes = apply_loads(options.loads, body, motion, rate_hz)
    return applied, summed(applied), notes


def _sides_by_file(trial: Trial, model: specs.Model, applied: Sequence[AppliedLoad]) -> tuple[str, ...]:
    """The sides whose foot carries a load of a file in a trial without any plate: all that acts on it, then."""
    if trial.plates or trial.refused_plates:
        return ()
    feet = {body.segment for body in model.chain if body.ground}
    return tuple(dict.fromkeys(load.side for load in applied if load.segment in feet))


# --- what is there ------------------------------------------------------------------------------------------


@frozen_dataclass(eq=False)
class Prepared:
    """A trial whose markers and measurements suffice for a model.

    Attributes
    ----------
    model : Model
        Bound to the trial's labels.
    needs : mapping of side to Needs
        Of the legs that were recorded.
    notes : Notes
        Of the legs.
    up_g : (3,) array
        The vertical.
    up_words : str
        How it was found.
    sources : Sources
    subject : Subject
    """

    model: specs.Model
    needs: Mapping[str, Needs]
    notes: Notes
    up_g: Array
    up_words: str
    sources: Sources
    subject: Subject

    @property
    def static_model(self) -> specs.Model | None:
        """The model bound to the labels of the static."""
        return None if self.sources.static is None else self.sources.static.model


def prepare(
    trial: Trial,
    model: specs.Model,
    subject_file: SubjectFile,
    static: Trial | None = None,
    marker_set: MarkerSet | None = None,
    known: tuple[Bound, dict[str, Needs], Notes] | None = None,
    one_leg_will_do: bool = True,
) -> Prepared:
    """Find the markers and the measurements that a model needs.

    Parameters
    ----------
    trial : Trial
    model : Model
    subject_file : SubjectFile
    static : Trial, optional
    marker_set : MarkerSet, optional
    known : tuple, optional
        What `recorded` gives, of who has asked it already: with a subject file that says nothing of labels or places.
    one_leg_will_do : bool
        Whether a leg that lacks markers or measurements is left out where the other has all of its own.

    Raises
    ------
    TrialError, SubjectError
        What the model needs and neither trial, static nor subject has.
    """
    if marker_set is None and subject_file.marker_set and subject_file.marker_set in bundled_marker_sets():
        marker_set = load_marker_set(find_marker_set(subject_file.marker_set))
    places = subject_file.calibration.places
    bound, needs, notes = known or recorded(trial, model, static, marker_set, places, one_leg_will_do)
    up_g, up_words = vertical(trial, bound.model)
    standing = None
    if static is not None and bound.static_model is not None:
        standing = recording(static, bound.static_model, vertical(static, bound.static_model)[0])
    sources = Sources(subject_file, trial.parameters, standing, recording(trial, bound.model, up_g))
    notes += (*plate_tilt(trial, bound.model, up_g), *reading_notes(static))
    needs, subject, of_legs = measured_legs(bound.model, needs, sources, one_leg_will_do)
    notes += of_legs + measured_joint_notes(bound.model, {side: n.measurements for side, n in needs.items()}, subject)
    model = bound.model
    if model.table.by_sex:
        model = model._replace(table=model.table.by_sex[subject.sex])
    model = with_measured(model, subject_file.rows)
    return Prepared(model, needs, notes, up_g, up_words, sources, subject)


def prepared_or_fault(
    trial: Trial,
    model: specs.Model,
    subject_file: SubjectFile,
    static: Trial | None = None,
    marker_set: MarkerSet | None = None,
    one_leg_will_do: bool = True,
) -> Prepared | GaitidError:
    """As `prepare`, or why a trial cannot be analysed with a model for want of markers or measurements."""
    try:
        return prepare(trial, model, subject_file, static, marker_set, None, one_leg_will_do)
    except GaitidError as error:
        return error


# --- the subject ---------------------------------------------------------------------------------------------


def calibration_of(prepared: Prepared, sides: Sequence[str]) -> Calibration:
    """What is carried over from the static, or else from what a subject file says of one.

    Raises
    ------
    TrialError
        The static is none (`check_stands`), or left and right are exchanged in it.
    """
    static, file = prepared.sources.static, prepared.sources.file
    if static is None or file.calibration.places:  # as with measurements, the file wins
        return file.calibration
    check_stands(static.markers)
    geometry = static_geometry(prepared)
    assert geometry is not None
    calibration = calibrate(geometry, sides, "static trial")
    check_sides(geometry, sides)
    return calibration


def static_geometry(prepared: Prepared) -> Geometry | None:
    """The model's points and frames on the static; None without one."""
    subject, static = prepared.subject, prepared.sources.static
    if static is None:
        return None
    flat = subject.foot_flat is not False
    return Geometry(static.model, static.markers, subject.numbers, static.n_frames, static.up_g, flat)


# --- the ground ---------------------------------------------------------------------------------------------


def ground_under(trial: Trial, markers: Markers, sides: Sequence[str], body: Geometry) -> Ground:
    """Plates and feet of the sides that were recorded; `body` is the model's geometry on the trial."""
    model, up_g = body.model, body.up_g
    if not model.touches_ground:
        return no_ground(trial, markers.settings, up_g)
    feet: dict[str, FootTrack] = {
        side: foot for side, foot in foot_tracks(trial, model, markers.seen, body).items() if side in sides
    }
    return find_ground(trial, markers.settings, feet, up_g, markers.passes)


def _heel_notes(trial: Trial, model: specs.Model, ground: Ground) -> Notes:
    """That another marker stands for the heel, to tell on which plate a foot is."""
    heels = {side: model.labels(model.heel, side) for side in ground.feet if model.heel in model.each_side.markers}
    without = [side for side, labels in heels.items() if model.instead_of_heel and not any(map(trial.has, labels))]
    if not without or not ground.plates:
        return ()
    return (note("heel_absent", feet=without, what=model.instead_of_heel.replace("_", " ")),)


def _loads_notes(
    trial: Trial, model: specs.Model, ground: Ground, loads: Loads, require_forces: bool, by_file: Sequence[str]
) -> Notes:
    """Where other programs say otherwise, and that no foot's load is known from plates."""
    if not model.touches_ground:
        return ()
    if by_file:
        return (note("load_assumed/without_plates", feet=[*by_file]),)
    notes = disagreements(trial.assignments, loads.contacts, trial)
    if any(contact.plates for contact in loads.contacts):
        return notes
    why = "no foot stands wholly on the plates" if ground.plates else "no usable force plate in the trial"
    if require_forces:
        raise TrialError(why, expected="at least one foot with a known load", todo="leave out --require-forces")
    return *notes, Note("no_known_load", f"{why}: wrenches are known in the air only")


def _told_once(notes: Iterable[Note]) -> Notes:
    """Notes in their rank, without those that follow from another: of wrenches that are not there at all."""
    notes = ranked(notes)
    codes = {note.code for note in notes}
    follows: set[str] = set()
    if "no_known_wrench" in codes:  # nothing that is written depends on forces
        follows |= {"filters_differ", "impact", "no_known_load"}
    if "impact" in codes:  # the same with its frames
        follows.add("filters_differ")
    if codes & {"mass_unknown"} and "no_known_wrench" in codes:
        follows.add("no_known_wrench")
    return tuple(note for note in notes if note.code not in follows)
