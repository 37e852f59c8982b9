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
