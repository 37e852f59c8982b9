"""Which columns of a set may be drawn over a result; Movement Analysis Profile and Gait Profile Score.

Three rules, each by what the record itself says (docs/norms.md):

- Ground reaction, spatio-temporal figures and features of the ground reaction are of no model: they always fit.
- In the sagittal plane, and powers: a model of the same family, whose angle and moment are defined in the same words.
- In the frontal and the transverse plane the axes of the segments must be the same, too: 5.5° lie between two
  laboratories' hip rotation with one model already (Pinzone 2014).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from gaitid.norms.sets import Array, Definitions, Norms, NormSet
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.results.record_checks import entry_at, mapping_at, number_at

GRAVITY = 9.81
GROUND = "ground_reaction_"
#: Of the sagittal plane: how the name of a column ends.
SAGITTAL = ("_flexion_deg", "_dorsiflexion_deg", "_anterior_tilt_deg", "_extension_moment_Nm_per_kg",
            "_plantarflexion_moment_Nm_per_kg")  # fmt: skip
POWER = "_power_W_per_kg"
# Of a record's `conventions`.
_SECTIONS = {"angles": "angles", "moments": "moments", "axes": "segment axes"}
# The same, of a walk that goes another way than straight on over level ground.
_WAY = re.compile(r"the walk (?:turns|goes up|goes down) by [^;:]*|the subject walks backward")
_ENTRY = re.compile(r"(?:^|; )(\w+): ")


class ModelFit(NamedTuple):
    """Columns of a set that fit, and in words why the others do not (empty where all do).

    `family` says whether the model is of the family that the set was made with, `without` which joints are left out
    there, in part or altogether, `borrowed` which columns are of another definition: for the eye alone.
    """

    columns: frozenset[str]
    why: str
    family: bool
    without: tuple[str, ...] = ()
    borrowed: frozenset[str] = frozenset()


def worded(text: str) -> Mapping[str, str]:
    """The definitions in a text of a record's `conventions`, by joint or segment: ``hip: yxz, ...; knee: ...``."""
    begins = text.split(", distal in proximal, ", 1)[-1].split("divided by body mass; ", 1)[-1]
    parts = _ENTRY.split(begins)
    return {name: words.strip() for name, words in zip(parts[1::2], parts[2::2])}


def definitions_of(record: Mapping[str, Any]) -> Definitions:
    """By what the numbers of a record were computed."""
    conventions = mapping_at(record, "conventions")
    model = mapping_at(record, "model")
    files = model.get("files")
    given = [str(file).split(" (")[0].replace("\\", "/") for file in files] if isinstance(files, list) else []
    paths = [PurePosixPath(file) for file in given]
    names = [str(model.get("name", "")), *(path.stem for path in paths if "tables" not in path.parts)]
    texts = {key: worded(str(conventions.get(section, ""))) for key, section in _SECTIONS.items()}
    return Definitions(tuple(dict.fromkeys(name for name in names if name)), **texts)


def model_fit(norms: NormSet, record: Mapping[str, Any], asked: bool) -> ModelFit:
    """Which columns of a set fit a record's model.

    Parameters
    ----------
    norms : NormSet
    record : mapping
        The content of ``run.json``.
    asked : bool
        Whether the set was asked for by name: then the sagittal plane of another definition is drawn, too.
    """
    theirs, ours = norms.definitions, definitions_of(record)
    columns = {column for group in norms.groups for column in group.bands}
    family = bool(set(theirs.models) & set(ours.models)) or (bool(ours.axes) and ours.axes == theirs.axes)
    ground = {column for column in columns if column.startswith(GROUND)}
    if not family:
        result = (*ours.models, "an unknown model")[0]
        wanted = f"model {' or '.join(theirs.models)}" if theirs.models else "no stated model"
        sagittal = _sagittal(columns) if asked else frozenset()
        only = f"Ground reaction{' and, dashed, the sagittal plane' if sagittal else ''}"
        why = f"{only} only: the band is of {wanted}, this result of {result}"
        return ModelFit(sagittal | ground, why, False, borrowed=sagittal)
    kept = ground | {column for column in columns - ground if _same(column, theirs, ours)}
    joints = sorted({_joint(column, theirs) for column in columns - kept})
    why = f"Without what this result defines otherwise than the band: {', '.join(joints)}" if joints else ""
    sagittal = _sagittal(columns - kept) if asked else frozenset()
    if sagittal:
        why += ", but for the sagittal plane, dashed"
    return ModelFit(sagittal | kept, why, True, tuple(joints), sagittal)


