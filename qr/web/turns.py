"""How pages leave picks their way: what takes long is done in short turns."""

import os
from collections.abc import AsyncIterator, Callable, Iterable
from time import perf_counter
from typing import TypeVar

import trio

__all__ = ["give_way", "unhurried"]

T = TypeVar("T")
U = TypeVar("U")

# Seconds of work, after which picks get their turn: they wait for no page noticeably.
TURN = 0.0005


async def give_way() -> None:
    """
    Let picks have their turn, then give the processor to whoever has just been answered.

    A kernel supposes that who writes an answer will sleep soon, and often lets the reader wait for that very
    processor, while another one is idle.
    """
    await trio.lowlevel.checkpoint()
    os.sched_yield()


async def unhurried(things: Iterable[T], render: Callable[[T], U]) -> AsyncIterator[U]:
    """Each of *things* rendered, with pauses for others."""
    began = perf_counter()
    for thing in things:
        yield render(thing)
        if perf_counter() - began > TURN:
            await give_way()
            began = perf_counter()
