"""Labels read as words: what twelve laboratories mean by theirs, in languages, and what must not be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from gaitid.model.marker_sets import load_marker_set, read_labels

SETS = sorted((Path(__file__).parents[1] / "marker_sets").glob("*.yaml"))


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.stem)
def test_words_say_what_a_laboratory_means_by_its_labels(path: Path) -> None:
    """No bundled set knows these labels; each file says what their laboratory means by them."""
    meant: dict[str, set[tuple[str, str]]] = {}
    marker_set = load_marker_set(path)
    for role, labels in (*marker_set.roles.items(), *((r, x) for r, of in marker_set.clusters.items() for x in of)):
        for label in labels:
            meant.setdefault(label, set()).add(role)
    read = read_labels(list(meant))
    assert len(meant) > 15
    for label, roles in meant.items():
        assert {(read[label].side, name) for name in read[label].names} & roles, label


@pytest.mark.parametrize(
    ("left", "right", "names"),
    [
        ("r_knjntln".replace("r_", "l_"), "r_knjntln", ("knee_lateral", "knee_medial")),
        ("LLKN", "RLKN", ("knee_lateral",)),
        ("EIASG", "EIASD", ("asis",)),
        ("Knie_links_innen", "Knie_rechts_innen", ("knee_medial",)),
        ("tobillo_izq_ext", "tobillo_der_ext", ("ankle_lateral",)),
        ("ginocchio sx mediale", "ginocchio dx mediale", ("knee_medial",)),
        ("LeftTibialTuberosity", "RightTibialTuberosity", ("tibial_tuberosity",)),
        ("L5thMet", "R5thMet", ("mt5",)),
        ("foot_l10", "foot_r10", ("foot_cluster",)),
        ("LTHI", "RTHI", ("thigh_cluster", "thigh_wand")),
    ],
)
def test_a_label_is_read_in_many_languages(left: str, right: str, names: tuple[str, ...]) -> None:
    read = read_labels([left, right])
    assert [(read[label].side, read[label].names) for label in (left, right)] == [("left", names), ("right", names)]
