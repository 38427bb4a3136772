"""The canary: a task that sleeps, and looks how late it was woken when others hold up the event loop."""

from collections import deque
from typing import Final

import trio

__all__ = ["INTERVAL", "WINDOW", "Canary"]

# Seconds between two looks: often enough to meet a hold-up of half a second, rare enough to cost nothing.
INTERVAL: Final = 0.25

# Seconds for which the worst is remembered: as long as it takes to switch to the health page and look.
WINDOW: Final = 60.0


class Canary:
    """Outlives its runs."""

    def __init__(self) -> None:
        self.lag = 0.0
        """Seconds by which the last waking was late."""
        self._lags: deque[float] = deque(maxlen=round(WINDOW / INTERVAL))

    @property
    def worst(self) -> float:
        """The latest waking within the window, in seconds."""
        return max(self._lags, default=0.0)

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            due = trio.current_time() + INTERVAL
            await trio.sleep_until(due)
            self.lag = max(trio.current_time() - due, 0.0)
            self._lags.append(self.lag)
