"""The demo's other process: a host with the real plugin library, and agents in threads.

It is driven by its parent: it ends when its standard input does, and tells its counts on standard output, one
JSON object a line.
"""

import sys
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from socket import socket
from threading import Event, Lock, Thread

import click
import msgspec

from qr.abi.loading import Plugin
from qr.lab.answers import Answer
from qr.lab.callbacks import Callbacks, token_of
from qr.lab.endpoint import UsageServer
from qr.lab.host import Ask, Host, Outcome, Pause, Reply, Step, Tell
from qr.lab.stage import agents, providers
from qr.lab.traffic import Request

__all__ = ["Driver"]

# Requests that are under way at a time, at most: one for each agent of a busy wave.
THREADS = 48

# Usage records go out one after the other (contract, section 4.2), so many may wait: beyond that the host's
# own queue would be the news.
RECORDS = 1000

# Seconds between two lines of counts.
TELL_EVERY = 0.25

# Agents begin so many seconds after the plugin is loaded: time for the first polls.
CURTAIN = 1.0

SCHEMA = 6


class Driver:
    """One host, and everything that happens in it."""

    def __init__(self, library: Path, seed: int) -> None:
        """
        Raises:
            LoadError: the library cannot be loaded.
        """
        self.counts = Counter[str]()
        self.over = Event()
        self._seed = seed
        self._began_at = time.time()
        self._host = Host(providers(self._began_at, seed), seed)
        self._callbacks = Callbacks(self._host, time.time)
        # The host and the providers are one state machine; whoever moves it on holds this.
        self._turn = Lock()
        self._records: SimpleQueue[bytes | None] = SimpleQueue()
        self._plugin = Plugin(library, self._called_back)

    def run(self) -> None:
        """Register, then have the agents work until it is over."""
        config = b64encode(b"enabled: true\npriority: 100\n").decode()
        self._call("plugin.register", msgspec.json.encode({"config_yaml": config, "schema_version": SCHEMA}))
        sink = Thread(target=self._deliver, daemon=True)
        sink.start()
        with ThreadPoolExecutor(THREADS) as pool:
            for request in self._in_time(agents(self._began_at + CURTAIN, self._seed)):
                pool.submit(self._serve, request)
            pool.shutdown(cancel_futures=True)
        self._records.put(None)
        sink.join()
        self._plugin.close()

    def usage(self, token: str) -> Answer | None:
        """The answer to a poll with this access token."""
        with self._turn:
            known = self._host.provider.subscriptions.values()
            owner = next((one.account.id for one in known if token_of(one) == token), None)
            return self._host.provider.usage(owner, time.time()) if owner else None

    def _in_time(self, requests: Iterator[Request]) -> Iterator[Request]:
        for request in requests:
            if self.over.wait(max(0.0, request.at - time.time())):
                return
            yield request

    def _serve(self, request: Request) -> None:
        try:
            self._count(self._drive(request))
        except Exception as error:  # noqa: BLE001 - counted and told; the demo fails by it
            self.counts["errors"] += 1
            print(f"{type(error).__name__}: {error}", file=sys.stderr)  # noqa: T201 - its parent shows it

    def _drive(self, request: Request) -> Outcome:
        serving = self._host.serve(request)
        try:
            with self._turn:
                step = next(serving)
            while True:
                reply = self._do(step)
                with self._turn:
                    step = serving.send(reply)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome

    def _do(self, step: Step) -> Reply:
        answer = b""
        match step:
            case Ask(method, body):
                answer = self._call(method, body)
            case Tell(body=body) if self._records.qsize() < RECORDS:
                self._records.put(body)
            case Pause(seconds):
                self.over.wait(seconds)
        return Reply(time.time(), answer)

    def _call(self, method: str, body: bytes) -> bytes:
        code, answer = self._plugin.call(method, body)
        return answer if code == 0 and answer is not None else b""

    def _deliver(self) -> None:
        while (body := self._records.get()) is not None:
            self._call("usage.handle", body)

    def _called_back(self, method: str, body: bytes) -> bytes:
        with self._turn:
            return self._callbacks.call(method, body)

    def _count(self, outcome: Outcome) -> None:
        counts = self.counts
        counts["requests"] += 1
        counts["served"] += outcome.served is not None
        counts["errors"] += outcome.fault is not None
        for attempt in outcome.attempts:
            counts["picks"] += 1
            counts["handled"] += attempt.handled
            counts["refused"] += attempt.answer.status == 429


@click.command()
@click.option("--library", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--seed", type=int, default=0)
@click.option("--usage-fd", type=int, required=True, help="A listening socket for the usage endpoints.")
def main(library: Path, seed: int, usage_fd: int) -> None:
    """Drive the plugin library until standard input ends."""
    driver = Driver(library, seed)
    with socket(fileno=usage_fd) as listening, UsageServer(listening, driver.usage) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        Thread(target=_tell, args=(driver,), daemon=True).start()
        Thread(target=_listen, args=(driver,), daemon=True).start()
        driver.run()
        server.shutdown()
    _say(driver)


def _listen(driver: Driver) -> None:
    sys.stdin.read()
    driver.over.set()


def _tell(driver: Driver) -> None:
    while not driver.over.wait(TELL_EVERY):
        _say(driver)


def _say(driver: Driver) -> None:
    print(msgspec.json.encode(driver.counts).decode(), flush=True)  # noqa: T201 - its parent reads it


if __name__ == "__main__":
    main()
