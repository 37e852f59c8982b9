"""Do the bands of `gaitid run --uncertainty` hold what they promise, by the command line, on files?

Simulated sessions are written as C3D, once without error and many times with errors drawn as they are stated
(`spoilt_files`): markers put anew, in walk and static alike, skin, plates and clocks. `gaitid run` analyses each with
a file that states these errors and no other. What the same command makes of the files without error is the truth.

python benchmarks/coverage.py [--trials 40] [--write]
"""

from __future__ import annotations

import csv
import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from common import head, parser_of, row, show
from spoilt_files import NOISE_M, Drawn, Session, write_session

from gaitid.cli.run import run_command as command
from gaitid.model.load import bundled_folder
from gaitid.model.yaml_file import load_yaml
from gaitid.trial import Array, Mask
from gaitid.uncertainty.sources import Sources, read_sources
from gaitid.uncertainty.usable import COVERAGE_FACTOR

#: Of the file that is given to `gaitid run`: what is spoilt here, and nothing else.
PAGE = "uncertainty_method"
SPOILT = {
    "placement": ("marker_placement",),
    "skin": ("soft_tissue",),
    "plates": ("force_plates", "timing"),
    "all": ("marker_noise", "soft_tissue", "marker_placement", "force_plates", "timing"),
}


class Case(NamedTuple):
    """A model and a way to move, with or without the static."""

    model: str
    with_static: bool
    scenario: str = "walk"
    seconds: float = 2.6

    @property
    def words(self) -> str:
        """For a table."""
        return f"`{self.model}`, {'static' if self.with_static else 'no static'}, {self.scenario}"

    @property
    def session(self) -> Session:
        """What is recorded."""
        return Session({"duration": self.seconds}, self.scenario, clusters=self.model in ("cast", "ior"))


CASES = (
    Case("pig", True),
    Case("pig", False),
    Case("pig", True, "run", 1.6),
    Case("cgm22", True),
    Case("cast", True),
    Case("ior", True),
)


class Held(NamedTuple):
    """Of angles or moments: for each trial the share of what is known that lies in its band; stated and actual size.

    Attributes
    ----------
    shares : list of float
    stated, actual : list of float
        Mean squares of standard uncertainties and of errors.
    """

    shares: list[float]
    stated: list[float]
    actual: list[float]

    @property
    def coverage(self) -> float:
        return float(np.mean(self.shares))

    @property
    def interval(self) -> tuple[float, float]:
        """95 % of the mean over trials, which are independent: frames of one trial are not."""
        half = 1.96 * float(np.std(self.shares, ddof=1)) / np.sqrt(len(self.shares))
        return self.coverage - half, self.coverage + half

    @property
    def ratio(self) -> float:
        """Stated over actual standard deviation: the median trial's, as in a few a chain fits two ways in a frame."""
        return float(np.sqrt(np.median(self.stated) / np.mean(self.actual)))


def stated_file(folder: Path, wanted: Sequence[str]) -> Path:
    """The bundled magnitudes, of some sources alone."""
    content = load_yaml(bundled_folder("configs") / "uncertainty/default.yaml")
    assert isinstance(content, dict)
    sources = {name: of for name, of in content["sources"].items() if name in wanted}
    if "marker_noise" in sources:  # what the low-pass takes is the same with and without error
        sources["marker_noise"] = {"coordinate_mm": NOISE_M * 1e3, "source": "as it is drawn"}
    path = folder / "stated.yaml"  # JSON is YAML
    path.write_text(json.dumps({"gaitid_uncertainty": 1, "sources": sources}), encoding="utf-8")
    return path


