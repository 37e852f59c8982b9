"""What gaitid costs, as ratios to other means measured in turn in the same minutes (machines are noisy).

    python benchmarks/speed.py [--repeat N] [--long] [TRIAL.c3d ...]

The reference is a simulated walk of 10 s, two legs, two plates. Compiled files are used as an installed package has
them. A conventional stack is run where scipy and pandas install. Without trials: also the shared walks where they lie
beside the checkout, and the sample. Many trials: ``benchmarks/batch.py``.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import ROOT, SHARED, parser_of

BENCHMARKS = Path(__file__).resolve().parent
TRIALS = (
    SHARED / "children/HC030A/walk.c3d",
    SHARED / "sydney/walk03.c3d",
    SHARED / "nexus_flatfoot/walk.c3d",
    ROOT / "sample_data/walk/walk.c3d",
)
# not ru_maxrss, which a process begins with that of its parent
_PEAK = "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
# The peak of a whole run: the command line ends with SystemExit.
RUN_TO_ITS_END = """
import sys
from gaitid.cli import main
trial = sys.argv[1]
sys.argv = ["gaitid", "run", trial, "--model", "pig", "-o", {folder!r}, "--quiet"]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""


def seconds(function: Callable[[], object]) -> float:
    """Of the processor, in this process and in those that it waits for: other work on the machine hardly changes it."""
    start = processor_s()
    function()
    return processor_s() - start


def both_seconds(function: Callable[[], object]) -> tuple[float, float]:
    """Of the processor, and by the clock."""
    start = time.perf_counter()
    return seconds(function), time.perf_counter() - start


def processor_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def row(
    what: str, target: str, own: Callable[[], object], reference: Callable[[], object], repeat: int, like: str
) -> None:
    """A line of the table; each is called once before, so that everything is compiled and in the file cache."""
    own(), reference()
    pairs = np.array([(*both_seconds(own), *both_seconds(reference)) for _ in range(repeat)])
    ratios = np.median(pairs[:, :2] / pairs[:, 2:], axis=0)
    shown = " | ".join(f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.3f}" for ratio in ratios)
    a, _, b, _ = np.median(pairs, axis=0)
    print(f"| {what} | {shown} | {target} | {a:.3f} | {b:.3f} | {like} |", flush=True)


