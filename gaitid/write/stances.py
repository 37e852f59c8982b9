"""``walk.stances.csv``: curves over single stances, as long a table as that of cycles."""

from __future__ import annotations

import numpy as np

from gaitid.analysis.stance_curves import StanceCurves
from gaitid.ground.contacts import Contact
from gaitid.write import STANCE_COLUMNS
from gaitid.write.numbers import row_lines


def stances_text(curves: StanceCurves, first_frame: int) -> str:
    """The text of the table.

    Parameters
    ----------
    curves : StanceCurves
    first_frame : int
        The number of the trial's first frame.
    """
    head = ",".join([*STANCE_COLUMNS, *curves.names]) + "\n"
    if not curves.contacts:
        return head
    points = curves.values.shape[1]
    percent = row_lines(np.linspace(0, 100, points)[:, None])
    rows = iter(row_lines(curves.values.reshape(-1, len(curves.names))))
    lines = [head]
    for number, contact in curves.contacts:
        marks = ",".join(map(str, stance_marks(contact, first_frame)))
        lines += [f"{contact.side},{number},{at},{marks},{next(rows)}\n" for at in percent]
    return "".join(lines)


def stance_marks(contact: Contact, first_frame: int) -> tuple[int, int, str]:
    """Of each row of a stance, what stands behind its percent: its frames and plates."""
    return first_frame + contact.first, first_frame + contact.last, contact.plate_names
