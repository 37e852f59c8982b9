"""Tables across trials: the rows of every trial with its key, in the order of ``batch.csv``, whole or absent."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from gaitid.batch import collected, previous
from gaitid.batch.collected import tables_as_parquet, write_tables
from gaitid.batch.job import DONE, Job, Outcome, run_job
from gaitid.batch.local import run_local
from gaitid.batch.plan import Plan, make_plan
from gaitid.batch.previous import refuse_foreign_tables
from gaitid.batch.supervisor import make_jobs, run_batch
from gaitid.batch.table import TABLE_KEY
from gaitid.batch.types import Planned
from gaitid.errors import WriteError
from gaitid.run import RunOptions

TABLE = "spatiotemporal.csv"
MANIFEST = """trial,subject,session,condition
P1/b.c3d,Ann,day 1,"shod, fast"
P1/a.c3d,Ann,,barefoot
P2/a.c3d,Bob,,
P2/broken.c3d,Bob,,shod
"""


@pytest.fixture
def manifest(make, one_walk: Path) -> Path:  # type: ignore[no-untyped-def]
    """Four trials of two subjects, one of them broken."""
    top: Path = make("P1/static.c3d=static", "P1/a.c3d", "P1/b.c3d", "P2/a.c3d=calibrated", "P2/broken.c3d")
    (top / "P2" / "broken.c3d").write_bytes(b"")
    (top / "plan.csv").write_text(MANIFEST)
    return top / "plan.csv"


def here(jobs: Sequence[Job]) -> Iterator[Outcome]:
    yield from map(run_job, jobs)


def work(
    source: Path, out: Path, schedule: Callable[..., Iterator[Outcome]] = here, resume: bool = False, words: str = ""
) -> Plan:
    plan = make_plan([str(source)], out)

    def options(planned: Planned) -> RunOptions:
        return RunOptions("pig", static=planned.static and planned.static.path, command=(str(planned.trial), words))

    run_batch(plan.trials, make_jobs(plan.trials, options), out, schedule, resume=resume)  # type: ignore[arg-type]
    return plan


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("table", collected.COLLECTED)
def test_rows_of_all_trials_with_the_key_of_the_batch(manifest: Path, tmp_path: Path, table: str) -> None:
    out = tmp_path / "out"
    work(manifest, out)
    of_batch, found = rows(out / "batch.csv"), rows(out / table)
    assert tuple(found[0])[: len(TABLE_KEY)] == TABLE_KEY
    keys = list(dict.fromkeys(tuple(row[name] for name in TABLE_KEY) for row in found))
    assert keys == [tuple(row[name] for name in TABLE_KEY) for row in of_batch if row["status"] == DONE]
    assert [key[:3] for key in keys] == [("Ann", "P1", "barefoot"), ("Ann", "day 1", "shod, fast"), ("Bob", "P2", "")]
    assert len(of_batch) == len(keys) + 1
    for key in keys:
        trial = Path(key[3])
        own = rows(out / trial.parent.name / f"{trial.stem}.{table}")
        ours = [row for row in found if row["trial"] == key[3]]
        assert own and len(own) == len(ours)
        names = [name for name in own[0] if name not in TABLE_KEY]
        assert [[row[name] for name in names] for row in own] == [[row[name] for name in names] for row in ours]
        assert {row.get("verdict", key[4]) for row in own} == {key[4]}
        assert {row.get("trial", trial.stem) for row in own} == {trial.stem}


def test_tables_go_with_the_first_result_that_changes(
    manifest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not again with each of the others."""
    out = tmp_path / "out"
    work(manifest, out)
    gone: list[bool] = []
    delete = previous.delete_tables
    monkeypatch.setattr(previous, "delete_tables", lambda folder: (delete(folder), gone.append(folder == out)))
    work(manifest, out, resume=True)
    assert gone == []
    work(manifest, out, words="other")
    assert gone == [True]


def test_the_same_bytes_after_an_interruption_and_with_processes(manifest: Path, tmp_path: Path) -> None:
    work(manifest, tmp_path / "whole")

    def first_only(jobs: Sequence[Job]) -> Iterator[Outcome]:
        yield run_job(jobs[0])
        raise KeyboardInterrupt

    out = tmp_path / "out"
    work(manifest, out, words="other")
    with suppress(KeyboardInterrupt):
        work(manifest, out, first_only)
    assert not (out / TABLE).exists()
    work(manifest, out, resume=True)
    assert (out / TABLE).read_bytes() == (tmp_path / "whole" / TABLE).read_bytes()
    before = (out / TABLE).read_bytes()
    (out / TABLE).unlink()
    work(manifest, out, resume=True)  # nothing to do but the tables
    assert (out / TABLE).read_bytes() == before
    work(manifest, tmp_path / "two", partial(run_local, n_workers=2))
    assert (tmp_path / "two" / TABLE).read_bytes() == before
    assert not list(out.glob(".*.part"))


def test_whole_or_absent(manifest: Path, tmp_path: Path) -> None:
    """A trial's table that cannot be read costs both tables of all, and leaves nothing aside."""
    out = tmp_path / "out"
    plan = work(manifest, out)
    before = {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
    outcomes = {str(p.trial): Outcome(str(p.trial), DONE, outputs={f"{p.trial.stem}.{TABLE}": ""}) for p in plan.trials}
    with pytest.raises(WriteError, match="cannot write"):  # `broken` has none
        write_tables(out, plan.trials, outcomes, {"batch.csv": "new"})
    assert {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()} == before


def test_parquet_holds_the_same(manifest: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the optional extra gaitid[parquet]")
    import pandas as pd

    out = tmp_path / "out"
    work(manifest, out)
    tables_as_parquet(out)
    for table in collected.COLLECTED:
        assert len(pd.read_parquet(out / table.replace(".csv", ".parquet"))) == len(rows(out / table)) > 0
    found, expected = pd.read_parquet(out / "spatiotemporal.parquet"), rows(out / TABLE)
    assert list(found.columns) == list(expected[0]) and len(found) == len(expected)
    for name in ("subject", "condition", "trial", "cycle"):
        assert ["" if word is None else word for word in found[name]] == [row[name] for row in expected]
    for name in ("first_frame", "speed_m_per_s"):
        assert pd.api.types.is_numeric_dtype(found[name])
        numbers = [None if pd.isna(value) else float(value) for value in found[name]]
        assert numbers == [float(row[name]) if row[name] else None for row in expected]
    refuse_foreign_tables(out)
    work(manifest, out, resume=True)
    assert (out / "spatiotemporal.parquet").exists()  # of the same results
    work(manifest, out, words="other")
    assert not (out / "spatiotemporal.parquet").exists()
