"""A cure that names an option, a file or a key is applied as it is printed: the message is gone then.

Each row makes an input that causes a message, and says which of the words of its cure is taken. What the text leaves
open (``FILE``, ``NAME``, "a lower …") the row gives, as a user would.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cure_inputs import (
    HIP,
    PIG,
    STORED,
    beside,
    clusters,
    corrected,
    csv,
    cut_out,
    exchanged,
    forces,
    functional,
    labels,
    larger,
    limb_without_vertical,
    marker,
    medial,
    mirrored,
    mirrored_table,
    named_at_once,
    origin_moved,
    own_model,
    parameters,
    plates,
    rare,
    repeated,
    results,
    run,
    spike,
    static,
    subject,
    truth,
    turned,
    two_people,
    unit,
    without,
    without_option,
)
from cures import Row, assert_cures
from osim_files import osim_text, walk, write_trc
from terminal import NOISY, gaitid

ROWS: dict[str, Row] = {
    # the vertical
    "a laboratory tilted by 40 degrees": Row(
        run(turned(40.0, plates_only=False)), "no laboratory axis points up", r"--set vertical=\S+"
    ),
    "a limb by itself in a table": Row(
        lambda f: ("run", *limb_without_vertical(f), "-o", f.own / "out"),
        "the vertical cannot be found.*say which axis points up, as --set vertical=z",
        r"--set vertical=[-xyz]+",
    ),
    "plates on a slope": Row(
        run(turned(5.0, plates_only=True)), "gravity is taken along the axis [+]Z", r"--set vertical=[-xyz]+"
    ),
    "a laboratory with a mirrored axis": Row(
        run(mirrored), "the axes of the laboratory are left-handed", r"--set mirror=\S+"
    ),
    "markers with a mirrored axis": Row(mirrored_table, "left and right are exchanged", r"--set mirror=\S+"),
    "a vertical that is the wrong way round": Row(
        run(None, "--set", "vertical=-z"), "the pelvis of the subject, who moves", r"--set vertical=\S+"
    ),
    # measurements
    "leg lengths stored as 0": Row(
        run(parameters(LLegLength=0.0, RLegLength=0.0)),
        "missing: left_leg_length_mm, right_leg_length_mm; found 0 in the file for left_leg_length_mm, right_leg",
        "--subject",
        truth("left_leg_length_mm", "right_leg_length_mm"),
    ),
    "the same with auto": Row(
        run(parameters(LLegLength=0.0, RLegLength=0.0), model="auto"),
        "warning: pig gives .* not used: .* missing: left_leg_length_mm, right_leg_length_mm [(]found 0 in the file",
        "--subject",
        truth("left_leg_length_mm", "right_leg_length_mm"),
        then="model pig",
    ),
    "the same with auto and a static": Row(
        run(parameters(LLegLength=0.0, RLegLength=0.0), model="auto"),
        "warning: pig gives .* not used: .* missing: left_leg_length_mm, right_leg_length_mm",
        "--static",
        static,
        then="model pig",
    ),
    "a knee width stored as 0": Row(
        run(parameters(LKneeWidth=0.0), model="auto"),
        "left leg: measurements are missing: left_knee_width_mm [(]found 0 in the file for left_knee_width_mm",
        "--subject",
        truth("left_knee_width_mm"),
        then="model pig",
    ),
    "knee widths stored as 0": Row(
        run(parameters(LKneeWidth=0.0, RKneeWidth=0.0), model="auto"),
        "warning: pig gives .* not used: .* missing: left_knee_width_mm, right_knee_width_mm [(]found 0 in the file",
        "--subject",
        truth("left_knee_width_mm", "right_knee_width_mm"),
        then="model pig",
    ),
    "a knee that is a metre wide": Row(
        run(parameters(LKneeWidth=1040.0)),
        "left knee_width = .* is outside .* correct left_knee_width_mm with",
        "--subject",
        truth("left_knee_width_mm"),
    ),
    "a thigh wand that is turned": Row(
        run(parameters(LThighRotation=0.6)),
        "the thigh's axes were turned inward by .* tells whether",
        r"`(left_thigh_rotation_rad: -?[\d.]+)` with --subject",
    ),
    "a height that no leg has": Row(
        run(parameters(Height=1200.0)), "height_m = 1.2 m .*; hardly anybody has that", "--subject", truth("height_m")
    ),
    "a mass in pounds": Row(
        run(parameters(Bodymass=154.3)), "weight.*give the mass in kg with", "--subject", truth("mass_kg")
    ),
    "a mass a fifth too high": Row(
        run(parameters(Bodymass=84.0)), r"cure: weigh the subject \(mass_kg in", "--subject", truth("mass_kg")
    ),
    "no mass": Row(run(without("Bodymass")), "mass_kg with --subject", "--subject", truth("mass_kg")),
    "no mass, and no step that tells it": Row(
        run(without("Bodymass"), "--assign", "right=none"),
        "body mass is not known.*give mass_kg with --subject",
        "--subject",
        truth("mass_kg"),
    ),
    "a joint space without a mass": Row(
        run(without("Bodymass"), "--assign", "right=none", "--write", "joint_space"),
        "the body's mass is not known, and there is no joint space; give it with --subject",
        "--subject",
        truth("mass_kg"),
    ),
    # statics
    "a static beside the trial": Row(
        lambda f: ("run", beside(f), "-o", f.own / "out"),
        "static.c3d in the same folder was not used",
        r"--static \S+$",
        then="model pig",
    ),
    "a static beside the trial, and what the lesser model lacks": Row(
        lambda f: ("run", beside(f), "-o", f.own / "out"),
        "warning: pig gives .* not used: measurements of the subject are missing",
        r"--static \S+(?=, if a model)",
        then="model pig",
    ),
    "lateral markers alone": Row(
        run(without(*STORED), model="auto"),
        r"a static with medial markers \(--static\) gives all angles and moments",
        "--static",
        lambda f: f.edited(medial, "static.c3d"),
        then="model pig",
    ),
    "a static of somebody else": Row(
        run(None, "--static", lambda f: f.edited(larger, "static.c3d")),
        "give the static of this person and session with --static",
        "--static",
        static,
    ),
    "a walk for a static": Row(
        run(None, "--static", lambda f: f.walk), "what is given as the static is no static", "--static", static
    ),
    "the static alone": Row(
        lambda f: ("run", f.static, *PIG, "--static", f.static, "-o", f.own / "out"),
        "nobody walks in it.*give it to the walks of its session with --static",
        lambda f, words, line: ("run", f.walk, *words[2:]),
        then="verdict: good",
    ),
    "a static that was not foot-flat": Row(
        run(None, "--static", static), "the static was taken as foot-flat", "`(static: .*?)`"
    ),
    "a file of events without any": Row(
        run(None, "--events", lambda f: f.text("events.csv", "side,event,time_s\n")),
        "leave out --events",
        "leave out --events",
    ),
    # plates and forces
    "a table without forces": Row(
        csv(),
        "give the file of the plates with --forces; without one use angles and strides",
        "--forces",
        forces,
        then="plate 1: described by no one|give them with --plates",
        code=1,
    ),
    "forces without plates": Row(csv("--forces", forces), "give them with --plates FILE.yaml", "--plates", plates),
    "forces that a table must have": Row(
        csv("--require-forces"), "no usable force plate in the trial", "leave out --require-forces"
    ),
    "forces of a file that holds them": Row(
        run(None, "--forces", forces), "a C3D file holds its own forces", "leave out --forces"
    ),
    "a load that nobody claims": Row(
        run(None, "--assign", "right=none"), "no whole stance on the plates.*that no foot claims", r"--assign \w+=\d"
    ),
    "a foot that is put on another's plate": Row(
        run(None, "--assign", "right=1"), "given by hand, right.*leave out --assign", "leave out --assign"
    ),
    # filters
    "a cut-off beyond what frames can hold": Row(
        run(None, "--cutoff", "90"), "give a lower --cutoff, or none", "--cutoff", "6"
    ),
    "a cut-off that needs more frames": Row(
        run(None, "--cutoff", "0.2"), "give a higher --cutoff, or none", "--cutoff", "none"
    ),
    "a cut-off that takes movement away": Row(run(None, "--cutoff", "1.5"), "give a higher --cutoff", "--cutoff", "6"),
    "noise that is left": Row(
        lambda f: ("run", NOISY, *PIG, "--cutoff", "none", "-o", f.own / "out"),
        "is not filtered.*give a --cutoff",
        "--cutoff",
        "6",
    ),
    "noise and a filter that is chosen": Row(
        lambda f: ("run", NOISY, *PIG, "-o", f.own / "out"), "choose with --cutoff", "--cutoff", "6"
    ),
    "a cut-off of plates beyond what they can hold": Row(
        run(None, "--force-cutoff", "1000"), "give a lower --force-cutoff, or none", "--force-cutoff", "20"
    ),
    "a cut-off of plates that needs more samples": Row(
        run(None, "--force-cutoff", "0.2"), "give a higher --force-cutoff, or none", "--force-cutoff", "none"
    ),
    "a cut-off of plates that takes load away": Row(
        run(None, "--force-cutoff", "2"), "give a higher --force-cutoff, or none", "--force-cutoff", "none"
    ),
    "gravity as on the Moon": Row(
        run(None, "--set", "gravity_m_per_s2=1.62"),
        "leave gravity_m_per_s2 out: 9.81 is the default",
        lambda f, words, line: without_option(words, "--set"),
        then="verdict: good",
    ),
    # units, rates and people
    "a unit that nobody knows": Row(run(unit("parsec")), "say it with --set point_unit=mm, cm or m", r"--set \w+=\w+"),
    "a unit that is wrong": Row(run(None, "--set", "point_unit=m"), "it seems: give --set", r"--set point_unit=\w+"),
    "columns without a unit": Row(
        csv(change=lambda text: text.replace("_mm", "")), "or give --set point_unit=mm, cm or m", r"--set \w+=\w+"
    ),
    "rows without times": Row(
        csv(change=lambda text: re.sub(r"(?m)^([^,]*),[^,]*,", r"\1,", text)),
        "or give the rate with --set point_rate_hz=HZ",
        lambda f, words, line: (*words, "--set", "point_rate_hz=100"),
    ),
    "two people": Row(
        run(two_people, "--subject", lambda f: f.simulated / "walk.subject.yaml"),
        "choose one with --subject-prefix NAME",
        "--subject-prefix",
        "Anna",
    ),
    "labels with a name before them": Row(
        run(labels(lambda label: f"Anna_{label}"), model="auto"),
        "take it off with --subject-prefix NAME",
        "--subject-prefix",
        "Anna",
    ),
    # markers that are not believed
    "a marker that leaps in one frame": Row(
        run(marker("LKNE", spike), "--verbose"),
        "LKNE leaves its path",
        lambda f, words, line: (*words, "--set", "doubtful_labels=keep"),
    ),
    "labels that change places": Row(run(exchanged), "or keep with", r"--set \w+=\w+"),
    "a frame that repeats the one before": Row(run(repeated), "repeats the frame before.*keep", r"--set \w+=\w+"),
    "frames that were cut out": Row(run(cut_out), "frames are missing between", r"--set \w+=\w+"),
    "an origin that moves": Row(run(origin_moved), "--set doubtful_labels=keep", r"--set \w+=\w+"),
    "a static in which a marker is hardly seen": Row(
        lambda f: ("run", f.walk, *PIG, "--static", f.edited(rare, "static.c3d"), "-o", f.own / "out"),
        "rarely seen, or that lie in two places, are not used: RHEE in 1 of",
        lambda f, words, line: (*without_option(words, "--static"), "--static", f.static),
    ),
    # labels
    "labels of no known set": Row(
        run(
            labels(lambda label: f"q{label[::-1]}7"),
            "--static",
            lambda f: f.edited(labels(lambda label: f"q{label[::-1]}7"), "static.c3d"),
            model="landmarks",
        ),
        "name its landmarks with --markers FILE; `gaitid models markers TRIAL` writes a first draft",
        "--markers",
        lambda f: f.text("draft.yaml", gaitid("models", "markers", f.own / "in" / "walk.c3d").out),
        then="cannot be computed|wrote",
        code=1,
    ),
    # what is chosen, and what stands in a subject file
    "a hip that was not measured": Row(
        run(None, "--set", "hip_centre=functional"),
        "no hip's centre was measured.*choose a regression with --set hip_centre=NAME",
        lambda f, words, line: (*without_option(words, "--set"), "--set", "hip_centre=davis"),
    ),
    "a hip that was measured in part": Row(
        run(None, "--subject", subject(left_hip_centre_forward_mm=-30.0)),
        "lacks left_hip_centre_outward_mm, left_hip_centre_up_mm; give all three with --subject",
        "--subject",
        subject(**{f"{side}_hip_centre_{x}_mm": at for side in ("left", "right") for x, at in HIP.items()}),
    ),
    "a knee's axis that was not measured": Row(
        run(None, "--set", "knee_axis=functional"),
        "no knee's axis was measured; give functional trials with --functional",
        "--functional",
        lambda f: functional(f) / "left_knee.c3d",
        then="the axis of the left knee needs a static",
        code=1,
    ),
    "a functional knee without a static": Row(
        run(None, "--functional", lambda f: functional(f) / "left_knee.c3d"),
        "the axis of the left knee needs a static, .*give --static FILE",
        "--static",
        lambda f: f.own / "functional" / "static.c3d",
    ),
    "a centre of mass in space, in a table with none": Row(
        run(None, "--subject", subject(sex="male", segments={"left_shank": {"mass_kg": 3.0, "com_m": [0, -0.18, 0]}})),
        "choose a table with centres in space, as --set table=",
        r"--set table=\w+",
        then="left_shank: expected gyration_fractions or inertia_kg_m2",
        code=1,
    ),
    "two sources that differ": Row(
        run(None, "--subject", subject(left_knee_width_mm=95.0)),
        "left knee_width: .*find out which one is right, and give that one with",
        "--subject",
        truth("left_knee_width_mm"),
    ),
    "feet that were never calibrated": Row(
        run(parameters(LStaticPlantFlex=0.0, RStaticPlantFlex=0.0, LStaticRotOff=0.0, RStaticRotOff=0.0)),
        "was never calibrated.*give the static with --static",
        "--static",
        static,
    ),
    "a body that something else carries": Row(
        run(parameters(Bodymass=84.0)), "or --set external_support=yes", r"--set external_support=yes"
    ),
    "markers that are filtered otherwise than plates": Row(
        run(None, "--cutoff", "6"),
        "(are low-passed at 6 Hz, plates are not|(is|are) faster than the markers)",
        lambda f, words, line: (*words, "--set", "joint_loads=matched"),
    ),
    "a model that is not there": Row(
        run(None, model="pigg"), "see gaitid models list", lambda f, words, line: ("models", "list")
    ),
    "clusters alone in a marker set": Row(
        clusters,
        "needs a static trial .* that shows .* which have no label here; .*name with --markers FILE what has no label",
        named_at_once,
    ),
    "a formula that divides by 0": Row(
        run(None, model=own_model), "the formula '1/0' divides by 0; correct the formula", corrected
    ),
    "an OpenSim model without its .osim": Row(
        lambda f: ("run", write_trc(f.own / "walk.trc", walk()[1]), "--model", "opensim", "-o", f.own / "out"),
        "takes a scaled OpenSim model for a static; give its .osim with --static",
        "--static",
        lambda f: f.text("subject.osim", osim_text()),
    ),
    # commands besides run
    "a walk's joint space": Row(
        lambda f: ("simulate", "walk", "--duration", "1.5", "--write", "joint_space", "-o", f.own),
        "a walk has no joint space; leave out --write",
        "leave out --write",
    ),
    "a full body that does not walk": Row(
        lambda f: ("simulate", "run", "--duration", "1.5", "--full-body", "-o", f.own),
        "leave out --full-body",
        "leave out --full-body",
    ),
    "two results and a clock that neither has": Row(
        lambda f: ("compare", results(f), results(f), "--start", "1"), "neither A nor B is one", "leave out --start"
    ),
    "a page of no known kind": Row(
        lambda f: ("report", results(f), "-o", f.own / "page.xyz"), "rename it or give --format", "--format", "html"
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_cure_that_is_printed_cures(simulated: Path, tmp_path: Path, name: str) -> None:
    assert_cures(ROWS[name], name, simulated, tmp_path)
