"""How far functional hip centres and knee axes are off: the tables of docs/functional.md.

    python benchmarks/functional.py [--runs N]

A pelvis with four markers and a thigh with a cluster move as in a star (six arcs), each way by so many degrees, with
noise on every coordinate of every marker: plain SCoRE (Ehrig 2006), and without the bias of noise; then other noise and
a smaller cluster, and knees that bend (SARA; Ehrig 2007). Then without noise, the cluster sliding on the bone as the
hip bends: what nothing takes off.
"""

from __future__ import annotations

import numpy as np
from common import head, parser_of, row
from scipy.spatial.transform import Rotation

from gaitid.numerics.functional import cluster_motion, sara, score

PELVIS = np.array([[0, 0.12, 0], [0, -0.12, 0], [-0.16, 0.05, 0.02], [-0.16, -0.05, 0.02]])
HIP = np.array([-0.06, 0.09, -0.09])
NOISE_M = 0.002
KNEE_AXIS = np.array([0.1, 0.98, -0.15]) / np.linalg.norm([0.1, 0.98, -0.15])
KNEE = np.array([0.0, 0.0, -0.42])
# m. Three markers of a plate on the front of the shank, 250 mm below the knee.
SHANK = np.array([[0.05, 0.03, -0.64], [0.04, -0.03, -0.66], [0.06, 0.0, -0.72]])


def cluster(width: float, height: float) -> np.ndarray:
    """Four markers on the side of the thigh, 250 mm below the hip, on a slightly bent plate."""
    w, h = width / 2, height / 2
    corners = np.array([[0.06, w, h], [0.05, -w, h], [0.06, -w, -h], [0.05, w, -h]])
    return corners + [0, 0, -0.25]


def star(n_frames: int, degrees: float) -> np.ndarray:
    """(frames, 3, 3) the thigh on the pelvis."""
    u = np.arange(n_frames) / n_frames * 6
    angle, way = np.radians(degrees) * np.sin(2 * np.pi * (u % 1)), np.floor(u) / 6 * np.pi
    return Rotation.from_rotvec(np.stack([angle * np.cos(way), angle * np.sin(way), 0.1 * angle], 1)).as_matrix()


def trial(n_frames: int, degrees: float, thigh: np.ndarray, slide: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Markers of pelvis and thigh in the axes of the pelvis; the cluster slides along the bone (m a 30°)."""
    A = star(n_frames, degrees)
    bend = Rotation.from_matrix(A).as_rotvec()[:, 1] / np.radians(30)
    local = thigh + (slide * bend)[:, None, None] * [0, 0, 1]
    return np.broadcast_to(PELVIS, (n_frames, 4, 3)), np.einsum("fij,fkj->fki", A, local) + HIP


def errors(
    runs: int, n_frames: int, degrees: float, thigh: np.ndarray, corrected: bool, noise: float = NOISE_M
) -> np.ndarray:
    rng = np.random.default_rng(1)
    pelvis, leg = trial(n_frames, degrees, thigh)
    off = []
    for _ in range(runs):
        first, second = (cluster_motion(p + noise * rng.normal(size=p.shape)) for p in (pelvis, leg))
        found = score(first, second, corrected)
        off.append((first.R @ found.proximal + first.t).mean(axis=0) - HIP)
    return 1e3 * np.array(off)


def knee_errors(runs: int, n_frames: int, degrees: float, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """How far the axis is off, deg, and how far it passes the knee, mm, of each run; the knee bends five times."""
    rng = np.random.default_rng(1)
    angle = np.radians(degrees) * (1 - np.cos(np.linspace(0, 10 * np.pi, n_frames))) / 2
    A = Rotation.from_rotvec(angle[:, None] * KNEE_AXIS).as_matrix()
    thigh = np.broadcast_to(cluster(0.06, 0.08), (n_frames, 4, 3))
    shank = np.einsum("fij,kj->fki", A, SHANK - KNEE) + KNEE
    off, beside = [], []
    for _ in range(runs):
        first, second = (cluster_motion(p + noise * rng.normal(size=p.shape)) for p in (thigh, shank))
        found = sara(first, second)
        axis = (first.R @ found.proximal).mean(axis=0)
        axis *= np.sign(axis @ KNEE_AXIS) / np.linalg.norm(axis)
        point = (first.R @ found.point_proximal + first.t).mean(axis=0)
        off.append(np.degrees(np.arcsin(min(1.0, np.linalg.norm(np.cross(axis, KNEE_AXIS))))))
        beside.append(1e3 * np.linalg.norm(np.cross(KNEE - point, axis)))
    return np.array(off), np.array(beside)


def hip_row(runs: int, n_frames: int, degrees: float, size: tuple[float, float], noise: float) -> str:
    cells = []
    for corrected in (False, True):
        off = errors(runs, n_frames, degrees, cluster(*size), corrected, noise)
        bias, most = np.linalg.norm(off.mean(axis=0)), np.quantile(np.linalg.norm(off, axis=1), 0.95)
        cells.append(f"{bias:.1f} mm, {most:.1f} mm")
    width, height = (f"{1e3 * side:.0f}" for side in size)
    return row(f"{1e3 * noise:g} mm", f"{width} × {height} mm", f"±{degrees}°", n_frames, *cells)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=200)
    runs = parser.parse_args().runs
    columns = ("each way", "frames", "plain: bias, 95 % below", "corrected: bias, 95 % below")
    print(*head("noise", "cluster", *columns), sep="\n")
    small, large = (0.06, 0.08), (0.10, 0.15)
    clusters = [(NOISE_M, size, way, 1000) for size in (small, large) for way in (30, 20, 15, 10)]
    clusters += [(noise, small, way, 1000) for noise in (0.001, 0.003) for way in (30, 15)]
    for noise, size, degrees, n_frames in [*clusters, (NOISE_M, small, 15, 4000), (NOISE_M, (0.04, 0.05), 15, 1000)]:
        print(hip_row(runs, n_frames, degrees, size, noise), flush=True)
    print("", *head("knee: noise", "bends by", "axis: 95 % below", "beside the knee: 95 % below"), sep="\n")
    for noise, degrees in ((0.001, 60), (0.002, 90), (0.002, 60), (0.002, 40), (0.002, 25)):
        off, beside = knee_errors(runs, 1000, degrees, noise)
        cells = f"{np.quantile(off, 0.95):.1f}°", f"{np.quantile(beside, 0.95):.1f} mm"
        print(row(f"{1e3 * noise:g} mm", f"{degrees}°", *cells), flush=True)
    for degrees in (30, 15):
        first, second = (cluster_motion(p) for p in trial(1000, degrees, cluster(*small), slide=0.010))
        off = (first.R @ score(first, second).proximal + first.t).mean(axis=0) - HIP
        print(f"cluster slides by 10 mm a 30° of flexion, ±{degrees}°: off by {1e3 * np.linalg.norm(off):.1f} mm")


if __name__ == "__main__":
    main()
