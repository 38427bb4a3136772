"""Releases the host's cooldown of an account once a reading has proved that its quota is back.

The host keeps its own memory of refusals, per account and model, until the reset that it was told; a window
that came back early stays shut there until it is told otherwise (`host.routing.reset_cooldown`, newer hosts
only).
"""

from collections.abc import Awaitable, Callable

import msgspec
import structlog
import trio

from qr.actors.current import Current
from qr.actors.mailbox import Mailbox
from qr.actors.messages import Freed
from qr.clock import Clock
from qr.routing.sessions import fingerprint

__all__ = ["Release"]

METHOD = "host.routing.reset_cooldown"

# At most one release for each account in this time, in seconds: a provider that swings between "spent" and
# "free" must not have the host follow every swing.
GAP = 600.0

# One message for each account that is freed at once; more accounts than this are not freed in the same
# second.
CAPACITY = 256

# The host answers such a call from memory.
PATIENCE = 10.0

Call = Callable[[str, bytes], Awaitable[bytes]]

log = structlog.get_logger(__name__)


class Release:
    """One life of the actor."""

    def __init__(self, mailbox: Mailbox[Freed], call: Call, current: Current, clock: Clock) -> None:
        self._mailbox = mailbox
        self._call = call
        self._current = current
        self._clock = clock
        self._released: dict[str, float] = {}
        self.supported: bool | None = None
        """Whether the host knows how; None: it was not asked yet."""

    async def run(self) -> None:
        """Release until cancelled."""
        while True:
            await self._take(await self._mailbox.next())

    async def _take(self, freed: Freed) -> None:
        now = self._clock.now()
        self._released = {account: at for account, at in self._released.items() if at > now - GAP}
        wanted = self._current.settings.release_host_cooldown and self.supported is not False
        if wanted and freed.account not in self._released:
            self._released[freed.account] = now
            await self._ask(freed)

    async def _ask(self, freed: Freed) -> None:
        answer = b""
        try:
            with trio.move_on_after(PATIENCE):
                answer = await self._call(METHOD, msgspec.json.encode({"auth_index": freed.auth_index}))
        except OSError:
            return
        self._answered(freed, _outcome(answer))

    def _answered(self, freed: Freed, outcome: str) -> None:
        account = fingerprint(freed.account)
        if outcome == "unsupported" and self.supported is None:
            log.info("this host cannot release a cooldown; it ends by itself, or with a restart of the host")
        elif outcome == "ok":
            log.info("cooldown of the host released", account=account, evidence="a poll read room everywhere")
        self.supported = {"ok": True, "unsupported": False}.get(outcome, self.supported)


class _Error(msgspec.Struct):
    code: str = ""
    message: str = ""


class _Envelope(msgspec.Struct):
    ok: bool = False
    error: _Error | None = None


def _outcome(answer: bytes) -> str:
    """`ok`, `unsupported` (an older host), or `failed`."""
    try:
        envelope = msgspec.json.decode(answer, type=_Envelope)
    except msgspec.DecodeError:
        return "failed"
    if envelope.ok:
        return "ok"
    return "unsupported" if envelope.error and "unsupported" in envelope.error.message else "failed"
