"""What a model file may say; every refusal names the key's path, and all faults come at once."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gaitid.errors import ModelError
from gaitid.model import specs
from gaitid.model.load import bundled_folder, load_model, merged_content
from gaitid.model.schema import parse_model

PIG = merged_content(bundled_folder("configs") / "pig.yaml").content
TABLE = load_model("pig").table
Edit = Callable[[dict[str, Any]], object]


def parsed(*edits: Edit) -> specs.Model:
    content = copy.deepcopy(PIG)
    for edit in edits:
        edit(content)
    return parse_model(content, TABLE, (Path("mine.yaml"),), "mine.yaml")


def refusal(*edits: Edit) -> str:
    with pytest.raises(ModelError) as caught:
        parsed(*edits)
    line = caught.value.line()
    assert line.startswith("mine.yaml: ")
    assert "\n" not in line
    return line


def put(path: str, value: object) -> Edit:
    """Set what lies at a path such as ``chain.0.joint``; `DELETE` takes it away."""

    def edit(content: dict[str, Any]) -> None:
        *above, last = path.split(".")
        place: Any = content
        for key in above:
            place = place[int(key)] if isinstance(place, list) else place[key]
        if value is DELETE:
            del place[int(last) if isinstance(place, list) else last]
        else:
            place[int(last) if isinstance(place, list) else last] = value

    return edit


DELETE = object()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("moment", {}, "moment: unknown key (did you mean 'moments'?)"),
        ("settings.cutof_hz", 6, "settings.cutof_hz: unknown key (did you mean 'cutoff_hz'?)"),
        # which has fewer of these letters than force_cutoff_hz, but no part that says something else
        ("settings.marker_cutof_hz", 6, "settings.marker_cutof_hz: unknown key (did you mean 'cutoff_hz'?)"),
        ("settings.marker_cutoff", 6, "settings.marker_cutoff: unknown key (did you mean 'cutoff_hz'?)"),
        ("settings.forc_cutoff_hz", 6, "settings.forc_cutoff_hz: unknown key (did you mean 'force_cutoff_hz'?)"),
        ("chain.1.centr", "knee", "chain[1].centr: unknown key (did you mean 'centre'?)"),
        ("each_side.point", {}, "each_side.point: unknown key (did you mean 'points'?)"),
        (
            "each_side.points.knee.chord.radus",
            1,
            "each_side.points.knee.chord.radus: unknown key (did you mean 'radius'?)",
        ),
        ("subject.mass.rang", [0, 1], "subject.mass.rang: unknown key (did you mean 'range'?)"),
        ("sides.middle", {}, "sides.middle: unknown key (known: left, right)"),
        ("base.extra", 1, "base.extra: unknown key (known: frame, origin, segment)"),
    ],
)
def test_an_unknown_key_is_named_with_its_path_and_the_nearest_known_one_or_all(
    path: str, value: object, message: str
) -> None:
    assert message in refusal(put(path, value))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("name", DELETE, "name: missing"),
        ("chain", DELETE, "chain: missing"),
        ("chain", "foot", "chain: expected a list"),
        ("chain", [], "chain: expected a list"),
        ("chain.0.joint", DELETE, "chain[0].joint: missing"),
        ("chain.0.joint", 7, "chain[0].joint: expected text, found 7"),
        ("chain.0.ground", "yes", "chain[0].ground: expected true or false, found 'yes'"),
        ("chain.0.length", DELETE, "chain[0].length: missing"),
        ("chain.0.length", [1], "chain[0].length: not a formula"),
        ("chain.0.length", "sinh(1)", "chain[0].length: no function 'sinh'"),
        ("sides.left.sign", 2, "sides.left.sign: expected"),
        ("sides.left.sign", 0, "sides.left.sign: expected 1 or -1"),
        ("sides.right", DELETE, "sides.right: missing"),
        ("base", DELETE, "base: missing"),
        ("ground_contact.heel", DELETE, "ground_contact.heel: missing"),
        (
            "progression.axes",
            "laboratry",
            "progression.axes: expected displacement or laboratory, found 'laboratry' (did you mean 'laboratory'?)",
        ),
        ("settings", "fast", "settings: expected keys and values"),
        ("settings.end_frames", 1, "settings.end_frames: expected a number from 2"),
        ("settings.gravity_m_per_s2", float("nan"), "settings.gravity_m_per_s2: expected a number"),
        ("settings.gravity_m_per_s2", True, "settings.gravity_m_per_s2: expected a number"),
        ("settings.cutoff_hz", -6, "settings.cutoff_hz: expected a number"),
        (
            "settings.angular_velocity",
            "euler",
            "settings.angular_velocity: expected quaternion_spline or single_entries",
        ),
        ("settings.contact_edge_N", 21, "settings.contact_edge_N: must not be above contact_threshold_N"),
        ("subject.mass.range", [400, 1], "subject.mass.range: expected [low, high]"),
        ("subject.mass.range", "any", "subject.mass.range: expected [low, high], found 'any'"),
        ("subject.mass.unit", "lb", "subject.mass.unit: expected kg or mm"),
        ("subject.mass.key", "mass", "subject.mass.key: must end in its unit, _kg"),
        (
            "each_side.points.kad_centre.corner.of",
            ["kad_axis", "kad_1"],
            "each_side.points.kad_centre.corner.of: expected three points",
        ),
        ("each_side.points.kad_centre.corner.times", "2 +", "kad_centre.corner.times: not a formula"),
        ("each_side.points.kad_centre.corner.tips", [], "kad_centre.corner.tips: unknown key"),
        ("each_side.calibration_markers", "KAX", "each_side.calibration_markers: expected keys and values"),
        (
            "each_side.calibration_markers.kad_axis",
            5,
            "each_side.calibration_markers.kad_axis: expected a label or a list of labels, found 5",
        ),
        (
            "each_side.calibration_markers.heel",
            "{S}HEE",
            "each_side.calibration_markers.heel: the name is given twice, in markers too",
        ),
        (
            "each_side.points.heel",
            {"mean": ["toe"]},
            "each_side.points.heel: the name is that of a marker, which the point would hide",
        ),
        (
            "each_side.points.kad_axis",
            {"mean": ["toe"]},
            "each_side.points.kad_axis: the name is that of a marker, which the point would hide",
        ),
        (
            "each_side.numbers.knee_width",
            "0.1",
            "each_side.numbers.knee_width: the name is that of a measurement, which the number would hide",
        ),
        ("subject_each_side.thigh_rotation.static.to", DELETE, "subject_each_side.thigh_rotation.static.to: missing"),
        (
            "subject_each_side.thigh_rotation.static.about",
            "thigh",
            "subject_each_side.thigh_rotation.static.about: expected an axis of a frame",
        ),
        ("subject_each_side.thigh_rotation.static.value", DELETE, "thigh_rotation.static.value: missing"),
        ("subject_each_side.thigh_rotation.static.sequence", "yxz", "thigh_rotation.static.sequence: unknown key"),
        ("ground_contact.instead_of_heel", 5, "ground_contact.instead_of_heel: expected text, found 5"),
        ("each_side.numbers.foot_length", "first(1)", "each_side.numbers.foot_length: first takes two values or more"),
        ("each_side.numbers.foot_length", "steady(1)", "each_side.numbers.foot_length: steady takes 2 value(s)"),
        ("subject.inter_asis_distance.trial", "mean(", "subject.inter_asis_distance.trial: not a formula"),
        ("subject.inter_asis_distance.trial", "leg_legth", "subject.inter_asis_distance.trial: no number 'leg_legth'"),
        ("subject.mass.trial_source", "weighed", "subject.mass.trial_source: only with trial"),
        ("subject.inter_asis_distance.trial_source", 5, "trial_source: expected text, found 5"),
        ("subject.marker_diameter.because", DELETE, "subject.marker_diameter.because: missing (why"),
        ("subject_each_side.static_plantar_flexion.static.sequence", "yxy", "static.sequence: expected xyz or"),
        ("each_side.markers.toe", 5, "each_side.markers.toe: expected a label or a list of labels, found 5"),
        ("each_side.markers.toe", [], "each_side.markers.toe: expected a label"),
        ("each_side.points.knee", 5, "each_side.points.knee: expected keys and values, found 5"),
        ("each_side.points.knee", {"middle_of": []}, "each_side.points.knee: expected one of mean, first_of, in_frame"),
        ("each_side.points.hip.offset", ["0", "0"], "each_side.points.hip.offset: expected three formulas"),
        ("each_side.points.hip.offset.1", "2 +", "each_side.points.hip.offset[1]: not a formula"),
        ("each_side.points.ankle.turn.axis", "shank", "each_side.points.ankle.turn.axis: expected an axis of a frame"),
        ("each_side.points.ankle.turn.axis.cross", ["shank.x"], "turn.axis.cross: expected two vectors"),
        ("chain.1.com.between", ["knee"], "chain[1].com.between: expected two points"),
        ("each_side.frames.thigh.keep", {"q": ["a", "b"]}, "each_side.frames.thigh.keep: expected one of x, y, z"),
        (
            "each_side.frames.thigh.keep",
            {"z": ["hip", "hip"]},
            "thigh.keep.z: expected two different points, found hip",
        ),
        (
            "each_side.frames.thigh.toward",
            {"z": ["knee", "hip"]},
            "each_side.frames.thigh: keep and toward name the same axis z",
        ),
        (
            "each_side.frames.foot.by",
            [{"y": 1, "x": 2}],
            "each_side.frames.foot.by[0]: expected one axis and its angle",
        ),
        ("angles.hip", "yes", "angles.hip: expected keys and values"),
        ("angles.hip.sequence", "yx", "angles.hip.sequence: expected xyz"),
        ("angles.hip.flexion", "a +", "angles.hip.flexion: not a formula"),
    ],
)
def test_what_does_not_fit_is_named_with_its_path(path: str, value: object, message: str) -> None:
    assert message in refusal(put(path, value))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            "each_side.points.knee.chord.wand",
            "thigh_wnd",
            "each_side.points.knee: no point 'thigh_wnd' in the model (did you mean 'thigh_wand'?)",
        ),
        (
            "each_side.points.hip.in_frame",
            "pelvs",
            "each_side.points.hip: no frame 'pelvs' in the model (did you mean 'pelvis'?)",
        ),
        (
            "each_side.numbers.hip_depth",
            "trochanter / 2",
            "each_side.numbers.hip_depth: no number 'trochanter' in the model",
        ),
        ("each_side.frames.foot.turn", "foot_raw", "each_side.frames.foot: no frame 'foot_raw'"),
        (
            "each_side.frames.thigh.toward",
            {"y": "shnk.y"},
            "each_side.frames.thigh: no frame 'shnk' in the model (did you mean 'shank'?)",
        ),
        (
            "middle.points.asis_middle",
            {"mean": ["left.asis", "rigth.asis"]},
            "middle.points.asis_middle: no point 'rigth.asis'",
        ),
        (
            "middle.points.asis_middle",
            {"mean": ["left.asis", "asis"]},
            "middle.points.asis_middle: 'asis' belongs to a side; write left.asis or right.asis",
        ),
        ("chain.0.frame", "fot", "chain[0].frame: no frame 'fot' in the model (did you mean 'foot'?)"),
        ("chain.0.centre", "ankel", "chain[0].centre: no point 'ankel' in the model (did you mean 'ankle'?)"),
        ("chain.0.row", "hoof", "chain[0].row: no segment 'hoof' in the table winter_pig"),
        ("chain.1.com.fraction", "com_frction", "chain[1].com: no number 'com_frction'"),
        ("base.frame", "basin", "base.frame: no frame 'basin'"),
        ("ground_contact.toe", "tip", "ground_contact.toe: no point 'tip'"),
        ("progression.point", "hip", "progression.point: 'hip' belongs to a side"),
        ("angles.hip.proximal", "pelvic", "angles.hip: no frame 'pelvic' in the model (did you mean 'pelvis'?)"),
        ("angles.hip.flexion", "-d", "angles.hip.flexion: no number 'd'"),
        ("moments.hip.axes", "femur", "moments.hip.axes: no frame 'femur'"),
        ("moments.elbow", {"axes": "foot", "flexion": "x"}, "moments.elbow: no joint 'elbow' in the chain"),
        ("moments.hip.extension", "a", "moments.hip.extension: no number 'a'"),
        (
            "subject_each_side.static_plantar_flexion.static.distal",
            "flat",
            "subject_each_side.static_plantar_flexion.static: no frame 'flat'",
        ),
        (
            "subject_each_side.thigh_rotation.static.from",
            ["knee_aligned", "knee_latral"],
            "thigh_rotation.static: no point 'knee_latral' in the model (did you mean 'knee_lateral'?)",
        ),
        (
            "subject_each_side.thigh_rotation.static.value",
            "sign * a",
            "subject_each_side.thigh_rotation.static.value: no number 'a'",
        ),
        ("ground_contact.instead_of_heel", "heal", "ground_contact.instead_of_heel: no point 'heal'"),
        # where a segment is never depends on what only a static holds
        (
            "each_side.points.knee.chord.wand",
            "kad_axis",
            "chain[0].frame: depends on 'kad_axis', a calibration marker, which only static and trial may use",
        ),
        ("ground_contact.heel", "knee_stored", "ground_contact.heel: depends on 'knee_stored', a calibration marker"),
        ("subject.marker_diameter.otherwise", "d", "subject.marker_diameter.otherwise: no number 'd'"),
        ("chain.1.joint", "ankle", "chain: the joint 'ankle' is given twice"),
        ("chain.1.segment", "foot", "chain: the segment 'foot' is given twice"),
        ("chain.1.ground", True, "chain: expected ground: true on one segment"),
        ("chain.0.ground", False, "chain: expected ground: true on one segment"),
        ("angles.knee", DELETE, "angles.knee: missing"),
    ],
)
def test_a_name_that_nothing_defines_is_found_before_any_trial_is_read(path: str, value: object, message: str) -> None:
    assert message in refusal(put(path, value))


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([put("each_side.points.knee", {"mean": ["knee", "hip"]})], "the point 'knee' is defined by itself"),
        ([put("each_side.frames.foot", {"turn": "foot", "by": [{"x": 0}]})], "the frame 'foot' is defined by itself"),
        (
            [
                put("each_side.points.a", {"mean": ["b"]}),
                put("each_side.points.b", {"between": ["a", "hip"], "fraction": 0.5}),
            ],
            "is defined by itself",
        ),
        (
            [put("each_side.numbers.hip_c", "hip_depth"), put("each_side.numbers.hip_depth", "hip_c")],
            "is defined by itself",
        ),
        ([put("each_side.points.hip.in_frame", "thigh")], "is defined by itself"),  # the thigh needs the hip
        ([put("middle.points.asis_middle", {"mean": ["left.hip", "right.hip"]})], "is defined by itself"),
        ([put("each_side.numbers.hip_depth", "distance(hip, knee)")], "is defined by itself"),
    ],
)
def test_what_is_defined_by_itself_is_refused(edits: list[Edit], message: str) -> None:
    assert message in refusal(*edits)


def test_all_faults_come_at_once() -> None:
    line = refusal(
        put("nme", "x"),
        put("settings.end_frames", 0),
        put("chain.0.joint", 4),
        put("each_side.points.knee.chord.radius", "2 +"),
        put("angles.hip.sequence", "zzz"),
    )
    for path in ("nme: unknown", "settings.end_frames", "chain[0].joint", "chord.radius", "angles.hip.sequence"):
        assert path in line
    line = refusal(put("chain.0.frame", "feet"), put("ground_contact.toe", "tip"), put("moments.hip.axes", "femur"))
    for path in ("chain[0].frame", "ground_contact.toe", "moments.hip.axes"):
        assert path in line


# --- found wanting -----------------------------------------------------------------------------------------
