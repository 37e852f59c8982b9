"""Analog channels of a voltage that no force plate uses: those that may be electromyography."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

import numpy as np

from gaitid.read.c3d.file import Analog, C3DFile, texts
from gaitid.read.subjects import subject_and_name
from gaitid.trial import Array, Emg

#: What one unit is worth, V, by its name in small letters.
VOLTS = {
    **dict.fromkeys(("v", "volt", "volts"), 1.0),
    **dict.fromkeys(("mv", "millivolt", "millivolts"), 1e-3),
    **dict.fromkeys(("uv", "µv", "μv", "microvolt", "microvolts"), 1e-6),
}


def emg_of(file: C3DFile, rate_hz: float, subjects: Collection[str]) -> Emg | None:
    """The channels of a C3D that may be electromyography; None where none may.

    Parameters
    ----------
    file : C3DFile
    rate_hz : float
        Of the samples.
    subjects : collection of str
        Names of people, which stand in front of labels.
    """
    labels, units = (texts(file.parameters, "ANALOG", name) for name in ("LABELS", "UNITS"))
    of_plates = np.ravel(file.parameters.get("FORCE_PLATFORM", {}).get("CHANNEL", [])).tolist()  # from 1
    found = [
        (i, label, VOLTS[units[i].strip().lower()])
        for i, label in enumerate(labels[: file.analog.shape[0]])
        if i + 1 not in of_plates and i < len(units) and units[i].strip().lower() in VOLTS
    ]
    if not found:
        return None
    channels = [i for i, _, _ in found]
    return Emg(
        tuple(_without(label, subjects) for _, label, _ in found),
        rate_hz,
        partial(_some, file.analog, channels),
        np.array([volts for *_, volts in found]),
    )


def _without(label: str, subjects: Collection[str]) -> str:
    subject, name = subject_and_name(label)
    return name if subject in subjects else label


def _some(analog: Analog, channels: Sequence[int], which: Sequence[int]) -> Array:
    return analog[[channels[i] for i in which]]
