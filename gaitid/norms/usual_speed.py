"""How fast healthy adults walk at their comfortable speed, by age and sex."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gaitid.norms.fit import age_years
from gaitid.norms.sets import Figure
from gaitid.results.record_checks import entry_at

# Last year of age -> mean of men and of women, m/s. Bohannon & Andrews (2011), Physiotherapy 97:182-189: a
# meta-analysis of 41 articles with 23 111 people. Read from reprints with two decimals; its abstract has the extremes,
# 143.4 and 94.3 cm/s. No standard deviation between people could be read: nothing is called slow or fast by it.
_YEARS_FROM = 20
_MEANS = {29: (1.36, 1.34), 39: (1.43, 1.34), 49: (1.43, 1.39), 59: (1.43, 1.31), 69: (1.34, 1.24), 79: (1.26, 1.13),
          99: (0.97, 0.94)}  # fmt: skip


def usual_speed(record: Mapping[str, Any]) -> tuple[Figure, str] | None:
    """The mean speed of healthy adults of a subject's age and sex, and whose it is; None where either is not known."""
    age, sex = age_years(record), entry_at(record, "subject", "sex", "value")
    last = next((last for last in _MEANS if _YEARS_FROM <= math.floor(age) <= last), 0) if math.isfinite(age) else 0
    if not last or sex not in ("male", "female"):
        return None
    first = 80 if last == 99 else last - 9
    words = (
        f"Walking speed: mean of healthy {'men' if sex == 'male' else 'women'} of {first} to {last} years at their "
        "comfortable speed (Bohannon & Andrews 2011, Physiotherapy 97:182–189, 23 111 people); no spread is known."
    )
    return Figure(_MEANS[last][sex == "female"], math.nan, "m/s", 0), words
