"""What the language says of chains: trees, own masses, no ground, one side; what is refused, naming the key."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from gaitid.analysis.pipeline import analyse
from gaitid.body.frames import Geometry
from gaitid.body.subject import SubjectFile
from gaitid.errors import ModelError, TrialError
from gaitid.model.load import load_model
from gaitid.model.specs import Model
from gaitid.trial import Trial

SEGMENTS = ("hallux", "toes", "foot", "shank")
ROW = {"mass_kg": 1.2, "com_fraction": 0.5, "inertia_kg_m2": [0.02, 0.02, 0.01]}
TABLE = {"gaitid_table": 1, "name": "t", "source": "me", "segments": {s: dict(ROW) for s in SEGMENTS}}
MODEL: dict[str, Any] = {
    "gaitid_model": 1,
    "name": "m",
    "table": "t.yaml",
    "sides": {"right": {"letter": "R", "sign": -1}},
    "vertical": "z",
    "middle": {
        "frames": {
            "wall": {"origin": "right.shank", "keep": {"z": {"laboratory": "z"}}, "toward": {"x": {"laboratory": "x"}}}
        }
    },
    "each_side": {
        "markers": {"end": "{S}END", **{s: f"{{S}}{s.upper()}" for s in SEGMENTS}},
        "frames": {
            s: {"origin": s, "keep": {"z": ["end", s]}, "toward": {"x": {"laboratory": "x", "times": -1}}}
            for s in SEGMENTS
        },
    },
    "chain": [
        {
            "segment": s,
            "frame": s,
            "com": {"between": [s, "end"], "fraction": "com_fraction"},
            "length": 0.2,
            "joint": f"{s}_top",
            "centre": s,
            "on": on,
        }
        for s, on in zip(SEGMENTS, ("foot", "foot", "shank", "wall"), strict=True)
    ],
    "base": {"segment": "wall", "frame": "wall", "origin": "right.shank"},
    "angles": {
        f"{s}_top": {"proximal": on, "distal": s, "sequence": "yxz", "pitch": "a"}
        for s, on in zip(SEGMENTS, ("foot", "foot", "shank", "wall"), strict=True)
    },
}
Edit = Callable[[dict[str, Any], dict[str, Any]], object]


def made(folder: Path, edit: Edit = lambda model, table: None) -> Model:
    model, table = copy.deepcopy(MODEL), copy.deepcopy(TABLE)
    edit(model, table)
    for name, content in (("m.yaml", model), ("t.yaml", table)):
        (folder / name).write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return load_model(folder / "m.yaml")


def on(i: int, segment: str) -> Edit:
    return lambda model, table: model["chain"][i].update(on=segment)


def row(**values: object) -> Edit:
    """The foot's row with these; None takes a key away."""

    def edit(model: dict[str, Any], table: dict[str, Any]) -> None:
        kept = {**table["segments"]["foot"], **values}
        table["segments"]["foot"] = {key: value for key, value in kept.items() if value is not None}

    return edit


def put(key: str, value: object) -> Edit:
    return lambda model, table: model.update({key: value})


