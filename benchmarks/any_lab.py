"""The table of docs/any_lab.md: what `gaitid run` makes of a recording of each laboratory in `wild`.

    python benchmarks/any_lab.py [--write] [--without-sets] [--pictures FOLDER] [FOLDER ...]

Each recording is analysed by the command that the table shows, with nothing but what lies in its folder. `--write` puts
the table into docs/any_lab.md; `--without-sets` leaves every bundled marker set out, as if all laboratories were
unknown; `--pictures` draws the sagittal curves, to be looked at. How many are analysed, how many by a model that gives
moments, and why the others are refused is printed at the end.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks")]

from shared_trials import SHARED  # noqa: E402

WILD = SHARED / "wild"
DOCUMENT = ROOT / "docs" / "any_lab.md"
BEGIN, END = "<!-- benchmarks/any_lab.py writes from here -->\n", "<!-- to here -->\n"

#: Folder and words after `gaitid run`.
RUNS: Sequence[tuple[str, str]] = (
    ("biobuddy_functional", "hip_right.c3d --static static.c3d"),
    ("biobuddy_functional", "knee_right.c3d --static static.c3d"),
    ("cgm24", "walk.c3d"),
    ("cmu", "punch.c3d"),
    ("codamotion", "walk.c3d"),
    ("davis_bars", "walk.c3d"),
    ("gait2392", "walk.trc --forces walk_grf.mot --static static.trc"),
    ("grand_challenge", "walk.trc"),
    ("hbm", "static.c3d"),
    ("isb_bone_names", "walk.c3d --static static.c3d"),
    ("keypoints", "balance.trc --static static.trc"),
    ("latrobe", "sprint.trc --forces sprint_grf.mot --static static.trc"),
    ("opencap", "walk.trc --forces walk_grf.mot --static static.trc"),
    ("opencap", "drop_jump.trc --forces drop_jump_grf.mot --static static.trc"),
    ("padua_clusters", "walk.c3d"),
    ("pig_old", "walk.c3d"),
    ("rajagopal", "run.trc --forces run_grf.mot --static static.trc"),
    ("rajagopal_wrong_static", "run.trc --static static.trc"),
    ("rbds_running", "run.c3d --static static.c3d"),
    ("theia_segments", "trial.c3d"),
    ("visual3d_hybrid", "walk.c3d --static static.c3d"),
    ("wisconsin", "walk.trc --static static.trc"),
    ("labs/drop_jump", "jump.c3d --static static.c3d"),
    ("labs/joint_centres", "walk.c3d"),
    ("labs/leuven", "gait_14.trc --static static.trc"),
    ("labs/motion_analysis", "walk1.trc --set mirror=z"),
    ("labs/nexus_mp", "VER4C3D.c3d --subject 42798.mp"),
    ("labs/osim_calibration", "walk.trc --forces walk_grf.mot --static subject01.osim"),
    ("labs/sample_26", "Capture0002.c3d"),
    ("labs/turn", "turn.c3d --static static.c3d"),
    ("labs/unipd", "walk.c3d --static static.c3d"),
)
#: Of a command that knows no bundled marker set.
WITHOUT_SETS = "from gaitid.model import marker_sets; marker_sets._bundled = list; from gaitid.cli import main; main()"
ANGLES = ("hip_flexion", "knee_flexion", "ankle_dorsiflexion")
MOMENTS = ("hip_extension", "knee_extension", "ankle_plantarflexion")
HEAD = "| folder, command | model, marker set | hip flexion | knee flexion | ankle dorsiflexion | largest moments |"
# Notes that follow from others, or that hold of nearly all of these recordings.
UNTOLD = ("no_known_wrench", "filters_differ", "impact", "gap_open")


#: Calls `gaitid` with these words in a folder: its exit code, and its stderr.
Run = Callable[[Sequence[str], Path], tuple[int, str]]


def in_a_process(words: Sequence[str], place: Path, without_sets: bool = False) -> tuple[int, str]:
    python = ["-c", WITHOUT_SETS] if without_sets else ["-m", "gaitid"]
    done = subprocess.run([sys.executable, *python, *words], cwd=place, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


class Outcome:
    """One recording: its columns and its record, or the line of its refusal."""

    def __init__(self, folder: str, words: str, output: Path, run: Run) -> None:
        self.folder, self.words = folder, words
        place = SHARED / folder if "/" in folder else WILD / folder
        code, said = run(["run", *words.split(), "-o", str(output)], place)
        self.refusal = ""
        self.record: dict[str, Any] = {}
        self.columns: dict[str, list[float]] = {}
        if code:
            self.refusal = said.strip().splitlines()[-1]
            return
        stem = output / words.split()[0].rpartition(".")[0]
        self.record = json.loads(Path(f"{stem}.run.json").read_text(encoding="utf-8"))
        with Path(f"{stem}.joints.csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.columns = {name: [float(row[name]) if row[name] else math.nan for row in rows] for name in rows[0]}

    def known(self, name: str) -> list[float]:
        return [value for value in self.columns.get(name, ()) if math.isfinite(value)]

    def known_moment(self, side: str, name: str) -> list[float]:
        """Without the frames of impacts, from which no peak comes."""
        impacts = [i for i in self.record["impacts"] if i["side"] == side]
        at = zip(self.columns.get("frame", ()), self.columns.get(f"{side}_{name}_moment_Nm_per_kg", ()), strict=True)
        outside = (v for f, v in at if not any(i["first_frame"] <= f <= i["last_frame"] for i in impacts))
        return [value for value in outside if math.isfinite(value)]


# --- words ----------------------------------------------------------------------------------------------------


def row(outcome: Outcome) -> str:
    """The row of the table of ranges."""
    what = f"`{outcome.folder}`: `{outcome.words}`"
    if outcome.refusal:
        return f"| {what} | refused | | | | |"
    model = outcome.record["model"]
    labels = f", `{model['marker_set']}`" if model.get("marker_set") else ""
    cells = [ranges(outcome, name) for name in ANGLES]
    return f"| {what} | `{model['name']}`{labels} | {' | '.join(cells)} | {peaks(outcome)} |"


def ranges(outcome: Outcome, angle: str) -> str:
    """Smallest and largest angle of each leg, deg."""
    legs = {side: outcome.known(f"{side}_{angle}_deg") for side in ("left", "right")}
    if not any(legs.values()):
        return "empty"
    return "; ".join(
        f"{side[0].upper()} {min(known):.0f}..{max(known):.0f}" if known else f"{side[0].upper()} empty"
        for side, known in legs.items()
    )


def peaks(outcome: Outcome) -> str:
    """The largest sagittal moments of either leg outside impacts, N·m/kg."""
    found = []
    for moment in MOMENTS:
        known = [v for side in ("left", "right") for v in outcome.known_moment(side, moment)]
        if known:
            found.append(f"{moment.replace('_', ' ')} {max(known):.2f}")
    return ", ".join(found) or "empty"


def details(outcome: Outcome) -> str:
    """What was measured, assumed and missing, or why it was refused."""
    what = f"- **`{outcome.folder}`**, `{outcome.words}`."
    if outcome.refusal:
        return f"{what} Refused:\n\n      {outcome.refusal}\n"
    notes = outcome.record["warnings"]
    known, assumed = by_source(outcome.record["subject"])
    assumed += [short(n["text"]) for n in notes if n["severity"] == "assumption" and not of_subject(n)]
    doubted = [short(n["text"]) for n in notes if n["severity"] in ("error", "doubt") and n["code"] not in UNTOLD]
    parts = [what, f"Measured: {'; '.join(known) or 'nothing of the subject'}."]
    parts += [f"Assumed: {joined(assumed)}." if assumed else "Assumed: nothing."]
    parts += [f"Missing or doubted: {joined(doubted)}."] if doubted else []
    return " ".join(parts) + "\n"


def of_subject(note: Mapping[str, str]) -> bool:
    """Whether a note tells of a measurement, which the record has with its source."""
    return note["code"] in ("measurement_assumed", "mass_estimated") and "foot-flat" not in note["text"]


def by_source(subject: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The measurements that were taken, and those that were assumed: names of one source together."""
    names: dict[str, list[str]] = {}
    for name, entry in subject.items():
        names.setdefault(short(entry["source"]), []).append(name.rpartition(".")[2].replace("_", " "))
    words = {source: f"{', '.join(dict.fromkeys(of))} ({source})" for source, of in names.items()}
    return (
        [text for source, text in words.items() if not source.startswith("assumed")],
        [text for source, text in words.items() if source.startswith("assumed")],
    )


