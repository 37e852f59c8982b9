"""Write a report: read the results, draw, and put one whole file in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from gaitid.disk.atomic import put_all
from gaitid.drawing import load_matplotlib
from gaitid.errors import GaitidError, WriteError
from gaitid.records import frozen_dataclass
from gaitid.report.chain.gather import Chain, chain_sources, gather
from gaitid.report.grouping import regrouped
from gaitid.report.pictures.request import FORMATS as PICTURES
from gaitid.report.pictures.request import Request
from gaitid.report.result import MORE_TABLES, TABLES, Session, load_results

FORMATS = {".html": "html", ".htm": "html", **{f".{name}": name for name in PICTURES}}
"""What a file's suffix says about its format."""


@frozen_dataclass()
class Choices:
    """What else is asked for.

    Attributes
    ----------
    picture : Request or None
        Which figure, and how wide; everything on a sheet of A4 by default.
    by : {"trial", "session", "condition", "subject"} or None
        What is put together and set beside each other; by session and condition by default.
    """

    picture: Request | None = None
    by: str | None = None


def write_report(
    results: Sequence[Path],
    output: Path,
    format: str | None = None,
    norms: str | None = None,
    choices: Choices | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Path:
    """Write pictures and tables of results for people.

    Parameters
    ----------
    results : sequence of Path
        ``walk.run.json`` files, with the tables that ``gaitid run`` wrote beside them, and folders of such.
    output : Path
        The file to write; its folder is made if absent. It is there whole or not at all. What is no file (a
        device, a pipe) is refused, and so is ``-``. For pictures it may be a folder that exists: each figure then is
        a file of its own in it.
    format : {"html", "png", "svg", "pdf"}, optional
        By default what the suffix of `output` says. ``html`` is one page that needs no other file and no network.
        Trials of one session are pooled; several sessions of one subject are compared; of several subjects means are
        drawn.
    norms : str, optional
        Name of norms, a file of them, or ``none``; by default those that fit model and population.
    choices : Choices, optional
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
    choices = choices or Choices()
    truths, others = chain_sources([Path(path) for path in results])
    if chosen == "html":
        if choices.picture is not None:
            raise GaitidError(f"{output}: a page has all figures", todo="choose one with .png, .svg or .pdf")
        chains, sessions = _read(truths, others, choices, norms, say)
        _refuse_overwriting([output], sessions)
        _put(output.parent, {output.name: _chain_page(chains, say) if chains else _page(sessions, norms, say)})
        return output
    request = choices.picture or Request()
    request.check()  # before anything is read
    folder = output if output.is_dir() else output.parent
    chains, sessions = _read(truths, others, choices, norms, say)
    if chains:
        load_matplotlib(f"{output}: a picture")
        from gaitid.report.chain.picture import chain_pictures

        contents = chain_pictures(chains, request, chosen, None if output.is_dir() else output.name)
        _refuse_overwriting([folder / name for name in contents], sessions)
        _put(folder, contents)
        return output
    each = request.each() if output.is_dir() else {output.name: request}
    _ = [one.rows for one in each.values()]
    files = {f"{name}.{chosen}": one for name, one in each.items()} if output.is_dir() else each
    _refuse_overwriting([folder / name for name in files], sessions)
    # Not at the top: matplotlib takes a second to import, and errors in the input need not wait for it.
    load_matplotlib(f"{output}: a picture")
    from gaitid.report.pictures.compose import pictures

    _put(folder, pictures(sessions, files, chosen, norms))
    return output


def _format(output: Path, format: str | None) -> str:
    by_suffix = FORMATS.get(output.suffix.lower()) if not output.is_dir() else None
    known = ", ".join(dict.fromkeys(FORMATS.values()))
    if format is not None and format not in FORMATS.values():
        raise GaitidError(f"{output}: unknown format {format!r}", expected=known)
    if output.is_dir() and format not in PICTURES:
        raise WriteError(
            f"{output}: is a folder",
            expected="a file, or with --format png, svg or pdf a folder for a file of each figure",
        )
    if format is None and by_suffix is None:
        raise GaitidError(
            f"{output}: unknown kind of report",
            expected="a name that ends in .html, .png, .svg or .pdf",
            found=f"the suffix {output.suffix!r}" if output.suffix else "no suffix",
            todo="rename it or give --format",
        )
    if format is not None and by_suffix not in (None, format):
        raise GaitidError(
            f"{output}: the name says {by_suffix}, the format asked for is {format}", todo="make them agree"
        )
    return format or by_suffix or ""


def _read(
    truths: Sequence[Path], others: Sequence[Path], choices: Choices, norms: str | None, say: Callable[[str], None]
) -> tuple[list[Chain], tuple[Session, ...]]:
    """The chains, if it is of chains, and the results by session."""
    sessions = load_results(others, say, chains=True) if others else ()
    found = [result for session in sessions for result in session.results]
    of_gait = [result.path for result in found if not result.is_chain]
    of_chains = [*truths, *(result.path for result in found if result.is_chain)]
    if not of_chains:
        return [], regrouped(sessions, choices.by)
    if of_gait:
        raise GaitidError(f"{of_chains[0]}: of a chain, and {of_gait[0]}: of gait", todo="report them apart")
    given = {"--norms": norms not in (None, "none"), "--by": choices.by is not None}
    given["--cycles"] = choices.picture is not None and choices.picture.cycles
    if wrong := [option for option, is_given in given.items() if is_given]:
        raise GaitidError(f"{of_chains[0]}: {wrong[0]} is of gait, and this is a chain", todo="leave it out")
    return gather(truths, [result for result in found if result.is_chain], say), sessions


def _chain_page(chains: Sequence[Chain], say: Callable[[str], None]) -> bytes:
    load_matplotlib("a page of a chain")
    from gaitid.report.chain.page import chain_page

    return chain_page(chains, say).encode("utf-8", "replace")


def _refuse_overwriting(outputs: Sequence[Path], sessions: Sequence[Session]) -> None:
    files = {
        path.resolve()
        for session in sessions
        for result in session.results
        for path in (
            result.path,
            *(result.path.with_name(f"{result.stem}.{table}.csv") for table in (*TABLES, *MORE_TABLES)),
        )
    }
    for output in outputs:
        with suppress(OSError, RuntimeError):  # a loop of links: replaced like any other file
            if output.resolve() in files:
                raise WriteError(f"{output}: is part of the result itself", todo="choose another name")


def _page(sessions: Sequence[Session], norms: str | None, say: Callable[[str], None]) -> bytes:
    from gaitid.report.page import page

    if len(sessions) == 1:
        return page(sessions, norms, say).encode("utf-8", "replace")
    from gaitid.report.many import compares_only, comparison, comparison_page

    say("comparing sessions")
    if compares_only(sessions):
        return comparison_page(sessions, norms).encode("utf-8", "replace")
    return page(sessions, norms, say, before=comparison(sessions, norms)).encode("utf-8", "replace")


def _put(folder: Path, contents: dict[str, bytes]) -> None:
    """Write aside in the same folder, then rename: no one ever sees half a file."""
    try:
        put_all(folder, contents)
    except OSError as error:
        what = f"{folder / next(iter(contents))}: cannot be written"
        raise WriteError(what, found=error.strerror or str(error)) from None
