"""The loads on the feet from the plates that are sound: judged once as filed, and again without those with a fault."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gaitid.analysis.mass import IN_STATIC, Stand, static_mass, weigh
from gaitid.analysis.whole_body import of_whole_body
from gaitid.body.centre_of_mass import centre_of_body
from gaitid.body.poses import Body
from gaitid.body.subject import Subject
from gaitid.body.upper_body import WholeBody
from gaitid.gait.body_mass import walking_mass
from gaitid.ground.contacts import Loads
from gaitid.ground.fault import Fault
from gaitid.ground.plate_faults import Mover, PlateFaults, find_faults
from gaitid.model import specs
from gaitid.notes import Notes
from gaitid.records import NamedTuple
from gaitid.trial import Trial


class SoundLoads(NamedTuple):
    """The loads on the feet, of plates that are sound.

    Attributes
    ----------
    subject : Subject
        With the plates' mass where no source gives it.
    loads : Loads
    faults : PlateFaults
        Of plates and clocks.
    notes : Notes
        On the mass.
    """

    subject: Subject
    loads: Loads
    faults: PlateFaults
    notes: Notes


def sound_loads(
    subject: Subject,
    model: specs.Model,
    stand: Stand,
    trial: Trial,
    of_channels: Sequence[Fault],
    body: Body,
    whole: WholeBody | None = None,
) -> SoundLoads:
    """Weigh the body, judge who stood where and what is wrong with plates and clocks.

    Parameters
    ----------
    subject : Subject
        As given; its mass may be unknown.
    model : Model
    stand : Stand
    trial : Trial
    of_channels : sequence of Fault
        What the samples of the plates show by themselves (`faults_of_channels`).
    body : Body
    whole : WholeBody, optional
        Plates and clocks are held against its motion. Single contacts are not: their limits, which bear a stored mass
        that is off by 14 %, were chosen with pelvis and legs.
    """
    weighed, loads, notes = weigh(subject, model, stand)
    mover = _mover(subject, weighed, stand, loads, (body, whole))
    faults = find_faults(trial, stand.ground, loads, mover, of_channels)
    if any(fault.code == "body_not_carried" for fault in faults.faults):
        faults = faults.weighed_in_static(static_mass(stand).mass_kg, weighed.mass_kg)
    if not faults.withheld:
        return SoundLoads(weighed, loads, faults, notes)
    weighed, loads, notes = weigh(subject, model, replace(stand, ground=faults.without(stand.ground)))
    return SoundLoads(weighed, loads, faults, notes)


def _mover(
    given: Subject, weighed: Subject, stand: Stand, loads: Loads, bodies: tuple[Body, WholeBody | None]
) -> Mover:
    """What is known of the body that the plates carry."""
    body, whole = bodies
    gravity = stand.gravity_m_per_s2
    walked_N = float("nan")
    if stand.balance is not None and np.isfinite(weighed.mass_kg):
        walked = walking_mass(stand.ground, loads, stand.vertical_m_per_s, gravity)
        walked_N = walked.mass_kg * gravity if walked.sure else np.nan
    mass = weighed.measured.get("mass")
    independent = np.isfinite(given.mass_kg) or (mass is not None and IN_STATIC in mass.source)
    weight_N, weighed_by = weighed.mass_kg * gravity, "" if independent else "the plates"
    return Mover(of_whole_body(stand.balance, body, whole), centre_of_body(body), weight_N, weighed_by, walked_N)
