"""What Codex says of its windows: passive headers, the stream event, the usage endpoint (evidence, 3 and 4).

A window is told by its length, never by its position. All of Codex speaks in percent, and gives no window a
status.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

import msgspec

from qr.quota.fields import ahead, epoch, family, flag, item, items, lowered, number, percent, succeeded, text
from qr.quota.readings import Observation, Reading
from qr.quota.windows import DAY, HOUR, LENGTHS

__all__ = ["read_event", "read_headers", "read_usage"]

PREFIX: Final = "x-codex-"

POSITIONS = ("primary", "secondary", "tertiary")

# A set of windows of its own has the slug of its family between the prefix and the position (section 3.3).
FAMILY_HEADER = re.compile(PREFIX + r"(.+)-(?:primary|secondary|tertiary)-used-percent")

# Headers under these slugs are no meters (section 3.1).
NO_METERS = ("promo", "safety-buffering")

# 299 and 10079 minutes are real, and so are months of 28 to 31 days: a few minutes where a length counts in
# hours, an hour where it counts in days (section 3.2).
MINUTES_OFF = 300.0

# Lowest and highest length of a window in seconds.
SPANS: Mapping[str, tuple[float, float]] = {
    "five_hour": (LENGTHS["five_hour"] - MINUTES_OFF, LENGTHS["five_hour"] + MINUTES_OFF),
    "weekly": (LENGTHS["weekly"] - HOUR, LENGTHS["weekly"] + HOUR),
    "monthly": (28 * DAY - HOUR, 31 * DAY + HOUR),
}

# A window of more seconds than ten years have is a length that was not read right.
LONGEST = 3650 * DAY

# What stands before the name of a family in a code name, and code names whose family is known (section 3.3).
CODE_PREFIX = re.compile(r"(?:additional[-_])?(?:codex[-_])?", re.IGNORECASE)
CODE_NAMES: Mapping[str, str] = {"bengalfox": "spark"}

# The longest plan seen has 37 characters. It is only shown, so a longer one is cut.
PLAN_LENGTH = 64

# Counters are whole percents, so a window that refuses may still read 99.
NEARLY_SPENT = 99.0

# How the limit of the account itself is named in an event, when it is named at all (section 3.4).
MAIN_LIMIT = (None, "", "codex")

Field = Callable[[str], object]
"""The value of a field of one window, or of the credits, by its name in the usage body."""


class Slot(msgspec.Struct, frozen=True, gc=False):
    """One window as it was sent."""

    window: str | None
    """None: no length, and no rule that tells it from the position."""
    guessed: bool
    """Told from the position, for want of a length."""
    used_percent: float | None
    resets_at: float | None

    @property
    def readable(self) -> bool:
        return self.window is not None and self.used_percent is not None


class Meter(msgspec.Struct, frozen=True, gc=False):
    """The windows of the account itself, or of one model family."""

    family: str | None
    slots: tuple[Slot, ...]
    reached: bool = False
    """`limit_reached`: one flag for all windows of the meter."""


def read_headers(headers: Mapping[str, object], *, status: int, observed_at: float) -> Observation:
    """
    The windows that a response of the Codex backend tells of in its headers (evidence, section 3).

    Args:
        headers: names in any case; a value may be a text or a list of texts.
        status: the HTTP status; headers are read whatever it is.
        observed_at: epoch second at which the response arrived; relative resets count from it.

    """
    known = lowered(headers)
    plan = _plan(known.get(PREFIX + "plan-type"))

    def field(under: str, key: str) -> object:
        return known.get(f"{PREFIX}{under}-{key.replace('_', '-')}")

    def meter(named: str | None, slug: str) -> Meter:
        return Meter(named, _slots({at: partial(field, slug + at) for at in POSITIONS}, plan, observed_at))

    found = dict.fromkeys(match[1] for match in map(FAMILY_HEADER.fullmatch, known) if match)
    slugs = [slug for slug in found if not slug.startswith(NO_METERS)]
    families = [(_family(field(slug, "limit_name"), slug), slug) for slug in slugs]
    meters = [meter(None, ""), *(meter(named, f"{slug}-") for named, slug in families if named)]
    served = succeeded(status)
    paying = served and _credits_serve(partial(field, "credits"))
    readings = _readings(meters, paying=paying)
    return Observation(observed_at, "headers", readings, successful=served, plan=plan)


def read_event(event: object, *, observed_at: float) -> Observation:
    """
    The windows in a `codex.rate_limits` event of a stream (evidence, section 3.4).

    Any other event tells nothing. A limit that is named, other than `codex`, is a model's meter.

    Args:
        event: the parsed event.
        observed_at: epoch second at which it arrived.

    """
    names = {key: item(event, key) for key in ("limit_name", "metered_limit_name", "limit_id")}
    named = {key: name for key, name in names.items() if name not in MAIN_LIMIT}
    own = _family(named.get("limit_name"), named.get("metered_limit_name") or named.get("limit_id"))
    if item(event, "type") != "codex.rate_limits" or (named and not own):
        return Observation(observed_at, "headers")
    plan = _plan(item(event, "plan_type"))
    limits = item(event, "rate_limits")
    slots = _slots({at: partial(item, item(limits, at)) for at in POSITIONS}, plan, observed_at)
    paying = _credits_serve(partial(item, item(event, "credits")))
    return Observation(observed_at, "headers", _readings([Meter(own, slots)], paying=paying), plan=plan)


def read_usage(body: object, *, observed_at: float) -> Observation:
    """
    The windows that a body of the usage endpoint lists (evidence, section 4.1).

    It is a full listing when it has windows of the account itself, and each window in it could be read: a
    listed window that could not be read is not gone. `rate_limit: null` (usage-billed seats, polls without
    the account id) clears nothing, and its plan is not believed. `code_review_rate_limit` and `spend_control`
    are no windows.

    Args:
        body: the parsed body; anything else than an object teaches nothing.
        observed_at: epoch second at which the answer arrived; relative resets count from it.

    """
    plan = _plan(item(body, "plan_type"))

    def meter(named: str | None, row: object) -> Meter:
        limit = item(row, "rate_limit")
        fields = {at: partial(item, item(limit, f"{at}_window")) for at in POSITIONS}
        reached = item(limit, "limit_reached") is True
        return Meter(named, _slots(fields, plan, observed_at), reached)

    main = meter(None, body)
    families = [(_extra_family(row), row) for row in items(item(body, "additional_rate_limits"))]
    meters = [main, *(meter(named, row) for named, row in families if named)]
    spent_out = flag(item(item(body, "spend_control"), "reached"))
    paying = not spent_out and _credits_serve(partial(item, item(body, "credits")))
    full = bool(main.slots) and all(slot.readable for each in meters for slot in each.slots)
    told = plan if main.slots else None
    return Observation(observed_at, "usage", _readings(meters, paying=paying), full=full, plan=told)


def _extra_family(row: object) -> str | None:
    return _family(item(row, "limit_name"), item(row, "metered_feature"))


def _plan(value: object) -> str | None:
    plan = text(value)
    return plan and plan[:PLAN_LENGTH]


def _family(display_name: object, code_name: object) -> str | None:
    """The family that a meter is named after; None when neither name is told, or when it is Codex itself."""
    name = text(display_name) or CODE_PREFIX.sub("", text(code_name) or "", count=1)
    known = next((named for code, named in CODE_NAMES.items() if code in name.lower()), family(name))
    return None if known == "codex" else known


def _slots(fields: Mapping[str, Field], plan: str | None, now: float) -> tuple[Slot, ...]:
    read = (_slot(position, field, plan, now) for position, field in fields.items())
    return tuple(slot for slot in read if slot)


def _slot(position: str, field: Field, plan: str | None, now: float) -> Slot | None:
    used, length, resets_at = percent(field("used_percent")), _length(field), _reset(field, now)
    # An absent window is sent as zeros, its reset blank, 0 or the present second (section 3.1, rule 2). A
    # full one without a reset is no placeholder, and neither is a free one with a length.
    if not used and (length == 0 or (length is None and not ahead(resets_at, now))):
        return None
    window = _window(length) if length else _by_position(position, resets_at, plan, now)
    return Slot(window, not length, used, resets_at)


def _length(field: Field) -> float | None:
    """Seconds; 0 is a statement, None is missing or unreadable."""
    minutes = number(field("window_minutes"))
    seconds = number(field("limit_window_seconds")) if minutes is None else minutes * 60
    return seconds if seconds is not None and 0 <= seconds <= LONGEST else None


def _reset(field: Field, now: float) -> float | None:
    """The absolute reset before the relative one, which drifts by the round trip (section 3.1, rule 3)."""
    absolute = epoch(field("reset_at")) or epoch(field("resets_at"))
    relative = number(field("reset_after_seconds")) or number(field("resets_in_seconds"))
    return absolute or (ahead(now + relative, now) if relative else None)


def _window(length: float) -> str:
    """The window of a length in seconds; one that fits none keeps its own length as its name."""
    return next((name for name, (low, high) in SPANS.items() if low <= length <= high), f"{length:.0f}s")


def _by_position(position: str, resets_at: float | None, plan: str | None, now: float) -> str | None:
    """Old answers tell no length (section 3.2); there a reset too far off for five hours tells a week."""
    far = resets_at is not None and resets_at - now > SPANS["five_hour"][1]
    primary = "weekly" if far or plan == "free" else "five_hour"
    return {"primary": primary, "secondary": "weekly"}.get(position)


def _credits_serve(field: Field) -> bool:
    """
    Whether the account has credits that go on serving at 100 % (evidence, section 4.1).

    A balance that is not told, beside `has_credits`, is a workspace's that pays for its member.
    """
    balance = field("balance")
    has_balance = balance in (None, "") or (number(balance) or 0.0) > 0
    usable = flag(field("unlimited")) or (flag(field("has_credits")) and has_balance)
    return usable and not flag(field("overage_limit_reached"))


def _readings(meters: Iterable[Meter], *, paying: bool) -> tuple[Reading, ...]:
    """One reading a window: a length before a guess, then the one with less room."""
    told = [
        (slot.guessed, -(slot.used_percent or 0.0), _reading(meter, slot, paying=paying))
        for meter in meters
        for slot in meter.slots
        if slot.readable
    ]
    by_name: dict[str, Reading] = {}
    for *_, reading in sorted(told, key=lambda one: one[:2]):
        by_name.setdefault(reading.window, reading)
    return tuple(by_name.values())


def _reading(meter: Meter, slot: Slot, *, paying: bool) -> Reading:
    name = f"{slot.window}:{meter.family}" if meter.family else f"{slot.window}"
    refuses = meter.reached and slot in _refusing(meter.slots)
    spent = refuses or slot.used_percent == 100
    return Reading(
        name, slot.used_percent, slot.resets_at, refused=refuses and not paying, paid=spent and paying
    )


def _refusing(slots: tuple[Slot, ...]) -> tuple[Slot, ...]:
    """
    The windows because of which `limit_reached` is set.

    The flag speaks of the whole allowance. Copied onto each window it would bench a week for a spent five
    hours (section 4.1), so it is given to the windows that read 100. When none does, it belongs to the only
    window there is, or to the only one that rounding can have kept from 100. Otherwise nobody can tell, and
    no window is marked: the refusal of the next request, or the next poll, will tell.
    """
    spent = tuple(slot for slot in slots if slot.used_percent == 100)
    nearly = tuple(slot for slot in slots if (slot.used_percent or 0.0) >= NEARLY_SPENT)
    alone = slots if len(slots) == 1 else nearly if len(nearly) == 1 else ()
    return spent or alone
