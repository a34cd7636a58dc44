"""Compressed answers over httpx, with the decoders of brotli and zstandard: python httpx_codings.py WIRE URL"""

import asyncio

import httpx
from cases import run_id, same, trust, try_all, url, wire

TWO = wire.startswith("h2")
NUMBERS = "\n".join(str(i) for i in range(30_000))


async def main():
    async with httpx.AsyncClient(http1=not TWO, http2=TWO, verify=trust(), trust_env=False, timeout=20) as client:

        async def coded(coding):
            same("asked for", True, coding in client.headers["accept-encoding"])
            answer = await client.get(f"{url}/{coding}/numbers")
            same("coding", coding, answer.headers.get("content-encoding"))
            same("text", NUMBERS, answer.text)
            got = []
            async with client.stream("GET", f"{url}/{coding}/events/{run_id}{coding}") as answer:
                same("coding of events", coding, answer.headers.get("content-encoding"))
                async for line in answer.aiter_lines():
                    if line == "data: first":
                        same("go", 204, (await client.get(f"{url}/go/{run_id}{coding}")).status_code)
                    got += [line] if line else []
            same("events", ["data: first", "data: last"], got)

        codings = ["gzip", "br", "zstd"]
        await try_all({coding: lambda coding=coding: coded(coding) for coding in codings}, codings)


asyncio.run(main())
