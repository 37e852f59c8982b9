"""What a chain is and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gaitid.dynamics.chain import Chain, Link

V, R = np.zeros((2, 3)), np.broadcast_to(np.eye(3), (2, 3, 3))
LINK = Link(1.0, np.eye(3), R, V, V, V, V, V)


def test_by_default_each_link_hangs_from_the_next() -> None:
    chain = Chain([LINK] * 3)
    assert chain.proximal == (1, 2, None)
    assert [chain.distal(i) for i in range(3)] == [(), (0,), (1,)]
    assert [chain.beyond(i) for i in range(3)] == [(0,), (0, 1), (0, 1, 2)]


def test_two_legs_on_a_pelvis() -> None:
    # left foot, shank, thigh; right foot, shank, thigh; pelvis
    chain = Chain([LINK] * 7, [1, 2, 6, 4, 5, 6, None])
    assert chain.distal(6) == (2, 5)
    assert chain.distal(4) == (3,)
    assert chain.beyond(6) == tuple(range(7))
    assert chain.beyond(5) == (3, 4, 5)


@pytest.mark.parametrize(
    ("proximal", "words"),
    [
        ([1, 0, None], "link 1 hangs from link 0"),  # a loop
        ([0, 2, None], "link 0 hangs from link 0"),
        ([1, 2, 3], "link 2 hangs from link 3"),
        ([None, 0, None], "free ends to the base"),
        ([1, None], "3 links with 2"),
    ],
)
def test_a_loop_or_another_order_is_refused(proximal: list[int | None], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Chain([LINK] * 3, proximal)


def test_a_link_cannot_be_changed_and_keeps_its_own_memory() -> None:
    com = np.zeros((2, 3))
    link = replace(LINK, com_g=com)
    com[:] = 7.0
    np.testing.assert_array_equal(link.com_g, 0.0)
    with pytest.raises(ValueError, match="read-only"):
        link.com_g[0, 0] = 1.0


def test_links_of_different_numbers_of_frames_are_refused() -> None:
    one = Link(1.0, np.eye(3), R[:1], V[:1], V[:1], V[:1], V[:1], V[:1])
    with pytest.raises(ValueError, match=r"numbers of frames: \[2, 1\]"):
        Chain([LINK, one])
