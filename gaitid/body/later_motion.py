"""Velocities and accelerations of a long trial, made when somebody asks for them: most are asked for block by block."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from gaitid.body.kinematics import SegmentMotion, centre_motions, only, spins
from gaitid.model import specs
from gaitid.numerics.blocks import joined
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask, frozen

K = TypeVar("K", bound=Hashable)
#: A first and a second derivative, (frames, 3) each.
Pair = tuple[Array, Array]


class Placed(NamedTuple):
    """Where a segment is.

    Attributes
    ----------
    through_R_gs, through_com_g : (frames, 3, 3) and (frames, 3) array
        Also through gaps of markers.
    known : (frames,) bool array
        The frames that count.
    R_gs, com_g : arrays
        Those in these frames alone.
    """

    through_R_gs: Array
    through_com_g: Array
    known: Mask
    R_gs: Array
    com_g: Array


class LaterMotion(SegmentMotion):
    """How one segment moves; the derivatives of all are made when those of one are asked for, and held.

    Parameters
    ----------
    R_gs, com_g : arrays
        As of `SegmentMotion`.
    moving, turning : callable
        The derivatives of the centre of mass, and of turning.
    at : callable
        All four in some frames.
    """

    def __init__(
        self,
        poses: Pair,
        moving: Callable[[], Pair],
        turning: Callable[[], Pair],
        at: Callable[[IntArray], tuple[Pair, Pair]],
    ) -> None:
        self.__dict__.update(R_gs=poses[0], com_g=poses[1], _moving=moving, _turning=turning, _at=at)

    def __getattr__(self, name: str) -> Array:
        own = self.__dict__
        if name in ("vel_g", "acc_g"):
            own["vel_g"], own["acc_g"] = own["_moving"]()
        elif name in ("omega_g", "alpha_g"):
            own["omega_g"], own["alpha_g"] = own["_turning"]()
        else:
            raise AttributeError(name)
        return own[name]  # type: ignore[no-any-return]

    def at(self, frames: IntArray) -> SegmentMotion:
        moving, turning = self.__dict__["_at"](frames)
        return SegmentMotion(frozen(self.R_gs[frames]), frozen(self.com_g[frames]), *moving, *turning)


class Derivatives(Generic[K]):
    """Those of several segments in some blocks of frames.

    Parameters
    ----------
    places : mapping of segment to Placed
        In all frames.
    rate_hz : float
    settings : Settings
    blocks : sequence of slice
        One after the other.
    """

    def __init__(
        self, places: Mapping[K, Placed], rate_hz: float, settings: specs.Settings, blocks: Sequence[slice]
    ) -> None:
        self._places, self._rate_hz, self._settings, self._blocks = places, rate_hz, settings, blocks
        self._last: tuple[IntArray, Mapping[K, tuple[Pair, Pair]]] | None = None

    def during(self, frames: slice) -> Derivatives[K]:
        """Those in some frames, made anew."""
        return Derivatives(self._places, self._rate_hz, self._settings, (frames,))

    def motions(self) -> dict[K, SegmentMotion]:
        """How each segment moves in the blocks."""
        first, stop = self._blocks[0].start, self._blocks[-1].stop

        def part(values: Array) -> Array:
            return values if stop - first == len(values) else values[first:stop]

        return {
            key: LaterMotion(
                (part(of.R_gs), part(of.com_g)),
                lambda key=key: self.moving[key],  # type: ignore[misc]
                lambda key=key: self.turning[key],  # type: ignore[misc]
                lambda frames, key=key: self.at(frames)[key],  # type: ignore[misc]
            )
            for key, of in self._places.items()
        }

    @cached_property
    def moving(self) -> Mapping[K, Pair]:
        """Velocity and acceleration of each centre of mass."""
        coms = [of.through_com_g for of in self._places.values()]
        return self._where_known(
            [centre_motions(coms, self._rate_hz, self._settings, frames) for frames in self._blocks]
        )

    @cached_property
    def turning(self) -> Mapping[K, Pair]:
        """Angular velocity and acceleration of each segment."""
        axes = [of.through_R_gs for of in self._places.values()]
        return self._where_known([spins(axes, self._rate_hz, self._settings, frames) for frames in self._blocks])

    def _where_known(self, made: Sequence[Sequence[Pair]]) -> Mapping[K, Pair]:
        """By segment what was made of each block."""
        found: dict[K, Pair] = {}
        for i, (key, place) in enumerate(self._places.items()):
            of_blocks = list(zip((of[i] for of in made), self._blocks, strict=True))
            first, second = (
                joined([only(pair[order], place.known[frames]) for pair, frames in of_blocks]) for order in (0, 1)
            )
            found[key] = frozen(first), frozen(second)
        return found

    def at(self, frames: IntArray) -> Mapping[K, tuple[Pair, Pair]]:
        """Both of each segment in some frames, as many as there are; those last asked for are kept."""
        if self._last is None or self._last[0] is not frames:
            picked = {key: np.empty((4, len(frames), 3)) for key in self._places}
            for block in self._blocks:
                rows = np.flatnonzero((frames >= block.start) & (frames < block.stop))
                made = self.during(block)
                for key, into in picked.items() if len(rows) else ():
                    for values, out in zip((*made.moving[key], *made.turning[key]), into, strict=True):
                        out[rows] = values[frames[rows] - block.start]
            pairs = {key: ((of[0], of[1]), (of[2], of[3])) for key, of in picked.items()}
            self._last = frames, pairs
        return self._last[1]
