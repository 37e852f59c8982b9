"""Power of what deforms between the ground and the rigid foot: sole, arch and toes together."""

from __future__ import annotations

from collections.abc import Sequence

from gaitid.body.kinematics import SegmentMotion
from gaitid.dynamics.chain import Link, Twist
from gaitid.model import specs
from gaitid.trial import Array

#: Its name among the powers of a limb.
DISTAL_FOOT = "distal_foot"


def distal_foot_power(
    model: specs.Model, links: Sequence[Link], segments: Sequence[SegmentMotion], floor_g: Array
) -> dict[str, Array]:
    """By its name, (frames,) W; nothing of a model that does not ask for it, or of a limb that nothing acts on.

    Power of the ground on the foot as if it were rigid; positive generates. It is the foot of the ankle's power: both
    together are that of ankle and foot (unified; Takahashi 2012), and nothing is added twice. Velocities are those
    against the ground, which moves with `floor_g`, (3,) m/s.
    """
    grounded = [i for i, spec in enumerate(model.chain) if spec.ground and model.distal_foot_power]
    if not grounded or (load := links[grounded[0]].external) is None:
        return {}
    foot = segments[grounded[0]]
    # P = F · (v + ω × r) + M · ω, with F and M of the ground about a point of the foot (Siegel KL, Kepple TM, Caldwell
    # GE 1996, J Biomech 29:823-827; Takahashi KZ, Kepple TM, Stanhope SJ 2012, J Biomech 45:2662-2667)
    return {DISTAL_FOOT: load.power(Twist(foot.omega_g, foot.vel_g - floor_g, foot.com_g))}
