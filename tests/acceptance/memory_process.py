"""A process that forms memories until it is stopped or killed, for the tests that kill it."""

import asyncio

import uvloop

from souvenir.app import open_souvenir
from souvenir.config import load_settings
from souvenir.log import configure_logging


async def main() -> None:
    settings = load_settings()
    configure_logging(settings)
    async with open_souvenir(settings) as souvenir:
        print("works", flush=True)
        await souvenir.jobs.work()


with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
    runner.run(main())
