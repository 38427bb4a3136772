"""`python -m benchmarks.pages SOCKET COUNT`: open pages of the live feed, asking as the dashboard does."""

import sys

import msgspec
import trio
from trio_websocket import WebSocketConnection, wrap_client_stream

# Pages are opened one after the other: a browser that reconnects does not come alone, but not at once either.
APART = 0.01


class Answer(msgspec.Struct):
    """What a page needs of an answer to ask for the next one."""

    kind: str
    epoch: str = ""
    number: int = 0
    next: str | None = None


async def main(path: str, count: int) -> None:
    """Keep *count* pages open until cancelled; says `ready` once each of them has shown all accounts."""
    async with trio.open_nursery() as nursery:
        for _ in range(count):
            await nursery.start(show, path)
            await trio.sleep(APART)
        print("ready", flush=True)


async def show(path: str, task_status: trio.TaskStatus[None]) -> None:
    """One page; started when it has its first whole snapshot."""
    stream = await trio.open_unix_socket(path)
    async with trio.open_nursery() as nursery:
        connection = await wrap_client_stream(nursery, stream, "localhost", "/live")
        answer = await ask(connection, {"after": None})
        while answer.next is not None:
            answer = await ask_on(connection, answer)
        task_status.started()
        while True:
            answer = await ask_on(connection, answer)


async def ask_on(connection: WebSocketConnection, seen: Answer) -> Answer:
    return await ask(connection, {"after": seen.number, "epoch": seen.epoch, "next": seen.next})


async def ask(connection: WebSocketConnection, asked: dict[str, object]) -> Answer:
    await connection.send_message(msgspec.json.encode(asked).decode())
    return msgspec.json.decode(await connection.get_message(), type=Answer)


if __name__ == "__main__":
    trio.run(main, sys.argv[1], int(sys.argv[2]))
