"""What the web needs of the house: a view of `qr.system.House` from below it."""

from collections.abc import Mapping
from typing import Protocol

from qr.abi.bridge import Bridge
from qr.abi.calls import Calls, Pages
from qr.abi.hostlink import HostLink
from qr.actors.census import Census
from qr.actors.current import Current
from qr.actors.decisions import Decisions
from qr.actors.door import Door
from qr.actors.feed import Feed
from qr.actors.lives import Life
from qr.actors.recorder import Recorder
from qr.actors.supervisor import Supervisor
from qr.clock import Clock
from qr.settings import Settings
from qr.store import Store

__all__ = ["House"]


class House(Protocol):
    """Everything is read; what is changed goes through the door, or into the current settings."""

    pages: Pages | None

    @property
    def current(self) -> Current: ...
    @property
    def base(self) -> Settings: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def store(self) -> Store: ...
    @property
    def notices(self) -> list[str]: ...
    @property
    def door(self) -> Door: ...
    @property
    def feed(self) -> Feed: ...
    @property
    def decisions(self) -> Decisions: ...
    @property
    def link(self) -> HostLink: ...
    @property
    def calls(self) -> Calls: ...
    @property
    def lives(self) -> Mapping[str, Life]: ...
    @property
    def supervisor(self) -> Supervisor: ...
    @property
    def recorder(self) -> Recorder: ...
    @property
    def census(self) -> Census: ...
    @property
    def bridge(self) -> Bridge | None: ...
