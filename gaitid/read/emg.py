"""Which analog channels are electromyography: by what they are called, and by their unit."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial

import numpy as np

from gaitid.read.c3d.file import C3DFile, texts
from gaitid.read.subjects import subject_and_name
from gaitid.trial import Emg

#: What one unit is worth, V, by its name in small letters.
VOLTS = {
    **dict.fromkeys(("v", "volt", "volts"), 1.0),
    **dict.fromkeys(("mv", "millivolt", "millivolts"), 1e-3),
    **dict.fromkeys(("uv", "µv", "μv", "microvolt", "microvolts"), 1e-6),
}
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


def emg_of(file: C3DFile, rate_hz: float, subjects: Collection[str]) -> Emg | None:
    """The channels of a C3D that are electromyography; None where none is.

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
        if i + 1 not in of_plates and i < len(units) and units[i].strip().lower() in VOLTS and is_muscle(label)
    ]
    if not found:
        return None
    channels = [i for i, _, _ in found]
    return Emg(
        tuple(_without(label, subjects) for _, label, _ in found),
        rate_hz,
        partial(file.analog.__getitem__, channels),
        np.array([volts for *_, volts in found]),
    )


def _without(label: str, subjects: Collection[str]) -> str:
    subject, name = subject_and_name(label)
    return name if subject in subjects else label
