"""The command line as a user meets it: `main()` with its exit code, stdout and stderr; edited trials."""

from __future__ import annotations

import contextlib
import csv
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gaitid.cli import main

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"
NOISY = Path(__file__).resolve().parents[2] / "sample_data" / "walk_noisy" / "walk.c3d"


class Done(NamedTuple):
    """What a command left: exit code, stdout, stderr."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """Of stderr."""
        return self.err.splitlines()


def gaitid(*args: object) -> Done:
    """`gaitid ARGS` in this process, through the entry point itself."""
    out, err, argv = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["gaitid", *(str(a) for a in args)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as end:
            main()
    finally:
        sys.argv = argv
    code = end.value.code
    assert isinstance(code, int)
    return Done(code, out.getvalue(), err.getvalue())


def assert_refused(done: Done, *words: str, code: int = 1) -> None:
    """One line on stderr, with the words, nothing on stdout, no traceback."""
    assert done.code == code, done
    assert len(done.lines) == 1, done.err
    assert done.err.startswith("gaitid: ")
    assert "Traceback" not in done.err
    assert "internal error" not in done.err
    assert done.out == ""
    for word in words:
        assert word in done.err, done.err


def assert_wrong_usage(done: Done, *words: str) -> None:
    """Exit code 2, the reason in the last line of stderr."""
    assert done.code == 2, done
    assert "Traceback" not in done.err
    assert done.out == ""
    for word in words:
        assert word in done.lines[-1], done.err


def table(text: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a CSV."""
    rows = list(csv.reader(text.splitlines()))
    return rows[0], rows[1:]


def edited_c3d(source: Path, target: Path, edit: Callable[[Any], None]) -> Path:
    """A copy of a C3D file after `edit` has changed what ezc3d read."""
    import ezc3d

    c = ezc3d.c3d(str(source))
    edit(c)
    target.parent.mkdir(parents=True, exist_ok=True)
    c.write(str(target))
    return target


def without_markers(c: Any, keep: Callable[[str], bool]) -> None:
    """Take points out of what ezc3d read."""
    labels = list(c["parameters"]["POINT"]["LABELS"]["value"])
    kept = [i for i, label in enumerate(labels) if keep(label)]
    c["parameters"]["POINT"]["LABELS"]["value"] = [labels[i] for i in kept]
    c["parameters"]["POINT"]["DESCRIPTIONS"]["value"] = [""] * len(kept)
    c["data"]["points"] = c["data"]["points"][:, kept]
    for name in ("residuals", "camera_masks"):
        c["data"]["meta_points"][name] = c["data"]["meta_points"][name][:, kept]


def set_parameter(c: Any, name: str, value: float) -> None:
    c["parameters"]["PROCESSING"][name]["value"][:] = value


def recorded(*names: str) -> pytest.MarkDecorator:
    """Parameters of a test over recorded trials, skipped where they are absent."""
    reason = "recorded trials (../shared/trials) are not here"
    return pytest.mark.parametrize(
        "recorded_trial",
        [pytest.param(SHARED / n, id=n, marks=pytest.mark.skipif(not SHARED.is_dir(), reason=reason)) for n in names],
    )
