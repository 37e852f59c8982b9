"""``python -m gaitid`` is ``gaitid``."""

from gaitid.cli import entry

if __name__ == "__main__":
    entry()
