"""One set of norms for several sessions or subjects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gaitid.norms import Norms, norms_for
from gaitid.report.lines import Member
from gaitid.report.page.figures_table import speeds_of
from gaitid.report.page.pool import CYCLE


def shared_norms(members: Sequence[Member], choice: str | None) -> tuple[Norms | None, str]:
    """Norms that fit every member, and in plain words which and why, or why none.

    Where they depend on speed, they are those of the member whose speed is nearest to the mean of all.

    Raises
    ------
    GaitidError
        No such norms.
    """
    if members[0].basis.kind != CYCLE:
        return None, f"No normative bands: these curves run over {members[0].basis.label}."
    speeds = [speeds_of(member.results) for member in members]
    means = np.array([float(np.mean(of_one)) if of_one else float("nan") for of_one in speeds])
    given = [norms_for(choice, m.results[0].record, speed) for m, speed in zip(members, means, strict=True)]
    for member, (norms, why) in zip(members, given, strict=True):
        if norms is None:
            return None, f"{member.label}: {why}" if len(members) > 1 and choice != "none" else why
    if len(members) == 1 or not np.isfinite(means).any():
        return given[0]
    nearest = int(np.nanargmin(np.abs(means - np.nanmean(means))))
    norms, why = given[nearest]
    unknown = [m.label for m, (of_one, _) in zip(members, given, strict=True) if of_one and not of_one.judges]
    if norms is not None and norms.judges and unknown:
        norms = replace(norms, judges=False)
        ages = f"the age of {', '.join(unknown)} is not known, or does not fit"
        why = f"{why} No curve is called normal or not by it: {ages}."
    return norms, f"{why} Chosen for {members[nearest].label}, whose speed is nearest to the mean of all."
