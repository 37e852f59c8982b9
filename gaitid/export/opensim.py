"""A result -> files that OpenSim reads, in its axes: X forward, Y up, Z to the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from gaitid.analysis.conventions import axis_name
from gaitid.analysis.result import Result, SideResult
from gaitid.errors import GaitidError
from gaitid.export.source import Made, Source
from gaitid.numerics.masks import known_rows, spans
from gaitid.numerics.rotation import cardan, cross
from gaitid.records import NamedTuple
from gaitid.trial import Array, Trial

# An axis lies along one of the laboratory's within this (the cosine; 0.1°).
_ALONG = 1 - 1.5e-6


class Axes(NamedTuple):
    """OpenSim's axes: rows of `R_og` are X, Y, Z in laboratory axes, so ``R_og @ v_g`` is a vector in them."""

    R_og: Array
    words: str

    def turned(self, vectors: Array) -> Array:
        """(frames, 3) of laboratory vectors."""
        return np.asarray(vectors @ self.R_og.T)


def axes_of(result: Result) -> Axes:
    """Of a trial: up as gravity was found, forward the laboratory axis nearest to the direction of walking.

    Where nobody walks, or the model knows no direction, forward is the first horizontal axis of the laboratory.
    """
    return facing(result, _forward(result))


def facing(result: Result, ahead_g: Array) -> Axes:
    """As `axes_of` has them, for a direction: (3,), zeros where it is not known."""
    up = -result.gravity_g / np.linalg.norm(result.gravity_g)
    flat = np.eye(3) - np.outer(up, up)
    ahead = flat @ ahead_g
    candidates = [sign * flat @ axis for axis in np.eye(3) for sign in (1.0, -1.0)]
    candidates = [c / np.linalg.norm(c) for c in candidates if np.linalg.norm(c) > 0.5]
    forward = max(candidates, key=lambda c: float(c @ ahead)) if np.linalg.norm(ahead) > 0 else candidates[0]
    R = np.array([forward, up, np.cross(forward, up)])
    if (np.abs(R).max(axis=1) > _ALONG).all():
        R = np.rint(R)  # along the laboratory's own axes: numbers keep their digits
    words = ", ".join(f"{name} = {axis_name(row)} ({way})" for name, row, way in zip("XYZ", R, _WAYS, strict=True))
    return Axes(R + 0.0, f"OpenSim's axes in those of the laboratory: {words}")


_WAYS = ("forward", "up", "right")


def _forward(result: Result) -> Array:
    """The direction of walking over the whole trial; zeros where it is not known."""
    model = result.model
    if model.progression is None:
        return np.zeros(3)
    ahead = result.body.R_gp[..., "xyz".index(model.progression.letters[0])].reshape(-1, 3)
    ahead = ahead[np.isfinite(ahead).all(axis=1)]
    return np.asarray(ahead.mean(axis=0)) if len(ahead) else np.zeros(3)


class Stretch(NamedTuple):
    """The longest run of consecutive frames in which all of a table is known, and which frames these are, in words."""

    rows: slice
    words: str


def known_stretch(values: Array, first_frame: int) -> Stretch:
    """Of a (frames, columns) table: OpenSim has no empty cell, and its `Storage` ends a file at the first ``nan``.

    (OpenSim 4.6: the row's values from there on become 0, and all rows behind it are lost, without a word.)
    """
    start, end = max(spans(known_rows(values)), key=lambda run: run[1] - run[0], default=(0, 0))
    if not end:
        return Stretch(slice(0, 0), "")
    words = f"frames {start + first_frame} to {end - 1 + first_frame}"
    if end - start < len(values):
        words += f" of {first_frame} to {len(values) - 1 + first_frame}: the longest stretch in which all is known"
    return Stretch(slice(start, end), words)


