"""Claude's passive headers and usage body, rule by rule (evidence, sections 1, 2 and 7)."""

import pytest

from qr.quota.claude import read_headers, read_usage
from qr.quota.readings import Observation, Reading

NOW = 1788280000.0
FIVE = 1788285000.0
WEEK = 1788519600.0
P = "anthropic-ratelimit-unified-"


def headers(**suffixes):
    """Headers from suffixes, `_` for `-` and `__` for `_`: `h7d__oi_status` is `…-7d_oi-status`."""
    return {
        P + name.removeprefix("h").replace("__", "\0").replace("_", "-").replace("\0", "_"): value
        for name, value in suffixes.items()
    }


def seen(http=200, /, **suffixes):
    return read_headers(headers(**suffixes), status=http, observed_at=NOW)


def windows(observation):
    return {
        reading.window: (reading.used_percent, reading.resets_at, reading.status)
        for reading in observation.readings
    }


def test_a_healthy_answer_tells_each_window_by_its_own_headers():
    """The aggregate, the claim and overage say nothing of a window (sections 1.2 and 1.4)."""
    observation = seen(
        status="allowed",
        h5h_status="allowed",
        h5h_reset="1788285000",
        h5h_utilization="0.17",
        h7d_status="allowed_warning",
        h7d_reset="1788519600",
        h7d_utilization="0.79",
        h7d_surpassed_threshold="0.75",
        representative_claim="seven_day",
        fallback_percentage="0.5",
        reset="1788519600",
        overage_disabled_reason="org_level_disabled",
        overage_status="rejected",
    )
    assert observation == Observation(
        NOW,
        "headers",
        (
            Reading("five_hour", 17.0, FIVE, "allowed"),
            Reading("weekly", 79.0, WEEK, "allowed_warning"),
        ),
        aggregate="allowed",
    )


@pytest.mark.parametrize(
    ("suffix", "window"),
    [
        ("5h", "five_hour"),
        ("7d", "weekly"),
        ("7d_oi", "weekly:fable"),
        ("7d_sonnet", "weekly:sonnet"),
        ("7d_opus", "weekly:opus"),
        ("7d_mythos", "weekly:mythos"),
        ("7d_new_model", "weekly:new-model"),
        ("5h_oi", "five_hour:fable"),
        ("5h_haiku", "five_hour:haiku"),
    ],
)
@pytest.mark.parametrize("case", [str.lower, str.upper, str.title])
def test_windows_are_found_by_their_shape_in_any_case(suffix, window, case):
    found = read_headers({case(f"{P}{suffix}-utilization"): ["0.28"]}, status=200, observed_at=NOW)
    assert windows(found) == {window: (28.0, None, None)}


@pytest.mark.parametrize(
    "suffix",
    [
        "overage-utilization",
        "overage-reset",
        "overage-status",
        "overage-period-monthly-utilization",
        "overage-period-channel-utilization",
        "slow-status",
        "slow-budget-utilization",
        "grace-status",
        "grace-5h-utilization",
        "grace-7d-utilization",
        "7d_cowork-utilization",
        "7d_sonnet_max-utilization",
        "7d_-utilization",
        "7d___-utilization",
        "30d-utilization",
        "7d-oi-utilization",
        "5h-surpassed-threshold",
        "fallback-percentage",
        "remaining",
        "status",
        "reset",
    ],
)
def test_money_meters_products_and_aggregates_are_no_windows(suffix):
    assert read_headers({P + suffix: "0.9"}, status=200, observed_at=NOW).readings == ()


def test_an_account_billed_by_overage_teaches_nothing():
    assert seen(reset="1785542400", overage_reset="1785542400") == Observation(NOW, "headers")


@pytest.mark.parametrize(
    ("suffixes", "expected"),
    [
        ({"h5h_utilization": "1.08"}, (100.0, None, None)),
        ({"h5h_utilization": "1.0"}, (100.0, None, None)),
        ({"h5h_utilization": "0.01"}, (1.0, None, None)),
        ({"h5h_utilization": "NaN", "h5h_reset": "1788285000"}, (None, FIVE, None)),
        ({"h5h_utilization": "0.5", "h5h_reset": "0"}, (50.0, None, None)),
        ({"h5h_utilization": "0.5", "h5h_reset": ""}, (50.0, None, None)),
        ({"h5h_utilization": "0.5", "h5h_reset": "2026-09-01T17:50:00Z"}, (50.0, FIVE, None)),
        ({"h5h_utilization": "0.5", "h5h_status": "throttled"}, (50.0, None, None)),
        ({"h5h_status": "rejected"}, (None, None, "rejected")),
        ({"h5h_status": "allowed"}, (None, None, "allowed")),
    ],
)
def test_a_window_keeps_what_is_said_and_invents_nothing(suffixes, expected):
    assert windows(seen(**suffixes)) == {"five_hour": expected}


def test_a_window_that_says_nothing_readable_is_not_told():
    assert seen(h5h_status="blocked", h5h_utilization="", h5h_reset="0").readings == ()


