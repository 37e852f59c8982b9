"""What the clinical page says in words: trust, norms, plates, assumptions, methods; and what its curves are made of."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gaitid.drawing import area, path, scale_for
from gaitid.norms import Band, Figure, Norms
from gaitid.report import write_report
from gaitid.report.gathering import load_results
from gaitid.report.page import CYCLE, PERCENT, STANCE, pool
from gaitid.report.page.curves import Drawn, figures
from gaitid.report.page.engineer import methods_text, topics
from gaitid.report.page.figures_table import spatiotemporal
from gaitid.report.page.head import facts, plates, taken_by_default, trust
from gaitid.report.page.messages import in_mean, notes, readable, reasons
from gaitid.report.page.sure import against, glance
from gaitid.report.panels import PANELS
from gaitid.report.result import Result, load_result
from gaitid.report.text import macro

Edit = Callable[[Path, dict[str, object]], None]
KNEE = PANELS["knee_flexion_deg"]
POWER = PANELS["ankle_power_W_per_kg"]


def part(file: str, name: str, *given: object) -> str:
    """A macro of the page's templates with what it is given."""
    return str(macro(f"report/page/{file}.html", name)(*given))


def trust_html(*of: Result) -> str:
    return part("summary", "trust_section", trust(in_mean(of), pool(of)))


def assumed_html(of: Result) -> str:
    assumed = [note.words for note in notes([of], ("assumption",))]
    return part("summary", "assumed_section", assumed, taken_by_default([of], None))


def words(html: str) -> str:
    """The text of HTML, blanks as one."""
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


# --- curves ---------------------------------------------------------------------------------------------------


def test_a_mean_is_of_cycles_that_are_known_throughout(cycled: Path) -> None:
    basis = pool([load_result(cycled)])
    assert (basis.kind, len(basis.sides["left"]), len(basis.sides["right"])) == (CYCLE, 2, 1)
    knee = basis.sides["left"].mean(KNEE.column)
    assert knee.n == 2 and np.allclose(knee.mean, 21.5 + PERCENT / 10) and np.allclose(knee.sd, np.sqrt(0.5))
    power = basis.sides["left"].mean(POWER.column)  # of cycle 2 the load is known up to 40 % only
    assert (power.n, power.part.sum()) == (1, 1) and np.isfinite(power.mean).all() and np.isnan(power.sd).all()
    assert basis.sides["right"].mean(POWER.column).n == 0


def test_without_cycles_it_is_each_whole_stance(result: Path) -> None:
    loaded = load_result(result)
    basis = pool([loaded])
    assert basis.kind == STANCE and set(basis.sides) == {"left", "right"}
    left = basis.sides["left"].curves
    frames = (loaded.frame >= 97) & (loaded.frame <= 160)
    column = loaded.columns["left_knee_flexion_deg"][frames]
    assert (left.columns["knee_flexion_deg"][0, 0], left.columns["knee_flexion_deg"][0, -1]) == (column[0], column[-1])
    assert np.allclose(left.columns["knee_flexion_deg"][0], np.interp(PERCENT, np.linspace(0, 100, 64), column))
    cut = replace(loaded, contacts=(replace(loaded.contacts[0], first_frame=int(loaded.frame[0])),))
    assert pool([cut]).kind != STANCE


def test_tables_of_other_steps_are_brought_to_each_percent(cycled: Path) -> None:
    path = cycled.with_name("walk.cycles.csv")
    header, *rows = path.read_text().splitlines()
    path.write_text("\n".join([header, *(row for row in rows if int(row.split(",")[2]) % 20 == 0)]) + "\n")
    mean = pool([load_result(cycled)]).sides["right"].mean(KNEE.column)
    assert np.allclose(mean.mean, 21 + PERCENT / 10)


def test_impacts_lie_in_their_percents(cycled: Path, edit_record: Edit) -> None:
    edit_record(cycled, {"impacts": [{"side": "left", "first_frame": 97, "last_frame": 103}, {"side": "right"}]})
    basis = pool([load_result(cycled)])
    struck = np.flatnonzero(basis.sides["left"].impact[0])
    # frames 97 to 103 of a cycle from 97 to 203, with half a frame at either end
    assert (struck[0], struck[-1]) == (0, 6)
    assert not basis.sides["left"].impact[1].any() and not basis.sides["right"].impact.any()


