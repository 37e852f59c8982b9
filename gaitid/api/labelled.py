"""Tables of a result -> an `xarray.Dataset` with named dimensions and units."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gaitid.errors import GaitidError
from gaitid.export.source import Column
from gaitid.trial import Array
from gaitid.uncertainty.usable import usable_column

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

OVER = ("time", "percent")
_SIDES = ("left", "right")
_PLANES = ("sagittal", "frontal", "transverse")
#: Of both tables what is no curve, and of `cycles` what is one number a cycle.
_INDEX = ("frame", "time_s", "side", "cycle", "percent")
_OF_CYCLE = ("first_frame", "last_frame", "foot_off_percent", "opposite_off_percent", "opposite_strike_percent")
_GROUND = re.compile(r"(?P<variable>ground_(?:force|cop))_(?P<axis>[xyz])")
_WRENCH = re.compile(
    r"(?P<joint>.+)_(?P<quantity>force|moment)_(?P<frame>global|proximal|distal|jcs)_(?P<axis>[xyz])(?P<part>_.+)?"
)


class _Place(NamedTuple):
    """Where a column belongs: a variable, its unit, where along its dimensions, and what positive means."""

    variable: str
    unit: str
    at: Mapping[str, str]
    positive: str = ""


def to_dataset(table: Callable[[str], pd.DataFrame], over: str) -> xr.Dataset:
    """What `gaitid.Analysis.to_xarray` returns, without attributes of the trial, from tables by their names.

    Raises
    ------
    GaitidError
        The library xarray is absent; `over` is neither.
    """
    if over not in OVER:
        raise GaitidError(f"over: {over!r}", expected=" or ".join(OVER))
    try:
        import xarray as xr
    except ImportError:
        raise GaitidError("to_xarray needs the library xarray", todo="pip install 'gaitid[xarray]'") from None
    if over == "time":
        joints, wrenches = table("joints"), table("wrenches")
        lead: dict[str, Any] = {"time": joints["time_s"].to_numpy()}
        columns = [(name, of[name].to_numpy(float)) for of in (joints, wrenches) for name in of.columns]
    else:
        cycles = table("cycles")
        lead = {"cycle": np.sort(cycles["cycle"].unique()), "percent": np.sort(cycles["percent"].unique())}
        columns = list(_of_cycles(cycles, len(lead["percent"])))
    placed = [(_place(name), values) for name, values in columns if name not in _INDEX]
    coordinates: dict[str, Any] = lead | _values_along(place for place, _ in placed)
    found = xr.Dataset(_variables(placed, coordinates, len(lead)), coordinates)
    for name, words in _positives(place for place, _ in placed).items():
        grid = np.array([[words.get((j, p), "") for p in found["plane"].values] for j in found["joint"].values])
        found = found.assign_coords({f"{name}_positive": (("joint", "plane"), grid)})
    if over == "time":
        found = found.assign_coords(frame=("time", joints["frame"].to_numpy()))
        found["time"].attrs["units"] = "s"
    else:
        found["percent"].attrs["units"] = "%"
    return found


def _of_cycles(cycles: pd.DataFrame, points: int) -> Iterator[tuple[str, Array]]:
    """Each column of each side as (cycles, percent), or (cycles,) where it is one number a cycle."""
    numbers = np.sort(cycles["cycle"].unique())
    for side, of_side in cycles.groupby("side"):
        rows = np.searchsorted(numbers, of_side["cycle"].to_numpy()[::points])
        for name in of_side.columns.difference(_INDEX, sort=False):
            values = np.full((len(numbers), points), np.nan)
            values[rows] = of_side[name].to_numpy(float).reshape(-1, points)
            yield f"{side}_{name}", values[:, 0] if name in _OF_CYCLE else values


def _place(name: str) -> _Place:
    column = Column(name, ())
    bare = name.removesuffix(f"_{column.end}")
    side = next((side for side in _SIDES if name.startswith(f"{side}_")), "")
    at = {"side": side} if side else {}
    bare = bare.removeprefix(f"{side}_")
    if name.endswith(tuple(_OF_CYCLE)):
        return _Place(bare, column.unit or "1", at)
    if match := _GROUND.fullmatch(bare):
        return _Place(match["variable"], column.unit, {**at, "axis": match["axis"]})
    if match := _WRENCH.fullmatch(bare):
        variable = f"joint_{match['quantity']}_{match['frame']}{match['part'] or ''}"
        return _Place(variable, column.unit, {**at, "joint": match["joint"], "axis": match["axis"]})
    if joint := usable_column(name.removeprefix(f"{side}_")):
        kind, at = joint.quantity.partition("_")[0], {**at, "joint": joint.joint}
        return _Place(kind, column.unit, {**at, "plane": joint.plane} if joint.plane else at, joint.motion)
    return _Place(bare, column.unit or _other_unit(bare), at)


def _other_unit(name: str) -> str:
    """Of a name that ends with a unit that `Column` does not know."""
    return "mm" if name.endswith("_mm") else ""


def _values_along(places: Iterator[_Place]) -> dict[str, list[str]]:
    """The coordinates of each dimension: planes in their usual order, others as they come."""
    found: dict[str, list[str]] = {}
    for place in places:
        for dimension, value in place.at.items():
            values = found.setdefault(dimension, [])
            if value not in values:
                values.append(value)
    return {name: sorted(values, key=_PLANES.index) if name == "plane" else values for name, values in found.items()}


def _variables(placed: list[tuple[_Place, Array]], coordinates: Mapping[str, Any], leading: int) -> dict[str, Any]:
    """Each variable as xarray takes it: dimensions, numbers, attributes. What no column tells is NaN."""
    lead = tuple(coordinates)[:leading]
    found: dict[str, tuple[tuple[str, ...], Array, dict[str, str]]] = {}
    for place, values in placed:
        if place.variable not in found:
            dimensions = (*lead[: values.ndim], *place.at)
            shape = values.shape + tuple(len(coordinates[name]) for name in place.at)
            found[place.variable] = dimensions, np.full(shape, np.nan), {"units": place.unit}
        where = tuple(coordinates[name].index(value) for name, value in place.at.items())
        found[place.variable][1][(..., *where)] = values
    return found


def _positives(places: Iterator[_Place]) -> dict[str, dict[tuple[str, str], str]]:
    """Of angles and moments the motion that is positive, by joint and plane."""
    found: dict[str, dict[tuple[str, str], str]] = {}
    for place in places:
        if place.positive:
            found.setdefault(place.variable, {})[place.at["joint"], place.at["plane"]] = place.positive
    return found
