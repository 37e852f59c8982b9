"""A trial's file -> what is in it, for people and as JSON, and what each model lacks.

It shows the stages that an analysis goes through, from the same functions; it computes nothing of its own.
"""
