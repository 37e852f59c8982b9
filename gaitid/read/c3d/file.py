"""The content of a C3D file of any maker as numbers and texts: Intel, DEC and SGI/MIPS, integers and reals.

Every size that the header and the parameters claim is held against the file's length, and the two against each other,
before memory is asked for (`gaitid.read.c3d.layout`). Values equal those of ezc3d to the last bit (tests).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from gaitid.disk.regular import MAX_BYTES, file_size, file_state, opened, refuse_beyond_memory
from gaitid.errors import ReadError
from gaitid.notes import Notes, note
from gaitid.numerics.masks import blocks, is_long, quantile_of_known, spans
from gaitid.read.c3d.frame_layout import first_number
from gaitid.read.c3d.layout import Layout, find_layout
from gaitid.read.c3d.poses import Poses, read_poses
from gaitid.read.c3d.sections import (
    BLOCK,
    Header,
    NumberFormat,
    Parameters,
    Section,
    Value,
    as_float64,
    damaged,
    lost_entries,
    read_head,
    read_parameters,
)
from gaitid.read.subjects import listed
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Of memory that a run takes at most for each point in a frame and for each analog sample (docs/faults.md).
POINT_BYTES, SAMPLE_BYTES = 120, 24
# A residual of 0 marks a point that was filtered, interpolated or computed (C3D User Guide, residuals of 3D points).
# Programs that smooth write it everywhere: it tells of a gap that was filled where a point has another residual in more
# than this share of the frames. One below half a step of the file is 0 too, and does not rise to so many steps within a
# frame. Shorter runs, s, are filled alike by everybody (docs/gaps.md).
MEASURED, NOT_ROUNDED, COMPUTED_S = 0.5, 3, 0.05
# Numbers that a word of 16 bits can hold.
WORDS = 1 << 16
_TODO = "open and save the file again in the program that made it"


class StoredFrames:
    """The frames of a file as it holds them; those of a long trial are read some at a time, each time anew.

    Parameters
    ----------
    path : Path
    file : binary file
        Of this path.
    header, layout
        What they say.
    numbers : NumberFormat
    """

    def __init__(self, path: Path, file: BinaryIO, header: Header, layout: Layout, numbers: NumberFormat) -> None:
        self.n_frames, self.start, self.frame_bytes = layout.n_frames, layout.data_start, header.frame_bytes
        self._path, self._state = path.absolute(), file_state(path)
        self._numbers = numbers.reals if header.floats else numbers.integers
        self._cached = None if is_long(self.n_frames) else [*self._from(file)]

    def parts(self) -> Iterator[tuple[slice, NDArray[np.number]]]:
        """Some frames after the others, and their numbers: (frames, numbers a frame).

        Each frame: x, y, z and a word with the residual for every point, then its analog samples, channel by channel.

        Raises
        ------
        ReadError
            Somebody writes to the file.
        """
        if self._cached is not None:
            yield from self._cached
            return
        with opened(self._path) as file:
            if file_state(self._path) != self._state:
                todo = "run again when nothing writes to it any more"
                raise ReadError("the file changed while it was read", todo=todo)
            yield from self._from(file)

    def _from(self, file: BinaryIO) -> Iterator[tuple[slice, NDArray[np.number]]]:
        file.seek(self.start)
        for frames in blocks(self.n_frames):
            n_frames = frames.stop - frames.start
            raw = file.read(n_frames * self.frame_bytes)
            if len(raw) < n_frames * self.frame_bytes:
                raise ReadError("the file was cut while it was read", todo="wait until it is written, and run again")
            yield frames, self._numbers(raw).reshape(n_frames, -1)


@frozen_dataclass(eq=False)
class Analog:
    """The analog channels of a file: rows of (channels, samples), each scaled when it is asked for.

    Attributes
    ----------
    stored : StoredFrames
    shape : (int, int)
        Channels, and samples of each.
    unsigned : bool
        Whether its whole numbers have no sign.
    offsets : array
        One a channel, in the same numbers.
    parameters : mapping of group to mapping of name to value
    """

    stored: StoredFrames
    shape: tuple[int, int]
    unsigned: bool
    offsets: Array
    parameters: Parameters

    def steps(self, channels: Sequence[int]) -> Array:
        """(channels,) what one unit of the stored numbers is worth: SCALE · GEN_SCALE; NaN without a scale."""
        step = channel_numbers(self.parameters, "SCALE")[list(channels)]
        step = step * first_number(self.parameters, "ANALOG", "GEN_SCALE", 1.0)
        step[~np.isfinite(step) | (step == 0)] = np.nan
        return step

    def numbers(self, channels: Sequence[int]) -> Array:
        """(channels, samples) as the file holds them."""
        n_channels, n_samples = self.shape
        values = np.empty((len(channels), n_samples))
        a_frame = n_samples // max(self.stored.n_frames, 1)
        for frames, data in self.stored.parts():
            some = data[:, data.shape[1] - n_channels * a_frame :].reshape(len(data) * a_frame, n_channels)
            if self.unsigned:
                some = some.astype(np.uint16)
            for row, channel in zip(values[:, frames.start * a_frame : frames.stop * a_frame], channels, strict=True):
                row[:] = as_float64(some[:, channel])
        return values

    def __getitem__(self, channels: Sequence[int]) -> Array:
        """(channels, samples) values by the format's rule: (stored − OFFSET) · SCALE · GEN_SCALE.

        A channel without a scale has no values: NaN.
        """
        wanted = list(channels)
        values, step = self.numbers(wanted), self.steps(wanted)[:, None]
        with np.errstate(invalid="ignore", over="ignore"):
            values -= self.offsets[wanted, None]
            values *= step
        return values


@frozen_dataclass(eq=False)
class C3DFile:
    """What is stored in one file, in its own units.

    Attributes
    ----------
    encoding : str
        Processor and number format, in words.
    header : Header
        As stored; where the parameters differ from it, the attributes below hold what was settled.
    rate_hz : float
        Of the cameras.
    first_frame : int
        As the file numbers its first frame.
    n_subframes : int
        Analog samples a frame of one channel; 0 without analog data.
    parameters : mapping of group to mapping of name to value
    points : (frames, points, 3) array
    seen : (frames, points) array of bool
        Where the residual is not negative.
    computed : tuple of (int, int, int)
        Points that were computed for some frames, not measured, and the first and last of these, from 0.
    analog : Analog
    notes : Notes
        What the file says twice and differently, and what it does not say how to read.
    poses : Poses or None
        Of segments, where it stores any.
    """

    encoding: str
    header: Header
    rate_hz: float
    first_frame: int
    n_subframes: int
    parameters: Parameters
    points: Array
    seen: Mask
    computed: tuple[tuple[int, int, int], ...]
    analog: Analog
    notes: Notes
    poses: Poses | None = None


@frozen_dataclass(eq=False)
class Sections:
    """A file up to its data, and where and what these are.

    Attributes
    ----------
    head : bytes
        The file's beginning, to the end of its parameters or the header's word on where the data begin.
    numbers : NumberFormat
    start : int
        First byte of the parameter section.
    header, section, layout
        What they say.
    """

    head: bytes
    numbers: NumberFormat
    start: int
    header: Header
    section: Section
    layout: Layout


def read_sections(file: BinaryIO, size: int) -> Sections:
    """Everything but the data of a file of `size` bytes.

    Raises
    ------
    ReadError
        See `read_c3d_file`.
    """
    head, numbers, start, header = read_head(file)
    head, section = _section(file, head, start, header, numbers, size)
    return Sections(head, numbers, start, header, section, find_layout(file, header, section, size))


def read_c3d_file(path: Path) -> C3DFile:
    """Read everything that a file stores.

    Returns
    -------
    C3DFile

    Raises
    ------
    ReadError
        Absent, not C3D, too large, with a parameter section that leaves its place, turns back or lacks what the data
        need, with parameters that contradict the header where nothing decides, or shorter than its frames.
    """
    size = file_size(path, MAX_BYTES, "C3D")
    with opened(path) as file:
        return _read(path, file, size)


def read_c3d_parameters(path: Path) -> Parameters:
    """Only what a file says of its data, without them.

    Raises
    ------
    ReadError
        Absent, not C3D, too large, or its parameter section cannot be read.
    """
    size = file_size(path, MAX_BYTES, "C3D")
    with opened(path) as file:
        head, numbers, start, header = read_head(file)
        return _section(file, head, start, header, numbers, size)[1].parameters


def _read(path: Path, file: BinaryIO, size: int) -> C3DFile:
    sections = read_sections(file, size)
    numbers, header, section, layout = sections.numbers, sections.header, sections.section, sections.layout
    # parameters that cannot be asked for: their group is not declared, or the chain ends before them
    lost = {
        "file_incomplete/undeclared_group": list(section.parameters.get("", ())),
        "file_incomplete/behind_section": lost_entries(sections.head[: layout.data_start], section.end, numbers),
    }
    losses = (note(name, parameters=listed(names)) for name, names in lost.items() if names)
    refuse_beyond_memory(layout.n_frames * (POINT_BYTES * header.n_points + SAMPLE_BYTES * header.n_analog))
    stored = StoredFrames(path, file, header, layout, numbers)
    points, words = _points(stored, header.n_points)
    if not header.floats:
        points *= layout.scale
    analog, analog_notes = _analog(stored, header, layout, section)
    poses, pose_notes = read_poses(file, section, layout, numbers, size)
    return C3DFile(
        encoding=f"{numbers.name}, {'real' if header.floats else 'integer'}",
        header=header,
        rate_hz=layout.rate_hz,
        first_frame=layout.first_frame,
        n_subframes=layout.n_subframes,
        parameters=section.parameters,
        points=points,
        seen=words >= 0,
        computed=_computed(words, round(COMPUTED_S * layout.rate_hz)),
        analog=analog,
        notes=(*layout.notes, *losses, *analog_notes, *pose_notes),
        poses=poses,
    )


def _points(stored: StoredFrames, n_points: int) -> tuple[Array, NDArray[np.number]]:
    """(frames, points, 3) places, in memory all frames of one together, and (frames, points) words beside them."""
    points = np.empty((n_points, stored.n_frames, 3)).swapaxes(0, 1)
    words = []
    for frames, data in stored.parts():
        four = data[:, : 4 * n_points].reshape(len(data), n_points, 4)
        with np.errstate(invalid="ignore"):  # as `as_float64`
            points[frames] = four[..., :3]
        words.append(four[..., 3].copy())
    return points, np.concatenate(words)


def _computed(words: NDArray[np.number], shortest: int) -> tuple[tuple[int, int, int], ...]:
    """Points, first and last frames with a residual of 0 where the point has another one mostly, and beside these."""
    zero = words == 0
    some = np.flatnonzero(zero.any(axis=0) & ((words > 0).mean(axis=0) > MEASURED))
    return tuple(
        (int(point), first, stop - 1)
        for point in some
        for first, stop in spans(zero[:, point])
        if stop - first > shortest and first > 0 and stop < len(words)
        if min(words[first - 1, point], words[stop, point]) >= NOT_ROUNDED
    )


def _section(
    file: BinaryIO, head: bytes, start: int, header: Header, numbers: NumberFormat, size: int
) -> tuple[bytes, Section]:
    """The file up to its data, and its parameters.

    They end before the data begin; where these lie before them, or the header's word on that is wrong, before the
    section's own last block.
    """
    declared = start + head[start + 2] * BLOCK
    refusal = None
    for limit in dict.fromkeys((header.data_start, declared)):
        if start < limit <= size:
            head += file.read(max(limit - len(head), 0))
            try:
                return head[:limit], read_parameters(head[:limit], start, numbers)
            except ReadError as error:
                refusal = refusal or error
    if refusal is not None:
        raise refusal
    if BLOCK <= header.data_start < start and declared > size:
        todo = "copy or export the trial again"
        raise ReadError("truncated C3D file", expected=f"{declared} bytes", found=f"{size} bytes", todo=todo)
    wanted, found = f"from byte {start} to {size}", f"byte {header.data_start}"
    raise ReadError("damaged C3D file: its data lie outside it", expected=wanted, found=found, todo=_TODO)


def _analog(stored: StoredFrames, header: Header, layout: Layout, section: Section) -> tuple[Analog, Notes]:
    """The channels, and one scale and offset for each.

    Whole numbers are signed unless ``ANALOG:FORMAT`` says UNSIGNED (C3D User Guide), data and offsets alike. Of reals
    it speaks of the offsets alone, which stay words (`_unsigned_offsets`).
    """
    n_subframes = layout.n_subframes
    n_channels = header.n_analog // n_subframes if n_subframes else 0
    shape = n_channels, layout.n_frames * n_subframes
    parameters, notes = _with_scales(Analog(stored, shape, False, np.empty(0), section.parameters), header.floats)
    for name in ("SCALE", "OFFSET"):
        if channel_numbers(parameters, name).size < n_channels:
            raise damaged(f"has no number in ANALOG:{name} for each of {n_channels} channels")
    offsets = channel_numbers(parameters, "OFFSET")
    signed = Analog(stored, shape, False, offsets, parameters)
    if n_channels and "UNSIGNED" in (text.upper() for text in texts(parameters, "ANALOG", "FORMAT")):
        two_bytes = ("ANALOG", "OFFSET") in section.two_byte_integers
        if not header.floats:
            return replace(signed, unsigned=True, offsets=offsets % WORDS if two_bytes else offsets), notes
        if two_bytes:
            offsets, of_offsets = _unsigned_offsets(signed)
            return replace(signed, offsets=offsets), (*notes, *of_offsets)
    return signed, notes


def _with_scales(analog: Analog, reals: bool) -> tuple[Parameters, Notes]:
    """The parameters with a scale and an offset for each channel also where the file lacks them.

    Reals with fractions were scaled by whoever wrote them, and stay as they are. Whole numbers are a converter's, and
    nobody knows what they are worth: NaN.
    """
    parameters, n_channels = analog.parameters, analog.shape[0]
    group = parameters.get("ANALOG", {})
    lacking = [name for name in ("SCALE", "OFFSET") if name not in group]
    if not (lacking and n_channels):
        return parameters, ()
    with np.errstate(invalid="ignore"):
        scaled = reals and bool((analog.numbers(range(n_channels)) % 1 > 0).any())
    filled = {name: np.full(n_channels, float(name == "SCALE") if scaled else np.nan) for name in lacking}
    lacks = note("reading_assumed/scales", missing=[f"ANALOG:{name}" for name in lacking], scaled=scaled)
    return {**parameters, "ANALOG": {**group, **filled}}, (lacks,)


def _unsigned_offsets(analog: Analog) -> tuple[Array, Notes]:
    """The offsets of reals that ``ANALOG:FORMAT`` calls UNSIGNED.

    The samples are what the converter gave, or were scaled before; ``ANALOG:OFFSET`` is a word still, and "must be
    treated as UNSIGNED" (C3D User Guide, ANALOG:FORMAT, which was invented for such files). A channel that holds no
    unsigned words (its samples go below 0 or beyond 65535), or that lies nearer to the offset with its sign, was not
    written so: there the offset is taken as it stands.
    """
    n_channels, offsets, parameters = analog.shape[0], analog.offsets, analog.parameters
    negative = np.flatnonzero(offsets[:n_channels] < 0)
    if not len(negative):
        return offsets, ()
    samples = analog.numbers(negative.tolist()).T
    with np.errstate(invalid="ignore"):
        words = ~((samples < 0) | (samples > WORDS - 1)).any(axis=0)
        typical = quantile_of_known(samples, 0.5)
        near = np.abs(typical - offsets[negative] - WORDS) < np.abs(typical - offsets[negative])
    wrapped, kept = negative[words & near], negative[~(words & near)]
    offsets = offsets.copy()
    offsets[wrapped] += WORDS
    names = [*texts(parameters, "ANALOG", "LABELS"), *[""] * n_channels]
    if not len(kept):
        return offsets, ()  # as the format has it
    channels = listed([names[i] or f"channel {i + 1}" for i in kept])
    return offsets, (note("file_repaired/unsigned_reals", channels=channels),)


def continued(parameters: Parameters, group: str, name: str) -> list[Value]:
    """A parameter and what follows it in NAME2, NAME3, …: one holds up to 255 entries."""
    entries = parameters.get(group, {})
    parts: list[Value] = []
    while (each := f"{name}{len(parts) + 1}" if parts else name) in entries:
        parts.append(entries[each])
    return parts


def texts(parameters: Parameters, group: str, name: str) -> list[str]:
    """A list of texts with its continuation; empty for numbers."""
    return [text for part in continued(parameters, group, name) if isinstance(part, list) for text in part]


def channel_numbers(parameters: Parameters, name: str) -> Array:
    """Numbers of ANALOG, one a channel, with their continuation."""
    parts: Sequence[Array] = [p.ravel() for p in continued(parameters, "ANALOG", name) if isinstance(p, np.ndarray)]
    return np.concatenate([np.empty(0), *parts])
