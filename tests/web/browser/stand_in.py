"""A stand-in of the service: the real files and headers, scripted answers, a live feed.

`python -m tests.web.browser.stand_in SCENE [PORT] [host | host-old] [no-websocket]` serves one scene; without
arguments it opens stages as it is told on its standard input. `/_stage` takes what a test wants to happen.
"""

import json
import os
import sys
import time
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

import msgspec
import trio
from attrs import evolve
from hypercorn.config import Config
from hypercorn.trio import serve
from quart import Response, request, websocket
from quart_trio import QuartTrio

from qr.actors.feed import Feed
from qr.quota.belief import believed_windows
from qr.quota.evidence import merge
from qr.quota.readings import Observation, Reading
from qr.routing.bindings import Binding
from qr.settings import SettingsError, as_dict, changed, settings_from
from qr.web.assets import load_assets
from qr.web.headers import security_headers
from qr.web.render.decisions import decision_shape
from qr.web.render.settings import change_shapes
from qr.web.shapes import feed as shapes
from qr.web.shapes import service

from .answers import Answers
from .host_stand_in import behind_host
from .scenes import set_up

TOKEN = "correct-horse-battery"
PART = 60
"""Accounts in one part of a snapshot."""


class StandIn:
    """One life of the service on a stage."""

    def __init__(self, scene: str, *, sockets: bool = True) -> None:
        self.world = set_up(scene, time.time())
        self.answers = Answers(self.world, epoch=f"{time.time_ns():x}")
        self.feed = Feed()
        self.sockets = sockets
        self.assets = load_assets()
        self.asked: list[str] = []
        self.logged_in = not self.world.locked

    # What is told

    def message(self, ask: dict[str, Any]) -> msgspec.Struct:
        answers, after = self.answers, ask.get("after")
        news = (
            self.feed.since(after)
            if ask.get("epoch") == answers.epoch and after is not None and ask.get("next") is None
            else None
        )
        also = ask.get("with") or ()
        common: dict[str, Any] = {
            "epoch": answers.epoch,
            "now": answers.now,
            "settings": answers.settings_in_force(),
            "decisions": answers.decision_numbers(),
            "load": answers.load(),
            "status": answers.status(),
            "health": answers.health() if "health" in also else None,
            "next_pick": answers.next() if "next" in also else None,
        }
        if news is not None:
            told = [shapes.Changed(one.number, one.kind, one.key, one.render()) for one in news]
            return shapes.Changes(number=self.feed.number, more=False, skipped=0, changes=told, **common)
        start = int(ask.get("next") or 0)
        everyone = answers.accounts()
        number = self.feed.number if start == 0 else int(after or 0)
        rest = str(start + PART) if start + PART < len(everyone) else None
        return shapes.Snapshot(
            number=number, first=start == 0, next=rest, accounts=everyone[start : start + PART], **common
        )

    async def news(self, ask: dict[str, Any]) -> bytes:
        if (
            ask.get("epoch") == self.answers.epoch
            and ask.get("after") is not None
            and ask.get("next") is None
        ):
            with trio.move_on_after(15):
                await self.feed.wait(int(ask["after"]))
        return msgspec.json.encode(self.message(ask))

    # What happens

    def tell_account(self, id: str) -> None:
        self.feed.publish("account", id, partial(self.answers.account, id))

    def tell_settings(self) -> None:
        self.feed.publish("settings", "settings", self.answers.settings_in_force)
        for view in self.world.fleet:
            self.tell_account(view.id)

    def pick(self, session: str | None, provider: str = "claude") -> int:
        made = self.world.pick(session, at=time.time(), provider=provider)
        self.feed.publish("decision", str(made.number), lambda: decision_shape(made, self.answers.names))
        if session:
            self.feed.publish(
                "binding", f"{provider}:{session}", partial(self.answers.session, provider, session)
            )
        return made.number

    def observe(self, account: str, window: str, used: float) -> None:
        before = self.world.fleet.get(account).windows[window]
        seen = Observation(time.time(), "headers", (Reading(window, used, before.resets_at),))
        snapshot = self.world.snapshots[account] = merge(self.world.snapshots[account], seen)
        self.change(account, windows=believed_windows(snapshot), observed_at=seen.observed_at)

    def change(self, account: str, **view: Any) -> None:
        self.world.fleet.put(evolve(self.world.fleet.get(account), **view))
        self.tell_account(account)

    # What an operator does

    def pause(self, account: str, *, on: bool) -> service.Action:
        known = self.world.fleet.get(account)
        self.change(account, paused=on)
        done = (
            f"{known.label} is paused: it gets no request until it is resumed."
            if on
            else f"{known.label} serves again."
        )
        back = service.Undo(
            "Resume" if on else "Pause",
            "POST",
            f"/accounts/{'resume' if on else 'pause'}",
            {"account": account},
        )
        return service.Action(done, known.paused != on, "kept", back if known.paused != on else None)

    def unbind(self, provider: str, key: str) -> service.Action:
        was = self.world.bindings.remove(provider, key)
        self.feed.publish("binding", f"{provider}:{key}", lambda: None)
        body = {
            "provider": provider,
            "key": key,
            "account": was.account,
            "stand_in": was.stand_in,
            "bound_at": was.bound_at,
            "used_at": was.used_at,
        }
        return service.Action(
            f"Session {key[:8]} is unbound: its next request is placed anew.",
            True,
            "kept",
            service.Undo("Undo", "POST", "/sessions/restore", body),
        )

    def restore(self, provider: str, key: str, **binding: Any) -> service.Action:
        self.world.bindings.put(provider, key, Binding(**binding))
        self.feed.publish("binding", f"{provider}:{key}", partial(self.answers.session, provider, key))
        return service.Action(
            f"Session {key[:8]} is bound again.",
            True,
            "kept",
            service.Undo("Undo", "POST", "/sessions/unbind", {"provider": provider, "key": key}),
        )

    def check(self, values: dict[str, Any]) -> tuple[Any, service.Checked]:
        """The settings with these changes, and what is to be said of them."""
        base = {
            key: value
            for key, value in as_dict(self.world.settings).items()
            if key not in ("token", "proxy_url")
        }
        merged = {**base, **{key: value for key, value in values.items() if value is not None}}
        merged = {
            key: value
            for key, value in merged.items()
            if value is not None and values.get(key, value) is not None
        }
        try:
            found = settings_from(merged, source="dashboard", environ={})
        except SettingsError as error:
            return None, service.Checked(
                False, [service.SettingProblem(one.key or "", one.message) for one in error.problems], [], {}
            )
        return found, service.Checked(True, [], change_shapes(changed(self.world.settings, found)), values)

    def set(
        self, values: dict[str, Any], words: str = "", undo: service.Undo | None = None
    ) -> service.Action | Response:
        found, checked = self.check(values)
        if not checked.valid:
            return problem(
                422,
                "invalid_settings",
                "The settings in force stay in force.",
                errors=msgspec.to_builtins(checked.errors),
            )
        before = {one.key: one.old for one in checked.changes}
        self.world.apply(found)
        self.tell_settings()
        done = (
            words or "; ".join(f"{one.key} is {one.new} now (was {one.old})" for one in checked.changes) + "."
        )
        back = undo or service.Undo("Undo", "PATCH", "/settings", {"values": before})
        return service.Action(done, bool(before), "until_restart", back if before else None, checked.changes)


