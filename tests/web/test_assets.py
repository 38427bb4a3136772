"""The dashboard's files: from memory, typed, with an entity tag, and nothing beside them."""

import pytest

from qr.web.assets import load_assets
from tests.web.site import running


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "static"
    (root / "js").mkdir(parents=True)
    (root / "index.html").write_text("<!doctype html>")
    (root / "js" / "app.js").write_text("export {}")
    (root / "app.css").write_text("body {}")
    (root / "favicon.svg").write_text("<svg/>")
    (root / "notes.txt").write_text("not for the web")
    (root / ".hidden").write_text("x")
    (tmp_path / "secret.js").write_text("x")
    return root


def test_files_are_found_by_their_path_with_their_types(folder):
    assets = load_assets(folder)
    assert {name: asset.content_type for name, asset in assets.items()} == {
        "index.html": "text/html; charset=utf-8",
        "js/app.js": "text/javascript; charset=utf-8",
        "app.css": "text/css; charset=utf-8",
        "favicon.svg": "image/svg+xml",
    }


def test_the_tag_follows_the_content(folder):
    before = load_assets(folder)["app.css"].etag
    (folder / "app.css").write_text("body { margin: 0 }")
    assert load_assets(folder)["app.css"].etag != before


def test_without_files_there_are_none(tmp_path):
    assert load_assets(tmp_path / "nowhere") == {}


async def test_the_packages_own_are_served_and_revalidated(tmp_path):
    async with running(tmp_path) as site:
        for name, asset in site.service.web.assets.items():
            path = "/" if name == "index.html" else f"/static/{name}"
            answer = await site.client.get(path)
            assert answer.content == asset.content
            assert answer.headers["Content-Type"] == asset.content_type
            assert answer.headers["Cache-Control"] == "no-cache"
            again = await site.client.get(path, headers={"If-None-Match": answer.headers["ETag"]})
            assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/static/",
        "/static/none.js",
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static//etc/passwd",
        "/static/js",
    ],
)
async def test_nothing_else_is_there(tmp_path, path):
    async with running(tmp_path) as site:
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        assert (await site.raw(request.encode())).split()[1] in (b"404", b"308", b"401")


def test_no_page_has_inline_code():
    """What the content policy would block must not be there in the first place."""
    for name, asset in load_assets().items():
        if name.endswith(".html"):
            text = asset.content.decode().lower()
            assert "<script>" not in text
            assert "<style" not in text
            assert " style=" not in text
            assert "javascript:" not in text
            assert " onload=" not in text
