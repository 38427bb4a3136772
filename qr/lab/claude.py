"""The simulated Claude: headers in fractions, usage in percent, refusals (evidence, sections 1, 2, 5)."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from qr.lab.answers import Answer, json_body
from qr.lab.meters import Meter
from qr.lab.subscription import Subscription

__all__ = ["error", "headers", "refusal", "usage_body"]

PREFIX = "Anthropic-Ratelimit-Unified-"

KINDS = {"five_hour": "5h", "weekly": "7d"}
FAMILIES = {"fable": "oi"}
CLAIMS = {
    "five_hour": "five_hour",
    "weekly": "seven_day",
    "weekly:fable": "seven_day_overage_included",
}

# The marks of a window that are told once passed; it warns from the first (evidence, section 1.1).
MARKS = {"five_hour": (0.9, 1.0), "weekly": (0.75, 0.9, 1.0)}

# Resets in usage bodies wobble by up to two seconds, mostly to just before the mark (evidence, section 7.1).
WOBBLE = (-1.0, 0.9)

SEVERITY = ("allowed", "allowed_warning", "rejected")


def headers(account: Subscription, model: str, now: float) -> dict[str, str]:
    """The rate-limit headers of a response to *model*: a family's meter rides only on its own models."""
    shown = [(meter, status(meter, now)) for meter in account.applying(model) if meter.resets_at is not None]
    claimed = max(shown, key=lambda one: SEVERITY.index(one[1]), default=None)
    told: dict[str, str] = {}
    for meter, said in shown:
        told |= _window(meter, said, now)
    if claimed is not None:
        told[f"{PREFIX}Status"] = claimed[1]
        told[f"{PREFIX}Representative-Claim"] = CLAIMS[claimed[0].limit.window]
        told[f"{PREFIX}Reset"] = f"{claimed[0].resets_at:.0f}"
    told[f"{PREFIX}Fallback-Percentage"] = "0.5"
    told[f"{PREFIX}Overage-Status"] = "rejected"
    told[f"{PREFIX}Overage-Disabled-Reason"] = "org_level_disabled"
    return told


def _window(meter: Meter, said: str, now: float) -> dict[str, str]:
    family = meter.limit.family
    own = PREFIX + KINDS[meter.limit.kind] + (f"_{FAMILIES[family]}" if family else "")
    told = {
        f"{own}-Status": said,
        f"{own}-Reset": f"{meter.resets_at:.0f}",
        f"{own}-Utilization": str(round(meter.shown(now), 2)),
    }
    passed = [mark for mark in MARKS[meter.limit.kind] if meter.shown(now) >= mark]
    return told | ({f"{own}-Surpassed-Threshold": str(passed[-1])} if passed else {})


def status(meter: Meter, now: float) -> str:
    """A window refuses when it is full, and warns above its first mark."""
    if meter.full:
        return "rejected"
    return "allowed_warning" if meter.shown(now) >= MARKS[meter.limit.kind][0] else "allowed"


def refusal(account: Subscription, model: str, now: float, *, attributed: bool) -> Answer:
    """A 429 for want of quota; unattributed it has the aggregate alone, as some have."""
    spent = account.refusing(model)[-1]
    told = headers(account, model, now)
    if not attributed:
        told = {
            name: value for name, value in told.items() if not name.startswith((f"{PREFIX}5h", f"{PREFIX}7d"))
        }
    told[f"{PREFIX}Representative-Claim"] = CLAIMS[spent.limit.window]
    told[f"{PREFIX}Reset"] = f"{spent.resets_at:.0f}"
    told["Retry-After"] = f"{max(1.0, (spent.resets_at or now) - now):.0f}"
    told["X-Should-Retry"] = "true"
    return Answer(
        429, told, error("rate_limit_error", "This request would exceed your account's rate limit.")
    )


def error(kind: str, message: str) -> str:
    """A body of an error (evidence, section 5.1)."""
    return json_body({"type": "error", "error": {"type": kind, "message": message}, "request_id": None})


def usage_body(account: Subscription, now: float) -> str:
    """The body of the usage endpoint: flat keys, and rows that say the same."""
    main, week, fable = (account.meters[name] for name in ("five_hour", "weekly", "weekly:fable"))
    jitter = account.chance.uniform(*WOBBLE)
    told = {meter.limit.window: _iso(meter, jitter) for meter in (main, week, fable)}
    body: dict[str, Any] = {
        "five_hour": _flat(main, now, told),
        "seven_day": _flat(week, now, told),
        "seven_day_oauth_apps": None,
        "seven_day_opus": None,
        "seven_day_sonnet": None,
        "nimbus_quill": {"utilization": 0.0, "resets_at": None},
        "extra_usage": {
            "is_enabled": False,
            "monthly_limit": None,
            "used_credits": None,
            "utilization": None,
        },
        "limits": [
            _row("session", main, now, told),
            _row("weekly_all", week, now, told),
            _row("weekly_scoped", fable, now, told),
        ],
    }
    return json_body(body)


def _flat(meter: Meter, now: float, resets: Mapping[str, str | None]) -> Mapping[str, Any]:
    resets_at = resets[meter.limit.window]
    return {"utilization": _percent(meter, now), "resets_at": resets_at, "limit_dollars": None}


def _row(kind: str, meter: Meter, now: float, resets: Mapping[str, str | None]) -> Mapping[str, Any]:
    warned = status(meter, now) != "allowed"
    model = {"id": None, "display_name": meter.limit.family.title()} if meter.limit.family else None
    return {
        "kind": kind,
        "group": "session" if kind == "session" else "weekly",
        "percent": _percent(meter, now),
        "severity": "warning" if warned else "normal",
        "resets_at": resets[meter.limit.window],
        "scope": {"model": model, "surface": None} if model else None,
        "is_active": kind == "weekly_all",
    }


def _percent(meter: Meter, now: float) -> float:
    return float(round(min(100.0, 100.0 * meter.shown(now))))


def _iso(meter: Meter, jitter: float) -> str | None:
    if meter.resets_at is None:
        return None
    return datetime.fromtimestamp(meter.resets_at + jitter, UTC).isoformat(timespec="microseconds")
