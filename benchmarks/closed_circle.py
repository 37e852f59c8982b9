"""How fast the error of joint wrenches falls with the camera's rate: simulate, analyse, compare with the truth.

    python benchmarks/closed_circle.py

A leg follows joint angles whose highest harmonic is 6 Hz (scenario `swing_leg_tracked`). Its exact markers are
analysed unfiltered: in memory, and as plain CSV by `gaitid run`. docs/simulate.md says what they
show.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from common import head, row
from numpy.typing import NDArray

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.simulate.chain import ChainScenario
from gaitid.simulate.chain_state import GROUND_MARKERS, ChainState, chain_state, model_yaml, table_yaml
from gaitid.simulate.scenario_file import load_scenario
from gaitid.trial import Trial

Array = NDArray[np.float64]
Errors = dict[tuple[str, str], tuple[float, float]]
SCENARIO = "swing_leg_tracked"
RATES = (50, 100, 200, 400)
#: A frame this far from the ends of the trial, s, is in its middle; nearer to them a spline knows less.
MARGIN_S = 0.4
#: Joint, quantity.
ROWS = (("ankle", "force"), ("ankle", "moment"), ("knee", "moment"), ("hip", "force"), ("hip", "moment"))


def in_memory(folder: Path, scenario: ChainScenario, state: ChainState, every: int = 1) -> Errors:
    """Errors of the analysis of every so many-th frame, the markers in double precision."""
    for what, text in (("model", model_yaml(scenario)), ("table", table_yaml(scenario))):
        (folder / f"{scenario.name}.{what}.yaml").write_text(text, encoding="utf-8")
    n = state.time_s[::every].size
    still = [np.tile(p, (n, 1)) for p in GROUND_MARKERS.values()]
    points = np.stack([*still, *(p[::every] for p in state.marker_g.values())], axis=1)
    trial = Trial(folder, scenario.settings.rate_hz / every, 1, (*GROUND_MARKERS, *state.marker_g), points)
    model = load_model(folder / f"{scenario.name}.model.yaml")
    wrenches = analyse(trial, model, SubjectFile()).sides["right"].wrenches
    return _errors(
        state.time_s[::every],
        {row: (wrenches[row[0]].f_g if row[1] == "force" else wrenches[row[0]].m_g) for row in ROWS},
        {row: state.wrench[row[0]][row[1] == "moment"][::every] for row in ROWS},
    )


def through_files(folder: Path, rate_hz: float, *options: object) -> Errors:
    """Errors of the command line on the trial's CSV."""
    gaitid("simulate", SCENARIO, "-o", folder, "--rate-hz", rate_hz, *options)
    gaitid(
        "run",
        folder / f"{SCENARIO}.csv",
        "--model",
        folder / f"{SCENARIO}.model.yaml",
        "--cutoff",
        "none",
        "-o",
        folder / "res",
    )
    truth = table(folder / f"{SCENARIO}.truth.wrenches.csv")
    found = table(folder / "res" / f"{SCENARIO}.wrenches.csv")
    return _errors(truth["time_s"], *({row: vectors(one, *row) for row in ROWS} for one in (found, truth)))


def gaitid(*args: object) -> None:
    subprocess.run([sys.executable, "-m", "gaitid", *(str(a) for a in args), "-q"], check=True)


def table(path: Path) -> dict[str, Array]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    values = np.array([[float(cell) if cell else np.nan for cell in row] for row in rows[1:]])
    return dict(zip(rows[0], values.T, strict=True))


def vectors(columns: dict[str, Array], joint: str, quantity: str) -> Array:
    unit = "N" if quantity == "force" else "Nm"
    return np.stack([columns[f"right_{joint}_{quantity}_global_{axis}_{unit}"] for axis in "xyz"], axis=1)


def _errors(time_s: Array, found: dict[tuple[str, str], Array], truth: dict[tuple[str, str], Array]) -> Errors:
    """RMS in the middle and largest anywhere, N or N·m, of the error's length."""
    middle = (time_s >= MARGIN_S) & (time_s <= time_s[-1] - MARGIN_S)
    out = {}
    for of in ROWS:
        off = np.linalg.norm(found[of] - truth[of], axis=1)
        known = np.isfinite(off)
        out[of] = (float(np.sqrt((off[middle] ** 2).mean())), float(off[known].max()))
    return out


def slopes(values: list[float]) -> list[float]:
    """Order of the error from one rate to the next: log₂ of the ratio, the rate doubling."""
    return [float(np.log2(a / b)) for a, b in zip(values, values[1:], strict=False)]


def main() -> None:
    scenario = load_scenario(SCENARIO, {"rate_hz": RATES[-1]})
    assert isinstance(scenario, ChainScenario)
    state = chain_state(scenario)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        memory = {rate: in_memory(folder, scenario, state, RATES[-1] // rate) for rate in RATES}
        files = {rate: through_files(folder / str(rate), rate) for rate in RATES}
    for found, k, title in (
        (memory, 0, "in memory, RMS in the middle"),
        (files, 0, "through CSV"),
        (memory, 1, "largest"),
    ):
        print(f"{title}, N or N·m", "", *head("", *(f"{rate} Hz" for rate in RATES), "order"), sep="\n")
        for of in ROWS:
            values = [found[rate][of][k] for rate in RATES]
            order = ", ".join(f"{slope:.1f}" for slope in slopes(values))
            print(row(" ".join(of), *(f"{value:.2g}" for value in values), order))
        print()


if __name__ == "__main__":
    main()
