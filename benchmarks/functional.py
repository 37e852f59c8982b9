"""How far functional hip centres are off: the table of docs/functional.md.

    OPENBLAS_NUM_THREADS=1 python benchmarks/functional.py [--runs N]

A pelvis with four markers and a thigh with a cluster move as in a star (six arcs), each way by so many degrees, with
noise on every coordinate of every marker: plain SCoRE (Ehrig 2006), and without the bias of noise. Then without noise,
the cluster sliding on the bone as the hip bends: what nothing takes off.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.spatial.transform import Rotation

from gaitid.numerics.functional import cluster_motion, score

PELVIS = np.array([[0, 0.12, 0], [0, -0.12, 0], [-0.16, 0.05, 0.02], [-0.16, -0.05, 0.02]])
HIP = np.array([-0.06, 0.09, -0.09])
NOISE_M = 0.002


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


def errors(runs: int, n_frames: int, degrees: float, thigh: np.ndarray, corrected: bool) -> np.ndarray:
    rng = np.random.default_rng(1)
    pelvis, leg = trial(n_frames, degrees, thigh)
    off = []
    for _ in range(runs):
        first, second = (cluster_motion(p + NOISE_M * rng.normal(size=p.shape)) for p in (pelvis, leg))
        found = score(first, second, corrected)
        off.append((first.R @ found.proximal + first.t).mean(axis=0) - HIP)
    return 1e3 * np.array(off)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=200)
    runs = parser.parse_args().runs
    print("| cluster | each way | frames | plain: bias, 95 % below | corrected: bias, 95 % below |")
    print("|---|---|---|---|---|")
    for width, height in ((0.06, 0.08), (0.10, 0.15)):
        for degrees, n_frames in ((30, 1000), (20, 1000), (15, 1000), (15, 4000), (10, 1000)):
            cells = []
            for corrected in (False, True):
                off = errors(runs, n_frames, degrees, cluster(width, height), corrected)
                bias, most = np.linalg.norm(off.mean(axis=0)), np.quantile(np.linalg.norm(off, axis=1), 0.95)
                cells.append(f"{bias:.1f} mm, {most:.1f} mm")
            size = f"{1e3 * width:.0f} × {1e3 * height:.0f} mm"
            print(f"| {size} | ±{degrees}° | {n_frames} | {cells[0]} | {cells[1]} |", flush=True)
    for degrees in (30, 15):
        first, second = (cluster_motion(p) for p in trial(1000, degrees, cluster(0.06, 0.08), slide=0.010))
        off = (first.R @ score(first, second).proximal + first.t).mean(axis=0) - HIP
        print(f"cluster slides by 10 mm a 30° of flexion, ±{degrees}°: off by {1e3 * np.linalg.norm(off):.1f} mm")


if __name__ == "__main__":
    main()
