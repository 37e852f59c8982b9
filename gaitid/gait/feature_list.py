"""The list of features: what each row of ``walk.features.csv`` is, where in the cycle it is looked for, and by whom.

One row here is one row a cycle in the file, in this order. docs/features.md is made from this list.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from gaitid.records import NamedTuple

#: Where in the cycle: 0 to 1 is the stance from strike to off, 1 to 2 the swing. Unlike percents of the cycle these
#: fit slow and fast walking, and running.
PHASES: Mapping[str, tuple[float, float]] = {
    "": (0.0, 2.0),
    "stance": (0.0, 1.0),
    "swing": (1.0, 2.0),
    "loading": (0.0, 0.25),
    "early_stance": (0.0, 0.5),
    "mid_stance": (0.25, 0.75),
    "late_stance": (0.5, 1.0),
    "foot_off": (0.8, 1.3),
    "late_swing": (1.5, 2.0),
    # bursts of power: where their peak lies
    "A1": (0.0, 0.8),
    "A2": (0.5, 1.1),
    "K1": (0.0, 0.4),
    "K2": (0.15, 0.7),
    "K3": (0.6, 1.5),
    "K4": (1.5, 2.0),
    "H1": (0.0, 0.5),
    "H2": (0.3, 1.0),
    "H3": (0.7, 1.6),
}
#: In these an extreme is the greatest or smallest value; in the others it has to be a peak, with a fall on both sides.
WHOLE = frozenset({"", "stance", "swing"})
#: How far a burst of power may reach to either side of its peak, where its sign does not change before.
REACHES: Mapping[str, tuple[float, float]] = {
    "A1": (0.0, 1.0),
    "A2": (0.3, 1.2),
    "K1": (0.0, 0.5),
    "K2": (0.1, 0.8),
    "K3": (0.5, 1.5),
    "K4": (1.4, 2.0),
    "H1": (0.0, 0.7),
    "H2": (0.2, 1.1),
    "H3": (0.5, 2.0),
}

BENEDETTI = "Benedetti 1998"
WINTER = "Winter 1991"
ENG = "Winter 1991; Eng & Winter 1995"
PERRY = "Perry & Burnfield 2010"
HAMILL = "Hamill & Knutzen 2015"
MILNER = "Milner 2006"
THORP = "Thorp 2006"
STEBBINS = "Stebbins 2006"
HOF = "Hof 2008"
HERR = "Herr & Popovic 2008"
TAKAHASHI = "Takahashi 2012"
RANGE = "as tabulated everywhere"


class Feature(NamedTuple):
    """One feature.

    Attributes
    ----------
    name : str
    column : str
        Of ``walk.cycles.csv``.
    kind : str
        How its value comes from the column: one of `KINDS`.
    phase : str
        One of `PHASES`.
    unit : str
    source : str
        Who tabulates it.
    words : str
        What it is called, where the name does not say it.
    """

    name: str
    column: str
    kind: str
    phase: str
    unit: str
    source: str
    words: str = ""


#: What each kind of feature is.
KINDS: Mapping[str, str] = {
    "max": "greatest value",
    "min": "smallest value",
    "range": "greatest less smallest value",
    "mean": "mean over the rows of the phase",
    "at_strike": "value at the strike",
    "at_opposite_off": "value when the other foot leaves the ground",
    "at_off": "value at foot off",
    "impulse_positive": "integral over time of what is above zero",
    "impulse_negative": "integral over time of what is below zero (0 or negative)",
    "work_positive": "integral over time of what is above zero",
    "work_negative": "integral over time of what is below zero (0 or negative)",
    "work_net": "the sum of both",
    "generation_max": "peak of the power generated",
    "absorption_max": "peak of the power absorbed, as a positive number",
    "generation_work": "area of the burst that holds this peak",
    "absorption_work": "area of the burst that holds this peak, as a positive number",
    "loading_rate_mean": "slope between 20 and 80 % of the time from the strike to the impact peak",
    "loading_rate_max": "greatest slope within 50 ms of the strike",
    "impact_peak": "first peak, where it comes within 50 ms of the strike",
}

_ANGLES = (
    "foot_progression_internal_rotation",
    "pelvis_anterior_tilt",
    "pelvis_upward_obliquity",
    "pelvis_internal_rotation",
    "hip_flexion",
    "hip_adduction",
    "hip_internal_rotation",
    "knee_flexion",
    "knee_adduction",
    "knee_internal_rotation",
    "ankle_dorsiflexion",
    "ankle_eversion",
    "ankle_internal_rotation",
)
#: Of models with a foot of several segments: listed where these columns are there.
_OF_FOOT = (
    "hindfoot_tibia_dorsiflexion",
    "hindfoot_tibia_inversion",
    "hindfoot_tibia_internal_rotation",
    "forefoot_hindfoot_dorsiflexion",
    "forefoot_hindfoot_supination",
    "forefoot_hindfoot_adduction",
    "forefoot_tibia_dorsiflexion",
    "forefoot_tibia_supination",
    "forefoot_tibia_adduction",
    "hallux_forefoot_dorsiflexion",
)
_MOMENTS = (
    "hip_extension",
    "hip_abduction",
    "hip_external_rotation",
    "knee_extension",
    "knee_abduction",
    "knee_external_rotation",
    "ankle_plantarflexion",
    "ankle_eversion",
    "ankle_external_rotation",
)
_JOINTS = ("hip", "knee", "ankle")
# (kind, phase, who, in words) of single columns
_OF_ANGLES: Mapping[str, tuple[tuple[str, str, str, str], ...]] = {
    "foot_progression_internal_rotation": (("mean", "stance", PERRY, "foot progression (negative: out-toeing)"),),
    "pelvis_anterior_tilt": (("mean", "", PERRY, ""),),
    "hip_flexion": (
        ("at_opposite_off", "", BENEDETTI, "H2"),
        ("min", "stance", BENEDETTI, "H3, greatest extension in stance"),
        ("max", "swing", BENEDETTI, "H5"),
    ),
    "hip_adduction": (
        ("max", "stance", BENEDETTI, "H8"),
        ("min", "swing", BENEDETTI, "H9, greatest abduction in swing"),
    ),
    "hip_internal_rotation": (
        ("mean", "stance", PERRY, ""),
        ("max", "stance", BENEDETTI, "H11"),
        ("min", "swing", BENEDETTI, "H12, greatest external rotation in swing"),
    ),
    "knee_flexion": (
        ("at_opposite_off", "", BENEDETTI, "K2"),
        ("max", "early_stance", PERRY, "flexion wave of the loading response"),
        ("min", "stance", BENEDETTI, "K3, greatest extension in stance"),
        ("min", "late_stance", PERRY, "greatest extension in terminal stance"),
        ("max", "swing", BENEDETTI, "K5"),
    ),
    "knee_adduction": (
        ("max", "stance", BENEDETTI, "K8"),
        ("min", "swing", BENEDETTI, "K9, greatest abduction in swing"),
    ),
    "knee_internal_rotation": (
        ("max", "stance", BENEDETTI, "K11"),
        ("min", "swing", BENEDETTI, "K12, greatest external rotation in swing"),
    ),
    "ankle_dorsiflexion": (
        ("at_opposite_off", "", BENEDETTI, "A2"),
        ("min", "loading", PERRY, "plantarflexion of the loading response"),
        ("max", "stance", BENEDETTI, "A3"),
        ("min", "foot_off", BENEDETTI, "A5, greatest plantarflexion about foot off"),
        ("max", "swing", PERRY, ""),
    ),
    "ankle_eversion": (
        ("max", "stance", BENEDETTI, "A8"),
        ("min", "swing", BENEDETTI, "A9, greatest inversion in swing"),
    ),
}
_OF_MOMENTS: Mapping[str, tuple[tuple[str, str, str, str], ...]] = {
    "hip_extension": (
        ("max", "early_stance", BENEDETTI, "HM1, extensor moment"),
        ("min", "late_stance", BENEDETTI, "HM2, flexor moment"),
        ("max", "late_swing", WINTER, "extensor moment at the end of swing"),
    ),
    "hip_abduction": (
        ("max", "early_stance", BENEDETTI, "HM3, first peak"),
        ("min", "mid_stance", ENG, "trough between the peaks"),
        ("max", "late_stance", BENEDETTI, "HM4, second peak"),
    ),
    "hip_external_rotation": (
        ("max", "stance", BENEDETTI, "HM5"),
        ("min", "stance", BENEDETTI, "HM6, internal rotation"),
    ),
    "knee_extension": (
        ("min", "loading", BENEDETTI, "KM1, first flexor moment"),
        ("max", "early_stance", BENEDETTI, "KM2, extensor moment of the loading response"),
        ("min", "late_stance", BENEDETTI, "KM3, second flexor moment"),
        ("max", "foot_off", WINTER, "extensor moment about foot off"),
        ("min", "late_swing", WINTER, "flexor moment at the end of swing"),
    ),
    "knee_abduction": (
        ("min", "loading", BENEDETTI, "KM4, adductor moment"),
        ("max", "early_stance", BENEDETTI, "KM5, first peak"),
        ("min", "mid_stance", ENG, "trough between the peaks"),
        ("max", "late_stance", BENEDETTI, "KM6, second peak"),
    ),
    "knee_external_rotation": (
        ("max", "stance", BENEDETTI, "KM8"),
        ("min", "stance", BENEDETTI, "KM7, internal rotation"),
    ),
    "ankle_plantarflexion": (
        ("min", "loading", BENEDETTI, "AM1, dorsiflexor moment of the loading response"),
        ("max", "late_stance", BENEDETTI, "AM2"),
    ),
    "ankle_eversion": (("max", "stance", BENEDETTI, "AM3"), ("min", "stance", BENEDETTI, "AM4, inversion")),
    "ankle_external_rotation": (("max", "stance", ENG, ""), ("min", "stance", ENG, "internal rotation")),
}
_BURSTS = (
    ("hip", "generation", "H1"),
    ("hip", "absorption", "H2"),
    ("hip", "generation", "H3"),
    ("knee", "absorption", "K1"),
    ("knee", "generation", "K2"),
    ("knee", "absorption", "K3"),
    ("knee", "absorption", "K4"),
    ("ankle", "absorption", "A1"),
    ("ankle", "generation", "A2"),
)
_OF_GROUND: tuple[tuple[str, str, str, str, str], ...] = (
    ("upward", "max", "", HAMILL, ""),
    ("upward", "max", "early_stance", PERRY, "F1, first peak"),
    ("upward", "min", "mid_stance", PERRY, "F2, trough"),
    ("upward", "max", "late_stance", PERRY, "F3, second peak"),
    ("forward", "min", "early_stance", PERRY, "peak of braking"),
    ("forward", "max", "late_stance", PERRY, "peak of propulsion"),
    ("lateral", "max", "stance", HAMILL, "to the foot's own side"),
    ("lateral", "min", "stance", HAMILL, "to the middle"),
)


def _joined(*parts: str) -> str:
    return "_".join(part for part in parts if part)


def _angles() -> Iterator[Feature]:
    for angle in _ANGLES:
        name, column = f"{angle}_angle", f"{angle}_deg"
        for kind in ("max", "min", "range", "at_strike", "at_off"):
            yield Feature(f"{name}_{kind}", column, kind, "", "deg", RANGE)
        for kind, phase, source, words in _OF_ANGLES.get(angle, ()):
            yield Feature(_joined(name, kind, phase), column, kind, phase, "deg", source, words)


def _foot() -> Iterator[Feature]:
    columns = [(f"{angle}_angle", f"{angle}_deg", "deg") for angle in _OF_FOOT]
    columns += [("arch_height_mm", "arch_height_mm", "mm"), ("arch_height_index", "arch_height_index", "percent")]
    for name, column, unit in columns:
        for kind in ("max", "min", "range", "at_strike", "at_off"):
            yield Feature(f"{name}_{kind}", column, kind, "", unit, STEBBINS)
    name, column = "distal_foot_power", "distal_foot_power_W_per_kg"
    for kind in ("generation_max", "absorption_max"):
        yield Feature(f"{name}_{kind}", column, kind, "", "W_per_kg", TAKAHASHI)
    for kind in ("work_positive", "work_negative", "work_net"):
        yield Feature(f"{name}_{kind}", column, kind, "", "J_per_kg", TAKAHASHI)


def _moments() -> Iterator[Feature]:
    for moment in _MOMENTS:
        name, column = f"{moment}_moment", f"{moment}_moment_Nm_per_kg"
        for kind in ("max", "min"):
            yield Feature(f"{name}_{kind}", column, kind, "", "Nm_per_kg", RANGE)
        for kind, phase, source, words in _OF_MOMENTS[moment]:
            yield Feature(_joined(name, kind, phase), column, kind, phase, "Nm_per_kg", source, words)
        for kind in ("impulse_positive", "impulse_negative"):
            yield Feature(f"{name}_{kind}_stance", column, kind, "stance", "Nms_per_kg", THORP)


def _powers() -> Iterator[Feature]:
    for joint in _JOINTS:
        name, column = f"{joint}_power", f"{joint}_power_W_per_kg"
        for kind in ("generation_max", "absorption_max"):
            yield Feature(f"{name}_{kind}", column, kind, "", "W_per_kg", RANGE)
        for of_joint, way, burst in _BURSTS:
            if of_joint == joint:
                yield Feature(f"{name}_{way}_max_{burst}", column, f"{way}_max", burst, "W_per_kg", ENG)
                yield Feature(f"{name}_{way}_work_{burst}", column, f"{way}_work", burst, "J_per_kg", ENG)
        for kind in ("work_positive", "work_negative", "work_net"):
            yield Feature(f"{name}_{kind}", column, kind, "", "J_per_kg", ENG)


def _ground() -> Iterator[Feature]:
    for way, kind, phase, source, words in _OF_GROUND:
        name, column = f"ground_reaction_{way}_force", f"ground_reaction_{way}_N_per_kg"
        yield Feature(_joined(name, kind, phase), column, kind, phase, "BW", source, words)
    for way, part, words in (
        ("upward", "positive", "support"),
        ("forward", "negative", "braking"),
        ("forward", "positive", "propulsion"),
        ("lateral", "negative", "to the middle"),
        ("lateral", "positive", "to the foot's own side"),
    ):
        name, column, kind = f"ground_reaction_{way}", f"ground_reaction_{way}_N_per_kg", f"impulse_{part}"
        yield Feature(f"{name}_{kind}_stance", column, kind, "stance", "BW_s", HAMILL, words)
    name, column = "ground_reaction_upward", "ground_reaction_upward_N_per_kg"
    yield Feature(f"{name}_force_impact_peak", column, "impact_peak", "stance", "BW", MILNER)
    for kind in ("loading_rate_mean", "loading_rate_max"):
        yield Feature(f"{name}_{kind}", column, kind, "stance", "BW_per_s", MILNER)


def _stability() -> Iterator[Feature]:
    ways = ("anterior", "at_strike", ""), ("posterior", "at_strike", ""), ("lateral", "at_strike", "")
    for way, kind, phase in (*ways, ("lateral", "min", "stance")):
        name = f"margin_of_stability_{way}"
        yield Feature(_joined(name, kind, phase), f"{name}_m", kind, phase, "m", HOF)
    for plane in ("frontal", "sagittal", "transverse"):
        name = f"whole_body_angular_momentum_{plane}"
        yield Feature(f"{name}_range", f"{name}_normalised", "range", "", "normalised", HERR)


def _listed(*groups: Iterable[Feature]) -> tuple[Feature, ...]:
    return tuple(feature for group in groups for feature in group)


FEATURES = _listed(_angles(), _moments(), _powers(), _ground(), _foot(), _stability())
#: Columns whose features are left out where a model has them not, or where nobody asks for them.
OPTIONAL = frozenset(feature.column for feature in _listed(_foot(), _stability()))


class Asymmetry(NamedTuple):
    """Of one feature.

    Attributes
    ----------
    difference : float
        Left less right, in the feature's unit; NaN where either is unknown.
    ratio : float
        Left over right (Patterson et al. 2010, Gait Posture 31:241-246). NaN of an angle, whose zero is a convention of
        its axes (not of its range), and where either is not above zero.
    """

    difference: float
    ratio: float


def asymmetry(left: float, right: float, feature: str, unit: str) -> Asymmetry:
    """That of a feature of both sides, with its name and unit as ``features.csv`` has them."""
    positive = has_ratio(feature, unit) and left > 0 and right > 0
    return Asymmetry(left - right, left / right if positive else math.nan)


def has_ratio(feature: str, unit: str) -> bool:
    """Whether zero means none of it: of all but angles, and of their ranges."""
    return unit != "deg" or feature.endswith("_range")
