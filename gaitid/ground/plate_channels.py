"""What the channels of one plate cannot be, whoever stands on it: clipped, dead, in another unit, beyond friction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gaitid.ground.fault import Fault
from gaitid.ground.ground import Ground
from gaitid.ground.plate_load import PlateLoad
from gaitid.numerics.masks import spans
from gaitid.numerics.statistics import median
from gaitid.trial import Array, ForcePlate, Mask

# Of the greatest vertical force: a plate is loaded above it. N: no load that never gets this heavy is judged.
LOADED, HEAVY = 0.3, 100.0
# s, samples. A plateau of exactly equal greatest samples at least this long.
PLATEAU, PLATEAU_SAMPLES = 0.008, 4
# Steps of the converter by which the force must have risen from as long before a plateau as it lasts. The top of a
# smooth force that a converter rounds is a parabola: over a plateau of one step it falls by 8 steps (9 − 1).
STEPS = 24
# Of its greatest size: a channel that varies by less has no signal.
DEAD = 1e-6
# |F_h| / F_z, the median over a loaded stance. Walks show 0.06 to 0.21, a sprint at 9.5 m/s 0.18; rubber on a dry floor
# holds 0.8 to 1.0 at most, in no foot for half of a stance.
DOUBTED_FRICTION, NO_FRICTION = 0.35, 0.6
# m. A centre of pressure farther than this from the plate lies on no plate: the moments are in N·mm.
FAR = 5.0
# m. Mx and My that vary by less than this times the force belong to pressure that does not move; it does by 60 mm and
# more along the foot in every stance of the shared trials.
STILL = 0.002

_FORCES, _MOMENTS = ("Fx", "Fy"), ("Mx", "My", "Mz")
CHECK = "check the plate's channels, units and calibration"


def channel_faults(plate: PlateLoad, raw: ForcePlate, ground: Ground) -> Iterator[Fault]:
    """Faults that the channels of one plate show by themselves.

    Parameters
    ----------
    plate : PlateLoad
    raw : ForcePlate
        The same with its samples.
    ground : Ground
    """
    peak = float(np.fmax.reduce(plate.vertical))
    if not (peak > HEAVY and ground.loaded[plate.number]):
        return
    loaded = np.zeros(len(plate.vertical), dtype=bool)
    for first, last in ground.loaded[plate.number]:
        loaded[first : last + 1] = True
    with np.errstate(invalid="ignore"):
        loaded &= plate.vertical > LOADED * peak
    samples = _samples(loaded, raw, ground.rate_hz)
    for text, withheld in (
        *_clipped(raw),
        *_dead(raw, samples),
        *_moments(plate, loaded, raw, samples),
        *_friction(plate, loaded),
    ):
        yield Fault("plate_channel" if withheld else "plate_doubtful", text, (plate.number,), withheld, CHECK)


def _clipped(raw: ForcePlate) -> Iterator[tuple[str, bool]]:
    """A vertical force that runs into a ceiling: its greatest samples are equal, and it enters them steeply."""
    upward = -raw.force_p[:, 2]
    top = float(np.fmax.reduce(upward))
    if not top > HEAVY:
        return
    with np.errstate(invalid="ignore"):
        at_top = upward >= top * (1 - 1e-9)
    least = max(PLATEAU * raw.rate_hz, PLATEAU_SAMPLES)
    if at_top.sum() < least:
        return
    distinct = np.diff(np.unique(upward[upward > top / 2]))
    steps = distinct[distinct > 1e-9 * top]
    step = float(steps.min()) if steps.size else 0.0
    held = 0
    for first, stop in spans(at_top):
        n = stop - first
        before, after = first - n, stop - 1 + n
        if n < least or before < 0 or after >= len(upward):
            continue
        if top - max(upward[before], upward[after]) > STEPS * step:
            held = max(held, n)
    if held:
        ms = held / raw.rate_hz * 1e3
        yield f"plate {raw.number}: its vertical force is clipped at {top:.0f} N, for up to {ms:.0f} ms", True


def _dead(raw: ForcePlate, samples: Mask) -> Iterator[tuple[str, bool]]:
    """Channels without any variation over the loaded stances; `samples`, (samples,), are those of these."""
    if not samples.any():
        return
    force, moment = raw.force_p[samples], raw.moment_p[samples]
    size = float(np.fmax.reduce(np.abs(force[:, 2])))
    dead = [name for name, channel in zip(_FORCES, force.T, strict=False) if _constant(channel, size)]
    if raw.outlined:
        dead += [name for name, channel in zip(_MOMENTS, moment.T, strict=True) if _constant(channel, size)]
    if dead:
        yield (
            f"plate {raw.number}: {' and '.join(dead)} do{'es' * (len(dead) == 1)} not change while it is loaded",
            True,
        )


def _constant(channel: Array, size: float) -> bool:
    return bool(np.fmax.reduce(channel) - np.fmin.reduce(channel) <= DEAD * size)


def _moments(plate: PlateLoad, loaded: Mask, raw: ForcePlate, samples: Mask) -> Iterator[tuple[str, bool]]:
    """Moments in another unit: the pressure lies kilometres away, or does not move."""
    if not raw.outlined:
        return
    away = np.linalg.norm(plate.cop_g[loaded] - plate.centre_g, axis=1)
    away = away[np.isfinite(away)]
    if not away.size:
        return
    far = float(median(away))
    if far > FAR:
        unit = ": a thousandth of that is on the plate, so its moments seem to be in N·mm" if far < 1e3 else ""
        yield f"plate {raw.number}: its pressure lies {far:.0f} m away{unit}", True
        return
    force = float(np.fmax.reduce(np.abs(raw.force_p[samples, 2]), initial=0.0))
    moment = raw.moment_p[samples, :2]
    spread = np.fmax.reduce(moment, axis=0, initial=-np.inf) - np.fmin.reduce(moment, axis=0, initial=np.inf)
    if force > 0 and (spread > DEAD * force).all() and (spread < STILL * force).all():
        size = float(spread.max()) / force * 1e3
        yield f"plate {raw.number}: its pressure moves by {size:.1f} mm only: Mx and My are in another unit", True


def _friction(plate: PlateLoad, loaded: Mask) -> Iterator[tuple[str, bool]]:
    """Horizontal forces that no friction holds."""
    vertical = plate.vertical[loaded]
    share = np.abs(plate.wrench.f_g[loaded] @ plate.R_gp[:, :2]) / vertical[:, None]
    share = share[np.isfinite(share).all(axis=1)]
    if not share.size:
        return
    typical = median(share)
    worst = int(np.argmax(typical))
    if typical[worst] > DOUBTED_FRICTION:
        times = f"{typical[worst]:.1f}" if typical[worst] < 10 else f"{typical[worst]:.0f}"
        text = f"plate {plate.number}: {_FORCES[worst]} is {times} times its vertical force; no floor holds a foot so"
        yield text, bool(typical[worst] > NO_FRICTION)


def _samples(loaded: Mask, raw: ForcePlate, camera_hz: float) -> Mask:
    """(samples,) those of the plate that were taken in loaded frames."""
    frame = np.rint((np.arange(len(raw.force_p)) / raw.rate_hz + raw.start_s) * camera_hz).astype(np.intp)
    inside = (frame >= 0) & (frame < len(loaded))
    return np.asarray(inside & loaded[np.clip(frame, 0, len(loaded) - 1)])
