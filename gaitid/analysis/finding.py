"""What one check found: a figure against its limit, or something else that is worth saying."""

from __future__ import annotations

from gaitid.records import frozen_dataclass

# What was assumed or is worth knowing: no check, and no warning.
NOTE = "note"


@frozen_dataclass()
class Finding:
    """What one check found.

    Attributes
    ----------
    name : str
    status : str
        ``pass``, ``warn``, ``fail`` or ``note``.
    text : str
        For a person, with the number that was measured and the limit.
    value, limit : float or None
    unit : str
        Of both.
    side : str
        The only leg that it concerns; empty where it concerns the trial.
    detail : tuple of str
        More lines for who asks.
    code : str
        The note that says it in the result; empty where none does.
    severity : str
        Of the note that it repeats (`gaitid.notes.SEVERITIES`); a warning of a check's own is a doubt.
    """

    name: str
    status: str
    text: str
    value: float | None = None
    limit: float | None = None
    unit: str = ""
    side: str = ""
    detail: tuple[str, ...] = ()
    code: str = ""
    severity: str = "doubt"
