"""The service as a process: one house, until a signal."""

import gc
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable

import structlog
import trio

from qr.system import SHUTDOWN, House, Run

__all__ = ["Extra", "begin", "run_until_signal"]

# Python hands the processor from one thread to another this often, in seconds: the default of 5 ms would add
# that much to a pick whenever a thread encodes or writes.
SWITCH_INTERVAL = 0.0005

# Seconds from the start on in which the accounts come to life. The collector would need 25 ms to walk a
# thousand of them, and no pick is answered meanwhile.
SETTLED = 5.0

Extra = tuple[str, Callable[[], Run]]

log = structlog.get_logger(__name__)


def begin() -> None:
    """To be called before anything is built: until all of it has settled, a collector would find little."""
    gc.disable()


async def run_until_signal(
    house: House,
    listening: socket.socket,
    *extras: Extra,
    started: Callable[[], None] = lambda: None,
    seconds: float | None = None,
) -> None:
    """
    Live until SIGINT or SIGTERM, then take the house down under a deadline.

    Args:
        house: what lives.
        listening: the library's socket.
        extras: further actors, such as the web.
        started: called when picks can be answered.
        seconds: end by itself after so long; None: never.

    """
    sys.setswitchinterval(SWITCH_INTERVAL)
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            await nursery.start(house.run, listening, *extras)
            started()
            with trio.move_on_after(float("inf") if seconds is None else seconds):
                await _signalled(aiter(signals))
            nursery.cancel_scope.deadline = trio.current_time() + SHUTDOWN
            nursery.cancel_scope.cancel()
    log.info("stopped")


async def _signalled(signals: AsyncIterator[int]) -> None:
    """Wait for one; what start-up made is settled on the way, once the accounts live."""
    with trio.move_on_after(SETTLED):
        await anext(signals)
        return
    _settle_memory()
    await anext(signals)


def _settle_memory() -> None:
    """What start-up made stays for good, the little garbage in it too: later collections need not walk it."""
    gc.freeze()
    gc.enable()
