"""Two processes write to the same chats at once, on every engine: nothing is lost, doubled or out of order."""

import re
import sys
import uuid
from pathlib import Path

import pytest

from souvenir.testing.chats import all_chats, all_messages
from souvenir.testing.processes import SouvenirProcess, environment
from tests.contract.chats.conftest import Opened
from tests.contract.chats.writer import SPACE

WRITER = str(Path(__file__).with_name("writer.py"))
EACH = 1000
FEWER = 300  # of an engine whose stand-in takes ten times as long for each; all of them under `make soak`


@pytest.mark.req("CHAT-7", "CHAT-1")
@pytest.mark.parametrize("count", [1, 40], ids=["one chat", "many chats"])
def test_two_processes_that_add_hundreds_of_messages_lose_and_double_none(
    opened: Opened, environ: dict[str, str], tmp_path: Path, count: int
) -> None:
    each = FEWER if environ["SOUVENIR_CHAT_STORE"] == "dynamodb" else EACH
    assert_none_is_lost_or_doubled(opened, environ, tmp_path, count, each)


@pytest.mark.soak
@pytest.mark.parametrize("count", [1, 40], ids=["one chat", "many chats"])
def test_two_processes_that_add_2000_messages_lose_and_double_none(
    opened: Opened, environ: dict[str, str], tmp_path: Path, count: int
) -> None:
    assert_none_is_lost_or_doubled(opened, environ, tmp_path, count, EACH)


def assert_none_is_lost_or_doubled(
    opened: Opened, environ: dict[str, str], tmp_path: Path, count: int, each: int
) -> None:
    chats = [str(uuid.uuid4()) for _ in range(count)]
    writers = [
        SouvenirProcess([sys.executable, WRITER, name, str(each), *chats], environment(environ), tmp_path)
        for name in ("left", "right")
    ]
    for writer in writers:
        assert writer.wait(seconds=120) == 0, writer.output[-2000:]
        assert "down" not in writer.output, re.findall("down.*", writer.output)
    acknowledged: dict[str, list[str]] = {}
    for writer in writers:
        for line in writer.output.splitlines():
            if line.startswith("ack "):
                _, chat_id, message_id, content = line.split(" ", 3)
                acknowledged.setdefault(chat_id, []).append(f"{message_id} {content}")
    for chat_id in chats:
        stored = opened.runner.run(all_messages(opened.store, SPACE, chat_id))[::-1]
        ids = [message.message_id for message in stored]
        assert ids == sorted(set(ids))
        assert sorted(f"{message.message_id} {message.content}" for message in stored) == sorted(acknowledged[chat_id])
        contents = [message.content for message in stored]
        assert len(contents) == len(set(contents))
    assert sum(map(len, acknowledged.values())) == 2 * each
    listed = {chat.chat_id: chat.message_count for chat in opened.runner.run(all_chats(opened.store, SPACE))}
    assert {chat_id: listed[chat_id] for chat_id in chats} == {chat_id: len(acknowledged[chat_id]) for chat_id in chats}
