"""A mechanism in YAML -> its motion, its multipliers, and the force and torque at every constraint (planar, driven).

It knows nothing of trials; what it shares with their analysis are errors, the reading of YAML and the way of writing.
"""

from __future__ import annotations

from gaitid.mechanism.dynamics import Solution, solve
from gaitid.mechanism.file import MechanismFile, bundled_mechanisms, find_mechanism, load_mechanism
from gaitid.mechanism.files import Template, mechanism_template, run_mechanism
from gaitid.mechanism.mechanism import Mechanism

__all__ = [
    "Mechanism",
    "MechanismFile",
    "Solution",
    "Template",
    "bundled_mechanisms",
    "find_mechanism",
    "load_mechanism",
    "mechanism_template",
    "run_mechanism",
    "solve",
]
