"""What one answer of a provider said, before anything is believed of it."""

from typing import Literal

import msgspec

from qr.quota.windows import Status

__all__ = ["NOTHING", "Observation", "Reading", "Source"]

Source = Literal["headers", "usage", "failure"]


class Reading(msgspec.Struct, frozen=True, gc=False):
    """What one answer said of one window; None is "not told"."""

    window: str
    used_percent: float | None = None
    """0 to 100, clamped."""
    resets_at: float | None = None
    status: Status | None = None
    unstarted: bool = False
    """The missing reset is a statement: the window has not started, and is free."""
    refused: bool = False
    """The provider refuses because of this window (a 429 attributed to it, `limit_reached`)."""
    paid: bool = False
    """The window is spent and paid credits serve it."""


class Observation(msgspec.Struct, frozen=True, gc=False):
    """All that one answer said of an account's windows."""

    observed_at: float
    """Epoch second at which the answer arrived."""
    source: Source
    readings: tuple[Reading, ...] = ()
    aggregate: Status | None = None
    """Claude's unsuffixed status: it clears warning marks, and sets none."""
    successful: bool = True
    """The answer was a success (2xx): only such a one sets a warning mark."""
    full: bool = False
    """A complete listing: a window it does not name is gone (a poll that lists at least one window)."""
    plan: str | None = None
    """The plan as the provider names it, for display."""


NOTHING = Observation(0.0, "headers")
