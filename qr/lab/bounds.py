"""What must not grow, however long a house runs: each queue, ring and table, and how much it may hold."""

from collections.abc import Iterator

from qr.actors import account, decisions, door, feed, release
from qr.actors.account_state import AccountState
from qr.actors.rooms import Room
from qr.quota.evidence import MAX_ANCHORS, MAX_WINDOWS
from qr.quota.history import MAX_EVENTS, MAX_SAMPLES
from qr.routing.fleet import MAX_MODELS
from qr.system import House

__all__ = ["outgrown", "rooms"]

Size = tuple[str, int, int]
"""What it is, how much it holds, and how much it may hold at most."""


def rooms(house: House) -> list[Room]:
    """The account actors."""
    directory = house.supervisor.directory
    found = (directory.rooms.get(view.id) for view in house.supervisor.fleet) if directory else ()
    return [room for room in found if room is not None]


def outgrown(house: House) -> list[str]:
    """What is larger than its bound, or has turned something away, in words; it takes a millisecond."""
    too_large = [
        f"{what} holds {size}, and may hold {most}" for what, size, most in _sizes(house) if size > most
    ]
    return too_large + [f"{what} turned {count} messages away" for what, count in _refusals(house) if count]


def _sizes(house: House) -> Iterator[Size]:
    yield from _of_supervisor(house)
    yield from _of_journal(house)
    yield from _of_history(house)
    for room in rooms(house):
        yield "an account's mailbox", len(room.mailbox), account.CAPACITY
        yield from _of_account(room.state)


def _of_supervisor(house: House) -> Iterator[Size]:
    # Some of these are nobody's business but their owner's, and have no public size.
    fleet, sessions = house.supervisor.fleet, house.supervisor.sessions
    yield "the supervisor's mailbox", len(house.door.mailbox), door.CAPACITY
    yield "the release's mailbox", len(house.freed), release.CAPACITY
    yield "the table of bindings", len(sessions.in_force), house.current.settings.max_bindings
    yield "the reservations", len(sessions.reservations), len(fleet)
    yield "the feed", len(house.feed._ring), feed.KEPT  # noqa: SLF001
    yield "the ring of decisions", len(list(house.decisions)), decisions.KEPT
    yield "the sessions of these decisions", len(house.decisions.last), decisions.KEPT
    tables = fleet._tables.values()  # noqa: SLF001
    yield "the fleet's models", len(tables), MAX_MODELS
    yield "a model's standings", max((len(table.standings) for table in tables), default=0), len(fleet)


def _of_journal(house: House) -> Iterator[Size]:
    accounts = len(house.supervisor.fleet)
    most = {
        "bindings": house.current.settings.max_bindings,
        "accounts": accounts,
        "history": accounts * MAX_WINDOWS,
    }
    for name, size in house.journal.sizes.items():
        yield f"the journal's {name}", size, most[name]


def _of_history(house: House) -> Iterator[Size]:
    for series in house.supervisor.historian.series().values():
        yield "a window's history", len(series.samples), MAX_SAMPLES
        yield "a window's resets", max(len(series.resets), len(series.refusals)), MAX_EVENTS


def _of_account(state: AccountState) -> Iterator[Size]:
    evidence = state.snapshot.evidence.values()
    yield "an account's evidence", len(evidence), MAX_WINDOWS
    yield "a window's readings", max((len(known.anchors) for known in evidence), default=0), MAX_ANCHORS


def _refusals(house: House) -> Iterator[tuple[str, int]]:
    yield "the supervisor's mailbox", house.door.mailbox.refused
    yield "an account's mailbox", sum(room.mailbox.refused for room in rooms(house))