def storage(name: str, about: Sequence[str], columns: Sequence[str], values: Array, in_degrees: bool) -> str:
    """A motion or storage file (``.mot``, ``.sto``): header, names, one row a frame.

    Parameters
    ----------
    name : str
        Its first line.
    about : sequence of str
        Lines of words, between the counts and the end of the header.
    columns : sequence of str
        ``time`` first.
    values : (frames, columns) array
        Without NaN.
    in_degrees : bool
    """
    counts = ["version=1", f"nRows={len(values)}", f"nColumns={len(columns)}"]
    head = [name, *counts, f"inDegrees={'yes' if in_degrees else 'no'}", *about, "endheader", "\t".join(columns)]
    rows = ["\t".join(f"{v:.10g}" for v in row) for row in (values + 0.0).tolist()]
    return "\n".join([*head, *rows]) + "\n"


_MM_PER_M = 1e3


def to_trc(source: Source) -> Made:
    """``walk.trc``: every marker of the trial; those that the model does not use as they were recorded."""
    result = source.analysed
    axes, name = axes_of(result), f"{source.stem}.trc"
    return Made({name: file_of(name, result.trial, axes, result.markers.seen)[0]}, (axes.words,))


def file_of(file: str, trial: Trial, axes: Axes, seen: Mapping[str, Array]) -> tuple[str, dict[str, str]]:
    """The text of a file of that name, with the tracks of a trial where `seen` has no others; its names by label."""
    tracks = {label: seen.get(label, trial.marker(label)) for label in dict.fromkeys(trial.labels)}
    tracks = {label: track for label, track in tracks.items() if np.isfinite(track).any()}
    names = _marker_names(list(tracks))
    points = np.stack([axes.turned(track) for track in tracks.values()], axis=1) * _MM_PER_M
    points[~np.isfinite(points).all(axis=2)] = np.nan
    rate, first, n = f"{trial.rate_hz:.10g}", trial.first_frame, trial.n_frames
    keys = "DataRate CameraRate NumFrames NumMarkers Units OrigDataRate OrigDataStartFrame OrigNumFrames"
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{file}",
        keys.replace(" ", "\t"),
        "\t".join([rate, rate, str(n), str(len(names)), "mm", rate, str(first), str(n)]),
        "Frame#\tTime\t" + "\t".join(f"{name}\t\t" for name in names),
        "\t\t" + "\t".join(f"X{i}\tY{i}\tZ{i}" for i in range(1, len(names) + 1)),
        "",
    ]
    rows = (points.reshape(n, -1) + 0.0).tolist()
    for i, (time, row) in enumerate(zip(trial.time_s.tolist(), rows, strict=True)):
        # a blank cell at the end of a line makes OpenSim 4.6 refuse the file; `nan` all its readers know
        cells = (f"{v:.10g}" for v in row)
        lines.append("\t".join([str(first + i), f"{time:.10g}", *cells]))
    return "\n".join(lines) + "\n", dict(zip(tracks, names, strict=True))


def _marker_names(labels: list[str]) -> list[str]:
    """Labels without blanks, which end a name in OpenSim; each still another one."""
    names: list[str] = []
    for label in labels:
        name = "_".join(label.split()) or "marker"
        while name in names:
            name += "_"
        names.append(name)
    return names


#: Of what OpenSim reads as XML.
DOCUMENT = '<?xml version="1.0" encoding="UTF-8" ?>\n<OpenSimDocument Version="40000">\n{}</OpenSimDocument>\n'
_EXTERNAL_FORCE = """      <ExternalForce name={name}>
        <appliesForce>true</appliesForce>
        <applied_to_body>calcn_{s}</applied_to_body>
        <force_expressed_in_body>ground</force_expressed_in_body>
        <point_expressed_in_body>ground</point_expressed_in_body>
        <force_identifier>ground_force_{s}_v</force_identifier>
        <point_identifier>ground_force_{s}_p</point_identifier>
        <torque_identifier>ground_torque_{s}_</torque_identifier>
      </ExternalForce>
"""


