"""Measured loads on bodies of a chain -> their wrenches at the camera's instants, by side and segment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.body.poses import Body, Key
from gaitid.dynamics.chain import Wrench
from gaitid.errors import ModelError, ReadError, TrialError
from gaitid.model import specs
from gaitid.notes import Note, Notes, as_option, note
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import apply, cross, norm
from gaitid.numerics.sampling import sample_centred_mean, sample_local_quadratic
from gaitid.read.tables.body_load import BODY_AXES, LABORATORY_AXES, BodyLoad
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Trial


@frozen_dataclass(eq=False)
class AppliedLoad:
    """One measured load on a segment, as the equations of motion have it.

    Attributes
    ----------
    side, segment : str
        The side is empty for the base.
    measured : BodyLoad
    wrench : Wrench
        On the segment, laboratory axes, at the camera's instants; NaN where it is not known.
    """

    side: str
    segment: str
    measured: BodyLoad
    wrench: Wrench

    def record(self) -> dict[str, Any]:
        """What a run's record says of it."""
        force = norm(self.wrench.f_g)
        known = force[np.isfinite(force)]
        return {
            "segment": _name((self.side, self.segment)),
            "path": str(self.measured.path),
            "rate_hz": self.measured.rate_hz,
            "columns": self.measured.words,
            "frames_known": int((known_rows(self.wrench.f_g) & known_rows(self.wrench.m_g)).sum()),
            "largest_force_N": float(known.max()) if known.size else float("nan"),
        }


def _name(key: Key) -> str:
    return "_".join(filter(None, key))


def loaded_segments(model: specs.Model) -> dict[str, Key]:
    """Every word that means a segment in ``--load SEGMENT=FILE``: ``left_shank``, the base, and of a model with one
    side also the bare name."""
    words = {f"{side.name}_{body.segment}": (side.name, body.segment) for side in model.sides for body in model.chain}
    if len(model.sides) == 1:
        words |= {body.segment: (model.sides[0].name, body.segment) for body in model.chain}
    return words | {model.base.segment: ("", model.base.segment)}


def segment_of(word: str, model: specs.Model) -> Key:
    """The side and segment that a word means.

    Raises
    ------
    ModelError
        None.
    """
    words = loaded_segments(model)
    if word not in words:
        expected = " or ".join(dict.fromkeys(map(_name, words.values())))
        raise ModelError(f"--load {word}: no such segment in the model {model.name}", expected=expected)
    return words[word]


def check_loads(trial: Trial, model: specs.Model, given: Sequence[tuple[str, BodyLoad]]) -> None:
    """Refuse a load on a segment that the model does not have, and a trial that says of a load that is not given.

    Parameters
    ----------
    trial : Trial
    model : Model
    given : sequence of (str, BodyLoad)
        By the segment, as ``--load`` has it.

    Raises
    ------
    ModelError, TrialError
    """
    on = Counter(segment_of(word, model) for word, _ in given)
    words = loaded_segments(model)
    lacking: list[tuple[str, str]] = []
    names = {load.path.name for _, load in given}
    for segment, file in sorted(trial.loaded, key=lambda stated: stated[1] not in names):
        if segment not in words or on[words[segment]] == 0:
            lacking.append((segment, file))
        else:
            on[words[segment]] -= 1
    if lacking:
        options = " ".join(as_option("--load", f"{segment}={trial.path.parent / file}") for segment, file in lacking)
        beyond = sorted({segment for segment, _ in lacking if segment not in words})
        todo = f"give {options}"
        if beyond:
            todo = f"take a model that has {' and '.join(beyond)}, and {todo}"
        raise TrialError(
            "the trial was recorded under loads that it does not hold",
            expected=f"the load on {' and '.join(dict.fromkeys(segment for segment, _ in lacking))}",
            found="no --load" if not given else "--load " + " --load ".join(word for word, _ in given),
            todo=todo,
        )


