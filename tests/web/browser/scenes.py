"""The situations that the dashboard is looked at in; each is a function that sets up a world."""

import hashlib
import math
import random
from collections.abc import Callable

from attrs import evolve

from qr.quota.readings import Reading
from qr.routing.bindings import Binding
from qr.routing.sessions import fingerprint
from qr.web.render.words import window_title
from qr.web.shapes.accounts import Refusal, Reset, Series

from .world import World

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


def well(world: World) -> None:
    """Three accounts, all of them fine."""
    world.account(
        "claude-ann@example.com.json",
        {"five_hour": (37, 2.1 * HOUR), "weekly": (41, 3.4 * DAY), "weekly:fable": (12, 3.4 * DAY)},
        label="ann@example.com",
    )
    world.account(
        "claude-bob@example.com.json",
        {"five_hour": (8, 4.2 * HOUR), "weekly": (63, 1.2 * DAY)},
        label="bob@example.com",
        age=95,
    )
    world.account(
        "codex-team@example.com-plus.json",
        {"five_hour": (22, 3.0 * HOUR), "weekly": (30, 5.1 * DAY)},
        label="team@example.com",
        plan="plus",
    )
    _past(world)
    _traffic(world, 160)


def morning(world: World) -> None:
    """Nine accounts, and a bit of everything that can be wrong."""
    world.account(
        "claude-ann@example.com.json",
        {"five_hour": (64, 1.4 * HOUR), "weekly": (41, 3.4 * DAY), "weekly:fable": (71, 3.4 * DAY)},
        label="ann@example.com",
    )
    world.account(
        "claude-bob@example.com.json",
        {"five_hour": (18, 4.0 * HOUR), "weekly": (83, 2.2 * DAY)},
        label="bob@example.com",
        readings=[Reading("weekly", status="allowed_warning", resets_at=world.now + 2.2 * DAY)],
    )
    world.account(
        "claude-cleo@example.com.json",
        {"five_hour": (2, 4.6 * HOUR), "weekly": (35, 4.0 * DAY)},
        label="cleo@example.com",
        dead=True,
        error="auth_permanent",
        age=7300,
    )
    world.account(
        "claude-dan@example.com.json",
        {"five_hour": (100, 1.1 * HOUR), "weekly": (58, 2.9 * DAY)},
        label="dan@example.com",
        error="quota_exhausted",
    )
    world.account(
        "claude-eve@example.com.json",
        {"five_hour": (12, 2.0 * HOUR), "weekly": (22, 6.1 * DAY)},
        label="eve@example.com",
        paused=True,
    )
    world.account(
        "claude-finn@example.com.json",
        {"five_hour": (30, 3.3 * HOUR), "weekly": (44, 2.0 * DAY)},
        label="finn@example.com",
        age=1500,
        error="transient",
    )
    world.account(
        "codex-gil@example.com-plus.json",
        {"five_hour": (91, 0.9 * HOUR), "weekly": (66, 3.1 * DAY)},
        label="gil@example.com",
        plan="plus",
    )
    world.account(
        "codex-hana@example.com-pro.json",
        {"five_hour": (40, -4 * MINUTE), "weekly": (20, 5.5 * DAY), "five_hour:spark": (9, 4.1 * HOUR)},
        label="hana@example.com",
        plan="pro",
    )
    world.account("codex-ivo@example.com-plus.json", {}, label="ivo@example.com", plan=None)
    world.account(
        "codex-jo@example.com-plus.json",
        {"five_hour": (15, 2.2 * HOUR), "weekly": (51, 2.5 * DAY)},
        label="jo@example.com",
        plan="plus",
        circuit="open",
        circuit_until=world.now + 9 * MINUTE,
        error="overloaded",
    )
    _past(world)
    _traffic(world, 220)
    world.settings = evolve(
        world.settings, rules=evolve(world.settings.rules, manual_priority={"claude-ann@example.com.json": 2})
    )
    world.fleet.rules = world.settings.rules


