"""How constant the lengths of a body must be, for notes and checks; read by help texts, so nothing is loaded here."""

from __future__ import annotations

# Standard deviation, m, of the distance between neighbouring joint centres, and among the ankle, heel and toe. Skin
# moves them by 2 to 11 mm in walking, by 16 to 18 mm in a sprint and a drop jump, by 26 mm on stairs with deep knee
# flexion; markers that are mislabelled for part of a trial, or late by some frames, move them by centimetres.
LENGTH_SD_WARN_M, LENGTH_SD_FAIL_M = 0.015, 0.04
# A length that changes by more than this from one frame to the next, m: a label jumped to another marker.
LENGTH_JUMP_M = 0.03