def apply_loads(given: Sequence[tuple[str, BodyLoad]], body: Body) -> tuple[tuple[AppliedLoad, ...], Notes]:
    """Measured loads at the camera's instants, in laboratory axes.

    They are filtered and read as plates are (`force_cutoff_hz`, `plate_sampling`), in the axes that they were recorded
    in; the pose of the body then turns them.

    Parameters
    ----------
    given : sequence of (str, BodyLoad)
        By a word of `loaded_segments`.
    body : Body

    Raises
    ------
    ModelError, TrialError
        No such segment, or a rate or a cut-off that does not fit.
    """
    loads: list[AppliedLoad] = []
    notes: list[Note] = []
    for word, load in given:
        side, segment = segment_of(word, body.model)
        notes += load.notes
        if side and side not in body.sides:
            notes.append(note("input_unused/load", word=word, of=side))
            continue
        loads.append(AppliedLoad(side, segment, load, _at_camera(load, (side, segment), body)))
    return tuple(loads), tuple(notes)


def summed(loads: Sequence[AppliedLoad]) -> Mapping[Key, Wrench]:
    """All loads on each segment together."""
    total: dict[Key, Wrench] = {}
    for load in loads:
        key = load.side, load.segment
        total[key] = total[key].plus(load.wrench.at(total[key].p_g)) if key in total else load.wrench
    return total


def _at_camera(load: BodyLoad, key: Key, body: Body) -> Wrench:
    force, moment, point = load.force, load.moment, load.point
    one_frame = load.force_axes == load.moment_axes == load.point_axes
    if one_frame:  # about a fixed point all components are linear: filtered and read like channels of a plate
        moment, point = moment + cross(point, force), np.zeros_like(point)
    channels = _sampled(load, np.concatenate([force, moment, point], axis=1), body)
    R_gs, origin_g = _place(key, body)

    def global_axes(vector: Array, axes: str) -> Array:
        return vector if axes == LABORATORY_AXES else apply(R_gs, vector)

    f_g = global_axes(channels[:, :3], load.force_axes)
    m_g = global_axes(channels[:, 3:6], load.moment_axes)
    p_g = global_axes(channels[:, 6:], load.point_axes)
    if load.point_axes == BODY_AXES:
        p_g = p_g + origin_g
    return Wrench(f_g, m_g, p_g)


def _sampled(load: BodyLoad, channels: Array, body: Body) -> Array:
    """(frames, 9) at the camera's instants, filtered as the plates are."""
    settings, name, n_frames, rate_hz = body.settings, load.path.name, body.geometry.n_frames, body.rate_hz
    if load.rate_hz < rate_hz * (1 - 1e-6):
        raise TrialError(
            f"{name} is sampled at {load.rate_hz:g} Hz, more slowly than the cameras",
            expected=f"at least {rate_hz:g} Hz",
            todo="export its samples at their own rate",
        )
    if settings.force_cutoff_hz is not None:
        if not settings.force_cutoff_hz < load.rate_hz / 2:
            raise TrialError(
                f"{name}: the cut-off {settings.force_cutoff_hz:g} Hz is too high",
                expected=f"below half the rate, {load.rate_hz / 2:g} Hz",
                todo="give a lower --force-cutoff, or none",
            )
        channels = lowpass(channels, settings.force_cutoff_hz, load.rate_hz)
    sample = sample_centred_mean if settings.plate_sampling == "centred_mean" else sample_local_quadratic
    at_camera = sample(channels, load.rate_hz, rate_hz, n_frames, load.start_s)
    if not known_rows(at_camera).any():
        raise ReadError(f"{name}: none of its samples is known within the trial", todo="give loads of this recording")
    return at_camera


def _place(key: Key, body: Body) -> tuple[Array, Array]:
    """The axes of a segment, and its proximal joint's centre (of a base without mass its origin)."""
    side, segment = key
    model, geometry = body.model, body.geometry
    if side:
        spec = next(s for s in model.chain if s.segment == segment)
        return body.axes(key), geometry.point(spec.centre, side)
    return body.axes(key), body.base_g if model.base.body is None else geometry.point(model.base.body.centre)
