"""The poses of a walk's segments as markerless systems store them in a C3D file: the group ROTATION and its data."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.simulate.body import SIDES
from gaitid.simulate.jet import Array
from gaitid.simulate.walk import WalkState

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
    """Add the parameters of poses to an `ezc3d.c3d`; `append` has to follow when it is written."""
    group = _WRITTEN_AS.decode()
    c.add_parameter(group, "LABELS", labels)
    c.add_parameter(group, "DESCRIPTIONS", labels)
    for name, value in (("USED", len(labels)), ("RATIO", 1), ("FRAMES", n_frames), ("DATA_START", _LATER)):
        c.add_parameter(group, name, (float(value),))
        c["parameters"][group][name]["type"] = 2  # an integer
        c["parameters"][group][name]["value"] = np.array([value])
    c.add_parameter(group, "RATE", (rate_hz,))


def append(path: Path, poses: Mapping[str, tuple[Array, Array]]) -> None:
    """Put the poses, mm, behind the frames of a file that was written with `announce`."""
    content = path.read_bytes()
    content += bytes(-len(content) % _BLOCK)
    start = struct.pack("<H", len(content) // _BLOCK + 1)
    head, rest = content[: content.index(_WRITTEN_AS) + 4096], content[content.index(_WRITTEN_AS) + 4096 :]
    later = struct.pack("<H", _LATER)
    if (head.count(_GROUP), head.count(_WRITTEN_AS), head.count(later)) not in ((1, 1, 1), (0, 1, 1)):
        raise ValueError("ezc3d wrote the parameters in another way")
    head = head.replace(_GROUP, _EMPTY).replace(_WRITTEN_AS, _GROUP).replace(later, start)
    content = head + rest
    R, origin = (np.stack([pose[i] for pose in poses.values()], axis=1) for i in (0, 1))
    data = np.zeros((*R.shape[:2], 17), dtype="<f4")
    matrix = np.zeros((*R.shape[:2], 4, 4))
    matrix[..., :3, :3], matrix[..., :3, 3], matrix[..., 3, 3] = R, 1e3 * origin, 1.0
    data[..., :16] = np.swapaxes(matrix, 2, 3).reshape(*R.shape[:2], 16)
    data[..., 16] = np.where(np.isfinite(matrix).all(axis=(2, 3)), 0.0, -1.0)
    raw = data.tobytes()
    path.write_bytes(content + raw + bytes(-len(raw) % _BLOCK))
