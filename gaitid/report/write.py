"""Write a report: read the results, draw, and put one whole file in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path

from gaitid.disk.atomic import put_all
from gaitid.drawing import load_matplotlib
from gaitid.errors import GaitidError, WriteError
from gaitid.records import frozen_dataclass
from gaitid.report.chain import Chain
from gaitid.report.chain.gather import chain_sources, gather
from gaitid.report.gathering import Session, load_named, load_results, regrouped
from gaitid.report.panels import PICTURES, Request, is_chain
from gaitid.report.sessions import Changes
from gaitid.uncertainty.usable import from_records

FORMATS = {".html": "html", ".htm": "html", **{f".{name}": name for name in PICTURES}}
"""What a file's suffix says about its format."""
#: So many sessions have their whole part on a page beside the comparison: more would be more than a page can hold.
MOST_PARTS = 2


@frozen_dataclass()
class Choices:
    """What else is asked for.

    Attributes
    ----------
    picture : Request or None
        Which figure, and how wide; everything on a sheet of A4 by default.
    by : {"trial", "session", "condition", "subject"} or None
        What is put together and set beside each other; by session and condition by default.
    max_uncertainty : mapping of quantity to float
        Largest standard uncertainties that are good enough; those of the results by default.
    named : mapping of str to sequence of Path
        Sessions that the reader names, in place of what tables and folders say.
    changes : callable
        What of their differences is more than the smallest detectable change; asked for a page of several sessions.
    """

    picture: Request | None = None
    by: str | None = None
    max_uncertainty: Mapping[str, float] = field(default_factory=dict)
    named: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    changes: Callable[[], Sequence[Changes]] = tuple


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
    if chosen == "html" and choices.picture is not None:
        raise GaitidError(f"{output}: a page has all figures", todo="choose one with .png, .svg or .pdf")
    request = choices.picture or Request()
    request.check()  # before anything is read
    chains, sessions = _read([Path(path) for path in results], choices, norms, say)
    folder = output if output.is_dir() else output.parent
    name = None if output.is_dir() else output.name
    # Not at the top: matplotlib takes a second to import, and errors in the input need not wait for it.
    if chosen == "html":
        _refuse_overwriting([output], sessions)
        page = _chain_page(chains, say) if chains else _page(sessions, norms, choices, say)
        contents = {output.name: page.encode("utf-8", "replace")}
    elif chains:
        load_matplotlib(f"{output}: a picture")
        from gaitid.report.pictures.chain import chain_pictures

        contents = chain_pictures(chains, request, chosen, name)
        _refuse_overwriting([folder / name for name in contents], sessions)
    else:
        each = (
            {f"{figure}.{chosen}": one for figure, one in request.each().items()} if name is None else {name: request}
        )
        _ = [one.rows for one in each.values()]
        _refuse_overwriting([folder / name for name in each], sessions)
        load_matplotlib(f"{output}: a picture")
        from gaitid.report.pictures import pictures

        contents = pictures(sessions, each, chosen, norms)
    try:  # aside in the same folder, then renamed: no one ever sees half a file
        put_all(folder, contents)
    except OSError as error:
        what = f"{folder / next(iter(contents))}: cannot be written"
        raise WriteError(what, found=error.strerror or str(error)) from None
    return output


def _format(output: Path, format: str | None) -> str:
    is_folder = output.is_dir()
    by_suffix = FORMATS.get(output.suffix.lower()) if not is_folder else None
    if format is not None and format not in FORMATS.values():
        known = ", ".join(dict.fromkeys(FORMATS.values()))
        raise GaitidError(f"{output}: unknown format {format!r}", expected=known)
    if is_folder and format not in PICTURES:
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
    paths: Sequence[Path], choices: Choices, norms: str | None, say: Callable[[str], None]
) -> tuple[list[Chain], tuple[Session, ...]]:
    """The chains, if it is of chains, and the results by session."""
    if choices.named:
        named = load_named(choices.named, say)
        return [], tuple(_by_limits(session, choices.max_uncertainty) for session in named)
    truths, others = chain_sources(paths)
    sessions = load_results(others, say, chains=True) if others else ()
    sessions = tuple(_by_limits(session, choices.max_uncertainty) for session in sessions)
    results = [result for session in sessions for result in session.results]
    chains = [result for result in results if is_chain(result)]
    of_chains = [*truths, *(result.path for result in chains)]
    if not of_chains:
        return [], regrouped(sessions, choices.by)
    if of_gait := [result.path for result in results if not is_chain(result)]:
        raise GaitidError(f"{of_chains[0]}: of a chain, and {of_gait[0]}: of gait", todo="report them apart")
    given = {
        "--norms": norms not in (None, "none"),
        "--by": choices.by is not None,
        "--cycles": choices.picture is not None and choices.picture.cycles,
    }
    if wrong := next((option for option, is_given in given.items() if is_given), ""):
        raise GaitidError(f"{of_chains[0]}: {wrong} is of gait, and this is a chain", todo="leave it out")
    return gather(truths, chains, say), sessions


def _by_limits(session: Session, limits: Mapping[str, float]) -> Session:
    """The same, with what is sure enough by these limits."""
    if not limits:
        return session
    results = []
    for result in session.results:
        outcome = from_records(result.mappings("verdict", "usable_for"), limits)
        verdict = {**result.mapping("verdict"), "usable_for": [one.as_dict() for one in outcome]}
        results.append(replace(result, record={**result.record, "verdict": verdict}))
    return replace(session, results=tuple(results))


def _refuse_overwriting(outputs: Sequence[Path], sessions: Sequence[Session]) -> None:
    files = {file.resolve() for session in sessions for result in session.results for file in result.files}
    for output in outputs:
        with suppress(OSError, RuntimeError):  # a loop of links: replaced like any other file
            if output.resolve() in files:
                raise WriteError(f"{output}: is part of the result itself", todo="choose another name")


# --- pages ------------------------------------------------------------------------------------------------------------


def _chain_page(chains: Sequence[Chain], say: Callable[[str], None]) -> str:
    load_matplotlib("a page of a chain")
    from gaitid.report.chain.gather import chain_page

    return chain_page(chains, say)


def _page(sessions: Sequence[Session], norms: str | None, choices: Choices, say: Callable[[str], None]) -> str:
    """Of one session all about it; of several those of one subject compared, or a group of subjects."""
    from gaitid.report.page.compose import page

    if len(sessions) == 1:
        return page(sessions, norms, say)
    from gaitid.report.group import group_html
    from gaitid.report.lines import by_subject, group_members, members_of, shared_norms
    from gaitid.report.sessions import sessions_html
    from gaitid.report.text import render

    say("comparing sessions")
    subjects = by_subject(sessions)
    group, alone, part = len(subjects) > 1, len(sessions) > MOST_PARTS or len(subjects) > 1, ""
    members = [m for of in group_members(subjects).values() for m in of] if group else list(members_of(sessions))
    if members:
        fitting, why = shared_norms(members, norms)
        part = (
            group_html(subjects, fitting, why)
            if group
            else sessions_html(sessions, fitting, why, alone, choices.changes())
        )
    if not alone:
        return page(sessions, norms, say, before=part)
    heading = f"{len(subjects)} subjects" if group else f"{len(sessions)} sessions"
    return render("report/page/alone.html", heading=heading, part=part)
