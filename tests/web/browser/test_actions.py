"""What an operator does is done, said, and taken back."""

from typing import Any

ANN = "claude-ann@example.com.json"

BACK = ".toast button:not(.close)"
"""The way back, whatever it is called."""


def test_pausing_says_what_it_did_and_can_be_undone(new_stage: Any, tab: Any) -> None:
    page = tab().visit(new_stage("well"))
    page.get_by_role("button", name="Pause ann@example.com").click()
    page.wait_for_selector("text=ann@example.com is paused: it gets no request until it is resumed.")
    page.wait_for_selector(f'[data-account="{ANN}"][data-state="paused"]')
    page.click(BACK)
    page.wait_for_selector(f'[data-account="{ANN}"][data-state="ok"]')


def test_a_refresh_says_when_the_next_one_is_possible(new_stage: Any, tab: Any) -> None:
    one = tab()
    page = one.visit(new_stage("well"))
    button = page.get_by_role("button", name="Refresh ann@example.com")
    button.click()
    page.wait_for_selector("text=ann@example.com is being polled")
    page.wait_for_selector('[aria-label="Refresh ann@example.com"][disabled]')


def test_an_unbound_session_can_be_bound_again(new_stage: Any, tab: Any) -> None:
    page = tab().visit(new_stage("well"), "sessions")
    first = page.locator("[data-session]").first
    name = first.get_attribute("data-session")
    first.get_by_role("button", name=f"Unbind session {name}").click()
    page.wait_for_selector(f'[data-session="{name}"]', state="detached")
    page.click(BACK)
    page.wait_for_selector(f'[data-session="{name}"]')


def test_a_policy_holds_at_once_and_can_be_taken_back(new_stage: Any, tab: Any) -> None:
    page = tab().visit(new_stage("well"), "settings")
    page.get_by_label("balanced").check()
    page.wait_for_selector("text=In force now: policy is balanced")
    page.click(BACK)
    page.wait_for_selector("text=In force now: policy is reset_first")
    page.wait_for_selector('label.current:has-text("reset_first")')


def test_the_mode_is_shown_wherever_one_is(new_stage: Any, tab: Any) -> None:
    page = tab().visit(new_stage("well"), "settings")
    page.get_by_label("Shadow").check()
    page.wait_for_selector('[data-mode="shadow"]')


def test_what_is_wrong_with_a_setting_is_said_before_it_is_saved(new_stage: Any, tab: Any) -> None:
    page = tab().visit(new_stage("well"), "settings")
    page.fill("#setting-max_age", "3")
    page.wait_for_selector('[data-key="max_age"] [role="alert"]')
    assert "must be 30 to 2592000" in page.locator('[data-key="max_age"]').inner_text()
    assert page.locator(".save-bar button.main").is_disabled()
    page.fill("#setting-max_age", "600")
    page.wait_for_selector("text=max_age is 600 now (was 900)")
    page.click(".save-bar button.main")
    page.wait_for_selector(".toast >> text=In force now: max_age is 600")
    page.wait_for_selector('[data-key="max_age"] >> text=changed')
    page.click(BACK)
    page.wait_for_selector('[data-key="max_age"] >> text=changed', state="detached")


def test_discarding_takes_a_draft_back(new_stage: Any, tab: Any) -> None:
    page = tab().visit(new_stage("well"), "settings")
    page.fill("#setting-max_age", "600")
    page.click("text=Discard")
    page.wait_for_selector(".save-bar", state="detached")
    assert page.input_value("#setting-max_age") == "900"


def test_a_manual_priority_is_raised_step_by_step(new_stage: Any, tab: Any) -> None:
    page = tab().visit(new_stage("well"))
    page.click(f'[data-account="{ANN}"] h3 a')
    page.get_by_role("button", name="Raise").click()
    page.wait_for_selector("#panel output:has-text('+1')")
    page.wait_for_selector(".toast >> text=manual_priority")
