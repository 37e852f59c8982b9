"""The simulated walker with the markers of any laboratory on the bones, and what is exactly true of it.

Landmarks lie where the models take them to lie: epicondyles on the knee's axis on both sides of its centre, malleoli
likewise about the ankle, spines of the pelvis such that a model's own regression gives the hip of the bones. Labels are
those of a bundled marker set. Everything else follows from the bones that the simulator moves: frames by a few lines
of their own here, angles by SciPy, wrenches by the simulator's momentum principle, each body as the table has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation, RotationSpline

from gaitid.analysis.choice import Recording, choose_model
from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.model.marker_sets import MarkerSet, bundled_marker_sets, load_marker_set
from gaitid.numerics.jet import apply
from gaitid.simulate.body import (
    COM_FRACTION,
    GYRATION_FRACTION,
    MASS_FRACTION,
    SIDES,
    SIGN,
    Skeleton,
    Subject,
    foot_markers,
)
from gaitid.simulate.loads import GRAVITY
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.walk import DISTAL, Moving, Walk, spin_of, wrench_needed
from gaitid.simulate.walk_setup import simulate_walk
from gaitid.trial import Array, ForcePlate, Trial

#: Tape measure from ASIS to malleolus, m: all that a regression takes that no marker shows.
LEG_LENGTH = 0.92
MEDIAL = frozenset({"knee_medial", "ankle_medial"})
KNEES_AND_ANKLES = frozenset({*MEDIAL, "knee_lateral", "ankle_lateral"})
CLUSTERS = {"pelvis_cluster": "pelvis", "thigh_cluster": "thigh", "shank_cluster": "shank", "foot_cluster": "foot"}
#: The simulator's segment that markers of each place are fixed to, and the joint that they are measured from.
BONES = {"thigh": ("thigh", "knee"), "shank": ("torsioned_shank", "ankle"), "foot": ("foot", "ankle")}


@dataclass(frozen=True)
class Family:
    """Markers of one laboratory, and the model that they are for.

    Attributes
    ----------
    marker_set, model : str
    hips : str
        The regression that gives the walker's hips: ``davis``, ``harrington`` or ``hayes``.
    static : bool
        Whether there is a static.
    static_only : frozenset of str
        Landmarks that the walk lacks.
    without : frozenset of str
        Landmarks and clusters that the marker set knows and this laboratory does not use.
    auto : str
        The model that `--model auto` takes, where it is another one.
    """

    marker_set: str
    model: str
    hips: str = "harrington"
    static: bool = True
    static_only: frozenset[str] = MEDIAL
    without: frozenset[str] = frozenset()
    auto: str = ""

    @property
    def read_as(self) -> str | None:
        """The marker set of a record; None where no bundled one has all its labels."""
        return "" if self.names_labels else self.marker_set if self.marker_set in bundled_marker_sets() else None

    @property
    def names_labels(self) -> bool:
        """Whether the model names the labels itself."""
        return self.model in ("pig", *CGM2)

    @property
    def plain(self) -> bool:
        """Whether it carries over angles of wands, which are exact where malleoli are square to the shank."""
        return self.model in ("pig", "cgm21")


#: The labels of laboratories: of bundled sets, and of such as are read word by word.
OF_LABORATORIES = {
    **bundled_marker_sets(),
    **{path.stem: path for path in (Path(__file__).parent / "marker_sets").glob("*.yaml")},
}
CGM2 = ("cgm21", "cgm22", "cgm23", "cgm24")
_PLAIN = frozenset({"thigh_cluster", "shank_cluster", "foot_cluster", "mt1", "mt2", "mt5"})
FAMILIES: Mapping[str, Family] = {
    "isb_bone_names": Family(
        "isb_bone_names",
        "ior",
        static_only=MEDIAL | {"mt1"},
        without=frozenset({"thigh_cluster", "shank_cluster", "foot_cluster"}),
    ),
    "gait2392": Family("gait2392", "cast", static_only=KNEES_AND_ANKLES),
    "opencap": Family("opencap", "cast"),
    "rajagopal": Family("rajagopal", "cast"),
    "rbds": Family("rbds", "ior"),
    "visual3d": Family("visual3d", "cast", static_only=KNEES_AND_ANKLES),
    "rtosim": Family("rtosim", "landmarks", static=False, static_only=frozenset()),
    "helen_hayes_cortex": Family("helen_hayes_cortex", "helen_hayes", hips="hayes"),
    "keypoints": Family("keypoints", "keypoints", hips="davis", static=False, static_only=frozenset()),
    "plug_in_gait": Family("plug_in_gait", "pig", hips="davis"),
    "cmu": Family("cmu", "lateral", static=False, static_only=frozenset()),
    "cgm21": Family("pycgm2", "cgm21", hips="hara", without=_PLAIN, auto="pig"),
    "cgm22": Family("pycgm2", "cgm22", hips="hara", without=_PLAIN, auto="pig"),
    "cgm23": Family("pycgm2", "cgm23", hips="hara", without=frozenset({"mt1", "mt2", "mt5"})),
    "cgm24": Family("pycgm2", "cgm24", hips="hara", static_only=MEDIAL | {"mt2"}),
}
#: Of each model by landmarks a family that judges it.
FAMILY_OF = {
    "ior": "isb_bone_names",
    "cast": "visual3d",
    "landmarks": "rtosim",
    "helen_hayes": "helen_hayes_cortex",
    "keypoints": "keypoints",
    "lateral": "cmu",
    **{name: name for name in CGM2},
}


def hip_p(subject: Subject, side: str, regression: str) -> Array:
    """(3,) hip centre from the middle of the ASIS, m, pelvis axes."""
    depth, width = subject.pelvis_depth_m, subject.inter_asis_distance_m
    if regression == "hayes":
        return np.array([-0.22, 0.32 * SIGN[side], -0.34]) * width
    if regression == "hara":  # Hara et al. 2016, from the skin: half a marker and a base plate of 2 mm farther back
        forward = 0.011 - 0.063 * LEG_LENGTH - (subject.marker_diameter_m / 2 + 0.002)
        return np.array([forward, SIGN[side] * (0.008 + 0.086 * LEG_LENGTH), -0.009 - 0.078 * LEG_LENGTH])
    # Harrington et al. 2007, table 5
    return np.array(
        [
            -0.24 * depth - 0.0099,
            SIGN[side] * (0.28 * depth + 0.16 * width + 0.0079),
            -0.16 * width - 0.04 * LEG_LENGTH - 0.0071,
        ]
    )


def places(subject: Subject, side: str, plain: bool) -> dict[str, tuple[str, Array]]:
    """For each landmark of a side the segment that it is fixed to, and its place there, m, the simulator's axes.

    The conventional model (`plain`) takes the malleoli to be square to the shank, and wands to lie in its planes.
    """
    sg, leg = SIGN[side], subject.legs[side]
    knee, ankle = (0.5 * (width + subject.marker_diameter_m) for width in (leg.knee_width_m, leg.ankle_width_m))
    # the lateral malleolus is lower than the medial one, and behind it
    across = np.array([0.0, 1.0, 0.0]) if plain else np.array([-0.25, 0.95, -0.19])
    out = np.array([1.0, sg, 1.0])
    toe = foot_markers(subject, side)[f"{side[0].upper()}TOE"]
    back = 0.0 if plain else 1.0
    return {
        "asis": ("pelvis", out * [0.0, 0.5 * subject.inter_asis_distance_m, 0.0]),
        "psis": ("pelvis", out * [-subject.pelvis_depth_m, 0.5 * subject.psis_distance_m, 0.0]),
        "iliac_crest": ("pelvis", out * [-0.06, 0.140, 0.070]),
        "trochanter": ("thigh", out * [-0.010, 0.090, leg.thigh_m - 0.010]),
        "thigh_wand": ("thigh", out * [0.020 * back, 0.115, 0.200]),
        "knee_lateral": ("thigh", out * [0.0, knee, 0.0]),
        "knee_medial": ("thigh", out * [0.0, -knee, 0.0]),
        "fibular_head": ("shank", out * [-0.025, 0.055, leg.shank_m - 0.030]),
        "tibial_tuberosity": ("shank", out * [0.045, 0.004, leg.shank_m - 0.060]),
        "shank_wand": ("shank", out * [-0.015 * back, 0.095, 0.180]),
        "ankle_lateral": ("shank", out * ankle * across),
        "ankle_medial": ("shank", -out * ankle * across),
        # foot axes: x up, z toward the heel
        "heel": ("foot", toe + [0.012 * back, 0.0, leg.heel_toe_m]),
        "toe": ("foot", toe),
        "mt1": ("foot", toe + out * [-0.012, -0.042, 0.010]),
        "mt2": ("foot", toe + out * [0.004, -0.008, 0.006]),
        "mt5": ("foot", toe + out * [-0.020, 0.048, 0.036]),
        "knee_point": ("thigh", np.zeros(3)),
        "ankle_point": ("shank", np.zeros(3)),
        "big_toe": ("foot", toe + out * [-0.02, -0.030, -0.050]),
        "small_toe": ("foot", toe + out * [-0.02, 0.045, -0.005]),
        "heel_point": ("foot", toe + [-0.01, 0.0, leg.heel_toe_m - 0.01]),
    }


def cluster(name: str, side: str, n: int) -> list[Array]:
    """Places of n tracking markers on a segment, m: on the skin around it, nowhere near one line."""
    draw = np.random.default_rng([len(name), side == "left"])
    middle = {"pelvis": [-0.15, 0.0, 0.05], "thigh": [0.0, 0.0, 0.2], "shank": [0.0, 0.0, 0.2], "foot": [-0.03, 0.0, 0]}
    angle = np.linspace(0.3, 4.0, n)
    ring = np.stack([0.06 * np.cos(angle), 0.06 * np.sin(angle), 0.12 * (angle % 0.9)], axis=1)
    return list(np.array(middle[CLUSTERS[name]]) + ring + draw.uniform(-0.01, 0.01, (n, 3)))


@dataclass(frozen=True, eq=False)
class Standing:
    """Bones at some instants: rotations (frames, 3, 3) and points (frames, 3), m, laboratory axes."""

    rotation: Mapping[str, Array]
    point: Mapping[str, Array]

    @staticmethod
    def of(skeleton: Skeleton) -> Standing:
        return Standing(
            {name: r.value for name, r in skeleton.rotation.items()},
            {name: p.value for name, p in skeleton.point.items()},
        )

    def place(self, side: str, segment: str, local: Array) -> Array:
        """(frames, 3) where something fixed to a segment is."""
        if segment == "pelvis":
            return np.asarray(self.point["pelvis"] + self.rotation["pelvis"] @ local)
        bone, joint = BONES[segment]
        return np.asarray(self.point[f"{side}_{joint}"] + self.rotation[f"{side}_{bone}"] @ local)

    def landmarks(self, subject: Subject, side: str, plain: bool) -> dict[str, Array]:
        found = {name: self.place(side, *where) for name, where in places(subject, side, plain).items()}
        return found | {"hip_point": self.point[f"{side}_hip"]}


@dataclass(frozen=True, eq=False)
class Marked:
    """A walk recorded by one laboratory.

    Attributes
    ----------
    family : Family
    walk : Walk
    bones, standing : Standing
        In the walk and in the static.
    trial : Trial
    static : Trial or None
    roles : mapping of str to (side, landmark)
        Of each label of both.
    """

    family: Family
    walk: Walk
    bones: Standing
    standing: Standing
    trial: Trial
    static: Trial | None
    roles: Mapping[str, tuple[str, str]]

    @property
    def subject(self) -> Subject:
        return self.walk.subject

    def landmarks(self, side: str, standing: bool = False) -> dict[str, Array]:
        """(frames, 3) true places of landmarks, also of those that nobody marked."""
        bones = self.standing if standing else self.bones
        return bones.landmarks(self.subject, side, self.family.plain)


def stored(subject: Subject) -> dict[str, float]:
    """What the files say of the subject, in their own units: nothing that markers show."""
    values = {"Bodymass": subject.mass_kg, "MarkerDiameter": 1e3 * subject.marker_diameter_m}
    for side, leg in subject.legs.items():
        letter = side[0].upper()
        values[f"{letter}LegLength"] = 1e3 * (LEG_LENGTH if subject.hips_p else leg.leg_length_m)
        values[f"{letter}AsisTrocanterDistance"] = 1e3 * leg.asis_trocanter_distance_m
    return values


@cache
def marked(name: str, **options: float) -> Marked:
    """The walk of a family; `options` are those of `WalkSettings`."""
    family = FAMILIES[name]
    subject = Subject()
    if family.hips != "davis":
        subject = replace(subject, hips_p={side: hip_p(subject, side, family.hips) for side in SIDES})
    walk = simulate_walk(WalkSettings(**{"duration": 3.0, **options}), who=subject)  # type: ignore[arg-type]
    times = walk.settings.times_s
    bones = Standing.of(walk.gait.walking(times, order=0))
    standing = Standing.of(walk.gait.standing(12))
    channels = walk.plate_channels(walk.settings.analog_times_s)
    plates = tuple(
        ForcePlate(p.number, 2, p.corners_g, p.sensor_p, walk.settings.analog_rate_hz, *channels[p.number])
        for p in walk.plates
    )
    marker_set = load_marker_set(OF_LABORATORIES[family.marker_set])
    labels = labelled(marker_set, family)
    trials = []
    for what, of, left_out in (("walk", bones, family.static_only), ("static", standing, frozenset[str]())):
        tracks = {
            label: track
            for label, (role, track) in _tracks(subject, of, labels, family).items()
            if role not in left_out
        }
        points = np.stack(list(tracks.values()), axis=1)
        trial = Trial(Path(f"{what}.c3d"), walk.settings.rate_hz, 1, tuple(tracks), points, up_hint=np.eye(3)[2])
        trials.append(replace(trial, parameters=stored(subject)))
    static = trials[1] if family.static else None
    return Marked(family, walk, bones, standing, replace(trials[0], plates=plates), static, labels)


def labelled(marker_set: MarkerSet, family: Family) -> dict[str, tuple[str, str]]:
    """Side and landmark of each label of a marker set, or its cluster with a number; the first of its spellings."""
    known = set(places(Subject(), "left", False)) | {"hip_point", "sacrum"}
    labels = {
        spellings[0]: role
        for role, spellings in marker_set.roles.items()
        if role[1] in known and role[1] not in family.without
    }
    for (side, name), members in marker_set.clusters.items():
        if name not in family.without:
            labels |= {member[0]: (side, f"{name}_{i + 1}") for i, member in enumerate(members)}
    return labels


def _tracks(
    subject: Subject, of: Standing, labels: Mapping[str, tuple[str, str]], family: Family
) -> dict[str, tuple[str, Array]]:
    """Landmark and positions of each label."""
    tracks = {}
    counts = {(side, role.rpartition("_")[0]): 0 for side, role in labels.values()}
    for side, role in labels.values():
        counts[side, role.rpartition("_")[0]] += 1
    for label, (side, role) in labels.items():
        group, _, number = role.rpartition("_")
        if group in CLUSTERS:
            local = cluster(group, side, counts[side, group])[int(number) - 1]
            tracks[label] = role, of.place(side, CLUSTERS[group], local)
        elif role == "sacrum":
            tracks[label] = role, of.place(side, "pelvis", np.array([-subject.pelvis_depth_m, 0.0, 0.0]))
        else:
            tracks[label] = role, of.landmarks(subject, side, family.plain)[role]
    return tracks


# --- running ------------------------------------------------------------------------------------------------

NO_FILTER = {"cutoff_hz": "none"}


def run(
    recorded: Marked, trial: Trial | None = None, static: Trial | None = None, model: str = "", **settings: object
) -> Result:
    """Analyse a family's walk, or one like it, with its model and without a filter."""
    return analyse(
        recorded.trial if trial is None else trial,
        load_model(model or recorded.family.model, NO_FILTER | settings),
        SubjectFile(),
        recorded.static if static is None else static,
    )


