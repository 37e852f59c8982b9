"""What would not fit into memory is refused before it is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from gaitid.disk import regular
from gaitid.errors import ReadError
from gaitid.read.c3d import file as c3d_file
from gaitid.read.c3d.file import read_c3d_file

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "walk.c3d"
MEMINFO = Path("/proc/meminfo")


@pytest.mark.skipif(not MEMINFO.exists(), reason="this system does not say how much memory is free")
def test_a_trial_beyond_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    read_c3d_file(WALK)
    monkeypatch.setattr(c3d_file, "POINT_BYTES", 1 << 40)
    with pytest.raises(ReadError, match="too large for this machine's memory") as caught:
        read_c3d_file(WALK)
    assert "GB free" in caught.value.line()


def test_a_system_that_does_not_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = tmp_path / "meminfo"
    silent.write_text("MemTotal: 1 kB\n")
    monkeypatch.setattr(regular, "Path", lambda name: silent)
    regular.refuse_beyond_memory(1 << 60)
    silent.write_text("MemAvailable: 1000 kB\n")
    with pytest.raises(ReadError):
        regular.refuse_beyond_memory(1 << 31)
