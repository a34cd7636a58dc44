"""The cases over aiohttp, which speaks HTTP/1.1 only: python aiohttp_cases.py WIRE URL"""

import asyncio

import aiohttp
from cases import Cannot, body, cookie, digest, run_id, same, trust, try_all, url


async def main():
    connector = aiohttp.TCPConnector(ssl=trust(), limit=60)
    async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as client:

        async def json():
            async with client.get(url + "/json") as answer:
                same("answer", (200, {"name": "sigma"}), (answer.status, await answer.json()))

        async def echo():
            async with client.post(url + "/echo", data=body) as answer:
                same("hash", (200, digest(body)), (answer.status, digest(await answer.read())))

        async def empty():
            async with client.get(url + "/empty") as answer:
                same("answer", (204, b""), (answer.status, await answer.read()))

        async def missing():
            async with client.get(url + "/missing") as answer:
                same("answer", (404, "missing"), (answer.status, await answer.text()))

        async def status(path):
            async with client.get(url + path) as answer:
                await answer.read()
                return answer.status

        async def events():
            got = []
            async with client.get(f"{url}/events/{run_id}") as answer:
                async for line in answer.content:
                    if line == b"data: first\n":
                        same("go", 204, await status(f"/go/{run_id}"))
                    got += [line] if line.strip() else []
            same("events", [b"data: first\n", b"data: last\n"], got)

        async def many():
            same("answers", [200] * 50, await asyncio.gather(*[status(f"/gather/{run_id}?i={i}") for i in range(50)]))

        async def head():
            async with client.head(url + "/json") as answer:
                same("answer", (200, "17", b""), (answer.status, answer.headers.get("content-length"), await answer.read()))

        async def cookies():
            async with client.get(url + "/cookies", headers={"cookie": cookie}) as answer:
                same("cookie", "1\n" + cookie, await answer.text())
                same("set-cookie", 2, len(answer.headers.getall("set-cookie")))

        async def trailers():
            async with client.get(url + "/trailers", headers={"te": "trailers"}) as answer:
                same("body", "with trailers", await answer.text())
            raise Cannot("aiohttp shows no trailers (body was right)")

        await try_all(locals())


asyncio.run(main())
