"""The demo's cast: eight subscriptions in telling states, and agents in a hurry.

Its windows pass 240 times faster than real ones, so that five hours take 75 seconds and a week 42 minutes.
"""

from collections.abc import Iterator
from itertools import chain, count

from qr.lab.plans import PLANS
from qr.lab.provider import Pace, Provider
from qr.lab.subscription import Account
from qr.lab.traffic import Habits, Request, traffic
from qr.quota.windows import DAY, HOUR

__all__ = ["agents", "cast", "providers"]

SPEED = 240.0

# Tokens in the five hours of the smallest plan: the agents below drain it within half a minute.
UNIT = 2_000_000.0

PACE = Pace(served=(0.05, 0.4), refused=(0.02, 0.08))

# People who start a new task every second or two, and agents that hardly think.
HURRY = Habits(
    hours=None,
    turns=12.0,
    requests=6.0,
    between_requests=0.3,
    between_turns=1.0,
    resumed=0.0,
    delegating=0.2,
    bursts=0.3,
)

# Agents come in waves of so many sessions within so many seconds, without end.
SESSIONS, WAVE = 200, 600.0

# The curtain rises on agents that have been at work for so many seconds.
BEFORE = 40.0


def cast() -> list[Account]:
    """Five Claude and three Codex subscriptions; the first to be spent come home within 20 seconds."""
    return [
        _account("claude", "pro", "anna", five_hour=(88, 17), weekly=(55, 2 * DAY / SPEED)),
        _account("claude", "max_5x", "bruno", five_hour=(20, 60), weekly=(74, 3 * DAY / SPEED)),
        _account("claude", "max_20x", "clara", five_hour=(10, 45), weekly=(30, 5 * DAY / SPEED)),
        _account("claude", "pro", "david", five_hour=(85, 11), weekly=(40, DAY / SPEED)),
        _account("claude", "max_5x", "emma", five_hour=(5, 70), weekly=(96, 2 * HOUR / SPEED)),
        _account("codex", "plus", "felix", five_hour=(86, 14), weekly=(35, 2 * DAY / SPEED)),
        _account("codex", "pro", "greta", weekly=(25, 4 * DAY / SPEED)),
        _account("codex", "team", "hugo", priority=-1, five_hour=(30, 50), weekly=(60, 3 * DAY / SPEED)),
    ]


def _account(
    provider: str, plan: str, name: str, priority: int = 0, **windows: tuple[float, float]
) -> Account:
    """*windows*: percent used, and seconds until the reset."""
    email = f"{name}@example.com"
    return Account(
        f"{provider}-{email}.json",
        PLANS[provider, plan],
        email,
        priority,
        {window: used for window, (used, _) in windows.items()},
        {window: seconds for window, (_, seconds) in windows.items()},
    )


def providers(now: float, seed: int) -> Provider:
    """The cast's providers, at the beginning of the demo."""
    return Provider(cast(), now=now, seed=seed, faults="some", unit=UNIT, speed=SPEED, pace=PACE)


def agents(now: float, seed: int) -> Iterator[Request]:
    """Requests without end, in the order of their times (epoch seconds)."""
    waves = (_wave(now - BEFORE + number * WAVE, seed, number * SESSIONS) for number in count())
    return (request for request in chain.from_iterable(waves) if request.at >= now)


def _wave(start: float, seed: int, first: int) -> Iterator[Request]:
    return traffic(SESSIONS, start=start, seconds=WAVE, seed=seed, habits=HURRY, first=first)
