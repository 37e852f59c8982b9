"""Is a difference more than its uncertainty: the smallest one that can be told, for curves and features.

Of means of different trials it is the minimal detectable change (Weir 2005, J Strength Cond Res 19:231-240): beyond it
lie 5 of 100 differences where there is none in truth. With independent errors of standard uncertainty SEM on both sides
it is 1.96 √2 SEM; here the errors of both sides may differ, and those that both have in common count by what they
change in the difference, (D_B − D_A)², D being what one standard deviation of an error does to each side. Beside the
stated errors stands how much the walk itself varies from cycle to cycle, as the standard error of both means.

Of one recording nothing varies between A and B but what was computed: there it is the 95 % band of one result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.compare.align import CYCLE, Aligned, Means
from gaitid.compare.repeatability import NOTHING, SESSION, InCommon, in_common
from gaitid.errors import GaitidError, counted
from gaitid.gait.feature_list import FEATURES
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.report.page import COUNTS_FROM
from gaitid.report.page.sure import variance_over_cycle
from gaitid.run.command import read_recorded
from gaitid.trial import Array
from gaitid.uncertainty.repeatability import read_repeatability
from gaitid.uncertainty.signed import Signed, signed
from gaitid.uncertainty.sources import SOURCES
from gaitid.uncertainty.usable import COVERAGE_FACTOR

DIFFERENCE, BAND = "minimal_detectable_change_95", "band_95"
#: A curve counts as changed where more than this share of it lies beyond: by chance that happens to 6 to 8 of 100
#: curves of simulated pairs without a difference, and to more of them in a single point.
CHANGED_FROM = 0.25


class FeatureDifference(NamedTuple):
    """A feature of both sides, as means over their cycles, and the smallest difference that can be told.

    Attributes
    ----------
    side, feature, unit : str
    a, b : float
    cycles : (int, int)
    detectable : float
    """

    side: str
    feature: str
    unit: str
    a: float
    b: float
    cycles: tuple[int, int]
    detectable: float

    @property
    def beyond(self) -> bool:
        """Whether the difference is more than its uncertainty."""
        return abs(self.b - self.a) > self.detectable


@frozen_dataclass(eq=False)
class Detectable:
    """How large a difference must be to be more than its uncertainty.

    Attributes
    ----------
    kind : str
        `DIFFERENCE` or `BAND`.
    words : str
        What it is, and what was taken as common to both.
    limits : mapping of column to (rows,) array
        NaN where unknown.
    features : tuple of FeatureDifference
        None of one recording.
    common : tuple of str
        Sources of error that cancel in part.
    notes : tuple of str
    """

    kind: str
    words: str
    limits: Mapping[str, Array]
    features: tuple[FeatureDifference, ...] = ()
    common: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def detectable(aligned: Aligned, same: str | None = None, sessions: Path | None = None) -> Detectable | None:
    """The smallest differences that can be told; None where no result was run with ``--uncertainty``.

    Parameters
    ----------
    aligned : Aligned
    same : {"session", "subject", "nothing"}, optional
        What results of different recordings have in common; by default what their records show.
    sessions : Path, optional
        What `gaitid repeatability` wrote: its limits are taken.

    Raises
    ------
    GaitidError
        `same` is another word; `sessions` is no such file, or both results are of one recording.
    """
    if sessions is not None:
        return _by_sessions(aligned, sessions)
    if aligned.way != CYCLE or not aligned.means:
        if not aligned.standard:
            return None
        words = f"the 95 % band of {aligned.standard_of}: both are of one recording, so that its errors are the same"
        limits = {name: COVERAGE_FACTOR * u for name, u in aligned.standard.items()}
        return Detectable(BAND, words, limits)
    a, b = (_Side(means) for means in aligned.means)
    if not (a.sure and b.sure):
        return None
    common = in_common(a.records, b.records, same)
    notes: tuple[str, ...] = ()
    if common.sources:
        try:
            a.find_signs(common)
            b.find_signs(common)
        except GaitidError as error:
            notes = (f"what both have in common is counted as if it were independent: {error.line()}",)
            common = InCommon(NOTHING, common.why, (), ())
    limits = {name: limit for name in aligned.curves if (limit := _of_curve(a, b, common, name)) is not None}
    single = [s for s in ("left", "right") if all(side.most_cycles(s) < 2 for side in (a, b))]
    if single:
        notes += (
            f"{' and '.join(single)}: one cycle on either side does not show how much the walk itself varies; what is "
            "told is of these cycles, not of the person",
        )
    words = f"minimal detectable change of {common.words}"
    return Detectable(DIFFERENCE, words, limits, tuple(_of_features(a, b, common)), common.sources, notes)


def _by_sessions(aligned: Aligned, path: Path) -> Detectable:
    """What sessions of the laboratory show, in place of the stated errors."""
    if aligned.way != CYCLE or not aligned.means:
        raise GaitidError(f"{path}: it says how sessions differ", expected="two recordings, over the gait cycle")
    result = read_repeatability(path)
    a, b = (_Side(means) for means in aligned.means)
    limits = {}
    for name in aligned.curves:
        side, _, column = name.partition("_")
        if column in result.curves:
            limits[name] = result.curves[column].detectable(a.walk(side, column)[1], b.walk(side, column)[1])
    features = []
    for side in ("left", "right"):
        values = a.features(side), b.features(side)
        for feature in FEATURES:
            of_a, of_b = (of.get(feature.name, []) for of in values)
            if of_a and of_b and feature.name in result.features:
                cycles = len(of_a), len(of_b)
                limit = float(result.features[feature.name].detectable(*cycles)[0])
                means = float(np.mean(of_a)), float(np.mean(of_b))
                features.append(FeatureDifference(side, feature.name, feature.unit, *means, cycles, limit))
    sizes = next(iter(result.curves.values())).numbers if result.curves else {}
    shown = ", ".join(counted(round(sizes[f"{what}s"][0]), what) for what in ("session", "subject") if sizes)
    words = f"smallest detectable change between two sessions of one person, as {path.name} shows ({shown})"
    return Detectable(DIFFERENCE, words, limits, tuple(features))


# --- one side ---------------------------------------------------------------------------------------------------


class _Side:
    """The results of one side that count for its means, and how sure they are."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._signs: dict[int, Signed] = {}
        self.sure = [result for result in means.results if result.mapping("uncertainty").get("cycle_shares_percent")]
        self.records: list[Mapping[str, Any]] = [result.record for result in means.results]

    def find_signs(self, common: InCommon) -> None:
        """Analyse its trials again for what common errors do to them, with the sign.

        Raises
        ------
        GaitidError
            A file is gone, or has changed.
        """
        for i, result in enumerate(self._means.results):
            if not result.cycles:
                continue
            recorded = read_recorded(result.record, result.path)
            setup = recorded.setup
            if setup.sources is None:
                raise GaitidError(f"{result.stem} was run without --uncertainty")
            again = recorded.analysed()
            self._signs[i] = signed(again, setup.sources, common.sources)

    def most_cycles(self, side: str) -> int:
        """How many cycles the means are of, at most."""
        pooled = self._means.sides.get(side)
        return 0 if pooled is None else len(pooled)

    def walk(self, side: str, column: str) -> tuple[Array, int]:
        """(101,) variance between cycles, NaN of less than two, and their number."""
        mean = self._means.sides[side].mean(column)
        return mean.sd**2, mean.n

    def variance(self, side: str, column: str) -> dict[str, Array]:
        """By source, (101,): the mean of its trials, for what is wrong in a session is wrong in all of them."""
        return variance_over_cycle(self.sure, side, column)

    def strike_variance(self, side: str, column: str, same: str) -> Array:
        """(101,) by when a cycle begins: a curve that is steep there differs where a strike is told early or late.

        A strike is told to a share of the time between two frames; by plates the clocks count too, which are those of
        the laboratory in all trials of a session.
        """
        pooled, result = self._means.sides[side], self.sure[0]
        sizes, rate_hz = result.mapping("uncertainty", "sources", "timing"), result.number("trial", "camera_rate_hz")
        frames, clocks_ms = (sizes.get(key, 0.0) for key in ("frames", "laboratory_ms"))
        late_s = float(np.hypot(frames / (rate_hz or np.inf), 0.0 if same == SESSION else clocks_ms * 1e-3))
        lasts_s = float(np.mean(pooled.curves.last_frame - pooled.curves.first_frame)) / (rate_hz or np.nan)
        return strike_variance(pooled.mean(column).mean, late_s / lasts_s)

    def feature_variance(self, side: str, feature: str) -> dict[str, float]:
        """By source, as `variance`."""
        entries = [result.record_at("uncertainty", "features", side, feature) for result in self.sure]
        results = [entry for entry in entries if entry]
        if not results:
            return {}
        return {
            s: sum(e["standard_uncertainty"] ** 2 * e["shares_percent"].get(s, 0.0) / 100 for e in results)
            / len(results)
            for s in SOURCES
        }

    def features(self, side: str) -> dict[str, list[float]]:
        """The known values of each feature, one a cycle."""
        results: dict[str, list[float]] = {}
        for result in self._means.results:
            for feature in result.features:
                if feature.side == side and np.isfinite(feature.value):
                    results.setdefault(feature.name, []).append(feature.value)
        return results

    def sign_of_curve(self, side: str, column: str) -> dict[tuple[str, str], Array]:
        """By error, (101,): what one standard deviation does to the mean curve."""
        pooled = self._means.sides[side]
        values = pooled.curves.columns[column]
        counted = np.isfinite(values).mean(axis=1) >= COUNTS_FROM
        rows = list(zip(pooled.trials[counted].tolist(), pooled.curves.numbers[counted].tolist(), strict=True))
        results: dict[tuple[str, str], Array] = {}
        for trial, number in rows:
            signs = self._signs[trial]
            i, k = signs.names.index(column), signs.cycles.index((side, number))
            for error, change in zip(signs.errors, signs.curves[:, k, :, i], strict=True):
                results[error] = results.get(error, 0.0) + change / len(rows)
        return results

    def sign_of_feature(self, side: str, feature: int) -> dict[tuple[str, str], float]:
        """By error: what one standard deviation does to the feature's mean over cycles."""
        rows: list[tuple[Signed, int]] = []
        for signs in self._signs.values():
            known = [k for k, (of, _) in enumerate(signs.cycles) if of == side]
            rows += [(signs, k) for k in known if np.isfinite(signs.features[:, k, feature]).all()]
        results: dict[tuple[str, str], float] = {}
        for signs, k in rows:
            for error, change in zip(signs.errors, signs.features[:, k, feature].tolist(), strict=True):
                results[error] = results.get(error, 0.0) + change / len(rows)
        return results


