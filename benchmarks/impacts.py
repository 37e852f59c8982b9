"""The table of docs/smoothing.md about foot strikes: force cut-offs against the truth of simulated impacts.

python benchmarks/impacts.py [--write]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from common import head, parser_of, row, show
from simulated_trials import Simulated, simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.numerics.lowpass import lowpass
from gaitid.trial import Array, Trial

SAGITTAL = (("hip", "extension"), ("knee", "extension"))
FORCE_CUTOFFS = (None, 7.0, "matched")
SEEDS = (1, 2, 3)
NOISE_M = 0.3e-3


# --- simulated: the truth is known ----------------------------------------------------------------------------


def recorded(walk: Simulated, seed: int, smoothed_hz: float | None) -> Trial:
    """The walk as recorded with noise; where it was smoothed before, with what the filter left of the noise."""
    points = np.array(walk.trial.points_g)
    if seed:
        points += np.random.default_rng(seed).normal(0, NOISE_M, points.shape)
    if smoothed_hz is not None:
        points = lowpass(points, smoothed_hz, walk.trial.rate_hz)
    return replace(walk.trial, points_g=points)


def errors(walk: Simulated, trial: Trial, **settings: object) -> Array:
    """(stances, 2 joints, 2): RMS of the sagittal moment's error, N·m/kg, early in stance and later."""
    result = analyse(trial, load_model("pig", settings), SubjectFile())
    rate, found = trial.rate_hz, []
    for contact in (c for c in result.contacts if c.plates):
        (stance,) = (
            s for s in walk.walk.stances if s.side == contact.side and abs(s.on_s * rate - contact.first) < 0.15 * rate
        )
        on, off = int(np.ceil(stance.on_s * rate)), int(stance.off_s * rate)
        # the low-pass of markers and force reaches beyond both ends
        early, late = slice(on - 5, on + round(0.1 * (off - on))), slice(on + round(0.1 * (off - on)), off + 5)
        row = []
        for joint, way in SAGITTAL:
            truth = walk.truth.clinical[f"{contact.side}_{joint}_{way}_moment_Nm_per_kg"]
            error = result.sides[contact.side].moments[joint][way] - truth
            row.append([rms(error[early]), rms(error[late])])
        found.append(row)
    return np.array(found)


def plates(force: object) -> dict[str, object]:
    """The settings of a force cut-off."""
    if force == "matched":
        return {"force_cutoff_hz": "none", "joint_loads": "matched"}
    return {"force_cutoff_hz": "none" if force is None else force}


def words(force: object) -> str:
    return "matched" if force == "matched" else "none" if force is None else f"{force:g} Hz"


def rms(values: Array) -> float:
    return float(np.sqrt(np.nanmean(values**2)))


def simulated_table() -> Iterator[str]:
    yield from head(
        "simulated", "plates", *(f"{joint}, {when}" for joint, _ in SAGITTAL for when in ("early", "later"))
    )
    none, taken, passed = (
        simulated_walk(),
        simulated_walk(impact_bw=0.4, impact_absorbed=1.0),
        simulated_walk(impact_bw=0.4),
    )
    cases: tuple[tuple[str, Simulated, tuple[int, ...], float | None, object], ...] = (
        ("no impact, 7 Hz", none, SEEDS, None, 7.0),
        ("taken by inertia, 7 Hz", taken, SEEDS, None, 7.0),
        ("taken by inertia, markers exact", taken, (0,), None, "none"),
        ("passed on by stiff joints, 7 Hz", passed, SEEDS, None, 7.0),
    )
    for title, walk, seeds, smoothed_hz, cutoff in cases:
        trials = [recorded(walk, seed, smoothed_hz) for seed in seeds]
        for force in FORCE_CUTOFFS:
            settings = {"cutoff_hz": cutoff, **plates(force)}
            found = np.concatenate([errors(walk, trial, **settings) for trial in trials]).mean(axis=0)
            yield row(title, words(force), *(f"{v:.3f}" for both in found for v in both))


def main() -> None:
    given = parser_of(__doc__, "smoothing").parse_args()
    show(list(simulated_table()), given.write, "smoothing", "impacts")


if __name__ == "__main__":
    main()
