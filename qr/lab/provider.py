"""The simulated providers: subscriptions whose quota really drains and resets, and their answers.

A state machine without a clock: time (epoch seconds) is a parameter, and the same seed and questions give the
same answers.
"""

from collections.abc import Callable, Iterable, Mapping
from math import inf
from types import ModuleType

from attrs import frozen
from msgspec.structs import replace

from qr.lab import claude, codex
from qr.lab.answers import Answer
from qr.lab.chance import chance
from qr.lab.faults import FAULTS, FaultLevel, Faults
from qr.lab.meters import Meter
from qr.lab.plans import UNIT
from qr.lab.subscription import Account, Subscription
from qr.quota.windows import HOUR

__all__ = ["FIRST_BYTE", "Pace", "Provider"]

FACES: Mapping[str, ModuleType] = {"claude": claude, "codex": codex}

Told = Callable[[Subscription, Iterable[Meter], float], None]

# Of an answer's time passes before its headers come.
FIRST_BYTE = 0.1

EXPIRED = "OAuth token has expired. Please obtain a new token or refresh your existing token."
EDGE_PAGE = "<html><head><title>Just a moment...</title></head><body></body></html>"


@frozen
class Pace:
    """Seconds that an answer takes."""

    served: tuple[float, float] = (2.0, 25.0)
    refused: tuple[float, float] = (0.2, 0.8)


class Provider:
    """Both providers, and all accounts."""

    def __init__(
        self,
        accounts: Iterable[Account],
        *,
        now: float,
        seed: int = 0,
        faults: FaultLevel | Faults = "none",
        unit: float = UNIT,
        speed: float = 1.0,
        pace: Pace = Pace(),
    ) -> None:
        """
        Args:
            accounts: the subscriptions.
            now: epoch second of the beginning.
            seed: of all chance.
            faults: what goes wrong, and how often.
            unit: tokens in five hours of the smallest plan.
            speed: so many times faster than real ones the windows pass.
            pace: how long answers take.

        """
        self.faults = FAULTS[faults] if isinstance(faults, str) else faults
        self._pace = pace
        self.on_told: Told | None = None
        """Called with the windows of an account that an answer tells of, and when."""
        self.subscriptions = {
            account.id: Subscription(account, self.faults, chance(seed, account.id), now, unit, speed)
            for account in accounts
        }

    def serve(self, account: str, model: str, tokens: int, now: float) -> Answer:
        """The answer to an inference request that needs *tokens*; it counts if it is served."""
        known = self._at(account, now)
        refusal = self._refused(known, model, now)
        if refusal is not None:
            latency = known.chance.uniform(*self._pace.refused)
            return replace(refusal, latency=latency, first_byte=latency * FIRST_BYTE)
        return self._served(known, model, tokens, now)

    def usage(self, account: str, now: float) -> Answer:
        """The answer of the usage endpoint."""
        known = self._at(account, now)
        face = FACES[known.account.provider]
        if known.login == "revoked":
            return _revoked(known)
        if known.chance.random() < self.faults.unpollable:
            return _unpollable(known, face.usage_body(known, now))
        self._tell(known, known.meters.values(), now)
        return Answer(200, {"Content-Type": "application/json"}, face.usage_body(known, now))

    def changed(self, now: float) -> list[float]:
        """When each account's login was changed last, in the accounts' order."""
        return [self._at(account, now).changed_at for account in self.subscriptions]

    @property
    def unchanged_until(self) -> float:
        """No login changes before then (epoch seconds)."""
        return min((known.unchanged_until for known in self.subscriptions.values()), default=inf)

    def could_serve(self, account: str, model: str, now: float) -> bool:
        """Whether the account has room for *model* and a login: the truth, which no router knows."""
        return self._at(account, now).could_serve(model)

    def _tell(self, known: Subscription, meters: Iterable[Meter], now: float) -> None:
        if self.on_told is not None:
            self.on_told(known, meters, now)

    def _at(self, account: str, now: float) -> Subscription:
        known = self.subscriptions[account]
        known.advance(now)
        return known

    def _served(self, known: Subscription, model: str, tokens: int, now: float) -> Answer:
        """The headers leave before the request is counted."""
        known.start(model, now)
        headers = FACES[known.account.provider].headers(known, model, now)
        self._tell(known, known.applying(model), now)
        known.burn(model, tokens, now)
        latency = known.chance.uniform(*self._pace.served)
        return Answer(200, headers, "", tokens, latency, latency * FIRST_BYTE)

    def _refused(self, known: Subscription, model: str, now: float) -> Answer | None:
        if known.login == "revoked":
            return _revoked(known)
        if fault := self._fault(known):
            return fault
        if known.refusing(model):
            attributed = known.chance.random() >= self.faults.unattributed
            answer: Answer = FACES[known.account.provider].refusal(known, model, now, attributed=attributed)
            self._tell(known, known.applying(model), now)
            return replace(answer, cause="quota")
        return None

    def _fault(self, known: Subscription) -> Answer | None:
        """One draw decides which fault strikes, if any."""
        drawn, faults = known.chance.random(), self.faults
        for share, fault in (
            (faults.throttled, _throttled),
            (faults.overloaded, _overloaded),
            (faults.broken, _broken),
            (faults.expired, _expired),
        ):
            if drawn < share:
                return fault(known)
            drawn -= share
        return None