# --- both sides -------------------------------------------------------------------------------------------------


def _of_curve(a: _Side, b: _Side, common: InCommon, name: str) -> Array | None:
    side, _, column = name.partition("_")
    variances = a.variance(side, column), b.variance(side, column)
    if not all(variances):
        return None
    signs = (a.sign_of_curve(side, column), b.sign_of_curve(side, column)) if common.sources else ({}, {})
    stated = np.asarray(stated_variance(*variances, *signs, common))
    stated = stated + sum(of.strike_variance(side, column, common.same) for of in (a, b))
    (var_a, n_a), (var_b, n_b) = a.walk(side, column), b.walk(side, column)
    return limit_of(stated, variance_of_cycle(var_a, n_a, var_b, n_b), n_a, n_b)


def _of_features(a: _Side, b: _Side, common: InCommon) -> Iterator[FeatureDifference]:
    for side in ("left", "right"):
        values = a.features(side), b.features(side)
        for i, feature in enumerate(FEATURES):
            of_a, of_b = (of.get(feature.name, []) for of in values)
            variances = a.feature_variance(side, feature.name), b.feature_variance(side, feature.name)
            if not (of_a and of_b and all(variances)):
                continue
            signs = (a.sign_of_feature(side, i), b.sign_of_feature(side, i)) if common.sources else ({}, {})
            stated = np.asarray(stated_variance(*variances, *signs, common))
            if feature.kind == "at_strike":
                stated = stated + sum(of.strike_variance(side, feature.column, common.same)[0] for of in (a, b))
            n_a, n_b = len(of_a), len(of_b)
            var_a, var_b = (np.asarray(np.var(of, ddof=1) if len(of) > 1 else np.nan) for of in (of_a, of_b))
            limit = float(limit_of(stated, variance_of_cycle(var_a, n_a, var_b, n_b), n_a, n_b))
            means = float(np.mean(of_a)), float(np.mean(of_b))
            yield FeatureDifference(side, feature.name, feature.unit, *means, (n_a, n_b), limit)


