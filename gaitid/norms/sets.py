"""Norms: what they hold, and sets of them as files: gaitid's own (JSON) and a laboratory's (YAML)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gaitid.errors import GaitidError
from gaitid.model.fields import Faults, Fields, nearest
from gaitid.model.find import is_file
from gaitid.records import frozen_dataclass

Array = NDArray[np.float64]


@frozen_dataclass()
class Band:
    """Mean and standard deviation between subjects of one quantity over the gait cycle.

    Attributes
    ----------
    percent : (n,) array
        Of the cycle, 0 to 100, increasing.
    mean, sd : (n,) array
        In the unit and sign of the column of ``cycles.csv`` that the band is of; `sd` is NaN where it is not known.
    n : int
        Subjects.
    spike_until_percent : float
        Up to there the band holds the spike that forces and markers of different bandwidth make at foot strike
        (docs/smoothing.md); 0 where it holds none.
    borrowed : bool
        Whether it is of another definition than the curve below it: drawn dashed, and nothing is held against it.
    """

    percent: Array
    mean: Array
    sd: Array
    n: int
    spike_until_percent: float = 0.0
    borrowed: bool = False


@frozen_dataclass()
class Figure:
    """Mean and standard deviation between subjects of one number; `sd` is NaN where it is not known."""

    mean: float
    sd: float
    unit: str
    n: int


@frozen_dataclass()
class Group:
    """Subjects who walked at about one speed.

    Attributes
    ----------
    name, label : str
        By which it is asked for; in words.
    n : int
        Subjects.
    speeds : mapping of str to Figure
        ``m/s`` and ``dimensionless``, speed / sqrt(g leg length): those that are known.
    bands, spatiotemporal, features : mapping
        As in `Norms`.
    speed_range_m_per_s : (low, high) or None
        Of all cycles.
    """

    name: str
    label: str
    n: int
    speeds: Mapping[str, Figure]
    bands: Mapping[str, Band]
    spatiotemporal: Mapping[str, Figure]
    features: Mapping[str, Figure]
    speed_range_m_per_s: tuple[float, float] | None = None


@frozen_dataclass()
class Definitions:
    """What the numbers of a set were computed by: a model, and how its record words them (``conventions``).

    Attributes
    ----------
    models : tuple of str
        Names of models; one that extends any of them is of the same family.
    angles, moments : mapping of str to str
        Of each joint.
    axes : mapping of str to str
        Of each segment.
    """

    models: tuple[str, ...]
    angles: Mapping[str, str]
    moments: Mapping[str, str]
    axes: Mapping[str, str]


@frozen_dataclass()
class NormSet:
    """A file of norms: one or more groups, slowest first.

    Attributes
    ----------
    name, title, source, licence, population, force_filter : str
        As in `Norms`.
    marker_filter : str
        Of the trajectories, in words.
    ages_years : (low, high) or None
        Of the population; None where it is of any age, or not known.
    usual : str
        The group that is drawn where the speed is not known.
    definitions : Definitions
    groups : tuple of Group
    """

    name: str
    title: str
    source: str
    licence: str
    population: str
    force_filter: str
    ages_years: tuple[float, float] | None
    usual: str
    definitions: Definitions
    groups: tuple[Group, ...]
    marker_filter: str = "not stated"


@frozen_dataclass()
class Norms:
    """One set of norms, as it is drawn over one result.

    Attributes
    ----------
    name : str
        By which it is asked for.
    title : str
        A line that may stand beside a curve.
    source : str
        Author, year, journal, and where the figures come from.
    licence : str
        On what terms the figures may be used.
    population : str
    n : int
        Subjects; between two groups, of the smaller one.
    speed : str
        In words.
    dimensionless : bool
        Whether it was chosen by speed / sqrt(g leg length).
    force_filter : str
        Of the source's ground reaction, in words; ``not stated`` where it says none.
    bands : mapping of str to Band
        By the column of ``cycles.csv`` without its side: ``hip_flexion_deg``. Only those that the result's model fits.
    spatiotemporal : mapping of str to Figure
        By the column of ``spatiotemporal.csv``.
    features : mapping of str to Figure
        By the feature of ``features.csv``.
    people : str
        Of whom they are, for a legend: ``able-bodied children, 4 to 18 years``; empty where the set does not say it.
    judges : bool
        Whether a curve may be called within or beyond them in words: not where they are of certain ages, and the
        subject's is another, or is not known and nobody asked for them by name. They are drawn all the same.
    models : tuple of str
        What the bands were computed with.
    """

    name: str
    title: str
    source: str
    licence: str
    population: str
    n: int
    speed: str
    dimensionless: bool
    force_filter: str
    bands: Mapping[str, Band]
    spatiotemporal: Mapping[str, Figure] = field(default_factory=dict)
    features: Mapping[str, Figure] = field(default_factory=dict)
    people: str = ""
    judges: bool = True
    models: tuple[str, ...] = ()

    @property
    def borrowed_words(self) -> str:
        """Of a legend: what the dashed bands are; empty where there are none."""
        of = " or ".join(self.models) or "a model that is not stated"
        borrowed = any(band.borrowed for band in self.bands.values())
        return f"dashed: of another definition ({of}), nothing is held against it" if borrowed else ""

    @property
    def legend(self) -> str:
        """Title and people: ``Schwartz 2008 (able-bodied children, 4 to 18 years)``."""
        return f"{self.title} ({self.people})" if self.people else self.title


#: `gaitid_norms` of a file.
SCHEMA = 1
#: Units of a group's speed, and their keys.
SPEEDS = {"dimensionless": "dimensionless_speed", "m/s": "speed_m_per_s"}
#: How the name of a band's column ends.
UNITS = ("_deg", "_moment_Nm_per_kg", "_power_W_per_kg", "_N_per_kg")
_DATA = Path(__file__).with_name("data")


def published_sets() -> tuple[str, ...]:
    """Names of the sets that come with gaitid, the default first."""
    return ("schwartz2008", *sorted(path.stem for path in _DATA.glob("*.json") if path.stem != "schwartz2008"))


def load_set(name: str, also: str = "") -> NormSet:
    """A set by its name, or from a file; a file wins.

    Parameters
    ----------
    name : str
    also : str
        What else may stand in its place, for errors.

    Raises
    ------
    GaitidError
        Neither; or the file is not norms: one line with the path of each key at fault.
    """
    path = Path(name)
    if is_file(path):
        return _read(path, path.stat().st_mtime_ns)
    if name in published_sets():
        return _published(name)
    raise GaitidError(
        f"no norms {name!r}{nearest(name, published_sets())}",
        expected=", ".join((*published_sets(), *([also] if also else []), "or a file that gaitid norms build wrote")),
        todo="gaitid norms lists what comes with gaitid",
    )


@cache
def _read(path: Path, changed_ns: int) -> NormSet:
    """A file's; a page of many trials asks for it as often, and `changed_ns` is of the file."""
    return parse_set(_content(path), str(path), path)


