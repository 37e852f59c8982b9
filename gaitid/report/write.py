"""Write a report: read the results, draw, and put one whole file in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from gaitid.disk.atomic import put_all
from gaitid.drawing import load_matplotlib
from gaitid.errors import GaitidError, WriteError
from gaitid.report.result import MORE_TABLES, TABLES, Result, Session, load_results

FORMATS = {".html": "html", ".htm": "html", ".png": "png"}
"""What a file's suffix says about its format."""


def write_report(
    results: Sequence[Path],
    output: Path,
    format: str | None = None,
    norms: str | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Path:
    """Write pictures and tables of results for people.

    Parameters
    ----------
    results : sequence of Path
        ``walk.run.json`` files, with the tables that ``gaitid run`` wrote beside them, and folders of such.
    output : Path
        The file to write; its folder is made if absent. It is there whole or not at all. What is no file (a
        device, a pipe) is refused, and so is ``-``.
    format : {"html", "png"}, optional
        By default what the suffix of `output` says. ``html`` is one page that needs no other file and no network;
        trials of one session are pooled, and each session has its part. ``png`` is one landscape A4 sheet, and a sheet
        holds one result: several are refused rather than overlaid, because contacts and gaps belong to one trial only.
    norms : str, optional
        Name of norms, a file of them, or ``none``; by default those that fit model and population.
    say : callable
        Is told what is worked on.

    Returns
    -------
    Path
        `output`.

    Raises
    ------
    GaitidError
        One line that begins with the file at fault (a result, a table beside it, or the output).
    """
    if str(output) == "-":
        raise WriteError("-: a report goes to a file, not to the standard output", todo="give it a name, as walk.html")
    chosen = _format(output, format)
    if not results:
        raise GaitidError("no result to report", expected="at least one run.json")
    sessions = load_results([Path(path) for path in results], say)
    loaded = [result for session in sessions for result in session.results]
    if chosen == "png" and len(loaded) > 1:
        raise GaitidError(
            f"{output}: a png sheet holds one result",
            found=f"{len(loaded)} results",
            todo="write them to an .html, or one png at a time",
        )
    _refuse_overwriting(output, loaded)
    _put(output, _page(sessions, norms, say) if chosen == "html" else _sheet(loaded[0], output))
    return output


def _format(output: Path, format: str | None) -> str:
    by_suffix = FORMATS.get(output.suffix.lower())
    known = " or ".join(sorted(set(FORMATS.values())))
    if format is not None and format not in FORMATS.values():
        raise GaitidError(f"{output}: unknown format {format!r}", expected=known)
    if format is None and by_suffix is None:
        raise GaitidError(
            f"{output}: unknown kind of report",
            expected="a name that ends in .html or .png",
            found=f"the suffix {output.suffix!r}" if output.suffix else "no suffix",
            todo="rename it or give --format",
        )
    if format is not None and by_suffix not in (None, format):
        raise GaitidError(
            f"{output}: the name says {by_suffix}, the format asked for is {format}", todo="make them agree"
        )
    return format or by_suffix or ""


def _refuse_overwriting(output: Path, loaded: Sequence[Result]) -> None:
    try:
        target = output.resolve()
    except (OSError, RuntimeError):  # a loop of links: replaced like any other file
        return
    for result in loaded:
        files = [
            result.path,
            *(result.path.with_name(f"{result.stem}.{table}.csv") for table in (*TABLES, *MORE_TABLES)),
        ]
        if target in (path.resolve() for path in files):
            raise WriteError(f"{output}: is part of the result itself", todo="choose another name")


def _page(sessions: Sequence[Session], norms: str | None, say: Callable[[str], None]) -> bytes:
    from gaitid.report.page import page

    return page(sessions, norms, say).encode("utf-8", "replace")


def _sheet(result: Result, output: Path) -> bytes:
    # Not at the top: matplotlib takes a second to import, and a page needs none.
    load_matplotlib(f"{output}: a png sheet")
    from gaitid.report.figures import sheet_png

    return sheet_png(result)


def _put(output: Path, content: bytes) -> None:
    """Write aside in the same folder, then rename: no one ever sees half a file."""
    try:
        put_all(output.parent, {output.name: content})
    except OSError as error:
        raise WriteError(f"{output}: cannot be written", found=error.strerror or str(error)) from None
