"""Codex headers, events and usage bodies, rule by rule (evidence, sections 3, 4 and 7)."""

import pytest

from qr.quota.codex import read_event, read_headers, read_usage
from qr.quota.readings import Observation, Reading

NOW = 1788280000.0
SOON = NOW + 7512
LATER = NOW + 233010
DAY = 86400


def slot(position, used=None, minutes=None, after=None, at=None, family=""):
    """The headers of one window; None is left out."""
    fields = {
        "used-percent": used,
        "window-minutes": minutes,
        "reset-after-seconds": after,
        "reset-at": at,
    }
    return {
        f"x-codex-{family}{position}-{name}": f"{value}"
        for name, value in fields.items()
        if value is not None
    }


def seen(*slots, status=200, **more):
    named = {f"x-codex-{name.replace('_', '-')}": value for name, value in more.items()}
    headers = {name: value for each in (*slots, named) for name, value in each.items()}
    return read_headers(headers, status=status, observed_at=NOW)


def windows(observation):
    assert {reading.status for reading in observation.readings} <= {None}
    return {reading.window: (reading.used_percent, reading.resets_at) for reading in observation.readings}


def test_headers_tell_the_windows_and_the_plan():
    observation = seen(
        slot("primary", 7, 300, 12044, 1788292044),
        slot("secondary", 44.5, 10080, 402113, 1788682113),
        primary_over_secondary_limit_percent="0",
        plan_type="prolite",
        active_limit="premium",
        credits_has_credits="False",
        credits_unlimited="False",
        credits_balance="",
    )
    assert observation == Observation(
        NOW,
        "headers",
        (Reading("weekly", 44.5, 1788682113.0), Reading("five_hour", 7.0, 1788292044.0)),
        plan="prolite",
    )


@pytest.mark.parametrize("status", [400, 429, 503])
def test_headers_are_read_whatever_the_status(status):
    observation = seen(slot("primary", 100, 300, at=SOON), status=status)
    assert observation == Observation(NOW, "headers", (Reading("five_hour", 100.0, SOON),), successful=False)


@pytest.mark.parametrize(
    ("minutes", "window"),
    [
        (300, "five_hour"),
        (299, "five_hour"),
        (295, "five_hour"),
        (305, "five_hour"),
        (294, "17640s"),
        (306, "18360s"),
        (10080, "weekly"),
        (10079, "weekly"),
        (10020, "weekly"),
        (10140, "weekly"),
        (10019, "601140s"),
        (10141, "608460s"),
        (40320, "monthly"),
        (43200, "monthly"),
        (43800, "monthly"),
        (44640, "monthly"),
        (40320 - 61, "2415540s"),
        (44640 + 61, "2682060s"),
        (1440, "86400s"),
        (0.5, "30s"),
    ],
)
@pytest.mark.parametrize("position", ["primary", "secondary", "tertiary"])
def test_a_window_is_told_by_its_length_and_never_by_its_position(position, minutes, window):
    assert windows(seen(slot(position, 5, minutes, at=LATER))) == {window: (5.0, LATER)}
    body = {
        f"{position}_window": {"used_percent": 5, "limit_window_seconds": minutes * 60, "reset_at": LATER}
    }
    assert windows(read_usage({"rate_limit": body}, observed_at=NOW)) == {window: (5.0, LATER)}


@pytest.mark.parametrize("minutes", [None, "", "NaN", "soon", -300, 1e9])
@pytest.mark.parametrize(
    ("position", "reset", "plan", "expected"),
    [
        ("primary", SOON, "plus", "five_hour"),
        ("primary", None, "plus", "five_hour"),
        ("primary", NOW + 18018, "plus", "five_hour"),
        ("primary", LATER, "plus", "weekly"),
        ("primary", SOON, "free", "weekly"),
        ("secondary", SOON, "plus", "weekly"),
        ("secondary", LATER, "free", "weekly"),
    ],
)
def test_without_a_length_the_position_and_the_reset_tell(position, minutes, reset, plan, expected):
    assert windows(seen(slot(position, 5, minutes, at=reset), plan_type=plan)) == {expected: (5.0, reset)}


