"""The commands that `same_files.py` runs with both trees: each case has a folder of its own and commands, by name.

A command stands here without ``gaitid``. Its files go to the folder of its name. Inputs stand in ``inputs``:
``sample_data``, ``golden`` (of the commit that is compared with), ``shared`` (the recorded trials) and ``made``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from running_2d import convert

from gaitid.simulate import ABOUT, ABOUT_CHAINS


@dataclass(frozen=True)
class Case:
    """Commands that run one after the other in one folder.

    Attributes
    ----------
    name : str
    text : str
        A line for each command: its name, a colon, its words.
    quick : bool
        Whether ``--quick`` runs it too.
    """

    name: str
    text: str
    quick: bool = False

    @property
    def commands(self) -> dict[str, list[str]]:
        """The words of each command, by its name."""
        lines = (line.partition(":") for line in self.text.splitlines() if line.strip())
        return {name.strip(): words.split() for name, _, words in lines}


# --- inputs that are made -----------------------------------------------------------------------------------------

# No bundled model fits most marker sets of the shared trials. Four points a leg are in nearly all of them, and with
# them everything from the reader to the wrenches is computed; what the angles mean does not matter here.
PLANAR = """\
gaitid_model: 1
name: planar
extends: sagittal2d
vertical: {up}
sides: {{left: {{letter: {left}, sign: 1}}, right: {{letter: {right}, sign: -1}}}}
middle:
  frames:
    laboratory: {{origin: right.hip, keep: {{y: {{laboratory: {across}}}}}, toward: {{z: {{laboratory: {axis}}}}}}}
each_side:
  markers: {{hip: "{hip}", knee: "{knee}", ankle: "{ankle}", toe: "{toe}"}}
  frames:
    thigh: {{origin: knee, keep: {{y: {{laboratory: {across}}}}}, toward: {{z: [knee, hip]}}}}
    shank: {{origin: ankle, keep: {{y: {{laboratory: {across}}}}}, toward: {{z: [ankle, knee]}}}}
    foot: {{origin: ankle, keep: {{y: {{laboratory: {across}}}}}, toward: {{z: [toe, ankle]}}}}
