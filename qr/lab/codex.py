"""The simulated Codex: windows told by length, families, placeholders (evidence, sections 3, 4 and 5.3)."""

from collections.abc import Mapping
from math import floor
from typing import Any

from qr.lab.answers import Answer, json_body
from qr.lab.meters import Meter
from qr.lab.subscription import Subscription

__all__ = ["error", "headers", "refusal", "usage_body"]

PREFIX = "X-Codex-"

POSITIONS = ("Primary", "Secondary")

# The code name of the one family that has a meter, and its name for people (evidence, section 3.3).
FAMILY, CODE_NAME, DISPLAY_NAME = "spark", "Bengalfox", "GPT-5.3-Codex-Spark"

# By how many seconds a reset is off when it is (evidence, section 7.1).
WOBBLE = 600.0


def headers(account: Subscription, model: str, now: float) -> dict[str, str]:
    """The limit headers: the main set on every response, a family's on its models' too."""
    told = {
        f"{PREFIX}Plan-Type": account.account.plan.name,
        f"{PREFIX}Active-Limit": "premium",
        f"{PREFIX}Credits-Has-Credits": "False",
        f"{PREFIX}Credits-Unlimited": "False",
        f"{PREFIX}Credits-Balance": "",
    }
    told |= _set(PREFIX, _of(account, ""), account, now)
    own = _of(account, FAMILY) if FAMILY in model else []
    if own:
        told[f"{PREFIX}{CODE_NAME}-Limit-Name"] = DISPLAY_NAME
        told |= _set(f"{PREFIX}{CODE_NAME}-", own, account, now)
    return told


def _of(account: Subscription, family: str) -> list[Meter]:
    return [meter for meter in account.meters.values() if meter.limit.family == family]


def _set(prefix: str, meters: list[Meter], account: Subscription, now: float) -> dict[str, str]:
    told: dict[str, str] = {}
    for position, meter in zip(POSITIONS, [*meters, None, None], strict=False):
        told |= {f"{prefix}{position}-{key}": value for key, value in _fields(meter, account, now).items()}
    return told


def _fields(meter: Meter | None, account: Subscription, now: float) -> Mapping[str, str]:
    """An absent window is sent as a placeholder of zeros (evidence, section 3.1)."""
    if meter is None:
        return {"Used-Percent": "0", "Window-Minutes": "0", "Reset-After-Seconds": "0", "Reset-At": ""}
    reset = _reset(meter, account, now)
    return {
        "Used-Percent": str(_percent(meter, now)),
        "Window-Minutes": f"{meter.limit.length / 60:.0f}",
        "Reset-After-Seconds": f"{reset - now:.0f}",
        "Reset-At": f"{reset:.0f}",
    }


def _reset(meter: Meter, account: Subscription, now: float) -> float:
    """A window that has not started floats ahead of the present (evidence, section 7.5)."""
    if meter.resets_at is None:
        return now + meter.length
    off = account.chance.random() < account.faults.wobble
    wobble = WOBBLE / account.speed
    return meter.resets_at + (account.chance.uniform(-wobble, wobble) if off else 0.0)


def _percent(meter: Meter, now: float) -> int:
    """Whole percents, and 100 only when it is full."""
    return min(100, floor(100.0 * meter.shown(now)))


def refusal(account: Subscription, model: str, now: float, *, attributed: bool) -> Answer:
    """A 429 that names a reset and no window; the headers tell which, unless they are missing."""
    spent = account.refusing(model)[-1]
    resets_at = spent.resets_at or now
    body = {
        "error": {
            "type": "usage_limit_reached",
            "message": "The usage limit has been reached",
            "plan_type": account.account.plan.name,
            "resets_at": round(resets_at),
            "resets_in_seconds": round(resets_at - now),
            "eligible_promo": None,
        }
    }
    return Answer(429, headers(account, model, now) if attributed else {}, json_body(body))


def error(kind: str, message: str) -> str:
    """A body of an error (evidence, section 5.1)."""
    return json_body({"error": {"message": message, "type": kind, "code": kind, "param": None}})


def usage_body(account: Subscription, now: float) -> str:
    """The body of the usage endpoint."""
    extra = _of(account, FAMILY)
    body = {
        "plan_type": account.account.plan.name,
        "rate_limit": _limit(_of(account, ""), account, now),
        "code_review_rate_limit": None,
        "additional_rate_limits": [
            {
                "limit_name": DISPLAY_NAME,
                "metered_feature": f"codex_{CODE_NAME.lower()}",
                "rate_limit": _limit(extra, account, now),
            }
        ]
        if extra
        else None,
        "credits": {"has_credits": False, "unlimited": False, "overage_limit_reached": False, "balance": "0"},
        "spend_control": {"reached": False, "individual_limit": None},
        "rate_limit_reached_type": None,
    }
    return json_body(body)


def _limit(meters: list[Meter], account: Subscription, now: float) -> Mapping[str, Any]:
    reached = any(meter.full for meter in meters)
    windows = {f"{position.lower()}_window": None for position in POSITIONS}
    told = {
        f"{position.lower()}_window": _object(meter, account, now)
        for position, meter in zip(POSITIONS, meters, strict=False)
    }
    return {"allowed": not reached, "limit_reached": reached, **windows, **told}


def _object(meter: Meter, account: Subscription, now: float) -> Mapping[str, Any]:
    reset = _reset(meter, account, now)
    return {
        "used_percent": _percent(meter, now),
        "limit_window_seconds": round(meter.limit.length),
        "reset_after_seconds": round(reset - now),
        "reset_at": round(reset),
    }
