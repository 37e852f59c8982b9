"""What the report says: unknown stays unknown, peaks belong to contacts, the record in any shape."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gaitid.report import write_report
from gaitid.report.gathering import load_result
from gaitid.report.page.figures_table import PEAKS, peak

Words = Callable[[Path], str]


def html(result: Path) -> str:
    return write_report([result], result.with_name("walk.html")).read_text(encoding="utf-8")


@pytest.fixture
def words() -> Words:
    """The page of a result."""
    return html


def rewrite(path: Path, change: Callable[[list[str], list[str]], list[str]]) -> None:
    """Change every row of a table, given the header and the row."""
    lines = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [lines[0], *(change(lines[0], row) for row in lines[1:])]
    path.write_text("\n".join(",".join(row) for row in rows) + "\n", encoding="utf-8")


def blank(path: Path, wanted: Callable[[str, int], bool]) -> None:
    """Empty the cells for which `wanted` (column, frame) holds."""
    rewrite(
        path,
        lambda header, row: ["" if wanted(name, int(row[0])) else cell for name, cell in zip(header, row, strict=True)],
    )


def test_peaks_are_those_of_the_contact_alone(result: Path, words: Words) -> None:
    def change(header: list[str], row: list[str]) -> list[str]:
        cells = dict(zip(header, row, strict=True))
        frame = int(row[0])
        cells["left_ankle_plantarflexion_moment_Nm_per_kg"] = {130: "1.5", 96: "9", 161: "9"}.get(frame, "0.1")
        cells["left_knee_power_W_per_kg"] = {97: "-2.25", 160: "0.75", 96: "-9"}.get(frame, "0")
        return list(cells.values())

    rewrite(result.with_name("walk.joints.csv"), change)
    loaded = load_result(result)
    left = loaded.contacts[0]
    found = {kind.name: peak(loaded, left, kind) for kind in PEAKS}
    assert (found["Ankle plantarflexion"].value, found["Ankle plantarflexion"].frame) == (1.5, 130)
    assert (found["Knee absorption"].value, found["Knee absorption"].frame) == (-2.25, 97)
    assert (found["Knee generation"].value, found["Knee generation"].frame) == (0.75, 160)
    text = words(result)
    assert '<td class="n">1.50<small>frame 130</small></td>' in text
    assert '<td class="n">−2.25<small>frame 97</small></td>' in text


def test_no_peak_comes_from_the_frames_of_an_impact(result: Path, words: Words) -> None:
    def change(header: list[str], row: list[str]) -> list[str]:
        cells = dict(zip(header, row, strict=True))
        cells["left_hip_extension_moment_Nm_per_kg"] = {98: "2.5", 104: "0.7", 120: "0.5"}.get(int(row[0]), "0.1")
        cells["left_knee_power_W_per_kg"] = {97: "-2.25", 140: "-0.5"}.get(int(row[0]), "0")
        return list(cells.values())

    rewrite(result.with_name("walk.joints.csv"), change)
    record = json.loads(result.read_text(encoding="utf-8"))
    record["impacts"] = [{"side": "left", "first_frame": 92, "last_frame": 103}]
    result.write_text(json.dumps(record), encoding="utf-8")
    loaded = load_result(result)
    found = {kind.name: peak(loaded, loaded.contacts[0], kind) for kind in PEAKS}
    hip = found["Hip extension"]
    assert (hip.value, hip.frame, hip.empty, hip.beside_impact) == (0.7, 104, 0, True)
    knee = found["Knee absorption"]
    assert (knee.value, knee.frame, knee.beside_impact) == (-0.5, 140, False)
    assert "beside the impact" in words(result)


def test_empty_peaks_stay_empty_and_partial_ones_say_so(result: Path, words: Words) -> None:
    blank(
        result.with_name("walk.joints.csv"),
        lambda name, frame: (
            name.startswith("left_hip_extension_moment")
            or (name.startswith("left_knee_extension_moment") and 100 <= frame <= 109)
        ),
    )
    loaded = load_result(result)
    found = {kind.name: peak(loaded, loaded.contacts[0], kind) for kind in PEAKS}
    assert np.isnan(found["Hip extension"].value)
    assert (found["Knee extension"].empty, found["Knee extension"].frames) == (10, 64)
    text = words(result)
    assert '<td class="n">–</td>' in text
    assert "10 of 64 empty" in text


def test_warnings_are_grouped_by_severity_the_most_serious_first(
    result: Path, edit_record: Callable[[Path, dict[str, object]], None], words: Words
) -> None:
    given = [("info", "gap"), ("doubt", "<noise>"), ("error", "jump"), ("doubt", "bias"), ("brand new", "odd")]
    warnings = [{"severity": severity, "code": "c", "text": text} for severity, text in given]
    edit_record(result, {"warnings": warnings})
    assert (
        "<h4>Errors</h4><ul><li>jump</li></ul><h4>Doubts</h4><ul><li>&lt;noise&gt;</li><li>bias</li></ul>"
        "<h4>For information</h4><ul><li>gap</li></ul><h4>brand new</h4><ul><li>odd</li></ul>"
    ) in words(result)


def test_the_page_leads_with_who_why_and_three_reasons(
    cycled: Path, edit_record: Callable[[Path, dict[str, object]], None]
) -> None:
    given = [
        {"lowers_to": "usable", "code": f"c{n}", "side": "", "text": f"reason {word}", "cure": ""}
        for n, word in enumerate(("one", "two", "three", "four", "five"))
    ]
    verdict = {"trial": "usable", "left": "usable", "right": "good", "reasons": given}
    why = {"value": "falls <often>", "unit": "", "source": "subject file"}
    edit_record(cycled, {"verdict": verdict, "subject": {"reason": why, "age": {"value": 40, "unit": "years"}}})
    page = html(cycled)
    before = page[page.index("<article") : page.index('class="curves"')]
    assert "<b>Why</b> falls &lt;often&gt;</p>" in before and "<b>Used</b> 1 trial: walk</li>" in before
    shown = re.sub(r"<details.*?</details>", "", before, flags=re.DOTALL)
    assert [word for word in ("one", "two", "three", "four") if f"Reason {word}" in shown] == ["one", "two", "three"]
    assert "<summary>2 more reasons</summary>" in before
    for part in ("Can I trust it?", "What was assumed", "Which foot was on which plate"):
        assert f'aria-label="{part}"' in before and f'aria-label="{part}"' not in shown
    assert "The age of the subject is not known" not in page
    assert "Research software, not a medical device" in page.split("<footer>")[1]
    edit_record(cycled, {"subject": {}})
    assert "The age of the subject is not known" in html(cycled).split("</header>")[0]


def test_what_is_known_of_a_partial_hit_leads_the_better_leg_first(
    cycled: Path, edit_record: Callable[[Path, dict[str, object]], None]
) -> None:
    """A leg without a whole stance has its angles, and its moments in swing; what may be wrong has nothing."""
    reason = {"lowers_to": "usable", "code": "no_whole_stance", "side": "left", "text": "over the edge", "cure": ""}
    edit_record(cycled, {"verdict": {"trial": "usable", "left": "usable", "right": "good", "reasons": [reason]}})
    verdict = html(cycled).split('aria-label="Verdict"')[1]
    right, left = verdict.index('<b class="right">Right</b>'), verdict.index('<b class="left">Left</b>')
    assert right < left < verdict.index("over the edge")
    assert "angles from 2 cycles; moments and power" in verdict[left:]
    edit_record(cycled, {"verdict": {"trial": "usable", "left": "do not use", "right": "good", "reasons": [reason]}})
    assert '<b class="left">Left</b>: nothing that may be used' in html(cycled)
    edit_record(cycled, {"verdict": {"trial": "good", "left": "good", "right": "good", "reasons": []}})
    assert '<ul class="known">' not in html(cycled)


def test_the_speed_of_an_adult_stands_beside_that_of_their_age_and_sex(
    cycled: Path, edit_record: Callable[[Path, dict[str, object]], None]
) -> None:
    """Bohannon & Andrews 2011: 1.43 m/s of men in their forties, and no spread by which a speed could be judged."""
    male = {"value": "male", "unit": "", "source": "subject file"}
    edit_record(cycled, {"subject": {"age": {"value": 44.9, "unit": "years"}, "sex": male}})
    page = html(cycled)
    assert "mean of healthy men of 40 to 49 years" in page and '<td class="n norm">1.43</td>' in page
    for age, sex in ((9.0, male), (44.9, {"value": None})):
        edit_record(cycled, {"subject": {"age": {"value": age, "unit": "years"}, "sex": sex}})
        assert "mean of healthy" not in html(cycled)


def test_the_subject_is_in_units_that_people_read(
    result: Path, edit_record: Callable[[Path, dict[str, object]], None], words: Words
) -> None:
    subject = {
        "left.knee_width": {"value": 0.1023456789, "unit": "m", "source": "trial"},
        "left.thigh_rotation": {"value": 0.1, "unit": "rad", "source": "static"},
        "mass": {"value": 71.123456789, "unit": "kg", "source": "trial"},
        "foot_length": {"value": None, "unit": "m", "source": "nobody"},
    }
    edit_record(result, {"subject": subject})
    page = words(result)
    for shown in ("102.3 mm", "5.730 °", "71.12 kg"):
        assert f'<td class="n">{shown}</td>' in page
