"""The list of docs/features.md, and features of recorded walks beside norms.

python benchmarks/features.py [--write]
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from common import SHARED, head, parser_of, row, show

from gaitid.analysis.cycle_curves import curves_of
from gaitid.analysis.features import features
from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.gait.cycles import Cycle
from gaitid.gait.feature_list import FEATURES, PHASES, REACHES, Feature
from gaitid.gait.features import CycleCurves, measure
from gaitid.gait.marker_events import GaitEvent
from gaitid.gait.spatiotemporal import Stride
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.trial import Array

#: Of each phase, for the page.
PHASE_WORDS = {
    "": "the whole cycle",
    "stance": "from strike to foot off",
    "swing": "from foot off to the next strike",
    "loading": "first quarter of stance",
    "early_stance": "first half of stance",
    "mid_stance": "middle half of stance",
    "late_stance": "second half of stance",
    "foot_off": "last fifth of stance and first 0.3 of swing",
    "late_swing": "second half of swing",
    "A1": "absorption by the plantarflexors while the shank goes forward over the foot",
    "A2": "generation by the plantarflexors at push-off",
    "K1": "absorption by the knee extensors in weight acceptance",
    "K2": "generation by the knee extensors in mid stance",
    "K3": "absorption by the knee extensors about foot off",
    "K4": "absorption by the knee flexors at the end of swing",
    "H1": "generation by the hip extensors in early stance",
    "H2": "absorption by the hip flexors in mid and late stance",
    "H3": "generation by the hip flexors about foot off (pull-off)",
}


#: By which letters the page names a source.
LETTERS = {
    "": "",
    "as tabulated everywhere": "",
    "Benedetti 1998": "B",
    "Perry & Burnfield 2010": "P",
    "Winter 1991": "W",
    "Winter 1991; Eng & Winter 1995": "E",
    "Hamill & Knutzen 2015": "H",
    "Milner 2006": "M",
    "Thorp 2006": "T",
    "Stebbins 2006": "S",
    "Hof 2008": "Hof",
    "Herr & Popovic 2008": "HP",
    "Takahashi 2012": "Ta",
}


def ending(feature: Feature) -> str:
    """What follows the stem in the name of a feature: kind and phase."""
    return f"{feature.kind}_{feature.phase}" if feature.phase and feature.name.endswith(feature.phase) else feature.kind


def lists() -> Iterator[str]:
    """Phases, then features, a line for each curve and unit."""
    yield from ("Phases:", "")
    for name, (first, last) in PHASES.items():
        reach = f"; its burst from {REACHES[name][0]:g} to {REACHES[name][1]:g}" if name in REACHES else ""
        yield f"- `{name or '–'}`, {first:g} to {last:g}: {PHASE_WORDS[name]}{reach}"
    yield from ("", "Features:", "")
    curves: dict[tuple[str, str], list[Feature]] = {}
    for feature in FEATURES:
        curves.setdefault((feature.name.removesuffix(ending(feature)), feature.unit), []).append(feature)
    for (stem, unit), found in curves.items():
        letters = {LETTERS[feature.source] for feature in found}
        once = f" [{letters.pop()}]" if len(letters) == 1 and letters != {""} else ""
        ends = (f"`{ending(f)}`{f' {f.words}' * bool(f.words)}{'' if once else letter(f)}" for f in found)
        yield f"- `{stem}…` ({unit}): {', '.join(ends)}{once}"


def letter(feature: Feature) -> str:
    return f" [{LETTERS[feature.source]}]" if LETTERS[feature.source] else ""


#: Schwartz 2008: the block of each column.
BLOCKS = {
    "hip_flexion_deg": ("Joint Rotations", "Hip Flex/Extension"),
    "knee_flexion_deg": ("Joint Rotations", "Knee Flex/Extension"),
    "ankle_dorsiflexion_deg": ("Joint Rotations", "Ankle"),
    "hip_extension_moment_Nm_per_kg": ("Joint Moments", "Hip Ext"),
    "hip_abduction_moment_Nm_per_kg": ("Joint Moments", "Hip Ab"),
    "knee_extension_moment_Nm_per_kg": ("Joint Moments", "Knee Ext"),
    "knee_abduction_moment_Nm_per_kg": ("Joint Moments", "Knee Ab"),
    "ankle_plantarflexion_moment_Nm_per_kg": ("Joint Moments", "Ankle"),
    "hip_power_W_per_kg": ("Joint Power", "Hip"),
    "knee_power_W_per_kg": ("Joint Power", "Knee"),
    "ankle_power_W_per_kg": ("Joint Power", "Ankle"),
    "ground_reaction_upward_N_per_kg": ("Ground Reaction Forces", "Vertical"),
}
SHOWN = (
    "hip_flexion_angle_range",
    "knee_flexion_angle_max_swing",
    "ankle_dorsiflexion_angle_max_stance",
    "hip_extension_moment_min_late_stance",
    "hip_abduction_moment_max_early_stance",
    "knee_extension_moment_max_early_stance",
    "knee_abduction_moment_max_early_stance",
    "ankle_plantarflexion_moment_max_late_stance",
    "hip_power_generation_max_H3",
    "knee_power_absorption_max_K3",
    "ankle_power_generation_max_A2",
    "ground_reaction_upward_force_max_early_stance",
)


def recorded() -> Iterator[str]:
    """Mean and standard deviation over the cycles of recorded walks, beside the features of Schwartz's mean curves."""
    groups = (
        [f"children/{child}" for child in ("HC002D", "HC030A", "HC031A", "HC036A")],
        ["sydney/walk03", "sydney/walk04", "sydney/walk05", "nexus_flatfoot"],
    )
    found = [np.concatenate([_of_walk(name) for name in names]) for names in groups]
    norm = _of_norm(SHARED.parent / "reference" / "norms" / "schwartz2008.csv")
    yield from head("feature", "4 children", "2 adults", "Schwartz 2008, children, free speed")
    for i, feature in enumerate(FEATURES):
        if feature.name not in SHOWN:
            continue
        cells = []
        for values in found:
            known = values[np.isfinite(values[:, i]), i]
            cells.append(f"{known.mean():.2f} ± {known.std(ddof=1):.2f} ({known.size})" if known.size > 1 else "–")
        of_norm = feature.column in BLOCKS and np.isfinite(norm[i]) and "work" not in feature.kind
        cells.append(f"{norm[i]:.2f}" if of_norm and "impulse" not in feature.kind else "–")
        yield row(f"`{feature.name}`", *cells)


