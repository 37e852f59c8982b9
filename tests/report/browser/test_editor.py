"""The page as an editor of one trial: drag, click, give reasons, save, run again, and the table has it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import gaitid

Show = Callable[..., "Opened"]  # noqa: F821
SAMPLE = Path(__file__).resolve().parents[3] / "sample_data" / "walk" / "walk.c3d"
EVENT = '[data-event="left strike"]'


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLE, tmp_path / "walk.c3d"))


def run(trial: Path) -> Path:
    """The record of a run, which takes the corrections that lie beside the trial."""
    gaitid.analyse(trial, model="pig").write(trial.parent / "out")
    return trial.parent / "out" / "walk.run.json"


def editor(show: Show, result: Path, width: int = 1280) -> Any:
    opened = show([result], width)
    opened.page.evaluate("document.querySelector('.correct').open = true")
    assert opened.said == []
    return opened


def reasoned(opened: Any, *reasons: str) -> None:
    inputs = opened.all(".changes input")
    assert inputs.count() == len(reasons)
    for i, reason in enumerate(reasons):
        inputs.nth(i).fill(reason)


def saved(opened: Any, to: Path) -> dict[str, Any]:
    """What the browser saves, put to where the page says."""
    opened.page.get_by_label("Author").fill('A. "Ann" Smith')
    with opened.page.expect_download() as download:
        opened.page.get_by_role("button", name="Save corrections").click()
    assert download.value.suggested_filename == to.name
    assert "Put it beside walk.c3d" in opened.all(".said").text_content()
    download.value.save_as(to)
    content: dict[str, Any] = yaml.safe_load(to.read_text(encoding="utf-8"))
    return content


def frames(record: Path, side: str, kind: str) -> list[float]:
    used = json.loads(record.read_text(encoding="utf-8"))["events"]["used"]
    return [round(100 * e["time_s"] + 1, 1) for e in used if (e["side"], e["kind"]) == (side, kind)]


def test_what_is_dragged_clicked_and_struck_out_is_in_the_next_run(trial: Path, show: Show) -> None:
    first = run(trial)
    assert frames(first, "left", "strike") == [89.4, 199.4]
    opened = editor(show, first)
    mark = opened.all(EVENT).first
    mark.scroll_into_view_if_needed()
    box, stage = mark.bounding_box(), opened.all(".stage").bounding_box()
    frame = stage["width"] / 1000 * 926 / 299
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] - 6
    opened.page.mouse.move(x, y)
    opened.page.mouse.down()
    opened.page.mouse.move(x + 2 * frame, y, steps=4)
    opened.page.mouse.move(x + 4.6 * frame, y, steps=4)
    opened.page.mouse.up()
    assert mark.get_attribute("aria-valuenow") == "94"
    contact = opened.page.get_by_role("button", name=re.compile("right contact, frames 147 to 210"))
    contact.click()
    assert contact.get_attribute("aria-label").endswith("left, plate 2")
    contact.click()
    assert contact.get_attribute("aria-label").endswith("no plate")
    opened.page.get_by_role("button", name="right cycle 1").click()
    words = opened.all(".changes tbody td:first-child").all_text_contents()
    assert words == ["left strike moved from frame 89 to 94", "right foot on no plate", "right cycle 1 not used"]
    # no reason, no file
    opened.page.get_by_label("Author").fill("A. Smith")
    opened.page.get_by_role("button", name="Save corrections").click()
    assert "reason" in opened.all(".said").text_content()
    reasoned(opened, "toe: drags", "hand # on it", "stumble — säuft")
    file = trial.with_name("walk.corrections.yaml")
    content = saved(opened, file)
    assert [entry["reason"] for entry in content["leave_out"]] == ["stumble — säuft"]
    assert opened.said == []

    again = run(trial)
    assert frames(again, "left", "strike") == [94.0, 199.4]
    record = json.loads(again.read_text(encoding="utf-8"))
    assert {c["plates"] for c in record["contacts"] if c["side"] == "right"} == {""}
    assert [c["number"] for c in record["events"]["left_out_cycles"]] == [1]
    table = gaitid.load(again).spatiotemporal
    assert table[table.side == "left"].first_frame.dropna().tolist() == [94]
    assert table[(table.side == "right") & table.first_frame.notna()].cycle.tolist() == ["2"]

    # the next page has what was corrected, takes one back and keeps the others
    opened = editor(show, again)
    shown = opened.all(".kept td:first-child").all_text_contents()
    assert "left strike moved from frame 89 to 94" in shown
    opened.page.get_by_role("button", name="right cycle 1").click()
    content = saved(opened, file)
    assert "leave_out" not in content
    assert content["events"][0]["author"] == 'A. "Ann" Smith'
    assert content["contacts"][0]["plates"] == "none"
    assert "left_out_cycles" not in json.loads(run(trial).read_text(encoding="utf-8"))["events"]


def test_all_of_it_goes_by_keys(trial: Path, show: Show) -> None:
    opened = editor(show, run(trial), 390)
    assert opened.width()[0] <= 390
    keys = opened.page.keyboard
    opened.all('[data-event="left off"]').first.focus()
    for key in ("ArrowRight", "Shift+ArrowRight", "ArrowLeft"):
        keys.press(key)
    opened.all('[data-event="right strike"]').last.focus()
    keys.press("Delete")
    opened.page.get_by_role("button", name=re.compile("left contact, frames 92")).focus()
    keys.press("Enter")
    opened.page.get_by_role("button", name="right cycle 1").focus()
    keys.press("Space")  # its number would be another one
    assert "run again" in opened.all(".said").text_content()
    opened.page.get_by_role("spinbutton", name="Frame").fill("253")
    opened.page.get_by_role("combobox", name="Foot").select_option("right")
    opened.page.get_by_role("button", name="Add", exact=True).click()
    reasoned(opened, "a", "b", "c", "d")
    content = saved(opened, trial.with_name("walk.corrections.yaml"))
    assert [(e["do"], e["side"], e["kind"], e["frame"]) for e in content["events"]] == [
        ("move", "left", "off", 58),
        ("remove", "right", "strike", 254),
        ("add", "right", "strike", 253),
    ]
    assert [(c["side"], c["plates"]) for c in content["contacts"]] == [("right", "1")]
    assert frames(run(trial), "right", "strike")[-1] == 253.0


def test_a_page_of_two_trials_has_no_editor(trial: Path, show: Show, tmp_path: Path) -> None:
    first = run(trial)
    other = Path(shutil.copytree(first.parent, tmp_path / "other")) / first.name
    opened = show([first, other])
    assert opened.all(".correct").count() == 0
    assert opened.said == []
