"""Bodies, their motion and the loads on them -> wrenches at the joints, joint-space equations, motion in time.

Arrays come in and go out, SI units, laboratory axes. It knows nothing of people, markers, models or files.
"""

#: The solvers of `gaitid.dynamics.newton_euler`, which agree to rounding; the first is used where none is asked for.
SOLVER_NAMES = ("block", "dense", "recursive", "constrained")
