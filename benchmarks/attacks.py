"""The same as `mistakes.py` for every other fault: of single channels, exports, subjects, statics, markers and labels.

    python benchmarks/attacks.py [--quick] [--trials PATTERN] [--mistakes PATTERN] [--bands] [--out FILE] [--write]

The faults are those of `attack_list.py`; nobody is asked for the cause.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent)]

import mistakes  # noqa: E402
from attack_list import ATTACKS  # noqa: E402


def main() -> None:
    mistakes.main(ATTACKS, "attacks")


if __name__ == "__main__":
    main()