@cache
def result_of(name: str) -> Result:
    """What `run` finds in a family's walk as it was recorded; nobody changes it."""
    return run(marked(name))


def chosen(recorded: Marked) -> str:
    """The model that `--model auto` takes."""
    return choose_model([Recording(recorded.trial, recorded.static)], NO_FILTER).model.name


# --- the truth ----------------------------------------------------------------------------------------------


def unit(v: Array) -> Array:
    return np.asarray(v / np.linalg.norm(v, axis=-1, keepdims=True))


def frame(keep: str, along: Array, toward: str, hint: Array) -> Array:
    """(frames, 3, 3): one axis along a vector, another as near as can be to a second one."""
    first = unit(along)
    second = unit(hint - np.sum(hint * first, axis=-1, keepdims=True) * first)
    axes = {keep: first, toward: second}
    missing = next(letter for letter in "xyz" if letter not in axes)
    after = {"x": "yz", "y": "zx", "z": "xy"}[missing]
    axes[missing] = np.cross(axes[after[0]], axes[after[1]])
    return np.stack([axes[letter] for letter in "xyz"], axis=-1)


def angles(proximal: Array, distal: Array, sequence: str) -> tuple[Array, Array, Array]:
    """Cardan angles a, b, c in degrees of the distal frame in the proximal one."""
    d = np.swapaxes(proximal, -1, -2) @ distal
    a, b, c = Rotation.from_matrix(d).as_euler(sequence.upper(), degrees=True).T
    return a, b, c


