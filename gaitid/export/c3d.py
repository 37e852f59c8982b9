"""A result -> a copy of its trial's C3D file with the results as points: all else stays as it is, byte for byte where
the format allows it.

What changes: the counts of points, the lists of POINT that name them, where the data begin if these lists grow beyond
their last block, and in each frame the new points, behind the others. A file of whole numbers becomes one of reals
(`with_points` says why). Names of people are taken out unless they are to be kept (`_stands_for_names`). Of what
lies behind the last frame stored poses of segments (ROTATION) are copied, nothing else.
"""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gaitid.analysis.result import Result, SideResult
from gaitid.disk.regular import MAX_BYTES, file_size
from gaitid.errors import GaitidError
from gaitid.export.c3d_parameters import MOST_TEXTS, ParameterSection, Texts, real_bits, real_bytes, whole_blocks
from gaitid.export.source import Made, Source
from gaitid.model.specs import Model
from gaitid.numerics.rotation import apply_transposed, cardan
from gaitid.read.c3d.file import Sections, read_sections, texts
from gaitid.read.c3d.layout import pose_section
from gaitid.read.c3d.sections import BLOCK
from gaitid.read.length_unit import LENGTH_M, factor
from gaitid.read.subjects import subject_and_name
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array

#: Groups of POINT that name outputs of models, and the kind that TYPE_GROUPS pairs with each (Vicon Nexus).
KINDS = {
    "ANGLES": "ANGLE",
    "FORCES": "FORCE",
    "MOMENTS": "MOMENT",
    "POWERS": "POWER",
    "MODELED_MARKERS": "MODELED_MARKER",
}
#: What is added to a label that the file holds already.
SUFFIX = "_gaitid"
# Points, and blocks before the data, that 16 bits count.
_MOST = 65535
# Groups about a person, in which every text may name or describe one (Vicon SUBJECTS; SUBJECT and PATIENT of others),
# but for what is of a laboratory or a unit.
_OF_PERSONS = re.compile(r"(SUBJECT|PATIENT|PERSON)S?$")
_OF_NOBODY = re.compile(r"MARKER_SETS|DISPLAY_SETS|MODELS|IS_STATIC|.*UNITS?$|SEX$|GENDER$")
# What a text may be called in any group, without blanks and underscores; and in those that describe a recording
# (Qualisys PROCESSING: Name, ID, DOB; TRIAL:NOTES).
_PERSONAL = re.compile(
    r".*(SUBJECT|PATIENT|BIRTH|OPERATOR|EXAMINER|CLINICIAN|PHYSICIAN|THERAPIST|INVESTIGATOR|ASSESSOR|COMMENT|SURNAME"
    r"|FIRSTNAME|LASTNAME|INITIALS)|DOB$|NOTES?$"
)
_OF_RECORDING = re.compile(r".*NAME|.*ID$|.*DESCRIPTIONS?$|.*REMARKS?$")
_RECORDINGS = ("TRIAL", "PROCESSING", "SESSION")
# Lists of subjects' names, to which others refer; groups of labels, which may have a name in front.
_NAMES = re.compile(r"NAMES\d*$|LABEL_PREFIXES\d*$|SUBJECTS\d*$")
_LABELLED = ("POINT", "ROTATION")


@frozen_dataclass(eq=False)
class NewPoint:
    """A point to be added.

    Attributes
    ----------
    label, description : str
    group : str
        Of `KINDS`.
    values : (frames, 3) array
        In the unit to be stored. NaN where a component is not known; without any the point is invalid there.
    """

    label: str
    description: str
    group: str
    values: Array


class Written(NamedTuple):
    """A file's bytes, the label under which each point stands in it, and whether its numbers were reals before."""

    content: bytes
    labels: Mapping[str, str]
    was_real: bool


