"""A result -> ``walk.long.csv``: one tidy table of all that has a value a frame, a row a number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gaitid.errors import GaitidError
from gaitid.export.source import Column, Made, Source
from gaitid.records import NamedTuple
from gaitid.write.table import quoted

COLUMNS = ("trial", "side", "joint", "quantity", "component", "frame", "time_s", "value", "unit", "column")
_TIMES = ("frame", "time_s")
_WRENCH = re.compile(r"(?P<joint>.+)_(?P<quantity>force|moment)_(?P<component>(?:global|proximal|distal|jcs)_[xyz].*)")
_GROUND = re.compile(r"(?P<joint>ground)_(?P<quantity>force|cop|free_moment)_?(?P<component>[xyz]?)")
_MOMENT = re.compile(r"(?P<joint>{joints})_(?P<component>.+)_(?P<quantity>moment)")
_POWER = re.compile(r"(?P<joint>.+)_(?P<quantity>power)(?P<component>)")
_VECTOR = re.compile(r"(?P<joint>.+)_(?P<quantity>com|q|omega|alpha|acc)_?(?P<component>[wxyz])")
_CENTRE = re.compile(r"(?P<joint>.+)_(?P<component>[xyz])")


class Meaning(NamedTuple):
    """What a column holds."""

    side: str
    joint: str
    quantity: str
    component: str


def make(source: Source) -> Made:
    """Every number as it stands in its table, to the digit; a value that is not known is empty.

    Raises
    ------
    GaitidError
        A table has no frames.
    """
    lines = [",".join(COLUMNS)]
    trial = quoted(source.stem)
    for table, columns in source.tables.items():
        if [column.name for column in columns[:2]] != list(_TIMES):
            continue  # contacts, cycles, features: no value a frame
        frames, times = columns[0].cells, columns[1].cells
        if not frames:
            raise GaitidError(f"{source.stem}.{table}.csv has no frames")
        # names of joints, those of more words first: what has a power, and what else has angles
        powers = {m["joint"] for column in columns if (m := _POWER.fullmatch(_bare(column)[1]))}
        joints = sorted({*powers, "foot_progression", "pelvis"}, key=lambda name: (-len(name), name))
        for column in columns[2:]:
            meaning = meaning_of(column, joints, table)
            before = ",".join([trial, *map(quoted, meaning)])
            after = f"{column.unit},{quoted(column.name)}"
            lines += [f"{before},{f},{t},{v},{after}" for f, t, v in zip(frames, times, column.cells, strict=True)]
    return Made({f"{source.stem}.long.csv": "\n".join(lines) + "\n"})


def _bare(column: Column) -> tuple[str, str]:
    """A column's side, and its name without side and unit."""
    name = column.name.removesuffix(f"_{column.end}")
    side = next((side for side in ("left", "right") if name.startswith(f"{side}_")), "")
    return side, name.removeprefix(f"{side}_")


def meaning_of(column: Column, joints: Iterable[str], table: str) -> Meaning:
    """Side, joint, quantity and component of a column; what is not told apart stands under `quantity`."""
    side, name = _bare(column)
    known = "|".join(map(re.escape, joints))
    angle = re.compile(rf"(?P<joint>{known})_(?P<component>.+)") if column.unit == "deg" else None
    moment = re.compile(_MOMENT.pattern.replace("{joints}", known))
    patterns: Mapping[str, tuple[re.Pattern[str], ...]] = {"joints": (moment, _POWER), "segments": (_VECTOR, _CENTRE)}
    if angle is not None and (match := angle.fullmatch(name)):
        return Meaning(side, match["joint"], "angle", match["component"])
    for pattern in patterns.get(table, (_GROUND, _WRENCH)):
        if match := pattern.fullmatch(name):
            parts = match.groupdict()
            return Meaning(side, parts["joint"], parts.get("quantity", "position"), parts["component"])
    return Meaning(side, "", name, "")
