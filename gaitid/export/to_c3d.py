"""A result -> a copy of its trial's C3D file with the results as points."""

from __future__ import annotations

from gaitid.disk.regular import MAX_BYTES, file_size
from gaitid.errors import GaitidError
from gaitid.export.c3d_file import with_points
from gaitid.export.c3d_points import UNITS, points_of
from gaitid.export.made import Made
from gaitid.export.source import Source


def make(source: Source, keep_names: bool = False) -> Made:
    """``walk.c3d``.

    Raises
    ------
    GaitidError
        The trial is no C3D file, is gone or has changed, or other numbers come out of it.
    """
    result = source.analysed()
    path = result.trial.path
    if not result.trial.origin.get("format", "").startswith("C3D"):
        raise GaitidError(
            "the trial is no C3D file",
            expected="one to write into",
            found=path.suffix or path.name,
            todo="use --to trc",
        )
    file_size(path, MAX_BYTES, "C3D")
    written = with_points(path.read_bytes(), points_of(result, result.trial.origin["length_unit"]), UNITS, keep_names)
    renamed = sum(label != name for label, name in written.labels.items())
    remarks = [f"{len(written.labels)} points added"]
    if renamed:
        remarks.append(f"{renamed} of them with the suffix _gaitid, because the file holds their labels already")
    if not written.was_real:
        remarks.append("the file's whole numbers became reals (docs/export.md)")
    return Made({f"{source.stem}.c3d": written.content}, tuple(remarks))