@cache
def _published(name: str) -> NormSet:
    return parse_set(json.loads((_DATA / f"{name}.json").read_text("utf-8")), name)


def parse_set(content: object, name: str, file: Path | None = None) -> NormSet:
    """A set from the content of a file; `name` stands in errors.

    Raises
    ------
    GaitidError
        All faults in one line, each with its key's path.
    """
    faults = Faults(name, file)
    fields = Fields(content, "", faults)
    if fields.values.get("gaitid_norms") != SCHEMA or isinstance(fields.values.get("gaitid_norms"), bool):
        result = fields.values.get("gaitid_norms", "no such key")
        raise GaitidError(f"{name}: not norms", expected=f"the key gaitid_norms: {SCHEMA}", found=str(result)[:40])
    fields.asked.add("gaitid_norms")
    words = {key: fields.text(key) for key in ("name", "title", "population")}
    words |= {key: fields.text(key, "not stated") for key in ("source", "licence", "force_filter", "marker_filter")}
    percent = _numbers(fields, "percent")
    if len(percent) < 2 or percent[0] != 0 or percent[-1] != 100 or (np.diff(percent) <= 0).any():
        faults.add("percent: expected increasing numbers from 0 to 100")
    groups = [fields.mapping("groups", {})]
    parsed = tuple(_group(groups[0].mapping(key), key, percent) for key in groups[0].values)
    if not parsed:
        faults.add("groups: expected at least one")
    usual = fields.text("usual", parsed[0].name if parsed else "", [group.name for group in parsed])
    ages = _pair(fields, "ages_years")
    definitions = _definitions(fields.mapping("definitions", {}))
    fields.done()
    faults.raise_if_any()
    return NormSet(**words, ages_years=ages, usual=usual, definitions=definitions, groups=parsed)


