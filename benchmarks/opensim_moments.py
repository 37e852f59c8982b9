"""gaitid's joint moments against OpenSim's inverse dynamics, with the masses, joint centres and axes of its model.

    python benchmarks/opensim_moments.py [subject01 subject18]

The recordings of `arnold_synthetic` have markers that move with OpenSim's bodies to 1e-14 m, joint centres among them,
and the scaled model. A gaitid model and a table are written from that model (a body's axes from three of its markers,
its mass, centre and inertia, the joints' axes), and the generalised forces of hip, ankle and knee are compared with
`id.sto`. A generalised force is the moment about the axis of its coordinate, which gaitid writes as the joint's `jcs`
component.
"""

from __future__ import annotations

import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import gaitid
from gaitid.trial import Array

sys.path[:0] = [str(Path(__file__).resolve().parent)]

from osim_model import Body, Place, read_body, storage, together  # noqa: E402
from shared_trials import SHARED  # noqa: E402

FOLDER = SHARED / "models" / "arnold_synthetic"
SUBJECTS = ("subject01", "subject18")
# Three markers of each body that span it, without their side.
FRAMES = {"thigh": ("HJC", "TH1", "TH2"), "shank": ("KJC", "TB1", "TB2"), "foot": ("CAL", "MT5", "TOE")}
BODIES = {"thigh": "femur", "shank": "tibia", "foot": "calcn"}


class Osim:
    """What is needed of a scaled OpenSim model."""

    def __init__(self, path: Path) -> None:
        self.root = ElementTree.parse(path).getroot()
        self.markers = {
            marker.attrib["name"]: (
                self._text(marker, "socket_parent_frame").rsplit("/", 1)[-1],
                self._three(marker, "location"),
            )
            for marker in self.root.iter("Marker")
        }

    @staticmethod
    def _text(element: ElementTree.Element, key: str) -> str:
        return (element.findtext(key) or "").strip()

    def _three(self, element: ElementTree.Element, key: str) -> Array:
        return np.array([float(v) for v in self._text(element, key).split()])

    def offset(self, joint: str, frame: str) -> tuple[Array, Array]:
        """Translation, m, and orientation (body-fixed x, y, z), rad, of a joint's frame in its body."""
        found = next(j for j in self.root.iter() if j.attrib.get("name") == joint and j.tag.endswith("Joint"))
        element = next(f for f in found.iter("PhysicalOffsetFrame") if f.attrib["name"] == frame)
        return self._three(element, "translation"), self._three(element, "orientation")

    def first_turn(self, joint: str) -> float:
        """How the first rotation of a joint, about x, follows its coordinate: 1 or -1."""
        found = next(j for j in self.root.iter("CustomJoint") if j.attrib.get("name") == joint)
        rotation = next(a for a in found.iter("TransformAxis") if a.attrib["name"] == "rotation1")
        slope = float(self._text(next(rotation.iter("LinearFunction")), "coefficients").split()[0])
        return slope * float(self._three(rotation, "axis")[0])

    def body(self, name: str) -> Body:
        return read_body(next(b for b in self.root.iter("Body") if b.attrib.get("name") == name))

    def place(self, marker: str) -> Array:
        """A marker in the axes of the body that it moves with; toes are welded to the calcaneus."""
        body, location = self.markers[marker]
        if body.startswith("toes"):
            location = location + self.offset(f"mtp_{body[-1]}", f"calcn_{body[-1]}_offset")[0]
        return location

    def foot(self, s: str) -> Body:
        """Calcaneus, toes and talus as one, in the axes of the calcaneus; the talus where the subtalar angle is 0."""
        toes = self.offset(f"mtp_{s}", f"calcn_{s}_offset")[0]
        talus = -self.offset(f"subtalar_{s}", f"talus_{s}_offset")[0]
        return together(
            [
                (self.body(name), Place(np.eye(3), at))
                for name, at in ((f"calcn_{s}", np.zeros(3)), (f"toes_{s}", toes), (f"talus_{s}", talus))
            ]
        )


# --- the model as gaitid's --------------------------------------------------------------------------------------------


def turns(R: Array) -> str:
    """A rotation as turns about z, y and x of the frame's own axes, in the model language."""
    about_y = np.arcsin(-R[2, 0])
    about_z, about_x = np.arctan2(R[1, 0], R[0, 0]), np.arctan2(R[2, 1], R[2, 2])
    return f"[{{z: {float(about_z)!r}}}, {{y: {float(about_y)!r}}}, {{x: {float(about_x)!r}}}]"


def body_frame(places: Sequence[Array]) -> tuple[str, Array]:
    """How the frame of three markers is turned into the body's, and where its origin lies in the body."""
    first, second, third = places
    z = (first - second) / np.linalg.norm(first - second)
    y = third - first - z * ((third - first) @ z)
    y /= np.linalg.norm(y)
    return turns(np.array([np.cross(y, z), y, z])), first


def numbers(values: Array) -> str:
    return f"[{', '.join(repr(float(v)) for v in values)}]"


def own_turns(orientation: Array) -> str:
    return "[" + ", ".join(f"{{{axis}: {float(v)!r}}}" for axis, v in zip("xyz", orientation, strict=True)) + "]"


