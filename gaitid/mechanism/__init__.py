"""Planar, kinematically driven mechanisms: motion, multipliers, and the force and torque at every constraint."""

from __future__ import annotations

from gaitid.mechanism.dynamics import Solution, solve
from gaitid.mechanism.file import MechanismFile, bundled_mechanisms, find_mechanism, load_mechanism
from gaitid.mechanism.mechanism import Mechanism
from gaitid.mechanism.run import run_mechanism

__all__ = [
    "Mechanism",
    "MechanismFile",
    "Solution",
    "bundled_mechanisms",
    "find_mechanism",
    "load_mechanism",
    "run_mechanism",
    "solve",
]
