"""Loads as judged, the body's motion -> what is wrong with plates, clocks and the laboratory, and what could not show.

A fault is a hypothesis: a parameter, how it acts on what was recorded, and its words. All compete by likelihood on the
residuals of one trial: the momentum of the body against the forces of the plates, their line against its centre of
mass, their pressure against the feet. It knows nothing of
files, filters and joints.
"""
