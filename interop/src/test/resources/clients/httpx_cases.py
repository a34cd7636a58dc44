"""The cases over httpx: python httpx_cases.py WIRE URL"""

import asyncio

import httpx
from cases import Cannot, body, cookie, digest, run_id, same, trust, try_all, url, wire

TWO = wire.startswith("h2")


async def main():
    # One connection, where many requests share it.
    limits = httpx.Limits(max_connections=2 if TWO else 60)
    async with httpx.AsyncClient(http1=not TWO, http2=TWO, verify=trust(), trust_env=False, timeout=20, limits=limits) as client:

        async def json():
            answer = await client.get(url + "/json")
            same("answer", (200, {"name": "sigma"}), (answer.status_code, answer.json()))
            same("version", "HTTP/2" if TWO else "HTTP/1.1", answer.http_version)

        async def echo():
            answer = await client.post(url + "/echo", content=body)
            same("hash", (200, digest(body)), (answer.status_code, digest(answer.content)))

        async def empty():
            answer = await client.get(url + "/empty")
            same("answer", (204, b""), (answer.status_code, answer.content))

        async def missing():
            answer = await client.get(url + "/missing")
            same("answer", (404, "missing"), (answer.status_code, answer.text))

        async def events():
            got = []
            async with client.stream("GET", f"{url}/events/{run_id}") as answer:
                async for line in answer.aiter_lines():
                    if line == "data: first":
                        same("go", 204, (await client.get(f"{url}/go/{run_id}")).status_code)
                    got += [line] if line else []
            same("events", ["data: first", "data: last"], got)

        async def many():
            answers = await asyncio.gather(*[client.get(f"{url}/gather/{run_id}?i={i}") for i in range(50)])
            same("answers", [200] * 50, [answer.status_code for answer in answers])

        async def head():
            answer = await client.head(url + "/json")
            same("answer", (200, "17", b""), (answer.status_code, answer.headers.get("content-length"), answer.content))

        async def cookies():
            answer = await client.get(url + "/cookies", headers={"cookie": cookie})
            same("cookie", "1\n" + cookie, answer.text)
            same("set-cookie", 2, len(answer.headers.get_list("set-cookie")))
            client.cookies.clear()

        async def trailers():
            same("body", "with trailers", (await client.get(url + "/trailers", headers={"te": "trailers"})).text)
            raise Cannot("httpx shows no trailers (body was right)")

        await try_all(locals())


asyncio.run(main())
