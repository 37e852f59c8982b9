"""What the ground's stages need besides the rooms that judge it: plates, feet and loads, and the body's mass where no
source says it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gaitid.analysis.whole_body import of_whole_body
from gaitid.body.feet import FootTrack, foot_tracks
from gaitid.body.frames import Geometry
from gaitid.body.poses import Body
from gaitid.body.subject import Measured, Subject
from gaitid.body.upper_body import WholeBody, centre_of_body
from gaitid.errors import GaitidError, TrialError
from gaitid.faults.gathering import Mover
from gaitid.gait.body_mass import BodyMass, agreed, no_mass, standing_mass, walking_mass
from gaitid.ground.balance import Balance
from gaitid.ground.by_hand import ByHand
from gaitid.ground.contacts import Loads, disagreements, loads_on_feet
from gaitid.ground.ground import Ground, find_ground, no_ground
from gaitid.ground.vertical import vertical
from gaitid.markers.clean import Markers
from gaitid.model import specs
from gaitid.notes import Notes, note, phrase
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Trial

# Which contacts count may depend on the weight, and the weight on them: so often it is tried until both fit.
ROUNDS = 3
# Greatest vertical force of a run in body weights: about 2 to 2.9, from slow to fast (Nilsson & Thorstensson 1989, Acta
# Physiol Scand 136:217-227).
RUNNING_PEAK = 2.5
# Standing and walking that differ by more than this share weigh something else, or with a plate that is not at zero; on
# the shared trials they agree within 1 %.
CONTRADICTION = 0.05
# m. A plate whose centre lies as near in two files is the same one.
SAME_PLACE = 0.01
# What weighed the body, in words.
IN_STATIC = "the static"


@frozen_dataclass(eq=False)
class Stand:
    """What weighs a body.

    Attributes
    ----------
    ground : Ground
        Of the trial.
    by_hand : sequence of ByHand
    vertical_m_per_s : (frames,) array
        Of the pelvis, upward.
    settings : Settings
        As resolved with the trial.
    static : Trial or None
    static_model : Model or None
        Bound to the labels of the static.
    balance : Balance or None
        What the motion asks of the ground.
    """

    ground: Ground
    by_hand: Sequence[ByHand]
    vertical_m_per_s: Array
    settings: specs.Settings
    static: Trial | None
    static_model: specs.Model | None = None
    balance: Balance | None = None

    @property
    def gravity_m_per_s2(self) -> float:
        return self.settings.gravity_m_per_s2

    def loads(self, mass_kg: float) -> Loads:
        """The loads on the feet of a body of that mass; NaN where it is not known."""
        return loads_on_feet(self.ground, mass_kg * self.gravity_m_per_s2, self.by_hand, self.balance)


class Weighed(NamedTuple):
    """A subject with the plates' mass, the loads on the feet of a body of it, and what is to be said of the mass."""

    subject: Subject
    loads: Loads
    notes: Notes


def weigh(subject: Subject, model: specs.Model, stand: Stand) -> Weighed:
    """The subject with the plates' mass where no source gives it, the loads on the feet, and what is to be said of it.

    The static's quiet standing comes first, then the trial's, then the trial's whole strides. A mass that a source
    gives is taken as it is. Where something else carries the body too, the plates are not asked.
    """
    if "mass" not in model.subject or np.isfinite(subject.mass_kg):
        return Weighed(subject, stand.loads(subject.mass_kg), ())
    mass, loads = _from_plates(model, stand)
    wanted = model.subject["mass"]
    if mass.sure and not wanted.low <= mass.mass_kg <= wanted.high:
        mass, loads = no_mass("mass/refused", why=[mass.refused]), stand.loads(np.nan)
    if not mass.sure:
        return Weighed(subject, loads, _unknown(model, mass))
    key = wanted.key
    value = phrase("mass/with_spread", kg=mass.mass_kg, spread_kg=mass.spread_kg)
    source = phrase("mass/source", over=mass.evidence, value=value)
    measured = {"mass": Measured(mass.mass_kg, "kg", source), **subject.measured}
    estimated = note("mass_estimated", value=value, by=mass.evidence, key=key)
    return Weighed(replace(subject, measured=measured), loads, (estimated,))


def _unknown(model: specs.Model, mass: BodyMass) -> Notes:
    """That the mass is not known, where something needs it."""
    of_body = any(row.mass_fraction is not None for row in model.table.rows.values())
    if not of_body and not model.moments:
        return ()
    return (note("mass_unknown", of_body=of_body, key=model.subject["mass"].key, why=mass.refused),)


def _from_plates(model: specs.Model, stand: Stand) -> tuple[BodyMass, Loads]:
    """The mass by the plates, or why they do not tell it, and the loads on the feet that go with that."""
    unweighed = stand.loads(np.nan)
    if not model.touches_ground:
        return no_mass("mass/no_ground"), unweighed
    if stand.settings.external_support:
        return no_mass("mass/support"), unweighed
    static = static_mass(stand)
    standing = standing_mass(stand.ground, stand.gravity_m_per_s2, "the trial")
    walking, loads = _of_strides(stand, unweighed)
    for mass in (static, standing):
        if mass.sure and walking.known and abs(walking.mass_kg / mass.mass_kg - 1) > CONTRADICTION:
            two = {"kg": mass.mass_kg, "other": walking.evidence, "other_kg": walking.mass_kg}
            return no_mass("mass/contradiction", over=mass.evidence, **two), unweighed
        if mass.sure:
            return mass, stand.loads(mass.mass_kg)
    if walking.sure:
        return walking, loads
    both = agreed(static, walking)
    return (both, stand.loads(both.mass_kg)) if both.known else (both, unweighed)


