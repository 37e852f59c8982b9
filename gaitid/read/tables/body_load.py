"""A force file of one body: what a load cell, a handle or a cable does to it, at its own rate (docs/loads.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from gaitid.errors import ReadError, reading
from gaitid.notes import Notes, note
from gaitid.read.length_unit import FORCE_N, LENGTH_M, MOMENT_NM
from gaitid.read.subjects import listed
from gaitid.read.tables.row_times import even_rate, start_after
from gaitid.read.tables.text_table import open_table
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, read_only

#: Whose axes a column's components are in: the trial's laboratory, or the body that is loaded.
LABORATORY_AXES, BODY_AXES = "global", "segment"
_COLUMN = re.compile(
    rf"(?P<what>force|moment|point)_(?P<axes>{LABORATORY_AXES}|{BODY_AXES})_(?P<axis>[xyz])_(?P<unit>\w+)"
)
_UNITS: Mapping[str, Mapping[str, float]] = {
    "force": {"N": FORCE_N["n"], "kN": FORCE_N["kn"]},
    "moment": {"Nm": MOMENT_NM["nm"], "Nmm": MOMENT_NM["nmm"]},
    "point": {unit: LENGTH_M[unit] for unit in ("m", "cm", "mm")},
}
_EXPECTED = (
    "time_s, force_global_x_N (or _kN), moment_global_x_Nm (or _Nmm), point_global_x_m (or _cm, _mm), each for x, y "
    "and z, and with segment in place of global where they are in the body's own axes"
)


@frozen_dataclass(eq=False)
class BodyLoad:
    """A measured action on one body, at its own rate.

    Attributes
    ----------
    path : Path
        As given.
    rate_hz : float
    start_s : float
        When its first sample was taken, after the trial's first frame.
    force, moment : (n, 3) arrays, N and N·m
        Of what touches the body, on the body; the moment about `point`. NaN where it is not known.
    point : (n, 3) array, m
        From the laboratory's origin, or from the body's proximal joint.
    force_axes, moment_axes, point_axes : str
        ``global`` or ``segment``: whose axes (and, of the point, whose origin).
    notes : Notes
    """

    path: Path
    rate_hz: float
    start_s: float
    force: Array
    moment: Array
    point: Array
    force_axes: str
    moment_axes: str
    point_axes: str
    notes: Notes = ()

    def __post_init__(self) -> None:
        for name in ("force", "moment", "point"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @property
    def words(self) -> str:
        """What its columns say, for the record."""
        axes = {LABORATORY_AXES: "laboratory axes", BODY_AXES: "the body's axes"}
        origin = {LABORATORY_AXES: "the laboratory's origin", BODY_AXES: "the body's proximal joint"}
        return (
            f"force in {axes[self.force_axes]}, moment in {axes[self.moment_axes]} about the point, point from "
            f"{origin[self.point_axes]} in {axes[self.point_axes]}"
        )


def read_body_load(path: Path, trial_s: float) -> BodyLoad:
    """Read a force file of one body.

    Parameters
    ----------
    path : Path
        CSV; its ``time_s`` is 0 at the trial's first frame.
    trial_s : float
        When the trial's last frame was taken.

    Returns
    -------
    BodyLoad

    Raises
    ------
    ReadError
        What is wrong with the file, in one line that begins with its name.
    """
    with reading(f"{path.name}: "):
        table = open_table(path)
        columns = table.columns
        if "time_s" not in columns:
            wanted = "a column time_s, in seconds, 0 at the trial's first frame"
            raise ReadError("its rate is not known", expected=wanted, todo="add it")
        values = table.numbers("sample")
        times = values[:, columns.index("time_s")]
        rate_hz = even_rate(times, table.first_row)
        start_s, notes = start_after(times, (0.0, trial_s), f"{path.name}: ")
        vectors = _vectors(columns, values)
        if not {"force", "moment"} & vectors.keys():
            raise ReadError("no load", expected=_EXPECTED)
        force, force_axes = vectors.get("force", (np.zeros((len(times), 3)), ""))
        moment, moment_axes = vectors.get("moment", (np.zeros_like(force), force_axes))
        if "force" in vectors and "point" not in vectors:
            raise ReadError(
                "a force, but nothing says where it acts",
                expected="point_global_x_m, _y_m and _z_m, or point_segment_x_m, _y_m and _z_m",
                todo="add the point that the moment is about, as 0, 0, 0 for the body's proximal joint",
            )
        point, point_axes = vectors.get("point", (np.zeros_like(force), moment_axes))
        if "moment" not in vectors:
            notes += (note("load_assumed/no_moment", file=path.name),)
    # without a force it does not matter where: as with a centre of pressure, the point may be empty
    point = np.where(np.isnan(point) & (force == 0).all(axis=1)[:, None], 0.0, point)
    axes = (force_axes or moment_axes, moment_axes, point_axes)
    return BodyLoad(path, rate_hz, start_s, force, moment, point, *axes, notes)


def _vectors(columns: Sequence[str], values: Array) -> dict[str, tuple[Array, str]]:
    """(n, 3) force, moment and point in SI units with their axes, those that the columns give."""
    result: dict[tuple[str, str], dict[str, Array]] = {}
    faults: list[str] = []
    for i, column in enumerate(columns):
        match = _COLUMN.fullmatch(column)
        scale = _UNITS[match["what"]].get(match["unit"]) if match else None
        if columns.index(column) != i:
            faults.append(f"{column!r} is given twice")
        elif match and scale is not None:
            result.setdefault((match["what"], match["axes"]), {})[match["axis"]] = values[:, i] * scale
        elif column not in ("time_s", "frame"):
            faults.append(f"{column!r} is not known")
    vectors: dict[str, tuple[Array, str]] = {}
    for (what, axes), of_axis in result.items():
        if lacking := [axis for axis in "xyz" if axis not in of_axis]:
            faults.append(f"{what}_{axes} lacks {', '.join(lacking)}")
        elif what in vectors:
            faults.append(f"{what} is given in laboratory axes and in the body's")
        else:
            vectors[what] = np.stack([of_axis[axis] for axis in "xyz"], axis=1), axes
    if faults:
        raise ReadError(f"columns: {listed(faults)}", expected=_EXPECTED)
    return vectors
