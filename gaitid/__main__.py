"""``python -m gaitid`` is ``gaitid``."""

from gaitid.cli import main

if __name__ == "__main__":
    main()
