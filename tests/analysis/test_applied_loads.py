"""Measured loads on bodies (`--load`): what they change is what their files say, on any segment of any tree."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import ezc3d
import numpy as np
import pytest
from numpy.typing import NDArray

import gaitid
from gaitid.dynamics.chain import Chain, Link
from gaitid.dynamics.fictitious import contributions
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.dynamics.wrench import Wrench
from gaitid.errors import GaitidError
from gaitid.model.load import bundled_folder
from gaitid.run import RunOptions, analyse_file, prepare, run_file
from gaitid.run.command import read_recorded
from gaitid.simulate.files import simulate

Array = NDArray[np.float64]
TRIALS = Path(__file__).resolve().parents[3] / "shared" / "trials"
SCENARIO = Path(__file__).parents[1] / "simulate" / "scenarios" / "loaded.yaml"
#: Each joint and the bodies beyond it.
BEYOND = {"rail": ("cart", "arm", "hand", "mast"), "shoulder": ("arm", "hand"), "wrist": ("hand",), "root": ("mast",)}
FILES = {
    "hand": ("loaded.load.hand.csv", "loaded.load.hand.2.csv"),
    "mast": ("loaded.load.mast.csv",),
    "cart": ("loaded.load.cart.csv",),
}


def columns(path: Path) -> dict[str, Array]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    values = np.array([[float(cell) if cell else np.nan for cell in row] for row in rows[1:]])
    return dict(zip(rows[0], values.T, strict=True))


def vectors(table: dict[str, Array], pattern: str) -> Array:
    return np.stack([table[pattern.format(axis)] for axis in "xyz"], axis=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The loaded tree, and the same recorded markers in a file that says nothing of loads."""
    made = tmp_path_factory.mktemp("loaded")
    simulate(SCENARIO, made)
    alone = made / "alone"
    alone.mkdir()
    for name in ("loaded.csv", "loaded.model.yaml", "loaded.table.yaml"):
        shutil.copy(made / name, alone / name)
    return made


def loads_in(folder: Path) -> tuple[tuple[str, Path], ...]:
    return tuple((segment, folder / name) for segment, names in FILES.items() for name in names)


def options(folder: Path, **more: object) -> RunOptions:
    model = str(folder / "loaded.model.yaml")
    return RunOptions(model=model, settings={"cutoff_hz": "none"}, **more)  # type: ignore[arg-type]


def wrenches(trial: Path, given: RunOptions, out: Path) -> dict[str, Array]:
    run_file(trial, out, prepare(given))
    return columns(out / f"{trial.stem}.wrenches.csv")


@pytest.fixture(scope="module")
def loaded(folder: Path) -> dict[str, Array]:
    """The wrenches of the loaded tree with its loads."""
    return wrenches(folder / "loaded.csv", options(folder, loads=loads_in(folder)), folder / "with_loads")


def test_what_loads_change_is_what_their_files_say(folder: Path, loaded: dict[str, Array], tmp_path: Path) -> None:
    """No sampling between: the same markers with and without, at the camera's own instants."""
    alone = wrenches(folder / "alone" / "loaded.csv", options(folder), tmp_path / "b")
    truth = columns(folder / "loaded.truth.segments.csv")
    for joint, bodies in BEYOND.items():
        p = vectors(truth, f"right_{joint}_{{}}_m")
        force, moment = np.zeros_like(p), np.zeros_like(p)
        for name in (name for body in bodies for name in FILES.get(body, ())):
            load = columns(folder / name)
            f = vectors(load, "force_global_{}_N")
            force -= f
            moment -= vectors(load, "moment_global_{}_Nm") + np.cross(vectors(load, "point_global_{}_m") - p, f)
        for kind, unit, wanted in (("force", "N", force), ("moment", "Nm", moment)):
            name = f"right_{joint}_{kind}_global_{{}}_{unit}"
            change = vectors(loaded, name) - vectors(alone, name)
            known = np.isfinite(change).all(axis=1)
            assert known.sum() > 140
            assert np.abs(wanted[known]).max() > 0.5
            # N and N·m: ten digits of loads up to 40 in each of three files; places of joints to 1e-9 m
            np.testing.assert_allclose(change[known], wanted[known], rtol=0, atol=1e-7)


