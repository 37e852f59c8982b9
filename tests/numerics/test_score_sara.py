"""SCoRE and SARA: exact without noise, the same wherever laboratory and clusters lie, unbiased with noise."""

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from gaitid.numerics.functional import cluster_motion, sara, score

# m. Four markers of the pelvis (both ASIS and PSIS), from the middle of the ASIS; x forward, y left, z up.
PELVIS = np.array([[0, 0.12, 0], [0, -0.12, 0], [-0.16, 0.05, 0.02], [-0.16, -0.05, 0.02]])
HIP = np.array([-0.06, 0.09, -0.09])
# m. Four markers of a plate of 60 by 80 mm on the side of the thigh, 250 mm below the hip.
THIGH = np.array([[0.06, 0.03, 0.04], [0.05, -0.03, 0.04], [0.06, -0.03, -0.04], [0.05, 0.03, -0.04]])
THIGH = THIGH + [0, 0, -0.25]
KNEE_AXIS = np.array([0.1, 0.98, -0.15]) / np.linalg.norm([0.1, 0.98, -0.15])
KNEE_POINT = np.array([0.0, 0.0, -0.42])
SHANK = np.array([[0.05, 0.03, -0.6], [0.04, -0.03, -0.62], [0.06, 0.0, -0.72]])


def star_arc(n_frames, degrees):
    """(frames, 3, 3): the thigh on the pelvis, six arcs through both planes, each there and back."""
    u = np.arange(n_frames) / n_frames * 6
    angle = np.radians(degrees) * np.sin(2 * np.pi * (u % 1))
    way = np.floor(u) / 6 * np.pi
    turn = np.stack([angle * np.cos(way), angle * np.sin(way), 0.1 * angle], axis=1)
    return Rotation.from_rotvec(turn).as_matrix()


def body(n_frames):
    """How the pelvis itself moves meanwhile."""
    s = np.linspace(0, 2 * np.pi, n_frames)
    R = Rotation.from_rotvec(0.1 * np.stack([np.sin(3 * s), np.cos(2 * s), np.sin(s)], axis=1)).as_matrix()
    return R, np.stack([0.02 * np.sin(s), 0.02 * np.cos(s), 1 + 0.01 * s], axis=1)


def placed(R, t, points):
    return np.einsum("fij,kj->fki", R, points) + t[:, None]


def hip_trial(n_frames=1000, degrees=30.0):
    R, t = body(n_frames)
    hip = R @ HIP + t
    return placed(R, t, PELVIS), placed(R @ star_arc(n_frames, degrees), hip, THIGH)


def knee_trial(n_frames=500, degrees=70.0):
    R, t = body(n_frames)
    angle = np.radians(degrees) * (1 - np.cos(np.linspace(0, 6 * np.pi, n_frames))) / 2
    A = Rotation.from_rotvec(angle[:, None] * KNEE_AXIS).as_matrix()
    shank = np.einsum("fij,kj->fki", A, SHANK - KNEE_POINT) + KNEE_POINT
    return placed(R, t, THIGH), np.einsum("fij,fkj->fki", R, shank) + t[:, None]


def centre_in(points, first_frame_body, place):
    """A place given in the body's axes, in those of the fitted cluster."""
    motion = cluster_motion(points)
    R, t = first_frame_body
    return motion, motion.R[0].T @ (R @ place + t - motion.t[0])


class TestExact:
    def test_the_hip_is_found_to_rounding(self):
        pelvis, thigh = hip_trial()
        R, t = body(1000)
        proximal, expected = centre_in(pelvis, (R[0], t[0]), HIP)
        found = score(proximal, cluster_motion(thigh))
        assert np.abs(found.proximal - expected).max() < 1e-12  # m
        assert found.residual < 1e-12
        assert found.correction < 1e-12

    def test_the_axis_of_the_knee_is_found_to_rounding(self):
        thigh, shank = knee_trial()
        R, _ = body(500)
        motion = cluster_motion(thigh)
        found = sara(motion, cluster_motion(shank))
        axis = motion.R[0] @ found.proximal
        assert np.linalg.norm(np.cross(axis, R[0] @ KNEE_AXIS)) < 1e-9  # rad; a singular value of 1 counts as a square
        point = motion.R[0] @ found.point_proximal + motion.t[0]
        true = R[0] @ KNEE_POINT + body(500)[1][0]
        assert np.linalg.norm(np.cross(point - true, R[0] @ KNEE_AXIS)) < 1e-9  # m beside the axis
        assert found.tilt < 1e-7
        assert found.residual < 1e-9


