"""The centre or the axis that two moving clusters of points turn about: SCoRE and SARA, without the bias of noise.

Both follow from three means over the frames. With the poses (R1, t1) of the proximal cluster and (R2, t2) of the distal
one, each t the middle of its points,

    P = mean(R1ᵀ R2)        m1 = mean(R1ᵀ (t2 − t1))        m2 = mean(R2ᵀ (t2 − t1)),

least squares of R1 c1 + t1 = R2 c2 + t2 (SCoRE: Ehrig 2006, eq. 10) has the normal equations

    c1 − P c2 = m1,         c2 − Pᵀ c1 = −m2,

and with P = U S Vᵀ the axis that both keep (SARA: Ehrig 2007) is the first column of U and of V: R1 u and R2 v differ
least where the singular value is largest, by a mean square of 2 (1 − s).

**Noise.** A pose that is fitted to points with independent errors of standard deviation σ turns by a small random ε
with covariance Σ = σ² J⁻¹, J the sum of |a|² I − a aᵀ over the points a of the template (the normal equations of the
fit), and its middle is off independently of that. So the mean of the fitted R is R D, D = I − ½ (tr Σ I − Σ); P̂ is
D1 P D2, shorter than P, and the centre is drawn toward the distal cluster, by ever more as the joint moves less. More
frames do not cure that. σ is known: the points tell it by how badly they fit a rigid body. So P, m1 and m2 are taken as
D1⁻¹ P̂ D2⁻¹, D1⁻¹ m̂1 and D2⁻¹ m̂2, which are right in the mean (to σ⁴), as attenuation is corrected in any regression on
variables with errors (Fuller 1987, section 1.1).

Ehrig RM, Taylor WR, Duda GN, Heller MO (2006) A survey of formal methods for determining the centre of rotation of ball
joints. J Biomech 39:2798-2809. The same (2007) A survey of formal methods for determining functional joint axes. J
Biomech 40:2150-2157. Söderkvist I, Wedin PÅ (1993) J Biomech 26:1473-1477. Fuller WA (1987) Measurement Error Models.
"""

from __future__ import annotations

import numpy as np

from gaitid.numerics.rigid_fit import FEWEST, rigid_fit
from gaitid.numerics.rotation import apply, apply_transposed, norm, unit
from gaitid.records import NamedTuple
from gaitid.trial import Array

# The template of a cluster is settled after so many rounds of fitting and averaging: the second changes it by the noise
# squared, the third by less than rounding.
_ROUNDS = 4
# Blocks of frames that are left out one after the other, to tell how well the frames agree.
_BLOCKS = 10


class ClusterMotion(NamedTuple):
    """A cluster of points that moves as one rigid body.

    Attributes
    ----------
    template : (points, 3) array, m
        The points on the body; their middle is its origin.
    R : (frames, 3, 3) array
        Maps the body's axes to those of the laboratory.
    t : (frames, 3) array, m
        The middle of the points.
    noise : float
        Standard deviation of a coordinate of a point about the rigid body, m: of noise and of what the body deforms.
    """

    template: Array
    R: Array
    t: Array
    noise: float

    @property
    def turning(self) -> Array:
        """(3, 3) covariance, rad², of the error that the noise of the points makes in `R`, in the body's axes."""
        a = self.template
        spread = (a**2).sum() * np.eye(3) - a.T @ a
        return np.asarray(self.noise**2 * np.linalg.inv(spread))

    @property
    def shortening(self) -> Array:
        """(3, 3) matrix D: the mean of the fitted R is the true R times D."""
        of_turning = self.turning
        return np.asarray(np.eye(3) - 0.5 * (np.trace(of_turning) * np.eye(3) - of_turning))


