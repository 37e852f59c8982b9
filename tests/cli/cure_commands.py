"""Inputs that cause messages of commands besides `run`: stored results that were changed, folders of a batch."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from cure_inputs import PIG, Folder, Words, parameters, truth, without, without_option
from terminal import edited_c3d, gaitid

from gaitid.simulate.files import simulate

CALIBRATION = ("LStaticPlantFlex", "RStaticPlantFlex", "LStaticRotOff", "RStaticRotOff")


@cache
def _made(walk: Path) -> Path:
    out = walk.parent / "results of cures"
    assert gaitid("run", walk, *PIG, "-o", out).code == 0
    return out


def result(folder: Folder) -> Path:
    """A copy of a result."""
    out = folder.own / "results"
    if not out.exists():
        shutil.copytree(_made(folder.walk), out)
    return out / "walk.run.json"


def edited_record(change: Callable[[dict[str, Any]], object], *command: object) -> Callable[[Folder], Words]:
    """A command on a result whose record was changed; ``None`` stands for the result."""

    def words(folder: Folder) -> Words:
        path = result(folder)
        record = json.loads(path.read_text(encoding="utf-8"))
        change(record)
        path.write_text(json.dumps(record), encoding="utf-8")
        return with_result(folder, *command)

    return words


def edited_table(name: str, change: Callable[[list[str]], list[str]], *command: object) -> Callable[[Folder], Words]:
    """A command on a result of which the lines of one table were changed."""

    def words(folder: Folder) -> Words:
        path = result(folder).with_name(f"walk.{name}.csv")
        path.write_text("\n".join(change(path.read_text(encoding="utf-8").splitlines())) + "\n", encoding="utf-8")
        return with_result(folder, *command)

    return words


def with_result(folder: Folder, *command: object) -> Words:
    """The words of a command, or ``report`` where none are given."""
    if not command:
        command = ("report", None, "-o", folder.own / "page.html")
    return tuple(result(folder) if word is None else word(folder) if callable(word) else word for word in command)


def of_result(*command: object) -> Callable[[Folder], Words]:
    return lambda folder: with_result(folder, *command)


def run_again(folder: Folder, words: Words, line: str) -> Words:
    assert gaitid("run", folder.walk, *PIG, "-o", folder.own / "results").code == 0
    return words


def out(name: str) -> Callable[[Folder], Path]:
    return lambda folder: folder.own / name


def without_column(name: str) -> Callable[[list[str]], list[str]]:
    def change(lines: list[str]) -> list[str]:
        at = lines[0].split(",").index(name)
        return [",".join(cell for i, cell in enumerate(line.split(",")) if i != at) for line in lines]

    return change


def cell(row: int, name: str, value: str) -> Callable[[list[str]], list[str]]:
    def change(lines: list[str]) -> list[str]:
        cells = lines[row].split(",")
        cells[lines[0].split(",").index(name)] = value
        return [*lines[:row], ",".join(cells), *lines[row + 1 :]]

    return change


def gone(folder: Folder) -> Words:
    result(folder).with_name("walk.joints.csv").unlink()
    return with_result(folder)


def sto(kind: str) -> Callable[[Folder], Path]:
    """A result as OpenSim's file: ``angles`` or ``left``, of moments."""

    def made(folder: Folder) -> Path:
        there = folder.own / "sto"
        assert gaitid("export", result(folder), "--to", "sto", "-o", there).code == 0
        return there / f"walk.{kind}.sto"

    return made


def session(folder: Folder) -> Path:
    """A folder of two results."""
    there = result(folder).parent
    for file in list(there.iterdir()):
        name = file.name.replace("walk", "again")
        shutil.copy(file, there / name)
    return there


def stored(*suffixes: str) -> Callable[[Folder], Path]:
    """The walk's C3D with the outputs of its result, under labels that end so."""

    def made(folder: Folder) -> Path:
        there = folder.own / "stored"
        assert gaitid("export", result(folder), "--to", "c3d", "-o", there).code == 0

        def edit(c: Any) -> None:
            names = list(c["parameters"]["POINT"]["LABELS"]["value"])
            outputs = [i for i, name in enumerate(names) if name.endswith(("Angles", "Moment", "Force", "Power"))]
            renamed = [f"{names[i]}{suffixes[0]}" if i in outputs else names[i] for i in range(len(names))]
            for suffix in suffixes[1:]:
                renamed += [f"{names[i]}{suffix}" for i in outputs]
                c["data"]["points"] = np.concatenate([c["data"]["points"], c["data"]["points"][:, outputs]], axis=1)
                for key, values in c["data"]["meta_points"].items():
                    c["data"]["meta_points"][key] = np.concatenate([values, values[:, outputs]], axis=1)
            for group in ("ANGLES", "FORCES", "MOMENTS", "POWERS"):
                of_group = c["parameters"]["POINT"][group]
                of_group["value"] = [f"{name}{suffix}" for suffix in suffixes for name in of_group["value"]]
            c["parameters"]["POINT"]["LABELS"]["value"] = renamed
            c["parameters"]["POINT"]["DESCRIPTIONS"]["value"] = [""] * len(renamed)

        (file,) = there.iterdir()
        return edited_c3d(file, there / "stored.c3d", edit)

    return made


def run_light(folder: Folder) -> Words:
    feet = ("--assign", "right=none", "--assign", "left=none")
    return ("run", folder.own / "in" / "walk.c3d", *PIG, *feet, "-o", folder.own / "light")


def with_mass(folder: Folder, words: Words, line: str) -> Words:
    assert gaitid(*run_light(folder), "--subject", truth("mass_kg")(folder)).code == 0
    return words


