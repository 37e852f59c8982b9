"""`gaitid mechanism` as a function: one file in, its motion and loads out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from gaitid.disk.atomic import put_all, refuse_taken, write_all
from gaitid.drawing import load_matplotlib
from gaitid.errors import WriteError
from gaitid.inputs import named
from gaitid.mechanism.dynamics import Solution, solve, unknown_loads
from gaitid.mechanism.file import find_mechanism, load_mechanism
from gaitid.mechanism.tables import loads_csv, motion_csv, record


def run_mechanism(
    name: str, folder: Path, plot: Path | None = None, command: Sequence[str] = ()
) -> tuple[Solution, list[Path], tuple[str, ...]]:
    """Solve a mechanism and write its files: all of them, or none.

    Parameters
    ----------
    name : str
        A path, or a bundled mechanism's name.
    folder : Path
        Made where absent.
    plot : Path, optional
        A picture to draw, by matplotlib (PNG, SVG or PDF by its suffix).
    command : sequence of str
        For the record.

    Returns
    -------
    Solution, list of Path, tuple of str
        The result, the files written, and the warnings.

    Raises
    ------
    GaitidError
        The file is refused, the mechanism cannot be solved, or nothing can be written.
    """
    source = load_mechanism(find_mechanism(name))
    solution: Solution = named(source.path, lambda: solve(source.mechanism, source.time_s, source.statics))
    stem = source.path.stem
    warnings = (*source.warnings, *unknown_loads(solution))
    texts = {
        f"{stem}.motion.csv": motion_csv(solution),
        f"{stem}.loads.csv": loads_csv(solution),
        f"{stem}.mechanism.json": record(source, solution, warnings, command),
    }
    if plot is None:
        return solution, write_all(folder, texts), warnings
    load_matplotlib(f"{plot}: a picture")
    from gaitid.mechanism.picture import picture

    return solution, _write_both(folder, texts, plot, picture(source, solution, plot.suffix)), warnings


def _write_both(folder: Path, texts: Mapping[str, str], plot: Path, drawn: bytes) -> list[Path]:
    """The tables, and the picture in a folder of its own: it lies aside until the tables are in place."""
    aside = plot.with_name(f".{plot.name[:40]}.{os.getpid()}.aside")
    try:
        refuse_taken(plot)
        put_all(aside.parent, {aside.name: drawn})
    except OSError as error:
        raise WriteError(f"{plot}: cannot be written ({error.strerror or error})") from None
    try:
        return [*write_all(folder, texts, lambda: aside.replace(plot)), plot]
    finally:
        aside.unlink(missing_ok=True)
