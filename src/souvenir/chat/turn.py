"""The way of a message: history, rewrite, route, memory, messages, provider, save. Each stage adds and none destroys.

Both fronts, the OpenAI-shaped gateway and the threads, come through here. A stage that fails or takes too long leaves
what it would have added away; only a provider's failure reaches the client, and what was said is stored either way.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import structlog

from souvenir.chat.answering import Answering, Called, Chunk, Returned, Routed, Step
from souvenir.chat.budget import Budget, Window
from souvenir.chat.folding import Folding
from souvenir.chat.forming import Forming
from souvenir.chat.history import History, load_history
from souvenir.chat.keeping import RENEW_SECONDS, Exchange, Keeping
from souvenir.chat.local_answers import Local, LocalAnswers
from souvenir.chat.memory_tool import MemoryTool
from souvenir.chat.messages import build_messages
from souvenir.chat.recall import Recall, Remembered, Sought
from souvenir.chat.rewriting.port import Rewriter, Rewritten
from souvenir.chat.rewriting.port import Turn as Earlier
from souvenir.chat.routing import Asked, Route, Router
from souvenir.clock import Clock
from souvenir.config import Settings
from souvenir.embed.meanwhile import once_embedding_began
from souvenir.errors import SouvenirError
from souvenir.llm.port import OFFLINE
from souvenir.llm.spoken import SpokenProvider, text_of
from souvenir.memory.port import Utterance
from souvenir.metrics import Metrics
from souvenir.retrieval.search import Search
from souvenir.stores.ports import ChatStore
from souvenir.types import JsonObject, Scope

log = structlog.get_logger(__name__)

T = TypeVar("T")

_FOR_THE_ANSWER = 4  # a quarter of the window
_PATIENCE = 4  # times what a stage may take: nobody waits for what is stored after the answer
_TRY_AGAIN_SECONDS = (1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 0)
_LEFT = "the client went away before the answer was complete"


@dataclass(frozen=True, slots=True)
class Ask:
    """What a front hands over.

    `body` is the request as the host will get it, but for messages, model and our tool. `messages` are the client's own
    where it brings its whole conversation, and None where the conversation is ours to load. Without a scope nobody in
    particular asks: nothing is recalled and nothing kept. `key` tells an exchange that is sent twice.
    """

    text: str
    body: JsonObject
    scope: Scope | None
    user: str | None = None
    org: str | None = None
    messages: Sequence[JsonObject] | None = None
    chat_id: str | None = None
    key: str | None = None
    reply_key: str | None = None
    is_chore: bool = False  # a client's own housekeeping, such as finding a title: nothing anybody said
    use_memory: bool = True
    use_rewriter: bool = True
    offer_tool: bool = True
    may_clarify: bool = False


@dataclass(slots=True)
class Begun:
    """A turn up to the moment the model is asked."""

    ask: Ask
    rewritten: Rewritten
    remembered: Remembered
    answering: Answering
    before: Sequence[Earlier]
    exchange: Exchange | None
    local: Local | None = None
    renewing: asyncio.Task[None] | None = None
    learned: bool = False
    text: str = ""
    provider: str = ""
    finished: bool = False
    usage: JsonObject | None = None

    @property
    def memories(self) -> list[JsonObject]:
        """What the answer rests on."""
        return [*(self.local.entries if self.local is not None else ()), *self.remembered.entries()]


@dataclass(frozen=True, slots=True)
class Stages:
    """What a turn goes through."""

    chats: ChatStore
    local: LocalAnswers
    rewriter: Rewriter
    router: Router
    budget: Budget
    recall: Recall
    search: Search
    keeping: Keeping
    folding: Folding
    forming: Forming


class Turn:
    """Takes turns, for one process."""

    def __init__(self, stages: Stages, settings: Settings, clock: Clock, metrics: Metrics) -> None:
        self._chats = stages.chats
        self._local = stages.local
        self._rewriter = stages.rewriter
        self._router = stages.router
        self._budget = stages.budget
        self._recall = stages.recall
        self._search = stages.search
        self._keeping = stages.keeping
        self._folding = stages.folding
        self._forming = stages.forming
        self._settings = settings
        self._clock = clock
        self._metrics = metrics
        self._saving: set[asyncio.Task[Any]] = set()
        self._closing = asyncio.Event()

    async def begin(self, ask: Ask) -> Begun:
        """Everything before the model is asked. Raises BadInput for a model nobody has."""
        history = await self._within("history", self._history(ask), History())
        before = _before(ask, history)
        said = ask.messages if ask.messages is not None else [{"content": one.content} for one in before]
        exact = await self._within("facts", self._exact(ask), None)
        rewritten = Rewritten(ask.text)
        if ask.use_rewriter and ask.scope is not None and exact is None:
            rewritten = await self._within("rewrite", self._rewriter.rewrite(ask.text, before), rewritten)
        routes = await self._router.routes(Asked.of(ask.body, ask.text, said, ask.org))
        window = self._budget.window(routes[0].provider.name, routes[0].model)
        asked = self._later(self._within("asked", self._is_asked(ask), False))
        keeping = self._later(self._kept(ask))
        try:
            quoting = routes[0].provider.name == OFFLINE
            recalling = self._remembered(ask, _sought(ask, rewritten, before, quoting=quoting), window, exact)
            remembered = await self._within("memory", recalling, Remembered())
            exchange = await asyncio.shield(keeping)
            local = exact or _unclear(ask, rewritten)
            if local is None and await asked:
                local = await self._within("asked", self._asked_of_us(ask, exchange), None)
            if local is not None and (local.final or routes[0].provider.name == OFFLINE):
                routes = [Route(SpokenProvider(self._clock, local.text), routes[0].model, "known without a model")]
            messages = build_messages(ask.messages, ask.text, history, remembered, rewritten, local, self._settings)
            if ask.messages is None and window.known:
                room = window.tokens // _FOR_THE_ANSWER
                messages = await asyncio.to_thread(self._budget.fit_history, messages, window, room)
        except BaseException:
            self._later(self._abandoned(ask, before, keeping))
            raise
        tool = MemoryTool(self._search, ask.scope.readable) if ask.scope and ask.use_memory and ask.offer_tool else None
        answering = Answering(routes, {**ask.body, "messages": messages}, tool)
        return Begun(ask, rewritten, remembered, answering, before, exchange, local)

    async def stream(self, begun: Begun) -> AsyncGenerator[Step, None]:
        """The answer as it comes, stored when it ends, however it ends."""
        error: str | None = _LEFT
        begun.renewing = self._later(self._renewed(begun))
        try:
            async with contextlib.aclosing(begun.answering.stream()) as steps:
                async for step in steps:
                    await self._within("save", self._noted(begun, step), None)
                    yield step
                    if isinstance(step, Chunk):
                        self._learn(begun)
            error = None
        except SouvenirError as failure:
            error = str(failure)
            raise
        finally:
            # who leaves at the finish reason, without waiting for more, has had the whole answer
            await self._end(begun, None if error == _LEFT and begun.finished else error)

    async def complete(self, begun: Begun) -> JsonObject:
        """The whole answer, stored when it is there."""
        error: str | None = _LEFT
        begun.renewing = self._later(self._renewed(begun))
        try:
            answer, routed, served = await begun.answering.complete()
            await self._within("save", self._noted(begun, routed), None)
            for returned in served:
                await self._within("save", self._noted(begun, returned), None)
            begun.text = text_of((answer.get("choices") or [{}])[0].get("message") or {})
            error = None
        except SouvenirError as failure:
            error = str(failure)
            raise
        finally:
            await self._end(begun, error)
        return answer

    async def aclose(self) -> None:
        """Finish what is being stored; what failed is tried once more."""
        self._closing.set()
        if self._saving:
            await asyncio.wait(set(self._saving))

    # the stages

    async def _history(self, ask: Ask) -> History:
        if ask.messages is not None or ask.chat_id is None or ask.scope is None:
            return History()
        return await load_history(self._chats, ask.scope.space, ask.chat_id, self._settings.history_messages)

    async def _exact(self, ask: Ask) -> Local | None:
        """An answer known to the letter; not for who wants JSON, a call, or several answers."""
        wanted = ask.body.get("response_format")
        plain = not isinstance(wanted, dict) or wanted.get("type") in (None, "text")
        if not plain or ask.is_chore or not ask.use_memory or ask.body.get("tool_choice") not in (None, "auto", "none"):
            return None
        return await self._local.exact(ask.scope, ask.chat_id, ask.text)

    async def _kept(self, ask: Ask) -> Exchange | None:
        return await self._within("save", self._begun(ask), None) if _is_kept(ask) else None

    async def _begun(self, ask: Ask) -> Exchange | None:
        if ask.scope is None or ask.chat_id is None or not _is_kept(ask):
            return None
        return await self._keeping.begin(
            ask.scope.space,
            ask.chat_id,
            ask.text,
            key=ask.key,
            reply_key=ask.reply_key,
            learn=ask.use_memory,
        )

    async def _remembered(self, ask: Ask, query: Sought, window: Window, exact: Local | None) -> Remembered:
        if ask.scope is None or not ask.use_memory or ask.is_chore or exact is not None:
            return Remembered()
        return await self._recall.recall(ask.scope, query, window)

    async def _is_asked(self, ask: Ask) -> bool:
        """Whether the message asks anything of memory itself."""
        if ask.scope is None or not ask.use_memory or ask.is_chore:
            return False
        await once_embedding_began()
        return await self._local.is_asked(ask.text)

    async def _asked_of_us(self, ask: Ask, exchange: Exchange | None) -> Local | None:
        """Do it: keep a fact, change a list, remember, forget."""
        if ask.scope is None:
            return None
        message_id = exchange.message_id if exchange is not None else None
        return await self._local.heard(ask.scope, ask.chat_id, ask.text, message_id, ask.user or "")

    async def _noted(self, begun: Begun, step: Step) -> None:
        """What a reload would show."""
        if isinstance(step, Chunk):
            begun.text += _said_by(step.data)
            begun.finished = begun.finished or _finishes(step.data)
            begun.usage = step.data.get("usage") or begun.usage
        elif isinstance(step, Routed):
            begun.provider = step.provider
            log.info("turn routed", provider=step.provider, model=step.model, reason=step.reason)
        elif (exchange := begun.exchange) is None:
            return
        elif isinstance(step, Called):
            await self._keeping.called(exchange, {"id": step.call_id, "name": step.name, "arguments": step.arguments})
        else:
            await self._keeping.returned(exchange, served(step))

    async def _renewed(self, begun: Begun) -> None:
        """Show others, as long as the answer takes, that it is being written: no one else can tell if this dies."""
        while not self._closing.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(RENEW_SECONDS):
                    await self._closing.wait()
            if (exchange := begun.exchange) is not None:
                await self._within("save", self._keeping.renew(exchange, begun.text), None)

    async def _end(self, begun: Begun, error: str | None) -> None:
        """Store how a turn ended; the client waits for that only so long."""
        self._learn(begun)
        if begun.renewing is not None:
            begun.renewing.cancel()
        storing = self._later(self._surely(lambda: self._ended(begun, error)))
        await asyncio.wait({storing}, timeout=self._settings.turn_stage_seconds)

    async def _ended(self, begun: Begun, error: str | None) -> None:
        if begun.renewing is not None:
            await asyncio.wait({begun.renewing})  # no word of its own may come after the last
        # what could not be begun is begun now: its key tells whether it was after all
        exchange = begun.exchange or await self._begun(begun.ask)
        if exchange is not None:
            memories, quoted = tuple(begun.memories), begun.provider == OFFLINE
            await self._keeping.end(exchange, begun.text, memories=memories, error=error, found=not quoted)
            await self._folding.consider(exchange.space, exchange.chat_id)
        await self._recall.used(begun.remembered, begun.text)

    def _learn(self, begun: Begun) -> None:
        """Form memories of a message in a chat that is not kept, once the answer is under way; else keeping does."""
        if not begun.learned:
            begun.learned = True
            self._later(self._surely(lambda: self._learned(begun.ask, begun.before)))

    async def _learned(self, ask: Ask, before: Sequence[Earlier]) -> None:
        if ask.scope is None or not ask.use_memory or ask.key is None or _is_kept(ask) or not _is_said(ask):
            return
        now = self._clock.now()
        context = [Utterance(one.role, one.content, now) for one in before]
        await self._forming.later_of(ask.scope.space, Utterance("user", ask.text, now), context, ask.key)

    async def _abandoned(self, ask: Ask, before: Sequence[Earlier], keeping: "asyncio.Task[Exchange | None]") -> None:
        """Close an exchange whose turn never came to its answer."""
        await self._surely(lambda: self._learned(ask, before))
        exchange = await keeping
        if exchange is not None:
            await self._surely(lambda: self._keeping.end(exchange, "", error=_LEFT))

    async def _surely(self, store: Callable[[], Awaitable[None]]) -> None:
        """Store the end of an answer, which would stay begun for ever, as soon as the database is there again."""
        for pause in _TRY_AGAIN_SECONDS:
            try:
                async with asyncio.timeout(_PATIENCE * self._settings.turn_stage_seconds):
                    return await store()
            except Exception as failure:  # noqa: BLE001 - the answer has been given; what may be lost is its copy
                log.error("an answer could not be stored", error=type(failure).__name__)
            if self._closing.is_set():
                return None
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._closing.wait()
        return None

    async def _within(self, stage: str, work: Awaitable[T], otherwise: T) -> T:
        """A stage within its time; without its result the turn goes on."""
        try:
            async with asyncio.timeout(self._settings.turn_stage_seconds):
                return await work
        except Exception as error:  # noqa: BLE001 - no stage before the provider may cost the user the answer
            log.warning("a stage of the turn failed", stage=stage, error=type(error).__name__)
            self._metrics.turn_failures.labels(stage).inc()
            return otherwise

    def _later(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Work that outlives its request."""
        task = asyncio.create_task(work)
        self._saving.add(task)
        task.add_done_callback(self._saving.discard)
        return task


