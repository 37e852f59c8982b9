"""Normative bands, published or a laboratory's own: a record in, the bands that may be drawn over its curves out.

It knows no page and no picture, and computes no physics: what it compares stands in the files of a result.
"""

from gaitid.norms.choose import NONE, norms_for, profile_for
from gaitid.norms.fit import NO_GDI, NO_PROFILE, GaitProfile, gait_profile
from gaitid.norms.sets import Band, Figure, Norms

__all__ = [
    "NONE",
    "NO_GDI",
    "NO_PROFILE",
    "Band",
    "Figure",
    "GaitProfile",
    "Norms",
    "gait_profile",
    "norms_for",
    "profile_for",
]
