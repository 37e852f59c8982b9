"""Velocities and accelerations of a long trial, made when somebody asks for them: most are asked for block by block."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property, partial
from typing import Generic, TypeVar

import numpy as np

from gaitid.body.frames import Pose
from gaitid.body.kinematics import SegmentMotion, centre_motions, only, spins, with_margin
from gaitid.model import specs
from gaitid.numerics.blocks import joined
from gaitid.numerics.masks import known_rows
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask, frozen

K = TypeVar("K", bound=Hashable)
#: A first and a second derivative, (frames, 3) each.
Pair = tuple[Array, Array]


class Filled(NamedTuple):
    """Values whose gaps are filled, in blocks of frames: what fills them is held apart.

    Attributes
    ----------
    own : (frames, …) array
    rows : (n,) int array
        The frames in which it is not known.
    filling : (n, …) array
        What is taken there.
    """

    own: Array
    rows: IntArray
    filling: Array

    @classmethod
    def of(cls, own: Array, through: Array) -> Filled:
        """Frame by frame the first where it is known, else the second."""
        rows = np.flatnonzero(~known_rows(own))
        return cls(own, rows, through[rows])

    def during(self, frames: slice) -> Array:
        """The values in some frames."""
        first, stop, _ = frames.indices(len(self.own))
        inside = slice(*np.searchsorted(self.rows, (first, stop)).tolist())
        if inside.start == inside.stop:
            return self.own[frames]
        filled = self.own[frames].copy()
        filled[self.rows[inside] - first] = self.filling[inside]
        return filled


class FilledPose(Pose):
    """A pose through gaps of markers, which is put together when somebody asks for all of it."""

    def __init__(self, axes: Filled, origin: Filled) -> None:
        self.__dict__.update(axes=axes, _origin=origin)

    @property
    def axes(self) -> Filled:
        """Of `R_gs`, for some frames."""
        return self.__dict__["axes"]  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Array:
        if name not in ("R_gs", "origin_g"):
            raise AttributeError(name)
        filled: Filled = self.__dict__["axes" if name == "R_gs" else "_origin"]
        return frozen(filled.during(slice(None)).copy())


class Placed(NamedTuple):
    """Where a segment is.

    Attributes
    ----------
    through_R_gs : (frames, 3, 3) array or Filled
    through_com_g : (frames, 3) array
        Also through gaps of markers.
    known : (frames,) bool array
        The frames that count.
    R_gs : (frames, 3, 3) array
        Its axes in these alone.
    """

    through_R_gs: Array | Filled
    through_com_g: Array
    known: Mask
    R_gs: Array

    def axes(self, frames: slice) -> Array:
        """Its axes in some frames, also through gaps."""
        of = self.through_R_gs
        return of.during(frames) if isinstance(of, Filled) else of[frames]

    def com_g(self, frames: slice) -> Array:
        """Its centre of mass in some frames, where these are known."""
        return only(part_of(self.through_com_g, frames), self.known[frames])


def part_of(values: Array, frames: slice) -> Array:
    """The values in some frames; themselves where these are all."""
    return values if frames.stop - frames.start == len(values) else values[frames]


class LaterMotion(SegmentMotion):
    """How one segment moves; the derivatives of all are made when those of one are asked for, and held.

    Parameters
    ----------
    R_gs : (frames, 3, 3) array
    centre : callable
        Makes `com_g`, which is not held.
    moving, turning : callable
        The derivatives of the centre of mass, and of turning.
    at : callable
        All four in some frames.
    """

    def __init__(
        self,
        R_gs: Array,
        centre: Callable[[], Array],
        moving: Callable[[], Pair],
        turning: Callable[[], Pair],
        at: Callable[[IntArray], tuple[Pair, Pair]],
    ) -> None:
        self.__dict__.update(R_gs=R_gs, _centre=centre, _moving=moving, _turning=turning, _at=at)

    def __getattr__(self, name: str) -> Array:
        own = self.__dict__
        if name == "com_g":
            return own["_centre"]()  # type: ignore[no-any-return]
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
        frames = slice(self._blocks[0].start, self._blocks[-1].stop)
        return {
            key: LaterMotion(
                part_of(of.R_gs, frames),
                partial(of.com_g, frames),
                lambda key=key: self.moving[key],  # type: ignore[misc]
                lambda key=key: self.turning[key],  # type: ignore[misc]
                lambda frames, key=key: self.at(frames)[key],  # type: ignore[misc]
            )
            for key, of in self._places.items()
        }

    @cached_property
    def moving(self) -> Mapping[K, Pair]:
        """Velocity and acceleration of each centre of mass."""
        return self._of_blocks(centre_motions, lambda of, frames: of.through_com_g[frames])

    @cached_property
    def turning(self) -> Mapping[K, Pair]:
        """Angular velocity and acceleration of each segment."""
        return self._of_blocks(spins, Placed.axes)

    def _of_blocks(
        self, derived: Callable[..., list[Pair]], given: Callable[[Placed, slice], Array]
    ) -> Mapping[K, Pair]:
        """By segment what is derived from what is given, where it is known."""
        made = []
        for frames in self._blocks:
            wide, inner = with_margin(frames, len(next(iter(self._places.values())).known))
            made.append(
                derived([given(of, wide) for of in self._places.values()], self._rate_hz, self._settings, inner)
            )
        return self._where_known(made)

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
