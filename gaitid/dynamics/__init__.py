"""Bodies, their motion and the loads on them -> wrenches at the joints, joint-space equations, motion in time.

Arrays come in and go out, SI units, laboratory axes. It knows nothing of people, markers, models or files.
"""
