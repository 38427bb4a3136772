"""What refusals mean, rule by rule (evidence, sections 2.4, 4.2 and 5)."""

import json

import pytest

from qr.quota.failures import Failure, read_failure

NOW = 1788280000.0
SOON = NOW + 7512
LATER = NOW + 233010
P = "anthropic-ratelimit-unified-"
HTML = "<!DOCTYPE html><html><title>520</title> OAuth token has been revoked {}</html>"


def failure(provider, status, body=None, headers=None, **more):
    given = {"endpoint": "inference", "model": "claude-sonnet-5", "transport": None} | more
    return read_failure(
        provider=provider, status=status, body=body, headers=headers, observed_at=NOW, **given
    )


def claude(status, message="", type_="x", headers=None, details=None, **more):
    error = {"type": type_, "message": message, "details": details}
    body = {"type": "error", "error": error, "request_id": None}
    return failure("claude", status, body, headers, **more)


def codex(status, code=None, headers=None, message="", **more):
    error = {"message": message, "type": None, "code": code, "param": None}
    return failure(
        "codex", status, {"error": error, "status": status}, headers, **({"model": "gpt-5.5"} | more)
    )


@pytest.mark.parametrize(
    ("status", "message", "cls"),
    [
        (401, "OAuth token has expired. Please obtain a new token.", "auth_refreshable"),
        (401, "OAuth access token has expired. Re-authenticate to continue.", "auth_refreshable"),
        (401, "Invalid authentication credentials", "auth_refreshable"),
        (401, "", "auth_refreshable"),
        (401, "OAuth token has been revoked. Please obtain a new token.", "auth_permanent"),
        (403, "OAuth access token has been revoked.", "auth_permanent"),
        (403, "OAuth authentication is currently not allowed for this organization.", "auth_permanent"),
        (401, "OAuth authentication is currently not allowed for this organization.", "auth_permanent"),
        (400, "This organization has been disabled.", "auth_permanent"),
        (403, "OAuth token does not meet scope requirement user:inference", "transient"),
        (403, "Request not allowed", "transient"),
        (400, "max_tokens: too large", "request_fault"),
        (400, "You're out of extra usage. Add more to continue.", "request_fault"),
        (400, "Third-party apps now draw from your extra usage, not your plan limits.", "request_fault"),
        (404, "model: claude-nova-9", "request_fault"),
        (404, "thread_not_found", "request_fault"),
        (413, "too large", "request_fault"),
        (422, "unprocessable", "request_fault"),
        (402, "", "transient"),
        (408, "", "transient"),
        (409, "", "transient"),
        (425, "", "transient"),
        (418, "", "request_fault"),
        (429, "Extra usage is required for long context requests.", "request_fault"),
        (429, "This request would exceed your account's rate limit. Please try again later.", "rate_limited"),
        (529, "", "overloaded"),
        (500, "Internal server error", "transient"),
        (502, "", "transient"),
        (503, "", "transient"),
        (504, "", "transient"),
        (520, "", "transient"),
        (525, "", "transient"),
        (500, "This organization has been disabled.", "transient"),
    ],
)
def test_claude_by_status_and_text(status, message, cls):
    assert claude(status, message) == Failure(cls)


@pytest.mark.parametrize("status", [200, 429, 500, 529, 0, None])
def test_claude_is_overloaded_whatever_the_status_and_never_until_a_reset(status):
    headers = {
        P + "status": "rejected",
        P + "5h-status": "rejected",
        P + "reset": f"{SOON}",
        "retry-after": "5",
    }
    assert claude(status, "Overloaded", "overloaded_error", headers) == Failure("overloaded")


def test_a_missing_usage_scope_stops_the_polling_and_nothing_else():
    message = "OAuth token does not meet scope requirement user:profile"
    assert claude(403, message, endpoint="usage") == Failure("request_fault", scope_missing=True)


@pytest.mark.parametrize(
    ("status", "body", "cls"),
    [
        (400, {"error": "invalid_grant"}, "auth_permanent"),
        (400, {"error": "invalid_grant", "error_description": "Refresh token expired"}, "auth_permanent"),
        (401, {"error": {"message": "Refresh token not found or invalid"}}, "auth_permanent"),
        (400, {"error": "invalid_request", "error_description": "Bad client"}, "request_fault"),
        (401, {"error": "odd"}, "auth_refreshable"),
        (403, {"error": "invalid_grant"}, "transient"),
        (429, {"error": "slow_down"}, "rate_limited"),
        (500, {"error": "invalid_grant"}, "transient"),
    ],
)
def test_a_refresh_is_dead_only_by_a_listed_sign(status, body, cls):
    assert failure("claude", status, body, endpoint="refresh") == Failure(cls)


