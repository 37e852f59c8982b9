"""What each cause contributes to the joint wrenches of a result: `run --contributions [--observer SEGMENT]`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.analysis.result import Result, SideResult
from gaitid.dynamics.chain import Chain, Wrench
from gaitid.dynamics.fictitious import (
    APPLIED,
    CONTRIBUTIONS,
    FICTITIOUS,
    Observer,
    contributions,
    relative_motion,
    segment_observer,
)
from gaitid.errors import ModelError
from gaitid.model.specs import Model

#: Side -> joint -> cause -> its part of the joint's wrench.
Parts = Mapping[str, Mapping[str, Mapping[str, Wrench]]]

WORDS = {
    "gravity": "what carries the weight of everything beyond the joint",
    "inertia": "what accelerates and turns everything beyond the joint",
    "ground_reaction": "what answers the ground's load on the foot",
}
_OF_LOADS = "what answers the other loads that were measured (--load)"


def contributed(result: Result, observer: str | None = None) -> Parts:
    """The parts of every joint's wrench, laboratory axes; they sum to it to rounding.

    Parameters
    ----------
    result : Result
    observer : str, optional
        A segment of the chain, on each side that side's own, or the base: whoever rides on it at its proximal joint
        (on a base without mass at its origin) sees less of the motion as inertia, and the rest as fictitious wrenches.

    Returns
    -------
    Parts
        Of every side; NaN on a side without markers.

    Raises
    ------
    ModelError
        The model has no such segment.
    """
    check_observer(observer, result.model)
    return {
        side: {
            name: {cause: _where_known(part, leg.wrenches[name]) for cause, part in parts.items()}
            for name, parts in zip(leg.wrenches, _of_leg(result, leg, observer), strict=True)
        }
        for side, leg in result.by_frame.items()
    }


def _where_known(part: Wrench, whole: Wrench) -> Wrench:
    """A part where the wrench that it is of is known: of what is withheld no part is written."""
    force_N, moment_Nm = (
        np.where(np.isnan(of), np.nan, value) for value, of in ((part.f_g, whole.f_g), (part.m_g, whole.m_g))
    )
    return Wrench(force_N, moment_Nm, part.p_g)


def check_observer(observer: str | None, model: Model) -> None:
    """Refuse an observer on a segment that the model does not have.

    Raises
    ------
    ModelError
    """
    segments = (*(body.segment for body in model.chain), model.base.segment)
    if observer is not None and observer not in segments:
        raise ModelError(
            f"--observer {observer}: no such segment in the model {model.name}", expected=" or ".join(segments)
        )


def _of_leg(result: Result, leg: SideResult, observer: str | None) -> list[Mapping[str, Wrench]]:
    if leg.chain is None:  # not recorded: its wrenches are unknown, and so are their parts
        names = (*CONTRIBUTIONS, *((APPLIED,) if _loaded(result) else ()), *(FICTITIOUS if observer else ()))
        return [dict.fromkeys(names, wrench) for wrench in leg.wrenches.values()]
    if observer is None:
        return _with_loads(contributions(leg.chain, result.gravity_g), result)
    rider = _rider(result, leg, leg.chain, observer)
    velocities = [motion.vel_g for motion in leg.motions.values()]
    seen = [relative_motion(link, v, rider) for link, v in zip(leg.chain.links, velocities, strict=True)]
    return _with_loads(contributions(leg.chain, result.gravity_g, rider, seen), result)


def _loaded(result: Result) -> bool:
    """Whether a load was measured on a segment of any side: then all sides have its columns."""
    return any(load.side for load in result.applied_loads)


def _with_loads(terms: list[Mapping[str, Wrench]], result: Result) -> list[Mapping[str, Wrench]]:
    """The same with a column for loads on a side that has none, where the other has."""
    if not _loaded(result) or APPLIED in terms[0]:
        return terms

    def nothing(joint: Mapping[str, Wrench]) -> Wrench:
        like = joint["gravity"]
        return Wrench(0.0 * like.f_g, 0.0 * like.m_g, like.p_g)

    return [{**joint, APPLIED: nothing(joint)} for joint in terms]


def _rider(result: Result, leg: SideResult, chain: Chain, segment: str) -> Observer:
    if segment in leg.motions:
        link = chain.links[list(leg.motions).index(segment)]
        return segment_observer(link, leg.motions[segment].vel_g, link.joint_g)
    return segment_observer(result.base, result.base.vel_g, result.base_wrench.p_g)


def contributions_in_words(observer: str | None, loads: bool = False) -> str:
    """What the columns mean, for the record; `loads` where there are measured loads but the ground's."""
    words = "; ".join(f"{name}: {text}" for name, text in (WORDS | ({APPLIED: _OF_LOADS} if loads else {})).items())
    if observer is not None:
        words += (
            f"; as seen from the {observer} (axes that turn with it, attached to its proximal joint, on a base without "
            f"mass to its origin): inertia is what is left of it there, and {', '.join(FICTITIOUS)} are the shares of "
            "its fictitious wrenches"
        )
    return f"parts of the joint's wrench that sum to it ({words})"
