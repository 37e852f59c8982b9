"""CGM 2.4 against what a recorded walk stores of it: the shared trial wild/cgm24, which has no static.

    python benchmarks/cgm24_walk.py

By model and quantity the mean and the standard deviation of the difference from the stored angles, degrees, and the
root mean square distance of joint centres from the stored ones, mm. The mean is what the absent static would set; the
standard deviation is how far the same motion is read otherwise. All without a filter, as the stored outputs are.
"""

from __future__ import annotations

import numpy as np
from common import SHARED

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.trial import Array, Trial

TRIAL = SHARED / "wild/cgm24/walk.c3d"
MODELS = ("pig", "cgm21", "cgm22", "cgm23", "cgm24")
#: Columns of `joints.csv` in the order in which the file stores a joint's three angles.
ANGLES = {
    "Pelvis": ("pelvis", ("anterior_tilt", "upward_obliquity", "internal_rotation")),
    "Hip": ("hip", ("flexion", "adduction", "internal_rotation")),
    "Knee": ("knee", ("flexion", "adduction", "internal_rotation")),
    "Ankle": ("ankle", ("dorsiflexion", "eversion", "internal_rotation")),
}
CENTRES = {"hip": "HJC", "knee": "KJC", "ankle": "AJC"}


def stored() -> dict[str, Array]:
    """(frames, 3) outputs of CGM 2.4 in the file by their names without the suffix, in the file's units."""
    import ezc3d

    file = ezc3d.c3d(str(TRIAL))
    labels = file["parameters"]["POINT"]["LABELS"]["value"]
    points = file["data"]["points"][:3].transpose(1, 2, 0)
    return {
        label.removesuffix("_CGM_2.4"): points[labels.index(label)] for label in labels if label.endswith("_CGM_2.4")
    }


def analysed(trial: Trial, model: str) -> Result:
    return analyse(trial, load_model(model, {"cutoff_hz": "none"}), SubjectFile())


def differences(result: Result, outputs: dict[str, Array]) -> dict[str, tuple[float, float]]:
    """Mean and standard deviation of angles, deg; root mean square distance of joint centres, mm, and nothing."""
    found: dict[str, tuple[float, float]] = {}
    for side, leg in result.sides.items():
        for name, (joint, columns) in ANGLES.items():
            for i, column in enumerate(columns):
                off = leg.angles[joint][column] - outputs[f"{side[0].upper()}{name}Angles"][:, i]
                # the file tells how the pelvis turns in the room, not on its way
                off = (off + 90) % 180 - 90 if (joint, i) == ("pelvis", 2) else off
                found[f"{side} {joint} {column}"] = float(np.nanmean(off)), float(np.nanstd(off))
        for joint, label in CENTRES.items():
            apart = np.linalg.norm(1e3 * leg.joints_g[joint] - outputs[f"{side[0].upper()}{label}"], axis=1)
            found[f"{side} {joint} centre"] = float(np.sqrt(np.nanmean(apart**2))), float("nan")
    return found


def main() -> None:
    trial, outputs = read_trial(TRIAL), stored()
    table = {model: differences(analysed(trial, model), outputs) for model in MODELS}
    print(f"{'':34}" + "".join(f"{model:>16}" for model in MODELS))
    for name in table["pig"]:
        cells = (table[model][name] for model in MODELS)
        print(f"{name:34}" + "".join(f"{a:9.2f}" + (f" ±{b:5.2f}" if b == b else "       ") for a, b in cells))


if __name__ == "__main__":
    main()
