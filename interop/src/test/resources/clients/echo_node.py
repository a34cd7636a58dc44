"""A node that echoes messages of WebSocket. It closes where it is asked to ("close CODE REASON"), and says how a client closed ("closed ID")."""

import asyncio
import re

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

MESSAGE_BYTES_MAX = 8 << 20
DEADLINE_SECONDS = 10
closings = {}


def closing(client):
    return closings.setdefault(client, asyncio.get_running_loop().create_future())


async def echo(socket):
    client = re.search(r"id=(\w+)", socket.request.path)
    try:
        while True:
            message = await socket.recv()
            if isinstance(message, str) and message.startswith("close "):
                _, code, reason = message.split(" ", 2)
                await socket.close(int(code), reason)
            elif isinstance(message, str) and message.startswith("closed "):
                await socket.send(await asyncio.wait_for(closing(message.split(" ")[1]), DEADLINE_SECONDS))
            else:
                await socket.send(message)
    except ConnectionClosed as e:
        if client and not closing(client[1]).done():
            closing(client[1]).set_result(f"{e.rcvd.code} {e.rcvd.reason}" if e.rcvd else "without a close frame")


async def main():
    async with serve(echo, "127.0.0.1", 0, max_size=MESSAGE_BYTES_MAX) as server:
        print("ready", server.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().create_future()


asyncio.run(main())
