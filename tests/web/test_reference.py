"""The reference of the API says what the application has: routes, members, problems, notes, metrics."""

import inspect
import re
from pathlib import Path

import msgspec
import pytest

from qr.web.live import events_route
from qr.web.problems import KINDS
from qr.web.reading import READING
from qr.web.render.notes import NOTES
from qr.web.shapes import accounts, decisions, feed, service
from qr.web.writing import WRITING
from tests.web.site import running

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "api.md").read_text()

SHAPES = [
    shape
    for module in (accounts, decisions, service, feed)
    for _, shape in inspect.getmembers(module, inspect.isclass)
    if issubclass(shape, msgspec.Struct) and shape is not msgspec.Struct
]


@pytest.mark.parametrize("route", [*READING, events_route(None), *WRITING], ids=lambda route: route.path)
def test_every_route_is_described(route):
    assert f"`{route.path}`" in TEXT or f"## {route.method} {route.path}" in TEXT or route.path in TEXT


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_every_member_of_every_answer_is_shown(shape):
    for member in shape.__struct_fields__:
        assert re.search(rf'["`]{msgspec_name(shape, member)}["`]', TEXT), member


def msgspec_name(shape, member):
    """As it stands in JSON."""
    return shape.__struct_encode_fields__[shape.__struct_fields__.index(member)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_problem_is_listed_with_its_status(kind):
    assert re.search(rf"`{kind}` {KINDS[kind].status}\b", TEXT)


@pytest.mark.parametrize("note", NOTES)
def test_every_note_is_listed(note):
    assert f"`{note}`" in TEXT


async def test_every_metric_is_listed_with_its_labels_and_no_other(tmp_path):
    async with running(tmp_path) as site:
        await site.fleet()
        await site.pick("1")
        text = (await site.client.get("/metrics")).text
    described = dict(re.findall(r"^\| `(quota_router_\w+)` \| (\w+) \|", TEXT, re.MULTILINE))
    served = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))
    assert described == served
    for name, labels in re.findall(r"^\| `(quota_router_\w+)` \| \w+ \| (.*) \|$", TEXT, re.MULTILINE):
        named = set(re.findall(r"`(\w+)`", labels.partition("(")[0]))
        found = re.findall(rf"^{name}\{{([^}}]*)\}}", text, re.MULTILINE)
        assert named == {label.partition("=")[0] for one in found for label in one.split(",")}
