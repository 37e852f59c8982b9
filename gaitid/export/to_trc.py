"""A result -> its markers as OpenSim reads them (``.trc``): labels checked, gaps filled, not filtered, mm."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.export.opensim_axes import Axes, axes_of
from gaitid.export.source import Made, Source
from gaitid.trial import Array, Trial

_MM_PER_M = 1e3


def make(source: Source) -> Made:
    """``walk.trc``: every marker of the trial; those that the model does not use as they were recorded."""
    result = source.analysed()
    axes, name = axes_of(result), f"{source.stem}.trc"
    return Made({name: file_of(name, result.trial, axes, result.markers.seen)[0]}, (axes.words,))


def file_of(file: str, trial: Trial, axes: Axes, seen: Mapping[str, Array]) -> tuple[str, dict[str, str]]:
    """The text of a file of that name, with the tracks of a trial where `seen` has no others; its names by label."""
    tracks = {label: seen.get(label, trial.marker(label)) for label in dict.fromkeys(trial.labels)}
    tracks = {label: track for label, track in tracks.items() if np.isfinite(track).any()}
    names = _names(list(tracks))
    points = np.stack([axes.turned(track) for track in tracks.values()], axis=1) * _MM_PER_M
    points[~np.isfinite(points).all(axis=2)] = np.nan
    rate, first, n = f"{trial.rate_hz:.10g}", trial.first_frame, trial.n_frames
    keys = "DataRate CameraRate NumFrames NumMarkers Units OrigDataRate OrigDataStartFrame OrigNumFrames"
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{file}",
        keys.replace(" ", "\t"),
        "\t".join([rate, rate, str(n), str(len(names)), "mm", rate, str(first), str(n)]),
        "Frame#\tTime\t" + "\t".join(f"{name}\t\t" for name in names),
        "\t\t" + "\t".join(f"X{i}\tY{i}\tZ{i}" for i in range(1, len(names) + 1)),
        "",
    ]
    rows = (points.reshape(n, -1) + 0.0).tolist()
    for i, (time, row) in enumerate(zip(trial.time_s.tolist(), rows, strict=True)):
        # a blank cell at the end of a line makes OpenSim 4.6 refuse the file; `nan` all its readers know
        cells = (f"{v:.10g}" for v in row)
        lines.append("\t".join([str(first + i), f"{time:.10g}", *cells]))
    return "\n".join(lines) + "\n", dict(zip(tracks, names, strict=True))


def _names(labels: list[str]) -> list[str]:
    """Labels without blanks, which end a name in OpenSim; each still another one."""
    names: list[str] = []
    for label in labels:
        name = "_".join(label.split()) or "marker"
        while name in names:
            name += "_"
        names.append(name)
    return names