def test_a_refused_model_meter_leaves_the_shared_windows_alone():
    observation = seen(
        429,
        status="rejected",
        h5h_status="allowed",
        h5h_utilization="0.0",
        h5h_reset="1788285000",
        h7d_status="allowed_warning",
        h7d_utilization="0.93",
        h7d_reset="1788519600",
        h7d__oi_status="rejected",
        h7d__oi_utilization="1.0",
        h7d__oi_reset="1788519600",
    )
    assert observation == Observation(
        NOW,
        "headers",
        (
            Reading("five_hour", 0.0, FIVE, "allowed"),
            Reading("weekly", 93.0, WEEK, "allowed_warning"),
            Reading("weekly:fable", 100.0, WEEK, "rejected", refused=True),
        ),
        aggregate="rejected",
        successful=False,
    )


@pytest.mark.parametrize(
    ("status", "in_use", "window", "paid"),
    [
        (200, "true", {"h7d_status": "rejected"}, True),
        (200, "True", {"h7d_status": "rejected", "h7d_utilization": "1.0"}, True),
        (200, "true", {"h7d_utilization": "1.02"}, True),
        (200, "true", {"h7d_utilization": "0.99"}, False),
        (200, "true", {"h7d_status": "allowed", "h7d_utilization": "1.0"}, False),
        (200, "false", {"h7d_status": "rejected"}, False),
        (200, None, {"h7d_status": "rejected"}, False),
        (429, "true", {"h7d_status": "rejected"}, False),
    ],
)
def test_a_spent_window_is_paid_when_a_success_says_that_overage_is_in_use(status, in_use, window, paid):
    (reading,) = seen(status, overage_in_use=in_use, **window).readings
    assert reading.paid is paid


def test_two_meters_of_one_family_are_read_as_the_one_with_less_room():
    loose = {"h7d__oi_utilization": "0.2", "h7d__fable_utilization": "0.7"}
    assert windows(seen(**loose)) == {"weekly:fable": (70.0, None, None)}
    refused = {"h7d__oi_status": "rejected", "h7d__fable_utilization": "0.7"}
    assert windows(seen(**refused)) == {"weekly:fable": (None, None, "rejected")}


@pytest.mark.parametrize(
    ("value", "aggregate"),
    [("allowed", "allowed"), ("rejected", "rejected"), ("warning", None), (None, None)],
)
def test_the_aggregate_is_kept_apart(value, aggregate):
    assert seen(status=value, h5h_status="allowed").aggregate == aggregate


RESET = "2026-09-03T18:29:59.871204+00:00"
RESET_AT = 1788460199.0


def usage(**body):
    return read_usage(body, observed_at=NOW)


def flat(utilization, resets_at=RESET):
    return {"utilization": utilization, "resets_at": resets_at, "limit_dollars": None, "locked_reason": None}


def row(kind, percent, resets_at=RESET, display_name=None, **more):
    model = {"id": None, "display_name": display_name} if display_name else None
    scope = {"model": model, "surface": None}
    return {
        "kind": kind,
        "percent": percent,
        "resets_at": resets_at,
        "scope": scope,
        "is_active": False,
    } | more


def test_flat_keys_and_rows_are_one_full_listing():
    observation = usage(
        five_hour=flat(31.0),
        seven_day=flat(54.0),
        seven_day_opus=None,
        limits=[row("session", 31), row("weekly_all", 54), row("weekly_scoped", 81, display_name="Fable")],
    )
    assert observation == Observation(
        NOW,
        "usage",
        (
            Reading("five_hour", 31.0, RESET_AT),
            Reading("weekly", 54.0, RESET_AT),
            Reading("weekly:fable", 81.0, RESET_AT),
        ),
        full=True,
    )


@pytest.mark.parametrize(
    ("utilization", "percent"), [(1.0, 1.0), (0.5, 0.5), (1, 1.0), (12.5, 12.5), (103, 100.0), ("8", 8.0)]
)
def test_the_usage_endpoint_speaks_percent_always(utilization, percent):
    assert windows(usage(seven_day=flat(utilization))) == {"weekly": (percent, RESET_AT, None)}


@pytest.mark.parametrize(
    "key",
    [
        "seven_day_oauth_apps",
        "seven_day_cowork",
        "seven_day_omelette",
        "seven_day_design",
        "seven_day_routines",
        "seven_day_sonnet_max",
        "seven_day_breakdown",
        "seven_day_overage",
        "nimbus_quill",
        "iguana_necktie",
        "extra_usage",
        "spend",
    ],
)
def test_products_code_names_and_money_are_no_windows(key):
    assert usage(**{key: flat(65.22)}) == Observation(NOW, "usage")


@pytest.mark.parametrize("family", ["opus", "sonnet"])
def test_flat_keys_of_model_families_are_their_windows(family):
    assert windows(usage(**{f"seven_day_{family}": flat(12.0)})) == {
        f"weekly:{family}": (12.0, RESET_AT, None)
    }


