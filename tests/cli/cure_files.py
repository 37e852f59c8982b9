"""Inputs that cause messages about files beside the trial: functional trials, forces, loads, events, sessions."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from cure_inputs import PIG, Folder, Words, copy_of, csv, forces, functional, medial, parameters, plates, run
from terminal import edited_c3d, gaitid, without_markers


def with_functional(*given: str, static: bool = True) -> Callable[[Folder], Words]:
    """`gaitid run` on the walk, with functional trials named by ``[JOINT=]STEM``."""

    def words(folder: Folder) -> Words:
        there = functional(folder)
        options: list[object] = ["--static", there / "static.c3d"] if static else []
        for text in given:
            joint, equals, stem = text.rpartition("=")
            options += ["--functional", f"{joint}{equals}{there / stem}.c3d"]
        return (*run(None, *options)(folder), "--verbose")

    return words


def same_joint_again(folder: Folder) -> Words:
    words = with_functional("left_hip", "left_again")(folder)
    shutil.copy(functional(folder) / "left_hip.c3d", functional(folder) / "left_again.c3d")
    return words


def hip_and_knee(folder: Folder) -> Words:
    """A functional trial in which first the left hip moves, then the left knee."""
    import ezc3d

    words, there = with_functional("both")(folder), functional(folder)
    knee = ezc3d.c3d(str(there / "left_knee.c3d"))["data"]["points"]

    def edit(c: Any) -> None:
        frames = min(c["data"]["points"].shape[2], knee.shape[2])
        half = frames // 2
        c["data"]["points"][:, :, half:frames] = knee[:, :, half:frames]

    edited_c3d(there / "left_hip.c3d", there / "both.c3d", edit)
    return words


def larger_hip(folder: Folder) -> Words:
    """A functional trial of a person one quarter larger."""

    def edit(c: Any) -> None:
        c["data"]["points"][:3] *= 1.25

    words = with_functional("other")(folder)
    edited_c3d(functional(folder) / "left_hip.c3d", functional(folder) / "other.c3d", edit)
    return words


def exported(*kinds: str, force: float = 1.0, sideways: float = 0.0) -> Callable[[Folder], Words]:
    """`gaitid run` on the walk as OpenSim's files, whose forces are scaled or lean."""

    def words(folder: Folder) -> Words:
        there, out = folder.own / "opensim", folder.own / "out"
        assert gaitid("run", folder.walk, *PIG, "-o", out).code == 0
        to = [word for kind in kinds for word in ("--to", kind)]
        assert gaitid("export", out / "walk.run.json", *to, "-o", there).code == 0
        if "mot" in kinds:
            change(there / "walk.mot", force, sideways)
        subject = ("--subject", folder.simulated / "walk.subject.yaml")
        return ("run", there / "walk.trc", *PIG, *subject, "-o", folder.own / "again")

    return words


def plates_of_opensim(folder: Folder) -> Path:
    """The walk's plates in OpenSim's axes: x, z, -y."""
    plates = yaml.safe_load((folder.simulated / "walk.plates.yaml").read_text(encoding="utf-8"))["plates"]
    for plate in plates:
        plate["corners_mm"] = [[x, z, -y] for x, y, z in plate["corners_mm"]]
    return folder.text("opensim.plates.yaml", yaml.safe_dump({"plates": plates}))


def with_mot(words: Callable[[Folder], Words]) -> Callable[[Folder], Words]:
    return lambda folder: (*words(folder), "--forces", folder.own / "opensim" / "walk.mot")


def beside_trc(folder: Folder) -> Words:
    """OpenSim's markers and forces in one folder, and no measurements."""
    there = folder.own / "opensim"
    out = folder.own / "out"
    walk = folder.edited(medial)
    assert gaitid("run", walk, *PIG, "-o", out).code == 0
    assert gaitid("export", out / "walk.run.json", "--to", "trc", "--to", "mot", "-o", there).code == 0
    return ("run", there / "walk.trc", "-o", folder.own / "again")


