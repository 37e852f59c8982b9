"""Beyond which a check warns or fails, with the reason of each; read by its help, so nothing is loaded here."""

from __future__ import annotations

# Newton's and Euler's laws over windows of this many seconds, from positions only (see `balance`). What is
# left is the error of the derivatives: below 1e-6 of body weight and 0.0002 N·m/kg in recorded walks (0.025
# with Plug-in Gait's angular velocity, 0.02 with 2 mm of unfiltered noise). A lost or doubled term, a wrong
# sign or a wrong arm is far above the limits.
BALANCE_WINDOW_S = 0.3
BALANCE_FORCE_BW = 0.001
BALANCE_MOMENT_NM_PER_KG = 0.05
# Left and right segments that differ more than this (share of their mean) are a measurement of the wrong leg.
SIDE_DIFFERENCE = 0.15

# They differ by rounding only: 1e-14 is usual, a wrong term is 1e-3 and more. Relative to the largest force or moment
# of the joint.
SOLVER_TOLERANCE = 1e-9

# Largest differences from golden results that are not a change. Well below what a clinic can tell, well above
# what another processor or library does (1e-9 of a value).
TOLERANCES = {
    "force_N": 0.01,
    "moment_Nm": 0.001,
    "angle_deg": 0.001,
    "position_m": 1e-5,
    "moment_Nm_per_kg": 1e-5,
    "power_W_per_kg": 1e-4,
    "impulse_Nms_per_kg": 1e-5,
    "work_J_per_kg": 1e-5,
    "force_BW": 1e-5,
    "impulse_BW_s": 1e-5,
    "rate_BW_per_s": 0.01,
    "force_N_per_kg": 1e-4,
    "quaternion_1": 1e-5,
    "omega_rad_per_s": 1e-4,
    "alpha_rad_per_s2": 0.01,
    "acceleration_m_per_s2": 0.001,
    "speed_m_per_s": 1e-4,
    "time_s": 1e-5,
    "cadence_steps_per_min": 0.01,
    "share_percent": 0.01,
    "envelope_percent": 0.01,
}
