"""A chain of stages: each is made once, and again only where something that it follows from changed."""

from __future__ import annotations

import pytest

from gaitid.analysis.stages import Stages, stage


class Walk(Stages):
    speed_m_per_s: float
    time_s: float = 1.0

    @stage
    def length_m(self) -> float:
        made.append("length_m")
        return self.speed_m_per_s * self.time_s

    @stage
    def minutes(self) -> float:
        made.append("minutes")
        return self.time_s / 60

    @stage
    def pace(self) -> float:
        made.append("pace")
        if not self.length_m:
            raise ValueError("nobody walks")
        return 1000 * self.minutes / self.length_m


made: list[str] = []


@pytest.fixture(autouse=True)
def nothing_made() -> None:
    made.clear()


def test_a_stage_is_made_once_when_it_is_asked_for() -> None:
    walk = Walk(speed_m_per_s=2.0)
    assert made == []
    assert walk.pace == walk.pace == pytest.approx(1000 / 60 / 2)
    assert made == ["pace", "length_m", "minutes"]


def test_what_follows_from_a_replaced_value_is_made_again_and_nothing_else() -> None:
    walk = Walk(speed_m_per_s=2.0).make_all()
    made.clear()
    faster = walk.with_(speed_m_per_s=4.0)
    assert faster.pace == pytest.approx(walk.pace / 2)
    assert made == ["pace", "length_m"]
    assert walk.length_m == 2.0 and walk.speed_m_per_s == 2.0  # the first stays as it was


def test_a_stage_may_be_replaced_and_stays_so_whatever_else_is() -> None:
    walk = Walk(speed_m_per_s=2.0).with_(length_m=10.0)
    later = walk.with_(time_s=60.0)
    assert later.length_m == 10.0 and later.pace == pytest.approx(100.0)
    assert "length_m" not in made


def test_stages_fail_in_their_order() -> None:
    walk = Walk(speed_m_per_s=0.0)
    with pytest.raises(ValueError, match="nobody walks"):
        walk.make_all()
    assert made == ["length_m", "minutes", "pace"]
    assert walk.with_(speed_m_per_s=1.0).pace > 0  # what failed is no value


def test_names_that_are_neither_inputs_nor_stages_are_refused() -> None:
    with pytest.raises(TypeError, match="Walk lacks speed_m_per_s"):
        Walk()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Walk has no speed"):
        Walk(speed_m_per_s=1.0).with_(speed=2.0)
    with pytest.raises(AttributeError, match="Walk has no speed"):
        _ = Walk(speed_m_per_s=1.0).speed
