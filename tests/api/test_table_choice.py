"""A table that is chosen: of the subject's sex, off the axis, and the same result for a walk and its mirror image."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gaitid

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "walk.c3d"
OTHER = {"left": "right", "right": "left"}
MIRROR = np.array([1.0, -1.0, 1.0])


def analysed(table: str, sex: str | None = "female") -> gaitid.Analysis:
    subject: dict[str, Any] = {} if sex is None else {"sex": sex}
    return gaitid.analyse(WALK, model="pig", subject=subject, settings={"table": table})


def test_the_table_of_the_subjects_sex() -> None:
    for sex in ("female", "male"):
        record = analysed("de_leva", sex).record
        assert record["model"]["table"]["name"] == f"de_leva_{sex}"
        assert record["model"]["choices"]["table"]["option"] == record["settings"]["table"] == "de_leva"
        roles = [
            Path(entry["path"].removesuffix(" (bundled)")).stem
            for entry in record["inputs"]
            if entry["role"] == "table"
        ]
        assert roles == ["de_leva", "de_leva_female", "de_leva_male"]
    female, asked = (analysed(table, "female").record["segments"] for table in ("de_leva", "de_leva_female"))
    assert female == asked
    with pytest.raises(gaitid.GaitidError, match="measurements of the subject are missing: sex"):
        analysed("de_leva", None)


def test_masses_are_those_of_the_table() -> None:
    record = analysed("de_leva", "male").record
    mass = record["subject"]["mass"]["value"]
    shares = {"thigh": 0.1416, "shank": 0.0433, "foot": 0.0137}
    for side in ("left", "right"):
        for segment, share in shares.items():
            assert record["segments"][f"{side}_{segment}"]["mass_kg"] == pytest.approx(share * mass)


def test_left_and_right_are_mirrored_in_the_segments_axes() -> None:
    """x and z of a segment's frame are mirrored into themselves, y into its opposite; both legs are as long."""
    segments = analysed("dumas_2018").record["segments"]
    S = np.diag(MIRROR)
    for segment in ("thigh", "shank", "foot"):
        left, right = (segments[f"{side}_{segment}"] for side in ("left", "right"))
        scale = (left["length_m"] / right["length_m"]) ** 2
        assert np.array(left["inertia_kg_m2"]) == pytest.approx(scale * S @ right["inertia_kg_m2"] @ S, abs=1e-12)
        # where the joint's centre and the centre of mass are measured in the same frames
        assert np.array(left["com_m"]) == pytest.approx(MIRROR * right["com_m"], abs=2e-3)
        assert abs(left["inertia_kg_m2"][1][2]) > 1e-5  # there is a product to mirror


@pytest.mark.parametrize("table", ["dumas_2018", "dumas_2007"])
def test_a_walk_and_its_mirror_image_have_mirrored_moments(table: str) -> None:
    """Physics knows no left: seen in a mirror, what was the left hip's moment is the right one's."""
    trial = gaitid.read_trial(WALK)

    def other(name: str) -> str:
        return {"L": "R", "R": "L"}.get(name[0], name[0]) + name[1:]

    markers = {other(label): trial.marker(label) * MIRROR for label in trial.labels}
    parameters = {
        (other(name) if other(name) in trial.parameters else name): value for name, value in trial.parameters.items()
    }
    # x of a mirrored plate is turned, so that its axes are right-handed again; a moment is a pseudovector
    plates = [
        replace(
            plate,
            corners_g=plate.corners_g[[1, 0, 3, 2]] * MIRROR,
            sensor_p=plate.sensor_p * [-1, 1, 1],
            force_p=plate.force_p * [-1, 1, 1],
            moment_p=plate.moment_p * [1, -1, -1],
        )
        for plate in trial.plates
    ]
    given = {"rate_hz": trial.rate_hz, "vertical": "z"}
    analyses = [
        gaitid.analyse(
            gaitid.trial_from_arrays(m, plates=p, parameters=q, **given),
            model="pig",
            subject={"sex": "female"},
            settings={"table": table, "cutoff_hz": "none"},
        )
        for m, p, q in (
            ({label: trial.marker(label) for label in trial.labels}, trial.plates, trial.parameters),
            (markers, plates, parameters),
        )
    ]
    filled = 0
    for column in analyses[0].moments.columns:
        side, _, rest = column.partition("_")
        if side not in ("left", "right"):
            continue
        here, there = (a.moments[name].to_numpy() for a, name in zip(analyses, (column, f"{OTHER[side]}_{rest}")))
        np.testing.assert_allclose(there, here, atol=1e-9, err_msg=column)  # N·m/kg
        filled += int(np.isfinite(here).sum())
    assert filled > 1000


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "shank: {mass_kg: 3, com_fraction: 0.433, inertia_kg_m2: [50, 50, 10]}",
            "segments.shank.inertia_kg_m2: no body of 3 kg on this segment has it",
        ),
        (
            "shank: {mass_kg: 3000, com_fraction: 0.433, inertia_kg_m2: [0.05, 0.05, 0.01]}",
            "the segments weigh more than the whole body .*; expected .* kg or less together",
        ),
        (
            "shank: {mass_fraction: 0.9, com_fraction: 0.433, gyration_fractions: [0.3, 0.3, 0.1]}",
            "the segments of the model weigh 2.03 of the body",
        ),
        (
            "left.shnak: {mass_kg: 2, com_fraction: 0.5, inertia_kg_m2: [0.02, 0.02, 0.002]}",
            "mine: segments.left.shnak: no segment of the model has this row .did you mean 'shank'",
        ),
        (
            "lefft.shank: {mass_kg: 2, com_fraction: 0.5, inertia_kg_m2: [0.02, 0.02, 0.002]}",
            "mine: segments.lefft.shank: expected left or right before the point",
        ),
        (
            "left.shank: {mass_kg: 2, span: knee_to_ankle, com_m: [0, -0.15, 0], inertia_kg_m2: [0.02, 0.002, 0.02]}",
            "mine measures left.shank along the span knee_to_ankle, its centre in space and shank along",
        ),
        (
            "shank: {mass_kg: 0, com_fraction: 0.433, inertia_kg_m2: [0.05, 0.05, 0.01]}",
            "segments.shank.mass_kg: 0, with an inertia that is not",
        ),
    ],
)
def test_what_this_body_cannot_weigh_is_refused(tmp_path: Path, row: str, message: str) -> None:
    file = tmp_path / "mine.yaml"
    head = "gaitid_table: 1\nname: mine\nsource: us\nextends: winter\ngyration_about: centre_of_mass\nsegments:\n"
    file.write_text(f"{head}  {row}\n", encoding="utf-8")
    with pytest.raises(gaitid.GaitidError, match=message):
        analysed(str(file), None)


def test_a_centre_of_mass_far_from_its_segment_is_refused(tmp_path: Path) -> None:
    """15 cm given as 1.5 m: more than twice the length of the shank from the knee."""
    file = tmp_path / "mine.yaml"
    row = "left.shank: {span: knee_to_ankle, mass_kg: 2, com_m: [0, -1.5, 0], inertia_kg_m2: [0.02, 0.002, 0.02]}"
    file.write_text(
        f"gaitid_table: 1\nname: mine\nsource: us\nextends: dumas_2018_male\nsegments:\n  {row}\n", encoding="utf-8"
    )
    with pytest.raises(gaitid.GaitidError, match="segments.left.shank.com_m: not on the segment; expected 0.8"):
        analysed(str(file), None)
