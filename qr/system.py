"""The house: builds every part, wires them in one nursery, and takes them down in order."""

import random
import socket
from collections.abc import Awaitable, Callable
from functools import partial

import structlog
import trio
from attrs import define, evolve, field

from qr.abi.bridge import Bridge, open_socket
from qr.abi.calls import Calls, Pages
from qr.abi.hostlink import HostLink
from qr.actors import release
from qr.actors.census import Census
from qr.actors.current import Current
from qr.actors.decisions import Decisions
from qr.actors.door import Door
from qr.actors.feed import Feed
from qr.actors.image import Image, read_image
from qr.actors.journal import Journal
from qr.actors.lives import Life, keep_alive
from qr.actors.mailbox import Mailbox
from qr.actors.messages import Freed, Step
from qr.actors.polling import Ask
from qr.actors.recorder import Recorder
from qr.actors.release import Release
from qr.actors.rooms import Mailboxes
from qr.actors.supervisor import Supervisor
from qr.clock import Clock, StepWatch, SystemClock
from qr.settings import Settings
from qr.store import SCHEMA, Store, open_store
from qr.upstream.connections import connector
from qr.upstream.credentials import AuthEntry, CredentialSource
from qr.upstream.directory import AuthDirectory
from qr.upstream.host import HostCredentials
from qr.upstream.usage import PollResult, poll_account, poll_options

__all__ = ["House", "build", "listen"]

# Everything after the last pick: the final write has a bound of its own below this.
SHUTDOWN = 10.0

log = structlog.get_logger(__name__)

Run = Callable[[], Awaitable[None]]


@define(eq=False)
class House:
    """All parts; what outlives the actors stands here, and who lives now."""

    current: Current
    base: Settings
    """What the service was started with; the host's settings go on top."""
    clock: Clock
    store: Store
    journal: Journal
    notices: list[str]
    """What the operator should know of the start."""
    seed: int = field(factory=lambda: random.SystemRandom().getrandbits(32))
    door: Door = field(factory=Door)
    feed: Feed = field(factory=Feed)
    decisions: Decisions = field(factory=Decisions)
    link: HostLink = field(factory=HostLink)
    lives: dict[str, Life] = field(factory=dict)
    """The actors that are no accounts, by name."""
    pages: Pages | None = None
    ask: Ask | None = None
    """Polls an account; None: over HTTP."""
    freed: Mailbox[Freed] = field(factory=lambda: Mailbox(release.CAPACITY))
    mailboxes: Mailboxes = field(factory=dict)
    """The accounts'."""
    steps: StepWatch = field(init=False)
    calls: Calls = field(init=False)
    supervisor: Supervisor = field(init=False)
    recorder: Recorder = field(init=False)
    bridge: Bridge | None = None
    census: Census = field(init=False)
    release: Release = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.ask = self.ask or self._over_http()
        self.steps = StepWatch(self.clock, self._stepped)
        self.calls = Calls(self.door, self.current, self.journal, self.base, self.clock, lambda: self.pages)

    def credentials(self) -> CredentialSource:
        """The auth directory when one is set (the router runs alone), else the host's callbacks."""
        directory = self.current.settings.auth_dir
        return AuthDirectory(directory) if directory else HostCredentials(self.link.call)

    def _over_http(self) -> Ask:
        connect = connector()

        async def ask(entry: AuthEntry) -> PollResult:
            options = poll_options(self.current.settings)
            return await poll_account(
                self.credentials(), entry, options=options, connect=connect, now=self.clock.now
            )

        return ask

    async def run(
        self,
        listening: socket.socket | None = None,
        *extras: tuple[str, Callable[[], Run]],
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """
        Live until cancelled.

        Args:
            listening: the library's socket; None: no library (a simulation talks to the door).
            extras: further actors by name, such as the web; each makes a new run for each life.
            task_status: told when picks can be answered.

        """
        try:
            async with trio.open_nursery() as nursery:
                start = partial(self._start, nursery)
                start("recorder", self._new_recorder)
                start("supervisor", self._new_supervisor)
                start("clock", lambda: self.steps.run)
                start("census", self._new_census)
                start("release", self._new_release)
                if listening is not None:
                    start("bridge", lambda: self._new_bridge(listening))
                for name, born in extras:
                    start(name, born)
                await self._picks_answered()
                task_status.started()
        finally:
            await self._last_word()

    async def _last_word(self) -> None:
        """A recorder that died a moment ago has no successor yet: one more writes what is left, and ends."""
        if self.journal.changed.is_set():
            with trio.CancelScope() as over:
                over.cancel()
                await self._new_recorder()()

    def _start(self, nursery: trio.Nursery, name: str, born: Callable[[], Run]) -> None:
        life = self.lives[name] = Life(name)
        nursery.start_soon(keep_alive, life, born, name=name)

    async def _picks_answered(self) -> None:
        while not self.door.open:
            await trio.lowlevel.checkpoint()

    def _new_supervisor(self) -> Run:
        self.supervisor = Supervisor(
            self.door,
            self.journal,
            self.feed,
            self.decisions,
            self.current,
            self.clock,
            self.ask or self._over_http(),
            self.freed,
            self.mailboxes,
        )
        return partial(self.supervisor.run, self.seed)

    def _new_recorder(self) -> Run:
        self.recorder = Recorder(self.journal, self.store, SCHEMA)
        return self.recorder.run

    def _new_bridge(self, listening: socket.socket) -> Run:
        self.bridge = Bridge(listening, self.calls, self.link, self.current)
        return self.bridge.run

    def _new_census(self) -> Run:
        alone = self.current.settings.auth_dir is not None
        source, link = self.credentials(), self.link
        self.census = Census(source, self.door, lambda: None if alone else link.attached, link.pass_on)
        return self.census.run

    def _new_release(self) -> Run:
        self.release = Release(self.freed, self.link.call, self.current, self.clock)
        return self.release.run

    def _stepped(self, seconds: float) -> bool:
        log.warning("the machine's clock was set", seconds=round(seconds))
        return self.door.tell(Step(seconds))


def build(settings: Settings, *, clock: Clock | None = None) -> House:
    """
    Open the state directory and build the house around what it remembers. Blocks on the disk.

    Nothing that is wrong with the state keeps the service from starting: it stands in the house's notices.
    """
    clock = clock or SystemClock()
    store = open_store(settings.state_dir, clock=clock.now)
    loaded = store.load()
    image = Image() if loaded.text is None else read_image(loaded.text)
    notices = [notice for notice in (store.problem, loaded.notice) if notice]
    if image.unreadable:
        notices.append(
            f"{image.unreadable} entries of the state file could not be read and were passed over."
        )
    journal = Journal(image)
    current = Current(_as_before(settings, journal), journal.settings_generation)
    return House(current, settings, clock, store, journal, notices)


def _as_before(settings: Settings, journal: Journal) -> Settings:
    """Until the host has told its settings again, decisions go on by its last rules: shadow stays shadow."""
    alone = settings.auth_dir is not None
    return settings if alone or journal.host_rules is None else evolve(settings, rules=journal.host_rules)


def listen(settings: Settings) -> socket.socket:
    """The library's socket; raises `OSError` that says what is wrong with its path."""
    return open_socket(settings.socket)
