"""The composition root: settings in, a running Souvenir out. With `storage`, the only importer of concrete adapters."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

import structlog

from souvenir.chat.budget import Budget
from souvenir.chat.cursors import CursorSigner
from souvenir.chat.folding import Folding
from souvenir.chat.forming import Forming
from souvenir.chat.indexing import Indexing
from souvenir.chat.keeping import Keeping
from souvenir.chat.local_answers import LocalAnswers
from souvenir.chat.recall import Recall
from souvenir.chat.recall_cache import RecallCache
from souvenir.chat.rewriting.local import LocalRewriter
from souvenir.chat.rewriting.model import ModelRewriter
from souvenir.chat.rewriting.port import Rewriter
from souvenir.chat.routing import Router
from souvenir.chat.runs import Runs
from souvenir.chat.tokens import Tokens
from souvenir.chat.turn import Stages, Turn
from souvenir.clock import Clock, SystemClock
from souvenir.config import Settings
from souvenir.embed.cache import CachedEmbedder
from souvenir.embed.port import Embedder
from souvenir.errors import DimensionMismatch, Unavailable
from souvenir.files.indexing import Tools as IndexingTools
from souvenir.files.plan import ReadingPlan, Sizes
from souvenir.files.reading.document import Limits
from souvenir.files.sources import Sources
from souvenir.files.watching import Watching
from souvenir.identity.authenticate import Authenticator
from souvenir.llm.offline import OfflineProvider
from souvenir.llm.providers import DEFAULT_MODEL, Providers
from souvenir.memory.archive import Exporting
from souvenir.memory.asking import Asking
from souvenir.memory.counting import Counting
from souvenir.memory.erasing import Erasing
from souvenir.memory.formation import Formation
from souvenir.memory.general import GlobalMemories
from souvenir.memory.importing import Importing
from souvenir.memory.local_extract import LocalExtractor
from souvenir.memory.local_resolve import LocalResolver
from souvenir.memory.model_extract import ModelExtractor
from souvenir.memory.model_resolve import ModelResolver
from souvenir.memory.reading import Reading
from souvenir.metrics import Metrics
from souvenir.retrieval.large import LargeSpaces
from souvenir.retrieval.rerank import Reranker
from souvenir.retrieval.search import Search
from souvenir.retrieval.spaces import SpaceIndexes
from souvenir.storage import Storage, create_chat_engine, open_storage, opened
from souvenir.stores.ports import ChatEngine
from souvenir.stores.postgres.jobs import PostgresJobStore
from souvenir.stores.postgres.large_spaces import PostgresLargeSpaceStore
from souvenir.stores.postgres.secrets import PostgresSecretStore
from souvenir.stores.postgres.sources import PostgresSourceStore
from souvenir.stores.postgres.space_archive import PostgresSpaceArchive

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Souvenir(Storage):
    """Everything one process needs to serve."""

    embedder: Embedder
    providers: Providers
    authenticator: Authenticator
    chats: ChatEngine
    cursors: CursorSigner
    folding: Folding
    turn: Turn
    runs: Runs
    indexing: Indexing
    sources: Sources
    watching: Watching
    search: Search
    formation: Formation
    reading: Reading
    asking: Asking
    general: GlobalMemories
    counting: Counting
    exporting: Exporting
    importing: Importing
    erasing: Erasing

    async def work(self) -> None:
        """Run jobs and watch folders until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.jobs.work())
            tasks.create_task(self.watching.run())

    async def readiness(self) -> dict[str, str]:
        """How the parts are: `ok`, or a word on what is wrong."""
        checks = {"database": "ok", "embedder": "ok" if self.embedder.dimension is not None else "unreachable"}
        try:
            await self.database.ping()
        except Unavailable:
            checks["database"] = "unreachable"
        try:
            await self.chats.ping()
            checks["chats"] = "ok"
        except Unavailable:
            checks["chats"] = "unreachable"
        if self.settings.worker:
            checks["jobs"] = "ok" if self.jobs.is_working else "no worker"
        return checks

    async def refresh_gauges(self) -> None:
        """Bring the gauges that are read from the database up to date; an absent database leaves them as they were."""
        with contextlib.suppress(Unavailable):
            await self.jobs.counts()
            await self.counting.refresh()


