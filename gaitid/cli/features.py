"""`gaitid features`."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from gaitid.cli.common import Target, attempt, print_error, print_info, talk_options


@click.command(
    short_help="All features of a data set in one table: a row a trial.",
    epilog="Example:  gaitid batch study/ -o results; gaitid features results -o all.csv\n\nMore: docs/features.md",
)
@click.argument("results", nargs=-1, required=True, type=Target(), metavar="FOLDER...")
@click.option("-o", "--output", required=True, type=Target(), metavar="FILE", help="The table: .csv or .parquet.")
@click.option("--norms", metavar="NAME|FILE", help="Also Gait Profile Scores against these; see `gaitid norms`.")
@click.option("--asymmetry", is_flag=True, help="Also left less right of each feature, and ratios.")
@talk_options
def command(results: tuple[Path, ...], output: Path, norms: str | None, asymmetry: bool) -> int:
    """All features and figures of strides of all trials, one row each, with subject, session, model and verdict.

    A FOLDER holds results of `gaitid run` or `batch`; a run.json may be given too. Each number is the mean over the
    cycles of its side in which it is known. Subject and session are those of the `batch.csv` above a result.
    """
    from gaitid.compare.feature_table import feature_row, refuse_suffix, table_content
    from gaitid.disk.atomic import write_all
    from gaitid.inputs import refuse_to_overwrite
    from gaitid.norms.choose import refuse_unknown
    from gaitid.report.gathering import BatchTables
    from gaitid.results.one_run import find_records

    refuse_suffix(output)
    refuse_unknown(norms)
    records = find_records(results)
    refuse_to_overwrite([output], records)
    tables: BatchTables = {}
    read = partial(feature_row, tables=tables, norms=norms, with_asymmetry=asymmetry)
    rows = [row for path in records if (row := attempt(str(path), partial(read, path))) is not None]
    refused = len(records) - len(rows)
    if rows:
        write_all(output.parent, {output.name: table_content(rows, output.suffix.lower())})
        print_info(f"wrote {output}: {len(rows)} trials")
    if refused and len(records) > 1:
        print_error(f"{refused} of {len(records)} results were refused")
    return 1 if refused else 0
