"""The situations that the dashboard is looked at in; each is a function that sets up a world."""

import random
from collections.abc import Callable

from attrs import evolve

from qr.actors.breaker import Breaker
from qr.quota.readings import Reading

from .past import remember
from .world import World, session

__all__ = ["HOSTILE", "SCENES", "set_up"]

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0

ANN, BOB, TEAM = "claude-ann@example.com.json", "claude-bob@example.com.json", "codex-team@example.com.json"


def well(world: World) -> None:
    """Three accounts, all of them fine."""
    long = 3.4 * DAY
    windows = {"five_hour": (37, 2.1 * HOUR), "weekly": (41, long), "weekly:fable": (12, long)}
    world.account(ANN, windows, label="ann@example.com")
    world.account(
        BOB, {"five_hour": (8, 4.2 * HOUR), "weekly": (63, 1.2 * DAY)}, label="bob@example.com", age=95
    )
    world.account(
        TEAM,
        {"five_hour": (22, 3.0 * HOUR), "weekly": (30, 5.1 * DAY)},
        label="team@example.com",
        plan="plus",
    )
    remember(world)
    _traffic(world, 160)


def morning(world: World) -> None:
    """Ten accounts, and a bit of everything that can be wrong."""
    now, far = world.now, 3.4 * DAY
    people = {
        "ann": {"five_hour": (64, 1.4 * HOUR), "weekly": (41, far), "weekly:fable": (71, far)},
        "bob": {"five_hour": (18, 4.0 * HOUR), "weekly": (83, 2.2 * DAY)},
        "cleo": {"five_hour": (2, 4.6 * HOUR), "weekly": (35, 4.0 * DAY)},
        "dan": {"five_hour": (100, 1.1 * HOUR), "weekly": (58, 2.9 * DAY)},
        "eve": {"five_hour": (12, 2.0 * HOUR), "weekly": (22, 6.1 * DAY)},
        "finn": {"five_hour": (30, 3.3 * HOUR), "weekly": (44, 2.0 * DAY)},
    }
    special = {
        "bob": {"readings": [Reading("weekly", status="allowed_warning", resets_at=now + 2.2 * DAY)]},
        "cleo": {"dead_since": now - 2 * HOUR, "last_error": "auth_permanent", "age": 2 * HOUR},
        "dan": {"last_error": "quota_exhausted"},
        "eve": {"paused": True},
        "finn": {"age": 25 * MINUTE, "last_error": "transient"},
    }
    for name, windows in people.items():
        label = f"{name}@example.com"
        world.account(f"claude-{label}.json", windows, label=label, **special.get(name, {}))
    broken = Breaker(since=now - 30, open_until=now + 9 * MINUTE, openings=4)
    spark = {"five_hour": (40, -4 * MINUTE), "weekly": (20, 5.5 * DAY), "five_hour:spark": (9, 4.1 * HOUR)}
    codex = {
        "gil": ({"five_hour": (91, 0.9 * HOUR), "weekly": (66, 3.1 * DAY)}, {"plan": "plus"}),
        "hana": (spark, {"plan": "pro"}),
        "ivo": ({}, {}),
        "jo": (
            {"five_hour": (15, 2.2 * HOUR), "weekly": (51, 2.5 * DAY)},
            {"plan": "plus", "breaker": broken, "last_error": "overloaded"},
        ),
    }
    for name, (windows, more) in codex.items():
        label = f"{name}@example.com"
        world.account(f"codex-{label}-plus.json", windows, label=label, **more)
    world.rules = evolve(world.rules, manual_priority={ANN: 2})
    remember(world)
    _traffic(world, 220)


def fleet(world: World) -> None:
    """Three hundred accounts."""
    chance = random.Random(5)
    for number in range(300):
        provider = "claude" if number % 3 else "codex"
        used, week = chance.betavariate(1.6, 2.2) * 100, chance.betavariate(2, 2) * 100
        reset = chance.uniform(0.1, 7) * DAY
        windows = {"five_hour": (round(used), chance.uniform(0.1, 5) * HOUR), "weekly": (round(week), reset)}
        if chance.random() < 0.3 and provider == "claude":
            windows["weekly:fable"] = (round(chance.random() * 100), reset)
        label = f"agent{number:03}@team-{number % 17}.example.com"
        warned = [Reading("weekly", status="allowed_warning", resets_at=world.now + reset)]
        world.account(
            f"{provider}-{label}.json",
            windows,
            label=label,
            age=chance.uniform(5, 600),
            readings=warned if week > 78 else (),
            paused=chance.random() < 0.02,
            dead_since=world.now - HOUR if chance.random() < 0.01 else None,
        )
    _traffic(world, 490, sessions=900)