@pytest.mark.parametrize("suffix", ["c3d", "csv"])
def test_a_loaded_trial_gives_back_the_truth(folder: Path, tmp_path: Path, suffix: str) -> None:
    """To the spline's error, which is that of the same motion whatever acts: it is taken from the unloaded part."""
    loaded = wrenches(folder / f"loaded.{suffix}", options(folder, loads=loads_in(folder)), tmp_path)
    truth = columns(folder / "loaded.truth.wrenches.csv")
    # N and N·m, away from the ends (docs/simulate.md): h⁴ of motions with accelerations up to 60 m/s² and, of the C3D,
    # 32-bit floats of 1.5 m (1e-7 m) at 200 Hz
    limit = 0.0005 if suffix == "csv" else 0.05
    inner = slice(25, -25)
    for name in truth:
        if name not in ("frame", "time_s"):
            np.testing.assert_allclose(loaded[name][inner], truth[name][inner], rtol=0, atol=limit, err_msg=name)


def test_loads_at_their_own_rate_are_read_at_the_cameras_instants(
    folder: Path, loaded: dict[str, Array], tmp_path: Path
) -> None:
    simulate(SCENARIO, tmp_path / "fast", analog_rate_hz=1000)
    assert len(columns(tmp_path / "fast" / "loaded.load.cart.csv")["time_s"]) > 790
    fast = wrenches(folder / "loaded.csv", options(folder, loads=loads_in(tmp_path / "fast")), tmp_path / "b")
    for name in loaded:
        # N and N·m: a quadratic over ± one frame, of loads up to 4 N at 1 Hz: h⁴ f''''/70 = 6e-8 of them; at the ends
        # its window is one-sided, h³ f'''/20 = 2e-6
        np.testing.assert_allclose(fast[name], loaded[name], rtol=0, atol=2e-5, err_msg=name)


def test_a_load_in_the_bodys_axes_is_the_same_load(folder: Path, loaded: dict[str, Array], tmp_path: Path) -> None:
    truth = columns(folder / "loaded.truth.segments.csv")
    w, x, y, z = (truth[f"right_hand_q{c}"] for c in "wxyz")
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)
    origin = vectors(truth, "right_wrist_{}_m")

    def turned(v: Array) -> Array:
        return np.einsum("tij,ti->tj", R, v)

    given = []
    for i, name in enumerate(FILES["hand"]):
        load = columns(folder / name)
        local = {
            "force_segment_{}_N": turned(vectors(load, "force_global_{}_N")),
            "moment_segment_{}_Nmm": 1e3 * turned(vectors(load, "moment_global_{}_Nm")),
            "point_segment_{}_mm": 1e3 * turned(vectors(load, "point_global_{}_m") - origin),
        }
        if i:  # mixed: a rope's force stays in the laboratory's axes, and its point in the body's
            del local["force_segment_{}_N"]
            local["force_global_{}_N"] = vectors(load, "force_global_{}_N")
        names = ["time_s", *(pattern.format(axis) for pattern in local for axis in "xyz")]
        values = np.column_stack([load["time_s"], *local.values()])
        path = tmp_path / f"{i}.csv"
        np.savetxt(path, values, "%.15g", ",", header=",".join(names), comments="")
        given.append(("right_hand", path))
    others = tuple(load for load in loads_in(folder) if load[0] != "hand")
    other = wrenches(folder / "loaded.csv", options(folder, loads=(*given, *others)), tmp_path / "b")
    for name in loaded:
        # N and N·m: axes from markers with ten digits, 1e-10 m of 0.03 m, turn 4 N with levers of 1 m
        np.testing.assert_allclose(other[name], loaded[name], rtol=0, atol=1e-6, err_msg=name)


