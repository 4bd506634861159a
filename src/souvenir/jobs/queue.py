"""Durable background work: jobs are rows, run at least once by whichever worker is free, and never lost silently."""

import asyncio
import contextlib
import logging
import random
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

import procrastinate
import structlog
from procrastinate import jobs as procrastinate_jobs
from procrastinate.exceptions import ConnectorException
from procrastinate.worker import Worker

from souvenir.clock import Clock
from souvenir.config import Settings
from souvenir.errors import Erased, RequestError, Unavailable
from souvenir.metrics import Metrics
from souvenir.stores.ports import Job, JobCounts, JobStore, running_job
from souvenir.types import GLOBAL_SPACE, JsonObject, SpaceId

log = structlog.get_logger(__name__)

# procrastinate logs each job with its arguments; ours are logged here, without them
logging.getLogger("procrastinate").setLevel(logging.CRITICAL)

Handler = Callable[[Job], Awaitable[None]]

_POLL_SECONDS = 2.0
_LONGEST_WAIT_SECONDS = 900.0
_SILENT_BEATS = 4
_ERROR_CHARS = 500
_WRITE_AGAIN_SECONDS = (0.1, 0.5, 2.0, 5.0)
_LINE_SECONDS = 2.0  # that one line keeps a place of the worker while others wait


@dataclass(frozen=True, slots=True)
class _BackOff(procrastinate.BaseRetryStrategy):
    """1, 2, 4 … seconds with jitter; no second try for what no repetition mends; shutdown is no failure."""

    max_attempts: int

    def get_retry_decision(
        self, *, exception: BaseException, job: procrastinate_jobs.Job
    ) -> procrastinate.RetryDecision | None:
        if isinstance(exception, asyncio.CancelledError):
            return procrastinate.RetryDecision(retry_in={"seconds": 0})
        if isinstance(exception, RequestError) or job.attempts + 1 >= self.max_attempts:
            return None
        seconds = min(_LONGEST_WAIT_SECONDS, 2.0**job.attempts) * random.uniform(0.75, 1.25)  # noqa: S311
        return procrastinate.RetryDecision(retry_in={"milliseconds": int(seconds * 1000)})


class _Worker(Worker):
    """Procrastinate's worker, except that an outcome it cannot write down at once is not forgotten, that a line goes on
    as soon as its job is done, and that a job may have been followed by another of its line in the same place.
    """

    def __init__(self, *app: Any, **options: Any) -> None:
        super().__init__(*app, **options)
        self.followed_by: dict[int, int] = {}
        self._freed = False

    @property
    def is_stopping(self) -> bool:
        """Whether it takes no more jobs."""
        return self._stop_event.is_set()

    def look_again(self) -> None:
        """Ask for jobs at once: one may have become free that nobody announces."""
        self._freed = True
        self._new_job_event.set()

    async def _persist_job_status(self, job: procrastinate_jobs.Job, *outcome: Any, **more: Any) -> None:
        job = job.evolve(id=self.followed_by.pop(job.id or 0, job.id))
        for seconds in _WRITE_AGAIN_SECONDS:
            try:
                await super()._persist_job_status(job, *outcome, **more)
            except ConnectorException:
                log.warning("a job's outcome could not be written; trying again")
                await asyncio.sleep(seconds)
            else:
                self.look_again()
                return
        # under another id the worker's jobs, this one among them, are taken up as those of one that died
        self.stop()  # type: ignore[no-untyped-call]

    async def _fetch_and_process_jobs(self) -> None:
        # what became free while the database was asked may not be in its answer
        self._freed = True
        while self._freed and not self.is_stopping:
            self._freed = False
            await super()._fetch_and_process_jobs()  # type: ignore[no-untyped-call]


