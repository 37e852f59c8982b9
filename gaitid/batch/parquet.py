"""All results of a batch as one Parquet data set, partitioned by subject: a row a frame, wrenches and joints."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from gaitid.batch.job import DONE, Outcome
from gaitid.batch.results_folder import FOLDER, FRAMES
from gaitid.batch.table import in_cell
from gaitid.batch.types import Planned
from gaitid.errors import GaitidError, WriteError

SUBJECT = "subject_name"
_JOINED = ("wrenches", "joints")
_WHOLE_NUMBERS = ("frame",)
# Of a name in most file systems, bytes.
_LONGEST = 255


def require_pyarrow() -> None:
    """Refuse before any work where the library is absent.

    Raises
    ------
    GaitidError
    """
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise GaitidError("--parquet needs the library pyarrow", todo="pip install 'gaitid[parquet]'") from None


def refuse_long_subjects(planned: Iterable[Planned]) -> None:
    """Refuse before any work a subject whose folder a file system would not take.

    Raises
    ------
    GaitidError
    """
    for one in planned:
        if len(_partition(one)) > _LONGEST:
            raise GaitidError(
                f"subject {one.subject[:20]}…: its folder subject=NAME, quoted as in a URL, has too long a name",
                expected=f"at most {_LONGEST} bytes",
                found=str(len(_partition(one))),
                todo="give a shorter one in a manifest",
            )


def _partition(one: Planned) -> str:
    """Of its subject, quoted as in a URL: plain ASCII."""
    return f"subject={quote(one.subject, safe=' ', errors='replace')}"


def sweep_frames(output: Path) -> None:
    """Take away what a process left aside that was killed while it made the data set, or took it away."""
    for name in (FRAMES, f"{FRAMES}.old"):
        shutil.rmtree(output / FOLDER / name, ignore_errors=True)


def write_parquet(output: Path, planned: Iterable[tuple[Planned, Outcome]]) -> Path:
    """Make ``frames.parquet/subject=NAME/*.parquet`` anew from the CSV files of the trials that are done.

    The partition's name is quoted as in a URL, which DuckDB, pandas, Polars and R's arrow undo (Apache Hive's
    layout). Many take a partition ``001`` for the number 1: `SUBJECT` has the subject as text. Columns: `SUBJECT`,
    ``trial`` (path as given), ``frame``, ``time_s``, those of ``wrenches.csv`` and ``joints.csv``; an unknown cell is
    null. The data set is made aside and takes the place of the one before as a whole.

    Parameters
    ----------
    output : Path
    planned : iterable of (Planned, Outcome)

    Returns
    -------
    Path

    Raises
    ------
    WriteError
    """
    aside, old, final = output / FOLDER / FRAMES, output / FOLDER / f"{FRAMES}.old", output / FRAMES
    try:
        sweep_frames(output)
        aside.mkdir()
        for i, (one, outcome) in enumerate(planned):
            if outcome.status == DONE:
                folder = aside / _partition(one)
                folder.mkdir(exist_ok=True)
                _one(one, folder / f"{quote(one.trial.stem, safe=' ', errors='replace')[:100]}-{i}.parquet")
        if final.exists():
            os.replace(final, old)
        os.replace(aside, final)
        if old.exists():
            shutil.rmtree(old)
    except OSError as error:
        shutil.rmtree(aside, ignore_errors=True)
        raise WriteError(f"cannot write {final} ({error.strerror or error})") from None
    return final


def _one(planned: Planned, target: Path) -> None:
    import pyarrow as pa
    from pyarrow import csv, parquet

    names: list[str] = [SUBJECT, "trial"]
    columns: list[pa.ChunkedArray] = []
    for kind in _JOINED:
        path = planned.folder / f"{planned.trial.stem}.{kind}.csv"
        with path.open(encoding="utf-8") as file:
            header = file.readline().rstrip("\n").split(",")
        # said, not guessed: a column without a known cell is of numbers too
        types = {name: pa.int64() if name in _WHOLE_NUMBERS else pa.float64() for name in header}
        with path.open("rb") as binary:  # pyarrow opens no name that is no UTF-8
            table = csv.read_csv(
                binary,
                read_options=csv.ReadOptions(use_threads=False),
                convert_options=csv.ConvertOptions(column_types=types, null_values=[""]),
            )
        if not columns:
            for word in (planned.subject, planned.trial):
                columns.append(pa.chunked_array([pa.array([in_cell(word)] * table.num_rows, pa.string())]))
        new = [name for name in table.column_names if name not in names]
        names += new
        columns += [table.column(name) for name in new]
    parquet.write_table(pa.table(columns, names=names), target, compression="zstd")
