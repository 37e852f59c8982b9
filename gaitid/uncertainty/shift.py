"""By how much the ingredients of one result are off: one error, or a sum of several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, fields, replace
from typing import Any

import numpy as np

from gaitid.analysis.estimated import joined_load
from gaitid.analysis.pipeline import pipeline_of
from gaitid.analysis.result import Estimate, Result
from gaitid.body.joints import Place
from gaitid.dynamics.chain import Wrench
from gaitid.gait.impact import matched_load
from gaitid.ground.contacts import FootLoad
from gaitid.numerics.rotation import about_axis, cross
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Mask

#: By what is wrong, as `Shift.load` has it.
OfLoads = Mapping[str | tuple[str, float], Array]


@frozen_dataclass(eq=False)
class Shift:
    """What is added to each ingredient; nothing by default.

    Attributes
    ----------
    markers : mapping of label to (frames, 3) array, m
        To the filtered markers of the trial, laboratory axes.
    static : mapping of label to (3,) array, m
        To the markers of the static.
    numbers : mapping of str to float
        To measurements of the subject, SI, by name (``left.knee_width``).
    centres : mapping of Place to (3,) array, m
        To joint centres, in the axes of the base.
    com : mapping of segment to (3,) array
        To centres of mass, in segment axes, in lengths of the segment.
    mass, inertia : mapping of segment to (1,) array
        Relative.
    load : mapping of str, or of (str, float), to array
        To what acts on each foot: ``gain`` (relative), ``force`` (3, N, at the centre of pressure), ``cop`` (3, m),
        ``free_moment`` (N·m), ``turn`` (rad, about the vertical), ``("late", s)`` (the share of what changes if it
        comes so much later). The first three may have leading axes (sides, frames): errors of the plates stood on.
        ``estimated`` (sides, frames, 6, N and N·m about the laboratory's origin): of loads from the body's motion.
    cutoff : mapping of str to float
        ``log``: to the logarithm of the cut-off; ``again``: so many times what the low-pass takes of what it let
        through.
    """

    markers: Mapping[str, Array] = field(default_factory=dict)
    static: Mapping[str, Array] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    centres: Mapping[Place, Array] = field(default_factory=dict)
    com: Mapping[str, Array] = field(default_factory=dict)
    mass: Mapping[str, float] = field(default_factory=dict)
    inertia: Mapping[str, float] = field(default_factory=dict)
    load: OfLoads = field(default_factory=dict)
    cutoff: Mapping[str, float] = field(default_factory=dict)

    @property
    def moves_nothing(self) -> bool:
        """Whether nothing is added but to loads, masses and their centres, so that all poses hold."""
        moved = self.markers, self.static, self.numbers, self.centres, self.cutoff
        return not any(moved)

    @property
    def of_segments(self) -> bool:
        """Whether nothing is added but to masses, inertia and centres of mass of segments."""
        return self.moves_nothing and not self.load

    def times(self, factor: float) -> Shift:
        """The same, so many times as large."""
        return summed([(factor, self)])


class Error(NamedTuple):
    """One error that stays the same over the trial.

    Attributes
    ----------
    source : str
        One of `gaitid.uncertainty.sources.SOURCES`.
    words : str
        Which it is, as ``left knee_marker, x``.
    shift : Shift
        Of one standard deviation.
    """

    source: str
    words: str
    shift: Shift


def summed(parts: Iterable[tuple[float, Shift]]) -> Shift:
    """The sum of shifts, each times a factor."""
    total: dict[str, dict[Any, Any]] = {one.name: {} for one in fields(Shift)}
    for factor, shift in parts:
        for name, of_all in total.items():
            for key, value in getattr(shift, name).items():
                scaled = factor * value
                of_all[key] = of_all[key] + scaled if key in of_all else scaled
    return Shift(**total)


def shifted_loads(
    result: Result, estimate: Estimate | None, shift: Shift
) -> tuple[dict[str, FootLoad], dict[str, FootLoad]]:
    """On the foot of each recorded side, as measured or estimated, and what joints are computed with: that, or one that
    is as slow as the markers.

    Parameters
    ----------
    result : Result
    estimate : Estimate or None
        With loads.
    shift : Shift
    """
    before, sides = pipeline_of(result), result.body.sides
    measured = {side: before.sides[0][side].load for side in sides}
    loads = measured if estimate is None else {side: estimate.sides[side].load for side in sides}
    on_feet = {side: (before if estimate is None else estimate).on_feet[side] for side in sides}
    if not shift.load:
        return loads, on_feet
    up_g, rate_hz, bandwidth_hz = before.found.up_g, result.trial.rate_hz, result.markers.quality["marker_bandwidth_hz"]

    def shifted(of: Mapping[str, FootLoad]) -> dict[str, FootLoad]:
        return {side: shifted_load(of[side], shift.load, i, up_g, rate_hz) for i, side in enumerate(sides)}

    loads = shifted(loads)
    acting = {side: load for side, load in shifted(measured).items() if side not in before.by_file}
    if result.settings.joint_loads == "matched":
        acting = {side: matched_load(load, bandwidth_hz, rate_hz) for side, load in acting.items()}
    if estimate is not None:
        acting = {side: joined_load(load, loads[side], estimate.frames(side)) for side, load in acting.items()}
    return loads, on_feet | acting


def shifted_load(load: FootLoad, shift: OfLoads, side: int, up_g: Array, rate_hz: float) -> FootLoad:
    """A foot's load with the errors of plates and clocks; in the air none, where unknown unknown.

    Parameters
    ----------
    load : FootLoad
    shift : mapping
        `Shift.load`.
    side : int
        Of the loaded sides, which.
    up_g : (3,) array
    rate_hz : float
        Of the cameras.
    """
    f, m = load.wrench.f_g, load.wrench.m_g  # about the laboratory's origin
    loaded: Mask = np.asarray((np.abs(f) > 0).any(axis=1))
    both, frames = np.concatenate([f, m], axis=1), np.arange(len(f))
    for key, share in shift.items():
        if isinstance(key, tuple):
            late = np.stack([np.interp(frames - key[1] * rate_hz, frames, channel) for channel in both.T], axis=1)
            change = np.nan_to_num(share * (late - both))  # none beside what is not known
            f, m = f + change[:, :3], m + change[:, 3:]
    gain, force_g, shift_g = (
        np.asarray(shift.get(key, 0.0))[side] if np.ndim(shift.get(key, 0.0)) > 1 else np.asarray(shift.get(key, 0.0))
        for key in ("gain", "force", "cop")
    )
    pressed = np.where(np.isfinite(load.cop_g), load.cop_g, 0.0)
    if "turn" in shift:
        R = _about(up_g, float(shift["turn"]))
        m = m - cross(pressed, f)
        f, m = f @ R.T, m @ R.T
        m = m + cross(pressed, f)
    f, m = f * (1 + gain), m * (1 + gain)
    felt: Mask = (np.isfinite(load.cop_g).all(axis=1) & loaded)[:, None]
    cop_g, free_moment = load.cop_g, load.free_moment
    if "force" in shift:
        extra = np.where(felt, force_g, 0.0)
        f, m = f + extra, m + cross(pressed, extra)
    if "cop" in shift:
        m = m + cross(np.broadcast_to(shift_g, f.shape), f)
        cop_g = cop_g + shift_g
    if "estimated" in shift:
        extra_f, extra_m = np.split(shift["estimated"][side], 2, axis=1)
        # pressing farther by r:  up × (r × f) = r (up · f)
        about, push = cross(np.broadcast_to(up_g, m.shape), extra_m - cross(pressed, extra_f)), (f @ up_g)[:, None]
        cop_g = cop_g + np.divide(about, push, out=np.zeros_like(m), where=felt & (push > 0) & (extra_m != 0))
        f, m = f + extra_f, m + extra_m
    if "free_moment" in shift:
        extra = np.where(felt, shift["free_moment"] * up_g, 0.0)
        m, free_moment = m + extra, free_moment + np.where(felt[:, 0], shift["free_moment"], 0.0)
    return replace(load, wrench=Wrench(f, m, load.wrench.p_g), cop_g=cop_g, free_moment=free_moment)


def _about(up_g: Array, angle: float) -> Array:
    """(3, 3) rotation about the vertical, rad."""
    z = up_g / np.linalg.norm(up_g)
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = cross(helper, z) / np.linalg.norm(cross(helper, z))
    axes = np.stack([x, cross(z, x), z], axis=1)
    return np.asarray(axes @ about_axis("z", angle) @ axes.T)
