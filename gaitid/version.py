"""The version, for the build, the record and every file that says what wrote it."""

__version__ = "0.2.0"