class Processes:
    """Commands as whole processes in a folder of their own, where compiled files go too."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {
            "OPENBLAS_NUM_THREADS": "1",  # `import numpy` starts a thread a core, which costs the floor processor time
            "PYTHONPYCACHEPREFIX": f"{folder}/pyc",
            "PYTHONPATH": f"{ROOT}{os.pathsep}{BENCHMARKS}",
        }

    def __call__(self, *arguments: object, python: str = sys.executable) -> Callable[[], object]:
        command = [python, *map(str, arguments)]
        return lambda: subprocess.run(
            command, check=True, env=self.environment, stdout=subprocess.DEVNULL, cwd=self.folder
        )

    def has(self, *modules: str, python: str = sys.executable) -> bool:
        command = [python, "-c", f"import {', '.join(modules)}"]
        return not subprocess.run(command, env=self.environment, capture_output=True, cwd=self.folder).returncode


def whole_processes(process: Processes, walk: Path, trials: list[Path], folder: Path, options: Any) -> None:
    def run(trial: Path) -> Callable[[], object]:
        return process("-m", "gaitid", "run", trial, "--model", "pig", "-o", folder, "--quiet")

    repeat = options.repeat
    for trial, name in [(walk, "10 s walk"), *((t, "/".join(t.parts[-2:])) for t in trials)]:
        floor = process("-c", f"import numpy, ezc3d; ezc3d.c3d({str(trial)!r})")
        target = "≤ 1.6" if trial == walk else ""
        row(
            f"`gaitid run`, {name}, over `import numpy, ezc3d; ezc3d.c3d(FILE)`",
            target,
            run(trial),
            floor,
            repeat,
            "no: the floor only reads",
        )
    few = min(repeat, 5)
    if process.has("scipy", "pandas"):
        stack = process("-c", f"import speed; speed.conventional({str(walk)!r}, {str(folder)!r})")
        row(
            "`gaitid run`, 10 s walk, over a conventional stack",
            "",
            run(walk),
            stack,
            few,
            "nearly: the stack has no checks, no gaps, no contacts, no cycles, no record",
        )
    else:
        print("| conventional stack: scipy or pandas is not installed | | | | | | |")


def inside_one_process(walk: Path, repeat: int) -> None:
    import io

    import ezc3d
    import pandas as pd

    from gaitid.read import read_trial
    from gaitid.run import RunOptions, analyse_file, prepare
    from gaitid.write.table import csv_text
    from gaitid.write.tables import table_text

    row(
        "reading the 10 s walk with its plates over `ezc3d.c3d(FILE)`",
        "≤ 1.2",
        lambda: read_trial(walk),
        lambda: ezc3d.c3d(str(walk)),
        repeat,
        "no: ezc3d leaves the plates out",
    )
    row(
        "the same over ezc3d with `extract_forceplat_data=True`",
        "",
        lambda: read_trial(walk),
        lambda: ezc3d.c3d(str(walk), extract_forceplat_data=True),
        repeat,
        "yes",
    )
    result = analyse_file(walk, prepare(RunOptions("pig")))
    texts = [table_text("wrenches", result), table_text("joints", result)]
    tables = [pd.read_csv(io.StringIO(text)) for text in texts]
    assert texts == [table.to_csv(index=False, float_format="%.10g") for table in tables]
    arrays = [(list(table), table.to_numpy()) for table in tables]
    row(
        "the numbers of wrenches and joints to CSV over `DataFrame.to_csv(float_format='%.10g')`",
        "≤ 0.2",
        lambda: [csv_text(*array) for array in arrays],
        lambda: [table.to_csv(index=False, float_format="%.10g") for table in tables],
        repeat,
        "yes: text in memory, the same bytes",
    )
    row(
        "the same from gaitid's result, wrenches turned into segment axes",
        "",
        lambda: [table_text("wrenches", result), table_text("joints", result)],
        lambda: [table.to_csv(index=False, float_format="%.10g") for table in tables],
        repeat,
        "no: pandas is given the finished table",
    )


def lengths(walk: Path, folder: Path, frames: list[int]) -> None:
    """Time and memory of a run over the trial's length; the walk goes there and back as often as needed."""
    from gaitid.run import RunOptions, prepare, run_file

    prepared = prepare(RunOptions("pig"))
    there_and_back = _there_and_back(walk, folder / "back.c3d")
    alone = peak_mb("import numpy; ", walk)
    print(f"\nPeak resident memory, numpy alone: {alone:.0f} MB; target of a run of 10 s: ≤ 80 MB.\n")
    print("| frames | `run_file`, s | µs a frame | peak MB of `gaitid run` |\n|---|---|---|---|")
    for n in frames:
        path = walk if n == 1_000 else repeated(there_and_back, folder / "long.c3d", n)
        run_file(walk, folder, prepared)
        taken = min(seconds(lambda p=path: run_file(p, folder, prepared)) for _ in range(5 if n < 1e5 else 1))  # type: ignore[misc]
        peak = peak_mb(RUN_TO_ITS_END.format(folder=str(folder)), path)
        print(f"| {n} | {taken:.3f} | {1e6 * taken / n:.0f} | {peak:.0f} |", flush=True)


def peak_mb(code: str, path: Path) -> float:
    """Peak resident memory of a process, MB."""
    done = subprocess.run(
        [sys.executable, "-c", code + _PEAK, str(path)], check=True, capture_output=True, text=True, cwd=ROOT
    )
    return int(done.stdout) / 1024


