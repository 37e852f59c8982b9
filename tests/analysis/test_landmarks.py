"""Landmarks read by words and places: a simulated laboratory whose labels no bundled set knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from any_markers import marked
from rotations import from_vector

from gaitid.analysis.landmarks import Landmarks, read_landmarks
from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.trial import Array, Trial

TURNED = from_vector(np.array([3.4, 0.3, 0.6]))


def called(trial: Trial, names: Mapping[str, str]) -> Trial:
    """The trial with other labels; {S} and {s} are the letter of the side."""
    labels = (
        names.get(f"{{S}}{label[1:]}", label).replace("{S}", label[0]).replace("{s}", label[0].lower())
        for label in trial.labels
    )
    return replace(trial, labels=tuple(labels))


def read(trial: Trial, static: Trial | None = None) -> Landmarks:
    landmarks = read_landmarks(trial, static)
    assert landmarks is not None
    return landmarks


def label(landmarks: Landmarks, side: str, name: str) -> str:
    return landmarks.marker_set.roles.get((side, name), ("",))[0]


# of the labels of `rtosim`: knees and ankles have no place, feet are numbered
BARE = {
    "{S}FCL": "{s}_knjnt",
    "{S}FCM": "{S}_Knie",
    "{S}MALL": "{S}Ank",
    "{S}MALM": "{S} malleolus",
    "{S}CAL": "foot_{s}1",
    "{S}MT1": "foot_{s}2",
    "{S}MT5": "foot_{s}3",
}


def test_places_tell_the_outer_of_two_and_the_laboratorys_axes_do_not_matter() -> None:
    walk = called(marked("rtosim").trial, BARE)
    turned = replace(walk, points_g=walk.points_g @ TURNED.T)
    for trial in (walk, turned):
        landmarks = read(trial)
        assert [label(landmarks, "left", f"knee_{place}") for place in ("lateral", "medial")] == ["l_knjnt", "L_Knie"]
        assert [label(landmarks, "right", f"ankle_{place}") for place in ("lateral", "medial")] == [
            "RAnk",
            "R malleolus",
        ]


def test_a_foot_of_numbers_is_read_by_its_shape() -> None:
    """From five markers: heel, both sides of the ball, and between them two more."""
    walk = called(marked("rtosim").trial, BARE)
    points, labels = [np.array(walk.points_g)], list(walk.labels)

    def at(number: int, side: str) -> Array:
        return np.asarray(walk.marker(f"foot_{side}{number}"))

    for side in "lr":
        heel, first, fifth = (at(number, side) for number in (1, 2, 3))
        middle = (first + fifth) / 2
        more = [heel + 0.4 * (middle - heel), heel + 1.25 * (middle - heel)]
        points.append(np.stack(more, axis=1))
        labels += [f"foot_{side}{number}" for number in (4, 5)]
    landmarks = read(replace(walk, labels=tuple(labels), points_g=np.concatenate(points, axis=1)))
    for side, letter in (("left", "l"), ("right", "r")):
        assert [label(landmarks, side, name) for name in ("heel", "mt1", "mt5")] == [
            f"foot_{letter}1",
            f"foot_{letter}2",
            f"foot_{letter}3",
        ]


def test_a_trial_read_by_words_gives_what_its_own_marker_set_gives() -> None:
    recorded = marked("rtosim")
    names = {**BARE, "{S}CAL": "{S}.heel", "{S}MT1": "{S}-met1", "{S}MT5": "{S}-met5"}
    model = load_model("landmarks", {"cutoff_hz": "none"})
    ours = analyse(called(recorded.trial, names), model, SubjectFile())
    theirs = analyse(recorded.trial, model, SubjectFile())
    for side, of_side in theirs.sides.items():
        for joint, angles in of_side.angles.items():
            for name, values in angles.items():
                np.testing.assert_array_equal(ours.sides[side].angles[joint][name], values)
    (text,) = [note.text for note in ours.notes if note.code == "labels_read"]
    assert "L_Knie = left knee_medial" in text
