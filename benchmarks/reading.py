"""What reading a trial with its plates costs, as ratios to ``ezc3d.c3d(FILE)`` measured in turn in one process.

    python benchmarks/reading.py [--repeat N] [TRIAL.c3d ...]

Not like for like: ezc3d is asked for points and analog channels alone, without force plates (with them it takes five
times as long); here the trial is in SI units, its plates as reactions in plate axes. Resident memory is the peak of a
process of its own that reads the file once; 1e5 frames are a trial of 17 minutes, made here. Without trials: the shared
walks where they lie beside the checkout, and the sample.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import ezc3d
import numpy as np

from gaitid.read import read_trial

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "trials"
DEFAULT = (
    SHARED / "children/HC030A/walk.c3d",
    SHARED / "sydney/walk03.c3d",
    SHARED / "nexus_flatfoot/walk.c3d",
    SHARED / "qualisys/walk.c3d",
    ROOT / "sample_data/walk/walk.c3d",
)
# not ru_maxrss, which a process begins with that of its parent
_PEAK = "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
OWN = "import sys; from pathlib import Path; from gaitid.read import read_trial; read_trial(Path(sys.argv[1])); "
THEIRS = "import sys, numpy, ezc3d; ezc3d.c3d(sys.argv[1]); "
NONE = "import numpy; "


def seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def peak_mb(code: str, path: Path) -> float:
    """Peak resident memory of a process, MB."""
    done = subprocess.run(
        [sys.executable, "-c", code + _PEAK, str(path)], check=True, capture_output=True, text=True, cwd=ROOT
    )
    return int(done.stdout) / 1024


def repeated(source: Path, target: Path, frames: int) -> Path:
    """A C3D with the header and parameters of another, and its frames again and again; TRIAL holds their number."""
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("trials", nargs="*", type=Path)
    options = parser.parse_args()
    print(
        "| trial | MB | reading over ezc3d, median of ratios | own ms | ezc3d ms | peak MB: own, ezc3d, numpy alone |"
    )
    print("|---|---|---|---|---|---|")
    for path in options.trials or [p for p in DEFAULT if p.is_file()]:
        pairs = [
            (seconds(lambda p=path: read_trial(p)), seconds(lambda p=path: ezc3d.c3d(str(p))))  # type: ignore[misc]
            for _ in range(options.repeat + 1)
        ][1:]
        ratio = statistics.median(a / b for a, b in pairs)
        own, theirs = (1e3 * statistics.median(column) for column in zip(*pairs, strict=True))
        peaks = ", ".join(f"{peak_mb(code, path):.0f}" for code in (OWN, THEIRS, NONE))
        name = "/".join(path.parts[-2:])
        print(f"| {name} | {path.stat().st_size / 1e6:.2g} | {ratio:.2f} | {own:.1f} | {theirs:.1f} | {peaks} |")
    with tempfile.TemporaryDirectory() as folder:
        print("\n| frames | file MB | own s | µs a frame | peak MB |\n|---|---|---|---|---|")
        for frames in (1_000, 10_000, 100_000):
            path = repeated(ROOT / "sample_data/walk/walk.c3d", Path(folder) / "long.c3d", frames)
            own = statistics.median(seconds(lambda p=path: read_trial(p)) for _ in range(3))  # type: ignore[misc]
            assert read_trial(path).n_frames == frames
            size, peak = path.stat().st_size / 1e6, peak_mb(OWN, path)
            print(f"| {frames} | {size:.3g} | {own:.3f} | {1e6 * own / frames:.1f} | {peak:.0f} |")


if __name__ == "__main__":
    main()
