"""What notes say, without their codes."""

from __future__ import annotations

from typing import Protocol

from gaitid.notes import Notes


class _Noted(Protocol):
    @property
    def notes(self) -> Notes: ...


def texts(noted: _Noted) -> tuple[str, ...]:
    """The texts of the notes that a trial, plates or a subject carry."""
    return tuple(note.text for note in noted.notes)
