"""What norms hold: bands over the gait cycle and figures, by groups of speed, and what they were computed by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

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
        (docs/impacts.md); 0 where it holds none.
    """

    percent: Array
    mean: Array
    sd: Array
    n: int
    spike_until_percent: float = 0.0


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

    @property
    def legend(self) -> str:
        """Title and people: ``Schwartz 2008 (able-bodied children, 4 to 18 years)``."""
        return f"{self.title} ({self.people})" if self.people else self.title
