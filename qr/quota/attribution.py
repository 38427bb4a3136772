"""Which window a refusal means that names none."""

from qr.quota.windows import LENGTHS, SAME_RESET, Windows, long_window

__all__ = ["attributed_window"]


def attributed_window(until: float | None, windows: Windows, now: float) -> str | None:
    """
    The window that refuses until *until* (epoch seconds), judged by its reset; None when nothing tells.

    A known window with that reset is the one. Else a refusal that lasts longer than five hours cannot be of
    the five-hour window, and a shorter one is unless the account has no such window.
    """
    if until is None or until <= now:
        return None
    for name, window in windows.items():
        if window.resets_at is not None and abs(window.resets_at - until) <= SAME_RESET:
            return name
    long = long_window(windows)
    short = until - now <= LENGTHS["five_hour"] + SAME_RESET
    if short and ("five_hour" in windows or long is None):
        return "five_hour"
    return long.name if long else "weekly"