def alone(name: str, *options: object) -> Callable[[Folder], Words]:
    """A file of forces where a trial is expected."""

    def words(folder: Folder) -> Words:
        if name == "walk.mot":
            exported("trc", "mot")(folder)
        there = folder.own / "opensim" if name == "walk.mot" else folder.simulated
        return ("run", there / name, *PIG, *options, "-o", folder.own / "out")

    return words


def beside_its_trial(folder: Folder, words: Words, line: str) -> Words:
    """The trial of the markers, with the file that was given by itself as its forces."""
    trial = Path(str(words[1])).with_name("walk.trc" if str(words[1]).endswith(".mot") else "walk.csv")
    subject = ("--subject", folder.simulated / "walk.subject.yaml")
    plates = ("--plates", folder.simulated / "walk.plates.yaml") if trial.suffix == ".csv" else ()
    return ("run", trial, *words[2:], *subject, *plates, "--forces", words[1])


def change(file: Path, force: float, sideways: float) -> None:
    """Forces times `force`, and that share of the vertical one along the first axis too."""
    lines = file.read_text(encoding="utf-8").splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("time"))
    names, rows = lines[begin].split("\t"), np.array([line.split("\t") for line in lines[begin + 1 :]], dtype=float)
    for i, name in enumerate(names):
        if name.endswith("_vx") and sideways:
            rows[:, i] = sideways * rows[:, i + 1]
    for i, name in enumerate(names):
        if name.endswith(("_vx", "_vy", "_vz")):
            rows[:, i] *= force
    text = ["\t".join(map(repr, row)) for row in rows.tolist()]
    file.write_text("\n".join([*lines[: begin + 1], *text]) + "\n", encoding="utf-8")


def forces_twice(folder: Folder) -> Words:
    """A table whose forces stand in columns of its own, and a file of forces."""
    words = csv("--forces", forces, "--plates", plates)(folder)
    markers = (folder.own / "walk.csv").read_text(encoding="utf-8").splitlines()
    loads = forces(folder).read_text(encoding="utf-8").splitlines()
    assert float(loads[11].split(",")[0]) == float(markers[2].split(",")[1])  # ten samples a frame
    columns = [line.partition(",")[2] for line in (loads[0], *loads[1::10])]
    folder.text("walk.csv", "\n".join(f"{a},{b}" for a, b in zip(markers, columns, strict=False)) + "\n")
    return words


def nexus_with_forces(folder: Folder) -> Words:
    """The walk's markers as Nexus exports them, and a file of forces."""
    text = (folder.simulated / "walk.csv").read_text(encoding="utf-8").splitlines()
    names = [name.removesuffix("_x_mm") for name in text[0].split(",")[2::3]]
    head = ["Trajectories", "100", ",," + ",,,".join(f"A:{n}" for n in names)]
    head += ["Frame,Sub Frame," + ",".join(["X,Y,Z"] * len(names)), ",," + ",".join(["mm"] * 3 * len(names))]
    rows = [f"{frame},0,{rest.partition(',')[2]}" for frame, _, rest in (line.partition(",") for line in text[1:])]
    trial = folder.text("nexus.csv", "\n".join([*head, *rows]) + "\n")
    subject = ("--subject", folder.simulated / "walk.subject.yaml")
    return ("run", trial, *PIG, *subject, "--forces", folder.simulated / "walk.forces.csv", "-o", folder.own / "out")


LOADED = Path(__file__).parents[1] / "simulate" / "scenarios" / "loaded.yaml"


def loaded(*loads: str, cutoff: str = "none") -> Callable[[Folder], Words]:
    """`gaitid run` on a chain that was simulated under loads, with some of their files."""

    def words(folder: Folder) -> Words:
        there = copy_of(LOADED, folder, "loaded")
        given: list[object] = []
        for load in loads:
            segment, file = load.split("=")
            given += ["--load", f"{segment}={there / file}"]
        trial, model = (there / f"loaded.{ending}" for ending in ("csv", "model.yaml"))
        return ("run", trial, "--model", model, *given, "--force-cutoff", cutoff, "-o", folder.own / "out")

    return words


