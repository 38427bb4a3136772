"""The real house where time is virtual: no socket, no file, no thread, and chance that can be repeated."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

import httpx
import trio
from attrs import define, field

from qr.abi.hostlink import HostLink
from qr.actors.current import Current
from qr.actors.journal import Journal
from qr.actors.recorder import Recorder
from qr.lab.callbacks import Callbacks
from qr.lab.chance import chance
from qr.lab.host import Host
from qr.lab.machine import MachineClock
from qr.lab.records import auth_index
from qr.lab.subscription import Subscription
from qr.quota.windows import HOUR
from qr.settings import Settings
from qr.store import SCHEMA
from qr.system import House, Run
from qr.upstream.credentials import AuthEntry, Credential, CredentialSource, Skipped
from qr.upstream.results import PollResult, judge
from qr.upstream.usage import Limits

__all__ = ["Accounts", "Nowhere", "UsageEndpoint", "VirtualHouse", "repeatable", "virtual_house"]

Polled = Callable[[str, int], None]
"""An account, and the status that it was answered with."""


# How soon a new login is listed, in seconds: about as soon as the house would ask.
LISTED_WITHIN = 30.0

# Seconds between two collections of what would be written: nobody is killed here, so none is ever read.
WRITTEN_EVERY = 6 * HOUR


class Nowhere:
    """A store that keeps nothing; the journal in memory is what actors restart from."""

    persistent = False
    problem: str | None = None

    def save(self, image: Iterable[bytes]) -> None:
        """Never called: nothing is persistent here."""


class Accounts:
    """The host's accounts, without the way through its callbacks; a listing is given when it is a new one."""

    skipped: Sequence[Skipped] = ()

    def __init__(self, host: Host, machine: MachineClock) -> None:
        self._host = host
        self._clock = machine.world
        self._machine = machine
        self._told: Sequence[float] = ()
        self._written: dict[tuple[str, float], float] = {}
        """When an account's login was written, by the clock of the machine."""

    async def list(self) -> Sequence[AuthEntry]:
        await trio.lowlevel.checkpoint()
        changed = self._changed()
        while changed == self._told:
            ahead = self._host.provider.unchanged_until - self._clock.now()
            await trio.sleep(max(LISTED_WITHIN, ahead))
            changed = self._changed()
        self._told = changed
        return [_entry(known, self._date(known)) for known in self._host.provider.subscriptions.values()]

    def _date(self, known: Subscription) -> float:
        login = known.account.id, known.changed_at
        return self._written.setdefault(login, self._machine.shown(known.changed_at))

    def _changed(self) -> Sequence[float]:
        return self._host.provider.changed(self._clock.now())

    async def fetch(self, entry: AuthEntry) -> Credential:
        await trio.lowlevel.checkpoint()
        return Credential(entry.provider, entry.id, account_id=entry.auth_index)


def _entry(known: Subscription, changed_at: float) -> AuthEntry:
    account = known.account
    return AuthEntry(
        account.id,
        account.provider,
        auth_index(account),
        account.label,
        priority=account.priority,
        status="active",
        account_type="oauth",
        changed_at=changed_at,
    )


@define(eq=False)
class VirtualHouse(House):
    """A house that knows its accounts from the simulation."""

    source: CredentialSource = field(kw_only=True)
    watched: bool = field(kw_only=True)
    """Somebody sets its clock."""

    def credentials(self) -> CredentialSource:
        return self.source

    def _new_recorder(self) -> Run:
        self.recorder = Recorder(self.journal, self.store, SCHEMA, interval=WRITTEN_EVERY)
        return self.recorder.run

    def _start(self, nursery: trio.Nursery, name: str, born: Callable[[], Run]) -> None:
        # To watch a clock that nobody sets would take a tenth of a run.
        if name != "clock" or self.watched:
            super()._start(nursery, name, born)


class VirtualLink(HostLink):
    """The host's callbacks, answered at once."""

    def __init__(self, callbacks: Callbacks) -> None:
        super().__init__()
        self._callbacks = callbacks
        self.attached.set()

    async def call(self, method: str, body: bytes) -> bytes:
        await trio.lowlevel.checkpoint()
        return self._callbacks.call(method, body)


def virtual_house(settings: Settings, host: Host, endpoint: "UsageEndpoint", seed: int) -> VirtualHouse:
    """A house whose host and providers are simulated."""
    machine = endpoint.machine
    return VirtualHouse(
        Current(settings),
        settings,
        machine,
        Nowhere(),  # type: ignore[arg-type]  # the recorder, who alone uses it, asks for no more
        Journal(),
        [],
        seed=seed,
        link=VirtualLink(Callbacks(host, machine.world.now)),
        ask=endpoint.ask,
        source=Accounts(host, machine),
        watched=host.provider.faults.clock_settings > 0,
    )


@define
class UsageEndpoint:
    """The simulated usage endpoints, without the way through HTTP."""

    host: Host
    machine: MachineClock
    on_poll: Polled
    """Told of each poll."""

    async def ask(self, entry: AuthEntry) -> PollResult:
        """What a poll of *entry* comes to."""
        await trio.lowlevel.checkpoint()
        answer = self.host.provider.usage(entry.id, self.machine.world.now())
        self.on_poll(entry.id, answer.status)
        if not answer.status:
            return PollResult(error="the connection broke")
        body = httpx.ByteStream(answer.body.encode())
        response = httpx.Response(answer.status, headers=dict(answer.headers), stream=body)
        credential = Credential(entry.provider, entry.id, account_id=entry.auth_index)
        return await judge(response, credential, body_limit=Limits().body, now=self.machine.now)


@contextmanager
def repeatable(seed: int) -> Iterator[None]:
    """
    Within it Trio runs tasks in an order that depends on *seed* alone.

    Trio mixes the order of tasks on purpose, and offers no public way to repeat a mix. What is set here is
    what pytest-trio sets for Hypothesis.
    """
    run = trio._core._run  # noqa: SLF001 - see above
    with (
        patch.object(run, "_ALLOW_DETERMINISTIC_SCHEDULING", new=True),
        patch.object(run, "_r", chance(seed, "scheduler")),
    ):
        yield