def test_without_a_length_a_third_window_cannot_be_told():
    assert seen(slot("tertiary", 5, at=SOON)).readings == ()


def test_a_window_told_by_its_length_counts_before_a_guess():
    """A weekly window in primary, and a secondary one that only its position would make weekly."""
    assert windows(seen(slot("primary", 5, 10080, at=LATER), slot("secondary", 60))) == {
        "weekly": (5.0, LATER)
    }


def test_of_two_windows_of_one_length_the_one_with_less_room_counts():
    two = seen(slot("primary", 5, 10080, at=LATER), slot("secondary", 60, 10079, at=LATER))
    assert windows(two) == {"weekly": (60.0, LATER)}


@pytest.mark.parametrize(
    "placeholder",
    [
        slot("secondary", 0, 0, 0, ""),
        slot("secondary", 0, 0, 0, 0),
        slot("secondary", 0, 0, 0, int(NOW)),
        slot("secondary", 0, 0, 500, LATER),
        slot("secondary", 0),
        slot("secondary", 0, None, 0, ""),
        slot("secondary", 0, None, None, int(NOW)),
        slot("secondary", "0.0", "0"),
    ],
)
def test_an_all_zero_placeholder_is_no_window(placeholder):
    assert windows(seen(slot("primary", 9, 10080, at=LATER), placeholder)) == {"weekly": (9.0, LATER)}


@pytest.mark.parametrize(
    ("real", "expected"),
    [
        (slot("primary", 100, 300), {"five_hour": (100.0, None)}),
        (slot("primary", 100), {"five_hour": (100.0, None)}),
        (slot("primary", 100, 0, 0, ""), {"five_hour": (100.0, None)}),
        (slot("primary", 0, 10080), {"weekly": (0.0, None)}),
        (slot("primary", 0, 10080, 604800), {"weekly": (0.0, NOW + 604800)}),
        (slot("primary", 0, None, 7512), {"five_hour": (0.0, SOON)}),
    ],
)
def test_a_full_window_without_reset_and_a_free_one_with_a_length_are_real(real, expected):
    assert windows(seen(real)) == expected


@pytest.mark.parametrize(
    ("after", "at", "expected"),
    [
        (7530, SOON, SOON),
        (7512, None, SOON),
        (7512, "", SOON),
        (7512, 0, SOON),
        (7512, "NaN", SOON),
        ("Infinity", "", None),
        (0, "", None),
        (-5, None, None),
        ("1e300", None, None),
        (None, None, None),
        (None, "2026-09-01T18:31:52Z", SOON),
    ],
)
def test_an_absolute_reset_counts_before_a_relative_one(after, at, expected):
    assert windows(seen(slot("primary", 61, 300, after, at))) == {"five_hour": (61.0, expected)}


def test_older_answers_call_the_relative_reset_resets_in_seconds():
    old = {"x-codex-primary-resets-in-seconds": "7512"}
    assert windows(seen(slot("primary", 61, 300), old)) == {"five_hour": (61.0, SOON)}


@pytest.mark.parametrize("used", ["NaN", "Infinity", "", "1e309", "none"])
def test_a_window_without_a_readable_percent_is_dropped_and_its_sibling_stays(used):
    two = seen(slot("primary", used, 300, at=SOON), slot("secondary", 12, 10080, at=LATER))
    assert windows(two) == {"weekly": (12.0, LATER)}


def test_a_family_has_windows_of_its_own_and_never_overwrites_the_main_ones():
    observation = seen(
        slot("primary", 4, 10080, at=LATER),
        slot("secondary", 0, 0, 0, ""),
        slot("primary", 1, 300, at=SOON, family="bengalfox-"),
        slot("secondary", 85, 10080, at=LATER, family="bengalfox-"),
        bengalfox_limit_name="GPT-5.3-Codex-Spark",
        bengalfox_primary_over_secondary_limit_percent="0",
    )
    assert windows(observation) == {
        "weekly": (4.0, LATER),
        "five_hour:spark": (1.0, SOON),
        "weekly:spark": (85.0, LATER),
    }


