"""The supervisor's only door: its mailbox, and the way to ask it for a pick."""

import trio

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

    async def pick(self, question: Question, patience: float) -> Decision | None:
        """
        The decision for *question*; None, within *patience* seconds, when there is none to be had.

        Never raises but for cancellation.
        """
        pick = Pick(question)
        decision = None
        if self.open and self.mailbox.post(pick):
            with trio.move_on_after(patience):
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
