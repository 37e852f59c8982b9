"""A scenario -> a synthetic trial whose joint wrenches are known exactly, and its truth in the same columns.

Nothing here uses the analysis that the trials are there to test: geometry, derivatives, mechanics and
clinical terms are written a second time, by other means (forward from the skeleton, exact derivatives, the
momentum principle). Shared are the errors, the reading of YAML and, for mechanical systems, the joint-space equations
that are integrated: the analysis has none of them, and the truth is not computed by them.
"""

from __future__ import annotations

#: Walks.
ABOUT = {
    "walk": "two clean steps on two plates, all others on bare floor",
    "crossing": "the feet cross: each lands beyond the middle line",
    "shared_plate": "two steps on one long plate, the third on another",
    "across_plates": "the first foot lands across the edge between two plates, the second on a plate of its own",
    "over_edge": "the first foot has its heel beside the plate, the second its outer half, the third is clean",
    "stop": "stands still for a second with a foot on each plate, and walks on",
    "stumble": "is held up in mid-step, then hurries",
    "backward": "walks backward",
    "turn": "turns by 75° in two steps, on the plates",
    "treadmill": "walks on a treadmill with one belt",
    "split_belt": "walks on a treadmill with a belt for each foot",
    "ramp": "walks up a slope of 6°, the plates in it",
    "run": "runs, with a flight after every step",
    "swapped_plates": "the cables of the two plates are exchanged",
    "second_person": "somebody else steps on plate 2 before the subject does, and on plate 3 meanwhile",
}

#: A person who moves one joint at a time: configs/scenarios/functional.yaml.
ABOUT_FUNCTIONAL = {
    "functional": "a standing person swings each hip and bends each knee: four functional trials and a static"
}

#: Mechanical systems that are integrated forward: those in configs/scenarios.
ABOUT_CHAINS = {
    "double_pendulum": "two bars of 1 m and 1 kg swing freely in a plane",
    "nlink_limb": "three links turned at steady 1, 2 and 4 rad/s against each other, without gravity",
    "swing_leg": "a leg let go at toe-off swings like three pendulums, friction in its joints",
    "swing_leg_tracked": "a leg that follows a swing pattern by computed torque, the hip in three axes",
}
