"""Who is there: asks for the accounts now and then, and tells the supervisor."""

from collections.abc import Callable

import structlog
import trio

from qr.actors.account_state import Entry
from qr.actors.door import Door
from qr.actors.messages import Listing
from qr.upstream.credentials import AuthEntry, CredentialSource
from qr.upstream.errors import CredentialError

__all__ = ["Census"]

# Accounts come and go by hand: half a minute is soon enough for a person who looks, and costs the host
# nothing.
INTERVAL = 30.0

# A host that starts has no accounts to list yet.
RETRY = 2.0

log = structlog.get_logger(__name__)


class Census:
    """One life of the census."""

    def __init__(
        self,
        source: CredentialSource,
        door: Door,
        ready: Callable[[], trio.Event | None],
        failed: Callable[[], None] = lambda: None,
    ) -> None:
        """
        Args:
            source: lists the accounts.
            door: the supervisor's.
            ready: what to wait for before the source can be asked at all; None: nothing.
            failed: told when a listing failed, before the next one.

        """
        self._source = source
        self._door = door
        self._ready = ready
        self._failed = failed
        self.problem: str | None = None
        """Why the last listing failed; None when it did not."""
        self.listings = 0
        """How many succeeded in this life."""

    async def run(self) -> None:
        """Ask until cancelled."""
        while True:
            event = self._ready()
            if event is not None:
                await event.wait()
            await trio.sleep(INTERVAL if await self._count() else RETRY)

    async def _count(self) -> bool:
        try:
            entries = await self._source.list()
        except CredentialError as error:
            self.problem = str(error)
            self._failed()
            return False
        self.problem = None
        self.listings += 1
        return self._door.tell(Listing([_entry(entry) for entry in entries]))


def _entry(known: AuthEntry) -> Entry:
    return Entry(
        id=known.id,
        provider=known.provider,
        label=known.label,
        auth_index=known.auth_index,
        disabled=known.disabled,
        changed_at=known.changed_at or 0.0,
        api_key=known.api_key,
        has_base_url=known.has_base_url,
        runtime_only=known.runtime_only,
    )
