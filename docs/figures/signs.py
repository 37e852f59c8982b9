"""Draw docs/figures/signs.png: segment axes, plate axes, and which way every angle and moment is positive.

    python docs/figures/signs.py

Every arrow is asked of the code: a segment is turned a little about the axis that points at the reader, the
model's own formulas say whether the column grows, and the arrow is drawn that way round.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from gallery import make_small
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Ellipse, FancyArrowPatch, Polygon

from gaitid.body.kinematics import clinical_angles, clinical_moments
from gaitid.dynamics.chain import Wrench, centre_of_pressure
from gaitid.ground.plate_load import plate_axes
from gaitid.model.load import load_model
from gaitid.numerics.rotation import about_axis
from gaitid.trial import Array, ForcePlate

MODEL = load_model("pig")
X, Y, Z = np.eye(3)
# The foot's x is up, its y to the left, its z toward the heel.
FOOT = np.column_stack([Z, Y, -X])
NEUTRAL = {"pelvis": np.eye(3), "hip": np.eye(3), "knee": np.eye(3), "ankle": FOOT, "foot_progression": FOOT}
SIGN = {"left": 1.0, "right": -1.0}

# A view: which laboratory directions lie to the right and up on the page; the third points at the reader.
VIEWS = {"right": (X, Z), "front": (Y, Z), "above": (-Y, X)}

INK, PALE, BONE = "#22303c", "#8a97a3", "#d9dee3"
ANGLE, MOMENT = "#1565a7", "#c2501b"
AXIS = {"x": "#b3261e", "y": "#2e7d32", "z": "#2453b3"}


def turn(axis: Array, angle: float) -> Array:
    """Rotation about one of ± x, y, z, rad."""
    i = int(np.argmax(np.abs(axis)))
    return np.asarray(about_axis("xyz"[i], np.array([angle * axis[i]]))[0])


def angle_grows(joint: str, column: str, side: str, about: Array) -> float:
    """Change of an angle, deg, per degree by which the distal segment turns about a laboratory axis."""
    distal = turn(about, np.radians(1.0)) @ NEUTRAL[joint]
    values = clinical_angles(np.eye(3)[None], distal[None], MODEL.angles[joint], SIGN[side])
    return float(values[column][0])


def moment_grows(joint: str, column: str, side: str, about: Array) -> float:
    """A moment column for 1 N·m/kg of the proximal on the distal segment about a laboratory axis."""
    values = clinical_moments(about[None], NEUTRAL[joint][None], MODEL.moments[joint], SIGN[side])
    return float(values[column][0])


class Panel:
    """One view, drawn in centimetres."""

    def __init__(self, ax: Axes, view: str, title: str, note: str) -> None:
        self.ax = ax
        self.right, self.up = VIEWS[view]
        self.near = np.cross(self.right, self.up)
        ax.set_aspect("equal")
        ax.axis("off")
        ax.set_anchor("NW")
        ax.annotate(title, (0, 1), (0, 16), "axes fraction", "offset points", fontsize=15, fontweight="bold", color=INK)
        ax.annotate(note, (0, 1), (0, 0), "axes fraction", "offset points", fontsize=10.5, color="#5c6873")

    def page(self, p: Array) -> Array:
        return np.array([np.dot(p, self.right), np.dot(p, self.up)])

    def axes_of(self, at: Array, R: Array, length: float = 9.0) -> None:
        """A frame's three axes; the one along the line of sight as a dot (toward the reader) or a cross."""
        o = np.asarray(at, dtype=float)
        for letter, v in zip("xyz", R.T, strict=True):
            flat, depth = self.page(v), float(v @ self.near)
            colour = AXIS[letter]
            if np.linalg.norm(flat) < 0.3:
                self.ax.add_patch(Circle(o, 1.15, fc="white", ec=colour, lw=1.8, zorder=8))
                if depth > 0:
                    self.ax.add_patch(Circle(o, 0.42, fc=colour, ec="none", zorder=9))
                else:
                    d = 0.78
                    for s in (1, -1):
                        self.ax.plot(
                            o[0] + np.array([-d, d]), o[1] + s * np.array([-d, d]), color=colour, lw=1.6, zorder=9
                        )
                away = -sum((self.page(w) for w in R.T), np.zeros(2))
                away = away / max(np.linalg.norm(away), 1e-9)
                self.label(o + 2.9 * away, letter, colour)
                continue
            tip = o + length * flat
            self.ax.add_patch(
                FancyArrowPatch(
                    o, tip, arrowstyle="-|>", mutation_scale=13, lw=2, color=colour, shrinkA=0, shrinkB=0, zorder=7
                )
            )
            self.label(o + (length + 1.9) * flat, letter, colour)

    def label(self, at: Array, text: str, colour: str, size: float = 12, **options: object) -> None:
        self.ax.text(
            at[0],
            at[1],
            text,
            color=colour,
            fontsize=size,
            ha=str(options.pop("ha", "center")),
            va="center",
            zorder=10,
            bbox={"fc": "white", "ec": "none", "pad": 0.8, "alpha": 0.8},
            **options,
        )

    def arc(
        self,
        centre: Array,
        radius: float,
        middle_deg: float,
        grows: float,
        colour: str,
        text: str,
        half_deg: float = 38.0,
        text_at: Array | None = None,
        ha: str = "center",
    ) -> None:
        """A curved arrow about a joint, anticlockwise where `grows` > 0 about the axis toward the reader."""
        assert abs(grows) > 0.5, f"{text}: no rotation in this plane"
        theta = np.radians(middle_deg + np.sign(grows) * np.linspace(-half_deg, half_deg, 60))
        points = centre + radius * np.column_stack([np.cos(theta), np.sin(theta)])
        self.ax.plot(*points[:-4].T, color=colour, lw=2.8, solid_capstyle="round", zorder=6)
        self.ax.add_patch(
            FancyArrowPatch(
                points[-7],
                points[-1],
                arrowstyle="-|>",
                mutation_scale=21,
                lw=0,
                color=colour,
                shrinkA=0,
                shrinkB=0,
                zorder=6,
            )
        )
        if text_at is None:
            m = np.radians(middle_deg)
            text_at = centre + (radius + 2.2) * np.array([np.cos(m), np.sin(m)])
        self.label(np.asarray(text_at), text, colour, 11.5, ha=ha)

    def angle(
        self, joint: str, column: str, side: str, centre: Array, radius: float, middle: float, text: str, **o
    ) -> None:  # type: ignore[no-untyped-def]
        self.arc(centre, radius, middle, angle_grows(joint, column, side, self.near), ANGLE, text, **o)

    def moment(
        self, joint: str, column: str, side: str, centre: Array, radius: float, middle: float, text: str, **o
    ) -> None:  # type: ignore[no-untyped-def]
        self.arc(centre, radius, middle, moment_grows(joint, column, side, self.near), MOMENT, text, **o)

    def bone(self, a: Array, b: Array, width: float = 5.0) -> None:
        d = b - a
        n = np.array([-d[1], d[0]]) / np.linalg.norm(d) * width / 2
        self.ax.add_patch(Polygon([a + n, b + 0.8 * n, b - 0.8 * n, a - n], closed=True, fc=BONE, ec="none", zorder=1))
        for p, r in ((a, width / 2), (b, 0.8 * width / 2)):
            self.ax.add_patch(Circle(p, r, fc=BONE, ec="none", zorder=1))

    def joint(self, p: Array) -> None:
        self.ax.add_patch(Circle(p, 0.9, fc=INK, ec="white", lw=1, zorder=7.5))


