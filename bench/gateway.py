"""What the gateway adds to a chat model's own time, with no memory: time to first token, and 64 streams at once."""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2

from bench.report import Figure, table
from souvenir.testing.processes import SouvenirProcess, environment, running

BODY = {"model": "scripted", "stream": True, "messages": [{"role": "user", "content": "one two three four five six"}]}
ROUNDS = 300
STREAMS = 64
LIMIT_MS = 5.0


async def first_token_ms(client: httpx2.AsyncClient, url: str) -> float:
    started = time.perf_counter()
    first = 0.0
    async with client.stream("POST", f"{url}/v1/chat/completions", json=BODY) as answer:
        answer.raise_for_status()
        async for line in answer.aiter_lines():
            if not first and '"content":' in line and '"content":""' not in line:
                first = time.perf_counter() - started
    return first * 1000


async def whole(client: httpx2.AsyncClient, url: str) -> bool:
    try:
        async with client.stream("POST", f"{url}/v1/chat/completions", json=BODY) as answer:
            lines = [line async for line in answer.aiter_lines()]
            return answer.status_code == 200 and "data: [DONE]" in lines
    except httpx2.HTTPError:
        return False


async def measure(direct: str, gateway: str) -> list[Figure]:
    async with httpx2.AsyncClient(timeout=60, limits=httpx2.Limits(max_connections=STREAMS)) as client:
        for url in (direct, gateway):
            for _ in range(20):
                await first_token_ms(client, url)
        times: dict[str, list[float]] = {direct: [], gateway: []}
        for _ in range(ROUNDS):
            for url in (direct, gateway):  # turn about, so that the machine's moods hit both alike
                times[url].append(await first_token_ms(client, url))
        held = 0
        for _ in range(5):
            held += sum(await asyncio.gather(*(whole(client, gateway) for _ in range(STREAMS))))
    base, through = statistics.median(times[direct]), statistics.median(times[gateway])
    return [
        Figure("time to first token added by the gateway (p50)", through - base, "≤", LIMIT_MS, "ms"),
        Figure("… as a ratio to the direct call (p50)", through / base, "", None, "times"),
        Figure(f"{STREAMS} streams at once, five times: streams that held", held / (5 * STREAMS), "≥", 1.0, "share"),
    ]


def run() -> str:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "souvenir.testing.openai_server"]
        host = SouvenirProcess(command, environment({}), Path(folder))
        try:
            base_url = host.wait_for(r"(http://\S+/v1)").group(1)
            settings: dict[str, Any] = {
                "SOUVENIR_DATA_DIR": f"{folder}/data", "SOUVENIR_PORT": "0", "SOUVENIR_LOG_LEVEL": "warning",
                "SOUVENIR_LLM_BASE_URL": base_url, "SOUVENIR_LLM_MODEL": "scripted",
            }  # fmt: skip
            with running(["serve"], settings, Path(folder)) as server:
                return table(asyncio.run(measure(base_url.removesuffix("/v1"), server.url)))
        finally:
            try:
                host.stop(5)
            except subprocess.TimeoutExpired:
                host.kill()


if __name__ == "__main__":
    print(run())