def empty(world: World) -> None:
    """Nobody there yet."""


def young(world: World) -> None:
    """A service that began a moment ago: no history, no decisions, no sessions."""
    world.account(ANN, {"five_hour": (37, 2.1 * HOUR), "weekly": (41, 3.4 * DAY)}, label="ann@example.com")


def shadow(world: World) -> None:
    """Decided, recorded, not answered."""
    world.rules = evolve(world.rules, mode="shadow")
    well(world)


def off(world: World) -> None:
    """Nothing is decided."""
    world.rules = evolve(world.rules, mode="off")
    well(world)


def forgetful(world: World) -> None:
    """Another process has the state directory."""
    well(world)
    world.held = True


def deaf(world: World) -> None:
    """The host reports no results."""
    well(world)
    world.feedback = 0


def old_host(world: World) -> None:
    """A host that speaks an old schema."""
    well(world)
    world.config, world.schema = "", 3


def hostless(world: World) -> None:
    """No plugin library is connected."""
    world.attached = False


def refused(world: World) -> None:
    """The host's configuration has mistakes; the settings from before are in force."""
    well(world)
    world.config = "enabled: true\npolicy: fastest\nmax_age: 3\n"


def paid(world: World) -> None:
    """Spent, and served by paid credits; a window of an odd length; one that has not started."""
    served = [Reading("weekly", 100, world.now + 3.4 * DAY, paid=True)]
    world.account(
        ANN,
        {"five_hour": (12, 2.1 * HOUR), "weekly": (100, 3.4 * DAY)},
        label="ann@example.com",
        readings=served,
    )
    odd = {"five_hour": (0, None), "weekly": (3, 6.8 * DAY), "86400s": (44, 9 * HOUR)}
    world.account("codex-bea@example.com-plus.json", odd, label="bea@example.com", plan="plus")
    world.account(
        "codex-cy@example.com-team.json", {"monthly": (58, 11 * DAY)}, label="cy@example.com", plan="team"
    )
    _traffic(world, 30)


HOSTILE = '<img src=x onerror="alert(1)">'


def hostile(world: World) -> None:
    """Names that try to be markup, names without end, names that turn or hide."""
    week = {"five_hour": (8, 4.2 * HOUR), "weekly": (63, 1.2 * DAY)}
    plan = "<b>max</b>"
    world.account(
        f"claude-{HOSTILE}.json",
        {**week, f"weekly:{HOSTILE}": (10, 3 * DAY)},
        label=f"{HOSTILE}&amp;'\"",
        plan=plan,
    )
    world.account(f"claude-{'a' * 180}@example.com.json", week, label="a" * 180 + "@example.com")
    world.account("claude-\u202eevil\u202c/../../x y%2f.json", week, label="\u200b")
    seen = world.fleet
    for number in range(5):
        world.pick(
            seen, session(number), at=world.now - 60 + number, model=f"<script>alert({number})</script>"
        )


SCENES: dict[str, Callable[[World], None]] = {
    scene.__name__: scene
    for scene in (
        well,
        morning,
        fleet,
        empty,
        young,
        shadow,
        off,
        forgetful,
        deaf,
        old_host,
        hostless,
        refused,
        paid,
        hostile,
    )
}


def set_up(name: str, now: float) -> World:
    """The world of a scene as it is at *now* (epoch seconds)."""
    world = World(now)
    SCENES[name](world)
    return world


def _traffic(world: World, count: int, sessions: int = 24) -> None:
    """Requests of the last quarter of an hour; some sessions are from before, bound to whoever was usable."""
    chance = random.Random(9)
    seen = world.fleet
    providers = sorted({name.partition("-")[0] for name in world.states})
    for at in sorted(world.now - chance.expovariate(1 / (5 * MINUTE)) for _ in range(count)):
        number = min(int(chance.expovariate(6 / sessions)), sessions - 1)
        provider = providers[number % len(providers)]
        key = None if chance.random() < 0.06 else session(number)
        if key and number % 5 == 4 and world.bindings.get(provider, key) is None:
            homes = [name for name in world.states if name.startswith(provider)]
            world.bind(key, homes[number % len(homes)], at - 3 * HOUR)
        world.pick(seen, key, at=at, provider=provider)
