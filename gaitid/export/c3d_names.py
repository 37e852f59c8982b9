"""Names of people in the parameters of a C3D file, taken out: where makers write them, and in front of labels.

A subject's name that others refer to becomes ``S1``, ``S2``, … wherever it stands, so that markers, events and
measurements still belong to the same person; what only names or describes somebody is emptied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gaitid.export.c3d_parameters import ParameterSection

# Groups about a person, in which every text may name or describe one (Vicon SUBJECTS; SUBJECT and PATIENT of others),
# but for what is of a laboratory or a unit.
_OF_PERSONS = re.compile(r"(SUBJECT|PATIENT|PERSON)S?$")
_OF_NOBODY = re.compile(r"MARKER_SETS|DISPLAY_SETS|MODELS|IS_STATIC|.*UNITS?$|SEX$|GENDER$")
# What a text may be called in any group, without blanks and underscores; and in those that describe a recording
# (Qualisys PROCESSING: Name, ID, DOB; TRIAL:NOTES).
_PERSONAL = re.compile(
    r".*(SUBJECT|PATIENT|BIRTH|OPERATOR|EXAMINER|CLINICIAN|PHYSICIAN|THERAPIST|INVESTIGATOR|ASSESSOR|COMMENT|SURNAME"
    r"|FIRSTNAME|LASTNAME|INITIALS)|DOB$|NOTES?$"
)
_OF_RECORDING = re.compile(r".*NAME|.*ID$|.*DESCRIPTIONS?$|.*REMARKS?$")
_RECORDINGS = ("TRIAL", "PROCESSING", "SESSION")
# Lists of subjects' names, to which others refer; groups of labels, which may have a name in front.
_NAMES = re.compile(r"NAMES\d*$|LABEL_PREFIXES\d*$|SUBJECTS\d*$")
_LABELLED = ("POINT", "ROTATION")


def stands_for_names(section: ParameterSection) -> Callable[[bytes], bytes]:
    """Take the names out of a section; what it gives turns a subject's name into what stands for it, others into
    themselves.
    """
    of: dict[bytes, bytes] = {}

    def known(name: bytes) -> bytes:
        name = _stripped(name)
        return of.setdefault(name, b"S%d" % (len(of) + 1)) if name else b""

    for group, name, cells in section.all_texts():
        if _refers(group, name):
            for cell in cells:
                known(cell)
        elif group in _LABELLED and name.startswith("LABELS"):
            for cell in cells:
                known(cell.rpartition(b":")[0])

    def changed(group: str, name: str, cells: Sequence[bytes]) -> list[bytes]:
        if _refers(group, name):
            return [known(cell) + (b":" if _bare(cell).endswith(b":") else b"") for cell in cells]
        if _names_people(group, name):
            return [b""] * len(cells)
        return [_with_other_owner(cell, of) for cell in cells] if group in _LABELLED else list(cells)

    section.change_texts(changed)
    section.rename(lambda name: _with_other_owner(name, of))
    return lambda name: of.get(name, name)


def _refers(group: str, name: str) -> bool:
    """Whether a list of texts holds the names of subjects, to which others may refer."""
    return bool(_NAMES.match(name)) and (name.startswith("SUBJECTS") or bool(_OF_PERSONS.match(group)))


def _names_people(group: str, name: str) -> bool:
    plain = re.sub(r"[^A-Z0-9]", "", name.rpartition(":")[2])
    if _OF_PERSONS.match(group):
        return not _OF_NOBODY.match(name)
    return bool(_PERSONAL.match(plain)) or (group in _RECORDINGS and bool(_OF_RECORDING.match(plain)))


def _with_other_owner(cell: bytes, of: dict[bytes, bytes]) -> bytes:
    owner, colon, label = cell.rpartition(b":")
    return of[_stripped(owner)] + colon + label if colon and _stripped(owner) in of else cell


def _bare(cell: bytes) -> bytes:
    return cell.strip(b" \0")


def _stripped(name: bytes) -> bytes:
    return _bare(name).rstrip(b": ")
