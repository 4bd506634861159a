"""The ChatStore contract on Postgres."""

import os
import signal
import sys
import uuid
from pathlib import Path

import pytest

from souvenir.config import load_settings
from souvenir.storage import open_chats
from souvenir.stores.ports import NewMessage
from souvenir.stores.postgres.chats import PostgresChatStore
from souvenir.stores.postgres.database import PostgresDatabase
from souvenir.stores.postgres.embedded import EmbeddedPostgres
from souvenir.testing.chat_store_contract import ChatStoreContract
from souvenir.testing.chats import all_messages
from souvenir.testing.clock import ManualClock
from souvenir.testing.processes import SouvenirProcess, environment
from tests.contract.chats.writer import AT_ONCE, SPACE


@pytest.mark.req("CHAT-6")
class TestPostgresChatStore(ChatStoreContract):
    @pytest.fixture
    def store(self, database: PostgresDatabase, clock: ManualClock) -> PostgresChatStore:
        return PostgresChatStore(database, clock)


@pytest.mark.req("CHAT-6")
@pytest.mark.parametrize("before", [0, 1], ids=["a new chat", "one that is there"])
async def test_more_messages_than_a_statement_takes_are_kept_whole_and_in_order(
    database: PostgresDatabase, clock: ManualClock, before: int
) -> None:
    store, said = PostgresChatStore(database, clock), [f"message {number}" for number in range(251)]
    if before:
        await store.append(SPACE, "long", [NewMessage("user", "the first")], create=True)
    added = await store.append(SPACE, "long", [NewMessage("user", text) for text in said], create=True)
    stored = [*reversed(await all_messages(store, SPACE, "long"))]
    assert [message.content for message in stored] == ["the first"] * before + said
    assert tuple(stored[before:]) == added
    chat = await store.get_chat(SPACE, "long")
    assert chat is not None
    assert (chat.message_count, chat.last_message) == (before + 251, "message 250")


@pytest.mark.req("CHAT-9")
async def test_every_acknowledged_message_is_there_after_kill_9_of_postgres_under_load(tmp_path: Path) -> None:
    server = EmbeddedPostgres(tmp_path / "pg")
    url = server.start()
    chats = [str(uuid.uuid4()) for _ in range(3)]
    settings = {"SOUVENIR_DATABASE_URL": url, "SOUVENIR_DATABASE_TIMEOUT_SECONDS": "2"}
    command = [sys.executable, str(Path(__file__).with_name("writer.py")), "w", "1000000", *chats]
    writer = SouvenirProcess(command, environment(settings), tmp_path)
    try:
        writer.wait_for(r"(ack .*\n){300}")
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        assert writer.wait() == 0
    finally:
        if writer.process.poll() is None:
            writer.kill()
    acknowledged = {tuple(line.split(" ", 3)[1:]) for line in writer.output.splitlines() if line.startswith("ack ")}
    assert len(acknowledged) >= 300
    assert "down" in writer.output
    server.start()
    try:
        async with open_chats(load_settings(settings), "postgres") as store:
            stored = {
                (chat_id, message.message_id, message.content)
                for chat_id in chats
                for message in await all_messages(store, SPACE, chat_id)
            }
            # what was written and not yet acknowledged may be there too: one message for each of the writer's tasks
            assert acknowledged <= stored
            assert len(stored - acknowledged) <= AT_ONCE
    finally:
        server.stop()