def table(path: Path) -> tuple[list[str], Array]:
    """Columns of a table of frames, NaN where empty."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, np.array([[float(cell) if cell else np.nan for cell in row] for row in rows])


def analysed(walk: Path, static: Path, case: Case, stated: Path | None, folder: Path) -> Path:
    """The folder of what `gaitid run` wrote."""
    words = [str(walk), "--model", case.model, "-o", str(folder), "--quiet"]
    words += ["--static", str(static)] if case.with_static else []
    words += [] if stated is None else ["--uncertainty", str(stated)]
    code = command.main(words, standalone_mode=False)
    assert code == 0, words
    return folder


def impacts(folder: Path, frames: int) -> dict[str, Mask]:
    """Frames of impacts of each side."""
    record = json.loads((folder / "walk01.run.json").read_text(encoding="utf-8"))
    found = {side: np.zeros(frames, dtype=bool) for side in ("left", "right")}
    for impact in record["impacts"]:
        first = record["trial"]["first_frame"]
        found[impact["side"]][impact["first_frame"] - first : impact["last_frame"] - first + 1] = True
    return found


def coverage(case: Case, what: str, trials: int, folder: Path) -> dict[str, Held]:
    """Of ``deg`` and ``Nm_per_kg`` what the bands hold.

    Parameters
    ----------
    case : Case
    what : str
        Which of `SPOILT`.
    trials : int
    folder : Path
        For files.
    """
    sources: Sources = read_sources("default")
    stated = stated_file(folder, SPOILT[what])
    walks, static = write_session(folder / "exact", sources, Drawn(), case.session)
    analysed(walks[0], static, case, None, folder / "truth")
    names, truth = table(folder / "truth" / "walk01.joints.csv")
    wanted = {end: [i for i, name in enumerate(names) if name.endswith(f"_{end}")] for end in ("deg", "Nm_per_kg")}
    found = {end: Held([], [], []) for end in wanted}
    for trial in range(trials):
        skin = what in ("skin", "all")
        seeds = [np.random.default_rng([trial, k]) for k in range(4)]
        drawn = Drawn(
            seeds[0] if what in ("placement", "all") else None,
            seeds[1] if skin else None,
            seeds[2] if what == "all" else None,
            seeds[3] if what in ("plates", "all") else None,
        )
        walks, static = write_session(folder / "spoilt", sources, drawn, case.session)
        out = analysed(walks[0], static, case, stated, folder / "out")
        _, values = table(out / "walk01.joints.csv")
        u = standard(out / "walk01.uncertainty.csv", names, values.shape)
        struck = impacts(out, len(values))
        for end, columns in wanted.items():
            error, size = values[:, columns] - truth[:, columns], u[:, columns]
            error = error - 360 * np.rint(np.nan_to_num(error / 360)) if end == "deg" else error
            judged = np.isfinite(error) & (size > 0)
            if end != "deg":
                judged &= ~np.stack([struck[names[i].partition("_")[0]] for i in columns], axis=1)
                judged &= np.abs(truth[:, columns]) > 0.02  # N·m/kg: a leg in the air has no plate's error
            if judged.any():
                inside = np.abs(error[judged]) <= COVERAGE_FACTOR * size[judged]
                found[end].shares.append(float(inside.mean()))
                found[end].stated.append(float(np.mean(size[judged] ** 2)))
                found[end].actual.append(float(np.mean(error[judged] ** 2)))
    return found


def standard(path: Path, names: Sequence[str], shape: tuple[int, ...]) -> Array:
    """(frames, columns) standard uncertainties; NaN of what has none."""
    at, found = {name: i for i, name in enumerate(names)}, np.full(shape, np.nan)
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        first = None
        for row in rows:
            frame = int(row["frame"])
            first = frame if first is None else first
            if row["column"] in at and row["standard_uncertainty"]:
                found[frame - first, at[row["column"]]] = float(row["standard_uncertainty"])
    return found


def lines(trials: int, cases: Sequence[Case] = CASES) -> list[str]:
    """The table."""
    found = [
        f"{trials} trials each; in brackets the 95 % interval of the mean over trials; standard deviations.",
        "",
        *head("session", "errors", "angles in their 95 % band", "stated / actual", "moments", "stated / actual"),
    ]
    for case in cases:
        for what in SPOILT:
            with tempfile.TemporaryDirectory() as name:
                of = coverage(case, what, trials, Path(name))
            cells = []
            for held in of.values():
                if not held.shares or not np.mean(held.actual) > 1e-12:
                    cells += ["–", "–"]
                    continue
                low, high = (100 * edge for edge in held.interval)
                cells += [f"{100 * held.coverage:.1f} % ({low:.1f}–{min(high, 100):.1f})", f"{held.ratio:.2f}"]
            found.append(row(case.words, what, *cells))
    return found


def main() -> None:
    parser = parser_of(__doc__, PAGE)
    parser.add_argument("--trials", type=int, default=40)
    given = parser.parse_args()
    found = lines(given.trials)
    print(*found, sep="\n")
    if given.write:  # the page has all errors together
        show([line for line in found if not re.search(r"\| (placement|skin|plates) \|", line)], True, PAGE, "files")


if __name__ == "__main__":
    main()
