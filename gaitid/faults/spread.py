"""By how much sound recordings leave residuals, and the likelihood of what is left.

Residuals wander: what is left now is left a tenth of a second later, and a part of it over a whole run of frames. Each
has a spread of both kinds (`Spread`), taken of sound recordings of other laboratories (docs/faults.md tells how, with
the spread that each laboratory alone shows). What a body does that no marker tells is a parameter of its own with a
prior (`_body`): its mass, its trunk, its skin, where its feet press; the likelihood is what is left when these have
been chosen as well as they can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from gaitid.faults.evidence import EVERY, Evidence, level_axes
from gaitid.numerics.rotation import cross, dot
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Mask

# s over which residuals wander, and the share of their spread that does not: noise.
WANDERS, NOISE = 0.1, 0.3
# Root mean square of what a walk asks for beside the body's weight, of that: errors of accelerations grow with them,
# those of angular momentum with the square root.
OF_A_WALK = 0.22
# s of known loads, and feet that press: more steps of one person tell no more; what is left of one is left of the next.
ENOUGH_S, ENOUGH_STEPS = 3.0, 6.0
# By how much this trial may lower the spread, and raise it: a fault that lasts would hide in it otherwise.
LEAST_SPREAD, MOST_SPREAD = 0.8, 2.0


class Spread(NamedTuple):
    """Standard deviations of a residual: within a run of frames, and of its mean over one.

    Attributes
    ----------
    wandering, steady : tuple of float
        Of each component.
    """

    wandering: tuple[float, ...]
    steady: tuple[float, ...]


#: Forces (of body weight), then moments (of the height), each forward, to the left, up: where trunk and arms were
#: measured, and by pelvis and legs alone.
MOMENTUM = {
    True: Spread((0.024, 0.011, 0.021, 0.013, 0.022, 0.006), (0.010, 0.012, 0.007, 0.010, 0.010, 0.004)),
    False: Spread((0.065, 0.022, 0.021, 0.024, 0.030, 0.008), (0.015, 0.012, 0.008, 0.022, 0.020, 0.006)),
}
#: m. Heights of markers of feet that stand.
HEIGHT = 0.008
#: m. Pressure, forward and to the left, and the free moment over the greatest force that presses.
PRESSURE = Spread((0.014, 0.007, 0.003), (0.006, 0.005, 0.002))


class Prior(NamedTuple):
    """Standard deviation and mean of a parameter."""

    sd: float
    mean: float = 0.0


#: A parameter's prior, and what it changes the residuals by for each unit of it.
Effect = tuple[Prior, list[Array]]

#: Of the body's weight: a scale and clothes. In a run what the trunk does in the air is seen of the pelvis only. Where
#: nobody says it, it is what plates carry, any of which may have a gain of 2.
MASS, MASS_RUNNING, MASS_GUESSED = Prior(0.02), Prior(0.1), Prior(0.5)
#: s by which forces come after the markers where both have one clock: 0 to 8 ms in 13 laboratories' walks, each the
#: same in all its trials (3.6 ± 3.5 ms, times sqrt(1 + 1/13) and t(12) over z, as 13 are few); in runs the pelvis
#: follows the leg.
LATE, LATE_RUNNING = Prior(0.004, 0.0036), Prior(0.004, -0.005)
#: s by which single plates of one clock differ.
LATE_PLATES = 0.001
#: s². Markers that are low-passed at f lose 1 / (2 π f)² of how forces bend, 0.0003 at 9 Hz, and so do plates.
BLUNT = Prior(0.0002)
#: s by which the trunk follows the pelvis, forward and to the left.
TRUNK_LATE = {True: (Prior(0.008), Prior(0.008)), False: (Prior(0.025, 0.02), Prior(0.025, 0.01))}
#: By how much more than the pelvis (where it was measured: than markers say) the trunk moves, forward, to the left, up.
TRUNK_MOVES = {True: (Prior(0.12), Prior(0.3), Prior(0.08)), False: (Prior(0.5, -0.2), Prior(0.4, -0.35), Prior(0.08))}
#: Upward, in a run.
BOUNCES = Prior(0.12)
#: Of the height: how far forward, to the left, up of it the whole body's centre of mass lies. Trunk, head and arms,
#: 0.68 of the mass, lie 0.63 of the way from hip to shoulder above the hip (Winter 2009, table 4.1), not at the pelvis.
CENTRE = {True: (Prior(0.01), Prior(0.01), Prior(0.03)), False: (Prior(0.03, -0.07), Prior(0.012), Prior(0.2, 0.30))}
#: Of the height: how far to one side of its centre of mass a body that sways is pushed over one foot.
CROSSES = Prior(0.15)
SWAYS = {True: Prior(0.015), False: Prior(0.05)}
#: Of the body's weight: how much more one foot pushes sideways than markers tell. Of the way from pressure to centre of
#: mass: by how much the force passes that, as angular momentum goes with it.
PUSHES, TURNS = Prior(0.012), Prior(0.08)
#: rad. By how much the cameras' vertical leans where a laboratory was levelled.
LEVEL = Prior(0.006)
#: m. Where a foot presses under heel, ball and between, forward and to the left, by markers on a shoe; and the free
#: moment over the greatest force: 2.6, 3.5 and 1.0 mm, root mean squares of 11 laboratories, 2.0 besides.
FOOT = (
    (Prior(0.012), Prior(0.012), Prior(0.02)),
    (Prior(0.012), Prior(0.016), Prior(0.010)),
    (Prior(0.004), Prior(0.005), Prior(0.002)),
)


@frozen_dataclass(eq=False)
class Likelihood:
    """What residuals are worth.

    Attributes
    ----------
    whiten : tuple of (components, n, n) arrays
        Of each block of residuals: with these they are independent, with a spread of 1.
    body : (n, parameters) array
        What each parameter of the body changes, whitened, for one standard deviation of its prior.
    usual : (n,) array
        What they leave at their means.
    inverse : (parameters, parameters) array
        (bodyᵀ body + 1)⁻¹
    forces : (n,) bool array
        Which of them are of forces.
    counts : float
        How many residuals these are worth.
    share : float
        What each window counts.
    """

    whiten: tuple[Array, ...]
    body: Array
    usual: Array
    inverse: Array
    forces: Mask
    counts: float
    share: float

    def white(self, blocks: Sequence[Array]) -> Array:
        """(n,) residuals with a spread of 1; of states that are stacked (states, n)."""
        lead = blocks[0].shape[:-2] if len(blocks) else ()
        parts = [np.zeros((*lead, 0))]
        for W, block in zip(self.whiten, blocks, strict=True):
            by_component = block.reshape(-1, *block.shape[-2:]).transpose(1, 0, 2) @ W.transpose(0, 2, 1)
            parts.append(by_component.transpose(1, 0, 2).reshape(*lead, -1))
        return np.concatenate(parts, axis=-1)

    def white_of(self, several: Sequence[Sequence[Array]]) -> Array:
        """(m, n) of each of m."""
        blocks = [np.stack(of) for of in zip(*several, strict=True)]
        return self.white(blocks) if blocks else np.zeros((len(several), len(self.usual)))

    def product(self, a: Array, b: Array) -> Array:
        """aᵀ K⁻¹ b of whitened columns, (n,) or (n, k), with the covariance K that the body's parameters add."""
        return np.asarray(a.T @ b - (a.T @ self.body) @ self.inverse @ (self.body.T @ b))

    def misfit(self, white: Array) -> Array:
        """rᵀ K⁻¹ r, of residuals whose usual part is taken off; as many as there are residuals in sound recordings."""
        by_body = white @ self.body
        return np.asarray(dot(white, white) - dot(by_body @ self.inverse, by_body))

    def of_forces(self, white: Array) -> float:
        """The same of the forces alone: by how much Newton's law for the whole body is not kept."""
        r, body = white[self.forces], self.body[self.forces]
        leads = r @ body
        return float(r @ r - leads @ np.linalg.solve(body.T @ body + np.eye(body.shape[1]), leads))

    def log(self, misfit: float) -> float:
        """Logarithm of the likelihood, with the spread that fits best (`variance`).

        Normal, with one spread s for all: −n log s − misfit / 2s².
        """
        raised = self.variance(misfit)
        return float(-self.counts / 2 * np.log(raised) - misfit / (2 * raised))

    def variance(self, misfit: float) -> float:
        """Square of the spread that fits a trial best, of what is usual, within what a trial may change."""
        return min(max(misfit / max(self.counts, 1.0), LEAST_SPREAD**2), MOST_SPREAD**2)


