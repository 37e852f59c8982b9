"""`list` and `show` of what comes with gaitid: what is printed can be given back, and is the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from slow import slow_but
from terminal import gaitid

from gaitid.cli.common import COMMANDS
from gaitid.mechanism.file import bundled_mechanisms
from gaitid.simulate.scenario_file import bundled_scenarios, load_scenario, scenario_names

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(
    "name", slow_but([n for n in scenario_names() if n not in ("stumble", "stop")], scenario_names())
)
def test_a_scenario_that_is_shown_is_the_scenario(name: str, tmp_path: Path) -> None:
    done = gaitid("simulate", "show", name)
    assert (done.code, done.err) == (0, "")
    mine = tmp_path / "mine.yaml"
    mine.write_text(done.out, encoding="utf-8")
    if name in bundled_scenarios():
        assert done.out == bundled_scenarios()[name].read_text(encoding="utf-8")
        return
    shown, named = load_scenario(str(mine), {}), load_scenario(name, {})
    assert shown.settings == named.settings
    assert shown.scenario == named.scenario


def test_every_scenario_is_listed() -> None:
    done = gaitid("simulate", "list")
    assert [line.split("\t")[0] for line in done.out.splitlines()] == scenario_names()


@pytest.mark.parametrize("name", bundled_mechanisms())
def test_a_mechanism_that_is_shown_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = gaitid("mechanism", "show", name)
    assert done.out == bundled_mechanisms()[name].read_text(encoding="utf-8")
    Path("mine.yaml").write_text(done.out, encoding="utf-8")
    for line in done.lines:  # a table that it reads: gaitid mechanism show TABLE > TABLE
        words, table = line.split(": ")[-1].split(" > ")
        Path(table).write_text(gaitid(*words.split()[1:]).out, encoding="utf-8")
    assert [gaitid("mechanism", given, "-q", "-o", "out").code for given in ("mine.yaml", name)] == [0, 0]
    assert Path("out/mine.loads.csv").read_text() == Path(f"out/{name}.loads.csv").read_text()


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_every_help_names_a_page_that_exists(name: str) -> None:
    done = gaitid(*filter(None, [name]), "--help")
    assert done.code == 0
    pages = re.findall(r"docs/(\w+\.md)", done.out)
    assert pages, done.out
    assert all((DOCS / page).is_file() for page in pages), pages
