"""LIMITS.yaml: what it says, and what is refused with the key's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from gaitid.capacity.limits import read_limits
from gaitid.errors import ModelError
from gaitid.model.load import load_model

HEAD = "gaitid_limits: 1\nsources: [a test]\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text)
    return path


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(ModelError) as refused:
        read_limits(written(folder, text), load_model("pig"))
    line = refused.value.line()
    assert "\n" not in line
    return line


def test_the_bundled_example_says_that_it_is_no_norm() -> None:
    limits = read_limits("example", load_model("pig"))
    assert "not norms" in limits.title
    assert [f.name for f in limits.freedoms] == [
        "hip_flexion",
        "hip_adduction",
        "knee_flexion",
        "ankle_dorsiflexion",
        "ankle_eversion",
    ]
    assert any("Front Physiol" in source for source in limits.sources)
    assert any("without a source" in source for source in limits.sources)


@pytest.mark.parametrize("model", ["pig", "pig_vicon"])
def test_the_positive_way_is_the_models_own_angle(tmp_path: Path, model: str) -> None:
    """Either name of an axis gives the same one; its highest torque is that of the angle's own way."""
    text = (
        HEAD
        + "torques_Nm: {knee: {extension: 20, flexion: 10}}\ntorques_Nm_per_kg: {hip: {abduction: 2, adduction: 1}}\n"
    )
    knee, hip = sorted(read_limits(written(tmp_path, text), load_model(model)).freedoms, key=lambda f: f.per_kg)
    assert (knee.name, knee.torques(70.0)) == ("knee_flexion", (-20.0, 10.0))
    assert (hip.name, hip.torques(70.0)) == ("hip_adduction", (-140.0, 70.0))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("torques_Nm: {knee: {flexion: 10}}", "torques_Nm.knee.extension: missing"),
        ("torques_Nm: {knee: {flexion: 10, extension: -1}}", "torques_Nm.knee.extension: expected a number from 0"),
        ("torques_Nm: {knee: {flexion: ten, extension: 1}}", "torques_Nm.knee.flexion: expected a number"),
        ("torques_Nm: {knee: {flexon: 10, extension: 1}}", "torques_Nm.knee.flexon: no such way to turn (did you mean"),
        ("torques_Nm: {nee: {flexion: 10, extension: 1}}", "no such joint in pig (did you mean 'knee'?)"),
        ("torques_Nm_per_kg: {knee: {flexion: 400, extension: 1}}", "expected a number from 0 to 300"),
        ("torques_Nm: {knee: }", "torques_Nm.knee: expected torques, found nothing"),
        ("torques_Nm: {pelvis: {anterior_tilt: 1, posterior_tilt: 1}}", "torques_Nm.pelvis: no such joint in pig"),
        ("torques_Nm: {knee: 5}", "torques_Nm.knee: expected keys and values"),
        ("torque_Nm: {knee: {flexion: 1, extension: 1}}", "torque_Nm: unknown key (did you mean 'torques_Nm'?)"),
        ("load_kg: -3\ntorques_Nm: {knee: {flexion: 1, extension: 1}}", "load_kg: expected a number from 0"),
        ("", "torques_Nm or torques_Nm_per_kg: missing"),
        (
            "torques_Nm: {knee: {flexion: 1, extension: 1}}\ntorques_Nm_per_kg: {knee: {flexion: 1, extension: 1}}",
            "both give knee flexion",
        ),
    ],
)
def test_refusals_name_the_key(tmp_path: Path, body: str, words: str) -> None:
    assert words in refusal(tmp_path, HEAD + body + "\n")
