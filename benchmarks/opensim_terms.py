"""Why gaitid's sagittal moments differ from OpenSim's on real recordings, one ingredient after the other.

    python benchmarks/opensim_terms.py [--opensim PYTHON] [gait2354 bmc_run ja1_sprint subject01 subject18]

Each recording has a scaled OpenSim model, the coordinates that OpenSim's inverse kinematics found, and its generalised
forces. The model is put where the coordinates say; its bodies' poses go into the trial as stored poses beside the
measured markers, and its masses and axes become a gaitid model. So gaitid's own analysis (`cast`, on the markers) and
OpenSim's body are two models of one recording, and ingredients are exchanged as `gaitid compare` does
(`gaitid.compare.mixture`). After each exchange the moments are compared with OpenSim's. The markers of subject01 and
subject18 are simulated and move exactly with OpenSim's bodies: of them the last steps are made, no filter is used.

With `--opensim`, an interpreter that has ``pip install opensim``, OpenSim computes its moments anew from the model,
the coordinates and the forces. How far the stored ones are from these is printed, and all is compared with the new.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from common import SHARED, head, parser_of
from common import row as row_of
from opensim_again import computed_again
from osim_model import Joint, OsimModel, Place, low_passed, storage, storage_text, together

import gaitid
from gaitid.analysis.result import Result
from gaitid.compare.mixture import AXES, CENTRES, EXPRESSION, PARAMETERS, SUBJECT, VERTICAL, Ingredient, Made, Mixtures
from gaitid.compare.sources import made_of
from gaitid.numerics.rotation import apply
from gaitid.read import read_trial
from gaitid.trial import POSE_ARM_M, Array, Trial, pose_labels
from gaitid.write.tables import joints_columns

BODIES = {"pelvis": "pelvis", "thigh": "femur_{s}", "shank": "tibia_{s}", "foot": "calcn_{s}"}
# Columns of gaitid and coordinates of OpenSim, which are positive in flexion; the knee's not in all of its models.
MOMENTS = {
    "hip": ("hip_extension", "hip_flexion_{s}"),
    "knee": ("knee_extension", "knee_angle_{s}"),
    "ankle": ("ankle_plantarflexion", "ankle_angle_{s}"),
}
POSED = "osim_{}"


@dataclass(frozen=True)
class Recording:
    """A recording with what OpenSim made of it.

    Attributes
    ----------
    folder, trc, forces, static, osim, coordinates, results : str
        Files; all but the first in the folder.
    cutoff_hz : float or None
        Of OpenSim's filter on the coordinates.
    loads : mapping of str to sequence of (str, str, str)
        For each side the columns of force, point and torque on its foot, without their axes.
    knee_flexion : int
        1 where the knee's angle is positive in flexion, else -1.
    kept : str
        Legs whose poses of inverse kinematics jump by more than gaitid takes for a body's motion.
    """

    folder: str
    trc: str
    forces: str
    static: str
    osim: str
    coordinates: str
    results: str
    cutoff_hz: float | None
    loads: Mapping[str, Sequence[tuple[str, str, str]]]
    knee_flexion: int = 1
    kept: str = ""

    def path(self, name: str) -> Path:
        return SHARED / self.folder / name

    def table(self, name: str) -> dict[str, Array]:
        """The columns of a storage file, times from the first frame of the markers on."""
        first = self.path(self.trc).read_text(encoding="utf-8").splitlines()[5:8]
        start = next(float(line.split()[1]) for line in first if line.split()[:1] == ["1"])
        found = storage(self.path(name))
        return {**found, "time": found["time"] - start}


RECORDINGS = {
    "gait2354": Recording(
        "opensim_gait2354",
        "subject01_walk1.trc",
        "subject01_walk1_grf.mot",
        "subject01_static.trc",
        "subject01_simbody.osim",
        "subject01_walk1_ik.mot",
        "inverse_dynamics.sto",
        6.0,
        {
            "r": [("ground_force_v", "ground_force_p", "ground_torque_")],
            "l": [("1_ground_force_v", "1_ground_force_p", "1_ground_torque_")],
        },
        knee_flexion=-1,
    ),
    "bmc_run": Recording(
        "models/bmc_rajagopal_run",
        "ExpData/motion_capture_run.trc",
        "ExpData/grf_run.mot",
        "ExpData/static_run.trc",
        "Scale/Rajagopal2015_scaled2.osim",
        "IK/results/ik_output_run.mot",
        "ID/results/inverse_dynamics.sto",
        6.0,
        {
            s: [(f"{s.upper()}_ground_force_v", f"{s.upper()}_ground_force_p", f"{s.upper()}_ground_torque_")]
            for s in "rl"
        },
        kept="l",
    ),
    "ja1_sprint": Recording(
        "models/ja1_gait",
        "JA1Gait35.trc",
        "JA1Gait35_grf.mot",
        "../../wild/latrobe/static.trc",
        "rescaled.osim",
        "JA1Gait35_ik.mot",
        "JA1Gait35_id_output.sto",
        None,
        {
            s: [(f"ground_force_{i}_v", f"ground_force_{i}_p", f"ground_force_{i}_m") for i in plates]
            for s, plates in (("r", (1, 2, 5, 6, 7)), ("l", (3, 4, 8)))
        },
    ),
    **{
        subject: Recording(
            f"models/arnold_synthetic/{subject}",
            *("markers.trc", "grf.mot", "", f"{subject}.osim", "coordinates.sto", "id.sto", None),
            {s: [(f"ground_force_{s}_v", f"ground_force_{s}_p", f"ground_torque_{s}_")] for s in "rl"},
        )
        for subject in ("subject01", "subject18")
    },
}

# --- OpenSim's body as gaitid's -------------------------------------------------------------------------------------


def coordinates(recording: Recording, filtered: bool) -> dict[str, Array]:
    """OpenSim's coordinates by their name, with its filter or as inverse kinematics gave them."""
    found = recording.table(recording.coordinates)
    if filtered and recording.cutoff_hz is not None:
        rate = (len(found["time"]) - 1) / np.ptp(found["time"])
        found = {k: v if k == "time" else low_passed(v, rate, recording.cutoff_hz) for k, v in found.items()}
    return found


