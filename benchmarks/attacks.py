"""The same as `mistakes.py` for every other fault: of single channels, exports, subjects, statics, markers and labels.

    python benchmarks/attacks.py [--quick] [--trials PATTERN] [--mistakes PATTERN] [--bands] [--out FILE] [--write]

The faults are those of `attack_list.py`; nobody is asked for the cause.
"""

from __future__ import annotations

import mistakes
from attack_list import ATTACKS


def main() -> None:
    mistakes.main(ATTACKS, "attacks")


if __name__ == "__main__":
    main()