def _definitions(fields: Fields) -> Definitions:
    models = fields.raw("models", [])
    if not isinstance(models, list) or not all(isinstance(model, str) for model in models):
        fields.faults.add(f"{fields.at('models')}: expected a list of names")
        models = []
    texts = {}
    for key in ("angles", "moments", "axes"):
        inner = fields.mapping(key, {})
        texts[key] = {name: inner.text(name) for name in inner.values}
    fields.done()
    return Definitions(tuple(models), **texts)


def _group(fields: Fields, name: str, percent: Array) -> Group:
    n = fields.integer("n", 0, 1, 10**9)
    speeds = {unit: _figure(fields, key, unit, n) for unit, key in SPEEDS.items() if fields.has(key)}
    inner = fields.mapping("bands", {})
    bands = {column: _band(inner.mapping(column), column, percent, n) for column in inner.values}
    figures = {}
    for key in ("spatiotemporal", "features"):
        inner = fields.mapping(key, {})
        figures[key] = {column: _figure(inner, column, "", n) for column in inner.values}
    label = fields.text("label", name)
    span = _pair(fields, "speed_range_m_per_s")
    fields.done()
    return Group(name, label, n, speeds, bands, figures["spatiotemporal"], figures["features"], span)


def _band(fields: Fields, column: str, percent: Array, n: int) -> Band:
    if not column.endswith(UNITS):
        fields.faults.add(
            f"{fields.path}: expected a column of cycles.csv without its side, ending in {', '.join(UNITS)}"
        )
    curves = {}
    for key in ("mean", "sd"):
        values = _numbers(fields, key, None if key == "mean" else [None] * len(percent))
        if len(values) != len(percent):
            fields.faults.add(f"{fields.at(key)}: expected {len(percent)} numbers, as percent has, found {len(values)}")
        if key == "mean" and np.isnan(values).any():
            fields.faults.add(f"{fields.at(key)}: expected numbers, found null")
        if key == "sd" and (values < 0).any():
            fields.faults.add(f"{fields.at(key)}: expected no number below 0")
        curves[key] = values
    spike = fields.number("spike_until_percent", 0.0, 0.0, 100.0)
    n = fields.integer("n", n, 1, 10**9)
    fields.done()
    return Band(percent, curves["mean"], curves["sd"], n, spike)


def _figure(parent: Fields, key: str, unit: str, n: int) -> Figure:
    fields = parent.mapping(key)
    mean = fields.number("mean")
    sd = fields.raw("sd", None)
    spread = float("nan") if sd is None else fields.number("sd", low=0.0)
    unit = fields.text("unit", unit)
    n = fields.integer("n", n, 1, 10**9)
    fields.done()
    return Figure(mean, spread, unit, n)


def _pair(fields: Fields, key: str) -> tuple[float, float] | None:
    """The lowest and the highest of something; None where the key is absent."""
    if not fields.has(key):
        return None
    values = _numbers(fields, key)
    if len(values) == 2 and 0 <= values[0] <= values[1]:
        return float(values[0]), float(values[1])
    fields.faults.add(f"{fields.at(key)}: expected two numbers, the lowest and the highest")
    return None


def _numbers(fields: Fields, key: str, default: list[None] | None = None) -> Array:
    """A list of numbers as an array, NaN where it has null."""
    values = fields.raw(key) if default is None else fields.raw(key, default)
    if isinstance(values, list) and all(v is None or type(v) in (int, float) for v in values):
        return np.array(values, dtype=np.float64)
    if key in fields.values:
        fields.faults.add(f"{fields.at(key)}: expected a list of numbers")
    return np.empty(0)


def _content(path: Path) -> object:
    if path.suffix.lower() == ".json":
        from gaitid.disk.regular import read_text_back

        try:
            return json.loads(read_text_back(path, "norms"))
        except (ValueError, RecursionError) as error:
            raise GaitidError(f"{path}: not JSON", expected="norms", found=str(error)) from None
    from gaitid.model.yaml_file import load_yaml

    return load_yaml(path)
