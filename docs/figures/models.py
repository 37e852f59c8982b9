"""Draw docs/figures/model_NAME.png of each bundled model: its markers, joint centres and segment axes on the right leg.

    python docs/figures/models.py

Nothing is placed by hand: the walker of the simulator carries the markers of a laboratory (tests/any_markers.py), the
model is run on it, and what it finds is drawn, in one frame of the walk.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from any_markers import CLUSTERS, FAMILIES, Marked, marked, run  # noqa: E402

from gaitid.analysis.pipeline import analyse  # noqa: E402
from gaitid.analysis.result import Result  # noqa: E402
from gaitid.body.subject import SubjectFile  # noqa: E402
from gaitid.model.load import load_model  # noqa: E402
from gaitid.model.specs import Model  # noqa: E402
from gaitid.read import read_trial  # noqa: E402
from gaitid.simulate.files import simulate  # noqa: E402
from gaitid.trial import Array  # noqa: E402

#: Of each model the laboratory (a marker set) whose markers are drawn.
DRAWN = {
    "pig": "plug_in_gait",
    "ior": "isb_bone_names",
    "helen_hayes": "helen_hayes_cortex",
    "cast": "visual3d",
    "landmarks": "rtosim",
    "keypoints": "keypoints",
    "lateral": "cmu",
    "cgm21": "cgm21",
    "cgm22": "cgm22",
    "cgm23": "cgm23",
    "cgm24": "cgm24",
}
# Seen from the right: forward to the right of the page; seen from the front: the subject's left to the right.
VIEWS = {"from the right": (0, 2), "from the front": (1, 2)}
AXIS = {"x": "#b3261e", "y": "#2e7d32", "z": "#2453b3"}
INK, PALE, STATIC = "#22303c", "#8a97a3", "#c2501b"
SIDE, PERCENT = "right", 0.52


def at(track: Array, frame: int, origin: Array) -> Array:
    return np.asarray(100 * (track[frame] - origin))


def draw(name: str, recorded: Marked, result: Result, drawn: str = "") -> None:
    """One picture: the right leg and the pelvis, from the right and from the front, in cm."""
    frame = int(PERCENT * recorded.trial.n_frames)
    leg = result.sides[SIDE]
    pelvis = result.body.segments["", "pelvis"].pose
    origin = pelvis.origin_g[frame] * [1.0, 1.0, 0.0]
    figure, panels = plt.subplots(1, 2, figsize=(6.4, 6.2), width_ratios=(94, 56))
    for panel, (title, (right, up)) in zip(panels, VIEWS.items(), strict=True):
        panel.set_aspect("equal")
        panel.axis("off")
        panel.set_title(title, fontsize=10, color=PALE)
        joints = [at(leg.joints_g[joint], frame, origin) for joint in ("hip", "knee", "ankle")]
        line = np.array(joints)
        panel.plot(line[:, right], line[:, up], color="#d9dee3", lw=7, solid_capstyle="round", zorder=1)
        panel.scatter(line[:, right], line[:, up], s=42, color=INK, zorder=6)
        for segment in ("pelvis", "thigh", "shank", "foot"):
            pose = result.body.segments["" if segment == "pelvis" else SIDE, segment].pose
            # that of the foot is drawn below the floor, or it would lie on that of the shank
            shift = np.array([4.0, 0.0, -22.0]) if segment == "foot" else np.zeros(3)
            axes_of(panel, segment, at(pose.origin_g, frame, origin) + shift, pose.R_gs[frame], right, up)
        markers_of(panel, recorded, used_by(result.model), frame, origin, right, up)
        panel.set_xlim(*((-32, 62) if right == 0 else (-30, 26)))
        panel.set_ylim(-24, 118)
    figure.suptitle(drawn or f"{name}: markers of {DRAWN[name]}", fontsize=12, color=INK)
    figure.tight_layout()
    figure.savefig(Path(__file__).with_name(f"model_{name}.png"), dpi=90)
    plt.close(figure)


def axes_of(panel: Axes, segment: str, o: Array, R: Array, right: int, up: int) -> None:
    """A frame's axes, each as long as it looks from there."""
    if segment == "foot" and right == 0:
        panel.text(o[right] - 4, o[up] - 3.5, "foot", fontsize=7.5, color=PALE, ha="right")
    for letter, v in zip("xyz", 9.0 * R.T, strict=True):
        panel.annotate(
            "",
            (o[right] + v[right], o[up] + v[up]),
            (o[right], o[up]),
            arrowprops={"arrowstyle": "-|>", "color": AXIS[letter], "lw": 1.8, "shrinkA": 0, "shrinkB": 0},
            zorder=8,
        )
        if np.hypot(v[right], v[up]) > 4:
            panel.text(
                o[right] + 1.25 * v[right], o[up] + 1.25 * v[up], letter, color=AXIS[letter], ha="center", va="center"
            )


def used_by(model: Model) -> set[str]:
    """The labels that a model takes of its trial and of its static."""
    return {label for side, role in model.roles for label in model.labels(role, side)}


def markers_of(panel: Axes, recorded: Marked, used: set[str], frame: int, origin: Array, right: int, up: int) -> None:
    """Markers of this side and of the pelvis, open where they are in the static only; their labels beside the leg."""
    seen = set(recorded.trial.labels)
    named: list[tuple[float, float, str]] = []
    for label, (side, role) in recorded.roles.items():
        if label not in used:
            continue
        if side not in ("", SIDE) and role not in ("asis", "psis", "iliac_crest", "hip_point"):
            continue
        if label in seen:
            p = at(recorded.trial.points_g[:, recorded.trial.labels.index(label)], frame, origin)
            panel.scatter(p[right], p[up], s=16, color=PALE, zorder=5)
        elif role.rpartition("_")[0] not in CLUSTERS:
            p = at(recorded.landmarks(side)[role], frame, origin)
            panel.scatter(p[right], p[up], s=20, facecolors="white", edgecolors=STATIC, lw=1.4, zorder=7)
        else:
            continue
        if side in ("", SIDE):
            named.append((p[up], p[right], label))
    if right == 0:
        height = np.inf
        for z, x, label in sorted(named, reverse=True):
            height = min(height - (2.2 if len(named) > 15 else 4.0), z)
            panel.plot([x, 40], [z, height], color="#c5ccd2", lw=0.5, zorder=2)
            panel.text(41, height, label, fontsize=6.5, color=INK, va="center")


def main() -> None:
    for name, family in DRAWN.items():
        recorded = marked(family)
        assert FAMILIES[family].model == name
        draw(name, recorded, run(recorded))
    with tempfile.TemporaryDirectory() as folder:
        simulate("walk", Path(folder), segments=True)
        trial = read_trial(Path(folder) / "walk.c3d")
    stored = replace(marked("plug_in_gait"), trial=trial, roles={})
    result = analyse(trial, load_model("segments"), SubjectFile())
    draw("segments", stored, result, "segments: poses that the file stores, as Theia3D")
    with tempfile.TemporaryDirectory() as folder:
        simulate("walk", Path(folder), segmented_foot=True)
        trial, static = (read_trial(Path(folder) / f"{name}.c3d") for name in ("walk", "static"))
    model = load_model("oxford_foot")
    roles = {label: role for role in model.roles for label in model.labels(role[1], role[0]) if trial.has(label)}
    result = analyse(trial, model, SubjectFile(), static)
    draw(
        "oxford_foot",
        replace(stored, trial=trial, roles=roles),
        result,
        "oxford_foot: markers of the Oxford Foot Model",
    )


if __name__ == "__main__":
    main()