def with_poses(trial: Trial, values: Mapping[str, Array], model: OsimModel, s: str) -> Trial:
    """The trial with the poses of OpenSim's bodies in it; unknown outside the coordinates' time."""
    names = {segment: body.format(s=s) for segment, body in BODIES.items()}
    places = model.places(values, *names.values())
    frames = np.round(values["time"] * trial.rate_hz).astype(int)
    inside = frames < trial.n_frames
    points = []
    for body in names.values():
        place = places[body]
        for tip in np.vstack([np.zeros(3), POSE_ARM_M * np.eye(3)]):
            track = np.full((trial.n_frames, 3), np.nan)
            track[frames[inside]] = (place.p + apply(place.R, tip))[inside]
            points.append(track)
    labels = pose_labels([POSED.format(segment) for segment in names])
    return replace(
        trial, labels=(*trial.labels, *labels), points_g=np.concatenate([trial.points_g, np.stack(points, 1)], axis=1)
    )


def numbers(values: Array) -> str:
    return f"[{', '.join(repr(float(v)) for v in values)}]"


def model_and_table(model: OsimModel, s: str, knee_flexion: int) -> tuple[str, str]:
    """One leg of OpenSim's model, on the poses of its bodies, as YAML."""
    side, sign = {"r": "right", "l": "left"}[s], {"r": -1, "l": 1}[s]
    hip, knee, ankle = (model.joints[f"{body}_{s}"] for body in ("femur", "tibia", "talus"))
    subtalar, toes = model.joints[f"calcn_{s}"], model.joints[f"toes_{s}"]
    neutral = {m.coordinate: np.zeros(1) for joint in (subtalar, toes) for m in joint.motions}
    neutral = neutral or {"": np.zeros(1)}

    def child_in_parent(joint: Joint) -> Place:
        found = joint.in_parent @ joint.moved(neutral) @ joint.in_child.inverse
        return Place(found.R.reshape(3, 3), found.p.reshape(3))

    body = {"thigh": model.bodies[f"femur_{s}"], "shank": model.bodies[f"tibia_{s}"]}
    at = Place(np.eye(3), np.zeros(3))
    talus = child_in_parent(subtalar).inverse
    body["foot"] = together(
        [
            (model.bodies[f"calcn_{s}"], at),
            (model.bodies[f"toes_{s}"], child_in_parent(toes)),
            (model.bodies[f"talus_{s}"], talus),
        ]
    )
    lines = [
        "gaitid_model: 1",
        "name: opensim_body",
        "title: The body of a scaled OpenSim model",
        "table: table.yaml",
        "vertical: y",
        f"sides: {{{side}: {{letter: {s.upper()}, sign: {sign}}}}}",
        "subject: {mass: {key: mass_kg, unit: kg, range: [1, 400]}}",
        "middle:",
        f"  poses: {{pelvis_pose: [{POSED.format('pelvis')}]}}",
        "  points: {pelvis_origin: {mean: [pelvis_pose_origin]}}",
        "  frames:",
        "    pelvis: {pose: pelvis_pose}",
        "each_side:",
        f"  poses: {{{', '.join(f'{n}_pose: [{POSED.format(n)}]' for n in ('thigh', 'shank', 'foot'))}}}",
        "  points:",
        f"    hip: {{in_frame: pelvis, offset: {numbers(hip.in_parent.p)}}}",
        f"    knee: {{in_frame: shank, offset: {numbers(knee.in_child.p)}}}",
        f"    ankle: {{in_frame: shank, offset: {numbers(ankle.in_parent.p)}}}",
        "    heel: {mean: [foot_pose_origin]}",
        f"    toe: {{in_frame: foot, offset: {numbers(toes.in_parent.p)}}}",
        "  frames:",
        *(f"    {n}: {{pose: {n}_pose}}" for n in ("thigh", "shank", "foot")),
    ]
    lines += [
        f"    {name}_axes: {{turn: {on}, by: {own_turns(first_axis(joint))}}}"
        for name, joint, on in (("hip", hip, "pelvis"), ("knee", knee, "thigh"), ("ankle", ankle, "shank"))
    ]
    lines.append("chain:")
    for segment, joint_name in (("foot", "ankle"), ("shank", "knee"), ("thigh", "hip")):
        lines += [
            f"  - segment: {segment}",
            f"    frame: {segment}",
            f"    com: {{in_frame: {segment}, offset: {numbers(body[segment].centre)}}}",
            "    length: 0.3",
            f"    joint: {joint_name}",
            f"    centre: {joint_name}",
            *(["    ground: true"] if segment == "foot" else []),
        ]
    lines += [
        "base: {segment: pelvis, frame: pelvis, origin: pelvis_origin}",
        "ground_contact: {heel: heel, toe: toe}",
        "angles:",
        "  hip: {proximal: pelvis, distal: thigh, sequence: zxy, first: a, second: b, third: c}",
        "  knee: {proximal: thigh, distal: shank, sequence: zxy, first: a, second: b, third: c}",
        "  ankle: {proximal: shank, distal: foot, sequence: zxy, first: a, second: b, third: c}",
        "moments:",
        "  hip: {axes: hip_axes, extension: -z}",
        f"  knee: {{axes: knee_axes, extension: {'-z' if knee_flexion > 0 else 'z'}}}",
        "  ankle: {axes: ankle_axes, plantarflexion: -z}",
        f"settings: {{gravity_m_per_s2: {model.gravity}, cutoff_hz: none, doubtful_labels: keep}}",
    ]
    table = ["gaitid_table: 1", "name: opensim", "source: the scaled OpenSim model", "segments:"]
    for segment, of in body.items():
        rows = ", ".join(numbers(row) for row in of.inertia)
        table.append(f"  {segment}: {{mass_kg: {of.mass!r}, com_fraction: 0, inertia_kg_m2: [{rows}]}}")
    return "\n".join(lines) + "\n", "\n".join(table) + "\n"


