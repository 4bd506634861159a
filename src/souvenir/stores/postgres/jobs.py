"""What Souvenir keeps about jobs beside procrastinate's own tables, and the questions it asks of them."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime

from psycopg.rows import DictRow

from souvenir.stores.ports import Job, JobCounts
from souvenir.stores.postgres.database import PostgresDatabase
from souvenir.types import GLOBAL_SPACE, SpaceId

_STALLED = """
select job.id, job.attempts
  from procrastinate_jobs job
 where job.status = 'doing'
   and job.worker_id is distinct from %s
   and not exists (
       select from procrastinate_workers worker
        where worker.id = job.worker_id and worker.last_heartbeat >= now() - make_interval(secs => %s))
   for update of job skip locked
"""

_NEXT = """
select next.id, next.task_name, next.args
  from procrastinate_jobs own cross join lateral (
       select * from procrastinate_jobs
        where lock = own.lock and status = 'todo' order by priority desc, id limit 1 for update skip locked) next
 where own.id = %s and own.status = 'doing' and own.worker_id = %s
   and next.task_name = own.task_name and next.attempts = 0
   and (next.scheduled_at is null or next.scheduled_at <= now())
"""

_FAILED = """
select job.id, job.task_name, job.args, job.attempts, job.status::text, error.error,
       (select min(event.at) from procrastinate_events event where event.job_id = job.id) as queued_at
  from procrastinate_jobs job
  left join job_errors error on error.space_id = %s and error.job_id = job.id
 where job.status = 'failed'
 order by job.id desc
 limit %s
"""

_COUNTS = """
select count(*) filter (where status = 'todo') as waiting,
       count(*) filter (where status = 'doing') as running,
       count(*) filter (where status = 'failed') as failed,
       coalesce(max(extract(epoch from now() - coalesce(job.scheduled_at, queued.at)))
                filter (where status = 'todo'), 0) as oldest
  from procrastinate_jobs job
  left join lateral (
       select min(event.at) as at from procrastinate_events event where event.job_id = job.id and job.status = 'todo'
  ) queued on true
 where status in ('todo', 'doing', 'failed')
"""


_TAKE = """
delete from procrastinate_jobs where args ->> 'space' = %(space)s and status not in ('doing', 'aborting') returning id
"""

# the worker that has it still reads and ends the row, and whoever takes it up after that one's death finds it empty
_EMPTY = """
update procrastinate_jobs set args = '{"erased": true}', lock = null
 where args ->> 'space' = %(space)s and status in ('doing', 'aborting')
returning id
"""

_LEAVE_FOR_ALL = """
update procrastinate_jobs set args = jsonb_set(args, '{space}', to_jsonb(%(global)s::text)), lock = null
 where args ->> 'space' = %(space)s and (args -> 'payload' ->> 'everywhere')::boolean
