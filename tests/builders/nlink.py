"""The n-link document in exact arithmetic: every wrench as a trigonometric polynomial with fractions.

Mielke F (2020) "The N-segment piglet limb" (mielke-bio.info, Inverse Dynamics: Application): a planar chain that
hangs on a fixed origin, each segment turning at a steady rate against the one before it, point masses half way,
no gravity. Angles are whole multiples of time, so every position, force and moment is Σ a cos(k t) + b sin(k t)
with fractions a, b: sums, products and derivatives are exact, and signs, which are lost in some copies of the
document, are derived here.

    python tests/builders/nlink.py            print the document's results
    python tests/builders/nlink.py --write    remake tests/dynamics/golden/nlink.json
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[1] / "dynamics" / "golden" / "nlink.json"

F = Fraction
# The first three are the document's; it says "and so forth", and the other three are this builder's own choice:
# one of them turns back.
MASSES_KG = (F(7, 10), F(5, 10), F(3, 10), F(2, 10), F(1, 10), F(1, 20))
LENGTHS_M = (F(8, 10), F(6, 10), F(4, 10), F(3, 10), F(1, 4), F(1, 5))
RATES_RAD_PER_S = (1, 2, 4, 8, -5, 3)
WORLD = "W"


class Trig:
    """Σ a_k cos(k t) + b_k sin(k t), k ≥ 0, with fractions; `terms` maps k to (a_k, b_k)."""

    def __init__(self, terms: dict[int, tuple[Fraction, Fraction]] | None = None) -> None:
        self.terms = {k: ab for k, ab in sorted((terms or {}).items()) if any(ab)}

    @staticmethod
    def cos(k: int) -> Trig:
        return Trig({abs(k): (F(1), F(0))})

    @staticmethod
    def sin(k: int) -> Trig:
        return Trig({abs(k): (F(0), F((k > 0) - (k < 0)))})

    def __add__(self, other: Trig) -> Trig:
        terms = dict(self.terms)
        for k, (a, b) in other.terms.items():
            a0, b0 = terms.get(k, (F(0), F(0)))
            terms[k] = (a0 + a, b0 + b)
        return Trig(terms)

    def __sub__(self, other: Trig) -> Trig:
        return self + other * F(-1)

    def __mul__(self, other: Trig | Fraction) -> Trig:
        """By a fraction, or by another: 2 cos j cos k = cos(j − k) + cos(j + k), and so on."""
        if isinstance(other, Fraction):
            return Trig({k: (a * other, b * other) for k, (a, b) in self.terms.items()})
        total = Trig()
        for j, (a, b) in self.terms.items():
            for k, (c, d) in other.terms.items():
                total += (Trig.cos(j - k) * (a * c + b * d) + Trig.cos(j + k) * (a * c - b * d)) * F(1, 2)
                total += (Trig.sin(j + k) * (a * d + b * c) + Trig.sin(j - k) * (b * c - a * d)) * F(1, 2)
        return total

    def rate(self) -> Trig:
        """The derivative with respect to time."""
        return Trig({k: (k * b, -k * a) for k, (a, b) in self.terms.items()})

    def named(self) -> dict[str, str]:
        """As JSON: {"cos 4": "-147/50", …}."""
        names = (
            (k, name, value) for k, ab in self.terms.items() for name, value in zip(("cos", "sin"), ab, strict=True)
        )
        return {f"{name} {k}": str(value) for k, name, value in names if value}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trig) and self.terms == other.terms

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return ", ".join(f"{value} {what} t" for what, value in self.named().items()) or "0"


Vector = tuple[Trig, Trig, Trig]
ZERO: Vector = (Trig(), Trig(), Trig())


def vector(x: Trig, y: Trig) -> Vector:
    """A vector of the plane."""
    return x, y, Trig()


def plus(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def times(a: Vector, factor: Fraction) -> Vector:
    return a[0] * factor, a[1] * factor, a[2] * factor


def minus(a: Vector, b: Vector) -> Vector:
    return plus(a, times(b, F(-1)))


def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def rate(a: Vector) -> Vector:
    return a[0].rate(), a[1].rate(), a[2].rate()


@dataclass(frozen=True)
class Wrench:
    """Force and moment about a point that its user names, in axes that its user names."""

    force: Vector
    moment: Vector

    def plus(self, other: Wrench) -> Wrench:
        return Wrench(plus(self.force, other.force), plus(self.moment, other.moment))

    def reversed(self) -> Wrench:
        return Wrench(times(self.force, F(-1)), times(self.moment, F(-1)))

    def moved(self, arm: Vector) -> Wrench:
        """About another point, from which `arm` runs to the present one: m' = m + arm × f."""
        return Wrench(self.force, plus(self.moment, cross(arm, self.force)))