def _sagittal(columns: Iterable[str]) -> frozenset[str]:
    return frozenset(column for column in columns if column.endswith((*SAGITTAL, POWER)))


def _same(column: str, theirs: Definitions, ours: Definitions) -> bool:
    """Whether a joint's column means the same in both."""
    joint = _joint(column, theirs)
    if column.endswith(POWER):
        return True
    kind = "moments" if "_moment_" in column else "angles"
    words = getattr(theirs, kind).get(joint)
    if words is not None and getattr(ours, kind).get(joint) != words:
        return False
    return column.endswith(SAGITTAL) or _axes(joint, theirs, theirs) == _axes(joint, ours, theirs)


def _axes(joint: str, of: Definitions, theirs: Definitions) -> list[str | None]:
    """Axes of the segments whose angle a joint's is."""
    match = re.match(r"\w+, (\w+) in (\w+),", theirs.angles.get(joint, ""))
    segments = [name.removesuffix("_torsioned") for name in match.groups()] if match else []
    return [of.axes.get(segment) for segment in segments]


def _joint(column: str, definitions: Definitions) -> str:
    """The joint of a column: the longest name that it begins with."""
    names = [name for name in (*definitions.angles, *definitions.moments) if column.startswith(f"{name}_")]
    return max(names, key=len, default=column.split("_")[0])


# --- age ------------------------------------------------------------------------------------------------------


def age_years(record: Mapping[str, Any]) -> float:
    """Of the subject, NaN where the record does not say it."""
    return _number_at(record, "subject", "age", "value")


class AgeFit(NamedTuple):
    """A subject's age beside the ages of a set.

    Attributes
    ----------
    fits : bool or None
        None where the set is of certain ages and the subject's is not known.
    people : str
        Of whom the set is: ``able-bodied children, 4 to 18 years``.
    words : str
        What is to be said of it; empty where it fits.
    """

    fits: bool | None
    people: str
    words: str


def age_fit(norms: NormSet, record: Mapping[str, Any]) -> AgeFit:
    """Whether a subject's age fits a set, and what is to be said of it."""
    people = norms.population.split(",")[0]
    if norms.ages_years is None:
        return AgeFit(True, people, "")
    low, high = norms.ages_years
    age = age_years(record)
    of_age = f"{people}, {low:g} to {high:g} years"
    if math.isnan(age):
        return AgeFit(
            None, of_age, f"The band is of {people} ({low:g} to {high:g} years); the age of this subject is not given"
        )
    if low <= age <= high:
        return AgeFit(True, of_age, "")
    return AgeFit(False, of_age, f"The band is of {people} ({low:g} to {high:g} years); this subject is {age:g}")


# --- way and speed ----------------------------------------------------------------------------------------------------


def way_words(record: Mapping[str, Any]) -> str:
    """``the walk turns by 92°``, as a record says it; empty where it goes straight on, forward and level."""
    match = _WAY.search(str(entry_at(record, "conventions", "progression")))
    return match[0] if match else ""


def leg_length_m(record: Mapping[str, Any]) -> float:
    """Mean of both legs as measured, NaN where the record has none."""
    lengths = [_number_at(record, "subject", f"{side}.leg_length", "value") for side in ("left", "right")]
    known = [length for length in lengths if length > 0]
    return sum(known) / len(known) if known else math.nan


def dimensionless(speed_m_per_s: float, leg_m: float) -> float:
    """Speed / sqrt(g leg length) (Hof 1996, Gait Posture 4:222-223); NaN where either is not known."""
    return speed_m_per_s / math.sqrt(GRAVITY * leg_m) if leg_m > 0 else math.nan


def _number_at(record: Mapping[str, Any], *keys: str) -> float:
    number = number_at(record, *keys)
    return math.nan if number is None else number


#: The nine variables of a side, columns of ``cycles.csv`` without side.
VARIABLES = (
    "pelvis_anterior_tilt_deg",
    "pelvis_upward_obliquity_deg",
    "pelvis_internal_rotation_deg",
    "hip_flexion_deg",
    "hip_adduction_deg",
    "hip_internal_rotation_deg",
    "knee_flexion_deg",
    "ankle_dorsiflexion_deg",
    "foot_progression_internal_rotation_deg",
)
#: Those that both sides share: in the overall score they count once, from the left.
PELVIS = VARIABLES[:3]
#: Why no Gait Deviation Index stands beside them.
NO_GDI = (
    "The Gait Deviation Index (Schwartz & Rozumalski 2008) is not given: its 15 features are in an addendum of the "
    "publisher's, of which no copy with a licence was found, and features of people without a pathology alone do not "
    "span what it measures."
)
#: Why there are no scores although norms are drawn.
NO_PROFILE = (
    "no side has a cycle in which all nine angles are known, or the norms lack one of them or define it otherwise"
)
#: % of the cycle.
STEPS = np.arange(0.0, 101.0, 2.0)