ALL_LOADS = (
    "hand=loaded.load.hand.csv",
    "hand=loaded.load.hand.2.csv",
    "mast=loaded.load.mast.csv",
    "cart=loaded.load.cart.csv",
)


def all_printed(folder: Folder, words: Words, line: str) -> Words:
    """The words with each ``--load`` that the line names."""
    return (*words, *shlex.split(line[line.index("--load ", line.index("give ")) :]))


def events_named(folder: Folder) -> Words:
    """Events whose labels nobody knows."""

    def edit(c: Any) -> None:
        of_events = c["parameters"]["EVENT"]["LABELS"]
        of_events["value"] = ["Tick"] * len(of_events["value"])

    return run(edit)(folder)


def no_plates(c: Any) -> None:
    """A file whose channels are named, and whose plates nobody declares."""
    group = c["parameters"]["FORCE_PLATFORM"]
    group["USED"]["value"] = [0]


def unlike_session(folder: Folder) -> Words:
    """Three walks of one folder, one of which lacks a marker."""
    (folder.own / "in").mkdir()
    for name in "ab":
        shutil.copy(folder.walk, folder.own / "in" / f"{name}.c3d")
    full = folder.own / "in"
    edited_c3d(folder.walk, full / "c.c3d", lambda c: without_markers(c, lambda label: label != "LASI"))
    return ("run", *(full / f"{name}.c3d" for name in "abc"), "-o", folder.own / "out")


def stale(folder: Folder) -> Words:
    """A walk that stores a calibration of a foot that is 15° off, and its static beside it."""
    (folder.own / "in").mkdir()
    shutil.copy(folder.static, folder.own / "in" / "static.c3d")
    return ("run", folder.edited(parameters(LStaticPlantFlex=0.4, LStaticRotOff=0.3)), "-o", folder.own / "out")


def without_last(words: Words, option: str) -> Sequence[object]:
    """The words without the last use of an option."""
    at = max(i for i, word in enumerate(words) if word == option)
    return (*words[:at], *words[at + 2 :])


def other_feet(folder: Folder) -> Words:
    """A motion file whose columns name the other foot."""
    words = with_mot(exported("trc", "mot"))(folder)
    file = folder.own / "opensim" / "walk.mot"
    exchanged = {"_l_": "_r_", "_r_": "_l_"}
    text = re.sub("_[lr]_", lambda match: exchanged[match[0]], file.read_text(encoding="utf-8"))
    file.write_text(text, encoding="utf-8")
    return words


def late_events(c: Any) -> None:
    """Events of which the times are a quarter of a second late."""
    c["parameters"]["EVENT"]["TIMES"]["value"][1] += 0.25


def true_events(folder: Folder) -> Path:
    """The walk's events, as its file stores them, as a table."""
    import ezc3d

    stored = ezc3d.c3d(str(folder.walk))["parameters"]["EVENT"]
    kinds = {"Foot Strike": "strike", "Foot Off": "off"}
    events = zip(*(stored[name]["value"] for name in ("CONTEXTS", "LABELS")), stored["TIMES"]["value"][1], strict=True)
    rows = [f"{side.lower()},{kinds[label]},{float(time)!r}" for side, label, time in events]
    return folder.text("true.csv", "\n".join(["side,event,time_s", *rows]) + "\n")


def rough(c: Any) -> None:
    """A marker that carries 0.5 mm of noise, where the others carry none."""
    at = c["parameters"]["POINT"]["LABELS"]["value"].index("LTIB")
    track = c["data"]["points"][:3, at]
    track += np.random.default_rng(1).normal(0.0, 0.5, track.shape)


def one_label_twice(folder: Folder, psis: str = "ASI") -> Words:
    """A marker set that gives one label to two landmarks."""
    text = (
        f"gaitid_markers: 1\nname: mine\nletters: {{left: L, right: R}}\nlandmarks_each_side:\n  psis: '{{S}}{psis}'\n"
    )
    named = folder.text("mine.yaml", f"{text}  asis: '{{S}}ASI'\n")
    return ("run", folder.walk, "--model", "landmarks", "--markers", named, "-o", folder.own / "out")
