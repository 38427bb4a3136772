"""The real service inside a host: the door, the escaping, the settings."""

from typing import Any

import pytest

from .host import KEY

UI = "/proxy/v0/resource/plugins/quota-router/ui"


@pytest.fixture
def inside(new_stage: Any, tab: Any) -> Any:
    """A page inside a host; nothing was typed yet."""

    def opened(scene: str = "well", *, old: bool = False) -> tuple[Any, Any, Any]:
        stage = new_stage(scene, "old-host" if old else "host")
        one = tab()
        one.page.goto(stage.url + UI)
        one.page.wait_for_selector(".gate")
        return stage, one, one.page

    return opened


def unlock(page: Any, key: str = KEY) -> None:
    page.get_by_label("Management key").fill(key)
    page.keyboard.press("Enter")


def test_nothing_is_asked_before_the_key_was_typed(inside: Any) -> None:
    stage, _, page = inside()
    page.click("text=Health")
    page.click("text=Activity")
    assert stage.asked() == []


def test_the_key_opens_the_pages_and_is_kept_nowhere(inside: Any) -> None:
    _, _, page = inside()
    unlock(page)
    page.wait_for_selector(".account")
    page.wait_for_selector('[data-link="polling"]')
    kept = page.evaluate(
        "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])"
    )
    assert KEY not in kept
    page.reload()
    page.wait_for_selector(".gate")


def test_after_the_first_refusal_nothing_is_sent_any_more(inside: Any) -> None:
    stage, one, page = inside()
    unlock(page, "wrong")
    page.wait_for_selector("text=The host refused the key")
    page.click("text=Health")
    page.click("text=Accounts")
    assert stage.asked() == ["GET api/v1/events"]
    unlock(page)
    page.wait_for_selector(".account, .empty")
    one.ignore("401")


def test_a_ban_is_told_in_the_hosts_words(inside: Any) -> None:
    _, one, page = inside()
    for _ in range(5):
        # The words of the last attempt are still there: what tells of this one is its answer.
        with page.expect_response(lambda answer: answer.status == 401):
            unlock(page, "wrong")
        page.wait_for_selector("text=The host refused the key")
    unlock(page)
    page.wait_for_selector("text=IP banned due to too many failed attempts")
    one.ignore("401", "403")


@pytest.mark.parametrize("old", [False, True])
def test_names_look_the_same_on_every_host(inside: Any, old: bool) -> None:
    """Old hosts escape every text as HTML."""
    _, _, page = inside("hostile", old=old)
    unlock(page)
    page.wait_for_selector(".account")
    assert '<img src=x onerror="alert(1)">&amp;\'"' in page.locator(".account h3").all_inner_texts()


def test_one_combined_question_serves_the_health_page(inside: Any) -> None:
    stage, _, page = inside()
    unlock(page)
    page.wait_for_selector(".account")
    page.click("text=Health")
    page.wait_for_selector('[data-card="Host"]')
    assert any("with=health" in one for one in stage.asked())
    assert not any(one.startswith("GET api/v1/health") for one in stage.asked())


def test_settings_are_checked_written_through_the_host_and_waited_for(inside: Any) -> None:
    stage, _, page = inside()
    unlock(page)
    page.wait_for_selector(".account")
    page.click("text=Settings")
    page.get_by_label("balanced").check()
    page.wait_for_selector(
        "text=policy is balanced now (was reset_first). Written to the host's configuration."
    )
    writes = [one for one in stage.asked() if not one.startswith("GET")]
    assert writes == ["POST api/v1/settings/check", "PATCH config"]
    page.locator(".toast").get_by_role("button", name="Undo").click()
    page.wait_for_selector("text=policy is reset_first now (was balanced)")


def test_a_setting_that_is_wrong_never_reaches_the_host(inside: Any) -> None:
    stage, _, page = inside()
    unlock(page)
    page.wait_for_selector(".account")
    page.click("text=Settings")
    page.fill("#setting-max_age", "3")
    page.wait_for_selector('[data-key="max_age"] [role="alert"]')
    assert page.locator(".save-bar button.main").is_disabled()
    assert "PATCH config" not in stage.asked()


def test_the_page_may_stand_in_a_frame_of_the_hosts_own(new_stage: Any, tab: Any) -> None:
    stage = new_stage("well", "host")
    one = tab()
    one.page.goto(f"{stage.url}/panel")
    frame = one.page.frame_locator("iframe")
    frame.locator(".gate").wait_for()
    frame.get_by_label("Management key").fill(KEY)
    frame.get_by_label("Management key").press("Enter")
    frame.locator(".account").first.wait_for()