def problem(status: int, name: str, detail: str, **more: Any) -> Response:
    body = {
        "type": f"urn:quota-router:problem:{name}",
        "title": name,
        "status": status,
        "detail": detail,
        **more,
    }
    return Response(json.dumps(body), status, content_type="application/problem+json")


def told(value: msgspec.Struct | Response | None) -> Response:
    if isinstance(value, Response):
        return value
    if value is None:
        return problem(404, "unknown_decision", "It is no longer kept.")
    return Response(msgspec.json.encode(value), content_type="application/json")


def create_app(stage: StandIn) -> QuartTrio:
    """The stand-in's addresses, as the API has them."""
    app = QuartTrio(__name__, static_folder=None)
    answers = stage.answers

    @app.before_request
    async def note() -> Response | None:
        stage.asked.append(f"{request.method} {request.path}")
        open_to_all = request.path in ("/", "/login", "/_stage") or request.path.startswith("/static/")
        if stage.logged_in or open_to_all or request.cookies.get("session") == "yes":
            return None
        return problem(401, "unauthenticated", "Log in first.")

    @app.after_request
    async def secure(response: Response) -> Response:
        response.headers.update(security_headers("network"))
        return response

    @app.get("/")
    async def page() -> Response:
        return asset("index.html")

    @app.get("/static/<path:name>")
    async def asset_route(name: str) -> Response:
        return asset(name)

    def asset(name: str) -> Response:
        found = stage.assets.get(name)
        return Response(found.content, content_type=found.content_type) if found else Response("", 404)

    @app.post("/login")
    async def login() -> Response:
        given = (await request.get_json())["token"]
        if given != TOKEN:
            return problem(401, "wrong_token", "That is not the token.")
        response = Response("", 204)
        response.set_cookie("session", "yes", httponly=True, samesite="Strict")
        return response

    @app.get("/api/v1/<path:path>")
    async def read(path: str) -> Response:
        query = request.args.to_dict()
        return told(questions(stage)[path](**query))

    @app.post("/api/v1/<path:path>")
    @app.patch("/api/v1/<path:path>")
    async def write(path: str) -> Response:
        body = await request.get_json()
        return told(deeds(stage)[request.method, path](**body))

    @app.websocket("/live")
    async def live() -> None:
        if not stage.sockets or not (stage.logged_in or websocket.cookies.get("session") == "yes"):
            await websocket.reject(403)
            return
        while True:
            ask = json.loads(await websocket.receive())
            await websocket.send((await stage.news(ask)).decode())

    @app.post("/_stage")
    async def direct() -> Response:
        told_to = await request.get_json()
        does = told_to.pop("do")
        result = {
            "pick": stage.pick,
            "observe": stage.observe,
            "change": stage.change,
            "asked": lambda: stage.asked,
            "sockets": partial(setattr, stage, "sockets"),
        }[does](**told_to)
        return Response(json.dumps(result), content_type="application/json")

    _ = answers
    return app


