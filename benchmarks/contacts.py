"""The confusion table of docs/contacts.md: who stood where, frame by frame, in simulated trials of awkward cases.

python benchmarks/contacts.py [--write] [SCENARIO...]
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from common import head, parser_of, row, show

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.ground.contacts import AIR, LOADED
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.simulate.files import simulate
from gaitid.simulate.scenarios import SCENARIOS

# A known load is wrong beyond these: N, and N·m about the ankle. The edges of a contact are known to a plate's noise; a
# wrong foot, a lost part or a shared load is hundreds of newtons, a wrong place tens of newton metres.
WRONG_N, WRONG_NM = 20.0, 5.0
VARIANTS: dict[str, dict[str, object]] = {
    "as it is": {},
    "mirrored, turned by 200°": {"mirror": True, "turn_deg": 200.0},
    "noise of 1 mm and 1 N": {"marker_noise_mm": 1.0, "force_noise_N": 1.0, "seed": 3},
    "without events": {"no_events": True},
    "60 Hz": {"rate_hz": 60.0, "analog_rate_hz": 960.0},
}


@dataclass
class Count:
    """Frames of feet: what is true against what is said."""

    table: dict[tuple[str, str], int] = field(default_factory=dict)
    wrong: int = 0
    worst_N: float = 0.0
    worst_Nm: float = 0.0

    def add(self, true: str, said: str, n: int) -> None:
        self.table[true, said] = self.table.get((true, said), 0) + n


TRUE, SAID = ("in the air", "measured", "not measured"), ("none", "known", "unknown")


def count(name: str, options: dict[str, object], total: Count) -> None:
    """Simulate one trial, analyse its C3D, and compare each frame of each foot."""
    with tempfile.TemporaryDirectory() as folder:
        simulate(name, Path(folder), **options)  # type: ignore[arg-type]
        trial = read_trial(Path(folder) / f"{name}.c3d")
        loads = pd.read_csv(Path(folder) / f"{name}.truth.loads.csv")
        wrenches = pd.read_csv(Path(folder) / f"{name}.truth.wrenches.csv")
        segments = pd.read_csv(Path(folder) / f"{name}.truth.segments.csv")
    result = analyse(trial, load_model("pig"), SubjectFile())
    for side, leg in result.sides.items():
        force, cop, ankle = (
            table[[f"{side}_{what}_{axis}{unit}" for axis in "xyz"]].to_numpy()
            for table, what, unit in (
                (wrenches, "ground_force", "_N"),
                (wrenches, "ground_cop", "_m"),
                (segments, "ankle", "_m"),
            )
        )
        free = np.zeros_like(force)
        free[:, 2] = wrenches[f"{side}_ground_free_moment_Nm"].fillna(0.0)
        moment = np.cross(np.where(np.isfinite(cop), cop - ankle, 0.0), force) + free
        air = np.linalg.norm(force, axis=1) == 0
        measured = ~air & (loads[f"{side}_known"].to_numpy() == 1)
        state = leg.load.state
        for true, mask in zip(TRUE, (air, measured, ~air & ~measured), strict=True):
            for said, value in zip(SAID, (AIR, LOADED, -1), strict=True):
                total.add(true, said, int((mask & (state == value)).sum()))
        off_N = np.linalg.norm(leg.load.wrench.f_g - force, axis=1)
        off_Nm = np.linalg.norm(leg.load.wrench.at(ankle).m_g - moment, axis=1)
        with np.errstate(invalid="ignore"):
            wrong = (off_N > WRONG_N) | (off_Nm > WRONG_NM)
        total.wrong += int(wrong.sum())
        total.worst_N = max(total.worst_N, float(np.nanmax(off_N)))
        total.worst_Nm = max(total.worst_Nm, float(np.nanmax(off_Nm)))


COLUMNS = {
    "measured: known": (("measured", "known"),),
    "unknown": (("measured", "unknown"),),
    "none": (("measured", "none"),),
    "not measured: known or none": (("not measured", "known"), ("not measured", "none")),
    "in the air: known": (("in the air", "known"),),
}


def table(names: Sequence[str]) -> list[str]:
    lines = head("scenario", *COLUMNS, "wrong", "largest error")
    for name in names:
        total = Count()
        for options in VARIANTS.values():
            count(name, options, total)
        cells = [sum(total.table.get(key, 0) for key in keys) for keys in COLUMNS.values()]
        lines.append(row(f"`{name}`", *cells, total.wrong, f"{total.worst_N:.0f} N, {total.worst_Nm:.1f} N·m"))
    return lines


def main() -> None:
    parser = parser_of(__doc__, "contacts")
    parser.add_argument("scenarios", nargs="*", help="these only")
    given = parser.parse_args()
    show(table(given.scenarios or list(SCENARIOS)), given.write and not given.scenarios, "contacts", "confusion")


if __name__ == "__main__":
    main()