def _throttled(known: Subscription) -> Answer:
    """It belongs to the request, and says nothing of quota (evidence, section 5.2, the headerless 429)."""
    kind = "rate_limit_error" if known.account.provider == "claude" else "rate_limit_exceeded"
    body = FACES[known.account.provider].error(kind, "Error")
    return Answer(429, {"X-Should-Retry": "true"}, body, cause="throttled")


def _overloaded(known: Subscription) -> Answer:
    if known.account.provider == "claude":
        return Answer(529, {}, claude.error("overloaded_error", "Overloaded"), cause="overloaded")
    body = codex.error("server_is_overloaded", "Our servers are currently overloaded.")
    return Answer(503, {}, body, cause="overloaded")


def _broken(known: Subscription) -> Answer:
    """A connection that ends, or a page of the edge in front of the provider."""
    status, body = known.chance.choice(((0, ""), (0, "unexpected EOF"), (502, EDGE_PAGE)))
    return Answer(status, {"Content-Type": "text/html"} if status else {}, body, cause="broken")


def _expired(known: Subscription) -> Answer:
    if known.account.provider == "claude":
        return Answer(401, {}, claude.error("authentication_error", EXPIRED), cause="login")
    body = codex.error("token_expired", "Provided authentication token is expired.")
    return Answer(401, {}, body, cause="login")


def _revoked(known: Subscription) -> Answer:
    if known.account.provider == "claude":
        body = claude.error("authentication_error", "OAuth token has been revoked.")
    else:
        message = "Your authentication token has been invalidated. Please try signing in again."
        body = codex.error("token_invalidated", message)
    return Answer(401, {}, body, cause="login")


def _unpollable(known: Subscription, body: str) -> Answer:
    """A throttle of the endpoint's own, a page, or a body that is cut or has the wrong types."""
    kind = {"Content-Type": "application/json"}
    throttle = claude.error("rate_limit_error", "Rate limited. Please try again later.")
    return known.chance.choice(
        (
            Answer(429, kind, throttle),
            Answer(429, {**kind, "Retry-After": "0"}, throttle),
            Answer(429, {**kind, "Retry-After": f"{known.chance.uniform(60, HOUR):.0f}"}, throttle),
            Answer(403, {"Content-Type": "text/html", "Cf-Mitigated": "challenge"}, EDGE_PAGE),
            Answer(500, kind, "{}"),
            Answer(0),
            Answer(200, kind, body[: len(body) // 2]),
            Answer(200, kind, body.replace(":", ':"n/a",', 3)),
            Answer(200, kind, "[]"),
        )
    )
