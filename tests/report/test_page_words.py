"""What the clinical page says in words: trust, norms, plates, assumptions, methods; and what its curves are made of."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gaitid.drawing import area, path, scale_for
from gaitid.norms import Band
from gaitid.report import write_report
from gaitid.report.gathering import load_result
from gaitid.report.page import CYCLE, PERCENT, STANCE, pool
from gaitid.report.page.head import trust
from gaitid.report.page.messages import in_mean
from gaitid.report.page.sure import against
from gaitid.report.panels import PANELS
from gaitid.report.text import macro
from gaitid.results.result import Result

Edit = Callable[[Path, dict[str, object]], None]
KNEE = PANELS["knee_flexion_deg"]
POWER = PANELS["ankle_power_W_per_kg"]


def part(file: str, name: str, *given: object) -> str:
    """A macro of the page's templates with what it is given."""
    return str(macro(f"report/page/{file}.html", name)(*given))


def trust_html(*of: Result) -> str:
    return part("summary", "trust_section", trust(in_mean(of), pool(of)))


def words(html: str) -> str:
    """The text of HTML, blanks as one."""
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


# --- curves ---------------------------------------------------------------------------------------------------


def test_a_mean_is_of_cycles_that_are_known_throughout(cycled: Path) -> None:
    basis = pool([load_result(cycled)])
    assert (basis.kind, len(basis.sides["left"]), len(basis.sides["right"])) == (CYCLE, 2, 1)
    knee = basis.sides["left"].mean(KNEE.column)
    assert knee.n == 2 and np.allclose(knee.mean, 21.5 + PERCENT / 10) and np.allclose(knee.sd, np.sqrt(0.5))
    power = basis.sides["left"].mean(POWER.column)  # of cycle 2 the load is known up to 40 % only
    assert (power.n, power.part.sum()) == (1, 1) and np.isfinite(power.mean).all() and np.isnan(power.sd).all()
    assert basis.sides["right"].mean(POWER.column).n == 0


def test_without_cycles_it_is_each_whole_stance(result: Path) -> None:
    loaded = load_result(result)
    basis = pool([loaded])
    assert basis.kind == STANCE and set(basis.sides) == {"left", "right"}
    left = basis.sides["left"].curves
    frames = (loaded.frame >= 97) & (loaded.frame <= 160)
    column = loaded.columns["left_knee_flexion_deg"][frames]
    assert np.allclose(left.columns["knee_flexion_deg"][0], np.interp(PERCENT, np.linspace(0, 100, 64), column))


def test_a_line_has_gaps_and_the_axis_shows_all() -> None:
    values = np.array([1.0, np.nan, 3.0, 40.0])
    scale = scale_for(0, 10, values)
    assert scale.low == 0 and scale.high > 40 and scale.ticks[0] == 0 and 3 < len(scale.ticks) < 8
    assert path(scale, np.array([0.0, 30.0, 60.0, 100.0]), values).count("M") == 2
    assert area(scale, np.arange(4.0), values - 1, values + 1).count("Z") == 1
    assert path(scale, np.arange(4.0), np.full(4, np.nan)) == ""
    x, y = (float(part) for part in path(scale, np.array([0.0, 100.0]), np.array([0.0, 0.0]))[1:].split("l")[0].split())
    assert (x, y) == (pytest.approx(float(scale.x(0.0)), abs=0.05), pytest.approx(float(scale.y(0.0)), abs=0.05))


# --- norms ----------------------------------------------------------------------------------------------------


def band_about(mean: np.ndarray, sd: float, spike: float = 0.0) -> Band:
    return Band(percent=PERCENT, mean=mean, sd=np.full(101, sd), n=10, spike_until_percent=spike)


def test_where_a_curve_leaves_the_norms_is_told(cycled: Path) -> None:
    left = pool([load_result(cycled)]).sides["left"]
    mean = left.mean(KNEE.column).mean
    assert against(KNEE, left, band_about(mean + 3.9, 2)).words == "within"
    assert against(KNEE, left, band_about(mean + 4.1, 2)) == ("outside", "below at 0–100 %")
    bent = mean.copy()
    bent[20:30] -= 10
    bent[50:52] -= 10  # too short to tell
    bent[70:81] += 10
    assert against(KNEE, left, band_about(bent, 2)).words == "above at 20–29 %, below at 70–80 %"
    assert against(KNEE, left, band_about(mean + 1, 0.1)).words == "within"  # less than 1/40 of the axis
    assert against(KNEE, None, band_about(mean, 2)).level == "unknown"
    assert against(KNEE, left, None).words == "no norm"


# --- trust, plates, assumptions -------------------------------------------------------------------------------


def test_trust_says_what_is_known_and_what_is_not(cycled: Path, edit_record: Edit) -> None:
    good = {"trial": "good", "left": "good", "right": "good", "reasons": []}
    text = "left knee: varus–valgus follows flexion, as if the thigh's axes were turned inward by 14° ± 5°"
    turned = {"severity": "info", "code": "knee_axis_turned", "text": text}
    edit_record(cycled, {"verdict": good, "warnings": [turned]})
    loaded = load_result(cycled)
    said = words(trust_html(loaded))
    assert "angles from 2 cycles; moments and power from 1 whole stance (plate 2)" in said
    assert "axes were turned inward by 14° ± 5°" in said
    html = trust_html(loaded)
    assert html.count('class="badge care"') == 1 and html.count('class="badge good"') == 5  # all but the left knee
    edit_record(cycled, {"verdict": {**good, "left": "do not use"}, "quality": {}})
    loaded = load_result(cycled)
    html = trust_html(loaded)
    assert html.count('class="badge no"') == 3 and html.count('class="badge good"') == 3


# --- methods --------------------------------------------------------------------------------------------------


# --- defaults -------------------------------------------------------------------------------------------------


# --- recorded walks -------------------------------------------------------------------------------------------


def test_the_page_of_a_recorded_walk_answers(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    trial = root.parent / "shared" / "trials" / "children" / "HC030A" / "walk.c3d"
    if not trial.exists():
        pytest.skip("the shared trials are not beside this checkout")
    words_of_command = [sys.executable, "-m", "gaitid", "run", str(trial), "--model", "pig", "-o", str(tmp_path / "r")]
    subprocess.run(words_of_command, env={**os.environ, "PYTHONPATH": str(root)}, check=True, capture_output=True)
    text = write_report([tmp_path / "r"], tmp_path / "walk.html").read_text(encoding="utf-8")
    said = words(text[: text.index("<h2>Curves")])
    assert re.search(r"2 right 304–365 99 % the plate was loaded while this foot stood", said)
    assert "able-bodied children (4 to 18 years); the age of this subject is not given" in said
    assert not re.search(r"Ankle power (within|above|below)", said)
    asked = write_report([tmp_path / "r"], tmp_path / "asked.html", norms="schwartz2008").read_text(encoding="utf-8")
    assert re.search(r"Ankle power (within|above|below)", words(asked[: asked.index("<h2>Curves")]))
    assert "Of the body and the laboratory nothing: it stood in the files" in said
    assert re.search(r"Knee (yes|with care)", said)
    assert "not its moment in the first 7 %: the impact of the foot strike" in said
    assert len(text) < 3_000_000
    record = json.loads((tmp_path / "r" / "walk.run.json").read_text())
    assert str(record["verdict"]["trial"]) in said


# --- what is worked on ----------------------------------------------------------------------------------------