def stated_variance(
    var_a: Mapping[str, Any],
    var_b: Mapping[str, Any],
    signs_a: Mapping[tuple[str, str], Any],
    signs_b: Mapping[tuple[str, str], Any],
    common: InCommon,
) -> Any:
    """Variance of a difference by the stated errors.

    Parameters
    ----------
    var_a, var_b : mapping of source to array
        Variances of both sides.
    signs_a, signs_b : mapping of (source, words) to array
        What one standard deviation of each error of the common sources does to each side.
    common : InCommon
        Errors that are common count by their difference, all others by their sum.
    """
    total: Any = 0.0
    for source in SOURCES:
        if source not in common.sources:
            total = total + var_a.get(source, 0.0) + var_b.get(source, 0.0)
    for error in {**signs_a, **signs_b}:
        of_a, of_b = signs_a.get(error, 0.0), signs_b.get(error, 0.0)
        total = total + ((of_b - of_a) ** 2 if common.shares(*error) else of_a**2 + of_b**2)
    return total


def strike_variance(curve: Array, late: float) -> Array:
    """Variance of a curve over the cycle by when the cycle begins and ends, both late alike.

    Parameters
    ----------
    curve : (points,) array
        Over 0 to 100 %.
    late : float
        Standard uncertainty of the strikes, in cycles.
    """
    return np.asarray((np.gradient(curve) * (len(curve) - 1) * late) ** 2)


