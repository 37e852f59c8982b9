"""Functional trials of one command: which files they are, what they gave, and what follows for models and subjects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gaitid.errors import GaitidError
from gaitid.inputs import found_trial, named
from gaitid.read import read_trial
from gaitid.read.settings import ReaderSettings
from gaitid.records import NamedTuple
from gaitid.trial import Trial

if TYPE_CHECKING:
    from gaitid.analysis.functional import Functional
    from gaitid.model.marker_sets import MarkerSet

# What a functional joint chooses in a model (docs/choices.md), where the user did not.
_CHOICES = {"hip": "hip_centre", "knee": "knee_axis"}
_FUNCTIONAL = "functional"
_BY_HAND = "_hip_centre_"
_JOINTS = ("left_hip", "right_hip", "left_knee", "right_knee")


class FunctionalFile(NamedTuple):
    """A functional trial as given: its file, and for which joints where the user says it."""

    path: Path
    joints: tuple[str, ...]


def functional_file(text: str) -> FunctionalFile:
    """What stands behind ``--functional``: ``FILE``, or ``right_hip=FILE`` (several joints: ``left_hip+right_hip``).

    A file of that very name wins.

    Raises
    ------
    GaitidError
        Before the sign stands no joint.
    """
    joints, sign, file = text.partition("=")
    if not sign or Path(text).exists():
        return FunctionalFile(Path(text), ())
    names = tuple(joints.split("+"))
    if set(names) <= set(_JOINTS):
        return FunctionalFile(Path(file), names)
    if "/" in joints or not joints.replace("_", "").replace("+", "").isalpha():
        return FunctionalFile(Path(text), ())
    raise GaitidError(
        f"--functional {text}: {joints!r} is no joint", expected=f"FILE, or JOINT=FILE with one of {', '.join(_JOINTS)}"
    )


def measure(
    given: Sequence[str], static: Trial | None, marker_set: MarkerSet | None, reader: ReaderSettings
) -> Functional:
    """Read functional trials and measure what they are for.

    Raises
    ------
    GaitidError
        The message begins with the file.
    """
    from gaitid.analysis.functional import FunctionalTrial, measure_functional

    trials = []
    for path, joints in map(functional_file, given):
        trial = named(path, partial(read_trial, found_trial(path), settings=reader))
        trials.append(FunctionalTrial(str(path), trial, joints))
    return measure_functional(trials, static, marker_set)


def choices_for(given: Path | Mapping[str, Any] | None) -> dict[str, str]:
    """What a subject file, or its content, chooses in a model: what was measured in functional trials, or by hand."""
    from gaitid.body.subject_file import content_of_subject

    if isinstance(given, Path) and not _mentions(given):
        return {}
    content = {} if given is None else content_of_subject(given)
    if not isinstance(content, Mapping):
        return {}  # refused where it is read
    calibration = content.get("calibration")
    joints = calibration.get(_FUNCTIONAL) if isinstance(calibration, Mapping) else None
    found = {_CHOICES[kind] for joint in joints or () if (kind := str(joint).rpartition("_")[2]) in _CHOICES}
    if any(_BY_HAND in str(key) for key in content):
        found.add(_CHOICES["hip"])
    return dict.fromkeys(sorted(found), _FUNCTIONAL)


def _mentions(file: Path) -> bool:
    """Whether a file may hold what `choices_for` looks for: to parse it twice would cost every run a millisecond."""
    text = found_trial(file).read_bytes() if file.is_file() else b""
    return any(word.encode() in text for word in (_FUNCTIONAL, _BY_HAND))


def content_with(given: Path | Mapping[str, Any] | None, functional: Functional) -> Mapping[str, Any]:
    """A subject file's content, or what stands for it, with what functional trials gave; what it says itself stays."""
    from gaitid.body.subject_file import SubjectContent, content_of_subject

    content = {} if given is None else content_of_subject(given)
    if not isinstance(content, Mapping):
        return SubjectContent({}, given if isinstance(given, Path) else None)  # refused where it is read
    section = content.get("calibration")
    section = dict(section) if isinstance(section, Mapping) else {}
    before = section.get(_FUNCTIONAL)
    section[_FUNCTIONAL] = {**functional.joints, **(before if isinstance(before, Mapping) else {})}
    merged = {**functional.measured, **content, "calibration": section}
    return SubjectContent(merged, given if isinstance(given, Path) else None)
