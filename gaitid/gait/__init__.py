"""Loads on feet, markers of feet and the file's events -> strikes and offs, cycles, figures of each stride.

It knows nothing of joints, models or files.
"""

#: Of each stride, in this order.
FIGURES = (
    "speed_m_per_s",
    "cadence_steps_per_min",
    "stride_length_m",
    "stride_time_s",
    "step_length_m",
    "step_time_s",
    "step_width_m",
    "stance_percent",
    "swing_percent",
    "single_support_percent",
    "double_support_percent",
    "initial_double_support_percent",
    "terminal_double_support_percent",
    "flight_percent",
    "opposite_off_percent",
    "opposite_strike_percent",
)
#: How columns of electromyography end.
ENVELOPES = ("_envelope_V", "_envelope_percent")
