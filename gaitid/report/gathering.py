"""Which results belong together: whose they are, as far as the files say, or as somebody puts them together."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from gaitid.disk.regular import read_text_back
from gaitid.errors import GaitidError
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.report.page.messages import names_of
from gaitid.report.panels import is_chain
from gaitid.results.one_run import read_result, refuse_other_run
from gaitid.results.result import RECORD_SUFFIX, Result, find_records

# Folders above a result in which its batch's table is looked for: results mirror a data set's folders.
_MOST_LEVELS = 6
# Two results whose mass or leg lengths differ by more are of two people: what `run` allows between static and trial.
ANOTHER_BODY = 0.1
_SIZES = ("mass", "left.leg_length", "right.leg_length")


@frozen_dataclass()
class Session:
    """Results that belong together: one subject, one session, one condition, each empty where nothing says it."""

    subject: str
    session: str
    condition: str
    results: tuple[Result, ...]


class _Row(NamedTuple):
    """A trial of a batch's table: its folders and its name without suffix, and subject, session and condition."""

    parts: tuple[str, ...]
    whose: tuple[str, str, str]


#: Tables of batches that were read: rows by the name of the trial, in their order.
BatchTables = dict[Path, Mapping[str, Sequence[_Row]]]


def load_result(path: Path, chains: bool = False) -> Result:
    """A whole result; with `chains` also one that has no curve of gait.

    Raises
    ------
    GaitidError
        One line that begins with the file at fault: damaged, absent, or of another run.
    """
    result = read_result(path)
    if is_chain(result) and not chains:
        raise GaitidError(
            f"{result.file('joints')}: nothing that a report draws",
            expected="ground reactions, or angles, moments or powers of hip, knee or ankle by the names of pig",
            found=f"{len(result.joints)} columns",
        )
    refuse_other_run(result)
    return result


def load_results(
    paths: Sequence[Path], say: Callable[[str], None] = lambda _: None, chains: bool = False
) -> tuple[Session, ...]:
    """The results given, and all below the folders given, by session, in the order of the first of each.

    Subject, session and condition are what the ``batch.csv`` above a result says. Without one, the results of a folder
    are one session of its name; sessions are of one subject, whom nothing names, unless mass or leg length say
    otherwise: then each folder is a subject, or several where its own trials cannot be of one person. Results of
    different models, whose curves are not of the same quantities, are sessions of their own, with the model as the
    condition. `say` is told what is read. With `chains` results of chains that do not walk are taken too.

    Raises
    ------
    GaitidError
        One line that begins with the file at fault.
    """
    grouped: dict[tuple[str, str, str], list[Result]] = {}
    alone: dict[Path, list[Result]] = {}
    tables: dict[Path, Mapping[str, Sequence[_Row]]] = {}
    for path in find_records(paths):
        say(f"reading {path.name}")
        result, labels = load_result(path, chains), whose(path, tables)
        if labels is None:
            alone.setdefault(path.absolute().parent, []).append(result)
        else:
            grouped.setdefault(labels, []).append(result)
    one_body = len(people([result for results in alone.values() for result in results])) < 2
    for folder, results in alone.items():
        bodies = people(results)
        for i, places in enumerate(bodies, start=1):
            of_one = [results[place] for place in places]
            mass = next((m for result in of_one if (m := result.number("subject", "mass", "value") or 0.0) > 0), 0.0)
            who = f", person {i}" + (f" ({mass:.1f} kg)" if mass else "") if len(bodies) > 1 else ""
            key = ("", folder.name, "") if one_body else (folder.name + who, "", "")
            grouped.setdefault(key, []).extend(of_one)
    return tuple(session for key, results in grouped.items() for session in _by_model(*key, results))


def load_named(named: Mapping[str, Sequence[Path]], say: Callable[[str], None]) -> tuple[Session, ...]:
    """A session for each name, of all results that it is given; of each subject that a ``batch.csv`` names one.

    Raises
    ------
    GaitidError
        As `load_results`.
    """
    collected = []
    for name, paths in named.items():
        results = [result for session in load_results(paths, say) for result in session.results]
        tables: BatchTables = {}
        by_subject: dict[str, list[Result]] = {}
        for result in results:
            by_subject.setdefault((whose(result.path, tables) or ("",))[0], []).append(result)
        collected += [one for who, of_one in by_subject.items() for one in _by_model(who, name, "", of_one)]
    return tuple(collected)