def test_a_line_has_gaps_and_the_axis_shows_all() -> None:
    values = np.array([1.0, np.nan, 3.0, 40.0])
    scale = scale_for(0, 10, values)
    assert scale.low == 0 and scale.high > 40 and scale.ticks[0] == 0 and 3 < len(scale.ticks) < 8
    assert path(scale, np.array([0.0, 30.0, 60.0, 100.0]), values).count("M") == 2
    assert area(scale, np.arange(4.0), values - 1, values + 1).count("Z") == 1
    assert path(scale, np.arange(4.0), np.full(4, np.nan)) == ""
    x, y = (float(part) for part in path(scale, np.array([0.0, 100.0]), np.array([0.0, 0.0]))[1:].split("l")[0].split())
    assert (x, y) == (pytest.approx(float(scale.x(0.0)), abs=0.05), pytest.approx(float(scale.y(0.0)), abs=0.05))


# --- norms ----------------------------------------------------------------------------------------------------


def band_about(mean: np.ndarray, sd: float, spike: float = 0.0) -> Band:
    return Band(percent=PERCENT, mean=mean, sd=np.full(101, sd), n=10, spike_until_percent=spike)


def test_where_a_curve_leaves_the_norms_is_told(cycled: Path) -> None:
    left = pool([load_result(cycled)]).sides["left"]
    mean = left.mean(KNEE.column).mean
    assert against(KNEE, left, band_about(mean + 3.9, 2)).words == "within"
    assert against(KNEE, left, band_about(mean + 4.1, 2)) == ("outside", "below at 0–100 %")
    bent = mean.copy()
    bent[20:30] -= 10
    bent[50:52] -= 10  # too short to tell
    bent[70:81] += 10
    assert against(KNEE, left, band_about(bent, 2)).words == "above at 20–29 %, below at 70–80 %"
    assert against(KNEE, left, band_about(mean + 1, 0.1)).words == "within"  # less than 1/40 of the axis
    assert against(KNEE, None, band_about(mean, 2)).level == "unknown"
    assert against(KNEE, left, None).words == "no norm"


def test_neither_an_impact_nor_the_norms_spike_is_held_against(cycled: Path, edit_record: Edit) -> None:
    loaded = load_result(cycled)
    mean = pool([loaded]).sides["left"].mean(POWER.column).mean
    early = np.where(PERCENT <= 6, mean + 5, mean)
    assert against(POWER, pool([loaded]).sides["left"], band_about(early, 0.5)).words == "below at 0–6 %"
    assert against(POWER, pool([loaded]).sides["left"], band_about(early, 0.5, spike=7)).level == "within"
    edit_record(cycled, {"impacts": [{"side": "left", "first_frame": 97, "last_frame": 103}]})
    assert against(POWER, pool([load_result(cycled)]).sides["left"], band_about(early, 0.5)).level == "within"


def test_how_far_the_thighs_axes_seem_turned_stands_below_knee_adduction(cycled: Path, edit_record: Edit) -> None:
    axis = {"axis_turned_deg": -12.4, "axis_turned_error_deg": 5.6, "axis_turned_repeats_deg": 1.0}
    edit_record(cycled, {"quality": {"calibration": {"left": {"knee_axis": axis}, "right": {"knee_axis": None}}}})
    loaded = load_result(cycled)
    drawn = Drawn("s0", ("left", "right"), pool([loaded]), None, {}, (loaded,))
    html = part("panels", "curve_groups", "s0", figures(drawn), [])
    _, _, panel = html.partition('data-column="knee_adduction_deg"')
    assert "Left: the thigh’s axes seem turned outward by 12° ± 6°" in panel.partition("</figure>")[0]
    assert html.count("axes seem turned") == 1


# --- trust, plates, assumptions -------------------------------------------------------------------------------


