"""The examples of the documentation are run, and print what stands beside them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from qr.actors.image import read_image
from qr.cli import main
from qr.store import SCHEMA
from tests.docs.markdown import Block, Page, page, pages

REPORT = page("docs/how-to/report-a-bug.md")


@pytest.mark.parametrize("section", ["A number is wrong", "A decision is wrong"])
def test_report_prints_what_is_shown(section: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file, the command, and what it prints follow each other."""
    monkeypatch.chdir(tmp_path)
    given, typed, printed = list(REPORT.section(section).blocks())[:3]
    command = typed.text.split()[1:]
    Path(command[-1]).write_text(given.text, encoding="utf-8")
    result = CliRunner().invoke(main, command)
    assert printed.text == "".join(f"{line.rstrip()}\n" for line in result.stdout.splitlines())


def test_kinds_of_signals_are_all_described() -> None:
    """A kind that the page names is one that the command knows, and the other way round."""
    told = CliRunner().invoke(main, ["read-signal", "--help"]).stdout.split()
    known = {word.strip("`,;") for word in told if word.startswith("`")} - {"kind", "input"}
    assert known == set(REPORT.section("A number is wrong").words())


def _json(one: Page) -> list[Block]:
    return [block for block in one.blocks() if block.language == "json"]


@pytest.mark.parametrize(
    "one",
    [one for one in pages() if one.name != "docs/reference/api.md" and _json(one)],
    ids=lambda one: one.name,
)
def test_json_is_json(one: Page) -> None:
    for block in _json(one):
        json.loads(block.text)


def test_state_that_is_shown_can_be_read() -> None:
    shown = _json(page("docs/reference/state.md"))[0].text
    image = read_image(shown.encode())
    assert json.loads(shown)["schema"] == SCHEMA
    assert image.unreadable == 0
    assert len(image.accounts) == 1
    assert len(image.bindings) == 1
