"""Looks at every part Souvenir stands on and says how to mend what is wrong."""

import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal

from souvenir.app import check_dimension, create_embedder, create_providers
from souvenir.chat.forming import TASK as FORMING
from souvenir.clock import SystemClock
from souvenir.config import Settings
from souvenir.embed.port import Embedder
from souvenir.errors import SouvenirError
from souvenir.identity.authenticate import Authenticator
from souvenir.metrics import Metrics
from souvenir.storage import Storage, create_chat_engine, open_storage

Verdict = Literal["ok", "warning", "failed"]

_LITTLE_DISK = 1_000_000_000
_NO_DISK = 100_000_000
_OLD_JOB_SECONDS = 600
_SHORT_SECRET = 32
_MOST_FAILED = 1000
_FAILED = "souvenir jobs list shows why; souvenir jobs retry --all runs them again"


@dataclass(frozen=True, slots=True)
class Finding:
    """One part: how it is, and what to do about it."""

    part: str
    verdict: Verdict
    detail: str
    fix: str = ""


async def examine(settings: Settings) -> AsyncIterator[Finding]:
    """Look at the parts one after another; a part that fails does not hide the next."""
    yield _disk(settings)
    embedder = create_embedder(settings, Metrics())
    try:
        yield await _embedder(embedder)
        async for finding in _storage(settings, embedder):
            yield finding
    finally:
        await embedder.aclose()
    async for finding in _providers(settings):
        yield finding


def _disk(settings: Settings) -> Finding:
    folder = settings.data_dir
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    detail = f"{free / 1e9:.1f} GB free for {settings.data_dir}"
    if free < _NO_DISK:
        return Finding("disk", "failed", detail, "free some space, or move SOUVENIR_DATA_DIR")
    if free < _LITTLE_DISK:
        return Finding("disk", "warning", detail, "free some space soon")
    return Finding("disk", "ok", detail)


async def _embedder(embedder: Embedder) -> Finding:
    try:
        await embedder.start()
        made = await embedder.embed(["Is the embedder well?"])
    except SouvenirError as error:
        return Finding("embedder", "failed", str(error), "see SOUVENIR_EMBED_BASE_URL and SOUVENIR_WEIGHTS_DIR")
    return Finding("embedder", "ok", f"{embedder.model}, vectors of {made.vectors.shape[1]}")


async def _storage(settings: Settings, embedder: Embedder) -> AsyncIterator[Finding]:
    try:
        async with open_storage(settings) as storage:
            version, vector = await storage.database.versions()
            yield Finding("database", "ok", f"Postgres {version} at {storage.database.place}, schema up to date")
            yield Finding("extension", "ok", f"pgvector {vector}")
            yield await _dimension(embedder, storage)
            yield await _chats(storage)
            yield await _jobs(storage)
            yield await _memory(storage)
            yield _auth(settings, storage)
    except SouvenirError as error:
        yield Finding("database", "failed", str(error), "see SOUVENIR_DATABASE_URL and SOUVENIR_DATA_DIR")


async def _dimension(embedder: Embedder, storage: Storage) -> Finding:
    try:
        await check_dimension(embedder, storage)
    except SouvenirError as error:
        return Finding("dimension", "failed", str(error), "see SOUVENIR_EMBED_DIMENSION")
    return Finding("dimension", "ok", "the stored vectors and the embedder agree")


async def _chats(storage: Storage) -> Finding:
    name = storage.settings.chat_store
    engine = create_chat_engine(name, storage)
    try:
        await engine.open()
        await engine.ping()
    except SouvenirError as error:
        return Finding("chats", "failed", str(error), "see SOUVENIR_CHAT_STORE and the settings of that engine")
    finally:
        await engine.aclose()
    return Finding("chats", "ok", f"kept in {name}")


async def _jobs(storage: Storage) -> Finding:
    counts = await storage.jobs.counts()
    detail = f"{counts.waiting} waiting, {counts.running} running, {counts.failed} failed"
    if counts.failed:
        return Finding("jobs", "warning", detail, _FAILED)
    if counts.oldest_waiting_seconds > _OLD_JOB_SECONDS:
        return Finding(
            "jobs",
            "warning",
            f"{detail}; the oldest for {counts.oldest_waiting_seconds:.0f} s",
            "start souvenir serve or souvenir worker",
        )
    return Finding("jobs", "ok", detail)


async def _memory(storage: Storage) -> Finding:
    """What memory costs today, and what it could not form."""
    spent = await storage.memories.spent_by_all(storage.clock.now().date())
    purposes = ", ".join(f"{tokens:,} to {purpose}" for purpose, tokens in spent.items())
    detail = f"{sum(spent.values()):,} tokens spent today" + (f" ({purposes})" if spent else "")
    cap = storage.settings.memory_tokens_per_day
    detail += f", at most {cap:,} a user" if cap is not None else ""
    failed = [job for job in await storage.jobs.failed(_MOST_FAILED) if job.task == FORMING]
    if failed:
        return Finding("memory", "warning", f"{detail}; of {len(failed)} messages no memories could be formed", _FAILED)
    return Finding("memory", "ok", detail)


def _auth(settings: Settings, storage: Storage) -> Finding:
    try:
        Authenticator(settings, storage.keys)
    except SouvenirError as error:
        return Finding("auth", "failed", str(error), "see the SOUVENIR_JWT_* settings")
    secret = settings.jwt_secret
    if secret is not None and len(secret.get_secret_value().encode()) < _SHORT_SECRET:
        return Finding("auth", "warning", "the JWT secret is short", "use at least 32 random bytes")
    return Finding("auth", "ok", f"mode {settings.auth} on {settings.host}")


async def _providers(settings: Settings) -> AsyncIterator[Finding]:
    try:
        providers = create_providers(settings, SystemClock(), Metrics())
    except SouvenirError as error:
        yield Finding("provider", "failed", str(error), "see SOUVENIR_LLM_BASE_URL and [providers.NAME]")
        return
    try:
        for name in providers.names:
            answer = await providers.check(name)
            fix = "" if answer.ok else "check its address and key: SOUVENIR_LLM_BASE_URL, SOUVENIR_LLM_API_KEY"
            yield Finding(f"provider {name}", "ok" if answer.ok else "failed", answer.detail, fix)
    finally:
        await providers.aclose()