def forefoot(recorded: Marked, points: Mapping[str, Array]) -> Array:
    """The point on the long axis of the foot in front: between the metatarsals, else the toe."""
    named = {role for _, role in recorded.roles.values()}
    if "big_toe" in named:
        return np.asarray((points["big_toe"] + points["small_toe"]) / 2)
    if {"mt1", "mt5"} <= named:
        return np.asarray((points["mt1"] + points["mt5"]) / 2)
    return points["toe" if "toe" in named else "mt5"]


def frames(recorded: Marked, side: str) -> dict[str, Array]:
    """(frames, 3, 3) axes of each segment, and those that angles are measured between, as the model defines them."""
    model, sg = recorded.family.model, SIGN[side]
    bones, points = recorded.bones, recorded.landmarks(side)
    hip, knee, ankle = (bones.point[f"{side}_{joint}"] for joint in ("hip", "knee", "ankle"))
    front = forefoot(recorded, points)
    if model == "keypoints":
        across = bones.point["left_hip"] - bones.point["right_hip"]
        up = np.broadcast_to([0.0, 0.0, 1.0], across.shape)
        of: dict[str, Array] = {
            "pelvis": frame("z", up, "y", across),
            "hip_line": frame("y", across, "z", up),
            "thigh": frame("z", hip - knee, "y", across),
            "shank": frame("z", knee - ankle, "y", across),
            "foot": frame("x", front - points["heel_point"], "y", across),
        }
        return of | {"thigh_for_knee": of["thigh"], "shank_for_ankle": of["shank"]}
    if model == "lateral":
        knee, ankle = points["knee_lateral"], points["ankle_lateral"]
        across = bones.rotation["pelvis"][..., 1]
        of = {
            "pelvis": bones.rotation["pelvis"],
            "thigh": frame("z", hip - knee, "y", across),
            "shank": frame("z", knee - ankle, "y", across),
            "foot": frame("x", front - points["heel"], "y", across),
        }
        return of | {"thigh_for_knee": of["thigh"], "shank_for_ankle": of["shank"]}
    if model in CGM2:
        shank = frame("z", knee - ankle, "y", sg * (points["ankle_lateral"] - ankle))
        foot = _corrected_foot(recorded, side, points, shank)
        of = {
            "pelvis": bones.rotation["pelvis"],
            "thigh": bones.rotation[f"{side}_thigh"],
            "shank": shank,
            "foot": foot,
        }
        return of | {"thigh_for_knee": of["thigh"], "shank_for_ankle": shank}
    lateral, medial = sg * points["ankle_lateral"], sg * points["ankle_medial"]
    to_fibula = sg * (points["fibular_head"] - ankle)
    shank = frame("z", knee - ankle, "y", to_fibula if model == "ior" else lateral - medial)
    of = {"pelvis": bones.rotation["pelvis"], "thigh": bones.rotation[f"{side}_thigh"], "shank": shank}
    of |= {"thigh_for_knee": of["thigh"], "shank_for_ankle": shank, "foot": _foot(recorded, side, points, front)}
    if model == "ior":
        of["shank_for_ankle"] = frame("y", lateral - sg * ankle, "z", knee - ankle)
    return of


