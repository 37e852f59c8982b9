"""How fast an integration gets on: limits of work, a line of progress, and why one would find no end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gaitid.errors import GaitidError
from gaitid.trial import Array

#: dy/dt at a time and a state.
Rate = Callable[[float, Array], Array]

# Evaluations of the right-hand side after which an integration is given up: in a second of simulated time, and at
# least. The bundled systems need 280 to 4200 in a second, and each takes about 0.3 ms.
EVALUATIONS_PER_S, LEAST_EVALUATIONS = 20_000, 200_000
# Share of the evaluations after which the pace is looked at, and again after each; where two shares in a row promise no
# end within so many times what is allowed, there is none. One may be a joint that comes to rest.
_LOOK, _HOPELESS = 0.01, 5.0
# Evaluations between two closer looks, some twenty steps. Where a joint's axes are in line, so many more are no passage
# but a stay, where rounding of accelerations that are divided by the square of what is left between the axes keeps
# steps short for good: passages within 1e-3 rad promise 6e5 for a moment, stays 1e8 to 1e15. With friction it is
# stiffness that does, and stays promise 1e6 to 1e8: as many looks in a row as below must do so.
_CLOSE_LOOK, _STAYS = 256, 3e7
# So many times what is allowed, in so many closer looks in a row, is refused without waiting for two shares.
_BEYOND_HOPE, _LOOKS = 1000.0, 4
# rad, m, rad/s, m/s. Of the differences that tell how fast the right-hand side answers.
_STEP = 1e-6
# Real parts of eigenvalues times the step that the method bears: its region of stability reaches to about −6 (Hairer,
# Nørsett & Wanner 1993, section II.5); twelve evaluations make a step.
_STABLE, _PER_STEP = 6.0, 12
# Of the time in which something changes: shorter steps are rounding's.
_CANCELS = 1e-3
# s between two lines of progress.
_SAY_EVERY = 2.0


@dataclass(frozen=True)
class Limits:
    """How much work an integration may be.

    Attributes
    ----------
    evaluations : int
        Of the right-hand side; 0: `EVALUATIONS_PER_S` of simulated time, and `LEAST_EVALUATIONS` at least.
    seconds : float
        Of clock time; 0: no limit.
    progress : callable or None
        progress(t, end, evaluations), every two seconds.
    """

    evaluations: int = 0
    seconds: float = 0.0
    progress: Callable[[float, float, int], None] | None = None


class Pace:
    """Counts evaluations, and gives up an integration that is beyond its limits or will be.

    Parameters
    ----------
    limits : Limits
    span_s : (float, float)
    names : sequence of str
        Of the coordinates of the state, which holds them, their rates, and one number more.
    rate : Rate
    in_line : callable
        in_line(t, y) -> which joint's first and third axis are nearly in line at a state, in words; empty without any.
    """

    def __init__(
        self,
        limits: Limits,
        span_s: tuple[float, float],
        names: Sequence[str],
        rate: Rate,
        in_line: Callable[[float, Array], str] = lambda t, y: "",
    ) -> None:
        self.limits, self.names, self.rate, self.in_line = limits, names, rate, in_line
        self.start, self.end = span_s
        self.most = limits.evaluations or int(max(LEAST_EVALUATIONS, EVALUATIONS_PER_S * (self.end - self.start)))
        self.evaluated = 0
        self.began = self.said = time.monotonic()
        self._looked = self._near = (0, self.start)
        self._slow = self._stuck = self._locked = 0
        self._before_near = self.start
        self._step = max(1000, int(_LOOK * self.most))  # fewer are a start, not a pace

    def watched(self, rate: Rate) -> Rate:
        """The same right-hand side, counted.

        Raises
        ------
        GaitidError
            When it is called too often, for too long, or without getting on.
        """

        def counted(t: float, y: Array) -> Array:
            self.evaluated += 1
            if self.evaluated > self.most:
                raise self._given_up(t, y, f"in {self.most} evaluations")
            if self.evaluated % self._step == 0:
                self._look(t, y)
            if self.evaluated % _CLOSE_LOOK == 0:
                self._look_closely(t, y)
            if self.evaluated % 64 == 0:
                self._say(t, y)
            return rate(t, y)

        return counted

    def _look(self, t: float, y: Array) -> None:
        """Refuse early what moves on so slowly that it could not end within several times the limit."""
        (evaluated, since), self._looked = self._looked, (self.evaluated, t)
        left = (self.end - t) * (self.evaluated - evaluated) / max(t - since, 1e-300)
        self._slow = self._slow + 1 if left > _HOPELESS * self.most else 0
        if self._slow == 2:
            raise self._given_up(t, y, f"in {self.evaluated} evaluations, and would need {left:.1g} more")

    def _look_closely(self, t: float, y: Array) -> None:
        """Refuse at once what is beyond hope, and what gets on slowly while two axes of a joint are in line."""
        (evaluated, since), self._near = self._near, (self.evaluated, t)
        self._before_near = since
        left = (self.end - t) * (self.evaluated - evaluated) / max(t - since, 1e-300)
        words = self.in_line(t, y) if left > _HOPELESS * self.most else ""
        self._locked = self._locked + 1 if words else 0
        self._stuck = self._stuck + 1 if left > _BEYOND_HOPE * self.most else 0
        if words and (left > _STAYS or self._locked >= _LOOKS):
            raise GaitidError(
                f"the simulation gets no further than {t:.6g} s: {words} (gimbal lock)",
                expected="three axes of a joint that stay apart",
                todo="give the joint another sequence (xyz, yxz, zxy, …), whose second angle stays away from 90°, or "
                "another start",
            )
        if self._stuck >= _LOOKS:
            raise self._given_up(t, y, f"in {self.evaluated} evaluations, and would need {left:.1g} more")

    def _say(self, t: float, y: Array) -> None:
        now = time.monotonic()
        if 0 < self.limits.seconds < now - self.began:
            raise self._given_up(t, y, f"in {self.limits.seconds:g} s of work")
        if self.limits.progress is not None and now - self.said > _SAY_EVERY:
            self.said = now
            self.limits.progress(t, self.end, self.evaluated)

    def _given_up(self, t: float, y: Array, after: str) -> GaitidError:
        return GaitidError(
            f"the simulation got no further than {t:.6g} s {after}",
            expected=f"a motion until {self.end:.6g} s that does not change within a fraction of a millisecond",
            found=self._fastest(t, y),
            todo="look for axes of a joint in line (gimbal lock), for lengths, masses or stiffnesses that are orders "
            "of magnitude off, soften friction (smoothing_per_s) or gains, simulate less time, or allow more "
            "evaluations",
        )

    def _fastest(self, t: float, y: Array) -> str:
        """What changes fastest there, in words: the right-hand side's own rates, by differences."""
        n = len(self.names)
        try:
            base = self.rate(t, y)[: 2 * n]
            slopes = []
            for k in range(2 * n):
                step = _STEP * max(1.0, abs(float(y[k])))
                near = y.copy()
                near[k] += step
                slopes.append((self.rate(t, near)[: 2 * n] - base) / step)
            values, vectors = np.linalg.eig(np.array(slopes).T)
        except (GaitidError, np.linalg.LinAlgError) as error:
            return error.line() if isinstance(error, GaitidError) else "rates beyond all numbers"
        k = int(np.argmax(np.abs(values)))
        fastest, speed = float(abs(values[k])), float(np.abs(y[n : 2 * n]).max())
        which = self.names[int(np.argmax(np.abs(vectors[:n, k]) + np.abs(vectors[n:, k])))]
        moving = self.names[int(np.argmax(np.abs(y[n : 2 * n])))]
        speeding = self.names[int(np.argmax(np.abs(base[n:])))]
        pull = float(np.abs(base[n:]).max())
        step = (self._near[1] - self._before_near) * _PER_STEP / _CLOSE_LOOK
        soonest = 1 / max(fastest, speed, pull**0.5, 1e-300)
        if 0 < step < _CANCELS * soonest:
            return (
                f"steps of {step:.1g} s though nothing changes within {soonest:.1g} s: loads, gains or masses of very "
                "different size cancel, and rounding is left"
            )
        if pull**0.5 > max(fastest, speed):
            return f"{speeding} is accelerated by {pull:.1g} rad/s² or m/s²"
        if fastest * (self.end - self.start) / _STABLE * _PER_STEP > self.most or fastest > speed:
            return f"{which} answers within {1 / max(fastest, 1e-300):.1g} s"
        return f"{moving} at {speed:.3g} rad/s or m/s"
