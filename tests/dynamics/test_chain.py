"""What a chain is and what it refuses."""

from __future__ import annotations

import importlib
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gaitid.dynamics.chain import Chain, Link
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.dynamics.wrench import Wrench

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


def test_two_limbs_side_by_side_need_no_common_base() -> None:
    chain = Chain([LINK] * 4, [1, None, 3, None])
    assert chain.beyond(3) == (2, 3)
    assert chain.beyond(1) == (0, 1)


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


def test_nothing_is_no_chain() -> None:
    with pytest.raises(ValueError, match="0 links"):
        Chain([])


def test_links_of_different_numbers_of_frames_are_refused() -> None:
    one = Link(1.0, np.eye(3), R[:1], V[:1], V[:1], V[:1], V[:1], V[:1])
    with pytest.raises(ValueError, match=r"numbers of frames: \[2, 1\]"):
        Chain([LINK, one])


@pytest.mark.parametrize("name", ["R_gs", "acc_g", "omega_g", "alpha_g", "joint_g"])
def test_shapes_that_do_not_fit_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} of shape"):
        replace(LINK, **{name: getattr(LINK, name)[:1]})


def test_an_inertia_may_be_one_for_all_frames_or_one_a_frame_but_not_three_numbers() -> None:
    assert replace(LINK, inertia_s=R).inertia_s.shape == (2, 3, 3)
    with pytest.raises(ValueError, match=r"inertia_s of shape \(3,\)"):
        replace(LINK, inertia_s=np.ones(3))


def test_a_load_in_other_axes_is_refused() -> None:
    load = Wrench(V, V, V).turned(np.eye(3), "shank")
    with pytest.raises(ValueError, match="'shank'"):
        replace(LINK, external=load)


def test_a_link_cannot_be_changed_and_keeps_its_own_memory() -> None:
    com = np.zeros((2, 3))
    link = replace(LINK, com_g=com)
    com[:] = 7.0
    np.testing.assert_array_equal(link.com_g, 0.0)
    with pytest.raises(ValueError, match="read-only"):
        link.com_g[0, 0] = 1.0


def test_the_names_in_the_page_on_dynamics_exist() -> None:
    """docs/dynamics.md says where each line of the mathematics lives; a name that has gone would mislead."""
    root = Path(__file__).resolve().parents[2]
    page = (root / "docs" / "dynamics.md").read_text(encoding="utf-8")
    modules = [
        importlib.import_module(f"gaitid.dynamics.{name}")
        for name in ("chain", "constrained", "inertia", "newton_euler", "wrench")
    ]
    attributes = {"proximal", "distal", "beyond", "R_gs"}  # of Chain and Link
    names = set(re.findall(r"`([A-Za-z_]+)(?:\([a-z]\))?`", page)) - {"numpy", "rnea", *SOLVERS}
    assert len(names) > 20
    for name in names - attributes:
        assert any(hasattr(module, name) for module in modules), name
    for name in attributes:
        assert hasattr(Chain, name) or name in {*Chain.__dataclass_fields__, *Link.__dataclass_fields__}, name
    for path in re.findall(r"`((?:gaitid|tests|benchmarks)/[\w/.]+)`", page):
        assert (root / path).exists(), path
    solvers = (root / "gaitid/dynamics/newton_euler.py").read_text(encoding="utf-8")
    for line in ("F = F + k.F", "cross(_lever(body, k.P), k.F) + k.M"):
        assert line in page
        assert line in solvers
