"""The same trial as C3D, plain CSV and Nexus CSV gives the same wrenches to the files' rounding."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.body.subject_file import read_subject
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.simulate.files import simulate

sys.path.insert(0, str(Path(__file__).parents[1] / "read"))
from nexus_layout import to_nexus_csv
from plain_layout import plates_yaml, write_plain

MARKERS = {"SACR", *(s + m for s in "LR" for m in ("ASI", "PSI", "THI", "KNE", "TIB", "ANK", "HEE", "TOE"))}
PLATE_AXES = "axes: plate\nmoment_about: origin\n"
SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "trials"


def wrenches(result: Result) -> dict[str, np.ndarray]:
    return {
        f"{side} {joint} {kind}": values
        for side, leg in result.sides.items()
        for joint, wrench in leg.wrenches.items()
        for kind, values in (("force", wrench.f_g), ("moment", wrench.m_g))
    }


def assert_same(a: Result, b: Result, force: float, moment: float) -> None:
    """Same cells filled, and wrenches within `force` N and `moment` N·m."""
    theirs = wrenches(b)
    for name, values in wrenches(a).items():
        np.testing.assert_array_equal(np.isnan(values), np.isnan(theirs[name]), err_msg=name)
        limit = force if name.endswith("force") else moment
        np.testing.assert_allclose(values, theirs[name], atol=limit, rtol=0, err_msg=name)
        assert np.isfinite(values).any()


def test_the_simulated_walk_as_c3d_and_plain_csv(tmp_path: Path) -> None:
    simulate("walk", tmp_path, duration=3.0)
    model = load_model("pig")
    subject = read_subject(tmp_path / "walk.subject.yaml", model)
    c3d = analyse(read_trial(tmp_path / "walk.c3d"), model, subject)
    csv = analyse(
        read_trial(tmp_path / "walk.csv", forces=tmp_path / "walk.forces.csv", plates=tmp_path / "walk.plates.yaml"),
        model,
        subject,
    )
    # A C3D holds 32-bit floats of millimetres: 6e-5 mm at 1 m; times 4 × 1e4 s⁻² of a second difference at 100 Hz
    # and 7 kg that is 0.02 N, on levers of half a metre 0.01 N·m; ten times that for the worst of 1e4 cells.
    # The CSV has no events, so fewer frames are surely in the air: compare where both are filled.
    theirs = wrenches(csv)
    for name, values in wrenches(c3d).items():
        both = np.isfinite(values) & np.isfinite(theirs[name])
        assert both.mean() > 0.3
        limit = 0.2 if name.endswith("force") else 0.1
        np.testing.assert_allclose(values[both], theirs[name][both], atol=limit, rtol=0, err_msg=name)


@pytest.mark.parametrize("file", ["children/HC030A/walk.c3d", "sydney/walk03.c3d"])
@pytest.mark.parametrize("model_name", ["pig", "pig_vicon"])
def test_a_real_trial_as_c3d_plain_and_nexus_csv(tmp_path: Path, file: str, model_name: str) -> None:
    if not (SHARED / file).is_file():
        pytest.skip("the shared trials are not beside this checkout")
    trial = read_trial(SHARED / file)
    model = load_model(model_name)
    keep = [i for i, label in enumerate(trial.labels) if label in MARKERS]
    # Neither layout carries events or subject parameters: events are left out of all three, and the parameters are
    # those of the C3D. Sidelined markers are left out only to keep the files small.
    bare = replace(trial, events=(), labels=tuple(trial.labels[i] for i in keep), points_g=trial.points_g[:, keep])
    c3d = analyse(bare, model, SubjectFile())
    files = write_plain(bare, tmp_path)
    plain = read_trial(files.trial, forces=files.forces, plates=files.plates)
    (tmp_path / "nexus.csv").write_text(to_nexus_csv(bare))
    (tmp_path / "plates.yaml").write_text(plates_yaml(bare.plates, extra=PLATE_AXES))
    nexus = read_trial(tmp_path / "nexus.csv", plates=tmp_path / "plates.yaml")
    for read in (plain, nexus):
        assert read.first_frame == trial.first_frame
        csv = analyse(replace(read, parameters=trial.parameters), model, SubjectFile())
        # ten digits of millimetres: 1e-7 mm; × 4e4 s⁻² × 7 kg is 3e-5 N, and on levers of half a metre as much N·m
        assert_same(c3d, csv, 1e-3, 1e-3)


def test_poses_through_a_c3d_keep_its_floats_rounding(tmp_path: Path) -> None:
    """Joint centres to 1e-3 mm and rotations to 1e-5 rad: a C3D holds 32-bit floats of millimetres."""
    from gaitid.simulate.settings import WalkSettings
    from gaitid.simulate.walk_setup import simulate_walk

    simulate("walk", tmp_path, duration=3.0)
    result = analyse(read_trial(tmp_path / "walk.c3d"), load_model("pig", {"cutoff_hz": "none"}), SubjectFile())
    walk = simulate_walk(WalkSettings(duration=3.0))
    truth = walk.at(walk.settings.times_s)
    for side, leg in result.sides.items():
        for joint, centre in leg.joints_g.items():
            np.testing.assert_allclose(centre, truth.joint_g[f"{side}_{joint}"], atol=1e-6, rtol=0)
        for segment, motion in leg.motions.items():
            np.testing.assert_allclose(motion.R_gs, truth.rotation[f"{side}_{segment}"], atol=1e-5, rtol=0)