def test_every_part_has_its_cause_and_all_sum_to_the_whole(folder: Path, tmp_path: Path) -> None:
    given = options(folder, loads=loads_in(folder), contributions=True, observer="cart")
    table = wrenches(folder / "loaded.csv", given, tmp_path)
    causes = ("gravity", "inertia", "ground_reaction", "applied_load", "dalembert", "euler", "centrifugal", "coriolis")
    for joint in BEYOND:
        for kind, unit in (("force", "N"), ("moment", "Nm")):
            for frame in ("global", "distal"):
                whole = vectors(table, f"right_{joint}_{kind}_{frame}_{{}}_{unit}")
                parts = [vectors(table, f"right_{joint}_{kind}_{frame}_{{}}_{c}_{unit}") for c in causes]
                assert np.nanmax(np.abs(parts[3])) > 0.2
                # N and N·m: ten digits of eight parts up to 100
                np.testing.assert_allclose(np.sum(parts, axis=0), whole, rtol=0, atol=2e-7)


@pytest.mark.parametrize("solver", SOLVERS)
def test_solvers_agree_under_ground_and_other_loads(solver: str) -> None:
    draw = np.random.default_rng(5)
    n = 7

    def wrench() -> Wrench:
        return Wrench(*(draw.normal(size=(n, 3)) * scale for scale in (100, 10, 1)))

    links = []
    for i in range(5):
        R = np.linalg.qr(draw.normal(size=(n, 3, 3)))[0]
        R[np.linalg.det(R) < 0] *= -1
        motion = [draw.normal(size=(n, 3)) for _ in range(5)]
        ground, applied = (wrench() if i in on else None for on in ((0, 2), (0, 1, 4)))
        links.append(Link(draw.uniform(1, 5), np.diag([0.1, 0.2, 0.15]), R, *motion, ground, applied))
    chain, gravity_g = Chain(links, (1, 4, 3, 4, None)), np.array([0.0, 0.0, -9.81])
    solved = SOLVERS[solver](chain, gravity_g)
    # Newton and Euler for all that lies beyond each joint, about the laboratory's origin, written out here
    for i, found in enumerate(solved):
        f, m = np.zeros((n, 3)), np.zeros((n, 3))
        for link in (chain.links[k] for k in chain.beyond(i)):
            inertia = np.einsum("tij,jk,tlk->til", link.R_gs, link.inertia_s, link.R_gs)
            spin = np.einsum("tij,tj->ti", inertia, link.omega_g)
            force = link.mass * (link.acc_g - gravity_g)
            f += force
            m += np.cross(link.com_g, force) + np.einsum("tij,tj->ti", inertia, link.alpha_g)
            m += np.cross(link.omega_g, spin)
            for load in filter(None, (link.external, link.applied)):
                f -= load.f_g
                m -= load.m_g + np.cross(load.p_g, load.f_g)
        about = found.at(np.zeros(3))
        scale = np.abs(m).max()
        np.testing.assert_allclose(about.f_g, f, rtol=0, atol=1e-12 * scale)
        np.testing.assert_allclose(about.m_g, m, rtol=0, atol=1e-12 * scale)
    for joint, whole in zip(contributions(chain, gravity_g), solved, strict=True):
        total = np.sum([part.m_g for part in joint.values()], axis=0)
        np.testing.assert_allclose(total, whole.m_g, rtol=0, atol=1e-12 * np.abs(whole.m_g).max())


