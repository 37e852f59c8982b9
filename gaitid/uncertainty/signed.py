"""What each error that stays the same over a trial, or comes again in every stride, does to its curves, with its sign.

Two results of one person share some errors: what is wrong in both alike cancels in their difference, as far as it moves
both alike. Standard uncertainties have lost the sign that tells it; these have not.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from gaitid.analysis.cycle_curves import curves_of
from gaitid.analysis.result import Result
from gaitid.errors import GaitidError
from gaitid.numerics.masks import is_long
from gaitid.records import frozen_dataclass
from gaitid.trial import Array
from gaitid.uncertainty.errors import errors_of
from gaitid.uncertainty.features import FeatureSpread
from gaitid.uncertainty.first_order import SKIN, STEP, wave_changes
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.sources import Sources


@frozen_dataclass(eq=False)
class Signed:
    """Changes that one standard deviation of each error makes.

    Attributes
    ----------
    errors : tuple of (source, words)
        Which they are; the same words mean the same error of another trial.
    cycles : tuple of (side, number)
    names : tuple of str
        Columns of ``cycles.csv``, without the side.
    curves : (errors, cycles, points, columns) array
    features : (errors, cycles, features) array
        NaN where a feature is unknown.
    """

    errors: tuple[tuple[str, str], ...]
    cycles: tuple[tuple[str, int], ...]
    names: tuple[str, ...]
    curves: Array
    features: Array


def signed(result: Result, sources: Sources, wanted: Collection[str]) -> Signed:
    """Changes by the errors of some sources that are the same all the time, or in every stride.

    Parameters
    ----------
    result : Result
    sources : Sources
    wanted : collection of str
        Names of sources.

    Raises
    ------
    GaitidError
        Skin is wanted of a long trial: its derivatives by all markers would need gigabytes.
    """
    perturbed = Perturbed(result)
    spread = FeatureSpread(perturbed)
    curves, all_errors = curves_of(result), errors_of(sources, perturbed)
    errors = [error for error in all_errors.constant if error.source in wanted]
    named = [(error.source, error.words) for error in errors]
    shifted = perturbed.columns([error.shift.times(STEP) for error in errors])
    over = [spread.over_cycles((columns - perturbed.unshifted) / STEP) for columns in shifted]
    if SKIN in wanted:
        if is_long(result.trial.n_frames):
            todo = "compare without it, or parts of it"
            raise GaitidError("a trial this long is not held against what skin does in another", todo=todo)
        for words, of_tracks in wave_changes(perturbed, all_errors, spread.over_cycles):
            named += [(SKIN, f"{words}, track {k}") for k in range(len(of_tracks))]
            over += of_tracks
    features = [spread.slopes([change])[0] for change in over]
    return Signed(
        tuple(named),
        tuple((cycle.side, cycle.number) for cycle in curves.cycles),
        tuple(curves.names),
        np.array(over).reshape(len(named), *curves.values.shape),
        np.array(features).reshape(len(named), *spread.of_result.shape),
    )
