"""A process that adds messages as fast as it can: `writer.py NAME COUNT CHAT...`; prints each acknowledged id."""

import asyncio
import itertools
import sys

from souvenir.config import load_settings
from souvenir.errors import Unavailable
from souvenir.storage import open_chats
from souvenir.stores.ports import NewMessage
from souvenir.types import SpaceId

SPACE = SpaceId("user:writer")
AT_ONCE = 8


async def main(name: str, count: int, chats: list[str]) -> None:
    settings = load_settings()
    async with open_chats(settings, settings.chat_store) as store:
        numbers = itertools.count()
        targets = itertools.cycle(chats)

        async def work() -> None:
            while (number := next(numbers)) < count:
                content = f"{name} {number}"
                try:
                    made = await store.append(SPACE, next(targets), [NewMessage("user", content)], create=True)
                except Unavailable as error:
                    print(f"down: {error}", flush=True)
                    return
                assert made is not None
                print(f"ack {made[0].chat_id} {made[0].message_id} {content}", flush=True)

        await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    print("finished", flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
