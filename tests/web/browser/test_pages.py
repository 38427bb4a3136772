"""Every page in every situation: it is drawn, it fits, nothing complains, and it says what is the matter."""

from typing import Any

import pytest

from .conftest import PAGES
from .scenes import HOSTILE, SCENES
from .service import TOKEN


@pytest.mark.parametrize("scene", SCENES)
def test_every_page_is_drawn_without_an_error(shared_stage: Any, tab: Any, scene: str) -> None:
    page = tab().visit(shared_stage(scene))
    for name in PAGES:
        page.goto(f"{shared_stage(scene).url}/#/{name}")
        page.wait_for_selector("#main h1, #main .empty h2")
        page.wait_for_selector("#main .busy", state="detached")
        assert page.locator("#main").inner_text().strip()


@pytest.mark.parametrize("width", [390, 1280, 1920])
@pytest.mark.parametrize("scene", ["morning", "hostile", "fleet"])
def test_nothing_is_wider_than_the_screen(shared_stage: Any, tab: Any, scene: str, width: int) -> None:
    page = tab(width).visit(shared_stage(scene))
    for name in PAGES:
        page.goto(f"{shared_stage(scene).url}/#/{name}")
        page.wait_for_selector("#main .busy", state="detached")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name


HEADLINES = {
    "well": "All well",
    "morning": "The login of cleo@example.com (Claude) is dead",
    "empty": "No Claude or Codex account is known yet",
    "shadow": "Shadow mode",
    "off": "The router is off",
    "forgetful": "Nothing is remembered across restarts",
    "deaf": "The host reports no results",
    "hostless": "No host is attached",
    "refused": "The newest settings were refused",
}


@pytest.mark.parametrize(("scene", "headline"), HEADLINES.items())
def test_the_strip_says_at_once_how_things_stand(
    shared_stage: Any, tab: Any, scene: str, headline: str
) -> None:
    page = tab().visit(shared_stage(scene))
    assert page.locator("#strip .headline").inner_text() == headline


def test_an_old_host_is_told_of_though_all_is_well(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("old_host"))
    assert page.locator("#strip .headline").inner_text() == "All well"
    assert "Update the host" in page.locator('[data-note="host_too_old"]').inner_text()


def test_the_strip_says_what_runs_dry_first_and_when(shared_stage: Any, tab: Any) -> None:
    tile = tab().visit(shared_stage("morning")).locator(".tile.dry")
    assert "gil@example.com" in tile.inner_text()
    assert "in 2" in tile.locator("time-text").first.inner_text()


STATES = {
    "ann": "ok",
    "bob": "warned",
    "cleo": "login_dead",
    "dan": "exhausted",
    "eve": "paused",
    "finn": "stale",
    "hana": "reset_pending",
    "ivo": "unknown",
    "jo": "circuit_open",
}


@pytest.mark.parametrize("shape", ["cards", "table"])
def test_an_account_shows_the_worst_that_is_true_of_it(shared_stage: Any, tab: Any, shape: str) -> None:
    page = tab().visit(shared_stage("morning"), f"accounts?as={shape}")
    for name, state in STATES.items():
        shown = page.locator(f'[data-account*="{name}@"]').first
        assert shown.get_attribute("data-state") == state, name


def test_unknown_is_shown_as_unknown(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("morning"))
    assert "Nothing was read of it yet" in page.locator('[data-account*="ivo@"]').inner_text()


def test_every_percent_says_whether_it_is_used_or_left(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("morning"))
    for said in page.locator(".meter-said").all_inner_texts():
        assert "used" in said or "unknown" in said, said


def test_a_number_opens_where_it_comes_from(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("morning"))
    page.click('[data-account*="bob@"] .meter >> nth=1')
    panel = page.locator("#panel")
    panel.locator("tbody tr").first.wait_for()
    text = panel.inner_text()
    for part in (
        "Week of bob@example.com",
        "headers of a response",
        "83 %",
        "ago",
        "allowed, with a warning",
    ):
        assert part in text, part


