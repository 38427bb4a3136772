"""Chance that can be repeated: one stream for each thing, so that what happens to one disturbs no other."""

from random import Random

__all__ = ["chance"]


def chance(*of: object) -> Random:
    """The stream of *of*, such as a seed and an account's id; it differs for whatever differs in it."""
    return Random(" ".join(map(str, of)))  # noqa: S311 - a simulation must be repeatable, and guards nothing
