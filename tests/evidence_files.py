"""The captured signals and situations, by name."""

import json
from pathlib import Path
from typing import Any

import pytest

EVIDENCE = Path(__file__).parent / "evidence"


def cases(kind: str) -> list[Any]:
    """The files of a folder as pytest parameters."""
    found = sorted((EVIDENCE / kind).glob("*.json"))
    assert found, f"no files in {EVIDENCE / kind}"
    return [pytest.param(json.loads(file.read_text()), id=file.stem) for file in found]
