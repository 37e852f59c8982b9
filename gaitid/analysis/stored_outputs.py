"""Outputs that a C3D stores (Plug-in Gait, CGM 2.x) -> curves in gaitid's names, signs and units; whether a static
stores the same calibration.

Axes, signs and units as Plug-in Gait stores them, found from its outputs (docs/method.md): angles in degrees, forces in
N/kg, moments in N·mm/kg, powers in W/kg, whatever the file's unit labels say; pyCGM2 stores under the same names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from gaitid.disk.regular import file_state
from gaitid.errors import GaitidError
from gaitid.model import specs
from gaitid.model.settings import ReaderSettings
from gaitid.read.c3d.trial import read_c3d, read_stored_subject
from gaitid.trial import Array, Trial

_SIDES = {"L": "left", "R": "right"}
# Output and the columns of its x, y, z; None where gaitid has none.
_ANGLES: Mapping[str, tuple[str | None, str | None, str | None]] = {
    "PelvisAngles": ("pelvis_anterior_tilt", "pelvis_upward_obliquity", "pelvis_internal_rotation"),
    "HipAngles": ("hip_flexion", "hip_adduction", "hip_internal_rotation"),
    "KneeAngles": ("knee_flexion", "knee_adduction", "knee_internal_rotation"),
    "AnkleAngles": ("ankle_dorsiflexion", "ankle_eversion", "ankle_internal_rotation"),
    "FootProgressAngles": (None, None, "foot_progression_internal_rotation"),
    "ThoraxAngles": ("thorax_anterior_tilt", "thorax_upward_obliquity", "thorax_internal_rotation"),
    "SpineAngles": ("spine_flexion", "spine_lateral_flexion", "spine_external_rotation"),
}
_MOMENTS = {
    "HipMoment": ("hip_extension", "hip_abduction", "hip_external_rotation"),
    "KneeMoment": ("knee_extension", "knee_abduction", "knee_external_rotation"),
    "AnkleMoment": ("ankle_plantarflexion", "ankle_eversion", "ankle_external_rotation"),
}
# Plug-in Gait turns the axes of the ankle's force about y.
_FORCES = {"HipForce": ("hip", (1, 1, 1)), "KneeForce": ("knee", (1, 1, 1)), "AnkleForce": ("ankle", (-1, 1, -1))}
_POWERS = {"HipPower": "hip", "KneePower": "knee", "AnklePower": "ankle"}
_GROUND = "GroundReactionForce"
_NAMES = (*_ANGLES, *_MOMENTS, *_FORCES, *_POWERS, _GROUND)
_LABEL = re.compile(rf"([LR])({'|'.join(_NAMES)})(.*)", re.DOTALL)
_MM_PER_M = 1e3
_MASS_NAMES = ("Bodymass", "Weight", "Mass")
#: What `gaitid export --to c3d` adds to labels that a file holds already: outputs of gaitid are never taken unasked.
OWN_SUFFIX = "_gaitid"


def read_stored(path: Path) -> Trial:
    """A trial with the outputs that it holds.

    Raises
    ------
    ReadError
    """
    return read_c3d(path, stored=True)


def sets_of(trial: Trial) -> dict[str, dict[str, Array]]:
    """The outputs by what their labels end with (empty, ``V``, ``_CGM2.4``), each under ``LHipAngles``."""
    sets: dict[str, dict[str, Array]] = {}
    for label, values in trial.stored.items():
        if match := _LABEL.fullmatch(label):
            sets.setdefault(match[3], {})[match[1] + match[2]] = values
    return sets


def choose_set(trial: Trial, wanted: str | None) -> tuple[str, dict[str, Array]]:
    """One set of outputs: the one whose labels end so, else plain labels with Nexus' ``V``, else the only other.

    Raises
    ------
    GaitidError
        There is none, or nothing says which of several.
    """
    sets = sets_of(trial)
    if not sets:
        raise GaitidError("it stores no outputs of a model", expected="points such as LHipAngles, LKneeMoment")
    names = ", ".join(repr(name) for name in sets)
    if wanted is not None:
        if wanted not in sets:
            raise GaitidError(f"no outputs whose labels end with {wanted!r}", expected=names)
        return wanted, sets[wanted]
    plain = {name: values for suffix in ("V", "") for name, values in sets.get(suffix, {}).items()}
    if plain:
        return "", plain
    others = [suffix for suffix in sets if suffix != OWN_SUFFIX] or list(sets)
    if len(others) > 1:
        raise GaitidError("several sets of outputs", found=names, todo="choose with --outputs SUFFIX")
    return others[0], sets[others[0]]


def stored_mass(trial: Trial) -> float:
    """The mass, kg, that outputs were divided by; NaN where the file does not store it."""
    return next((trial.parameters[name] for name in _MASS_NAMES if trial.parameters.get(name, 0) > 0), float("nan"))


def stored_columns(outputs: Mapping[str, Array], mass_kg: float) -> dict[str, Array]:
    """Outputs under the names and signs of gaitid's tables.

    Parameters
    ----------
    outputs : mapping of str to (frames, 3) array
        By their names without suffix.
    mass_kg : float
        That forces were divided by.
    """
    columns: dict[str, Array] = {}
    for letter, side in _SIDES.items():
        for name, words in _ANGLES.items():
            values = _known(outputs.get(letter + name))
            if values is not None:
                columns |= {f"{side}_{w}_deg": values[:, i] for i, w in enumerate(words) if w is not None}
        blank = np.zeros(len(next(iter(outputs.values()))), dtype=bool)
        for name, moments in _MOMENTS.items():
            values = _known(outputs.get(letter + name))
            if values is not None:
                blank |= ~np.isfinite(values).all(axis=1)
                columns |= {f"{side}_{w}_moment_Nm_per_kg": values[:, i] / _MM_PER_M for i, w in enumerate(moments)}
        for name, joint in _POWERS.items():
            if (values := outputs.get(letter + name)) is not None:
                columns[f"{side}_{joint}_power_W_per_kg"] = np.where(blank, np.nan, values[:, 2])
        for name, (joint, signs) in _FORCES.items():
            values = _known(outputs.get(letter + name))
            if values is not None:
                for i, axis in enumerate("xyz"):
                    columns[f"{side}_{joint}_force_distal_{axis}_N"] = signs[i] * mass_kg * values[:, i]
        if (values := outputs.get(letter + _GROUND)) is not None:
            columns |= {f"{side}_ground_force_{axis}_N": mass_kg * values[:, i] for i, axis in enumerate("xyz")}
    return columns


def stored_angles(path: Path, settings: ReaderSettings | None = None) -> Mapping[str, Array]:
    """The angles that another program stored in a file, under the names of gaitid's tables.

    Parameters
    ----------
    path : Path
    settings : ReaderSettings, optional
        How the file is read.

    Returns
    -------
    mapping of str to (frames,) array, deg
        Empty where the file stores none, is no C3D file, or nothing says which of several sets of outputs counts.
    """
    return _stored_angles(path, file_state(path), settings) if path.suffix.lower() == ".c3d" else {}


@lru_cache(maxsize=2)  # of a trial and its static; the state tells when a file was written anew
def _stored_angles(path: Path, state: tuple[int, ...] | None, settings: ReaderSettings | None) -> Mapping[str, Array]:
    try:
        trial = read_c3d(path, stored=True, settings=settings)
        of_angles = {label: values for label, values in trial.stored.items() if "Angles" in label}
        suffix, angles = choose_set(replace(trial, stored=of_angles), None)
    except (GaitidError, OSError, ValueError):
        return {}
    if suffix == OWN_SUFFIX:  # they say what gaitid was given
        return {}
    return {name: values.copy() for name, values in stored_columns(angles, np.nan).items()}


def stored_ground(outputs: Mapping[str, Array], side: str) -> Array | None:
    """(frames, 3) stored ground reaction of a foot, N/kg; None where the file holds none."""
    letter = next(letter for letter, name in _SIDES.items() if name == side)
    return outputs.get(letter + _GROUND)


def _known(values: Array | None) -> Array | None:
    """Values with NaN where all three are exactly 0: so Plug-in Gait leaves what it does not know."""
    if values is None:
        return None
    return np.where((values == 0).all(axis=1)[:, None], np.nan, values)


# rad or deg, and mm, as the files store it.
_SAME, _SAME_MM = 1e-3, 1.0


def stores_the_same(static: Path, model: specs.Model, ours: Mapping[str, float]) -> bool:
    """Whether a static stores the calibration angles, and no other lengths, that the trial stores.

    What a program computed from a static and wrote into both needs no comparison.

    Parameters
    ----------
    static : Path
        Only a C3D file stores measurements.
    model : Model
    ours : mapping of str to float
        What the trial stores, in its own units.
    """
    if static.suffix.lower() != ".c3d":
        return False
    measurements = model.subject.values()
    angles = _names(model, [m for m in measurements if isinstance(m.static, specs.StaticAngle | specs.StaticTurn)])
    lengths = _names(model, [m for m in measurements if m.c3d_unit == "mm"])
    if not any(map(ours.get, angles)):
        return False
    try:
        stored = _stored_in(static, file_state(static))
    except (GaitidError, OSError, ValueError):
        return False
    if not all(abs(stored.get(name, 0.0) - ours.get(name, 0.0)) < _SAME for name in angles):
        return False
    # a length that it does not store it leaves as it is
    return all(abs(stored[name] - ours.get(name, 0.0)) < _SAME_MM for name in lengths if stored.get(name))


def _names(model: specs.Model, measurements: Sequence[specs.Measurement]) -> list[str]:
    """The names of measurements of all sides in C3D files."""
    return [name.replace("{S}", side.letter) for m in measurements for name in m.c3d for side in model.sides]


@lru_cache(maxsize=4)
def _stored_in(path: Path, state: tuple[int, ...] | None) -> Mapping[str, float]:
    """What a static stores that several trials lie beside, read once; `state` tells when it was written anew."""
    return read_stored_subject(path)[1]
