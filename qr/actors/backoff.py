"""How long to leave a usage endpoint alone after errors: one account, and a provider as a whole."""

import msgspec
from msgspec.structs import replace

__all__ = ["BACKOFF", "BACKOFF_MAX", "Brake", "backoff"]

# Seconds after the first error and at most (specification, section 6).
BACKOFF = 30.0
BACKOFF_MAX = 1800.0

# Jitter adds up to this part, within the longest.
JITTER = 0.2

# 30 s doubled six times is above 30 minutes.
MOST_DOUBLINGS = 6


def backoff(errors: int, jitter: float) -> float:
    """Seconds to wait after one more error than *errors* in a row; *jitter* is 0 to 1."""
    delay = min(BACKOFF * 2.0 ** min(errors, MOST_DOUBLINGS), BACKOFF_MAX / (1 + JITTER))
    return delay * (1 + JITTER * jitter)


class Brake(msgspec.Struct, frozen=True, gc=False):
    """A usage endpoint said 429: all accounts of its provider are polled more slowly (section 6)."""

    until: float = 0.0
    """Epoch seconds."""
    hits: int = 0
    """In a row."""

    def hit(self, now: float, *, jitter: float = 0.0) -> "Brake":
        """One more 429; what comes while the brake is on was under way already, and counts as the same."""
        return self if now < self.until else Brake(now + backoff(self.hits, jitter), self.hits + 1)

    def eased(self, now: float) -> "Brake":
        """A poll of the provider succeeded; one that was under way when the brake came on proves nothing."""
        return self if now < self.until else replace(self, hits=0)

    def restored(self, now: float) -> "Brake":
        """The same after a restart: no wait exceeds the longest, even if the clock was set back meanwhile."""
        return replace(self, until=min(self.until, now + BACKOFF_MAX))

    def shifted(self, seconds: float) -> "Brake":
        """The same after a step of the machine's clock by *seconds*."""
        return replace(self, until=self.until + seconds)
