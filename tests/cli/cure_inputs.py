"""Inputs that cause messages: the simulated walk, edited, with the words of the command that reads it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import cluster_walk
import numpy as np
import yaml
from terminal import edited_c3d, gaitid, set_parameter

from gaitid.simulate.files import simulate
from gaitid.trial import Trial

Words = tuple[object, ...]
PIG = ("--model", "pig")
# Measurements of the walk that a subject may lack, and inner markers: their place from the outer ones, mm to the left.
STORED = tuple(
    f"{side}{name}"
    for side in "LR"
    for name in ("LegLength", "KneeWidth", "AnkleWidth", "StaticPlantFlex", "StaticRotOff")
)
INNER = (("LKNM", "LKNE", 118.0, -1), ("RKNM", "RKNE", 117.0, 1), ("LMED", "LANK", 86.0, -1), ("RMED", "RANK", 85.0, 1))


class Folder(NamedTuple):
    """Where the simulated walk lies, and where a row may write."""

    simulated: Path
    own: Path

    @property
    def walk(self) -> Path:
        return self.simulated / "walk.c3d"

    @property
    def static(self) -> Path:
        return self.simulated / "static.c3d"

    def edited(self, edit: Callable[[Any], None], name: str = "walk.c3d") -> Path:
        return edited_c3d(self.simulated / name, self.own / "in" / name, edit)

    def text(self, name: str, text: str) -> Path:
        (self.own / name).write_text(text, encoding="utf-8")
        return self.own / name


def run(
    edit: Callable[[Any], None] | None = None, *options: object, model: str | Callable[[Folder], object] = "pig"
) -> Callable[[Folder], Words]:
    """`gaitid run` on the simulated walk, edited."""

    def words(folder: Folder) -> Words:
        trial = folder.walk if edit is None else folder.edited(edit)
        given = [option(folder) if callable(option) else option for option in options]
        taken = model(folder) if callable(model) else model
        return ("run", trial, "--model", taken, *given, "-o", folder.own / "out")

    return words


def static(folder: Folder) -> Path:
    return folder.static


def truth(*keys: str) -> Callable[[Folder], Path]:
    """A subject file with the right values of these keys."""

    def written(folder: Folder) -> Path:
        known = yaml.safe_load((folder.simulated / "walk.subject.yaml").read_text(encoding="utf-8"))
        return folder.text("cure.subject.yaml", yaml.safe_dump({key: known[key] for key in keys}))

    return written


# --- what makes the inputs ----------------------------------------------------------------------------------


def parameters(**values: float) -> Callable[[Any], None]:
    def edit(c: Any) -> None:
        for name, value in values.items():
            set_parameter(c, name, value)

    return edit


def without(*names: str) -> Callable[[Any], None]:
    def edit(c: Any) -> None:
        for name in names:
            c["parameters"]["PROCESSING"].pop(name, None)

    return edit


def turned(degrees: float, plates_only: bool) -> Callable[[Any], None]:
    """The plates, or the whole laboratory, turned about the axis to the left."""
    a = np.radians(degrees)
    turn = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])

    def edit(c: Any) -> None:
        corners = c["parameters"]["FORCE_PLATFORM"]["CORNERS"]["value"]
        middle = corners.mean(axis=1, keepdims=True) if plates_only else 0.0
        c["parameters"]["FORCE_PLATFORM"]["CORNERS"]["value"] = (
            np.einsum("ij,jkl->ikl", turn, corners - middle) + middle
        )
        if not plates_only:
            c["data"]["points"][:3] = np.einsum("ij,jkl->ikl", turn, c["data"]["points"][:3])

    return edit


def mirrored(c: Any) -> None:
    """A laboratory with left-handed axes: markers and corners."""
    c["data"]["points"][1] *= -1
    c["parameters"]["FORCE_PLATFORM"]["CORNERS"]["value"][1] *= -1


def mirrored_table(folder: Folder) -> Words:
    """A table of markers with left-handed axes."""
    of_both = (cluster_walk.walk(), cluster_walk.static())
    mirror = np.array([1.0, -1.0, 1.0])
    walk, static = (as_table(folder, replace(trial, points_g=trial.points_g * mirror)) for trial in of_both)
    return ("run", walk, "--static", static, "-o", folder.own / "out")


def unit(name: str) -> Callable[[Any], None]:
    def edit(c: Any) -> None:
        c["parameters"]["POINT"]["UNITS"]["value"] = [name]

    return edit


def labels(change: Callable[[str], str]) -> Callable[[Any], None]:
    def edit(c: Any) -> None:
        of_points = c["parameters"]["POINT"]["LABELS"]
        of_points["value"] = [change(label) for label in of_points["value"]]

    return edit


def marker(label: str, change: Callable[[Any], None]) -> Callable[[Any], None]:
    """A change of the track of one marker: (3, frames), mm."""

    def edit(c: Any) -> None:
        change(c["data"]["points"][:3, c["parameters"]["POINT"]["LABELS"]["value"].index(label)])

    return edit


def two_people(c: Any) -> None:
    names = list(c["parameters"]["POINT"]["LABELS"]["value"])
    c["parameters"]["POINT"]["LABELS"]["value"] = [f"{who}:{name}" for who in ("Anna", "Ben") for name in names]
    c["parameters"]["POINT"]["DESCRIPTIONS"]["value"] = [""] * 2 * len(names)
    points = c["data"]["points"]
    c["data"]["points"] = np.concatenate([points, points + [[[2000.0]], [[0]], [[0]], [[0]]]], axis=1)
    for name, values in c["data"]["meta_points"].items():
        c["data"]["meta_points"][name] = np.concatenate([values, values], axis=1)


def spike(track: Any) -> None:
    track[:, 100] += 60.0


def exchanged(c: Any) -> None:
    """Left and right knee, in half a second."""
    names = c["parameters"]["POINT"]["LABELS"]["value"]
    pair = [names.index("LKNE"), names.index("RKNE")]
    c["data"]["points"][:3, pair, 100:150] = c["data"]["points"][:3, pair[::-1], 100:150]


def repeated(c: Any) -> None:
    c["data"]["points"][:, :, 101] = c["data"]["points"][:, :, 100]


def cut_out(c: Any) -> None:
    """Six frames, of which the file has no gap."""
    c["data"]["points"][:, :, 100:-6] = c["data"]["points"][:, :, 106:]


def origin_moved(c: Any) -> None:
    c["data"]["points"][0, :, 120:] += 300.0


def rare(c: Any) -> None:
    """A heel that the static's cameras saw in one frame, on the place of the toe."""
    names = c["parameters"]["POINT"]["LABELS"]["value"]
    heel, toe = names.index("RHEE"), names.index("RTOE")
    c["data"]["points"][:3, heel, 0] = c["data"]["points"][:3, toe, 0]
    c["data"]["points"][:3, heel, 1:] = np.nan


