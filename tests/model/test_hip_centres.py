"""Each regression for the hip's centre against a worked example, and the traps that other programs fell into.

The example: 240 mm between the ASIS, a pelvis 200 mm deep, legs of 900 mm, markers of 14 mm. Its numbers were computed
apart from this project, from each paper's formula, and are given to the hundredth of a millimetre.
"""

from __future__ import annotations

import numpy as np
import pytest

from gaitid.model import specs
from gaitid.model.load import load_model

WORKED = {
    "pelvis_width": 0.240,
    "inter_asis_distance": 0.240,
    "pelvis_depth": 0.200,
    "leg_length": 0.900,
    "left.leg_length": 0.900,
    "right.leg_length": 0.900,
    "marker_diameter": 0.014,
    "asis_trocanter_distance": 0.1288 * 0.900 - 0.04856,
    "asis_setback": 0.0,
    "sex": 1.0,  # female
}
# mm: forward, away from the midline, up
EXPECTED = {
    "davis": (-46.75, 78.05, -96.77),
    "bell": (-45.60, 86.40, -72.00),
    "helen_hayes": (-52.80, 76.80, -81.60),
    "harrington": (-57.90, 102.30, -81.50),
    "harrington_width": (-43.52, 86.50, -84.10),
    "harrington_leg": (-43.20, 84.06, -82.60),
    "hara": (-45.70, 85.40, -79.20),
    "dumas": (-33.36, 89.28, -80.64),
}
MALE = {"dumas": (-22.80, 86.64, -88.80)}
PLUG_IN_GAIT = (-46.82, 77.71, -96.59)
MODELS = ("pig", "pig_vicon", "landmarks", "cast", "ior", "helen_hayes", "lateral")


def hip_mm(model: specs.Model, **others: float) -> list[float]:
    known = WORKED | others

    def number(name: str) -> float:
        if name in known:
            return known[name]
        return float(model.each_side.numbers[name].evaluate(number, lambda a, b: np.nan))

    return [1e3 * number(name) for name in ("hip_forward", "hip_outward", "hip_up")]


@pytest.mark.parametrize("option", sorted(EXPECTED))
@pytest.mark.parametrize("name", MODELS)
def test_the_worked_example(name: str, option: str) -> None:
    expected = PLUG_IN_GAIT if name.startswith("pig") and option == "davis" else EXPECTED[option]
    assert hip_mm(load_model(name, {"hip_centre": option})) == pytest.approx(expected, abs=0.005)


def test_the_regression_that_asks_for_the_sex() -> None:
    model = load_model("landmarks", {"hip_centre": "dumas"})
    assert hip_mm(model, sex=0.0) == pytest.approx(MALE["dumas"], abs=0.005)
    assert np.isnan(hip_mm(model, sex=np.nan)).all()


@pytest.mark.parametrize("name", ["pig", "landmarks", "ior"])
@pytest.mark.parametrize("option", ["davis", "hara", "bell"])
def test_the_skin_below_the_markers_is_half_a_marker_and_a_base_plate_farther_back(name: str, option: str) -> None:
    """9 mm with a marker of 14 mm and a base of 2 mm; nothing for Davis, whose depth is the marker's already."""
    models = [load_model(name, {"hip_centre": option, "asis_landmark": which}) for which in ("marker_centre", "skin")]
    back = []
    for model in models:
        setback = model.middle.numbers["asis_setback"]
        known = {"marker_diameter": 0.014, "marker_base": 0.002}
        asis_setback = float(setback.evaluate(known.__getitem__, lambda a, b: np.nan))
        back.append(hip_mm(model, asis_setback=asis_setback)[0] - 1e3 * asis_setback)
    assert back[0] - back[1] == pytest.approx(0.0 if option == "davis" else 9.0)


def test_davis_counts_the_marker_radius() -> None:
    """The depth of the ASIS marker's centre over the trochanter: a larger marker puts the hip farther back and down."""
    model = load_model("pig")
    more = np.subtract(hip_mm(model, marker_diameter=0.024), hip_mm(model))
    assert more == pytest.approx([-5 * np.cos(0.314), 0, -5 * np.sin(0.314)])
