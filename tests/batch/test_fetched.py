"""Data sets that a URL names: copied whole, below the folder of results."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from recordings import NUMBERS

from gaitid.batch.files import fetch, is_url
from gaitid.batch.plan import make_plan
from gaitid.cli.batch import command
from gaitid.errors import GaitidError

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


@pytest.mark.parametrize(
    ("name", "expected"),
    [("s3://lab/gait", True), ("file:///gait", True), ("C:\\gait", False), ("C://gait", False), ("a/walk.c3d", False)],
)
def test_what_is_a_url(name: str, expected: bool) -> None:
    assert is_url(name) == expected


def test_a_folder(store: Any, tmp_path: Path) -> None:
    """Trials and what belongs to them; no videos, nothing hidden, nothing else."""
    (name, other), problems = fetch(["memory://lab", "beside"], tmp_path)
    top = ".gaitid/fetched/memory/lab"
    assert (name, other, problems) == (str(tmp_path / top), "beside", [])
    names = ("P1/static.c3d", "P1/walk.c3d", "P2/walk.c3d", "subject.yaml")
    assert copies(tmp_path) == {f"{top}/{name}": name.encode() for name in names}


def test_a_glob_and_a_file(store: Any, tmp_path: Path) -> None:
    names, _ = fetch(["memory://lab/*/walk.c3d", "memory://lab/P1/static.c3d"], tmp_path)
    assert len(copies(tmp_path)) == 3
    assert sorted(Path(names[0]).parent.parent.glob("*/walk.c3d")) == sorted(tmp_path.rglob("walk.c3d"))
    assert Path(names[1]).read_bytes() == b"P1/static.c3d"


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


@pytest.mark.parametrize(
    ("path", "words"),
    [("/lab/../../../../../escaped.c3d", "no trial"), ("/lab/a\\..\\..\\escaped.c3d", "cannot be the name of a copy")],
)
def test_names_that_lead_elsewhere(
    store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, words: str
) -> None:
    """A server may name a file as it likes."""
    monkeypatch.setattr(type(store), "find", lambda self, root, detail: {path: {}})
    with pytest.raises(GaitidError, match=words):
        fetch(["memory://lab"], tmp_path / "out")
    assert copies(tmp_path) == {}


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("memory://nowhere", r"memory://nowhere: cannot be listed \(/nowhere\)"),
        ("nonsense://lab", r"cannot be fetched \(Protocol not known: nonsense\); pip install"),
        ("memory:///", "no trial|cannot be the name"),
        ("dir://in", r"dir://in: cannot be fetched \(.*; check the URL"),
        ("reference://x", r"reference://x: cannot be fetched \(.*'fo'\); check the URL"),
        ("ftp://127.0.0.1:9/a", r"ftp://127.0.0.1:9/a: cannot be fetched \(.*refused\); check the URL"),
    ],
)
def test_refusals(url: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(GaitidError, match=words):
        fetch([url], tmp_path)


def test_a_store_that_hides_why_it_lists_nothing(store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As HTTP does: listings leave out what does not answer, and the reason is the cause of an error."""

    def about(self: Any, path: str) -> Any:
        raise FileNotFoundError(path) from ConnectionError("connection refused")

    monkeypatch.setattr(type(store), "info", about)
    monkeypatch.setattr(type(store), "find", lambda self, root, detail: {})
    with pytest.raises(GaitidError, match=r"memory://lab: cannot be listed \(connection refused\); check the URL"):
        fetch(["memory://lab"], tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_only_files_of_a_size_that_trials_have(tmp_path: Path, one_walk: Path) -> None:
    """Neither pipes nor devices, which have no end, nor a sparse file of 300 GB."""
    store, out = tmp_path / "store", tmp_path / "out"
    store.mkdir()
    os.mkfifo(store / "pipe.c3d")
    (store / "zero.c3d").symlink_to("/dev/zero")
    with (store / "large.c3d").open("wb") as file:
        file.truncate(300 * 10**9)
    with pytest.raises(
        GaitidError, match=r"file://\S*: no trial; .*/large.c3d: .*too large.*/pipe.c3d: .*no file, but"
    ):
        fetch([store.as_uri()], out)
    (store / "walk.c3d").write_bytes((one_walk / "walk.c3d").read_bytes())
    (store / "link.c3d").symlink_to("walk.c3d")
    _, problems = fetch([store.as_uri()], out)
    assert [Path(line.partition(":")[0]).name for line in problems] == ["large.c3d", "pipe.c3d", "zero.c3d"]
    assert sorted(Path(name).name for name in copies(out)) == ["link.c3d", "walk.c3d"]


def test_a_file_that_is_longer_than_the_store_says(store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gaitid.batch.files.MAX_BYTES", 12)
    monkeypatch.setattr("gaitid.batch.files._PIECE", 4)
    found = {path: {"type": "file"} for path in store.find("/lab")}
    monkeypatch.setattr(type(store), "find", lambda self, root, detail: found)
    _, problems = fetch(["memory://lab"], tmp_path)
    assert [line.partition(":")[0] for line in problems] == ["/lab/P1/static.c3d"]
    assert "too large" in problems[0]


@pytest.mark.parametrize("slow", ["find", "open"])
def test_a_store_that_stops_answering(store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slow: str) -> None:
    """One line, and the next file is not waited for."""
    never, asked = threading.Event(), []

    def wait(*args: Any, **options: Any) -> None:
        asked.append(args)
        never.wait()

    monkeypatch.setattr(type(store), slow, wait)
    for name in ("ANSWER_S", "LISTING_S"):
        monkeypatch.setattr(f"gaitid.batch.files.{name}", 0.2)
    with pytest.raises(GaitidError, match=r"memory://lab: .*no answer within 0.2 s"):
        fetch(["memory://lab"], tmp_path)
    assert len(asked) == 1
    never.set()


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
