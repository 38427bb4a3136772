"""Asks each account's usage endpoint now and then, and tells the supervisor what it said."""

from functools import partial

import trio
from attrs import frozen

from qr.actors.messages import Observe
from qr.system import House
from qr.upstream.connections import Connect
from qr.upstream.credentials import AuthEntry, CredentialSource
from qr.upstream.errors import CredentialError
from qr.upstream.questions import Endpoints
from qr.upstream.usage import PollOptions, poll_account

__all__ = ["Polls"]

# A host that starts has no accounts to list yet, and is asked again after so many seconds.
RETRY = 0.5


@frozen
class Polls:
    """One life of the polling."""

    house: House
    connect: Connect
    interval: float
    """Seconds."""

    async def run(self) -> None:
        """Poll until cancelled."""
        source = self.house.credentials()
        while True:
            entries = await self._entries(source)
            async with trio.open_nursery() as nursery:
                for entry in entries:
                    nursery.start_soon(partial(self._poll, source, entry))
            await trio.sleep(self.interval if entries else RETRY)

    async def _entries(self, source: CredentialSource) -> list[AuthEntry]:
        try:
            return list(await source.list())
        except CredentialError:
            return []

    async def _poll(self, source: CredentialSource, entry: AuthEntry) -> None:
        settings = self.house.current.settings
        options = PollOptions(
            Endpoints(settings.claude_base_url, settings.codex_base_url), settings.proxy_url or ""
        )
        result = await poll_account(
            source, entry, options=options, connect=self.connect, now=self.house.clock.now
        )
        if result.observation is not None:
            self.house.door.tell(Observe(entry.id, result.observation))
