"""A stand-in for the host's scheduler around a plugin: offers, picks, retries, cool-downs, usage records.

What is to be done with the plugin and with time is yielded step by step, so that the same host runs in
threads against the real library and under a virtual clock against the service itself.
"""

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from random import Random

import msgspec
from attrs import define, field

from qr.lab.answers import Answer
from qr.lab.builtin import Builtin, RoundRobin
from qr.lab.chance import chance
from qr.lab.cooldowns import CoolDowns
from qr.lab.prompt_cache import PromptCache
from qr.lab.provider import Provider
from qr.lab.records import PluginFault, candidate, chosen, pick_body, record_body
from qr.lab.subscription import Account
from qr.lab.traffic import Request
from qr.quota.fields import item, number, parsed, retry_after
from qr.routing.account import PROVIDERS

__all__ = ["Ask", "Attempt", "Host", "Outcome", "Pause", "Reply", "Step", "Tell"]

# When every account was tried: how often all are tried again, and how long is waited for that, in seconds.
ROUNDS, LONGEST_WAIT = 2, 30.0

# A timer fires a little after its time, in seconds.
TIMER = 1e-3

# A record that comes late comes so many seconds late at most.
LATEST_RECORD = 60.0


class Ask(msgspec.Struct, frozen=True, gc=False):
    """Call the plugin and wait for its answer."""

    method: str
    body: bytes


class Tell(msgspec.Struct, frozen=True, gc=False):
    """Call the plugin by and by; nobody waits for the answer."""

    method: str
    body: bytes
    after: float = 0.0
    """Seconds."""


class Pause(msgspec.Struct, frozen=True, gc=False):
    """So many seconds pass."""

    seconds: float


Step = Ask | Tell | Pause


class Reply(msgspec.Struct, frozen=True, gc=False):
    """What is given back for each step: the time after it (epoch seconds), and the plugin's answer."""

    now: float
    answer: bytes = b""


@define(eq=False)
class Attempt:
    """One request to a provider."""

    account: str
    handled: bool
    """The plugin chose the account; False: the host did."""
    at: float
    """Epoch seconds."""
    offered: Sequence[str]
    cached: bool
    """The thread's prompt lies in the account's cache."""
    began_at: float = 0.0
    """The same as *at* by the host's own clock."""
    answer: Answer = field(factory=lambda: Answer(0))


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What became of a client's request."""

    request: Request
    attempts: Sequence[Attempt]
    fault: str | None = None
    """What the plugin did that failed the request."""

    @property
    def served(self) -> Attempt | None:
        last = self.attempts[-1] if self.attempts else None
        return last if last is not None and last.answer.served else None


Serving = Generator[Step, Reply, Outcome]


