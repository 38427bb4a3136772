"""The small modules of the page, asked directly."""

from typing import Any

import pytest

HOUR, DAY = 3600, 86400


@pytest.fixture(scope="module")
def call(chromium: Any, shared_stage: Any) -> Any:
    """Call what a module exports."""
    context = chromium.new_context(locale="en-GB", timezone_id="Europe/Berlin")
    page = context.new_page()
    page.goto(shared_stage("empty").url)
    source = "async ([module, name, given]) => (await import(`/static/js/${module}.js`))[name](...given)"
    yield lambda module, name, *given: page.evaluate(source, [module, name, list(given)])
    context.close()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (59.6, "60 s"),
        (119, "119 s"),
        (120, "2 min"),
        (HOUR - 60, "59 min"),
        (HOUR, "1 h"),
        (2 * HOUR + 300, "2 h 05 min"),
        (DAY, "1 d"),
        (3 * DAY + 4 * HOUR, "3 d 4 h"),
        (-5, "0 s"),
    ],
)
def test_a_duration_is_told_in_two_units(call: Any, seconds: float, words: str) -> None:
    assert call("say/time", "duration", seconds) == words


@pytest.mark.parametrize(
    ("ahead", "words"), [(0, "now"), (90, "in 90 s"), (-90, "90 s ago"), (HOUR, "in 1 h")]
)
def test_a_distance_says_which_way(call: Any, ahead: float, words: str) -> None:
    assert call("say/time", "distance", 1_790_000_000 + ahead, 1_790_000_000) == words


@pytest.mark.parametrize(
    ("ahead", "words"),
    [(HOUR, "17:13"), (DAY, "Tue 16:13"), (-2 * DAY, "Sat 16:13"), (20 * DAY, "11 Oct 16:13")],
)
def test_a_clock_names_the_day_when_it_is_another(call: Any, ahead: float, words: str) -> None:
    assert call("say/time", "clock", 1_790_000_000 + ahead, 1_790_000_000) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "unknown"), (0, "0 %"), (0.2, "<1 %"), (41.4, "41 %"), (99.7, ">99 %"), (100, "100 %")],
)
def test_a_percent_never_rounds_to_a_bound_it_has_not_reached(
    call: Any, value: float | None, words: str
) -> None:
    assert call("say/percent", "percent", value) == words


def window(**differs: Any) -> dict[str, Any]:
    usual = {"used_percent": 40, "resets_at": 2000, "stale_at": 1500, "stale": False, "reset_pending": False}
    marks = {
        "exhausted": False,
        "exhausted_until": None,
        "warned": False,
        "warned_until": None,
        "paid": False,
    }
    return {**usual, **marks, **differs}


@pytest.mark.parametrize(
    ("differs", "now", "state"),
    [
        ({}, 1000, "ok"),
        ({}, 1500, "stale"),
        ({}, 2000, "reset_pending"),
        ({"exhausted": True, "exhausted_until": 1800}, 1000, "exhausted"),
        ({"exhausted": True, "exhausted_until": 1800, "stale_at": None}, 1900, "ok"),
        ({"exhausted": True, "exhausted_until": 3000}, 2000, "reset_pending"),
        ({"warned": True, "warned_until": 1400}, 1000, "warned"),
        ({"warned": True, "warned_until": 1400}, 1400, "ok"),
        ({"used_percent": None, "resets_at": None}, 1000, "unknown"),
        ({"paid": True}, 1000, "paid"),
    ],
)
def test_a_window_goes_on_changing_between_two_answers(call: Any, differs: Any, now: int, state: str) -> None:
    assert call("say/standing", "windowState", window(**differs), now) == state


@pytest.mark.parametrize(
    ("path", "api"),
    [
        ("/", "/api/v1"),
        ("/quota/", "/quota/api/v1"),
        ("/v0/resource/plugins/quota-router/ui", "/v0/management/plugins/quota-router/api/v1"),
        ("/v8/resource/plugins/qr-2/ui", "/v8/management/plugins/qr-2/api/v1"),
        ("/team/a/v0/resource/plugins/quota-router/ui", "/team/a/v0/management/plugins/quota-router/api/v1"),
    ],
)
def test_the_api_is_found_from_the_pages_own_address(call: Any, path: str, api: str) -> None:
    assert call("core/place", "placeOf", path)["api"] == api


def test_escaping_is_undone_once_in_all_texts_and_in_no_key(call: Any) -> None:
    told = {"a&amp;b": ["&lt;b&gt;", {"c": "&amp;lt; &#34;x&#34; &#39;y&#39;"}], "n": 3, "nothing": None}
    assert call("core/api", "unescaped", told) == {
        "a&amp;b": ["<b>", {"c": "&lt; \"x\" 'y'"}],
        "n": 3,
        "nothing": None,
    }


def test_an_axis_names_round_local_times(call: Any) -> None:
    """A day with a change of the clocks: 25 October 2026 has 25 hours in Berlin."""
    from_, to = 1_792_792_800, 1_792_792_800 + 5 * DAY
    ticks = call("charts/scale", "timeTicks", from_, to, 6)
    assert [call("say/time", "clock", at, at) for at in ticks] == ["00:00"] * len(ticks)
    assert len(ticks) >= 4
