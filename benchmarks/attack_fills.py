"""Gaps of markers that other programs filled before the file was written: done to a trial in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attack_markers import draws, with_marker
from attack_trials import Case, Spoilt

from gaitid.numerics.rigid_fit import FEWEST, rigid_fit
from gaitid.numerics.rotation import apply, apply_transposed, norm


def gap_filled_by_pattern(n_frames: int, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """A gap that somebody filled with the movement of another marker of the same leg, bent to fit at both ends."""
    labels = list(case.side_of)
    for label, frame in draws(case, draw):
        donors = [other for other in labels if other != label and case.side_of[other] == case.side_of[label]]
        stop = frame + n_frames
        if not donors or frame < 1 or stop >= case.trial.n_frames:
            continue
        donor = donors[int(draw.integers(len(donors)))]
        position, pattern = case.trial.marker(label).copy(), case.trial.marker(donor)
        ends = [position[at] - pattern[at] for at in (frame - 1, stop)]
        if not np.isfinite(pattern[frame - 1 : stop + 1]).all() or not np.isfinite(ends).all():
            continue
        share = (np.arange(1, n_frames + 1) / (n_frames + 1))[:, None]
        position[frame:stop] = pattern[frame:stop] + (1 - share) * ends[0] + share * ends[1]
        where = f"{label} by {donor} from frame {frame + case.trial.first_frame}"
        yield Spoilt(where, with_marker(case.trial, label, position))


def gap_filled_by_polynomial(degree: int, n_frames: int, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """A gap that somebody filled with the polynomial through half of (degree + 1) frames at each of its ends."""
    beside = (degree + 1) // 2
    for label, frame in draws(case, draw):
        position, stop = case.trial.marker(label).copy(), frame + n_frames
        at = np.r_[frame - beside : frame, stop : stop + beside]
        if frame < beside or at[-1] >= case.trial.n_frames or not np.isfinite(position[at]).all():
            continue
        middle, half = (frame + stop) / 2, n_frames / 2 + beside
        terms = np.vander((at - middle) / half, degree + 1)
        inner = np.vander((np.arange(frame, stop) - middle) / half, degree + 1)
        position[frame:stop] = inner @ np.linalg.solve(terms, position[at])
        yield Spoilt(f"{label} from frame {frame + case.trial.first_frame}", with_marker(case.trial, label, position))


def gap_filled_by_body(n_frames: int, case: Case, draw: np.random.Generator) -> Iterator[Spoilt]:
    """A gap that somebody filled as if the marker were on one rigid body with the three nearest of its side."""
    trial = case.trial
    for label, frame in draws(case, draw):
        position, stop = trial.marker(label).copy(), frame + n_frames
        if frame < 1 or stop >= trial.n_frames:
            continue
        near = slice(frame - 1, stop + 1)
        sides = ("", case.side_of[label])
        away = {
            other: float(np.nanmean(norm(trial.marker(other) - position)))
            for other, side in case.side_of.items()
            if other != label and side in sides and np.isfinite(trial.marker(other)[near]).all()
        }
        others = sorted(away, key=away.__getitem__)[:FEWEST]
        if len(others) < FEWEST or not np.isfinite(position[[frame - 1, stop]]).all():
            continue
        points = np.stack([trial.marker(other)[near] for other in others], axis=1)
        fit = rigid_fit(points[0], points)
        ends = apply_transposed(fit.R, position[near] - fit.t)[[0, -1]]
        share = (np.arange(1, n_frames + 1) / (n_frames + 1))[:, None]
        position[frame:stop] = apply(fit.R[1:-1], (1 - share) * ends[0] + share * ends[1]) + fit.t[1:-1]
        where = f"{label} by {', '.join(others)} from frame {frame + trial.first_frame}"
        yield Spoilt(where, with_marker(trial, label, position))
