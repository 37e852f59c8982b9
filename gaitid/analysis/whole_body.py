"""Trunk, head and arms in a result: the angles of each side, and what the record says of the whole body's mass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gaitid.analysis.result import Result, SideResult
from gaitid.body.joints import Pose
from gaitid.body.kinematics import SegmentMotion, segment_motions
from gaitid.body.poses import Body
from gaitid.body.upper_body import PlacedSegment, WholeBody, acceleration_of_body, centre_of_body, shares_of_legs
from gaitid.ground.balance import Balance
from gaitid.numerics.masks import known_rows
from gaitid.trial import Array, Trial

# The axes of each segment's inertia, in words.
SEGMENT_AXES = (
    "of each segment, for inertia_kg_m2: x forward, y to the left, z along it, upward where the arms hang; "
    "the trunk's are those of the thorax; how head and arms turn about z is not measured"
)


def with_trunk_angles(sides: Mapping[str, SideResult], whole: WholeBody | None) -> dict[str, SideResult]:
    """The sides with the angles of the trunk, where its markers are."""
    if whole is None or not whole.angles:
        return dict(sides)
    return {name: replace(side, trunk_angles=whole.angles.get(name, {})) for name, side in sides.items()}


def balance_of(body: Body, up_g: Array, rate_hz: float) -> Balance | None:
    """What the motion of pelvis and legs asks of the ground; None where something else carries the body too."""
    if body.settings.external_support or not body.model.touches_ground:
        return None
    gravity = body.settings.gravity_m_per_s2
    return Balance(acceleration_of_body(body) + gravity * up_g, up_g, gravity, rate_hz)


def of_whole_body(balance: Balance | None, body: Body, whole: WholeBody | None) -> Balance | None:
    """The same by the whole body's centre of mass, where trunk and both upper arms were measured; frame by frame.

    With a trunk alone, arms put at the shoulders, the force along the way was 2.4 times as far off as with pelvis and
    legs in the one recording that has no arms (docs/whole_body.md).
    """
    if balance is None or whole is None or not whole.complete:
        return balance
    weight_g = balance.gravity_m_per_s2 * balance.up_g
    asked_g = np.where(known_rows(whole.acc_g)[:, None], whole.acc_g + weight_g, balance.asked_g)
    # places of the one in some frames and of the other in others would jump
    as_long = known_rows(whole.com_g).sum() >= known_rows(centre_of_body(body)).sum()
    return replace(balance, asked_g=asked_g, com_g=whole.com_g if as_long else None)


def upper_motions(result: Result) -> dict[str, SegmentMotion]:
    """How each segment above the legs moves that was measured; its turning only where its markers tell it."""
    whole = result.whole_body
    measured = {} if whole is None else {key: one for key, one in whole.segments.items() if one.measured}
    if not measured:
        return {}
    unknown = np.full((result.trial.n_frames, 3, 3), np.nan)
    parts = {
        "_".join(filter(None, key)): (one.pose or Pose(unknown, one.com_g), one.com_g) for key, one in measured.items()
    }
    return segment_motions(parts, result.trial.rate_hz, result.settings)


def whole_body_record(whole: WholeBody, body: Body, trial: Trial, mass_kg: float) -> dict[str, Any]:
    """What ``run.json`` holds under ``whole_body``: segments with their masses, which were measured, and how."""
    legs = {f"{side}_{segment}": share for (side, segment), share in (shares_of_legs(body) or {}).items()}
    upper = {"_".join(filter(None, key)): placed for key, placed in whole.segments.items()}
    frames = int(known_rows(whole.com_g).sum())
    return {
        "name": whole.upper.name,
        "file": whole.upper.path.name,
        "table": {"name": whole.table.name, "source": whole.table.source},
        "centre_of_mass": {"frames_known": frames, "unknown_because": whole.unknown_because or None},
        "plates_and_clocks_are_held_against": "whole body" if whole.complete else "pelvis and legs",
        "segment_axes": SEGMENT_AXES,
        "segments": {
            **{name: _segment(placed, mass_kg) for name, placed in upper.items()},
            **{name: {"mass_fraction": share, "measured": True} for name, share in legs.items()},
        },
        "mass_fractions_sum": sum(legs.values()) + sum(placed.share for placed in upper.values()),
        "markers": {
            f"{side}.{role}" if side else role: label
            for side, role in _own_roles(whole)
            for label in whole.model.labels(role, side)
            if trial.has(label)
        },
        "angles": "Cardan angles, distal in proximal, "
        + "; ".join(
            f"{name}: {angle.sequence}, {angle.distal} in {angle.proximal}, "
            + ", ".join(f"{column} = {formula.text}" for column, formula in angle.columns.items())
            for name, angle in whole.upper.angles.items()
        )
        if whole.angles
        else None,
        **whole.figures,
    }


def _segment(placed: PlacedSegment, mass_kg: float) -> dict[str, Any]:
    """One segment; its inertia about its centre of mass in `SEGMENT_AXES`."""
    said: dict[str, Any] = {
        "on": placed.on,
        "mass_fraction": placed.share,
        "mass_kg": mass_kg * placed.share,
        "measured": placed.measured,
    }
    if placed.measured:
        tensor = placed.inertia(mass_kg)
        return said | {
            "length_m": placed.length_m,
            "inertia_kg_m2": tensor if np.isfinite(tensor).all() else None,
            "row": placed.row_name,
            "source": placed.row.source,
        }
    return said | {"mass_put_at": placed.stands_at or None}


def _own_roles(whole: WholeBody) -> list[tuple[str, str]]:
    return whole.model._replace(middle=whole.upper.middle, each_side=whole.upper.each_side).roles
