"""A chain fitted to a trial, and what is to be said of it: what the markers do not tell, and where they do not fit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.body.calibration import marker_label
from gaitid.body.frames import Geometry
from gaitid.body.multibody import FittedChain
from gaitid.errors import TrialError, first_few
from gaitid.model import specs
from gaitid.notes import Note, note
from gaitid.trial import Mask

# m. A marker that lies farther (root mean square over the trial) from its place on the fitted chain: skin moves those
# of a thigh by 10 to 30 mm in a walk (Leardini 2005, Gait Posture 21:212-225), and a chain shares that out.
FAR_M = 0.025
# Share of the frames: more of them at a limit say that the limit shapes the result.
OFTEN_AT_LIMIT = 0.1
_SHOWN = 6


def chain_notes(fitted: FittedChain, known: Sequence[Mask], model: specs.Model, direct: Geometry) -> list[Note]:
    fit, notes = fitted.fit, []
    seen = np.isfinite(fit.R[0]).all(axis=(1, 2))
    needed = {("", model.base.segment)} | {
        (s.name, b.segment) for s in model.sides for b in model.chain if not b.optional
    }
    for place, of_segment in zip(fitted.places, known, strict=True):
        if place in needed and not of_segment.any() and seen.any():
            never = [name for name, told in zip(fit.names, fit.determined.T, strict=True) if not told[seen].any()]
            raise TrialError(
                f"the markers do not determine {first_few(never or ['the chain'], _SHOWN)} in any frame",
                expected="markers on every segment that tell how it turns, or joints that leave it less freedom",
                found=_seen_words(fitted, direct),
                todo="name more markers under pose.tracking, or give these joints a type with fewer free angles",
            )
    lacking = {
        name: int((seen & ~told).sum())
        for name, told in zip(fit.names, fit.determined.T, strict=True)
        if not told[seen].all()
    }
    if lacking:
        notes.append(note("chain_undetermined", frames_of=[f"{name} ({count})" for name, count in lacking.items()]))
    if restless := int((seen & ~fit.settled).sum()):
        notes.append(note("chain_unsettled", n_frames=restless))
    far = []
    for place, names, off in zip(fitted.places, fitted.markers, fitted.residuals, strict=True):
        for k, name in enumerate(names):
            of_marker = off[:, k][np.isfinite(off[:, k])]
            weighs = fitted.chain[fitted.places.index(place)].weights[k] > 0
            if weighs and of_marker.size and (rms := float(np.sqrt((of_marker**2).mean()))) > FAR_M:
                far.append(f"{marker_label(model, name, place[0]) or name} {rms * 1e3:.0f} mm")
    if far:
        notes.append(note("chain_far", markers=far))
    often = [
        n for n, hit in zip(fit.names, fit.at_limit.T, strict=True) if seen.any() and hit[seen].mean() > OFTEN_AT_LIMIT
    ]
    if often:
        notes.append(note("chain_at_limit", coordinates=often))
    return notes


def _seen_words(fitted: FittedChain, direct: Geometry) -> str:
    """The markers of each segment that were seen."""
    parts = []
    for place, names in zip(fitted.places, fitted.markers, strict=True):
        there = [n for n in names if np.isfinite(direct.point(n, place[0])).any()]
        labels = [marker_label(direct.model, n, place[0]) or str(n) for n in there]
        parts.append(f"{' '.join(filter(None, place))}: {', '.join(labels) or 'none'}")
    return "; ".join(parts)


def chain_figures(fitted: FittedChain, model: specs.Model, first_frame: int) -> dict[str, object]:
    """How a chain fits a trial, for its record: by marker how far it lies from its place, mm."""
    fit = fitted.fit
    seen = np.isfinite(fit.R[0]).all(axis=(1, 2))
    markers: dict[str, object] = {}
    for place, names, off in zip(fitted.places, fitted.markers, fitted.residuals, strict=True):
        for k, name in enumerate(names):
            track = off[:, k]
            if not (known := np.isfinite(track)).any():
                continue
            worst = int(np.argmax(np.where(known, track, -1.0)))
            markers[marker_label(model, name, place[0]) or str(name)] = {
                "segment": " ".join(filter(None, place)),
                "residual_rms_mm": float(np.sqrt((track[known] ** 2).mean()) * 1e3),
                "residual_worst_mm": float(track[worst] * 1e3),
                "residual_worst_frame": worst + first_frame,
            }
    return {
        "markers": markers,
        "steps_mean": float(fit.steps[seen].mean()) if seen.any() else None,
        "frames_not_settled": int((seen & ~fit.settled).sum()),
        "frames_not_determined": {
            n: int((seen & ~told).sum())
            for n, told in zip(fit.names, fit.determined.T, strict=True)
            if not told[seen].all()
        },
        "frames_at_limit": {n: int(hit.sum()) for n, hit in zip(fit.names, fit.at_limit.T, strict=True) if hit.any()},
    }
