"""Two results, or a result and what another program computed of its trial -> how far apart, and why.

What goes in are results as they lie on disk or in memory, the outputs that a C3D stores, and OpenSim's files; out come
figures of each curve, and for two results of one recording which ingredient makes how much of the difference. It
computes no physics of its own: where results are mixed, the stages of `gaitid.analysis` compute them.
"""
