"""One trial as a chain of stages: `Pipeline` reads from top to bottom as the data go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from gaitid.analysis.base import base_wrench
from gaitid.analysis.conventions import conventions
from gaitid.analysis.corrections import gait_by_hand, with_support
from gaitid.analysis.figures import figure_notes
from gaitid.analysis.found import Found, find
from gaitid.analysis.gimbal import gimbal_notes
from gaitid.analysis.impossible import Posed, possible_limbs
from gaitid.analysis.judge import judged, without_consequences
from gaitid.analysis.limb import Mechanics, absent_limb, ground_loads, make_part, solve_limbs, wrench_notes
from gaitid.analysis.mass import Stand, Weighed, ground_under, heel_notes, loads_notes, mover_of, static_mass, weigh
from gaitid.analysis.recorded import Recorded, recorded
from gaitid.analysis.result import NOT_JUDGED, Estimate, Result, SideResult
from gaitid.analysis.stages import Stages, stage
from gaitid.analysis.whole_body import balance_of, with_trunk_angles
from gaitid.analysis.withheld import withhold
from gaitid.body.calibration import calibrate, marker_templates, with_stored, without_static
from gaitid.body.discontinuities import Continuous, without_jumps
from gaitid.body.frames import Geometry
from gaitid.body.joints import Calibration
from gaitid.body.late_markers import loose_notes, lost_point_notes
from gaitid.body.measured import check_masses
from gaitid.body.poses import Body, Checked, Key, centres_need_segments, check_pose, geometry_of, pose_segments
from gaitid.body.sanity import check_sides, check_standing
from gaitid.body.subject import Subject, SubjectFile
from gaitid.body.upper_body import WholeBody, find_upper_body, legs_stand_for_the_body
from gaitid.dynamics.chain import Wrench
from gaitid.faults.find import PlateFaults, faults_of_channels, find_faults
from gaitid.faults.laboratory import Day
from gaitid.gait.emg import Envelopes, envelopes
from gaitid.gait.events import contact_clock_notes
from gaitid.gait.impact import Impact, find_impacts, impact_notes, matched_loads, smoothed_notes
from gaitid.gait.spatiotemporal import Gait, analyse_gait, event_notes, ground_notes
from gaitid.ground.balance import Balance
from gaitid.ground.by_hand import ByHand, assigned_frames
from gaitid.ground.contacts import FootLoad, Loads
from gaitid.ground.ground import Ground
from gaitid.ground.plate_channels import Fault
from gaitid.markers.clean import Markers, clean_markers
from gaitid.model import specs
from gaitid.model.marker_sets import MarkerSet, bundled_marker_set
from gaitid.notes import Notes, note
from gaitid.numerics.masks import joined
from gaitid.trial import Mask, Trial

if TYPE_CHECKING:
    from gaitid.analysis.applied_loads import AppliedLoad
    from gaitid.read.tables.body_load import BodyLoad


def analyse(
    trial: Trial, model: specs.Model, subject_file: SubjectFile, static: Trial | None = None, **how: Any
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
    **how : other inputs of `Pipeline`

    Raises
    ------
    TrialError, SubjectError
        What the model needs and neither trial nor subject has.
    """
    return Pipeline(trial=trial, model=model, subject_file=subject_file, static=static, **how).make_all().result


def pipeline_of(result: Result) -> Pipeline:
    """What a result was made by, to make it again with a value replaced."""
    assert isinstance(result.pipeline, Pipeline)
    return result.pipeline


