"""The host's request as a question; nothing that a client sends can make it fail."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qr.routing.question import understand
from qr.routing.request import decode_pick

json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def question(**given):
    return understand(decode_pick(msgspec.json.encode(given)))


@pytest.mark.parametrize(
    ("provider", "providers", "effective"),
    [
        ("", ["claude"], ("claude",)),
        ("codex", ["codex"], ("codex",)),
        ("codex", ["claude", "codex"], ("codex",)),
        ("", ["claude", "codex"], ("claude", "codex")),
        ("", ["Claude", "claude "], ("claude",)),
        ("", [], ()),
        ("", None, ()),
        (" ", ["claude"], ()),
    ],
)
def test_the_effective_provider(provider, providers, effective):
    assert question(Provider=provider, Providers=providers).providers == effective
    assert question(Provider=provider, Providers=providers).provider == (effective[0] if effective else "")


def test_an_empty_request_asks_nothing():
    asked = question()
    assert (asked.providers, asked.session, asked.parent, asked.pinned, asked.candidates) == (
        (),
        None,
        None,
        "",
        (),
    )


def test_sessions_are_hashed_with_their_callers_scope():
    headers = {"X-Claude-Code-Session-Id": ["S1"], "X-Claude-Code-Agent-Id": ["ag7"]}
    asked = question(
        Options={"Headers": headers, "Metadata": {"caller_scope": " ab12 ", "pinned_auth_id": "p"}}
    )
    assert asked.parent.startswith("e87558176aef")
    assert asked.session != asked.parent
    assert asked.pinned == "p"


def test_a_header_without_values_comes_as_null_and_is_missing():
    headers = {"X-Empty": None, "X-Claude-Code-Session-Id": None, "Session-Id": ["c1"]}
    assert question(Options={"Headers": headers}) == question(Options={"Headers": {"Session-Id": ["c1"]}})


@pytest.mark.parametrize("value", [None, 7, [], {}, True])
def test_metadata_of_a_wrong_type_is_missing(value):
    asked = question(Options={"Headers": None, "Metadata": {"pinned_auth_id": value, "caller_scope": value}})
    assert asked.pinned == ""


def test_what_a_candidate_tells():
    offered = {
        "ID": "a",
        "Provider": "claude",
        "Priority": 3,
        "Status": "active",
        "Attributes": None,
        "Metadata": None,
    }
    asked = question(
        Candidates=[offered, {**offered, "ID": "k", "Attributes": {"auth_kind": "apikey", "x": "y"}}]
    )
    assert [(one.id, one.priority, one.api_key) for one in asked.candidates] == [
        ("a", 3, False),
        ("k", 3, True),
    ]


@given(
    st.dictionaries(st.text(max_size=12), json, max_size=4),
    st.dictionaries(st.text(max_size=30), st.lists(st.text(max_size=20), max_size=2), max_size=4),
)
def test_no_header_and_no_metadata_makes_it_fail(metadata, headers):
    asked = question(Options={"Headers": headers, "Metadata": metadata})
    assert asked.session is None or len(asked.session) == 64
