"""The tables of docs/accuracy.md: what `gaitid run` gives against what Plug-in Gait stored in the shared trials.

    python benchmarks/accuracy.py [--write]

runs the command line on ../shared/trials and prints the tables; with --write it puts them into docs/accuracy.md
between the marks there.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from common import SHARED, head, parser_of, row, show
from shared_trials import LETTER, TRIALS, SharedTrial, frames_of, output, read_stored, swing_frames

from gaitid.trial import Array, Trial

# quantity -> (unit, limit of the issue)
LIMITS = {
    "joint centres": ("mm", 0.01),
    "angles": ("deg", 0.001),
    "ground reaction": ("N/kg", 1e-4),
    "joint forces": ("N/kg", 1e-3),
    "moments": ("N·mm/kg", 0.1),
    "power": ("W/kg", 1e-3),
}


def run(known: SharedTrial, model: str, folder: Path, *options: str) -> dict[str, Array]:
    """One trial through the command line; every column by name."""
    out = folder / known.name.replace("/", "_")
    words = ["run", known.path, "--model", model, "-o", out, "--quiet", "--write", "segments", *options]
    subprocess.run([sys.executable, "-m", "gaitid", *map(str, words)], check=True)
    columns: dict[str, Array] = {}
    for kind in ("wrenches", "joints", "segments"):
        file = out / f"{known.path.stem}.{kind}.csv"
        names = file.read_text(encoding="utf-8").split("\n", 1)[0].split(",")
        values = np.genfromtxt(file, delimiter=",", skip_header=1)
        columns.update(dict(zip(names, values.T, strict=True)))
    return columns


def differences(columns: dict[str, Array], trial: Trial, side: str, mass: float) -> dict[str, Array]:
    """(frames, columns) differences of each quantity from what is stored; NaN where either is empty."""
    letter = LETTER[side]

    def triple(pattern: str) -> Array:
        return np.column_stack([columns[pattern.format(axis)] for axis in "xyz"])

    def stored(name: str) -> Array:
        values = output(trial, letter + name)
        return np.full((trial.n_frames, 3), np.nan) if values is None else values

    centres = []
    for joint, bone in (("hip", "FEP"), ("knee", "FEO"), ("ankle", "TIO")):
        if trial.has(letter + bone):
            centres.append(1e3 * (triple(f"{side}_{joint}_{{}}_m") - trial.marker(letter + bone)))
    angles = []
    for name, words in (
        ("FootProgressAngles", (None, None, "foot_progression_internal_rotation")),
        ("PelvisAngles", ("pelvis_anterior_tilt", "pelvis_upward_obliquity", "pelvis_internal_rotation")),
        ("HipAngles", ("hip_flexion", "hip_adduction", "hip_internal_rotation")),
        ("KneeAngles", ("knee_flexion", "knee_adduction", "knee_internal_rotation")),
        ("AnkleAngles", ("ankle_dorsiflexion", "ankle_eversion", "ankle_internal_rotation")),
    ):
        axes = [i for i, word in enumerate(words) if word is not None]
        ours = np.column_stack([columns[f"{side}_{words[i]}_deg"] for i in axes])
        # the same direction may be written on the other Cardan branch
        angles.append((ours - stored(name)[:, axes] + 180) % 360 - 180)
    grf = triple(f"{side}_ground_force_{{}}_N") / mass - stored("GroundReactionForce")
    forces, moments = [], []
    for joint, signs in (("ankle", (-1, 1, -1)), ("knee", (1, 1, 1)), ("hip", (1, 1, 1))):
        ours = triple(f"{side}_{joint}_force_distal_{{}}_N") / mass * np.array(signs)
        forces.append(ours - stored(f"{joint.capitalize()}Force"))
    for joint, words in (
        ("ankle", ("plantarflexion", "eversion", "external_rotation")),
        ("knee", ("extension", "abduction", "external_rotation")),
        ("hip", ("extension", "abduction", "external_rotation")),
    ):
        ours = np.column_stack([1e3 * columns[f"{side}_{joint}_{word}_moment_Nm_per_kg"] for word in words])
        moments.append(ours - stored(f"{joint.capitalize()}Moment"))
    power = np.column_stack(
        [
            columns[f"{side}_{joint}_power_W_per_kg"] - stored(f"{joint.capitalize()}Power")[:, 2]
            for joint in ("ankle", "knee", "hip")
        ]
    )
    return {
        "joint centres": np.hstack(centres) if centres else np.full((trial.n_frames, 3), np.nan),
        "angles": np.hstack(angles),
        "ground reaction": grf,
        "joint forces": np.hstack(forces),
        "moments": np.hstack(moments),
        "power": power,
    }


def measure(model: str, *options: str) -> list[dict[str, object]]:
    """One row a side and kind of frames (stance, swing) of each trial."""
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for known in TRIALS:
            trial = read_stored(known)
            columns = run(known, model, Path(folder), *options)
            mass = trial.parameters["Bodymass"]
            for side in ("left", "right"):
                found = differences(columns, trial, side, mass)
                stance = frames_of(known.stances.get(side, []), trial.n_frames)
                for kind, frames in (("stance", stance), ("swing", swing_frames(known, trial, side) & ~stance)):
                    inner = frames.copy()
                    inner[:4] = inner[-4:] = False  # the ends of the trial, empty in both
                    if not inner.any():
                        continue
                    filled = np.isfinite(columns[f"{side}_hip_moment_global_x_Nm"])
                    of: dict[str, object] = {
                        "trial": known.name,
                        "laboratory": known.laboratory,
                        "side": side,
                        "kind": kind,
                        "frames": int(inner.sum()),
                        "filled": int((inner & filled).sum()),
                    }
                    for name, values in found.items():
                        part = values[inner & filled]
                        part = part[np.isfinite(part).all(axis=1)]
                        of[name] = worst(name, part)
                        of[f"{name} n"] = len(part)
                    moments = found["moments"][inner & filled]
                    moments = moments[np.isfinite(moments).all(axis=1)]
                    for i, joint in enumerate(("ankle", "knee", "hip")):
                        part = moments[:, 3 * i : 3 * i + 3]
                        of[f"3D {joint}"] = float(np.sqrt((part**2).sum(axis=1).mean())) if len(part) else np.nan
                    rows.append(of)
    return rows


def worst(name: str, values: Array) -> float:
    """Largest difference of centres, angles and the ground reaction; largest column RMS of the others."""
    if not values.size:
        return np.nan
    if name in ("joint centres", "angles", "ground reaction"):
        return float(np.abs(values).max())
    return float(np.sqrt((values**2).mean(axis=0)).max())


def vicon_table(rows: list[dict[str, object]]) -> list[str]:
    """A line a trial: frames filled of those that may be compared, and the worst of both sides and kinds."""
    lines = head("trial", "stance filled", "swing filled", *(f"{n} ({u})" for n, (u, _) in LIMITS.items()))
    for trial in dict.fromkeys(str(of["trial"]) for of in rows):
        those = [of for of in rows if of["trial"] == trial]
        filled = []
        for kind in ("stance", "swing"):
            of_kind = [of for of in those if of["kind"] == kind]
            counts = (sum(int(of[key]) for of in of_kind) for key in ("filled", "frames"))  # type: ignore[call-overload]
            filled.append("/".join(map(str, counts)) if of_kind else "–")
        lines.append(row(trial, *filled, *(f"{np.nanmax([of[n] for of in those]):.2g}" for n in LIMITS)))
    return lines


def three_d_table(rows: list[dict[str, object]]) -> list[str]:
    lines = head("frames of", "ankle", "knee", "hip")
    for kind in ("stance", "swing"):
        part = [r for r in rows if r["kind"] == kind]
        lines.append(
            row(kind, *(f"{np.nanmedian([r[f'3D {j}'] for r in part]):.2f}" for j in ("ankle", "knee", "hip")))
        )
    return lines


def coverage_line(rows: list[dict[str, object]]) -> str:
    parts = []
    for kind in ("stance", "swing"):
        part = [r for r in rows if r["kind"] == kind]
        filled, frames = sum(int(r["filled"]) for r in part), sum(int(r["frames"]) for r in part)  # type: ignore[call-overload]
        least = min(int(r["filled"]) / int(r["frames"]) for r in part)  # type: ignore[call-overload]
        parts.append(
            f"{kind}: {100 * filled / frames:.1f} % of {frames} frames filled (worst side {100 * least:.0f} %)"
        )
    return "; ".join(parts)


def tables() -> list[str]:
    """All tables as Markdown."""
    if not SHARED.is_dir():
        raise SystemExit("the shared trials are not beside this checkout (../shared/trials)")
    vicon = measure("pig_vicon")
    text = ["### `pig_vicon` against what Plug-in Gait stored", "", *vicon_table(vicon), "", coverage_line(vicon) + "."]
    words = "Median over sides and stances of the 3D RMS difference of the moments, N·mm/kg, with"
    pig = measure("pig", "--cutoff", "none", "--force-cutoff", "none")
    text += ["", "### `pig` (right physics) against what Plug-in Gait stored", ""]
    return [*text, f"{words} `--cutoff none --force-cutoff none`:", "", *three_d_table(pig)]


def main() -> None:
    given = parser_of(__doc__, "accuracy").parse_args()
    show(tables(), given.write, "accuracy", "shared trials")


if __name__ == "__main__":
    main()