"""
KEEP = "--set doubtful_labels=keep"


class MarkerSet(NamedTuple):
    """What a planar model needs of a marker set: the axis that points up, the letters of left and right (turned
    round where the model would walk backward), the labels of hip, knee, ankle and toe, and options."""

    up: str
    letters: str
    labels: str
    words: str = ""


RAJAGOPAL = MarkerSet("y", "LR", "{S}ASI,{S}LFCv,{S}LMALv,{S}TOE")
LATROBE = MarkerSet("y", "RL", "{S}ASI,{S}LEPI,{S}LMAL,{S}TOE")
GAIT2392 = MarkerSet("y", "RL", "{S}.ASIS,{S}.Thigh.Front,{S}.Shank.Front,{S}.Toe.Tip")
CLUSTERS = MarkerSet("z", "LR", "{S}TH1,{S}SK1,{S}FT1,{S}FT2", KEEP)
RBDS = MarkerSet("y", "RL", "{S}.ASIS,{S}.Thigh.Bottom.Lateral,{S}.Shank.Bottom.Lateral,{S}.MT1")
ONE_LETTER = MarkerSet("z", "LR", "{S}F,{S}K,{S}A,{S}D")
MARKER_SETS = {
    "models/arnold_synthetic/*/markers.trc": MarkerSet("y", "LR", "{S}ASI,{S}LFC,{S}LMAL,{S}TOE"),
    "models/bmc_rajagopal_run/*/motion_capture_run.trc": RAJAGOPAL,
    "models/ja1_gait/*.trc": LATROBE._replace(words=KEEP),
    "models/ja1_gait/*.c3d": LATROBE._replace(up="z", letters="LR", words=KEEP),
    "opensim_gait2354/*walk1.trc": GAIT2392,
    "qualisys/*.c3d": MarkerSet("z", "LR", "{S}TROC,{S}KNE,{S}ANK,{S}LA_TOE"),
    "wild/biobuddy_functional/*.c3d": MarkerSet("-z", "LR", "{S}ASI,{S}KNE,{S}ANK,{S}TOE", "--cutoff 5"),
    "wild/cmu/*.c3d": MarkerSet("z", "LR", "{S}FWT,{S}KNE,{S}ANK,{S}TOE", KEEP),
    "wild/codamotion/*.c3d": MarkerSet("z", "LR", "{S}.ASIS,{S}.Knee,{S}.Ankle,{S}.Toe"),
    "wild/davis_bars/*.c3d": MarkerSet("y", "rl", "{S} asis,{S} knee 1,{S} bar 2,{S} met"),
    "wild/gait2392/*.trc": GAIT2392,
    "wild/grand_challenge/*.trc": MarkerSet("y", "RL", "{S}.Asis,{S}.Patella,{S}.Shank.Inferior,{S}.Toe"),
    "wild/hbm/*.c3d": MarkerSet("z", "LR", "{S}ASIS,{S}LEK,{S}LM,{S}TOE"),
    "wild/isb_bone_names/*.c3d": MarkerSet("z", "LR", "{S}_IAS,{S}_FLE,{S}_FAL,{S}_FM5"),
    "wild/keypoints/balance.trc": MarkerSet("y", "LR", "{S}Hip,{S}Knee,{S}Ankle,{S}BigToe"),
    "wild/latrobe/sprint.trc": LATROBE,
    "wild/opencap/*.trc": MarkerSet("y", "Lr", "{S}.ASIS,{S}_knee,{S}_ankle,{S}_toe"),
    "wild/padua_clusters/*.c3d": MarkerSet("z", "LR", "{S}ASI,{S}FCL,{S}MALL,{S}MT1"),
    "wild/pig_old/*.c3d": MarkerSet("z", "LR", "{S}ASI,{S}KNE,{S}ANK,{S}TOE"),
    "wild/rajagopal*/run.trc": RAJAGOPAL,
    "wild/rbds_running/run.c3d": RBDS,
    "wild/visual3d_hybrid/static.c3d": MarkerSet("z", "RL", "{S}_ASIS,{S}_THIGH_1,{S}_SHANK_1,{S}_MT_1"),
    "wild/wisconsin/*.trc": MarkerSet("z", "LR", "{S}.ASIS,{S}.Knee,{S}.Ankle,{S}.MT5", KEEP),
    "zoo/Eb015*.c3d": CLUSTERS,
    "zoo/dec_int.c3d": CLUSTERS,
    "zoo/sgi_real.c3d": CLUSTERS,
    "zoo/TYPE-[24].C3D": ONE_LETTER,
    "zoo/TYPE-3.c3d": MarkerSet("z", "LR", "{S}TRC,{S}LKN,{S}ANK,{S}TOE"),
}

# Files by their names.
MADE = {
    "mass.yaml": "mass_kg: 70\nstatic: {foot_flat: true}\n",
    "mine.yaml": "gaitid_model: 1\nname: mine\nextends: pig\nsettings: {cutoff_hz: 8, gap_spline_s: 0.1}\n",
    "wrong.yaml": "gaitid_model: 1\nname: wrong\nextends: pig\nsettings: {gravty: 9.8}\ncolour: red\n",
    "trials.yaml": """\