def _of_walk(name: str) -> Array:
    path = SHARED / f"{name}.c3d"
    path = path if path.is_file() else SHARED / name / "walk.c3d"
    result = analyse(read_trial(path), load_model("pig"), SubjectFile())
    return features(result, curves_of(result)).value


def _of_norm(path: Path) -> Array:
    """(features,) of mean curves with foot off at 59 %; the impact at 0 to 4 % is left out as in smoothing.md."""
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    percent = np.linspace(0, 100, 101)
    values = np.full((1, 101, len(BLOCKS)), np.nan)
    for i, (column, (group, quantity)) in enumerate(BLOCKS.items()):
        block = [r for r in rows if r["group"] == group and r["quantity"].startswith(quantity)]
        curve = np.interp(percent, *(np.array([float(r[k]) for r in block]) for k in ("percent_cycle", "free_mean")))
        values[0, :, i] = curve * (9.81 if column.startswith("ground") else 1)
    side = "left"
    events = [GaitEvent(side, kind, at, "file") for kind, at in (("strike", 0.0), ("off", 0.59), ("strike", 1.0))]
    stride = Stride(Cycle(side, 1, *events, None, None), np.eye(3), {})
    impact = (percent <= 4)[None]
    curves = CycleCurves((stride,), tuple(BLOCKS), values, impact, values, values, 100.0)
    return measure(curves, 9.81, np.full((1, 3, 2), np.nan)).value[0]


def main() -> None:
    given = parser_of(__doc__, "features").parse_args()
    show(list(lists()), given.write, "features", "list")
    if SHARED.is_dir():
        print("", *recorded(), sep="\n")


if __name__ == "__main__":
    main()