def test_the_signs_of_a_refresh_mean_nothing_elsewhere():
    assert failure("claude", 401, {"error": "invalid_grant"}) == Failure("auth_refreshable")
    assert codex(401, "refresh_token_reused") == Failure("auth_refreshable")


@pytest.mark.parametrize(
    ("retry_after", "until"),
    [
        ("3037", NOW + 3037),
        (["300"], NOW + 300),
        ("0", None),
        ("", None),
        (None, None),
        ("Tue, 01 Sep 2026 16:33:20 GMT", NOW + 400),
    ],
)
@pytest.mark.parametrize("provider", ["claude", "codex"])
def test_a_throttle_lasts_as_long_as_retry_after_says(provider, retry_after, until):
    told = failure(provider, 429, {"error": {"type": "rate_limit_error"}}, {"Retry-After": retry_after})
    assert told == Failure("rate_limited", until=until)


def test_a_throttled_poll_of_claude_tells_nothing_of_quota():
    """Not even when windows are rejected (section 2.4)."""
    headers = {P + "5h-status": "rejected", P + "5h-reset": f"{SOON:.0f}", "retry-after": "300"}
    assert claude(429, headers=headers, endpoint="usage") == Failure("rate_limited", until=NOW + 300)


def rejected(*suffixes, **resets):
    statuses = {f"{P}{suffix}-status": "rejected" for suffix in suffixes}
    return statuses | {f"{P}{name.lstrip('w')}-reset": f"{at:.0f}" for name, at in resets.items()}


@pytest.mark.parametrize(
    ("headers", "window", "until"),
    [
        (rejected("5h", w5h=SOON, w7d=LATER), "five_hour", SOON),
        (rejected("5h", "7d", w5h=SOON, w7d=LATER), "weekly", LATER),
        (rejected("7d", "5h", w5h=LATER, w7d=SOON), "five_hour", LATER),
        (rejected("7d_oi", w7d_oi=LATER, w7d=LATER), "weekly:fable", LATER),
        (rejected("7d_oi", "7d", w7d_oi=LATER, w7d=LATER), "weekly", LATER),
        (rejected("7d_sonnet", w7d_sonnet=LATER), "weekly:sonnet", LATER),
        (rejected("5h", "7d", w5h=SOON), "five_hour", SOON),
        (rejected("5h", "7d"), "weekly", NOW + 120),
        (rejected("7d_oi"), "weekly:fable", NOW + 120),
        (rejected("5h", w5h=NOW - 60), "five_hour", NOW + 120),
    ],
)
def test_a_rejected_window_of_claude_is_spent_until_the_latest_reset(headers, window, until):
    """`retry-after` counts only where no reset is told: it may be 120 s, or the end of the month."""
    told = claude(429, headers=headers | {P + "5h-utilization": "1.01", "retry-after": "120"})
    assert told == Failure("quota_exhausted", window, until)


def test_overage_is_no_window_that_refuses():
    headers = {
        P + "5h-status": "allowed",
        P + "overage-status": "rejected",
        P + "overage-reset": f"{LATER:.0f}",
    }
    assert claude(429, headers=headers) == Failure("rate_limited")


@pytest.mark.parametrize(
    ("claim", "window"),
    [
        ("five_hour", "five_hour"),
        ("seven_day", "weekly"),
        ("seven_day_opus", "weekly:opus"),
        ("seven_day_sonnet", "weekly:sonnet"),
        ("seven_day_overage_included", "weekly:fable"),
        ("five_hour_overage_included", None),
        ("five_hour_fallback", None),
        ("seven_day_fallback", None),
        ("overage", None),
        ("api", None),
        (None, None),
    ],
)
def test_the_claim_names_the_window_when_no_window_has_a_status(claim, window):
    headers = {P + "status": "rejected", P + "representative-claim": claim, P + "reset": f"{LATER:.0f}"}
    assert claude(429, headers=headers) == Failure("quota_exhausted", window, LATER)


