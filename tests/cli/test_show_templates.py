"""`list` and `show` of what comes with gaitid: what is printed can be given back, and is the same."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from slow import slow_but
from terminal import assert_refused, assert_wrong_usage, gaitid

from gaitid.cli.group import COMMANDS, group
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


def test_every_mechanism_is_listed() -> None:
    done = gaitid("mechanism", "list")
    assert [line.split("\t")[0] for line in done.out.splitlines()] == list(bundled_mechanisms())


@pytest.mark.parametrize("command", ["models", "simulate", "mechanism"])
def test_show_into_a_file_of_the_same_name(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shell makes `> NAME.yaml` before gaitid looks for NAME."""
    monkeypatch.chdir(tmp_path)
    name = {"models": "pig", "simulate": "swing_leg", "mechanism": "four_bar"}[command]
    expected = gaitid(command, "show", name).out
    Path(f"{name}.yaml").touch()
    assert gaitid(command, "show", name).out == expected


@pytest.mark.parametrize("command", ["simulate", "mechanism"])
def test_flags_before_the_subcommand(command: str) -> None:
    assert gaitid(command, "-q", "list").out == gaitid(command, "list", "-q").out != ""


@pytest.mark.parametrize(
    "words",
    [("simulate", "walk", "turn"), ("mechanism", "four_bar", "slider_crank"), ("mechanism", "four_bar", "list")],
)
def test_a_second_file_is_wrong_usage(words: tuple[str, ...], tmp_path: Path) -> None:
    done = gaitid(*words, "-o", tmp_path / "x")
    assert_wrong_usage(done, f"unexpected extra argument ({words[-1]}); see gaitid {words[0]} --help")
    assert not (tmp_path / "x").exists()


def test_what_is_no_template() -> None:
    assert_refused(gaitid("simulate", "show", "wak"), "unknown scenario 'wak'", "walk")
    assert_refused(gaitid("mechanism", "show", "four_bra"), "no mechanism 'four_bra'", "four_bar")
    assert_wrong_usage(gaitid("mechanism", "show"), "Missing argument 'NAME'; see gaitid mechanism show --help")
    assert_wrong_usage(gaitid("simulate"), "Missing argument 'SCENARIO'")


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_every_help_names_a_page_that_exists(name: str) -> None:
    done = gaitid(*filter(None, [name]), "--help")
    assert done.code == 0
    pages = re.findall(r"docs/(\w+\.md)", done.out)
    assert pages, done.out
    assert all((DOCS / page).is_file() for page in pages), pages


def test_subcommands_stand_in_the_usage() -> None:
    assert isinstance(group.get_command(click.Context(group), "simulate"), click.Group)
    assert "gaitid simulate show NAME" in gaitid("simulate", "--help").out
    assert "Usage: gaitid simulate show [OPTIONS] NAME" in gaitid("simulate", "show", "--help").out
