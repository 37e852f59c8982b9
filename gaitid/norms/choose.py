"""Which norms are drawn over a result, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gaitid.norms.types import Norms

DEFAULT = "schwartz2008"
NONE = "none"


def norms_for(choice: str | None, record: Mapping[str, Any], speed_m_per_s: float) -> tuple[Norms | None, str]:
    """The norms to draw over a result, and in plain words which and why, or why none.

    Parameters
    ----------
    choice : str or None
        A name, the path of a laboratory's own norms, ``none``, or None for the default: Schwartz 2008 by walking speed,
        where model and population fit.
    record : mapping
        The content of ``run.json``.
    speed_m_per_s : float
        Walking speed; NaN where it is not known.

    Raises
    ------
    GaitidError
        No norms of that name, no file there, or a file that is not norms.
    """
    if choice == NONE:
        return None, "no normative bands were asked for"
    return None, "no normative bands: not there yet"
