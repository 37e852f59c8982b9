"""OpenSim motion files of forces: every spelling of the columns, the wrench they mean, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from note_texts import texts
from plain_layout import rotation_z_down

from gaitid.errors import GaitidError
from gaitid.read.plates import Plates
from gaitid.read.tables.csv_plain import read_forces
from gaitid.trial import Array, ForcePlate

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "trials" / "opensim_gait2354"
# Ten printed digits of 1e3 N at 10 m.
N, NM = 1e-6, 1e-5
RATE = 600.0
NAMES = ("ground_force_v", "ground_force_p", "ground_torque_")
SECOND = ("1_ground_force_v", "1_ground_force_p", "1_ground_torque_")


def force_point_torque(seed: int = 1, up: int = 1, n: int = 40, height: float = 0.0) -> tuple[Array, Array, Array]:
    """A load along one laboratory axis that moves over a level surface, with a torque about the upward axis."""
    rng = np.random.default_rng(seed)
    force = rng.uniform(-60, 60, (n, 3))
    force[:, up] = 700 * np.sin(np.linspace(0.2, 3, n))
    point = rng.uniform(-2, 2, (n, 3))
    point[:, up] = height
    torque = np.zeros((n, 3))
    torque[:, up] = rng.uniform(-8, 8, n)
    return force, point, torque


def columns_of(names: tuple[str, str, str], values: tuple[Array, Array, Array]) -> dict[str, Array]:
    return {f"{name}{axis}": v[:, i] for name, v in zip(names, values) for i, axis in enumerate("xyz")}


def motion(columns: Mapping[str, Array], start: float = 0.0, header: str | None = None) -> str:
    """The text of a motion file: empty cells where a value is unknown."""
    n = len(next(iter(columns.values())))
    if header is None:
        header = f"forces\nversion=1\nnRows={n}\nnColumns={len(columns) + 1}\ninDegrees=yes\nendheader\n"
    rows = np.column_stack([start + np.arange(n) / RATE, *columns.values()])
    cells = ("\t".join("" if np.isnan(v) else f"{v:.12g}" for v in row) for row in rows)
    return header + "\n".join(["\t".join(["time", *columns]), *cells]) + "\n"


def read(folder: Path, text: str, plates: Path | None = None, cameras: tuple[float, float] = (0.0, 0.05)) -> Plates:
    path = folder / "walk_grf.mot"
    path.write_bytes(text.encode())
    return read_forces(path, plates, cameras)


def about_origin(plate: ForcePlate) -> tuple[Array, Array]:
    """Force and moment about the laboratory's origin, in its axes."""
    assert plate.R_gp is not None and plate.centre_g is not None
    force, moment = plate.force_p @ plate.R_gp.T, plate.moment_p @ plate.R_gp.T
    return force, moment + np.cross(plate.centre_g + plate.R_gp @ plate.sensor_p, force)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (NAMES, SECOND),  # OpenSim's own examples
        (
            ("1_ground_force_v", "1_ground_force_p", "1_ground_torque_"),
            ("2_ground_force_v", "2_ground_force_p", "2_ground_torque_"),
        ),
        (
            ("ground_force_1_v", "ground_force_1_p", "ground_moment_1_m"),
            ("ground_force_2_v", "ground_force_2_p", "ground_moment_2_m"),
        ),
        (
            ("ground_force_r_v", "ground_force_r_p", "ground_torque_r_"),
            ("ground_force_l_v", "ground_force_l_p", "ground_torque_l_"),
        ),
        (
            ("R_ground_force_v", "R_ground_force_p", "R_ground_torque_"),
            ("L_ground_force_v", "L_ground_force_p", "L_ground_torque_"),
        ),
        (
            ("ground_force_calcn_r_v", "ground_force_calcn_r_p", "ground_force_calcn_r_m"),
            ("ground_force_calcn_l_v", "ground_force_calcn_l_p", "ground_torque_calcn_l_v"),
        ),
        (
            ("ground_force1_v", "ground_force1_p", "ground_torque1_"),
            ("ground_force2_v", "ground_force2_p", "ground_moment2_m"),
        ),
        (("force1_v", "force1_p", "torque1_"), ("force2_v", "force2_p", "moment_2_")),
        (
            ("ground_reaction_force_r_v", "ground_reaction_force_r_p", "ground_reaction_torque_r_"),
            ("ground_reaction_force_l_v", "ground_reaction_force_l_p", "ground_reaction_moment_l_"),
        ),
    ],
)
def test_every_spelling_of_the_columns(
    tmp_path: Path, first: tuple[str, str, str], second: tuple[str, str, str]
) -> None:
    """Whatever stands before, within or after the names; torques may stand after all forces."""
    true = [force_point_torque(1), force_point_torque(2)]
    blocks = [columns_of(names, values) for names, values in zip((first, second), true)]
    ordered = sorted((c for block in blocks for c in block.items()), key=lambda c: "torque" in c[0])
    plates = read(tmp_path, motion(dict(ordered))).usable
    assert [p.number for p in plates] == [1, 2]
    for plate, (force, point, torque) in zip(plates, true):
        found_force, found_moment = about_origin(plate)
        assert np.allclose(found_force, force, atol=N, rtol=0)
        assert np.allclose(found_moment, np.cross(point, force) + torque, atol=NM, rtol=0)
        assert plate.rate_hz == RATE and not plate.outlined