def cluster_motion(points: Array) -> ClusterMotion:
    """Fit one rigid body to a cluster over a trial (generalised Procrustes analysis; Gower 1975, Psychometrika 40:33).

    Parameters
    ----------
    points : (frames, points, 3) array, m
        All of them seen in every frame; three or more, not in one line.
    """
    n_frames, n_points, _ = points.shape
    if n_points < FEWEST:
        raise ValueError(f"a cluster needs {FEWEST} points")
    middle = points.mean(axis=1)
    template = points[0] - middle[0]
    for _ in range(_ROUNDS):
        R = rigid_fit(template, points).R
        template = apply_transposed(R[:, None], points - middle[:, None]).mean(axis=0)
        template = template - template.mean(axis=0)
    fit = rigid_fit(template, points)
    squares = n_points * float((fit.residual**2).sum())
    # each frame has 3 n coordinates and 6 of a pose; the template takes 3 n − 6 from all frames together
    freedom = (3 * n_points - 6) * max(n_frames - 1, 1)
    return ClusterMotion(template, fit.R, middle, float(np.sqrt(squares / freedom)))


class _Means(NamedTuple):
    """P, m1 and m2 as at the head of this file; stacks of them where the frames are split."""

    P: Array
    m1: Array
    m2: Array


class Centre(NamedTuple):
    """A centre of rotation.

    Attributes
    ----------
    proximal, distal : (3,) arrays, m
        In the axes of each cluster, from the middle of its points.
    residual : float
        How far its two images lie apart, m, root mean square over the frames.
    standard_error : float
        Of its place on the proximal cluster, m: by leaving out one tenth of the frames after the other (jackknife).
    weakest : float
        1 − the largest singular value of P: 0 where the joint turns about one axis only, and the centre may lie
        anywhere on it; about half the sum of the two lesser variances of the angle, rad².
    correction : float
        How far the noise of the points had drawn it, m.
    """

    proximal: Array
    distal: Array
    residual: float
    standard_error: float
    weakest: float
    correction: float


class Axis(NamedTuple):
    """An axis of rotation.

    Attributes
    ----------
    proximal, distal : (3,) arrays
        Unit vectors in the axes of each cluster; which of both ways it points is chance.
    point_proximal : (3,) array, m
        A point of it from the middle of the proximal cluster's points: the nearest to both together.
    residual : float
        How far both images of the axis lie apart beside that point, m, root mean square.
    tilt : float
        The angle between both images, rad, root mean square: how far from a hinge the joint is.
    standard_error : float
        Of its direction on the proximal cluster, rad (jackknife).
    second : float
        1 − the second singular value of P: small where the joint hardly turned.
    """

    proximal: Array
    distal: Array
    point_proximal: Array
    residual: float
    tilt: float
    standard_error: float
    second: float


def score(proximal: ClusterMotion, distal: ClusterMotion, corrected: bool = True) -> Centre:
    """The centre that both clusters turn about (SCoRE).

    Parameters
    ----------
    proximal, distal : ClusterMotion
        Of the same frames.
    corrected : bool
        Without the bias of noise; else as Ehrig (2006) has it.
    """
    means = _means(proximal, distal)
    c1, c2 = _centre(_unbiased(means, proximal, distal) if corrected else means)
    plain, _ = _centre(means)
    apart = apply(proximal.R, c1) + proximal.t - apply(distal.R, c2) - distal.t
    others = _without_blocks(proximal, distal)
    without = _centre(_unbiased(others, proximal, distal) if corrected else others)[0]
    largest = float(np.linalg.svd(_unbiased(means, proximal, distal).P, compute_uv=False)[0])
    return Centre(c1, c2, _rms(apart), _jackknife(without), 1 - largest, float(np.linalg.norm(c1 - plain)))


