"""Cleaned markers and measurements of the subject -> poses and motions of segments, angles, joint axes.

It knows the model and the markers, and nothing of plates, loads or files.
"""