def _corrected_foot(recorded: Marked, side: str, points: Mapping[str, Array], shank: Array) -> Array:
    """The conventional model's foot: z from TOE to the ankle, corrected by how the static shows it to the sole."""
    standing, still = recorded.standing, recorded.landmarks(side, standing=True)
    ankle, knee = (standing.point[f"{side}_{joint}"] for joint in ("ankle", "knee"))
    across = frame("z", knee - ankle, "y", SIGN[side] * (still["ankle_lateral"] - ankle))[..., 1]
    level = np.where([True, True, False], still["heel"], still["toe"])  # its sole is on the floor
    uncorrected = frame("z", ankle - still["toe"], "y", across)
    a, b, _ = angles(uncorrected, frame("z", level - still["toe"], "y", across), "yxz")
    turn = Rotation.from_euler("YX", [a.mean(), b.mean()], degrees=True).as_matrix()
    if recorded.family.model == "cgm21":  # made anew in every frame
        now = frame("z", recorded.bones.point[f"{side}_ankle"] - points["toe"], "y", shank[..., 1])
        return np.asarray(now @ turn)
    local = np.swapaxes(standing.rotation[f"{side}_foot"], 1, 2) @ uncorrected @ turn
    return np.asarray(recorded.bones.rotation[f"{side}_foot"] @ local[0])