def first_axis(joint: Joint) -> Array:
    """(3, 3) axes in the parent, whose z is the axis of the joint's first turn, the way that its coordinate counts."""
    motion = joint.motions[0]
    slope = float(np.diff(motion.function(np.array([0.0, 0.1])))[0])
    z = np.sign(slope) * motion.axis / np.linalg.norm(motion.axis)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.asarray(joint.in_parent.R @ np.stack([x, np.cross(z, x), z], axis=1))


def own_turns(R: Array) -> str:
    """A rotation as turns about the frame's own x, y and z."""
    y = np.arcsin(np.clip(R[0, 2], -1, 1))
    x, z = np.arctan2(-R[1, 2], R[2, 2]), np.arctan2(-R[0, 1], R[0, 0])
    return "[" + ", ".join(f"{{{axis}: {float(v)!r}}}" for axis, v in zip("xyz", (x, y, z), strict=True)) + "]"


def load_file(mot: Mapping[str, Array], columns: tuple[str, str, str]) -> str:
    """A plate's action on the foot as a load file, about the laboratory's origin: so that it can be interpolated."""
    f, p, m = (np.stack([mot[f"{name}{a}"] for a in "xyz"], axis=1) for name in columns)
    rows = np.column_stack([mot["time"], f, m + np.cross(p, f), np.zeros_like(p)])
    head = [
        f"{what}_global_{a}_{unit}" for what, unit in (("force", "N"), ("moment", "Nm"), ("point", "m")) for a in "xyz"
    ]
    return "\n".join([",".join(["time_s", *head]), *(",".join(f"{v:.12g}" for v in row) for row in rows)]) + "\n"


