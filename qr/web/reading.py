"""The routes that only look."""

from collections.abc import Iterator

from qr.actors.decisions import Numbered
from qr.quota.belief import believed_windows
from qr.quota.history import DAYS
from qr.web.desk import Desk
from qr.web.nextpick import next_pick
from qr.web.problems import ProblemError
from qr.web.render.accounts import by_label, evidence_shape
from qr.web.render.decisions import decision_shape, detail_shape
from qr.web.render.history import series_shape
from qr.web.render.sessions import Newest, sessions_page
from qr.web.render.settings import setting_shapes
from qr.web.routes import Route
from qr.web.shapes.accounts import Account, Accounts, Evidence, History
from qr.web.shapes.asks import (
    AskAccount,
    AskAccounts,
    AskDecision,
    AskDecisions,
    AskHistory,
    AskNext,
    AskNothing,
    AskSessions,
)
from qr.web.shapes.decisions import Decisions, Detail, Next, Sessions
from qr.web.shapes.service import Health, Settings
from qr.web.turns import unhurried

__all__ = ["READING"]

# Bindings that are looked through at once, in some hundred microseconds.
NAMES_AT_ONCE = 250


async def accounts(desk: Desk, ask: AskAccounts) -> Accounts:
    views = sorted(desk.fleet, key=by_label)
    if ask.id is not None:
        views = [view for view in views if view.id == ask.id]
        if not views:
            raise ProblemError("unknown_account", "No account has this id.")
    shown: list[Account] = [account async for account in unhurried(views, desk.account)]
    return Accounts(desk.now, shown)


async def evidence(desk: Desk, ask: AskAccount) -> Evidence:
    room = desk.room(ask.account)
    if room is None:
        raise ProblemError("unknown_account", "No account has this id.")
    snapshot = room.state.snapshot
    believed = believed_windows(snapshot, reset_jitter=desk.rules.reset_jitter)
    return evidence_shape(ask.account, snapshot, believed, desk.now)


async def sessions(desk: Desk, ask: AskSessions) -> Sessions:
    try:
        found = Newest(ask)
    except ValueError:
        raise ProblemError("invalid_request", "The cursor `before` is none of this service.") from None
    table, shadow = desk.bindings, desk.rules.mode == "shadow"
    names = table.names()
    pieces = (names[start : start + NAMES_AT_ONCE] for start in range(0, len(names), NAMES_AT_ONCE))
    async for _ in unhurried(pieces, lambda piece: found.look_through(piece, table)):
        """Nothing is to be shown of a piece alone."""
    return sessions_page(
        found,
        desk.house.decisions.last,
        accounts=table.sessions,
        ttl=desk.settings.binding_ttl,
        shadow=shadow,
        now=desk.now,
    )


async def decisions(desk: Desk, ask: AskDecisions) -> Decisions:
    kept, names = desk.house.decisions, desk.names
    # Read before any pause: whoever asks for what is newer than these must miss nothing.
    newest, oldest = kept.count, kept.oldest
    found = [numbered for numbered in kept if _matches(numbered, ask)][: ask.limit]
    shown = [one async for one in unhurried(found, lambda numbered: decision_shape(numbered, names))]
    return Decisions(desk.now, newest, oldest, shown)


def _matches(numbered: Numbered, ask: AskDecisions) -> bool:
    return all(_conditions(numbered, ask))


def _conditions(numbered: Numbered, ask: AskDecisions) -> Iterator[bool]:
    decision = numbered.decision
    yield numbered.number > ask.after and (ask.before is None or numbered.number < ask.before)
    chosen = decision.chosen
    yield ask.account in (None, chosen.account if chosen else "")
    yield (decision.question.session or "").startswith(ask.session or "")
    yield ask.reason in (None, decision.reason, decision.reason.partition(":")[0])


async def decision(desk: Desk, ask: AskDecision) -> Detail:
    numbered = desk.house.decisions.get(ask.number)
    if numbered is None:
        raise ProblemError(
            "unknown_decision", f"There is no decision {ask.number}, or it has been let go since."
        )
    return detail_shape(numbered, desk.names, desk.now)


async def upcoming(desk: Desk, ask: AskNext) -> Next:
    return await next_pick(desk, ask.provider, ask.model)


async def history(desk: Desk, ask: AskHistory) -> History:
    found = {
        key: kept
        for key, kept in desk.house.supervisor.historian.series().items()
        if ask.account in (None, key[0]) and ask.window in (None, key[1])
    }
    if ask.account is not None and not found and ask.account not in desk.fleet:
        raise ProblemError("unknown_account", "No account has this id.")
    names, columns = desk.names, ask.account is not None
    order = sorted(found, key=lambda key: (names.label(key[0]).casefold(), *key))
    shown = unhurried(order, lambda key: series_shape(*key, found[key], names, columns=columns))
    series = [one async for one in shown]
    return History(desk.now, available=True, why_not=None, days=DAYS, series=series)


async def settings(desk: Desk, _: AskNothing) -> Settings:
    current, owner = desk.house.current, desk.owner
    return Settings(
        now=desk.now,
        generation=current.generation,
        problems=list(current.problems),
        owner=owner,
        writable=owner == "service",
        lasts="until_restart" if owner == "service" else "until_host_reload",
        settings=setting_shapes(current.settings),
    )


async def health(desk: Desk, _: AskNothing) -> Health:
    return desk.health()


READING = (
    Route(
        "GET",
        "/accounts",
        accounts,
        AskAccounts,
        Accounts,
        "Accounts and their windows",
        ("unknown_account",),
    ),
    Route(
        "GET",
        "/evidence",
        evidence,
        AskAccount,
        Evidence,
        "What was read of each window",
        ("unknown_account",),
    ),
    Route("GET", "/sessions", sessions, AskSessions, Sessions, "Bound sessions, page by page"),
    Route("GET", "/decisions", decisions, AskDecisions, Decisions, "Decisions, newest first"),
    Route("GET", "/decision", decision, AskDecision, Detail, "One decision, and why", ("unknown_decision",)),
    Route("GET", "/next", upcoming, AskNext, Next, "Who would serve a new session now"),
    Route("GET", "/history", history, AskHistory, History, "Use of windows over time", ("unknown_account",)),
    Route("GET", "/settings", settings, AskNothing, Settings, "Settings in force"),
    Route("GET", "/health", health, AskNothing, Health, "The service itself"),
)
