"""LIMITS.yaml: which axes the joints turn about, and how much torque each can produce either way."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gaitid.errors import ModelError
from gaitid.model import specs
from gaitid.model.fields import Faults, Fields, nearest
from gaitid.model.load import bundled_folder, find_file
from gaitid.model.validate import turn_of
from gaitid.model.yaml_file import load_yaml
from gaitid.records import NamedTuple

# The two ways of turning about one axis, as clinicians name them.
OPPOSITES = {
    "flexion": "extension",
    "adduction": "abduction",
    "internal_rotation": "external_rotation",
    "dorsiflexion": "plantarflexion",
    "eversion": "inversion",
}
OPPOSITES |= {negative: positive for positive, negative in OPPOSITES.items()}
# Three spherical joints and more: 2ⁿ corners of the box of torques are wrapped in every frame.
MAX_AXES = 12
# N·m and N·m/kg: a hundred times what a leg can do is a mistake of units.
MAX_TORQUE, MAX_TORQUE_PER_KG = 20_000.0, 300.0
# N: ten tonnes.
MAX_FORCE = 100_000.0


class Freedom(NamedTuple):
    """One axis that a joint turns about, or slides along.

    Attributes
    ----------
    joint : str
    positive : str
        The way of turning that counts as positive: the angle's own name in the model, as ``flexion``.
    axis : int
        0, 1 or 2: the model's x, y or z axis of the joint coordinate system.
    senses : mapping of side to float
        +1 where the positive way is right-handed about that axis (distal segment in proximal), −1 where it is
        left-handed.
    limits : (float, float)
        Largest torque the other way and the positive way, both ≥ 0.
    per_kg : bool
        Whether they are N·m for each kg of the body, not N·m.
    slides : bool
        Along an axis of the segment that the joint hangs from, with limits in N.
    """

    joint: str
    positive: str
    axis: int
    senses: Mapping[str, float]
    limits: tuple[float, float]
    per_kg: bool
    slides: bool = False

    @property
    def name(self) -> str:
        return f"{self.joint}_{self.positive}"

    @property
    def words(self) -> str:
        return self.name.replace("_", " ")

    def torques(self, mass: float) -> tuple[float, float]:
        """Lowest and highest torque, N·m, on a body of that mass, kg."""
        scale = mass if self.per_kg else 1.0
        return -self.limits[0] * scale, self.limits[1] * scale


class Limits(NamedTuple):
    """A limits file, parsed and checked against a model."""

    name: str
    title: str
    sources: tuple[str, ...]
    path: Path
    freedoms: tuple[Freedom, ...]
    load_kg: float


def read_limits(limits: str | Path, model: specs.Model) -> Limits:
    """Read a limits file, or the bundled one of that name.

    Raises
    ------
    ModelError
        Not found, or against the schema: one line that names each key.
    """
    bundled = {path.stem: path for path in sorted(bundled_folder("configs").glob("limits/*.yaml"))}
    path = find_file("limits", str(limits), bundled)
    faults = Faults(path.name, path)
    top = Fields(load_yaml(path), "", faults)
    if top.raw("gaitid_limits", None) != 1:
        raise ModelError(f"{path}: not a limits file", expected="a line `gaitid_limits: 1`")
    name, title = top.text("name", path.stem), top.text("title", "")
    sources = tuple(str(source) for source in top.items("sources"))
    load_kg = top.number("load_kg", 0.0, low=0.0, high=1000.0)
    freedoms: list[Freedom] = []
    for key, largest, per_kg in (("torques_Nm", MAX_TORQUE, False), ("torques_Nm_per_kg", MAX_TORQUE_PER_KG, True)):
        joints = top.mapping(key, None)
        for joint, value in joints.values.items():
            if value is None:
                faults.add(f"{joints.at(joint)}: expected torques, found nothing")
            freedoms += _freedoms_of(joints.mapping(joint), joint, model, largest, per_kg)
        _refuse_unknown_joints(joints, model)
    joints = top.mapping("forces_N", None)
    for joint in joints.values:
        freedoms += _slides_of(joints.mapping(joint), joint, model)
    _refuse_unknown_joints(joints, model)
    top.done()
    names = [freedom.name for freedom in freedoms]
    for twice in sorted({n for n in names if names.count(n) > 1}):
        faults.add(f"torques_Nm, torques_Nm_per_kg: both give {twice.replace('_', ' ', 1)}")
    if len(names) > MAX_AXES:
        faults.add(f"torques_Nm, torques_Nm_per_kg: expected at most {MAX_AXES} axes, found {len(names)}")
    if not names and not faults.lines:
        faults.add("torques_Nm or torques_Nm_per_kg: missing: at least one joint must have torques (or forces_N)")
    faults.raise_if_any()
    order = [body.joint for body in model.chain[::-1]]
    freedoms.sort(
        key=lambda freedom: (order.index(freedom.joint), not freedom.slides)
    )  # a joint turns where it slid to
    return Limits(name, title, sources, path, tuple(freedoms), load_kg)


def _refuse_unknown_joints(joints: Fields, model: specs.Model) -> None:
    known = [body.joint for body in model.chain]
    for joint in joints.values:
        if joint not in known:
            joints.faults.add(
                f"{joints.at(joint)}: no such joint in {model.name}{nearest(joint, known)}; expected {', '.join(known)}"
            )


def _freedoms_of(given: Fields, joint: str, model: specs.Model, largest: float, per_kg: bool) -> list[Freedom]:
    """The axes of one joint: pairs of opposite ways, each the name of an angle of the model or its opposite."""
    angle = model.angles.get(joint)
    if angle is None:
        return []
    freedoms = []
    for positive, formula in angle.columns.items():
        negative = _opposite(positive)
        ways = [way for way in (positive, negative) if way in given.values]
        if not ways:
            continue
        up, down = (given.number(way, low=0.0, high=largest) for way in (positive, negative))
        turns = {side.name: turn_of(formula, side.sign) for side in model.sides}
        which = {None if turn is None else turn[0] for turn in turns.values()}
        if len(which) != 1 or None in which:
            given.faults.add(f"{given.at(positive)}: {formula.text!r} in the model is not one turn, plus or minus")
            continue
        senses = {side: turn[1] for side, turn in turns.items() if turn is not None}
        axis = "xyz".index(angle.sequence[next(turn[0] for turn in turns.values() if turn is not None)])
        freedoms.append(Freedom(joint, positive, axis, senses, (down, up), per_kg))
    for way in given.values:
        if way not in given.asked:
            known = [name for column in angle.columns for name in (column, _opposite(column))]
            given.faults.add(f"{given.at(way)}: no such way to turn{nearest(way, known)}; expected {', '.join(known)}")
    return freedoms


def _slides_of(given: Fields, joint: str, model: specs.Model) -> list[Freedom]:
    """The axes that one joint slides along: ``slide_x`` of the segment that it hangs from, and ``negative_slide_x``."""
    freedoms = []
    for axis, letter in enumerate("xyz"):
        positive = f"slide_{letter}"
        if positive in given.values or _opposite(positive) in given.values:
            up, down = (given.number(way, low=0.0, high=MAX_FORCE) for way in (positive, _opposite(positive)))
            senses = {side.name: 1.0 for side in model.sides}
            freedoms.append(Freedom(joint, positive, axis, senses, (down, up), False, True))
    known = [name for letter in "xyz" for name in (f"slide_{letter}", f"negative_slide_{letter}")]
    for way in given.values:
        if way not in known:
            given.faults.add(f"{given.at(way)}: no such way to slide{nearest(way, known)}; expected {', '.join(known)}")
    return freedoms


def _opposite(way: str) -> str:
    """The other way to turn; ``negative_…`` where clinicians have no word for it."""
    return OPPOSITES.get(way, f"negative_{way}")
