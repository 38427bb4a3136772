"""What the providers send along with an answer, told in percent and seconds."""

from collections.abc import Mapping

__all__ = ["DAY", "HOUR", "claude", "codex"]

HOUR = 3600.0
DAY = 24 * HOUR

NAMES = {"five": "5h", "week": "7d", "fable": "7d_oi"}
LENGTHS = {"five": 300, "week": 10080}

Headers = Mapping[str, list[str]]


def claude(now: float, **told: float | str) -> Headers:
    """
    Claude's headers: `five=20, week=40` are percents, `week_resets` are seconds from *now*, `week_status` is
    the status. Unless told, five hours reset in 2 h, a week in 2 d, and are `allowed`; a window that is not
    named is not sent.
    """
    headers = {}
    for window, name in NAMES.items():
        if window in told:
            resets = told.get(f"{window}_resets", 2 * HOUR if window == "five" else 2 * DAY)
            headers[f"{name}-Utilization"] = float(told[window]) / 100
            headers[f"{name}-Reset"] = int(now + float(resets))
            headers[f"{name}-Status"] = told.get(f"{window}_status", "allowed")
    return {f"Anthropic-Ratelimit-Unified-{name}": [str(value)] for name, value in headers.items()}


def codex(now: float, **told: float | str) -> Headers:
    """Codex's headers, in the same words; it gives no window a status."""
    headers = {}
    for position, window in zip(
        ("Primary", "Secondary"), [one for one in LENGTHS if one in told], strict=False
    ):
        resets = told.get(f"{window}_resets", 2 * HOUR if window == "five" else 2 * DAY)
        headers[f"{position}-Used-Percent"] = told[window]
        headers[f"{position}-Window-Minutes"] = LENGTHS[window]
        headers[f"{position}-Reset-At"] = int(now + float(resets))
    return {f"X-Codex-{name}": [str(value)] for name, value in headers.items()}
