"""Whether all is well, at a glance: the notes on what wants attention, and the worst of them."""

from collections.abc import Iterator, Sequence

from attrs import frozen

from qr.routing.rules import Mode
from qr.web.render.health import LATELY
from qr.web.render.notes import note
from qr.web.shapes.service import (
    AccountActors,
    Actor,
    Host,
    Level,
    Loop,
    Note,
    Persistence,
    Picks,
    SettingsHealth,
    Status,
)

__all__ = ["Facts", "Readiness", "status_shape"]

# Fewer picks than this say nothing about whether results are reported.
ENOUGH_PICKS = 20

# Picks that nobody decided become news above this share.
UNANSWERED_SHARE = 0.01

# A loop that wakes tasks this late (seconds) delays picks so that people could notice.
NOTABLE_LAG = 0.1

ORDER: Sequence[Level] = ("error", "warning", "info", "ok")


@frozen
class Readiness:
    """One provider's accounts: how many, how many could take a new session, how many have a dead login."""

    provider: str
    accounts: int
    ready: int
    dead: int


@frozen
class Facts:
    """What the notes are read off."""

    deciding: bool
    """A supervisor takes picks."""
    mode: Mode
    persistence: Persistence
    host: Host
    picks: Picks
    settings: SettingsHealth
    actors: Sequence[Actor]
    account_actors: AccountActors
    loop: Loop
    providers: Sequence[Readiness]


def status_shape(facts: Facts) -> Status:
    """The notes, the worst first, and their level together."""
    notes = sorted(_notes(facts), key=lambda one: ORDER.index(one.level))
    return Status(notes[0].level if notes else "ok", _summary(notes), notes)


def _summary(notes: Sequence[Note]) -> str:
    urgent = sum(one.level in ("warning", "error") for one in notes)
    if not urgent:
        return notes[0].text if notes else "all is well"
    return "1 thing wants attention" if urgent == 1 else f"{urgent} things want attention"


def _notes(facts: Facts) -> Iterator[Note]:
    if not facts.deciding:
        yield note("no_supervisor")
    if facts.mode != "active":
        yield note(f"mode_{facts.mode}")
    yield from _state(facts.persistence)
    yield from _host(facts.host, facts.picks)
    if facts.settings.problems:
        yield note("settings_refused", problem=facts.settings.problems[0])
    yield from _accounts(facts.providers)
    yield from _deaths(facts.actors, facts.account_actors)
    yield from _pace(facts.picks, facts.loop)


def _state(kept: Persistence) -> Iterator[Note]:
    if not kept.persistent:
        yield note("no_persistence", problem=kept.problem or "Nothing is remembered across restarts.")
    elif kept.problem:
        yield note("write_failed", problem=kept.problem)
    for notice in kept.notices:
        if notice != kept.problem:
            yield note("start_notice", notice=notice)


def _host(host: Host, picks: Picks) -> Iterator[Note]:
    if host.census_problem:
        yield note("census_failed", problem=host.census_problem)
    if host.alone:
        return
    if not host.attached:
        yield note("no_host")
    if not host.schema_enough:
        yield note("host_too_old", schema=host.schema)
    if not host.feedback and picks.decided >= ENOUGH_PICKS:
        yield note("no_feedback")


def _accounts(providers: Sequence[Readiness]) -> Iterator[Note]:
    if not any(one.accounts for one in providers):
        yield note("no_accounts")
    for one in providers:
        if one.accounts and not one.ready:
            yield note("nobody_left", provider=one.provider)
        if one.dead:
            yield note("login_dead", dead=one.dead, accounts=one.accounts, provider=one.provider)


def _deaths(actors: Sequence[Actor], accounts: AccountActors) -> Iterator[Note]:
    for one in actors:
        if one.died_seconds_ago is not None and one.died_seconds_ago < LATELY:
            yield note("actor_dying", who=f"The actor {one.name}", cause=one.last_death)
    if accounts.dying:
        yield note("actor_dying", who="An account's actor", cause=", ".join(accounts.dying))


def _pace(picks: Picks, loop: Loop) -> Iterator[Note]:
    if picks.unanswered > UNANSWERED_SHARE * (picks.decided + picks.unanswered):
        yield note("picks_unanswered", unanswered=picks.unanswered)
    if loop.worst_seconds > NOTABLE_LAG:
        yield note("loop_lag", seconds=f"{loop.worst_seconds:.1f}")
