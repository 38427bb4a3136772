"""The brakes of the providers' polls: a usage endpoint that says 429 slows down all of its accounts."""

import random
from collections.abc import Callable

from qr.actors.backoff import Brake

__all__ = ["Brakes"]


class Brakes:
    """One brake for each provider."""

    def __init__(self, changed: Callable[[str, Brake], None], chance: random.Random) -> None:
        """*changed* is told of a provider's new brake."""
        self._changed = changed
        self._chance = chance
        self._brakes: dict[str, Brake] = {}

    def of(self, provider: str) -> Brake:
        return self._brakes.get(provider, Brake())

    def throttle(self, provider: str, now: float, *, on: bool) -> None:
        """A poll of *provider* was refused with 429 (on), or answered (off)."""
        before = self.of(provider)
        after = before.hit(now, jitter=self._chance.random()) if on else before.eased(now)
        if after != before:
            self._brakes[provider] = after
            self._changed(provider, after)

    def stepped(self, seconds: float) -> None:
        """The machine's clock was set back by *seconds* (negative)."""
        self._brakes = {provider: brake.shifted(seconds) for provider, brake in self._brakes.items()}
