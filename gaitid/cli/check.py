"""`gaitid check` and `gaitid inspect`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaitid.analysis import limits as shared_limits
from gaitid.body import length_limits
from gaitid.check import limits
from gaitid.cli import options
from gaitid.cli.common import (
    Progress,
    Target,
    TrialName,
    attempt,
    flag,
    folders_for,
    print_detail,
    print_info,
    print_json,
    talk_options,
)
from gaitid.cli.streams import ERROR, Log, erase_line
from gaitid.cli.summary import FEW, HEADS, print_few
from gaitid.dynamics import SOLVER_NAMES
from gaitid.errors import GaitidError
from gaitid.write import DEFAULT_UNCERTAINTY

if TYPE_CHECKING:
    from gaitid.check.findings import Report
    from gaitid.inspect.contents import Inspected


# The help's end; limits of gaitid.check, .analysis and .body stand in it by their names.
EPILOG = """\b
Example:  gaitid check trials/*.c3d --model pig --require-forces --against golden

\b
What is checked, and the limit:
  analysis        `run` would accept the trial
  solvers         {solvers} agree to {SOLVER_TOLERANCE:g} of the largest value
  force balance   Newton's law for the leg below each joint: over {BALANCE_WINDOW_S:g} s at most {BALANCE_FORCE_BW:.1%}
                  of body weight
  moment balance  Euler's law, likewise: at most {BALANCE_MOMENT_NM_PER_KG:g} N·m/kg
  loads           a stance with a known load (warning; a failure with --require-forces), but of who stands still
  labels          none that jumps, changes places or stands still
  coverage        frames with a known load that are empty: warning above {EMPTY_WARN:.0%}, failure above
                  {EMPTY_FAIL:.0%}, and where no wrench is known in any frame, but of who stands still
  segment length  SD of the distance between neighbouring joint centres, and within the foot: warning above
                  {LENGTH_SD_WARN_M:g} m, failure above {LENGTH_SD_FAIL_M:g} m (markers slipped, wrong calibration)
  segment jump    change of such a length in one frame: {LENGTH_JUMP_M:g} m (markers swapped)
  sides           left and right segments differ in length by at most {SIDE_DIFFERENCE:.0%} (warning)
  peak force      of a whole stance, in body weights: warning outside {PEAK_WARN[0]:g} to {PEAK_WARN[1]:g}
                  ({PEAK_FLYING_WARN:g} where the body flies), failure outside {PEAK_FAIL[0]:g} to {PEAK_FAIL[1]:g}
  both feet       together at most {TOGETHER_WARN:g} body weights while both are on plates (warning)
  mean force      over one step: within {MEAN_WARN:.0%} of body weight (else warning), {MEAN_FAIL:.0%} (else failure)
  verdict         what the trial can be used for, as `run` says it: failure at `do not use` (docs/quality.md)

With --max-uncertainty, the largest standard uncertainty of a quantity, outside the impact of a foot strike, must not be
larger (docs/uncertainty.md). With --against, every table that is kept there is compared; a column, row, contact or cell
that is gone or new fails, and so does a difference above its --tolerance: {tolerances}. Printed is the largest
difference of each quantity, with its column and frame, and since which version, setting, model or input.
More: docs/ci.md
"""


class _Check(click.Command):
    """Its help lists every check with its limit."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.epilog = EPILOG.format(
            solvers=", ".join(SOLVER_NAMES),
            tolerances=", ".join(f"{name} {limit:g}" for name, limit in limits.TOLERANCES.items()),
            **{**vars(shared_limits), **vars(length_limits), **vars(limits)},
        )
        super().format_epilog(ctx, formatter)


@click.command(short_help="Can these trials be analysed and trusted? The exit code says.", cls=_Check)
@click.argument("trials", nargs=-1, required=True, type=TrialName(), metavar="TRIAL...")
@options.option("model")
@options.inputs
@options.option("events")
@options.option("corrections", help="Corrections of the trial by hand (docs/corrections.md); without it none are used.")
@options.option("functional")
@options.option("cutoff")
@options.option("force_cutoff")
@options.loads
@options.option("settings")
@click.option("--against", metavar="DIR", help="Compare with results of run kept there ({parent} as for run).")
@options.tolerance("Of --against, for example force_N=0.1; may be repeated.")
@options.max_uncertainty
@click.option("--solvers", is_flag=True, help="Print of each solver how far it is from the block matrix, and where.")
@options.log
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout instead of lines.")
@talk_options
@click.pass_context
def check_command(
    ctx: click.Context, /, trials: tuple[str, ...], against: str | None, as_json: bool, **given: Any
) -> int:
    """Can each TRIAL be analysed, is the result trustworthy, and did it move? One line a trial on stdout,
    PASS or FAIL with every failed check and its number; the exit code is 1 if any failed. Nothing is written.

    Warnings, assumptions and notes go to stderr, as `run` says them. No check judges how somebody walks.
    """
    from gaitid.check.checks import Wanted, check_file
    from gaitid.check.findings import FAIL, NOTE, WARN, Finding, Report
    from gaitid.run import prepare

    chosen = options.run_options(ctx)
    if given["most_uncertain"]:
        chosen = replace(chosen, uncertainty=DEFAULT_UNCERTAINTY)
    options.refuse_options_of_one_trial(chosen, len(trials))
    if given["tolerances"] and against is None:
        raise click.UsageError("--tolerance belongs to --against; give --against DIR, or leave it out")
    golden = {} if against is None else dict(folders_for(trials, "--against", against))
    wanted = Wanted({**limits.TOLERANCES, **given["tolerances"]}, given["most_uncertain"])
    reports: list[Report] = []
    with Log(given["log_file"], "check", len(trials)) as log, Progress(len(trials)) as progress:
        setup = attempt("", partial(prepare, chosen), log)
        if setup is None:
            return 1
        for path in map(Path, trials):
            progress.at(path)
            report = attempt(str(path), partial(check_file, path, setup, golden.get(path), wanted), log)
            if report is None:
                report = Report(path, (Finding("analysis", FAIL, "it could not be checked"),))
            else:
                _log(log, report)
            if not as_json:
                erase_line()
                click.echo(" ".join(report.line().splitlines()))
            if len(trials) <= FEW or flag("verbose") or given["solvers"]:
                _print_findings(report, given["solvers"] and not as_json)
            reports.append(report)
    failed = sum(not report.passed for report in reports)
    if as_json:
        print_json({"passed": not failed, "trials": [report.as_dict() for report in reports]})
    if len(trials) > FEW and not flag("verbose"):
        noted = sum(any(finding.status in (WARN, NOTE) for finding in report.findings) for report in reports)
        print_info(f"{len(trials)} trials: {failed} failed, {noted} with warnings or notes; --verbose prints them")
    elif failed and len(trials) > 1:
        print_info(f"{failed} of {len(trials)} trials failed")
    return 1 if failed else 0


def _print_findings(report: Report, solvers: bool) -> None:
    """Warnings, notes and, with --verbose, all others on stderr; on stdout how far each solver is off, if asked."""
    from gaitid.check.findings import NOTE, WARN

    for finding in report.findings:
        if solvers and finding.name == "solvers":
            click.echo("\n".join(f"{report.path}: solvers: {line}" for line in finding.detail or (finding.text,)))
        if finding.status not in (WARN, NOTE):
            print_detail(f"{report.path}: {finding.status}: {finding.name}: {finding.text}")
    said = [f for f in report.findings if f.status in (WARN, NOTE)]
    print_few(
        report.path,
        [(f"{HEADS[f.severity]}: {text}", cure) for f in said for text, _, cure in [f.text.partition("; cure: ")]],
    )


def _log(log: Log, report: Report) -> None:
    """The trial's warnings and notes, and what became of it."""
    from gaitid.check.findings import FAIL, NOTE, WARN

    for finding in report.findings:
        if finding.status in (WARN, NOTE):
            log.warn(finding.text)
    if report.passed:
        log.done("passed")
    else:
        log.done("failed", "; ".join(f"{f.name}: {f.text}" for f in report.findings if f.status == FAIL), ERROR)


@click.command(
    short_help="What is in a file: markers, plates, loads, subject, events.",
    epilog="Example:  gaitid inspect walk.c3d --picture walk.png; gaitid inspect walk.c3d --json > walk.inspect.json; "
    "gaitid inspect */*.c3d; gaitid inspect --plates-template > plates.yaml\n\nMore: docs/command_line.md",
)
@click.argument("trials", nargs=-1, required=True, type=Target(), metavar="TRIAL...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout instead of text.")
@click.option(
    "--picture",
    type=Target(),
    metavar="FILE",
    help="Draw markers, gaps and plates on one page: a PNG, SVG or PDF file.",
)
@click.option("--model", "models", multiple=True, help="A model of yours to look at too (YAML); may be repeated.")
@options.inputs
@options.option("events")
@options.reader_set
@options.option("keep_names")
@click.option(
    "--plates-template",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda ctx, _, asked: _plates_template(ctx) if asked else None,
    help="Print a file for --plates to fill in, and nothing else; no TRIAL is needed.",
)
@talk_options
def inspect_command(
    trials: tuple[Path, ...], as_json: bool, picture: Path | None, keep_names: bool, **given: Any
) -> int:
    """Show what is in TRIAL (.c3d, .csv, .trc or .tsv): markers and their gaps, rates, force plates and their loads,
    which foot stands on which plate, events, measurements of the subject, stored model outputs, which
    model `--model auto` takes, and what the nearest other one (with --verbose: each) would still need.

    Nothing is written but a picture that is asked for; the text goes to stdout, of several trials a line each (with
    --verbose all). Frames are numbered as the file numbers them, lengths are in metres and forces in newtons.
    """
    from gaitid.inspect.contents import Beside, inspected
    from gaitid.inspect.words import describe, in_one_line

    settings = options.reader_settings(given.pop("settings"), given.pop("subject_prefix"))
    many = len(trials) > 1
    if many and picture is not None:
        raise click.UsageError("--picture is of one trial; give the trials one by one")
    if many and (given["forces"] is not None or given["plates"] is not None):
        raise click.UsageError("--forces and --plates belong to one trial; give the trials one by one")
    options.refuse_events_of_one(given["events"], len(trials))
    beside = Beside(**given)
    contents, refused = [], 0
    with Progress(len(trials)) as progress:
        for trial in trials:
            progress.at(trial)
            seen = attempt(str(trial), partial(inspected, trial, beside, keep_names, settings, flag("verbose")))
            if seen is None:
                refused += 1
                continue
            for error in seen.undecided:
                print_info(f"{trial}: {error.line()}")
            if as_json:
                contents.append(seen.content)
            else:
                erase_line()
                click.echo(
                    in_one_line(seen.content)
                    if many and not flag("verbose")
                    else describe(seen.content, flag("verbose")),
                    nl=False,
                )
                for name, model in seen.content["models"].items() if not many else ():
                    for warning in model["warnings"]:
                        print_detail(f"{trial}: {name}: {warning}")
            if picture is not None and attempt(str(trial), partial(_draw, seen, picture)) is None:
                refused += 1
    if as_json and (many or contents):
        print_json({"trials": contents} if many else contents[0])
    if many and not as_json:
        print_info(f"{len(trials)} trials: {len(trials) - refused} read, {refused} refused")
    return 1 if refused else 0


def _plates_template(ctx: click.Context) -> None:
    from gaitid.read.plates.plates_file import TEMPLATE

    click.echo(TEMPLATE, nl=False)
    ctx.exit()


def _draw(seen: Inspected, file: Path) -> Path:
    from gaitid.disk.atomic import put_all
    from gaitid.drawing import load_matplotlib
    from gaitid.inputs import found_trial, refuse_to_overwrite

    refuse_to_overwrite([file], [found_trial(seen.trial.path)])
    load_matplotlib(f"{file}: a picture")
    from gaitid.inspect.picture import picture

    drawn = picture(seen, file.suffix)
    try:
        [written] = put_all(file.parent, {file.name: drawn})
    except OSError as error:
        raise GaitidError(f"{file}: cannot be written ({error.strerror or error})") from None
    print_info(f"wrote {written}")
    return written
