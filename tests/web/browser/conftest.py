"""A browser, and stages for it to look at.

The services run in another process: the browser's driver wants a thread of control to itself. Nothing sleeps;
waits are for what a person would see, and end with a failure after `PATIENCE`.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

ROOT = Path(__file__).parents[3]
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 10_000
"""Milliseconds until something that should be on the page counts as missing."""

PAGES = ("accounts", "sessions", "activity", "history", "next", "settings", "health")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


class Theatre:
    """The process that the services run in."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.web.browser.theatre"]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def tell(self, **what: object) -> Any:
        """One line in, one line out."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        told = self._process.stdout.readline()
        assert told, "the theatre has died"
        return json.loads(told)

    def close(self) -> None:
        self._process.communicate()


@define(eq=False)
class Stage:
    """A service that runs, and what a test can make happen on it."""

    theatre: Theatre
    scene: str
    flags: tuple[str, ...] = ()
    url: str = ""
    login: str = ""

    def start(self) -> "Stage":
        """Begin a life, on the same port as the one before."""
        port = int(self.url.rpartition(":")[2] or 0)
        self.url, self.login = self.theatre.tell(open=self.scene, flags=self.flags, port=port)
        return self

    def stop(self) -> None:
        self.theatre.tell(close=self.url)

    def do(self, what: str, **how: Any) -> Any:
        """Make something happen: `pick`, `observe`, `change`, …"""
        return self.theatre.tell(at=self.url, do=what, how=how)

    def asked(self) -> list[str]:
        """What came to the host's routes, in order."""
        return list(self.do("asked"))


@pytest.fixture(scope="session")
def theatre() -> Iterator[Theatre]:
    one = Theatre()
    yield one
    one.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    if not CHROMIUM.exists():
        told = "no Chromium here (apt-get install chromium): the dashboard is NOT tested"
        if os.environ.get("QUOTA_ROUTER_TESTS_SKIP_NOTHING"):
            pytest.fail(told)
        pytest.skip(told)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def shared_stage(theatre: Theatre) -> Callable[..., Stage]:
    """Stages that are only looked at: one for all tests that want the same."""
    return cache(lambda scene, *flags: Stage(theatre, scene, flags).start())


@pytest.fixture
def new_stage(theatre: Theatre) -> Callable[..., Stage]:
    """A stage of the test's own, for what changes it."""
    return lambda scene, *flags: Stage(theatre, scene, flags).start()


@define(eq=False)
class Tab:
    """One page, and all that went wrong in it."""

    page: Any
    errors: list[str] = field(factory=list)

    def visit(self, stage: Stage, where: str = "accounts") -> Any:
        """Open a page and wait until the service has told it something."""
        self.page.goto(stage.login)
        self.page.goto(f"{stage.url}/#/{where}")
        self.page.wait_for_selector("#strip .verdict")
        return self.page

    def ignore(self, *parts: str) -> None:
        """Forget errors that the test brought about itself."""
        self.errors[:] = [error for error in self.errors if not any(part in error for part in parts)]


@pytest.fixture
def tab(chromium: Any) -> Iterator[Callable[..., Tab]]:
    """Open tabs; at the end none of them may have said anything to the console, nor broken the policy."""
    tabs: list[Tab] = []
    contexts = []

    def opened(width: int = 1280, **options: Any) -> Tab:
        settings = {
            "locale": "en-GB",
            "timezone_id": "Europe/Berlin",
            "viewport": {"width": width, "height": 900},
            **options,
        }
        contexts.append(chromium.new_context(**settings))
        page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE)
        tabs.append(Tab(page))
        errors = tabs[-1].errors
        page.on(
            "console",
            lambda said: said.type in ("error", "warning") and errors.append(f"{said.text} {said.location}"),
        )
        page.on("pageerror", lambda error: errors.append(str(error)))
        return tabs[-1]

    yield opened
    for context in contexts:
        context.close()
    assert [error for one in tabs for error in one.errors] == []
