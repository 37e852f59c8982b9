"""Whether the joints were measured that a model takes as measured (hip_centre=functional, knee_axis=functional)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from gaitid.body.subject import Subject
from gaitid.errors import SubjectError
from gaitid.model import specs
from gaitid.notes import Notes, note

#: Choices of a model, and their option that takes a joint as it was measured.
HIP_CHOICE, KNEE_CHOICE, MEASURED = "hip_centre", "knee_axis", "functional"
_COORDINATES = ("forward", "outward", "up")


def measured_joint_notes(model: specs.Model, wanted: Mapping[str, Set[str]], subject: Subject) -> Notes:
    """What stands in on a side whose joint was not measured.

    Parameters
    ----------
    model : Model
    wanted : mapping of side to set of str
        The measurements that the model asks for: not those of a hip whose place a subject file brings.
    subject : Subject

    Raises
    ------
    SubjectError
        No side has one, or a part of one.
    """
    notes: Notes = ()
    if _takes_measured(model, HIP_CHOICE):
        asked = [side for side in wanted if f"{side}.hip_centre_{_COORDINATES[0]}" in wanted[side]]
        without = _hips_without(asked, subject)
        if asked and len(without) == len(asked):
            raise SubjectError(
                f"{HIP_CHOICE}={MEASURED}: no hip's centre was measured",
                expected="functional trials (--functional), or left_hip_centre_forward_mm, _outward_mm and _up_mm "
                "(--subject)",
                todo=f"give them, or choose a regression with --set {HIP_CHOICE}=NAME",
            )
        notes += tuple(note("functional_partly/hip", side) for side in without)
    if _takes_measured(model, KNEE_CHOICE):
        without = [side for side in wanted if f"{side}_knee" not in subject.functional]
        if len(without) == len(wanted):
            raise SubjectError(
                f"{KNEE_CHOICE}={MEASURED}: no knee's axis was measured",
                todo="give functional trials with --functional",
            )
        notes += tuple(note("functional_partly/knee", side) for side in without)
    return notes


def _takes_measured(model: specs.Model, choice: str) -> bool:
    return choice in model.choices and model.choices[choice].option == MEASURED


def _hips_without(sides: Sequence[str], subject: Subject) -> list[str]:
    """The sides whose hip was not measured."""
    without = []
    for side in sides:
        lacking = [x for x in _COORDINATES if f"{side}.hip_centre_{x}" not in subject.measured]
        if 0 < len(lacking) < len(_COORDINATES):
            keys = ", ".join(f"{side}_hip_centre_{x}_mm" for x in lacking)
            raise SubjectError(f"a measured hip centre lacks {keys}", todo="give all three with --subject")
        if lacking:
            without.append(side)
    return without
