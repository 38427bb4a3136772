"""What happens is seen as it happens, whatever the connection is like."""

import time
from typing import Any

SESSION = "c0ffee" + "0" * 58
ANN, BOB = "claude-ann@example.com.json", "claude-bob@example.com.json"


def test_a_pick_is_seen_within_a_second(new_stage: Any, tab: Any) -> None:
    stage = new_stage("well")
    page = tab().visit(stage, "activity")
    page.wait_for_selector('[data-link="live"]')
    page.wait_for_selector(".decisions")
    began = time.monotonic()
    number = stage.do("pick", session=SESSION)
    page.wait_for_selector(f'[data-number="{number}"]')
    assert time.monotonic() - began < 1.0


def test_a_new_binding_appears_among_the_sessions(new_stage: Any, tab: Any) -> None:
    stage = new_stage("well")
    page = tab().visit(stage, "sessions")
    page.wait_for_selector("[data-session]")
    stage.do("pick", session=SESSION)
    page.wait_for_selector('[data-session="c0ffee00"]')


def test_a_reading_moves_its_bar(new_stage: Any, tab: Any) -> None:
    stage = new_stage("well")
    page = tab().visit(stage)
    meter = page.locator(f'[data-account="{ANN}"] .meter').first
    assert "63 %" in meter.inner_text()
    stage.do("observe", account=ANN, window="five_hour", used=55)
    page.wait_for_selector(f'[data-account="{ANN}"] .meter:has-text("45 %")')


def test_focus_and_typing_survive_an_update(new_stage: Any, tab: Any) -> None:
    stage = new_stage("well")
    page = tab().visit(stage)
    page.fill(".filter", "ann")
    stage.do("observe", account=ANN, window="five_hour", used=55)
    page.wait_for_selector('.meter:has-text("45 %")')
    assert page.evaluate("document.activeElement.className") == "filter"
    assert page.input_value(".filter") == "ann"


def test_a_page_finds_back_after_a_restart(new_stage: Any, tab: Any) -> None:
    stage = new_stage("well")
    one = tab()
    page = one.visit(stage, "activity")
    page.wait_for_selector('[data-link="live"]')
    stage.stop()
    # A service that is about to stop may still answer the first attempt: the bar goes, and comes again.
    page.wait_for_selector('#lost .lost:has-text("old")')
    stage.start()
    page.get_by_role("button", name="Try now").click()
    page.wait_for_selector('[data-link="live"]')
    page.wait_for_selector("#lost .lost", state="detached")
    number = stage.do("pick", session=SESSION)
    page.wait_for_selector(f'[data-number="{number}"]')
    one.ignore("ERR_CONNECTION_REFUSED", "WebSocket connection")


NO_WEBSOCKET = """window.WebSocket = class {
  constructor() { setTimeout(() => this.onerror?.(new Event("error"))); }
  close() {}
};"""


def test_where_no_websocket_gets_through_the_page_asks_by_itself(new_stage: Any, tab: Any) -> None:
    stage, one = new_stage("well"), tab()
    one.page.add_init_script(NO_WEBSOCKET)
    page = one.visit(stage)
    page.wait_for_selector('[data-link="polling"]')
    stage.do("observe", account=ANN, window="five_hour", used=55)
    page.wait_for_selector('.meter:has-text("45 %")')


def test_a_list_can_be_held_still(new_stage: Any, tab: Any) -> None:
    stage = new_stage("well")
    page = tab().visit(stage, "activity")
    page.wait_for_selector(".decisions")
    page.get_by_role("button", name="Hold still").click()
    number = stage.do("pick", session=SESSION)
    page.wait_for_selector("text=Go on (1 new)")
    assert page.locator(f'[data-number="{number}"]').count() == 0
    page.click("text=Go on (1 new)")
    page.wait_for_selector(f'[data-number="{number}"]')


def test_a_state_changes_by_the_mere_passing_of_time(new_stage: Any, tab: Any) -> None:
    """No message tells it: the page knows when a reading becomes too old."""
    stage = new_stage("well")
    one = tab()
    page = one.visit(stage)
    page.clock.install()
    page.reload()
    page.wait_for_selector(f'[data-account="{BOB}"][data-state="ok"]')
    stage.stop()
    page.clock.run_for(15 * 60 * 1000)
    page.wait_for_selector(f'[data-account="{BOB}"][data-state="stale"]')
    one.ignore("ERR_CONNECTION_REFUSED", "WebSocket connection")