def _foot(recorded: Marked, side: str, points: Mapping[str, Array], front: Array) -> Array:
    model, sg = recorded.family.model, SIGN[side]
    sideways = sg * (points["mt5"] - points["mt1"])
    line = frame("x", front - points["heel"], "y", sideways)
    if model == "landmarks":  # without a static the line from heel to forefoot is the sole
        return line
    # level where the static is, whose soles are on the floor
    flat = recorded.landmarks(side, standing=True)
    up = np.broadcast_to([0.0, 0.0, 1.0], flat["heel"].shape)
    ahead = forefoot(recorded, flat) - flat["heel"]
    level = frame("z", up, "x", ahead)
    if model == "ior":  # turned about its own axis across the foot by how the line slopes in the static
        slope, _, _ = angles(frame("x", ahead, "y", sg * (flat["mt5"] - flat["mt1"])), level, "yxz")
        return np.asarray(line @ Rotation.from_euler("y", float(slope.mean()), degrees=True).as_matrix())
    local = np.swapaxes(recorded.standing.rotation[f"{side}_foot"], 1, 2) @ level
    return np.asarray(recorded.bones.rotation[f"{side}_foot"] @ local[0])


@dataclass(frozen=True, eq=False)
class Exact:
    """What is exactly true of one leg: (frames, 3, 3) axes, (frames, 3) wrenches about the joint centres, columns.

    Attributes
    ----------
    frames : mapping of str to array
    wrench : mapping of joint to (force, moment), N and N·m, laboratory axes
    columns : mapping of str to (frames,) array
        Of ``joints.csv``, in its order; NaN throughout where the markers do not determine it.
    """

    frames: Mapping[str, Array]
    wrench: Mapping[str, tuple[Array, Array]]
    columns: Mapping[str, Array]


