"""The providers' prompt caches: what was sent lately to the same account is cheap to send again."""

from collections.abc import Hashable

__all__ = ["LIFETIME", "PromptCache"]

# How long after its last use a prompt stays cached, in seconds.
LIFETIME = 300.0

# What a token costs of the quota: read from the cache, or written to it.
READ, WRITTEN = 0.1, 1.25

# Entries that have ended are thrown out once there are so many: a few times the threads of a busy hour.
MOST = 10_000


class PromptCache:
    """Which thread's prompt lies at which account, and until when."""

    def __init__(self, lifetime: float = LIFETIME) -> None:
        self._lifetime = lifetime
        self._until: dict[tuple[str, Hashable], float] = {}

    def warm(self, account: str, thread: Hashable, now: float) -> bool:
        return self._until.get((account, thread), 0.0) > now

    def cost(self, account: str, thread: Hashable, context: int, fresh: int, now: float) -> int:
        """Tokens of quota for a request of *context* tokens that were sent before and *fresh* ones."""
        price = READ if self.warm(account, thread, now) else WRITTEN
        return int(context * price + fresh)

    def keep(self, account: str, thread: Hashable, now: float) -> None:
        """The account has served the thread."""
        if len(self._until) >= MOST:
            self._until = {key: until for key, until in self._until.items() if until > now}
        self._until[account, thread] = now + self._lifetime
