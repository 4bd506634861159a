"""A second opinion on the order of what was found, and the first order whenever that opinion is of no use."""

import asyncio
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Generic, NamedTuple, Protocol, TypeVar

import structlog

from souvenir.errors import Unavailable
from souvenir.metrics import Metrics

log = structlog.get_logger(__name__)

T = TypeVar("T")


class Reranker(Protocol):
    """Something that reads a query and texts together, and says which texts fit best."""

    @property
    def name(self) -> str:
        """What it is called in metrics and logs."""
        ...

    async def rank(self, query: str, texts: Sequence[str]) -> Sequence[int]:
        """Positions in `texts`, the best first; it may leave some out. Raises Unavailable.

        What comes back is not to be trusted: a model may repeat positions or make them up. Cancelling the call ends
        the work.
        """
        ...

    async def aclose(self) -> None:
        """Close connections that are its own. Calling it twice is fine."""
        ...


class Reranked(NamedTuple, Generic[T]):
    """The items in their new order, all of them and nothing else; or, where that failed, as they were."""

    items: list[T]
    fell_back: bool


class _Malformed(Exception):
    """What is wrong with a ranking, without any of its contents."""


async def reranked(
    reranker: Reranker,
    query: str,
    items: Sequence[T],
    text_of: Callable[[T], str],
    *,
    metrics: Metrics,
    timeout: float,
    candidates: int | None = None,
) -> Reranked[T]:
    """Put the first `candidates` items (None: all) in the order the reranker says; the others stay behind them.

    Candidates the reranker leaves out follow those it names, in their old order. Whatever goes wrong, the old order
    stays as it was, and that is logged and counted. Raises nothing but what `text_of` raises.
    """
    texts = [text_of(item) for item in items[:candidates]]
    if len(texts) < 2:
        return Reranked(list(items), fell_back=False)
    ranking = await _ranking(reranker, query, texts, metrics, timeout)
    named = set(ranking)
    order = [*ranking, *(place for place in range(len(items)) if place not in named)]
    return Reranked([items[place] for place in order], fell_back=not ranking)


async def _ranking(
    reranker: Reranker, query: str, texts: Sequence[str], metrics: Metrics, timeout: float
) -> Sequence[int]:
    """A ranking that can be followed, or an empty one."""
    started = perf_counter()
    try:
        async with asyncio.timeout(timeout):
            return _checked(await reranker.rank(query, texts), len(texts))
    except TimeoutError:
        reason, detail = "timeout", f"no answer within {timeout:g} s"
    except (Unavailable, _Malformed) as error:
        reason, detail = "unavailable" if isinstance(error, Unavailable) else "malformed", str(error)
    except Exception as error:  # noqa: BLE001 - whatever ails the reranker, the search has its answer already
        reason, detail = "error", type(error).__name__  # not its words, which may quote what people wrote
    finally:
        metrics.rerank_seconds.labels(reranker.name).observe(perf_counter() - started)
    metrics.rerank_fallbacks.labels(reranker.name, reason).inc()
    log.warning("no usable ranking; the order before is kept", reranker=reranker.name, reason=reason, detail=detail)
    return ()


def _checked(ranking: Sequence[object], count: int) -> list[int]:
    # `type` and not `isinstance`: True is an int too
    places = [place for place in ranking if type(place) is int and 0 <= place < count]
    if not places:
        raise _Malformed("it names none of the candidates")
    if len(places) < len(ranking):
        raise _Malformed("it names something that is not a candidate")
    if len(set(places)) < len(places):
        raise _Malformed("it names a candidate twice")
    return places