def with_points(
    content: bytes, points: Sequence[NewPoint], units: Mapping[str, str], keep_names: bool = False
) -> Written:
    """The same file with more points.

    Whole numbers in a file share one scale, that of its markers (0.01 to 0.3 mm): an angle would be stored to a tenth
    of a degree, a power to a tenth of a W/kg. Such a file is written with reals of four bytes: analog samples are the
    same numbers, coordinates the same to 6e-8 of their size.

    Parameters
    ----------
    content : bytes
        Of a file that `gaitid.read.c3d` reads.
    points : sequence of NewPoint
    units : mapping of str to str
        Parameters of POINT, as ``ANGLE_UNITS``, to be added where the file has none.
    keep_names : bool
        Whether names of people stay in its parameters and in front of its labels.

    Raises
    ------
    GaitidError
        It would hold more than a C3D file can.
    """
    sections = read_sections(io.BytesIO(content), len(content))
    header, layout = sections.header, sections.layout
    n_points = header.n_points + len(points)
    old = [subject_and_name(label) for label in texts(sections.section.parameters, "POINT", "LABELS")]
    names = _names({name.upper() for _, name in old[: header.n_points]}, points)
    parameters = ParameterSection(sections.head, sections.start, sections.numbers)
    owners = {subject for subject, _ in old[: header.n_points]} - {""}
    owner = next(iter(owners)) if len(owners) == 1 else ""
    if not keep_names:
        owner = _stands_for_names(parameters)(owner.encode()).decode()
    _name_points(parameters, header.n_points, points, [f"{owner}:{name}" if owner else name for name in names])
    for key, unit in units.items():
        if not parameters.has(key):
            parameters.set_texts(key, Texts((unit.encode("ascii"),), len(unit)))
    parameters.set_number("USED", n_points)
    if not header.floats:
        parameters.set_number("SCALE", -layout.scale)
    data_start = layout.data_start
    need = whole_blocks(sections.start + len(parameters.content()))
    if need * BLOCK > data_start:
        data_start = need * BLOCK
        parameters.set_number("DATA_START", need + 1)
    if n_points > _MOST or need >= _MOST:
        raise GaitidError("too many points for a C3D file", expected=f"at most {_MOST}", found=str(n_points))
    block = sections.head[:BLOCK]
    order = sections.numbers.order
    block = block[:2] + struct.pack(f"{order}H", n_points) + block[4:]
    if not header.floats:
        block = block[:12] + real_bytes(np.array([-layout.scale]), sections.numbers) + block[16:]
    if data_start != layout.data_start:
        block = block[:16] + struct.pack(f"{order}H", data_start // BLOCK + 1) + block[18:]
    poses = pose_section(sections.section, len(content))
    end_of_frames = whole_blocks(data_start + layout.n_frames * (16 * n_points + 4 * header.n_analog))
    if poses is not None:
        parameters.set_number("DATA_START", end_of_frames + 1, "ROTATION")
    section = bytearray(parameters.content())
    # some readers stop where the section says that it ends; one byte has room for 255
    section[2] = min(max(section[2], whole_blocks(len(section))), 255)
    head = block + sections.head[BLOCK : sections.start] + bytes(section)
    frames = _frames(content, sections, points)
    whole = head.ljust(data_start, b"\0") + frames
    end = layout.data_start + layout.n_frames * header.frame_bytes
    if len(content) > end and len(content) % BLOCK == 0:
        whole += bytes(-len(whole) % BLOCK)
    if poses is not None:
        whole = whole.ljust(end_of_frames * BLOCK, b"\0") + content[poses[0] :]
    labels = {point.label: name for point, name in zip(points, names, strict=True)}
    return Written(whole, labels, header.floats)


def _frames(content: bytes, sections: Sections, points: Sequence[NewPoint]) -> bytes:
    """Each frame: the four numbers of each point, those of the new ones, then the analog samples."""
    header, layout, numbers = sections.header, sections.layout, sections.numbers
    raw = content[layout.data_start : layout.data_start + layout.n_frames * header.frame_bytes]
    n_old = 4 * header.n_points
    if header.floats:
        old = np.frombuffer(raw, f"{numbers.order}u4").reshape(layout.n_frames, -1)
    else:
        old = real_bits(_as_reals(raw, sections), numbers)
    new = np.empty((layout.n_frames, len(points), 4))
    for i, point in enumerate(points):
        known = np.isfinite(point.values)
        # DEC numbers have no NaN
        seen = np.asarray(known.all(axis=1) if numbers.vax else known.any(axis=1))
        new[:, i, :3] = np.where(seen[:, None], point.values, 0.0)
        new[:, i, 3] = np.where(seen, 0.0, -1.0)
    bits = real_bits(new.reshape(layout.n_frames, -1), numbers)
    return np.hstack([old[:, :n_old], bits, old[:, n_old:]]).astype(old.dtype, copy=False).tobytes()


def _as_reals(raw: bytes, sections: Sections) -> NDArray[np.float64]:
    """(frames, numbers) of a file of whole numbers: coordinates times the scale, all else as it stands.

    The word with residual and cameras of a point keeps its number: both formats take it apart alike.
    """
    header, layout = sections.header, sections.layout
    values = sections.numbers.integers(raw).reshape(layout.n_frames, -1).astype(np.float64)
    analog = values[:, 4 * header.n_points :]
    if "UNSIGNED" in (text.upper() for text in texts(sections.section.parameters, "ANALOG", "FORMAT")):
        analog[analog < 0] += 1 << 16
    scale = np.tile([layout.scale, layout.scale, layout.scale, 1.0], header.n_points)
    values[:, : 4 * header.n_points] *= scale
    return values


def _names(taken: set[str], points: Sequence[NewPoint]) -> list[str]:
    """The label of each point: with the suffix, and then a number, where the file holds it already."""
    names = []
    for point in points:
        name, n = point.label, 1
        while name.upper() in taken:
            n += 1
            name = point.label + SUFFIX + (str(n - 1) if n > 2 else "")
        taken.add(name.upper())
        names.append(name)
    return names


def _name_points(
    parameters: ParameterSection, n_before: int, points: Sequence[NewPoint], labels: Sequence[str]
) -> None:
    """Add labels and descriptions, one a point, and the lists by kind."""
    coded = [label.encode("utf-8") for label in labels]
    _insert(parameters, "LABELS", n_before, coded)
    # in so many bytes that 255 of them stand in one parameter
    short = [point.description.encode("ascii", "replace")[:120] for point in points]
    _insert(parameters, "DESCRIPTIONS", n_before, short)
    pairs = parameters.texts("TYPE_GROUPS")
    present = {cell.rstrip(b" \0").decode("latin-1") for cell in pairs.cells}
    added: list[bytes] = []
    for group, kind in KINDS.items():
        names = [label for label, point in zip(coded, points, strict=True) if point.group == group]
        _append(parameters, group, names)
        if names and group not in present:
            added += [group.encode(), kind.encode()]
    if added and len(pairs.cells) % 2 == 0:
        parameters.set_texts("TYPE_GROUPS", pairs.widened(added), pairs=True)


def _append(parameters: ParameterSection, name: str, cells: Sequence[bytes]) -> None:
    """Put cells behind a list and its continuation."""
    n = 0
    while parameters.has(_part(name, n + 1)):
        n += 1
    while cells:
        part = parameters.texts(_part(name, n))
        room = MOST_TEXTS - len(part.cells)
        if room > 0:
            parameters.set_texts(_part(name, n), part.widened(cells[:room]))
        cells, n = cells[max(room, 0) :], n + 1


def _insert(parameters: ParameterSection, name: str, at: int, cells: Sequence[bytes]) -> None:
    """Put cells behind the `at` cells of the points that were there, which may be named less, or more, than they are.

    A list has 255 texts, and goes on in NAME2, NAME3, …
    """
    parts: list[Texts] = []
    while parameters.has(key := _part(name, len(parts))):
        parts.append(parameters.texts(key))
    old = [cell for part in parts for cell in part.cells]
    old += [b""] * (at - len(old))
    all_cells = [*old[:at], *cells, *old[at:]]
    for i in range(max(len(parts), -(-len(all_cells) // MOST_TEXTS))):
        wanted = tuple(all_cells[i * MOST_TEXTS : (i + 1) * MOST_TEXTS])
        before = parts[i] if i < len(parts) else Texts((), 0)
        if wanted != before.cells:
            parameters.set_texts(_part(name, i), before.with_others(wanted))


def _part(name: str, i: int) -> str:
    return f"{name}{i + 1}" if i else name


# --- names of people --------------------------------------------------------------------------------------------


def _stands_for_names(section: ParameterSection) -> Callable[[bytes], bytes]:
    """Take the names out of a section, where makers write them, and in front of labels; what it gives turns a subject's
    name into what stands for it, others into themselves.

    A subject's name that others refer to becomes ``S1``, ``S2``, … wherever it stands, so that markers, events and
    measurements still belong to the same person; what only names or describes somebody is emptied.
    """
    of: dict[bytes, bytes] = {}

    def known(name: bytes) -> bytes:
        name = _stripped(name)
        return of.setdefault(name, b"S%d" % (len(of) + 1)) if name else b""

    for _, group, name, stored in section.all_texts():
        refers = _refers(group, name)
        for cell in stored.cells if refers or (group in _LABELLED and name.startswith("LABELS")) else ():
            known(cell if refers else cell.rpartition(b":")[0])

    def changed(group: str, name: str, cells: Sequence[bytes]) -> list[bytes]:
        if _refers(group, name):
            return [known(cell) + (b":" if cell.rstrip(b" \0").endswith(b":") else b"") for cell in cells]
        plain = re.sub(r"[^A-Z0-9]", "", name.rpartition(":")[2])
        if _OF_PERSONS.match(group):
            personal = not _OF_NOBODY.match(name)
        else:
            personal = bool(_PERSONAL.match(plain) or (group in _RECORDINGS and _OF_RECORDING.match(plain)))
        if personal:
            return [b""] * len(cells)
        return [_with_other_owner(cell, of) for cell in cells] if group in _LABELLED else list(cells)

    section.change_texts(changed)
    section.rename(lambda name: _with_other_owner(name, of))
    return lambda name: of.get(name, name)


def _refers(group: str, name: str) -> bool:
    """Whether a list of texts holds the names of subjects, to which others may refer."""
    return bool(_NAMES.match(name)) and (name.startswith("SUBJECTS") or bool(_OF_PERSONS.match(group)))


def _with_other_owner(cell: bytes, of: dict[bytes, bytes]) -> bytes:
    owner, colon, label = cell.rpartition(b":")
    return of[_stripped(owner)] + colon + label if colon and _stripped(owner) in of else cell


def _stripped(name: bytes) -> bytes:
    return name.strip(b" \0").rstrip(b": ")


#: What a file that says nothing of it is told about the units of each group.
UNITS = {"ANGLE_UNITS": "deg", "FORCE_UNITS": "N/kg", "MOMENT_UNITS": "Nmm/kg", "POWER_UNITS": "W/kg"}
_MM_PER_M = 1e3


def to_c3d(source: Source, keep_names: bool = False) -> Made:
    """``walk.c3d``.

    Raises
    ------
    GaitidError
        The trial is no C3D file, is gone or has changed, or other numbers come out of it.
    """
    result = source.analysed
    path = result.trial.path
    if not result.trial.origin.get("format", "").startswith("C3D"):
        raise GaitidError(
            "the trial is no C3D file",
            expected="one to write into",
            found=path.suffix or path.name,
            todo="use --to trc",
        )
    file_size(path, MAX_BYTES, "C3D")
    written = with_points(path.read_bytes(), _points_of(result, result.trial.origin["length_unit"]), UNITS, keep_names)
    renamed = sum(label != name for label, name in written.labels.items())
    remarks = [f"{len(written.labels)} points added"]
    if renamed:
        remarks.append(f"{renamed} of them with the suffix _gaitid, because the file holds their labels already")
    if not written.was_real:
        remarks.append("the file's whole numbers became reals (docs/export.md)")
    return Made({f"{source.stem}.c3d": written.content}, tuple(remarks))


def _points_of(result: Result, length_unit: str) -> list[NewPoint]:
    """Angles, forces, moments, powers and joint centres of all sides.

    Parameters
    ----------
    result : Result
    length_unit : str
        That of the file's points.
    """
    metre = factor(length_unit, LENGTH_M, "POINT:UNITS")
    points: list[NewPoint] = []
    for side, leg in result.sides.items():
        points += [*_angles(result, side, leg), *_loads_and_centres(result, side, leg, metre, length_unit)]
    return points


def _label(side: str, name: str) -> str:
    """``LHip`` of the left hip, ``LFootProgress`` of the left foot's progression."""
    words = "foot_progress" if name == "foot_progression" else name
    return side[:1].upper() + "".join(word.capitalize() for word in words.split("_"))


def _letters(columns: Mapping[str, object]) -> list[str]:
    """The component of each column: that of its motion where its name says it, else in their order."""
    planes = {
        "x": ("flexion", "extension", "tilt", "elevation"),
        "y": ("adduction", "abduction", "eversion", "inversion", "obliquity"),
        "z": ("rotation",),
    }
    letters = [next((k for k, words in planes.items() if name.endswith(words)), "") for name in columns]
    return letters if "" not in letters and len({*letters}) == len(letters) else list("xyz")[: len(letters)]


def _vector(columns: Mapping[str, Array]) -> tuple[Array, str]:
    """(frames, 3) of columns, NaN in components that the model does not give, and which is which, in words."""
    letters = _letters(columns)
    values = np.full((len(next(iter(columns.values()))), 3), np.nan)
    for letter, column in zip(letters, columns.values(), strict=False):
        values[:, "xyz".index(letter)] = column
    return values, ", ".join(f"{k} {name.replace('_', ' ')}" for k, name in zip(letters, columns, strict=False))


def _angles(result: Result, side: str, leg: SideResult) -> Iterator[NewPoint]:
    for name, columns in filter(lambda of: of[1], {**leg.angles, **leg.trunk_angles}.items()):
        if name in result.model.lengths:
            for unit, length in columns.items():  # the third component, as Vicon stores them
                label = _label(side, f"{name}_{unit}").removesuffix("Mm")
                yield NewPoint(label, f"gaitid: {unit}", "MODELED_MARKERS", np.outer(length, [0.0, 0.0, 1.0]))
            continue
        values, words = _vector(columns)
        if name == "foot_progression" and _is_plug_in_gait(result.model):
            values, words = _foot_progress(result, side, values), "x pitch, y roll, z internal rotation"
        yield NewPoint(f"{_label(side, name)}Angles", f"gaitid {result.model.name}: {words}; deg", "ANGLES", values)


def _is_plug_in_gait(model: Model) -> bool:
    """Whether the foot's axes are those of Plug-in Gait: x up, z from toe to heel."""
    angle = model.angles.get("foot_progression")
    texts = [] if angle is None else [formula.text.replace(" ", "") for formula in angle.columns.values()]
    return angle is not None and angle.sequence == "yxz" and texts == ["-sign*b"]


def _foot_progress(result: Result, side: str, values: Array) -> Array:
    """All three components as Plug-in Gait stores them: (a, s c, −s b) of the foot in the progression frame."""
    body, angle = result.body, result.model.angles["foot_progression"]
    sign = next(each.sign for each in result.model.sides if each.name == side)
    foot = body.geometry.frame(angle.distal, side).R_gs if side in body.sides else np.full((len(values), 3, 3), np.nan)
    a, _, c = (np.degrees(x) for x in cardan(np.swapaxes(body.R_gp, -1, -2) @ foot, angle.sequence))
    return np.column_stack([a, sign * c, values[:, 2]])


def _loads_and_centres(result: Result, side: str, leg: SideResult, metre: float, unit: str) -> Iterator[NewPoint]:
    """Forces of the proximal on the distal segment in axes of the distal one, at the ankle as Plug-in Gait turns them;
    moments, powers, and the centres of joints."""
    model, mass = result.model, result.subject.mass_kg
    for joint, wrench in leg.wrenches.items():
        values = apply_transposed(leg.axes[joint]["distal"], wrench.f_g) / mass
        words = "on the distal segment, in its axes"
        if joint == "ankle" and _is_plug_in_gait(model):
            values, words = values * [-1, 1, -1], "shank on foot: x down, y left, z toward the toe, of the foot"
        yield NewPoint(f"{_label(side, joint)}Force", f"gaitid {model.name}: {words}; N/kg", "FORCES", values)
    for joint, columns in leg.moments.items():
        if columns:
            values, words = _vector(columns)
            text = f"gaitid {model.name}, internal: {words}; N.mm/kg"
            yield NewPoint(f"{_label(side, joint)}Moment", text, "MOMENTS", values * _MM_PER_M)
    for joint in leg.moments:
        power = leg.powers[joint]
        text = "gaitid: z generated, x and y without meaning; W/kg"
        values = np.column_stack([*[np.where(np.isfinite(power), 0.0, np.nan)] * 2, power])
        yield NewPoint(f"{_label(side, joint)}Power", text, "POWERS", values)
    letters = [joint[:1].upper() for joint in leg.joints_g]
    for letter, (joint, centre) in zip(letters, leg.joints_g.items(), strict=True):
        short = letter if letters.count(letter) == 1 else _label("", joint)
        values = centre / metre if not model.no_wrenches_because else np.full_like(centre, np.nan)
        text = f"gaitid {model.name}: centre of the {joint.replace('_', ' ')}; {unit}"
        yield NewPoint(f"{side[:1].upper()}{short}JC", text, "MODELED_MARKERS", values)
