"""File sources in Postgres."""

from collections.abc import Sequence
from dataclasses import asdict

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from souvenir.stores.postgres.database import BE_PRESENT, Connection, PostgresDatabase
from souvenir.stores.source_ports import FileState, FileStatus, Source, SourceJob, Statistics, Tally
from souvenir.types import SpaceId

_SOURCE = "source_id, root, include, exclude, watch, created_at"
_FILE = "path, size, changed_ns, digest, status, format, error, indexed_at, passage_ids"
_JOB = "job_id, source_id, state, whole, paths, tally, queued_at, started_at, finished_at, error"
_JOBS_KEPT = 50

_FORGET_JOBS = """
delete from source_jobs where space_id = %s and source_id = %s and state in ('done', 'cancelled', 'failed')
   and job_id not in (select job_id from source_jobs where space_id = %s and source_id = %s
                       order by job_id desc limit %s)
"""

_STATISTICS = """
select count(*) as files,
       count(*) filter (where status = 'indexed') as indexed,
       count(*) filter (where status = 'skipped') as skipped,
       count(*) filter (where status = 'failed') as failed,
       coalesce(sum(cardinality(passage_ids)), 0)::bigint as chunks,
       coalesce(sum(size) filter (where status = 'indexed'), 0)::bigint as bytes
  from source_files where space_id = %s and source_id = %s
"""


