"""Any `/rerank` endpoint in the form of Cohere, Jina or Text Embeddings Inference (TEI)."""

import json
import math
import ssl
from collections.abc import Sequence
from typing import Any

import anyio
import httpx2
import structlog
from pydantic_core import from_json

from souvenir.config import PREFIX, RerankForm, Settings
from souvenir.embed.windows import readable
from souvenir.errors import SettingsError, Unavailable
from souvenir.types import JsonObject

log = structlog.get_logger(__name__)

_MAX_QUOTE = 500
_NOTHING = "."  # sent for a text with nothing to read in it, which some endpoints refuse
_MEND = {
    401: f"check {PREFIX}RERANK_API_KEY",
    403: f"check {PREFIX}RERANK_API_KEY",
    404: f"check {PREFIX}RERANK_URL and {PREFIX}RERANK_MODEL",
    400: f"check {PREFIX}RERANK_FORM and {PREFIX}RERANK_MODEL",
    422: f"check {PREFIX}RERANK_FORM and {PREFIX}RERANK_MODEL",
}


class EndpointReranker:
    """The endpoint of the settings. Its errors name the host and its status, never the key or what it was sent."""

    name = "endpoint"

    def __init__(self, settings: Settings) -> None:
        self._url = _url(settings)
        self._where = f"the rerank endpoint at {self._url.netloc.decode()}"
        self._model = settings.rerank_model
        self._form: RerankForm = settings.rerank_form
        self._seconds = settings.rerank_timeout_seconds
        self._key = _key(settings)
        self._client = httpx2.AsyncClient(headers=_headers(self._key), timeout=self._seconds, follow_redirects=True)

    async def rank(self, query: str, texts: Sequence[str]) -> Sequence[int]:
        """Positions in `texts` as the endpoint gave them, by falling score and else in their order. Raises Unavailable.

        One try: a search that waits for its order has an order already.
        """
        content = json.dumps(self._body(_sendable(query), [_sendable(text) for text in texts])).encode()
        try:
            response = await self._client.post(self._url, content=content)
        except httpx2.TimeoutException:
            raise Unavailable(f"{self._where} was silent for {self._seconds:g} s") from None
        except (httpx2.HTTPError, ssl.SSLError, anyio.EndOfStream) as error:
            raise Unavailable(f"{self._where} cannot be reached or broke off: {type(error).__name__}") from None
        if not response.is_success:
            raise self._refusal(response)
        try:
            return _ranking(from_json(response.content, allow_inf_nan=False))
        except (ValueError, TypeError, KeyError, OverflowError):
            raise Unavailable(f"{self._where} answered with something that is not a ranking") from None

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def _body(self, query: str, texts: list[str]) -> JsonObject:
        if self._form == "tei":
            return {"query": query, "texts": texts, "truncate": True}  # else one long text fails them all
        body: JsonObject = {"query": query, "documents": texts, "top_n": len(texts)}
        if self._model is not None:
            body["model"] = self._model
        if self._form == "jina":
            body["return_documents"] = False
        return body

    def _refusal(self, response: httpx2.Response) -> Unavailable:
        said = response.text.replace(self._key, "[secret]") if self._key else response.text
        # at this level only: a host may quote the passages it was sent
        log.debug("the rerank endpoint refused", status=response.status_code, said=said[:_MAX_QUOTE])
        mend = _MEND.get(response.status_code, "its words are logged at level debug")
        return Unavailable(f"{self._where} answered {response.status_code}: {mend}")


def _url(settings: Settings) -> httpx2.URL:
    if settings.rerank_url is None:
        raise SettingsError(f"a rerank endpoint needs {PREFIX}RERANK_URL")
    try:
        url = httpx2.URL(settings.rerank_url)
    except httpx2.InvalidURL as error:
        raise SettingsError(f"{PREFIX}RERANK_URL is not an address: {error}") from None
    if not url.host:
        raise SettingsError(f"{PREFIX}RERANK_URL names no host")
    return url


def _key(settings: Settings) -> str:
    key = settings.rerank_api_key.get_secret_value().strip() if settings.rerank_api_key is not None else ""
    if not (key.isascii() and (key + "-").isprintable()):
        raise SettingsError(f"{PREFIX}RERANK_API_KEY has characters that no HTTP header can carry")
    return key


def _headers(key: str) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    return headers | ({"Authorization": f"Bearer {key}"} if key else {})


def _sendable(text: str) -> str:
    return readable(text) if text.strip() else _NOTHING


def _ranking(answer: Any) -> list[int]:
    """Every endpoint of the three forms, and most that resemble them, answer in one of these two shapes."""
    rows = answer if isinstance(answer, list) else answer["results"]
    scored = [(_score(row), _index(row)) for row in rows]
    return [index for _, index in sorted(scored, key=lambda pair: (-pair[0], pair[1]))]


def _score(row: Any) -> float:
    score = row["relevance_score"] if "relevance_score" in row else row["score"]
    if isinstance(score, bool) or not math.isfinite(score):
        raise ValueError("score")
    return float(score)


def _index(row: Any) -> int:
    index = row["index"]
    if type(index) is not int:
        raise ValueError("index")
    return index
