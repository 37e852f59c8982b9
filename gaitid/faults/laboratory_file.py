"""``laboratory.yaml``, and what a record holds of a laboratory: written, and read again; what a day shows, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.errors import ReadError
from gaitid.faults.laboratory import KINDS, Corners, Day, Parameter, Share, filed
from gaitid.faults.spread import Prior
from gaitid.notes import phrase
from gaitid.trial import Array

#: The key that it begins with.
BEGINS = "gaitid_laboratory"
_KEYS = {kind.key: name for name, kind in KINDS.items() if kind.key}
_DIGITS = 6  # of what a record holds


# --- a trial's share, in its record --------------------------------------------------------------------------------


def share_record(share: Share) -> dict[str, Any]:
    """Of the information the upper triangle, row after row."""
    share = filed(share)
    rows = share.information[np.triu_indices(len(share.parameters))]
    return {
        "plates": {str(number): corners.tolist() for number, corners in share.corners.items()},
        "parameters": [f"{number} {kind}" for number, kind in share.parameters],
        "score": _rounded(share.score),
        "information": _rounded(rows),
        "seconds": share.seconds,
    }


def _rounded(values: Array) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in values.tolist()]


def share_in(record: Mapping[str, Any]) -> Share:
    """What `share_record` wrote."""
    parameters = tuple(
        (int(number), kind) for number, _, kind in (text.partition(" ") for text in record["parameters"])
    )
    upper = np.zeros((len(parameters), len(parameters)))
    upper[np.triu_indices(len(parameters))] = record["information"]
    information = upper + np.triu(upper, 1).T
    corners = {int(number): np.array(of) for number, of in record["plates"].items()}
    return Share(corners, parameters, np.array(record["score"]), information, float(record["seconds"]))


# --- the file ------------------------------------------------------------------------------------------------------


def laboratory_text(days: Iterable[Day]) -> str:
    """The text of the file."""
    import yaml

    entries = []
    for day in days:
        plates = [
            {"number": number, "corners_m": (corners.round(6) + 0.0).tolist(), **_values(day, number)}
            for number, corners in sorted(day.corners.items())
        ]
        made_of = {"day": day.name, "trials": day.trials, "subjects": day.subjects}
        shows = {"shows": [*day.shows]} if day.shows else {}
        entries.append({**made_of, **shows, **_values(day, 0), "plates": plates})
    content = {BEGINS: 1, "errors_hold": phrase("laboratory/floor"), "days": entries}
    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120, default_flow_style=None))


def _values(day: Day, number: int) -> dict[str, Any]:
    found = {}
    for name, kind in KINDS.items():
        if (prior := day.values.get((number, name))) is not None:
            value, error = kind.offset + kind.scale * prior.mean, abs(kind.scale) * prior.sd
            wrong = {"wrong": True} if (number, name) in day.wrong else {}
            found[kind.key] = {"value": round(value, 3), "error": round(error, 3), **wrong}
    return found


def read_laboratory(path: Path) -> tuple[Day, ...]:
    """The days of a file.

    Raises
    ------
    GaitidError
        It cannot be read, or is none.
    """
    from gaitid.model.yaml_file import load_yaml

    content: Any = load_yaml(path)
    try:
        if content[BEGINS] != 1:
            raise ReadError(f"{path}: {BEGINS} is {content[BEGINS]}", expected="1", todo="update gaitid")
        return tuple(map(_day, content["days"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        todo = "give the laboratory.yaml that gaitid batch wrote"
        raise ReadError(
            f"{path}: not a file of a laboratory", expected=f"{BEGINS}: 1, days, each with plates", todo=todo
        ) from None


def _day(entry: Mapping[str, Any]) -> Day:
    values: dict[Parameter, Prior] = {}
    wrong: list[Parameter] = []
    corners: dict[int, Array] = {}
    for of in ({**entry, "number": 0}, *entry["plates"]):
        number = int(of["number"])
        if number:
            corners[number] = np.array(of["corners_m"], dtype=float).reshape(4, 3)
        for key, name in _KEYS.items():
            if key in of:
                kind, known = KINDS[name], of[key]
                error = float(known["error"]) / abs(kind.scale)
                if not error > 0:
                    raise ValueError(f"{key}: an error of {known['error']}")
                values[number, name] = Prior(error, (float(known["value"]) - kind.offset) / kind.scale)
                wrong += [(number, name)] if known.get("wrong") else []
    return Day(str(entry["day"]), corners, values, tuple(wrong))


# --- words ---------------------------------------------------------------------------------------------------------


def words_of(day: Day, before: Day | None) -> Iterator[str]:
    """What only the sum shows, a line each: of a plate, of all that share a clock, or of the laboratory."""
    delays = {number for number, name in day.values if name == "delay"}
    groups: dict[tuple[str, int], list[int]] = {}
    for number, name in day.wrong:
        one_clock = name == "delay" and all((other, name) in day.wrong for other in delays)
        group = groups.setdefault((KINDS[name].cause, 0 if one_clock else number), [])
        group += [number] if number not in group else []
    for (cause, _), numbers in groups.items():
        of = [(n, name) for n in numbers for name in KINDS if KINDS[name].cause == cause and (n, name) in day.values]
        earlier = {} if before is None else before.values
        changes = [
            phrase("laboratory/change", key=kind.key, by=kind.scale * (day.values[p].mean - earlier[p].mean))
            for p in of
            if p in earlier
            for kind in [KINDS[p[1]]]
        ]
        what = phrase(f"hypothesis/{cause}", **_told(day, cause, of))
        yield phrase("laboratory/shows", plates=[n for n in numbers if n], what=what, changes=changes)


def _told(day: Day, cause: str, of: Sequence[Parameter]) -> dict[str, Any]:
    """The values of a hypothesis' words."""
    errors, values = np.array([day.values[p] for p in of]).T
    told: dict[str, Any] = {"plates": [number for number, _ in of[:1]], "error": float(errors.max())}
    if cause == "moved":
        way = -values @ _sides(day.corners, of[0][0])
        return told | {"way": [f"{v * 100:+.1f}" for v in way], "error": 100 * float(np.hypot(*errors))}
    if cause == "gain":
        return told | {"every": True, "channels": (), "several": True, "times": 1 + float(values[0])}
    if cause == "late":
        late_ms = 1e3 * float(values.mean())
        return told | {"ms": abs(late_ms), "late": late_ms > 0, "error": 1e3 * float(errors.max())}
    return {"deg": float(np.degrees(np.hypot(*values))), "error": float(np.degrees(errors.max()))}


def _sides(corners: Corners, number: int) -> Array:
    """(2, 3) unit vectors along a plate's x and y."""
    c1, c2, _, c4 = corners[number]
    return np.array([(c1 - c2) / np.linalg.norm(c1 - c2), (c1 - c4) / np.linalg.norm(c1 - c4)])
