"""The features that sentences are written of."""

from __future__ import annotations

from collections.abc import Mapping

#: Features of which a sentence is written, and what they are called in it.
PEAKS: Mapping[str, str] = {
    "hip_extension_moment_max_early_stance": "hip extension moment at its peak in early stance",
    "hip_extension_moment_min_late_stance": "hip flexion moment at its peak in late stance (negative)",
    "hip_abduction_moment_max_early_stance": "hip abduction moment at its peak in early stance",
    "knee_extension_moment_max_early_stance": "knee extension moment at its peak in early stance",
    "knee_extension_moment_min_late_stance": "knee flexion moment at its peak in late stance (negative)",
    "knee_abduction_moment_max_early_stance": "knee abduction moment at its peak in early stance",
    "ankle_plantarflexion_moment_max_late_stance": "ankle plantarflexion moment at its peak in late stance",
    "hip_flexion_angle_range": "range of hip flexion",
    "knee_flexion_angle_max_swing": "largest knee flexion in swing",
    "ankle_dorsiflexion_angle_max_stance": "largest ankle dorsiflexion in stance",
    "hip_internal_rotation_angle_range": "range of hip rotation",
    "hip_power_generation_max_H3": "hip power generation at pull-off (H3)",
    "ankle_power_generation_max_A2": "ankle power generation at push-off (A2)",
}