def test_a_decision_opens_into_why(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("morning"), "activity")
    page.click(".decisions tbody a >> nth=0")
    panel = page.locator("#panel")
    panel.locator("[data-verdict=chosen]").wait_for()
    verdicts = panel.locator(".verdict").all_inner_texts()
    assert len(verdicts) >= 3
    assert all(panel.locator(".score").all_inner_texts())


def test_the_back_button_closes_the_panel(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("well"))
    page.click(".meter >> nth=0")
    page.wait_for_selector("#panel h2")
    page.go_back()
    page.wait_for_selector("#panel", state="hidden")


def test_the_next_pick_is_told_for_each_provider_and_family(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("morning"), "next")
    page.wait_for_selector(".pick")
    found = page.eval_on_selector_all(
        ".pick", "all => all.map(one => [one.dataset.provider, one.dataset.family])"
    )
    assert found == [["claude", ""], ["claude", "fable"], ["codex", ""], ["codex", "spark"]]


def test_history_marks_what_was_lost_and_what_was_refused(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("morning"), "history")
    page.wait_for_selector("quota-history .waste", state="attached")
    page.wait_for_selector("quota-history .refusal", state="attached")


def test_a_service_that_has_just_begun_says_what_will_be_where(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("young"), "activity")
    page.wait_for_selector("text=No decision yet")
    page.goto(f"{shared_stage('young').url}/#/sessions")
    page.wait_for_selector("text=No session is bound")


def test_three_hundred_accounts_can_be_sorted_and_filtered(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("fleet"))
    rows = page.locator("tr[data-account]")
    page.locator("tr[data-account] >> nth=299").wait_for(state="attached")
    assert rows.count() == 300
    page.get_by_label("Sort by 5 hours, left").first.click()
    page.wait_for_selector('th[aria-sort="ascending"]:has-text("5 hours")')
    page.fill(".filter", "agent042")
    page.wait_for_selector("tr[data-account] >> nth=1", state="detached")
    assert "agent042" in rows.inner_text()


def test_text_from_elsewhere_never_becomes_markup(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("hostile"))
    for name in PAGES:
        page.goto(f"{shared_stage('hostile').url}/#/{name}")
        page.wait_for_selector("#main .busy", state="detached")
        assert page.locator("#main img, #main script, #main b > script").count() == 0
    page.goto(f"{shared_stage('hostile').url}/#/accounts")
    page.wait_for_selector(".account")
    assert HOSTILE in page.locator("#main").inner_text()


def test_an_invisible_name_gives_way_to_the_id(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("hostile"))
    names = page.locator(".account h3").all_inner_texts()
    assert all(name.strip("\u200b ") for name in names)


def test_a_token_is_asked_for_and_opens_the_page(new_stage: Any, tab: Any) -> None:
    one = tab()
    one.page.goto(new_stage("well").url)
    one.page.wait_for_selector(".gate")
    assert one.page.locator("#strip").inner_text() == ""
    one.page.get_by_label("Token").fill("wrong")
    one.page.keyboard.press("Enter")
    one.page.wait_for_selector("text=That token was refused.")
    one.page.get_by_label("Token").fill(TOKEN)
    one.page.keyboard.press("Enter")
    one.page.wait_for_selector(".account")
    one.ignore("401")  # the browser itself reports them


def test_the_printed_address_logs_in(shared_stage: Any, tab: Any) -> None:
    stage, page = shared_stage("well"), tab().page
    page.goto(stage.login)
    page.wait_for_selector(".account")
    assert TOKEN not in page.url


def test_the_colours_can_be_chosen_and_are_remembered(shared_stage: Any, tab: Any) -> None:
    page = tab(color_scheme="dark").visit(shared_stage("well"))
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    page.click(".theme")
    light = page.evaluate(background)
    assert light != dark
    page.reload()
    page.wait_for_selector(".account")
    assert page.evaluate(background) == light


def test_on_paper_there_is_nothing_to_click(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("morning"))
    page.emulate_media(media="print")
    assert not page.locator("#head nav").is_visible()
    assert not page.locator(".account .actions").first.is_visible()
    assert page.locator(".account .meter").first.is_visible()
