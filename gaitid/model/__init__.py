"""Models, anthropometric tables and subjects, read from YAML."""
