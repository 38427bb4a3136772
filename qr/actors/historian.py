"""The use of all windows over time, as the supervisor keeps it."""

from qr.actors.image import Key
from qr.actors.journal import Journal
from qr.quota.history import Series, recorded
from qr.quota.windows import Windows

__all__ = ["Historian"]

NOTHING = Series()


class Historian:
    """Series by account and window; written to the journal when an interval has passed."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._series: dict[Key, Series] = journal.history

    def observed(self, account: str, before: Windows, after: Windows, *, reset_jitter: float) -> None:
        """The account's windows are believed to be *after*, where they were *before*."""
        for name, window in after.items():
            known = before.get(name)
            if known != window:
                series = self._series.get((account, name), NOTHING)
                longer = recorded(series, known, window, reset_jitter=reset_jitter)
                if longer is not series:
                    self._record((account, name), longer)

    def _record(self, key: Key, series: Series | None) -> None:
        if series is None:
            del self._series[key]
        else:
            self._series[key] = series
        self._journal.series(key, series)

    def forget(self, account: str) -> None:
        for key in [key for key in self._series if key[0] == account]:
            self._record(key, None)

    def began_at(self, account: str, window: str) -> float | None:
        """When the window last began anew, as far as that was seen (epoch seconds)."""
        known = self._series.get((account, window))
        return float(known.resets[-1].at) if known is not None and known.resets else None

    def series(self) -> dict[Key, Series]:
        """All of them, as they are now."""
        return dict(self._series)