def test_trust_says_what_is_known_and_what_is_not(cycled: Path, edit_record: Edit) -> None:
    good = {"trial": "good", "left": "good", "right": "good", "reasons": []}
    text = "left knee: varus–valgus follows flexion, as if the thigh's axes were turned inward by 14° ± 5°"
    turned = {"severity": "info", "code": "knee_axis_turned", "text": text}
    edit_record(cycled, {"verdict": good, "warnings": [turned]})
    loaded = load_result(cycled)
    said = words(trust_html(loaded))
    assert "angles from 2 cycles; moments and power from 1 whole stance (plate 2)" in said
    assert "axes were turned inward by 14° ± 5°" in said
    html = trust_html(loaded)
    assert html.count('class="badge care"') == 1 and html.count('class="badge good"') == 5  # all but the left knee
    edit_record(cycled, {"verdict": {**good, "left": "do not use"}, "quality": {}})
    loaded = load_result(cycled)
    html = trust_html(loaded)
    assert html.count('class="badge no"') == 3 and html.count('class="badge good"') == 3


def test_a_stance_that_is_not_whole_for_the_verdict_is_none_here(cycled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = load_result(cycled)
    for share, said in ((0.91, "in part of a stance only"), (0.93, "moments and power from 1 whole stance")):
        monkeypatch.setattr("gaitid.report.page.head.known_share", lambda *_, share=share: share)
        assert said in words(trust_html(loaded))


def test_trust_of_a_side_without_a_load(cycled: Path) -> None:
    path = cycled.with_name("walk.contacts.csv")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "1+3" not in line), encoding="utf-8")
    loaded = load_result(cycled)
    said = words(trust_html(loaded))
    assert "angles from 1 cycle; moments and power not known: no stance with a known load" in said


def test_which_foot_was_on_which_plate(cycled: Path, edit_record: Edit) -> None:
    edit_record(cycled, {"quality": {"plates": [{"plate": n, "peak_vertical_N": 20.0 * n} for n in range(1, 5)]}})
    said = words(part("summary", "plates_section", plates([load_result(cycled)]), (), 1))
    assert "2 left 97–160 97 % geometry" in said
    assert "1 and 3 right 150–213 90 % geometry" in said
    assert "4 none – – no foot’s load is known from it; it carried 80 N at most" in said
    assert "frames left 203–266: the foot stands across the edge of plate 3" in said


def test_names_of_people_stand_only_where_the_record_keeps_them(cycled: Path, edit_record: Edit) -> None:
    def head() -> str:
        (session,) = load_results([cycled])
        return words(part("parts", "facts", facts(session, [1.1, 1.3])))

    assert "Name" not in head() and "Speed 1.20 ± 0.14 m/s" in head()
    edit_record(cycled, {"trial": {"subject_names": ["Jane Doe"]}})
    assert head().startswith("Name Jane Doe Speed")


def test_what_was_assumed(cycled: Path, edit_record: Edit) -> None:
    given = [
        {"severity": "assumption", "code": "a", "text": "marker = 14 mm (from /home/Jane_Doe/static.c3d)"},
        {"severity": "doubt", "code": "b", "text": "a doubt"},
    ]
    edit_record(cycled, {"warnings": given})
    said = words(assumed_html(load_result(cycled)))
    assert said == "What was assumed marker = 14 mm (from static.c3d)"
    edit_record(cycled, {"warnings": []})
    assert "Of the body and the laboratory nothing" in assumed_html(load_result(cycled))


def test_what_several_trials_say_alike_is_said_once(make_result, tmp_path: Path, edit_record: Edit) -> None:
    loaded = []
    for stem, noise in (("one", "0.1"), ("two", "0.2"), ("three", "")):
        path = make_result(tmp_path / "session", stem)
        warnings = (
            [{"severity": "info", "code": "n", "text": f"the markers carry {noise} mm of noise"}] if noise else []
        )
        cure = {"lowers_to": "usable", "code": "c", "side": "", "text": f"{stem} is {noise} off", "cure": "look"}
        edit_record(path, {"warnings": warnings, "verdict": {"trial": "usable", "reasons": [cure] if noise else []}})
        loaded.append(load_result(path))
    (note,) = notes(loaded)
    assert note.words == "one, two: the markers carry 0.1 mm of noise (figures of one)"
    assert [reason.trials for reason in reasons(loaded)] == [("one",), ("two",)]  # these say different things


