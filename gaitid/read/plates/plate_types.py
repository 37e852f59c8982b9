"""C3D force plate types: what the channels of each hold, and the force and moment that follow from them.

Plate axes: x and y along the edges, z into the plate; sensors 1 to 4 lie towards corners 1 to 4, that is at
(+a, +b), (−a, +b), (−a, −b), (+a, −b). Channels hold the action on the plate or the reaction to it: everything here is
linear in the force, so either way round comes out as it went in.

Sources: types 1 to 4, Motion Lab Systems (2008), The C3D File Format: User Guide, FORCE_PLATFORM:TYPE, :ORIGIN and
:CAL_MATRIX; 3 also Kistler (1999), Force Plate Formulae; 5 to 7, HAS-Motion, Visual3D documentation, FP Type 5, 6, 7,
and the notes on btk::ForcePlatformsExtractor (BTK 0.3).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gaitid.records import frozen_dataclass
from gaitid.trial import Array

#: What a channel holds, after the calibration matrix where there is one.
FORCE, MOMENT, PLACE = "force", "moment", "place"

#: (samples, quantities) values in SI, a and b in metres → (samples, 3) force, N, and moment, N·m.
ChannelLoad = Callable[[Array, float, float], tuple[Array, Array]]


@frozen_dataclass()
class PlateType:
    """What one ``FORCE_PLATFORM:TYPE`` stores.

    Attributes
    ----------
    n_channels : int
        Analog channels of a plate.
    holds : tuple of str
        ``force``, ``moment`` or ``place`` (of the centre of pressure) for each channel, or for each row of the
        calibration matrix.
    load : ChannelLoad
        How force and moment follow from what the channels hold.
    calibrated : bool
        Whether ``CAL_MATRIX`` maps the channels, in volts, to what they hold.
    four_sensors : bool
        Whether ``ORIGIN`` holds a, b (half the distances between the sensors) and the depth of their plane, and the
        moment is about the middle of that plane. Otherwise it holds the place of the one point that it is about.
    """

    n_channels: int
    holds: tuple[str, ...]
    load: ChannelLoad
    calibrated: bool = False
    four_sensors: bool = False

    @property
    def places(self) -> list[int]:
        """Which quantities are places."""
        return [i for i, what in enumerate(self.holds) if what == PLACE]


def _of_components(values: Array, a: float, b: float) -> tuple[Array, Array]:
    """Fx, Fy, Fz, Mx, My, Mz: as they stand."""
    return values[:, :3], values[:, 3:]


def _of_place(values: Array, a: float, b: float) -> tuple[Array, Array]:
    """Fx, Fy, Fz, Px, Py, Tz: about the centre of the surface, in which P lies, m = p × f + (0, 0, Tz)."""
    fx, fy, fz, px, py, tz = values.T
    return values[:, :3], np.stack([py * fz, -px * fz, px * fy - py * fx + tz], axis=1)


def _of_pairs(values: Array, a: float, b: float) -> tuple[Array, Array]:
    """Fx12, Fx34, Fy14, Fy23, Fz1, Fz2, Fz3, Fz4 (Kistler 1999): about the middle of the sensors' plane."""
    fx12, fx34, fy14, fy23, fz1, fz2, fz3, fz4 = values.T
    force = [fx12 + fx34, fy14 + fy23, fz1 + fz2 + fz3 + fz4]
    # m = Σ r × f over the sensors
    moment = [b * (fz1 + fz2 - fz3 - fz4), a * (-fz1 + fz2 + fz3 - fz4), b * (-fx12 + fx34) + a * (fy14 - fy23)]
    return np.stack(force, axis=1), np.stack(moment, axis=1)


def _of_corners(values: Array, a: float, b: float) -> tuple[Array, Array]:
    """Fx, Fy, Fz of sensor 1, then of 2, 3, 4: the pairs of an eight-channel plate are sums of these."""
    x1, y1, z1, x2, y2, z2, x3, y3, z3, x4, y4, z4 = values.T
    return _of_pairs(np.stack([x1 + x2, x3 + x4, y1 + y4, y2 + y3, z1, z2, z3, z4], axis=1), a, b)


_SIX = (FORCE,) * 3 + (MOMENT,) * 3

PLATE_TYPES = {
    1: PlateType(6, (FORCE,) * 3 + (PLACE,) * 2 + (MOMENT,), _of_place),
    2: PlateType(6, _SIX, _of_components),
    3: PlateType(8, (FORCE,) * 8, _of_pairs, four_sensors=True),
    4: PlateType(6, _SIX, _of_components, calibrated=True),
    5: PlateType(8, _SIX, _of_components, calibrated=True),
    6: PlateType(12, (FORCE,) * 12, _of_corners, calibrated=True, four_sensors=True),
    7: PlateType(8, (FORCE,) * 8, _of_pairs, calibrated=True, four_sensors=True),
}
#: Known by name only: nothing public says how the forces follow from the channels.
UNDEFINED = {11: "Kistler split-belt treadmill", 12: "Gaitway treadmill", 21: "AMTI stairs"}