@pytest.mark.parametrize(
    ("slug", "limit_name", "family"),
    [
        ("bengalfox", None, "spark"),
        ("codex-bengalfox", "", "spark"),
        ("additional-spark", None, "spark"),
        ("additional-codex-nova", None, "nova"),
        ("otter", "GPT-6-Codex-Otter", "gpt-6-codex-otter"),
        ("otter", None, "otter"),
        ("otter", "Codex-Otter", "codex-otter"),
    ],
)
def test_a_family_is_named_by_its_limit_name_or_its_slug(slug, limit_name, family):
    named = {f"X-Codex-{slug}-Limit-Name": limit_name}
    assert windows(seen(slot("primary", 71, 10080, at=LATER, family=f"{slug}-"), named)) == {
        f"weekly:{family}": (71.0, LATER)
    }


@pytest.mark.parametrize("slug", ["promo", "promo-summer", "safety-buffering", "codex", "-", "."])
def test_what_is_no_meter_of_a_family_is_ignored(slug):
    assert seen(slot("primary", 71, 10080, family=f"{slug}-")).readings == ()


def test_other_lengths_of_a_family_keep_the_family_apart():
    observation = seen(
        slot("primary", 10, 43200, family="nova-"), slot("secondary", 20, 1440, family="nova-")
    )
    assert windows(observation) == {"86400s:nova": (20.0, None), "monthly:nova": (10.0, None)}


def test_a_family_whose_meter_comes_under_two_slugs_is_read_once():
    observation = seen(
        slot("primary", 10, 10080, family="bengalfox-"),
        slot("primary", 20, 10080, family="additional-spark-"),
    )
    assert windows(observation) == {"weekly:spark": (20.0, None)}


@pytest.mark.parametrize(
    ("has_credits", "unlimited", "balance", "paid"),
    [
        ("True", "False", "312.40", True),
        ("true", "false", "0.01", True),
        ("True", "False", "", True),
        ("False", "TRUE", "0", True),
        ("True", "False", "0", False),
        ("True", "False", "NaN", False),
        ("False", "False", "312.40", False),
        ("", "", "", False),
    ],
)
def test_usable_credits_pay_for_spent_windows(has_credits, unlimited, balance, paid):
    observation = seen(
        slot("primary", 100, 300, at=SOON),
        slot("secondary", 40, 10080, at=LATER),
        credits_has_credits=has_credits,
        credits_unlimited=unlimited,
        credits_balance=balance,
    )
    assert {reading.window: reading.paid for reading in observation.readings} == {
        "five_hour": paid,
        "weekly": False,
    }


def test_credits_do_not_pay_for_what_was_refused():
    (reading,) = seen(slot("primary", 100, 300), status=429, credits_unlimited="True").readings
    assert reading.paid is False


def test_the_plan_is_an_open_set_and_bounded():
    assert [seen(plan_type=plan).plan for plan in ("quorum", " ", "x" * 100)] == ["quorum", None, "x" * 64]


def event(**more):
    primary = {"used_percent": 61, "window_minutes": 300, "reset_at": SOON}
    return {"type": "codex.rate_limits", "plan_type": "plus", "rate_limits": {"primary": primary}} | more


def test_an_event_tells_the_main_windows():
    secondary = {"used_percent": 12.5, "window_minutes": 10080, "resets_at": LATER}
    told = event(metered_limit_name=None, limit_name=None)
    told["rate_limits"] = {**told["rate_limits"], "secondary": secondary}
    assert read_event(told, observed_at=NOW) == Observation(
        NOW, "headers", (Reading("five_hour", 61.0, SOON), Reading("weekly", 12.5, LATER)), plan="plus"
    )


@pytest.mark.parametrize(
    "reset", [{"reset_after_seconds": 7512}, {"resets_in_seconds": 7512}, {"resets_at": SOON}]
)
def test_the_reset_of_an_event_has_several_names(reset):
    primary = {"used_percent": 61, "window_minutes": 300} | reset
    assert windows(read_event(event(rate_limits={"primary": primary}), observed_at=NOW)) == {
        "five_hour": (61.0, SOON)
    }


