"""`souvenir jobs`: see what waits, what failed and why, and run failed jobs again."""

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from souvenir.cli.run import Json, print_json, run
from souvenir.config import Settings
from souvenir.errors import BadInput, NotFound
from souvenir.storage import open_storage
from souvenir.stores.ports import Job, JobCounts

app = typer.Typer(help="Background jobs: what waits, what failed and why.", no_args_is_help=True)


@app.command("list")
def list_jobs(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most failed jobs to show.")] = 50, as_json: Json = False
) -> None:
    """Show the state of the queue and the jobs that failed for good."""

    async def work(settings: Settings) -> tuple[JobCounts, list[Job]]:
        async with open_storage(settings) as storage:
            return await storage.jobs.counts(), await storage.jobs.failed(limit)

    counts, failed = run(work)
    if as_json:
        print_json(
            {
                "waiting": counts.waiting,
                "running": counts.running,
                "failed": counts.failed,
                "oldest_waiting_seconds": counts.oldest_waiting_seconds,
                "failed_jobs": [_public(job) for job in failed],
            }
        )
        return
    typer.echo(f"{counts.waiting} waiting, {counts.running} running, {counts.failed} failed")
    if failed:
        table = Table("id", "task", "space", "key", "tries", "error")
        for job in failed:
            table.add_row(str(job.id), job.task, job.space, job.key, str(job.attempt), job.error or "its process died")
        Console().print(table)
        typer.echo("Run one again with: souvenir jobs retry ID")


@app.command("retry")
def retry(
    job_ids: Annotated[list[int] | None, typer.Argument(help="Ids of failed jobs.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every failed job.")] = False,
) -> None:
    """Queue failed jobs again, with all their tries before them."""
    if bool(job_ids) == everything:
        raise BadInput("", "give the ids of failed jobs, or --all")

    async def work(settings: Settings) -> list[int]:
        async with open_storage(settings) as storage:
            ids = job_ids or [job.id for job in await storage.jobs.failed(limit=1_000_000)]
            for job_id in ids:
                if not await storage.jobs.retry(job_id):
                    raise NotFound(f"there is no failed job {job_id}")
            return ids

    queued = run(work)
    typer.echo(f"Queued again: {', '.join(map(str, queued)) or 'nothing, no job has failed'}")


def _public(job: Job) -> dict[str, Any]:
    return {
        "id": job.id,
        "task": job.task,
        "space": job.space,
        "key": job.key,
        "attempts": job.attempt,
        "error": job.error,
        "queued_at": job.queued_at,
    }
