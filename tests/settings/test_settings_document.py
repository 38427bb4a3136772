"""YAML to values with lines: what is beyond plain values is a problem with a line, and nothing raises."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qr.settings.document import MAX_BYTES, as_node, read_document


def plain(node):
    """The values without their lines."""
    if isinstance(node.value, dict):
        return {key: plain(entry) for key, entry in node.value.items()}
    return [plain(item) for item in node.value] if isinstance(node.value, list) else node.value


def told(text):
    return [str(problem) for problem in read_document(text).problems]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("5", 5),
        ("-5", -5),
        ("+5", 5),
        ("0", 0),
        ("0.5", 0.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("2.592e+06", 2592000.0),
        (".inf", float("inf")),
        ("-.inf", float("-inf")),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("off", "off"),
        ("yes", "yes"),
        ("010", "010"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("2026-11-29", "2026-11-29"),
        ("'5'", "5"),
        ('"off"', "off"),
        ("|\n  a\n  b\n", "a\nb\n"),
        ("9" * 40, "9" * 40),
        ("[1, off, {b: 2}]", [1, "off", {"b": 2}]),
        ('"\\u00fc"', "ü"),
    ],
)
def test_a_value_means_what_every_reader_takes_it_for(written, value):
    """What only some readers take for a number or a boolean stays a word."""
    document = read_document(f"a: {written}")
    assert (plain(document.root), document.problems) == ({"a": value}, [])


@pytest.mark.parametrize("head", ["", "%YAML 1.1\n---\n", "%YAML 1.2\n---\n", "\ufeff", "# comment\n\n"])
def test_the_version_that_a_text_claims_changes_no_word(head):
    assert plain(read_document(head + "mode: off").root) == {"mode": "off"}
    assert plain(read_document((head + "mode: off").encode()).root) == {"mode": "off"}


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "~\n", "---\n...\n"])
def test_nothing_is_null_without_a_problem(text):
    document = read_document(text)
    assert (document.root.value, document.problems) == (None, [])


def test_every_entry_knows_its_line():
    root = read_document("a: 1\n\n# b\nb:\n  c: 2\n  'd e':\n    - 3\n").root
    assert {key: node.line for key, node in root.value.items()} == {"a": 1, "b": 4}
    assert {key: node.line for key, node in root.value["b"].value.items()} == {"c": 5, "d e": 6}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\na: 2", "line 2: a: given twice, first on line 1"),
        ("t:\n  a: 1\n  b: 2\n  a: 3", "line 4: t.a: given twice, first on line 2"),
        ("a: &x 1", "line 1: a: anchors (&x) are not read: remove it"),
        ("b: 1\na: &x [1]", "line 2: a: anchors (&x) are not read: remove it"),
        ("a: *x", "line 1: a: aliases (*x) are not read: write the value out"),
        ("<<: {a: 1}", "line 1: merge keys are not read: write the keys out"),
        ("t:\n  <<: {a: 1}", "line 2: t: merge keys are not read: write the keys out"),
        ("a: !!str 5", "line 1: a: tags (!…) are not read: remove it"),
        ("a: !!python/object/apply:os.system [true]", "line 1: a: tags (!…) are not read: remove it"),
        ("!settings\na: 1", "line 1: tags (!…) are not read: remove it"),
        ("? [1, 2]\n: 3", "line 1: a key must be a plain word"),
        ("&k a: 1", "line 1: anchors (&k) are not read: remove it"),
        ("*k : 1", "line 1: a key must be a plain word"),
        ('a: "\\ud800"', "line 1: a: an escape that names no character"),
        ("a: 1\n---\nb: 2", "line 3: a second document: only one is read"),
        ("a: 1\n---\nb: 2\n---\nc: 3\n", "line 3: a second document: only one is read"),
        ("[" * 20, "line 1: 0.0.0.0.0.0.0.0.0: nested too deeply"),
        ("{a: " * 20, "line 1: a.a.a.a.a.a.a.a.a: nested too deeply"),
        ("a: 1\n b: 2", "line 2, column 3: no YAML: mapping values are not allowed here"),
        (
            "a: 1\n\tb: 2",
            "line 2, column 1: no YAML: while scanning for the next token, found character '\\t'",
        ),
        ("a: [1, 2", "line 1, column 9: no YAML: while parsing a flow sequence, expected ',' or ']'"),
        ("%YAML 9.0\n---\na: 1", "line 1, column 1: no YAML: found incompatible YAML document"),
        ("a: 1\nb: \x07", "line 2: no YAML: a character that must not stand there"),
        ('a: "\\UFFFFFFFF"', "no YAML: an escape that names no character"),
        (b"a: 1\nb: \xff\n", "line 2: not UTF-8 text"),
        ("a: 1".encode("utf-16"), "line 1: not UTF-8 text"),
        ("a" * (MAX_BYTES + 1), f"too large: at most {MAX_BYTES} bytes are read"),
        (b"a" * (MAX_BYTES + 1), f"too large: at most {MAX_BYTES} bytes are read"),
    ],
)
def test_what_is_not_plain_is_named_with_its_place(text, problem):
    assert told(text)[0].startswith(problem)


def test_an_alias_chain_that_would_grow_without_end_expands_nothing():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    document = read_document("\n".join(lines))
    assert len(document.problems) == 9 + 8 * 9
    assert len(document.root.value) == 9


WORST = ("a: " + "[" * 32_000, "[{}," * 8_000, "? " * 16_000, "a:\n" * 10_000, "a: [" + "x," * 16_000)


@pytest.mark.parametrize("text", WORST, ids=lambda text: text[:12])
def test_the_worst_text_is_done_with_in_seconds(text):
    start = time.process_time()
    read_document(text)
    assert time.process_time() - start < 10


CHARACTERS = "a1\n\t[]{},|>'\"\\#@`\r\0\x85\u2028\ud800"
WORDS = (
    "mode",
    "off",
    ": ",
    "- ",
    "  ",
    "? ",
    "&x ",
    "*x ",
    "!t ",
    "<<: ",
    "%YAML 1.1\n",
    "---\n",
    "...\n",
    "\\u12",
)
pieces = st.sampled_from((*CHARACTERS, *WORDS))


@given(st.lists(pieces, max_size=25).map("".join) | st.binary(max_size=40))
def test_no_text_raises(text):
    document = read_document(text)
    assert all(str(problem) for problem in document.problems)


def test_values_that_never_were_yaml_make_the_same_tree():
    values = {"mode": "off", "manual_priority": {"a": 1}, "list": [{"b": 2}], "nothing": None}
    node = as_node(values)
    assert node.value["manual_priority"].value["a"].value == 1
    assert node.value["list"].value == [{"b": 2}]
    assert {entry.line for entry in node.value.values()} == {None}
