"""The host's own memory of refusals: who is not asked again for a while (contract, section 3.4)."""

from collections.abc import Iterable

from qr.lab.answers import Answer

__all__ = ["CoolDowns"]

# A refusal without a date: from a second, doubled each time, to half an hour.
FIRST_BACKOFF, LONGEST_BACKOFF = 1.0, 1800.0

# What the host does with an account after these, in seconds.
UNAUTHORISED, BUSY = 1800.0, 60.0


class CoolDowns:
    """Per account and model, as the host keeps them: they end by time or by success, never by evidence."""

    def __init__(self) -> None:
        self._until: dict[tuple[str, str], float] = {}
        self._refusals: dict[tuple[str, str], int] = {}

    def cooling(self, account: str, model: str, now: float) -> bool:
        return self._until.get((account, model), 0.0) > now

    def earliest_end(self, accounts: Iterable[str], model: str, now: float) -> float | None:
        """When the first of *accounts* may be asked again; None: none of them is cooling."""
        ends = [until for account in accounts if (until := self._until.get((account, model), 0.0)) > now]
        return min(ends, default=None)

    def note(self, account: str, model: str, answer: Answer, resets_in: float | None, now: float) -> None:
        """
        What *answer* means for the next requests of *model*.

        Args:
            resets_in: seconds that the body of a refusal told; None: it told none.

        """
        key = account, model
        if answer.served:
            self._until.pop(key, None)
            self._refusals.pop(key, None)
        elif answer.status == 429:
            self._refusals[key] = self._refusals.get(key, 0) + 1
            backoff = min(FIRST_BACKOFF * 2.0 ** (self._refusals[key] - 1), LONGEST_BACKOFF)
            self._until[key] = now + (resets_in or backoff)
        elif answer.status in (401, 402, 403):
            self._until[key] = now + UNAUTHORISED
        elif answer.status == 408 or answer.status >= 500:
            self._until[key] = now + BUSY

    def reset(self, account: str) -> list[str]:
        """Forget the account's cool-downs; returns the models."""
        models = [model for known, model in self._until if known == account]
        for model in models:
            self._until.pop((account, model))
            self._refusals.pop((account, model), None)
        return models

    def end(self, account: str) -> float | None:
        """The latest end among the account's models, epoch seconds."""
        return max((until for (known, _), until in self._until.items() if known == account), default=None)
