"""The plates of a trial at the camera's instants, without what they read while they are empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.dynamics.chain import Wrench
from gaitid.errors import GaitidError, TrialError
from gaitid.ground.glitches import sound_samples
from gaitid.ground.plate_load import EDGE_UNMEASURED, PlateLoad, UpwardForce, parted, plate_load
from gaitid.ground.sole import CLOSE_BEYOND, TOE_SHARE
from gaitid.ground.stance import Stance
from gaitid.model import specs
from gaitid.numerics.masks import known_rows, mean, median, quantile, spans
from gaitid.numerics.rotation import norm
from gaitid.trial import Array, ForcePlate, Mask, Trial, frozen

# s. The bias is measured where a plate is known to be empty for at least this long in all.
MIN_EMPTY = 0.1
# m beyond an edge: a sole whose heel, toe and tip are farther lies beside.
BESIDE_PLATE = 0.06
# Share of the trial at its beginning and end in which an empty plate tells of a drift.
EARLY = 0.4
# N. More noise, or a larger reading, is a load that no marker explains.
MAX_NOISE, MAX_BIAS = 10.0, 150.0
# m. A bias of the moment counts as one of the force at this lever: half a plate.
BIAS_LEVER = 0.3


def known_empty(plate: PlateLoad, feet: Mapping[str, FootTrack], airborne: Mapping[str, Mask], rate_hz: float) -> Mask:
    """(frames,) where nothing of the subject can be on a plate: every foot is away from it.

    Where the feet are never away for long enough (a treadmill, narrow stairs), a foot counts as away that surely flies
    or whose sole lies beside the plate.

    Parameters
    ----------
    plate : PlateLoad
    feet : mapping of side to FootTrack
    airborne : mapping of side to (frames,) bool array
        When each foot surely flies.
    rate_hz : float
    """
    known = known_rows(plate.wrench.f_g)
    away = known & _beside(plate, [p for foot in feet.values() for p in (foot.heel_g, foot.toe_g)], CLOSE_BEYOND)
    if away.sum() >= MIN_EMPTY * rate_hz:
        return away
    off = known
    for side, foot in feet.items():
        tip = foot.heel_g + (1 + TOE_SHARE) * foot.line_g
        off = off & (airborne[side] | _beside(plate, (foot.heel_g, foot.toe_g, tip), BESIDE_PLATE))
    return off


def _beside(plate: PlateLoad, points_g: Sequence[Array], distance: float) -> Mask:
    """(frames,) whether points all lie farther beyond a plate's edges than a distance, m."""
    return np.asarray((plate.margin(np.reshape(points_g, (-1, len(plate.vertical), 3))) < -distance).all(axis=0))


def presses_not(plate: PlateLoad, rate_hz: float, settings: specs.Settings) -> Mask:
    """(frames,) where a plate presses on nobody and yet reads more than `bias_limit_N` along its surface, or a moment.

    For plates that nothing else tells to be empty; False everywhere where it reads less. No foot pushes sideways on a
    floor without pressing on it: of 8 plates of the shared trials whose edges nobody knows the horizontal force is then
    0 to 0.5 N, of 34 others 0 to 1.1 N.
    """
    still = np.abs(plate.vertical) < EDGE_UNMEASURED
    empty = np.zeros_like(still)
    for first, stop in spans(still):
        if stop - first >= MIN_EMPTY * rate_hz:
            empty[first:stop] = True
    if not empty.any():
        return empty
    reads = median(np.concatenate([plate.wrench.f_g[empty], plate.wrench.m_g[empty] / BIAS_LEVER], axis=1))
    return np.asarray(empty & (norm(reads.reshape(2, 3)).max() > settings.bias_limit_N))


