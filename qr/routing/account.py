"""What the supervisor knows of one account: the view that its actor sends on every change."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from qr.quota.windows import Window

__all__ = ["PROVIDERS", "AccountView", "Circuit", "Login"]

Circuit = Literal["closed", "open", "half_open"]
Login = Literal["ok", "dead"]

# The providers whose quota is understood; all others are the host's business.
PROVIDERS = ("claude", "codex")


class AccountView(msgspec.Struct, frozen=True, gc=False):
    """One account, as its actor last described it. Times are epoch seconds."""

    id: str
    """The host's auth id: opaque, compared byte by byte."""
    provider: str
    label: str = ""
    """For the operator's eyes only; never logged."""
    auth_index: str | None = None
    plan: str | None = None
    disabled: bool = False
    paused: bool = False
    login: Login = "ok"
    circuit: Circuit = "closed"
    circuit_until: float | None = None
    """When an open circuit becomes half open; None: not known."""
    trial_until: float | None = None
    """The one trial of a half-open circuit is given out; until then its result is waited for."""
    windows: Mapping[str, Window] = {}
    observed_at: float = 0.0
    """When the newest evidence of any window arrived."""
    last_error: str | None = None
    polled_at: float | None = None
    poll_error: str | None = None
    """Why the last poll brought nothing; None when it did."""
    next_poll_at: float | None = None
    unpolled: str | None = None
    """Why the account is not polled at all; None when it is."""
    version: int = 0
    """Counts the changes of this account; a view with a lower one is older."""

    def circuit_closed_to(self, now: float) -> bool:
        """Whether the circuit keeps requests away: open, or half open with its trial given out."""
        if self.circuit == "open" and (self.circuit_until is None or now < self.circuit_until):
            return True
        return self.circuit != "closed" and self.trial_until is not None and now < self.trial_until
