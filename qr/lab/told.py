"""What the providers' answers told of each window, and whether a view says any more than that."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping

import msgspec
from attrs import define, field

from qr.clock import CHECK_INTERVAL
from qr.lab.host import LATEST_RECORD
from qr.lab.machine import MachineClock
from qr.lab.meters import Meter
from qr.lab.provider import FIRST_BYTE, Pace
from qr.quota.windows import Window
from qr.routing.account import AccountView

__all__ = ["Told"]

# What the provider showed of a window is remembered for so many answers: the records of an account's busiest
# minute may still be on their way.
SHOWN = 512

# Percents are told in whole numbers, or in two decimals of a fraction.
ROUNDING = 1.0

# Claude's resets wobble by two seconds; Codex' may be told ten minutes off (evidence, section 7.1).
RESET_OFF = {"claude": 2.0, "codex": 601.0}

# A headers' observation is as old as their arrival, the state behind them as the request's.
HEADERS_LATER = Pace().served[1] * FIRST_BYTE + 1.0

# A request's answer, its record's way, and the time until a step of the clock is noticed.
SPANNING = Pace().served[1] + LATEST_RECORD + CHECK_INTERVAL

# Times of a clock that was set differ by what floating point leaves, in seconds.
ROUNDED = 1e-3


class Shown(msgspec.Struct, frozen=True, gc=False):
    """What an answer told of a window."""

    at: float
    used_percent: float
    resets_at: float

    def is_in(self, view: AccountView, window: Window) -> bool:
        """Whether *window* says the same."""
        off = 0.0 if window.resets_at is None else abs(window.resets_at - self.resets_at)
        apart = abs(self.used_percent - (window.used_percent or 0.0))
        return off <= RESET_OFF[view.provider] and apart <= ROUNDING


@define(eq=False)
class Told:
    """By account and window, the newest last. All times are the world's."""

    machine: MachineClock
    """What the house goes by."""
    _shown: Mapping[tuple[str, str], deque[Shown]] = field(
        factory=lambda: defaultdict(lambda: deque(maxlen=SHOWN))
    )

    def add(self, account: str, meters: Iterable[Meter], now: float) -> None:
        """An answer told of these windows of *account*."""
        for meter in meters:
            resets_at = now + meter.length if meter.resets_at is None else meter.resets_at
            percent = min(100.0, 100.0 * meter.shown(now))
            self._shown[account, meter.limit.window].append(Shown(now, percent, resets_at))

    def holds(self, view: AccountView, window: Window) -> bool:
        """Whether it was told, when it is said to have been: none is newer than its evidence."""
        claimed = window.observed_at - self.machine.ahead
        for shown in reversed(self._shown[view.id, window.name]):
            if claimed - shown.at > SPANNING:
                return False
            if self._timely(shown, claimed) and shown.is_in(view, window):
                return True
        return False

    def _timely(self, shown: Shown, claimed: float) -> bool:
        """
        Whether what was shown may be what is claimed to have been seen at *claimed*.

        A step of the clock may make evidence older than it is. Of a request that it meets under way nobody
        knows when its headers came: they count as of the arrival of its record at the latest.
        """
        if self.machine.set_since(shown.at):
            return claimed - shown.at <= SPANNING
        return -ROUNDED <= claimed - shown.at <= HEADERS_LATER
