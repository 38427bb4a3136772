"""One window: its moments, its age, whom it limits."""

import pytest

from qr.quota.windows import Window, applies, families, in_family, limits, long_window, remaining_percent

NOW = 1_788_280_000.0


@pytest.mark.parametrize(
    ("model", "family", "belongs"),
    [
        ("claude-fable-5", "fable", True),
        ("claude-fable-5(8192)", "fable", True),
        ("claude-FABLE-5.1", "fable", True),
        ("claude-fabled-5", "fable", False),
        ("claude-sonnet-4-5", "fable", False),
        ("gpt-5.3-codex-spark", "spark", True),
        ("sparkling-water", "spark", False),
        ("mythos_max-1", "mythos-max", True),
        ("sonnet(fable)", "fable", False),
        ("", "fable", False),
    ],
)
def test_a_model_belongs_to_the_family_whose_name_it_contains_as_a_word(model, family, belongs):
    assert in_family(model, family) is belongs


@pytest.mark.parametrize(
    ("name", "model", "limited"),
    [
        ("five_hour", "claude-sonnet-4-5", True),
        ("weekly", "anything", True),
        ("monthly", "", True),
        ("weekly:fable", "claude-sonnet-4-5", False),
        ("weekly:fable", "claude-fable-5", True),
        ("five_hour:spark", "gpt-5.3-codex-spark", True),
        ("86400s", "gpt-5.3-codex-spark", False),
        ("86400s:spark", "gpt-5.3-codex-spark", False),
    ],
)
def test_which_windows_limit_a_model(name, model, limited):
    assert applies(name, model) is limited


def test_a_window_of_an_odd_length_limits_nothing():
    assert limits("weekly:fable")
    assert not limits("86400s")


def test_the_families_that_have_windows():
    assert families(["five_hour", "weekly:fable", "five_hour:spark", "86400s:odd"]) == {"fable", "spark"}


def test_the_long_window_is_the_week_and_else_the_month():
    week, month = Window("weekly"), Window("monthly")
    assert long_window({"weekly": week, "monthly": month}) is week
    assert long_window({"monthly": month}) is month
    assert long_window({"five_hour": Window("five_hour")}) is None


@pytest.mark.parametrize(("used", "left"), [(0, 100), (61.5, 38.5), (100, 0), (120, 0)])
def test_remaining_and_used_add_up(used, left):
    assert remaining_percent(used) == left


def test_past_its_reset_a_window_is_neither_exhausted_nor_warned_nor_paid():
    window = Window("weekly", 100, NOW, NOW - 60, warned_until=NOW + 60, exhausted_until=NOW + 60, paid=True)
    assert window.passed(NOW)
    assert not window.exhausted(NOW)
    assert not window.warned(NOW)
    assert not window.served_by_credits(NOW)
    assert window.exhausted(NOW - 1)
    assert window.warned(NOW - 1)
    assert window.served_by_credits(NOW - 1)


def test_paid_credits_serve_a_window_without_a_reset_for_a_while_only():
    window = Window("weekly", 100, None, NOW - 60, paid=True, paid_until=NOW)
    assert window.served_by_credits(NOW - 1)
    assert not window.served_by_credits(NOW)


def test_without_a_reset_nothing_passes():
    assert not Window("weekly").passed(NOW)
    assert not Window("weekly").exhausted(NOW)
    assert not Window("weekly").warned(NOW)


def test_evidence_from_the_future_is_infinitely_old():
    """The clock was set back while nobody ran: the step must not make old data fresh."""
    assert Window("weekly", observed_at=NOW + 3600).age(NOW) == float("inf")
    assert Window("weekly", observed_at=NOW - 60).age(NOW) == 60
    assert Window("weekly", observed_at=NOW + 1).age(NOW) == -1
