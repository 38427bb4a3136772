"""What is said of each candidate of a decision, worked out when someone looks."""

from collections.abc import Iterator

from qr.routing.decision import Decision
from qr.routing.ranking import losses
from qr.routing.standing import Standing

__all__ = ["verdicts"]


def verdicts(decision: Decision) -> dict[str, str]:
    """
    One word for each candidate, and for the bound account when it was not offered.

    `chosen`, what stands against it (`exhausted:weekly`, `stale`, …), or the layer of the ranking in which it
    lost to the chosen one (`low_headroom`, `warned`, else `outranked`).
    """
    return dict(_verdicts(decision))


def _verdicts(decision: Decision) -> Iterator[tuple[str, str]]:
    chosen = decision.chosen
    lost = dict(_losses(decision))
    for contender in decision.pool:
        if chosen is not None and contender.id == chosen.account:
            yield contender.id, "chosen"
        else:
            yield contender.id, _against(contender.standing, lost.get(contender.id))
    if decision.home is not None:
        yield decision.home.account, (decision.home.trouble and decision.home.verdict) or "not_offered"


def _against(standing: Standing, lost: str | None) -> str:
    """What is not usable lost by that, also where a last resort ranked it."""
    return (standing.trouble and standing.verdict) or lost or standing.verdict or "outranked"


def _losses(decision: Decision) -> Iterator[tuple[str, str]]:
    for contender, word in losses(decision.ranked, decision.rules, decision.at):
        yield contender.id, word
