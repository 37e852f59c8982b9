"""What a user says of a trial's file that the file does not say, or says wrongly: `ReaderSettings`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gaitid.errors import GaitidError, ReadError
from gaitid.records import frozen_dataclass

#: Units of length that ``--set point_unit=`` takes.
POINT_UNITS = ("mm", "cm", "m")
#: Laboratory axes that ``--set vertical=`` takes.
VERTICALS = ("x", "-x", "y", "-y", "z", "-z")
#: Keys of ``--set`` that are the reader's, not the model's.
SETTINGS = ("point_unit", "point_rate_hz", "vertical")
#: Rates that `point_rate_hz` takes, Hz: those of rows of a table.
RATES_HZ = (1.0, 1e6)


@frozen_dataclass()
class ReaderSettings:
    """How a trial's file is to be read.

    Attributes
    ----------
    point_unit : str or None
        Of lengths in a C3D or TRC file, one of `POINT_UNITS`, whatever the file says, and of those columns of a plain
        CSV file that name none; None: as the file says.
    subject_prefix : str or None
        Of a file with several subjects, whose markers and measurements are read, as its labels begin.
    point_rate_hz : float or None
        Of the rows of a plain CSV file without a column of times; None: as the file says.
    vertical : str or None
        The laboratory axis that points up, one of `VERTICALS`; None: as model, plates, posture or file say.
    """

    point_unit: str | None = None
    subject_prefix: str | None = None
    point_rate_hz: float | None = None
    vertical: str | None = None

    def __post_init__(self) -> None:
        if self.point_unit not in (None, *POINT_UNITS):
            units = ", ".join(POINT_UNITS)
            raise ReadError(f"--set point_unit={self.point_unit}: no such unit", expected=f"one of {units}")
        rate, (least, most) = self.point_rate_hz, RATES_HZ
        if rate is not None and not (type(rate) in (int, float) and least <= rate <= most):
            raise ReadError(f"--set point_rate_hz={rate}: no rate", expected=f"{least:g} to {most:,.0f} Hz")
        if self.vertical not in (None, *VERTICALS):
            raise ReadError(f"--set vertical={self.vertical}: no such axis", expected=f"one of {', '.join(VERTICALS)}")


def split_settings(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings by key: those of the reader, and all others, which are the model's."""
    ours = {key: value for key, value in given.items() if key in SETTINGS}
    return ours, {key: value for key, value in given.items() if key not in SETTINGS}


def settings_from(pairs: Iterable[str]) -> dict[str, Any]:
    """``KEY=VALUE`` of ``--set``, values as YAML would read them.

    Raises
    ------
    GaitidError
        One that is not of that form, whose value is not YAML, or that is given twice with different values.
    """
    result: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise GaitidError(f"--set {pair}: expected KEY=VALUE, for example gravity_m_per_s2=9.80665")
        from gaitid.model.yaml_file import parse_yaml

        name, parsed = key.strip(), parse_yaml(value, f"--set {key}")
        if name in result and result[name] != parsed:
            wrong = f"--set {name}: given twice, as {result[name]} and {parsed}"
            raise GaitidError(wrong, todo="give it once")
        result[name] = parsed
    return result