def _by_model(subject: str, session: str, condition: str, results: Sequence[Result]) -> list[Session]:
    """A session for the results of each model, which is in its condition where there are several."""
    by_model: dict[str, list[Result]] = {}
    for result in results:
        by_model.setdefault(str(result.record_at("model", "name") or ""), []).append(result)
    if len(by_model) == 1:
        return [Session(subject, session, condition, tuple(results))]
    return [
        Session(subject, session, " ".join(filter(None, (condition, f"model {model}"))), tuple(of_model))
        for model, of_model in by_model.items()
    ]


def people(results: Sequence[Result]) -> list[list[int]]:
    """The places of the results that can be of one person each, by mass and leg lengths, in the order of the first."""
    collected: list[list[int]] = []
    # of each person the least and the largest of each size that is known
    limits: list[dict[str, tuple[float, float]]] = []
    for i, result in enumerate(results):
        given = ((name, result.number("subject", name, "value") or 0.0) for name in _SIZES)
        sizes = {name: size for name, size in given if size > 0}
        for of_one, known in zip(collected, limits, strict=True):
            both = {n: (min(of), max(of)) for n, size in sizes.items() for of in [(size, *known.get(n, ()))]}
            if all(most <= least * (1 + ANOTHER_BODY) for least, most in both.values()):
                of_one.append(i)
                known.update(both)
                break
        else:
            collected.append([i])
            limits.append({name: (size, size) for name, size in sizes.items()})
    return collected


# --- the table of a batch -------------------------------------------------------------------------------------------


def whose(record: Path, tables: BatchTables) -> tuple[str, str, str] | None:
    """Subject, session and condition by the table of the batch that a result is of; None without such a table or row.

    `tables` keeps what was read, for the next result.
    """
    here = record.absolute()
    for folder in here.parents[:_MOST_LEVELS]:
        table = folder / "batch.csv"
        if table.is_file():
            if table not in tables:
                tables[table] = _rows(table)
            parts = (here.parent / here.name[: -len(RECORD_SUFFIX)]).relative_to(folder).parts
            rows = tables[table].get(parts[-1], ())
            # the row whose trial ends in most of the result's own folders and name
            best = max(rows, key=lambda row: _shared_end(row.parts, parts), default=None)
            return None if best is None else best.whose
    return None


def _rows(table: Path) -> dict[str, list[_Row]]:
    by_name: dict[str, list[_Row]] = {}
    try:
        for row in csv.DictReader(read_text_back(table, "CSV").splitlines()):
            *folders, name = PurePath((row.get("trial") or "").replace("\\", "/")).parts or ("",)
            name = PurePath(name).stem
            whose = (row.get("subject") or "", row.get("session") or "", row.get("condition") or "")
            by_name.setdefault(name, []).append(_Row((*folders, name), whose))
    except csv.Error as error:
        raise GaitidError(f"{table}: not CSV", found=str(error)) from None
    return by_name


def _shared_end(one: Sequence[str], other: Sequence[str]) -> int:
    """How many last parts of two paths are the same."""
    same = [a == b for a, b in zip(reversed(one), reversed(other), strict=False)]
    return (same + [False]).index(False)


# --- as somebody asks for it ----------------------------------------------------------------------------------------


def regrouped(sessions: Sequence[Session], by: str | None) -> tuple[Session, ...]:
    """The same results, those together that have the same label of that kind and are of one subject.

    Parameters
    ----------
    sessions : sequence of Session
    by : {"trial", "session", "condition", "subject"} or None
        ``trial`` sets each trial beside the others. None leaves sessions and conditions apart as they are.

    Raises
    ------
    GaitidError
        By session or condition, and nothing says which.
    """
    if by is None:
        return tuple(sessions)
    if by == "trial":
        results = [(session.subject, result) for session in sessions for result in session.results]
        names = names_of([result for _, result in results])
        return tuple(Session(who, name, "", (result,)) for name, (who, result) in zip(names, results, strict=True))
    if by != "subject" and not any(getattr(session, by) for session in sessions):
        raise GaitidError(
            f"--by {by}: no result has a {by}", expected=f"a column {by} with values in the batch.csv above the results"
        )
    dropped = {name: "" for name in ("session", "condition") if name != by}
    together: dict[Session, list[Result]] = {}
    for session in sessions:
        together.setdefault(replace(session, results=(), **dropped), []).extend(session.results)
    return tuple(replace(label, results=tuple(results)) for label, results in together.items())
