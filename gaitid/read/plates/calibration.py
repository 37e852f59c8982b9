"""``forcepla.cal``: what Motion Analysis' programs know of force plates, where they are and what a volt of them means.

The layout after public programs that read it (BMC, BTK): for each plate its number, scale, length and width, the
calibration matrix by rows, the true origin from the geometric centre, that centre in the laboratory, and the matrix
from plate axes to the laboratory's, by rows; lengths in cm. A force on the plate is scale · matrix · volts.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gaitid.errors import ReadError, reading
from gaitid.read.length_unit import LENGTH_M
from gaitid.read.plates.plates_file import PlateGeometry, geometry_of, read_plates_file
from gaitid.read.tables.text_table import read_lines
from gaitid.records import NamedTuple
from gaitid.trial import Array

# Numbers of a plate with six channels.
_NUMBERS = 4 + 36 + 3 + 3 + 9
_CORNERS = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) / 2


class Calibrated(NamedTuple):
    """One plate.

    Attributes
    ----------
    geometry : PlateGeometry
    matrix : (6, 6) array, N/V and N·m/V
        Force on the plate and its moment about `sensor_g`, in plate axes, for each volt of its channels.
    R_gp : (3, 3) array
        Plate axes (columns) in laboratory axes.
    sensor_g : (3,) array, m
        The true origin.
    """

    geometry: PlateGeometry
    matrix: Array
    R_gp: Array
    sensor_g: Array


def read_calibration(path: Path) -> tuple[Calibrated, ...]:
    """The plates of a calibration file.

    Raises
    ------
    ReadError, ModelError
        Not such a file, or plates with other than six channels, in one line.
    """
    plates = []
    with reading(f"{path.name}: "):
        words = " ".join(read_lines(path, "text", any_encoding=True)).split()
        try:
            rows = np.array(words, dtype=float).reshape(-1, _NUMBERS)
            if not np.isfinite(rows).all():
                raise ValueError
        except ValueError:
            wanted = (
                f"{_NUMBERS} numbers a plate: number, scale, length, width, a matrix of 6 by 6, origin, centre, axes"
            )
            todo = "export the forces from Cortex (.forces)"
            raise ReadError("no calibration of plates with six channels", expected=wanted, todo=todo) from None
    for row in rows:
        origin, centre = LENGTH_M["cm"] * row[40:46].reshape(2, 3)
        R_gp = row[46:].reshape(3, 3)
        corners = centre + (_CORNERS * LENGTH_M["cm"] * row[2:4]) @ R_gp[:, :2].T
        values: dict[object, object] = {"number": int(row[0]), "corners_m": corners.tolist(), "force_sense": "reaction"}
        geometry = geometry_of({**values, "moment_about": "surface_centre"}, path.name)
        # as in C3D the origin is seen from the sensor, which lies below the surface
        plates.append(Calibrated(geometry, row[1] * row[4:40].reshape(6, 6), R_gp, centre - R_gp @ origin))
    return tuple(plates)


def geometries_of(path: Path) -> tuple[PlateGeometry, ...]:
    """Where plates are by a calibration or a plates file."""
    if path.suffix.lower() != ".cal":
        return read_plates_file(path)
    return tuple(plate.geometry for plate in read_calibration(path))