def fleet(world: World) -> None:
    """Three hundred accounts."""
    chance = random.Random(5)
    for number in range(300):
        provider = "claude" if number % 3 else "codex"
        used, week = chance.betavariate(1.6, 2.2) * 100, chance.betavariate(2, 2) * 100
        windows = {
            "five_hour": (round(used), chance.uniform(0.1, 5) * HOUR),
            "weekly": (round(week), chance.uniform(0.1, 7) * DAY),
        }
        if chance.random() < 0.3 and provider == "claude":
            windows["weekly:fable"] = (round(chance.random() * 100), windows["weekly"][1])
        world.account(
            f"{provider}-agent{number:03}@team-{number % 17}.example.com.json",
            windows,
            label=f"agent{number:03}@team-{number % 17}.example.com",
            age=chance.uniform(5, 700),
            paused=chance.random() < 0.02,
            dead=chance.random() < 0.01,
            readings=[Reading("weekly", status="allowed_warning", resets_at=world.now + windows["weekly"][1])]
            if week > 78
            else (),
        )
    _traffic(world, 490, sessions=900)


def empty(world: World) -> None:
    """Nobody there yet."""


def shadow(world: World) -> None:
    """Decided, recorded, not answered."""
    world.settings = evolve(world.settings, rules=evolve(world.settings.rules, mode="shadow"))
    world.fleet.rules = world.settings.rules
    well(world)


def off(world: World) -> None:
    """Nothing is decided."""
    well(world)
    world.settings = evolve(world.settings, rules=evolve(world.settings.rules, mode="off"))
    world.fleet.rules = world.settings.rules


def forgetful(world: World) -> None:
    """A second process has the state directory; the state cannot be kept."""
    well(world)
    world.facts["persistence"] = {
        "persistent": False,
        "problem": "/var/lib/quota-router is in use by process 4711: nothing is remembered across restarts",
    }


def deaf(world: World) -> None:
    """The host reports no results."""
    well(world)
    world.facts["host"] = {"feedback": 0}


def old_host(world: World) -> None:
    """A host that speaks an old schema."""
    well(world)
    world.facts["host"] = {"schema": 3, "schema_enough": False}


def hostless(world: World) -> None:
    """No plugin library is connected."""
    world.facts["host"] = {"attached": False, "schema": None, "library": {}, "feedback": 0, "connections": 0}


def refused(world: World) -> None:
    """The host's configuration has mistakes; the settings from before are in force."""
    well(world)
    world.owner = "host"
    world.problems = [
        'config.yaml, line 41: policy: expected one of reset_first, quota_pressure, balanced, soonest_reset, got "fastest"',
        "config.yaml, line 44: max_age: must be 30 to 2592000, got 3",
    ]


def unpolled(world: World) -> None:
    """A service that only listens to traffic, and keeps no history."""
    world.polled = False
    world.account(
        "claude-ann@example.com.json",
        {"five_hour": (37, 2.1 * HOUR), "weekly": (41, 3.4 * DAY)},
        label="ann@example.com",
        next_poll=None,
    )
    _traffic(world, 12)


def paid(world: World) -> None:
    """Spent, and served by paid credits; a window of an odd length; a window that has not started."""
    world.account(
        "claude-ann@example.com.json",
        {"five_hour": (12, 2.1 * HOUR), "weekly": (100, 3.4 * DAY)},
        label="ann@example.com",
        readings=[Reading("weekly", 100, world.now + 3.4 * DAY, paid=True)],
    )
    world.account(
        "codex-bea@example.com-plus.json",
        {"five_hour": (0, None), "weekly": (3, 6.8 * DAY), "86400s": (44, 9 * HOUR)},
        label="bea@example.com",
        plan="plus",
    )
    world.account(
        "codex-cy@example.com-team.json", {"monthly": (58, 11 * DAY)}, label="cy@example.com", plan="team"
    )
    _traffic(world, 30)


HOSTILE = '<img src=x onerror="alert(1)">'