@cache
def exact(recorded: Marked, side: str) -> Exact:
    """The truth of one leg as a model by landmarks words it."""
    of = frames(recorded, side)
    wrench = wrenches(recorded, side, of["foot"][..., 2 if recorded.family.model in CGM2 else 0])
    columns = _angle_columns(recorded, side, of) | _moment_columns(recorded, side, of, wrench)
    return Exact(of, wrench, {f"{side}_{name}": values for name, values in columns.items()})


def truth(recorded: Marked) -> dict[str, Array]:
    """The columns of ``joints.csv`` of both legs."""
    return {**exact(recorded, "left").columns, **exact(recorded, "right").columns}


def wrenches(recorded: Marked, side: str, long_axis: Array) -> dict[str, tuple[Array, Array]]:
    """Exact wrenches of the proximal on the distal segment, by the rate of momentum of all that is distal.

    Bodies are rods, as the table of the models has them: no inertia about the long axis (of the foot: `long_axis`).
    """
    walk, subject = recorded.walk, recorded.subject
    times = walk.settings.times_s
    skeleton = walk.gait.walking(times)
    load = walk.loads(times)[side]
    ankle, foot_g = skeleton.point[f"{side}_ankle"], skeleton.rotation[f"{side}_foot"]
    front = forefoot(recorded, {name: where[1] for name, where in places(subject, side, False).items()})
    axis = (np.swapaxes(foot_g.value, 1, 2) @ long_axis[..., None])[0, :, 0]
    if recorded.family.model in CGM2:  # as long as from heel to toe, half a marker less, along its axis from the ankle
        length = np.linalg.norm(recorded.landmarks(side)["toe"] - recorded.landmarks(side)["heel"], axis=1).mean()
        front = -(length - subject.marker_diameter_m / 2) * axis
    lengths = {"thigh": subject.legs[side].thigh_m, "shank": subject.legs[side].shank_m, "foot": np.linalg.norm(front)}
    bodies = {}
    for segment, length in lengths.items():
        mass, rotation = MASS_FRACTION[segment] * subject.mass_kg, skeleton.rotation[f"{side}_{segment}"]
        along = axis if segment == "foot" else np.array([0.0, 0.0, 1.0])
        inertia = mass * (GYRATION_FRACTION[segment] * length) ** 2 * (np.eye(3) - np.outer(along, along))
        if segment == "foot":
            com = ankle + apply(foot_g, COM_FRACTION["foot"] * front)
        else:
            com = skeleton.com[f"{side}_{segment}"]
        bodies[segment] = Moving(mass, com, spin_of(rotation, inertia))
    result = {}
    for joint, distal in DISTAL.items():
        p = skeleton.point[f"{side}_{joint}"].value
        force, moment = wrench_needed([bodies[segment] for segment in distal], p, np.array([0.0, 0.0, -GRAVITY]))
        arm = np.where(np.isfinite(load.cop_g), load.cop_g - p, 0.0)
        result[joint] = force - load.force_g, moment - np.cross(arm, load.force_g) - load.free_moment_g
    return result


