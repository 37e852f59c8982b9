"""How fast the error of joint wrenches falls with the camera's rate: simulate, analyse, compare with the truth.

    python benchmarks/closed_circle.py [-o FOLDER]

A leg follows joint angles whose highest harmonic is 6 Hz (scenario `swing_leg_tracked`). Its exact markers are
analysed unfiltered: in memory, and as plain CSV by `gaitid run`. With -o a figure is written too. docs/simulate.md has
the tables and says what they show.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
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
    for row in ROWS:
        off = np.linalg.norm(found[row] - truth[row], axis=1)
        known = np.isfinite(off)
        out[row] = (float(np.sqrt((off[middle] ** 2).mean())), float(off[known].max()))
    return out


def slopes(values: list[float]) -> list[float]:
    """Order of the error from one rate to the next: log₂ of the ratio, the rate doubling."""
    return [float(np.log2(a / b)) for a, b in zip(values, values[1:], strict=False)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, help="folder for closed_circle.png")
    output = parser.parse_args().output
    scenario = load_scenario(SCENARIO, {"rate_hz": RATES[-1]})
    assert isinstance(scenario, ChainScenario)
    state = chain_state(scenario)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        memory = {rate: in_memory(folder, scenario, state, RATES[-1] // rate) for rate in RATES}
        files = {rate: through_files(folder / str(rate), rate) for rate in RATES}
    for title, found, k in (
        ("in memory, RMS in the middle", memory, 0),
        ("through CSV, RMS in the middle", files, 0),
        ("in memory, largest anywhere", memory, 1),
    ):
        print(f"{title}, N or N·m\n\n| | {' | '.join(f'{rate} Hz' for rate in RATES)} | order |")
        print(f"|---|{'---|' * (len(RATES) + 1)}")
        for row in ROWS:
            values = [found[rate][row][k] for rate in RATES]
            order = ", ".join(f"{s:.1f}" for s in slopes(values))
            print(f"| {' '.join(row)} | {' | '.join(f'{v:.2g}' for v in values)} | {order} |")
        print()
    if output:
        draw(memory, files, output)


def draw(memory: dict[int, Errors], files: dict[int, Errors], folder: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5.5, 4))
    for i, row in enumerate(ROWS):
        for found, style in ((memory, "o-"), (files, "x--")):
            label = " ".join(row) if found is memory else None
            axes.loglog(RATES, [found[rate][row][0] for rate in RATES], style, color=f"C{i}", label=label)
    first = memory[RATES[0]]["ankle", "moment"][0]
    axes.loglog(RATES, [0.5 * first * (RATES[0] / rate) ** 4 for rate in RATES], "k:", label="rate⁻⁴")
    axes.set(xlabel="camera rate (Hz)", ylabel="RMS error (N, N·m); dashed: through CSV")
    axes.set_xticks(RATES, [str(rate) for rate in RATES])
    axes.minorticks_off()
    axes.legend(fontsize=8)
    figure.tight_layout()
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "closed_circle.png", dpi=150)


if __name__ == "__main__":
    main()
