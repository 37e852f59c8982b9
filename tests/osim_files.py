"""Small OpenSim models for tests, in the layouts of versions 3 and 4, and where their markers go.

The walk is computed here once more, in OpenSim's axes and by other means: nothing of `gaitid.model.osim` is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

RATE_HZ = 100.0
# A knee whose tibia slides as it bends: knots of the coordinate, rad, and the shift along X, m.
KNOTS, SLIDE = np.linspace(-2.0, 0.2, 6), np.array([-0.03, -0.012, 0.0, 0.006, 0.008, 0.005])
# The ankle's axis in the axes of OpenSim's gait models (Delp 1990).
OBLIQUE = np.array([-0.105, -0.174, 0.979]) / np.linalg.norm([-0.105, -0.174, 0.979])
MARKERS: Mapping[str, Sequence[Sequence[float]]] = {
    "pelvis": [[0.01, 0.02, 0.12], [0.01, 0.02, -0.12], [-0.17, 0.03, 0.0]],
    "femur_{s}": [[0.02, -0.15, 0.08], [0.09, -0.22, 0.03], [-0.02, -0.3, 0.07]],
    "tibia_{s}": [[0.0, -0.1, 0.06], [0.05, -0.17, 0.02], [-0.03, -0.25, 0.05]],
    "calcn_{s}": [[-0.02, 0.02, 0.0], [0.12, 0.03, -0.03], [0.11, 0.01, 0.06]],
    "toes_{s}": [[0.05, 0.0, 0.01]],
}
# child: parent, place in the parent, type of the joint, coordinates
JOINTS: Mapping[str, tuple[str, Sequence[float], str, tuple[str, ...]]] = {
    "pelvis": ("ground", (0, 0, 0), "free", ("pelvis_tilt", "pelvis_list", "pelvis_rotation")),
    "femur_{s}": ("pelvis", (-0.07, -0.07, 0.08), "ball", ("hip_flexion_{s}", "hip_adduction_{s}", "hip_rotation_{s}")),
    "tibia_{s}": ("femur_{s}", (0, 0, 0), "knee", ("knee_angle_{s}",)),
    "talus_{s}": ("tibia_{s}", (0, -0.43, 0), "ankle", ("ankle_angle_{s}",)),
    "calcn_{s}": ("talus_{s}", (-0.05, -0.04, 0.01), "weld", ()),
    "toes_{s}": ("calcn_{s}", (0.18, 0, 0), "weld", ()),
}
MASSES = {"pelvis": 11.0, "femur_{s}": 9.0, "tibia_{s}": 3.6, "talus_{s}": 0.1, "calcn_{s}": 1.2, "toes_{s}": 0.2}


def _numbers(values: Any) -> str:
    return " ".join(repr(float(v)) for v in np.ravel(values))


def _function(kind: str, coordinate: str, newer: bool, *values: Any) -> str:
    tags = {
        "line": "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>",
        "constant": f"<Constant><value>{values[0] if values else 0}</value></Constant>",
        "spline": f"<SimmSpline><x>{_numbers(KNOTS)}</x><y>{_numbers(SLIDE)}</y></SimmSpline>",
    }
    inner = tags[kind] if newer else f"<function>{tags[kind]}</function>"
    return f"<coordinates>{coordinate}</coordinates>{inner}"


def _axes(kind: str, names: Sequence[str], newer: bool) -> str:
    """The spatial transform of a joint."""
    x, y, z = np.eye(3)
    turns, shifts = {
        "free": ((z, x, y), ("pelvis_tx", "pelvis_ty", "pelvis_tz")),
        "ball": ((z, x, y), ()),
        "plane": ((z, x, y), ("pelvis_tx", "pelvis_ty")),
        "knee": ((z, x, y), ()),
    }[kind]
    rows = [
        (f"rotation{i + 1}", axis, _function("line" if i < len(names) else "constant", *_first(names, i), newer))
        for i, axis in enumerate(turns)
    ]
    for i, axis in enumerate((x, y, z)):
        text = _function("line" if i < len(shifts) else "constant", *_first(shifts, i), newer)
        if kind == "knee":
            text = [
                _function("spline", names[0], newer),
                _function("constant", "", newer, -0.42),
                _function("constant", "", newer),
            ][i]
        rows.append((f"translation{i + 1}", axis, text))
    inner = "".join(f'<TransformAxis name="{n}">{t}<axis>{_numbers(a)}</axis></TransformAxis>' for n, a, t in rows)
    return f"<SpatialTransform>{inner}</SpatialTransform>"


def _first(names: Sequence[str], i: int) -> tuple[str]:
    return (names[i],) if i < len(names) else ("",)


def _coordinates(names: Sequence[str], newer: bool) -> str:
    inner = "".join(
        f'<Coordinate name="{n}"><default_value>0</default_value><range>-3 3</range><clamped>false</clamped>'
        f"<locked>false</locked></Coordinate>"
        for n in names
    )
    return (
        f"<coordinates>{inner}</coordinates>" if newer else f"<CoordinateSet><objects>{inner}</objects></CoordinateSet>"
    )


def osim_text(version: int = 4, sides: str = "rl", plane: bool = False, size: float = 1.0) -> str:
    """A model; `version` 3 has joints in their children, 4 frames of their own; `plane`: hips and pelvis of a plane."""
    newer, bodies, joints, markers = version >= 4, [], [], []
    for side in sides:
        for pattern, (parent, place, kind, names) in JOINTS.items():
            child, parent = pattern.format(s=side), parent.format(s=side)
            if child == "pelvis" and side != sides[0]:
                continue
            names = tuple(name.format(s=side) for name in names)
            lies = np.array(place) * [1, 1, 1 if side == "r" else -1] * size
            if child == "pelvis":
                names = names[:1] if plane else names
                kind = "plane" if plane else kind
            if kind == "ball" and plane:
                names = names[:1]
            all_names = names + (("pelvis_tx", "pelvis_ty") if kind == "plane" else ())
            all_names += ("pelvis_tx", "pelvis_ty", "pelvis_tz") if kind == "free" else ()
            tag = {"weld": "WeldJoint", "ankle": "PinJoint"}.get(kind, "CustomJoint")
            inner = "" if kind in ("weld", "ankle") else _axes(kind, names, newer)
            inner = inner.replace(">-0.42<", f">{-0.42 * size}<")
            turn = _oblique(side) if kind == "ankle" else np.zeros(3)
            name = f"{kind}_{child}"
            mass = MASSES[pattern]
            com, inertia = np.array([0.0, -0.1, 0.0]) * size, [0.02, 0.01, 0.02, 0, 0, 0]
            if newer:
                bodies.append(
                    f'<Body name="{child}"><mass>{mass}</mass><mass_center>{_numbers(com)}</mass_center>'
                    f"<inertia>{_numbers(inertia)}</inertia></Body>"
                )
                frames = "".join(
                    f'<PhysicalOffsetFrame name="{body}_offset"><socket_parent>/bodyset/{body}</socket_parent>'
                    f"<translation>{_numbers(at)}</translation><orientation>{_numbers(turn)}</orientation>"
                    f"</PhysicalOffsetFrame>"
                    for body, at in ((parent, lies), (child, np.zeros(3)))
                )
                joints.append(
                    f'<{tag} name="{name}"><socket_parent_frame>{parent}_offset</socket_parent_frame>'
                    f"<socket_child_frame>{child}_offset</socket_child_frame>{_coordinates(all_names, newer)}"
                    f"<frames>{frames}</frames>{inner}</{tag}>"
                )
            else:
                six = "".join(
                    f"<inertia_{k}>{v}</inertia_{k}>" for k, v in zip(("xx", "yy", "zz", "xy", "xz", "yz"), inertia)
                )
                bodies.append(
                    f'<Body name="{child}"><mass>{mass}</mass><mass_center>{_numbers(com)}</mass_center>{six}<Joint>'
                    f'<{tag} name="{name}"><parent_body>{parent}</parent_body>'
                    f"<location_in_parent>{_numbers(lies)}</location_in_parent>"
                    f"<orientation_in_parent>{_numbers(turn)}</orientation_in_parent><location>0 0 0</location>"
                    f"<orientation>{_numbers(turn)}</orientation>{_coordinates(all_names, newer)}{inner}</{tag}>"
                    f"</Joint></Body>"
                )
            for label, at in _labels(pattern, side):
                lies = _numbers(at * size)
                body = (
                    f"<socket_parent_frame>/bodyset/{child}</socket_parent_frame>" if newer else f"<body>{child}</body>"
                )
                markers.append(f'<Marker name="{label}">{body}<location>{lies}</location></Marker>')
    head = f'<?xml version="1.0"?><OpenSimDocument Version="{version}0000"><Model name="small">'
    body_set = f"<BodySet><objects>{''.join(bodies)}</objects></BodySet>"
    joint_set = f"<JointSet><objects>{''.join(joints)}</objects></JointSet>" if newer else ""
    marker_set = f"<MarkerSet><objects>{''.join(markers)}</objects></MarkerSet>"
    return f"{head}<length_units>meters</length_units>{body_set}{joint_set}{marker_set}</Model></OpenSimDocument>"


def _labels(pattern: str, side: str) -> list[tuple[str, Any]]:
    mirror = np.array([1, 1, 1 if side == "r" else -1])
    stem = pattern.format(s=side)
    return [
        (f"{stem}{i}", np.array(at) * (1 if pattern == "pelvis" else mirror))
        for i, at in enumerate(MARKERS.get(pattern, ()))
    ]


def _oblique(side: str) -> Any:
    """Turns about X and Y that bring Z to the ankle's axis of a side; Z X' Y'' of a frame (OpenSim's orientation)."""
    x, y, z = OBLIQUE * ([1, 1, 1] if side == "r" else [-1, -1, 1])
    return np.array([np.arctan2(-y, z), np.arcsin(x), 0.0])


def about(axis: Any, angle: Any) -> Any:
    """(n, 3, 3) turns about a unit axis (Rodrigues)."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.eye(3) + s * K + (1 - c) * (K @ K)


def walk(sides: str = "rl", n: int = 150) -> tuple[dict[str, Any], dict[str, Any]]:
    """Coordinates, rad and m, and markers, (n, 3), m, in OpenSim's axes, of a body that bends its joints as it goes."""
    t = np.arange(n) / RATE_HZ
    wave = 2 * np.pi * t
    x, y, z = np.eye(3)
    q = {
        "pelvis_tilt": 0.1 + 0.03 * np.sin(2 * wave),
        "pelvis_list": 0.05 * np.sin(wave),
        "pelvis_rotation": 0.08 * np.cos(wave),
    }
    R = about(z, q["pelvis_tilt"]) @ about(x, q["pelvis_list"]) @ about(y, q["pelvis_rotation"])
    at = {"pelvis": (R, np.stack([1.2 * t, 0.95 + 0.02 * np.sin(2 * wave), 0 * t], axis=1))}
    for s in sides:
        phase, mirror = (wave, 1) if s == "r" else (wave + np.pi, -1)
        q |= {
            f"hip_flexion_{s}": 0.3 * np.sin(phase),
            f"hip_adduction_{s}": 0.06 * np.sin(phase + 1),
            f"hip_rotation_{s}": 0.05 * np.cos(phase),
            f"knee_angle_{s}": -0.6 - 0.5 * np.sin(phase - 1),
            f"ankle_angle_{s}": 0.2 * np.sin(phase + 2),
        }
        R, p = at["pelvis"]
        p = p + R @ np.array([-0.07, -0.07, 0.08 * mirror])
        side = np.array([mirror, mirror, 1])
        hip = about(z, q[f"hip_flexion_{s}"]) @ about(x, q[f"hip_adduction_{s}"]) @ about(y, q[f"hip_rotation_{s}"])
        R = R @ hip
        at[f"femur_{s}"] = R, p
        bend = q[f"knee_angle_{s}"]
        slide = np.stack([slid(bend), np.full(n, -0.42), 0 * t], axis=1)
        p = p + np.einsum("fij,fj->fi", R, slide)
        R = R @ about(z, bend)
        at[f"tibia_{s}"] = R, p
        p = p + R @ np.array([0, -0.43, 0.0])
        R = R @ about(OBLIQUE * side, q[f"ankle_angle_{s}"])
        p = p + R @ np.array([-0.05, -0.04, 0.01 * mirror])
        at[f"calcn_{s}"] = R, p
        at[f"toes_{s}"] = R, p + R @ np.array([0.18, 0, 0])
    markers = {}
    for pattern in MARKERS:
        for s in sides if "{s}" in pattern else sides[:1]:
            R, p = at[pattern.format(s=s)]
            markers |= {label: p + R @ place for label, place in _labels(pattern, s)}
    return q, markers


def slid(angle: Any) -> Any:
    """The knee's shift at an angle, m, by SciPy's spline with OpenSim's ends.

    Its third derivatives there are those of the cubics through the first and the last four points: they follow from the
    second ones as a line does.
    """

    def spline(ends: Any) -> Any:
        return CubicSpline(KNOTS, SLIDE, bc_type=((2, ends[0]), (2, ends[1])))

    def thirds(ends: Any) -> Any:
        return 6 * spline(ends).c[0, [0, -1]]

    wanted = [6 * np.polyfit(KNOTS[some], SLIDE[some], 3)[0] for some in (slice(0, 4), slice(-4, None))]
    start = thirds((0.0, 0.0))
    slope = np.stack([thirds(end) - start for end in np.eye(2)], axis=1)
    return spline(np.linalg.solve(slope, np.array(wanted) - start))(angle)


def write_trc(path: Path, markers: Mapping[str, Any]) -> Path:
    """A TRC file in mm."""
    labels = list(markers)
    points = np.stack([markers[label] for label in labels], axis=1) * 1e3
    n = len(points)
    head = [
        f"PathFileType\t4\t(X/Y/Z)\t{path.name}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{RATE_HZ}\t{RATE_HZ}\t{n}\t{len(labels)}\tmm\t{RATE_HZ}\t1\t{n}",
        "Frame#\tTime\t" + "\t\t\t".join(labels),
        "\t\t" + "\t".join(f"X{i}\tY{i}\tZ{i}" for i in range(1, len(labels) + 1)),
        "",
    ]
    rows = [
        "\t".join([str(i + 1), repr(i / RATE_HZ), *(repr(float(v)) for v in frame.ravel())])
        for i, frame in enumerate(points)
    ]
    path.write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")
    return path
