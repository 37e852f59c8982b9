"""Sound inputs of every kind that gaitid reads, small and made here, and ways to break them.

A case is the bytes of one file (`Kind.name`) beside the sound ones that a reading needs. Mutations know what they
break: words of the header, links, shapes and values of parameters, cells, rows and names of tables.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from c3d_writer import DEC, INTEL, LABELS, SGI, STEP_MM, Written, stored_analog, stored_points, write


@dataclass(frozen=True)
class Kind:
    """One kind of input.

    Attributes
    ----------
    name : str
        The file that is broken.
    trial : str
        The file that is read: itself, or the trial that it stands beside.
    seeds : tuple of bytes
        Sound contents.
    """

    name: str
    trial: str
    seeds: tuple[bytes, ...]


# --- sound ones -----------------------------------------------------------------------------------------------------


def _rows(values: np.ndarray, separator: str = ",") -> list[str]:
    return [separator.join(f"{v:.6g}" for v in row) for row in values.tolist()]


def _markers() -> np.ndarray:
    """(frames, 9) mm."""
    return stored_points()[..., :3].reshape(-1, 9) * STEP_MM


def _times(n: int, rate: float) -> np.ndarray:
    return np.arange(n)[:, None] / rate


def plain_csv() -> str:
    names = [f"{label}_{axis}_mm" for label in LABELS for axis in "xyz"]
    table = np.hstack([np.arange(21, 33)[:, None], _times(12, 100), _markers()])
    return "\n".join([",".join(["frame", "time_s", *names]), *_rows(table)]) + "\n"


def forces_csv() -> str:
    names = [f"plate1_{q}{axis}_{unit}" for q, unit in (("F", "N"), ("M", "Nmm")) for axis in "xyz"]
    table = np.hstack([_times(120, 1000), stored_analog() / 2])
    return "\n".join([",".join(["time_s", *names]), *_rows(table)]) + "\n"


def decimal_commas(text: str) -> str:
    return text.replace(",", ";").replace(".", ",")


def nexus_csv() -> str:
    devices = np.column_stack([21 + np.arange(120) // 10, np.arange(120) % 10, stored_analog() / 2])
    markers = np.column_stack([np.arange(21, 33), np.zeros(12), _markers()])
    name = "Imported AMTI Force Plate #1"
    return "\r\n".join(
        [
            "Devices",
            "1000",
            f",,{name} - Force,,,{name} - Moment,,",
            "Frame,Sub Frame,Fx,Fy,Fz,Mx,My,Mz",
            ",,N,N,N,N.mm,N.mm,N.mm",
            *_rows(devices),
            "",
            "Events",
            "100",
            "Subject,Context,Name,Time (s),Description",
            "Nobody,Left,Foot Strike,0.25,strike",
            "",
            "Trajectories",
            "100",
            ",," + ",".join(f"Nobody:{label},," for label in LABELS),
            "Frame,Sub Frame" + ",X,Y,Z" * 3,
            ",," + ",".join(["mm"] * 9),
            *_rows(markers),
            "",
            "",
        ]
    )


def trc() -> str:
    header = [
        "PathFileType\t4\t(X/Y/Z)\ta.trc",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits",
        "100\t100\t12\t3\tmm",
        "Frame#\tTime\t" + "\t\t\t".join(LABELS),
        "\t\t" + "\t".join(f"{axis}{i}" for i in (1, 2, 3) for axis in "XYZ"),
        "",
    ]
    table = np.hstack([np.arange(1, 13)[:, None], _times(12, 100), _markers()])
    return "\n".join([*header, *_rows(table, "\t")]) + "\n"


def mot() -> str:
    names = [f"ground_force_r_{q}{axis}" for q in "vp" for axis in "xyz"] + [f"ground_torque_r_{a}" for a in "xyz"]
    load = -stored_analog()[:, :3] / 2
    table = np.hstack([_times(120, 1000), load[:, [0, 2, 1]], 0 * load + [0.5, 0.0, 0.1], 0 * load + [0.0, 2.0, 0.0]])
    header = ["forces", "version=1", "nRows=120", "nColumns=10", "inDegrees=yes", "endheader"]
    return "\n".join([*header, "\t".join(["time", *names]), *_rows(table, "\t")]) + "\n"


def qtm() -> str:
    header = ["NO_OF_FRAMES\t12", "FREQUENCY\t100", "EVENT\tRHS\t3\t0.02", "DATA_INCLUDED\t3D"]
    names = ["MARKER_NAMES\t" + "\t".join(LABELS), "Frame\tTime\tX"]
    table = np.hstack([np.arange(1, 13)[:, None], _times(12, 100), _markers()])
    return "\n".join([*header, *names, *_rows(table, "\t")]) + "\n"


def qtm_forces() -> str:
    corners = {"POSX_POSY": (1, 1), "NEGX_POSY": (-1, 1), "NEGX_NEGY": (-1, -1), "POSX_NEGY": (1, -1)}
    header = ["NO_OF_SAMPLES\t120", "FREQUENCY\t1000", "DESCRIPTION\tlocal", "DATA_INCLUDED\tForce"]
    for name, (x, y) in corners.items():
        places = zip("XYZ", (200 * x, -300 * y, 0), strict=True)
        header += [f"FORCE_PLATE_CORNER_{name}_{axis}\t{v}" for axis, v in places]
    names = [f"{what}_{axis}" for what in ("Force", "Moment", "COP") for axis in "XYZ"]
    load = -stored_analog()[:, :6] / 2
    return "\n".join([*header, "\t".join(names), *_rows(np.hstack([load, 0 * load[:, :3]]), "\t")]) + "\n"


def motive() -> str:
    names = [name for label in LABELS for name in [f"P:{label}"] * 3]
    header = [
        "Format Version,1.23,Take Name,a,Export Frame Rate,100,Length Units,Millimeters",
        "",
        ",Type" + ",Marker" * 9 + ",Bone",
        ",Name," + ",".join([*names, "P:Hip"]),
        "," + ",Position" * 9 + ",Rotation",
        "Frame,Time (Seconds)" + ",X,Y,Z" * 3 + ",W",
    ]
    table = np.hstack([np.arange(12)[:, None], _times(12, 100), _markers(), np.ones((12, 1))])
    return "\n".join([*header, *_rows(table)]) + "\n"


def cortex() -> str:
    load = -stored_analog()[:, :3] / 2
    table = np.hstack([np.arange(1, 121)[:, None], load, 0 * load + [500, 100, 0], 0 * load[:, :1] + 3000])
    names = "#Sample\tFX1\tFY1\tFZ1\tX1\tY1\tZ1\tMZ1"
    return "\r\n".join(["[Force Data]", "SampleRate=1000", names, *_rows(table, "\t")]) + "\r\n"


def anc() -> str:
    header = ["File_Type:\tAnalog R/C ASCII", "BitDepth:\t16\tPreciseRate:\t1000"]
    names = [f"{kind}1{axis}" for kind in "FM" for axis in "XYZ"]
    rows = ["\t".join(["Name", *names]), "Rate" + "\t1000" * 6, "Range" + "\t10000" * 6]
    table = np.hstack([_times(120, 1000), np.rint(10 * stored_analog()[:, :6])])
    return "\n".join([*header, *rows, *_rows(table, "\t")]) + "\n"


CAL = "1\n1 40 60\n" + "\n".join(" ".join("900" if i == j else "0" for j in range(6)) for i in range(6))
CAL += "\n0 0 -4\n20 30 0\n0 -1 0\n-1 0 0\n0 0 -1\n"
PLATES = """plates:
  - number: 1
    corners_mm: [[200, -300, 0], [-200, -300, 0], [-200, 300, 0], [200, 300, 0]]
    origin_mm: [0, 0, -40]
    force_sense: reaction
