"""DynamoDB keeps the ChatStore contract whole, over a server that is killed, cut off, and asked for too much."""

import asyncio
import contextlib
import random
import re
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cfnlint.decode  # type: ignore[import-untyped]
import pytest
from botocore.exceptions import ClientError  # type: ignore[import-untyped]
from cfnlint.api import lint_file  # type: ignore[import-untyped]

from souvenir.clock import Clock, SystemClock
from souvenir.config import Settings, load_settings
from souvenir.errors import BadInput, DatabaseError, TooLarge, Unavailable
from souvenir.stores.dynamodb import remains
from souvenir.stores.dynamodb.chats import DynamoDbChatStore
from souvenir.stores.dynamodb.client import connect
from souvenir.stores.dynamodb.items import partition_of
from souvenir.stores.dynamodb.tables import create_tables, shape, table_definitions
from souvenir.stores.ports import MessageChange, NewMessage
from souvenir.testing.chat_store_contract import ChatStoreContract
from souvenir.testing.chats import all_messages, new_id, new_space, said, start
from souvenir.testing.clock import ManualClock
from souvenir.testing.dynamodb import CREDENTIALS, REGION, DynamoDbForTests
from souvenir.types import SpaceId

TEMPLATE = Path(__file__).parents[3] / "deploy" / "dynamodb.yaml"


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)


def settings_for(endpoint_url: str, **more: Any) -> Settings:
    return load_settings({}, dynamodb_endpoint_url=endpoint_url, dynamodb_region=REGION, **more)


@pytest.fixture(scope="session")
def dynamodb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DynamoDbForTests]:
    """One server for all tests of this process but those that kill theirs."""
    with DynamoDbForTests(tmp_path_factory.mktemp("dynamodb")) as server, pytest.MonkeyPatch.context() as patch:
        for name, value in CREDENTIALS.items():
            patch.setenv(name, value)
        asyncio.run(create_tables(settings_for(server.endpoint_url)))
        yield server


@pytest.fixture
def chat_settings(dynamodb: DynamoDbForTests) -> Settings:
    return settings_for(dynamodb.endpoint_url)


@contextlib.asynccontextmanager
async def opened(settings: Settings, clock: Clock | None = None) -> AsyncIterator[DynamoDbChatStore]:
    store = DynamoDbChatStore(settings, clock or SystemClock())
    await store.open()
    try:
        yield store
    finally:
        await store.aclose()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 1, 15, 12, 0, 0, 123456, tzinfo=UTC))


@pytest.fixture
async def store(chat_settings: Settings, clock: ManualClock) -> AsyncIterator[DynamoDbChatStore]:
    async with opened(chat_settings, clock) as store:
        yield store


@pytest.mark.req("CHAT-6")
class TestDynamoDbChatStore(ChatStoreContract):
    @pytest.fixture
    async def store(self, chat_settings: Settings, clock: ManualClock) -> AsyncIterator[DynamoDbChatStore]:
        async with opened(chat_settings, clock) as store:
            yield store


# several processes


@pytest.mark.req("CHAT-7")
async def test_processes_with_clocks_that_differ_add_to_one_chat_and_lose_nothing(
    chat_settings: Settings, clock: ManualClock
) -> None:
    ahead, behind = ManualClock(clock.now()), ManualClock(clock.now())
    ahead.advance(hours=1)
    behind.advance(hours=-1)
    space, chat_id = new_space(), new_id()
    async with opened(chat_settings, ahead) as first, opened(chat_settings, behind) as second:
        adds = [
            each.append(space, chat_id, [said(f"{n}{side}"), said(f"{n}{side}!")], create=True)
            for n in range(10)
            for side, each in (("a", first), ("b", second))
        ]
        made = await asyncio.gather(*adds)
        listed = (await all_messages(first, space, chat_id))[::-1]
    assert sorted(message.message_id for batch in made for message in batch or ()) == [
        message.message_id for message in listed
    ]
    contents = [message.content for message in listed]
    assert len(set(contents)) == 40
    assert all(contents[place + 1] == contents[place] + "!" for place in range(0, 40, 2))


