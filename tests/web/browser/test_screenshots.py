"""What the pages look like, for people: nothing is compared. The pictures are in `artifacts/dashboard`."""

from typing import Any

import pytest

from .conftest import PAGES, ROOT

PICTURES = ROOT / "artifacts" / "dashboard"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280, 1920])
@pytest.mark.parametrize("scene", ["morning", "fleet"])
def test_each_page_has_its_picture_taken(
    shared_stage: Any, tab: Any, scene: str, width: int, scheme: str
) -> None:
    stage = shared_stage(scene)
    page = tab(width, color_scheme=scheme).visit(stage)
    for name in PAGES:
        page.goto(f"{stage.url}/#/{name}")
        page.wait_for_selector("#main .busy", state="detached")
        page.screenshot(path=PICTURES / f"{scene}-{name}-{width}-{scheme}.png")
