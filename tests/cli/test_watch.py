"""What the terminal shows of the live feed."""

from qr.cli.watch import SHOWN, Picture

STATUS = {"level": "ok", "text": "All is well", "notes": []}


def account(name):
    return {
        "id": name,
        "label": name,
        "state": "ok",
        "state_text": "all is well",
        "windows": [],
        "sessions": 0,
    }


def snapshot(*names, number=1, **more):
    accounts = [account(name) for name in names]
    return {
        "kind": "snapshot",
        "epoch": "e",
        "number": number,
        "now": 1.0,
        "accounts": accounts,
        "status": STATUS,
        **more,
    }


def changes(number, *changed):
    return {
        "kind": "changes",
        "epoch": "e",
        "number": number,
        "now": 2.0,
        "changes": list(changed),
        "status": STATUS,
    }


def test_it_asks_for_a_snapshot_and_then_for_what_is_newer():
    picture = Picture()
    assert picture.question() == "{}"
    picture.take(snapshot("a", number=41))
    assert picture.question() == '{"after": 41, "epoch": "e", "next": null}'


def test_a_snapshot_in_parts_is_put_together():
    picture = Picture()
    picture.take(snapshot("old"))
    picture.take(snapshot("a", first=True, next="p2"))
    picture.take(snapshot("b", first=False, next=None))
    assert list(picture.accounts) == ["a", "b"]


def test_accounts_come_change_and_go():
    picture = Picture()
    picture.take(snapshot("a"))
    picture.take(changes(2, {"kind": "account", "key": "b", "value": account("b")}))
    picture.take(changes(3, {"kind": "account", "key": "a", "value": None}, {"kind": "later", "value": {}}))
    assert list(picture.accounts) == ["b"]
    assert picture.number == 3


def test_only_the_newest_decisions_are_kept():
    picture = Picture()
    picture.take(
        changes(2, *({"kind": "decision", "key": str(n), "value": {"number": n}} for n in range(50)))
    )
    assert [decision["number"] for decision in picture.decisions] == list(range(49, 49 - SHOWN, -1))


def test_a_message_of_another_kind_changes_nothing_and_a_lost_service_is_said():
    picture = Picture()
    picture.take(snapshot("a"))
    picture.take({"kind": "closing"})
    assert picture.epoch == "e"
    picture.lost("gone")
    assert picture.question() == "{}"
    assert picture.shown().renderables[0].plain == "gone"