def test_what_is_not_said_is_assumed_aloud(tmp_path: Path) -> None:
    force, point, torque = force_point_torque()
    columns = columns_of(NAMES, (force, point, torque))
    without_torque = {c: v for c, v in columns.items() if "torque" not in c}
    forces = read(tmp_path, motion(without_torque))
    plate = forces.usable[0]
    assert np.allclose(about_origin(plate)[1], np.cross(point, force), atol=NM, rtol=0)
    assert any("no torque" in w for w in texts(forces))

    moment = np.cross(point, force) + torque
    about = columns_of((NAMES[0], "unused", "ground_moment_m"), (force, point, moment))
    forces = read(tmp_path, motion({c: v for c, v in about.items() if "unused" not in c}))
    plate = forces.usable[0]
    assert np.allclose(about_origin(plate)[1], moment, atol=NM, rtol=0)
    assert any("moment is taken as one about the laboratory's origin" in w for w in texts(forces))


def test_a_force_that_cannot_be_used_is_refused_by_name(tmp_path: Path) -> None:
    good, bad = columns_of(NAMES, force_point_torque(1)), columns_of(SECOND, force_point_torque(2))
    far = bad | {c: 1e3 * v for c, v in bad.items() if "_p" in c}  # mm
    lacking = {
        "neither its point nor its moment": {c: v for c, v in bad.items() if "_v" in c},
        "its point lacks z": {c: v for c, v in bad.items() if not c.endswith("pz")},
        "no force": {c: v for c, v in bad.items() if "_v" not in c},
        "write the points in metres": far,
    }
    for words, columns in lacking.items():
        forces = read(tmp_path, motion(good | columns))
        assert [p.number for p in forces.usable] == [1]
        assert list(forces.refused) == [2] and words in forces.refused[2] and "1_ground_" in forces.refused[2]
        assert any(words in w for w in texts(forces))


def test_where_nothing_says_which_way_is_up(tmp_path: Path) -> None:
    force, point, torque = force_point_torque()
    for wrong, words in ((0.1 * force, "no force above 100 N"), (np.full_like(force, 300.0), "no laboratory axis")):
        forces = read(tmp_path, motion(columns_of(NAMES, (wrong, point, torque))))
        assert not forces.usable and words in forces.refused[1] and "--plates" in forces.refused[1]


def test_edges_from_a_plates_file(tmp_path: Path) -> None:
    """Its corners and sense are used; axes and point of the moments are the motion file's own."""
    force, point, torque = force_point_torque(up=2)
    R_gp = rotation_z_down(0.4)
    corners = np.array([0.3, 0.1, 0.0]) + np.array([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]]) * 0.3 @ R_gp.T
    plates = tmp_path / "plates.yaml"
    for sense, sign in (("reaction", 1), ("action", -1)):
        plates.write_text(
            f"plates:\n  - number: 1\n    corners_m: {corners.tolist()}\n    origin_mm: [1, 2, 40]\n"
            f"    force_sense: {sense}\n"
        )
        columns = columns_of(NAMES, (sign * force, point, sign * torque)) | columns_of(SECOND, force_point_torque(2, 2))
        outlined, other = read(tmp_path, motion(columns), plates).usable
        assert outlined.outlined and not other.outlined
        assert np.allclose(outlined.corners_g, corners, atol=1e-12, rtol=0)
        moment = np.cross(point - corners.mean(axis=0), force) + torque
        assert np.allclose(outlined.force_p @ R_gp.T, force, atol=N, rtol=0)
        assert np.allclose(
            (outlined.moment_p + np.cross(outlined.sensor_p, outlined.force_p)) @ R_gp.T, moment, atol=NM, rtol=0
        )
    plates.write_text(plates.read_text().replace("number: 1", "number: 7"))
    forces = read(tmp_path, motion(columns_of(NAMES, (force, point, torque))), plates)
    assert any("plate 7 of plates.yaml has no forces" in w for w in texts(forces))