# --- one after the other ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """The moments after an exchange, N·m, at OpenSim's instants: joint -> ours; NaN where unknown."""

    name: str
    moments: Mapping[str, Array]


EXCHANGES: tuple[tuple[str, tuple[Ingredient, ...]], ...] = (
    ("OpenSim's joint centres", (CENTRES,)),
    ("OpenSim's poses of the segments and axes of the joints", (AXES, EXPRESSION)),
    ("OpenSim's masses, centres of mass and inertias", (PARAMETERS, SUBJECT, VERTICAL)),
)


def steps(recording: Recording, s: str) -> Iterator[Step]:
    """gaitid's own result first; then with OpenSim's ingredients, one after the other."""
    side = {"r": "right", "l": "left"}[s]
    osim = OsimModel(recording.path(recording.osim))
    mot = recording.table(recording.forces)
    bare = read_trial(recording.path(recording.trc))
    subject = {"mass_kg": osim.mass}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        model, table = model_and_table(osim, s, recording.knee_flexion)
        (folder / "model.yaml").write_text(model, encoding="utf-8")
        (folder / "table.yaml").write_text(table, encoding="utf-8")
        loads = []
        for i, columns in enumerate(recording.loads[s]):
            loads.append(folder / f"load{i}.csv")
            loads[-1].write_text(load_file(mot, columns), encoding="utf-8")
        trials = {f: with_poses(bare, coordinates(recording, f), osim, s) for f in (False, True)}
        second, third = (
            gaitid.analyse(trials[f], model=folder / "model.yaml", subject=subject, loads={"foot": loads})
            for f in (False, True)
        )
        if recording.static:
            yield from exchanges(recording, s, trials[False], second, loads)
        yield Step("OpenSim's filter, on coordinates", _moments(third.result, side))
        yield Step("the knee's whole coordinate", {"knee": knee_force(third, s, osim, recording)})