@pytest.mark.parametrize(
    ("names", "window"),
    [
        ({"limit_id": "codex"}, "five_hour"),
        ({"metered_limit_name": "codex", "limit_name": ""}, "five_hour"),
        ({"limit_name": "GPT-5.3-Codex-Spark"}, "five_hour:spark"),
        ({"metered_limit_name": "codex_bengalfox"}, "five_hour:spark"),
        ({"limit_id": "codex_nova", "limit_name": "codex"}, "five_hour:nova"),
        ({"limit_name": "codex_bengalfox", "limit_id": "codex"}, "five_hour:spark"),
        ({"limit_id": "premium"}, "five_hour:premium"),
    ],
)
def test_a_named_limit_of_an_event_is_a_models_meter(names, window):
    assert windows(read_event(event(**names), observed_at=NOW)) == {window: (61.0, SOON)}


@pytest.mark.parametrize(
    "told",
    [
        event(type="response.created"),
        event(limit_name=5),
        event(metered_limit_name={"a": 1}),
        {"rate_limits": event()["rate_limits"]},
        event(rate_limits=None, plan_type=None),
        "codex.rate_limits",
        None,
    ],
)
def test_other_events_tell_nothing(told):
    assert read_event(told, observed_at=NOW) == Observation(NOW, "headers")


def test_credits_of_an_event_pay_for_its_spent_windows():
    primary = {"used_percent": 100, "window_minutes": 300}
    told = event(rate_limits={"primary": primary}, credits={"has_credits": True, "balance": "5"})
    assert [reading.paid for reading in read_event(told, observed_at=NOW).readings] == [True]


def window(used, seconds=18000, reset=SOON):
    return {
        "used_percent": used,
        "limit_window_seconds": seconds,
        "reset_after_seconds": 1,
        "reset_at": reset,
    }


def limit(primary=None, secondary=None, **more):
    return {"primary_window": primary, "secondary_window": secondary} | more


def usage(rate_limit, **more):
    return read_usage({"plan_type": "plus", "rate_limit": rate_limit} | more, observed_at=NOW)


WEEKLY = window(61, 604800, LATER)


def test_a_usage_body_is_a_full_listing():
    observation = usage(
        limit(window(23), WEEKLY, allowed=True, limit_reached=False),
        code_review_rate_limit=limit(window(2, 604800)),
        additional_rate_limits=[
            {
                "limit_name": "GPT-5.3-Codex-Spark",
                "metered_feature": "codex_bengalfox",
                "rate_limit": limit(window(0, 18000, NOW + 18000), window(14, 604800, LATER)),
            }
        ],
        credits={"has_credits": False, "unlimited": False, "balance": "0"},
        spend_control={"reached": False, "individual_limit": {"used_percent": 80, "reset_at": LATER}},
        model_usage={"gpt-5.5": {"available": True}},
    )
    assert observation.full
    assert observation.plan == "plus"
    assert windows(observation) == {
        "weekly": (61.0, LATER),
        "five_hour": (23.0, SOON),
        "weekly:spark": (14.0, LATER),
        "five_hour:spark": (0.0, NOW + 18000),
    }


@pytest.mark.parametrize(
    "body",
    [
        {"plan_type": "free", "rate_limit": None},
        {
            "plan_type": "business",
            "rate_limit": None,
            "spend_control": {"individual_limit": {"used_percent": 5}},
        },
        {"plan_type": "pro", "rate_limit": {}, "code_review_rate_limit": limit(window(2))},
        {"plan_type": "pro", "rate_limit": limit(window(0, 0, 0))},
        {"detail": "Unauthorized"},
        "text",
        None,
    ],
)
def test_a_body_without_windows_teaches_nothing_and_clears_nothing(body):
    assert read_usage(body, observed_at=NOW) == Observation(NOW, "usage")


def test_a_models_meter_without_main_windows_is_read_and_clears_nothing():
    extra = [{"limit_name": "Spark", "rate_limit": limit(window(14, 604800, LATER))}]
    observation = usage(None, additional_rate_limits=extra)
    assert (windows(observation), observation.full) == ({"weekly:spark": (14.0, LATER)}, False)


