"""What `gaitid run --uncertainty` costs, over `gaitid run` of the same trial as a process, in turn in the same minutes.

Targets: first order at most 5 runs, also of each trial of a batch, 12 of minutes on a treadmill; 1,000 samples of Monte
Carlo at most 60.

python benchmarks/uncertainty_cost.py [--repeat 3] [--samples 1000] [TRIAL.c3d ...]
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from common import ROOT, SHARED, parser_of
from speed import Processes, row

from gaitid.model.load import bundled_folder
from gaitid.read import read_trial
from gaitid.simulate.files import simulate

#: With their options: alone, with a static that gives angles, places of a chain, and places of clusters.
TRIALS = (
    (ROOT / "sample_data/walk_noisy/walk.c3d", ("--model", "pig")),
    (SHARED / "sydney/walk03.c3d", ("--model", "pig", "--static", SHARED / "sydney/static.c3d")),
    (SHARED / "sydney/walk03.c3d", ("--model", "cgm22", "--static", SHARED / "sydney/static.c3d")),
    (SHARED / "wild/visual3d_hybrid/walk.c3d", ("--static", SHARED / "wild/visual3d_hybrid/static.c3d")),
    (SHARED / "wild/rbds_running/run.c3d", ("--static", SHARED / "wild/rbds_running/static.c3d")),
)
#: s. A walk on a treadmill, of 4,500 frames.
LONG_S = 45.0
#: Frames from which on a trial is long.
LONG = 4000

#: Trials of a batch.
COPIES = 8


def drawn(folder: Path, samples: int) -> Path:
    """The bundled magnitudes, propagated by so many samples."""
    text = (bundled_folder("configs") / "uncertainty/default.yaml").read_text(encoding="utf-8")
    text = text.replace("method: first_order", "method: monte_carlo").replace("samples: 1000", f"samples: {samples}")
    path = folder / "drawn.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--model", default="pig", help="of the TRIALs")
    parser.add_argument("--options", nargs="*", default=[], help="more of gaitid run, as --options=--static=FILE")
    parser.add_argument("trials", nargs="*", type=Path)
    given = parser.parse_args()
    named = [(path.resolve(), ("--model", given.model, *given.options)) for path in given.trials]
    trials = named or [case for case in TRIALS if case[0].is_file()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not named:
            simulate("treadmill", folder / "long", duration=LONG_S, marker_noise_mm=0.3)
            trials.append((folder / "long/treadmill.c3d", ("--model", "pig")))
        process = Processes(folder)
        file = drawn(folder, given.samples)
        print("| what | ratio, processor | by the clock | target | own s | reference s | like for like? |")
        print("|---|---|---|---|---|---|---|")
        for number, (trial, options) in enumerate(trials):

            def run(*words: object, trial: Path = trial, options: tuple[object, ...] = options) -> Callable[[], object]:
                return process("-m", "gaitid", "run", trial, *options, "-o", folder / "run", "--quiet", *words)

            static = ", static" if "--static" in options else ""
            where = (
                f"`{options[1]}`{static}, {'/'.join(trial.parts[-2:])}" if options[0] == "--model" else trial.parts[-2]
            )
            long = read_trial(trial).n_frames > LONG
            words = f"`--uncertainty`, first order, {where}"
            row(
                words, "≤ 12" if long else "≤ 5", run("--uncertainty"), run(), given.repeat, "the same trial without it"
            )
            data = folder / f"data{number}"
            data.mkdir()
            for i in range(0 if long else COPIES):
                (data / f"{trial.stem}{i}.c3d").write_bytes(trial.read_bytes())

            def batch(*words: object, data: Path = data, options: tuple[object, ...] = options) -> Callable[[], object]:
                into = folder / f"{data.name}_batch"
                return process("-m", "gaitid", "batch", data, *options, "-o", into, "-j", 1, "--quiet", *words)

            if not long:
                words = f"`batch --uncertainty`, {COPIES} times {where}"
                row(
                    words, "≤ 5", batch("--uncertainty"), batch(), 1, "the same batch without it, both with their start"
                )
            if given.samples:
                words = f"the same by {given.samples} samples"
                row(words, "≤ 60", run("--uncertainty", file), run(), 1, "the same trial without it")


if __name__ == "__main__":
    main()
