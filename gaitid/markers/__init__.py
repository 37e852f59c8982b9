"""Markers as recorded -> markers to compute with: labels checked, gaps filled, noise filtered, all of it recorded.

It knows a marker by its label and nothing of segments, plates or files.
"""