def exchanges(recording: Recording, s: str, trial: Trial, second: gaitid.Analysis, loads: list[Path]) -> Iterator[Step]:
    """From gaitid's own result on the markers to all of OpenSim's ingredients but its filter."""
    side = {"r": "right", "l": "left"}[s]
    options = {"model": "cast", "static": recording.path(recording.static)}
    options["subject"] = {"mass_kg": second.result.subject.mass_kg}
    plates = read_trial(recording.path(recording.trc), forces=recording.path(recording.forces))
    yield Step("gaitid (`cast`), contacts on plates", _moments(gaitid.analyse(plates, **options).result, side))
    given = {**options, "loads": {f"{side}_foot": loads}}
    first = gaitid.analyse(trial, **given)
    yield Step("the forces file as OpenSim applies it", _moments(first.result, side))
    if s in recording.kept:
        first = gaitid.analyse(trial, **given, settings={"doubtful_labels": "keep"})
        yield Step("labels that jump kept, as by OpenSim", _moments(first.result, side))
    mixtures, taken = Mixtures(_made(first), _made(second)), frozenset[str]()
    if mixtures.mixable:
        raise ValueError(mixtures.mixable)
    for name, ingredients in EXCHANGES:
        taken |= {ingredient.key for ingredient in ingredients}
        yield Step(name, _moments(mixtures.result(taken), side))


def _made(analysis: gaitid.Analysis) -> Made:
    return made_of(analysis.result, analysis._source.setup)  # type: ignore[union-attr]


def _moments(result: Result, side: str) -> dict[str, Array]:
    table, mass = joints_columns(result), result.subject.mass_kg
    columns = dict(zip(table.names, table.values.T, strict=True))
    return {j: mass * columns[f"{side}_{name}_moment_Nm_per_kg"] for j, (name, _) in MOMENTS.items()}


def knee_force(analysis: gaitid.Analysis, s: str, osim: OsimModel, recording: Recording) -> Array:
    """The generalised force of the knee's coordinate q, N·m, in extension: Σ m · ∂ω/∂q̇ + f · ∂p/∂q.

    OpenSim's knee moves the tibia along, and turns it about its other axes, as functions of q.
    """
    result, side = analysis.result, {"r": "right", "l": "left"}[s]
    joint, values = osim.joints[f"tibia_{s}"], coordinates(recording, filtered=True)
    q, small = values[f"knee_angle_{s}"], 1e-5
    low, high = (joint.moved({f"knee_angle_{s}": q + way * small}) for way in (-1, 1))
    turn = high.R @ np.swapaxes(low.R, -1, -2)
    about = np.stack([turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], 1)
    femur = result.body.geometry.frame("thigh", side).R_gs
    frames = np.round(values["time"] * result.trial.rate_hz).astype(int)
    inside = frames < len(femur)
    frames, R = frames[inside], (femur @ joint.in_parent.R)[frames[inside]]
    wrench = result.sides[side].wrenches["knee"]
    force = np.full(len(femur), np.nan)
    force[frames] = np.einsum("fi,fi->f", wrench.m_g[frames], apply(R, about[inside] / (4 * small)))
    force[frames] += np.einsum("fi,fi->f", wrench.f_g[frames], apply(R, (high.p - low.p)[inside] / (2 * small)))
    return -recording.knee_flexion * force


# --- comparing --------------------------------------------------------------------------------------------------------


def of_opensim(recording: Recording, s: str, joint: str, time_s: Array) -> Array:
    """OpenSim's generalised force in gaitid's sense, N·m, at these instants; NaN outside."""
    found = recording.table(recording.results)
    sign = -recording.knee_flexion if joint == "knee" else -1
    values = found[f"{MOMENTS[joint][1].format(s=s)}_moment"]
    return np.asarray(sign * np.interp(time_s, found["time"], values, np.nan, np.nan))