def _angle_columns(recorded: Marked, side: str, of: Mapping[str, Array]) -> dict[str, Array]:
    model, sg = recorded.family.model, SIGN[side]
    direction = recorded.walk.direction_rad
    if model == "keypoints":  # along the displacement of the middle of the hips
        hips = (recorded.bones.point["left_hip"] + recorded.bones.point["right_hip"])[[0, -1]]
        direction = float(np.arctan2(*(hips[1] - hips[0])[[1, 0]]))
    progress = Rotation.from_euler("z", direction).as_matrix()
    columns = {}
    _, b, c = angles(progress, of["foot"], "yxz")
    columns["foot_progression_internal_rotation"] = -sg * (b if model in CGM2 else c)
    a, b, c = angles(progress, of.get("hip_line", of["pelvis"]), "yxz")
    if model == "keypoints":  # the two angles of a line, rotation first
        c, b, _ = angles(progress, of["hip_line"], "zxy")
    if model in CGM2:  # rotation first
        c, b, a = angles(progress, of["pelvis"], "zxy")
    columns |= {"pelvis_anterior_tilt": a, "pelvis_upward_obliquity": sg * b, "pelvis_internal_rotation": -sg * c}
    a, b, c = angles(of.get("hip_line", of["pelvis"]), of["thigh"], "yxz")
    columns |= {"hip_flexion": -a, "hip_adduction": -sg * b, "hip_internal_rotation": -sg * c}
    a, b, c = angles(of["thigh_for_knee"], of["shank"], "yxz")
    columns |= {"knee_flexion": a, "knee_adduction": -sg * b, "knee_internal_rotation": -sg * c}
    if model == "ior":
        a, c, b = angles(of["shank_for_ankle"], of["foot"], "yzx")
    else:
        a, b, c = angles(of["shank_for_ankle"], of["foot"], "yxz")
    if model in CGM2:  # the foot's z points to the heel, its x up
        a, b, c = 90 + a, -c, b
    columns |= {"ankle_dorsiflexion": -a, "ankle_eversion": sg * b, "ankle_internal_rotation": -sg * c}
    if model == "keypoints":
        for segment in ("thigh", "shank"):
            columns[f"{segment}_forward_tilt"] = angles(of["pelvis"], of[segment], "yxz")[0]
    return {
        f"{name}_deg": np.full_like(values, np.nan) if name in UNKNOWN.get(model, ()) else values
        for name, values in columns.items()
    }


