"""What actors tell each other: facts, and the few requests of an operator."""

from collections.abc import Callable, Sequence

import msgspec

from qr.actors.account_state import Entry
from qr.actors.backoff import Brake
from qr.actors.mailbox import Reply
from qr.actors.reports import Report
from qr.quota.readings import Observation
from qr.routing.bindings import Binding
from qr.routing.decision import Decision
from qr.routing.question import Question
from qr.settings import Settings
from qr.upstream.results import PollResult

__all__ = [
    "AccountMessage",
    "Apply",
    "Braked",
    "Freed",
    "Listing",
    "Observe",
    "Pause",
    "Pick",
    "Polled",
    "Refresh",
    "Refreshing",
    "Report",
    "Restore",
    "Step",
    "SupervisorMessage",
    "Throttle",
    "Trial",
    "Unbind",
    "Wake",
]


class Pick:
    """Which account serves this? Answered with None when there is nobody to decide."""

    __slots__ = ("_give", "question")

    def __init__(self, question: Question, give: Callable[[Decision | None], None]) -> None:
        """
        Args:
            question: what is asked.
            give: takes the answer at once, in the supervisor's turn; it must not raise.

        """
        self.question = question
        self._give = give

    def give(self, decision: Decision | None) -> None:
        """Answer; only the first answer counts."""
        give, self._give = self._give, _answered
        give(decision)


def _answered(decision: Decision | None) -> None:
    """For a pick that has its answer."""


class Listing(msgspec.Struct, frozen=True, gc=False):
    """The host's directory of accounts, whole."""

    entries: Sequence[Entry]


class Observe(msgspec.Struct, frozen=True, gc=False):
    """What a poll of *account* brought, or a simulation of one."""

    account: str
    observation: Observation


class Pause(msgspec.Struct, frozen=True, gc=False):
    """An operator takes an account out of service, or back in."""

    account: str
    on: bool


class Unbind(msgspec.Struct, frozen=True, eq=False):
    """An operator forgets a session's binding; answered with whether there was one."""

    provider: str
    key: str
    reply: Reply[bool] = msgspec.field(default_factory=Reply)


class Restore(msgspec.Struct, frozen=True, eq=False):
    """An operator takes an unbinding back; answered with whether the session had no other binding yet."""

    provider: str
    key: str
    binding: Binding
    reply: Reply[bool] = msgspec.field(default_factory=Reply)


class Apply(msgspec.Struct, frozen=True, gc=False):
    """These settings are in force now."""

    settings: Settings


class Step(msgspec.Struct, frozen=True, gc=False):
    """The machine's clock jumped by so many seconds."""

    seconds: float


class Polled(msgspec.Struct, frozen=True, gc=False):
    """How a poll of the account ended."""

    result: PollResult


class Throttle(msgspec.Struct, frozen=True, gc=False):
    """A usage endpoint of *provider* said 429 (on), or answers again (off)."""

    provider: str
    on: bool


class Braked(msgspec.Struct, frozen=True, gc=False):
    """All polls of the account's provider wait."""

    brake: Brake


class Freed(msgspec.Struct, frozen=True, gc=False):
    """A reading proved that what made the host cool the account down is over."""

    account: str
    auth_index: str


class Refreshing(msgspec.Struct, frozen=True, gc=False):
    """What became of the wish for a poll."""

    started: bool
    possible_at: float
    """Epoch second from which another one is possible."""
    refused: str | None = None
    """Why the account is not polled at all."""


class Refresh(msgspec.Struct, frozen=True, eq=False):
    """An operator wants the account polled now; answered with None when there is no such account."""

    account: str
    reply: Reply[Refreshing] = msgspec.field(default_factory=Reply)


class Trial(msgspec.Struct, frozen=True, gc=False):
    """The account's half-open circuit has given out its one trial request."""


class Wake(msgspec.Struct, frozen=True, gc=False):
    """An account has changed: the noticeboard has news."""


AccountMessage = Report | Entry | Observe | Polled | Pause | Refresh | Apply | Step | Trial | Braked
SupervisorMessage = (
    Freed
    | Refresh
    | Throttle
    | Pick
    | Report
    | Listing
    | Observe
    | Pause
    | Unbind
    | Restore
    | Apply
    | Step
    | Wake
)