def cancelled(reason: str) -> ClientError:
    response = {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": [{"Code": reason}]}
    return ClientError(response, "TransactWriteItems")


def failing(times: int, real: Callable[..., Any], tokens: list[str]) -> Callable[..., Any]:
    """A TransactWriteItems that meets another transaction so many times before it works."""

    async def send(**request: Any) -> Any:
        tokens.append(request["ClientRequestToken"])
        if len(tokens) <= times:
            raise cancelled("TransactionConflict")
        return await real(**request)

    return send


async def test_a_transaction_that_meets_another_is_sent_again_unchanged(
    store: DynamoDbChatStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    space, tokens = new_space(), list[str]()
    monkeypatch.setattr(
        store.client, "transact_write_items", failing(3, store.client.transact_write_items, tokens), raising=False
    )
    chat_id = await start(store, space, "once")
    assert (len(tokens), len(set(tokens))) == (4, 1)
    assert [message.content for message in await all_messages(store, space, chat_id)] == ["once"]


async def test_a_table_that_stays_busy_is_unavailable(chat_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(chat_settings.model_copy(update={"database_timeout_seconds": 0.6})) as store:
        real = store.client.transact_write_items
        monkeypatch.setattr(store.client, "transact_write_items", failing(10_000, real, []), raising=False)
        space, chat_id = new_space(), new_id()
        with pytest.raises(Unavailable):
            await store.append(space, chat_id, [said("x")], create=True)
        assert await store.get_chat(space, chat_id) is None


async def test_a_long_message_that_changes_between_its_item_and_its_parts_is_read_again(
    chat_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of two versions are never joined."""
    space, noise = new_space(), random.Random(3)
    before, after = (noise.randbytes(size).hex() for size in (400_000, 650_000))
    async with opened(chat_settings) as writer, opened(chat_settings) as reader:
        chat_id = await start(writer, space, before)
        (message,) = await all_messages(writer, space, chat_id)
        real, calls = reader.client.batch_get_item, list[int]()

        async def meet_a_writer(**request: Any) -> Any:
            calls.append(1)
            if len(calls) == 1:
                await writer.update_message(space, chat_id, message.message_id, MessageChange(content=after))
            return await real(**request)

        monkeypatch.setattr(reader.client, "batch_get_item", meet_a_writer, raising=False)
        assert [found.content for found in await all_messages(reader, space, chat_id)] == [after]
        assert len(calls) == 2


# a server that dies


@pytest.fixture
async def mortal(tmp_path: Path) -> AsyncIterator[DynamoDbForTests]:
    with DynamoDbForTests(tmp_path / "mortal") as server:
        await create_tables(settings_for(server.endpoint_url))
        yield server


@pytest.mark.req("CHAT-9")
async def test_what_was_acknowledged_is_there_once_after_the_server_was_killed(mortal: DynamoDbForTests) -> None:
    """Appends run while it dies; afterwards the same store goes on by itself."""
    space, chats, acknowledged = new_space(), [new_id() for _ in range(3)], dict[str, str]()
    settings = settings_for(mortal.endpoint_url, database_timeout_seconds=2)

    async def keep_adding(store: DynamoDbChatStore, chat_id: str) -> None:
        with contextlib.suppress(Unavailable):
            while True:
                made = await store.append(space, chat_id, [said(uuid.uuid4().hex), said("reply")], create=True)
                acknowledged.update({message.message_id: chat_id for message in made or ()})
                if len(acknowledged) > 100:
                    await asyncio.to_thread(mortal.kill)

    async with opened(settings) as store:
        await asyncio.gather(*(keep_adding(store, chat_id) for chat_id in chats))
        with pytest.raises(Unavailable):
            await store.ping()
        with pytest.raises(Unavailable):
            await store.get_chat(space, chats[0])
        await asyncio.to_thread(mortal.restart)
        for chat_id in chats:
            messages = (await all_messages(store, space, chat_id))[::-1]
            ids = [message.message_id for message in messages]
            questions = [message.content for message in messages[::2]]
            assert ids == sorted(set(ids))
            assert len(set(questions)) == len(questions)
            assert {message.content for message in messages[1::2]} == {"reply"}
            assert {each for each, of in acknowledged.items() if of == chat_id} <= set(ids)
            chat = await store.get_chat(space, chat_id)
            assert chat is not None
            assert (chat.message_count, chat.last_message_id) == (len(messages), ids[-1])
        assert await store.append(space, chats[0], [said("goes on")])


class CuttingProxy:
    """Passes bytes on to a server, and once cuts a connection when the answer to a transaction has come."""

    def __init__(self, upstream: str, *, forget_tokens: bool) -> None:
        self._port = int(upstream.rpartition(":")[2])
        self._forget_tokens = forget_tokens
        self._connections: list[asyncio.Task[None]] = []
        self.cut_next = False
        self.cuts = 0

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            server.close()
            for connection in self._connections:
                connection.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.append(asyncio.create_task(self._serve(reader, writer)))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream, to_server = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                while await self._passed_on(reader, writer, upstream, to_server):
                    pass
        finally:
            for end in (to_server, writer):
                end.close()
                with contextlib.suppress(ConnectionError):
                    await end.wait_closed()

    async def _passed_on(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        upstream: asyncio.StreamReader,
        to_server: asyncio.StreamWriter,
    ) -> bool:
        head, request = await _read_message(reader)
        if self._forget_tokens:
            # of the same length: to the server it is another request with the same content
            request = re.sub(rb'(?<="ClientRequestToken": ")\w+', uuid.uuid4().hex.encode(), request)
        to_server.write(head + request)
        answer = await _read_message(upstream)
        if self.cut_next and b"TransactWriteItems" in head:
            self.cut_next, self.cuts = False, self.cuts + 1
            return False
        writer.write(b"".join(answer))
        return True


async def _read_message(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head.lower())
    return head, await reader.readexactly(int(length.group(1)) if length else 0)


@pytest.mark.req("CHAT-9")
@pytest.mark.parametrize("forget_tokens", [False, True], ids=["tokens", "without tokens"])
async def test_a_lost_answer_doubles_nothing(dynamodb: DynamoDbForTests, *, forget_tokens: bool) -> None:
    """The SDK sends the request again; also an endpoint that forgets tokens adds it once."""
    space, proxy = new_space(), CuttingProxy(dynamodb.endpoint_url, forget_tokens=forget_tokens)
    async with proxy.listening() as endpoint_url, opened(settings_for(endpoint_url)) as store:
        proxy.cut_next = True
        chat_id = await start(store, space, "a", "b")
        proxy.cut_next = True
        made = await store.append(space, chat_id, [said("c"), said("d")])
        assert proxy.cuts == 2
        assert made is not None
        listed = (await all_messages(store, space, chat_id))[::-1]
        assert [message.content for message in listed] == list("abcd")
        assert tuple(listed[2:]) == made
        chat = await store.get_chat(space, chat_id)
        assert chat is not None
        assert chat.message_count == 4


# what does not fit


async def test_more_than_one_transaction_takes_is_refused_before_anything_is_written(
    store: DynamoDbChatStore,
) -> None:
    space, chat_id = new_space(), new_id()
    noise = random.Random(1)
    incompressible = "".join(chr(noise.randrange(0x10000, 0x20000)) for _ in range(900_000))
    for messages in ([said("x")] * 100, [said(incompressible)] * 3):
        with pytest.raises(TooLarge):
            await store.append(space, chat_id, messages, create=True)
    assert await store.get_chat(space, chat_id) is None
    assert await store.append(space, chat_id, [said("x")] * 99, create=True)
    assert await store.append(space, chat_id, [said(incompressible)])
    assert (await all_messages(store, space, chat_id, 5))[0].content == incompressible
    with pytest.raises(TooLarge):
        await store.rename(space, chat_id, "t" * 500_000)


async def test_a_page_of_long_messages_can_be_copied(store: DynamoDbChatStore) -> None:
    """More than one transaction takes, in one call."""
    source, target, noise = new_space(), new_space(), random.Random(2)
    chat_id = await start(store, source, "first")
    for _ in range(12):
        assert await store.append(source, chat_id, [said(noise.randbytes(250_000).hex())])
    messages = await all_messages(store, source, chat_id)
    chat = await store.get_chat(source, chat_id)
    assert chat is not None
    for _ in range(2):
        await store.put(target, chat, messages)
    assert await all_messages(store, target, chat_id) == messages
    assert await store.get_chat(target, chat_id) == chat
    assert await stored_of(store, target) == await stored_of(store, source)


async def test_large_tool_calls_are_kept(store: DynamoDbChatStore) -> None:
    space, chat_id = new_space(), new_id()
    calls = ({"id": "c", "result": [{"n": n, "half": n / 2, "text": "ü" * 20} for n in range(20_000)]},)
    made = await store.append(space, chat_id, [NewMessage("tool", "", tool_calls=calls)], create=True)
    assert tuple(await all_messages(store, space, chat_id)) == made


async def test_an_id_that_cannot_be_a_key_is_refused_in_writing_and_unknown_in_reading(
    store: DynamoDbChatStore,
) -> None:
    space = new_space()
    for chat_id in ("", "ü" * 500):
        with pytest.raises(BadInput):
            await store.append(space, chat_id, [said("x")], create=True)
        assert await store.get_chat(space, chat_id) is None
        assert await store.append(space, chat_id, [said("x")]) is None


def test_no_two_spaces_share_a_partition_of_messages() -> None:
    names = ["a", "a#b", "a#b#c", "1#a", "#", "b", "b#c", "c"]
    keys = {partition_of(SpaceId(space), chat_id, "i") for space in names for chat_id in names}
    assert len(keys) == len(names) ** 2


# deleting


async def stored_of(store: DynamoDbChatStore, space: SpaceId) -> int:
    """How many items of the table of messages belong to a space, whatever chat they are of."""
    pages = store.client.get_paginator("scan").paginate(
        TableName="souvenir-Messages",
        FilterExpression="begins_with(chat_id, :space)",
        ExpressionAttributeValues={":space": {"S": f"{len(space)}#{space}#"}},
        ProjectionExpression="ulid",
    )
    return sum([len(page["Items"]) async for page in pages])


async def test_a_deletion_broken_off_half_way_shows_nothing_and_is_finished_later(
    store: DynamoDbChatStore, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = new_space()
    chat_id = await start(store, space, *(str(number) for number in range(60)))
    delete, calls = remains._delete, list[int]()

    async def die_at_the_third(*args: Any) -> None:
        calls.append(1)
        if len(calls) >= 3:
            raise RuntimeError("the process died")
        await delete(*args)

    with monkeypatch.context() as patch:
        patch.setattr(remains, "_delete", die_at_the_third)
        with pytest.raises(RuntimeError):
            await store.delete(space, chat_id)
    assert await store.get_chat(space, chat_id) is None
    await store.append(space, chat_id, [said("anew")], create=True)
    assert [message.content for message in await all_messages(store, space, chat_id)] == ["anew"]
    assert await stored_of(store, space) > 1
    clock.advance(minutes=11)
    assert await store.delete(new_space(), new_id()) is False
    await store.delete(space, await start(store, space, "another"))
    assert await stored_of(store, space) == 1
    assert [message.content for message in await all_messages(store, space, chat_id)] == ["anew"]


async def test_a_deleted_chat_stays_deleted_when_its_messages_cannot_be_removed_now(
    store: DynamoDbChatStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def busy(**_request: Any) -> None:
        raise ClientError({"Error": {"Code": "ThrottlingException"}}, "BatchWriteItem")

    space = new_space()
    chat_id = await start(store, space, "x")
    monkeypatch.setattr(store.client, "batch_write_item", busy, raising=False)
    assert await store.delete(space, chat_id)
    assert await store.get_chat(space, chat_id) is None


@pytest.mark.req("LIFE-7")
async def test_erasing_finishes_what_earlier_deletions_left_and_fails_when_it_cannot(
    store: DynamoDbChatStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def busy(**_request: Any) -> None:
        raise ClientError({"Error": {"Code": "ThrottlingException"}}, "BatchWriteItem")

    space, elsewhere = new_space(), new_space()
    with monkeypatch.context() as patch:
        patch.setattr(store.client, "batch_write_item", busy, raising=False)
        for where in (space, elsewhere):
            await store.delete(where, await start(store, where, "x"))
        await start(store, space, "y")
        with pytest.raises(Unavailable):
            await store.erase(space)
    assert await stored_of(store, space) == 2
    assert await store.erase(space) == (0, 0)
    assert await stored_of(store, space) == 0
    assert await stored_of(store, elsewhere) == 1


# cost


async def test_a_page_costs_the_same_in_a_short_and_in_a_long_chat(store: DynamoDbChatStore) -> None:
    """Counted in items read, with long messages among them; and a chat of thousands can be deleted."""
    space, read = new_space(), list[int]()
    chats = {30: new_id(), 3000: new_id()}
    for count, chat_id in chats.items():
        for begin in range(0, count, 60):
            batch = [said(str(number)) for number in range(begin, min(begin + 60, count))]
            await store.append(space, chat_id, [said("x" * 400_000), *batch[1:]], create=True)

    def note(parsed: dict[str, Any], **_more: Any) -> None:
        read.append(parsed["ScannedCount"])

    store.client.meta.events.register("after-call.dynamodb.Query", note)
    costs = []
    for chat_id in chats.values():
        read.clear()
        page = await store.list_messages(space, chat_id, limit=20)
        assert page is not None
        assert (len(page.items), page.more) == (20, True)
        costs.append(list(read))
    assert costs == [[21], [21]]
    store.client.meta.events.unregister("after-call.dynamodb.Query", note)
    assert await store.delete(space, chats[3000])
    assert await stored_of(store, space) == 31


# the tables


def one_line(error: pytest.ExceptionInfo[DatabaseError]) -> str:
    text = str(error.value)
    assert "\n" not in text
    return text


async def test_tables_are_made_once_and_making_them_again_changes_nothing(
    chat_settings: Settings, store: DynamoDbChatStore
) -> None:
    chat_id = await start(store, space := new_space(), "kept")
    assert await create_tables(chat_settings) == ("souvenir-Messages", "souvenir-Chats")
    assert await store.get_chat(space, chat_id) is not None
    for table in ("souvenir-Messages", "souvenir-Chats"):
        backups = await store.client.describe_continuous_backups(TableName=table)
        status = backups["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"]
        assert status == "ENABLED"


async def test_missing_tables_are_told_in_one_line_that_says_what_to_do(chat_settings: Settings) -> None:
    store = DynamoDbChatStore(chat_settings.model_copy(update={"dynamodb_table_prefix": "none-"}), SystemClock())
    with pytest.raises(DatabaseError) as error:
        await store.open()
    assert one_line(error) == "DynamoDB has no table none-Messages: run `souvenir dynamodb create-tables`"
    await store.aclose()


async def test_a_table_with_other_keys_is_refused_by_name(chat_settings: Settings) -> None:
    settings = chat_settings.model_copy(update={"dynamodb_table_prefix": "other-"})
    async with connect(settings) as client:
        await client.create_table(
            TableName="other-Chats",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
        )
    with pytest.raises(DatabaseError) as error:
        await create_tables(settings)
    assert "other-Chats has other keys" in one_line(error)
    with pytest.raises(DatabaseError, match="other-Chats has other keys"):
        await DynamoDbChatStore(settings, SystemClock()).open()


async def test_an_endpoint_that_does_not_answer_is_told_without_its_credentials() -> None:
    settings = settings_for("http://name:secret@127.0.0.1:9", database_timeout_seconds=1)
    with pytest.raises(DatabaseError) as error:
        await DynamoDbChatStore(settings, SystemClock()).open()
    assert "127.0.0.1:9" in one_line(error)
    assert "secret" not in one_line(error)


@pytest.mark.parametrize(("missing", "told"), [("credentials", "AWS_ACCESS_KEY_ID"), ("region", "DYNAMODB_REGION")])
async def test_a_missing_configuration_is_told(
    chat_settings: Settings, monkeypatch: pytest.MonkeyPatch, missing: str, told: str
) -> None:
    settings = chat_settings
    if missing == "credentials":
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    else:
        settings = settings.model_copy(update={"dynamodb_region": None, "dynamodb_endpoint_url": None})
    with pytest.raises(DatabaseError) as error:
        await DynamoDbChatStore(settings, SystemClock()).open()
    assert told in one_line(error)


async def test_a_store_that_is_not_open_is_unavailable(chat_settings: Settings) -> None:
    with pytest.raises(Unavailable):
        await DynamoDbChatStore(chat_settings, SystemClock()).ping()


def test_the_cloudformation_template_is_valid() -> None:
    assert lint_file(TEMPLATE) == []


def test_the_cloudformation_template_makes_the_same_tables() -> None:
    template, _ = cfnlint.decode.decode(str(TEMPLATE))
    declared = [template["Resources"][name]["Properties"] for name in ("Messages", "Chats")]
    made = table_definitions(load_settings({}))
    assert [shape(table) for table in declared] == [shape(table) for table in made]
    assert [table["BillingMode"] for table in declared] == [table["BillingMode"] for table in made]
    prefix = template["Parameters"]["TablePrefix"]["Default"]
    names = [table["TableName"]["Fn::Sub"].replace("${TablePrefix}", prefix) for table in declared]
    assert names == [table["TableName"] for table in made]