@contextlib.asynccontextmanager
async def open_souvenir(settings: Settings, clock: Clock | None = None) -> AsyncIterator[Souvenir]:
    """A whole Souvenir: database open and migrated, model loaded, providers known. Raises StartError."""
    metrics = Metrics()
    clock = clock or SystemClock()
    async with contextlib.AsyncExitStack() as stack:
        embedder = create_embedder(settings, metrics)
        stack.push_async_callback(embedder.aclose)
        providers = create_providers(settings, clock, metrics)
        stack.push_async_callback(providers.aclose)
        loading = asyncio.create_task(_load(embedder))
        stack.push_async_callback(_settle, loading)
        storage = await stack.enter_async_context(open_storage(settings, clock, metrics))
        chats = await stack.enter_async_context(opened(create_chat_engine(settings.chat_store, storage)))
        general = GlobalMemories.load(settings.global_memories_file, storage.memories, embedder, clock)
        reading = Reading(settings)
        reranker = create_reranker(settings, providers)
        if reranker is not None:
            stack.push_async_callback(reranker.aclose)
        await loading
        await check_dimension(embedder, storage)
        search = create_search(storage, embedder, reranker)
        formation = create_formation(storage, search, embedder, providers)
        forming = Forming(chats, formation, storage.memories, storage.jobs, settings, clock)
        indexing = Indexing(
            chats,
            storage.passages,
            embedder,
            storage.jobs,
            storage.database.transaction,
            metrics,
            clock,
            forming=forming,
            facts=storage.facts,
        )
        await indexing.catch_up()
        folding = Folding(chats, storage.jobs, providers, settings)
        asking = Asking(formation, storage.memories, LocalExtractor(), reading, clock)
        budget = Budget(settings, Tokens.load(settings))
        recall = Recall(
            search=search,
            memories=storage.memories,
            reading=reading,
            general=general,
            cache=RecallCache(metrics),
            budget=budget,
            clock=clock,
            metrics=metrics,
        )
        stages = Stages(
            chats=chats,
            local=LocalAnswers(storage.facts, asking, clock),
            rewriter=create_rewriter(settings, providers),
            router=Router(settings, providers),
            budget=budget,
            recall=recall,
            search=search,
            keeping=Keeping(indexing, chats, clock, settings.search_embed_timeout_seconds),
            folding=folding,
            forming=forming,
        )
        turn = Turn(stages, settings, clock, metrics)
        stack.push_async_callback(turn.aclose)
        runs = Runs()
        stack.push_async_callback(runs.aclose)
        archive = PostgresSpaceArchive(storage.database, storage.passages)
        sources, watching = create_sources(storage, embedder, indexing)
        yield Souvenir(
            settings=settings,
            clock=clock,
            metrics=metrics,
            database=storage.database,
            keys=storage.keys,
            jobs=storage.jobs,
            models=storage.models,
            passages=storage.passages,
            memories=storage.memories,
            facts=storage.facts,
            embedder=embedder,
            providers=providers,
            authenticator=Authenticator(settings, storage.keys),
            chats=chats,
            cursors=CursorSigner(await PostgresSecretStore(storage.database).get("cursors")),
            folding=folding,
            turn=turn,
            runs=runs,
            indexing=indexing,
            sources=sources,
            watching=watching,
            search=search,
            formation=formation,
            reading=reading,
            asking=asking,
            general=general,
            counting=Counting(storage.memories, metrics, clock),
            exporting=Exporting(chats, storage.memories, archive, clock),
            importing=Importing(
                chats=chats,
                memories=storage.memories,
                passages=storage.passages,
                archive=archive,
                embed_later=indexing.embed_later,
                transaction=storage.database.transaction,
            ),
            erasing=Erasing(
                chats=chats,
                memories=storage.memories,
                jobs=PostgresJobStore(storage.database),
                archive=archive,
                large=PostgresLargeSpaceStore(storage.database),
                transaction=storage.database.transaction,
            ),
        )


def create_embedder(settings: Settings, metrics: Metrics) -> Embedder:
    """The configured embedder behind its cache; not started."""
    inner: Embedder
    # imported here: OpenAI's SDK and ONNX Runtime take longer to import than most commands take to run
    if settings.embed_base_url is None:
        from souvenir.embed.minilm import MiniLmEmbedder  # noqa: PLC0415

        inner = MiniLmEmbedder(settings, metrics)
    else:
        from souvenir.embed.openai import OpenAIEmbedder  # noqa: PLC0415

        inner = OpenAIEmbedder(settings, metrics)
    return CachedEmbedder(inner, settings, metrics)


