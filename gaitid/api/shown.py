"""An `Analysis` as others want it: an `xarray.Dataset`, a notebook's table, scores of both sides, a comparison."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gaitid.analysis.wording import reason_words, verdict_words
from gaitid.api.words import File
from gaitid.errors import GaitidError
from gaitid.export.source import Column
from gaitid.gait.feature_list import Asymmetry, asymmetry
from gaitid.norms import profile_for
from gaitid.records import NamedTuple
from gaitid.report.text import render
from gaitid.trial import Array
from gaitid.uncertainty.usable import usable_column

if TYPE_CHECKING:
    import xarray as xr

    from gaitid.compare.comparison import Comparison


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
    result = xr.Dataset(_variables(placed, coordinates, len(lead)), coordinates)
    for name, words in _positives(place for place, _ in placed).items():
        grid = np.array([[words.get((j, p), "") for p in result["plane"].values] for j in result["joint"].values])
        result = result.assign_coords({f"{name}_positive": (("joint", "plane"), grid)})
    if over == "time":
        result = result.assign_coords(frame=("time", joints["frame"].to_numpy()))
        result["time"].attrs["units"] = "s"
    else:
        result["percent"].attrs["units"] = "%"
    return result


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
    results: dict[str, list[str]] = {}
    for place in places:
        for dimension, value in place.at.items():
            values = results.setdefault(dimension, [])
            if value not in values:
                values.append(value)
    return {name: sorted(values, key=_PLANES.index) if name == "plane" else values for name, values in results.items()}


def _variables(placed: list[tuple[_Place, Array]], coordinates: Mapping[str, Any], leading: int) -> dict[str, Any]:
    """Each variable as xarray takes it: dimensions, numbers, attributes. What no column tells is NaN."""
    lead = tuple(coordinates)[:leading]
    results: dict[str, tuple[tuple[str, ...], Array, dict[str, str]]] = {}
    for place, values in placed:
        if place.variable not in results:
            dimensions = (*lead[: values.ndim], *place.at)
            shape = values.shape + tuple(len(coordinates[name]) for name in place.at)
            results[place.variable] = dimensions, np.full(shape, np.nan), {"units": place.unit}
        where = tuple(coordinates[name].index(value) for name, value in place.at.items())
        results[place.variable][1][(..., *where)] = values
    return results


def _positives(places: Iterator[_Place]) -> dict[str, dict[tuple[str, str], str]]:
    """Of angles and moments the motion that is positive, by joint and plane."""
    results: dict[str, dict[tuple[str, str], str]] = {}
    for place in places:
        if place.positive:
            results.setdefault(place.variable, {})[place.at["joint"], place.at["plane"]] = place.positive
    return results


# Of what may be long; `contacts` and `verdict` have all.
_MOST = 6
_RANGES = ("hip_flexion_deg", "knee_flexion_deg", "ankle_dorsiflexion_deg")


class Shown(NamedTuple):
    """What a table is made of: the trial's name, its record, and its tables by their names."""

    name: str
    record: Mapping[str, Any]
    contacts: pd.DataFrame
    cycles: pd.DataFrame
    joints: pd.DataFrame


def table_of(shown: Shown) -> str:
    """Trial, model, verdict with its reasons, contacts, and the ranges of the sagittal angles."""
    return str(render("api/page.html", rows=_rows(shown)))


def _rows(shown: Shown) -> dict[str, list[str]]:
    """By what it is called: lines, but for the verdict's first at most six."""
    record = shown.record
    trial, model, verdict = record.get("trial", {}), record.get("model", {}), record.get("verdict", {})
    frames = (
        f"{trial.get('frames')} frames at {trial.get('camera_rate_hz'):g} Hz, from frame {trial.get('first_frame')}"
    )
    because = model.get("chosen_because")
    contacts = [
        f"{row.side}, frames {row.first_frame}–{row.last_frame}: "
        + (f"plate {row.plates}, {row.peak_vertical_N:.0f} N" if row.plates else f"load unknown: {row.reason}")
        for row in shown.contacts.itertuples()
    ]
    angles = [str(name).partition("_")[2] for name in shown.joints.columns if str(name).endswith("_deg")]
    names = [name for name in _RANGES if name in angles] or list(dict.fromkeys(angles))
    ranges = [_range(shown, side, name) for name in names for side in ("left", "right")]
    return {
        "trial": [f"{shown.name}: {frames}"],
        "model": [model.get("name", "") + (f" ({because})" if because else "")],
        "verdict": [verdict_words(verdict), *_few([reason_words(reason) for reason in verdict.get("reasons", [])])],
        "contacts": _few(contacts) or ["none"],
        "range": _few(list(filter(None, ranges))) or ["no angle is known"],
    }