def sagittal(ax: Axes) -> None:
    p = Panel(
        ax,
        "right",
        "From the right",
        "right leg; forward is to the right. Hip flexed 25°, knee flexed 40°, ankle neutral.",
    )
    hip, thigh_len, shank_len = np.zeros(2), 42.0, 41.0
    # +y turns the thigh's lower end backward: hip flexion 25° is −25° about y, then knee flexion 40° is +40°.
    R_thigh = turn(Y, np.radians(-25.0))
    R_shank = R_thigh @ turn(Y, np.radians(40.0))
    R_foot = R_shank @ FOOT
    for joint, proximal, distal, column, expected in (
        ("hip", np.eye(3), R_thigh, "flexion", 25.0),
        ("knee", R_thigh, R_shank, "flexion", 40.0),
        ("ankle", R_shank, R_foot, "dorsiflexion", 0.0),
    ):
        value = clinical_angles(proximal[None], distal[None], MODEL.angles[joint], -1.0)[column][0]
        assert abs(value - expected) < 1e-9, (joint, value)
    knee = hip - thigh_len * p.page(R_thigh[:, 2])
    ankle = knee - shank_len * p.page(R_shank[:, 2])
    toe, heel = (ankle + s * p.page(R_foot[:, 2]) - 4.5 * p.page(R_foot[:, 0]) for s in (-17, 5))
    ax.add_patch(Ellipse((-1, 10), 25, 17, angle=8, fc=BONE, ec="none", zorder=1))
    p.bone(hip, knee, 11)
    p.bone(knee, ankle, 8)
    ax.add_patch(
        Polygon(
            [heel + [-1, -1.5], heel + [0, 5], ankle + [2, 3], toe + [-1, 4], toe + [2, 0]],
            closed=True,
            fc=BONE,
            ec=BONE,
            lw=8,
            joinstyle="round",
            zorder=1,
        )
    )
    for point in (hip, knee, ankle):
        p.joint(point)
    p.axes_of(np.array([-1.0, 12]), np.eye(3))
    p.axes_of(hip + 0.55 * (knee - hip), R_thigh)
    p.axes_of(knee + 0.55 * (ankle - knee), R_shank)
    p.axes_of(ankle + 0.60 * (toe - ankle) + [0.5, -0.5], R_foot, 8)
    p.angle(
        "pelvis",
        "anterior_tilt",
        "right",
        np.array([-1.0, 12]),
        17,
        38,
        "anterior\ntilt",
        half_deg=22,
        ha="left",
        text_at=np.array([15.5, 23.5]),
    )
    p.angle("hip", "flexion", "right", hip, 14, -25, "flexion", half_deg=30, ha="left", text_at=hip + [15, -6])
    p.moment(
        "hip", "extension", "right", hip, 14, 205, "extension\nmoment", half_deg=30, ha="right", text_at=hip + [-15, -6]
    )
    p.moment(
        "knee", "extension", "right", knee, 12, 5, "extension\nmoment", half_deg=38, ha="left", text_at=knee + [13.5, 1]
    )
    p.angle("knee", "flexion", "right", knee, 12, 195, "flexion", half_deg=38, ha="right", text_at=knee + [-13.5, -3])
    p.angle(
        "ankle",
        "dorsiflexion",
        "right",
        ankle,
        22,
        5,
        "dorsi-\nflexion",
        half_deg=17,
        ha="left",
        text_at=ankle + [24, 4],
    )
    p.moment(
        "ankle",
        "plantarflexion",
        "right",
        ankle,
        12,
        200,
        "plantar-\nflexion\nmoment",
        half_deg=32,
        ha="right",
        text_at=ankle + [-13.5, -4],
    )
    ax.set_xlim(-40, 52)
    ax.set_ylim(-106, 34)