def test_without_on_each_hangs_from_the_next_and_the_last_from_the_base(tmp_path: Path) -> None:
    model = made(tmp_path, lambda model, table: [body.pop("on") for body in model["chain"]])
    assert [body.on for body in model.chain] == ["toes", "foot", "shank", "wall"]
    assert model.proximal == (1, 2, 3, None)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        # shank → toes → foot → shank
        (lambda m, t: on(3, "toes")(m, t), "chain[3].on: the chain has a loop: shank on toes on foot on shank"),
        (on(2, "foot"), "chain[2].on: the chain has a loop: foot on foot"),
        (on(0, "fot"), "chain[0].on: no segment 'fot' (did you mean 'foot'?)"),
        (on(2, "hallux"), "chain[2].on: the chain has a loop: foot on hallux on foot"),
        (on(1, "hallux"), "chain[1].on: 'hallux' stands before it; list the chain from the free ends to the base"),
        (row(mass_kg=-1), "segments.foot.mass_kg: expected a number"),
        (row(mass_kg=None), "segments.foot: expected mass_fraction or mass_kg, found neither"),
        (row(mass_fraction=0.1), "segments.foot: expected mass_fraction or mass_kg, found both"),
        (row(inertia_kg_m2=None), "segments.foot: expected gyration_fractions or inertia_kg_m2, found neither"),
        (row(inertia_kg_m2=[0.02, 0.02]), "segments.foot.inertia_kg_m2: expected three principal moments or"),
        (row(inertia_kg_m2=[0.02, "x", 0.0]), "segments.foot.inertia_kg_m2: expected three principal moments or"),
        (row(inertia_kg_m2=[0.02, -0.01, 0.02]), "segments.foot.inertia_kg_m2: the inertia is indefinite"),
        (row(inertia_kg_m2=[0.05, 0.02, 0.02]), "segments.foot.inertia_kg_m2: the inertia breaks the triangle"),
        (
            row(inertia_kg_m2=[[0.02, 0.01, 0], [0.0, 0.02, 0], [0, 0, 0.02]]),
            "segments.foot.inertia_kg_m2: the inertia is not symmetric",
        ),
        (row(com_fraction=None), "chain[2].com: needs segments.foot.com_fraction, which t.yaml does not give"),
        (row(mass_kg=None, mass_fraction=0.1), "subject.mass: missing (the table gives foot as a fraction of it)"),
        (row(inertia_kg_m2=None, gyration_fractions=[0.3, 0.3, 0.1]), "gyration_about: missing"),
        (
            row(inertia_kg_m2=None, gyration_fractions=[True, True, True]),
            "segments.foot.gyration_fractions: expected three numbers from 0 to 2, found [True, True, True]",
        ),
        (lambda m, t: m.pop("base"), "m.yaml: base: missing"),
        (put("moments", {"foot_top": {"axes": "foot", "flexion": "y"}}), "subject.mass: missing (moments are"),
        (put("vertical", "up"), "vertical: expected x or y or z"),
        (put("ground_contact", {"heel": "foot", "toe": "end"}), "chain: expected ground: true on one segment"),
        (lambda m, t: m["chain"][2].update(ground=True), "ground_contact: missing (a segment has ground: true)"),
        (
            lambda m, t: m["angles"].update(way={"proximal": "progression", "distal": "foot", "sequence": "yxz"}),
            "progression: missing (angles.way needs it)",
        ),
        (lambda m, t: m["middle"]["frames"]["wall"]["keep"].update(z={"laboratory": "up"}), "laboratory: expected x"),
        (lambda m, t: m["sides"].clear(), "sides: expected left, right or both"),
        (lambda m, t: m["base"].update(origin="left.shank"), "sides.left: missing (base.origin uses left.shank)"),
        (lambda m, t: m["chain"][0].update(length_range_m=[1, 0.1]), "chain[0].length_range_m: expected [low, high]"),
        (lambda m, t: m["base"].update(joint="spine"), "base.centre: missing"),
    ],
)
def test_what_no_chain_can_be_is_refused_by_its_key(tmp_path: Path, edit: Edit, message: str) -> None:
    with pytest.raises(ModelError, match=re.escape(message)) as refusal:
        made(tmp_path, edit)
    assert "\n" not in str(refusal.value)


def test_a_fixed_axis_of_the_laboratory(tmp_path: Path) -> None:
    model = made(tmp_path)
    markers = {"REND": np.array([[0.0, 0.3, 0.4]]), "RFOOT": np.array([[0.0, 0.3, 0.1]])}
    geometry = Geometry(model, markers, {}, 1, np.array([0.0, 0.0, 1.0]))
    # keep z along the bone, straight down; x as near to −x of the laboratory as can be
    np.testing.assert_allclose(geometry.frame("foot", "right").R_gs[0], np.diag([-1.0, 1.0, -1.0]), atol=1e-15)


def still(*labels: str) -> Trial:
    points = np.cumsum(np.ones((50, len(labels), 3)) * 0.1, axis=1)
    return Trial(Path("t.c3d"), 100.0, 1, labels, points)


def test_where_nothing_says_what_is_up_the_cure_is_named(tmp_path: Path) -> None:
    model = made(tmp_path, lambda model, table: model.pop("vertical"))
    with pytest.raises(TrialError, match="the vertical cannot be found.*--set vertical=z"):
        analyse(still("REND", "RHALLUX", "RTOES", "RFOOT", "RSHANK"), model, SubjectFile())
