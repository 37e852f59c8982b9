"""The models that docs/model.md shows can be copied as they stand."""

from __future__ import annotations

import re
from pathlib import Path

from gaitid.model.load import load_model

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "model.md").read_text(encoding="utf-8")


def test_every_whole_model_in_the_documentation_is_one(tmp_path: Path) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    tables = [block for block in blocks if "gaitid_table" in block]
    files = dict(re.findall(r"`(\w+_table\.yaml)`:\n\n```yaml\n(.*?)```", TEXT, re.DOTALL))
    assert len(files) == len(tables) - 1  # all but the one that explains the keys
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    models = [block for block in blocks if block.startswith("gaitid_model")]
    joints = {}
    for i, content in enumerate(models):
        (tmp_path / f"{i}.yaml").write_text(content, encoding="utf-8")
        model = load_model(tmp_path / f"{i}.yaml")
        joints[model.name] = [body.joint for body in model.chain]
    assert joints["toes"] == ["mtp", "ankle", "knee", "hip"]
    assert joints["arm"] == ["wrist", "elbow", "shoulder"]
    assert len(joints) == len(models) >= 4
