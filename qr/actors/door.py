"""The supervisor's only door: its mailbox, and the way to ask it for a pick."""

from qr.actors.mailbox import Mailbox
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
        """Picks that nobody decided: no supervisor, a full mailbox, a deadline."""

    async def pick(self, question: Question) -> Decision | None:
        """
        The decision for *question*; None when there is none to be had.

        It needs no deadline of its own, and one would cost a tenth of a pick: the supervisor answers every
        pick that it takes out, `close` answers those that wait when it dies, and the mailbox's capacity
        bounds the time until either. The library has a deadline for whatever else may happen.

        Never raises but for cancellation.
        """
        pick = Pick(question)
        if not self.open or not self.mailbox.post(pick):
            self.unanswered += 1
            return None
        decision = await pick.reply.wait()
        if decision is None:
            self.unanswered += 1
        return decision

    def tell(self, message: SupervisorMessage) -> bool:
        """Leave *message*; False when there was no room."""
        return self.mailbox.post(message)

    def close(self) -> None:
        """No supervisor any more: whoever waits for a pick learns it now; all other messages wait on."""
        self.open = False
        for message in self.mailbox.drain():
            if isinstance(message, Pick):
                message.reply.give(None)
            else:
                self.mailbox.post(message)
