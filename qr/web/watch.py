"""Looks whether all is well once a second while pages listen, and tells the feed when that has changed."""

from typing import Final

import trio

from qr.web.desk import Desk

__all__ = ["Watch"]

# Seconds between two looks: what nobody publishes, such as a lost host, is on the page as soon as this.
INTERVAL: Final = 1.0


class Watch:
    """Outlives its runs."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._seen: object = None

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await trio.sleep(INTERVAL)
            if self._desk.listeners:
                self.look()

    def look(self) -> None:
        """Publish a change when other notes stand than the last time; the numbers in them do not count."""
        notes = [(note.name, note.level) for note in self._desk.status.get().notes]
        if notes != self._seen:
            self._seen = notes
            self._desk.house.feed.publish("health", "health")
