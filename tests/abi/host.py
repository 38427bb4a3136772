"""A host for the plugin library, as faithful as one can be without being the host (contract, section 10).

It loads the library like the host, gives it requests that are exactly as long as they say and unreadable
once the call is over, copies each answer before it frees it, calls from any thread, may abandon a call, and
when it unloads it waits for calls under way and then looks for what the library left behind: threads,
descriptors, memory of the host, the mapping itself.

    with Host(library, {"host.auth.list": lambda body: b'{"ok":true,"result":{"files":[]}}'}) as host:
        host.register(schema=6, config="mode: active\n")
        assert host.pick(request)["Handled"]
"""

import base64
import contextlib
import ctypes
import json
import mmap
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from qr.abi.loading import Plugin

__all__ = ["Host", "eventually"]

Body = Mapping[str, Any] | bytes | None
_Result = TypeVar("_Result")

PATIENCE = 5.0  # seconds for what must happen soon; nothing waits that long unless it fails
QUARANTINE = 4096  # requests that stay unreadable in memory; older ones are unmapped, to bound the mappings


def eventually(holds: Callable[[], _Result], within: float = PATIENCE) -> _Result:
    """What *holds* returns once it is true; fails when it is not within *within* seconds."""
    end = time.monotonic() + within
    while not (result := holds()):
        assert time.monotonic() < end, f"not true within {within:g} s"
        time.sleep(0.002)
    return result


class Host:
    """One loaded plugin; leaving the context unloads it, and fails if a host would not have survived it."""

    def __init__(
        self,
        library: Path,
        callbacks: Mapping[str, Callable[[bytes], bytes | None]] | None = None,
        *,
        watch_descriptors: bool = True,
    ) -> None:
        """*watch_descriptors* off where the test itself opens some meanwhile, as a service in its process."""
        self.library = library
        self.callbacks = dict(callbacks or {})
        self.called: list[tuple[str, bytes]] = []
        """The host callbacks that the plugin made, in order."""
        self._watch_descriptors = watch_descriptors
        self._abandoned: list[threading.Thread] = []
        self._requests: deque[_Request] = deque()

    def __enter__(self) -> Self:
        self._threads, self._descriptors = _threads(), _descriptors()
        self._plugin = Plugin(self.library, self._answer)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.unload()
        if kind is None:
            self.verify()

    def _answer(self, method: str, body: bytes) -> bytes | None:
        self.called.append((method, body))
        answer = self.callbacks.get(method)
        if answer is not None:
            return answer(body)
        return b'{"ok":false,"error":{"code":"host_call_failed","message":"unsupported host callback"}}'

    def answer(self, method: str | None, body: Body = None) -> bytes:
        """The plugin's answer, as bytes; the return code is 0, or this fails."""
        request = _Request(_encoded(body))
        code, answer = self._plugin.call_at(method, request.address, request.length)
        request.forbid()
        self._requests.append(request)
        if len(self._requests) > QUARANTINE:
            self._requests.popleft().release()
        assert code == 0
        assert answer is not None, f"{method} was answered with no memory"
        return answer

    def call(self, method: str, body: Body = None) -> dict[str, Any]:
        """The plugin's answer as the envelope it must be."""
        envelope = json.loads(self.answer(method, body))
        assert isinstance(envelope, dict)
        assert envelope["ok"] is ("error" not in envelope)
        return envelope

    def register(
        self, schema: int | None = 6, config: str = "", method: str = "plugin.register"
    ) -> dict[str, Any]:
        """The plugin's registration (`result`); *schema* None leaves it out."""
        body: dict[str, Any] = {"config_yaml": base64.b64encode(config.encode()).decode()}
        if schema is not None:
            body["schema_version"] = schema
        result = self.call(method, body)["result"]
        assert isinstance(result, dict)
        return result

    def reconfigure(self, schema: int | None = 6, config: str = "") -> dict[str, Any]:
        """What the host does whenever its configuration is applied."""
        return self.register(schema, config, "plugin.reconfigure")

    def pick(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer (`result`) to a pick; anything but a success fails, as it fails a client's request."""
        envelope = self.call("scheduler.pick", request)
        assert envelope["ok"] is True
        result = envelope["result"]
        assert isinstance(result, dict)
        return result

    def many(self, calls: int, call: Callable[[int], _Result]) -> list[_Result]:
        """*call* with 0, 1, …, each on a thread of its own, all at once."""
        start = threading.Barrier(calls)

        def run(number: int) -> _Result:
            start.wait(PATIENCE)
            return call(number)

        with ThreadPoolExecutor(calls) as pool:
            return list(pool.map(run, range(calls)))

    def abandon(self, method: str, body: Body = None) -> threading.Thread:
        """A call whose client has left: it goes on on its thread, and its answer is ignored."""
        thread = threading.Thread(target=self.answer, args=(method, body))
        thread.start()
        self._abandoned.append(thread)
        return thread

    def unload(self) -> float:
        """Wait for calls under way, shut down, unload; the seconds that shutting down took."""
        for thread in self._abandoned:
            thread.join()
        began = time.monotonic()
        self._plugin.close()
        took = time.monotonic() - began
        for request in self._requests:
            request.release()
        self._requests.clear()
        return took

    def verify(self, *, alone: bool = True) -> None:
        """
        Nothing of the library is left, and it never did what a host would not survive.

        Threads and descriptors are looked at only when it was *alone*: no other copy is loaded.
        """
        assert self._plugin.faults == []
        assert self._plugin.outstanding == set(), "answers of the host that were never freed"
        assert str(self.library.resolve()) not in Path("/proc/self/maps").read_text(), "still mapped"
        if alone:
            eventually(lambda: _threads() <= self._threads)
        if alone and self._watch_descriptors:
            assert _descriptors() <= self._descriptors


_libc = ctypes.CDLL(None)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


class _Request:
    """A request's bytes, at the very end of readable memory."""

    def __init__(self, body: bytes | None) -> None:
        self.length = len(body or b"")
        self.address: int | None = None
        if body is None:
            return
        pages = -(-max(self.length, 1) // mmap.PAGESIZE) * mmap.PAGESIZE
        self._size = pages + mmap.PAGESIZE
        self._start: int = _libc.mmap(
            None, self._size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0
        )
        self.address = self._start + pages - self.length
        ctypes.memmove(self.address, body, self.length)
        assert _libc.mprotect(self._start, pages, mmap.PROT_READ) == 0
        assert _libc.mprotect(self._start + pages, mmap.PAGESIZE, 0) == 0

    def forbid(self) -> None:
        if self.address is not None:
            assert _libc.mprotect(self._start, self._size, 0) == 0

    def release(self) -> None:
        if self.address is not None:
            assert _libc.munmap(self._start, self._size) == 0


def _encoded(body: Body) -> bytes | None:
    return body if body is None or isinstance(body, bytes) else json.dumps(body).encode()


def _threads() -> set[int]:
    """The threads of this process that Python did not start."""
    ours = {thread.native_id for thread in threading.enumerate()}
    return {int(task.name) for task in Path("/proc/self/task").iterdir()} - ours


def _descriptors() -> set[tuple[int, str]]:
    """Sockets, pipes and files that are open; the numbers alone are reused."""
    found = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        # One of them is that of the listing itself, and gone by now.
        with contextlib.suppress(FileNotFoundError):
            found.add((int(descriptor.name), str(descriptor.readlink())))
    return found