def share_of(there: float, enough: float) -> float:
    """How much each of many residuals counts: what a body does in one step it does in the next."""
    return min(1.0, enough / max(there, 1e-9))


def likelihood(evidence: Evidence, laboratory: Sequence[Effect] | None = None) -> Likelihood:
    """Of the residuals of a trial.

    Parameters
    ----------
    evidence : Evidence
    laboratory : sequence of Effect, optional
        In place of what is known of the clocks and levels of all laboratories.
    """
    scale = 1.0
    if len(evidence.windows_s):
        moves = evidence.filed.asked - evidence.up_g
        scale = max(float(np.sqrt(np.mean(np.sum(moves**2, axis=1)))) / OF_A_WALK, 1.0)
    of = MOMENTUM[evidence.whole]
    momentum = Spread(*(tuple(sd * scale for sd in sds) for sds in of))
    whiten = [_whitening(evidence.windows_s[run], momentum) for run in evidence.runs]
    whiten += [_whitening(pressing.time_s, PRESSURE) for pressing in evidence.pressing]
    if len(evidence.floor_g):
        whiten.append(np.eye(len(evidence.floor_g))[None] / HEIGHT)
    each = share_of(len(evidence.windows_s) * EVERY, ENOUGH_S), share_of(len(evidence.pressing), ENOUGH_STEPS)
    shares = [each[0]] * len(evidence.runs) + [each[1]] * len(evidence.pressing)
    shares += [1.0] * bool(len(evidence.floor_g))
    n = sum(W.shape[0] * W.shape[1] for W in whiten)
    # what is left of momentum and pressure says how much a trial scatters; free moments, which are smaller, do not
    counts = sum(share * (len(W) - (len(W) == 3)) * W.shape[1] for share, W in zip(shares, whiten, strict=True))
    whiten = [np.sqrt(share) * W for share, W in zip(shares, whiten, strict=True)]
    # of a run's six components the first three are of forces
    forces = np.concatenate(
        [np.zeros(0, bool), *(np.repeat(np.arange(len(W)) < 3 * (len(W) == 6), W.shape[1]) for W in whiten)]
    )
    blank = Likelihood(tuple(whiten), np.zeros((n, 0)), np.zeros(n), np.zeros((0, 0)), forces, counts, each[0])
    effects = [*_body(evidence), *(_any_laboratory(evidence) if laboratory is None else laboratory)]
    columns = blank.white_of([blocks for _, blocks in effects])
    priors = np.array([prior for prior, _ in effects]).reshape(-1, 2)
    body, means = (columns.T * of for of in priors.T)
    inverse = np.linalg.inv(body.T @ body + np.eye(body.shape[1]))
    return Likelihood(tuple(whiten), body, means.sum(axis=1), inverse, forces, counts, each[0])


