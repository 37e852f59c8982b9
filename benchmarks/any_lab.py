"""The table of docs/any_lab.md: what `gaitid run` makes of a recording of each laboratory in `wild`.

    python benchmarks/any_lab.py [--write] [FOLDER ...]

Each recording is analysed by the command that the table shows, with nothing but what lies in its folder. How many are
analysed, how many by a model that gives moments, and why the others are refused is printed at the end.
"""

from __future__ import annotations

import csv
import json
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from common import SHARED, parser_of, show

WILD = SHARED / "wild"

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
MOMENT = "ankle_plantarflexion"
#: Calls `gaitid` with these words in a folder: its exit code, and its stderr.
Run = Callable[[Sequence[str], Path], tuple[int, str]]


def in_a_process(words: Sequence[str], place: Path) -> tuple[int, str]:
    command = [sys.executable, "-m", "gaitid", *words]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
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


def outcome_row(outcome: Outcome) -> str:
    """The line of one recording."""
    what = f"`{outcome.folder}`: `{outcome.words}`"
    if outcome.refusal:
        return f"- {what}: refused"
    model = outcome.record["model"]
    labels = f", `{model['marker_set']}`" if model.get("marker_set") else ""
    facts = {"knee": ranges(outcome, "knee_flexion"), "A": peak(outcome)}
    return f"- {what}: `{model['name']}`{labels}" + "".join(f", {name} {text}" for name, text in facts.items() if text)


def ranges(outcome: Outcome, angle: str) -> str:
    """Smallest and largest angle of both legs, deg."""
    known = [value for side in ("left", "right") for value in outcome.known(f"{side}_{angle}_deg")]
    return f"{min(known):.0f}..{max(known):.0f}" if known else ""


def peak(outcome: Outcome) -> str:
    """The largest moment at the ankle of either leg outside impacts, N·m/kg."""
    known = [value for side in ("left", "right") for value in outcome.known_moment(side, MOMENT)]
    return f"{max(known):.2f}" if known else ""


def markdown(outcomes: Sequence[Outcome]) -> str:
    return "\n".join(map(outcome_row, outcomes))


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


def main() -> None:
    parser = parser_of(__doc__, "any_lab")
    parser.add_argument("folders", nargs="*", help="only these")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        outcomes = [
            Outcome(folder, words, Path(temporary) / str(i), in_a_process)
            for i, (folder, words) in enumerate(RUNS)
            if not given.folders or folder in given.folders
        ]
    show([markdown(outcomes)], given.write and not given.folders, "any_lab", "laboratories")
    print(summary(outcomes))


if __name__ == "__main__":
    main()