@pytest.mark.parametrize(
    "row",
    [
        {"limit_name": None, "metered_feature": None, "rate_limit": limit(window(99))},
        {"limit_name": "codex", "rate_limit": limit(window(99))},
        {"limit_name": "Spark", "rate_limit": None},
        {"limit_name": "Spark"},
        "Spark",
        None,
    ],
)
def test_an_additional_limit_without_name_or_windows_is_skipped(row):
    assert windows(usage(limit(WEEKLY), additional_rate_limits=[row])) == {"weekly": (61.0, LATER)}


def test_an_additional_limit_may_be_named_by_its_metered_feature():
    extra = [{"metered_feature": "codex_bengalfox", "rate_limit": limit(window(14, 604800, LATER))}]
    assert "weekly:spark" in windows(usage(limit(WEEKLY), additional_rate_limits=extra))


@pytest.mark.parametrize("unreadable", [window(None), window("NaN"), {"used_percent": 5, "reset_at": SOON}])
def test_a_listing_with_a_window_that_could_not_be_read_is_not_full(unreadable):
    """The window is listed, so it is not gone."""
    observation = usage(limit(WEEKLY, tertiary_window=unreadable))
    assert (windows(observation), observation.full) == ({"weekly": (61.0, LATER)}, False)


def test_missing_fields_of_a_window_are_told_otherwise():
    told = {"used_percent": 5, "reset_after_seconds": 7512}
    assert windows(usage(limit(told))) == {"five_hour": (5.0, SOON)}
    assert windows(usage(limit(told), plan_type="free")) == {"weekly": (5.0, SOON)}


@pytest.mark.parametrize(
    ("primary", "secondary", "refused"),
    [
        (window(100), WEEKLY, {"five_hour"}),
        (window(100), window(100, 604800), {"five_hour", "weekly"}),
        (window(100), window(99, 604800), {"five_hour"}),
        (window(99), WEEKLY, {"five_hour"}),
        (window(99), window(99, 604800), set()),
        (window(40), WEEKLY, set()),
        (window(40), None, {"five_hour"}),
        (window(40), window(0, 0, 0), {"five_hour"}),
        (window("NaN"), WEEKLY, set()),
    ],
)
def test_limit_reached_belongs_to_the_windows_that_can_have_set_it(primary, secondary, refused):
    """One flag for the whole allowance is never copied onto each window (section 4.1)."""
    told = usage(limit(primary, secondary, allowed=False, limit_reached=True)).readings
    assert {reading.window for reading in told if reading.refused} == refused


def test_limit_reached_speaks_of_its_own_meter_only():
    extra = [{"limit_name": "Spark", "rate_limit": limit(window(100), limit_reached=True)}]
    told = usage(limit(window(100), limit_reached=False), additional_rate_limits=extra).readings
    assert {reading.window: reading.refused for reading in told} == {
        "five_hour": False,
        "five_hour:spark": True,
    }


@pytest.mark.parametrize(
    ("balance", "spend_control", "serves"),
    [
        ({"has_credits": True, "balance": "312.40"}, {"reached": False}, True),
        ({"has_credits": True, "balance": None}, None, True),
        ({"has_credits": True}, None, True),
        ({"unlimited": True, "balance": None}, None, True),
        ({"has_credits": True, "balance": "0"}, None, False),
        ({"has_credits": True, "balance": 0}, None, False),
        ({"has_credits": True, "balance": "5", "overage_limit_reached": True}, None, False),
        ({"has_credits": True, "balance": "5"}, {"reached": True}, False),
        ({"has_credits": False, "balance": "5"}, None, False),
        (None, None, False),
    ],
)
def test_credits_that_serve_make_a_spent_window_paid_instead_of_refused(balance, spend_control, serves):
    told = usage(limit(window(100), WEEKLY, limit_reached=True), credits=balance, spend_control=spend_control)
    assert {(reading.window, reading.paid, reading.refused) for reading in told.readings} == {
        ("five_hour", serves, not serves),
        ("weekly", False, False),
    }
    assert windows(told)["five_hour"] == (100.0, SOON)


def test_an_unstarted_window_floats_and_is_read_as_it_is():
    """With nothing used, the reset is a full length from now at every poll (section 7.5)."""
    observation = usage(limit(window(0, 604800, NOW + 604800)))
    assert observation.readings == (Reading("weekly", 0.0, NOW + 604800),)