def test_the_aggregate_marks_nothing_beside_window_statuses():
    headers = {P + "status": "rejected", P + "5h-status": "allowed", P + "reset": f"{LATER:.0f}"}
    headers |= {P + "representative-claim": "seven_day", "retry-after": "5"}
    assert claude(429, headers=headers) == Failure("rate_limited", until=NOW + 5)


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("claude-fable-5", "weekly:fable"),
        ("claude-fable-5(8192)", "weekly:fable"),
        ("claude-mythos-1(high)", "weekly:claude-mythos-1"),
        ("", None),
        (None, None),
    ],
)
def test_a_model_that_needs_credits_is_spent_for_its_family(model, window):
    headers = {P + "status": "rejected", P + "reset": f"{LATER:.0f}", P + "representative-claim": "overage"}
    told = claude(429, headers=headers, details={"error_code": "credits_required"}, model=model)
    assert told == Failure("quota_exhausted", window, LATER)


@pytest.mark.parametrize(
    ("status", "code", "cls"),
    [
        (401, "token_invalidated", "auth_permanent"),
        (401, "token_revoked", "auth_permanent"),
        (401, "TOKEN_REVOKED", "auth_permanent"),
        (401, "token_expired", "auth_refreshable"),
        (401, None, "auth_refreshable"),
        (401, "odd", "auth_refreshable"),
        (403, "account_deactivated", "auth_permanent"),
        (401, "account_suspended", "auth_permanent"),
        (400, "account_deleted", "auth_permanent"),
        (402, "deactivated_workspace", "auth_permanent"),
        (402, None, "transient"),
        (403, None, "transient"),
        (403, "odd", "transient"),
        (400, "previous_response_not_found", "request_fault"),
        (400, "context_length_exceeded", "request_fault"),
        (404, None, "request_fault"),
        (429, "rate_limit_exceeded", "rate_limited"),
        (429, "rate_limit_error", "rate_limited"),
        (429, "connector_rate_limit", "rate_limited"),
        (429, None, "rate_limited"),
        (400, "server_is_overloaded", "overloaded"),
        (429, "server_overloaded", "overloaded"),
        (503, "service_unavailable_error", "overloaded"),
        (503, None, "transient"),
        (529, None, "transient"),
        (520, None, "transient"),
        (525, None, "transient"),
        (1006, None, "transient"),
        (0, None, "transient"),
        (None, None, "transient"),
        (200, None, "transient"),
        (302, None, "transient"),
    ],
)
def test_codex_by_status_and_code(status, code, cls):
    assert codex(status, code) == Failure(cls)


@pytest.mark.parametrize(
    ("status", "message", "cls"),
    [
        (401, "Your token has been invalidated. Please try signing in again.", "auth_permanent"),
        (200, "Selected model is at capacity. Please try a different model.", "overloaded"),
        (400, "The 'gpt-9' model is not supported when using Codex with a ChatGPT account.", "request_fault"),
    ],
)
def test_codex_by_text(status, message, cls):
    assert codex(status, message=message) == Failure(cls)
    assert failure("codex", status, {"detail": message}) == Failure(cls)


@pytest.mark.parametrize(
    "code",
    [
        "token_expired",
        "token_invalidated",
        "refresh_token_expired",
        "refresh_token_reused",
        "refresh_token_invalidated",
        "invalid_grant",
        "app_session_terminated",
        "account_session_expired",
        "invalid_workspace_selected",
    ],
)
@pytest.mark.parametrize("status", [400, 401])
def test_a_codex_refresh_is_dead_by_a_listed_code(status, code):
    assert codex(status, code, endpoint="refresh") == Failure("auth_permanent")
    assert failure("codex", status, {"error": code}, endpoint="refresh") == Failure("auth_permanent")


@pytest.mark.parametrize(
    ("status", "message", "cls"),
    [
        (401, "Could not validate your token. Please try signing in again.", "auth_permanent"),
        (400, "Your session has ended. Please log in again.", "auth_permanent"),
        (401, "", "auth_refreshable"),
        (400, "", "request_fault"),
    ],
)
def test_a_codex_refresh_is_dead_by_a_listed_text(status, message, cls):
    assert codex(status, message=message, endpoint="refresh") == Failure(cls)


@pytest.mark.parametrize(
    "body",
    [
        {"detail": {"code": "deactivated_workspace"}},
        {"error": {"code": "deactivated_workspace"}},
        {"error": {}, "detail": {"code": "deactivated_workspace"}},
        {"code": "deactivated_workspace"},
        {"error": "deactivated_workspace"},
        {"error": 5, "detail": "deactivated_workspace"},
        "deactivated_workspace",
        '{"detail": {"code": "deactivated_workspace"}}',
        'status 402: {"detail": {"code": "deactivated_workspace"}}',
    ],
)
def test_an_error_is_found_wherever_it_stands(body):
    assert failure("codex", 402, body) == Failure("auth_permanent")