@define(eq=False)
class Host:
    """The scheduler: one for all requests, whatever runs them."""

    provider: Provider
    seed: int = 0
    builtin: Builtin = field(factory=RoundRobin)
    cache: PromptCache = field(factory=PromptCache)
    cooldowns: CoolDowns = field(factory=CoolDowns)
    on_attempt: Callable[[Request, "Attempt"], None] | None = None
    """Called when a provider was asked, with what it answered."""
    shown: Callable[[float], float] = float
    """What the host's own clock shows at a time that is the present."""
    counts: Counter[str] = field(factory=Counter)
    """Of records: delivered, lost, doubled, late."""
    _offers: Mapping[str, Sequence[Account]] = field(init=False)
    _written: dict[str, bytes] = field(factory=dict)
    _chance: Random = field(init=False)

    def __attrs_post_init__(self) -> None:
        accounts = [known.account for known in self.provider.subscriptions.values()]
        accounts.sort(key=lambda account: account.id)
        self._offers = {
            provider: [account for account in accounts if account.provider == provider]
            for provider in PROVIDERS
        }
        self._chance = chance(self.seed, "host")

    def serve(self, request: Request) -> Serving:
        """Have *request* served: yields what is to be done, returns what became of it."""
        course = _Course(request, request.at)
        yield from self._round(course)
        for _ in range(1, ROUNDS):
            wait = None if course.over else self._wait(request, course.now)
            if wait is not None:
                course.now = (yield Pause(wait)).now
                yield from self._round(course)
        return Outcome(request, course.attempts, course.fault)

    def _round(self, course: "_Course") -> Generator[Step, Reply, None]:
        """Ask one account after the other, each once."""
        tried: set[str] = set()
        while not course.over and (offered := self._offered(course.request, tried, course.now)):
            reply = yield Ask("scheduler.pick", pick_body(course.request, map(self._candidate, offered)))
            ids = [account.id for account in offered]
            try:
                picked = chosen(reply.answer, ids)
            except PluginFault as fault:
                course.fault = str(fault)
                return
            account = picked or self.builtin.pick(offered, course.request.model)
            cached = self.cache.warm(account, course.request.names.thread, reply.now)
            yield from self._try(course, Attempt(account, picked is not None, reply.now, ids, cached))
            tried.add(account)

    def _try(self, course: "_Course", attempt: Attempt) -> Generator[Step, Reply, None]:
        attempt.began_at = self.shown(attempt.at)
        attempt.answer = answer = self._asked(course.request, attempt.account, attempt.at)
        course.attempts.append(attempt)
        if self.on_attempt is not None:
            self.on_attempt(course.request, attempt)
        course.now = (yield Pause(answer.latency)).now
        if answer.status:
            course.headers = answer.headers
        self._note(course.request, attempt, course.now)
        yield from self._report(course, attempt)

    def _offered(self, request: Request, tried: set[str], now: float) -> list[Account]:
        return [
            account
            for account in self._offers[request.provider]
            if account.id not in tried and not self.cooldowns.cooling(account.id, request.model, now)
        ]

    def _wait(self, request: Request, now: float) -> float | None:
        """Until the first cool-down ends, if that is soon."""
        ids = (account.id for account in self._offers[request.provider])
        end = self.cooldowns.earliest_end(ids, request.model, now)
        wait = LONGEST_WAIT if end is None else end - now + TIMER
        return wait if wait <= LONGEST_WAIT else None

    def _candidate(self, account: Account) -> bytes:
        written = self._written.get(account.id)
        if written is None:
            written = self._written[account.id] = candidate(account)
        return written

    def _asked(self, request: Request, account: str, now: float) -> Answer:
        thread = request.names.thread
        tokens = self.cache.cost(account, thread, request.context, request.fresh, now)
        answer = self.provider.serve(account, request.model, tokens, now)
        if answer.served:
            self.cache.keep(account, thread, now)
        return answer

    def _note(self, request: Request, attempt: Attempt, now: float) -> None:
        resets_in = None if attempt.answer.served else _resets_in(attempt.answer, now)
        self.cooldowns.note(attempt.account, request.model, attempt.answer, resets_in, now)

    def _report(self, course: "_Course", attempt: Attempt) -> Generator[Step, Reply, None]:
        """One usage record, unless it is lost; some come twice, some late."""
        account = self.provider.subscriptions[attempt.account].account
        body = record_body(course.request, account, attempt.answer, course.headers, attempt.began_at)
        fate = self._fate()
        self.counts[fate] += 1
        if fate != "lost":
            late = self._chance.uniform(1, LATEST_RECORD) if fate == "late" else 0.0
            yield Tell("usage.handle", body, late)
        if fate == "doubled":
            yield Tell("usage.handle", body)

    def _fate(self) -> str:
        drawn, share = self._chance.random(), self.provider.faults.lost_records
        fates = ("lost", "doubled", "late")
        return fates[int(drawn / share)] if drawn < share * len(fates) else "delivered"


@define(eq=False)
class _Course:
    """One client's request under way."""

    request: Request
    now: float
    attempts: list[Attempt] = field(factory=list)
    headers: Mapping[str, str] = field(factory=dict)
    """Of the last response seen: a record of an attempt without a response carries them."""
    fault: str | None = None

    @property
    def over(self) -> bool:
        last = self.attempts[-1].answer if self.attempts else None
        return self.fault is not None or (last is not None and not _retryable(last))


def _resets_in(answer: Answer, now: float) -> float | None:
    """Seconds that a refusal asks to wait, in its head or in its body."""
    told = retry_after({name.lower(): value for name, value in answer.headers.items()}, now)
    in_body = number(item(item(parsed(answer.body), "error"), "resets_in_seconds"))
    return told - now if told else in_body


def _retryable(answer: Answer) -> bool:
    """Whether another account may serve what this one did not."""
    return not answer.served and answer.status not in (400, 404, 413, 422)
