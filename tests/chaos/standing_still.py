"""A clock that stands still while anybody has something to do, and then jumps to the next thing."""

import trio
from trio.testing import MockClock, wait_all_tasks_blocked

__all__ = ["passes", "quiet"]


async def passes(seconds: float, clock: MockClock) -> None:
    """So much time passes, and everything that is to happen meanwhile happens in its order."""
    end = trio.current_time() + seconds
    while True:
        await quiet()
        left = end - trio.current_time()
        next_one = trio.lowlevel.current_statistics().seconds_to_next_deadline
        clock.jump(max(0.0, min(left, next_one)))
        if next_one >= left:
            return await quiet()


async def quiet() -> None:
    """Nobody has anything to do now, no thread either: a write takes real time, and none of this clock."""
    limiter = trio.to_thread.current_default_thread_limiter()
    await wait_all_tasks_blocked()
    while limiter.borrowed_tokens:
        await trio.lowlevel.checkpoint()
        if not limiter.borrowed_tokens:
            await wait_all_tasks_blocked()