@dataclass(frozen=True)
class NLink:
    """The first n segments. Frames: W the world, A the first segment's, B the second's, …, as in the document."""

    n: int

    @property
    def frames(self) -> str:
        return WORLD + "ABCDEF"[: self.n]

    def turning(self, frame: str) -> int:
        """Absolute angular velocity of a frame, rad/s; times t its angle."""
        return 0 if frame == WORLD else sum(RATES_RAD_PER_S[: self.frames.index(frame)])

    def turned(self, v: Vector, to: str, frm: str = WORLD) -> Vector:
        """Components in `to` of what has components v in `frm`."""
        k = self.turning(to) - self.turning(frm)
        c, s = Trig.cos(k), Trig.sin(k)
        return c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]

    def along(self, i: int, length: Fraction) -> Vector:
        """So far along segment i (its own y), in world axes."""
        return self.turned(vector(Trig(), Trig.cos(0) * length), WORLD, self.frames[i + 1])

    def joint(self, i: int) -> Vector:
        """P_i in world axes; P_0 is the origin, P_n the tip."""
        p = ZERO
        for k in range(i):
            p = plus(p, self.along(k, LENGTHS_M[k]))
        return p

    def com(self, i: int) -> Vector:
        """C_i in world axes."""
        return plus(self.joint(i), self.along(i, LENGTHS_M[i] / 2))

    def attachment(self, frame: str) -> Vector:
        """Where the document ties an observer: to the distal joint of the segment; the world's to the origin."""
        return ZERO if frame == WORLD else self.joint(self.frames.index(frame))

    def seen(self, point: Vector, observer: str) -> Vector:
        """A point as the observer sees it, from the point of attachment in the observer's axes."""
        return self.turned(minus(point, self.attachment(observer)), observer)

    def terms(self, i: int, observer: str) -> dict[str, Wrench]:
        """What segment i alone asks of its proximal joint, term by term, about P_i in the observer's axes.

        The shares of the joint wrench, +m a …; the document writes the fictitious ones on the other side, −m a ….
        Relative velocity and acceleration are differentiated in the observer's axes, not derived by formula.
        """
        m = MASSES_KG[i]
        r = self.seen(self.com(i), observer)
        v = rate(r)
        omega = (Trig(), Trig(), Trig.cos(0) * F(self.turning(observer)))
        forces = {
            "inertia": rate(v),
            "dalembert": self.turned(rate(rate(self.attachment(observer))), observer),
            "euler": cross(rate(omega), r),
            "centrifugal": cross(omega, cross(omega, r)),
            "coriolis": times(cross(omega, v), F(2)),
        }
        arm = self.turned(self.along(i, LENGTHS_M[i] / 2), observer)
        return {name: Wrench(times(f, m), ZERO).moved(arm) for name, f in forces.items()}

    def joint_wrench(self, i: int, observer: str) -> Wrench:
        """Of the proximal neighbour on segment i, about P_i, computed in the observer's axes."""
        total = Wrench(ZERO, ZERO)
        if i + 1 < self.n:
            arm = self.turned(self.along(i, LENGTHS_M[i]), observer)
            total = self.joint_wrench(i + 1, observer).moved(arm)
        for term in self.terms(i, observer).values():
            total = total.plus(term)
        return total


def record(wrench: Wrench, **where: object) -> dict[str, object]:
    """The three components that a planar wrench has, and where it belongs."""
    assert not any((wrench.force[2].terms, wrench.moment[0].terms, wrench.moment[1].terms))
    fx, fy, mz = wrench.force[0].named(), wrench.force[1].named(), wrench.moment[2].named()
    return {**where, "fx": fx, "fy": fy, "mz": mz}


