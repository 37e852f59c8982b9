"""Results by session -> pictures for papers, as the bytes of a PNG, SVG or PDF: panels over the gait cycle.

It reads no file and computes no physics. `request` and `catalogue` say what can be asked for and load nothing heavy;
`compose` decides what is drawn, `draw` and `axes` draw it with matplotlib.
"""
