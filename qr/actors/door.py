"""The supervisor's only door: its mailbox, and the way to ask it for a pick."""

from collections.abc import Callable

from qr.actors.mailbox import Mailbox, Reply
from qr.actors.messages import Pick, SupervisorMessage
from qr.routing.decision import Decision
from qr.routing.question import Question

__all__ = ["CAPACITY", "Door"]

# At some hundred microseconds for each message this is at most 50 ms of waiting, well below a pick's
# deadline; whoever finds the mailbox full is answered at once instead.
CAPACITY = 512


class Door:
    """Outlives the supervisors behind it; while there is none, a pick is answered "not handled" at once."""

    def __init__(self) -> None:
        self.mailbox = Mailbox[SupervisorMessage](CAPACITY)
        self.open = False
        """A supervisor is behind the door, taking messages."""
        self.unanswered = 0
        """Picks that nobody decided: no supervisor, or a full mailbox."""

    def ask(self, question: Question, give: Callable[[Decision | None], None]) -> None:
        """
        Have *give* called once: with the decision, or with None when there is none to be had.

        That may be before this returns. It needs no deadline: the supervisor answers every pick that it takes
        out, `close` answers those that wait when it dies, and the mailbox's capacity bounds the time until
        either. The library has a deadline for whatever else may happen.

        Args:
            question: what the host asks.
            give: called in the supervisor's turn, so it must neither wait nor raise.

        """
        if not self.open or not self.mailbox.post(Pick(question, give)):
            self.unanswered += 1
            give(None)

    async def pick(self, question: Question) -> Decision | None:
        """The decision for *question*, as in `ask`. Never raises but for cancellation."""
        reply = Reply[Decision]()
        self.ask(question, reply.give)
        return await reply.wait()

    def tell(self, message: SupervisorMessage) -> bool:
        """Leave *message*; False when there was no room."""
        return self.mailbox.post(message)

    def close(self) -> None:
        """No supervisor any more: whoever waits for a pick learns it now; all other messages wait on."""
        self.open = False
        for message in self.mailbox.drain():
            if isinstance(message, Pick):
                self.unanswered += 1
                message.give(None)
            else:
                self.mailbox.post(message)
