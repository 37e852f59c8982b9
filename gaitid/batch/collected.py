"""Tables across trials: what each trial's own table says, below each other, with the trial that each row is of.

Which tables these are stands in `gaitid.write.ACROSS_TRIALS`. Trials are read one after the other, so that the memory
that is needed does not grow with their number.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from gaitid.batch.job import DONE, Outcome
from gaitid.batch.results_folder import writing
from gaitid.batch.table import TABLE_KEY, key_cells
from gaitid.batch.types import Planned
from gaitid.disk.atomic import place_all, put_all
from gaitid.write import ACROSS_TRIALS, TEXT_COLUMNS

#: The files in a batch's folder, as CSV and as Parquet.
COLLECTED = tuple(f"{table}.csv" for table in ACROSS_TRIALS)
COLLECTED_PARQUET = tuple(f"{table}.parquet" for table in ACROSS_TRIALS)
_WHOLE_NUMBERS = ("frame", "first_frame", "last_frame")
# Bytes of CSV that are copied, or converted, at a time.
_BLOCK = 1 << 23


def write_tables(
    output: Path, planned: Sequence[Planned], outcomes: Mapping[str, Outcome], others: Mapping[str, str]
) -> None:
    """Write every table across trials, and then `others`: all of them are in place at the end, or none.

    Parameters
    ----------
    output : Path
        The batch's folder.
    planned : sequence of Planned
        Their order is that of the rows; a trial that is not done has none.
    outcomes : mapping of str to Outcome
        By the trial's path.
    others : mapping of file name to text
        That are to be in place with them, last.

    Raises
    ------
    WriteError
        The folder cannot be written to, or a trial's table not be read; what was there before stays.
    """
    done = [(trial, outcomes[str(trial.trial)]) for trial in planned if str(trial.trial) in outcomes]
    done = [(trial, outcome) for trial, outcome in done if outcome.status == DONE]
    pairs: list[tuple[Path, Path]] = []
    with writing(output):
        try:
            for i, table in enumerate(ACROSS_TRIALS):
                # named like a file aside: the next batch takes it away if this process is killed
                aside = output / f".{table}.csv.{os.getpid()}.{i}.part"
                pairs.append((aside, output / f"{table}.csv"))
                _write_rows(aside, table, done)
            for name, text in others.items():
                aside = output / f".{name}.{os.getpid()}.{len(pairs)}.part"
                pairs.append((aside, output / name))
                put_all(output, {aside.name: text})
            place_all(pairs)
        except BaseException:
            for aside, _ in pairs:
                with suppress(OSError):
                    aside.unlink(missing_ok=True)
            raise


def _write_rows(target: Path, table: str, done: Sequence[tuple[Planned, Outcome]]) -> None:
    """One table of all trials that have it; a column that a trial's table lacks is empty there."""
    columns = list(dict.fromkeys(name for trial, outcome in done for name in _columns(trial, outcome, table)))
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*TABLE_KEY, *columns])
        for trial, outcome in done:
            key = key_cells(trial, outcome)
            with _lines(trial, outcome, table) as (header, lines):
                if header == columns:  # as most are: bytes are copied as they are, a hundred times as fast
                    file.flush()
                    before = _csv_line([*key, ""]).encode()
                    while block := lines.read(_BLOCK) + lines.readline():
                        file.buffer.write(before + block[:-1].replace(b"\n", b"\n" + before) + block[-1:])
                    continue
                at = {name: i for i, name in enumerate(header)}
                places = [at.get(name) for name in columns]
                rows = csv.reader(io.TextIOWrapper(lines, encoding="utf-8", newline=""))
                writer.writerows([*key, *("" if i is None else row[i] for i in places)] for row in rows)
        file.flush()
        os.fsync(file.fileno())


def _columns(trial: Planned, outcome: Outcome, table: str) -> list[str]:
    """The columns of a trial's table, without those that say which trial it is."""
    with _lines(trial, outcome, table) as (header, _):
        return [name for name in header if name not in TABLE_KEY]


def _csv_line(cells: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


@contextmanager
def _lines(trial: Planned, outcome: Outcome, table: str) -> Iterator[tuple[list[str], BinaryIO]]:
    """The header of a trial's table and its other lines, each a row; none where it has no such table."""
    name = f"{trial.trial.stem}.{table}.csv"
    if name not in outcome.outputs:
        yield [], io.BytesIO()
        return
    with (trial.folder / name).open("rb") as file:
        yield _names(file.readline()), file


@lru_cache(maxsize=16)  # most trials have the same
def _names(header: bytes) -> list[str]:
    return next(csv.reader([header.decode()]), [])


def tables_as_parquet(output: Path) -> None:
    """Write each table across trials as Parquet too, block by block.

    Words are text, frames whole numbers, everything else numbers; an unknown cell is null.

    Raises
    ------
    WriteError
        It cannot be written; each file is whole or absent.
    """
    with writing(output):
        for i, table in enumerate(ACROSS_TRIALS):
            aside = output / f".{table}.parquet.{os.getpid()}.{i}.part"
            try:
                _convert(output / f"{table}.csv", aside)
                place_all([(aside, output / f"{table}.parquet")])
            finally:
                aside.unlink(missing_ok=True)


def _convert(source: Path, target: Path) -> None:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv
    from pyarrow import parquet

    def kind(column: str) -> Any:
        if column in TABLE_KEY or column in TEXT_COLUMNS:
            return pa.string()
        return pa.int64() if column in _WHOLE_NUMBERS else pa.float64()

    with source.open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    types = {column: kind(column) for column in header}
    options = arrow_csv.ConvertOptions(column_types=types, null_values=[""])
    reading = arrow_csv.ReadOptions(use_threads=False, block_size=_BLOCK)
    with (
        source.open("rb") as rows,  # pyarrow opens no name that is no UTF-8
        arrow_csv.open_csv(rows, read_options=reading, convert_options=options) as blocks,
        parquet.ParquetWriter(target, blocks.schema, compression="zstd") as writer,
    ):
        for block in blocks:
            writer.write_batch(block)