def served(step: Returned) -> JsonObject:
    """A completed call of our tool as it is stored and shown."""
    call = step.call
    return {
        "id": call.call_id,
        "name": call.name,
        "arguments": call.arguments,
        "result": step.result,
        "milliseconds": step.milliseconds,
    }


def _is_said(ask: Ask) -> bool:
    return not ask.is_chore and bool(ask.text.strip())


def _is_kept(ask: Ask) -> bool:
    return ask.scope is not None and ask.chat_id is not None and _is_said(ask)


def _sought(ask: Ask, rewritten: Rewritten, before: Sequence[Earlier], *, quoting: bool) -> Sought:
    # who only quotes reads no conversation
    shown = () if quoting else before
    present = frozenset([ask.text, *(one.content for one in shown)])
    return Sought(rewritten.text, ask.text, ask.chat_id, present, quoting)


def _unclear(ask: Ask, rewritten: Rewritten) -> Local | None:
    """Whom do you mean? Asked only where the caller can answer."""
    if not ask.may_clarify or len(rewritten.ambiguous) < 2:
        return None
    *others, last = rewritten.ambiguous
    return Local(f"Whom or what do you mean: {', '.join(others)} or {last}?", final=True)


def _before(ask: Ask, history: History) -> list[Earlier]:
    """The conversation so far, without the message that is asked now."""
    if ask.messages is None:
        return [Earlier(one.role, one.content) for one in history.messages if one.role in {"user", "assistant"}]
    said = [one for one in ask.messages if one.get("role") in {"user", "assistant"}]
    last = max((place for place, one in enumerate(said) if one["role"] == "user"), default=len(said))
    return [Earlier(one["role"], text_of(one)) for one in said[:last]]


def _said_by(chunk: JsonObject) -> str:
    delta = _first_choice(chunk).get("delta")
    content = delta.get("content") if isinstance(delta, dict) else None
    return content if isinstance(content, str) else ""


def _finishes(chunk: JsonObject) -> bool:
    return bool(_first_choice(chunk).get("finish_reason"))


def _first_choice(chunk: JsonObject) -> JsonObject:
    choices = chunk.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) and not first.get("index") else {}