def test_texts_lose_their_folders_and_their_rounding() -> None:
    assert readable("give --static /data/Jane_Doe/static.c3d") == "give --static static.c3d"
    assert readable("see C:\\Users\\Jane\\walk.c3d: gone") == "see walk.c3d: gone"
    assert readable("at -5.5e-20 m and 1e-3 m, N/kg, and/or 1/2") == "at 0 m and 1e-3 m, N/kg, and/or 1/2"


# --- methods --------------------------------------------------------------------------------------------------


def test_the_methods_paragraph_says_what_the_record_holds(cycled: Path, edit_record: Edit) -> None:
    edit_record(
        cycled,
        {
            "model": {"name": "pig", "title": "Conventional gait model", "table": {"source": "Winter DA (2009)."}},
            "settings": {"cutoff_hz": 6.0, "marker_filter": "butterworth", "force_cutoff_hz": None},
            "trial": {"camera_rate_hz": 100.0},
            "subject": {"mass": {"value": 45.8, "unit": "kg", "source": "trial, stored"}},
            "quality": {"plates": [{"plate": 1}, {"plate": 2}]},
        },
    )
    text = methods_text([load_result(cycled)], None)
    for said in (
        "One trial was analysed. Marker trajectories were recorded at 100 Hz together with 2 force plates.",
        "followed model “pig” of gaitid (Conventional gait model), calibrated with measurements stored in the trial.",
        "were those of Winter DA (2009), scaled to a body mass of 45.8 kg (as stored in the trial).",
        "went through a zero-phase Butterworth low-pass filter with an effective cut-off (−3 dB of both passes) of 6 Hz"
        "; ground reaction forces were not filtered.",
        "2 of 4 contacts",
        "cycles available: 2 of the left leg and 1 of the right leg.",
        "gaitid 0.1.0",
    ):
        assert said in text
    assert "nan" not in text and "None" not in text and ".." not in text


