"""The host's calls, each answered in the host's own words. A pick never gets an error, whatever happens."""

from collections.abc import Awaitable, Callable

import msgspec
import structlog
import trio

from qr.abi.contract import (
    NOT_HANDLED,
    OK,
    USAGE_OK,
    ManagementRequest,
    UsageRecord,
    chosen,
    decode_management,
    decode_management_register,
    decode_register,
    decode_usage,
    error,
    registration,
    service_down,
    unknown_method,
)
from qr.actors.current import Current
from qr.actors.door import Door
from qr.actors.journal import Journal
from qr.actors.mailbox import Reply
from qr.actors.messages import Apply
from qr.actors.reports import Attempt, read_attempt
from qr.clock import STEP, Clock
from qr.routing.decision import Decision
from qr.routing.offers import Offers
from qr.routing.question import understand
from qr.routing.sessions import binding_key
from qr.settings import Settings, SettingsError, parse_settings

__all__ = ["Calls", "Pages"]

# Nanoseconds, as the host counts durations.
NANOSECONDS = 1e9

NO_PAGES = error("no_pages", "this service shows no pages")

Call = Callable[[bytes], Awaitable[bytes]]

log = structlog.get_logger(__name__)


class Pages:
    """What the host's management routes and resources are answered with."""

    def register(self, resource_base_path: str) -> bytes:
        """The envelope for `management.register`."""
        raise NotImplementedError

    async def handle(self, request: ManagementRequest) -> bytes:
        """The envelope for `management.handle`."""
        raise NotImplementedError


class Calls:
    """Answers by method."""

    def __init__(
        self,
        door: Door,
        current: Current,
        journal: Journal,
        base: Settings,
        clock: Clock,
        pages: Callable[[], Pages | None],
    ) -> None:
        self._door = door
        self._current = current
        self._journal = journal
        self._base = base
        self._clock = clock
        self._pages = pages
        self._offers = Offers()
        self._settling = trio.Lock()
        """Settings are taken over in the order in which they came."""
        self.feedback = 0
        """Usage records seen; some hosts send none."""
        self.unreadable = 0
        """Calls whose body could not be read."""
        self.schema: int | None = None
        """The host's RPC schema, once it has said it."""
        self._methods: dict[str, Call] = {
            "scheduler.pick": self._pick,
            "usage.handle": self.usage,
            "plugin.register": self.register,
            "plugin.reconfigure": self.register,
            "plugin.quiesce": self.quiesce,
            "management.register": self.management_register,
            "management.handle": self.management_handle,
        }

    async def answer(self, method: str, body: bytes) -> bytes:
        """The envelope for one call; never raises but for cancellation."""
        call = self._methods.get(method)
        if call is None:
            return unknown_method()
        try:
            return await call(body)
        except Exception as failure:  # noqa: BLE001 - the host must never see a bug of ours
            self._failed(method, failure)
            return service_down(method)

    def _failed(self, method: str, failure: Exception) -> None:
        if isinstance(failure, msgspec.MsgspecError):
            self.unreadable += 1
        else:
            log.error("call failed", method=method, cause=type(failure).__name__)

    def pick(self, body: bytes, give: Callable[[bytes], None], start: int = 0) -> None:
        """
        Have *give* called once with the envelope for one pick; it must neither wait nor raise.

        The way of the bridge: a pick costs no task a turn but the supervisor's.

        Args:
            body: where the host's question stands.
            give: takes the answer.
            start: the question begins there.

        """
        try:
            question = understand(*self._offers.read(body, start))
        except Exception as failure:  # noqa: BLE001 - a pick never gets an error
            self._failed("scheduler.pick", failure)
            give(NOT_HANDLED)
        else:
            self._door.ask(question, lambda decision: give(_envelope(decision)))

    async def _pick(self, body: bytes) -> bytes:
        reply = Reply[bytes]()
        self.pick(body, reply.give)
        return await reply.wait() or NOT_HANDLED

    async def usage(self, body: bytes) -> bytes:
        """Read here, so that the host's secrets end with this call; taken in by the account's actor later."""
        self.feedback += 1
        record = decode_usage(body)
        if record.auth_id and record.provider:
            attempt = _attempt(record, self._clock.now())
            text = record.failure.body if record.failure else ""
            self._door.tell(read_attempt(attempt, record.headers(), text))
        return USAGE_OK

    async def register(self, body: bytes) -> bytes:
        """Settings that are wrong stay out of force; the registration is valid all the same."""
        request = decode_register(body)
        self.schema = request.schema_version or 1
        async with self._settling:
            await self._settle(request.config)
        return registration(request.schema_version)

    async def _settle(self, config: str) -> None:
        try:
            settings = await trio.to_thread.run_sync(self._parsed, config)
        except SettingsError as refusal:
            log.warning("settings of the host refused", problems=len(refusal.problems))
            self._current.refuse([str(problem) for problem in refusal.problems])
        else:
            self._journal.owned_by_host(settings.rules)
            if self._current.take(settings):
                self._door.tell(Apply(settings))

    def _parsed(self, config: str) -> Settings:
        """In a thread: YAML that was written to be slow takes a second."""
        return parse_settings(config, source="plugins.configs", base=self._base)

    async def quiesce(self, body: bytes) -> bytes:  # noqa: ARG002 - it has none
        """A newer library takes over: the service goes on, it serves both."""
        return OK

    async def management_register(self, body: bytes) -> bytes:
        request = decode_management_register(body)
        pages = self._pages()
        return pages.register(request.resource_base_path) if pages else NO_PAGES

    async def management_handle(self, body: bytes) -> bytes:
        request = decode_management(body)
        pages = self._pages()
        return await pages.handle(request) if pages else NO_PAGES


def _envelope(decision: Decision | None) -> bytes:
    if decision is None or decision.account is None:
        return NOT_HANDLED
    return chosen(decision.account)


def _attempt(record: UsageRecord, now: float) -> Attempt:
    started_at = _began_at(record, now)
    first_byte = (record.ttft or record.latency) / NANOSECONDS
    return Attempt(
        account=record.auth_id,
        provider=record.provider.lower(),
        model=record.model,
        session=binding_key("", record.session_id) if record.session_id else None,
        started_at=started_at,
        observed_at=min(started_at + max(first_byte, 0.0), now),
        failed=record.failed,
        status=record.status,
        tokens=record.detail.total_tokens if record.detail else 0,
    )


def _began_at(record: UsageRecord, now: float) -> float:
    """
    When the attempt began.

    The host measures how long it lasted, and it is over: it began so long ago at least. A beginning that is
    later tells that the clock was set back meanwhile.
    """
    latest = now - max(record.latency, record.ttft, 0) / NANOSECONDS
    said = record.started_at
    return latest if said is None or said > latest + STEP else said
