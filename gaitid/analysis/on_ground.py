"""Plates, feet and loads of a trial: what the stages of the ground need besides the rooms that judge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.analysis.mass import IN_STATIC, Stand, Weighed, static_mass
from gaitid.analysis.whole_body import of_whole_body
from gaitid.body.centre_of_mass import centre_of_body
from gaitid.body.feet import FootTrack, foot_tracks
from gaitid.body.frames import Geometry
from gaitid.body.poses import Body
from gaitid.body.subject import Subject
from gaitid.body.upper_body import WholeBody
from gaitid.errors import TrialError
from gaitid.faults.gathering import Mover
from gaitid.ground.contacts import Loads, disagreements
from gaitid.ground.ground import Ground, find_ground, no_ground
from gaitid.markers.clean import Markers
from gaitid.model import specs
from gaitid.notes import Notes, note, phrase
from gaitid.trial import Trial


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
