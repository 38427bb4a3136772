"""The reference of settings equals the code, and every snippet of settings in the documentation is valid."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from ruamel.yaml import YAML

from qr.cli import main
from qr.routing.policies import POLICIES
from qr.settings import KEYS, parse_settings, settings_from
from tests.docs.markdown import Block, page, pages
from tests.docs.settings_table import PAGE, SECTION, table


def test_table_of_settings_is_the_code_s() -> None:
    found = SECTION.search(PAGE.read_text(encoding="utf-8"))
    assert found
    assert table() == found[0], "run: python -m tests.docs.settings_table"


SNIPPETS = [
    pytest.param(block, id=f"{one.name}-{number}")
    for one in pages()
    for number, block in enumerate(one.blocks())
    if block.language == "yaml"
]


@pytest.mark.parametrize("block", SNIPPETS)
def test_snippets_are_valid(block: Block) -> None:
    """Those for the host are looked at where the plugin's own keys are; others are a settings file."""
    whole = YAML(typ="safe", pure=True).load(block.text)
    if "plugins" in whole:
        for plugin, values in whole["plugins"]["configs"].items():
            assert plugin == "quota-router"
            assert isinstance(values["enabled"], bool)
            assert isinstance(values["priority"], int)
            settings_from(values, source=plugin)
    elif whole.keys() & KEYS.keys():
        parse_settings(block.text, source="snippet")


def test_refusal_is_shown_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "settings.yaml").write_text("mod: shadow\nmax_age: 3\n")
    shown = next(
        block for block in page("docs/reference/settings.md").blocks() if block.text.startswith("$ ")
    )
    command, _, expected = shown.text.removeprefix("$ qr ").partition("\n")
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 1
    assert expected == result.stderr


def test_policies_are_those_of_the_registry() -> None:
    assert list(POLICIES) == page("docs/reference/decisions.md").section("Policies").words()