def medial(c: Any) -> None:
    """The static with markers on the inner side of knees and ankles, as far away as the joints are wide."""
    names = list(c["parameters"]["POINT"]["LABELS"]["value"])
    for inner, outer, mm, to_left in INNER:
        points = c["data"]["points"]
        there = points[:, [names.index(outer)]] + np.array([0.0, mm * to_left, 0.0, 0.0])[:, None, None]
        c["data"]["points"] = np.concatenate([points, there], axis=1)
        for name, values in c["data"]["meta_points"].items():
            c["data"]["meta_points"][name] = np.concatenate([values, values[:, :1]], axis=1)
        names.append(inner)
    c["parameters"]["POINT"]["LABELS"]["value"] = names
    c["parameters"]["POINT"]["DESCRIPTIONS"]["value"] = [""] * len(names)


def larger(c: Any) -> None:
    """A person one fifth larger."""
    c["data"]["points"][:3] *= 1.2


def beside(folder: Folder) -> Path:
    """A walk without calibration angles, and its static in the same folder."""
    (folder.own / "in").mkdir()
    shutil.copy(folder.static, folder.own / "in" / "static.c3d")
    return folder.edited(without("LStaticPlantFlex", "RStaticPlantFlex", "LStaticRotOff", "RStaticRotOff"))


def csv(*options: object, change: Callable[[str], str] = str, model: str = "pig") -> Callable[[Folder], Words]:
    """`gaitid run` on the simulated walk as a table."""

    def words(folder: Folder) -> Words:
        trial = folder.text("walk.csv", change((folder.simulated / "walk.csv").read_text(encoding="utf-8")))
        given = [option(folder) if callable(option) else option for option in options]
        subject = ("--subject", folder.simulated / "walk.subject.yaml")
        return ("run", trial, "--model", model, *subject, *given, "-o", folder.own / "out")

    return words


def forces(folder: Folder) -> Path:
    return folder.simulated / "walk.forces.csv"


def plates(folder: Folder) -> Path:
    return folder.simulated / "walk.plates.yaml"


