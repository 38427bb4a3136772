"""An offer that is met again is not read again, and nothing else changes."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qr.routing import offers as offers_module
from qr.routing.offers import Offers
from qr.routing.request import Offer, decode_pick


def candidate(name, **more):
    return {"ID": name, "Provider": "claude", "Priority": 0, "Attributes": {"auth_kind": "oauth"}, **more}


def body(*names, model="m", **more):
    return msgspec.json.encode({"Model": model, **more, "Candidates": [candidate(name) for name in names]})


def whole(given):
    """What a decode of all bytes at once says; None: it refuses."""
    try:
        request = decode_pick(given)
    except msgspec.DecodeError:
        return None
    return without_candidates(request), Offer(request.candidates or ())


def apart(offers, given):
    try:
        request, offer = offers.read(given)
    except msgspec.DecodeError:
        return None
    return without_candidates(request), offer


def without_candidates(request):
    return msgspec.structs.replace(request, candidates=None)


def test_an_offer_that_was_met_before_is_the_same_value():
    offers = Offers()
    first, _ = offers.read(body("a", "b", model="one"))[1], offers.read(body("a"))
    request, again = offers.read(body("a", "b", model="other"))
    assert again is first
    assert (request.model, list(again.places)) == ("other", ["a", "b"])


ODD = {
    "nothing": b"",
    "no object": b"[]",
    "an empty object": b"{}",
    "no candidates": b'{"Model":"m"}',
    "null": b'{"Model":"m","Candidates":null}',
    "the first key": b'{"Candidates":[{"ID":"a"}]}',
    "only a comma before": b'{,"Candidates":[{"ID":"a"}]}',
    "not the last key": b'{"Model":"m","Candidates":[{"ID":"a"}],"Provider":"codex"}',
    "twice": b'{"Model":"m","Candidates":[{"ID":"a"}],"Candidates":[{"ID":"b"}]}',
    "twice, not side by side": b'{"Model":"m","Candidates":[{"ID":"a"}],"Model":"n","Candidates":[]}',
    "a header of that name": b'{"Options":{"Headers":{"A":[],"Candidates":[]}},"Candidates":[{"ID":"a"}]}',
    "a header of that name, offered nobody": b'{"Options":{"Headers":{"A":["x"],"Candidates":[]}}}',
    "metadata of that name": b'{"Options":{"Metadata":{"a":1,"Candidates":[{"ID":"x"}]}},"Candidates":[]}',
    "in a string": rb'{"Model":"m,\"Candidates\":[]","Candidates":[{"ID":"a"}]}',
    "the end of a key": rb'{"Model":"m","x,\"Candidates":[{"ID":"x"}]}',
    "white space": b'{"Model":"m", "Candidates" : [ {"ID":"a"} ] }\n',
    "more behind it": b'{"Model":"m","Candidates":[{"ID":"a"}]}{}',
    "cut short": b'{"Model":"m","Candidates":[{"ID":"a"}]',
    "a broken beginning": b'{"Model:"m","Candidates":[{"ID":"a"}]}',
    "a wrong type in the beginning": b'{"Model":1,"Candidates":[{"ID":"a"}]}',
    "a wrong type in the end": b'{"Model":"m","Candidates":[{"ID":1}]}',
    "one array too much": b'[{"Model":"m","Candidates":[{"ID":"a"}]}]',
}


@pytest.mark.parametrize("given", ODD.values(), ids=ODD)
def test_cut_or_whole_a_request_says_the_same(given):
    offers = Offers()
    offers.read(body("a"))
    assert [apart(offers, given) for _ in range(2)] == [whole(given)] * 2


PIECES = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b'"',
    b"\\",
    b"null",
    b"1",
    b'"Model":"m"',
    b',"Candidates":',
    b'"Candidates":',
    b'[{"ID":"a"}]',
    b'"Options":{"Headers":{',
    b'"H":["v"]',
]


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join), max_size=4))
def test_no_bytes_make_a_difference(bodies):
    offers = Offers()
    for one in bodies:
        assert apart(offers, one) == whole(one)


def test_memory_of_offers_is_bounded():
    offers = Offers()
    for number in range(offers_module.MAX_OFFERS + 5):
        offers.read(body(f"a{number}"))
    large = body("a" * offers_module.MAX_OFFER)
    assert offers.read(large)[1] is not offers.read(large)[1]
    assert len(offers._known) == offers_module.MAX_OFFERS