@pytest.mark.parametrize("start", [0.0, -0.0123, 0.0007])
def test_the_clock_is_kept(tmp_path: Path, start: float) -> None:
    """Samples need not fall on a camera frame: the first one's time is kept."""
    columns = columns_of(NAMES, force_point_torque())
    plate = read(tmp_path, motion(columns, 0.4 + start), cameras=(0.4, 0.41)).usable[0]
    assert plate.start_s == pytest.approx(start, abs=1e-11)  # s: twelve digits
    assert plate.rate_hz == RATE


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("endheader\ntime", "end\nclock", "not an OpenSim motion file"),
        ("version=1", "DataType=Vec3", "DataType=Vec3 is not read"),
        ("time\t", "frame\t", "no column 'time'"),
        ("ground_", "thorax_", "no forces"),
        ("ground_force_vy", "ground_force_vx", "'ground_force_vx' and 'ground_force_vx' say the same"),
        ("\n0\t", "\n0\tx", "column 'ground_force_vx': not a number"),
        ("\n0\t", "\n0,0\t", "column 'time': not a number"),
        ("\n0\t", "\n0.0009\t", "column 'time': not evenly sampled"),
        ("\n0\t", "\n\n0\t", ""),
    ],
)
def test_a_fault_is_one_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    text = motion(columns_of(NAMES, force_point_torque()))
    assert old in text
    if not words:  # a blank row above the first sample is none of a fault
        assert read(tmp_path, text.replace(old, new)).usable
        return
    with pytest.raises(GaitidError) as error:
        read(tmp_path, text.replace(old, new))
    assert words in error.value.line() and error.value.line().startswith("walk_grf.mot: ")
    assert "\n" not in error.value.line()


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
def test_forces_of_a_real_walk() -> None:
    """OpenSim's example: 1501 rows at 600 Hz, printed with four decimals; plate 1 is the right foot's."""
    forces = read_forces(SHARED / "subject01_walk1_grf.mot", None, (0.0, 2.5))
    assert [(p.number, p.rate_hz, p.start_s, len(p.force_p)) for p in forces.usable] == [
        (1, 600.0, 0.0, 1501),
        (2, 600.0, 0.0, 1501),
    ]
    rows = np.loadtxt(SHARED / "subject01_walk1_grf.mot", skiprows=7)
    for plate, first, torque in zip(forces.usable, (1, 7), (13, 16)):
        force, point = rows[:, first : first + 3], rows[:, first + 3 : first + 6]
        found_force, found_moment = about_origin(plate)
        assert np.allclose(found_force, force, atol=N, rtol=0)
        expected = np.cross(point, force) + rows[:, torque : torque + 3]
        assert np.allclose(found_moment, expected, atol=NM, rtol=0)
        assert plate.centre_g is not None and plate.centre_g[1] == pytest.approx(-0.0075)  # m: as the file says
    assert len(texts(forces)) == 1 and "+y up" in texts(forces)[0]


def test_counts_that_are_stale_give_way_to_the_rows(tmp_path: Path) -> None:
    text = motion(columns_of(NAMES, force_point_torque()))
    true = read(tmp_path, text).usable[0]
    for old, new, words in (
        ("nRows=40", "nRows=41", "the header says 41 rows (nrows), the file holds 40, which are read"),
        ("nColumns=10", "nColumns=19", "the header says 19 columns (ncolumns), the file holds 10, which are read"),
        ("endheader\n", "", ""),
        ("endheader\n", "M\u00fcller\nendheader\n", ""),
    ):
        (tmp_path / "walk_grf.mot").write_bytes(text.replace(old, new).encode("latin-1"))
        forces = read_forces(tmp_path / "walk_grf.mot", None, (0.0, 0.1))
        assert np.array_equal(forces.usable[0].force_p, true.force_p)
        assert any(words in w for w in texts(forces))
