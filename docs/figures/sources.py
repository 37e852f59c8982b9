"""Draw the systems of the source documents as these print them: double_pendulum.png, nlink_limb.png, rogers_eye.png;

and chain_arm.png, what `gaitid report` makes of the arm of docs/chains.md.

    python docs/figures/sources.py

The first two are simulated by `gaitid simulate` and read back from its files: the double pendulum of Duarte & Watanabe
("Matrix formalism of the Newton-Euler equations": both angles over 10 s, and the bars every 0.1 s), and the limb of
Mielke ("The N-segment piglet limb": the centres of mass over one period, the middle one with its speed). Of Roger's eye
and arm (the lecture "Newton-Euler") it draws what the lecture has beside the equations: the bodies with their angles,
and M and G in closed form. What Roger's arm could accelerate is drawn by `rogers_arm.py`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from gallery import make_small
from matplotlib.axes import Axes

from gaitid.results.tables import columns, read_table
from gaitid.simulate.files import simulate
from gaitid.trial import Array

HERE = Path(__file__).parent
INK, MUTED, BLUE, ORANGE, GREEN = "#22303c", "#66727e", "#0072b2", "#d55e00", "#009e73"
M_KG, L_M, G_M_PER_S2 = 0.2, 0.25, 9.81


def simulated(name: str, tables: tuple[str, ...], **options: float) -> dict[str, Array]:
    """The columns of the truth of a bundled scenario."""
    with tempfile.TemporaryDirectory() as folder:
        simulate(name, Path(folder), **options)
        found: dict[str, Array] = {}
        for kind in tables:
            table = read_table(Path(folder) / f"{name}.truth.{kind}.csv")
            found |= dict(zip(table.header, columns(table, table.header), strict=True))
    return found


def save(figure: plt.Figure, name: str) -> None:
    figure.savefig(HERE / name, dpi=110, metadata={"Software": None})
    plt.close(figure)


def label(axes: Axes, across: str, up: str, title: str) -> None:
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.set_title(title, fontsize=9, loc="left")
    axes.spines[["top", "right"]].set_visible(False)


def double_pendulum() -> None:
    table = simulated("double_pendulum", ("coordinates",))
    time_s, upper, between = (table[n] for n in ("time_s", "pivot_angle_rad", "elbow_angle_rad"))
    lower = upper + between
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.2), layout="constrained", width_ratios=(1.25, 1))
    left.plot(time_s, upper, color=BLUE, label="θ₁, upper bar")
    left.plot(time_s, lower, color=ORANGE, linestyle="--", label="θ₂, lower bar")
    left.legend(frameon=False, fontsize=8, loc="upper right", ncols=2)
    left.set_ylim(top=1.15 * left.get_ylim()[1])
    label(left, "time (s)", "angle from the vertical (rad)", "Both angles")
    for i in range(0, len(time_s), 10):
        elbow = np.array([np.sin(upper[i]), -np.cos(upper[i])])
        end = elbow + [np.sin(lower[i]), -np.cos(lower[i])]
        right.plot([0, elbow[0]], [0, elbow[1]], color=BLUE, linewidth=0.8, alpha=0.6)
        right.plot([elbow[0], end[0]], [elbow[1], end[1]], color=ORANGE, linewidth=0.8, alpha=0.6)
    right.plot(0, 0, "s", color=INK, markersize=6)
    right.set_aspect("equal")
    label(right, "y (m)", "z (m)", "Both bars every 0.1 s")
    save(figure, "double_pendulum.png")


def nlink_limb() -> None:
    table = simulated("nlink_limb", ("segments",), rate_hz=40.0, duration=2 * np.pi)
    com = {i: np.stack([table[f"right_link{i}_com_{axis}_m"] for axis in "xyz"], axis=1) for i in range(3)}
    com = {i: points - [0, 0, 1] for i, points in com.items()}  # the scenario hangs it 1 m above the ground
    speed = np.linalg.norm(np.gradient(com[1], 1 / 40.0, axis=0), axis=1)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.4), layout="constrained")
    for axes, up in ((left, 1), (right, 2)):
        for i, name in ((0, "first"), (2, "last")):
            words = f"{name} segment"
            axes.plot(com[i][:, 0], com[i][:, up], ".", color=(MUTED, "#aab4bd")[i // 2], markersize=2, label=words)
        dots = axes.scatter(
            com[1][:, 0], com[1][:, up], c=speed, cmap="viridis", s=14, label="middle segment", zorder=3
        )
        axes.set_aspect("equal")
        axes.set_xlim(-1.89, 1.89)  # 1.05 of 0.8 + 0.6 + 0.4 m
        axes.set_ylim(-1.89, 1.89)
    figure.legend(*left.get_legend_handles_labels(), frameon=False, fontsize=8, loc="outside lower center", ncols=3)
    label(left, "x₁ (m)", "x₂ (m)", "Centres of mass over one period (2π s)")
    label(right, "x₁ (m)", "x₃ (m)", "The same from the edge: the limb moves in a plane")
    figure.colorbar(dots, ax=[left, right], label="speed of the middle segment (m/s)", shrink=0.8)
    save(figure, "nlink_limb.png")


def rogers_eye() -> None:
    figure, panels = plt.subplots(1, 4, figsize=(10.5, 3.6), layout="constrained", width_ratios=(1, 1.25, 1, 1.25))
    eye, eye_terms, arm, arm_terms = panels
    angle = np.radians(np.linspace(-180, 180, 361))
    _bodies(eye, np.radians([35.0]), "Roger’s eye")
    eye_terms.plot(np.degrees(angle), -M_KG * G_M_PER_S2 * L_M * np.sin(angle), color=BLUE, label="G = −m g l sin θ")
    eye_terms.axhline(0, color=MUTED, linewidth=0.5)
    words = f"M = m l² = {M_KG * L_M**2:g} kg·m²\nin every posture; V = 0"
    eye_terms.set_ylim(bottom=-0.75)
    eye_terms.text(0.03, 0.03, words, transform=eye_terms.transAxes, fontsize=8, color=INK)
    label(eye_terms, "θ (°)", "torque (N·m)", "What holds it")
    _bodies(arm, np.radians([-30.0, 75.0]), "Roger’s arm")
    c2 = np.cos(angle)
    for values, words, style, colour in (
        (M_KG * L_M**2 * (3 + 2 * c2), "M₁₁", "-", BLUE),
        (M_KG * L_M**2 * (1 + c2), "M₁₂ = M₂₁", "--", ORANGE),
        (M_KG * L_M**2 * np.ones_like(c2), "M₂₂", ":", GREEN),
    ):
        arm_terms.plot(np.degrees(angle), values, style, color=colour, label=words)
    label(arm_terms, "θ₂ (°)", "inertia (kg·m²)", "M over the elbow’s angle")
    for axes in (eye_terms, arm_terms):
        axes.legend(frameon=False, fontsize=8, loc="upper right")
        axes.set_xticks([-180, -90, 0, 90, 180])
        axes.set_ylim(top=1.25 * axes.get_ylim()[1])
    save(figure, "rogers_eye.png")


def _bodies(axes: Axes, angles: Array, title: str) -> None:
    """Massless rods with point masses at their ends; angles from the upright, then from the rod before."""
    place, total = np.zeros(2), 0.0
    for i, angle in enumerate(angles, start=1):
        before, total = total, total + angle
        following = place + L_M * np.array([-np.sin(total), np.cos(total)])
        ray = place + 0.8 * L_M * np.array([-np.sin(before), np.cos(before)])
        axes.plot([place[0], ray[0]], [place[1], ray[1]], color=MUTED, linewidth=0.7, linestyle="--")
        arc = np.linspace(before, total, 30)
        axes.plot(place[0] - 0.1 * np.sin(arc), place[1] + 0.1 * np.cos(arc), color=ORANGE, linewidth=1)
        middle = place + 0.135 * np.array([-np.sin((before + total) / 2), np.cos((before + total) / 2)])
        axes.text(*middle, "θ" if len(angles) == 1 else f"θ{'₁₂'[i - 1]}", color=ORANGE, ha="center", va="center")
        axes.plot([place[0], following[0]], [place[1], following[1]], color=INK, linewidth=2)
        axes.plot(*following, "o", color=BLUE, markersize=10, zorder=3)
        axes.annotate("m" if len(angles) == 1 else f"m{'₁₂'[i - 1]}", following, (9, 3), textcoords="offset points")
        axes.plot(*place, "o", color="white", markeredgecolor=INK, markersize=6, zorder=4)
        place = following
    axes.plot(0, 0, "s", color=INK, markersize=7, zorder=5)
    axes.set_aspect("equal")
    axes.set_xlim(-0.35, 0.35)
    axes.set_ylim(-0.06, 0.52)
    label(axes, "x (m)", "y (m)", f"{title}\n{M_KG:g} kg, {L_M:g} m each")


def chain_arm() -> None:
    """The arm of docs/chains.md, by the commands that stand there."""
    gaitid = f"{sys.executable} -m gaitid"
    load = "--load hand=sim/arm.load.hand.csv"
    figures = "--figure stick --figure torques --figure contributions"
    commands = (
        f"{gaitid} simulate arm.yaml -o sim",
        f"{gaitid} run sim/arm.c3d --model sim/arm.model.yaml {load} --contributions -o results",
        f"{gaitid} report results -o chain_arm.png {figures}",
    )
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(HERE.parent / "examples" / "arm.yaml", folder)
        for command in commands:
            subprocess.run(command, shell=True, check=True, cwd=folder, capture_output=True)
        make_small(Path(folder, "chain_arm.png"), HERE / "chain_arm.png")


def main() -> None:
    with plt.rc_context({"font.size": 8.5}):
        double_pendulum()
        nlink_limb()
        rogers_eye()
    chain_arm()


if __name__ == "__main__":
    main()