def questions(stage: StandIn) -> dict[str, Any]:
    answers = stage.answers

    def events(**ask: Any) -> msgspec.Struct:
        after = ask.get("after")
        also = tuple(filter(None, ask.get("with", "").split(",")))
        return stage.message({**ask, "after": None if after is None else int(after), "with": also})

    def decisions(limit: str = "100", before: str | None = None, **rest: str) -> msgspec.Struct:
        return answers.decisions(limit=int(limit), before=before and int(before), **rest)

    return {
        "events": events,
        "evidence": lambda account: answers.evidence(account),
        "sessions": lambda limit="100", **rest: answers.sessions(limit=int(limit), **rest),
        "decisions": decisions,
        "decision": lambda number: answers.decision(int(number)),
        "next": answers.next,
        "history": answers.history,
        "settings": answers.settings,
        "health": answers.health,
    }


def deeds(stage: StandIn) -> dict[tuple[str, str], Any]:
    def priority(account: str, priority: int, temporary: bool = False) -> Any:
        was = dict(stage.world.settings.rules.manual_priority)
        back = service.Undo(
            "Undo", "POST", "/accounts/priority", {"account": account, "priority": was.get(account, 0)}
        )
        return stage.set(
            {"manual_priority": {**was, account: priority}},
            f"The manual priority of {stage.answers.names.label(account)} is {priority}.",
            back,
        )

    def refresh(account: str) -> Any:
        possible = stage.answers.refreshed.get(account, 0) + 30
        if possible > time.time():
            return problem(429, "too_soon", "It was asked for a moment ago.", possible_at=possible)
        stage.answers.refreshed[account] = time.time()
        window = next(iter(stage.world.fleet.get(account).windows.values()))
        stage.observe(account, window.name, min(100, (window.used_percent or 0) + 1))
        return service.Action(f"{stage.answers.names.label(account)} is being read.", True)

    def mode(mode: str, temporary: bool = False) -> Any:
        back = service.Undo("Undo", "POST", "/mode", {"mode": stage.world.settings.rules.mode})
        return stage.set({"mode": mode}, f"The mode is {mode}.", back)

    def policy(policy: str, temporary: bool = False) -> Any:
        back = service.Undo("Undo", "POST", "/policy", {"policy": stage.world.settings.rules.policy})
        return stage.set({"policy": policy}, f"The policy is {policy}.", back)

    return {
        ("POST", "accounts/pause"): partial(stage.pause, on=True),
        ("POST", "accounts/resume"): partial(stage.pause, on=False),
        ("POST", "accounts/refresh"): refresh,
        ("POST", "accounts/priority"): priority,
        ("POST", "sessions/unbind"): stage.unbind,
        ("POST", "sessions/restore"): stage.restore,
        ("POST", "mode"): mode,
        ("POST", "policy"): policy,
        ("POST", "settings/check"): lambda values: stage.check(values)[1],
        ("PATCH", "settings"): lambda values, temporary=False: stage.set(values),
    }