def compared(recording: Recording, s: str) -> Iterator[tuple[str, dict[str, tuple[float, float, int]]]]:
    """For each step and joint the RMS and the largest difference, N·m, and the frames.

    In the frames that all steps know; contacts on plates, which come first, leave some open, and are of fewer.
    """
    found = list(steps(recording, s))
    rate = read_trial(recording.path(recording.trc)).rate_hz
    for step in found:
        row = {}
        for joint, ours in step.moments.items():
            theirs = of_opensim(recording, s, joint, np.arange(len(ours)) / rate)
            known = [np.isfinite(x.moments[joint]) for x in (*found[1:], step) if joint in x.moments]
            apart = (ours - theirs)[np.logical_and.reduce(known) & np.isfinite(theirs)]
            if len(apart):
                row[joint] = float(np.sqrt(np.mean(apart**2))), float(np.abs(apart).max()), len(apart)
        yield step.name, row


def with_moments_anew(recording: Recording, python: str, folder: Path) -> Recording:
    """The recording with what OpenSim computes of its files today; prints how far what is stored is from that."""
    # In radians: of a file in degrees OpenSim 4.6 leaves coupled coordinates, as the patella's, in degrees.
    coordinates = folder / "coordinates.sto"
    coordinates.write_text(storage_text(storage(recording.path(recording.coordinates))), encoding="utf-8")
    model, forces = recording.path(recording.osim), recording.path(recording.forces)
    loads = {BODIES["foot"].format(s=s): columns for s, columns in recording.loads.items()}
    out = computed_again(python, model, coordinates, forces, recording.cutoff_hz, loads, folder / "moments.sto")
    stored, anew = storage(recording.path(recording.results)), storage(out)
    for joint, (_, coordinate) in MOMENTS.items():
        names = [f"{coordinate.format(s=s)}_moment" for s in "rl"]
        apart = [stored[name] - np.interp(stored["time"], anew["time"], anew[name]) for name in names]
        sizes = "; ".join(f"{np.sqrt(np.mean(d**2)):.1f} RMS, {np.abs(d).max():.0f} at most" for d in apart)
        print(f"{joint}: stored from OpenSim's own of these files, right; left, N·m: {sizes}")
    return replace(recording, results=str(out))


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--opensim", metavar="PYTHON", help="An interpreter that has OpenSim.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=" ".join(RECORDINGS))
    options = parser.parse_args()
    for name in options.names or RECORDINGS:
        with tempfile.TemporaryDirectory() as folder:
            recording = RECORDINGS[name]
            if options.opensim:
                recording = with_moments_anew(recording, options.opensim, Path(folder))
            print_terms(name, recording)


def print_terms(name: str, recording: Recording) -> None:
    for s in "rl":
        rows = list(compared(recording, s))
        peaks = []
        for joint, (_, _, count) in rows[0][1].items():
            values = np.abs(of_opensim(recording, s, joint, recording.table(recording.results)["time"]))
            peaks.append(f"{joint} {values.max():.0f} N·m, {count} frames")
        print(f"\n{name}, {'right' if s == 'r' else 'left'} leg; OpenSim's largest: {'; '.join(peaks)}\n")
        print(*head("step", *MOMENTS), sep="\n")
        for step, row in rows:
            cells = [f"{row[j][0]:.1f}, {row[j][1]:.0f}" if j in row else "–" for j in MOMENTS]
            if step == rows[0][0]:
                counts = [f" ({row[j][2]} frames)" if j in row else "" for j in MOMENTS]
                cells = [c + n for c, n in zip(cells, counts, strict=True)]
            print(row_of(step, *cells), flush=True)


if __name__ == "__main__":
    main()
