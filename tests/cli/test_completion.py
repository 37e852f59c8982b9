"""What TAB offers, asked as the shells ask; and bash, zsh and fish themselves, where they are installed."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal import assert_wrong_usage, gaitid

from gaitid.cli import complete
from gaitid.cli.completion import SWITCH_ON, VARIABLE, Bash, Fish, Zsh
from gaitid.cli.group import COMMANDS, group
from gaitid.model.load import bundled_models, merged_content
from gaitid.model.marker_sets import bundled_marker_sets
from gaitid.model.settings import READER, SETTINGS, Settings
from gaitid.norms.sets import published_sets

BREAKS = " \t\n\"'><=;|&(:"  # bash's own


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files of every kind, in which the line is typed."""
    (tmp_path / "with space").mkdir()
    (tmp_path / "results").mkdir()
    names = ["walk.c3d", "WALK2.C3D", "walk.csv", "walk.trc", "notes.txt", "mine.yaml", "grf.mot", ".hidden.c3d"]
    for name in [*names, "walk.run.json", "other.json", "with space/w1.c3d"]:
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def offered(line: str, shell: type[Bash | Fish] = Bash) -> list[str]:
    """What is offered where a line breaks off."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMP_LINE", line)
        patch.setenv("COMP_WORDBREAKS", BREAKS)
        answers = shell(group, {}, "gaitid", VARIABLE).complete()
    return [answer.partition(",")[2] for answer in answers.splitlines()]


FOLDERS = ["results", "with space"]


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("gaitid run ", ["WALK2.C3D", "results", "walk.c3d", "walk.csv", "walk.trc", "with space"]),
        ("gaitid run walk.c3d walk", ["walk.c3d", "walk.csv", "walk.trc"]),
        ("gaitid run .h", [".hidden.c3d"]),
        ("gaitid run --static wa", ["walk.c3d", "walk.csv", "walk.trc"]),
        ("gaitid run --subject ", ["mine.yaml", *FOLDERS]),
        ("gaitid run --plates m", ["mine.yaml"]),
        ("gaitid run --forces ", ["grf.mot", "results", "walk.csv", "with space"]),
        ("gaitid run -o ", FOLDERS),
        ("gaitid run with\\ space/", ["with space/w1.c3d"]),
        ("gaitid run 'with sp", ["with space"]),
        ('gaitid run "with space/', ["with space/w1.c3d"]),
        ("gaitid batch m", ["mine.yaml"]),
        ("gaitid inspect walk.t", ["walk.trc"]),
        ("gaitid report ", ["results", "walk.run.json", "with space"]),
        ("gaitid export w", ["walk.run.json", "with space"]),
        ("gaitid norms build walk", ["walk.run.json"]),
        ("gaitid check --against r", ["results"]),
        ("gaitid models markers walk.c", ["walk.c3d", "walk.csv"]),
        ("gaitid run nothing_there/", []),
    ],
)
def test_files(line: str, files: list[str], folder: Path) -> None:
    assert offered(line) == files


def test_tilde_stays_as_typed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert offered("gaitid run ~/walk.t") == ["~/walk.trc"]


def test_names(folder: Path) -> None:
    assert offered("gaitid run --model ") == ["auto", *bundled_models(), "mine.yaml", *FOLDERS]
    assert offered("gaitid capacity --model ") == [*bundled_models(), "mine.yaml", *FOLDERS]  # which has no auto
    assert offered("gaitid models show pi") == ["pig", "pig_vicon"]
    assert offered("gaitid run --markers plug") == ["plug_in_gait"]
    assert set(offered("gaitid run --markers ")) >= set(bundled_marker_sets())
    assert offered("gaitid report walk.run.json --norms ")[:-3] == [*published_sets(), "none"]
    assert offered("gaitid norms show sch") == ["schwartz2008"]
    assert offered("gaitid simulate swing") == ["swing_leg", "swing_leg_tracked"]
    assert offered("gaitid simulate show swing") == ["swing_leg", "swing_leg_tracked"]
    assert offered("gaitid simulate s")[:1] == ["show"]
    assert offered("gaitid mechanism slider") == offered("gaitid mechanism show slider") == ["slider_crank"]
    assert offered("gaitid report --figure she") == ["sheet"]
    assert offered("gaitid capacity --limits ex") == ["example"]


def test_options_and_their_values(folder: Path) -> None:
    assert offered("gaitid run --solver ") == ["block", "dense", "recursive", "constrained"]
    assert offered("gaitid run --express-in j") == ["jcs"]
    assert "segments" in offered("gaitid run walk.c3d --write ")
    assert offered("gaitid run --req") == ["--require-forces"]
    assert offered("gaitid check --tolerance force_N")[0] == "force_N="
    assert offered("gaitid run --assign l") == ["left="]
    assert offered("gaitid export --to t") == ["trc"]
    assert offered("gaitid completion ") == ["bash", "zsh", "fish"]
    assert offered("gaitid ") == list(COMMANDS)
    assert offered("gaitid mod") == ["models"]
    assert offered("gaitid models sc") == ["schema"]
    assert "--debug" in offered("gaitid no_such_command --")


def test_settings_and_their_values() -> None:
    keys = offered("gaitid run --set ", Fish)
    assert {f"{key}=" for key in (*Settings.__annotations__, "point_unit")} <= set(keys)
    for key, setting in SETTINGS.items():
        if setting.among:
            assert offered(f"gaitid run --set {key}=", Fish) == [f"{key}={word}" for word in setting.among]
    assert offered("gaitid run --set external_support=", Fish) == ["external_support=yes", "external_support=no"]
    assert offered("gaitid inspect --set ", Fish) == [f"{key}=" for key in READER]
    assert list(READER) == ["point_unit", "point_rate_hz", "force_start_s", "vertical", "mirror"]
    for key, setting in READER.items():
        assert offered(f"gaitid inspect --set {key}=", Fish) == [f"{key}={word}" for word in setting.among]
    assert offered("gaitid run --set point_unit=c", Fish) == ["point_unit=cm"]
    # bash completes only what stands behind the equals sign
    assert offered("gaitid run --set marker_filter=gc") == ["gcv_spline"]


def test_every_word_that_is_offered_for_a_setting_is_taken() -> None:
    from gaitid.model.load import load_model

    for key, setting in SETTINGS.items():
        for word in setting.among:
            assert getattr(load_model("pig", {key: word}).settings, key) == (None if word == "none" else word)


def test_choices_that_a_model_declares(folder: Path) -> None:
    for name, path in bundled_models().items():
        declared = merged_content(path).choices
        assert complete._choices(name).keys() == declared.keys()
        for key, choice in declared.items():
            assert set(complete._choices(name)[key]) == set(choice.options)
    Path("mine.yaml").write_text("extends: pig\nchoices: {hip_centre: {options: {ours: {title: ours}}}}\n")
    assert offered("gaitid run --model mine.yaml --set hip_centre=ou", Fish) == ["hip_centre=ours"]
    assert "hip_centre=hara" in offered("gaitid run --model mine.yaml --set hip_centre=", Fish)


def test_zsh_is_told_a_pattern_and_what_words_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    def answers(line: str) -> list[str]:
        monkeypatch.setenv("COMP_LINE", line)
        return Zsh(group, {}, "gaitid", VARIABLE).complete().splitlines()

    assert answers("gaitid run wa") == ["glob", "*(#i)(.c3d|.csv|.trc|.tsv)(-.)", "_"]
    assert answers("gaitid run -o ") == ["folders", "*", "_"]
    assert answers("gaitid simulate show tur") == ["plain", "turn", "turns by 75° in two steps, on the plates"] + [
        "glob",
        "*(#i)(.yaml|.yml)(-.)",
        "_",
    ]


def test_the_script_says_how_to_switch_it_on() -> None:
    for shell, (line, file) in SWITCH_ON.items():
        done = gaitid("completion", shell)
        assert done.code == 0
        assert f"put this line into {file}:\n#     {line}\n" in done.out
        assert line in gaitid("completion", "--help").out
    assert "completion" in gaitid("--help").out
    assert_wrong_usage(gaitid("completion", "tcsh"), "'tcsh' is not one of")
    assert_wrong_usage(gaitid("completion"), "Missing argument")


def test_what_a_shell_asks_is_answered_without_numpy() -> None:
    """It takes longer to load than all else together, and would be noticed at every TAB."""
    code = "import sys; from gaitid.cli import main\ntry: main()\nexcept SystemExit: print('numpy' in sys.modules)"
    for line in ("gaitid run wa", "gaitid run --set cut", "gaitid run --model p", "gaitid simulate "):
        env = {**os.environ, "COMP_LINE": line, VARIABLE: "bash_complete"}
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "False", line
        assert done.stderr == ""


# --- real shells --------------------------------------------------------------------------------------------


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


@pytest.fixture
def with_gaitid(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a shell that finds `gaitid`."""
    bin_ = tmp_path_factory.mktemp("bin")
    starter = bin_ / "gaitid"
    starter.write_text(f"#!{sys.executable}\nfrom gaitid.cli import entry\nentry()\n")
    starter.chmod(0o755)
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    home = str(tmp_path_factory.mktemp("home"))
    return {**os.environ, "PATH": f"{bin_}:{os.environ['PATH']}", "PYTHONPATH": path, "HOME": home, "TERM": "dumb"}