def model_and_table(osim: Osim, s: str) -> tuple[str, str]:
    """The model and the table of one leg, as YAML; `s` is ``r`` or ``l``."""
    S, side, sign = s.upper(), {"r": "right", "l": "left"}[s], {"r": -1, "l": 1}[s]
    bodies = {"thigh": osim.body(f"femur_{s}"), "shank": osim.body(f"tibia_{s}"), "foot": osim.foot(s)}
    roles = sorted({m for names in FRAMES.values() for m in names} | {"KJC", "AJC", "HJC"})
    lines = [
        "gaitid_model: 1",
        "name: opensim_leg",
        "title: A leg of an OpenSim model",
        "table: table.yaml",
        "vertical: y",
        f"sides: {{{side}: {{letter: {S}, sign: {sign}}}}}",
        "subject: {mass: {key: mass_kg, unit: kg, range: [1, 400]}}",
        "middle:",
        "  markers: {rasi: RASI, lasi: LASI, rpsi: RPSI}",
        "  points: {asis_middle: {mean: [rasi, lasi]}}",
        "  frames:",
    ]
    turn, _ = body_frame([osim.place(name) for name in ("RASI", "LASI", "RPSI")])
    lines += [
        "    pelvis_markers: {origin: rasi, keep: {z: [lasi, rasi]}, toward: {y: [rasi, rpsi]}}",
        f"    pelvis: {{turn: pelvis_markers, by: {turn}}}",
        "each_side:",
        f"  markers: {{{', '.join(f'{role.lower()}: {S}{role}' for role in roles)}}}",
        "  frames:",
    ]
    coms = {}
    for segment, names in FRAMES.items():
        turn, origin = body_frame([osim.place(f"{S}{name}") for name in names])
        a, b, c = (name.lower() for name in names)
        lines += [
            f"    {segment}_markers: {{origin: {a}, keep: {{z: [{b}, {a}]}}, toward: {{y: [{a}, {c}]}}}}",
            f"    {segment}: {{turn: {segment}_markers, by: {turn}}}",
        ]
        coms[segment] = numbers(bodies[segment].centre - origin)
    lines += [
        f"    shank_at_ankle: {{turn: shank, by: {own_turns(osim.offset(f'ankle_{s}', f'tibia_{s}_offset')[1])}}}",
        f"    thigh_at_knee: {{turn: thigh, by: {own_turns(osim.offset(f'walker_knee_{s}', f'femur_{s}_offset')[1])}}}",
        f"    shank_at_knee: {{turn: shank, by: {own_turns(osim.offset(f'walker_knee_{s}', f'tibia_{s}_offset')[1])}}}",
        "chain:",
    ]
    for segment, joint, centre in (("foot", "ankle", "ajc"), ("shank", "knee", "kjc"), ("thigh", "hip", "hjc")):
        lines += [
            f"  - segment: {segment}",
            f"    frame: {segment}",
            f"    com: {{in_frame: {segment}, offset: {coms[segment]}}}",
            "    length: 0.3",
            f"    joint: {joint}",
            f"    centre: {centre}",
            *(["    ground: true"] if segment == "foot" else []),
        ]
    lines += [
        "base: {segment: pelvis, frame: pelvis, origin: asis_middle}",
        "ground_contact: {heel: cal, toe: toe}",
        "angles:",
        "  hip: {proximal: pelvis, distal: thigh, sequence: zxy, flexion: a, adduction: b, rotation: c}",
        "  knee: {proximal: thigh_at_knee, distal: shank_at_knee, sequence: xzy, first: a, second: b, third: c}",
        "  ankle: {proximal: shank_at_ankle, distal: foot, sequence: zxy, dorsiflexion: a, second: b, third: c}",
        "settings: {gravity_m_per_s2: 9.80665, cutoff_hz: none, doubtful_labels: keep}",
    ]
    table = ["gaitid_table: 1", "name: opensim", "source: the scaled OpenSim model", "segments:"]
    for segment, body in bodies.items():
        rows = ", ".join(numbers(row) for row in body.inertia)
        table.append(f"  {segment}: {{mass_kg: {body.mass!r}, com_fraction: 0, inertia_kg_m2: [{rows}]}}")
    return "\n".join(lines) + "\n", "\n".join(table) + "\n"


# --- comparing --------------------------------------------------------------------------------------------------------


def ground(mot: Mapping[str, Array], s: str) -> str:
    """The ground's action on a foot as a load file.

    The simulated ground holds the foot with a few newtons in swing, too: `id.sto` counts them, a contact with a plate
    that is found above 20 N does not.
    """
    lines = ["time_s," + ",".join(f"{what}_global_{a}_{u}" for what, u in _LOAD for a in "xyz")]
    time = mot["time"] - mot["time"][0]
    names = [f"ground_force_{s}_v{a}" for a in "xyz"], [f"ground_torque_{s}_{a}" for a in "xyz"]
    columns = [
        time,
        *(mot[n] for n in names[0]),
        *(mot[n] for n in names[1]),
        *(mot[f"ground_force_{s}_p{a}"] for a in "xyz"),
    ]
    return "\n".join([*lines, *(",".join(f"{v:.10g}" for v in row) for row in np.transpose(columns))]) + "\n"


