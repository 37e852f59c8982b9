"""What a user says of a trial's file that the file does not say, or says wrongly: `ReaderSettings`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gaitid.errors import ReadError
from gaitid.records import frozen_dataclass

#: Units of length that ``--set point_unit=`` takes.
POINT_UNITS = ("mm", "cm", "m")
#: Keys of ``--set`` that are the reader's, not the model's.
SETTINGS = ("point_unit",)


@frozen_dataclass()
class ReaderSettings:
    """How a trial's file is to be read.

    Attributes
    ----------
    point_unit : str or None
        Of lengths in a C3D or TRC file, one of `POINT_UNITS`, whatever the file says; None: as the file says.
    subject_prefix : str or None
        Of a file with several subjects, whose markers and measurements are read, as its labels begin.
    """

    point_unit: str | None = None
    subject_prefix: str | None = None

    def __post_init__(self) -> None:
        if self.point_unit not in (None, *POINT_UNITS):
            units = ", ".join(POINT_UNITS)
            raise ReadError(f"--set point_unit={self.point_unit}: no such unit", expected=f"one of {units}")


def split_settings(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings by key: those of the reader, and all others, which are the model's."""
    ours = {key: value for key, value in given.items() if key in SETTINGS}
    return ours, {key: value for key, value in given.items() if key not in SETTINGS}