def _range(shown: Shown, side: str, name: str) -> str:
    """Lowest and highest value of an angle over the whole cycles, or over the trial where there is none."""
    cycles = shown.cycles
    if not cycles.empty:
        values, over = (cycles.loc[cycles["side"] == side, name], "cycles") if name in cycles else (None, "")
    else:
        column = f"{side}_{name}"
        values, over = (shown.joints[column], "all frames") if column in shown.joints else (None, "")
    if values is None or values.isna().all():
        return ""
    words = name.removesuffix("_deg").replace("_", " ")
    return f"{side} {words} {round(values.min(), 1) + 0.0:.1f} to {round(values.max(), 1) + 0.0:.1f} deg ({over})"


def _few(lines: list[str]) -> list[str]:
    return [*lines[:_MOST], *([f"and {len(lines) - _MOST} more"] if len(lines) > _MOST else [])]


def scores_of(
    record: Mapping[str, Any], cycles: pd.DataFrame, strides: pd.DataFrame, norms: str | None
) -> pd.DataFrame:
    """Scores of one result by side and variable, as `gaitid.Analysis.scores` has them."""
    columns = [name for name in cycles.columns if name.endswith("_deg")]
    curves = {
        str(side): {name: of_side[name].to_numpy(float).reshape(of_side["cycle"].nunique(), -1) for name in columns}
        for side, of_side in cycles.groupby("side")
    }
    speed = strides.loc[(strides["side"] == "both") & (strides["cycle"] == "mean"), "speed_m_per_s"]
    profile, why = profile_for(norms, record, float(speed.iloc[0]) if len(speed) else float("nan"), curves)
    rows: list[tuple[str, str, float, float]] = []
    if profile is not None:
        for side, of in profile.scores.items():
            rows += [(side, name, score, profile.band_scores[name]) for name, score in of.items()]
        totals = {"left": profile.left, "right": profile.right, "both": profile.overall}
        for side, total in totals.items():
            of_norm = profile.band_overall if side == "both" else profile.band_side
            rows.append((side, "gait_profile_score", total, of_norm))
    result = pd.DataFrame(rows, columns=["side", "variable", "score_deg", "norm_deg"])
    result.attrs |= {"norms": "" if profile is None else profile.norms, "no_scores_because": why}
    return result


def asymmetries_of(features: pd.DataFrame) -> pd.DataFrame:
    """Both sides of each feature, as `gaitid.Analysis.asymmetry` has them."""
    means = features.pivot_table("value", ["feature", "unit"], "side", "mean", sort=False)
    both = means.reindex(columns=["left", "right"]).dropna().reset_index().rename_axis(columns=None)
    results = [asymmetry(row.left, row.right, row.feature, row.unit) for row in both.itertuples()]
    return both.join(pd.DataFrame(results, columns=list(Asymmetry._fields), index=both.index))


class Compared:
    """How far two results lie apart, and why.

    Attributes
    ----------
    verdict : str
        What differs most, and which ingredient makes it.
    curves : DataFrame
        A row a curve: ``column``, ``quantity``, ``unit``, ``n``, ``only_a``, ``only_b``, ``rms``, ``range_a``,
        ``range_b``, ``r``, ``bias``, ``largest`` (B − A) and where it is.
    why : DataFrame
        A row an ingredient and quantity (empty: all curves together): ``rms``, ``share``, ``share_alone``,
        ``interaction``, ``size`` in words; the last rows are the ``remainder``. Without rows where no reasons are told.
    why_not : str
        Why no reasons are told; empty where they are.
    """

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison

    @property
    def verdict(self) -> str:
        from gaitid.compare.words import verdict

        return verdict(self._comparison)

    @property
    def why_not(self) -> str:
        return self._comparison.why_not

    @cached_property
    def curves(self) -> pd.DataFrame:
        rows = [{k: v for k, v in row.items() if k != "parts"} for row in self.content["curves"]]
        return pd.DataFrame(rows)

    @cached_property
    def why(self) -> pd.DataFrame:
        names = ("ingredient", "quantity", "rms", "share", "rms_alone", "share_alone", "interaction", "size")
        why = self.content["why"]
        rows: list[dict[str, Any]] = []
        for part in (*why["parts"], {"ingredient": "remainder", "size": "", **why["remainder"]}) if why else ():
            about = {"ingredient": part["ingredient"], "size": part["size"]}
            if part["all_curves"] is not None:
                rows.append(about | {"quantity": ""} | part["all_curves"])
            rows += [about | {"quantity": quantity} | share for quantity, share in part["quantities"].items()]
        return pd.DataFrame(rows, columns=list(names))

    @cached_property
    def content(self) -> dict[str, Any]:
        """What ``gaitid compare --json`` prints."""
        from gaitid.compare.text import content_of

        return content_of(self._comparison, {})

    def report(self, path: File) -> Path:
        """Write the page that ``gaitid compare -o`` writes.

        Raises
        ------
        GaitidError
        """
        from gaitid.compare.page import refuse_output, write_page

        output = Path(path)
        refuse_output(output, [*self._comparison.a.files, *self._comparison.b.files])
        write_page(output, self._comparison)
        return output

    def __repr__(self) -> str:
        return f"<gaitid.Compared: {self.verdict}>"

    def __str__(self) -> str:
        from gaitid.compare.text import text_of

        return text_of(self._comparison)