def subject(**values: object) -> Callable[[Folder], Path]:
    """A subject file with these values."""
    return lambda folder: folder.text(f"{len(values)}.subject.yaml", yaml.safe_dump(values))


@cache
def _simulated(scenario: str | Path, beside: Path) -> Path:
    out = beside.parent / f"simulated {Path(scenario).stem}"
    simulate(scenario, out)
    return out


def copy_of(scenario: str | Path, folder: Folder, name: str) -> Path:
    """A folder of the row with what a scenario gives, which is simulated once."""
    if not (folder.own / name).exists():
        shutil.copytree(_simulated(scenario, folder.simulated), folder.own / name)
    return folder.own / name


def functional(folder: Folder) -> Path:
    """The folder of functional trials, with their static."""
    return copy_of("functional", folder, "functional")


def results(folder: Folder) -> Path:
    out = folder.own / "results"
    if not out.exists():
        assert gaitid("run", folder.walk, *PIG, "-o", out).code == 0
    return out / "walk.run.json"


def limb_without_vertical(folder: Folder) -> Words:
    """A table of a limb, and its model without the line that says what is up."""
    simulate("nlink_limb", folder.own, duration=0.5)
    text = (folder.own / "nlink_limb.model.yaml").read_text(encoding="utf-8")
    assert "\nvertical: z\n" in text
    return (folder.own / "nlink_limb.csv", "--model", folder.text("own.yaml", text.replace("\nvertical: z", "")))


# mm before, beside and above the middle of the front of the pelvis, of hardly anybody
HIP = {"forward": -60.0, "outward": 85.0, "up": -80.0}
_OWN = """gaitid_model: 1
name: own
extends: pig
each_side: {points: {knee: {between: [knee_marker, ankle_marker], fraction: 1/0}}}
"""


_CLUSTERS = """gaitid_markers: 1
name: mine
letters: {left: L, right: R}
clusters_each_side:
  thigh_cluster: ["{S}_THIGH_1", "{S}_THIGH_2", "{S}_THIGH_3", "{S}_THIGH_4"]
  shank_cluster: ["{S}_SHANK_1", "{S}_SHANK_2", "{S}_SHANK_3", "{S}_SHANK_4"]
  foot_cluster: ["{S}_HEEL", "{S}_MT_1", "{S}_MT_5", "{S}_FOOT_1"]
"""
_LANDMARKS = {"asis": "ASIS", "psis": "PSIS"} | {
    f"{joint}_{side}": f"{joint}_{side[:3]}".upper() for joint in ("knee", "ankle") for side in ("lateral", "medial")
}


def as_table(folder: Folder, trial: Trial) -> Path:
    columns = [f"{label}_{axis}_m" for label in trial.labels for axis in "xyz"]
    rows = np.column_stack([trial.time_s, trial.points_g.reshape(trial.n_frames, -1)])
    lines = (",".join(map(repr, row)) for row in rows.tolist())
    return folder.text(f"{trial.path.stem}.csv", "\n".join([",".join(["time_s", *columns]), *lines]) + "\n")


def clusters(folder: Folder) -> Words:
    """A walk whose markers are on clusters, and a marker set that names these alone."""
    walk, named = as_table(folder, cluster_walk.walk()), folder.text("mine.yaml", _CLUSTERS)
    return ("run", walk, "--model", "cast", "--set", "vertical=z", "--markers", named, "-o", folder.own / "out")


def named_at_once(folder: Folder, words: Words, line: str) -> Words:
    """The static, and a label for each landmark that the message lists."""
    roles = [role for role in re.findall(r"(\w+) on both sides", line) if role in _LANDMARKS]
    landmarks = "".join(f'  {role}: "{{S}}_{_LANDMARKS[role]}"\n' for role in roles)
    folder.text("mine.yaml", f"{_CLUSTERS}landmarks_each_side:\n{landmarks}")
    return (*words, "--static", as_table(folder, cluster_walk.static()))


def own_model(folder: Folder) -> Path:
    return folder.text("own.yaml", _OWN)


def corrected(folder: Folder, words: Words, line: str) -> Words:
    own_model(folder).write_text(_OWN.replace("1/0", "1/10"), encoding="utf-8")
    return words


def without_option(words: Words, option: str, key: str = "") -> Sequence[object]:
    """The words without an option and its value; of ``--set`` that of one key."""
    kept, rest = [], iter(words)
    for word in rest:
        if word != option:
            kept.append(word)
        elif option not in ("--require-forces", "--full-body"):
            value = next(rest)
            if not str(value).startswith(key):
                kept += [word, value]
    return kept
