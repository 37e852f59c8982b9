"""What is published beside the package: the recipe of conda-forge, the action and its example workflow."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

from gaitid.version import __version__

ROOT = Path(__file__).resolve().parents[1]
(BUILT_BY,) = re.findall(r"from (gaitid\S*) import parse_all", (ROOT / "hatch_build.py").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_recipe_of_conda_asks_for_what_the_project_needs() -> None:
    """matplotlib-base is matplotlib without windows."""
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    needed = {words.replace("matplotlib", "matplotlib-base") for words in PROJECT["project"]["dependencies"]}
    of_conda = {words.replace(" ", "") for words in recipe["requirements"]["run"] if not words.startswith("python ")}
    assert of_conda == needed
    built_by = {words.replace(" ", "") for words in recipe["requirements"]["host"][2:]}
    assert built_by == set(PROJECT["build-system"]["requires"])
    assert recipe["context"]["version"] == __version__
    assert f">={recipe['context']['python_min']}" == PROJECT["project"]["requires-python"]
    (command,) = PROJECT["project"]["scripts"].items()
    assert recipe["build"]["python"]["entry_points"] == [" = ".join(command)]


def test_the_example_workflow_uses_inputs_that_the_action_has_and_every_python() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    workflow = yaml.safe_load((ROOT / "docs" / "examples" / "gaitid-check.yml").read_text(encoding="utf-8"))
    job = workflow["jobs"]["check"]
    (step,) = (step for step in job["steps"] if "gaitid" in step["uses"])
    assert set(step["with"]) <= set(action["inputs"])
    assert step["uses"].endswith(f"@v{__version__}")
    declared = [words.split()[-1] for words in PROJECT["project"]["classifiers"] if re.search(r":: 3\.\d+$", words)]
    assert job["strategy"]["matrix"]["python-version"] == declared


def test_models_are_parsed_with_what_a_build_has() -> None:
    """A build is isolated: pip installs there what [build-system] asks for, PyYAML among it, and nothing else."""
    allowed = {*sys.stdlib_module_names, "yaml", "_yaml", "gaitid"}
    code = f"""
import pathlib, sys
class Only:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in {allowed!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Only())
from {BUILT_BY} import parse_all
print(len(parse_all(pathlib.Path({str(ROOT / "configs")!r})).splitlines()))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 40