def test_the_grounds_reaction_may_come_in_files(tmp_path: Path) -> None:
    simulate("walk", tmp_path, duration=2.0)
    truth, loads = columns(tmp_path / "walk.truth.wrenches.csv"), {}
    for side in ("left", "right"):
        f, p = vectors(truth, f"{side}_ground_force_{{}}_N"), vectors(truth, f"{side}_ground_cop_{{}}_m")
        free = truth[f"{side}_ground_free_moment_Nm"]
        moment = np.stack([0 * free, 0 * free, free], axis=1)
        names = [f"{w}_global_{a}_{u}" for w, u in (("force", "N"), ("moment", "Nm"), ("point", "m")) for a in "xyz"]
        rows = np.column_stack([truth["time_s"], f, moment, p])
        text = "\n".join(",".join("" if np.isnan(v) else f"{v:.12g}" for v in row) for row in rows)
        loads[f"{side}_foot"] = tmp_path / f"{side}.csv"
        loads[f"{side}_foot"].write_text(f"{','.join(['time_s', *names])}\n{text}\n", encoding="utf-8")
    only_markers = tmp_path / "markers.csv"
    shutil.copy(tmp_path / "walk.csv", only_markers)
    subject = tmp_path / "walk.subject.yaml"
    r = gaitid.analyse(only_markers, model="pig", subject=subject, loads=loads, cutoff="none")
    found = r.wrenches
    for name, values in truth.items():
        if "_ground_" not in name and name in found and "time" not in name:
            # N and N·m: the spline's error away from the ends
            np.testing.assert_allclose(found[name][15:-15], values[15:-15], rtol=0, atol=0.02, err_msg=name)
    assert "load_assumed" in [note["code"] for note in r.record["warnings"]]
    assert r.verdict["trial"] == "good"


def without_plates(trial: Path, target: Path) -> Path:
    """The same C3D file as a laboratory without force plates would have it."""
    content = ezc3d.c3d(str(trial))
    plates = content["parameters"]["FORCE_PLATFORM"]
    plates["USED"]["value"] = np.array([0])
    for name in set(plates) - {"USED", "__METADATA__"}:
        del plates[name]
    content.write(str(target))
    return target


@pytest.mark.parametrize("trial", ["", "children/HC002D/walk.c3d", "nexus_flatfoot/walk.c3d", "sydney/walk05.c3d"])
def test_plates_and_the_same_forces_as_files_give_the_same_wrenches(trial: str, tmp_path: Path) -> None:
    """What the plates put on each foot, read back as a load of that foot in a recording without plates."""
    path = TRIALS / trial if trial else bundled_folder("sample_data") / "walk" / "walk.c3d"
    if not path.is_file():
        pytest.skip("needs the shared recordings")
    with_plates = analyse_file(path, prepare(RunOptions(model="pig")))
    loads = []
    for side, leg in with_plates.sides.items():
        wrench = leg.acting.wrench
        names = [f"{w}_global_{a}_{u}" for w, u in (("force", "N"), ("moment", "Nm"), ("point", "m")) for a in "xyz"]
        rows = np.column_stack([with_plates.trial.time_s, wrench.f_g, wrench.m_g, wrench.p_g])
        text = "\n".join(",".join("" if np.isnan(v) else f"{v:.17g}" for v in row) for row in rows)
        loads.append((f"{side}_foot", tmp_path / f"{side}.csv"))
        loads[-1][1].write_text(f"{','.join(['time_s', *names])}\n{text}\n", encoding="utf-8")
    options = RunOptions(model="pig", loads=tuple(loads), settings={"force_cutoff_hz": "none"})
    with_files = analyse_file(without_plates(path, tmp_path / "bare.c3d"), prepare(options))
    assert not with_files.trial.plates
    for side, leg in with_plates.sides.items():
        for joint, wrench in leg.wrenches.items():
            found = with_files.sides[side].wrenches[joint]
            known = np.isfinite(wrench.m_g).all(axis=1)
            both = known & np.isfinite(found.m_g).all(axis=1)
            # a frame beside one of an unknown load has no neighbours to be read among
            assert both.sum() > 100 and known.sum() - both.sum() <= 4
            assert not (np.isfinite(found.m_g).all(axis=1) & ~known).any()
            # N and N·m, of up to 900 and 120: rounding
            np.testing.assert_allclose(found.f_g[both], wrench.f_g[both], rtol=0, atol=1e-10, err_msg=f"{side} {joint}")
            np.testing.assert_allclose(found.m_g[both], wrench.m_g[both], rtol=0, atol=1e-10, err_msg=f"{side} {joint}")


