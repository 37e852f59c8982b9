"""Which columns of a set may be drawn over a result: model, definitions of angles and moments, age, speed.

Three rules, each by what the record itself says (docs/norms.md):

- Ground reaction, spatio-temporal figures and features of the ground reaction are of no model: they always fit.
- In the sagittal plane, and powers: a model of the same family, whose angle and moment are defined in the same words.
- In the frontal and the transverse plane the axes of the segments must be the same, too: 5.5° lie between two
  laboratories' hip rotation with one model already (Pinzone 2014).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from gaitid.norms.types import Definitions, NormSet
from gaitid.records import NamedTuple
from gaitid.results.entries import entry_at, mapping_at, number_at

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
    there, in part or altogether.
    """

    columns: frozenset[str]
    why: str
    family: bool
    without: tuple[str, ...] = ()


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
        Whether the set was asked for by name: then the sagittal plane of another model's curves is allowed.
    """
    theirs, ours = norms.definitions, definitions_of(record)
    columns = {column for group in norms.groups for column in group.bands}
    family = bool(set(theirs.models) & set(ours.models)) or (bool(ours.axes) and ours.axes == theirs.axes)
    ground = {column for column in columns if column.startswith(GROUND)}
    if not family:
        wanted, found = " or ".join(theirs.models) or "a model without a name", (*ours.models, "an unknown model")[0]
        sagittal = {c for c in columns if c.endswith(SAGITTAL) or c.endswith(POWER)} if asked else set()
        only = "Ground reaction and the sagittal plane" if asked else "Ground reaction"
        why = f"{only} only: the band is of model {wanted}, this result of {found}"
        return ModelFit(frozenset(ground | sagittal), why, False)
    kept = ground | {column for column in columns - ground if _same(column, theirs, ours)}
    joints = sorted({_joint(column, theirs) for column in columns - kept})
    why = f"Without what this result defines otherwise than the band: {', '.join(joints)}" if joints else ""
    return ModelFit(frozenset(kept), why, True, tuple(joints))


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