class TestTheSameWhereverItLies:
    def test_turning_and_moving_the_laboratory_changes_nothing(self):
        rng = np.random.default_rng(1)
        pelvis, thigh = (p + 0.002 * rng.normal(size=p.shape) for p in hip_trial(300))
        Q, shift = Rotation.random(random_state=2).as_matrix(), np.array([3.0, -2.0, 5.0])
        here = score(cluster_motion(pelvis), cluster_motion(thigh))
        there = score(cluster_motion(pelvis @ Q.T + shift), cluster_motion(thigh @ Q.T + shift))
        first, turned = cluster_motion(pelvis), cluster_motion(pelvis @ Q.T + shift)
        in_laboratory = first.R[5] @ here.proximal + first.t[5]
        assert turned.R[5] @ there.proximal + turned.t[5] == pytest.approx(Q @ in_laboratory + shift, abs=1e-9)
        assert there.residual == pytest.approx(here.residual, abs=1e-12)
        assert there.standard_error == pytest.approx(here.standard_error, abs=1e-12)


class TestAgainstAnotherSolution:
    def test_score_without_correction_is_least_squares(self):
        rng = np.random.default_rng(5)
        pelvis, thigh = (cluster_motion(p + 0.003 * rng.normal(size=p.shape)) for p in hip_trial(200))

        def apart(c):
            return (pelvis.R @ c[:3] + pelvis.t - thigh.R @ c[3:] - thigh.t).ravel()

        other = least_squares(apart, np.zeros(6), xtol=1e-15, ftol=1e-15, gtol=1e-15).x
        plain = score(pelvis, thigh, corrected=False)
        assert plain.proximal == pytest.approx(other[:3], abs=1e-9)
        assert plain.distal == pytest.approx(other[3:], abs=1e-9)
        assert plain.residual == pytest.approx(np.sqrt((apart(other) ** 2).sum() / 200), abs=1e-12)


class TestNoise:
    """2 mm on every coordinate of every marker, 1,000 frames, and the plate of 60 by 80 mm above."""

    NOISE, FRAMES = 0.002, 1000

    def errors(self, degrees, runs, corrected=True, seed=6):
        rng = np.random.default_rng(seed)
        pelvis, thigh = hip_trial(self.FRAMES, degrees)
        R, t = body(self.FRAMES)
        errors, told = [], []
        for _ in range(runs):
            proximal = cluster_motion(pelvis + self.NOISE * rng.normal(size=pelvis.shape))
            distal = cluster_motion(thigh + self.NOISE * rng.normal(size=thigh.shape))
            found = score(proximal, distal, corrected)
            in_body = np.einsum("fji,fj->fi", R, proximal.R @ found.proximal + proximal.t - t).mean(axis=0)
            errors.append(in_body - HIP)
            told.append(found.standard_error)
        return np.array(errors), np.array(told)

    def test_the_hip_is_off_by_less_than_2_mm_in_95_of_100_trials_of_30_degrees(self):
        errors, _ = self.errors(30, 60)
        assert np.quantile(np.linalg.norm(errors, axis=1), 0.95) < 2e-3

    def test_the_axis_of_a_knee_is_within_a_degree_and_3_mm_in_95_of_100_trials_of_60_degrees(self):
        rng = np.random.default_rng(8)
        thigh, shank = knee_trial(1000, 60)
        R, t = body(1000)
        tilts, beside = [], []
        for _ in range(40):
            proximal, distal = (cluster_motion(p + self.NOISE * rng.normal(size=p.shape)) for p in (thigh, shank))
            found = sara(proximal, distal)
            axis = np.einsum("fji,fjk,k->fi", R, proximal.R, found.proximal).mean(axis=0)
            axis /= np.linalg.norm(axis)
            point = np.einsum("fji,fj->fi", R, proximal.R @ found.point_proximal + proximal.t - t).mean(axis=0)
            tilts.append(np.degrees(np.linalg.norm(np.cross(axis, KNEE_AXIS))))
            beside.append(np.linalg.norm(np.cross(KNEE_POINT - point, axis)))
        assert np.quantile(tilts, 0.95) < 1.0
        assert np.quantile(beside, 0.95) < 3e-3

    def test_one_plane_alone_says_nothing_along_its_axis(self):
        R, t = body(300)
        A = Rotation.from_rotvec(np.radians(40) * np.sin(np.linspace(0, 12, 300))[:, None] * [0, 1, 0]).as_matrix()
        hinge = score(cluster_motion(placed(R, t, PELVIS)), cluster_motion(placed(R @ A, R @ HIP + t, THIGH)))
        ball = score(*(cluster_motion(p) for p in hip_trial(300)))
        assert hinge.weakest < 1e-12
        assert ball.weakest > 0.01
