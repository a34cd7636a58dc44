"""The cases of WebSocket over websockets: python websockets_cases.py WIRE URL"""

import asyncio

from cases import body, run_id, same, tell, trust, url
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

DEADLINE_SECONDS = 20


def dial(query="", compression=None):
    more = {"ssl": trust()} if url.startswith("wss") else {}
    return connect(url + query, compression=compression, max_size=8 << 20, proxy=None, **more)


async def echoed(message, compression=None):
    async with dial(compression=compression) as socket:
        extensions = socket.response.headers.get("Sec-WebSocket-Extensions", "")
        same("deflated", compression is not None, "permessage-deflate" in extensions)
        await socket.send(message)
        same("equal", True, message == await socket.recv())


async def closed_by_node():
    async with dial() as socket:
        await socket.send("close 4321 bye")
        try:
            await socket.recv()
            raise AssertionError("a message (expected: closed)")
        except ConnectionClosed as e:
            same("close", (4321, "bye"), (e.rcvd.code, e.rcvd.reason))


async def closed_by_client():
    async with dial("?id=" + run_id) as socket:
        await socket.close(4001, "enough")
    async with dial() as socket:
        await socket.send("closed " + run_id)
        same("the node's view", "4001 enough", await socket.recv())


async def main():
    cases = {
        "text": lambda: echoed("höi"),
        "binary": lambda: echoed(body),
        "deflate": lambda: echoed("sigma " * 20_000, "deflate"),
        "closed-by-node": closed_by_node,
        "closed-by-client": closed_by_client,
    }
    for name, case in cases.items():
        try:
            await asyncio.wait_for(case(), DEADLINE_SECONDS)
            tell(name, True)
        except Exception as e:  # whatever it is, it is this case's outcome
            tell(name, False, repr(e))


asyncio.run(main())
