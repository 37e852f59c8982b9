"""The file: whole, self-contained, the same every time, and errors of one line."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gaitid.errors import GaitidError
from gaitid.report import write_report

Edit = Callable[[Path, dict[str, object]], None]
Make = Callable[..., Path]
VOID = {"meta", "br", "input"}


class Elements(HTMLParser):
    """Every element with its attributes, and the ones that were not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.unclosed: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.unclosed += self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.unclosed.append(tag)


def html(results: list[Path], output: Path) -> str:
    return write_report(results, output).read_text(encoding="utf-8")


def test_page_is_whole_and_needs_nothing_else(page: str) -> None:
    elements = Elements(page)
    assert elements.unclosed == []
    assert page.startswith("<!DOCTYPE html>")
    assert page.endswith("</html>\n")
    tags = {tag for tag, _ in elements.found}
    assert not tags & {"link", "img", "iframe", "object", "embed", "base"}
    for _, attributes in elements.found:
        for name in ("src", "href", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#")
    fetched = re.findall(r"https?:[^\s\"']*|@import|url\((?!#)", page)
    assert set(fetched) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|importScripts)\b\(", page)
    assert len(page) < 3_000_000


def test_several_sessions_get_a_section_each(make_result: Make, tmp_path: Path) -> None:
    paths = [make_result(tmp_path / "pre"), make_result(tmp_path / "pre", "run"), make_result(tmp_path / "post")]
    text = html(paths, tmp_path / "all.html")
    assert re.findall(r'<article id="(.*?)"', text) == ["compared", "s0", "s1"]
    assert re.findall(r"<h1>(.*?)</h1>", text) == ["pre and post", "pre", "post · walk"]


def test_a_failed_write_leaves_the_old_file(result: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "out" / "walk.html"
    output.parent.mkdir()
    output.write_text("old", encoding="utf-8")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(GaitidError, match=r"walk\.html: cannot be written; found No space left on device"):
        write_report([result], output)
    assert output.read_text(encoding="utf-8") == "old"
    assert os.listdir(output.parent) == ["walk.html"]


def refusal(results: list[Path], output: Path, format: str | None = None) -> str:
    with pytest.raises(GaitidError) as caught:
        write_report(results, output, format)
    line = caught.value.line()
    assert "\n" not in line
    assert not output.exists() or output in results
    return line


def test_refuses_what_is_not_a_result(result: Path, tmp_path: Path) -> None:
    output = tmp_path / "walk.html"
    assert "no such file or folder; expected a NAME.run.json" in refusal([result.with_name("walk.c3d")], output)
    assert "not a result; expected a file NAME.run.json" in refusal([result.with_name("walk.joints.csv")], output)
    assert "gone.run.json: no such file" in refusal([result.with_name("gone.run.json")], output)
    bad = result.with_name("bad.run.json")
    for content, wrong in (
        (b"{not json", "bad.run.json: not JSON"),
        (b"[" * 100_000, "bad.run.json: not JSON"),
        (b"\xff\xfe\x00", "bad.run.json: not text"),
        (b"[1, 2]", "found a list"),
        (b'{"name": "npm", "version": 1}', "found the keys name, version"),
    ):
        bad.write_bytes(content)
        assert wrong in refusal([bad], output)


@pytest.mark.parametrize(
    ("table", "old", "new", "wrong"),
    [
        (
            "joints",
            "left_knee_flexion_deg",
            "left_knee_bend",
            "columns missing: left_knee_flexion_deg, right_knee_bend;",
        ),
        ("wrenches", "right_ground_force_z_N", "rz", "columns missing: right_ground_force_z_N;"),
        ("contacts", "confidence", "sureness", "columns missing: confidence;"),
        ("contacts", "left,2,", "middle,2,", "line 2: not a contact"),
        ("contacts", "left,2,97", "left,2,", "line 2: not a contact"),
        ("joints", "\n58,0.01,", "\n58,0.01,oops", "line 3, column left_foot_progression"),
        ("joints", "\n58,", "\n58,,", "line 3 is not whole; expected 52 cells; found 53"),
        ("joints", "\n58,", "\n59,", "its frames are not those of walk.wrenches.csv"),
        ("joints", "\n58,0.01,", "\n58,0.00,", "does not increase"),
    ],
)
def test_names_what_is_wrong_in_a_table(
    result: Path, tmp_path: Path, table: str, old: str, new: str, wrong: str
) -> None:
    path = result.with_name(f"walk.{table}.csv")
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    line = refusal([result], tmp_path / "walk.html")
    assert line.startswith(str(path))
    assert wrong in line


HOSTILE = "<script>alert(1)</script>\"'&$x_{1}$\u0000\ud800\n日本"


@pytest.mark.parametrize("suffix", ["html", "png"])
def test_hostile_text_is_only_text(result: Path, tmp_path: Path, edit_record: Edit, suffix: str) -> None:
    edit_record(
        result,
        {
            "gaitid": HOSTILE,
            "warnings": [{"severity": HOSTILE, "code": HOSTILE, "text": HOSTILE}],
            "model": {"name": HOSTILE, HOSTILE: [HOSTILE]},
            "subject": {HOSTILE: {"value": HOSTILE, "unit": HOSTILE, "source": HOSTILE}},
            "settings": {HOSTILE: {HOSTILE: HOSTILE}},
            "conventions": {HOSTILE: HOSTILE},
            "coverage": {"left": {HOSTILE: {HOSTILE: 1, "reasons": {HOSTILE: 2}}}},
            "inputs": [{"path": HOSTILE, "sha256": HOSTILE, "role": HOSTILE}],
            "quality": {HOSTILE: HOSTILE},
            "segments": {HOSTILE: [HOSTILE]},
        },
    )
    contacts = result.with_name("walk.contacts.csv")
    rows = contacts.read_text(encoding="utf-8").replace("beside every plate", "<script>$\\alpha$</script>")
    contacts.write_text(rows.replace("1+3", "<script>$1$"), encoding="utf-8")
    output = write_report([result], tmp_path / f"walk.{suffix}")
    if suffix == "html":
        text = output.read_text(encoding="utf-8")
        elements = Elements(text)
        ours = [attributes for tag, attributes in elements.found if tag == "script"]
        assert ours.count({}) == 1 and all(a.get("type") == "application/json" for a in ours if a)
        assert elements.unclosed == []
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
        assert "\x00" not in text


@pytest.mark.parametrize("frame", ["1e300", "57.5", "-1e18"])
def test_frames_that_no_trial_has(result: Path, tmp_path: Path, frame: str) -> None:
    for kind in ("wrenches", "joints"):
        path = result.with_name(f"walk.{kind}.csv")
        lines = path.read_text().splitlines()
        lines[-1] = ",".join([frame, *lines[-1].split(",")[1:]])
        path.write_text("\n".join(lines) + "\n")
    assert "not a whole number up to 1000000000" in refusal([result], tmp_path / "o.html")
