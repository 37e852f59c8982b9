"""A set of norms as text: the YAML of a laboratory's own, and what one holds, for people."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping

import numpy as np

from gaitid.norms.sets import SCHEMA, SPEEDS, Array, Band, Figure, Group, NormSet

_HEAD = "# Normative bands, for `gaitid report --norms`: docs/norms.md\n"


def set_yaml(norms: NormSet) -> str:
    """The YAML that `gaitid.norms.sets.load_set` reads back; six digits."""
    words = ("name", "title", "source", "licence", "population", "force_filter", "marker_filter")
    lines = [f"{_HEAD}gaitid_norms: {SCHEMA}", *(f"{key}: {_quoted(getattr(norms, key))}" for key in words)]
    if norms.ages_years:
        lines.append(f"ages_years: {_list(np.array(norms.ages_years))}")
    definitions = norms.definitions
    lines += ["definitions:", f"  models: {json.dumps(list(definitions.models), ensure_ascii=False)}"]
    for key in ("angles", "moments", "axes"):
        lines.append(f"  {key}:{'' if getattr(definitions, key) else ' {}'}")
        lines += [f"    {_quoted(name)}: {_quoted(text)}" for name, text in getattr(definitions, key).items()]
    percent = next((band.percent for group in norms.groups for band in group.bands.values()), np.array([0.0, 100.0]))
    lines += [f"usual: {_quoted(norms.usual)}", f"percent: {_list(percent)}", "groups:"]
    for group in norms.groups:
        lines += _group(group)
    return "\n".join(lines) + "\n"


def _group(group: Group) -> Iterator[str]:
    yield f"  {_quoted(group.name)}:"
    yield f"    label: {_quoted(group.label)}"
    yield f"    n: {group.n}"
    for unit, figure in group.speeds.items():
        yield f"    {SPEEDS[unit]}: {_figure(figure)}"
    if group.speed_range_m_per_s:
        yield f"    speed_range_m_per_s: {_list(np.array(group.speed_range_m_per_s))}"
    for key in ("spatiotemporal", "features"):
        figures: Mapping[str, Figure] = getattr(group, key)
        yield f"    {key}:{'' if figures else ' {}'}"
        for name, figure in figures.items():
            yield f"      {_quoted(name)}: {_figure(figure)}"
    yield f"    bands:{'' if group.bands else ' {}'}"
    for column, band in group.bands.items():
        yield f"      {_quoted(column)}:"
        yield f"        n: {band.n}"
        if band.spike_until_percent:
            yield f"        spike_until_percent: {band.spike_until_percent:g}"
        yield f"        mean: {_list(band.mean)}"
        if not np.isnan(band.sd).all():
            yield f"        sd: {_list(band.sd)}"


def _figure(figure: Figure) -> str:
    unit = f", unit: {_quoted(figure.unit)}"
    return f"{{mean: {_number(figure.mean)}, sd: {_number(figure.sd)}{unit}, n: {figure.n}}}"


def _number(value: float) -> str:
    return "null" if math.isnan(value) else f"{value:.6g}"


def _list(values: Array) -> str:
    return f"[{', '.join(map(_number, values.tolist()))}]"


def _quoted(text: str) -> str:
    """Text as YAML reads it back whatever it holds; bare where it is the name of a column."""
    if "_" in text and text.isascii() and text.replace("_", "a").isalnum() and text[0].isalpha():
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())


# --- for people -----------------------------------------------------------------------------------------------


def set_lines(norms: NormSet) -> Iterator[str]:
    """What a set holds: words, then of each group its figures, and the extremes of each band."""
    yield f"{norms.title} ({norms.name})"
    for word in ("source", "licence", "population"):
        yield f"{word}: {getattr(norms, word)}"
    ages = norms.ages_years
    yield f"ages: {f'{ages[0]:g} to {ages[1]:g} years' if ages else 'not stated'}"
    definitions = norms.definitions
    yield f"models: {', '.join(definitions.models) or 'not stated'}"
    for key in ("angles", "moments", "axes"):
        stated = "; ".join(f"{name}: {text}" for name, text in getattr(definitions, key).items())
        yield f"{key}: {stated or 'not stated'}"
    yield f"filter of the markers: {norms.marker_filter}"
    yield f"filter of the forces: {norms.force_filter}"
    for group in norms.groups:
        yield ""
        yield f"{group.name}: {group.label}, n = {group.n}{_speed_words(group)}"
        for name, figure in (*group.spatiotemporal.items(), *group.features.items()):
            yield f"  {name:<55}{_value(figure)}"
        for column, band in group.bands.items():
            yield f"  {column:<55}{_extremes(band)}{f'  n = {band.n}' if band.n != group.n else ''}"


def _speed_words(group: Group) -> str:
    units = {"dimensionless": "of sqrt(g leg length)", "m/s": "m/s"}
    words = ""
    for unit, figure in group.speeds.items():
        spread = "" if math.isnan(figure.sd) else f" ± {figure.sd:.3f}"
        words += f", {figure.mean:.3f}{spread} {units[unit]}"
    span = group.speed_range_m_per_s
    return f"{words}, cycles from {span[0]:.3g} to {span[1]:.3g} m/s" if span else words


def _value(figure: Figure) -> str:
    spread = "" if math.isnan(figure.sd) else f" ± {figure.sd:.3g}"
    return f"{figure.mean:.4g}{spread} {figure.unit}".rstrip()


def _extremes(band: Band) -> str:
    """Maximum and minimum of the mean, where they are, and the mean standard deviation."""
    high, low = int(np.argmax(band.mean)), int(np.argmin(band.mean))
    at = f"{band.mean[low]:.3g} at {band.percent[low]:g} % to {band.mean[high]:.3g} at {band.percent[high]:g} %"
    spread = "" if np.isnan(band.sd).all() else f", sd {np.nanmean(band.sd):.3g}"
    spike = f", foot-strike spike until {band.spike_until_percent:g} %" if band.spike_until_percent else ""
    return f"{at}{spread}{spike}"
