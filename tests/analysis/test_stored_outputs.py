"""Outputs that a C3D stores: which set of labels, and their names, signs and units."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gaitid.analysis.stored_outputs import choose_set, sets_of, stored_columns
from gaitid.errors import GaitidError
from gaitid.trial import Trial


def trial(*labels: str) -> Trial:
    stored = {label: np.full((4, 3), float(i + 1)) for i, label in enumerate(labels)}
    return Trial(Path("walk.c3d"), 100.0, 1, (), np.zeros((4, 0, 3)), stored=stored)


def test_nexus_and_cgm2_suffixes_are_sets_of_their_own() -> None:
    sets = sets_of(trial("LHipAngles", "LHipAnglesV", "LHipAngles_CGM2.4", "RKneeMoment_CGM2.4", "LElbowAngles"))
    assert {name: sorted(values) for name, values in sets.items()} == {
        "": ["LHipAngles"],
        "V": ["LHipAngles"],
        "_CGM2.4": ["LHipAngles", "RKneeMoment"],
    }


def test_of_several_other_sets_one_is_asked_for() -> None:
    two = trial("LHipAngles_CGM2.3", "LHipAngles_CGM2.4", "LHipAngles_gaitid")
    with pytest.raises(GaitidError, match=r"several sets of outputs; found '_CGM2.3', '_CGM2.4', '_gaitid'"):
        choose_set(two, None)
    assert choose_set(two, "_CGM2.4")[0] == "_CGM2.4"
    with pytest.raises(GaitidError, match="no outputs whose labels end with '_CGM'"):
        choose_set(two, "_CGM")
    assert choose_set(trial("LHipAngles_CGM2.3", "LHipAngles_gaitid"), None)[0] == "_CGM2.3"
    with pytest.raises(GaitidError, match="it stores no outputs of a model"):
        choose_set(trial("LASI", "LHipAnglesX"[:4]), None)


def test_names_signs_and_units() -> None:
    one = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    columns = stored_columns(
        {
            "LKneeAngles": one,
            "RAnkleMoment": 1e3 * one,
            "RAnklePower": np.array([[0.0, 0.0, 4.0], [0.0, 0.0, 0.0]]),
            "RAnkleForce": one,
            "LFootProgressAngles": one,
            "RGroundReactionForce": one,
        },
        50.0,
    )
    first = {name: float(values[0]) for name, values in columns.items()}
    assert first == {
        "left_knee_flexion_deg": 1.0,
        "left_knee_adduction_deg": 2.0,
        "left_knee_internal_rotation_deg": 3.0,
        "left_foot_progression_internal_rotation_deg": 3.0,
        "right_ankle_plantarflexion_moment_Nm_per_kg": 1.0,
        "right_ankle_eversion_moment_Nm_per_kg": 2.0,
        "right_ankle_external_rotation_moment_Nm_per_kg": 3.0,
        "right_ankle_power_W_per_kg": 4.0,
        "right_ankle_force_distal_x_N": -50.0,
        "right_ankle_force_distal_y_N": 100.0,
        "right_ankle_force_distal_z_N": -150.0,
        "right_ground_force_x_N": 50.0,
        "right_ground_force_y_N": 100.0,
        "right_ground_force_z_N": 150.0,
    }
    blank = {name for name, values in columns.items() if np.isnan(values[1])}
    assert blank == {name for name in first if "ground" not in name}  # three zeros are how it leaves a frame blank
