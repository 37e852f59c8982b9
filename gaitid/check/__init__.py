"""A trial or its result -> findings with a number, a limit and a verdict; also against results that are kept.

Nothing is computed for it that the result does not hold, and nothing here judges how somebody walks.
"""
