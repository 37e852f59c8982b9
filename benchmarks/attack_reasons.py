"""Why single spoilt trials stay silent in rows of `attacks.py` that are told elsewhere: figures of clean recordings."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """Of which attacks (a pattern), on which trial and on which part of it (patterns), and why nobody can see it."""

    attack: str
    trial: str
    why: str
    words: str = ""


REASONS: tuple[Reason, ...] = ()


def reason_of(attack: str, trial: str, words: str) -> str:
    """The reason for a silent trial; empty where there is none."""
    for reason in REASONS:
        if all(re.search(pattern, text) for pattern, text in _pairs(reason, attack, trial, words)):
            return reason.why
    return ""


def _pairs(reason: Reason, attack: str, trial: str, words: str) -> tuple[tuple[str, str], ...]:
    return (reason.attack, attack), (reason.trial, trial), (reason.words, words)