def test_the_checklist_says_what_is_not_recorded(cycled: Path) -> None:
    result = load_result(cycled)
    table = part("engineer", "checklist", topics([result]))
    assert len(re.findall("<tr", table)) > 20
    asked = dict(re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td>', table))
    assert asked["Inertial parameters"] == asked["Uncertainty of the result"] == "not recorded"
    assert asked["External loads and their assignment"] == "2 of 4 contacts known; by geometry"
    bare = replace(result, record={"gaitid": "0.1"}, contacts=())
    answers = re.findall(r"<td>(.*?)</td>", part("engineer", "checklist", topics([bare])))
    assert answers.count("not recorded") > 12


# --- defaults -------------------------------------------------------------------------------------------------


def test_what_was_taken_by_default_is_said(cycled: Path) -> None:
    result = load_result(cycled)
    norms = Norms("n", "Norms 1", "", "", "", 5, "", False, "", {})

    def taken(command: list[str], norms: Norms | None = None, **settings: object) -> tuple[str, ...]:
        record = {**result.record, "command": ["gaitid", "run", *command], "settings": settings}
        table = {"model": {"table": {"source": "Winter DA (2009)."}}, "quality": {"marker_noise_mm": 1e-5}}
        return taken_by_default([replace(result, record={**record, **table})], norms)

    inertia, forces = "Segment masses and inertia: Winter DA (2009).", "Forces of the plates: not filtered."
    smoothed = "Markers: no filter, as they were smoothed before they were stored (next to no noise in them)."
    assert taken([], cutoff_hz=None, force_cutoff_hz=None) == (inertia, smoothed, forces)
    assert taken(["--cutoff", "none"], cutoff_hz=None, force_cutoff_hz=10.0) == (inertia,)
    assert taken(["--set=force_cutoff_hz=none"], cutoff_hz=6.0, force_cutoff_hz=None) == (inertia,)
    assert taken([], norms)[1:] == ("Norms: Norms 1, though no file says the age of the subject.",)
    bare = replace(result, record={"gaitid": "0.1"})
    assert taken_by_default([bare], None) == ()


def test_other_planes_are_told_beside_the_sagittal_one(cycled: Path) -> None:
    basis = pool([load_result(cycled)])
    knee = basis.sides["left"].mean("knee_internal_rotation_deg").mean
    bands = {
        "knee_internal_rotation_deg": Band(PERCENT, knee, np.full(101, 1.0), 5),
        "foot_progression_internal_rotation_deg": Band(PERCENT, np.full(101, 90.0), np.full(101, 1.0), 5),
        "knee_flexion_deg": Band(PERCENT, np.full(101, 90.0), np.full(101, 1.0), 5),
    }
    norms = Norms("n", "Norms 1", "", "", "", 5, "", False, "", bands)
    said = words(part("summary", "glance_section", glance(basis, norms, "")))
    assert "Outside in other planes, of 4 curves drawn over norms below: foot progression (both)." in said
    assert "The table is of the sagittal plane and of powers alone." in said
    assert "inside the norm’s mean ± 2 SD, twice the grey band" in said


def test_norms_that_do_not_judge_are_drawn_without_words(cycled: Path) -> None:
    result = load_result(cycled)
    basis = pool([result])
    band = Band(PERCENT, np.full(101, 90.0), np.full(101, 1.0), 5)
    speed = {"speed_m_per_s": Figure(9.0, 0.1, "m/s", 5)}
    judging = Norms("n", "Norms 1", "", "", "", 5, "", False, "", {"knee_flexion_deg": band}, speed, {}, "children")
    for norms in (judging, replace(judging, judges=False)):
        drawn = Drawn("k", ("left", "right"), basis, norms, {})
        tables = (
            part("summary", "glance_section", glance(basis, norms, "")),
            part("panels", "curve_groups", "k", figures(drawn), []),
            part("tables", "side_table", spatiotemporal([result], norms)),
        )
        legend = words(part("curves", "legend", drawn))
        assert ["below" in words(html) for html in tables] == [norms.judges] * 3
        assert "norm, mean ± 1 SD: Norms 1 (children)" in legend
        assert ("beyond mean ± 2 SD" in legend) == norms.judges
        assert "9.00 ± 0.10" in words(tables[2])


# --- recorded walks -------------------------------------------------------------------------------------------


def test_the_page_of_a_recorded_walk_answers(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    trial = root.parent / "shared" / "trials" / "children" / "HC030A" / "walk.c3d"
    if not trial.exists():
        pytest.skip("the shared trials are not beside this checkout")
    words_of_command = [sys.executable, "-m", "gaitid", "run", str(trial), "--model", "pig", "-o", str(tmp_path / "r")]
    subprocess.run(words_of_command, env={**os.environ, "PYTHONPATH": str(root)}, check=True, capture_output=True)
    text = write_report([tmp_path / "r"], tmp_path / "walk.html").read_text(encoding="utf-8")
    said = words(text[: text.index("<h2>Curves")])
    assert re.search(r"2 right 304–365 99 % the plate was loaded while this foot stood", said)
    assert "able-bodied children (4 to 18 years); the age of this subject is not given" in said
    assert not re.search(r"Ankle power (within|above|below)", said)
    asked = write_report([tmp_path / "r"], tmp_path / "asked.html", norms="schwartz2008").read_text(encoding="utf-8")
    assert re.search(r"Ankle power (within|above|below)", words(asked[: asked.index("<h2>Curves")]))
    assert "Of the body and the laboratory nothing: it stood in the files" in said
    assert re.search(r"Knee (yes|with care)", said)
    assert "not its moment in the first 7 %: the impact of the foot strike" in said
    assert len(text) < 3_000_000
    record = json.loads((tmp_path / "r" / "walk.run.json").read_text())
    assert str(record["verdict"]["trial"]) in said


# --- what is worked on ----------------------------------------------------------------------------------------


def test_a_long_report_says_what_it_works_on(
    cycled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from gaitid.cli import report

    said: list[str] = []
    write_report([cycled], tmp_path / "walk.html", say=said.append)
    assert said[0] == "reading walk.run.json" and len(said) == 3
    lines: list[str] = []
    monkeypatch.setattr(report, "print_info", lines.append)
    patience = report._Patience()
    patience("one")
    assert lines == []
    monkeypatch.setattr(report, "_SAY_EVERY_S", 0.0)
    patience("two")
    assert lines == ["report: two (step 2)"]
