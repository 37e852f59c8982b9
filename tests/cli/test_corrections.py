"""``walk.corrections.yaml``: what an analyst overrides is done, told, and refused where it cannot be meant."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from terminal import assert_refused, gaitid

import gaitid as api
from gaitid.errors import GaitidError
from gaitid.run.command import read_recorded
from gaitid.simulate.files import simulate

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "walk.c3d"
WHO = {"author": "A. Smith", "date": "2026-12-01", "reason": "seen on the video"}
MOVED = {"side": "left", "kind": "strike", "do": "move", "from": 89, "frame": 92}


def write(trial: Path, file: Path | None = None, **lists: list[dict[str, Any]]) -> Path:
    """Corrections of a trial, each by the same analyst where it names none; beside it where no file is named."""
    entries = {name: [{**WHO, **entry} for entry in of] for name, of in lists.items()}
    content = {"trial_sha256": hashlib.sha256(trial.read_bytes()).hexdigest(), **entries}
    file = file or trial.with_name(f"{trial.stem}.corrections.yaml")
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    return file


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLE, tmp_path / "walk.c3d"))


Corrected = Callable[..., api.Analysis]


@pytest.fixture
def corrected(walk: Path) -> Corrected:
    """`corrected(events=[...], …)`: the sample walk with these corrections."""

    def analysed(**lists: list[dict[str, Any]]) -> api.Analysis:
        write(walk, **lists)
        return api.analyse(walk, model="pig")

    return analysed


@pytest.fixture(scope="module")
def plain() -> api.Analysis:
    return api.analyse(SAMPLE, model="pig")


def starts(result: api.Analysis, side: str) -> list[tuple[str, int]]:
    """Number and first frame of each cycle of a side."""
    rows = result.spatiotemporal
    rows = rows[(rows.side == side) & rows.first_frame.notna()]
    return [(str(n), int(frame)) for n, frame in zip(rows.cycle, rows.first_frame, strict=True)]


# --- what each list does ------------------------------------------------------------------------------------


def test_events_are_moved_added_and_removed(corrected: Corrected, plain: api.Analysis) -> None:
    assert starts(plain, "left") == [("1", 89)]
    assert starts(corrected(events=[MOVED]), "left") == [("1", 92)]
    # the nearest one where nobody says which
    assert starts(corrected(events=[{**MOVED, "from": 91}]), "left") == [("1", 92)]
    assert starts(corrected(events=[{k: v for k, v in MOVED.items() if k != "from"}]), "left") == [("1", 92)]
    removed = {"side": "right", "kind": "strike", "do": "remove", "frame": 254}
    assert starts(corrected(events=[removed]), "right") == [("1", 34)]
    added = {"side": "right", "kind": "strike", "do": "add", "frame": 250}
    again = corrected(events=[removed, added])
    assert starts(again, "right") == [("1", 34), ("2", 144)]
    assert again.record["events"]["used"][-2]["time_s"] == 2.49


def test_an_event_against_the_plates_is_used_and_said(corrected: Corrected) -> None:
    off = {"side": "left", "kind": "off", "do": "move", "from": 158, "frame": 170}
    warnings = corrected(events=[off]).record["warnings"]
    assert "events_against" in {warning["code"] for warning in warnings}


def test_a_foot_is_taken_off_a_plate_and_put_on_it(corrected: Corrected, plain: api.Analysis) -> None:
    contact = {"side": "left", "plates": "none", "first_frame": 92, "last_frame": 155}
    without = corrected(contacts=[contact])
    assert plain.contacts.plates.tolist().count("1") == 1
    assert "1" not in without.contacts.plates.tolist()
    assert without.moments.left_knee_extension_moment_Nm_per_kg[100:150].isna().all()
    assert "no plate, as given by hand" in without.contacts.reason.tolist()
    (reason,) = without.record["verdict"]["reasons"]  # and no load that a foot should be found for
    assert "given by hand, it stands on none in frames" in reason["text"] and "--assign" not in reason["cure"]
    given = corrected(contacts=[{**contact, "plates": 1}])
    (row,) = given.contacts[given.contacts.plates == "1"].to_dict("records")
    assert (row["side"], row["method"]) == ("left", "given by hand")
    pd.testing.assert_frame_equal(given.moments, plain.moments)


def test_a_cycle_that_is_left_out_keeps_the_others_and_their_numbers(corrected: Corrected, plain: api.Analysis) -> None:
    without = corrected(leave_out=[{"side": "right", "cycle": 1, "first_frame": 34, "last_frame": 144}])
    assert starts(without, "right") == [("2", 144)]
    (left_out,) = without.record["events"]["left_out_cycles"]
    assert (left_out["side"], left_out["number"], left_out["reason"]) == ("right", 1, WHO["reason"])
    gone = (plain.features.side == "right") & (plain.features.cycle == 1)
    pd.testing.assert_frame_equal(without.features, plain.features[~gone].reset_index(drop=True))


def test_a_marker_that_is_not_used_is_one_that_nobody_saw(corrected: Corrected, plain: api.Analysis) -> None:
    frames = {"marker": "LKNE", "first_frame": 100, "last_frame": 104}
    gaps = corrected(leave_out=[frames]).record["quality"]["gaps"]
    assert [(gap["marker"], gap["first_frame"], gap["last_frame"]) for gap in gaps] == [("LKNE", 100, 104)]
    assert not plain.record["quality"]["gaps"]


def test_passes_part_the_walk(corrected: Corrected) -> None:
    spans = [{"first_frame": 1, "last_frame": 170}, {"first_frame": 180, "last_frame": 300}]
    parted = corrected(passes=spans)
    assert [(p["first_frame"], p["last_frame"]) for p in parted.record["passes"]] == [(1, 170), (180, 300)]
    assert starts(parted, "right") == [("1", 34)]
    assert parted.angles.left_knee_flexion_deg[171:178].isna().all()


def test_a_hand_that_carries_is_external_support(corrected: Corrected, plain: api.Analysis) -> None:
    held = corrected(support=[{"side": "left", "first_frame": 50, "last_frame": 90}])
    assert held.record["settings"]["external_support"] is True
    assert plain.record["settings"]["external_support"] is False


def test_labels_that_were_wrong_give_what_right_ones_do(tmp_path: Path) -> None:
    simulate("walk", tmp_path, duration=2.5)
    right, wrong = tmp_path / "walk.csv", tmp_path / "wrong.csv"
    how = {
        "model": "pig",
        "forces": tmp_path / "walk.forces.csv",
        "plates": tmp_path / "walk.plates.yaml",
        "subject": tmp_path / "walk.subject.yaml",
    }
    truth = api.analyse(right, **how).angles
    table = pd.read_csv(right, dtype=str)
    swapped = {"LKNE": "LANK", "LANK": "LKNE", "RHEE": "Heel"}
    names = {f"{label}_{axis}_mm": f"{to}_{axis}_mm" for label, to in swapped.items() for axis in "xyz"}
    table = table.rename(columns=names)
    first, last = 61, 80
    rows = slice(first - 1, last)
    for axis in "xyz":
        a, b = f"RTIB_{axis}_mm", f"RTHI_{axis}_mm"
        assert {a, b} <= {*table.columns}
        kept = table[a].iloc[rows].tolist()
        table.loc[table.index[rows], a] = table[b].iloc[rows]
        table.loc[table.index[rows], b] = kept
    table.to_csv(wrong, index=False)
    part = {"from": "RTIB", "to": "RTHI", "first_frame": first, "last_frame": last}
    write(wrong, labels=[{"from": "LKNE", "to": "LANK"}, {"from": "Heel", "to": "RHEE"}, part])
    pd.testing.assert_frame_equal(api.analyse(wrong, **how).angles, truth)


# --- what is said of it -------------------------------------------------------------------------------------


def test_the_record_has_each_entry_and_what_it_did(corrected: Corrected, plain: api.Analysis) -> None:
    left_out = {"side": "right", "cycle": 1}
    both = corrected(events=[MOVED], leave_out=[left_out])
    record = both.record["corrections"]
    by_list = {entry["list"]: entry for entry in record["entries"]}
    assert {key: by_list["events"][key] for key in (*MOVED, *WHO)} == {**MOVED, **WHO}
    mean = plain.features.groupby(["side", "feature"]).value.mean()
    after = both.features.groupby(["side", "feature"]).value.mean()
    for entry, side in ((by_list["events"], "left"), (by_list["leave_out"], "right")):
        rows = {row["feature"]: row for row in entry["moved"]}
        assert {row["side"] for row in entry["moved"]} == {side}
        # what the other entry moves is on the other side here
        for name in {*rows} & {*mean[side].index}:
            known = np.array([rows[name]["before"], rows[name]["after"]], dtype=float)
            np.testing.assert_allclose(known, [mean[side][name], after[side][name]], rtol=1e-4, atol=1e-4)
    assert "stride_time_s" in {row["feature"] for row in by_list["events"]["moved"]}
    assert {row["side"] for row in record["together"]["moved"]} == {"left", "right"}
    (said,) = (w["text"] for w in both.record["warnings"] if w["code"] == "corrected")
    assert said == "corrected by hand: 2 entries (1 in leave_out, 1 in events)"
    assert "corrections" not in plain.record


def test_a_run_takes_the_file_beside_and_its_record_makes_the_same_again(walk: Path, tmp_path: Path) -> None:
    file = write(walk, events=[MOVED])
    done = gaitid("run", walk, "--model", "pig", "-o", tmp_path / "out")
    assert done.code == 0
    assert "; 1 correction by hand" in done.lines[-1]
    path = tmp_path / "out" / "walk.run.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    (used,) = (entry for entry in record["inputs"] if entry["role"] == "corrections")
    assert used["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert read_recorded(record, path).analysed().gait.record() == api.analyse(walk, model="pig").result.gait.record()
    assert str(file) in gaitid("run", walk, "--model", "pig", "--dry-run").out
    without = tmp_path / "without"
    assert gaitid("run", walk, "--model", "pig", "--corrections", "none", "-o", without).code == 0
    assert "corrections" not in json.loads((without / "walk.run.json").read_text(encoding="utf-8"))
    assert api.analyse(walk, model="pig", corrections="none").spatiotemporal.first_frame[0] == 89


@pytest.mark.parametrize("name", ["walk.corrections.yml", "Walk.Corrections.yaml", "walk.corrections (1).yaml"])
def test_run_and_batch_take_the_same_file(walk: Path, tmp_path: Path, name: str) -> None:
    """As an editor, or a copy from another disk, may have called it."""
    write(walk, walk.with_name(name), events=[MOVED])
    assert "1 correction by hand" in gaitid("run", walk, "--model", "pig", "-o", tmp_path / "out").err
    assert f",{walk.with_name(name)}\n" in gaitid("batch", walk, "--plan", "-o", tmp_path / "b").out
    write(walk, walk.with_name("WALK.corrections.yaml"), events=[MOVED])
    refused = gaitid("run", walk, "--model", "pig", "-o", tmp_path / "again")
    assert_refused(refused, "which corrections are meant", "keep one")


def test_a_check_takes_it_only_where_it_is_given(walk: Path) -> None:
    contact = {"side": "left", "plates": "none", "first_frame": 92, "last_frame": 155}
    file = write(walk, contacts=[contact])
    assert "left on plate 1" in gaitid("check", walk, "--model", "pig").out
    assert "left on plate 1" not in gaitid("check", walk, "--model", "pig", "--corrections", file).out


def test_a_batch_notices_a_file_that_comes_changes_and_goes(tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    data.mkdir()
    for name in ("walk", "other"):
        shutil.copy(SAMPLE, data / f"{name}.c3d")

    def batch() -> tuple[str, dict[str, dict[str, str]]]:
        done = gaitid("batch", data, "--model", "pig", "-o", out, "-j", 1, "--resume")
        assert done.code == 0, done.err
        with (out / "batch.csv").open(encoding="utf-8", newline="") as text:
            rows = {Path(row["trial"]).stem: row for row in csv.DictReader(text)}
        return done.err, rows

    def cycles(row: dict[str, str]) -> tuple[str, ...]:
        return tuple(row[name] for name in ("corrected", "cycles_used", "cycles_there"))

    first, rows = batch()
    assert "2 done;" in first
    assert cycles(rows["walk"]) == cycles(rows["other"]) == ("0", "3", "3")
    file = write(data / "walk.c3d", leave_out=[{"side": "right", "cycle": 1}], events=[MOVED])
    said, rows = batch()
    assert "1 done before, 1 done" in said
    assert (cycles(rows["walk"]), cycles(rows["other"])) == (("2", "2", "3"), ("0", "3", "3"))
    assert "2 done before" in batch()[0]
    write(data / "walk.c3d", events=[MOVED])
    assert cycles(batch()[1]["walk"]) == ("1", "3", "3")
    file.unlink()
    said, rows = batch()
    assert "1 done before, 1 done" in said
    assert cycles(rows["walk"]) == ("0", "3", "3")


# --- what is refused ----------------------------------------------------------------------------------------

ADDED = {"side": "left", "kind": "strike", "do": "add"}
STRIKES = [
    {"side": side, "kind": "strike", "do": "remove", "frame": frame}
    for side, frame in (("left", 89), ("left", 199), ("right", 34), ("right", 144), ("right", 254))
]
CONTACT = {"side": "left", "first_frame": 92, "last_frame": 155}
CYCLES = [{"side": side, "cycle": n} for side, n in (("left", 1), ("right", 1), ("right", 2))]


@pytest.mark.parametrize(
    ("lists", "line"),
    [
        ({"events": [{**MOVED, "reason": " "}]}, ["line", "events[0].reason: expected some words"]),
        ({"events": [{**MOVED, "author": None}]}, ["events[0].author"]),
        ({"events": [{**MOVED, "date": "yesterday"}]}, ["events[0].date: expected a date as 2026-12-01"]),
        ({"events": [{**MOVED, "date": "2026-12-01xyz"}]}, ["events[0].date: expected a date as 2026-12-01"]),
        ({"events": [{**MOVED, "form": 3}]}, ["events[0].form: unknown key (did you mean 'from'?)"]),
        ({"events": [{**MOVED, "date": None}]}, ["events[0].date: expected a date as 2026-12-01, found None"]),
        ({}, ["no correction in it: expected entries of labels"]),
        ({"event": [MOVED]}, ["event: unknown key (did you mean 'events'?)"]),
        ({"events": [{**MOVED, "frame": 999}]}, ["events[0].frame: expected a number from 1 to 300, found 999"]),
        ({"events": [{**MOVED, "from": 120}]}, ["events[0]: no left strike near frame 120", "89, 199"]),
        ({"events": [{**ADDED, "frame": 90}]}, ["there is a left strike near that frame already", "do: move"]),
        # two entries of one event; an event on top of the next
        ({"events": [MOVED, {**MOVED, "frame": 95}]}, ["events[1]: another entry has moved", "found frame 92"]),
        ({"events": [{**MOVED, "frame": 195}]}, ["there is a left strike near that frame already", "do: remove"]),
        ({"events": STRIKES}, ["corrections of events leave no cycle in the trial"]),
        ({"contacts": [{**CONTACT, "plates": None}]}, ["contacts[0].plates: expected a plate", "found None"]),
        ({"contacts": [{**CONTACT, "plates": "1+1"}]}, ["a plate is given twice"]),
        ({"labels": [{"from": "LKNE", "to": "LKNE"}]}, ["labels[0].to: expected another label"]),
        (
            {"contacts": [{"side": "left", "plates": "1,2", "first_frame": 1, "last_frame": 9}]},
            ["a plate, as 2 or 1+2"],
        ),
        ({"contacts": [{"side": "left", "plates": 3, "first_frame": 1, "last_frame": 9}]}, ["contacts[0]: plate 3"]),
        ({"leave_out": [{"first_frame": 1, "last_frame": 9}]}, ["a cycle with its side, or a marker with frames"]),
        ({"leave_out": [{"marker": "LKNEE", "first_frame": 1, "last_frame": 9}]}, ["did you mean 'LKNE'?"]),
        ({"leave_out": [{"side": "left", "cycle": 7}]}, ["no cycle 7 of the left foot", "one of 1"]),
        ({"leave_out": [{"side": "right", "cycle": 1, "first_frame": 144, "last_frame": 254}]}, ["begins elsewhere"]),
        ({"leave_out": CYCLES}, ["corrections leave out every cycle of the trial"]),
        ({"labels": [{"from": "LKNE", "to": "Knie", "first_frame": 1, "last_frame": 9}]}, ["no marker 'Knie'"]),
        ({"passes": [{"first_frame": 9, "last_frame": 1}]}, ["the last frame lies before the first"]),
        ({"passes": [{"first_frame": 1, "last_frame": 9}, {"first_frame": 9, "last_frame": 20}]}, ["share a frame"]),
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_line(
    walk: Path, tmp_path: Path, lists: dict[str, list[dict[str, Any]]], line: list[str]
) -> None:
    write(walk, **lists)
    assert_refused(gaitid("run", walk, "--model", "pig", "-o", tmp_path / "out"), "walk.corrections.yaml", *line)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("was", "now", "line"),
    [
        ("trial_sha256: '?[0-9a-f]{64}'?", "trial_sha256: ''", "the corrections are of another trial"),
        ("'2026-12-01'", "2026-13-01", "not a date: '2026-13-01'"),
    ],
)
def test_a_file_that_was_edited_wrongly_is_refused(walk: Path, tmp_path: Path, was: str, now: str, line: str) -> None:
    file = write(walk, events=[MOVED])
    edited = re.sub(was, now, file.read_text(encoding="utf-8"))
    file.write_text(edited, encoding="utf-8")
    assert_refused(gaitid("run", walk, "--model", "pig", "-o", tmp_path / "out"), line)


def test_an_event_is_corrected_again_from_where_it_was_put(corrected: Corrected) -> None:
    onward = {**MOVED, "from": 92, "frame": 95}
    assert starts(corrected(events=[MOVED, onward]), "left") == [("1", 95)]
    # both strikes far onward, the first of them to where the second was
    far = [{**MOVED, "frame": 195}, {**MOVED, "from": 199, "frame": 285}]
    assert starts(corrected(events=far), "left") == [("1", 195)]


def test_corrections_of_another_trial_are_refused(walk: Path, tmp_path: Path) -> None:
    other = simulate("walk", tmp_path / "other", duration=2.0) and tmp_path / "other" / "walk.c3d"
    file = write(other, tmp_path / "other.yaml", events=[MOVED])
    given = ("run", walk, "--model", "pig", "-o", tmp_path / "out", "--corrections", file)
    assert_refused(gaitid(*given), "the corrections are of another trial", "--corrections none")
    with pytest.raises(GaitidError, match="belong to a file"):
        api.analyse(api.read_trial(walk), model="pig", corrections=file)
    two = gaitid("run", walk, other, "--model", "pig", "--corrections", file, "-o", tmp_path / "out")
    assert (two.code, "belongs to one trial" in two.err) == (2, True)
