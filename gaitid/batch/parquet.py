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
    """Raise a `GaitidError` where the library is absent; before any work."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise GaitidError("--parquet needs the library pyarrow", todo="pip install 'gaitid[parquet]'") from None


def refuse_long_subjects(planned: Iterable[Planned]) -> None:
    """Raise a `GaitidError` at a subject whose folder a file system would not take; before any work."""
    for trial in planned:
        if (length := len(_partition(trial.subject))) > _LONGEST:
            raise GaitidError(
                f"subject {trial.subject[:20]}…: its folder subject=NAME, quoted as in a URL, has too long a name",
                expected=f"at most {_LONGEST} bytes",
                found=str(length),
                todo="give a shorter one in a manifest",
            )


def _partition(subject: str) -> str:
    """The name of a subject's folder, quoted as in a URL: plain ASCII."""
    return f"subject={quote(subject, safe=' ', errors='replace')}"


def sweep_frames(output: Path) -> None:
    """Delete what a process left aside that was killed while it made the data set or deleted it."""
    for name in (FRAMES, f"{FRAMES}.old"):
        shutil.rmtree(output / FOLDER / name, ignore_errors=True)


def write_parquet(output: Path, planned: Iterable[tuple[Planned, Outcome]]) -> Path:
    """Make ``frames.parquet/subject=NAME/*.parquet`` anew from the CSV files of the trials that are done.

    The partition's name is quoted as in a URL, which DuckDB, pandas, Polars and R's arrow undo (Apache Hive's
    layout). Many take a partition ``001`` for the number 1: `SUBJECT` has the subject as text. Columns: `SUBJECT`,
    ``trial`` (path as given), ``frame``, ``time_s``, those of ``wrenches.csv`` and ``joints.csv``; an unknown cell is
    null. The data set is made aside and takes the place of the previous one as a whole.

    Returns
    -------
    Path
        Of the data set.

    Raises
    ------
    WriteError
        It cannot be written.
    """
    aside, old, final = output / FOLDER / FRAMES, output / FOLDER / f"{FRAMES}.old", output / FRAMES
    try:
        sweep_frames(output)
        aside.mkdir()
        for i, (trial, outcome) in enumerate(planned):
            if outcome.status == DONE:
                folder = aside / _partition(trial.subject)
                folder.mkdir(exist_ok=True)
                name = quote(trial.trial.stem, safe=" ", errors="replace")[:100]
                _write_trial(trial, folder / f"{name}-{i}.parquet")
        if final.exists():
            os.replace(final, old)
        os.replace(aside, final)
        if old.exists():
            shutil.rmtree(old)
    except OSError as error:
        shutil.rmtree(aside, ignore_errors=True)
        raise WriteError(f"cannot write {final} ({error.strerror or error})") from None
    return final


def _write_trial(planned: Planned, target: Path) -> None:
    import pyarrow as pa
    from pyarrow import csv, parquet

    names: list[str] = [SUBJECT, "trial"]
    columns: list[pa.ChunkedArray] = []
    for name in _JOINED:
        path = planned.folder / f"{planned.trial.stem}.{name}.csv"
        with path.open("rb") as file:  # pyarrow opens no name that is no UTF-8
            header = file.readline().decode().rstrip("\n").split(",")
            file.seek(0)
            # given, not guessed: a column without a known cell is of numbers too
            types = {column: pa.int64() if column in _WHOLE_NUMBERS else pa.float64() for column in header}
            converted = csv.ConvertOptions(column_types=types, null_values=[""])
            table = csv.read_csv(file, read_options=csv.ReadOptions(use_threads=False), convert_options=converted)
        if not columns:
            for word in (planned.subject, planned.trial):
                columns.append(pa.chunked_array([pa.array([in_cell(word)] * table.num_rows, pa.string())]))
        new = [name for name in table.column_names if name not in names]
        names += new
        columns += [table.column(name) for name in new]
    parquet.write_table(pa.table(columns, names=names), target, compression="zstd")
