"""Beyond which a figure of a trial is doubted, with the reason of each; helps read it, so nothing is loaded."""

from __future__ import annotations

#: How a figure stands to its limits.
PASS, WARN, FAIL = "pass", "warn", "fail"
# Share of the frames with a known load in which the leg's wrenches are empty: gaps of markers, ends of spans.
EMPTY_WARN, EMPTY_FAIL = 0.2, 0.8
# Share of the frames of a stance in which the load, and the leg's wrenches, are known: a whole stance. In recorded
# walks 94 to 100 % of the stances that are clean, at most 90 % of those of which a stretch is lost.
WHOLE_STANCE = 0.92
# Share of the frames of a stance that may be empty as no body does what was there (docs/quality.md).
STANCE_EMPTIED = 0.02
# Peak vertical force of a whole stance in body weights: 0.9 to 1.4 in walking, up to 3 in running.
PEAK_WARN, PEAK_FAIL = (0.7, 3.0), (0.4, 6.0)
# The first where the body flies before or after for the second, s: a sprint at 9.5 m/s shows 3.2 to 3.6, and faster
# runners press more (Clark & Weyand 2014, J Appl Physiol 117:604-615).
PEAK_FLYING_WARN, FLIGHT_S = 5.0, 0.03
# Both feet together while both are on plates, body weights: up to 1.5 in walking.
TOGETHER_WARN = 1.8
# s. Feet that land within less of each other landed together, from a jump, whose force may be any; steps follow each
# other by 0.2 s and more, in running too.
LANDED_TOGETHER_S = 0.1
# From the middle of one single support to the middle of the next the body neither rises nor falls on the
# whole, so the mean of the vertical force is body weight (0.98 to 1.06 in recorded walks and on stairs). A
# stored mass was seen to be wrong by 14 %; pounds taken for kilograms are wrong by 55 %.
MEAN_WARN, MEAN_FAIL = 0.1, 0.3
# s. In a shorter recording nobody can be seen to stand still: the contact of a foot lasts longer.
STANDS_S = 0.4
