"""Two feet on one plate, recorded: the plates of each shared trial made one (docs/contacts.md).

    python benchmarks/merged_plates.py

The forces of all plates are added up on one rectangle around them, as a treadmill with one belt has it, and the trial
is analysed again, without its events. Each foot's load that is then known is held against the
one that its own plate told.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from attack_trials import RECORDED, Case, recorded_case
from common import SHARED, head
from common import row as table_row

from gaitid.analysis.pipeline import analyse
from gaitid.errors import GaitidError
from gaitid.ground.contacts import LOADED, UNKNOWN
from gaitid.numerics.masks import spans
from gaitid.trial import Array, ForcePlate, Trial

#: m. Plates whose surfaces are farther apart in height are no one plate.
LEVEL = 0.02
#: N and frames: a load that is wrong by more for longer is a wrong one (issue 13's measure).
WRONG_N, WRONG_FRAMES = 20.0, 2


def axes_of(plate: ForcePlate) -> tuple[Array, Array]:
    """(3, 3) plate axes in laboratory axes, by its corners, and the centre of its surface, m."""
    one, two, _, four = plate.corners_g
    x = one - two
    z = np.cross(x, one - four)
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z]), plate.corners_g.mean(axis=0)


def merged(trial: Trial) -> Trial | None:
    """The trial with one plate in place of all; None where they do not lie in one plane or differ in their clocks."""
    plates = [p for p in trial.plates if p.outlined]
    if len(plates) < 2 or len({(p.rate_hz, p.start_s, len(p.force_p)) for p in plates}) > 1:
        return None
    R_gp, _ = axes_of(plates[0])
    corners = np.concatenate([p.corners_g for p in plates]) @ R_gp
    if np.ptp(corners[:, 2]) > LEVEL:
        return None
    (x0, y0), (x1, y1), z = corners[:, :2].min(axis=0), corners[:, :2].max(axis=0), corners[:, 2].mean()
    centre = np.array([(x0 + x1) / 2, (y0 + y1) / 2, z])
    force, moment = np.zeros_like(plates[0].force_p), np.zeros_like(plates[0].force_p)
    for plate in plates:
        R_gq, middle = axes_of(plate)
        f, m = plate.force_p @ R_gq.T, plate.moment_p @ R_gq.T
        sensor = middle + R_gq @ plate.sensor_p
        force += f @ R_gp
        moment += (m + np.cross(sensor - R_gp @ centre, f)) @ R_gp
    one = replace(
        plates[0],
        number=1,
        corners_g=np.array([[x1, y1, z], [x0, y1, z], [x0, y0, z], [x1, y0, z]]) @ R_gp.T,
        sensor_p=np.zeros(3),
        force_p=force,
        moment_p=moment,
        R_pc=None,
        channels=("Fx", "Fy", "Fz"),
    )
    return replace(trial, plates=(one,), refused_plates={}, assignments=())


def row(case: Case) -> str | None:
    """A row of the table: trial, frames of both feet together, frames known of one foot, the largest error."""
    trial = merged(case.trial)
    if trial is None:
        return None
    try:
        result = analyse(replace(trial, events=()), case.model, case.subject, case.static)
    except GaitidError as error:
        return f"| {case.name} | {error} |"
    apart = case.result.sides
    states = {side: np.asarray(apart[side].load.state) for side in apart}
    if len(states) < 2:
        return None
    told = np.logical_and.reduce([s != UNKNOWN for s in states.values()])
    alone = told & (sum((s == LOADED).astype(int) for s in states.values()) == 1)
    both = told & np.logical_and.reduce([s == LOADED for s in states.values()])
    known, worst, wrong = 0, 0.0, 0
    for side in apart:
        found = np.asarray(result.sides[side].load.state)
        mine = alone & (states[side] == LOADED)
        known += int((mine & (found == LOADED)).sum())
        off = np.linalg.norm(result.sides[side].load.wrench.f_g - apart[side].load.wrench.f_g, axis=1)
        off[~told | (found == UNKNOWN)] = 0.0
        worst = max(worst, float(off.max(initial=0.0)))
        for a, b in spans(off > WRONG_N):
            wrong += b - a > WRONG_FRAMES
    share = known / alone.sum() if alone.any() else np.nan
    return table_row(case.name, both.sum(), alone.sum(), f"{share:.1%}", f"{worst:.0f} N", wrong)


def main() -> None:
    columns = ("frames of both feet", "of one foot", "of these known", "largest error", "loads wrong")
    print(*head("trial", *columns), sep="\n")
    for recorded in RECORDED:
        if (SHARED / recorded.file).is_file() and (line := row(recorded_case(recorded))):
            print(line, flush=True)


if __name__ == "__main__":
    main()
