"""Draw docs/figures/rogers_arm.png: what the torques of Roger's arm can do to its tip, in five postures.

    python docs/figures/rogers_arm.py

Two point masses of 0.2 kg at the ends of two massless rods of 0.25 m, angles from the upward vertical; M, J and G in
closed form (the lecture "Newton-Euler", Roger's arm), torques with τᵀτ ≤ 0.005 N²m² for the ellipsoids and each of
them within ±√0.005 N·m for the polytopes.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from gaitid.capacity.ellipsoids import (
    acceleration_map,
    acceleration_polytope,
    gravity_bias,
    inertia_ellipsoid,
    manipulability_ellipsoid,
    manipulability_measure,
)
from gaitid.capacity.picture import ellipse, outline
from gaitid.trial import Array

M_KG, L_M, G_M_PER_S2 = 0.2, 0.25, 9.81
TORQUE = np.sqrt(0.005)
POSTURES_DEG = [(-30, 30), (-30, 60), (-30, 90), (-30, 120), (-30, 150)]
TO_M = 0.04  # m drawn for 1 m/s²

INK, MUTED, BALL, BOX = "#22303c", "#8a97a3", "#1565a7", "#c2501b"


def arm(t1: float, t2: float) -> tuple[Array, Array, Array, Array]:
    """M, J, G and the places of base, elbow and tip."""
    s1, c1, s12, c12, c2 = np.sin(t1), np.cos(t1), np.sin(t1 + t2), np.cos(t1 + t2), np.cos(t2)
    M = M_KG * L_M**2 * np.array([[3 + 2 * c2, 1 + c2], [1 + c2, 1]])
    J = -L_M * np.array([[c1 + c12, c12], [s1 + s12, s12]])
    G = -M_KG * L_M * G_M_PER_S2 * np.array([2 * s1 + s12, s12])
    places = L_M * np.array([[0, 0], [-s1, c1], [-s1 - s12, c1 + c12]])
    return M, J, G, places


def draw(axes: Axes, t1_deg: float, t2_deg: float) -> None:
    M, J, G, places = arm(*np.radians([t1_deg, t2_deg]))
    tip, bias = places[-1], gravity_bias(J, M, G)
    limits = np.full(2, TORQUE)
    axes.plot(places[:, 0], places[:, 1], "-o", color=MUTED, linewidth=3, markersize=5)
    for centre, style in ((np.zeros(2), "-"), (bias, "--")):
        polytope = tip + TO_M * outline(acceleration_polytope(acceleration_map(J, M), -limits, limits, centre))
        ball = tip + TO_M * ellipse(manipulability_ellipsoid(J, M, limits, centre))
        axes.plot(polytope[:, 0], polytope[:, 1], color=BOX, linestyle=style, linewidth=1.3)
        axes.plot(ball[:, 0], ball[:, 1], color=BALL, linestyle=style, linewidth=1.3)
    axes.plot(*(tip + TO_M * np.array([np.zeros(2), bias])).T, color=INK, linewidth=0.8)
    axes.set_title(f"elbow {t2_deg}°\nκ = {manipulability_measure(J, M):.0f} (kg·m)⁻²", fontsize=9, color=INK)
    axes.set_aspect("equal")
    axes.set_xlim(-0.4, 0.4)
    axes.set_ylim(-0.36, 0.64)
    axes.tick_params(labelsize=7, colors=MUTED)


def draw_inertia(axes: Axes) -> None:
    for (_, t2_deg), shade in zip(POSTURES_DEG, np.linspace(0.3, 1, len(POSTURES_DEG)), strict=True):
        torques = ellipse(inertia_ellipsoid(arm(0.0, np.radians(t2_deg))[0]))
        axes.plot(torques[:, 0], torques[:, 1], color=INK, alpha=shade, linewidth=1.2, label=f"{t2_deg}°")
    axes.set_title("torques for ‖q̈‖ ≤ 1 rad/s²\n(inertia), by the elbow", fontsize=9, color=INK)
    axes.set_xlabel("τ₁, N·m", fontsize=8)
    axes.set_ylabel("τ₂, N·m", fontsize=8)
    axes.set_aspect("equal")
    axes.tick_params(labelsize=7, colors=MUTED)
    axes.legend(fontsize=7, frameon=False, loc="lower right")


def main() -> None:
    figure, panels = plt.subplots(2, 3, figsize=(9.5, 7.8), layout="constrained")
    for axes, posture in zip(panels.flat, POSTURES_DEG, strict=False):
        draw(axes, *posture)
    draw_inertia(panels.flat[-1])
    figure.suptitle(
        "Accelerations of the tip (25 m/s² are drawn as 1 m): ellipsoids for τᵀτ ≤ 0.005 N²m² (blue), polytopes for "
        "|τ| ≤ √0.005 N·m (orange);\nwhole lines without gravity, broken lines with it, the thin line is gravity's own",
        fontsize=9,
        color=INK,
    )
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main()
