"""The models that docs/model.md shows can be copied as they stand; docs/any_lab.md knows all that is bundled."""

from __future__ import annotations

import re
from pathlib import Path

from gaitid.model.load import bundled_models, load_model
from gaitid.model.marker_sets import bundled_marker_sets, load_marker_set

DOCS = Path(__file__).resolve().parents[2] / "docs"
TEXT = (DOCS / "model.md").read_text(encoding="utf-8")
ANY_LAB = (DOCS / "any_lab.md").read_text(encoding="utf-8")


def test_every_whole_model_in_the_documentation_is_one(tmp_path: Path) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    (extending,) = (block for block in blocks if "gaitid_table" in block and "\nextends: " in block)
    (tmp_path / "prosthesis.yaml").write_text(extending, encoding="utf-8")
    assert load_model("pig", {"table": str(tmp_path / "prosthesis.yaml")}).name == "pig"
    models = [block for block in blocks if block.startswith("gaitid_model")]
    for i, content in enumerate(models):
        (tmp_path / f"{i}.yaml").write_text(content, encoding="utf-8")
    assert len({load_model(tmp_path / f"{i}.yaml").name for i in range(len(models))}) == len(models) == 2
    joints = {
        name: [body.joint for body in load_model(DOCS / "examples" / f"{name}.yaml").chain]
        for name in re.findall(r"\(examples/(toes|arm_of_markers)\.yaml\)", TEXT)
    }
    assert joints == {"toes": ["mtp", "ankle", "knee", "hip"], "arm_of_markers": ["wrist", "elbow", "shoulder"]}


def test_every_marker_set_stands_in_the_documentation_with_its_title() -> None:
    for name, path in bundled_marker_sets().items():
        assert f"| [`{name}`](../configs/marker_sets/{name}.yaml) | {load_marker_set(path).title} | `" in ANY_LAB


def test_the_page_of_models_has_every_bundled_model() -> None:
    table = (DOCS / "models.md").read_text(encoding="utf-8").split("\n## ")[0]
    for name in bundled_models():
        assert re.search(rf"^\|.*`{name}`.*\|", table, re.MULTILINE), name
