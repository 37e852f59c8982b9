"""The body's mass where no source says it: the plates' own, and the loads on the feet that go with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gaitid.body.feet import foot_tracks
from gaitid.body.subject import Measured, Subject
from gaitid.errors import GaitidError
from gaitid.gait.body_mass import BodyMass, agreed, no_mass, standing_mass, walking_mass
from gaitid.ground.balance import Balance
from gaitid.ground.by_hand import ByHand
from gaitid.ground.contacts import Loads, loads_on_feet
from gaitid.ground.ground import Ground, find_ground
from gaitid.ground.vertical import vertical
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
