"""Models, tables, limits and mechanisms with anything at all in any place: read, or refused in one line of ours.

pytest makes every warning an error, so an overflow or a division by zero fails here too.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from gaitid.capacity.limits import read_limits
from gaitid.errors import GaitidError
from gaitid.mechanism.dynamics import checks, solve
from gaitid.mechanism.file import load_mechanism
from gaitid.model.load import bundled_folder, load_model, load_table
from gaitid.model.marker_sets import load_marker_set

CONFIGS = bundled_folder("configs")
FILES = 60
"""Of each kind: a second or two; ten thousand of each were tried once."""
ANYTHING = [
    None,
    True,
    False,
    0,
    -1,
    3.5,
    -0.0,
    1e308,
    -1e308,
    1e12,
    1e-300,
    float("nan"),
    float("inf"),
    10**17,
    "",
    " ",
    "x",
    "1/0",
    "9**9**9",
    "sqrt(-1)",
    "nan",
    "é",
    "a\nb",
    "G",
    "ground",
    "{S}",
    ".",
    "..",
    "/dev/null",
    "foot.x",
    "mean(1)",
    "x" * 5000,
    [],
    [[]],
    {},
    [None],
    [1, 2],
    [1, 2, 3],
    ["a", "b"],
    [True, True, True],
    {"a": 1},
    {1: 2},
    {"x": None},
    [{}],
    [[1, 2], [3, 4]],
    {"polynomial": ["a"]},
    {"polynomial": [1e12] * 50},
    {"sines": [{}]},
    {"table": ".", "column": "x"},
    {"table": "x" * 5000, "column": "x"},
    {"mean": []},
    {"turn": {}},
]


def places(content: object) -> Iterator[tuple[Any, Any]]:
    """Every container with each of its keys or indices."""
    keys = list(content) if isinstance(content, dict) else range(len(content)) if isinstance(content, list) else ()
    for key in keys:
        yield content, key
        yield from places(content[key])  # type: ignore[index]


def spoiled(content: object, chance: random.Random) -> object:
    """A copy with one to three places filled with anything, emptied or renamed."""
    content = copy.deepcopy(content)
    for _ in range(chance.choice([1, 1, 3])):
        inside, key = chance.choice(list(places(content)) or [({}, "gone")])
        what = chance.random()
        if what < 0.7:
            inside[key] = copy.deepcopy(chance.choice(ANYTHING))
        elif what < 0.85 or isinstance(inside, list):
            inside.pop(key, None) if isinstance(inside, dict) else inside.pop(key)
        else:
            inside[chance.choice(["x", 1, True, None, "ground", ""])] = inside.pop(key, None)
    return content


def read_mechanism(path: Path) -> None:
    file = load_mechanism(path)
    checks(solve(file.mechanism, file.time_s[:3], file.statics))


def read_limits_of_pig(path: Path) -> None:
    read_limits(path, load_model("pig"))


@pytest.mark.parametrize(
    ("read", "examples"),
    [
        (load_model, ["pig.yaml", "sagittal2d.yaml"]),
        (load_model, ["landmarks.yaml", "cast.yaml", "ior.yaml", "keypoints.yaml", "lateral.yaml"]),
        (load_marker_set, ["marker_sets/padua.yaml", "marker_sets/rbds.yaml", "marker_sets/plug_in_gait.yaml"]),
        (load_table, ["tables/winter_pig.yaml", "tables/running_2d.yaml"]),
        (read_limits_of_pig, ["limits/example.yaml"]),
        (read_mechanism, ["mechanisms/four_bar.yaml", "mechanisms/gait_leg.yaml", "mechanisms/geared_five_bar.yaml"]),
    ],
)
def test_anything_anywhere_is_read_or_refused_in_one_line(
    read: Callable[[Path], object], examples: list[str], tmp_path: Path
) -> None:
    chance = random.Random(20)
    contents = [yaml.safe_load((CONFIGS / name).read_text(encoding="utf-8")) for name in examples]
    path = tmp_path / "spoiled.yaml"
    ends: Counter[str] = Counter()
    for _ in range(FILES):
        path.write_text(yaml.safe_dump(spoiled(chance.choice(contents), chance), sort_keys=False), encoding="utf-8")
        try:
            read(path)
            ends["read"] += 1
        except GaitidError as error:
            assert "\n" not in error.line() and len(error.line()) < 4000
            ends["refused"] += 1
    # an empty run would prove nothing; some changes do no harm (a title, a number a little off)
    assert ends["refused"] > 0.5 * FILES and ends["read"] > 0
