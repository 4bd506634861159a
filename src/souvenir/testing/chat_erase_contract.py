"""The part of ChatStoreContract on erasing a whole space; inherit the whole."""

from souvenir.testing.chats import Store, all_chats, all_messages, new_space, said, start


class ChatEraseContract:
    """What is left of a space, and of others, when it was erased."""

    async def test_an_erased_space_has_no_chats_and_another_keeps_all_of_its_own(self, store: Store) -> None:
        """More chats than one page has, a long message among them; chats of the same ids elsewhere stay."""
        mine, theirs = new_space(), new_space()
        ids = [await start(store, mine, "x", "y") for _ in range(103)]
        await store.append(mine, ids[0], [said("z" * 700_000)])
        for chat_id in ids[:2]:
            await store.append(theirs, chat_id, [said("theirs")], create=True)
        before = await all_chats(store, theirs)
        assert await store.erase(mine) == (103, 207)
        assert await all_chats(store, mine) == []
        assert await store.list_messages(mine, ids[0], limit=5) is None
        assert mine not in await store.spaces(limit=10_000)
        assert await all_chats(store, theirs) == before
        assert [one.content for one in await all_messages(store, theirs, ids[0])] == ["theirs"]

    async def test_erasing_again_or_nothing_is_nothing(self, store: Store) -> None:
        """And a chat that is made anew afterwards starts empty."""
        space = new_space()
        assert await store.erase(space) == (0, 0)
        chat_id = await start(store, space, "x")
        assert await store.erase(space) == (1, 1)
        assert await store.erase(space) == (0, 0)
        await store.append(space, chat_id, [said("new")], create=True)
        assert [one.content for one in await all_messages(store, space, chat_id)] == ["new"]