def _whitening(time_s: Array, spread: Spread) -> Array:
    """(components, n, n) inverse Cholesky factors of the covariance of each component."""
    apart = np.exp(-np.abs(time_s[:, None] - time_s) / WANDERS) + NOISE**2 * np.eye(len(time_s))
    sds = zip(spread.wandering, spread.steady, strict=True)
    return np.array([np.linalg.inv(np.linalg.cholesky(w**2 * apart + s**2)) for w, s in sds])


def _any_laboratory(evidence: Evidence) -> Iterator[Effect]:
    """What is usual in laboratories: by how much forces come late, and by how much cameras lean."""
    nothing = np.zeros_like(evidence.filed.asked)
    if not len(nothing):
        return
    yield LATE_RUNNING if evidence.flies else LATE, evidence.force_residual(-evidence.asked_rate, nothing)
    for axis in level_axes(evidence.up_g):
        # the forces seen turn, and gravity with them; about the centre of mass, one height higher, they turn the body
        turned = cross(axis, evidence.filed.asked)
        blocks = evidence.force_residual(turned - cross(axis, evidence.up_g), cross(turned, evidence.up_g))
        if len(evidence.floor_g):
            # the plates' normal turned by as much
            blocks[-1] = -evidence.heights(cross(axis, evidence.up_g))
        yield LEVEL, blocks


