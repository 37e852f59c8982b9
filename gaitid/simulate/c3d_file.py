"""A simulated trial as C3D, with the parameters that Vicon Nexus stores.

The poses of a walk's segments are stored as markerless systems do: the group ROTATION and its data.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gaitid.errors import GaitidError
from gaitid.numerics.jet import Array
from gaitid.simulate.body import MEASURED, OFFSETS, SIDES, Subject, in_mm
from gaitid.simulate.plates import encode
from gaitid.simulate.truth import FIRST_FRAME
from gaitid.simulate.walk import Walk, WalkState

# ezc3d 1.7.2 puts a group ROTATION of no poses into every file, and what it writes of poses nobody can read, itself
# neither. So ours is written under another name, and both are renamed afterwards.
_WRITTEN_AS, _GROUP, _EMPTY = b"SEGPOSES", b"ROTATION", b"EMPTYROT"
# What stands for the block in which the data begin, until it is known.
_LATER = 0x7A5B
_BLOCK = 512
#: Columns are x to the right, y forward and z up of a segment whose axes are x forward, y left and z up.
_RIGHT_FORWARD_UP = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
#: The same of the simulated foot, whose axes are x up, y left and z toward the heel.
_OF_FOOT = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])


#: m. From the ankle to the joint of the toes, in the axes of the simulated foot: as in Theia's file (149 mm in front of
#: the ankle, 52 mm below it).
TOES_S = np.array([-0.052, 0.0, -0.149])


def stored_poses(state: WalkState) -> dict[str, tuple[Array, Array]]:
    """What Theia3D would store of a walk: label to (R_gs, origin), (times, 3, 3) and (times, 3), m."""
    hips = [state.joint_g[f"{side}_hip"] for side in SIDES]
    poses = {"pelvis_4X4": (state.rotation["pelvis"] @ _RIGHT_FORWARD_UP, (hips[0] + hips[1]) / 2)}
    for side in SIDES:
        letter = side[0]
        for segment, joint in (("thigh", "hip"), ("shank", "knee")):
            R = state.rotation[f"{side}_{segment}"] @ _RIGHT_FORWARD_UP
            poses[f"{letter}_{segment}_4X4"] = (R, state.joint_g[f"{side}_{joint}"])
        foot, ankle = state.rotation[f"{side}_foot"], state.joint_g[f"{side}_ankle"]
        poses[f"{letter}_foot_4X4"] = (foot @ _OF_FOOT, ankle)
        poses[f"{letter}_toes_4X4"] = (foot @ _OF_FOOT, ankle + foot @ TOES_S)
    return poses


def announce(c: Any, labels: tuple[str, ...], rate_hz: float, n_frames: int) -> None:
    """Add the parameters of poses to an `ezc3d.c3d`; the poses themselves follow its bytes (`with_poses`)."""
    group = _WRITTEN_AS.decode()
    c.add_parameter(group, "LABELS", labels)
    c.add_parameter(group, "DESCRIPTIONS", labels)
    for name, value in (("USED", len(labels)), ("RATIO", 1), ("FRAMES", n_frames), ("DATA_START", _LATER)):
        _add_integers(c, group, name, [value])
    c.add_parameter(group, "RATE", (rate_hz,))


def with_poses(content: bytes, poses: Mapping[str, tuple[Array, Array]]) -> bytes:
    """The bytes of a file that was made with `announce`, with the poses, mm, behind its frames."""
    content += bytes(-len(content) % _BLOCK)
    start = struct.pack("<H", len(content) // _BLOCK + 1)
    head, rest = content[: content.index(_WRITTEN_AS) + 4096], content[content.index(_WRITTEN_AS) + 4096 :]
    later = struct.pack("<H", _LATER)
    if (head.count(_GROUP), head.count(_WRITTEN_AS), head.count(later)) not in ((1, 1, 1), (0, 1, 1)):
        raise ValueError("ezc3d wrote the parameters in another way")
    head = head.replace(_GROUP, _EMPTY).replace(_WRITTEN_AS, _GROUP).replace(later, start)
    R, origin = (np.stack([pose[i] for pose in poses.values()], axis=1) for i in (0, 1))
    data = np.zeros((*R.shape[:2], 17), dtype="<f4")
    matrix = np.zeros((*R.shape[:2], 4, 4))
    matrix[..., :3, :3], matrix[..., :3, 3], matrix[..., 3, 3] = R, 1e3 * origin, 1.0
    data[..., :16] = np.swapaxes(matrix, 2, 3).reshape(*R.shape[:2], 16)
    data[..., 16] = np.where(np.isfinite(matrix).all(axis=(2, 3)), 0.0, -1.0)
    raw = data.tobytes()
    return head + rest + raw + bytes(-len(raw) % _BLOCK)


#: Type of an integer parameter in a C3D file.
_INTEGER = 2
#: A dimension of a parameter is one byte.
_MOST_EVENTS = 255
_STRIKE, _OFF = "Foot Strike", "Foot Off"


def walk_c3d(
    walk: Walk,
    markers: Mapping[str, Array],
    channels: dict[int, tuple[Array, Array]] | None,
    poses: Mapping[str, tuple[Array, Array]] | None = None,
) -> bytes:
    """A file of markers, or of poses as a markerless system has it, with plates and events where there are any.

    Parameters
    ----------
    walk : Walk
    markers : mapping of label to (frames, 3) array, m
        None of them where there are poses.
    channels : mapping of plate number to (force, moment), or None
        (samples, 3) arrays, N and N·m, as `Walk.plate_channels` has them. None makes a static trial: no
        plates, no events, and without the offsets that only a static trial yields.
    poses : mapping of label to (R_gs, origin), optional
        As from `stored_poses`.
    """
    rate_hz, n_frames = walk.settings.rate_hz, walk.settings.times_s.size
    c = points_c3d(markers, rate_hz, n_frames)
    if channels is not None:
        _add_plates(c, walk, channels)
        if not walk.settings.no_events:
            _add_events(c, walk)
    stored = stored_parameters(walk.subject, with_offsets=channels is not None)
    for name in ("Bodymass", "Height") if poses else stored:
        c.add_parameter("PROCESSING", name, (float(stored[name]),))
    if poses:
        announce(c, tuple(poses), rate_hz, n_frames)
    content = signed_bytes(c)
    return with_poses(content, poses) if poses else content


def points_c3d(markers: Mapping[str, Array], rate_hz: float, n_frames: int = 0) -> Any:
    """An `ezc3d.c3d` with markers (frames, 3), m, NaN where unseen, and nothing else yet; `n_frames` without any."""
    import ezc3d

    c = ezc3d.c3d()
    # (3, markers, frames), mm
    points = np.stack([p.T for p in markers.values()], axis=1) * 1e3 if markers else np.zeros((3, 0, n_frames))
    c["header"]["points"]["first_frame"] = FIRST_FRAME - 1  # ezc3d counts from zero
    c["parameters"]["POINT"]["LABELS"]["value"] = tuple(markers)
    c["parameters"]["POINT"]["DESCRIPTIONS"]["value"] = ("",) * len(markers)
    c["parameters"]["POINT"]["UNITS"]["value"] = ("mm",)
    c["parameters"]["POINT"]["RATE"]["value"] = (rate_hz,)
    c.add_parameter("POINT", "X_SCREEN", ("+X",))
    c.add_parameter("POINT", "Y_SCREEN", ("+Z",))
    c["data"]["points"] = np.concatenate([points, np.ones((1, *points.shape[1:]))])
    # Residual 0: seen, and nothing said about how well. −1: not seen.
    c["data"]["meta_points"]["residuals"] = np.where(np.isfinite(points[:1]), 0.0, -1.0)
    c["data"]["meta_points"]["camera_masks"] = np.zeros((7, *points.shape[1:]), dtype=bool)
    return c


def signed_bytes(c: Any) -> bytes:
    """The bytes of a file, which says what made it; ezc3d writes to a path only."""
    c.add_parameter("MANUFACTURER", "COMPANY", ("gaitid",))
    c.add_parameter("MANUFACTURER", "SOFTWARE", ("gaitid simulate",))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "made.c3d"
        c.write(str(path))
        return path.read_bytes()


def _add_plates(c: Any, walk: Walk, channels: dict[int, tuple[Array, Array]]) -> None:
    settings = walk.settings
    draw = np.random.default_rng(int(settings.plate_seed))
    encoded = []
    for i, plate in enumerate(walk.plates):
        force, moment = channels[plate.number]
        encoded.append(
            encode(
                settings.plate_types[i % len(settings.plate_types)],
                force,
                moment + np.cross(plate.sensor_p, force),
                plate.sensor_p,
                plate.size_m,
                origin_sign=settings.origin_sign,
                seed=int(settings.plate_seed) + i,
            )
        )
    labels = [f"{label}{i + 1}" for i, signals in enumerate(encoded) for label in signals.labels]
    units = [unit for signals in encoded for unit in signals.units]
    notes = [f"Force Plate [{i + 1}]" for i, signals in enumerate(encoded) for _ in signals.labels]
    rows = np.hstack([signals.values for signals in encoded]).T
    n = len(labels)
    # A lab wires its plates as it likes, and scales its channels by what the amplifiers say.
    order = draw.permutation(n) if settings.plate_seed else np.arange(n)
    scale = draw.uniform(0.05, 20.0, n) if settings.plate_seed else np.ones(n)
    analog = c["parameters"]["ANALOG"]
    analog["LABELS"]["value"] = tuple(labels[k] for k in order)
    analog["DESCRIPTIONS"]["value"] = tuple(notes[k] for k in order)
    analog["UNITS"]["value"] = tuple(units[k] for k in order)
    analog["RATE"]["value"] = (settings.analog_rate_hz,)
    analog["GEN_SCALE"]["value"] = (0.5,) if settings.plate_seed else (1.0,)
    analog["SCALE"]["value"] = tuple(scale.tolist())
    analog["OFFSET"]["value"] = (0,) * n
    c["data"]["analogs"] = rows[order][None]

    corners = np.stack([plate.corners_g.T for plate in walk.plates], axis=-1) * 1e3  # (3, 4, plates)
    most = max(len(signals.labels) for signals in encoded)
    wired = np.zeros((most, len(encoded)), dtype=np.int64)  # from 1; 0 where a type has fewer channels
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(1, n + 1)
    start = 0
    for k, signals in enumerate(encoded):
        wired[: len(signals.labels), k] = place[start : start + len(signals.labels)]
        start += len(signals.labels)
    _add_integers(c, "FORCE_PLATFORM", "USED", [len(encoded)])
    _add_integers(c, "FORCE_PLATFORM", "TYPE", [signals.kind for signals in encoded])
    _add_integers(c, "FORCE_PLATFORM", "ZERO", [1, 0])
    c.add_parameter("FORCE_PLATFORM", "CORNERS", corners)
    c.add_parameter("FORCE_PLATFORM", "ORIGIN", np.stack([signals.origin_mm for signals in encoded], axis=-1))
    _add_integers(c, "FORCE_PLATFORM", "CHANNEL", wired)
    matrices = [signals.calibration for signals in encoded if signals.calibration is not None]
    if matrices:
        # Column by column, as a C3D file stores every array; as large as the largest, zero for plates without signals.
        side = max(len(matrix) for matrix in matrices)
        calibration = np.zeros((side, side, len(encoded)))
        for k, signals in enumerate(encoded):
            if signals.calibration is not None:
                calibration[: len(signals.calibration), : len(signals.calibration), k] = signals.calibration
        c.add_parameter("FORCE_PLATFORM", "CAL_MATRIX", calibration)


def _add_events(c: Any, walk: Walk) -> None:
    last = float(walk.settings.times_s[-1])
    shift, ends = walk.settings.event_shift_s, ((_STRIKE, "on_s"), (_OFF, "off_s"))
    all_events = [(getattr(s, end) + shift, s.side.capitalize(), label) for s in walk.stances for label, end in ends]
    events = sorted(event for event in all_events if 0.0 <= event[0] <= last)
    if len(events) > _MOST_EVENTS:
        wrong = f"cannot simulate: {len(events)} events, and a C3D file holds {_MOST_EVENTS}"
        raise GaitidError(wrong, todo="give a shorter --duration, or --no-events")
    # Absolute times, as C3D has them: 0 is frame 1. Minutes stay 0.
    start = (FIRST_FRAME - 1) / walk.settings.rate_hz
    times = np.array([[0.0] * len(events), [start + time for time, _, _ in events]])
    _add_integers(c, "EVENT", "USED", [len(events)])
    c.add_parameter("EVENT", "CONTEXTS", tuple(side for _, side, _ in events))
    c.add_parameter("EVENT", "LABELS", tuple(label for _, _, label in events))
    c.add_parameter("EVENT", "TIMES", times)
    _add_integers(c, "EVENT", "ICON_IDS", [1 if label == _STRIKE else 2 for _, _, label in events])
    _add_integers(c, "EVENT", "GENERIC_FLAGS", [0] * len(events))


def stored_parameters(subject: Subject, *, with_offsets: bool) -> dict[str, float]:
    """What Nexus would store of the subject, mm and rad; with offsets also what only a static trial yields."""
    values = {
        "Bodymass": subject.mass_kg,
        "Height": subject.height_m * 1e3,
        "InterAsisDistance": subject.inter_asis_distance_m * 1e3,
        "MarkerDiameter": subject.marker_diameter_m * 1e3,
    }
    for side, leg in subject.legs.items():
        letter = side[0].upper()
        values |= {f"{letter}{name}": in_mm(key, getattr(leg, key)) for key, name in MEASURED.items()}
        values[f"{letter}SoleDelta"] = 0.0
        if with_offsets:
            values |= {f"{letter}{name}": getattr(leg, key) for key, name in OFFSETS.items()}
    return values


def _add_integers(c: Any, group: str, name: str, values: ArrayLike) -> None:
    """Add a parameter as 16-bit integers; `add_parameter` alone would store floats."""
    integers = np.asarray(values, dtype=np.int64)
    c.add_parameter(group, name, integers.astype(np.float64))
    c["parameters"][group][name]["type"] = _INTEGER
    c["parameters"][group][name]["value"] = integers
