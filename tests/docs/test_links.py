"""Every link within the documentation leads somewhere."""

import pytest

from tests.docs.markdown import DOCS, Page, page, pages


@pytest.mark.parametrize("given", pages(), ids=lambda given: given.name)
def test_links_lead_to_a_file_and_a_heading(given: Page) -> None:
    for link in given.links():
        target, _, anchor = link.partition("#")
        if target.startswith(("http://", "https://")):
            continue
        path = (given.path.parent / target).resolve() if target else given.path
        assert path.exists(), f"{given.name} links to {link}"
        if anchor:
            assert anchor in Page(path, path.read_text(encoding="utf-8")).anchors(), f"{given.name}: {link}"


def test_every_page_is_on_its_shelf() -> None:
    """A page that the index does not name is not found."""
    index = page("docs/README.md")
    linked = {(DOCS / link.partition("#")[0]).resolve() for link in index.links()}
    assert set(DOCS.rglob("*.md")) - linked == {index.path}


@pytest.mark.parametrize("given", pages(), ids=lambda given: given.name)
def test_a_page_begins_with_its_title(given: Page) -> None:
    assert given.text.startswith("# ")
    assert given.text.endswith("\n")