# --- records, refusals ---------------------------------------------------------------------------------------------


def test_the_record_names_every_load_and_can_be_done_again(folder: Path, tmp_path: Path) -> None:
    given = loads_in(folder)
    words = [word for segment, file in given for word in ("--load", f"{segment}={file}")]
    trial = folder / "loaded.csv"
    command = ("gaitid", "run", str(trial), "--model", str(folder / "loaded.model.yaml"), *words)
    result, _ = run_file(trial, tmp_path, prepare(options(folder, loads=given, command=command)))
    record = json.loads((tmp_path / "loaded.run.json").read_text(encoding="utf-8"))
    assert [entry["path"] for entry in record["inputs"] if entry["role"] == "load"] == [str(file) for _, file in given]
    assert [load["segment"] for load in record["loads"]] == ["right_hand", "right_hand", "right_mast", "right_cart"]
    assert record["loads"][0]["frames_known"] == result.trial.n_frames
    again = read_recorded(record, tmp_path / "loaded.run.json").analysed()
    ours, theirs = (r.sides["right"].wrenches["rail"].f_g for r in (result, again))
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("suffix", ["c3d", "csv"])
def test_a_trial_that_says_it_was_loaded_is_refused_without_each_load(folder: Path, suffix: str) -> None:
    trial = folder / f"loaded.{suffix}"
    hand_only = tuple(load for load in loads_in(folder) if load[0] == "hand")
    for loads, words in (((), "--load hand=.*--load hand=.*2.csv"), (hand_only[:1], "hand"), (hand_only, "mast")):
        with pytest.raises(GaitidError, match=f"recorded under loads that it does not hold.*{words}"):
            analyse_file(trial, prepare(options(folder, loads=loads)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("time_s,force_global_x_N\n0,1\n0.1,1\n", "force_global lacks y, z"),
        ("force_global_x_N\n0\n1\n", "a column time_s"),
        ("time_s\n0\n0.005\n", "no load"),
        ("time_s,Fx\n0,1\n0.005,1\n", "'Fx' is not known; expected time_s, force_global_x_N"),
        ("time_s,force_global_x_N,force_global_y_N,force_global_z_N\n0,1,1,1\n0.005,1,1,1\n", "where it acts"),
        ("time_s,moment_segment_x_Nm,moment_segment_y_Nm,moment_segment_z_Nm\n0,1,1,1\n0.1,1,1,1\n", "more slowly"),
        ("time_s,moment_segment_x_Nm,moment_segment_y_Nm,moment_segment_z_Nm\n9,1,1,1\n9.001,1,1,1\n", "same clock"),
    ],
)
def test_a_file_that_does_not_say_its_load_is_refused(folder: Path, tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(GaitidError, match=words) as refused:
        analyse_file(folder / "alone" / "loaded.csv", prepare(options(folder, loads=(("hand", path),))))
    assert "bad.csv" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_unknown_samples_leave_the_joints_beyond_empty(folder: Path, tmp_path: Path) -> None:
    names = ["time_s", *(f"{w}_global_{a}_{u}" for w, u in (("force", "N"), ("point", "m")) for a in "xyz")]
    time_s = np.arange(60, 121) / 200
    rows = "\n".join(
        ",".join([f"{t:.10g}", "1", "0", "" if i == 30 else "0", "0", "0", "1"]) for i, t in enumerate(time_s)
    )
    (tmp_path / "part.csv").write_text(f"{','.join(names)}\n{rows}\n", encoding="utf-8")
    given = options(folder, loads=(("hand", tmp_path / "part.csv"),))
    result = analyse_file(folder / "alone" / "loaded.csv", prepare(given))
    leg = result.sides["right"]
    known = np.isfinite(leg.wrenches["rail"].f_g).all(axis=1)
    assert not known[:60].any()
    assert not known[121:].any()
    assert not known[89:92].any()
    assert known[62:88].all()
    assert np.isfinite(leg.wrenches["root"].f_g).all(axis=1)[10:150].all()  # nothing is unknown on that branch
    assert leg.coverage["rail"]["load unknown"] > 90
    assert {"load_assumed", "forces_partial"} <= {note.code for note in result.notes}


def test_words_for_a_segment(folder: Path) -> None:
    file = folder / "loaded.load.cart.csv"
    with pytest.raises(GaitidError, match="--load foot: no such segment in the model loaded; expected right_mast or"):
        analyse_file(folder / "alone" / "loaded.csv", prepare(options(folder, loads=(("foot", file),))))
    walk = bundled_folder("sample_data") / "walk" / "walk.c3d"
    with pytest.raises(GaitidError, match="--load shank: .*expected left_foot or left_shank"):
        analyse_file(walk, prepare(RunOptions(model="pig", loads=(("shank", file),))))


@pytest.mark.parametrize("name", ["whole_body", "joints", "floating", "carried"])
def test_run_takes_every_model_that_simulate_writes(name: str, tmp_path: Path) -> None:
    """Joints in one place, bodies without mass or length, fixed and free ones, a base that moves, loads on branches."""
    files = simulate(SCENARIO.parent / f"{name}.yaml", tmp_path, duration=0.5)
    loads = tuple((file.name.split(".")[2], file) for file in files if ".load." in file.name)
    assert loads
    given = RunOptions(
        model=str(tmp_path / f"{name}.model.yaml"), settings={"cutoff_hz": "none"}, loads=loads, write=("segments",)
    )
    run_file(tmp_path / f"{name}.csv", tmp_path / "r", prepare(given))
    record = json.loads((tmp_path / "r" / f"{name}.run.json").read_text("utf-8"))
    assert not [note for note in record["warnings"] if note["severity"] != "info"]  # joints that slide are no fault
    for kind, limit in (("wrenches", 5e-4), ("segments", 5e-3), ("joints", 1e-4)):
        # N, N·m, m, rad/s, …, deg: the spline's error of motions below 4 Hz at 200 Hz; angles of a gimbal near its end
        found, truth = (
            columns(folder / f"{name}{kind}.csv")
            for folder, kind in ((tmp_path / "r", f".{kind}"), (tmp_path, f".truth.{kind}"))
        )
        for column in truth:
            np.testing.assert_allclose(
                found[column][25:-25], truth[column][25:-25], rtol=0, atol=limit, err_msg=f"{kind} {column}"
            )


def test_a_load_of_a_few_frames_is_what_empties_the_joints(tmp_path: Path) -> None:
    """Not markers that are missing."""
    names = ["time_s", *(f"{w}_global_{a}_{u}" for w, u in (("force", "N"), ("point", "m")) for a in "xyz")]
    rows = "\n".join(f"{0.5 + i / 100:g},0,0,1,0,0,0.3" for i in range(6))
    (tmp_path / "cuff.csv").write_text(f"{','.join(names)}\n{rows}\n", encoding="utf-8")
    walk = bundled_folder("sample_data") / "walk" / "walk.c3d"
    options = RunOptions(model="pig", loads=(("left_shank", tmp_path / "cuff.csv"),))
    result = analyse_file(walk, prepare(options))
    first = 50 + result.trial.first_frame
    said = f"the load in cuff.csv is known in frames {first}-{first + 5} only"
    (note,) = (note for note in result.notes if note.code == "wrenches_partial")
    assert said in note.text and "a force of 0 where nothing touches the body" in note.cure
    reasons = " ".join(reason.words for reason in result.verdict.reasons)
    assert f"known in 0% of it, because {said}" in reasons
    assert "markers are missing" not in reasons
