"""Life and death of actors: each lives in a scope of its own, dies alone, and another one follows."""

from collections.abc import Awaitable, Callable

import structlog
import trio
from attrs import define, field

__all__ = ["Life", "keep_alive", "restart_delay"]

# A dead actor comes back at once; one that keeps dying is given growing pauses, so that a bug costs neither
# the processor nor the log.
FIRST_DELAY, LONGEST_DELAY = 0.05, 30.0

# An actor that lived this long has recovered: its next death starts the delays anew.
RECOVERED = 60.0

log = structlog.get_logger(__name__)


def restart_delay(deaths: int) -> float:
    """Seconds to wait before an actor that died *deaths* times in a row is started again."""
    return 0.0 if deaths <= 1 else min(FIRST_DELAY * 2.0 ** min(deaths - 2, 32), LONGEST_DELAY)


@define(eq=False)
class Life:
    """An actor's place: alive, or between two lives."""

    name: str
    """For the log and the health page: never an account's id."""
    alive: bool = False
    restarts: int = 0
    last_death: str | None = None
    """`killed`, or the name of what it died of; None: it never died."""
    died_at: float | None = None
    """Trio's time."""
    _scope: trio.CancelScope = field(factory=trio.CancelScope, repr=False)

    def kill(self) -> None:
        """End the actor that lives now, as a chaos test or a bug would; another one follows."""
        self._scope.cancel()

    async def run(self, actor: Callable[[], Awaitable[None]]) -> None:
        """One life: it ends by being killed or by a bug, and is noted either way."""
        cause, self.alive = "killed", True
        with trio.CancelScope() as self._scope:
            try:
                await actor()
            except* Exception as error:  # noqa: BLE001 - whatever it is, another one follows
                # Also beside a cancellation: a bug at the moment of a kill must not go on to whoever kills.
                cause = _cause(error)
                log.error("actor died", actor=self.name, cause=cause)
            else:
                cause = "ended"
        self.alive = False
        self.restarts += 1
        self.last_death = cause
        self.died_at = trio.current_time()


def _cause(error: BaseException) -> str:
    """The names of what went wrong; a message could hold what must not be logged."""
    if isinstance(error, BaseExceptionGroup):
        return ", ".join(sorted({_cause(one) for one in error.exceptions}))
    return type(error).__name__


async def keep_alive(life: Life, born: Callable[[], Callable[[], Awaitable[None]]]) -> None:
    """
    Have an actor live in *life* until cancelled: whenever one dies, *born* makes the next.

    Args:
        life: its place.
        born: makes a new actor and returns its run.

    """
    deaths = 0
    while True:
        began = trio.current_time()
        await life.run(born())
        deaths = 1 if trio.current_time() - began > RECOVERED else deaths + 1
        await trio.sleep(restart_delay(deaths))