trials:
- {subject: Ann, static: ../shared/children/HC030A/static.c3d, trials: "../shared/children/HC030A/*k.c3d", cutoff: 6}
- {subject: Bob, static: none, trials: [../sample_data/walk/walk.c3d], assign: ["left=1@92-155"]}
""",
}

# Nobody has a Nexus export with trajectories and devices; the tests lay trials out as one.
NEXUS = """
import sys
from pathlib import Path
from nexus_layout import to_nexus_csv
from plain_layout import plates_yaml
from gaitid.read import read_trial
trial = read_trial(Path(sys.argv[1]))
Path(sys.argv[2]).write_text(to_nexus_csv(trial))
Path(sys.argv[3]).write_text(plates_yaml(trial.plates, "reaction", "axes: plate\\nmoment_about: origin"))
"""


def file_name(pattern: str) -> str:
    """Of the planar model for the trials that a pattern names."""
    return "".join(c if c.isalnum() else "_" for c in pattern) + ".yaml"


def planar_model(markers: MarkerSet) -> str:
    """The YAML of a leg in the plane on either side, of four markers."""
    axis, left, right = markers.up.strip("-"), markers.letters[0], markers.letters[1]
    points = dict(zip(("hip", "knee", "ankle", "toe"), markers.labels.split(","), strict=True))
    across = {"y": "z", "z": "y"}[axis]
    return PLANAR.format(up=markers.up, axis=axis, across=across, left=left, right=right, **points)


# Results of the commit, for both trees to draw.
RESULTS = ("children/HC030A/turn.c3d", "stairs/Movement_trial.c3d", "sydney/walk03.c3d")


def make_inputs(folder: Path, tree: Path, shared: Path) -> None:
    """Everything that commands read, taken or made from the tree of the commit that is compared with."""
    made, sample = folder / "made", tree / "sample_data" / "walk" / "walk.c3d"
    (made / "damaged").mkdir(parents=True)
    for name, path in {"sample_data": tree / "sample_data", "golden": tree / "tests/golden", "shared": shared}.items():
        (folder / name).symlink_to(path.resolve())
    for pattern, markers in MARKER_SETS.items():
        (made / file_name(pattern)).write_text(planar_model(markers), encoding="utf-8")
    for name, text in MADE.items():
        (made / name).write_text(text, encoding="utf-8")
    content = sample.read_bytes()
    for name, part in {"empty": b"", "cut": content[: len(content) // 2], "text": b"LASI,RASI\n" * 100}.items():
        (made / "damaged" / f"{name}.c3d").write_bytes(part)
    if (shared / "running_2d").is_dir():
        convert(shared / "running_2d", made / "running_2d")
    (layouts,) = tree.rglob("nexus_layout.py")
    environment = {**os.environ, "PYTHONPATH": f"{tree}{os.pathsep}{layouts.parent}"}
    words = [sys.executable, "-c", NEXUS, *map(str, (sample, made / "nexus.csv", made / "nexus.plates.yaml"))]
    subprocess.run(words, env=environment, check=True)
    samples = [f"sample_data/{name}/walk.c3d" for name in ("walk", "walk_noisy")]
    recorded = [f"shared/{trial}" for trial in RESULTS if (shared / trial).is_file()]
    for trials, output in ((samples, "made/samples/{parent}"), (recorded, "made/results")):
        words = [sys.executable, "-m", "gaitid", "run", *trials, "--model", "pig", "-o", output, "-q"]
        if trials:
            subprocess.run(words, env=environment, cwd=folder, check=True)


# --- cases --------------------------------------------------------------------------------------------------------

TRIALS = (".c3d", ".trc", ".csv")
QUICK = {
    "children/HC002D/walk.c3d",
    "children/HC030A/walk.c3d",
    "nexus_flatfoot/walk.c3d",
    "stairs/Movement_trial.c3d",
    "sydney/walk03.c3d",
    "zoo/TYPE-2.C3D",
}
SAMPLE = "inputs/sample_data/walk/walk.c3d"
NOISY = "inputs/sample_data/walk_noisy/walk.c3d"
# All options are tried on these, and their results are checked.
WITH_OPTIONS = (
    SAMPLE,
    NOISY,
    "inputs/shared/children/HC002D/walk.c3d",
    "inputs/shared/children/HC030A/turn.c3d",
    "inputs/shared/nexus_flatfoot/walk.c3d",
    "inputs/shared/stairs/Movement_trial.c3d",
    "inputs/shared/sydney/walk03.c3d",
    "inputs/shared/wild/cgm24/walk.c3d",
)
# Of these too the page: it takes 3 s.
DRAWN = (SAMPLE, *WITH_OPTIONS[-3:], "run", "second_person", "treadmill")
BASE_AND_FRAMES = (
    "--write segments --write base --express-in global --express-in proximal --express-in distal --express-in jcs"
)
EVERYTHING = f"{BASE_AND_FRAMES} --contributions --observer thigh"
# Options for what `simulate` writes beside a CSV, and how the names of these files end.
BESIDE_CSV = {"forces": ".csv", "plates": ".yaml", "subject": ".yaml"}
WALK_OPTIONS = {
    "noise": "--marker-noise-mm 1 --force-noise-n 2 --seed 7",
    "bias": "--plate-bias-n 12 --plate-drift-n-per-s 2 --seed 3",
    "gaps": "--gap-count 6 --gap-frames 12 --seed 5",
    "type1": "--plate-type 1 --plate-seed 1",
    "type3": "--plate-type 3 --plate-seed 2 --origin-sign c3d",
    "type4": "--plate-type 4 --plate-seed 3",
    "types": "--plate-type 4,1 --plate-seed 4 --mirror --turn-deg 30",
    "impact": "--impact-bw 0.5 --rate-hz 200 --analog-rate-hz 2000",
    "late_events": "--event-shift-s 0.2",
    "no_events": "--no-events --marker-noise-mm 0.5",
}
REFUSED = f"""
no_model: run {SAMPLE}
unknown_model: run {SAMPLE} --model pigg
wrong_model: run {SAMPLE} --model inputs/made/wrong.yaml
unknown_setting: run {SAMPLE} --model pig --set gravty=9.8
wrong_setting: run {SAMPLE} --model pig --set cutoff_hz=fast
negative_cutoff: run {SAMPLE} --model pig --cutoff -1
high_cutoff: run {SAMPLE} --model pig --cutoff 80
absent: run nowhere.c3d --model pig
absent_static: run {SAMPLE} --model pig --static nowhere.c3d
absent_subject: run {SAMPLE} --model pig --subject nowhere.yaml
wrong_subject: run {SAMPLE} --model pig --subject inputs/made/wrong.yaml
wrong_assignment: run {SAMPLE} --model pig --assign middle=1
absent_plate: run {SAMPLE} --model pig --assign left=7
contradiction: run {SAMPLE} --model pig --assign left=1@92-155 --assign right=1@100-120
unknown_observer: run {SAMPLE} --model pig --observer tail
same_name: run {SAMPLE} {NOISY} --model pig
other_format: run inputs/made/mass.yaml --model pig
damaged: run inputs/made/damaged/empty.c3d inputs/made/damaged/cut.c3d inputs/made/damaged/text.c3d --model pig
no_forces: run inputs/shared/children/HC002D/static.c3d --model pig --require-forces
other_person: run {SAMPLE} --static inputs/shared/nexus_flatfoot/static.c3d --model pig -o other_person
no_output: batch inputs/sample_data --model pig
no_trials: batch inputs/golden --model pig -o no_trials
no_golden: check {SAMPLE} --model pig --against nowhere
no_check: check inputs/made/damaged/cut.c3d --model pig --json
inspect: inspect inputs/made/damaged/cut.c3d
scenario: simulate wlk -o scenario
scenario_option: simulate double_pendulum -o scenario --mirror
mechanism: mechanism five_bar -o mechanism
no_limits: capacity {SAMPLE} --model pig -o capacity
limits: capacity {SAMPLE} --model pig --limits nowhere.yaml -o capacity
endpoint: capacity {SAMPLE} --model pig --limits example --endpoint tail -o capacity
no_result: report {SAMPLE} -o page.html
model_show: models show pigg
model_wrong: models validate inputs/made/wrong.yaml
command: rn
"""


def cases(tree: Path, shared: Path) -> Iterator[Case]:
    """All cases; what is bundled is listed as the commit has it. Long ones come first."""
    yield from _simulated()
    yield from _batches()
    yield from _pictures(tree)
    yield from _reports()
    yield from (_options(trial, shared) for trial in WITH_OPTIONS)
    yield from _samples()
    paths = sorted(path for path in shared.rglob("*") if path.suffix.lower() in TRIALS)
    yield from (_recorded(path, shared) for path in paths)
    yield _models(tree)
    yield Case("refused", REFUSED, quick=True)
    names = ("run", "batch", "inspect", "check", "simulate", "mechanism", "capacity", "report", "models")
    yield Case("help", "all: --help\n" + "\n".join(f"{name}: {name} --help" for name in names))


def _simulated() -> Iterator[Case]:
    for name in ABOUT_CHAINS:
        model = f"--model made/{name}.model.yaml {BASE_AND_FRAMES}"
        text = f"""
            made: simulate {name} -o made --duration 0.4 --rate-hz 200
            faulty: simulate {name} -o faulty --duration 0.2 --marker-noise-mm 1 --gap-count 2 --gap-frames 4
            run: run made/{name}.c3d {model} --cutoff none -o run
            csv: run made/{name}.csv {model} --cutoff 20 -o csv
        """
        yield Case(f"simulate/{name}", text)
    for name in ABOUT:
        beside = " ".join(f"--{kind} made/{name}.{kind}{end}" for kind, end in BESIDE_CSV.items())
        text = f"""
            made: simulate {name} -o made
            run: run made/{name}.c3d --static made/static.c3d --model pig --write segments -o run
            csv: run made/{name}.csv {beside} --model pig -o csv
            check: check made/{name}.c3d --model pig --json
            inspect: inspect made/{name}.c3d --json
        """
        if name in DRAWN:
            text += f"html: report run/{name}.run.json -o html.html"
        yield Case(f"simulate/{name}", text, quick=name in ("treadmill", "shared_plate"))
    for key, words in WALK_OPTIONS.items():
        name = "shared_plate" if key == "types" else "walk"
        text = f"""
            made: simulate {name} -o made --duration 3 {words}
            run: run made/{name}.c3d --model pig -o run
            inspect: inspect made/{name}.c3d
        """
        yield Case(f"simulate/walk_{key}", text, quick=key == "types")


def _batches() -> Iterator[Case]:
    places = "batch inputs/shared/sydney inputs/shared/stairs inputs/shared/nexus_flatfoot"
    words = "-o batch -j 1 --time-limit 600"
    children = f"""
        plan: batch inputs/shared/children --model pig --plan
        batch: batch inputs/shared/children --model pig {words} --parquet --log batch.jsonl
        resume: batch inputs/shared/children --model pig {words} --parquet --resume
    """
    yield Case("batch/children", children)
    yield Case("batch/several", f"batch: {places} --model pig_vicon --write segments --express-in jcs {words}")
    yield Case("batch/manifest", f"batch: batch inputs/made/trials.yaml --model pig {words}", quick=True)
    yield Case("batch/samples", f"batch: batch inputs/sample_data inputs/made/damaged --model pig {words}")
    yield Case("batch/recorded", f"batch: batch inputs/shared --model pig {words}")


def _pictures(tree: Path) -> Iterator[Case]:
    for path in sorted((tree / "configs" / "mechanisms").glob("*.yaml")):
        name = path.stem
        picture = f"{name}.svg" if name == "slider_crank" else f"{name}.png"
        yield Case(f"mechanism/{name}", f"run: mechanism {name} -o run --plot {picture}", quick=name == "four_bar")
    limits, hip = "--model pig --limits example", "--endpoint hip --side left --plane sagittal"
    sample = f"""
        foot: capacity {SAMPLE} {limits} --picture 100 --frames 90-110 -o foot
        hip: capacity {SAMPLE} {limits} {hip} --animation --frames 100-104 -o hip
    """
    yield Case("capacity/sample", sample, quick=True)
    child = "inputs/shared/children/HC030A"
    given = f"{child}/walk.c3d --static {child}/static.c3d"
    yield Case("capacity/recorded", f"toe: capacity {given} {limits} --endpoint toe --side right -o toe")


def _options(trial: str, shared: Path) -> Case:
    given = f"{trial} {_static(trial, shared)} --model pig"
    text = f"""
        plain: run {given} -o plain
        everything: run {given} {EVERYTHING} -o everything
        dense: run {given} --solver dense -o dense
        recursive: run {given} --solver recursive -o recursive
        constrained: run {given} --solver constrained -o constrained
        cutoff: run {given} --cutoff 6 -o cutoff
        force_cutoff: run {given} --force-cutoff 20 -o force_cutoff
        gcv_spline: run {given} --set marker_filter=gcv_spline -o gcv_spline
        savitzky_golay: run {given} --set marker_filter=savitzky_golay -o savitzky_golay
        assigned: run {given} --assign left=1 --assign right=none -o assigned
        names: run {given} --keep-names --require-forces --log names.jsonl -o names
        stdout: run {given} -o -
        check: check {given} --json --against plain
        check_moved: check {given} --against plain --cutoff 6 --solvers
    """
    if trial in DRAWN:
        text += f"html: report plain/{Path(trial).stem}.run.json -o html.html"
    return Case(f"options/{trial.removeprefix('inputs/')}", text, quick=trial == SAMPLE)


def _samples() -> Iterator[Case]:
    golden = f"check {SAMPLE} {NOISY} --model pig --against inputs/golden/{{parent}}"
    text = f"""
        same: {golden} --json
        moved: {golden} --json --cutoff 6
        tolerant: {golden} --cutoff 6 --tolerance force_N=500
    """
    yield Case("sample_data/golden", text, quick=True)
    for walk in (SAMPLE.removesuffix(".c3d"), NOISY.removesuffix(".c3d")):
        static, beside = (
            walk.removesuffix("walk") + "static.c3d",
            f"--forces {walk}.forces.csv --plates {walk}.plates.yaml",
        )
        text = f"""
            pig: run {walk}.c3d --model pig -o pig
            pig_static: run {walk}.c3d --static {static} --model pig -o pig_static
            vicon: run {walk}.c3d --model pig_vicon -o vicon
            vicon_static: run {walk}.c3d --static {static} --model pig_vicon -o vicon_static
            mine: run {walk}.c3d --model inputs/made/mine.yaml -o mine
            csv: run {walk}.csv {beside} --subject {walk}.subject.yaml --model pig -o csv
            standing: run {static} --subject {walk}.subject.yaml --model pig -o standing
            json: inspect {walk}.c3d --json
            text: inspect {walk}.csv {beside}
        """
        yield Case(walk.removeprefix("inputs/"), text, quick=True)
    for name in ("double_pendulum", "swing_leg"):
        given = f"inputs/sample_data/{name}/{name}"
        text = f"run: run {given}.c3d --model {given}.model.yaml --cutoff none -o run\njson: inspect {given}.c3d --json"
        yield Case(f"sample_data/{name}", text, quick=True)
    nexus = "inputs/made/nexus.csv --plates inputs/made/nexus.plates.yaml"
    subject = "--subject inputs/sample_data/walk/walk.subject.yaml"
    text = f"""
        pig: run {nexus} {subject} --model pig -o pig
        vicon: run {nexus} {subject} --model pig_vicon -o vicon
        json: inspect {nexus} --json
    """
    yield Case("made/nexus", text, quick=True)
    stride = "inputs/made/running_2d/running"
    given = f"{stride}.csv --forces {stride}.forces.csv --plates {stride}.plates.yaml --model sagittal2d"
    text = f"""
        plain: run {given} -o plain
        everything: run {given} --subject inputs/made/mass.yaml {EVERYTHING} -o everything
    """
    yield Case("made/running_2d", text)


def _recorded(path: Path, shared: Path) -> Case:
    """Of one shared trial: what is in it, and what models make of it, with a static and without.

    That the bundled models refuse trials of other marker sets is in the table of ``batch/recorded``.
    """
    trial = path.relative_to(shared).as_posix()
    static, given = _static(f"inputs/shared/{trial}", shared), f"inputs/shared/{trial} {_forces(path, shared)}"
    lines = [f"json: inspect {given} --json", f"text: inspect {given}"]
    pattern = next((pattern for pattern in MARKER_SETS if fnmatch(trial, pattern)), None)
    if pattern is not None:
        model = f"--model inputs/made/{file_name(pattern)} --subject inputs/made/mass.yaml {MARKER_SETS[pattern].words}"
        lines.append(f"planar: run {given} {model} {EVERYTHING} -o planar")
    else:
        lines.append(f"pig: run {given} --model pig -o pig")
        lines.append(f"vicon: run {given} --model pig_vicon --write segments -o vicon")
    if static and "static" not in path.name.lower() and pattern is None:
        lines += [
            f"pig_static: run {given} {static} --model pig --write segments --write base -o pig_static",
            f"vicon_static: run {given} {static} --model pig_vicon -o vicon_static",
            f"check: check {given} {static} --model pig --json",
        ]
    if "biobuddy" in trial:
        subject = "--subject inputs/sample_data/walk/walk.subject.yaml"
        lines.append(f"subject: run {given} --model pig --cutoff 5 {subject} -o subject")
    return Case(f"recorded/{trial}", "\n".join(lines), quick=trial in QUICK)


def _static(trial: str, shared: Path) -> str:
    """``--static FILE`` where one lies beside a trial."""
    path = shared / trial.removeprefix("inputs/shared/")
    if path.is_relative_to(shared) and trial.startswith("inputs/shared/"):
        for beside in sorted(path.parent.glob("*")):
            if "static" in beside.name.lower() and beside.suffix.lower() in TRIALS and beside != path:
                return f"--static inputs/shared/{beside.relative_to(shared)}"
    return ""


def _forces(path: Path, shared: Path) -> str:
    """``--forces FILE`` where a MOT with the ground's forces belongs to a TRC."""
    if path.suffix != ".trc" or "static" in path.name:
        return ""
    beside = sorted(path.parent.glob("*grf*.mot"), key=lambda mot: (not mot.name.startswith(path.stem), mot))
    return f"--forces inputs/shared/{beside[0].relative_to(shared)}" if beside else ""


def _reports() -> Iterator[Case]:
    """Pictures show the warnings in their order, and the version: both trees draw the same results."""
    samples = "inputs/made/samples/walk/walk.run.json inputs/made/samples/walk_noisy/walk.run.json"
    text = f"""
        html: report {samples} -o html.html
        png: report inputs/made/samples/walk_noisy/walk.run.json -o png.png
    """
    yield Case("report/samples", text, quick=True)
    records = [f"inputs/made/results/{Path(trial).stem}.run.json" for trial in RESULTS]
    text = f"html: report {' '.join(records)} -o html.html\npng: report {records[0]} -o png.png"
    yield Case("report/recorded", text)


def _models(tree: Path) -> Case:
    names = [path.stem for path in sorted((tree / "configs").glob("*.yaml"))]
    lines = ["list: models list", "schema: models schema", "mine: models validate inputs/made/mine.yaml"]
    lines += [f"{verb}_{name}: models {verb} {name}" for name in names for verb in ("show", "validate")]
    return Case("models", "\n".join(lines), quick=True)