_LOAD = (("force", "N"), ("moment", "Nm"), ("point", "m"))


@dataclass(frozen=True)
class Compared:
    """A joint's generalised force by both, N·m, in the frames in which gaitid knows it."""

    ours: Array
    theirs: Array

    @property
    def rms(self) -> float:
        return float(np.sqrt(np.mean((self.ours - self.theirs) ** 2)))


def analysed(subject: str, s: str) -> gaitid.Analysis:
    folder = FOLDER / subject
    with tempfile.TemporaryDirectory() as temporary:
        model, table = model_and_table(Osim(folder / f"{subject}.osim"), s)
        (Path(temporary) / "model.yaml").write_text(model, encoding="utf-8")
        (Path(temporary) / "table.yaml").write_text(table, encoding="utf-8")
        load = Path(temporary) / "ground.csv"
        load.write_text(ground(storage(folder / "grf.mot"), s), encoding="utf-8")
        return gaitid.analyse(
            folder / "markers.trc",
            model=Path(temporary) / "model.yaml",
            loads={"foot": [load]},
            subject={"mass_kg": 70.0},  # only for moments per kg, which are not used here
            express_in=("jcs", "global"),
        )


def knee_terms(analysis: gaitid.Analysis, side: str, angle: Array) -> tuple[Array, Array]:
    """The two parts of the knee's generalised force, N·m: Σ m · ∂ω/∂q̇ and Σ f · ∂p/∂q.

    OpenSim's knee has one coordinate q, and everything else is a function of it: how the tibia's origin p moves in the
    femur, and how the tibia turns about its other axes. Both are read from the motion itself: in each frame p and the
    rotation R are on one curve of q, whose derivative is that of a polynomial through them.
    """
    geometry = analysis.result.body.geometry
    femur, tibia = (geometry.frame(name, side) for name in ("thigh", "shank"))
    R = np.einsum("fji,fjk->fik", femur.R_gs, tibia.R_gs)
    p = np.einsum("fji,fj->fi", femur.R_gs, geometry.point("kjc", side) - geometry.point("hjc", side))
    q = (angle - angle.mean()) / np.ptp(angle)
    curves = np.polynomial.polynomial.polyfit(q, np.concatenate([R.reshape(-1, 9), p], axis=1), 9)
    slopes = np.polynomial.polynomial.polyval(q, np.polynomial.polynomial.polyder(curves)).T / np.ptp(angle)
    spin = np.einsum("fij,fkj->fik", slopes[:, :9].reshape(-1, 3, 3), R)  # dR/dq Rᵀ, skew
    axis = (
        np.stack([spin[:, 2, 1] - spin[:, 1, 2], spin[:, 0, 2] - spin[:, 2, 0], spin[:, 1, 0] - spin[:, 0, 1]], axis=1)
        / 2
    )
    wrench = analysis.result.sides[side].wrenches["knee"]
    m, f = (np.einsum("fji,fj->fi", femur.R_gs, v) for v in (wrench.m_g, wrench.f_g))
    return np.einsum("fi,fi->f", m, axis), np.einsum("fi,fi->f", f, slopes[:, 9:])


def compared(subject: str, s: str) -> Mapping[str, Compared]:
    """Hip and ankle, the knee about its first axis only, and the knee with the terms of its coordinate."""
    side = {"r": "right", "l": "left"}[s]
    analysis = analysed(subject, s)
    theirs, angles = storage(FOLDER / subject / "id.sto"), storage(FOLDER / subject / "coordinates.sto")
    wrenches = analysis.wrenches
    first = {"hip": "z", "knee": "x", "ankle": "z"}  # of the sequences of their angles
    names = {"hip": f"hip_flexion_{s}_moment", "knee": f"knee_angle_{s}_moment", "ankle": f"ankle_angle_{s}_moment"}
    ours = {joint: wrenches[f"{side}_{joint}_moment_jcs_{axis}_Nm"].to_numpy() for joint, axis in first.items()}
    ours["knee"] = ours["knee"] * Osim(FOLDER / subject / f"{subject}.osim").first_turn(f"walker_knee_{s}")
    turned, moved = knee_terms(analysis, side, angles[f"knee_angle_{s}"])
    ours["knee, its coordinate"] = turned + moved
    found = {}
    for name, values in ours.items():
        reference = theirs[names[name.partition(",")[0]]]
        known = np.isfinite(values)
        found[name] = Compared(values[known], reference[known])
    return found


def main(arguments: Sequence[str]) -> int:
    print(
        "| subject | leg | what | RMS difference, N·m | largest of OpenSim's, N·m | frames |\n|---|---|---|---|---|---|"
    )
    for subject in arguments or SUBJECTS:
        for s in ("r", "l"):
            for name, of in compared(subject, s).items():
                largest = np.abs(of.theirs).max()
                print(f"| {subject} | {s} | {name} | {of.rms:.2f} | {largest:.0f} | {len(of.ours)} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
