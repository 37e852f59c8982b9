"""Arrays over time -> arrays over time: masks, splines, filters, sampling, rotations.

All work along axis 0 and treat each gap-free span by itself: nothing is filled, and a frame that cannot be known is
NaN. Nothing filters unless its name says so. It knows nothing of what an array means.
"""
