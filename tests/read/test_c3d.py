"""C3D files: what is read, in which unit; what is refused, in one line."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import c3d_made
import ezc3d
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from note_texts import texts

from gaitid.errors import ReadError
from gaitid.read.c3d.file import read_c3d_file
from gaitid.read.c3d.sections import BLOCK, FORMATS, MAX_SECTION_BYTES, read_parameters
from gaitid.read.c3d.trial import read_c3d
from gaitid.simulate.files import simulate
from gaitid.trial import Trial

SHARED = Path(__file__).parents[2].parent / "shared" / "trials"
in_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=f"the real trials of {SHARED} are not on this machine")


# --- a walk written by the simulator -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walk")
    simulate("walk", path)
    return path


@pytest.fixture(scope="module")
def walk(folder: Path) -> Trial:
    return read_c3d(folder / "walk.c3d")


def test_a_walk_comes_back_in_si_units(walk: Trial, simulated: Callable[..., Any]) -> None:
    sim = simulated()
    assert (walk.rate_hz, walk.first_frame, walk.n_frames) == (100.0, 1, sim.trial.n_frames)
    assert walk.labels == sim.trial.labels
    # C3D holds 32-bit floats of millimetres: 6e-8 of some metres
    np.testing.assert_allclose(walk.points_g, sim.trial.points_g, atol=5e-7)  # m
    assert walk.up_hint.tolist() == [0.0, 0.0, 1.0]
    assert texts(walk) == ()
    assert walk.origin["length_unit"] == "mm"


def test_its_plates_are_the_reaction_in_plate_axes(walk: Trial, simulated: Callable[..., Any]) -> None:
    for found, true in zip(walk.plates, simulated().trial.plates, strict=True):
        assert (found.number, found.kind, found.rate_hz) == (true.number, 2, 1000.0)
        np.testing.assert_allclose(found.corners_g, true.corners_g, atol=5e-7)  # m
        np.testing.assert_allclose(found.sensor_p, true.sensor_p, atol=1e-8)
        np.testing.assert_allclose(found.force_p, true.force_p, atol=1e-4)  # N: 6e-8 of 800
        np.testing.assert_allclose(found.moment_p, true.moment_p, atol=1e-4)  # N·m, stored in N·mm
        assert found.force_p[:, 2].min() < -500  # z points down


# --- small files made here ---------------------------------------------------------------------------------

PLATE_CORNERS = np.array([[200.0, 300, 0], [-200, 300, 0], [-200, -300, 0], [200, -300, 0]]).T
CORNERS = PLATE_CORNERS * np.array([[1.0], [-1.0], [1.0]])  # z of the plate down


def make(
    path: Path,
    labels: list[str] | tuple[str, ...] = ("LASI", "RASI"),
    *,
    n: int = 20,
    unit: str = "mm",
    points: np.ndarray | None = None,
    plate: dict[str, Any] | None = None,
    first: int = 1,
    edit: Callable[[Any], None] | None = None,
) -> Path:
    """A C3D file of a few points; `plate` has force, moment (samples, 3) in plate axes and what to change."""
    c = ezc3d.c3d()
    values = np.arange(3.0 * len(labels) * n).reshape(3, len(labels), n) if points is None else points
    c["header"]["points"]["first_frame"] = first - 1
    c["parameters"]["POINT"]["RATE"]["value"] = [100.0]
    c["parameters"]["POINT"]["UNITS"]["value"] = [unit]
    c["parameters"]["POINT"]["LABELS"]["value"] = list(labels)
    c["data"]["points"] = np.concatenate([values, np.ones((1, *values.shape[1:]))])
    c["data"]["meta_points"]["residuals"] = np.zeros((1, *values.shape[1:]))
    c["data"]["meta_points"]["camera_masks"] = np.zeros((7, *values.shape[1:]), dtype=bool)
    if plate is not None:
        channels = np.concatenate([plate["force"], plate["moment"]], axis=1).T
        analog = c["parameters"]["ANALOG"]
        analog["RATE"]["value"] = [1000.0]
        analog["LABELS"]["value"] = ["Fx", "Fy", "Fz", "Mx", "My", "Mz"]
        analog["UNITS"]["value"] = plate.get("units", ["N"] * 3 + ["Nmm"] * 3)
        analog["SCALE"]["value"] = [1.0] * 6
        analog["OFFSET"]["value"] = [0] * 6
        analog["GEN_SCALE"]["value"] = [1.0]
        c["data"]["analogs"] = channels[None]
        for name, value in (
            ("USED", [1]),
            ("TYPE", [plate.get("type", 2)]),
            ("ZERO", [1, 0]),
            ("CORNERS", plate.get("corners", CORNERS)[..., None]),
            ("ORIGIN", np.array(plate.get("origin", [0.0, 0.0, 40.0]))[:, None]),
            ("CHANNEL", np.array(plate.get("channel", [1, 2, 3, 4, 5, 6]), dtype=float)[:, None]),
        ):
            c.add_parameter("FORCE_PLATFORM", name, value)
    if edit is not None:
        edit(c)
    c.write(str(path))
    return path


def load(n: int = 200, down: float = -500.0) -> dict[str, Any]:
    force = np.tile([10.0, -20.0, down], (n, 1))
    return {"force": force, "moment": np.tile([3000.0, 2000.0, 1000.0], (n, 1))}


@pytest.mark.parametrize(("unit", "metre"), [("mm", 1e-3), ("m", 1.0), ("cm", 1e-2), ("MM ", 1e-3), ("meters", 1.0)])
def test_the_declared_unit_of_length_is_honoured(tmp_path: Path, unit: str, metre: float) -> None:
    points = np.full((3, 1, 5), 0.5)
    trial = read_c3d(make(tmp_path / "a.c3d", ["A"], unit=unit, points=points))
    np.testing.assert_allclose(trial.points_g, 0.5 * metre, rtol=1e-6)


@pytest.mark.parametrize("unit", ["furlong", "", "km"])
def test_a_unit_that_is_not_known_is_not_guessed(tmp_path: Path, unit: str) -> None:
    with pytest.raises(ReadError, match="POINT:UNITS: unit not known"):
        read_c3d(make(tmp_path / "a.c3d", unit=unit))


@pytest.mark.parametrize("first", [1, 124, 725])
def test_the_first_frame_is_numbered_as_in_the_header(tmp_path: Path, first: int) -> None:
    def edit(c: Any) -> None:
        c.add_parameter("EVENT", "USED", [1])
        c.add_parameter("EVENT", "CONTEXTS", ["Left"])
        c.add_parameter("EVENT", "LABELS", ["Foot Strike"])
        # frame number `first` + 7, in a count where frame 1 is at 0 s
        c.add_parameter("EVENT", "TIMES", np.array([[0.0], [(first - 1 + 7) / 100]]))

    trial = read_c3d(make(tmp_path / "a.c3d", first=first, edit=edit))
    assert trial.first_frame == first
    assert trial.events[0].time_s == pytest.approx(0.07, abs=1e-6)  # s
    assert (trial.events[0].side, trial.events[0].name) == ("left", "Foot Strike")


def test_a_label_given_twice_is_kept_twice_and_the_first_is_asked_for(tmp_path: Path) -> None:
    trial = read_c3d(make(tmp_path / "a.c3d", ["LASI", "LASI"]))
    assert trial.labels == ("LASI", "LASI")
    np.testing.assert_array_equal(trial.marker("LASI"), trial.points_g[:, 0])


# --- plates ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": 77}, "plate type 77 cannot be read: nothing public defines its channels; expected one of the types"),
        ({"channel": [1, 2, 3, 4, 5, 99]}, "channel out of range"),
        ({"channel": [0, 1, 2, 3, 4, 5]}, "channel out of range"),
        ({"channel": [1, 2, 3]}, "channel out of range"),
        ({"corners": np.zeros((3, 4))}, "corners do not bound a plate"),
        ({"corners": CORNERS * 1e3}, "corners do not bound a plate"),
        ({"corners": CORNERS / 10}, "m² (they look like cm, POINT:UNITS says mm)"),
        ({"corners": CORNERS / 1e3}, "they look like m, POINT:UNITS says mm"),
        ({"units": ["V"] * 6, "force": np.full((200, 3), 3.0)}, "plate 1 force channel: unit not known"),
        ({"corners": CORNERS + np.eye(3, 4) * 30}, "not those of a flat rectangle"),
        ({"channel": [1, 2, 3, 4, 5, 5]}, "a channel is given twice"),
        ({"channel": [1, 2, 3, 4, 5, np.nan]}, "FORCE_PLATFORM:CHANNEL is not finite"),
        ({"channel": [1, 2, 3, 4, 5, 1e30]}, "channel out of range"),
        ({"corners": CORNERS * np.nan}, "FORCE_PLATFORM:CORNERS is not finite"),
        ({"origin": [0.0, 0.0, 2000.0]}, "ORIGIN is not the place of a sensor"),
        ({"origin": [0.0, 0.0, np.nan]}, "FORCE_PLATFORM:ORIGIN is not finite"),
        ({"force": np.full((200, 3), np.nan)}, "none of its samples holds a number in every channel"),
    ],
)
def test_a_plate_that_cannot_be_read_is_left_out_with_its_reason(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    trial = read_c3d(make(tmp_path / "a.c3d", plate=load() | change))
    assert trial.plates == ()
    assert message in trial.refused_plates[1]
    assert any(w.startswith("plate 1 is not used: ") and message in w for w in texts(trial))
    assert trial.n_frames == 20  # the markers are read all the same


@pytest.mark.parametrize(("used", "plates"), [([30000], 1), ([-1], 0), ([float("nan")], 0), (["one"], 0)])
def test_a_number_of_plates_that_cannot_be(tmp_path: Path, used: list[Any], plates: int) -> None:
    def edit(c: Any) -> None:
        c.add_parameter("FORCE_PLATFORM", "USED", used)

    trial = read_c3d(make(tmp_path / "a.c3d", plate=load(), edit=edit))
    assert (len(trial.plates), trial.refused_plates) == (plates, {})
    assert [note.code for note in trial.notes[1:]] == ["plates_undeclared"] * (plates == 0)
    assert texts(trial)[0].startswith("FORCE_PLATFORM:USED ")
    assert "array" not in texts(trial)[0]


def two_plates(path: Path, channels: list[list[int]], shift: float, up: float = 0.0) -> Trial:
    """Two plates of 0.4 × 0.6 m, the second one `shift` mm beside and `up` mm above the first, with half its load."""

    def edit(c: Any) -> None:
        analog = c["parameters"]["ANALOG"]
        analog["LABELS"]["value"] = [f"C{i}" for i in range(12)]
        analog["UNITS"]["value"] = (["N"] * 3 + ["Nmm"] * 3) * 2
        analog["SCALE"]["value"], analog["OFFSET"]["value"] = [1.0] * 12, [0] * 12
        c["data"]["analogs"] = np.concatenate([c["data"]["analogs"], c["data"]["analogs"] / 2], axis=1)
        second = CORNERS + np.array([[shift], [0], [up]])
        for name, value in (
            ("USED", [2]),
            ("TYPE", [2, 2]),
            ("CORNERS", np.stack([CORNERS, second], axis=2)),
            ("ORIGIN", np.array([[0.0, 0.0], [0, 0], [40, 40]])),
            ("CHANNEL", np.array(channels, dtype=float).T),
        ):
            c.add_parameter("FORCE_PLATFORM", name, value)

    return read_c3d(make(path, plate=load(), edit=edit))


def test_two_plates_that_are_one(tmp_path: Path) -> None:
    own = [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]
    for shift, up in ((400.0, 0.0), (330.0, 0.0), (0.0, 150.0)):  # beside, a little over the edge, a step
        trial = two_plates(tmp_path / "a.c3d", own, shift, up)
        assert ([p.number for p in trial.plates], trial.refused_plates) == ([1, 2], {})
    trial = two_plates(tmp_path / "a.c3d", [own[0], [7, 8, 3, 10, 11, 12]], 400.0)
    assert trial.plates == ()
    assert trial.refused_plates == dict.fromkeys((1, 2), "plates 1 and 2 share channels: 3")
    trial = two_plates(tmp_path / "a.c3d", own, 300.0)
    assert trial.refused_plates == dict.fromkeys((1, 2), "plates 1 and 2 lie on each other: 25% of the smaller surface")


# --- damaged files -----------------------------------------------------------------------------------------


refused = partial(c3d_made.refused, read=read_c3d)


def test_what_is_no_file(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "none.c3d")
    assert "a folder or a device" in refused(tmp_path)


def rewritten(folder: Path, tmp_path: Path, changes: dict[int, int]) -> Path:
    data = bytearray((folder / "walk.c3d").read_bytes())
    for at, value in changes.items():
        data[at] = value
    (tmp_path / "a.c3d").write_bytes(bytes(data))
    return tmp_path / "a.c3d"


def section(*entries: bytes) -> bytes:
    """A file of one header and a parameter section: each entry is what the chain visits in turn."""
    header = bytearray(BLOCK)
    header[0:2] = b"\x02\x50"
    struct.pack_into("<5H", header, 2, 0, 0, 1, 1, 0)
    struct.pack_into("<f", header, 12, -1.0)
    struct.pack_into("<H", header, 16, 3)
    body = b"\x01\x50\x01\x54" + b"".join(entries)
    return bytes(header) + body + b"\x00" * (BLOCK - len(body) % BLOCK) + b"\x00" * BLOCK


def group(name: bytes = b"POINT", number: int = -1, offset: int | None = None, description: bytes = b"") -> bytes:
    following = 2 + 1 + len(description)
    return (
        struct.pack("<bb", len(name), number)
        + name
        + struct.pack("<h", following if offset is None else offset)
        + bytes([len(description)])
        + description
    )


def parameter(
    name: bytes = b"USED",
    number: int = 1,
    size: int = 2,
    dims: bytes = b"",
    data: bytes = b"\x01\x00",
    offset: int | None = None,
) -> bytes:
    inner = struct.pack("<b", size) + bytes([len(dims)]) + dims + data + b"\x00"
    return (
        struct.pack("<bb", len(name), number)
        + name
        + struct.pack("<h", 2 + len(inner) if offset is None else offset)
        + inner
    )


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([group(offset=-3)], "points back"),
        ([group(), parameter(offset=-8)], "points back"),
        ([group(), parameter(offset=30000)], "points into the data or past the end of the file"),
        ([group(), parameter(size=3)], "element size 3 and 0 dimensions"),
        ([group(), parameter(dims=b"\x01" * 8)], "8 dimensions"),
        ([group(), parameter(dims=b"\xff\xff\xff", data=b"\x00")], "in a place for"),
        ([group(), parameter(size=4, dims=b"\x04", data=b"\x00" * 8)], "has a parameter of 16 bytes in a place for"),
        ([struct.pack("<bb", 127, 1) + b"A" * 200], "points into the data"),
    ],
)
def test_a_parameter_section_that_leaves_the_file_or_turns_back(
    tmp_path: Path, entries: list[bytes], message: str
) -> None:
    (tmp_path / "a.c3d").write_bytes(section(*entries))
    with pytest.raises(ReadError, match=f"damaged C3D parameter section: it .*({message})"):
        read_c3d_file(tmp_path / "a.c3d")


def test_a_parameter_section_longer_than_any_program_writes_is_refused() -> None:
    data = bytes(MAX_SECTION_BYTES + BLOCK)
    assert read_parameters(data, BLOCK, FORMATS[84]).parameters == {}
    with pytest.raises(ReadError, match="it has 4194305 bytes, more than 4194304"):
        read_parameters(data + b"\0", BLOCK, FORMATS[84])


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.dictionaries(st.integers(0, 4 * BLOCK - 1), st.integers(0, 255), min_size=1, max_size=12),
    cut=st.one_of(st.none(), st.integers(0, 6 * BLOCK)),
)
def test_whatever_is_damaged_the_guard_answers_in_one_line_or_lets_it_pass(
    folder: Path, tmp_path: Path, changes: dict[int, int], cut: int | None
) -> None:
    data = bytearray((folder / "static.c3d").read_bytes())
    for at, value in changes.items():
        data[at] = value
    path = tmp_path / "a.c3d"
    path.write_bytes(bytes(data[:cut]))
    try:
        read_c3d_file(path)
    except ReadError as error:
        assert "\n" not in error.line()


# --- header and parameters that disagree, or lack what a library needs ---------------------------------------


def located(data: bytes) -> dict[str, tuple[int, int]]:
    """Where each parameter stands: first byte of its entry, first byte of its values."""
    at, groups, found = BLOCK + 4, {}, []
    while data[at]:
        n, number = abs(struct.unpack_from("<b", data, at)[0]), struct.unpack_from("<b", data, at + 1)[0]
        name, offset_at = data[at + 2 : at + 2 + n].decode(), at + 2 + n
        if number < 0:
            groups[-number] = name
        else:
            found.append((number, name, at, offset_at + 4 + data[offset_at + 3]))
        offset = struct.unpack_from("<h", data, offset_at)[0]
        if offset == 0:
            break
        at = offset_at + offset
    return {f"{groups[g]}:{name}": (entry, values) for g, name, entry, values in found}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("USED", "ANALOG:USED missing; by the header there are 12 channels of 10 samples a frame (1000 Hz)"),
        ("RATE", "ANALOG:RATE missing; by the header there are 12 channels of 10 samples a frame (1000 Hz)"),
        ("GEN_SCALE", "ANALOG:GEN_SCALE is missing, and taken as 1"),
    ],
)
def test_what_the_header_says_too_may_be_missing(folder: Path, tmp_path: Path, name: str, words: str) -> None:
    whole = read_c3d(folder / "walk.c3d")
    entry, _ = located((folder / "walk.c3d").read_bytes())[f"ANALOG:{name}"]
    trial = read_c3d(rewritten(folder, tmp_path, {entry + 2: ord("Q")}))
    assert words in texts(trial)
    assert [plate.rate_hz for plate in trial.plates] == [1000.0, 1000.0]
    for plate, same in zip(trial.plates, whole.plates, strict=True):
        np.testing.assert_array_equal(plate.force_p, same.force_p)


def test_a_scale_for_each_channel(folder: Path, tmp_path: Path) -> None:
    data = (folder / "walk.c3d").read_bytes()
    _, values = located(data)["ANALOG:SCALE"]
    assert data[values - 1] == 12
    # four bytes a channel: the last one becomes zero padding (the description's length and three zeros)
    changes = {values - 1: 11} | {values + 44 + k: 0 for k in range(4)}
    assert "no number in ANALOG:SCALE for each of 12 channels" in refused(rewritten(folder, tmp_path, changes))


@pytest.mark.parametrize(
    ("name", "form", "value", "message"),
    [
        ("POINT:USED", "<H", 15, "disagree about the points a frame; expected 16 as in the header; found 15"),
        ("POINT:SCALE", "<f", 1.0, "disagree about the number format"),
        ("POINT:RATE", "<f", 50.0, "disagree about the analog samples a frame"),
        ("POINT:RATE", "<f", 1e30, "no usable rate in POINT:RATE"),
        ("POINT:RATE", "<f", float("nan"), "no usable rate in POINT:RATE; expected 1 to 100000 Hz; found none"),
        ("ANALOG:RATE", "<f", -100.0, "no usable rate in ANALOG:RATE"),
        ("ANALOG:RATE", "<f", 500.0, "disagree about the analog samples a frame; expected 120"),
        ("ANALOG:USED", "<H", 13, "disagree about the analog samples a frame"),
    ],
)
def test_parameters_that_contradict_the_header_are_refused(
    folder: Path, tmp_path: Path, name: str, form: str, value: float, message: str
) -> None:
    _, at = located((folder / "walk.c3d").read_bytes())[name]
    assert message in refused(rewritten(folder, tmp_path, dict(enumerate(struct.pack(form, value), at))))


# --- markers and events that cannot be ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (0.0, "exactly at the origin"),
        (np.nan, "without finite coordinates"),
        (np.inf, "without finite coordinates"),
        ([0.0, 0.0, 2e6], "more than 1000 m away"),
        (2e6, "with three equal coordinates"),
        (-9999.0, "with three equal coordinates"),
        (99999.0, "with three equal coordinates"),
        (32767 * 0.1, "with three equal coordinates"),
    ],
)
def test_a_marker_where_none_can_be_is_not_seen(tmp_path: Path, value: float | list[float], what: str) -> None:
    def edit(c: Any) -> None:
        c.add_parameter("POINT", "ANGLES", ["LKneeAngles"])
        c["data"]["points"][:3, 1:, 5:8] = np.reshape(value, (-1, 1, 1))

    trial = read_c3d(make(tmp_path / "a.c3d", ["LASI", "RASI", "LKneeAngles"], edit=edit), stored=True)
    assert np.isnan(trial.marker("RASI")[5:8]).all()
    assert np.isfinite(trial.marker("RASI")[[4, 8]]).all()
    assert texts(trial) == (f"markers {what}, not used (frames): RASI (3)",)
    np.testing.assert_allclose(trial.stored["LKneeAngles"][5:8], np.broadcast_to(value, (3, 3)))  # an angle may be 0


@pytest.mark.parametrize("time", [np.nan, np.inf, -1e30])
def test_an_event_without_a_time_is_left_out_and_said_so(tmp_path: Path, time: float) -> None:
    def edit(c: Any) -> None:
        c.add_parameter("EVENT", "USED", [2])
        c.add_parameter("EVENT", "CONTEXTS", ["Left", "Right"])
        c.add_parameter("EVENT", "LABELS", ["Foot Strike", "Foot Off"])
        c.add_parameter("EVENT", "TIMES", np.array([[0.0, 0.0], [0.1, time]]))

    trial = read_c3d(make(tmp_path / "a.c3d", edit=edit))
    assert [e.name for e in trial.events] == ["Foot Strike"]
    assert texts(trial) == ("events without a possible time were not read: Right Foot Off",)


# --- files of other makers ---------------------------------------------------------------------------------


@in_shared
@pytest.mark.parametrize(
    ("name", "first", "frames", "plates"),
    [
        ("nexus_flatfoot/walk.c3d", 725, 293, 3),
        ("children/HC002D/walk.c3d", 124, 255, 2),
        ("sydney/walk04.c3d", 235, 215, 3),
    ],
)
def test_real_walks(name: str, first: int, frames: int, plates: int) -> None:
    trial = read_c3d(SHARED / name)
    assert (trial.first_frame, trial.n_frames, len(trial.plates)) == (first, frames, plates)
    assert trial.up_hint.tolist() == [0, 0, 1]
    for plate in trial.plates:
        assert plate.sensor_p[2] > 0
        assert plate.force_p[:, 2].min() < -300  # N: somebody stood on it
    assert 20 < trial.parameters["Bodymass"] < 100
    assert np.nanmax(np.abs(trial.points_g)) < 5  # m


@pytest.mark.parametrize("name", ["SCALE", "OFFSET"])
def test_reals_without_a_scale_stay_as_they_are(folder: Path, tmp_path: Path, name: str) -> None:
    """The small walk holds newtons with scale 1 and offset 0."""
    whole = read_c3d(folder / "walk.c3d")
    entry, _ = located((folder / "walk.c3d").read_bytes())[f"ANALOG:{name}"]
    trial = read_c3d(rewritten(folder, tmp_path, {entry + 2: ord("Q")}))
    assert f"ANALOG:{name} missing: the channels are taken as they stand, for they hold fractions" in texts(trial)
    for plate, same in zip(trial.plates, whole.plates, strict=True):
        np.testing.assert_array_equal(plate.force_p, same.force_p)


def test_a_parameter_or_group_given_twice_is_refused(tmp_path: Path) -> None:
    for entries, message in (
        ([group(), parameter(), parameter()], "has POINT:USED twice"),
        ([group(), group(b"ANALOG")], "two groups of number 1"),
    ):
        (tmp_path / "a.c3d").write_bytes(section(*entries, b"\x00\x00"))
        with pytest.raises(ReadError, match=message):
            read_c3d_file(tmp_path / "a.c3d")


@pytest.mark.parametrize("name", ["TYPE", "CHANNEL", "CORNERS", "ORIGIN"])
def test_text_where_a_plate_needs_numbers(tmp_path: Path, name: str) -> None:
    def edit(c: Any) -> None:
        c.add_parameter("FORCE_PLATFORM", name, ["1", "2"])

    trial = read_c3d(make(tmp_path / "a.c3d", plate=load(), edit=edit))
    assert trial.plates == ()
    assert name in trial.refused_plates[1]
