"""A `Result` -> curves over single stances: of runs, and of contacts that lie in no whole cycle (jumps, cuts, ends)."""

from __future__ import annotations

import numpy as np

from gaitid.analysis.cycle_curves import side_columns
from gaitid.analysis.result import Result
from gaitid.gait.curves import GROUND_COLUMNS
from gaitid.gait.cycles import CYCLE_POINTS, sample
from gaitid.ground.contacts import Contact
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

# s. The strike of a cycle and the beginning of its contact are one.
SAME = 0.03


@frozen_dataclass(eq=False)
class StanceCurves:
    """Every quantity of a foot's own side over its stances.

    Attributes
    ----------
    contacts : tuple of (int, Contact)
        The number of each among the known contacts of its side, from 1.
    names : tuple of str
        As of `CycleCurves`.
    values : (contacts, points, columns) array
        From the first to the last frame of each; NaN where unknown.
    """

    contacts: tuple[tuple[int, Contact], ...]
    names: tuple[str, ...]
    values: Array


def stance_curves(result: Result, points: int = CYCLE_POINTS) -> StanceCurves:
    """Angles, moments, powers and ground reaction over 0 to 100 % of stances.

    Of each known contact that begins and ends within the trial, and either lies in no cycle or in one with a flight.

    Parameters
    ----------
    result : Result
    points : int
        Of a stance.
    """
    columns = {side: side_columns(leg) for side, leg in result.sides.items()}
    names = tuple(next(iter(columns.values()), {}))
    chosen: list[tuple[int, Contact]] = []
    tables = [np.empty((0, points, len(names) + len(GROUND_COLUMNS)))]
    for side, of_side in columns.items():
        known = [c for c in result.contacts if c.side == side and c.plates]
        walked_s = _walked_s(result, side)
        wanted = [(i, c) for i, c in enumerate(known, 1) if names and _wanted(result, c, walked_s)]
        if not wanted:
            continue
        values = np.stack([of_side[name] for name in names], axis=1)
        angles = sum(name.endswith("_deg") for name in names)  # they come first
        force = result.sides[side].load.wrench.f_g / result.subject.mass_kg
        for _, contact in wanted:
            at = np.linspace(contact.first, contact.last, points)
            reaction = sample(force, at) @ _axes_g(result, contact).T
            parts = [sample(values[:, :angles], at, 360.0), sample(values[:, angles:], at), reaction]
            tables.append(np.concatenate(parts, axis=1)[None])
        chosen += wanted
    return StanceCurves(tuple(chosen), (*names, *GROUND_COLUMNS), np.concatenate(tables))


def _walked_s(result: Result, side: str) -> Array:
    """When the cycles of a walk begin, s, for one side: those without a flight."""
    own = (s for s in result.gait.strides if s.cycle.side == side and not s.figures["flight_percent"] > 0)
    return np.array([stride.cycle.strike.time_s for stride in own])


def _wanted(result: Result, contact: Contact, walked_s: Array) -> bool:
    """Whether a contact is whole, and no cycle of a walk holds it."""
    if contact.first <= 0 or contact.last >= result.trial.n_frames - 1:
        return False
    begins = contact.first / result.trial.rate_hz
    return not bool((np.abs(walked_s - begins) <= SAME).any())


def _axes_g(result: Result, contact: Contact) -> Array:
    """Rows are the way that the body moves in a stance, to the foot's own side, up; NaN where the body stands."""
    walk, up_g = result.gait.events.heading, result.ground.floor.up_g
    frames = slice(contact.first, contact.last + 1)
    ways = walk.direction_g[frames]
    known = np.isfinite(ways).all(axis=1)
    forward = ways[known].sum(axis=0) if known.any() else np.full(3, np.nan)
    length = float(np.linalg.norm(forward))
    forward = forward / length if length > 0 else np.full(3, np.nan)
    # going backward the body's left is on the right of its way
    facing = -1.0 if walk.sense[frames].sum() < 0 else 1.0
    outward = np.cross(up_g, forward) * facing * (1.0 if contact.side == "left" else -1.0)
    return np.stack([forward, outward, up_g])
