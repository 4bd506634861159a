"""A worker process with one task of its own, for the test that kills it: `job_process.py {hang|finish}`."""

import asyncio
import sys

from souvenir.config import load_settings
from souvenir.storage import open_storage
from souvenir.stores.ports import Job


async def main(behaviour: str) -> None:
    async with open_storage(load_settings()) as storage:

        async def write(job: Job) -> None:
            async with storage.database.transaction() as connection:
                await connection.execute("insert into seen values (%s, %s)", [job.attempt, behaviour])
            print(f"started {job.attempt}", flush=True)
            if behaviour == "hang":
                await asyncio.Event().wait()
            async with storage.database.transaction() as connection:
                await connection.execute("insert into done values (%s)", [job.key])
            print(f"finished {job.attempt}", flush=True)

        storage.jobs.register("write", write)
        await storage.jobs.work()


asyncio.run(main(sys.argv[1]))
