"""The queue before a model: who shares a batch, who goes first, who is skipped, who is refused."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenir.embed.batching import Batcher, Limits
from souvenir.errors import Unavailable

WIDE = Limits(texts=100, tokens=10_000, padding=10_000, waiting=1_000)


@dataclass(frozen=True)
class Text:
    name: str
    tokens: int = 1


class Worker:
    """Does the work as told: at once, or one batch for every `step`."""

    def __init__(self, limits: Limits = WIDE, *, workers: int = 1, stepwise: bool = False) -> None:
        self.batches: list[list[str]] = []
        self.trouble: dict[str, BaseException] = {}
        self.running = 0
        self.most_running = 0
        self._gate = asyncio.Semaphore(0)
        self._stepwise = stepwise
        self.batcher: Batcher[Text, str] = Batcher(self._work, limits, workers=workers)

    async def _work(self, texts: Sequence[Text]) -> list[str]:
        self.batches.append([text.name for text in texts])
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            if self._stepwise:
                await self._gate.acquire()
        finally:
            self.running -= 1
        for text in texts:
            if text.name in self.trouble:
                raise self.trouble[text.name]
        return [text.name.upper() for text in texts]

    def call(self, *texts: Text) -> asyncio.Task[list[str]]:
        return asyncio.create_task(self.batcher.run(texts))

    async def step(self, count: int = 1) -> None:
        for _ in range(count):
            self._gate.release()
            await settle()

    async def finish(self, *calls: asyncio.Task[list[str]]) -> list[list[str] | BaseException]:
        for _ in range(1_000):
            self._gate.release()
        return await asyncio.gather(*calls, return_exceptions=True)


async def settle() -> None:
    """Let everything that can go on go on; nothing here waits for time."""
    for _ in range(10):
        await asyncio.sleep(0)


def names(prefix: str, count: int, tokens: int = 1) -> list[Text]:
    return [Text(f"{prefix}{number}", tokens) for number in range(count)]


async def test_what_arrives_in_the_same_turn_shares_a_batch() -> None:
    worker = Worker()
    results = await asyncio.gather(*(worker.batcher.run([text]) for text in names("t", 5)))
    assert results == [["T0"], ["T1"], ["T2"], ["T3"], ["T4"]]
    assert len(worker.batches) == 1


async def test_one_alone_does_not_wait_for_company() -> None:
    worker = Worker()
    assert await worker.batcher.run([Text("a")]) == ["A"]
    assert worker.batches == [["a"]]


async def test_rows_come_back_in_the_order_of_the_pieces() -> None:
    worker = Worker(Limits(texts=2, tokens=100, padding=100, waiting=100))
    pieces = [Text(name, tokens) for name, tokens in zip("abcdef", [5, 1, 9, 3, 7, 2], strict=True)]
    assert await worker.batcher.run(pieces) == list("ABCDEF")
    assert worker.batches == [["b", "f"], ["d", "a"], ["e", "c"]]


async def test_nothing_gives_nothing() -> None:
    worker = Worker()
    assert await worker.batcher.run([]) == []
    assert worker.batches == []


async def test_a_batch_has_at_most_so_many_texts() -> None:
    worker = Worker(Limits(texts=3, tokens=100, padding=100, waiting=100))
    await worker.batcher.run(names("t", 7))
    assert [len(batch) for batch in worker.batches] == [3, 3, 1]


async def test_a_batch_has_at_most_so_many_tokens_once_padded() -> None:
    worker = Worker(Limits(texts=10, tokens=12, padding=100, waiting=100))
    await worker.batcher.run([Text("a", 4), Text("b", 4), Text("c", 5), Text("d", 5)])
    assert worker.batches == [["a", "b"], ["c", "d"]]


async def test_texts_of_very_different_length_do_not_share_a_batch() -> None:
    worker = Worker(Limits(texts=10, tokens=1_000, padding=10, waiting=100))
    await worker.batcher.run([Text("long", 100), Text("a", 5), Text("b", 8), Text("longer", 105)])
    assert worker.batches == [["a", "b"], ["long", "longer"]]


async def test_a_text_over_every_limit_still_runs_alone() -> None:
    worker = Worker(Limits(texts=10, tokens=10, padding=10, waiting=100))
    assert await worker.batcher.run([Text("huge", 50), Text("a", 1)]) == ["HUGE", "A"]
    assert worker.batches == [["a"], ["huge"]]


async def test_a_query_overtakes_the_rest_of_a_large_call() -> None:
    worker = Worker(Limits(texts=4, tokens=1_000, padding=5, waiting=1_000), stepwise=True)
    large = worker.call(*names("bulk", 40, tokens=50))
    await settle()
    query = worker.call(Text("query", 3))
    await worker.step(2)
    assert query.done()
    assert not large.done()
    assert worker.batches[1] == ["query"]
    await worker.finish(large)


async def test_two_large_calls_take_turns() -> None:
    worker = Worker(Limits(texts=2, tokens=1_000, padding=0, waiting=1_000))
    await asyncio.gather(worker.batcher.run(names("a", 10, 10)), worker.batcher.run(names("b", 10, 10)))
    first_half = "".join(name[0] for batch in worker.batches[:5] for name in batch)
    assert sorted(first_half) == list("aaaaabbbbb")


async def test_a_long_text_is_not_starved_by_short_ones_that_keep_coming() -> None:
    worker = Worker(Limits(texts=1, tokens=1_000, padding=0, waiting=1_000), stepwise=True)
    long = worker.call(Text("long", 50))
    short = [worker.call(Text("s0", 10))]
    for number in range(1, 12):
        await worker.step()
        short.append(worker.call(Text(f"s{number}", 10)))
    assert long.done()
    await worker.finish(*short)


async def test_a_cancelled_call_is_skipped() -> None:
    worker = Worker(Limits(texts=1, tokens=10, padding=0, waiting=100), stepwise=True)
    calls = [worker.call(text) for text in names("t", 4)]
    await settle()
    calls[1].cancel()
    await worker.finish(*calls)
    assert worker.batches == [["t0"], ["t2"], ["t3"]]


async def test_a_batch_that_nobody_waits_for_is_stopped() -> None:
    worker = Worker(stepwise=True)
    calls = [worker.call(text) for text in names("t", 3)]
    await settle()
    for call in calls:
        call.cancel()
    await settle()
    assert worker.running == 0
    [kept] = await worker.finish(worker.call(Text("next")))
    assert kept == ["NEXT"]


async def test_a_batch_that_one_waits_for_goes_on() -> None:
    worker = Worker(stepwise=True)
    calls = [worker.call(text) for text in names("t", 3)]
    await settle()
    calls[0].cancel()
    calls[1].cancel()
    await settle()
    assert worker.running == 1
    assert (await worker.finish(*calls))[2] == ["T2"]


async def test_cancelled_texts_do_not_count_as_waiting() -> None:
    worker = Worker(Limits(texts=1, tokens=10, padding=0, waiting=10), stepwise=True)
    first, second = worker.call(Text("first")), worker.call(*names("t", 9))
    await settle()
    second.cancel()
    await settle()
    third = worker.call(*names("u", 10))
    await settle()
    results = await worker.finish(first, third)
    assert [isinstance(result, list) for result in results] == [True, True]


async def test_a_call_is_refused_when_too_many_wait() -> None:
    worker = Worker(Limits(texts=1, tokens=10, padding=0, waiting=5), stepwise=True)
    first = worker.call(*names("t", 5))
    await settle()
    with pytest.raises(Unavailable, match="busy: 4 texts wait"):
        await worker.batcher.run(names("u", 2))
    second = worker.call(Text("v"))
    await settle()
    assert [isinstance(result, list) for result in await worker.finish(first, second)] == [True, True]


async def test_a_call_of_any_size_is_taken_when_none_waits() -> None:
    worker = Worker(Limits(texts=1, tokens=10, padding=0, waiting=2))
    assert len(await worker.batcher.run(names("t", 9))) == 9


async def test_a_failure_reaches_everyone_in_the_batch_and_nobody_else() -> None:
    worker = Worker(Limits(texts=2, tokens=10, padding=0, waiting=100))
    worker.trouble["bad0"] = Unavailable("broken")
    outcomes = await worker.finish(*(worker.call(text) for text in [*names("bad", 2), *names("t", 2)]))
    assert [str(outcome) for outcome in outcomes] == ["broken", "broken", "['T0']", "['T1']"]


async def test_a_failed_call_is_not_worked_on_any_further() -> None:
    worker = Worker(Limits(texts=1, tokens=10, padding=0, waiting=100))
    worker.trouble["t0"] = Unavailable("broken")
    with pytest.raises(Unavailable):
        await worker.batcher.run(names("t", 5))
    assert worker.batches == [["t0"]]


async def test_an_unexpected_failure_is_unavailable_and_the_next_call_works() -> None:
    worker = Worker()
    worker.trouble["bad"] = RuntimeError("out of memory")
    with pytest.raises(Unavailable, match="out of memory"):
        await worker.batcher.run([Text("bad")])
    assert await worker.batcher.run([Text("good")]) == ["GOOD"]


async def test_too_few_rows_are_unavailable() -> None:
    async def work(_: Sequence[Text]) -> list[str]:
        return []

    batcher: Batcher[Text, str] = Batcher(work, WIDE)
    with pytest.raises(Unavailable):
        await batcher.run([Text("a")])


async def test_no_more_than_so_many_batches_run_at_a_time() -> None:
    worker = Worker(Limits(texts=1, tokens=10, padding=0, waiting=100), workers=3, stepwise=True)
    calls = [worker.call(text) for text in names("t", 8)]
    await settle()
    assert worker.running == 3
    await worker.finish(*calls)
    assert worker.most_running == 3


async def test_closing_finishes_what_runs_and_tells_what_waits() -> None:
    worker = Worker(Limits(texts=1, tokens=10, padding=0, waiting=100), stepwise=True)
    running, waiting = worker.call(Text("a")), worker.call(Text("b"))
    await settle()
    closing = asyncio.create_task(worker.batcher.aclose())
    await settle()
    assert not closing.done()
    assert [str(outcome) for outcome in await worker.finish(running, waiting)] == ["['A']", "the embedder is closed"]
    await closing
    with pytest.raises(Unavailable, match="closed"):
        await worker.batcher.run([Text("c")])


def test_a_loop_that_ends_in_the_middle_leaves_nothing_behind() -> None:
    async def leave(worker: Worker) -> None:
        for text in names("t", 5):
            worker.call(text)
        await settle()

    worker = Worker(Limits(texts=2, tokens=10, padding=0, waiting=100))
    worker._stepwise = True
    asyncio.run(leave(worker))
    assert worker.running == 0
    worker._stepwise = False
    assert asyncio.run(worker.batcher.run([Text("next")])) == ["NEXT"]


Calls = list[tuple[list[int], bool]]


@given(
    calls=st.lists(st.tuples(st.lists(st.integers(1, 30), max_size=12), st.booleans()), max_size=12),
    limits=st.builds(Limits, st.integers(1, 8), st.integers(10, 80), st.integers(0, 20), st.just(1_000)),
    workers=st.integers(1, 3),
)
def test_whatever_arrives_and_leaves_each_call_gets_its_own_rows(calls: Calls, limits: Limits, workers: int) -> None:
    asyncio.run(_arrive_and_leave(calls, limits, workers))


async def _arrive_and_leave(calls: Calls, limits: Limits, workers: int) -> None:
    worker = Worker(limits, workers=workers, stepwise=True)
    sizes = {f"c{call}t{place}": size for call, (of, _) in enumerate(calls) for place, size in enumerate(of)}
    tasks = []
    for number, (of, _) in enumerate(calls):
        tasks.append(worker.call(*(Text(f"c{number}t{place}", size) for place, size in enumerate(of))))
        await worker.step(number % 2)
    for task, (_, leaves) in zip(tasks, calls, strict=True):
        if leaves:
            task.cancel()
    outcomes = await worker.finish(*tasks)
    for number, ((of, leaves), outcome) in enumerate(zip(calls, outcomes, strict=True)):
        assert (leaves and isinstance(outcome, BaseException)) or outcome == [
            f"C{number}T{place}" for place in range(len(of))
        ]
    for batch in worker.batches:
        lengths = [sizes[name] for name in batch]
        padded = max(lengths) * len(lengths)
        fits = len(batch) <= limits.texts and padded <= limits.tokens and padded - sum(lengths) <= limits.padding
        assert fits or len(batch) == 1
    assert worker.batcher._heap == []
