"""The accounts as the supervisor keeps them: who is there, what is known of each, and their actors."""

from collections.abc import Iterable, Sequence

import structlog
from msgspec.structs import replace

from qr.actors.account_state import AccountState, Entry, restored, view_of
from qr.actors.breaker import BreakerRules
from qr.actors.feed import Feed
from qr.actors.historian import Historian
from qr.actors.journal import Journal
from qr.actors.messages import Trial
from qr.actors.rooms import Rooms
from qr.actors.schedule import Schedule
from qr.quota.belief import believed_windows
from qr.routing.account import PROVIDERS, AccountView
from qr.routing.fleet import Fleet
from qr.routing.question import Question
from qr.routing.request import Candidate, Offer
from qr.routing.reservations import Reservations
from qr.routing.sessions import fingerprint

__all__ = ["Directory"]

# An account that the host never lists (an API key of its configuration) is forgotten when it was not offered
# for a day.
UNLISTED_TTL = 86400.0

# Far above the thousand accounts that this is built for; a host that invents ids must not grow the memory.
MAX_ACCOUNTS = 4096

log = structlog.get_logger(__name__)


class Directory:
    """Accounts come from the host's listing, and from being offered; they go when the host drops them."""

    def __init__(
        self,
        fleet: Fleet,
        rooms: Rooms,
        journal: Journal,
        feed: Feed,
        historian: Historian,
        reservations: Reservations,
    ) -> None:
        self._historian = historian
        self._reservations = reservations
        self.fleet = fleet
        self.rooms = rooms
        self._journal = journal
        self._feed = feed
        self._offered_at: dict[str, float] = {}
        """Accounts that no listing named, and when they were offered last."""
        self._offer: Offer | None = None
        """The one that was taken in last; whoever is removed may be offered again."""
        self._counted = False
        """A listing was seen."""

    def restore(self, now: float, *, reset_jitter: float) -> None:
        """Start again with what the journal knows; the actors tell more as soon as they live."""
        for kept in self._journal.accounts.values():
            state = restored(kept, now)
            windows = believed_windows(state.snapshot, reset_jitter=reset_jitter)
            self.fleet.put(view_of(state, windows, now))
            self._open(state, now)

    def _open(self, state: AccountState, now: float) -> None:
        if not state.entry.listed:
            self._offered_at[state.id] = now
        self.rooms.open(state)

    def offered(self, question: Question, now: float) -> None:
        """The host offers these: an account that was not known begins its life."""
        if question.offer is self._offer and not self._offered_at:
            return
        self._offer = question.offer
        for candidate in question.candidates:
            if candidate.id in self._offered_at:
                self._offered_at[candidate.id] = now
            elif candidate.id not in self.fleet:
                self._admit(_entry_of(candidate), now)

    def reported(self, account: str, provider: str, now: float) -> None:
        """
        The host used this account.

        Once there is a listing, a late report of an account that it dropped must not bring it back.
        """
        if not self._counted and account not in self.fleet:
            self._admit(Entry(account, provider, listed=False), now)

    def listed(self, entries: Sequence[Entry], now: float) -> None:
        """
        The host's whole directory: who is new begins its life, who is no longer named is gone.

        Accounts that no listing ever named stay, since the host does not list its configured API keys.
        """
        self._counted = True
        named = {entry.id for entry in entries}
        for entry in entries:
            room = self.rooms.get(entry.id)
            if room is not None:
                if room.state.entry != entry:
                    self.rooms.tell(entry.id, entry)
                self._offered_at.pop(entry.id, None)
            elif entry.provider in PROVIDERS:
                self._admit(entry, now)
        for view in list(self.fleet):
            if view.id not in named and (self._offered_at.get(view.id, 0.0) + UNLISTED_TTL < now):
                self.remove(view.id)

    def _admit(self, entry: Entry, now: float) -> None:
        if entry.provider not in PROVIDERS or not entry.id or len(self.rooms) >= MAX_ACCOUNTS:
            return
        state = AccountState(entry, schedule=Schedule(since=now))
        self._journal.account(state.id, state)
        self.fleet.put(view_of(state, {}, now))
        self._open(state, now)

    def remove(self, account: str) -> None:
        log.info("account removed", account=fingerprint(account))
        self.rooms.close(account)
        self.fleet.remove(account)
        self._offer = None
        self._offered_at.pop(account, None)
        self._historian.forget(account)
        self._reservations.forget(account)
        self._journal.account(account, None)
        self._feed.publish("account", account)

    def changed(self, views: Iterable[AccountView]) -> None:
        """Accounts told what they are now."""
        for view in views:
            if view.id in self.rooms:
                self._take(view)

    def _take(self, view: AccountView) -> None:
        before = self.fleet.get(view.id)
        if before is not None and view.windows != before.windows:
            jitter = self.fleet.rules.reset_jitter
            self._historian.observed(view.id, before.windows, view.windows, reset_jitter=jitter)
        if before is not None and view.observed_at > before.observed_at:
            self._reservations.observed(view.id, before.windows, view.windows)
            self.fleet.reserve(view.id, 0.0)
        self.fleet.put(view)
        self._feed.publish("account", view.id)

    def give_trial(self, account: str, now: float) -> None:
        """The half-open circuit of *account*, if it is that, has given out its one trial."""
        view = self.fleet.get(account)
        if view is None or view.circuit == "closed" or view.circuit_closed_to(now):
            return
        self.fleet.put(replace(view, trial_until=now + BreakerRules().trial_timeout))
        self.rooms.tell(account, Trial())


def _entry_of(candidate: Candidate) -> Entry:
    return Entry(candidate.id, candidate.provider.lower(), listed=False, api_key=candidate.api_key)