def static_mass(stand: Stand) -> BodyMass:
    """The mass of who stands on plates in the static."""
    static, model = stand.static, stand.static_model
    if static is None or model is None:
        return no_mass("mass/refused", why=())
    try:
        up_g, _ = vertical(static, model)
        ground = find_ground(static, stand.settings, foot_tracks(static, model), up_g)
    except GaitidError as error:
        return no_mass("mass/plates_refused", why=error.line())
    # the same plate, not zeroed in between: of another set-up its corners would have moved
    places = {p.number: p.centre_g for p in ground.plates}
    same = {p.number: p for p in stand.ground.plates if p.number in places and _near(p.centre_g, places[p.number])}
    return standing_mass(ground, stand.gravity_m_per_s2, IN_STATIC, same)


def _near(a_g: Array, b_g: Array) -> bool:
    """Whether a plate did not move."""
    return float(np.linalg.norm(a_g - b_g)) < SAME_PLACE


def _of_strides(stand: Stand, unweighed: Loads) -> tuple[BodyMass, Loads]:
    """The mass by strides over contacts that count for a body of this very mass, and the loads with it.

    The first contacts are those of a body of unknown weight, judged as a walker's; where these weigh nobody, those of
    one who runs.
    """
    mass, loads = _settled(stand, unweighed)
    greatest = max((float(np.fmax.reduce(p.vertical)) for p in stand.ground.plates), default=np.nan)
    if mass.known or not (greatest > 0 and stand.gravity_m_per_s2 > 0):
        return mass, loads
    of_runner = _settled(stand, stand.loads(greatest / RUNNING_PEAK / stand.gravity_m_per_s2))
    return of_runner if of_runner[0].known else (mass, loads)


def _settled(stand: Stand, loads: Loads) -> tuple[BodyMass, Loads]:
    """The mass by strides, from given loads on the feet until mass and loads fit each other, and the loads then."""
    mass = walking_mass(stand.ground, loads, stand.vertical_m_per_s, stand.gravity_m_per_s2)
    for _ in range(ROUNDS):
        if not mass.known:
            return mass, loads
        loads = stand.loads(mass.mass_kg)
        again = walking_mass(stand.ground, loads, stand.vertical_m_per_s, stand.gravity_m_per_s2)
        if again == mass:
            return mass, loads
        if not again.known:
            return replace(mass, doubt=phrase("mass/then_beside")), loads
        mass = again
    return no_mass("mass/circular"), loads


def ground_under(trial: Trial, markers: Markers, sides: Sequence[str], body: Geometry) -> Ground:
    """Plates and feet of the sides that were recorded; `body` is the model's geometry on the trial."""
    model, up_g = body.model, body.up_g
    if not model.touches_ground:
        return no_ground(trial, markers.settings, up_g)
    feet: dict[str, FootTrack] = {
        side: foot for side, foot in foot_tracks(trial, model, markers.seen, body).items() if side in sides
    }
    return find_ground(trial, markers.settings, feet, up_g, markers.passes)


def mover_of(given: Subject, weighed: Weighed, stand: Stand, body: Body, whole: WholeBody | None) -> Mover:
    """What is known of the body that the plates carry.

    Parameters
    ----------
    given : Subject
        Its mass may be unknown.
    weighed : Weighed
        By the plates as filed.
    stand : Stand
    body : Body
    whole : WholeBody or None
        Plates and clocks are held against its motion. Single contacts are not: their limits, which bear a stored mass
        that is off by 14 %, were chosen with pelvis and legs.
    """
    gravity, subject = stand.gravity_m_per_s2, weighed.subject
    mass = subject.measured.get("mass")
    independent = np.isfinite(given.mass_kg) or (mass is not None and IN_STATIC in mass.source)
    kg = subject.mass_kg
    if not np.isfinite(kg):  # where a step says otherwise than the static, plates are held against this
        kg = static_mass(stand).mass_kg
        independent = bool(np.isfinite(kg))
    balance = of_whole_body(stand.balance, body, whole)
    return Mover(balance, centre_of_body(body), kg * gravity, independent)


def heel_notes(trial: Trial, model: specs.Model, ground: Ground) -> Notes:
    """That another marker stands for the heel, to tell on which plate a foot is."""
    heels = {side: model.labels(model.heel, side) for side in ground.feet if model.heel in model.each_side.markers}
    without = [side for side, labels in heels.items() if model.instead_of_heel and not any(map(trial.has, labels))]
    if not without or not ground.plates:
        return ()
    return (note("heel_absent", feet=without, what=model.instead_of_heel.replace("_", " ")),)


def loads_notes(
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
    why = phrase("mass/no_foot" if ground.plates else "mass/no_plates")
    if require_forces:
        raise TrialError(why, expected="at least one foot with a known load", todo="leave out --require-forces")
    return *notes, note("no_known_load", why=why)
