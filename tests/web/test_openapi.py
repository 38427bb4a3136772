"""The OpenAPI document against the application: every route, every answer, every problem."""

import json

import jsonschema
import pytest

from qr.quota.readings import Reading
from qr.web.openapi import openapi
from qr.web.routes import BASE
from tests.web.site import ANN, BOB, DAY, HOUR

KEY = "1" * 64

# What each route is asked with, so that it answers 200 and has something to say.
QUESTIONS = {
    ("get", "/accounts"): {},
    ("get", "/evidence"): {"account": ANN},
    ("get", "/sessions"): {"limit": 1},
    ("get", "/decisions"): {},
    ("get", "/decision"): {"number": 2},
    ("get", "/next"): {},
    ("get", "/history"): {"account": ANN},
    ("get", "/settings"): {},
    ("get", "/health"): {},
    ("get", "/events"): {"with": "health,next"},
    ("post", "/accounts/pause"): {"account": BOB},
    ("post", "/accounts/resume"): {"account": BOB},
    ("post", "/accounts/priority"): {"account": BOB, "priority": 1},
    ("post", "/sessions/unbind"): {"provider": "claude", "key": KEY},
    ("post", "/sessions/restore"): {"provider": "claude", "key": "3" * 64, "account": ANN},
    ("post", "/mode"): {"mode": "active"},
    ("post", "/policy"): {"policy": "balanced"},
    ("post", "/settings/check"): {"values": {"max_age": 1, "policy": "reset_first"}},
    ("patch", "/settings"): {"values": {"max_age": 600}},
    ("put", "/settings"): {"values": {"manual_priority": {ANN: 1}}},
}

# Those that answer 200 only in a situation of their own.
ELSEWHERE = {("post", "/accounts/refresh")}


@pytest.fixture
async def busy(fleet):
    """A service in which something of everything has happened."""
    now = fleet.house.clock.now()
    await fleet.see(
        BOB,
        Reading("five_hour", 100.0, now + HOUR, "rejected", refused=True),
        Reading("weekly", 80.0, now + DAY, "allowed_warning"),
        Reading("weekly:fable", 10.0, None, unstarted=True),
        Reading("86400s", 10.0, now + HOUR),
    )
    await fleet.pick("1")
    await fleet.pick("1", names=(BOB,))
    await fleet.pick("2", provider="gemini")
    await fleet.rule(mode="shadow")
    await fleet.pick("2", parent=KEY, pinned=ANN)
    await fleet.rule(mode="active")
    await fleet.pick(None, names=())
    return fleet


@pytest.fixture
async def document(busy):
    answer = await busy.client.get(f"{BASE}/openapi.json")
    return answer.json()


def validator(document, schema):
    """Checks against a schema of the document; a shape's members are all there, and no others."""
    strict = json.loads(json.dumps(document["components"]))
    for shape in strict["schemas"].values():
        if "properties" in shape:
            shape["additionalProperties"] = shape.get("additionalProperties", False)
    return jsonschema.Draft202012Validator({**schema, "components": strict})


async def test_it_is_a_document(document):
    assert document["openapi"].startswith("3.1")
    for name, schema in document["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(schema), name
    references = set()

    def collect(value):
        if isinstance(value, dict):
            references.update([value["$ref"]] if "$ref" in value else [])
            for own in value.values():
                collect(own)
        elif isinstance(value, list):
            for own in value:
                collect(own)

    collect(document)
    assert references <= {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}


async def test_it_names_every_route_of_the_application_and_no_other(busy, document):
    described = {(method, path) for path, methods in document["paths"].items() for method in methods}
    served = {
        (method.lower(), rule.rule)
        for rule in busy.service.app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if rule.rule.startswith(f"{BASE}/") and "<" not in rule.rule and not rule.websocket
    }
    assert described == served - {("get", f"{BASE}/openapi.json")}
    assert {(method, path.removeprefix(BASE)) for method, path in described} == set(QUESTIONS) | ELSEWHERE


@pytest.mark.parametrize(("method", "path"), QUESTIONS)
async def test_every_answer_is_as_it_is_described(busy, document, method, path):
    asked = QUESTIONS[method, path]
    sent = {"params": asked} if method == "get" else {"json": asked}
    answer = await busy.client.request(method, BASE + path, **sent)
    assert answer.status_code == 200, answer.text
    operation = document["paths"][BASE + path][method]
    content = operation["responses"]["200"]["content"]
    validator(document, content[answer.headers["Content-Type"]]["schema"]).validate(answer.json())


async def test_every_change_of_the_feed_is_as_it_is_described(busy, document):
    snapshot = (await busy.client.get("/events")).json()
    await busy.pick("4")
    await busy.rule(policy="balanced")
    await busy.healthy(ANN)
    query = {"after": snapshot["number"], "epoch": snapshot["epoch"]}
    message = (await busy.client.get("/events", params=query)).json()
    assert {change["kind"] for change in message["changes"]} == {"account", "decision", "binding", "settings"}
    content = document["paths"][f"{BASE}/events"]["get"]["responses"]["200"]["content"]
    check = validator(document, content["application/json"]["schema"])
    check.validate(message)
    check.validate(snapshot)


@pytest.mark.parametrize(
    ("method", "path", "asked"),
    [
        ("get", "/accounts", {"id": "nobody"}),
        ("get", "/accounts", {"nonsense": 1}),
        ("get", "/evidence", {"account": "nobody"}),
        ("get", "/decision", {"number": 99}),
        ("get", "/history", {"account": "nobody"}),
        ("post", "/accounts/pause", {"account": "nobody"}),
        ("post", "/accounts/refresh", {"account": "nobody"}),
        ("post", "/sessions/unbind", {"provider": "claude", "key": "9" * 64}),
        ("post", "/mode", {"mode": "x"}),
        ("patch", "/settings", {"values": {"x": 1}}),
    ],
)
async def test_every_problem_is_as_it_is_described(busy, document, method, path, asked):
    sent = {"params": asked} if method == "get" else {"json": asked}
    answer = await busy.client.request(method, BASE + path, **sent)
    described = document["paths"][BASE + path][method]["responses"][str(answer.status_code)]
    assert answer.json()["type"] in described["description"]
    content = described["content"][answer.headers["Content-Type"]]
    validator(document, content["schema"]).validate(answer.json())


async def test_what_the_document_takes_is_taken_and_the_rest_is_refused(busy, document):
    for (method, path), asked in QUESTIONS.items():
        operation = document["paths"][BASE + path][method]
        if method == "get":
            named = {parameter["name"] for parameter in operation["parameters"]}
            assert set(asked) <= named
        else:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            check = validator(document, schema)
            check.validate(asked)
            assert not check.is_valid(asked | {"nonsense": 1})


async def test_it_is_the_same_at_every_start(busy):
    assert openapi(busy.service.web.routes) == openapi(busy.service.web.routes)
