"""A scenario -> a synthetic trial whose joint wrenches are known exactly, and its truth in the same columns.

Nothing here uses the analysis that the trials are there to test: geometry, derivatives, mechanics and
clinical terms are written a second time, by other means (forward from the skeleton, exact derivatives, the
momentum principle). Shared are the errors, the reading of YAML and, for mechanical systems, the joint-space equations
that are integrated: the analysis has none of them, and the truth is not computed by them.
"""