"""
SUBJECT = "mass_kg: 45.8\nleft_leg_length_mm: 830\nright_leg_length_mm: 832\nmarker_diameter_mm: 14\n"
MODEL = "extends: pig\ngaitid_model: 1\nname: mine\nsettings: {gravity_m_per_s2: 9.81}\n"
ENF = "[Node Information]\r\nTYPE=TRIAL\r\n[TRIAL_INFO]\r\nNAME=a\r\nFP1=Left\r\nFP2=Invalid\r\n"
MP = "$Bodymass = 66.2\r\n$LLegLength = 1040\r\n$LThighRotation = -2.84621\r\n"


@cache
def written() -> tuple[Written, ...]:
    return tuple(write(code, floats) for code in (INTEL, DEC, SGI) for floats in (True, False))


@cache
def kinds() -> dict[str, Kind]:
    plain, forces = plain_csv(), forces_csv()
    return {
        "c3d": Kind("a.c3d", "a.c3d", tuple(w.data for w in written())),
        "csv": Kind("a.csv", "a.csv", (plain.encode(), decimal_commas(plain).encode("utf-8-sig"))),
        "forces": Kind("forces.csv", "a.csv", (forces.encode(), decimal_commas(forces).encode())),
        "nexus": Kind("nexus.csv", "nexus.csv", (nexus_csv().encode(),)),
        "trc": Kind("a.trc", "a.trc", (trc().encode(),)),
        "mot": Kind("a.mot", "a.trc", (mot().encode(),)),
        "qtm": Kind("a.tsv", "a.tsv", (qtm().encode(),)),
        "qtm_forces": Kind("a_f_1.tsv", "a.tsv", (qtm_forces().encode(),)),
        "motive": Kind("take.csv", "take.csv", (motive().encode(),)),
        "cortex": Kind("b.forces", "a.trc", (cortex().encode(),)),
        "anc": Kind("b.anc", "a.trc", (anc().encode(),)),
        "cal": Kind("b.cal", "a.trc", (CAL.encode(),)),
        "plates": Kind("plates.yaml", "a.csv", (PLATES.encode(),)),
        "subject": Kind("subject.yaml", "a.c3d", (SUBJECT.encode(),)),
        "model": Kind("model.yaml", "a.c3d", (MODEL.encode(),)),
        "enf": Kind("a.Trial.enf", "a.c3d", (ENF.encode(),)),
        "mp": Kind("a.mp", "a.c3d", (MP.encode(),)),
    }


# --- broken ones ----------------------------------------------------------------------------------------------------

_WORDS = (0, 1, 2, 7, 127, 128, 255, 256, 32767, 32768, 65534, 65535)
_REALS = (0.0, -0.0, 1.0, -1.0, 1e-40, 1e30, -3.4e38, float("inf"), float("-inf"), float("nan"))
# Numbers that a sound table could hold, but for their place in it.
_NUMBERS = ("0", "1", "-1", "0.5", "1e-3", "-700", "12", "20000", "1e6", "")
_CELLS = (
    "",
    " ",
    "nan",
    "-inf",
    "1e999",
    "1e308",
    "-0",
    "1_000",
    "1.234,5",
    "1,234.5",
    "0x10",
    "٣",
    "1/2/2024",
    "#N/A",
    '"',
    '""',
    '"1\n2"',
    "=1+1",
    "2147483648",
    "9" * 400,
    "\x1b[2J",
    "\u202e",
    "a" * 10_000,
    "frame",
    "time_s",
    "LASI_x_mm",
    "plate1_Fx_N",
    "plate999999999999_Fx_N",
    "endheader",
    "Devices",
    "Trajectories",
    "Frame",
    "Sub Frame",
    "Nobody:",
    "&a [*a]",
    "!!python/object/apply:os.system [true]",
    "*x",
    "{a: b}",
    "- - - - -",
    "<<: *x",
    "? [a]",
    "1:10",
    ".inf",
    "Left",
    "Invalid",
    "FP1=Left",
    "ground_force_vx",
    "DataRate",
    "nRows=1",
    "X1",
)
_SEPARATORS = (",", ";", "\t", "\n", "\r\n", "\r", " ", ":", "=", "\f", "\u2028")


def broken(kind: str, data: bytes, rng: random.Random) -> bytes:
    """The bytes after one to four mutations."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        data = rng.choice(_C3D if kind == "c3d" and rng.random() < 0.9 else _ANY if rng.random() < 0.3 else _TEXT)(
            data, rng
        )
    return data