class JobQueue:
    """The queue of one process: enqueues, and works when asked to.

    A handler gets the job and may run more than once for it (a process can die after the work and before the
    acknowledgement), so it writes what it does in one transaction or by key.
    """

    def __init__(self, store: JobStore, settings: Settings, clock: Clock, metrics: Metrics) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock
        self._metrics = metrics
        self._app = procrastinate.App(connector=procrastinate.PsycopgConnector())
        self._worker: _Worker | None = None
        self._in_line: set[str] = set()
        self.register("housekeeping", self._housekeep, cron="17 3 * * *")

    async def open(self, pool: Any) -> None:
        """Use the database's pool."""
        await self._app.open_async(pool)

    def register(self, name: str, handler: Handler, *, cron: str | None = None, in_line: bool = False) -> None:
        """Make a task known under a name that outlives processes; with `cron` (UTC) it is queued by the clock.

        Jobs `in_line` are run one at a time for each space, in the order in which they were queued, by whichever
        worker; one that fails holds up those behind it until it has had its tries.
        """
        if in_line:
            self._in_line.add(name)
        run_all = self._run_line if in_line else self._run

        async def run(
            context: procrastinate.JobContext,
            timestamp: int | None = None,
            *,
            space: str = GLOBAL_SPACE,
            key: str = "",
            payload: JsonObject | None = None,
            erased: bool = False,
        ) -> None:
            if erased:
                return
            key = key or f"{name}@{timestamp}"
            attempt = context.job.attempts + 1
            job_id = context.job.id or 0
            await run_all(Job(job_id, name, SpaceId(space), key, payload or {}, attempt, "doing"), handler)

        task = self._app.task(name=name, pass_context=True, retry=_BackOff(self._settings.job_max_attempts))(run)
        if cron is not None:
            self._app.periodic(cron=cron)(task)

    async def enqueue(
        self, space: SpaceId, task: str, *, key: str, payload: JsonObject | None = None, at: datetime | None = None
    ) -> int | None:
        """Queue a job; None when this space has already had one with this key, whatever became of it."""
        if task not in self._app.tasks:
            raise LookupError(f"no task is registered as {task}")
        arguments: JsonObject = {"space": space, "key": key, "payload": payload or {}}
        line = f"{task} {space}" if task in self._in_line else None

        async def defer(connection: object) -> int:
            configured = self._app.tasks[task].configure(schedule_at=at, connection=connection, lock=line)
            return await configured.defer_async(**arguments)

        return await self._store.add_once(space, key, self._clock.now(), defer)

    async def work(self) -> None:
        """Run jobs until cancelled; then let running ones finish for `shutdown_seconds` and queue the rest again."""
        while True:
            self._worker = self._new_worker()
            rescuer = asyncio.create_task(self._rescue(self._worker))
            try:
                await self._worker.run()  # type: ignore[no-untyped-call]
                log.warning("job worker lost the database; starting again")
            except Exception as error:  # noqa: BLE001 - the database may be away for a while; the worker outlives that
                log.warning("job worker stopped; starting again", error=type(error).__name__)
            finally:
                rescuer.cancel()
                await asyncio.gather(rescuer, return_exceptions=True)
                self._worker = None
            await asyncio.sleep(1)

    @property
    def is_working(self) -> bool:
        """Whether a worker runs in this process."""
        return self._worker is not None

    async def failed(self, limit: int = 100) -> list[Job]:
        """Jobs that failed for good, newest first."""
        return await self._store.failed(limit)

    async def retry(self, job_id: int) -> bool:
        """Queue a failed job again; False when no failed job has that id."""
        return await self._store.retry(job_id)

    async def counts(self) -> JobCounts:
        """The state of the queue, also written to the gauges."""
        counts = await self._store.counts()
        self._metrics.jobs_waiting.set(counts.waiting)
        self._metrics.jobs_failed.set(counts.failed)
        self._metrics.jobs_oldest_seconds.set(counts.oldest_waiting_seconds)
        return counts

    def _new_worker(self) -> _Worker:
        return _Worker(
            self._app,
            name="souvenir",
            concurrency=self._settings.worker_concurrency,
            fetch_job_polling_interval=_POLL_SECONDS,
            shutdown_graceful_timeout=self._settings.shutdown_seconds,
            install_signal_handlers=False,
            update_heartbeat_interval=self._settings.job_heartbeat_seconds,
            stalled_worker_timeout=self._silent_seconds,
        )

    @property
    def _silent_seconds(self) -> float:
        return self._settings.job_heartbeat_seconds * _SILENT_BEATS

    async def _run(self, job: Job, handler: Handler) -> None:
        running_job.set(job)
        with structlog.contextvars.bound_contextvars(job=job.id, task=job.task):
            try:
                await handler(job)
            except asyncio.CancelledError:
                log.info("job interrupted by shutdown; queued again")
                raise
            except Erased:
                log.info("job ended: whom it works for was erased")
                return
            except Exception as error:
                await self._note_failure(job, error)
                raise
            self._metrics.jobs_finished.labels(job.task, "done").inc()
            log.debug("job done", attempt=job.attempt)

    async def _run_line(self, job: Job, handler: Handler) -> None:
        """Run a job and those behind it: for a long line, asking the queue for each costs more than running it.

        Only first tries are run so, since what becomes of all of them is decided by the tries of the first.
        """
        worker, place, until = self._worker, job.id, monotonic() + _LINE_SECONDS
        await self._run(job, handler)
        while worker is not None and job.attempt == 1 and monotonic() < until and not worker.is_stopping:
            following = await _uninterrupted(self._follow(worker, place, job))
            if following is None:
                return
            job = following
            await self._run(job, handler)

    async def _follow(self, worker: _Worker, place: int, job: Job) -> Job | None:
        try:
            following = await self._store.follow(job.id, worker.worker_id or 0)
        except (Unavailable, Erased):
            return None  # it is done, and what is behind it is found again
        if following is not None:
            worker.followed_by[place] = following.id
        return following

    async def _note_failure(self, job: Job, error: Exception) -> None:
        final = isinstance(error, RequestError) or job.attempt >= self._settings.job_max_attempts
        outcome = "failed" if final else "retried"
        self._metrics.jobs_finished.labels(job.task, outcome).inc()
        log.log(logging.ERROR if final else logging.WARNING, "job failed", outcome=outcome, error=type(error).__name__)
        with contextlib.suppress(Exception):  # the reason is worth keeping, and not worth losing the retry for
            await self._store.note_error(job.id, f"{type(error).__name__}: {error}"[:_ERROR_CHARS], self._clock.now())

    async def _rescue(self, worker: _Worker) -> None:
        while True:
            try:
                ids = await self._store.rescue(
                    self._silent_seconds, self._settings.job_max_attempts, but_not_of=worker.worker_id
                )
                if ids:
                    log.warning("took up jobs whose process died", jobs=ids)
                    worker.look_again()
            except Exception as error:  # noqa: BLE001 - tried again at the next beat
                log.warning("looking for interrupted jobs failed", error=type(error).__name__)
            await asyncio.sleep(self._settings.job_heartbeat_seconds)

    async def _housekeep(self, _job: Job) -> None:
        """Daily: forget finished jobs and their keys after `job_keep_days`; failed ones stay until somebody acts."""
        days = self._settings.job_keep_days
        await self._app.job_manager.delete_old_jobs(nb_hours=days * 24, include_failed=False)
        await self._store.forget_before(self._clock.now() - timedelta(days=days))


async def _uninterrupted(step: Coroutine[Any, Any, Job | None]) -> Job | None:
    """The result of a step that is not left half way; who is cancelled meanwhile ends after it."""
    task = asyncio.create_task(step)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
