"""The content of the state file: what is read, what is refused, and why."""

from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qr.store.errors import NewerSchemaError, UnreadableError
from qr.store.state_file import CURRENT, Format, encode_state, read_state


def decode_state(content, form=CURRENT):
    return msgspec.json.decode(read_state(content, form))


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(max_size=5), values, max_size=4))
def test_what_was_written_is_read_back(image):
    image["schema"] = CURRENT.schema
    assert decode_state(encode_state(image)) == image


@given(
    st.binary(max_size=200)
    | st.text(alphabet='{}[]":,0123456789.eE-+truefalsn \\u', max_size=40).map(str.encode)
)
def test_no_bytes_do_more_than_be_refused(content):
    with suppress(UnreadableError):
        assert read_state(content) == content


def test_cut_off_at_any_byte_it_is_refused():
    whole = encode_state({"schema": 2, "bindings": [{"key": "ab" * 32}], "accounts": [], "ü": 1.5})
    for length in range(len(whole)):
        with pytest.raises(UnreadableError):
            decode_state(whole[:length])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"\0" * 4096, "is cut off, or is no JSON"),
        (b'{"schema": 2} and more', "is cut off, or is no JSON"),
        (b"[" * 100_000, "is no state file of quota-router"),
        (b'{"schema": 2, "a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "is cut off, or is no JSON"),
        (b'{"schema": 0, "a": "\xff"}', "has schema 0, which cannot be brought to 2"),
        (b'{"schema": 0, "\xff": 1}', "is cut off, or is no JSON"),
        (b"[]", "is no state file of quota-router"),
        (b"1", "is no state file of quota-router"),
        (b'{"name": "package", "version": "1.0.0"}', "is no state file of quota-router"),
        (b'{"schema": "1"}', "is no state file of quota-router"),
        (b'{"schema": true}', "is no state file of quota-router"),
        (b'{"schema": 1.0}', "is no state file of quota-router"),
        (b'{"schema": -1}', "is no state file of quota-router"),
        (b'{"schema": ' + b"9" * 5000 + b"}", "is no state file of quota-router"),
        (b'{"schema": 123456789012345678901}', "is no state file of quota-router"),
    ],
)
def test_what_is_no_state_file_is_refused_with_a_reason(content, reason):
    with pytest.raises(UnreadableError) as caught:
        decode_state(content)
    assert str(caught.value) == reason


def test_a_newer_schema_is_refused_by_its_number():
    with pytest.raises(NewerSchemaError, match="schema 3, this one knows 2") as caught:
        decode_state(b'{"schema": 3, "bindings": "who knows"}')
    assert caught.value.label == "schema-3"


# Two steps that no version ever made.
THIRD = Format(
    schema=3,
    migrations={
        1: lambda image: {"sessions": image["bindings"]},
        2: lambda image: {"sessions": image["sessions"], "seen": 0},
    },
)


def test_an_older_schema_is_migrated_step_by_step():
    assert decode_state(b'{"schema": 1, "bindings": [7]}', THIRD) == {"schema": 3, "sessions": [7], "seen": 0}
    assert decode_state(b'{"schema": 2, "sessions": [7]}', THIRD) == {"schema": 3, "sessions": [7], "seen": 0}
    assert decode_state(b'{"schema": 3, "sessions": []}', THIRD) == {"schema": 3, "sessions": []}


@pytest.mark.parametrize("content", [b'{"schema": 1, "other": 1}', b'{"schema": 0}'])
def test_an_older_schema_that_no_migration_takes_is_refused(content):
    """A key that the migration needs is missing; there is no migration from there."""
    with pytest.raises(UnreadableError, match="cannot be brought to 3"):
        decode_state(content, THIRD)
