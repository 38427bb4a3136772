"""What is to be said of a setting: its kind, unit, default, meaning, and whether a change needs a restart."""

from collections.abc import Mapping
from typing import get_args

from attrs import frozen

from qr.routing.policies import POLICIES
from qr.routing.rules import Mode, PaidUsage, WarningPreference
from qr.settings.kinds import Choice, Kind, Number, Switch, Table

__all__ = ["DAY", "HOUR", "RULE_KEYS", "Key"]

HOUR = 3600
DAY = 24 * HOUR


@frozen
class Key:
    """One setting, as the reference, the dashboard and `qr settings check` tell of it."""

    kind: Kind
    text: str
    """One line: what it does."""
    unit: str = ""
    restart: bool = False
    """A change waits for the next start of the service."""
    secret: bool = False
    """Its value is never shown in full."""
    environment: str = ""
    """The environment variable that overrides it."""
    default: object = None
    """The default as it is shown: a text in parentheses where it is no fixed value."""
    name: str = ""


# The rules belong to the routing, which knows no settings file; their defaults stand there.
RULE_KEYS: Mapping[str, Key] = {
    "mode": Key(
        Choice(get_args(Mode)),
        "Decide (active), decide without answering (shadow), or leave all to the host (off).",
    ),
    "policy": Key(Choice(tuple(POLICIES)), "The order in which accounts are tried for a new session."),
    "warning_preference": Key(
        Choice(get_args(WarningPreference)),
        "Whether an account with a warning mark yields to unwarned ones, even to those of a lower host tier.",
    ),
    "manual_priority": Key(
        Table(Number(-1_000_000, 1_000_000, whole=True)),
        "Account id to integer; higher goes first within a host tier. An account that is not named has 0.",
        default={},
    ),
    "new_session_min_remaining": Key(
        Number(0, 100), "An account with less left in an applicable window gets no new session.", "percent"
    ),
    "five_hour_soft_limit": Key(
        Number(0, 100),
        "The policy balanced puts accounts that used more of their five hours last.",
        "percent",
    ),
    "paid_usage": Key(
        Choice(get_args(PaidUsage)), "Whether an account may be chosen that serves by paid credits only."
    ),
    "inherit_parent": Key(Switch(), "A subagent starts on the account of its parent."),
    "failover_max": Key(
        Number(1, 60 * DAY, off=True),
        "A session whose account will be away for longer is bound anew; off: it always waits.",
        "seconds",
        default="off",
    ),
    "max_age": Key(
        Number(30, 30 * DAY), "Older readings of an account keep it out of the ranking.", "seconds"
    ),
    "reset_jitter": Key(Number(0, HOUR), "Resets that differ by less are the same reset.", "seconds"),
}
