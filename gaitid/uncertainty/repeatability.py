"""What repeated sessions of a laboratory show: the file that `gaitid repeatability` writes, and what it says of
placement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.errors import GaitidError
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.results.tables import number, read_rows
from gaitid.trial import Array
from gaitid.uncertainty.sources import Sources
from gaitid.uncertainty.usable import COVERAGE_FACTOR
from gaitid.write.table import row_lines

CURVE, FEATURE = "curve", "feature"
#: What names a row: `name` a column of ``cycles.csv`` without its side, with a row for each percent, or a feature.
KEYS = ("kind", "name", "unit", "percent")
#: Numbers of a row: SEM and smallest detectable change are those of means over `cycles` cycles of a session.
NUMBERS = (
    "subjects",
    "sessions",
    "cycles",
    "degrees_of_freedom",
    "sd_between_sessions",
    "sd_within_session",
    "sem",
    "sem_low_95",
    "sem_high_95",
    "smallest_detectable_change",
    "predicted_standard_uncertainty",
    "predicted_by_marker_placement",
    "marker_placement_mm",
)
#: Degrees of freedom that the bundled figure of placement stands on: five examiners (Leardini 2007).
_OF_PRIOR = 4
_ANGLE = "_deg"


@frozen_dataclass(eq=False)
class Components:
    """What varies of one curve or feature; arrays (1,) of a feature, (101,) of a curve.

    Attributes
    ----------
    unit : str
    numbers : mapping of str to array
        By `NUMBERS`; NaN where unknown.
    """

    unit: str
    numbers: Mapping[str, Array]

    def detectable(self, n_a: int, n_b: int) -> Array:
        """The smallest difference of means over so many cycles of two sessions that is more than chance at 95 %.

        The factor is Student's, as the sessions that show the variance are few.
        """
        from scipy.special import stdtrit  # of few commands

        between, within, freedom = (
            self.numbers[name] for name in ("sd_between_sessions", "sd_within_session", "degrees_of_freedom")
        )
        variance = 2 * between**2 + within**2 * (1 / max(n_a, 1) + 1 / max(n_b, 1))
        return np.asarray(stdtrit(freedom, 0.975) * np.sqrt(variance))


class Placement(NamedTuple):
    """What sessions show of the placement of markers.

    Attributes
    ----------
    shown_mm : float
        Standard deviation of each coordinate that would make what varies between sessions.
    posterior_mm : float
        The same with what was stated before, as of five examiners (Leardini 2007).
    stated_mm : float
    degrees_of_freedom : float
    """

    shown_mm: float
    posterior_mm: float
    stated_mm: float
    degrees_of_freedom: float

    @property
    def fits(self) -> bool:
        """Whether what is stated lies within the 95 % interval of what is shown."""
        low, high = interval(self.shown_mm, self.degrees_of_freedom)
        return bool(low <= self.stated_mm <= high)


@frozen_dataclass(eq=False)
class Repeatability:
    """SEM and smallest detectable change of curves and features.

    Attributes
    ----------
    curves, features : mapping of str to Components
    """

    curves: Mapping[str, Components]
    features: Mapping[str, Components]

    @property
    def text(self) -> Iterator[str]:
        """The file, some lines at a time."""
        yield ",".join((*KEYS, *NUMBERS)) + "\n"
        for kind, of_kind in ((CURVE, self.curves), (FEATURE, self.features)):
            for name, components in of_kind.items():
                values = np.stack([components.numbers[key] for key in NUMBERS], axis=1)
                percents = [f"{p:g}" for p in np.linspace(0, 100, len(values))] if kind == CURVE else [""]
                lines = zip(percents, row_lines(values), strict=True)
                yield "".join(f"{kind},{name},{components.unit},{percent},{line}\n" for percent, line in lines)

    def placement(self) -> Placement | None:
        """The size of placement that makes what varies between sessions; None without any prediction.

        Over the angles that placement makes most of: the mean of what is left of their variance between sessions
        without the other sources, over that of placement, times the variance that was stated.
        """
        shares, freedom, stated = [], [], []
        for name, of in self.curves.items():
            if not name.endswith(_ANGLE):
                continue
            keys = ("sd_between_sessions", "predicted_standard_uncertainty", "predicted_by_marker_placement")
            shown, predicted, placed = (mean_square(of.numbers[key]) for key in keys)
            if placed > 0.5 * predicted:
                shares.append((shown - (predicted - placed)) / placed)
                freedom.append(float(np.nanmean(of.numbers["degrees_of_freedom"])))
                stated.append(float(np.nanmean(of.numbers["marker_placement_mm"])))
        if not shares or not np.isfinite(stated).all():
            return None
        share, degrees, mm = max(float(np.mean(shares)), 0.0), float(np.median(freedom)), float(np.mean(stated))
        both = (_OF_PRIOR + degrees * share) / (_OF_PRIOR + degrees)
        return Placement(mm * share**0.5, mm * both**0.5, mm, degrees)


def mean_square(values: Array) -> float:
    """Over what is known of them; NaN where nothing is."""
    known = values[np.isfinite(values)]
    return float(np.mean(known**2)) if known.size else float("nan")


def interval(standard: Any, degrees_of_freedom: Any) -> tuple[Any, Any]:
    """95 % interval of a standard deviation that is known from so many degrees of freedom (chi squared)."""
    from scipy.special import chdtri  # of few commands

    with np.errstate(all="ignore"):
        low, high = (
            standard * np.sqrt(degrees_of_freedom / chdtri(degrees_of_freedom, tail)) for tail in (0.025, 0.975)
        )
    return low, high


def smallest_detectable_change(sem: Any) -> Any:
    """1.96 √2 SEM (Weir 2005, J Strength Cond Res 19:231-240)."""
    return COVERAGE_FACTOR * np.sqrt(2) * sem


def read_repeatability(path: Path) -> Repeatability:
    """What `gaitid repeatability` wrote.

    Raises
    ------
    GaitidError
        Not such a file: one line that begins with it.
    """
    header, rows = read_rows(path, (*KEYS, *NUMBERS))
    at = {name: header.index(name) for name in (*KEYS, *NUMBERS)}
    found: dict[tuple[str, str, str], list[list[float]]] = {}
    for line, row in enumerate(rows, start=2):
        key = row[at["kind"]], row[at["name"]], row[at["unit"]]
        found.setdefault(key, []).append([number(row[at[name]], path, name, line) for name in NUMBERS])
    by_kind: dict[str, dict[str, Components]] = {CURVE: {}, FEATURE: {}}
    for (kind, name, unit), values in found.items():
        if kind not in by_kind or len(values) != (101 if kind == CURVE else 1):
            raise GaitidError(
                f"{path}: not what gaitid repeatability writes", found=f"{len(values)} rows of {kind} {name}"
            )
        columns = np.array(values).T
        by_kind[kind][name] = Components(unit, dict(zip(NUMBERS, columns, strict=True)))
    return Repeatability(by_kind[CURVE], by_kind[FEATURE])


def with_repeatability(sources: Sources, path: Path) -> Sources:
    """The same with the placement of markers that a laboratory's own sessions show.

    Raises
    ------
    GaitidError
        Not such a file, or its results were made without ``--uncertainty``.
    """
    placement = read_repeatability(path).placement()
    if placement is None:
        raise GaitidError(
            f"{path}: it does not say what placement of markers would make of an angle",
            expected="sessions that were run with --uncertainty",
            todo="run them with it, and gaitid repeatability again",
        )
    mm = float(f"{placement.posterior_mm:.4g}")
    of_file = sources.content.get("sources", {})
    entry = {
        **of_file.get("marker_placement", {}),
        "coordinate_mm": mm,
        "source": f"sessions of this laboratory show {placement.shown_mm:.2g} mm ({placement.degrees_of_freedom:.0f} "
        f"degrees of freedom), {placement.stated_mm:g} mm stated before counts as {_OF_PRIOR}",
    }
    content = {**sources.content, "sources": {**of_file, "marker_placement": entry}}
    return sources._replace(placement_m=mm * 1e-3, content=content)