def _body(evidence: Evidence) -> Iterator[Effect]:
    """The body's parameters: their priors, and what the residuals change by for each unit of them."""
    whole, axes, asked = evidence.whole, evidence.axes, evidence.filed.asked
    nothing = np.zeros_like(asked)
    if len(asked):
        along = [axes[:, j] for j in range(3)]

        def part(v_g: Array, j: int) -> Array:
            return np.asarray(along[j] * np.sum(v_g * along[j], axis=1)[:, None])

        mass = MASS_GUESSED if evidence.guessed else MASS_RUNNING if evidence.flies else MASS
        yield mass, evidence.force_residual(asked, nothing)
        yield BLUNT, evidence.force_residual(-evidence.asked_bend, nothing)
        for j, prior in enumerate(TRUNK_LATE[whole]):
            yield prior, evidence.force_residual(-part(evidence.asked_rate, j), nothing)
        for j, prior in enumerate(TRUNK_MOVES[whole]):
            if j == 2 and evidence.flies:
                prior = BOUNCES
            yield prior, evidence.force_residual(part(asked - evidence.up_g, j), nothing)
        upward = np.maximum(asked @ evidence.up_g, 0.2)[:, None]
        for j, prior in enumerate(CENTRE[whole]):
            yield prior, evidence.force_residual(nothing, cross(along[j], asked) / upward)
        for side in sorted({step.side for step in evidence.steps}):
            over = evidence.share_on(side)[:, None]
            sways = CROSSES if evidence.crosses else SWAYS[whole]
            yield sways, evidence.force_residual(nothing, along[0] * over)
            yield PUSHES, evidence.force_residual(along[1] * over, nothing)
        lever = evidence.lever()
        for j in (0, 1):
            # a body ahead of its foot turns forward about the axis to the left, one to its left about that backward
            turns = along[1] * lever[:, :1] if j == 0 else -along[0] * lever[:, 1:]
            yield TURNS, evidence.force_residual(nothing, turns)
    yield from _feet(evidence)


def _feet(evidence: Evidence) -> Iterator[Effect]:
    """Where each foot presses."""
    nothing = np.zeros_like(evidence.filed.asked)
    for side in sorted({pressing.side for pressing in evidence.pressing}):
        for j, curve in enumerate(FOOT):
            for shape, prior in zip(_SHAPES, curve, strict=True):
                blocks = evidence.force_residual(nothing, nothing)
                for block, pressing in zip(blocks[len(evidence.runs) :], evidence.pressing):
                    if pressing.side == side:
                        block[j] = shape(pressing.share)
                yield prior, blocks


#: Of where a foot has rolled to, 0 to 1: at its heel, at its ball, between.
_SHAPES: tuple[Callable[[Array], Array], ...] = (lambda u: 1 - u, lambda u: u, lambda u: 4 * u * (1 - u))
