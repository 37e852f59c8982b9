"""Joints whose lengths or calibration are those of no body -> results in which they are empty, and notes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gaitid.analysis.result import SideResult
from gaitid.body.plausible import JointFault, body_faults, knee_axis_notes
from gaitid.body.poses import Body
from gaitid.body.subject import Subject
from gaitid.dynamics.chain import Wrench
from gaitid.notes import Notes

#: What else is told of a segment below the joint.
_WITH_IT = {"ankle": ("foot_progression",)}
# About the axis that calibration turns the foot about: off by at most 0.013 N·m/kg in six trials without it.
_SAGITTAL = ("plantarflexion",)
WHY = "lengths or a calibration that no body has"

# Frames that tell the mean of an angle over a trial.
ENOUGH = 60


def withhold(sides: Mapping[str, SideResult], body: Body, subject: Subject) -> tuple[dict[str, SideResult], Notes]:
    """The same sides; a joint whose lengths or calibration are those of no body is empty.

    Parameters
    ----------
    sides : mapping of side to SideResult
    body : Body
    subject : Subject
    """
    if not body.model.touches_ground:
        return dict(sides), ()
    recorded = {name: sides[name].angles for name in body.sides if name in sides}
    some = body.geometry.thinned(ENOUGH)
    faults, notes = body_faults(body.geometry, body.sides, subject, recorded, some)
    for name, angles in recorded.items():
        notes += knee_axis_notes(some, name, angles.get("knee", {}))
    result = dict(sides)
    for fault in faults:
        result[fault.side] = _without(result[fault.side], fault)
    return result, (*(fault.note for fault in faults), *notes)


def _without(side: SideResult, fault: JointFault) -> SideResult:
    """A side whose joint is empty: its angles, moments, power and wrench.

    Of a foot whose axes are not known, the sagittal moment, the power and the wrench in other axes stay.
    """
    joint = fault.joint
    angles = {
        name: {column: np.full_like(values, np.nan) for column, values in columns.items()}
        if name in (joint, *_WITH_IT.get(joint, ()))
        else columns
        for name, columns in side.angles.items()
    }
    if joint not in side.wrenches:
        return replace(side, angles=angles)
    if fault.only_foot:
        return _without_axes_of_foot(replace(side, angles=angles), joint)
    wrench = side.wrenches[joint]
    nothing = Wrench(np.full_like(wrench.f_g, np.nan), np.full_like(wrench.m_g, np.nan), wrench.p_g)
    empty = {column: np.full_like(values, np.nan) for column, values in side.moments.get(joint, {}).items()}
    return replace(
        side,
        angles=angles,
        wrenches={**side.wrenches, joint: nothing},
        moments={**side.moments, joint: empty} if joint in side.moments else side.moments,
        powers={**side.powers, joint: np.full_like(side.powers[joint], np.nan)},
        coverage={**side.coverage, joint: {"filled": 0, WHY: len(wrench.f_g)}},
    )


def _without_axes_of_foot(side: SideResult, joint: str) -> SideResult:
    """A side without what is told in the axes of its foot, but for the sagittal moment."""
    moments = {
        name: values if name in _SAGITTAL else np.full_like(values, np.nan)
        for name, values in side.moments.get(joint, {}).items()
    }
    axes = {
        frame: R if frame == "proximal" else np.full_like(R, np.nan) for frame, R in side.axes.get(joint, {}).items()
    }
    return replace(side, moments={**side.moments, joint: moments}, axes={**side.axes, joint: axes})
