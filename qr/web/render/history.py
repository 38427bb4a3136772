"""Quota over time: one window's use in columns, a gap where nobody looked."""

from collections.abc import Iterable, Iterator

from qr.quota.history import COARSE, Sample
from qr.quota.history import Series as Kept
from qr.quota.windows import remaining_percent
from qr.routing.sessions import fingerprint
from qr.web.render.decisions import Names
from qr.web.render.words import window_title
from qr.web.shapes.accounts import Refusal, Reset, Series

__all__ = ["series_shape"]

# A line is not drawn over a longer time without a reading, in seconds: samples are at most an hour apart
# where a service runs and looks.
GAP = 3 * COARSE


def series_shape(account: str, window: str, kept: Kept, names: Names, *, columns: bool) -> Series:
    """
    One window of one account.

    Args:
        account: its id.
        window: its name.
        kept: what was recorded.
        names: what accounts are called now.
        columns: with samples and events; without them it only says that the series is there.

    """
    points = list(_points(kept.samples)) if columns else []
    return Series(
        account=account,
        account_fingerprint=fingerprint(account),
        account_label=names.label(account),
        window=window,
        title=window_title(window),
        at=[at for at, _ in points],
        used_percent=[used for _, used in points],
        resets=[_reset(reset.at, reset.used_percent) for reset in kept.resets] if columns else [],
        refusals=[Refusal(refused.at) for refused in kept.refusals] if columns else [],
    )


def _points(samples: Iterable[Sample]) -> Iterator[tuple[float, float | None]]:
    before: Sample | None = None
    for sample in samples:
        if before is not None and sample.at - before.at > GAP:
            yield (before.at + sample.at) / 2, None
        yield sample.at, sample.used_percent
        before = sample


def _reset(at: float, used_percent: float) -> Reset:
    return Reset(at, used_percent, remaining_percent(used_percent))