def frontal(ax: Axes) -> None:
    p = Panel(ax, "front", "From the front", "the subject's left is on the right of the page")
    pelvis = np.array([0.0, 12.0])
    ax.add_patch(Ellipse((0, 9), 36, 20, fc=BONE, ec="none", zorder=1))
    for side in ("left", "right"):
        s = SIGN[side]
        hip, knee, ankle = np.array([9.0 * s, 0.0]), np.array([8.5 * s, -42.0]), np.array([8.0 * s, -83.0])
        p.bone(hip, knee, 11)
        p.bone(knee, ankle, 8)
        ax.add_patch(Ellipse(ankle + [1.0 * s, -4.5], 9, 6, fc=BONE, ec="none", zorder=1))
        for point in (hip, knee, ankle):
            p.joint(point)
        out = 0.0 if s > 0 else 180.0  # toward that side
        ha = "left" if s > 0 else "right"
        p.label(np.array([9.5 * s, -103.0]), f"{side} leg", INK, 11.5)
        p.moment(
            "hip",
            "abduction",
            side,
            hip,
            11,
            out - s * 12,
            "abduction\nmoment",
            half_deg=28,
            ha=ha,
            text_at=hip + [12.5 * s, -2.5],
        )
        p.angle(
            "hip",
            "adduction",
            side,
            hip,
            19,
            out - s * 62,
            "adduction",
            half_deg=16,
            ha=ha,
            text_at=hip + [15.5 * s, -16.5],
        )
        p.moment(
            "knee",
            "abduction",
            side,
            knee,
            9,
            out - s * 10,
            "abduction\nmoment",
            half_deg=34,
            ha=ha,
            text_at=knee + [10.5 * s, -1],
        )
        p.angle(
            "knee",
            "adduction",
            side,
            knee,
            18,
            out - s * 62,
            "adduction",
            half_deg=16,
            ha=ha,
            text_at=knee + [14.5 * s, -15.5],
        )
        p.moment(
            "ankle",
            "eversion",
            side,
            ankle,
            9,
            out - s * 5,
            "eversion\nmoment",
            half_deg=34,
            ha=ha,
            text_at=ankle + [10.5 * s, 3.0],
        )
        p.angle(
            "ankle",
            "eversion",
            side,
            ankle,
            13,
            out - s * 45,
            "eversion",
            half_deg=20,
            ha=ha,
            text_at=ankle + [12 * s, -9.5],
        )
        p.angle(
            "pelvis",
            "upward_obliquity",
            side,
            pelvis,
            23,
            out + s * 25,
            f"{side} upward\nobliquity",
            half_deg=14,
            ha=ha,
            text_at=pelvis + [23.5 * s, 12.5],
        )
    p.axes_of(pelvis, np.eye(3))
    p.axes_of(np.array([8.8, -23.0]), np.eye(3), 7)
    p.axes_of(np.array([8.2, -64.0]), np.eye(3), 7)
    p.axes_of(np.array([-8.8, -23.0]), np.eye(3), 7)
    p.axes_of(np.array([-8.2, -64.0]), np.eye(3), 7)
    ax.set_xlim(-46, 46)
    ax.set_ylim(-106, 34)