def sara(proximal: ClusterMotion, distal: ClusterMotion) -> Axis:
    """The axis that both clusters turn about (SARA)."""
    means = _unbiased(_means(proximal, distal), proximal, distal)
    U, s, Vt = np.linalg.svd(means.P)
    u, v = U[:, 0], Vt[0]
    # in the axes U and V the equations fall apart into three pairs: a − s b = y, b − s a = z; along the axis, where
    # a = b is free, the shortest solution is a = −b
    y, z = U.T @ means.m1, -(Vt @ means.m2)
    a, b = np.empty(3), np.empty(3)
    a[0] = (y[0] - z[0]) / (2 * (1 + s[0]))
    b[0] = -a[0]
    a[1:] = (y[1:] + s[1:] * z[1:]) / (1 - s[1:] ** 2)
    b[1:] = (z[1:] + s[1:] * y[1:]) / (1 - s[1:] ** 2)
    point1, point2 = U @ a, Vt.T @ b
    first, second = apply(proximal.R, u), apply(distal.R, v)
    apart = apply(proximal.R, point1) + proximal.t - apply(distal.R, point2) - distal.t
    mean_axis = unit(first + second)
    beside = apart - np.einsum("fi,fi->f", apart, mean_axis)[:, None] * mean_axis
    tilts = 2 * np.arcsin(np.clip(norm(first - second) / 2, 0, 1))
    others = np.linalg.svd(_unbiased(_without_blocks(proximal, distal), proximal, distal).P)[0][..., 0]
    others = others * np.sign(others @ u)[:, None]
    return Axis(u, v, point1, _rms(beside), float(np.sqrt((tilts**2).mean())), _jackknife(others), float(1 - s[1]))


def rotation_vectors(proximal: ClusterMotion, distal: ClusterMotion) -> Array:
    """(frames, 3) turns of the distal cluster on the proximal one away from their mean, rad, in the proximal's axes."""
    R = np.einsum("fji,fjk->fik", proximal.R, distal.R)
    u, _, vt = np.linalg.svd(R.mean(axis=0))
    mean = u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt
    turn = R @ mean.T
    skew = np.stack([turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], 1)
    sine = norm(skew) / 2
    angle = np.arctan2(sine, (np.trace(turn, axis1=1, axis2=2) - 1) / 2)
    return skew / 2 * np.where(sine > 0, angle / np.where(sine > 0, sine, 1.0), 1.0)[:, None]


def _means(proximal: ClusterMotion, distal: ClusterMotion) -> _Means:
    between = distal.t - proximal.t
    P = np.einsum("fji,fjk->ik", proximal.R, distal.R) / len(between)
    m1 = apply_transposed(proximal.R, between).mean(axis=0)
    return _Means(P, m1, apply_transposed(distal.R, between).mean(axis=0))


def _unbiased(means: _Means, proximal: ClusterMotion, distal: ClusterMotion) -> _Means:
    first, second = np.linalg.inv(proximal.shortening), np.linalg.inv(distal.shortening)
    return _Means(first @ means.P @ second, means.m1 @ first.T, means.m2 @ second.T)


def _centre(means: _Means) -> tuple[Array, Array]:
    """c1 and c2 of the normal equations, the lesser of them solved first: (I − Pᵀ P) c2 = Pᵀ m1 − m2."""
    P = means.P
    Pt = np.swapaxes(P, -1, -2)
    right = np.einsum("...ij,...j->...i", Pt, means.m1) - means.m2
    c2 = np.linalg.solve(np.eye(3) - Pt @ P, right[..., None])[..., 0]
    return means.m1 + np.einsum("...ij,...j->...i", P, c2), c2


def _without_blocks(proximal: ClusterMotion, distal: ClusterMotion) -> _Means:
    """The means of all frames but one block, for each block."""
    between = distal.t - proximal.t
    n_frames = len(between)
    edges = np.linspace(0, n_frames, min(_BLOCKS, n_frames) + 1).astype(int)
    of_frames = (
        np.einsum("fji,fjk->fik", proximal.R, distal.R),
        apply_transposed(proximal.R, between),
        apply_transposed(distal.R, between),
    )
    means = []
    for values in of_frames:
        sums = np.add.reduceat(values, edges[:-1], axis=0)
        counts = np.diff(edges).reshape(-1, *[1] * (values.ndim - 1))
        means.append((values.sum(axis=0) - sums) / (n_frames - counts))
    return _Means(*means)


def _jackknife(without: Array) -> float:
    """Standard error of a place from what it is without each of n blocks (Efron 1982): √((n − 1) / n Σ |x_i − x̄|²)."""
    n = len(without)
    return float(np.sqrt((n - 1) / n * ((without - without.mean(axis=0)) ** 2).sum()))


def _rms(vectors: Array) -> float:
    return float(np.sqrt((vectors**2).sum(axis=1).mean()))