async def perform(scene: str, flags: Sequence[str], port: int, task_status: trio.TaskStatus[str]) -> None:
    """Serve one stage until cancelled; tells its address."""
    stage = StandIn(scene, sockets="no-websocket" not in flags)
    app = create_app(stage)
    if "host" in flags or "host-old" in flags:
        app = behind_host(stage, app, old="host-old" in flags)
    config = Config()
    config.bind, config.accesslog, config.errorlog = [f"127.0.0.1:{port}"], None, None
    config.graceful_timeout = 0.2
    async with trio.open_nursery() as nursery:
        bound = await nursery.start(partial(serve, app, config))
        task_status.started(bound[0])


async def theatre() -> None:
    """Open and close stages as told on the standard input: `[scene, flags, port]` or an address, a line each."""
    stages: dict[str, trio.CancelScope] = {}
    async with trio.open_nursery() as nursery, trio.lowlevel.FdStream(os.dup(0)) as told:
        async for line in lines(told):
            match json.loads(line):
                case [scene, flags, port]:
                    scope = trio.CancelScope()

                    async def play(
                        task_status: trio.TaskStatus[str],
                        scope: trio.CancelScope = scope,
                        what: Any = (scene, flags, port),
                    ) -> None:
                        with scope:
                            await perform(*what, task_status=task_status)

                    address = await nursery.start(play)
                    stages[address] = scope
                    print(address, flush=True)
                case address:
                    stages.pop(address).cancel()
                    print("closed", flush=True)
        nursery.cancel_scope.cancel()


async def lines(stream: trio.lowlevel.FdStream) -> AsyncIterator[bytes]:
    rest = b""
    async for some in stream:
        *whole, rest = (rest + some).split(b"\n")
        for line in whole:
            yield line


async def alone(scene: str, port: str = "0", *flags: str) -> None:
    """Serve one stage until interrupted, for people."""
    async with trio.open_nursery() as nursery:
        print(await nursery.start(partial(perform, scene, flags, int(port))), flush=True)


if __name__ == "__main__":
    trio.run(alone if sys.argv[1:] else theatre, *sys.argv[1:])