def _foot_outline(p: Panel, centre: Array, s: float, out_deg: float) -> tuple[Array, Array]:
    """A sole seen from above; returns ankle and the rotation on the page."""
    c, d = np.cos(np.radians(s * out_deg)), np.sin(np.radians(s * out_deg))
    # s > 0 is the left foot, whose outside is to the left of the page
    R = np.array([[c, -d], [d, c]])
    x = np.array([-2.9, -3.4, -4.8, -4.9, -2.6, 1.4, 4.0, 4.3, 2.9, 2.6, 3.0, 2.0, -1.2]) * (1 if s > 0 else -1)
    y = np.array([-6.0, 2.0, 9.0, 13.0, 16.6, 19.0, 18.0, 13.0, 6.0, 0.0, -5.0, -8.0, -8.4])
    for _ in range(3):  # Chaikin's corner cutting
        x, y = (
            np.ravel(np.column_stack([0.75 * v + 0.25 * np.roll(v, -1), 0.25 * v + 0.75 * np.roll(v, -1)]))
            for v in (x, y)
        )
    p.ax.add_patch(
        Polygon(
            centre + np.column_stack([x, y]) @ R.T, closed=True, fc=BONE, ec=BONE, lw=5, joinstyle="round", zorder=1
        )
    )
    return centre, R


def transverse(ax: Axes) -> None:
    p = Panel(ax, "above", "From above", "forward is up the page; the same turns hold for thigh, shank and foot")
    for side in ("left", "right"):
        s = SIGN[side]
        ankle, _ = _foot_outline(p, np.array([-17.0 * s, 0.0]), s, 8)
        p.axes_of(ankle, turn(Z, np.radians(8 * s)) @ FOOT, 8)
        p.joint(ankle)
        p.angle(
            "ankle",
            "internal_rotation",
            side,
            ankle,
            25.5,
            90 - s * 2,
            "internal rotation",
            half_deg=20,
            text_at=ankle + [0, 29.5],
        )
        p.moment(
            "ankle",
            "external_rotation",
            side,
            ankle,
            15,
            -90,
            "external rotation\nmoment",
            half_deg=34,
            text_at=ankle + [0, -19.5],
        )
        p.label(ankle + [0, -27], f"{side} foot", INK, 11.5)
        # thigh and shank turn the same way
        for joint in ("hip", "knee", "foot_progression", "pelvis"):
            assert np.sign(angle_grows(joint, "internal_rotation", side, Z)) == np.sign(
                angle_grows("ankle", "internal_rotation", side, Z)
            )
        for joint in ("hip", "knee"):
            assert moment_grows(joint, "external_rotation", side, Z) == moment_grows(
                "ankle", "external_rotation", side, Z
            )
    ax.set_xlim(-46, 46)
    ax.set_ylim(-32, 36)


