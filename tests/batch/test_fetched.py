"""Data sets that a URL names: copied whole, below the folder of results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from recordings import NUMBERS

from gaitid.batch.files import fetch
from gaitid.batch.plan import make_plan
from gaitid.cli.batch import batch_command as command

fsspec = pytest.importorskip("fsspec", reason="the optional library fsspec is not installed")


@pytest.fixture
def store() -> Iterator[Any]:
    """In memory, as a bucket; fsspec has an instance of its class for each thread."""
    system = fsspec.filesystem("memory")
    for name in ("P1/static.c3d", "P1/walk.c3d", "P1/.walk.c3d", "P1/walk.avi", "P2/walk.c3d", "subject.yaml"):
        system.pipe_file(f"/lab/{name}", name.encode())
    yield system
    system.rm("/lab", recursive=True)


def copies(output: Path) -> dict[str, bytes]:
    return {p.relative_to(output).as_posix(): p.read_bytes() for p in output.rglob("*") if p.is_file()}


def test_a_folder(store: Any, tmp_path: Path) -> None:
    """Trials and what belongs to them; no videos, nothing hidden, nothing else."""
    (name, other), problems = fetch(["memory://lab", "beside"], tmp_path)
    top = ".gaitid/fetched/memory/lab"
    assert (name, other, problems) == (str(tmp_path / top), "beside", [])
    names = ("P1/static.c3d", "P1/walk.c3d", "P2/walk.c3d", "subject.yaml")
    assert copies(tmp_path) == {f"{top}/{name}": name.encode() for name in names}


def test_what_is_gone_from_the_store_is_gone_here(store: Any, tmp_path: Path) -> None:
    fetch(["memory://lab"], tmp_path)
    store.rm_file("/lab/P2/walk.c3d")
    store.pipe_file("/lab/P1/walk.c3d", b"another")
    fetch(["memory://lab"], tmp_path)
    expected = {"P1/static.c3d": b"P1/static.c3d", "P1/walk.c3d": b"another", "subject.yaml": b"subject.yaml"}
    assert {path.split("/", 4)[4]: content for path, content in copies(tmp_path).items()} == expected


def test_a_file_that_cannot_be_fetched_is_named(store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are there."""

    before = type(store).open

    def cut(self: Any, path: str, mode: str) -> Any:
        if "P1/walk" in path:
            raise ConnectionError("the line\nwas cut")
        return before(self, path, mode)

    monkeypatch.setattr(type(store), "open", cut)
    _, problems = fetch(["memory://lab"], tmp_path)
    assert problems == ["/lab/P1/walk.c3d: cannot be fetched (the line was cut)"]
    assert len(copies(tmp_path)) == 3


def test_a_fetched_data_set_is_planned_as_any_other(dataset: Path, tmp_path: Path) -> None:
    """The same pairs and the same mirrored folders as of the original."""
    (name,), problems = fetch([dataset.as_uri()], tmp_path)
    assert [Path(line.partition(":")[0]).name for line in problems] == ["walk10.c3d"]  # a link to nowhere
    here, there = (make_plan([str(top)], tmp_path).trials for top in (dataset, name))
    assert len(there) == len(here) - 1
    known = {one.trial.relative_to(dataset): one for one in here}
    for one in there:
        original = known[one.trial.relative_to(name)]
        assert one.folder == original.folder
        assert one.static is not None and original.static is not None
        assert one.static.path.relative_to(name) == original.static.path.relative_to(dataset)


def test_a_batch_over_a_url(dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be fetched is named beside what cannot be read, the rest is done."""
    out = tmp_path / "out"
    words = [(dataset / "P4").as_uri(), "--model", "pig", "-o", str(out), "-j", "1", "-q"]
    assert command.main(words, standalone_mode=False) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "walk10.c3d: cannot be fetched" in lines[0]
    assert sorted(out.glob("*.run.json")) == [out / f"walk{k}.run.json" for k in NUMBERS[:-1]]
