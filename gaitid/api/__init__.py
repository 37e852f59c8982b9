"""A trial, a file or arrays -> an `Analysis` with its results as DataFrames: gaitid from Python.

What `gaitid run` does, as functions; the numbers, the record and the files are the same. It computes no physics of its
own, prints nothing, and never ends the process. Its names are offered by `import gaitid`, which loads them when they
are used.
"""

from gaitid.api.arrays import Plate, trial_from_arrays
from gaitid.api.functions import analyse, load, load_model, read_trial, repeatability
from gaitid.api.result import Analysis

__all__ = ["Analysis", "Plate", "analyse", "load", "load_model", "read_trial", "repeatability", "trial_from_arrays"]