class Pipeline(Stages):
    """One trial from what was read to its result.

    Attributes
    ----------
    trial, static : Trial, Trial or None
    model : Model
        As loaded, bound to no labels.
    subject_file : SubjectFile
    marker_set : MarkerSet or None
        What the labels of the markers mean, where the user says it.
    both_legs : bool
        Whether a leg that lacks markers or measurements refuses the trial, and is not left out.
    given_loads : tuple of (str, BodyLoad)
        Measured loads on segments but the ground's, by the word that names the segment.
    by_hand : tuple of ByHand
        Which foot was on which plates, frames as the file numbers them.
    solver : str
        One of `gaitid.dynamics.newton_euler.SOLVERS`.
    require_forces, stability, estimate_loads, estimated_too : bool
        Refuse a trial in which no foot is known to be loaded; and whether margins of stability are wanted, and loads
        that no plate tells, and features of these.
    laboratory : tuple of Day
        What is known of it.
    through : Geometry or None
        The geometry through gaps, where it does not follow from the model and the markers alone.
    emg_reference : mapping of label to float, or None
        What envelopes of electromyography are held against, V.
    """

    trial: Trial
    model: specs.Model
    subject_file: SubjectFile = SubjectFile()
    static: Trial | None = None
    marker_set: MarkerSet | None = None
    both_legs: bool = False
    given_loads: tuple[tuple[str, BodyLoad], ...] = ()
    by_hand: tuple[ByHand, ...] = ()
    solver: str = "block"
    require_forces: bool = False
    laboratory: tuple[Day, ...] = ()
    through: Geometry | None = None
    emg_reference: Mapping[str, float] | None = None
    stability: bool = False
    estimate_loads: bool = False
    estimated_too: bool = False

    def of_trial(self, trial: Trial) -> Result:
        """Another trial with the same model, subject and static, and nothing else that was said of this one."""
        said = {name: self.inputs[name] for name in ("given_loads", "by_hand", "solver", "require_forces")}
        return self.with_(trial=trial, **said).make_all().result

    @stage
    def recorded(self) -> Recorded:
        """The model bound to the labels of the trial and the static, and what each leg needs."""
        file, model = self.subject_file, with_support(self.model, self.trial)
        marker_set = self.marker_set or bundled_marker_set(file.marker_set)
        return recorded(self.trial, model, self.static, marker_set, file.calibration, not self.both_legs)

    @stage
    def found(self) -> Found:
        """The markers and the measurements that the model needs."""
        return find(self.recorded, self.trial, self.subject_file, self.static, self.both_legs)

    @stage
    def legs(self) -> tuple[str, ...]:
        """Those that were recorded."""
        if self.given_loads or self.trial.loaded:
            from gaitid.analysis.applied_loads import check_loads  # of few trials

            check_loads(self.trial, self.found.model, self.given_loads)
        return tuple(self.found.needs)

    @stage
    def static_geometry(self) -> Geometry | None:
        """The model's points and frames on the static; None without one."""
        if (static := self.found.sources.static) is None:
            return None
        numbers, flat = self.found.subject.numbers, self.found.subject.foot_flat is not False
        return Geometry(static.model, static.markers, numbers, static.n_frames, static.up_g, flat)

    @stage
    def calibration(self) -> Calibration:
        """What is carried over from the static, or else from what a subject file or the trial itself says of one."""
        own = without_static(self.found.sources.file.calibration, self.found.model, self.trial, self.static)
        if (geometry := self.static_geometry) is None or own.places:  # as with measurements, the file wins
            return own
        check_standing(geometry.tracks)
        calibration = with_stored(calibrate(geometry, self.legs, "static trial"), self.found.model, self.trial)
        check_sides(geometry, self.legs, of_static=True)
        return calibration

    @stage
    def cleaned(self) -> Markers:
        """Labels checked, gaps filled, noise filtered."""
        model = self.found.model
        return clean_markers(self.trial, model, marker_templates(self.calibration, model, self.legs))

    @stage
    def geometry(self) -> Geometry:
        """Points and frames of the model on the markers, of which none is computed yet."""
        found = self.found
        return geometry_of(found.model, self.cleaned, found.subject, found.up_g, self.calibration)

    @stage
    def ground(self) -> Ground:
        """Plates and feet as filed."""
        # the samples of plates are most of what is held of a long trial: they go before the axes of segments come
        first = self.checked.geometry if centres_need_segments(self.found.model) else self.geometry
        return ground_under(self.trial, self.cleaned, self.legs, first)

    @stage
    def channel_faults(self) -> Sequence[Fault]:
        """What the samples of the plates show by themselves."""
        return faults_of_channels(self.trial, self.ground)

    @stage
    def checked(self) -> Checked:
        """The geometry with its segments, and what is said of it where it is a body's."""
        return check_pose(self.geometry, self.cleaned, self.legs)

    @stage
    def posed(self) -> Body:
        """Where every segment is."""
        return pose_segments(self.checked.geometry, self.cleaned, self.legs, self.checked.notes, self.through)

    @stage
    def continuous(self) -> Continuous:
        """The same without poses that jump."""
        return without_jumps(self.posed, self.cleaned, self.trial.rate_hz)

    @stage
    def markers(self) -> Markers:
        """Those that the body was posed by."""
        return self.continuous.markers

    @stage
    def body(self) -> Body:
        """Where every segment is, unknown beside jumps."""
        return self.continuous.body

    @stage
    def emptied(self) -> Mapping[str, Mask]:
        """By side the frames that are empty beside jumps."""
        return self.continuous.emptied

    @stage
    def whole_body(self) -> WholeBody | None:
        """Trunk, head and arms, where they have markers."""
        return find_upper_body(self.trial, self.markers, self.body)

    @stage
    def applied_loads(self) -> tuple[tuple[AppliedLoad, ...], Notes]:
        """Measured loads but the ground's, with notes."""
        if not self.given_loads:
            return (), ()
        from gaitid.analysis.applied_loads import apply_loads

        return apply_loads(self.given_loads, self.body)

    @stage
    def applied(self) -> Mapping[Key, Wrench]:
        """All of them on each segment together."""
        if not self.applied_loads[0]:
            return {}
        from gaitid.analysis.applied_loads import summed

        return summed(self.applied_loads[0])

    @stage
    def balance(self) -> Balance | None:
        """What the motion asks of the ground; None where the ground carries not all of it."""
        return None if self.applied_loads[0] else balance_of(self.body, self.found.up_g, self.trial.rate_hz)

    @stage
    def stand(self) -> Stand:
        """What weighs the body."""
        by_hand = assigned_frames(self.by_hand, self.trial, [*self.ground.feet])
        rising_m_per_s = joined([motion.base.vel_g @ self.found.up_g for _, motion in self.body.motions()])
        settings, static_model = self.body.settings, self.found.static_model
        return Stand(self.ground, by_hand, rising_m_per_s, settings, self.static, static_model, self.balance)

    @stage
    def weighed_as_filed(self) -> Weighed:
        """The mass, and the loads on the feet, from all plates."""
        return weigh(self.found.subject, self.found.model, self.stand)

    @stage
    def plate_faults(self) -> PlateFaults:
        """What is wrong with plates and clocks."""
        first = self.weighed_as_filed
        mover = mover_of(self.found.subject, first, self.stand, self.body, self.whole_body)
        faults = find_faults(self.trial, self.ground, first.loads, mover, self.channel_faults, self.laboratory)
        return faults.weighed_in_static(lambda: static_mass(self.stand).mass_kg, first.subject.mass_kg)

    @stage
    def sound_ground(self) -> Ground:
        """Plates and feet without what is wrong."""
        return self.plate_faults.without(self.ground)

    @stage
    def weighed(self) -> Weighed:
        """The mass and the loads, judged a second time where a plate is wrong."""
        if not self.plate_faults.withheld:
            return self.weighed_as_filed
        return weigh(self.found.subject, self.found.model, replace(self.stand, ground=self.sound_ground))

    @stage
    def subject(self) -> Subject:
        """With the mass that the plates gave, where no source says it."""
        check_masses(self.body, self.weighed.subject.mass_kg)
        return self.weighed.subject

    @stage
    def loads(self) -> Loads:
        """The load on each foot, and the contacts."""
        return self.weighed.loads

    @stage
    def loads_notes(self) -> Notes:
        """Where other programs say otherwise, and that no foot's load is known."""
        of = self.trial, self.found.model, self.sound_ground
        return loads_notes(*of, self.loads, self.require_forces, self.by_file)

    @stage
    def by_file(self) -> tuple[str, ...]:
        """The sides whose foot carries a load of a file in a trial without any plate: all that acts on it, then."""
        without = not (self.trial.plates or self.trial.refused_plates)
        feet = {body.segment for body in self.found.model.chain if body.ground and without}
        return tuple(dict.fromkeys(load.side for load in self.applied_loads[0] if load.segment in feet))

    @stage
    def gait(self) -> Gait:
        """Events, cycles and where the feet go."""
        trial, ground, body = self.trial, self.sound_ground, self.body
        how = body.base_g, ground.floor, body.settings.contact_threshold_N, gait_by_hand(trial)
        return analyse_gait(trial.events, self.loads.by_side, ground.feet, *how)

    @stage
    def acting(self) -> Mapping[str, FootLoad]:
        """By side what joints are computed with: the load, or one that is as slow as the markers."""
        matched, bandwidth_hz = self.body.settings.joint_loads == "matched", self.markers.quality["marker_bandwidth_hz"]
        return matched_loads(self.loads.by_side, bandwidth_hz, self.trial.rate_hz) if matched else self.loads.by_side

    @stage
    def impacts(self) -> tuple[Impact, ...]:
        """Where the force of foot strikes is faster than the markers."""
        of_loads = self.acting, self.loads.contacts, self.trial.rate_hz
        weight_N = self.subject.mass_kg * self.body.settings.gravity_m_per_s2
        return find_impacts(*of_loads, weight_N, self.markers.quality["marker_bandwidth_hz"])

    @stage
    def mechanics(self) -> Mechanics:
        """What the equations of motion need besides motions and loads of the ground."""
        gravity_g = -self.body.settings.gravity_m_per_s2 * self.found.up_g
        return Mechanics(self.subject.mass_kg, gravity_g, self.solver, self.applied, floor_g=self.ground.floor.steady_g)

    @stage
    def on_feet(self) -> Mapping[str, FootLoad]:
        """By recorded side what the ground exerts on its foot."""
        acting = {side: load for side, load in self.acting.items() if side not in self.by_file}
        return ground_loads(self.found.model, self.legs, acting, self.trial.n_frames)

    @stage
    def solved(self) -> Mapping[str, SideResult]:
        """Limbs of the legs that were recorded."""
        return solve_limbs(self.body, self.on_feet, self.mechanics, self.emptied)

    @stage
    def limbs(self) -> tuple[Mapping[str, SideResult], Notes]:
        """The same without moments that no person exerts."""
        posed = Posed(self.body, self.markers, self.mechanics, self.emptied)
        limbs, notes = possible_limbs(self.solved, posed, self.on_feet, self.loads.contacts)
        loads = {**self.on_feet, **self.loads.by_side}
        return {name: replace(limb, load=loads[name]) for name, limb in limbs.items()}, notes

    @stage
    def sides(self) -> tuple[Mapping[str, SideResult], Notes]:
        """All sides, a joint empty whose lengths or calibration are those of no body."""
        model, limbs = self.found.model, self.limbs[0]
        sides = {side.name: limbs.get(side.name) or absent_limb(model, self.trial.n_frames) for side in model.sides}
        possible, notes = withhold(sides, self.body, self.subject)
        return with_trunk_angles(possible, self.whole_body), notes

    @stage
    def estimate(self) -> Estimate | None:
        """The loads that no plate tells, from the body's motion; None where nobody asks for them."""
        if not self.estimate_loads:
            return None
        from gaitid.analysis.estimated import Known, estimate_loads  # of few runs

        of_ground = self.sound_ground, self.loads, self.on_feet, self.gait.events.used, self.stand.by_hand, self.balance
        posed = Posed(self.body, self.markers, self.mechanics, self.emptied)
        return estimate_loads(self.sides[0], posed, Known(*of_ground, self.whole_body, self.subject))

    @stage
    def emg(self) -> Envelopes | None:
        """Envelopes of the muscles whose activity was recorded."""
        trial = self.trial
        return envelopes(trial.emg, trial.rate_hz, trial.n_frames, self.subject_file.emg, self.emg_reference)

    @stage
    def notes(self) -> Notes:
        """What every stage has to say."""
        trial, found, body, gait, faults = self.trial, self.found, self.body, self.gait, self.plate_faults
        ground, contacts, rate_hz = self.sound_ground, self.loads.contacts, self.trial.rate_hz
        model, (sides, notes_of_sides) = found.model, self.sides
        by_legs = self.stability and legs_stand_for_the_body(body, bool(self.whole_body and self.whole_body.complete))
        timed = () if self.balance is None else [c for c in contacts if not any(ground.cuts(c.first, c.last))]
        return (
            *(of_stage for stage in (trial, found, self.subject, self.markers, body) for of_stage in stage.notes),
            *loose_notes(body.geometry, self.markers.seen, rate_hz, body.notes),
            *(*lost_point_notes(body, rate_hz, trial.first_frame), *self.continuous.notes, *self.limbs[1]),
            *(*notes_of_sides, *gimbal_notes(body, [*self.legs], trial.first_frame)),
            *(*self.weighed.notes, *heel_notes(trial, model, ground), *ground_notes(ground.notes, gait.events)),
            *(*faults.notes, *contact_clock_notes(gait.events, timed, faults.notes)),
            *(*self.loads.notes, *self.loads_notes, *self.applied_loads[1]),
            *(self.estimate.notes if self.estimate is not None else ()),
            *event_notes(gait, ground.feet, trial),
            *impact_notes(self.impacts, trial.first_frame, self.markers.quality["marker_bandwidth_hz"]),
            *smoothed_notes(self.markers.seen, self.loads.by_side, rate_hz),
            *(self.emg.notes if self.emg is not None else ()),
            *(*wrench_notes(model, sides, self.require_forces), *([note("stability_of_legs")] if by_legs else [])),
            *([note("model_limits/known", caution=model.caution)] if model.caution else []),
        )

    @stage
    def result(self) -> Result:
        """Everything, with its notes and its verdict."""
        body, found, model, sides, estimate = self.body, self.found, self.found.model, self.sides[0], self.estimate
        of_base = model.base.body and make_part(model.base.body, "", body, self.mechanics)
        result = Result(
            trial=self.trial,
            model=model,
            settings=body.settings,
            solver=self.solver,
            subject=self.subject,
            markers=self.markers,
            body=body,
            ground=self.sound_ground,
            loads=self.loads if estimate is None else replace(self.loads, contacts=estimate.contacts),
            gravity_g=self.mechanics.gravity_g,
            solve_base=partial(base_wrench, body, tuple(sides.values()), self.mechanics),
            base_body=of_base and of_base.parameters(body, body.base),
            sides=sides,
            gait=self.gait,
            impacts=self.impacts,
            conventions=conventions(model, found.up_g, found.up_words, body.R_gp, body.progression_words),
            notes=without_consequences(self.notes),
            verdict=replace(NOT_JUDGED, not_seen=self.plate_faults.not_seen),
            pipeline=self.with_(),
            applied_loads=self.applied_loads[0],
            whole_body=self.whole_body,
            laboratory=(self.plate_faults.laboratory, self.plate_faults.held_against),
            emg=self.emg,
            stability=self.stability,
            estimate=estimate,
        )
        made = judged(result, (*result.notes, *figure_notes(result)))
        return made if estimate is None or not self.estimated_too else replace(made, sides=estimate.sides)
