"""What a rigid fit costs: µs per frame, beside a loop of NumPy over the frames and beside SciPy's `align_vectors`.

    python benchmarks/rigid_fit.py [--repeat N] [--frames 1000 10000 ...]

A segment of four markers, of which now and then one is missing. All are run in turn in one process; each figure is the
median of its repeats, each ratio the median of the ratios within a repeat. The fit is to cost no more than 20 µs a
frame: eight segments of a 10 s walk at 100 Hz are then 0.16 s at most.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from gaitid.numerics.rigid_fit import rigid_fit
from gaitid.trial import Array

LIMIT_US = 20.0


def recording(frames: int) -> tuple[Array, Array]:
    """A template and the points of a tumbling cluster with a millimetre of noise and short gaps."""
    draw = np.random.default_rng(0)
    template = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.01], [0.0, 0.12, -0.02], [0.08, 0.1, 0.03]])
    R = Rotation.from_rotvec(np.linspace(0, 20, frames)[:, None] * [0.6, 0.0, 0.8]).as_matrix()
    points = np.einsum("fij,kj->fki", R, template) + draw.normal(0, 0.001, (frames, 4, 3)) + 2.0
    for marker in range(4):
        points[10 * marker : frames : 97, marker] = np.nan
    return template, points


def numpy_loop(template: Array, points: Array) -> None:
    """The same equations one frame after the other."""
    for frame in points:
        seen = np.isfinite(frame).all(axis=1)
        a, p = template[seen] - template[seen].mean(axis=0), frame[seen] - frame[seen].mean(axis=0)
        u, _, vt = np.linalg.svd(a.T @ p)
        turn = np.diag([1.0, 1.0, np.sign(np.linalg.det(vt.T @ u.T))])
        vt.T @ turn @ u.T


def scipy_loop(template: Array, points: Array) -> None:
    """`align_vectors` one frame after the other."""
    for frame in points:
        seen = np.isfinite(frame).all(axis=1)
        a, p = template[seen] - template[seen].mean(axis=0), frame[seen] - frame[seen].mean(axis=0)
        Rotation.align_vectors(p, a)


RUNS: dict[str, Callable[[Array, Array], object]] = {
    "rigid_fit": rigid_fit,
    "NumPy, a loop": numpy_loop,
    "SciPy, a loop": scipy_loop,
}


def timed(run: Callable[[Array, Array], object], template: Array, points: Array) -> float:
    """µs per frame."""
    start = time.perf_counter()
    run(template, points)
    return (time.perf_counter() - start) / len(points) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--frames", type=int, nargs="+", default=[100, 1000, 10_000])
    options = parser.parse_args()
    print("frames    " + "".join(f"{name:>24}" for name in RUNS))
    for frames in options.frames:
        template, points = recording(frames)
        repeats = [{name: timed(run, template, points) for name, run in RUNS.items()} for _ in range(options.repeat)]
        cells = []
        for name in RUNS:
            us = statistics.median(repeat[name] for repeat in repeats)
            ratio = statistics.median(repeat[name] / repeat["rigid_fit"] for repeat in repeats)
            cells.append(f"{us:10.2f} µs ({ratio:6.1f} x)".rjust(24))
        mine = statistics.median(repeat["rigid_fit"] for repeat in repeats)
        verdict = "" if mine <= LIMIT_US else f"   above {LIMIT_US:g} µs a frame"
        print(f"{frames:<10}" + "".join(cells) + verdict)
    print(f"limit: {LIMIT_US:g} µs a frame")


if __name__ == "__main__":
    main()
