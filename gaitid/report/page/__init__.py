"""Results -> the clinical page: what a clinician reads first, then the curves, then what an engineer asks."""
