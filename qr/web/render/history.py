"""Quota over time. Nothing is recorded yet, and that is what the answer says."""

from qr.web.shapes.accounts import History

__all__ = ["no_history"]

# What is kept once it is recorded (specification, section 7).
DAYS = 14


def no_history(now: float) -> History:
    """The answer while there is no history."""
    return History(
        now=now,
        available=False,
        why_not="the use of windows over time is not recorded by this version",
        days=DAYS,
        series=[],
    )