def variance_of_cycle(var_a: Array, n_a: int, var_b: Array, n_b: int) -> Array:
    """Variance of one cycle of the walk, pooled over both sides; 0 where neither shows it."""
    a, b = (np.nan_to_num(var) * max(n - 1, 0) for var, n in ((var_a, n_a), (var_b, n_b)))
    return np.asarray((a + b) / max(n_a + n_b - 2, 1))


def limit_of(stated: Array, of_cycle: Array, n_a: int, n_b: int) -> Array:
    """The factor of 95 % times the standard uncertainty of a difference of two means.

    Parameters
    ----------
    stated : array
        Variance by the stated errors.
    of_cycle : array
        Variance between cycles, as `variance_of_cycle`.
    n_a, n_b : int
        Cycles of each mean.

    Notes
    -----
    What the cycles show of the walk is known from few of them only: the factor is Student's for the effective degrees
    of freedom (Welch and Satterthwaite; JCGM 100:2008, G.2b), as the stated errors have infinitely many.
    """
    from scipy.special import stdtrit  # of few commands

    of_means = of_cycle * (1 / max(n_a, 1) + 1 / max(n_b, 1))
    total = stated + of_means
    freedom = max(n_a + n_b - 2, 1)
    with np.errstate(all="ignore"):
        effective = np.where(of_means > 0, freedom * (total / of_means) ** 2, np.inf)
    factor = np.where(np.isfinite(effective), stdtrit(np.minimum(effective, 1e9), 0.975), COVERAGE_FACTOR)
    return np.asarray(factor * np.sqrt(total))


def beyond(limit: Array, difference: Array) -> tuple[float, float, int]:
    """Share of the known rows that lie beyond a limit, and the largest difference over its limit with its row.

    Parameters
    ----------
    limit, difference : (rows,) arrays
    """
    with np.errstate(all="ignore"):
        ratio = np.abs(difference) / limit
    known: Sequence[bool] | Array = np.isfinite(ratio)
    if not np.any(known):
        return float("nan"), float("nan"), -1
    at = int(np.nanargmax(np.where(known, ratio, np.nan)))
    return float((ratio[known] > 1).mean()), float(ratio[at]), at
