"""A result -> its markers as OpenSim reads them (``.trc``): labels checked, gaps filled, not filtered, mm."""

from __future__ import annotations

import numpy as np

from gaitid.export.opensim_axes import axes_of
from gaitid.export.source import Made, Source

_MM_PER_M = 1e3


def make(source: Source) -> Made:
    """``walk.trc``: every marker of the trial; those that the model does not use as they were recorded."""
    result = source.analysed()
    trial, axes = result.trial, axes_of(result)
    tracks = {label: result.markers.seen.get(label, trial.marker(label)) for label in dict.fromkeys(trial.labels)}
    tracks = {label: track for label, track in tracks.items() if np.isfinite(track).any()}
    names = _names(list(tracks))
    points = np.stack([axes.turned(track) for track in tracks.values()], axis=1) * _MM_PER_M
    points[~np.isfinite(points).all(axis=2)] = np.nan
    rate, first, n = f"{trial.rate_hz:.10g}", trial.first_frame, trial.n_frames
    keys = "DataRate CameraRate NumFrames NumMarkers Units OrigDataRate OrigDataStartFrame OrigNumFrames"
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{source.stem}.trc",
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
    return Made({f"{source.stem}.trc": "\n".join(lines) + "\n"}, (axes.words,))


def _names(labels: list[str]) -> list[str]:
    """Labels without blanks, which end a name in OpenSim; each still another one."""
    names: list[str] = []
    for label in labels:
        name = "_".join(label.split()) or "marker"
        while name in names:
            name += "_"
        names.append(name)
    return names
