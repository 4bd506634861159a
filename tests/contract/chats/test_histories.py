"""Random histories of several users against a plain model, on every engine: what is kept is what the model keeps."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from souvenir.stores.chat_rules import beginning
from souvenir.stores.ports import ChatEngine, ChatPosition, MessageChange, NewMessage
from souvenir.testing.clock import ManualClock
from souvenir.types import SpaceId
from tests.contract.chats.conftest import Opened

USERS, CHATS = 3, 3


@dataclass
class ModelChat:
    """A chat as one would write it down on paper."""

    contents: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    title: str = ""
    renamed: bool = False
    active: Any = None


@dataclass
class World:
    store: ChatEngine
    clock: ManualClock
    spaces: list[SpaceId]
    chat_ids: list[str]
    model: dict[tuple[int, int], ModelChat] = field(default_factory=dict)

    async def append(self, user: int, chat: int, create: bool, contents: list[str]) -> None:
        new = [NewMessage("user", content) for content in contents]
        made = await self.store.append(self.spaces[user], self.chat_ids[chat], new, create=create)
        known = self.model.get((user, chat))
        if known is None and not create:
            assert made is None
            return
        assert made is not None
        known = self.model.setdefault((user, chat), ModelChat())
        if not known.title and not known.renamed:
            known.title = next((beginning(content, 64) for content in contents if content), "")
        known.contents += contents
        known.ids += [message.message_id for message in made]
        known.active = max(known.active or self.clock.now(), self.clock.now())
        assert known.ids == sorted(set(known.ids))

    async def rename(self, user: int, chat: int, title: str) -> None:
        renamed = await self.store.rename(self.spaces[user], self.chat_ids[chat], title)
        known = self.model.get((user, chat))
        assert (renamed is not None) == (known is not None)
        if known is not None:
            known.title, known.renamed = title, True

    async def delete(self, user: int, chat: int) -> None:
        gone = await self.store.delete(self.spaces[user], self.chat_ids[chat])
        assert gone == (self.model.pop((user, chat), None) is not None)

    async def change(self, user: int, chat: int, place: int, content: str) -> None:
        known = self.model.get((user, chat))
        if known is None:
            return
        place %= len(known.ids)
        change = MessageChange(content=content)
        assert await self.store.update_message(self.spaces[user], self.chat_ids[chat], known.ids[place], change)
        known.contents[place] = content
        known.active = max(known.active, self.clock.now())

    async def walk_messages(self, user: int, chat: int, page: int, arriving: list[str]) -> None:
        """Page through a chat while messages arrive between the pages."""
        known = self.model.get((user, chat))
        expected = list(reversed(known.contents)) if known else None
        seen: list[str] = []
        before: str | None = None
        while True:
            found = await self.store.list_messages(self.spaces[user], self.chat_ids[chat], limit=page, before=before)
            if expected is None:
                assert found is None
                return
            assert found is not None
            assert found.items
            seen += [message.content for message in found.items]
            if arriving:
                await self.append(user, chat, False, [arriving.pop()])
            if not found.more:
                break
            before = found.items[-1].message_id
        assert seen == expected

    async def walk_chats(self, user: int, page: int) -> None:
        mine = [
            (known.active, self.chat_ids[chat], known) for (owner, chat), known in self.model.items() if owner == user
        ]
        expected = sorted(mine, key=lambda entry: entry[:2], reverse=True)
        after: ChatPosition | None = None
        seen: list[tuple[str, str, str, int]] = []
        while True:
            found = await self.store.list_chats(self.spaces[user], limit=page, after=after)
            seen += [(chat.chat_id, chat.title, chat.last_message, chat.message_count) for chat in found.items]
            if not found.more:
                break
            after = ChatPosition(found.items[-1].updated_at, found.items[-1].chat_id)
        assert seen == [
            (chat_id, known.title, beginning(known.contents[-1], 1000), len(known.contents))
            for _, chat_id, known in expected
        ]

    async def tick(self, milliseconds: int) -> None:
        self.clock.advance(milliseconds=milliseconds)


user, chat = st.integers(0, USERS - 1), st.integers(0, CHATS - 1)
texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=80)
Step = tuple[Callable[..., Any], tuple[Any, ...]]
steps = st.one_of(
    st.tuples(st.just(World.append), st.tuples(user, chat, st.booleans(), st.lists(texts, min_size=1, max_size=3))),
    st.tuples(st.just(World.append), st.tuples(user, chat, st.just(True), st.lists(texts, min_size=1, max_size=3))),
    st.tuples(st.just(World.rename), st.tuples(user, chat, texts.filter(bool))),
    st.tuples(st.just(World.delete), st.tuples(user, chat)),
    st.tuples(st.just(World.change), st.tuples(user, chat, st.integers(0, 99), texts)),
    st.tuples(st.just(World.walk_messages), st.tuples(user, chat, st.integers(1, 4), st.lists(texts, max_size=4))),
    st.tuples(st.just(World.walk_chats), st.tuples(user, st.integers(1, 3))),
    st.tuples(st.just(World.tick), st.tuples(st.integers(-3, 5))),
)


@pytest.mark.req("CHAT-3", "CHAT-4", "CHAT-6", "ID-8")
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(history=st.lists(steps, max_size=30))
def test_a_random_history_of_several_users_is_kept_as_a_plain_model_keeps_it(
    opened: Opened, history: list[Step]
) -> None:
    world = World(
        opened.store, opened.clock, [SpaceId(f"user:{uuid.uuid4()}") for _ in range(USERS)],
        # the users share their chat ids, so that any leak between them shows
        [str(uuid.uuid4()) for _ in range(CHATS)],
    )  # fmt: skip

    async def live() -> None:
        for step, arguments in history:
            await step(world, *arguments)
        for owner in range(USERS):
            await world.walk_chats(owner, 2)
            for number in range(CHATS):
                await world.walk_messages(owner, number, 3, [])

    opened.runner.run(live())
