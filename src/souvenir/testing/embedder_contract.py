"""What every embedder must do, as tests: for our adapters and for anyone who writes one.

    class TestMyEmbedder(EmbedderContract):
        @pytest.fixture
        async def embedder(self):
            embedder = MyEmbedder(...)
            await embedder.start()
            yield embedder
            await embedder.aclose()

The embedder is started and belongs to one test.
"""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from souvenir.embed.port import Embedder, Embedding, Vectors
from souvenir.errors import Unavailable

_NEAR = 1e-5  # how far a vector may move with its company: float rounding

TEXTS = [
    "Where did I leave my keys?",
    "Anna moves to Lisbon in May.",
    "v2.14.0",
    "The meeting is on Thursday; Priya books the small room and sends the agenda around noon. " * 4,
    "我昨天把钥匙放在厨房的桌子上了。",
    "no",
    "My dog Biscuit is afraid of thunderstorms and of the vacuum cleaner.",
    "Where did I leave my other keys?",
]

STRANGE_TEXTS = {  # by what is strange about them
    "empty": "",
    "white space": " \n\t ",
    "emoji": "👩‍👩‍👧‍👦🇵🇹🏖️",
    "a NUL": "a\x00b",
    "only a NUL": "\x00",
    "a lone surrogate": "\ud800",
    "a surrogate the wrong way round": "a\udc00\ud800b",
    "right to left": "أين وضعت المفاتيح أمس؟",
    "combining marks": "Z̸̢̛a̶l̷g̵o̴ " * 10,
    "control characters": "\x01\x02\x1b[31m\x7f",
    "a very long word": "a" * 100_000,
    "a word of unknown letters": "𒀀" * 300,
    "what looks like special tokens": "[CLS] [SEP] [MASK] [PAD] <|endoftext|> </s>",
}


class EmbedderContract:
    """Subclass it, and give the fixture `embedder`. It needs pytest-asyncio in auto mode."""

    async def test_it_has_a_name_and_a_dimension_once_started(self, embedder: Embedder) -> None:
        """Both are stored beside every vector."""
        assert embedder.model
        assert embedder.dimension is not None
        assert embedder.dimension > 0

    async def test_each_text_has_a_unit_vector_of_the_dimension(self, embedder: Embedder) -> None:
        """Search takes the dot product for the cosine."""
        _check(await embedder.embed(TEXTS), len(TEXTS), embedder)

    async def test_rows_are_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        """Whatever they are sorted by on the way."""
        together = (await embedder.embed(TEXTS)).vectors
        turned = (await embedder.embed(TEXTS[::-1])).vectors
        np.testing.assert_allclose(together, turned[::-1], atol=_NEAR)
        assert _distinct(together)

    async def test_a_vector_does_not_depend_on_its_company(self, embedder: Embedder) -> None:
        """Alone, among others, or twice in one call."""
        together = (await embedder.embed([*TEXTS, *TEXTS])).vectors
        alone = await _one_by_one(embedder, TEXTS)
        np.testing.assert_allclose(together, np.concatenate([alone, alone]), atol=_NEAR)

    async def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        """An empty list is not an error."""
        nothing = await embedder.embed([])
        assert nothing.vectors.shape == (0, embedder.dimension)
        assert nothing.tokens == 0

    async def test_tokens_are_counted(self, embedder: Embedder) -> None:
        """More text is more tokens."""
        few, many = await embedder.embed([TEXTS[2]]), await embedder.embed(TEXTS)
        assert 0 < few.tokens < many.tokens

    async def test_a_long_text_is_read_to_its_end(self, embedder: Embedder) -> None:
        """It is cut into windows, never truncated: an end of another meaning moves the vector."""
        start = "We walked along the harbour and counted the boats. " * 150
        ends = ["The invoice for the database server is overdue again. " * 50, "My grandmother bakes bread. " * 100]
        made = await embedder.embed([start + end for end in ends])
        _check(made, 2, embedder)
        assert _distinct(made.vectors)

    async def test_a_strange_text_has_a_vector_too(self, embedder: Embedder) -> None:
        """No input that a person can paste makes it fail."""
        for text in STRANGE_TEXTS.values():
            _check(await embedder.embed([text]), 1, embedder)

    async def test_strange_texts_do_not_harm_others_in_their_call(self, embedder: Embedder) -> None:
        """Nor does the company change the ordinary text's vector."""
        made = await embedder.embed([*STRANGE_TEXTS.values(), TEXTS[0]])
        _check(made, len(STRANGE_TEXTS) + 1, embedder)
        np.testing.assert_allclose(made.vectors[-1:], await _one_by_one(embedder, TEXTS[:1]), atol=_NEAR)

    async def test_many_callers_at_once_each_get_their_own(self, embedder: Embedder) -> None:
        """Calls that arrive together may share batches; nobody notices."""
        texts = [f"{text} {number}" for number in range(8) for text in TEXTS]
        made = await asyncio.gather(*(embedder.embed([text]) for text in texts))
        expected = (await embedder.embed(texts)).vectors
        np.testing.assert_allclose(np.concatenate([one.vectors for one in made]), expected, atol=_NEAR)

    async def test_a_cancelled_caller_does_not_disturb_the_others(self, embedder: Embedder) -> None:
        """Also not one who waits for the same text."""
        calls = [asyncio.create_task(embedder.embed([text])) for text in [*TEXTS, *TEXTS]]
        await asyncio.sleep(0)
        for call in calls[: len(TEXTS)]:
            call.cancel()
        made = await asyncio.gather(*calls, return_exceptions=True)
        kept = [one.vectors for one in made[len(TEXTS) :] if isinstance(one, Embedding)]
        np.testing.assert_allclose(np.concatenate(kept), (await embedder.embed(TEXTS)).vectors, atol=_NEAR)

    async def test_after_closing_it_is_unavailable(self, embedder: Embedder) -> None:
        """And closing again does no harm."""
        await embedder.aclose()
        await embedder.aclose()
        with pytest.raises(Unavailable):
            await embedder.embed(["Is anybody there?"])

    async def test_closing_leaves_no_caller_waiting(self, embedder: Embedder) -> None:
        """What runs is finished, what waits is told."""
        calls = [asyncio.create_task(embedder.embed([f"{text} {number}" for text in TEXTS])) for number in range(20)]
        await asyncio.sleep(0)
        await embedder.aclose()
        for outcome in await asyncio.gather(*calls, return_exceptions=True):
            if isinstance(outcome, Embedding):
                _check(outcome, len(TEXTS), embedder)
            else:
                assert isinstance(outcome, Unavailable)


def _check(made: Embedding, count: int, embedder: Embedder) -> None:
    assert made.vectors.shape == (count, embedder.dimension)
    assert made.vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(made.vectors, axis=1), 1.0, atol=1e-5)
    assert made.tokens > 0


async def _one_by_one(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    return np.concatenate([(await embedder.embed([text])).vectors for text in texts])


def _distinct(vectors: Vectors) -> bool:
    products = vectors @ vectors.T
    np.fill_diagonal(products, 0.0)
    return bool(products.max() < 0.9999)