def repeated(source: Path, target: Path, frames: int) -> Path:
    """A C3D with the header and parameters of another, and its frames again and again; TRIAL holds their number."""
    import ezc3d

    c = ezc3d.c3d(str(source))
    times = -(-frames // c["data"]["points"].shape[2])
    for name, words in (("ACTUAL_START_FIELD", [1, 0]), ("ACTUAL_END_FIELD", [frames % 65536, frames // 65536])):
        c.add_parameter("TRIAL", name, words)
    c["header"]["points"]["first_frame"] = 0
    c["data"]["points"] = np.tile(c["data"]["points"], (1, 1, times))[:, :, :frames]
    for name, value in c["data"]["meta_points"].items():
        c["data"]["meta_points"][name] = np.tile(value, (1, 1, times))[:, :, :frames]
    per_frame = round(c["header"]["analogs"]["frame_rate"] / c["header"]["points"]["frame_rate"])
    c["data"]["analogs"] = np.tile(c["data"]["analogs"], (1, 1, times))[:, :, : frames * per_frame]
    c.write(str(target))
    data = bytearray(target.read_bytes())
    data[8:10] = (frames % 65536).to_bytes(2, "little")
    target.write_bytes(bytes(data))
    return target


def _there_and_back(source: Path, target: Path) -> Path:
    """The trial, then backwards in time; near its ends time goes slower and stands still for an instant.

    Repeated, it makes no marker jump or turn at once, which would not be believed.
    """
    import ezc3d
    import numpy as np
    from scipy.interpolate import CubicSpline

    c = ezc3d.c3d(str(source))
    data = c["data"]
    n = data["points"].shape[-1]
    per_frame = data["analogs"].shape[-1] // n
    rises = (1 - np.cos(np.linspace(0, np.pi, round(c["header"]["points"]["frame_rate"])))) / 2  # in one second
    there = np.cumsum([0.0, *rises, *np.ones(n - len(rises)), *rises[::-1]])
    there *= (n - 1) / there[-1]
    frames = np.concatenate([there, there[-2:0:-1]])
    samples = np.interp(np.arange(per_frame * len(frames)) / per_frame, np.arange(len(frames)), frames) * per_frame
    data["points"] = CubicSpline(np.arange(n), data["points"], axis=-1)(frames)
    data["analogs"] = CubicSpline(np.arange(n * per_frame), data["analogs"], axis=-1)(samples)
    for key, values in data["meta_points"].items():
        data["meta_points"][key] = values[..., np.rint(frames).astype(int)]
    c.write(str(target))
    return target


def conventional(file: str, folder: str) -> None:
    """Inverse dynamics as a laboratory's own script does it: scipy's filter, a loop over frames, pandas' CSV.

    Joint centres: Bell, Pedersen & Brand (1990) at the hip, half a joint's width from the marker at knee and ankle.
    Mass, centre of mass and radius of gyration of each segment: Winter (2009), table 4.1. The foot nearest to the
    centre of pressure has the load.
    """
    import ezc3d
    import numpy as np
    import pandas as pd
    from scipy.signal import butter, filtfilt

    c = ezc3d.c3d(file, extract_forceplat_data=True)
    rate = c["parameters"]["POINT"]["RATE"]["value"][0]
    points = c["data"]["points"][:3].transpose(1, 2, 0) / 1e3
    b, a = butter(2, 7 / 0.802 / (rate / 2))
    m = dict(zip(c["parameters"]["POINT"]["LABELS"]["value"], filtfilt(b, a, points, axis=1), strict=True))
    n = points.shape[1]
    every = c["data"]["platform"][0]["force"].shape[1] // n
    plates = [
        (p["force"].T[::every], p["moment"].T[::every] / 1e3, p["center_of_pressure"].T[::every] / 1e3)
        for p in c["data"]["platform"]
    ]
    mass, g = 70.0, np.array([0.0, 0.0, -9.81])
    segments = {"foot": (0.0145, 0.5, 0.475), "shank": (0.0465, 0.433, 0.302), "thigh": (0.1, 0.433, 0.323)}

    def unit(v: Any) -> Any:
        return v / np.linalg.norm(v)

    ends = {(s, k): np.empty((2, n, 3)) for s in "LR" for k in segments}  # proximal, distal
    axes = {key: np.empty((n, 3, 3)) for key in ends}
    for t in range(n):
        left, right = m["LASI"][t], m["RASI"][t]
        y = unit(left - right)
        z = unit(np.cross((left + right) / 2 - (m["LPSI"][t] + m["RPSI"][t]) / 2, y))
        x, width = np.cross(y, z), np.linalg.norm(left - right)
        for side, out in (("L", 1.0), ("R", -1.0)):
            hip = m[f"{side}ASI"][t] + width * (-0.22 * x - 0.14 * out * y - 0.30 * z)
            knee = m[f"{side}KNE"][t] - 0.05 * out * y
            ankle = m[f"{side}ANK"][t] - 0.035 * out * y
            for key, top, end in (("foot", ankle, m[f"{side}TOE"][t]), ("shank", knee, ankle), ("thigh", hip, knee)):
                ends[side, key][:, t] = top, end
                zs = unit(top - end)
                xs = unit(np.cross(y, zs))
                axes[side, key][t] = np.column_stack([xs, np.cross(zs, xs), zs])

    wrenches, joints = {"time_s": np.arange(n) / rate}, {"time_s": np.arange(n) / rate}
    for side in "LR":
        ankle = ends[side, "foot"][0]
        other = ends["R" if side == "L" else "L", "foot"][0]
        force, moment = np.zeros((n, 3)), np.zeros((n, 3))  # of the segment below on this one, about its own distal end
        for key, joint in (("foot", "ankle"), ("shank", "knee"), ("thigh", "hip")):
            share, centre, gyration = segments[key]
            proximal, distal = ends[side, key]
            com = proximal + centre * (distal - proximal)
            acceleration = np.gradient(np.gradient(com, 1 / rate, axis=0), 1 / rate, axis=0)
            R = axes[side, key]
            spin = np.gradient(R, 1 / rate, axis=0) @ R.transpose(0, 2, 1)
            omega = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
            alpha = np.gradient(omega, 1 / rate, axis=0)
            above = axes.get((side, {"foot": "shank", "shank": "thigh"}.get(key, "")))
            local, angles, power = np.empty((n, 6)), np.empty((n, 3)), np.empty(n)
            for t in range(n):
                i = share * mass * (gyration * np.linalg.norm(proximal[t] - distal[t])) ** 2
                inertia = R[t] @ np.diag([i, i, 0.1 * i]) @ R[t].T
                f = share * mass * (acceleration[t] - g)
                q = inertia @ alpha[t] + np.cross(omega[t], inertia @ omega[t])
                if key == "foot":
                    for load, about_origin, cop in plates:
                        near = np.linalg.norm(cop[t] - ankle[t]) < np.linalg.norm(cop[t] - other[t])
                        if load[t, 2] > 20 and near:
                            f = f - load[t]
                            q = q - np.cross(cop[t] - com[t], load[t]) - [0, 0, about_origin[t, 2]]
                else:
                    f = f + force[t]
                    q = q + moment[t] + np.cross(distal[t] - com[t], force[t])
                q = q - np.cross(proximal[t] - com[t], f)
                force[t], moment[t] = f, q
                local[t] = np.concatenate([R[t].T @ f, R[t].T @ q])
                relative = R[t] if above is None else above[t].T @ R[t]
                angles[t] = (
                    np.arctan2(relative[0, 2], relative[2, 2]),
                    np.arcsin(-relative[1, 2]),
                    np.arctan2(relative[1, 0], relative[1, 1]),
                )
                power[t] = q @ omega[t]
            for k, axis in enumerate("xyz"):
                wrenches[f"{side}_{joint}_force_{axis}_N"] = force[:, k].copy()
                wrenches[f"{side}_{joint}_moment_{axis}_Nm"] = moment[:, k].copy()
                wrenches[f"{side}_{joint}_force_distal_{axis}_N"] = local[:, k]
                wrenches[f"{side}_{joint}_moment_distal_{axis}_Nm"] = local[:, 3 + k]
                joints[f"{side}_{joint}_{axis}_deg"] = np.degrees(angles[:, k])
            joints[f"{side}_{joint}_power_W"] = power
    for name, columns in (("wrenches", wrenches), ("joints", joints)):
        pd.DataFrame(columns).to_csv(Path(folder) / f"conventional.{name}.csv", index=False, float_format="%.10g")


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--long", action="store_true", help="Also a trial of 1e5 frames.")
    parser.add_argument("trials", nargs="*", type=Path)
    options = parser.parse_args()
    trials = [p.resolve() for p in options.trials] or [p for p in TRIALS if p.is_file()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        process = Processes(folder)
        process("-m", "gaitid", "simulate", "walk", "-o", folder, "--duration", 10, "--quiet")()
        print("| what | ratio, processor | by the clock | target | own s | reference s | like for like? |")
        print("|---|---|---|---|---|---|---|")
        walk = folder / "walk.c3d"
        whole_processes(process, walk, trials, folder / "out", options)
        inside_one_process(walk, options.repeat)
        lengths(walk, folder / "out", [1_000, 10_000, *([100_000] if options.long else [])])


if __name__ == "__main__":
    main()