@frozen_dataclass()
class GaitProfile:
    """Gait Variable Scores (degrees) by side and variable, and Gait Profile Scores (degrees).

    Attributes
    ----------
    scores : mapping of str to mapping of str to float
        ``scores["left"]["hip_flexion_deg"]``: the Movement Analysis Profile. A side without every variable is left out.
    left, right, overall : float
        NaN where a side is left out.
    band_scores : mapping of str to float
        Of each variable, the root mean square of the scores of the people whom the band is of: it follows from the
        band's own standard deviation. NaN where that is not known.
    band_side, band_overall : float
        The same of their Gait Profile Scores.
    norms : str
        Name of the norms.
    """

    scores: Mapping[str, Mapping[str, float]]
    left: float
    right: float
    overall: float
    band_scores: Mapping[str, float]
    band_side: float
    band_overall: float
    norms: str


def gait_profile(left: Mapping[str, Array], right: Mapping[str, Array], norms: Norms) -> GaitProfile | None:
    """Movement Analysis Profile and Gait Profile Score of curves against the means of `norms`.

    Parameters
    ----------
    left, right : mapping of str to (101,) or (cycles, 101) array
        Columns of ``cycles.csv`` at 0, 1, ..., 100 %. Of several cycles the squares are averaged over all; a cycle
        with an unknown value in any variable is left out.
    norms : Norms

    Returns
    -------
    GaitProfile or None
        None where the norms lack one of the nine variables or define it otherwise, or neither side has a cycle with all
        of them.
    """
    if any(variable not in norms.bands or norms.bands[variable].borrowed for variable in VARIABLES):
        return None
    sides = {"left": _scores(left, norms), "right": _scores(right, norms)}
    if not any(sides.values()):
        return None
    whole = {side: scores for side, scores in sides.items() if scores}
    of_band = {v: _root_mean_square(np.interp(STEPS, norms.bands[v].percent, norms.bands[v].sd)) for v in VARIABLES}
    return GaitProfile(
        scores=whole,
        left=_root_mean_square(sides["left"].values()),
        right=_root_mean_square(sides["right"].values()),
        overall=_overall(sides["left"], sides["right"]),
        band_scores=of_band,
        band_side=_root_mean_square(of_band.values()),
        band_overall=_overall(of_band, of_band),
        norms=norms.name,
    )


def _scores(curves: Mapping[str, Array], norms: Norms) -> dict[str, float]:
    """The Gait Variable Score of each variable; empty where no cycle has all."""
    if any(variable not in curves for variable in VARIABLES):
        return {}
    differences = np.stack([_difference(curves[variable], norms, variable) for variable in VARIABLES])
    differences = differences[:, np.isfinite(differences).all(axis=(0, 2))]
    if differences.shape[1] == 0:
        return {}
    return dict(zip(VARIABLES, np.sqrt((differences**2).mean(axis=(1, 2))).tolist(), strict=True))


def _difference(curves: Array, norms: Norms, variable: str) -> Array:
    """(cycles, 51) difference from the mean of the norms at 0, 2, ..., 100 %."""
    band = norms.bands[variable]
    cycles = np.atleast_2d(np.asarray(curves, dtype=float))
    at = np.linspace(0.0, 100.0, cycles.shape[1])
    sampled = np.stack([np.interp(STEPS, at, cycle) for cycle in cycles]) if len(cycles) else np.empty((0, len(STEPS)))
    return np.asarray(sampled - np.interp(STEPS, band.percent, band.mean))


def _overall(left: Mapping[str, float], right: Mapping[str, float]) -> float:
    """Of the nine variables of the left and the right's six but for the pelvis; NaN where one is missing."""
    scores = [left.get(v, np.nan) for v in VARIABLES] + [right.get(v, np.nan) for v in VARIABLES if v not in PELVIS]
    return _root_mean_square(scores)


def _root_mean_square(values: Iterable[float]) -> float:
    numbers = np.fromiter(values, dtype=np.float64)
    return float(np.sqrt((numbers**2).mean())) if len(numbers) else float("nan")