def short(text: str) -> str:
    """A note without what the reader is told to do."""
    text = re.split(
        r"; (?:correct|say|a tape|scales|choose|give|check) | \((?:choose|heel and toe|--force-cutoff) ?", text
    )[0]
    text = re.sub(r"^the body's (mass is not known).*", r"the \1", text)
    return text if len(text) <= 170 else text[:167].rpartition(" ")[0] + " …"


def joined(texts: Sequence[str], most: int = 6) -> str:
    kept = list(dict.fromkeys(texts))
    return "; ".join(kept[:most]) + (f"; and {len(kept) - most} more" if len(kept) > most else "")


def markdown(outcomes: Sequence[Outcome]) -> str:
    lines = [HEAD, "|" + "---|" * (HEAD.count("|") - 1), *map(row, outcomes), ""]
    return "\n".join(lines) + "\n" + "\n".join(map(details, outcomes))


def summary(outcomes: Sequence[Outcome]) -> str:
    """How many recordings are analysed, by which models, and why the others are not."""
    done = [outcome for outcome in outcomes if not outcome.refusal]
    full = [outcome for outcome in done if outcome.record["model"]["name"] != "lateral"]
    lines = [f"{len(done)} of {len(outcomes)} analysed, {len(full)} by a model that gives moments.", ""]
    lines += ["| refused | why |", "|---|---|"]
    for outcome in outcomes:
        if outcome.refusal:
            why = re.split(r"; (?:expected|found) ", outcome.refusal.partition(": ")[2].partition(": ")[2])[0]
            lines.append(f"| {outcome.folder} | {why} |")
    return "\n".join(lines)