@pytest.mark.parametrize(
    ("listed", "window"),
    [
        (row("session", 40), "five_hour"),
        (row("weekly_all", 40), "weekly"),
        (row("weekly_scoped", 40, display_name="Claude Fable 5"), "weekly:fable"),
        (row("weekly_scoped", 40, display_name="Mythos"), "weekly:mythos"),
        (row("weekly_all", 40, severity="critical", is_active=True), "weekly"),
    ],
)
def test_rows_are_windows_by_kind_and_display_name(listed, window):
    assert windows(usage(limits=[listed])) == {window: (40.0, RESET_AT, None)}


@pytest.mark.parametrize(
    "listed",
    [
        row("weekly_scoped", 40),
        row("weekly_scoped", 40, display_name="Fable") | {"scope": None},
        row("weekly_scoped", 40, display_name="Fable")
        | {"scope": {"model": {"id": "fable"}, "surface": "x"}},
        row("monthly_all", 40),
        row(["session"], 40),
        row("session", None, None),
        "session",
        None,
    ],
)
def test_rows_that_stand_for_no_window_are_skipped(listed):
    assert usage(limits=[listed]) == Observation(NOW, "usage")


def test_a_window_that_has_not_started_is_said_to_be_free():
    free = Reading("five_hour", 0.0, None, unstarted=True)
    assert usage(five_hour=flat(0.0, None)).readings == (free,)
    assert usage(limits=[row("session", 0, None)]).readings == (free,)
    assert usage(five_hour=flat(0.0, None), limits=[row("session", 0, None)]).readings == (free,)


@pytest.mark.parametrize(
    "window",
    [{"utilization": 0.0}, flat(0.0, ""), flat(0.0, "soon"), flat(3.0, None)],
    ids=["missing", "blank", "unreadable", "used"],
)
def test_a_missing_reset_is_a_statement_only_with_null_and_nothing_used(window):
    (reading,) = usage(five_hour=window).readings
    assert (reading.resets_at, reading.unstarted) == (None, False)


@pytest.mark.parametrize(
    ("flat_window", "row_window", "expected"),
    [
        (flat(12.5), row("session", 12), Reading("five_hour", 12.5, RESET_AT)),
        (flat(97.0), row("session", 2, "2026-09-03T23:30:00Z"), Reading("five_hour", 2.0, 1788478200.0)),
        (flat(97.0), row("session", 0, None), Reading("five_hour", 0.0, None, unstarted=True)),
        (flat(31.0, None), row("session", 31), Reading("five_hour", 31.0, RESET_AT)),
        (flat(31.0), row("session", 31, None), Reading("five_hour", 31.0, RESET_AT)),
        (flat(31.0), row("session", "?", None), Reading("five_hour", 31.0, RESET_AT)),
        (flat("?"), row("session", 1), Reading("five_hour", 1.0, RESET_AT)),
        (flat("?"), row("session", 40), Reading("five_hour", 40.0, RESET_AT)),
        (flat("?"), row("session", "?", "2026-09-03T23:30:00Z"), Reading("five_hour", None, 1788478200.0)),
        (flat(0.4, None), row("session", 0, None), Reading("five_hour", 0.4, None)),
        (None, row("session", 40), Reading("five_hour", 40.0, RESET_AT)),
    ],
)
def test_a_window_that_is_there_twice_is_read_once(flat_window, row_window, expected):
    assert usage(five_hour=flat_window, limits=[row_window]).readings == (expected,)


def test_two_rows_of_one_family_are_read_as_the_one_with_less_room():
    rows = [row("weekly_scoped", 10, display_name="Opus 4"), row("weekly_scoped", 70, display_name="Opus 5")]
    assert windows(usage(limits=rows)) == {"weekly:opus": (70.0, RESET_AT, None)}


@pytest.mark.parametrize(
    "body",
    [
        {"five_hour": None, "seven_day": None, "extra_usage": {"utilization": 65.22}},
        {"five_hour": {}, "limits": "none"},
        {"error": {"type": "rate_limit_error"}},
        {},
        [],
        "text",
        None,
    ],
)
def test_a_body_without_windows_teaches_nothing_and_clears_nothing(body):
    assert read_usage(body, observed_at=NOW) == Observation(NOW, "usage")


@pytest.mark.parametrize(
    "unreadable", [{"utilization": None, "resets_at": None}, flat("?", "?"), "garbage", 5]
)
def test_a_listing_with_an_unreadable_window_is_not_full(unreadable):
    """The window is listed, so it is not gone."""
    observation = usage(five_hour=unreadable, seven_day=flat(54.0))
    assert (windows(observation), observation.full) == ({"weekly": (54.0, RESET_AT, None)}, False)


def test_jitter_of_the_reset_is_left_to_those_who_compare():
    """Just before the mark stays just before it (section 7.1)."""
    assert usage(five_hour=flat(1, "2026-09-03T18:29:59.9999Z")).readings[0].resets_at == RESET_AT


def test_old_use_beside_a_new_reset_is_read_as_it_is():
    """Whether it is believed is decided elsewhere (section 7.2)."""
    assert windows(seen(h5h_utilization="0.98", h5h_reset="1788285000")) == {"five_hour": (98.0, FIVE, None)}
