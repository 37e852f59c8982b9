"""Cures about files beside the trial: functional trials, forces, plates, loads, events, and trials of one session."""

from __future__ import annotations

from pathlib import Path

import pytest
from cure_files import (
    ALL_LOADS,
    all_printed,
    alone,
    beside_its_trial,
    beside_trc,
    events_named,
    exported,
    forces_twice,
    hip_and_knee,
    larger_hip,
    late_events,
    loaded,
    nexus_with_forces,
    no_plates,
    one_label_twice,
    other_feet,
    plates_of_opensim,
    rough,
    same_joint_again,
    stale,
    true_events,
    unlike_session,
    with_functional,
    with_mot,
    without_last,
)
from cure_inputs import parameters, plates, run, subject, truth, unit, without_option
from cures import Row, assert_cures

ROWS: dict[str, Row] = {
    # functional trials
    "a joint that is measured twice": Row(
        same_joint_again,
        "was measured in .* already; give one functional trial for each joint",
        lambda folder, words, line: without_last(words, "--functional"),
    ),
    "a hip and a knee that move alike": Row(
        hip_and_knee,
        "hip and knee move alike.*say it, as --functional",
        lambda folder, words, line: (*without_option(words, "--functional"), *line.split("say it, as ")[1].split()),
    ),
    "a static for a functional trial": Row(
        with_functional("static"),
        "no hip and no knee moves in it.*give the functional trial",
        lambda folder, words, line: (
            *without_option(words, "--functional"),
            "--functional",
            folder.own / "functional" / "left_hip.c3d",
        ),
    ),
    "a functional trial of another person": Row(
        lambda folder: tuple(without_option(larger_hip(folder), "--static")),
        "is of another person.*or leave out --functional",
        "leave out --functional",
    ),
    # forces
    "a motion file for a trial": Row(
        alone("walk.mot"),
        "'.mot' is not known.*give it with --forces, beside the trial of its markers",
        beside_its_trial,
    ),
    "a table of forces for a trial": Row(
        alone("walk.forces.csv"),
        "no markers.*give the file of the markers, and that of the forces with --forces",
        beside_its_trial,
    ),
    "a motion file beside a TRC file": Row(
        beside_trc, "walk.mot in the same folder was not used: --forces", r"--forces \S+$"
    ),
    "forces that are given twice": Row(
        forces_twice, "forces are given twice.*leave out --forces, or those columns", "leave out --forces"
    ),
    "forces beside a Nexus export": Row(
        nexus_with_forces, "a Nexus export holds its own forces.*leave out --forces", "leave out --forces"
    ),
    "forces that load nothing": Row(
        with_mot(exported("trc", "mot", force=0.01)),
        "no force above 100 N says which way is up.*or give the corners with --plates",
        "--plates",
        plates_of_opensim,
    ),
    "forces that lean": Row(
        with_mot(exported("trc", "mot", sideways=0.9)),
        "push along no laboratory axis.*give the corners with --plates",
        "--plates",
        plates_of_opensim,
    ),
    "plates that the file does not declare": Row(
        run(no_plates), "describe the plates with --plates FILE.yaml", "--plates", plates
    ),
    # loads on a body
    "loads that are not given": Row(
        loaded(), "recorded under loads that it does not hold.*found no --load; give --load", all_printed
    ),
    "a load that is given twice": Row(
        loaded(*ALL_LOADS, ALL_LOADS[0]),
        "given twice, and each counts; leave one of them out",
        lambda folder, words, line: without_last(words, "--load"),
    ),
    "a cut-off of loads beyond what they can hold": Row(
        loaded(*ALL_LOADS, cutoff="900"),
        "the cut-off 900 Hz is too high.*give a lower --force-cutoff, or none",
        "--force-cutoff",
        "none",
    ),
    "a motion file that names the other foot": Row(
        other_feet,
        "but it carries the left foot.*name the foot with --assign",
        lambda folder, words, line: (*words, "--assign", "left=1", "--assign", "right=2"),
    ),
    "a load that no foot claims": Row(
        run(None, "--assign", "right=none"),
        "plate 2 carries a load in .* no foot was found on it; cure: name the foot [(]--assign SIDE=PLATE[)]",
        lambda folder, words, line: (*without_option(words, "--assign"), "--assign", "right=2"),
    ),
    # markers and measurements
    "a marker that is rougher than the others": Row(
        run(rough), "LTIB has .* of noise.*smooth it as the others were, or give --cutoff 6", "--cutoff 6"
    ),
    "a label of two landmarks": Row(
        one_label_twice,
        "gives the label LASI to two landmarks.*correct the file of --markers",
        lambda folder, words, line: one_label_twice(folder, "PSI"),
        then="it lacks",
        code=1,
    ),
    "a foot that stands on its toes": Row(
        run(parameters(LStaticPlantFlex=1.5)),
        "left_static_plantar_flexion_rad = .*correct it with --subject",
        "--subject",
        truth("left_static_plantar_flexion_rad"),
    ),
    "a leg that is too long": Row(
        run(None, "--subject", subject(left_leg_length_mm=1300.0)),
        "no body is like that.*cure: measure left_leg_length_mm again [(]--subject[)]",
        "--subject",
        truth("left_leg_length_mm"),
    ),
    "legs that are too short": Row(
        run(None, "--subject", subject(left_leg_length_mm=600.0, right_leg_length_mm=600.0)),
        "no body is like that.*cure: measure left_leg_length_mm, right_leg_length_mm again",
        "--subject",
        truth("left_leg_length_mm", "right_leg_length_mm"),
    ),
    # events, units, the session
    "events that are late": Row(
        run(late_events), "events in the file are 0.25 s late.*cure: give events with --events", "--events", true_events
    ),
    "corrections of another trial": Row(
        lambda folder: run(None, "--corrections", folder.text("other.yaml", "trial_sha256: 12ab\n"))(folder),
        "the corrections are of another trial.*leave it out with --corrections none",
        "--corrections none",
    ),
    "events of no known name": Row(
        events_named,
        "Say what each means: --events FILE.yaml with `labels: {.*Tick",
        lambda folder, words, line: (*words, "--events", folder.text("events.yaml", line.split("`")[1] + "\n")),
    ),
    "a file without a unit": Row(
        run(unit("")), "--set point_unit decides", lambda folder, words, line: (*words, "--set", "point_unit=mm")
    ),
    "a stored calibration that is not the static's": Row(
        stale, "if it was recorded with these markers", r"--static [^\s,]+"
    ),
    "a trial that is not like its session": Row(
        unlike_session,
        "the model of its session, pig, does not fit.*run this trial by itself, with another --model",
        lambda folder, words, line: ("run", words[3], "--model", "landmarks", *words[4:]),
        then="the model landmarks .* cannot be computed",
        code=1,
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_cure_about_a_file_cures(simulated: Path, tmp_path: Path, name: str) -> None:
    assert_cures(ROWS[name], name, simulated, tmp_path)
