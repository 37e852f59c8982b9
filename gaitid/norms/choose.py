"""Which norms are drawn over a result, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gaitid.errors import GaitidError
from gaitid.norms.fit import (
    NO_PROFILE,
    GaitProfile,
    ModelFit,
    age_fit,
    age_years,
    dimensionless,
    gait_profile,
    leg_length_m,
    model_fit,
    way_words,
)
from gaitid.norms.sets import Figure, Group, Norms, NormSet, load_set, published_sets
from gaitid.records import NamedTuple
from gaitid.results.record_checks import entry_at
from gaitid.trial import Array

DEFAULT = "schwartz2008"
NONE = "none"
# What every set that comes with gaitid is of.
_STRAIGHT = "walking straight on over level ground"
# Beyond the slowest and the fastest group: a speed that far from its mean is of nobody in it.
MOST_SD = 2.0


class _Speed(NamedTuple):
    """A group, or two mixed; why it (``, at ...``); what is to be said besides; whether the speed is beyond all."""

    group: Group
    why: str = ""
    doubt: str = ""
    beyond_fastest: bool = False
    dimensionless: bool = False


def norms_for(choice: str | None, record: Mapping[str, Any], speed_m_per_s: float) -> tuple[Norms | None, str]:
    """The norms to draw over a result, and in plain words which and why, or why none.

    Parameters
    ----------
    choice : str or None
        A name (``schwartz2008``, or one of its groups: ``schwartz2008:free``), the path of a laboratory's own norms,
        ``none``, or None for the default: Schwartz 2008 by walking speed, where model and population fit.
    record : mapping
        The content of ``run.json``.
    speed_m_per_s : float
        Walking speed; NaN where it is not known.

    Raises
    ------
    GaitidError
        No norms of that name, no file there, or a file that is not norms.
    """
    if choice == NONE:
        return None, "No normative bands were asked for."
    norms, wanted = _load(choice or DEFAULT)
    asked = choice is not None
    model = model_fit(norms, record, asked)
    age = age_fit(norms, record)
    speed = _Speed(wanted) if wanted else _by_speed(norms, speed_m_per_s, leg_length_m(record))
    todo = f"--norms {norms.name} draws it all the same"
    against = (age.fits is False and age.words) or (speed.beyond_fastest and speed.doubt)
    if against and not asked:
        return None, f"No normative bands. {against}: {norms.title} is not drawn ({todo})."
    way = way_words(record)
    way = f"T{way[1:]}" if way else ""
    if way and not asked:
        return None, f"No normative bands. {way}: {norms.title} is of {_STRAIGHT}, and is not drawn ({todo})."
    group = speed.group
    bands = {
        column: replace(band, borrowed=column in model.borrowed)
        for column, band in group.bands.items()
        if column in model.columns
    }
    if not bands and not group.spatiotemporal:
        return None, f"No normative bands. {norms.title}: {model.why}."
    judges = age.fits is True or (age.fits is None and asked)
    drawn = Norms(
        name=norms.name,
        title=norms.title,
        source=norms.source,
        licence=norms.licence,
        population=norms.population,
        n=group.n,
        speed=f"{_with_speed(group.label)} (n = {group.n})" if len(norms.groups) > 1 else _speed_words(group),
        dimensionless=speed.dimensionless,
        force_filter=norms.force_filter,
        bands=bands,
        spatiotemporal=group.spatiotemporal,
        features=_features(group, model),
        people=age.people,
        judges=judges,
        models=norms.definitions.models,
    )
    judged = f": that takes age_years (--subject), or --norms {norms.name} where it fits" if age.fits is None else ""
    sentences = (
        f"{norms.title}, {drawn.speed}{speed.why}",
        speed.doubt,
        way and f"{way}, and the band is of {_STRAIGHT}",
        age.words,
        "" if judges else f"No curve is called normal or not by it{judged}",
        model.why,
    )
    return drawn, " ".join(f"{sentence}." for sentence in sentences if sentence)


def refuse_unknown(choice: str | None) -> None:
    """Raise a `GaitidError` where there are no norms of that name, and no such file."""
    if choice not in (None, NONE):
        _load(choice)


def profile_for(
    choice: str | None, record: Mapping[str, Any], speed_m_per_s: float, curves: Mapping[str, Mapping[str, Array]]
) -> tuple[GaitProfile | None, str]:
    """The scores of one result against the norms that may be drawn over it, or in plain words why there are none.

    Parameters
    ----------
    choice, record, speed_m_per_s
        As of `norms_for`.
    curves : mapping of side to mapping of str to (cycles, points) array
        Columns of ``cycles.csv``.
    """
    norms, why = norms_for(choice, record, speed_m_per_s)
    if norms is None:
        return None, why
    profile = gait_profile(curves.get("left", {}), curves.get("right", {}), norms)
    lacking = f"{NO_PROFILE[:1].upper()}{NO_PROFILE[1:]}."
    return profile, "" if profile is not None else lacking


def _load(choice: str) -> tuple[NormSet, Group | None]:
    """A set, and the group that was asked for."""
    name, colon, wanted = choice.rpartition(":")
    if not colon or name not in published_sets():
        return load_set(choice, also=f"{NONE} (no bands)"), None
    norms = load_set(name)
    for group in norms.groups:
        if group.name == wanted:
            return norms, group
    names = ", ".join(group.name for group in norms.groups)
    raise GaitidError(f"{name}: no group {wanted!r}", expected=f"one of {names}")


def _features(group: Group, model: ModelFit) -> dict[str, Figure]:
    """Features but for those of joints that the result defines otherwise, and scores that rest on these."""
    if not model.family:
        return {}
    left_out = (*(f"{joint}_" for joint in model.without), *(("gait_",) if model.without else ()))
    return {name: figure for name, figure in group.features.items() if not name.startswith(left_out)}


def _speed_words(group: Group) -> str:
    """``1.16 ± 0.18 m/s, self-selected (n = 81)``."""
    figure = group.speeds.get("m/s") or group.speeds.get("dimensionless")
    n = f"n = {group.n}"
    if figure is None:
        return f"{group.label} ({n})"
    spread = "" if math.isnan(figure.sd) else f" ± {figure.sd:.2f}"
    return f"{_with_speed(group.label)}, {figure.mean:.2f}{spread} {_UNIT_WORDS[figure.unit]} ({n})"


def _with_speed(label: str) -> str:
    return label if "speed" in label else f"{label} speed"


_UNIT_WORDS = {"m/s": "m/s", "dimensionless": "of sqrt(g leg length)"}


def _by_speed(norms: NormSet, speed_m_per_s: float, leg_m: float) -> _Speed:
    """The group of a speed: linear between the two whose mean speeds are next to it, no further than the outer ones.

    Linear, by what the five groups of Schwartz say of each other: each of the middle ones, made from its two neighbours
    (over twice the distance that is ever needed), is off by 0.14 of its standard deviation (median of quantities, at
    worst 0.37); the nearer neighbour alone by 0.42 (1.0).
    """
    usual = next(group for group in norms.groups if group.name == norms.usual)
    unit = "dimensionless" if all("dimensionless" in group.speeds for group in norms.groups) else "m/s"
    if any(unit not in group.speeds for group in norms.groups):
        return _Speed(usual)
    scaled = unit == "dimensionless"
    speed = dimensionless(speed_m_per_s, leg_m) if scaled else speed_m_per_s
    members = len(groups := sorted(norms.groups, key=lambda group: group.speeds[unit].mean)) > 1
    if not speed >= 0:
        missing = "leg length" if scaled and speed_m_per_s >= 0 else "walking speed"
        doubt = f"The {missing} of this result is not known: the band is of {usual.label} speed"
        return _Speed(usual, doubt=doubt if members else "")
    shown = f"{speed_m_per_s:.2f} m/s" + (f" ({speed:.2f} of sqrt(g leg length), leg {leg_m:.2f} m)" if scaled else "")
    why = f", at this walk's {shown}" if members else ""
    means = [group.speeds[unit].mean for group in groups]
    for slower, faster, low, high in zip(groups, groups[1:], means, means[1:]):
        if low < speed <= high:
            return _Speed(_mixed(slower, faster, (speed - low) / (high - low)), why, dimensionless=scaled)
    outer = groups[0] if speed <= means[0] else groups[-1]
    figure = outer.speeds[unit]
    if not math.isnan(figure.sd) and abs(speed - figure.mean) > MOST_SD * figure.sd:
        way = "slower" if speed < figure.mean else "faster"
        doubt = f"This walk, {shown}, is {way} than those of the band ({figure.mean:.2f} ± {figure.sd:.2f})"
        return _Speed(outer, "", doubt, members and way == "faster", scaled)
    return _Speed(outer, why, dimensionless=scaled)


def _mixed(slower: Group, faster: Group, share: float) -> Group:
    """Between two groups: `share` of the faster one."""
    n = min(slower.n, faster.n)
    return Group(
        name=f"{slower.name}..{faster.name}",
        label=f"between {slower.label} and {faster.label}",
        n=n,
        speeds={},
        bands={
            column: replace(
                band,
                mean=(1 - share) * band.mean + share * other.mean,
                sd=(1 - share) * band.sd + share * other.sd,
                n=min(band.n, other.n),
                spike_until_percent=max(band.spike_until_percent, other.spike_until_percent),
            )
            for column, band in slower.bands.items()
            if (other := faster.bands.get(column)) is not None
        },
        spatiotemporal=_mixed_figures(slower.spatiotemporal, faster.spatiotemporal, share),
        features=_mixed_figures(slower.features, faster.features, share),
    )


def _mixed_figures(slower: Mapping[str, Figure], faster: Mapping[str, Figure], share: float) -> dict[str, Figure]:
    return {
        name: Figure(
            (1 - share) * figure.mean + share * faster[name].mean,
            (1 - share) * figure.sd + share * faster[name].sd,
            figure.unit,
            min(figure.n, faster[name].n),
        )
        for name, figure in slower.items()
        if name in faster
    }


# Last year of age -> mean of men and of women, m/s. Bohannon & Andrews (2011), Physiotherapy 97:182-189: a
# meta-analysis of 41 articles with 23 111 people. Read from reprints with two decimals; its abstract has the extremes,
# 143.4 and 94.3 cm/s. No standard deviation between people could be read: nothing is called slow or fast by it.
_YEARS_FROM = 20
_USUAL_SPEEDS = {
    29: (1.36, 1.34),
    39: (1.43, 1.34),
    49: (1.43, 1.39),
    59: (1.43, 1.31),
    69: (1.34, 1.24),
    79: (1.26, 1.13),
    99: (0.97, 0.94),
}


def usual_speed(record: Mapping[str, Any]) -> tuple[Figure, str] | None:
    """The mean speed of healthy adults of a subject's age and sex, and whose it is; None where either is not known."""
    age, sex = age_years(record), entry_at(record, "subject", "sex", "value")
    last = (
        next((last for last in _USUAL_SPEEDS if _YEARS_FROM <= math.floor(age) <= last), 0) if math.isfinite(age) else 0
    )
    if not last or sex not in ("male", "female"):
        return None
    first = 80 if last == 99 else last - 9
    words = (
        f"Walking speed: mean of healthy {'men' if sex == 'male' else 'women'} of {first} to {last} years at their "
        "comfortable speed (Bohannon & Andrews 2011, Physiotherapy 97:182–189, 23 111 people); no spread is known."
    )
    return Figure(_USUAL_SPEEDS[last][sex == "female"], math.nan, "m/s", 0), words
