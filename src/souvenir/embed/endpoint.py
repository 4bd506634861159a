"""One HTTP call to an OpenAI-compatible `/embeddings`, and the judgement of what comes back."""

import asyncio
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import openai
from openai import omit
from pydantic_core import from_json

from souvenir.ambient import ambient_headers
from souvenir.config import PREFIX, Settings
from souvenir.embed.port import Vectors
from souvenir.embed.windows import unit
from souvenir.errors import DimensionMismatch, SettingsError, Unavailable

_RETRIES = 2
_LONGEST_REASON = 300
# How OpenAI, Mistral, vLLM, TEI, Ollama and llama.cpp say it; the last of them with status 500.
_TOO_LONG = re.compile(
    r"too (long|large|many)|(max\w*|context|input|sequence)[ _-](context|input|length|size|window|tokens)"
    r"|exceed|max(imum)? \d+|(less|more|fewer) than \d+ tokens|reduce (your|the) (prompt|input|length)",
    re.IGNORECASE,
)


class Refused(Exception):
    """The endpoint does not take this input. Fewer texts, or shorter ones if it says so, may pass."""

    def __init__(self, reason: Unavailable, *, too_long: bool) -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.too_long = too_long


@dataclass(frozen=True, slots=True)
class Answer:
    """Unit vectors in the order of the texts; the tokens are None if the endpoint did not count them."""

    vectors: Vectors
    tokens: int | None


class EmbeddingEndpoint:
    """The endpoint of the settings. Its errors name the host, never the key."""

    def __init__(self, settings: Settings) -> None:
        if settings.embed_base_url is None or settings.embed_model is None:
            raise SettingsError(f"an embedding endpoint needs {PREFIX}EMBED_BASE_URL and {PREFIX}EMBED_MODEL")
        self.model = settings.embed_model
        self.dimension: int | None = None
        self._asked = settings.embed_dimension
        self._seconds = settings.embed_timeout_seconds
        self._key = _key(settings)
        self._name = f"the embedding endpoint at {urlsplit(settings.embed_base_url).netloc.rpartition('@')[2]}"
        self._headers = ambient_headers(os.environ) | ({} if self._key else {"Authorization": omit})
        self._client = _client(settings.embed_base_url, self._key, self._seconds)

    async def call(self, texts: Sequence[str]) -> Answer:
        """Embed texts in one call. Raises Refused, Unavailable, or DimensionMismatch."""
        try:
            async with asyncio.timeout(self._seconds):  # over all tries together
                reply = await self._client.embeddings.with_raw_response.create(
                    model=self.model,
                    input=list(texts),
                    encoding_format="float",
                    dimensions=self._asked if self._asked is not None else omit,
                    extra_headers=self._headers,
                )
        except (openai.APITimeoutError, TimeoutError):
            raise Unavailable(f"{self._name} did not answer within {self._seconds:g} s") from None
        except openai.APIStatusError as error:
            raise self._refusal(error) from None
        except openai.OpenAIError as error:
            raise Unavailable(f"{self._name} cannot be reached: {self._safe(str(error.__cause__ or error))}") from None
        return self._judge(reply.content, len(texts))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    def _refusal(self, error: openai.APIStatusError) -> Exception:
        status = error.status_code
        if status in {401, 403}:  # whose message may quote the key
            return Unavailable(f"{self._name} answered {status}: check {PREFIX}EMBED_API_KEY")
        message = self._safe(_message(error))
        reason = Unavailable(f"{self._name} answered {status}: {message}")
        too_long = status in {400, 413, 422, 500} and _TOO_LONG.search(message) is not None
        if too_long or status in {400, 413, 422}:
            return Refused(reason, too_long=too_long)
        return reason

    def _safe(self, message: str) -> str:
        message = " ".join(message.split())
        message = message.replace(self._key, "***") if self._key else message
        return message if len(message) <= _LONGEST_REASON else message[:_LONGEST_REASON] + "…"

    def _judge(self, content: bytes, count: int) -> Answer:
        try:
            body = from_json(content)
            rows, tokens = _ordered(body["data"]), _tokens(body)
        except (ValueError, TypeError, KeyError):
            raise Unavailable(f"{self._name} answered with something that is not a list of embeddings") from None
        if len(rows) != count:
            raise Unavailable(f"{self._name} gave {len(rows)} vectors for {count} texts")
        self._check_dimension(rows)
        vectors = unit(_numbers(rows))
        if not np.isfinite(vectors).all():
            raise Unavailable(f"{self._name} gave a vector of zeros or with an element that is not a finite number")
        return Answer(vectors, tokens)

    def _check_dimension(self, rows: Sequence[Sequence[object]]) -> None:
        expected = self._asked or self.dimension or len(rows[0])
        found = next((len(row) for row in rows if len(row) != expected), expected)
        if found != expected or not found:
            asked = f"{PREFIX}EMBED_DIMENSION asks for" if self._asked else "it gave"
            raise DimensionMismatch(
                f"{self._name} gave a vector of {found} elements for {self.model}, and {asked} {expected}"
                + ("" if self._asked else " before")
            )
        self.dimension = expected


def _key(settings: Settings) -> str:
    key = settings.embed_api_key.get_secret_value().strip() if settings.embed_api_key is not None else ""
    if not (key.isascii() and (key + "-").isprintable()):
        raise SettingsError(f"{PREFIX}EMBED_API_KEY has characters that no HTTP header can carry")
    return key


def _client(base_url: str, key: str, seconds: float) -> openai.AsyncOpenAI:
    # given even when there is none: the SDK would send OPENAI_API_KEY of the environment to whoever is configured
    return openai.AsyncOpenAI(api_key=key or "none", base_url=base_url, timeout=seconds, max_retries=_RETRIES)


def _message(error: openai.APIStatusError) -> str:
    body: Any = error.body
    if isinstance(body, dict):
        body = body.get("message") or body.get("error") or body.get("detail") or body
    return str(body or error.response.text or error.message)


def _ordered(data: Any) -> list[list[Any]]:
    """The rows by their `index`; a server that sends none is taken to keep the order."""
    indexes = [entry.get("index", place) for place, entry in enumerate(data)]
    if sorted(indexes) != list(range(len(data))):
        raise ValueError("indexes")
    rows: list[list[Any]] = [[]] * len(data)
    for index, entry in zip(indexes, data, strict=True):
        rows[index] = entry["embedding"]
        if not isinstance(rows[index], list):
            raise TypeError("embedding")
    return rows


def _numbers(rows: Sequence[Sequence[Any]]) -> np.typing.NDArray[np.float64]:
    try:
        return np.array(rows, dtype=np.float64)
    except (TypeError, ValueError):
        return np.full((len(rows), 1), np.nan)


def _tokens(body: Any) -> int | None:
    usage = body.get("usage") or {}
    tokens = usage.get("prompt_tokens", usage.get("total_tokens"))
    return tokens if isinstance(tokens, int) and tokens >= 0 else None
