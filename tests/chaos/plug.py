"""The library as the host of a storm has it: exchanged while calls are under way."""

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from attrs import define, field

from tests.abi.host import PATIENCE, Host

__all__ = ["Plug"]

NOBODY: Mapping[str, Any] = {"Handled": False}

# Seconds. Unloading waits for the library's thread, which may be connecting or asking.
QUICK = 1.0


def _sockets() -> set[str]:
    """Those that this process has open; the pipes to a service come and go with it."""
    found = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.add(str(descriptor.readlink()))
    return {name for name in found if name.startswith("socket:")}


@define(eq=False)
class Plug:
    """In the place of the one library that a host has loaded."""

    loaded: Host | None
    """None: none is loaded at the moment, and the host picks."""
    other: Path
    """A second copy: one file cannot be loaded twice."""
    schema: int
    config: str = ""
    _calls: Counter[Host] = field(factory=Counter)
    _over: threading.Condition = field(factory=threading.Condition)
    _before: set[str] = field(factory=_sockets)
    """Sockets from before any library had connected."""

    def pick(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        with self._call() as loaded:
            return loaded.pick(request) if loaded else NOBODY

    def call(self, method: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        with self._call() as loaded:
            return loaded.call(method, body) if loaded else {"ok": True}

    def reconfigure(self, schema: int, config: str) -> Mapping[str, Any]:
        self.schema, self.config = schema, config
        with self._call() as loaded:
            assert loaded is not None
            return loaded.reconfigure(schema, config)

    @contextmanager
    def _call(self) -> Iterator[Host | None]:
        with self._over:
            loaded = self.loaded
            if loaded is not None:
                self._calls[loaded] += 1
        try:
            yield loaded
        finally:
            if loaded is not None:
                self._ends(loaded)

    def _ends(self, loaded: Host) -> None:
        with self._over:
            self._calls[loaded] -= 1
            self._over.notify_all()

    def exchange(self, *, beside: bool) -> None:
        """Load the other copy; *beside* the one that is there, as in a hot reload, or after it is gone."""
        old = self.loaded
        assert old is not None
        if beside:
            self.loaded = self._load(old)
            old.call("plugin.quiesce")
            self._unload(old, alone=False)
        else:
            self.loaded = None
            self._unload(old, alone=True)
            self.loaded = self._load(old)
        self.other = old.library

    def _load(self, old: Host) -> Host:
        new = Host(self.other, old.callbacks, watch_descriptors=False).__enter__()
        new.register(self.schema, self.config)
        return new

    def _unload(self, old: Host, *, alone: bool) -> None:
        with self._over:
            assert self._over.wait_for(lambda: not self._calls[old], PATIENCE)
            del self._calls[old]
        assert old.unload() < QUICK
        old.verify(alone=alone)
        assert not alone or _sockets() <= self._before

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.loaded is not None:
            self.loaded.__exit__(kind, error, trace)
        if kind is None:
            assert _sockets() <= self._before