@pytest.mark.parametrize(
    ("status", "cls"),
    [
        (401, "auth_refreshable"),
        (403, "transient"),
        (429, "rate_limited"),
        (502, "transient"),
        (503, "transient"),
        (520, "transient"),
        (525, "transient"),
    ],
)
@pytest.mark.parametrize("provider", ["claude", "codex"])
@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"Content-Type": "text/html; charset=UTF-8"}, HTML),
        ({"content-type": "text/html"}, "account_deactivated"),
        ({}, "\n " + HTML),
        ({"cf-mitigated": "challenge"}, {"error": {"code": "account_deactivated"}}),
    ],
)
def test_a_page_of_the_edge_is_read_by_its_status_alone(provider, headers, body, status, cls):
    assert failure(provider, status, body, headers) == Failure(cls)


def limit_reached(resets_at=SOON, seconds=7512, **more):
    return {
        "error": {"type": "usage_limit_reached", "resets_at": resets_at, "resets_in_seconds": seconds}
    } | more


@pytest.mark.parametrize(
    ("resets_at", "seconds", "retry_after", "until"),
    [
        (SOON, 9999, None, SOON),
        (None, 7512, None, SOON),
        (NOW - 5, 7512, None, SOON),
        ("NaN", "7512", "60", SOON),
        (None, None, "60", NOW + 60),
        (0, 0, "0", None),
        (None, -5, None, None),
    ],
)
def test_a_reached_limit_ends_at_its_absolute_reset_or_else_the_relative_one(
    resets_at, seconds, retry_after, until
):
    told = failure("codex", 429, limit_reached(resets_at, seconds), {"Retry-After": retry_after})
    assert told == Failure("quota_exhausted", until=until)


def codex_headers(primary=(100, 300, SOON), secondary=(40, 10080, LATER), family=""):
    return {
        f"X-Codex-{family}{position}-{name}": f"{value}"
        for position, values in (("Primary", primary), ("Secondary", secondary))
        for name, value in zip(("Used-Percent", "Window-Minutes", "Reset-At"), values, strict=True)
    }


SPARK = codex_headers((100, 300, SOON), (100, 10080, LATER), "Bengalfox-")


@pytest.mark.parametrize(
    ("until", "headers", "model", "window"),
    [
        (SOON, codex_headers(), "gpt-5.5", "five_hour"),
        (SOON + 60, codex_headers(), "gpt-5.5", "five_hour"),
        (SOON + 61, codex_headers(), "gpt-5.5", None),
        (SOON, codex_headers((99, 300, SOON)), "gpt-5.5", None),
        (LATER, codex_headers((100, 300, SOON), (100, 10080, LATER)), "gpt-5.5", "weekly"),
        (SOON, codex_headers((100, 300, ""), (100, 10080, LATER)), "gpt-5.5", None),
        (SOON + 9, codex_headers((100, 300, SOON), (100, 10080, SOON + 10)), "gpt-5.5", "weekly"),
        (LATER, codex_headers() | SPARK, "gpt-5.3-codex-spark", "weekly:spark"),
        (LATER, codex_headers() | SPARK, None, "weekly:spark"),
        (LATER, codex_headers() | SPARK, "gpt-5.5", None),
        (SOON, codex_headers() | SPARK, "gpt-5.3-codex-spark", "five_hour"),
        (SOON, codex_headers((100, 1440, SOON)), "gpt-5.5", None),
        (SOON, codex_headers((100, 1440, SOON)), None, None),
        (SOON, {}, "gpt-5.5", None),
    ],
)
def test_the_full_window_that_resets_with_the_body_is_the_one(until, headers, model, window):
    told = failure("codex", 429, limit_reached(until), headers, model=model)
    assert told == Failure("quota_exhausted", window, until)


def test_a_throttle_beside_full_headers_is_no_quota():
    """Taking the longest reset of the headers for it benched accounts for days (section 4.2)."""
    assert codex(429, "rate_limit_exceeded", codex_headers()) == Failure("rate_limited")


@pytest.mark.parametrize("status", [101, 200, 429, 0, None])
@pytest.mark.parametrize("key", ["status_code", "status"])
def test_a_websocket_event_carries_its_own_status_and_headers(status, key):
    event = {"type": "error", key: 429, "headers": codex_headers()}
    own = codex_headers((3, 300, SOON))
    told = failure(
        "codex", status, event | limit_reached(), own, model="gpt-5.5", transport="websocket_event"
    )
    assert told == Failure("quota_exhausted", "five_hour", SOON)