# --- pictures -------------------------------------------------------------------------------------------------


def draw(outcome: Outcome, folder: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = [f"{a}_deg" for a in ANGLES] + [f"{m}_moment_Nm_per_kg" for m in MOMENTS]
    figure, axes = plt.subplots(2, 3, figsize=(16, 8), sharex=True)
    for panel, name in zip(axes.flat, names, strict=True):
        for side, colour in (("left", "tab:red"), ("right", "tab:blue")):
            panel.plot(outcome.columns["frame"], outcome.columns[f"{side}_{name}"], color=colour, lw=1, label=side)
        panel.set_title(name)
        panel.grid(alpha=0.3)
    axes[0, 0].legend()
    figure.suptitle(f"{outcome.folder}: {outcome.words}: {outcome.record['model']['name']}")
    figure.tight_layout()
    figure.savefig(folder / f"{outcome.folder}_{outcome.words.split('.')[0]}.png".replace("/", "_"), dpi=60)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", help="only these")
    parser.add_argument("--write", action="store_true", help="into docs/any_lab.md")
    parser.add_argument("--without-sets", action="store_true", help="know no bundled marker set")
    parser.add_argument("--pictures", type=Path, help="folder for a picture of each recording")
    given = parser.parse_args()
    outcomes, run = [], partial(in_a_process, without_sets=given.without_sets)
    with tempfile.TemporaryDirectory() as temporary:
        for i, (folder, words) in enumerate(RUNS):
            if not given.folders or folder in given.folders:
                output = Path(temporary) / str(i)
                outcomes.append(Outcome(folder, words, output, run))
    text = markdown(outcomes)
    if given.pictures:
        given.pictures.mkdir(parents=True, exist_ok=True)
        for outcome in outcomes:
            if not outcome.refusal:
                draw(outcome, given.pictures)
    if given.write:
        before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        DOCUMENT.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    print(text)
    print(summary(outcomes))


if __name__ == "__main__":
    main()
