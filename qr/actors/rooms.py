"""The account actors that a supervisor runs: started, watched, restarted, stopped."""

import random

import trio
from attrs import define, evolve, field

from qr.actors.account import CAPACITY, AccountActor, Surroundings
from qr.actors.account_state import AccountState
from qr.actors.lives import Life, keep_alive
from qr.actors.mailbox import Mailbox
from qr.actors.messages import AccountMessage
from qr.routing.account import AccountView
from qr.routing.sessions import fingerprint

__all__ = ["Mailboxes", "Room", "Rooms"]

Mailboxes = dict[str, Mailbox[AccountMessage]]
"""By account id. They outlive the supervisor too: what it has passed on is taken in, whoever dies."""


@define(eq=False)
class Room:
    """One account's actor, alive or between two lives."""

    state: AccountState
    """As the actor told it last, whether anybody has listened or not."""
    mailbox: Mailbox[AccountMessage] = field(factory=lambda: Mailbox(CAPACITY))
    life: Life = field(init=False)
    scope: trio.CancelScope = field(factory=trio.CancelScope)
    """Cancelled when the account is gone."""

    def __attrs_post_init__(self) -> None:
        self.life = Life(f"account {fingerprint(self.state.id)}")


class Rooms:
    """By account id."""

    def __init__(self, nursery: trio.Nursery, around: Surroundings, seed: int, mailboxes: Mailboxes) -> None:
        self._nursery = nursery
        self._mailboxes = mailboxes
        self._around = around
        self._seed = seed
        self._rooms: dict[str, Room] = {}

    def __contains__(self, account: str) -> bool:
        return account in self._rooms

    def __len__(self) -> int:
        return len(self._rooms)

    def get(self, account: str) -> Room | None:
        return self._rooms.get(account)

    def open(self, state: AccountState) -> None:
        """Start an actor for the account, from *state*."""
        mailbox = self._mailboxes.setdefault(state.id, Mailbox(CAPACITY))
        room = self._rooms[state.id] = Room(state, mailbox)
        self._nursery.start_soon(self._keep_alive, room, name=room.life.name)

    def close(self, account: str) -> None:
        room = self._rooms.pop(account, None)
        self._mailboxes.pop(account, None)
        if room is not None:
            room.scope.cancel()

    def tell(self, account: str, message: AccountMessage) -> bool:
        """Leave *message* for the account; False: there is no such account, or its mailbox is full."""
        room = self._rooms.get(account)
        return room is not None and room.mailbox.post(message)

    def tell_all(self, message: AccountMessage, provider: str | None = None) -> None:
        """Leave *message* for every account, or for those of *provider*."""
        for account, room in self._rooms.items():
            if provider in (None, room.state.entry.provider):
                self.tell(account, message)

    async def _keep_alive(self, room: Room) -> None:
        with room.scope:
            await keep_alive(room.life, lambda: self._actor(room).run)

    def _actor(self, room: Room) -> AccountActor:
        """The next actor for *room*, from what the last one made known."""

        def publish(view: AccountView, state: AccountState) -> None:
            # Whoever is closed in the turn in which it has a message still takes that in.
            if self._rooms.get(view.id) is room:
                room.state = state
                self._around.publish(view, state)

        chance = random.Random(f"{self._seed} {room.state.id} {room.life.restarts}")  # noqa: S311 - no secret
        return AccountActor(room.state, room.mailbox, evolve(self._around, publish=publish), chance)
