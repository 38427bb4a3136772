"""The forgiving reader, row by row as the host's own scanner answers, and what it promises of any text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qr.routing.lenient_json import MAX_BYTES, read_object

SCALARS = st.none() | st.booleans() | st.integers() | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)

PLAIN = [
    ("{}", {}),
    ('{"a":"x","b":"y"}', {"a": "x", "b": "y"}),
    (' \t{ "a" : "x" , "b" : "y" } ', {"a": "x", "b": "y"}),
    ('{"a":""}', {"a": ""}),
    ('{"a":null}', {"a": ""}),
    ('{"a":true,"b":false}', {"a": "true", "b": "false"}),
    ('{"":"x"}', {"": "x"}),
    ('{"a":"é😀"}', {"a": "é😀"}),
]

NESTED = [
    ('{"a":{"b":"inner"},"b":"outer"}', {"a": '{"b":"inner"}', "b": "outer"}),
    ('{"a":[1, {"b":2}, "]"],"b":"y"}', {"a": '[1, {"b":2}, "]"]', "b": "y"}),
    ('{"a":{"k":"}\\"{"},"b":"y"}', {"a": '{"k":"}\\"{"}', "b": "y"}),
    ('{"a":{"b":1', {"a": '{"b":1'}),
    ('{"a":{"b":"open', {"a": '{"b":"open'}),
    ('{"a":{(},"b":1)},"c":2}', {"a": '{(},"b":1)'}),
]

NUMBERS = [
    ("12345", "12345"),
    ("-7", "-7"),
    ("007", "007"),
    ("-", "-"),
    ("123456789012345678901234567890", "123456789012345678901234567890"),
    ("1.50", "1.5"),
    ("1.0", "1"),
    ("-0.0", "-0"),
    ("1e3", "1000"),
    ("1E-7", "0.0000001"),
    ("+5", "5"),
    (".5", "5"),
    ("1e21", "1000000000000000000000"),
    ("1e400", "+Inf"),
    ("-1e400", "-Inf"),
    ("Infinity", "+Inf"),
    ("nan", "NaN"),
    ("1.2.3", "0"),
    ("0x10", "0"),
    ("nope", "0"),
    ("1é", "0"),
]

MALFORMED = [
    ('{"a":"x"', {"a": "x"}, "no closing brace"),
    ('{"a":"x"} and more', {"a": "x"}, "something follows"),
    ('{"a":"x"}{"b":"y"}', {"a": "x"}, "a second object is not read"),
    ('{"a":"first","a":"second"}', {"a": "first"}, "the first of equal keys wins"),
    ('{"a":null,"a":"second"}', {"a": ""}, "even when it says nothing"),
    ('{"a":"first","\\u0061":"second"}', {"a": "first"}, "however the key is written"),
    ('{"a":"x"}, "b":"y"}', {"a": "x"}, "the first closing brace after a value ends the object"),
    ('{"a"},"b":"y","c":1}', {"a": "b", "y": "c"}, "a key takes the next value, whatever stands between"),
    ('{"a" "x" "b" "y"}', {"a": "x", "b": "y"}, "no colons or commas"),
    ('{a:"x","b":"y"}', {"x": "b"}, "a key without quotes is not seen"),
    ('{"a":"x', {}, "an unterminated text is none"),
    ('{"a":"x\\"}', {}, "nor one whose quote is escaped"),
    ('{"a":"x","b', {"a": "x"}, "an unterminated key ends the object"),
    ('{"a":', {}, "a key without a value is none"),
    ('{"a":nul,"b":tru,"c":f}', {"a": "", "b": "true", "c": "false"}, "a literal is told by how it begins"),
    ('{"a":n', {"a": ""}, "null is told by its letter at the end"),
    ('{"a":12', {"a": "12"}, "a number ends with the input"),
    ('{"a":12 "b":3]"c":4}', {"a": "12", "b": "3", "c": "4"}, "a number ends with space or bracket"),
    ('{"a":session}', {"a": "0"}, "a bare word holds the beginning of a number"),
]

ESCAPES = [
    (r"\"\\\/\b\f\n\r\t", '"\\/\b\f\n\r\t'),
    (r"\u0041\u00e9\u4e2d", "Aé中"),
    (r"\ud83d\ude00!", "😀!"),
    (r"\ud83d!", "\N{REPLACEMENT CHARACTER}!"),
    (r"\ude00!", "\N{REPLACEMENT CHARACTER}!"),
    (r"\ud83d\u0041!", "\N{REPLACEMENT CHARACTER}!"),
    (r"\ud83d\ud83d!", "\N{REPLACEMENT CHARACTER}!"),
    (r"\ud83d\u12", "\N{REPLACEMENT CHARACTER}"),
    (r"ab\x41", "ab"),
    (r"ab\u12", "ab"),
    (r"ab\u12g4c", "ab\0c"),
    ("a\\u0041\tb", "aA"),
    ("é\\n", "é\n"),
]

NO_OBJECTS = [
    "",
    " ",
    "not json",
    "null",
    "true",
    "12",
    '"text"',
    '["a","b"]',
    '[{"a":"x"}]',
    '"{\\"a\\":\\"x\\"}"',
    'i{"a":"x"}',  # the host's scanner looks into bare words, too; in the contract they have no keys
    '\ufeff{"a":"x"}',
]


@pytest.mark.parametrize(("text", "members"), PLAIN + NESTED)
def test_values_become_text_and_nested_ones_stand_as_they_are(text, members):
    assert members == read_object(text)


@pytest.mark.parametrize(("number", "text"), NUMBERS)
def test_numbers_are_written_as_the_host_writes_them(number, text):
    assert {"a": text} == read_object(f'{{"a":{number}}}')


@pytest.mark.parametrize(("text", "members", "why"), MALFORMED)
def test_malformed_objects_keep_what_the_host_still_finds(text, members, why):
    assert members == read_object(text), why


@pytest.mark.parametrize(("escaped", "text"), ESCAPES)
def test_escapes_are_undone_up_to_the_first_that_is_none(escaped, text):
    assert {"a": text} == read_object(f'{{"a":"{escaped}"}}')


def test_a_control_character_in_a_text_without_escapes_is_kept():
    assert read_object('{"a":"x\ty"}') == {"a": "x\ty"}


@pytest.mark.parametrize("text", NO_OBJECTS)
def test_what_is_no_object_has_no_keys(text):
    assert read_object(text) == {}


def test_the_longest_text_is_read_and_a_longer_one_is_not():
    longest = '{"a":"' + "x" * (MAX_BYTES - len('{"a":""}')) + '"}'
    assert list(read_object(longest)) == ["a"]
    assert read_object(longest + " ") == {}


@pytest.mark.parametrize("piece", ["[", '{"a":', '"a":1,', '"', "\\n", '"a":"\\u0041"', ":"])
def test_however_deep_or_long_it_is_read_without_recursion(piece):
    read_object(('{"a":' + piece * MAX_BYTES)[:MAX_BYTES])


@given(st.dictionaries(st.text(), SCALARS, max_size=5), st.booleans())
def test_well_formed_objects_are_read_like_any_reader_does(members, ascii_only):
    written = {None: "", True: "true", False: "false"}
    expected = {
        k: written.get(v, str(v)) if not isinstance(v, int) or isinstance(v, bool) else str(v)
        for k, v in members.items()
    }
    assert expected == read_object(json.dumps(members, ensure_ascii=ascii_only))


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_nested_values_never_leak_their_keys(members):
    assert members.keys() == read_object(json.dumps(members)).keys()


@given(st.text() | st.text('{}[]()":,\\ntfu01-eé\t').map("{".__add__))
def test_any_text_is_read_without_raising(text):
    assert all(isinstance(value, str) for value in read_object(text).values())