def to_mot(source: Source) -> Made:
    """``walk.mot`` and ``walk.external_loads.xml``.

    Raises
    ------
    GaitidError
        The model touches no ground, or in no frame the load on every foot is known.
    """
    contents, stretch = loads_of(source)
    return Made(contents, (axes_of(source.analysed).words, stretch.words))


def loads_of(source: Source) -> tuple[dict[str, str | bytes], Stretch]:
    """Files of the loads on the feet, and the frames in which all are known; refused as by `to_mot`."""
    result = source.analysed
    axes, trial = axes_of(result), result.trial
    columns, values = ["time"], [trial.time_s[:, None]]
    forces = []
    for side, leg in result.sides.items() if result.model.touches_ground else ():
        s = side[:1]
        point, torque = _at_pressure(leg)
        columns += [f"ground_force_{s}_v{k}" for k in "xyz"] + [f"ground_force_{s}_p{k}" for k in "xyz"]
        columns += [f"ground_torque_{s}_{k}" for k in "xyz"]
        values += [axes.turned(leg.load.wrench.f_g), axes.turned(point), axes.turned(torque)]
        forces.append(_EXTERNAL_FORCE.format(name=quoteattr(f"{side}_foot"), s=s))
    table = np.hstack(values)
    stretch = known_stretch(table, trial.first_frame)
    if not forces or not stretch.words:
        raise GaitidError("in no frame is the load on every foot known", todo="see contacts.csv for the reasons")
    mot, xml = f"{source.stem}.mot", f"{source.stem}.external_loads.xml"
    about = [
        axes.words,
        "Force of the ground on the foot, N; the point where it acts, m; moment on the foot about that point, N.m.",
        f"Zeros: in the air. Rows: {stretch.words}.",
    ]
    text = storage(mot, about, columns, table[stretch.rows], in_degrees=True)
    loads = DOCUMENT.format(
        f"  <ExternalLoads name={quoteattr(source.stem)}>\n    <objects>\n{''.join(forces)}    </objects>\n"
        f"    <groups />\n    <datafile>{escape(mot)}</datafile>\n  </ExternalLoads>\n"
    )
    return {xml: loads, mot: text}, stretch


def _at_pressure(leg: SideResult) -> tuple[Array, Array]:
    """(frames, 3) point where the load acts, and its moment about it: together they are the whole load, always.

    The centre of pressure; under a load too small to have one, the nearest in time; zeros in the air.
    """
    force, cop = leg.load.wrench.f_g, leg.load.cop_g
    known = np.flatnonzero(np.isfinite(cop).all(axis=1))
    point = np.zeros_like(force)
    if len(known):
        frames = np.arange(len(force))
        after = np.clip(np.searchsorted(known, frames), 0, len(known) - 1)
        before = np.clip(after - 1, 0, None)
        nearer = np.abs(known[after] - frames) < np.abs(known[before] - frames)
        point = cop[np.where(nearer, known[after], known[before])]
    # in the air there is no point
    point = np.where((force == 0).all(axis=1, keepdims=True), 0.0, point)
    point = np.where(np.isfinite(force).all(axis=1, keepdims=True), point, np.nan)
    # M_point = M_p + (p − point) × F
    torque = leg.load.wrench.m_g + cross(leg.load.wrench.p_g - point, force)
    air = (force == 0).all(axis=1, keepdims=True) & (leg.load.wrench.m_g == 0).all(axis=1, keepdims=True)
    return point, np.where(air, 0.0, torque)


