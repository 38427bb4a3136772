"""What actors tell each other: facts, and the few requests of an operator."""

from collections.abc import Callable, Sequence

from attrs import field, frozen

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


@frozen
class Listing:
    """The host's directory of accounts, whole."""

    entries: Sequence[Entry]


@frozen
class Observe:
    """What a poll of *account* brought, or a simulation of one."""

    account: str
    observation: Observation


@frozen
class Pause:
    """An operator takes an account out of service, or back in."""

    account: str
    on: bool


@frozen(eq=False)
class Unbind:
    """An operator forgets a session's binding; answered with whether there was one."""

    provider: str
    key: str
    reply: Reply[bool] = field(factory=Reply)


@frozen(eq=False)
class Restore:
    """An operator takes an unbinding back; answered with whether the session had no other binding yet."""

    provider: str
    key: str
    binding: Binding
    reply: Reply[bool] = field(factory=Reply)


@frozen
class Apply:
    """These settings are in force now."""

    settings: Settings


@frozen
class Step:
    """The machine's clock jumped by so many seconds."""

    seconds: float


@frozen
class Polled:
    """How a poll of the account ended."""

    result: PollResult


@frozen
class Throttle:
    """A usage endpoint of *provider* said 429 (on), or answers again (off)."""

    provider: str
    on: bool


@frozen
class Braked:
    """All polls of the account's provider wait."""

    brake: Brake


@frozen
class Freed:
    """A reading proved that what made the host cool the account down is over."""

    account: str
    auth_index: str


@frozen
class Refreshing:
    """What became of the wish for a poll."""

    started: bool
    possible_at: float
    """Epoch second from which another one is possible."""
    refused: str | None = None
    """Why the account is not polled at all."""


@frozen(eq=False)
class Refresh:
    """An operator wants the account polled now; answered with None when there is no such account."""

    account: str
    reply: Reply[Refreshing] = field(factory=Reply)


@frozen
class Trial:
    """The account's half-open circuit has given out its one trial request."""


@frozen
class Wake:
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
