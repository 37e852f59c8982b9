"""What the body's motion asks of the ground: Newton's law for the whole body, the witness of plates and contacts.

F = m (a_com − g): whatever plates, corners and clocks say, the ground gave this force, or the body would have moved
otherwise. Accelerations of markers are noisy, changes of velocity are not: both sides are compared as means over
`WINDOW` (impulse over momentum), so that what is left is slower than about 3 Hz.
"""

from __future__ import annotations

import numpy as np

from gaitid.numerics.masks import mean, spans
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Mask, read_only

# s. Forces are compared as means over this long; over a shorter span than the second the change of velocity is lost in
# the noise of markers, and single support tells nothing of a contact.
WINDOW, SHORTEST = 0.2, 0.1
# Body weights. Asked for less: the body flies.
FLIES = 0.25
EVERYWHERE = slice(None)


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

    @property
    def flies(self) -> bool:
        """Whether it is asked for so little in any frame that the body flies."""
        return bool((self.asked_g @ self.up_g < FLIES * self.gravity_m_per_s2).any())

    def lacks(self, force_g: Array, axis_g: Array, weight_N: float, frames: slice = EVERYWHERE) -> Array:
        """(frames,) how much less was given than asked along an axis, in body weights; NaN where either is not known.

        Parameters
        ----------
        force_g : (frames, 3) array, N
            Of the ground on the whole body.
        axis_g : (3,) array
        weight_N : float
        frames : slice
            Those of the force.
        """
        return np.asarray(self.asked_g[frames] @ axis_g / self.gravity_m_per_s2 - force_g @ axis_g / weight_N)


def means_over_window(values: Array, frames: Mask, rate_hz: float) -> Array:
    """Means over `WINDOW`, within runs of some frames in which the values are known; NaN elsewhere.

    At the ends of a run the window is cut, not shifted into frames that are none.

    Parameters
    ----------
    values : (frames,) array
    frames : (frames,) bool array
        Those that are to be compared.
    rate_hz : float
    """
    result = np.full(len(values), np.nan)
    half, least = round(WINDOW * rate_hz / 2), max(round(SHORTEST * rate_hz), 2)
    for first, stop in spans(frames & np.isfinite(values)):
        last = stop - first - 1
        if last < least:
            continue
        # trapezoids: the sum of the samples less half of the first and the last
        run, summed, at = values[first:stop], np.zeros(last + 1), np.arange(last + 1)
        ((run[1:] + run[:-1]) / 2).cumsum(out=summed[1:])
        a, b = np.maximum(at - half, 0), np.minimum(at + half, last)
        b, a = np.maximum(b, least), np.minimum(a, last - least)
        result[first:stop] = (summed[b] - summed[a]) / (b - a)
    return result


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

    def beyond(self, usual: float) -> Support:
        """What is lacking beyond so much that others lack too, body weights."""
        return Support(self.lost - usual, self.lacking - usual, self.lacking_of_both - usual)


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
    own, both = (balance.lacks(force_g, balance.up_g, weight_N, contact) for force_g in forces_g)
    lacking = means_over_window(own, alone, balance.rate_hz)
    known = np.isfinite(lacking)
    lost = float(mean(own[known])) if np.count_nonzero(known) > SHORTEST * balance.rate_hz else float("nan")
    return Support(lost, lacking, means_over_window(both, np.ones_like(alone), balance.rate_hz))
