"""Which errors two results have in common: what is wrong in both alike cancels in their difference.

A source counts as common only where something shows that it is: the rest is taken as independent, which makes the
smallest difference that can be told larger, never smaller.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gaitid.errors import GaitidError
from gaitid.records import NamedTuple
from gaitid.uncertainty.sources import SOURCES

SESSION, SUBJECT, NOTHING = "session", "subject", "nothing"
SAME = (SESSION, SUBJECT, NOTHING)
#: Sources that two results may have in common, by what they are of. Skin moves with a person's stride: what of it is
#: not alike in all strides of a person is in the spread of the cycles.
_COMMON: Mapping[str, tuple[str, ...]] = {
    SESSION: (
        "soft_tissue",
        "marker_placement",
        "hip_centre",
        "measurements",
        "segment_parameters",
        "force_plates",
        "cutoff",
        "markerless",
    ),
    SUBJECT: ("soft_tissue", "hip_centre", "measurements", "segment_parameters", "cutoff"),
    NOTHING: (),
}
_WORDS = {SESSION: "one session", SUBJECT: "two sessions of one person", NOTHING: "two people"}
# Equal to this share a number is the same measurement, written twice.
_SAME_NUMBER = 1e-6
# So many equal measurements of a body, or angles of a static, are not equal by chance.
_FEWEST = 4

Record = Mapping[str, Any]


class InCommon(NamedTuple):
    """What two sides of a comparison share.

    Attributes
    ----------
    same : str
        One of `SAME`.
    why : str
        Where that is from.
    sources : tuple of str
        Sources of error that are common to both.
    numbers : tuple of str
        Of the measurements those that are one measurement, as ``left knee_width``.
    """

    same: str
    why: str
    sources: tuple[str, ...]
    numbers: tuple[str, ...]

    @property
    def words(self) -> str:
        """What both are taken as, in a clause."""
        return f"{_WORDS[self.same]} ({self.why})"

    def shares(self, source: str, error: str) -> bool:
        """Whether one error of a source is common to both."""
        return source in self.sources and (source != "measurements" or error in self.numbers)


def in_common(a: Sequence[Record], b: Sequence[Record], same: str | None = None) -> InCommon:
    """What the results of two sides share.

    Parameters
    ----------
    a, b : sequence of mapping
        Records.
    same : {"session", "subject", "nothing"}, optional
        Of what both are, as the user says it; by default what the records show.

    Raises
    ------
    GaitidError
        Another word.
    """
    if same not in (None, *SAME):
        raise GaitidError(f"{same}: nothing that two results can have in common", expected=" or ".join(SAME))
    level, why = _shown(a, b) if same is None else (same, "as --same says")
    records = [*a, *b]
    alike = {
        "hip_centre": _one({_about(r, "hip_centre") for r in records}),
        "segment_parameters": _one({_hash(r, "table") for r in records}),
        "cutoff": _one({(_setting(r, "marker_filter"), str(_setting(r, "cutoff_hz"))) for r in records}),
    }
    sources = tuple(s for s in SOURCES if s in _COMMON[level] and alike.get(s, True))
    numbers = tuple(name.replace(".", " ") for name in _equal_numbers(records)) if level != NOTHING else ()
    return InCommon(level, why, sources, numbers)


def _shown(a: Sequence[Record], b: Sequence[Record]) -> tuple[str, str]:
    records = [*a, *b]
    static = {_hash(record, "static") for record in records}
    if len(static) == 1 and static != {""}:
        return SESSION, "one static served both; say otherwise with --same"
    equal = _equal_numbers(records)
    angles = [name for name in equal if name.endswith(("rotation", "torsion", "flexion", "offset"))]
    if len(angles) >= _FEWEST:
        return SESSION, "both hold the same calibration; say otherwise with --same"
    if len(equal) >= _FEWEST:
        return SUBJECT, "both hold the same measurements; say otherwise with --same"
    return NOTHING, "nothing shows that it is one person; --same subject or session says so"


def _equal_numbers(records: Sequence[Record]) -> list[str]:
    """Measurements that all records hold with one value that somebody gave or stored, and that is not 0."""
    first, *others = [dict(_given_numbers(record)) for record in records]
    return [
        name
        for name, value in first.items()
        if value and all(abs(of.get(name, float("nan")) - value) <= _SAME_NUMBER * abs(value) for of in others)
    ]


def _given_numbers(record: Record) -> Iterator[tuple[str, float]]:
    for name, entry in record.get("subject", {}).items():
        if not isinstance(entry, Mapping) or not isinstance(entry.get("value"), int | float):
            continue
        if name.rpartition(".")[2] != "marker_diameter":
            yield name, float(entry["value"])


def _one(values: set[Any]) -> bool:
    return len(values) == 1 and values.isdisjoint({"", None})


def _about(record: Record, key: str) -> Any:
    return record.get("uncertainty", {}).get(key)


def _setting(record: Record, key: str) -> Any:
    return record.get("settings", {}).get(key)


def _hash(record: Record, role: str) -> str:
    found = [str(e.get("sha256")) for e in record.get("inputs", []) if isinstance(e, Mapping) and e.get("role") == role]
    return found[0] if found else ""
