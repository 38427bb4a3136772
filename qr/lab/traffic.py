"""Simulated agents: who asks when, for which model, under which session's name.

Requests come in the order of their times, and the same seed gives the same ones whatever becomes of them, so
that policies can be compared on the same traffic.
"""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from math import inf
from random import Random

from attrs import frozen

from qr.lab.chance import chance
from qr.lab.clients import CLIENTS, Client, Names
from qr.quota.windows import DAY, HOUR

__all__ = ["Habits", "Request", "traffic"]

# A context that has grown to so many tokens is compacted to so many by its agent.
LARGEST_CONTEXT, COMPACTED = 150_000, 40_000

# What an agent's and a subagent's first request carries: instructions, tools, files.
FIRST_CONTEXT, SUBAGENT_CONTEXT = 15_000, 8_000

# So often a time within working hours is looked for; a span without any, such as a night, is worked through.
TRIES = 200

# Tokens that one request adds: read files, tool results, the answer.
TYPICAL_FRESH = 3_000


@frozen
class Request:
    """One request of a client, as the host receives it."""

    at: float
    """Epoch seconds."""
    provider: str
    model: str
    names: Names
    context: int
    """Tokens that were sent before, and are cheap where they are cached."""
    fresh: int
    """Tokens that are new."""


@frozen
class Habits:
    """How people and their agents work. Durations are seconds, on average."""

    hours: tuple[float, float] | None = (8.0, 19.0)
    """When sessions begin, hours of the day; None: at any time."""
    weekend: float = 0.2
    """How many sessions begin on a day of the weekend, compared with another day."""
    turns: float = 17.0
    """Per session."""
    requests: float = 10.0
    """Per turn, and per subagent."""
    between_requests: float = 12.0
    between_turns: float = 300.0
    resumed: float = 0.02
    """Share of turns that follow hours later."""
    delegating: float = 0.15
    """Share of turns that start subagents, up to four at a time."""
    bursts: float = 0.15
    """Share of sessions that begin together with the one before."""
    clients: Sequence[Client] = CLIENTS


def traffic(
    sessions: int,
    *,
    start: float,
    seconds: float,
    seed: int = 0,
    habits: Habits = Habits(),
    first: int = 0,
) -> Iterator[Request]:
    """
    The requests of *sessions* sessions that begin within *seconds* after *start* (epoch seconds), in order.

    Only the sessions under way are held in memory; none lasts beyond the end. They are numbered from *first*.
    """
    under_way: list[tuple[float, int, Iterator[Request], Request]] = []
    begin = _beginnings(sessions, start, seconds, chance(seed, "beginnings", first), habits)
    for number, begins in enumerate(begin, first):
        yield from _until(begins, under_way)
        _push(under_way, number, _session(number, begins, chance(seed, "session", number), habits))
    for request in _until(inf, under_way):
        if request.at >= start + seconds:
            return
        yield request


def _push(
    under_way: list[tuple[float, int, Iterator[Request], Request]], number: int, rest: Iterator[Request]
) -> None:
    following = next(rest, None)
    if following is not None:
        heappush(under_way, (following.at, number, rest, following))


def _until(time: float, under_way: list[tuple[float, int, Iterator[Request], Request]]) -> Iterator[Request]:
    while under_way and under_way[0][0] < time:
        _, number, rest, request = heappop(under_way)
        yield request
        _push(under_way, number, rest)


def _beginnings(sessions: int, start: float, seconds: float, drawn: Random, habits: Habits) -> list[float]:
    begins: list[float] = []
    for _ in range(sessions):
        together = begins and drawn.random() < habits.bursts
        begins.append(
            begins[-1] + drawn.uniform(0, 2) if together else _beginning(drawn, start, seconds, habits)
        )
    return sorted(at for at in begins if at < start + seconds)


def _beginning(drawn: Random, start: float, seconds: float, habits: Habits) -> float:
    for _ in range(TRIES):
        at = start + drawn.uniform(0, seconds)
        if habits.hours is None or _works(at, drawn, habits.hours, habits.weekend):
            break
    return at


def _works(at: float, drawn: Random, hours: tuple[float, float], weekend: float) -> bool:
    # The epoch began on a Thursday.
    day, hour = int(at // DAY + 3) % 7, at % DAY / HOUR
    return hours[0] <= hour < hours[1] and (day < 5 or drawn.random() < weekend)


def _session(number: int, begins: float, drawn: Random, habits: Habits) -> Iterator[Request]:
    """All threads of one session; a subagent's requests lie between those of the main one."""
    client = drawn.choices(habits.clients, [one.share for one in habits.clients])[0]
    model = drawn.choices(list(client.models), list(client.models.values()))[0]
    requests: list[Request] = []
    at, thread, agents = begins, _Thread(client.main(number), client, model, FIRST_CONTEXT), count(1)
    for _ in range(_several(drawn, habits.turns)):
        if drawn.random() < habits.delegating:
            for _ in range(drawn.randint(1, 4)):
                agent = _Thread(client.agent(number, next(agents)), client, model, SUBAGENT_CONTEXT)
                agent.turn(at + drawn.uniform(1, 10), drawn, habits, requests)
        at = thread.turn(at, drawn, habits, requests)
        resumed = drawn.random() < habits.resumed
        at += drawn.expovariate(1 / (12 * HOUR if resumed else habits.between_turns))
    requests.sort(key=lambda request: request.at)
    return iter(requests)


def _several(drawn: Random, mean: float) -> int:
    """At least one; many small numbers and a few large ones."""
    return 1 + int(drawn.expovariate(1 / max(mean - 0.5, 0.1)))


class _Thread:
    """One agent's conversation, growing as it goes."""

    def __init__(self, names: Names, client: Client, model: str, context: int) -> None:
        self._names = names
        self._provider = client.provider(model)
        self._model = model
        self._context = context

    def turn(self, at: float, drawn: Random, habits: Habits, requests: list[Request]) -> float:
        """Add the requests of one turn that begins at *at*; returns when it ends."""
        for _ in range(_several(drawn, habits.requests)):
            fresh = int(drawn.lognormvariate(0, 0.8) * TYPICAL_FRESH)
            requests.append(Request(at, self._provider, self._model, self._names, self._context, fresh))
            self._context += fresh
            if self._context > LARGEST_CONTEXT:
                self._context = COMPACTED
            at += drawn.expovariate(1 / habits.between_requests) + 1e-3
        return at