"""


class PostgresJobStore:
    """The JobStore on Postgres."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def add_once(
        self, space: SpaceId, key: str, at: datetime, defer: Callable[[object], Awaitable[int]]
    ) -> int | None:
        """Queue a job unless its key is taken; both writes are one transaction."""
        async with self._database.joined() as connection:
            cursor = await connection.execute(
                "insert into job_keys (space_id, key, created_at) values (%s, %s, %s) on conflict do nothing",
                [space, key, at],
            )
            if cursor.rowcount == 0:
                return None
            job_id = await defer(connection)
            await connection.execute(
                "update job_keys set job_id = %s where space_id = %s and key = %s", [job_id, space, key]
            )
            return job_id

    async def rescue(self, silent_seconds: float, max_attempts: int, but_not_of: int | None) -> list[int]:
        """Queue again what dead workers left; what has had its tries fails for good."""
        async with self._database.transaction() as connection:
            stalled = await (await connection.execute(_STALLED, [but_not_of, silent_seconds])).fetchall()
            for row in stalled:
                if row["attempts"] + 1 >= max_attempts:
                    await connection.execute("select procrastinate_finish_job_v1(%s, 'failed', false)", [row["id"]])
                else:
                    await connection.execute(
                        "select procrastinate_retry_job_v2(%s, now(), null, null, null)", [row["id"]]
                    )
            return [row["id"] for row in stalled]

    async def follow(self, job_id: int, worker_id: int) -> Job | None:
        """While the one is running nobody else can take the other."""
        async with self._database.transaction() as connection:
            row = await (await connection.execute(_NEXT, [job_id, worker_id])).fetchone()
            if row is None:
                return None
            await connection.execute("select procrastinate_finish_job_v1(%s, 'succeeded', false)", [job_id])
            await connection.execute(
                "update procrastinate_jobs set status = 'doing', worker_id = %s where id = %s", [worker_id, row["id"]]
            )
            return _job(row, 1, "doing")

    async def retry(self, job_id: int) -> bool:
        """Queue a failed job again, with all its tries before it."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "update procrastinate_jobs set status = 'todo', attempts = 0, scheduled_at = now(), worker_id = null"
                " where id = %s and status = 'failed'",
                [job_id],
            )
            return cursor.rowcount == 1

    async def note_error(self, job_id: int, error: str, at: datetime) -> None:
        """Keep the latest reason."""
        async with self._database.transaction() as connection:
            await connection.execute(
                "insert into job_errors (space_id, job_id, error, failed_at) values (%s, %s, %s, %s)"
                " on conflict (space_id, job_id) do update set error = excluded.error, failed_at = excluded.failed_at",
                [GLOBAL_SPACE, job_id, error, at],
            )

    async def failed(self, limit: int) -> list[Job]:
        """Failed jobs, newest first."""
        async with self._database.transaction() as connection:
            rows = await (await connection.execute(_FAILED, [GLOBAL_SPACE, limit])).fetchall()
        return [
            replace(_job(row, row["attempts"], row["status"]), error=row["error"], queued_at=row["queued_at"])
            for row in rows
        ]

    async def counts(self) -> JobCounts:
        """The state of the queue."""
        async with self._database.transaction() as connection:
            row = await (await connection.execute(_COUNTS)).fetchone()
        if row is None:
            return JobCounts(0, 0, 0, 0.0)
        return JobCounts(row["waiting"], row["running"], row["failed"], max(0.0, float(row["oldest"])))

    async def forget_before(self, at: datetime) -> int:
        """Drop keys and errors of finished, deleted jobs."""
        async with self._database.transaction() as connection:
            gone = "not exists (select from procrastinate_jobs job where job.id = {0}.job_id)"
            await connection.execute(
                f"delete from job_errors where space_id = %s and failed_at < %s and {gone.format('job_errors')}",
                [GLOBAL_SPACE, at],
            )
            cursor = await connection.execute(
                f"delete from job_keys where created_at < %s and {gone.format('job_keys')}", [at]
            )
            return cursor.rowcount

    async def erase(self, space: SpaceId) -> int:
        """Those that wait first: one that a worker takes in this moment is found among those that run."""
        async with self._database.transaction() as connection:
            values = {"space": space, "global": GLOBAL_SPACE}
            await connection.execute(_LEAVE_FOR_ALL, values)
            ids = [
                row["id"]
                for query in (_TAKE, _EMPTY)
                for row in await (await connection.execute(query, values)).fetchall()
            ]
            await connection.execute(
                "delete from job_errors where space_id = %s and job_id = any(%s)", [GLOBAL_SPACE, ids]
            )
            await connection.execute("delete from job_keys where space_id = %s", [space])
            return len(ids)


def _job(row: DictRow, attempt: int, status: str) -> Job:
    arguments = row["args"]
    return Job(
        id=row["id"],
        task=row["task_name"],
        space=SpaceId(arguments.get("space", GLOBAL_SPACE)),
        key=arguments.get("key", ""),
        payload=arguments.get("payload", {}),
        attempt=attempt,
        status=status,
    )
