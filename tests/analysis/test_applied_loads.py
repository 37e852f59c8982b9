"""Measured loads on bodies (`--load`): what they change is what their files say, on any segment of any tree."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import gaitid
from gaitid.errors import GaitidError
from gaitid.run import RunOptions, analyse_file, prepare, run_file
from gaitid.simulate.files import simulate

Array = NDArray[np.float64]
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


# --- records, refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["c3d", "csv"])
def test_a_trial_that_says_it_was_loaded_is_refused_without_each_load(folder: Path, suffix: str) -> None:
    trial = folder / f"loaded.{suffix}"
    hand_only = tuple(load for load in loads_in(folder) if load[0] == "hand")
    for loads, words in (((), "--load hand=.*--load hand=.*2.csv"), (hand_only[:1], "hand"), (hand_only, "mast")):
        with pytest.raises(GaitidError, match=f"recorded under loads that it does not hold.*{words}"):
            analyse_file(trial, prepare(options(folder, loads=loads)))


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