def golden_text() -> str:
    """Everything that the tests compare the library with, as JSON: a wrench a line."""
    head = {
        "made_by": "python tests/builders/nlink.py --write",
        "units": "fx, fy: N; mz: N m, about P_joint; coefficients of cos and sin of k t, t in seconds",
        "masses_kg": [str(m) for m in MASSES_KG],
        "lengths_m": [str(length) for length in LENGTHS_M],
        "rates_rad_per_s": list(RATES_RAD_PER_S),
    }
    wrenches = [
        record(NLink(n).joint_wrench(i, frame), n=n, joint=i, observer=frame)
        for n in range(1, 7)
        for i in range(n)
        for frame in NLink(n).frames
    ]
    whole = NLink(6)
    terms = [
        record(term, segment=i, observer=frame, term=name)
        for i in range(6)
        for frame in whole.frames
        for name, term in whole.terms(i, frame).items()
    ]
    parts = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    for key, records in (("joint_wrenches", wrenches), ("segment_terms", terms)):
        parts.append(f" {json.dumps(key)}: [\n" + ",\n".join(f"  {json.dumps(r)}" for r in records) + "\n ]")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def inertia_of_first_about_its_joint() -> tuple[list[list[Trig]], list[list[Trig]]]:
    """Of the point mass m_1 about P_1 in world axes: as the document prints it, R I, and as it should be, R I Rᵀ.

    I = m (rᵀr 1 − r rᵀ) with r = l/2 along y (Lynch & Park 2017, p. 245). The document turns it from one side only;
    nothing there depends on it, because about its centre of mass a point has no inertia.
    """
    one = Trig.cos(0) * (MASSES_KG[1] * LENGTHS_M[1] ** 2 / 4)
    c, s, o = Trig.cos(3), Trig.sin(3), Trig()
    own = [[one, o, o], [o, o, o], [o, o, one]]
    R = [[c, s * F(-1), o], [s, c, o], [o, o, Trig.cos(0)]]
    left = matmul(R, own)
    return left, matmul(left, [list(row) for row in zip(*R, strict=True)])


def matmul(A: list[list[Trig]], B: list[list[Trig]]) -> list[list[Trig]]:
    return [
        [sum((a * b for a, b in zip(row, column, strict=True)), Trig()) for column in zip(*B, strict=True)] for row in A
    ]


def document() -> dict[str, list[Trig]]:
    """What the document prints, in its order, derived: x and y of vectors, fx, fy and mz of wrenches; n = 3.

    The fictitious wrenches have the document's sign, that of forces on the segment.
    """
    limb = NLink(3)
    found: dict[str, Vector | Wrench] = {}
    for i, frame in enumerate("WAB"):
        own = limb.turned(limb.along(i, LENGTHS_M[i] / 2), frame)
        found[f"acceleration of C_{i} in {frame}, world axes"] = limb.turned(rate(rate(own)), WORLD, frame)
    for frame in "BAW":
        seen = rate(limb.turned(limb.com(1), frame))
        found[f"velocity of C_1 in {frame}, axes of A"] = limb.turned(seen, "A", frame)
    found["dynamic wrench of C_2 at P_2, world"] = limb.joint_wrench(2, WORLD)
    for name, term in limb.terms(2, "B").items():
        found[f"{name} of C_2 at P_2, seen from B"] = term if name == "inertia" else term.reversed()
    found["W_tip at P_2, in C"] = limb.joint_wrench(2, "C")
    found["W_tip at P_2, in B"] = limb.joint_wrench(2, "B")
    found["W_J at P_1, in B"] = limb.joint_wrench(1, "B")
    found["dalembert of C_1 at P_1, seen from B"] = limb.terms(1, "B")["dalembert"].reversed()
    found["W_J at P_1, in A"] = limb.joint_wrench(1, "A")
    found["W_O at P_0, in A"] = limb.joint_wrench(0, "A")
    return {
        title: [*what.force[:2], what.moment[2]] if isinstance(what, Wrench) else list(what[:2])
        for title, what in found.items()
    }


def print_document() -> None:
    for title, components in document().items():
        print(title, *(f"    {component}" for component in components), sep="\n")


if __name__ == "__main__":
    if "--write" in sys.argv:
        GOLDEN.write_text(golden_text(), encoding="utf-8", newline="\n")
    else:
        print_document()