class Typist:
    """Somebody who types into a shell and waits for what they expect to see."""

    def __init__(self, argv: list[str], env: dict[str, str]) -> None:
        import pty

        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.execvpe(argv[0], argv, env)

    def type(self, text: str, awaited: str) -> str:
        os.write(self.file, text.encode())
        seen, end = "", time.monotonic() + 20
        while awaited not in seen.replace("\b", "") and time.monotonic() < end:
            if select.select([self.file], [], [], 0.1)[0]:
                seen += os.read(self.file, 4096).decode(errors="replace")
        return seen

    def leave(self) -> None:
        os.close(self.file)
        os.waitpid(self.pid, 0)


@pytest.fixture(params=["bash", "zsh"])
def typist(request: pytest.FixtureRequest, with_gaitid: dict[str, str]) -> Iterator[Typist]:
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    options = {"bash": ["--norc", "-i"], "zsh": ["-f", "-i"]}[shell]
    typist = Typist([shell, *options], with_gaitid)
    # what is printed and awaited does not stand in what is typed
    typist.type(f"{SWITCH_ON[shell][0]}; echo switched $((1+1))\n", "switched 2")
    yield typist
    typist.leave()


@pytest.mark.parametrize(
    ("typed", "awaited"),
    [
        ("gaitid run walk.t\t", "walk.trc"),
        ("gaitid run with\t\t", "w1.c3d"),
        ("gaitid run --set marker_filter=gc\t", "gcv_spline"),
        ("gaitid run --set mark\t", "marker_filter="),
        ("gaitid insp\t", "inspect"),
        ("gaitid run --model hel\t", "helen_hayes"),
    ],
)
def test_tab(typed: str, awaited: str, typist: Typist) -> None:
    assert awaited in typist.type(typed, awaited).replace("\b", "")


@needs("fish")
def test_fish(with_gaitid: dict[str, str]) -> None:
    lines = ["gaitid run walk.t", "gaitid run with", "gaitid run --set marker_filter=gc", "gaitid insp"]
    code = "; ".join([SWITCH_ON["fish"][0], *(f'complete -C "{line}"' for line in lines)])
    done = subprocess.run(["fish", "--no-config", "-c", code], env=with_gaitid, capture_output=True, text=True)
    about = COMMANDS["inspect"]
    expected = ["walk.trc", "with space/", "marker_filter=gcv_spline", f"inspect\t{about}"]
    assert done.stdout.splitlines() == expected, done.stderr