#: Coordinate of each joint's column, with the sign that makes it OpenSim's. Its knee extends positively in gait2392 and
#: gait2354 (in Rajagopal2016 the knee's sign is the other one); hip and ankle are alike in all.
ANGLES = {
    ("hip", "flexion"): ("hip_flexion", 1),
    ("hip", "adduction"): ("hip_adduction", 1),
    ("hip", "internal_rotation"): ("hip_rotation", 1),
    ("knee", "flexion"): ("knee_angle", -1),
    ("ankle", "dorsiflexion"): ("ankle_angle", 1),
}
MOMENTS = {
    ("hip", "extension"): ("hip_flexion", -1),
    ("hip", "abduction"): ("hip_adduction", -1),
    ("hip", "external_rotation"): ("hip_rotation", -1),
    ("knee", "extension"): ("knee_angle", 1),
    ("ankle", "plantarflexion"): ("ankle_angle", -1),
}
_KNEE = "knee_angle: positive in extension, as in gait2392 and gait2354; in Rajagopal2016 it has the other sign"
# Axes of the pelvis in OpenSim (x forward, y up, z right) in those of gaitid (x forward, y left, z up).
_R_PELVIS = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def to_sto(source: Source) -> Made:
    """``walk.left.sto`` and ``walk.right.sto``, the moments, and ``walk.angles.sto``.

    Raises
    ------
    GaitidError
        The model has no joint of a name that OpenSim's has, or nothing of it is known.
    """
    result = source.analysed
    axes = axes_of(result)
    angles = _pelvis(result, axes)
    tables: dict[str, dict[str, Array]] = {}
    for side, leg in result.sides.items():
        angles |= _columns(leg.angles, ANGLES, f"_{side[:1]}", 1.0)
        tables[side] = _columns(leg.moments, MOMENTS, f"_{side[:1]}_moment", result.subject.mass_kg)
    tables["angles"] = angles
    contents: dict[str, str | bytes] = {}
    remarks = [axes.words, _KNEE]
    for name, columns in tables.items():
        known = {column: values for column, values in columns.items() if np.isfinite(values).any()}
        table = np.column_stack([result.trial.time_s, *known.values()])
        stretch = known_stretch(table, result.trial.first_frame)
        if not known or not stretch.words:
            remarks.append(f"no file of {name}: nothing of it is known")
            continue
        is_angles = name == "angles"
        unit = "deg; pelvis_tx, pelvis_ty, pelvis_tz in m" if is_angles else "N.m, internal, not divided by mass"
        about = [axes.words, f"Values in {unit}.", f"{_KNEE}.", f"Axes and centres: model {result.model.name}."]
        title = "Coordinates" if is_angles else "Inverse Dynamics Generalized Forces"
        file = f"{source.stem}.{name}.sto"
        words = [*about, f"Rows: {stretch.words}."]
        contents[file] = storage(title, words, ["time", *known], table[stretch.rows], in_degrees=is_angles)
        remarks.append(f"{file}: {stretch.words}")
    if not contents:
        raise GaitidError(
            "nothing that OpenSim has a coordinate for",
            expected="angles or moments of a hip, knee or ankle",
            found=f"model {result.model.name}",
        )
    return Made(contents, tuple(remarks))


def _columns(
    joints: Mapping[str, Mapping[str, Array]], known: Mapping[tuple[str, str], tuple[str, int]], end: str, factor: float
) -> dict[str, Array]:
    """The columns that OpenSim has a coordinate for, in its order."""
    return {
        f"{name}{end}": sign * factor * joints[joint][column]
        for (joint, column), (name, sign) in known.items()
        if joint in joints and column in joints[joint]
    }


def _pelvis(result: Result, axes: Axes) -> dict[str, Array]:
    """How the pelvis stands in OpenSim's ground: tilt about Z, then list about X, then rotation about Y (gait2392)."""
    if result.model.base.segment != "pelvis":
        return {}
    R_op = axes.R_og @ result.base.R_gs @ _R_PELVIS
    tilt, sideways, turn = (np.degrees(angle) for angle in cardan(R_op, "zxy"))
    origin = axes.turned(result.body.geometry.point(result.model.base.origin, ""))
    turned = {"pelvis_tilt": tilt, "pelvis_list": sideways, "pelvis_rotation": turn}
    return turned | {f"pelvis_t{k}": origin[:, i] for i, k in enumerate("xyz")}
