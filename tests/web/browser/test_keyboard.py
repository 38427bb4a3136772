"""Everything can be done, and heard, without a pointer."""

from typing import Any

import pytest

from .conftest import PAGES


def test_the_first_stop_jumps_over_the_head(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("well"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.url.endswith("#/accounts")


def test_evidence_opens_takes_the_focus_and_gives_it_back(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("well"))
    page.locator(".meter").nth(1).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#panel h2")
    assert page.evaluate("document.activeElement.closest('#panel') !== null")
    page.keyboard.press("Escape")
    page.wait_for_selector("#panel", state="hidden")
    assert page.evaluate("document.activeElement.className").startswith("meter")


def test_a_slash_goes_to_the_filter(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("fleet"))
    page.locator(".filter").wait_for()
    page.keyboard.press("/")
    page.keyboard.type("agent007")
    page.wait_for_selector("tr[data-account] >> nth=1", state="detached")
    assert page.input_value(".filter") == "agent007"


def test_another_page_begins_at_its_top_for_everybody(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("well"))
    page.get_by_role("link", name="Settings").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#main h1:has-text('Settings')")
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.title() == "Settings · quota-router"


def test_an_account_is_paused_by_keyboard_alone(new_stage: Any, tab: Any) -> None:
    page = tab().visit(new_stage("well"))
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('aria-label')") == "Pause ann@example.com":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector('[data-account*="ann@"][data-state="paused"]')


UNNAMED = """all => all.filter(one => one.offsetParent !== null && !(
    one.getAttribute('aria-label') || one.labels?.length || one.textContent.trim() || one.title
)).map(one => one.outerHTML)"""


@pytest.mark.parametrize("name", PAGES)
def test_whatever_can_be_used_has_a_name(shared_stage: Any, tab: Any, name: str) -> None:
    page = tab().visit(shared_stage("morning"), name)
    page.wait_for_selector("#main .busy", state="detached")
    assert page.eval_on_selector_all("a, button, input, select", UNNAMED) == []


def test_the_page_has_its_landmarks(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("well"))
    assert page.get_by_role("main").count() == 1
    assert page.get_by_role("banner").count() == 1
    assert page.get_by_role("navigation", name="Pages").count() == 1
    assert page.get_by_role("region", name="How things stand").count() == 1


def test_a_drawing_says_in_a_sentence_what_it_shows(shared_stage: Any, tab: Any) -> None:
    page = tab().visit(shared_stage("well"))
    said = page.locator("burn-down svg[role=img]").first.get_attribute("aria-label")
    assert "left, resets in" in said
    assert "At this pace" in said


# Text on its ground, by the names of the palette.
TEXTS = [
    *[
        (text, ground)
        for text in ("ink", "quiet", "accent", "good", "warn", "bad")
        for ground in ("paper", "surface", "raised")
    ],
    ("warn", "warn-soft"),
    ("bad", "bad-soft"),
    ("accent", "accent-soft"),
    ("on-accent", "accent"),
]

CONTRAST = """pairs => {
  const probe = document.createElement("i");
  document.body.append(probe);
  const light = (name) => {
    probe.style.color = `var(--${name})`;
    const parts = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(Number);
    const linear = parts.map((part) => part / 255)
      .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  return pairs.map(([text, ground]) => {
    const [a, b] = [light(text), light(ground)].sort((x, y) => y - x);
    return [text, ground, (a + 0.05) / (b + 0.05)];
  });
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(shared_stage: Any, tab: Any, scheme: str) -> None:
    """At least 4.5 to 1, as WCAG's AA asks of text of any size."""
    page = tab(color_scheme=scheme).visit(shared_stage("well"))
    found = page.evaluate(CONTRAST, TEXTS)
    assert [one for one in found if one[2] < 4.5] == []


def test_who_wants_no_motion_gets_none(shared_stage: Any, tab: Any) -> None:
    page = tab(reduced_motion="reduce").visit(shared_stage("well"))
    assert page.evaluate("getComputedStyle(document.querySelector('.bar .fill')).transitionDuration") == "0s"