@pytest.mark.parametrize(
    ("event", "cls"),
    [
        ({"status_code": 401, "error": {"code": "token_expired"}}, "auth_refreshable"),
        ({"status_code": 400, "error": {"code": "odd"}}, "request_fault"),
        ({"status_code": "503", "error": None}, "transient"),
        ({"status_code": True, "error": {"code": "rate_limit_exceeded"}}, "rate_limited"),
        ({"error": {"code": "token_expired", "type": "invalid_request_error"}}, "auth_refreshable"),
        ({"error": {"code": "odd"}}, "transient"),
        ({}, "transient"),
    ],
)
def test_a_websocket_event_is_read_by_its_own_status_or_the_one_it_implies(event, cls):
    told = failure("codex", 101, {"type": "error"} | event, transport="websocket_event")
    assert told == Failure(cls)


def test_an_event_without_a_status_has_that_of_the_handshake():
    assert failure("codex", 429, {"type": "error"}, transport="websocket_event") == Failure("rate_limited")


@pytest.mark.parametrize(
    "response",
    [
        limit_reached(),
        {"error": None, "status_details": limit_reached()},
        {"status": "failed"} | limit_reached(),
    ],
)
@pytest.mark.parametrize("as_text", [False, True])
def test_a_failed_response_of_a_stream_has_its_error_inside(response, as_text):
    event = {"type": "response.failed", "response": response}
    body = f"event: response.failed\ndata: {json.dumps(event)}\n\n" if as_text else event
    told = failure("codex", 200, body, codex_headers(), model="gpt-5.5", transport="sse_event")
    assert told == Failure("quota_exhausted", "five_hour", SOON)


@pytest.mark.parametrize(
    ("provider", "events", "told"),
    [
        (
            "codex",
            [
                {"type": "response.created", "response": {"error": None}},
                {"type": "response.failed", "response": limit_reached()},
            ],
            Failure("quota_exhausted", until=SOON),
        ),
        (
            "claude",
            [{"type": "message_start"}, {"type": "error", "error": {"type": "overloaded_error"}}],
            Failure("overloaded"),
        ),
        ("claude", [{"type": "message_start"}, "[DONE]"], Failure("transient")),
    ],
)
def test_the_failing_event_of_a_whole_stream_is_found_behind_the_others(provider, events, told):
    stream = "".join(f"event: x\ndata: {json.dumps(event)}\n\n" for event in events)
    assert failure(provider, 200, stream, transport="sse_event") == told


@pytest.mark.parametrize(
    ("provider", "error", "cls"),
    [
        ("codex", {"code": "rate_limit_exceeded"}, "rate_limited"),
        ("codex", {"code": "server_is_overloaded"}, "overloaded"),
        ("codex", {"code": "context_length_exceeded"}, "request_fault"),
        ("codex", {"code": "server_error"}, "transient"),
        ("claude", {"type": "overloaded_error"}, "overloaded"),
        ("claude", {"type": "api_error"}, "transient"),
        ("claude", {"type": "rate_limit_error"}, "rate_limited"),
        ("claude", {"type": "invalid_request_error"}, "request_fault"),
        ("claude", {"type": "authentication_error"}, "auth_refreshable"),
        ("claude", {"type": "permission_error"}, "transient"),
        ("claude", {"type": "not_found_error"}, "request_fault"),
    ],
)
def test_an_error_in_mid_stream_implies_its_status(provider, error, cls):
    assert failure(provider, 200, {"type": "error", "error": error}, transport="sse_event") == Failure(cls)


def test_without_a_status_the_headers_may_be_another_accounts():
    headers = rejected("5h", w5h=SOON) | {"retry-after": "500"}
    told = failure("claude", 0, {"error": {"type": "rate_limit_error"}}, headers)
    assert told == Failure("rate_limited")


@pytest.mark.parametrize("status", [None, 0, 401, 404, 429, 500])
def test_no_body_and_no_headers_are_read_by_the_status(status):
    by_status = {401: "auth_refreshable", 404: "request_fault", 429: "rate_limited"}
    for provider in ("claude", "codex"):
        assert failure(provider, status) == Failure(by_status.get(status, "transient"))


def test_an_unknown_provider_is_read_by_the_status():
    assert failure("gemini", 429, headers={"retry-after": "5"}) == Failure("rate_limited", until=NOW + 5)
