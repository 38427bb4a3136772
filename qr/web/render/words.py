"""The service's vocabulary in words: reasons, verdicts, states, windows, errors.

Every word that a decision or an account can carry has its sentence fragment here; what is unknown is shown as
it is.
"""

from collections.abc import Mapping

from qr.quota.windows import ALWAYS

__all__ = ["error_text", "policy_text", "reason_text", "said_text", "verdict_text", "window_title"]

TITLES: Mapping[str, str] = {"five_hour": "5 hours", "weekly": "week", "monthly": "month"}

POLICY_ORDER: Mapping[str, str] = {
    "reset_first": "its long window resets first",
    "quota_pressure": "most would be lost there per hour that is left",
    "balanced": "its long window resets first, and its five hours have room",
    "soonest_reset": "its week is expected to reset first",
}

REASONS: Mapping[str, str] = {
    "off": "the mode is off: the host decides",
    "shadow": "shadow mode: decided, kept back, and left to the host",
    "unsupported_provider": "the provider is not one whose quota is understood: the host decides",
    "mixed_providers": "several providers at once: the host decides",
    "pinned": "the host asked for this account by name",
    "pinned_not_offered": "the host asked for an account by name but did not offer it",
    "affinity": "the session stays on its account",
    "inherit": "a subagent starts on the account of its parent",
    "rebind:removed": "its account is gone: the session is bound anew",
    "rebind:disabled": "its account is disabled: the session is bound anew",
    "rebind:auth_failed": "the login of its account is dead: the session is bound anew",
    "rebind:away_too_long": "its account is away for longer than failover_max: the session is bound anew",
    "failover:exhausted": "its own account is exhausted for now: this one stands in",
    "failover:circuit_open": "the circuit of its own account is open: this one stands in",
    "failover:paused": "its own account is paused: this one stands in",
    "failover:not_offered": "its own account was not offered: this one stands in",
    "paid_usage": "nobody is left within a plan: paid credits serve",
    "no_trusted_quota": "no account is usable with quota that is known and fresh: the host decides",
    "error": "the decision failed inside: the host decides",
}

VERDICTS: Mapping[str, str] = {
    "chosen": "chosen",
    "disabled": "disabled at the host",
    "login_dead": "its login is dead",
    "paid_usage": "spent: only paid credits would serve",
    "circuit_open": "its circuit is open after failures",
    "paused": "paused by an operator",
    "unknown": "the use of its long window is not known",
    "reset_pending": "a window has passed its reset and was not read since",
    "stale": "what is known of it is too old",
    "low_headroom": "too little is left for a new session",
    "warned": "the provider warns of a window, and others are not warned",
    "outranked": "another one comes first",
    "not_offered": "the host did not offer it",
}

ERRORS: Mapping[str, str] = {
    "rate_limited": "the provider asked to slow down",
    "quota_exhausted": "the provider refused: the quota is used up",
    "auth_refreshable": "the access token was refused; the host refreshes it",
    "auth_permanent": "the login was revoked or deactivated",
    "overloaded": "the provider is overloaded",
    "transient": "the request failed on its way or at the provider",
}

SAID: Mapping[str, str] = {
    "status": "the provider said {status}",
    "refusal": "the provider refused because of this window",
    "mark": "a warning mark was set",
    "unmarked": "the provider allowed: no warning mark from before counts",
}


def reason_text(reason: str) -> str:
    """Why a decision came out as it did."""
    kind, _, detail = reason.partition(":")
    if kind == "policy":
        return f"a new session: {POLICY_ORDER.get(detail, f'first by {detail}')}"
    return REASONS.get(reason, reason)


def verdict_text(verdict: str) -> str:
    """What is said of a candidate."""
    kind, _, window = verdict.partition(":")
    if kind == "exhausted":
        return f"used up: {window_title(window)}"
    return VERDICTS.get(verdict, verdict)


def error_text(name: str) -> str:
    """What the class of a failure means."""
    return ERRORS.get(name, name)


def said_text(what: str, status: str | None) -> str:
    """A piece of evidence that is no percent."""
    return SAID.get(what, what).format(status=status)


def window_title(name: str) -> str:
    """
    What people call the window *name*.

    >>> window_title("weekly:fable"), window_title("86400s")
    ('week, Fable', '24 hours')
    """
    kind, _, family = name.partition(":")
    title = TITLES.get(kind) or _length_title(kind)
    return f"{title}, {family.title()}" if family and kind in ALWAYS else title


def _length_title(name: str) -> str:
    seconds = name.removesuffix("s")
    if not name.endswith("s") or not seconds.isascii() or not seconds.isdigit():
        return name
    hours = int(seconds) / 3600
    return f"{hours:.0f} hours" if hours >= 1 else f"{hours * 60:.0f} minutes"


def policy_text(policy: str, group: int, value: float) -> str:
    """What a policy saw in an account; *group* and *value* are its place (lower goes first)."""
    if policy == "quota_pressure":
        return f"{-value:.2f} % to lose per hour"
    if value == float("inf"):
        return "no reset is known: last"
    if value == float("-inf"):
        return "no reset is known: first, one request learns it"
    return "above the five-hour soft limit" if group else "by its reset"