def hostile(world: World) -> None:
    """Names that try to be markup, and names without end."""
    world.account(
        f"claude-{HOSTILE}.json",
        {"five_hour": (37, 2.1 * HOUR), "weekly": (41, 3.4 * DAY), f"weekly:{HOSTILE}": (10, 3 * DAY)},
        label=f"{HOSTILE}&amp;'\"",
        plan="<b>max</b>",
    )
    world.account(
        "claude-" + "a" * 180 + "@example.com.json",
        {"five_hour": (8, 4.2 * HOUR), "weekly": (63, 1.2 * DAY)},
        label="a" * 180 + "@example.com",
    )
    world.account(
        "claude-‮evil‬/../../x y%2f.json", {"five_hour": (8, 4.2 * HOUR), "weekly": (63, 1.2 * DAY)}, label="​"
    )
    for number in range(5):
        world.pick(_session(number), at=world.now - 60 + number, model=f"<script>alert({number})</script>")


def locked(world: World) -> None:
    """A token is wanted."""
    well(world)
    world.locked = True


SCENES: dict[str, Callable[[World], None]] = {
    scene.__name__: scene
    for scene in (
        well,
        morning,
        fleet,
        empty,
        shadow,
        off,
        forgetful,
        deaf,
        old_host,
        hostless,
        refused,
        unpolled,
        paid,
        hostile,
        locked,
    )
}


def set_up(name: str, now: float) -> World:
    """The world of a scene as it is at *now* (epoch seconds)."""
    world = World(now)
    SCENES[name](world)
    return world


def _session(number: int) -> str:
    return hashlib.sha256(f"session {number}".encode()).hexdigest()


def _traffic(world: World, count: int, sessions: int = 24) -> None:
    """Requests of the last quarter of an hour, and two that were bound when other accounts were usable."""
    chance = random.Random(9)
    providers = sorted({view.provider for view in world.fleet})
    times = sorted(world.now - chance.expovariate(1 / (5 * MINUTE)) for _ in range(count))
    for at in times:
        number = min(int(chance.expovariate(6 / sessions)), sessions - 1)
        provider = providers[number % len(providers)]
        session = None if chance.random() < 0.06 else _session(number)
        offered = [view for view in world.fleet if view.provider == provider]
        if number % 5 == 4 and session and world.bindings.get(provider, session) is None:
            bound = offered[number % len(offered)].id
            world.bindings.put(provider, session, Binding(bound, bound_at=at - 3 * HOUR, used_at=at - HOUR))
        world.pick(session, at=at, provider=provider)


def _past(world: World) -> None:
    """Two weeks of each window of each account."""
    for view in list(world.fleet):
        for window in view.windows.values():
            if (
                window.resets_at is not None
                and window.used_percent is not None
                and not window.name.endswith("s")
            ):
                length = {"five_hour": 5 * HOUR, "weekly": 7 * DAY, "monthly": 30 * DAY}[
                    window.name.partition(":")[0]
                ]
                world.history.append(
                    _series(
                        world, view.id, view.label, window.name, window.used_percent, window.resets_at, length
                    )
                )


def _series(
    world: World, account: str, label: str, window: str, used: float, resets_at: float, length: float
) -> Series:
    chance = random.Random(f"{account} {window}")
    step = max(900.0, length / 160)
    at, percents, resets, refusals = [], [], [], []
    end = resets_at
    ends = []
    while end > world.now - 14 * DAY:
        ends.append(end)
        end -= length
    for number, end in enumerate(reversed(ends)):
        start, current = end - length, number == len(ends) - 1
        reach = used if current else min(100.0, max(6.0, chance.gauss(66, 24)))
        bend = chance.uniform(0.7, 1.5)
        until = min(end, world.now)
        moment = max(start, world.now - 14 * DAY)
        while moment < until:
            share = (moment - start) / ((until if current else end) - start)
            nights = 0.012 * math.sin(moment / DAY * 2 * math.pi)
            at.append(moment)
            percents.append(
                round(
                    max(0.0, min(100.0, reach * (share**bend + nights * min(1, share * 4) * (1 - share)))), 1
                )
            )
            moment += step
        if not current:
            resets.append(Reset(end, round(reach, 1), round(100 - reach, 1)))
            if reach > 97:
                refusals += [Refusal(end - length * 0.04 * n) for n in range(1, 3)]
    return Series(
        account, fingerprint(account), label, window, window_title(window), at, percents, resets, refusals
    )