def without_mass(folder: Folder) -> Words:
    """A result without a mass, and moments in N·m."""
    moments = sto("left")(folder)
    folder.edited(without("Bodymass"))
    assert gaitid(*run_light(folder)).code == 0
    return ("compare", folder.own / "light" / "walk.run.json", moments)


# --- batches ------------------------------------------------------------------------------------------------


def data(folder: Folder, *parts: str) -> Path:
    """Folders that each hold the walk and its static."""
    for part in parts or (".",):
        there = folder.own / "data" / part
        there.mkdir(parents=True)
        for file in (folder.walk, folder.static):
            shutil.copy(file, there / file.name)
    return folder.own / "data"


def batch(folder: Folder, name: str = ".") -> Words:
    return ("batch", folder.own / "data" / name, *PIG, "-j", "1", "-o", folder.own / "out")


def part_after_part(folder: Folder) -> Words:
    data(folder, "P1", "P2")
    assert gaitid(*batch(folder, "P1")).code == 0
    return batch(folder, "P2")


def both(folder: Folder, words: Words, line: str) -> Words:
    """The folder that holds both, to another folder of results."""
    return (*batch(folder)[:-1], folder.own / "new")


def all_after_part(folder: Folder) -> Words:
    data(folder, "P1", "P2")
    assert gaitid(*batch(folder, "P1")).code == 0
    return batch(folder)


def foreign_table(folder: Folder) -> Words:
    data(folder)
    (folder.own / "out").mkdir()
    folder.text("out/batch.csv", "my own table\n")
    return batch(folder)


def two_subject_files(folder: Folder) -> Words:
    for ending in ("yaml", "yml"):
        shutil.copy(folder.simulated / "walk.subject.yaml", data_once(folder) / f"walk.subject.{ending}")
    return batch(folder)


def data_once(folder: Folder) -> Path:
    there = folder.own / "data"
    return there if there.exists() else data(folder)


def heavier_static(folder: Folder) -> Words:
    """A static that was found beside the walk, whose mass is that of another person."""
    data(folder)
    edited_c3d(folder.walk, folder.own / "data" / "walk.c3d", without(*CALIBRATION))
    edited_c3d(folder.static, folder.own / "data" / "static.c3d", parameters(Bodymass=45.0))
    return batch(folder)


def linked(folder: Folder) -> Words:
    """A folder of results in which that of a person is a link."""
    data(folder, "P1")
    for name in ("out", "elsewhere"):
        (folder.own / name).mkdir()
    (folder.own / "out" / "P1").symlink_to(folder.own / "elsewhere")
    return batch(folder)


def result_of_another(folder: Folder) -> Words:
    """A trial that took the place of another."""
    data(folder)
    assert gaitid(*batch(folder)).code == 0
    there = folder.own / "data"
    shutil.move(there / "walk.c3d", there / "walk.bak")
    shutil.copy(folder.simulated / "walk.csv", there / "walk.csv")
    shutil.copy(folder.simulated / "walk.subject.yaml", there / "walk.subject.yaml")
    return batch(folder)


def again(option: str, value: Callable[[Folder], object]) -> Callable[[Folder, Words, str], Sequence[object]]:
    """The words with another value of an option that the line does not name."""
    return lambda folder, words, line: (*without_option(words, option), option, value(folder))


def other_rate(folder: Folder) -> Words:
    """Two results of walks that were recorded at 100 and 50 Hz."""
    simulate("walk", folder.own / "slow", duration=2.5, rate_hz=50.0)
    assert gaitid("run", folder.own / "slow" / "walk.c3d", *PIG, "-o", folder.own / "slow").code == 0
    return ("compare", result(folder), folder.own / "slow" / "walk.run.json", "--align", "frames")


def table_result(folder: Folder) -> Words:
    """`gaitid export` of a result whose trial is a table."""
    subject = ("--subject", folder.simulated / "walk.subject.yaml")
    assert gaitid("run", folder.simulated / "walk.csv", *PIG, *subject, "-o", folder.own / "r").code == 0
    return ("export", folder.own / "r" / "walk.run.json", "--to", "c3d", "-o", folder.own / "e")


def a_listed_set(folder: Folder) -> str:
    """The first name that `gaitid norms` prints."""
    return gaitid("norms").out.split()[0]


def no_mass(folder: Folder) -> Words:
    """`gaitid capacity` of a body without a mass, whose torques are in N·m/kg."""
    per_kg = "torques_Nm_per_kg: {knee: {flexion: 2, extension: 2}}"
    limits = folder.text("limits.yaml", f"gaitid_limits: 1\nsources: [a test]\n{per_kg}\n")

    def edit(c: Any) -> None:
        without("Bodymass")(c)
        c["parameters"]["FORCE_PLATFORM"]["USED"]["value"] = [0]

    words = ("capacity", folder.edited(edit), *PIG, "--limits", limits, "--frames", "60-61")
    return (*words, "-o", folder.own / "capacity")


def limb_sagittal(folder: Folder) -> Words:
    """`gaitid capacity` of a limb, which has no way forward."""
    simulate("nlink_limb", folder.own, duration=0.5)
    torques = "".join(f"  {joint}: {{turn_z: 10, negative_turn_z: 10}}\n" for joint in ("joint0", "joint1", "joint2"))
    limits = folder.text("limits.yaml", f"gaitid_limits: 1\nsources: [a test]\ntorques_Nm:\n{torques}")
    trial, model = (folder.own / f"nlink_limb.{ending}" for ending in ("csv", "model.yaml"))
    words = ("capacity", trial, "--model", model, "--limits", limits, "--endpoint", "link2", "--plane", "sagittal")
    return (*words, "-o", folder.own / "capacity")