def plate(ax: Axes) -> None:
    p = Panel(ax, "above", "Force plate, from above", "corners as C3D counts them; z points into the floor")
    half_x, half_y = 20.0, 26.0
    # a plate whose y runs along the laboratory's +x (forward), and x to the left: any turn is allowed
    corners = np.array([half_x * sx * Y + half_y * sy * X for sx, sy in ((1, 1), (-1, 1), (-1, -1), (1, -1))])
    R, centre, half = plate_axes(ForcePlate(1, 2, corners, np.zeros(3), 1000.0, np.zeros((1, 3)), np.zeros((1, 3))))
    assert np.allclose(half, [half_x, half_y]) and np.allclose(R[:, 2], np.cross(R[:, 0], R[:, 1]))
    assert R[2, 2] < -0.99
    flat = np.array([p.page(c) for c in corners])
    ax.add_patch(Polygon(flat, closed=True, fc="#f3f5f7", ec=PALE, lw=1.5, zorder=0))
    for i, c in enumerate(flat):
        out = c / np.linalg.norm(c)
        p.label(c + 3.4 * out, f"{i + 1}", INK, 11)
    _foot_outline(p, np.array([3.5, -8.0]), -1, 6)
    p.axes_of(p.page(centre), R, 11)
    cop = np.array([4.6, 5.0])
    # a positive free moment turns the foot about the outward normal
    load = Wrench(np.array([[0.0, 0, 700]]), np.array([[0.0, 0, 5.0]]), np.zeros(3))
    _, free = centre_of_pressure(load, np.zeros(3), -R[:, 2])
    assert free[0] > 0
    ax.plot(*cop, marker="o", ms=8, mfc="white", mec=MOMENT, mew=2.2, zorder=8)
    p.label(cop + [5.2, -1.5], "CoP", MOMENT, 11.5)
    p.arc(cop, 9.0, 45, float(free[0]), MOMENT, "free moment\non the foot", half_deg=45, text_at=cop + [5.5, 14.0])
    ax.set_xlim(-46, 46)
    ax.set_ylim(-33, 35)


def main() -> None:
    plt.rcParams.update({"font.family": "DejaVu Sans"})
    figure = plt.figure(figsize=(13, 15.2), facecolor="white")
    grid = figure.add_gridspec(
        2, 2, height_ratios=[136, 70], hspace=0.14, wspace=0.04, left=0.03, right=0.97, top=0.95, bottom=0.05
    )
    for draw, cell in ((sagittal, grid[0, 0]), (frontal, grid[0, 1]), (transverse, grid[1, 0]), (plate, grid[1, 1])):
        draw(figure.add_subplot(cell))
    key = figure.add_axes((0.03, 0.008, 0.94, 0.03))
    key.set_xlim(0, 100)
    key.set_ylim(0, 1)
    key.axis("off")
    for at, colour, words in (
        (0, ANGLE, "angle: the way the distal segment turns in the proximal one"),
        (45, MOMENT, "moment: of the proximal on the distal segment (internal)"),
    ):
        key.plot([at, at + 3], [0.5, 0.5], color=colour, lw=4, solid_capstyle="round")
        key.text(at + 4, 0.5, words, fontsize=10.5, va="center", color=INK)
    key.text(100, 0.5, "⊙ toward you, ⊗ away", fontsize=11, va="center", ha="right", color=INK)
    target = Path(__file__).with_name("signs.png")
    figure.savefig(target, dpi=110)
    make_small(target, target)


if __name__ == "__main__":
    main()
