"""What joints of a person do at the most: the largest angular speeds and moments that were published.

The one table of what no body does (docs/quality.md, "What no body does"): each line with its sources.

The figures of the tendon forces (17.5 and 12.5 body weights) and of the kick are as they are cited elsewhere, not read
in the papers again, and the arms of tendons and of the hip are round: `MARGIN` is far above what that may be off.
"""

from __future__ import annotations

from gaitid.records import NamedTuple


class Extreme(NamedTuple):
    """The largest figures of one joint.

    Attributes
    ----------
    speed_deg_per_s : float
        Helical angular speed: of the distal segment in the proximal one, of the pelvis in the laboratory.
    moment_Nm_per_kg : float
        Length of the moment vector; inf of the pelvis, on which the model's joints exert none that is told.
    """

    speed_deg_per_s: float
    moment_Nm_per_kg: float


# Times the largest that was published: noise of markers, skin and impacts come on top of what bones do.
MARGIN = 2.0

EXTREMES = {
    # 342 turns a minute: the fastest spin of a figure skater (Olivia Oliver, Warsaw 2015, Guinness World Records).
    "pelvis": Extreme(2052.0, float("inf")),
    # Speed: a sprint of 9.5 m/s (Dorn, Schache & Pandy 2012, J Exp Biol 215:1944-1956; computed here from a public
    # recording of it, low-passed at 16 Hz). Moment: 6.3 in that sprint; 7.7 in a deadlift of five body weights (Lamar
    # Gant 1985, 300 kg at 60 kg): (5 + 0.6) · 9.81 m/s² · 0.28 m on two hips.
    "hip": Extreme(1094.0, 7.7),
    # Speed: instep kicks with all force (review: Kellis & Katis 2007, J Sports Sci Med 6:154-165), rounded up; 1557 in
    # the sprint. Moment: 5.0 in the sprint; 6.9 when the patellar tendon of a weight-lifter tore at 17.5 body weights
    # (Zernicke, Garhammer & Jobe 1977, J Bone Joint Surg Am 59:179-183), with an arm of 0.04 m.
    "knee": Extreme(2000.0, 6.9),
    # Speed: the sprint, at push-off and strike. Moment: 4.6 in it; 6.1 by 12.5 body weights on the Achilles tendon of a
    # runner (Komi 1990, J Biomech 23 Suppl 1:23-34), with an arm of 0.05 m.
    "ankle": Extreme(1731.0, 6.1),
}


def moment_limit(joint: str) -> float:
    """Above it no joint of a person exerts a moment, N·m/kg."""
    return MARGIN * EXTREMES[joint].moment_Nm_per_kg