def with_empty_reading(plate: PlateLoad, empty: Mask, rate_hz: float, settings: specs.Settings) -> PlateLoad:
    """The plate with what it reads while it is empty, and without it where `settings.remove_bias` says so.

    The reading is a constant, and a drift in proportion to time where the plate is empty early and late in the trial.

    Parameters
    ----------
    plate : PlateLoad
    empty : (frames,) bool array
        When nothing is on it.
    rate_hz : float
    settings : Settings
        `remove_bias`, `bias_limit_N`.
    """
    at, n = empty.nonzero()[0], len(empty)
    if len(at) < MIN_EMPTY * rate_hz:
        return plate
    time_s = (np.arange(n, dtype=np.float64) - (n - 1) / 2) / rate_hz
    then_s, both = time_s[at], np.concatenate([plate.wrench.f_g[at], plate.wrench.m_g[at]], axis=1)
    drift = np.zeros(6)
    early, late = (int(np.count_nonzero(at < share * n)) for share in (EARLY, 1 - EARLY))
    if early > 0 and late < len(at):
        drift = (median(both[late:]) - median(both[:early])) / (mean(then_s[late:]) - mean(then_s[:early]))
    offset = median(both - np.outer(then_s, drift))

    def reading(time_s: Array) -> Array:
        return np.asarray(offset + np.outer(time_s, drift))

    both -= reading(then_s)
    left, leans = norm(both[:, :3]), norm(both[:, 3:] @ plate.R_gp[:, :2])
    noise = float(quantile(left, 0.99))
    removed = False
    # More noise than a plate has is a load that no marker explains (another person, a knock): no bias to take off.
    if noise <= MAX_NOISE and float(np.linalg.norm(offset[:3])) <= MAX_BIAS:
        ends = reading(time_s[[0, -1]])  # where what changes evenly is largest
        force, moment = float(norm(ends[:, :3]).max()), float(norm(ends[:, 3:]).max())
        beyond = force > settings.bias_limit_N or moment > settings.bias_limit_N * BIAS_LEVER
        removed = settings.remove_bias == "always" or (settings.remove_bias == "auto" and beyond)
    if removed:
        plate = _without(plate, reading(time_s))
    return replace(
        plate,
        bias_g=offset[:3],
        bias_moment_g=offset[3:],
        drift_g=drift[:3],
        removed=removed,
        noise_N=min(noise, MAX_NOISE),
        moment_noise_Nm=min(float(quantile(leans, 0.99)), MAX_NOISE * BIAS_LEVER),
        empty_swing_N=float(median(left)),
    )


def _without(plate: PlateLoad, reading: Array) -> PlateLoad:
    """The plate without (frames, 6) forces and moments that it reads while it is empty."""
    f_g, m_g = plate.wrench.f_g - reading[:, :3], plate.wrench.m_g - reading[:, 3:]
    return replace(plate, wrench=Wrench(frozen(f_g), frozen(m_g), plate.centre_g))


def plates_at_camera(
    trial: Trial,
    settings: specs.Settings,
    feet: Mapping[str, FootTrack],
    stances: Mapping[str, Stance],
    up_g: Array,
    passes: Sequence[slice] = (),
) -> tuple[tuple[PlateLoad, ...], dict[int, str]]:
    """Each plate's load at the camera's instants with its empty reading, and why other plates cannot be used.

    Parameters
    ----------
    trial : Trial
    settings : Settings
    feet : mapping of side to FootTrack
        Frames without a foot near a plate give its bias; without any feet nothing does.
    stances : mapping of side to Stance
        When each foot surely flies.
    up_g : (3,) array
    passes : sequence of slice, optional
        The frames of each walk of a recording that holds several.

    Returns
    -------
    plates : tuple of PlateLoad
    refused : dict of plate number to reason

    Raises
    ------
    TrialError
        The force cut-off is not below half a plate's rate.
    """
    loads: list[PlateLoad] = []
    refused: dict[int, str] = {}
    airborne = {side: stance.airborne for side, stance in stances.items()}
    for recorded in trial.plates:
        if settings.force_cutoff_hz is not None:
            _check_cutoff(settings.force_cutoff_hz, recorded)
        by_pass = parted(recorded, passes, trial.rate_hz)
        plate, lost, why_lost = sound_samples(by_pass)
        try:
            load = plate_load(plate, trial.rate_hz, trial.n_frames, settings)
        except GaitidError as error:
            refused[plate.number] = error.line().removeprefix(f"plate {plate.number}: ")
            recorded.rest()
            continue
        del plate
        if feet:
            empty = known_empty(load, feet, airborne, trial.rate_hz)
            if empty.sum() < MIN_EMPTY * trial.rate_hz:
                empty = presses_not(load, trial.rate_hz, settings)
            load = with_empty_reading(load, empty, trial.rate_hz, settings)
        upward_N = frozen(by_pass.force_p @ (load.R_gp.T @ up_g))
        del by_pass
        load = replace(load, recorded=UpwardForce(recorded.rate_hz, recorded.start_s, upward_N))
        recorded.rest()
        if lost:
            load = replace(load, glitches=lost, glitch_notes=why_lost)
        loads.append(load)
    lowest = min((float(load.centre_g @ up_g) for load in loads), default=0.0)
    heights = [float(load.centre_g @ up_g) - lowest for load in loads]
    plates = (replace(load, height_above_lowest=h) if h else load for load, h in zip(loads, heights, strict=True))
    return tuple(plates), refused


def _check_cutoff(cutoff_hz: float, plate: ForcePlate) -> None:
    """Refuse a cut-off that is not below half the plate's rate, or of a longer period than the trial."""
    if not cutoff_hz < plate.rate_hz / 2:
        raise TrialError(
            f"the cut-off {cutoff_hz:g} Hz is too high",
            expected=f"below half the rate, {plate.rate_hz / 2:g} Hz",
            todo="give a lower --force-cutoff, or none",
        )
    if cutoff_hz * plate.n_samples < plate.rate_hz:
        raise TrialError(
            f"the trial is too short to be low-passed at {cutoff_hz:g} Hz", todo="give a higher --force-cutoff, or none"
        )
