"""`souvenir facts`: exact facts of a user or project, listed, set, read and removed."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from souvenir.api.fact_schemas import StoreRequest
from souvenir.api.facts import entry, topic_entry
from souvenir.cli.callers import Project, User, operator_for
from souvenir.cli.run import Json, checked, plain, print_json, run
from souvenir.config import Settings
from souvenir.errors import NotFound
from souvenir.storage import Storage, open_storage
from souvenir.stores.fact_ports import Fact, FactTopic
from souvenir.types import SpaceId

T = TypeVar("T")

app = typer.Typer(help="Exact facts: ranked lists and single values by topic.", no_args_is_help=True)

Topic = Annotated[str, typer.Argument(help="Any words, such as “favorite colors”.")]
Chat = Annotated[str | None, typer.Option(help="A chat's own; unset: what was said last in any.")]
Rank = Annotated[int | None, typer.Option(help="One rank alone, from 1 on.")]

_MOST_TOPICS = 1000


@app.command("list")
def list_facts(user: User = None, project: Project = None, chat: Chat = None, as_json: Json = False) -> None:
    """List all facts, by topic and rank."""

    async def work(storage: Storage, space: SpaceId) -> list[Fact]:
        topics = await storage.facts.topics(space, limit=_MOST_TOPICS, chat_id=chat)
        keys = dict.fromkeys(topic.topic_key for topic in topics)
        return [fact for key in keys for fact in await storage.facts.get(space, key, chat_id=chat)]

    _show(_run(user, project, work), as_json)


@app.command("set")
def set_fact(
    topic: Topic,
    value: Annotated[str, typer.Argument(help="What to store, exactly.")],
    rank: Annotated[int | None, typer.Option(help="Its rank in the list, from 1 on; unset: a single fact.")] = None,
    user: User = None,
    project: Project = None,
    chat: Annotated[str | None, typer.Option(help="Of this chat; unset: of no chat.")] = None,
    as_json: Json = False,
) -> None:
    """Store a fact, in place of the one at its rank."""
    given = {"topic": topic, "value": value, "rank": rank, "chat_id": chat, "project_id": project}
    body = checked(StoreRequest, given | {"kind": "single" if rank is None else "ranked"})

    async def work(storage: Storage, space: SpaceId) -> list[Fact]:
        fact, _ = await storage.facts.put(space, topic, value, kind=body.kind, rank=rank, chat_id=chat)
        return [fact]

    _show(_run(user, project, work), as_json)


@app.command("get")
def get(
    topic: Topic,
    rank: Rank = None,
    user: User = None,
    project: Project = None,
    chat: Chat = None,
    as_json: Json = False,
) -> None:
    """Show the facts of a topic, or the one at a rank."""

    async def work(storage: Storage, space: SpaceId) -> Sequence[Fact]:
        return await storage.facts.get(space, topic, chat_id=chat, rank=rank)

    _show(_run(user, project, work), as_json)


@app.command("remove")
def remove(
    topic: Topic,
    rank: Rank = None,
    user: User = None,
    project: Project = None,
    chat: Annotated[str | None, typer.Option(help="Of this chat alone; unset: of all.")] = None,
    as_json: Json = False,
) -> None:
    """Remove a topic's facts, or the one at a rank; what stands behind it moves up."""

    async def work(storage: Storage, space: SpaceId) -> int:
        return await storage.facts.remove(space, topic, chat_id=chat, rank=rank)

    removed = _run(user, project, work)
    if as_json:
        print_json({"removed": removed})
    elif removed:
        typer.echo(f"{removed} removed.")
    if not removed:
        raise NotFound("there is no such fact")


@app.command("topics")
def list_topics(user: User = None, project: Project = None, chat: Chat = None, as_json: Json = False) -> None:
    """List topics by chat, the one last said first."""

    async def work(storage: Storage, space: SpaceId) -> Sequence[FactTopic]:
        return await storage.facts.topics(space, limit=_MOST_TOPICS, chat_id=chat)

    topics = _run(user, project, work)
    if as_json:
        print_json([topic_entry(topic).model_dump(mode="json") for topic in topics])
        return
    table = Table("topic", "chat", "facts", "said", box=None)
    for topic in topics:
        count = str(topic.ranked + topic.single)
        table.add_row(_text(topic.topic_key), _text(topic.chat_id or ""), count, f"{topic.said_at:%Y-%m-%d %H:%M}")
    Console().print(table if topics else "No facts yet: say “My favorite colors are 1) Blue, 2) Green” in a chat.")


def _show(facts: Sequence[Fact], as_json: bool) -> None:
    if as_json:
        print_json([entry(fact).model_dump(mode="json") for fact in facts])
        return
    table = Table("topic", "rank", "value", "chat", box=None)
    for fact in facts:
        rank = str(fact.rank) if fact.rank is not None else ""
        table.add_row(_text(fact.topic_key), rank, _text(fact.value), _text(fact.chat_id or ""))
    Console().print(table if facts else "I don't have that stored yet.")


def _text(text: str) -> Text:
    return Text(plain(text))


def _run(user: str | None, project: str | None, work: Callable[[Storage, SpaceId], Awaitable[T]]) -> T:
    async def within(settings: Settings) -> T:
        space = operator_for(user, settings).scope(project).space
        async with open_storage(settings) as storage:
            return await work(storage, space)

    return run(within)
