"""What the body's motion asks of the ground: Newton's law for the whole body, the witness of plates and contacts.

F = m (a_com − g): whatever plates, corners and clocks say, the ground gave this force, or the body would have moved
otherwise. Accelerations of markers are noisy, changes of velocity are not: both sides are compared as means over
`WINDOW` (impulse over momentum), so that what is left is slower than about 3 Hz.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gaitid.numerics.masks import spans
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Mask, read_only

# s. Forces are compared as means over this long; over a shorter span than the second the change of velocity is lost in
# the noise of markers.
WINDOW, SHORTEST = 0.2, 0.1
# s. Single support for less than this tells nothing of a contact.
SURE = 0.15


@frozen_dataclass(eq=False)
class Balance:
    """What the motion asks of the ground, per unit of the body's mass.

    Attributes
    ----------
    asked_g : (frames, 3) array, m/s²
        a_com − g, laboratory axes; NaN where it is not known.
    up_g : (3,) array
    gravity_m_per_s2 : float
    rate_hz : float
    com_g : (frames, 3) array or None, m
        The whole body's centre of mass, where trunk and arms were measured too.
    """

    asked_g: Array
    up_g: Array
    gravity_m_per_s2: float
    rate_hz: float
    com_g: Array | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "asked_g", read_only(self.asked_g))

    @property
    def tells(self) -> bool:
        """Whether it is known in any frame."""
        return self.gravity_m_per_s2 > 0 and bool(np.isfinite(self.asked_g).any())

    def during(self, frames: slice) -> Balance:
        """The same in some frames only."""
        return replace(self, asked_g=self.asked_g[frames], com_g=None if self.com_g is None else self.com_g[frames])

    def means(self, force_g: Array, frames: Mask, weight_N: float) -> Means:
        """Means over `WINDOW` of what was given and what was asked, within runs of some frames.

        At the ends of a run the window is cut, not shifted into frames that are none.

        Parameters
        ----------
        force_g : (frames, 3) array, N
            Of the ground on the whole body.
        frames : (frames,) bool array
            Those in which this is known, or to be compared.
        weight_N : float
        """
        both = np.concatenate([force_g / weight_N, self.asked_g / self.gravity_m_per_s2], axis=1)
        result = np.full_like(both, np.nan)
        half, least = round(WINDOW * self.rate_hz / 2), max(round(SHORTEST * self.rate_hz), 2)
        known = frames & np.isfinite(both).all(axis=1)
        for first, stop in spans(known):
            if stop - first <= least:
                continue
            # trapezoids: the sum of the samples less half of the first and the last
            run = both[first:stop]
            summed = np.concatenate([np.zeros((1, 6)), np.cumsum((run[1:] + run[:-1]) / 2, axis=0)])
            at = np.arange(stop - first)
            a, b = np.maximum(at - half, 0), np.minimum(at + half, stop - first - 1)
            b, a = np.maximum(b, least), np.minimum(a, stop - first - 1 - least)
            result[first:stop] = (summed[b] - summed[a]) / (b - a)[:, None]
        return Means(result[:, :3], result[:, 3:])


class Means(NamedTuple):
    """Force in body weights, means over a window.

    Attributes
    ----------
    given_g, asked_g : (frames, 3) arrays
        What the plates gave and what the motion asked for; NaN where either is not known.
    """

    given_g: Array
    asked_g: Array

    def lacking(self, axis_g: Array) -> Array:
        """(frames,) how much less was given than asked along an axis, in body weights."""
        return np.asarray((self.asked_g - self.given_g) @ axis_g)


class Support(NamedTuple):
    """What the balance says of one contact, in body weights; NaN where it says nothing.

    Attributes
    ----------
    lost : float
        How much less than asked the foot was given, mean over the frames in which it alone is on the ground.
    lacking : (frames of the contact,) array
        The same as means over `WINDOW` within those frames.
    lacking_of_both : (frames of the contact,) array
        How much less than asked all plates gave together.
    """

    lost: float
    lacking: Array
    lacking_of_both: Array

    @property
    def tells(self) -> bool:
        """Whether single support lasted long enough, and the motion was known in it."""
        return bool(np.isfinite(self.lost))


def no_support(n_frames: int) -> Support:
    """Of a contact of which the balance says nothing."""
    unknown = np.full(n_frames, np.nan)
    return Support(float("nan"), unknown, unknown)


def support_of(
    balance: Balance, contact: slice, alone: Mask, forces_g: tuple[Array, Array], weight_N: float
) -> Support:
    """What the balance says of one contact.

    Parameters
    ----------
    balance : Balance
    contact : slice
        Its frames.
    alone : (frames of the contact,) bool array
        Where only this foot can be on the ground.
    forces_g : tuple of two (frames of the contact, 3) arrays, N
        On this foot, and of all plates.
    weight_N : float
    """
    here = balance.during(contact)
    everywhere = np.ones_like(alone)
    own, both = (here.means(force, mask, weight_N) for force, mask in zip(forces_g, (alone, everywhere), strict=True))
    lacking = own.lacking(here.up_g)
    known = np.isfinite(lacking)
    lost = float("nan")
    if known.sum() > SURE * here.rate_hz:
        asked, given = (here.asked_g / here.gravity_m_per_s2)[known], forces_g[0][known] / weight_N
        lost = float(((asked - given) @ here.up_g).mean())
    return Support(lost, lacking, both.lacking(here.up_g))
