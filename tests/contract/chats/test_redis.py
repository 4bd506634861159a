"""Chats in Redis: the whole contract on one server and on a Cluster, and what is Redis' own."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from souvenir.config import load_settings
from souvenir.errors import DatabaseError, StartError, TooLarge, Unavailable
from souvenir.stores.ports import Message, MessageChange, NewMessage
from souvenir.stores.redis.chats import RedisChatStore
from souvenir.stores.redis.records import keys_of
from souvenir.testing.chat_store_contract import ChatStoreContract
from souvenir.testing.chats import all_messages, new_id, new_space, said, start
from souvenir.testing.clock import ManualClock
from souvenir.testing.redis import RedisForTests
from souvenir.types import SpaceId


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisForTests]:
    with RedisForTests(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisForTests]:
    with RedisForTests(tmp_path_factory.mktemp("cluster"), cluster=True) as servers:
        yield servers


@contextlib.asynccontextmanager
async def opened(url: str, clock: ManualClock | None = None, seconds: float = 10) -> AsyncIterator[RedisChatStore]:
    settings = load_settings({}, chat_store="redis", redis_url=url, database_timeout_seconds=seconds)
    store = RedisChatStore(settings, clock or ManualClock())
    await store.open()
    try:
        yield store
    finally:
        await store.aclose()


@pytest.mark.req("CHAT-6")
class TestRedisChatStore(ChatStoreContract):
    @pytest.fixture
    async def store(self, redis: RedisForTests, clock: ManualClock) -> AsyncIterator[RedisChatStore]:
        async with opened(redis.url, clock) as store:
            yield store


@pytest.mark.req("CHAT-6")
class TestRedisClusterChatStore(ChatStoreContract):
    @pytest.fixture
    async def store(self, cluster: RedisForTests, clock: ManualClock) -> AsyncIterator[RedisChatStore]:
        async with opened(cluster.url, clock) as store:
            yield store


# a proxy that loses answers


@dataclass
class Proxy:
    """Stands between a store and Redis; counts what comes back and loses an answer when told to."""

    target: int
    port: int = 0
    answers: int = 0
    received: int = 0
    _meanwhile: Callable[[], Awaitable[object]] | None = None
    _after: int = 0
    _open: set[asyncio.StreamWriter] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def lose_next_answer(self, meanwhile: Callable[[], Awaitable[object]], *, after: int = 0) -> None:
        """Redis runs the next command (`after` so many others), `meanwhile` happens, then the connection breaks."""
        self._meanwhile, self._after = meanwhile, after

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, forth = await asyncio.open_connection("127.0.0.1", self.target)
        self._open |= {writer, forth}
        await asyncio.gather(self._carry(reader, forth), self._carry_back(back, writer), return_exceptions=True)
        for side in (writer, forth):
            side.close()
            with contextlib.suppress(OSError):
                await side.wait_closed()
        self._open -= {writer, forth}

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while data := await source.read(65_536):
            sink.write(data)
            await sink.drain()
        sink.close()

    async def _carry_back(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while data := await source.read(65_536):
            if self._meanwhile is not None and self._after == 0:
                meanwhile, self._meanwhile = self._meanwhile, None
                await meanwhile()
                break
            self._after -= 1
            self.answers += 1
            self.received += len(data)
            sink.write(data)
            await sink.drain()
        sink.close()

    def close(self) -> None:
        for side in self._open:
            side.close()


@pytest.fixture
async def proxy(redis: RedisForTests) -> AsyncIterator[Proxy]:
    proxy = Proxy(redis.port)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    async with server:
        yield proxy
        proxy.close()


async def nothing() -> None:
    """Nobody else does anything."""


@pytest.mark.req("CHAT-9")
@pytest.mark.parametrize("others", [0, 1], ids=["alone", "another adds meanwhile"])
async def test_a_batch_whose_answer_was_lost_is_there_once(redis: RedisForTests, proxy: Proxy, others: int) -> None:
    """It is sent again, and recognised although it may not be the newest any more."""
    space = new_space()
    async with opened(proxy.url) as store, opened(redis.url) as another:
        chat_id = await start(store, space, "first")

        async def others_add() -> None:
            for _ in range(others):
                await another.append(space, chat_id, [said("theirs")])

        proxy.lose_next_answer(others_add)
        made = await store.append(space, chat_id, [said("question"), NewMessage("assistant", "answer")])
        messages = (await all_messages(another, space, chat_id))[::-1]
        assert [message.content for message in messages] == ["first", "question", "answer", *["theirs"] * others]
        assert made == tuple(messages[1:3])
        chat = await another.get_chat(space, chat_id)
        assert chat is not None
        assert chat.message_count == 3 + others


async def test_two_identical_batches_of_one_moment_are_two(redis: RedisForTests) -> None:
    """What is recognised is the write, not what it says: both try the same id, right after the last."""
    space, clock = new_space(), ManualClock()
    async with opened(redis.url, clock) as one, opened(redis.url, clock) as two:
        chat_id = await start(one, space, "first")
        clock.advance(seconds=-60)
        await asyncio.gather(*(store.append(space, chat_id, [said("same")]) for store in (one, two) for _ in range(5)))
        assert len(await all_messages(one, space, chat_id)) == 11


async def test_other_writes_whose_answer_was_lost_happen_once_or_say_so(redis: RedisForTests, proxy: Proxy) -> None:
    """A change and a new title are sent again; a deletion is not, because its second answer would be wrong."""
    space = new_space()
    async with opened(proxy.url) as store:
        chat_id = await start(store, space, "first")
        (message,) = await all_messages(store, space, chat_id)
        await store.update_message(space, chat_id, message.message_id, MessageChange(content="second"))
        await store.rename(space, chat_id, "a")
        assert not await store.delete(space, new_id())
        # the first answer is the message as it was
        proxy.lose_next_answer(nothing, after=1)
        changed = await store.update_message(space, chat_id, message.message_id, MessageChange(content="third"))
        assert changed is not None
        assert (await all_messages(store, space, chat_id)) == [changed]
        proxy.lose_next_answer(nothing)
        renamed = await store.rename(space, chat_id, "b")
        assert renamed is not None
        assert renamed.title == "b"
        proxy.lose_next_answer(nothing)
        with pytest.raises(Unavailable):
            await store.delete(space, chat_id)
        assert await store.get_chat(space, chat_id) is None


@pytest.mark.req("CHAT-7")
async def test_processes_whose_clocks_differ_lose_nothing_and_keep_order(redis: RedisForTests) -> None:
    """One is an hour ahead; ids still say the order in which the messages stand."""
    space, chat_id = new_space(), new_id()
    ahead = ManualClock(datetime(2026, 1, 15, 13, tzinfo=UTC))
    async with opened(redis.url, ManualClock()) as one, opened(redis.url, ahead) as two:

        async def add(store: RedisChatStore, name: str) -> list[Message]:
            batches = [await store.append(space, chat_id, [said(f"{name}{n}")], create=True) for n in range(30)]
            return [message for batch in batches for message in batch or ()]

        made = await asyncio.gather(add(one, "a"), add(two, "b"), add(one, "c"), add(two, "d"))
        listed = (await all_messages(one, space, chat_id))[::-1]
        assert sorted(message.content for message in listed) == sorted(m.content for each in made for m in each)
        for each in made:
            assert [message for message in listed if message in each] == each


# a server that dies


@pytest.mark.req("CHAT-9")
@pytest.mark.parametrize("cluster", [False, True], ids=["one server", "a cluster"])
async def test_what_was_acknowledged_is_there_after_the_server_was_killed(tmp_path: Path, cluster: bool) -> None:
    """In order; while it is down calls say so, and afterwards the same store works again."""
    acknowledged: dict[tuple[SpaceId, str], list[Message]] = {(new_space(), new_id()): [] for _ in range(6)}
    options = {"appendfsync": "always"}
    with RedisForTests(tmp_path / "redis", cluster=cluster, options=options) as server:
        async with opened(server.url) as store:
            enough = asyncio.Event()

            async def load(space: SpaceId, chat_id: str) -> None:
                while True:
                    try:
                        made = await store.append(space, chat_id, [said("q"), said("a")], create=True)
                    except Unavailable:
                        return
                    acknowledged[space, chat_id] += made or ()
                    if sum(map(len, acknowledged.values())) > 400:
                        enough.set()

            async with asyncio.TaskGroup() as tasks:
                for place in acknowledged:
                    tasks.create_task(load(*place))
                await enough.wait()
                server.kill()
            space, chat_id = next(iter(acknowledged))
            for call in (store.ping(), store.get_chat(space, chat_id), store.delete(space, chat_id)):
                with pytest.raises(Unavailable):
                    await call
            await asyncio.to_thread(server.restart)
            for (space, chat_id), made in acknowledged.items():
                there = (await all_messages(store, space, chat_id))[::-1]
                assert there[: len(made)] == made
                # the one in flight when it died may have come through, whole
                assert len(there) - len(made) in {0, 2}
                chat = await store.get_chat(space, chat_id)
                assert chat is not None
                assert chat.message_count == len(there)
            await store.ping()


async def test_a_server_that_hangs_is_unavailable_and_then_works_again(redis: RedisForTests) -> None:
    """After the timeout; the batch it was given comes whole or not at all, and never twice."""
    space = new_space()
    async with opened(redis.url, seconds=0.2) as store:
        chat_id = await start(store, space, "first")
        with redis.clients() as (client,):
            client.client_pause(5_000, all=False)
            with pytest.raises(Unavailable):
                await store.append(space, chat_id, [said("second"), said("third")])
            client.client_unpause()
        assert await store.append(space, chat_id, [said("last")])
        contents = [message.content for message in await all_messages(store, space, chat_id)]
        assert contents in (["last", "first"], ["last", "third", "second", "first"])


async def test_after_a_failover_under_the_same_name_the_new_primary_is_found(
    redis: RedisForTests, proxy: Proxy, tmp_path: Path
) -> None:
    """The old one still answers, but takes no messages any more."""
    with RedisForTests(tmp_path / "redis") as old, old.clients() as (client,):
        proxy.target = old.port
        async with opened(proxy.url) as store:
            space = new_space()
            chat_id = await start(store, space, "first")
            client.replicaof("127.0.0.1", str(redis.port))
            proxy.target = redis.port
            with pytest.raises(Unavailable, match="replica"):
                await store.append(space, chat_id, [said("second")])
            assert await store.append(space, chat_id, [said("third")], create=True)


async def test_a_slot_that_moves_between_servers_never_gives_a_wrong_answer(cluster: RedisForTests) -> None:
    """While some keys are here and some there, calls work or say that they cannot; then all is there."""
    space, chat_id = new_space(), new_id()
    async with opened(cluster.url) as store:
        made = list(await store.append(space, chat_id, [said("a"), said("b")], create=True) or ())
        chats, *rest = sorted(keys_of(space, chat_id))
        with cluster.clients() as clients:
            slot = clients[0].cluster("KEYSLOT", chats)
            ids = [client.cluster("MYID") for client in clients]
            source = next(n for n, client in enumerate(clients) if client.cluster("COUNTKEYSINSLOT", slot))
            target = (source + 1) % len(clients)
            port = clients[target].connection_pool.connection_kwargs["port"]
            clients[target].cluster("SETSLOT", slot, "IMPORTING", ids[source])
            clients[source].cluster("SETSLOT", slot, "MIGRATING", ids[target])
            for key in (chats, *rest):
                clients[source].migrate("127.0.0.1", port, key, 0, 5000)
                with contextlib.suppress(Unavailable):
                    added = await store.append(space, chat_id, [said(key)])
                    assert added is not None
                    made += added
                with contextlib.suppress(Unavailable):
                    page = await store.list_messages(space, chat_id, limit=10)
                    assert page is not None
                    assert list(page.items[::-1]) == made
            # another test's space may share the slot
            for key in clients[source].cluster("GETKEYSINSLOT", slot, 1000):
                clients[source].migrate("127.0.0.1", port, key, 0, 5000)
            for number in (target, source):
                clients[number].cluster("SETSLOT", slot, "NODE", ids[target])
        made += await store.append(space, chat_id, [said("z")]) or ()
        assert (await all_messages(store, space, chat_id))[::-1] == made


async def test_a_full_redis_refuses_and_changes_nothing(tmp_path: Path) -> None:
    """Unavailable, not a half-written chat; deleting still works."""
    with RedisForTests(tmp_path / "redis", options={"maxmemory-policy": "noeviction"}) as server:
        async with opened(server.url) as store:
            space = new_space()
            chat_id = await start(store, space, "first")
            before = await store.get_chat(space, chat_id)
            (message,) = await all_messages(store, space, chat_id)
            with server.clients() as (client,):
                client.config_set("maxmemory", 1)
            with pytest.raises(Unavailable, match="maxmemory"):
                await store.append(space, chat_id, [said("second")])
            with pytest.raises(Unavailable, match="maxmemory"):
                await store.update_message(space, chat_id, message.message_id, MessageChange(content="changed"))
            assert await store.get_chat(space, chat_id) == before
            assert await all_messages(store, space, chat_id) == [message]
            assert await store.delete(space, chat_id)


async def test_more_than_a_write_can_carry_is_too_large(redis: RedisForTests) -> None:
    """Said before anything is sent."""
    async with opened(redis.url) as store:
        space, chat_id = new_space(), new_id()
        with pytest.raises(TooLarge):
            await store.append(space, chat_id, [said("x" * 34_000_000)] * 2, create=True)
        assert await store.get_chat(space, chat_id) is None


# keys and costs


@pytest.mark.req("CHAT-6")
@pytest.mark.parametrize("name", ["plain", "{a}b", "}{", "a}b{c", "*", "a:chats", "ü {}", "%7B", "{}"])
async def test_all_keys_of_a_space_are_in_one_slot(cluster: RedisForTests, name: str) -> None:
    """Whatever the space and the chat are called; and the space is found again by its name."""
    space = SpaceId(f"user:{name}{uuid.uuid4().hex}")
    with cluster.clients() as clients:
        before = {key for client in clients for key in client.scan_iter()}
        async with opened(cluster.url) as store:
            for chat_id in (new_id(), f"{{{name}}}:chats", name):
                await store.append(space, chat_id, [said("x")], create=True)
                await store.fold(space, chat_id, "s", "0" * 26)
            assert space in await store.spaces(limit=100_000)
        made = {key for client in clients for key in client.scan_iter()} - before
        assert len(made) == 2 + 3 * 3
        assert all(key.startswith("souvenir:{") for key in made)
        assert len({clients[0].cluster("KEYSLOT", key) for key in made}) == 1


async def test_a_page_of_a_long_chat_costs_what_one_of_a_short_chat_costs(redis: RedisForTests, proxy: Proxy) -> None:
    """The same commands inside Redis, the same bytes, one round trip."""
    space = new_space()
    costs = []
    async with opened(proxy.url) as store:
        for length in (50, 5000):
            chat_id = await start(store, space, *(f"{number:05}" for number in range(length)))
            middle = (await all_messages(store, space, chat_id, length))[length // 2].message_id
            answers, received = proxy.answers, proxy.received
            with redis.clients() as (client,):
                client.config_resetstat()
                page = await store.list_messages(space, chat_id, limit=20, before=middle)
                stats = client.info("commandstats")
            assert page is not None
            assert len(page.items) == 20
            calls = {name: row["calls"] for name, row in stats.items() if not name.startswith("cmdstat_config")}
            costs.append((calls, proxy.answers - answers, proxy.received - received))
    assert costs[0] == costs[1]
    assert costs[0][1] == 1


async def test_a_page_of_many_chats_costs_what_one_of_few_costs(redis: RedisForTests, proxy: Proxy) -> None:
    """The list by activity is read from its place on."""
    costs = []
    async with opened(proxy.url) as store:
        for count in (30, 600):
            space = new_space()
            for _ in range(count):
                await start(store, space, "x")
            # from the second time on the server knows the script
            await store.list_chats(space, limit=1)
            answers, received = proxy.answers, proxy.received
            page = await store.list_chats(space, limit=20)
            assert len(page.items) == 20
            costs.append((proxy.answers - answers, proxy.received - received))
    assert costs[0] == costs[1]


# starting


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"appendonly": "no"}, "append-only"),
        ({"appendfsync": "everysec"}, "appendfsync always"),
        ({"appendfsync": "always", "maxmemory": "100mb", "maxmemory-policy": "allkeys-lru"}, "evict"),
        ({"appendfsync": "always"}, None),
    ],
    ids=["no file", "every second", "eviction", "safe"],
)
async def test_a_server_that_may_lose_messages_is_warned_about(
    tmp_path: Path, options: dict[str, str], said: str | None
) -> None:
    """Once, at start, with what to do."""
    with RedisForTests(tmp_path / "redis", options=options) as server, capture_logs() as logs:
        async with opened(server.url) as store:
            await store.ping()
    warnings = [entry["event"] for entry in logs if entry["log_level"] == "warning"]
    assert len(warnings) == (said is not None)
    assert all(said in warning for warning in warnings if said is not None)


async def test_a_wrong_password_is_told_in_one_line_without_it(tmp_path: Path) -> None:
    """And a missing one; the right one works."""
    with RedisForTests(tmp_path / "redis", options={"requirepass": "right"}) as server:
        for url in (server.url.replace("right", "hunter2"), server.url.replace(":right@", "")):
            with pytest.raises(DatabaseError, match="SOUVENIR_REDIS_URL") as told:
                async with opened(url):
                    pass
            assert "password" in str(told.value)
            assert "hunter2" not in str(told.value)
            assert "\n" not in str(told.value)
        async with opened(server.url) as store:
            await store.ping()


@pytest.mark.parametrize(
    "url",
    [
        "redis://:hunter2@127.0.0.1:1/0",
        "redis://:hunter2@nowhere.invalid:6379/0",
        "http://:hunter2@127.0.0.1/",
        "redis://:hunter/2@127.0.0.1:6379/0",
        "redis://user:6379/hunter@127.0.0.1/0",
        "redis://:hunter2@127.0.0.1:port/0",
        "redis://:hunter2@127.0.0.1:1/0?colour=blue",
        "unix:///nowhere/hun.sock?password=hunter2",
        "",
    ],
)
async def test_a_url_that_does_not_lead_to_redis_is_told_in_one_line(url: str) -> None:
    """Without the password, also when the URL is broken in the middle of it."""
    with pytest.raises(StartError, match="SOUVENIR_REDIS_URL") as told:
        async with opened(url, seconds=2):
            pass
    assert "hunter" not in str(told.value)
    assert "\n" not in str(told.value)


async def test_a_replica_is_refused(redis: RedisForTests, tmp_path: Path) -> None:
    """It would take no messages."""
    options = {"replicaof": f"127.0.0.1 {redis.port}"}
    with RedisForTests(tmp_path / "redis", options=options) as replica, pytest.raises(DatabaseError, match="replica"):
        async with opened(replica.url):
            pass


async def test_a_store_that_is_closed_is_unavailable(redis: RedisForTests) -> None:
    """Closing again is fine."""
    async with opened(redis.url) as store:
        await store.aclose()
        with pytest.raises(Unavailable):
            await store.ping()
