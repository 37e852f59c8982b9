"""Force plates and feet -> who stood where, why, and the load on each foot in every frame: known, none or unknown.

What comes in are plates at their own rate and unfiltered feet; what goes out are contacts with their reasons. It may
not know joints, moments or anything that a file says of results.
"""