def _joint_axes(proximal: Array, distal: Array) -> Array:
    """(frames, 3, 3) y of the proximal, z of the distal, x square to both: Grood & Suntay 1983, of a sequence yxz."""
    y, z = proximal[..., 1], distal[..., 2]
    return np.stack([unit(np.cross(y, z)), y, z], axis=-1)


def _spin(R: Array, rate_hz: float) -> Array:
    """(frames, 3) angular velocity, rad/s, by SciPy's spline of rotations; unknown at the ends."""
    times = np.arange(len(R)) / rate_hz
    local = RotationSpline(times, Rotation.from_matrix(R))(times, 1)
    spin = np.einsum("tij,tj->ti", R, local)
    spin[:4] = spin[-4:] = np.nan  # as the analysis
    return np.asarray(spin)


def _moment_columns(
    recorded: Marked, side: str, of: Mapping[str, Array], wrench: Mapping[str, tuple[Array, Array]]
) -> dict[str, Array]:
    sg, mass, model = SIGN[side], recorded.subject.mass_kg, recorded.family.model
    axes = {"hip": of["thigh"], "knee": of["shank"], "ankle": of["foot"]}
    if model in CGM2:
        proximal = {"hip": of["pelvis"], "knee": of["thigh"], "ankle": of["shank"]}
        axes = {joint: _joint_axes(proximal[joint], distal) for joint, distal in axes.items()}
    local = {joint: np.einsum("tij,ti->jt", axes[joint], wrench[joint][1]) / mass for joint in axes}
    hip, knee, ankle = local["hip"], local["knee"], local["ankle"]
    columns = {
        "hip_extension": hip[1],
        "hip_abduction": sg * hip[0],
        "hip_external_rotation": sg * hip[2],
        "knee_extension": -knee[1],
        "knee_abduction": sg * knee[0],
        "knee_external_rotation": sg * knee[2],
        "ankle_plantarflexion": ankle[1],
        "ankle_eversion": sg * (-ankle[2] if model in CGM2 else ankle[0]),
        "ankle_external_rotation": sg * (ankle[0] if model in CGM2 else ankle[2]),
    }
    columns = {f"{name}_moment_Nm_per_kg": values for name, values in columns.items()}
    state = recorded.walk.at(recorded.walk.settings.times_s)
    for joint, (distal, proximal) in {
        "hip": (f"{side}_thigh", "pelvis"),
        "knee": (f"{side}_shank", f"{side}_thigh"),
        "ankle": (f"{side}_foot", f"{side}_shank"),
    }.items():
        turning = state.omega_g[distal] - state.omega_g[proximal]
        if model == "cgm21" and joint == "ankle":  # no body of the simulator: its second axis is the shank's
            turning = _spin(of["foot"], recorded.walk.settings.rate_hz) - state.omega_g[proximal]
        columns[f"{joint}_power_W_per_kg"] = np.einsum("ti,ti->t", wrench[joint][1], turning) / mass
    return {
        name: np.full_like(values, np.nan)
        if model == "lateral" or any(name.startswith(unknown) for unknown in UNKNOWN.get(f"{model} moments", ()))
        else values
        for name, values in columns.items()
    }


#: Columns that stay empty: what points in a row, or lateral markers alone, do not determine.
UNKNOWN: Mapping[str, tuple[str, ...]] = {
    "keypoints": (
        "pelvis_anterior_tilt",
        "hip_flexion",
        "hip_internal_rotation",
        "knee_adduction",
        "knee_internal_rotation",
        "ankle_eversion",
        "ankle_internal_rotation",
    ),
    "keypoints moments": (
        "hip_abduction",
        "hip_external_rotation",
        "knee_abduction",
        "knee_external_rotation",
        "ankle_eversion",
        "ankle_external_rotation",
        # the scalar product of moment and angular velocity has a part about each axis
        "hip_power",
        "knee_power",
        "ankle_power",
    ),
    "lateral": (
        "foot_progression_internal_rotation",
        "hip_adduction",
        "hip_internal_rotation",
        "knee_adduction",
        "knee_internal_rotation",
        "ankle_eversion",
        "ankle_internal_rotation",
    ),
}
