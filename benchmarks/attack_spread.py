"""By how much a spoilt trial differs from the unspoilt one, and whether clean recordings differ as much."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from gaitid.analysis.result import Result  # noqa: E402
from gaitid.body.centre_of_mass import centre_of_body  # noqa: E402
from gaitid.dynamics.wrench import Wrench, centre_of_pressure  # noqa: E402
from gaitid.ground.contacts import AIR, LOADED, Contact  # noqa: E402
from gaitid.ground.line_of_force import line_of  # noqa: E402
from gaitid.ground.plate_faults import stood_alone  # noqa: E402
from gaitid.markers.gaps import mock_error, smoothing_of, spline_weights  # noqa: E402
from gaitid.markers.jumps import seen_by, steadiest  # noqa: E402
from gaitid.markers.spikes import BESIDE_FRAMES, BESIDE_S, LONGEST_FRAMES  # noqa: E402
from gaitid.markers.tracks import noise_of  # noqa: E402
from gaitid.numerics.masks import known_rows, spans  # noqa: E402
from gaitid.numerics.rigid_fit import FEWEST  # noqa: E402
from gaitid.trial import Array, Mask, Trial  # noqa: E402

Curves = Mapping[tuple[str, str, str], Array]
NOTHING: Curves = {}


class Spread(NamedTuple):
    """By how much the load on a foot may change and still be one that clean recordings show, root mean squares.

    Attributes
    ----------
    vertical : float
        Of the vertical force: in single support the body's motion tells it to 6 %, to 17 % where it flies (`gains`).
    slope : float
        Of F_h / F_z: the lines of force of clean walks err by 0.03, of runs by 0.05 at least (`line_of_force`).
    pressure : float, m
        Where a foot presses is known to this (`sole`).
    lever : float, m
        Free moment over vertical force: feet show as much in walking and running (`plate_channels`).
    """

    vertical: float
    slope: float
    pressure: float = 0.03
    lever: float = 0.021


WALKING, RUNNING = Spread(0.06, 0.03), Spread(0.17, 0.05)


class LineSpread(NamedTuple):
    """What the line of the force leaves in clean recordings (docs/balance.md, its table).

    Attributes
    ----------
    left : float
        Root mean square.
    along, across : (float, float)
        Steady parts.
    """

    left: float
    along: tuple[float, float]
    across: tuple[float, float]


LINE_WALKING = LineSpread(0.030, (-0.10, -0.01), (-0.021, 0.021))
LINE_RUNNING = LineSpread(0.18, (-0.11, -0.01), (-0.05, 0.05))
# Of the body's mass: one that is estimated from the plates is the same to this.
SAME_MASS = 1e-3
# s. Both feet are known to carry nothing for so long where the body flies.
FLIGHT = 0.03
# Of a contact's greatest vertical force: a smaller one tells nothing.
TELLING_FORCE = 0.3


def curves_of(result: Result, kind: str) -> Curves:
    """Joint ``moments``, N·m/kg, or ``angles``, deg, (frames,), by side, joint and component."""
    return {
        (side, joint, column): values
        for side, leg in result.sides.items()
        for joint, columns in getattr(leg, kind).items()
        for column, values in columns.items()
    }


def differences(clean: Result, spoilt: Result, kind: str) -> Curves:
    """Sizes of the differences of all curves; NaN where one of both is empty."""
    before, after = curves_of(clean, kind), curves_of(spoilt, kind)
    off = {key: np.abs(after[key] - values) for key, values in before.items()}
    return {key: np.minimum(v, np.abs(360 - v)) for key, v in off.items()} if kind == "angles" else off


def within_spread(clean: Result, spoilt: Result) -> bool:
    """Whether markers and measurements are as they were, and no load on a foot changed by more than `Spread`."""
    if any(np.nanmax(v, initial=0.0) > 0.01 for v in differences(clean, spoilt, "angles").values()):
        return False
    if abs(spoilt.subject.mass_kg - clean.subject.mass_kg) > SAME_MASS * clean.subject.mass_kg:
        return False
    spread, line = (RUNNING, LINE_RUNNING) if _flies(clean) else (WALKING, LINE_WALKING)
    changed = _changed(clean, spoilt)
    for contact, change in changed:
        if change is None:
            return False
        # the force of a foot that stands alone is held against the body: a change that leaves it no farther from it
        fits = change.slope <= spread.slope or _fits_line(spoilt, contact, line)
        if not fits or any(a > b for a, b in ((change.vertical, spread.vertical), (change.pressure, spread.pressure))):
            return False
        if change.lever > spread.lever:
            return False
    return bool(changed)


def _flies(result: Result) -> bool:
    in_air = np.logical_and.reduce([load.state == AIR for load in result.loads.by_side.values()])
    return any(stop - first >= FLIGHT * result.trial.rate_hz for first, stop in spans(in_air))


def _changed(clean: Result, spoilt: Result) -> list[tuple[Contact, Spread | None]]:
    """The contacts whose load changed, and by how much; None where that cannot be told."""
    found = []
    for contact in clean.contacts:
        before, after = (result.loads.by_side[contact.side] for result in (clean, spoilt))
        frames = np.zeros(len(before.state), dtype=bool)
        frames[contact.loaded] = True
        frames &= (before.state == LOADED) & (after.state == LOADED)
        same = all(
            np.array_equal(getattr(before.wrench, part)[frames], getattr(after.wrench, part)[frames])
            for part in ("f_g", "m_g")
        )
        if contact.plates and frames.any() and not same:
            found.append((contact, _change(clean, before.wrench, after.wrench, frames)))
    return found


def _fits_line(result: Result, contact: Contact, spread: LineSpread) -> bool:
    """Whether the force on a foot passes the body by no more than in clean recordings; not where nothing tells."""
    com_g = centre_of_body(result.body)
    for one in stood_alone(result.ground, result.loads):
        if one.side == contact.side and contact.first <= one.frames[len(one.frames) // 2] <= contact.last:
            line = line_of(one, com_g)
            return line is not None and (
                bool(np.sqrt(sum(line.left(np.eye(2)))) <= spread.left)
                and spread.along[0] <= line.steady_along <= spread.along[1]
                and spread.across[0] <= line.steady_across <= spread.across[1]
            )
    return False


def changes(clean: Result, spoilt: Result) -> str:
    """By how much loads changed, the largest of all contacts, in words; empty where none did."""
    known = [change for _, change in _changed(clean, spoilt) if change is not None]
    if not known:
        return ""
    most = Spread(*np.max(np.array(known), axis=0))
    words = [
        f"{most.vertical:.0%} of the vertical force",
        f"{most.slope:.2f} in direction",
        f"{most.pressure * 100:.1f} cm of pressure",
        f"{most.lever * 1e3:.0f} mm of free moment",
    ]
    return ", ".join(words)


def _change(clean: Result, before: Wrench, after: Wrench, frames: Mask) -> Spread | None:
    """By how much two loads on a foot differ; None where one presses upward or nothing tells."""
    up_g = clean.ground.plates[0].normal_g
    surface_g = clean.ground.plates[0].centre_g
    vertical = before.f_g @ up_g
    at = np.flatnonzero(frames & (vertical > TELLING_FORCE * vertical[frames].max()))
    if not len(at) or not ((after.f_g @ up_g)[at] > 0).all():
        return None
    tall = vertical[at]
    places, levers, slopes = [], [], []
    for wrench in (before, after):
        cop_g, free = centre_of_pressure(wrench, surface_g, up_g)
        places.append(cop_g[at])
        levers.append(free[at] / tall)
        slopes.append(wrench.f_g[at] / (wrench.f_g[at] @ up_g)[:, None])
    force = (after.f_g - before.f_g)[at] @ up_g
    return Spread(
        float(np.sqrt(np.mean(force**2)) / np.sqrt(np.mean(tall**2))),
        _rms(slopes[1] - slopes[0]),
        _rms(places[1] - places[0]),
        _rms((levers[1] - levers[0])[:, None]),
    )


def _rms(vectors: Array) -> float:
    return float(np.sqrt((vectors**2).sum(axis=1).mean()))


def bump(clean: Trial, spoilt: Trial) -> float:
    """How many times as far as its own track elsewhere one marker is off for some frames; infinite for other faults.

    That is what a spline over as many frames errs by (95 %) in the unspoilt trial, in the laboratory or among the
    marker's neighbours: a marker that is not off makes such bumps too.
    """
    if clean.labels != spoilt.labels or clean.points_g.shape != spoilt.points_g.shape:
        return np.inf
    off = np.sqrt(((spoilt.points_g - clean.points_g) ** 2).sum(axis=-1))
    changed = np.nan_to_num(off) > 1e-6
    if np.isnan(off).sum() > np.isnan(clean.points_g).any(axis=-1).sum() or changed.any(axis=0).sum() != 1:
        return np.inf
    column = int(changed.any(axis=0).argmax())
    ((first, stop), *others) = spans(changed[:, column])
    if others or stop - first > LONGEST_FRAMES:
        return np.inf
    markers = {label: clean.marker(label) for label in clean.labels}
    markers = {label: track for label, track in markers.items() if np.isfinite(track).any()}
    points, near = markers[clean.labels[column]], steadiest(markers, clean.labels[column])
    tracks = [points]
    if len(near) >= FEWEST:
        tracks.append(seen_by(points, np.stack([markers[label] for label in near], axis=1))[0])
    reach = max(BESIDE_FRAMES, round(BESIDE_S * clean.rate_hz))
    window = slice(max(first - reach, 0), stop + reach)
    errs = []
    for track in tracks:
        seen = known_rows(track[window])
        offset = first - window.start
        seen[offset : offset + stop - first] = False
        smoothing = smoothing_of(noise_of(track), clean.rate_hz)
        weights = spline_weights(tuple(seen.tolist()), stop - first, offset, 3, smoothing)
        errs.append(mock_error(track, seen, weights, offset))
    return float(np.nanmax(off[:, column]) / np.fmin.reduce(errs))
