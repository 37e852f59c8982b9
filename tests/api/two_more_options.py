"""A program: gaitid with two options more in its table, each added in one place, is looked for them everywhere.

Its words are a trial and the program that makes the reference page.
"""

import inspect
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

from click.shell_completion import ShellComplete

MORE = """
    shoe: Annotated[str, Option(WORD, "What is worn.", ("str", "Worn."), among=("no", "sandal"), column="worn")] = "no"
    sole: Annotated[Path | None, Option(FILE, "How thick it is.", ("path", "Its file."))] = None
"""
BEFORE = "    model: Annotated["


class WithMore(SourceFileLoader):
    """The module as it stands, with two fields more."""

    def get_code(self, fullname: str) -> CodeType:
        text = Path(self.path).read_text(encoding="utf-8")
        assert text.count(BEFORE) == 1
        code: CodeType = self.source_to_code(text.replace(BEFORE, MORE + BEFORE), self.path)
        return code


def load(name: str, file: str, loader: SourceFileLoader) -> ModuleType:
    spec = spec_from_file_location(name, file, loader=loader)
    assert spec is not None and spec.loader is not None
    sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


table = find_spec("gaitid.settings")
assert table is not None and table.origin is not None
load("gaitid.settings", table.origin, WithMore("gaitid.settings", table.origin))

import gaitid  # noqa: E402
from gaitid.batch.manifest import read_manifest  # noqa: E402
from gaitid.cli.batch import batch_command as batch  # noqa: E402
from gaitid.cli.common import group  # noqa: E402
from gaitid.cli.options import run_options  # noqa: E402
from gaitid.cli.run import given_options  # noqa: E402
from gaitid.cli.run import run_command as command  # noqa: E402
from gaitid.cli.summary import plan_text  # noqa: E402
from gaitid.run import prepare  # noqa: E402
from gaitid.run.command import read_command  # noqa: E402
from gaitid.run.plan import plan_file  # noqa: E402

trial, make_cli = sys.argv[1:]
given = ["--shoe", "sandal", "--sole", "sole.yaml"]
Path("sole.yaml").write_text("thickness_mm: 8\n")

# the command line: options, help, completion, the reference page
with command.make_context("run", [trial, "--model", "pig", *given]) as ctx:
    assert "--shoe" in command.get_help(ctx)
    options, words = run_options(ctx), given_options(ctx)
assert (vars(options)["shoe"], vars(options)["sole"]) == ("sandal", Path("sole.yaml"))
offered = ShellComplete(group, {}, "gaitid", "_GAITID_COMPLETE").get_completions
assert [item.value for item in offered(["run", trial, "--shoe"], "")] == ["no", "sandal"]
assert {"--shoe", "--sole"} <= {item.value for item in offered(["run", trial], "--s")}
page = load("make_cli", make_cli, SourceFileLoader("make_cli", make_cli)).page()
assert "--shoe" in page and "How thick it is." in page

# batch and its manifests
assert {"--shoe", "--sole"} <= {flag for parameter in batch.params for flag in parameter.opts}
Path("plan.csv").write_text(f"trial,worn\n{trial},sandal\n")
assert read_manifest(Path("plan.csv"))[0].words == ("--shoe", "sandal")

# a dry run
plan = plan_file(Path(trial), Path("out"), prepare(options))
assert "sole.yaml 16 bytes, sole" in plan_text(plan)

# the words of a record, and back from these
assert words == (*given, "--model", "pig")
assert read_command(["gaitid", "run", "walk.c3d", *words])[1] == options

# keywords, and the record
parameters = inspect.signature(gaitid.analyse).parameters
assert parameters["shoe"].default == "no" and parameters["sole"].default is None
assert "shoe : str" in str(gaitid.analyse.__doc__) and "sole : path" in str(gaitid.analyse.__doc__)
record = gaitid.analyse(trial, model="pig", shoe="sandal", sole="sole.yaml").record
assert record["command"][3:] == list(words)
assert [entry["path"] for entry in record["inputs"] if entry["role"] == "sole"] == ["sole.yaml"]