def create_providers(settings: Settings, clock: Clock, metrics: Metrics) -> Providers:
    """The configured chat endpoints, or the offline provider alone."""
    tables = settings.provider_tables()
    if not tables:
        return Providers({"offline": OfflineProvider(clock)}, tables, clock)
    from souvenir.llm.openai import OpenAIProvider  # noqa: PLC0415 - see create_embedder

    hosts = {name: OpenAIProvider(name, table, settings, metrics) for name, table in tables.items()}
    return Providers(hosts, tables, clock)


def create_reranker(settings: Settings, providers: Providers) -> Reranker | None:
    """The configured reranker, if any."""
    if settings.rerank == "llm":
        from souvenir.retrieval.rerank_llm import LlmReranker  # noqa: PLC0415 - see create_embedder

        return LlmReranker(providers, settings.rerank_model)
    if settings.rerank == "endpoint":
        from souvenir.llm.rerank import EndpointReranker  # noqa: PLC0415

        return EndpointReranker(settings)
    return None


def create_rewriter(settings: Settings, providers: Providers) -> Rewriter:
    """Rules, or the configured model with rules to fall back on."""
    rules = LocalRewriter()
    if settings.rewrite_model is None or not settings.provider_tables():
        return rules
    return ModelRewriter(providers, settings.rewrite_model, rules, settings.rewrite_seconds)


def create_search(storage: Storage, embedder: Embedder, reranker: Reranker | None = None) -> Search:
    """Search over the storage's passages."""
    settings, metrics = storage.settings, storage.metrics
    return Search(
        passages=storage.passages,
        indexes=SpaceIndexes(storage.passages, settings.index_memory_mb * 2**20, metrics),
        large=LargeSpaces(
            PostgresLargeSpaceStore(storage.database), embedder, storage.jobs, settings.index_largest_space
        ),
        embedder=embedder,
        reranker=reranker,
        settings=settings,
        clock=storage.clock,
        metrics=metrics,
        memories=storage.memories,
        judge=Reading(settings),
    )


def create_formation(storage: Storage, search: Search, embedder: Embedder, providers: Providers) -> Formation:
    """How memories are formed: by the configured model where there is one, else and in its stead by rules."""
    settings = storage.settings
    model = settings.memory_model or DEFAULT_MODEL
    asked = (ModelExtractor(providers, model), ModelResolver(providers, model)) if settings.provider_tables() else None
    return Formation(
        memories=storage.memories,
        search=search,
        embedder=embedder,
        local=(LocalExtractor(), LocalResolver(embedder.model)),
        model=asked,
        settings=settings,
        clock=storage.clock,
        metrics=storage.metrics,
        transaction=storage.database.transaction,
    )


def create_sources(storage: Storage, embedder: Embedder, indexing: Indexing) -> tuple[Sources, Watching]:
    """Folders of files, and what watches them. Chunks are measured by MiniLM's tokenizer where MiniLM embeds."""
    settings = storage.settings
    tokenizer = None
    if settings.embed_base_url is None:
        from souvenir.embed.weights import tokenizer_file  # noqa: PLC0415 - see create_embedder

        tokenizer = tokenizer_file(settings)
    tools = IndexingTools(
        store=PostgresSourceStore(storage.database),
        passages=storage.passages,
        embedder=embedder,
        plan=ReadingPlan(
            tokenizer,
            Sizes(settings.source_chunk_tokens, settings.source_chunk_overlap),
            Limits(file_bytes=settings.source_max_file_mb * 2**20),
            settings.source_read_seconds,
        ),
        transaction=storage.database.transaction,
        clock=storage.clock,
        metrics=storage.metrics,
    )
    sources = Sources(tools, storage.jobs, settings.source_roots, indexing.embed_later, settings.job_max_attempts)
    return sources, Watching(tools.store, sources, settings.source_roots, settings.source_watch_ms)


async def check_dimension(embedder: Embedder, storage: Storage) -> None:
    """Refuse a model whose vectors have another length than those stored under its name."""
    if embedder.dimension is None:
        return
    stored = await storage.models.register(embedder.model, embedder.dimension, storage.clock.now())
    if stored != embedder.dimension:
        raise DimensionMismatch(
            f"the embedding model {embedder.model} gives vectors of {embedder.dimension}, and the database holds ones "
            f"of {stored} under that name: set SOUVENIR_EMBED_DIMENSION={stored}, or give the model another name"
        )


async def _load(embedder: Embedder) -> None:
    try:
        await embedder.start()
    except Unavailable as error:
        # an endpoint may come back; until then what needs vectors says so
        log.warning("the embedding endpoint does not answer", reason=str(error))


async def _settle(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