def _a_place(data: bytes, rng: random.Random, *words: str) -> tuple[str, int, int]:
    """A field of the sound file that these bytes came from; of any, where they came from elsewhere."""
    same = [w for w in written() if len(w.data) == len(data) and w.data[515] == data[515]] or written()[:1]
    places = [p for p in same[0].places if any(word in p[0] for word in words)]
    return rng.choice(places)


def _put(data: bytes, at: int, raw: bytes) -> bytes:
    return data[:at] + raw + data[at + len(raw) :]


def _word(data: bytes, rng: random.Random, *words: str) -> bytes:
    _, at, size = _a_place(data, rng, *words)
    value = rng.choice((*_WORDS, rng.randrange(65536)))
    order = rng.choice((">H", "<H")) if rng.random() < 0.1 else ">H" if data[515:516] == b"\x56" else "<H"
    return _put(data, at + 2 * rng.randrange(max(size // 2, 1)), struct.pack(order, value))


def _header(data: bytes, rng: random.Random) -> bytes:
    return _word(data, rng, "header word")


def _link(data: bytes, rng: random.Random) -> bytes:
    return _word(data, rng, " link")


def _byte(data: bytes, rng: random.Random) -> bytes:
    _, at, size = _a_place(data, rng, "group", "name length", " size", "dimensions", "shape", "description")
    return _put(data, at + rng.randrange(max(size, 1)), bytes([rng.choice((0, 1, 2, 3, 4, 5, 127, 128, 254, 255))]))


def _value(data: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.5:
        return _word(data, rng, " values")
    _, at, size = _a_place(data, rng, " values", "data")
    real = struct.pack(">f" if data[515:516] == b"\x56" else "<f", rng.choice(_REALS))
    return _put(data, at + 4 * rng.randrange(max(size // 4, 1)), real)


def _name(data: bytes, rng: random.Random) -> bytes:
    """An entry becomes another: a parameter missing, given twice, or of another name."""
    _, at, size = _a_place(data, rng, " name")
    return _put(
        data, at, rng.choice((b"USED", b"SCALE", b"OFFSET", b"RATE", b"LABELS2", b"X" * size, b"\xff\x1b["))[:size]
    )


def _loop(data: bytes, rng: random.Random) -> bytes:
    """A link to where another entry begins, ahead or behind."""
    _, here, _ = _a_place(data, rng, " link")
    _, there, _ = _a_place(data, rng, "name length")
    return _put(data, here, struct.pack(">h" if data[515:516] == b"\x56" else "<h", max(there - here, -32768)))


def _flood(data: bytes, rng: random.Random) -> bytes:
    """Thousands of labels, groups or empty entries in front of the chain."""
    order = ">h" if data[515:516] == b"\x56" else "<h"
    entry = rng.choice(
        (
            b"\x06\x01LABELS" + struct.pack(order, 9) + b"\xff\x02\x00\xff\x00\x00\x00",
            b"\x01\xf0G" + struct.pack(order, 3) + b"\x00",
            b"\x01\x01A" + struct.pack(order, 7) + b"\x02\x02\x00\xff\x00",
            b"\x01\x01A" + struct.pack(order, 11) + b"\xff\x07\x00\xff\xff\xff\xff\xff\xff",
        )
    )
    return data[:516] + entry * rng.choice((1, 300, 30_000)) + data[516:]


def _encoding(data: bytes, rng: random.Random) -> bytes:
    return _put(data, 515, bytes([rng.choice((0, 83, 84, 85, 86, 87, 255))]))


def _copied(data: bytes, rng: random.Random) -> bytes:
    """A run of bytes over another: sections that overlap."""
    size = rng.choice((1, 2, 16, 512))
    a, b = (rng.randrange(max(len(data) - size, 1)) for _ in range(2))
    return _put(data, a, data[b : b + size])


def _flipped(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(max(len(data), 1))
    return _put(data, at, bytes([rng.randrange(256)]))


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.choice((0, 1, 2, 511, 512, 516, 1024, rng.randrange(len(data) + 1)))]


def _removed(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[at + rng.choice((1, 2, 5, 50, 512)) :]


def _grown(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return (
        data[:at]
        + rng.choice((b"\0", b"\xff", data[at : at + 40], b"\r", b"\n", b"\0" * 512)) * rng.choice((1, 3, 40))
        + data[at:]
    )


def _text(data: bytes) -> str:
    return data.decode("latin-1")


def _cell(data: bytes, rng: random.Random) -> bytes:
    """A cell, key or word becomes another."""
    text = _text(data)
    ends = [-1, *(i for i, c in enumerate(text) if c in ",;\t\n :=[]"), len(text)]
    i = rng.randrange(len(ends) - 1)
    word = rng.choice(_NUMBERS if rng.random() < 0.5 else _CELLS).encode()
    return data[: ends[i] + 1] + word + data[ends[i + 1] :]


def _row(data: bytes, rng: random.Random) -> bytes:
    """A row is lost, doubled, moved or blank."""
    rows = data.split(b"\n")
    i, j = rng.randrange(len(rows)), rng.randrange(len(rows))
    how = rng.randrange(4)
    new = [
        rows[:i] + rows[i + 1 :],
        [*rows[:i], rows[j], *rows[i:]],
        [*rows[:i], rows[j], *rows[i + 1 :]],
        [*rows[:i], b"", *rows[i:]],
    ]
    return b"\n".join(new[how])


def _column(data: bytes, rng: random.Random) -> bytes:
    """A column is lost or doubled."""
    separator = rng.choice((b",", b"\t", b";"))
    k, keep = rng.randrange(12), rng.random() < 0.5
    rows = [row.split(separator) for row in data.split(b"\n")]
    return b"\n".join(separator.join(r[:k] + (r[k : k + 1] * 2 if keep else []) + r[k + 1 :]) for r in rows)


def _separators(data: bytes, rng: random.Random) -> bytes:
    old, new = rng.choice(_SEPARATORS), rng.choice(_SEPARATORS)
    return data.replace(old.encode(), new.encode())


def _dressed(data: bytes, rng: random.Random) -> bytes:
    """What Excel and editors do to a whole file."""
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: b"\xef\xbb\xbf" + data,
        lambda: _text(data).encode("utf-16"),
        lambda: _text(data).encode("utf-16-be"),
        lambda: b"sep=;\n" + data,
        lambda: b'"sep=,"\r\n' + data,
        lambda: b"\n".join(b'"' + row.replace(b",", b'","') + b'"' for row in data.split(b"\n")),
        lambda: data + b",,,,\n" * 5,
        lambda: data.replace(b".", b","),
        lambda: data * 3,
        lambda: data.replace(b"\n", b" ") * 50,
        lambda: data.replace(b"0", b"0" * 30),
        lambda: b"\x1b]0;title\x07" + data,
    )
    return rng.choice(ways)()


def _bomb(data: bytes, rng: random.Random) -> bytes:
    """YAML that stands for more than it is, or nests without end."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 8)}]" for i in range(1, 12)]
    ways = ("\n".join(lines), "[" * 5000, "{a: " * 3000, "- " * 3000, "a: &a [*a]", "? " * 2000, "'" + "x" * 100_000)
    return data + b"\n" + rng.choice(ways).encode()


_ANY = (_flipped, _cut, _removed, _grown, _copied)
_C3D = (_header, _link, _byte, _byte, _value, _value, _name, _loop, _flood, _encoding, *_ANY)
_TEXT = (_cell, _cell, _cell, _row, _column, _separators, _dressed, _bomb)
