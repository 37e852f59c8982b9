"""Surface electromyography: raw channels -> linear envelopes at the frames of the cameras, and what is wrong with them.

Band-pass 20 to 450 Hz, full-wave rectification, low-pass 6 Hz, all without phase. Below 20 Hz lie movements of the
electrodes (De Luca, Gilmore, Kuznetsov & Roy 2010, J Biomech 43:1573-1579), above 450 Hz hardly any signal (Hermens et
al. 2000, J Electromyogr Kinesiol 10:361-374); the envelope of 3 to 10 Hz follows the tension of a muscle (Winter 2009,
Biomechanics and Motor Control of Human Movement, 4th ed., ch. 10).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.errors import TrialError
from gaitid.gait import ENVELOPES
from gaitid.notes import Note, Notes, note
from gaitid.numerics.lowpass import bandpass, lowpass
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Emg, Trial

#: Hz. Band of the signal, and of the envelope: see above.
BAND_HZ, ENVELOPE_HZ = (20.0, 450.0), 6.0
#: Of the sampling rate: above it the band-pass of a slowly sampled channel has no room.
_OF_RATE = 0.45
#: Hz. Of the mains in Europe and America; what lies so near is theirs, and what lies so far tells what would be there.
MAINS_HZ, NEAR_HZ, AROUND_HZ = (50.0, 60.0), 1.0, 10.0
#: Of the power of a channel: so much hum raises its amplitude by a twentieth.
HUM = 0.1
#: Share of the power that lies in the lower half of the band: half of white noise, which an open amplifier gives (more
#: than this by chance in one of a hundred recordings of 2 s), and most of a muscle's, whose median lies at 50 to 150 Hz
#: (De Luca 1997, J Appl Biomech 13:135-163).
WHITE = 0.55
#: Samples in a row at the greatest or least value: a signal of the band that is not cut has one, a flat top of two.
CUT = 3
#: Values between the least and the greatest, below which a channel is no signal but the noise of its converter.
LEAST_LEVELS = 8
#: Skewness of samples above which a channel that is nowhere below zero was rectified before it was recorded: 1.0 of the
#: absolute value of normal numbers, 0 of a signal that stands on an offset.
SKEWED = 0.5


class EmgChannel(NamedTuple):
    """One channel.

    Attributes
    ----------
    name : str
        In columns: ``left_tibialis_anterior``, made of the label.
    label : str
        As the file has it.
    side : str
        ``left``, ``right``, or empty where the label does not say it.
    rectified : bool
        It was rectified before it was recorded.
    """

    name: str
    label: str
    side: str
    rectified: bool


@frozen_dataclass(eq=False)
class Envelopes:
    """Of all channels of a trial.

    Attributes
    ----------
    channels : tuple of EmgChannel
    values_V : (frames, channels) array, V
        At the camera frames; NaN of a channel that says nothing.
    reference_V : (channels,) array or None
        The greatest of each in a reference trial; NaN where that has no such channel. None without such a trial.
    rate_hz : float
        Of the samples.
    band_hz : (float, float)
        That was used.
    notes : Notes
    """

    channels: tuple[EmgChannel, ...]
    values_V: Array
    reference_V: Array | None
    rate_hz: float
    band_hz: tuple[float, float]
    notes: Notes = ()

    @property
    def columns(self) -> tuple[list[str], Array]:
        """Names in tables, and (frames, columns): V, then % of the reference where there is one."""
        ends = ENVELOPES[: 1 if self.reference_V is None else 2]
        parts = [self.values_V] if self.reference_V is None else [self.values_V, 100 * self.values_V / self.reference_V]
        return [f"{channel.name}{end}" for end in ends for channel in self.channels], np.concatenate(parts, axis=1)

    def record(self) -> dict[str, Any]:
        """What a record says of it."""
        references = [None] * len(self.channels) if self.reference_V is None else self.reference_V.tolist()
        return {
            "rate_hz": self.rate_hz,
            "band_pass_hz": [*self.band_hz],
            "envelope_low_pass_hz": ENVELOPE_HZ,
            "channels": [
                {**channel._asdict(), "reference_V": reference}
                for channel, reference in zip(self.channels, references, strict=True)
            ],
        }


def greatest_of(trial: Trial, named: Mapping[str, str]) -> dict[str, float]:
    """By label the greatest envelope of each channel of a reference trial, V; `named` as of `envelopes`."""
    result = None if trial.emg is None else envelopes(trial.emg, trial.rate_hz, trial.n_frames, named)
    if result is None:
        raise TrialError(
            f"{trial.path}: holds no electromyography",
            expected="channels in V, mV or µV called after muscles, as Voltage.L Tib Ant, or named in the subject file",
            todo="give another trial with --emg-reference",
        )
    known = zip(result.channels, result.values_V.T, strict=True)
    return {channel.label: float(values.max()) for channel, values in known if np.isfinite(values).all()}


def envelopes(
    emg: Emg | None,
    rate_hz: float,
    n_frames: int,
    named: Mapping[str, str] | None = None,
    reference: Mapping[str, float] | None = None,
) -> Envelopes | None:
    """The linear envelopes of a trial; None without channels, or where none is called after a muscle.

    Parameters
    ----------
    emg : Emg or None
    rate_hz : float
        Of the cameras.
    n_frames : int
    named : mapping of str to str, optional
        Label of a channel -> the muscle that somebody says it is.
    reference : mapping of label to float, optional
        `greatest_of` a reference trial.
    """
    if emg is None:
        return None
    named = named or {}
    which = [i for i, label in enumerate(emg.labels) if label in named or is_muscle(label)]
    if not which:
        return None
    labels = [emg.labels[i] for i in which]
    called = [named.get(label, label) for label in labels]
    raw = emg.samples_V(which).T
    band = BAND_HZ[0], min(BAND_HZ[1], _OF_RATE * emg.rate_hz)
    notes, values = list[Note](), np.full((n_frames, len(labels)), np.nan)
    # of a channel with samples that are no numbers nothing is known
    silent = np.array([len(np.unique(of)) < LEAST_LEVELS or not np.isfinite(of).all() for of in raw.T], dtype=bool)
    rectified = np.array([not dead and was_rectified(of) for of, dead in zip(raw.T, silent, strict=True)], dtype=bool)
    known = np.flatnonzero(~silent)
    if known.size and band[0] < band[1]:
        signal = np.where(rectified[known], raw[:, known], np.abs(bandpass(raw[:, known], band, emg.rate_hz)))
        smooth = _smoothed(signal, emg.rate_hz)
        at, samples = np.arange(n_frames) / rate_hz, np.arange(len(raw)) / emg.rate_hz
        for column, channel in zip(known, smooth.T, strict=True):
            values[:, column] = np.maximum(np.interp(at, samples, channel, right=np.nan), 0.0)
    channels = tuple(
        EmgChannel(name, label, side_of(words), bool(of))
        for name, label, words, of in zip(names_of(called), labels, called, rectified, strict=True)
    )
    live = [channels[i] for i in known]
    if lacking := sorted({*named} - {*emg.labels}):
        notes.append(note("emg_absent", channels=lacking))
    for code, some in (
        ("emg_dead", [channels[i] for i in np.flatnonzero(silent)]),
        (
            "emg_noise",
            [c for c, i in zip(live, known, strict=True) if not c.rectified and is_white(raw[:, i], emg.rate_hz, band)],
        ),
        ("emg_clipped", [c for c, i in zip(live, known, strict=True) if is_cut(raw[:, i])]),
        ("emg_rectified", [c for c in live if c.rectified]),
    ):
        if some:
            notes.append(note(code, channels=[channel.label for channel in some]))
    notes += _hum(live, raw[:, known], emg.rate_hz, band)
    greatest = None
    if reference is not None:
        greatest = np.array([reference.get(label) or np.nan for label in labels])
    return Envelopes(channels, values, greatest, emg.rate_hz, band, tuple(notes))


def _smoothed(rectified: Array, rate_hz: float) -> Array:
    """The low-pass of the envelope, from mirror images at both ends: one that begins with its first sample, which is
    that of a noise, would follow it."""
    pad = min(int(rate_hz / ENVELOPE_HZ), len(rectified) - 1)
    extended = np.concatenate([rectified[pad:0:-1], rectified, rectified[-2 : -pad - 2 : -1]])
    return lowpass(extended, ENVELOPE_HZ, rate_hz)[pad : pad + len(rectified)]


def was_rectified(samples: Array) -> bool:
    """Whether a channel, (samples,), holds absolute values."""
    apart = samples - samples.mean()
    return bool(samples.min() >= 0 and np.mean(apart**3) > SKEWED * np.mean(apart**2) ** 1.5)


def is_cut(samples: Array) -> bool:
    """Whether the greatest or the least value of a channel, (samples,), lasts `CUT` samples."""
    for extreme in (samples.max(), samples.min()):
        at = samples == extreme
        if np.logical_and.reduce([at[k : len(at) - CUT + 1 + k] for k in range(CUT)]).any():
            return True
    return False


def spectrum(samples: Array, rate_hz: float) -> tuple[Array, Array]:
    """Frequencies, Hz, and the power at each, of a channel without its mean under a window of Hann."""
    power = np.abs(np.fft.rfft((samples - samples.mean()) * np.hanning(len(samples)))) ** 2
    return np.asarray(np.fft.rfftfreq(len(samples), 1 / rate_hz)), np.asarray(power)


def is_white(samples: Array, rate_hz: float, band_hz: tuple[float, float]) -> bool:
    """Whether a channel, (samples,), has as much power in the upper half of the band as in the lower."""
    hz, power = spectrum(samples, rate_hz)
    within = (hz >= band_hz[0]) & (hz <= band_hz[1])
    lower = power[within & (hz < np.mean(band_hz))].sum()
    return bool(lower < WHITE * power[within].sum())


def hum_share(samples: Array, rate_hz: float, band_hz: tuple[float, float]) -> tuple[float, float]:
    """What share of the power of a channel, (samples,), within the band is hum, and of which mains, Hz.

    What lies within `NEAR_HZ` of the mains and its multiples, less what neighbours within `AROUND_HZ` have.
    """
    hz, power = spectrum(samples, rate_hz)
    within = (hz >= band_hz[0]) & (hz <= band_hz[1])
    shares = {}
    for mains in MAINS_HZ:
        extra = 0.0
        for line in np.arange(mains, band_hz[1], mains):
            apart = np.abs(hz - line)
            near, beside = apart <= NEAR_HZ, (apart > NEAR_HZ) & (apart <= AROUND_HZ)
            if near.any() and beside.any():
                extra += max(float(power[near].sum() - near.sum() * np.median(power[beside])), 0.0)
        shares[mains] = extra / max(float(power[within].sum()), np.finfo(float).tiny)
    worst = max(shares, key=lambda mains: shares[mains])
    return shares[worst], worst


def _hum(channels: Sequence[EmgChannel], raw: Array, rate_hz: float, band_hz: tuple[float, float]) -> Iterator[Note]:
    results: dict[float, list[tuple[str, float]]] = {}
    for channel, samples in zip(channels, raw.T, strict=True):
        share, mains = (0.0, 0.0) if channel.rectified else hum_share(samples, rate_hz, band_hz)
        if share > HUM:
            results.setdefault(mains, []).append((channel.label, share))
    for mains, some in results.items():
        percent = max(share for _, share in some) * 100
        yield note("emg_hum", channels=[label for label, _ in some], hz=mains, percent=percent)


# --- names ------------------------------------------------------------------------------------------------------------

# Muscles by their Latin and English names and the short forms in which laboratories label channels, where a word begins
# (Hermens et al. 1999, European recommendations for surface electromyography, names the sites).
_MUSCLE = re.compile(
    r"emg|rect|vast|quad|ham|semit|semim|bicep|gast|sole|tibialis|tib[ ._]*(ant|post)|(ant|post)[ ._]*tib|peron"
    r"|fibularis|glut|g(max|med)|add(uct|mag|long)|sartor|gracil|tensor|iliop|psoas|erector|obliq|multifid"
    r"|(rf|vl|vm|vmo|bf|st|sm|ta|tp|gm|gl|sol|pl|tfl|gas|mg|lg|mgast|lgast|msoleus|mhams|lhams)$"
)


def is_muscle(label: str) -> bool:
    """Whether a word of a label begins with the name of a muscle, or with EMG."""
    words = re.sub(r"[^0-9a-zµ]+", " ", label.lower()).split()
    return any(_MUSCLE.match(" ".join(words[i:])) or _MUSCLE.match(words[i]) for i in range(len(words)))


#: Words that stand for a side in front of or behind a label's other words.
_SIDES = {"l": "left", "left": "left", "lt": "left", "r": "right", "right": "right", "rt": "right"}
#: What programs write in front of a channel's own name.
_DEVICES = ("voltage", "emg", "raw", "analog", "semg")


def _words(label: str) -> list[str]:
    apart = "".join(c if c.isalnum() else " " for c in label).split()
    while len(apart) > 1 and apart[0].lower() in _DEVICES:
        apart = apart[1:]
    return [word.lower() for word in apart]


def side_of(label: str) -> str:
    """Left or right, where the first or the last word of a label says it."""
    words = _words(label)
    return next((_SIDES[word] for word in (words[:1] + words[-1:]) if word in _SIDES), "")


def names_of(labels: Sequence[str]) -> list[str]:
    """Names of columns, each another one: ``Voltage.L Tib Ant`` is ``left_tib_ant``."""
    names: list[str] = []
    for label in labels:
        words, side = _words(label), side_of(label)
        if side and len(words) > 1:
            words = words[1:] if words[0] in _SIDES else words[:-1]
        name = base = "_".join([*([side] if side else []), *words]) or "channel"
        number = 2
        while name in names:
            name, number = f"{base}_{number}", number + 1
        names.append(name)
    return names