class PostgresSourceStore:
    """The SourceStore on Postgres."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def add(self, space: SpaceId, source: Source) -> bool:
        """One row, unless the folder has one."""
        async with self._database.transaction() as connection:
            await connection.execute(BE_PRESENT, [space])
            cursor = await connection.execute(
                f"insert into sources (space_id, {_SOURCE}) values (%s, %s, %s, %s, %s, %s, %s)"
                " on conflict do nothing".encode(),
                [space, source.source_id, source.root, list(source.include), list(source.exclude), source.watch,
                 source.created_at],
            )  # fmt: skip
            return cursor.rowcount == 1

    async def get(self, space: SpaceId, source_id: str) -> Source | None:
        """By its key."""
        rows = await self._database.fetch(
            f"select {_SOURCE} from sources where space_id = %s and source_id = %s", [space, source_id]
        )
        return _source(rows[0]) if rows else None

    async def list(self, space: SpaceId) -> Sequence[Source]:
        """Ids are in order of time."""
        rows = await self._database.fetch(
            f"select {_SOURCE} from sources where space_id = %s order by source_id", [space]
        )
        return [_source(row) for row in rows]

    async def watched(self) -> Sequence[tuple[SpaceId, Source]]:
        """Of all spaces."""
        rows = await self._database.fetch(f"select space_id, {_SOURCE} from sources where watch")
        return [(SpaceId(row.pop("space_id")), _source(row)) for row in rows]

    async def remove(self, space: SpaceId, source_id: str) -> Sequence[int] | None:
        """The source's row first: whoever writes one of its files holds it."""
        async with self._database.transaction() as connection:
            if await _locked(connection, space, source_id, "update") is None:
                return None
            cursor = await connection.execute(
                "select passage_ids from source_files where space_id = %s and source_id = %s", [space, source_id]
            )
            ids = [one for row in await cursor.fetchall() for one in row["passage_ids"]]
            await connection.execute("delete from sources where space_id = %s and source_id = %s", [space, source_id])
            return ids

    async def statistics(self, space: SpaceId, source_id: str) -> Statistics:
        """Counted."""
        (row,) = await self._database.fetch(_STATISTICS, [space, source_id])
        return Statistics(**row)

    async def files(self, space: SpaceId, source_id: str, paths: Sequence[str]) -> dict[str, FileState]:
        """By path."""
        rows = await self._database.fetch(
            f"select {_FILE} from source_files where space_id = %s and source_id = %s and path = any(%s)",
            [space, source_id, [*paths]],
        )
        return {row["path"]: _file(row) for row in rows}

    async def paths(
        self, space: SpaceId, source_id: str, *, below: str = "", after: str = "", limit: int = 1000
    ) -> Sequence[str]:
        """Along the primary key; what lies in a folder begins with its path and a slash, and `0` follows the slash."""
        rows = await self._database.fetch(
            "select path from source_files where space_id = %s and source_id = %s and path > %s"
            " and (%s = '' or path = %s or (path > %s and path < %s)) order by path limit %s",
            [space, source_id, after, below, below, f"{below}/", f"{below}0", limit],
        )
        return [row["path"] for row in rows]

    async def list_files(
        self, space: SpaceId, source_id: str, status: FileStatus | None, *, after: str, limit: int
    ) -> Sequence[FileState]:
        """Along the primary key."""
        rows = await self._database.fetch(
            f"select {_FILE} from source_files where space_id = %s and source_id = %s and path > %s"
            " and (%s::text is null or status = %s) order by path limit %s",
            [space, source_id, after, status, status, limit],
        )
        return [_file(row) for row in rows]

    async def put_files(self, space: SpaceId, source_id: str, states: Sequence[FileState]) -> None:
        """All in one statement's preparation."""
        async with self._database.transaction() as connection, connection.cursor() as cursor:
            await cursor.executemany(
                f"insert into source_files (space_id, source_id, {_FILE})"
                " values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
                " on conflict (space_id, source_id, path) do update set size = excluded.size,"
                " changed_ns = excluded.changed_ns, digest = excluded.digest, status = excluded.status,"
                " format = excluded.format, error = excluded.error, indexed_at = excluded.indexed_at,"
                " passage_ids = excluded.passage_ids".encode(),
                [
                    [space, source_id, one.path, one.size, one.changed_ns, one.digest, one.status, one.format,
                     one.error, one.indexed_at, list(one.passage_ids)]
                    for one in states
                ],
            )  # fmt: skip

    async def remove_files(self, space: SpaceId, source_id: str, paths: Sequence[str]) -> int:
        """By path."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "delete from source_files where space_id = %s and source_id = %s and path = any(%s)",
                [space, source_id, [*paths]],
            )
            return cursor.rowcount

    async def add_job(self, space: SpaceId, job: SourceJob) -> None:
        """A row; old ones go."""
        async with self._database.transaction() as connection:
            await connection.execute(
                f"insert into source_jobs (space_id, {_JOB}) values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
                .encode(),
                [space, job.job_id, job.source_id, job.state, job.full, _listed(job.paths), Jsonb(asdict(job.tally)),
                 job.queued_at, job.started_at, job.finished_at, job.error],
            )  # fmt: skip
            await connection.execute(_FORGET_JOBS, [space, job.source_id, space, job.source_id, _JOBS_KEPT])

    async def job(self, space: SpaceId, source_id: str, job_id: str, *, hold: bool = False) -> SourceJob | None:
        """By its key; held behind its source, as removing one goes."""
        query = f"select {_JOB} from source_jobs where space_id = %s and source_id = %s and job_id = %s"
        async with self._database.transaction() as connection:
            if hold and await _locked(connection, space, source_id, "share") is None:
                return None
            cursor = await connection.execute(
                f"{query} {'for update' if hold else ''}".encode(), [space, source_id, job_id]
            )
            row = await cursor.fetchone()
            return _job(row) if row is not None else None

    async def jobs(self, space: SpaceId, source_id: str, limit: int) -> Sequence[SourceJob]:
        """Ids are in order of time."""
        rows = await self._database.fetch(
            f"select {_JOB} from source_jobs where space_id = %s and source_id = %s order by job_id desc limit %s",
            [space, source_id, limit],
        )
        return [_job(row) for row in rows]

    async def put_job(self, space: SpaceId, job: SourceJob) -> None:
        """Change a row."""
        async with self._database.transaction() as connection:
            await connection.execute(
                "update source_jobs set state = %s, tally = %s, started_at = %s, finished_at = %s, error = %s"
                " where space_id = %s and source_id = %s and job_id = %s",
                [job.state, Jsonb(asdict(job.tally)), job.started_at, job.finished_at, job.error, space, job.source_id,
                 job.job_id],
            )  # fmt: skip


async def _locked(connection: Connection, space: SpaceId, source_id: str, how: str) -> DictRow | None:
    cursor = await connection.execute(
        f"select source_id from sources where space_id = %s and source_id = %s for {how}".encode(), [space, source_id]
    )
    return await cursor.fetchone()


def _listed(paths: tuple[str, ...] | None) -> Sequence[str] | None:
    return [*paths] if paths is not None else None


def _source(row: DictRow) -> Source:
    return Source(**{**row, "include": tuple(row["include"]), "exclude": tuple(row["exclude"])})


def _file(row: DictRow) -> FileState:
    return FileState(**{**row, "passage_ids": tuple(row["passage_ids"])})


def _job(row: DictRow) -> SourceJob:
    given = {name: value for name, value in row.items() if name != "whole"}
    paths = tuple(row["paths"]) if row["paths"] is not None else None
    return SourceJob(**{**given, "full": row["whole"], "paths": paths, "tally": Tally(**row["tally"])})
