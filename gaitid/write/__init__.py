"""`Result` -> files, each whole or absent."""
