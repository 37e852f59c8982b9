"""What inverse dynamics costs: ns per frame and leg of each solver, beside a memory copy and beside Pinocchio.

    python benchmarks/solvers.py [--repeat N] [--frames 1000 10000 ...]

A leg is foot, shank and thigh with a load on the foot. The copy is of the same bytes, each input and output array in
turn. All are run in turn in one process; each figure is the median of its repeats, each ratio the median of the
ratios within a repeat. Pinocchio's `rnea` is called from Python once a frame, as one must (left out where it is not
installed). At a million frames a repeat takes half a minute.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

from gaitid.dynamics.chain import Chain, Link
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.dynamics.wrench import Wrench

G = np.array([0.0, 0.0, -9.81])
INERTIA = np.diag([0.06, 0.06, 0.01])


def leg(frames: int) -> Chain:
    """Three segments with smooth nonsense for motion; only its bytes matter."""
    t = np.linspace(0, frames / 100, frames)
    c, s, zero, one = np.cos(t), np.sin(t), np.zeros(frames), np.ones(frames)
    R = np.stack([c, -s, zero, s, c, zero, zero, zero, one], axis=1).reshape(-1, 3, 3)
    v = np.stack([c, s, zero], axis=1)
    ground = Wrench(700 * v, 10 * v, 0.1 * v)
    inertia = np.broadcast_to(INERTIA, R.shape)  # one a frame, as from segments of varying length
    return Chain([Link(3.0, inertia, R, v, v, v, v, v, ground if i == 0 else None) for i in range(3)])


def copy(chain: Chain) -> None:
    for link in chain.links:
        arrays = [link.inertia_s, link.R_gs, link.com_g, link.acc_g, link.omega_g, link.alpha_g, link.joint_g]
        if link.external is not None:
            arrays += [link.external.f_g, link.external.m_g, link.external.p_g]
        for array in (*arrays, link.com_g, link.acc_g, link.joint_g):  # and a wrench
            array.copy()


def pinocchio(frames: int) -> Callable[[], object] | None:
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model = pin.Model()
    for i in range(3):  # from the hip
        placement = pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.4 * (i > 0)]))
        joint = model.addJoint(i, pin.JointModelSpherical(), placement, str(i))
        model.appendBodyToJoint(joint, pin.Inertia(3.0, np.array([0.0, 0.0, -0.2]), INERTIA), pin.SE3.Identity())
    data = model.createData()
    rng = np.random.default_rng(0)
    q = np.tile(pin.neutral(model), (frames, 1))
    v, a = rng.normal(size=(2, frames, model.nv))
    loads = [pin.Force.Zero() for _ in range(4)]
    loads[3] = pin.Force(np.array([0.0, 0.0, 700.0]), np.zeros(3))
    return lambda: [pin.rnea(model, data, q[t], v[t], a[t], loads) for t in range(frames)]


def seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def compare(frames: int, repeat: int) -> None:
    chain = leg(frames)
    runs: dict[str, Callable[[], object]] = {"copy": lambda: copy(chain)}
    for name, solve in SOLVERS.items():
        runs[name] = lambda solve=solve: solve(chain, G)
    if engine := pinocchio(frames):
        runs["Pinocchio"] = engine
    for run in runs.values():
        run()
    taken = {name: [] for name in runs}
    for _ in range(repeat):
        for name, run in runs.items():
            taken[name].append(seconds(run))
    for name, own in taken.items():
        ratios = [
            f"{statistics.median(a / b for a, b in zip(own, taken[other], strict=True)):.2f}" if other in taken else ""
            for other in ("copy", "recursive", "Pinocchio")
        ]
        print(f"| {frames} | {name} | {statistics.median(own) / frames * 1e9:.0f} | {' | '.join(ratios)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--frames", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    options = parser.parse_args()
    print("| frames | what | ns per frame and leg | over the copy | over `recursive` | over Pinocchio |")
    print("|---|---|---|---|---|---|")
    for frames in options.frames:
        compare(frames, options.repeat)


if __name__ == "__main__":
    main()
