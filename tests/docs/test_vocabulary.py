"""The words in the reference are those of the code: reasons, verdicts, notes, failures, frames, states."""

import re
from typing import get_args

from qr.abi import frames
from qr.quota.signs import FailureClass
from qr.routing.policies import POLICIES
from qr.web.render.notes import NOTES
from qr.web.render.words import REASONS, VERDICTS
from tests.docs.markdown import ROOT, page

DECISIONS = page("docs/reference/decisions.md")


def test_reasons() -> None:
    known = {*REASONS, *(f"policy:{name}" for name in POLICIES)}
    assert known == set(DECISIONS.section("Reasons").words())


def test_verdicts() -> None:
    assert {*VERDICTS, "exhausted:<window>"} == set(DECISIONS.section("Verdicts").words())


def test_failures() -> None:
    shown = page("docs/reference/windows.md").section("Failures").words()
    assert set(get_args(FailureClass)) == set(shown)


def test_notes_have_their_remedy() -> None:
    assert set(NOTES) == set(
        page("docs/how-to/trouble.md").section("… the dashboard notes something").words()
    )


def test_messages_that_have_a_remedy_are_said() -> None:
    """A message that the page quotes stands in the code, apart from what is filled in."""
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "qr").rglob("*.py"))
    said = re.sub(r'"\s+f?"', "", source)
    for message in page("docs/how-to/trouble.md").section("… something does not start").words():
        assert [part for part in message.split("…") if part.strip() not in said] == []


def test_frames() -> None:
    rows = page("docs/reference/wire.md").section("Frames").rows()
    shown = {row[0].strip("`"): int(row[1]) for row in rows if re.fullmatch(r"`[A-Z_]+`", row[0])}
    assert {name: getattr(frames, name) for name in shown} == shown
    assert sorted(shown.values()) == list(range(frames.CALL, frames.ATTACH + 1))
