"""Loads on feet, markers of feet and the file's events -> strikes and offs, cycles, figures of each stride.

It knows nothing of joints, models or files.
"""
