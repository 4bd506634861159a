"""Any OpenAI-compatible endpoint as a Provider, through the official SDK's untyped calls so that no field is lost."""

import asyncio
import contextlib
import json
import os
import ssl
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

import anyio
import httpx2
import openai
from openai import AsyncOpenAI, AsyncStream, Omit

from souvenir.ambient import ambient_headers
from souvenir.config import ProviderSettings, Settings
from souvenir.errors import (
    BadInput,
    ProviderError,
    ProviderTimeout,
    ProviderUnreachable,
    ServiceError,
    SettingsError,
)
from souvenir.llm.port import ModelInfo
from souvenir.metrics import Metrics
from souvenir.types import JsonObject

_CHAT_PATH = "/chat/completions"
_STREAM_FIELDS = {"stream", "stream_options"}
_LIST_SECONDS = 10.0
_DRAIN_SECONDS = 0.25
_MAX_EVENT_BYTES = 64 * 1024 * 1024  # a generated image may be one event
_MAX_QUOTE = 500
_SHORTEST_SECRET = 8  # shorter is a word ("ollama", "none"), which must not be blotted out of every message

# The last two are what TLS failures look like that httpx2 does not map (https://github.com/pydantic/httpx2/issues/854).
_BROKEN = (openai.APIConnectionError, httpx2.RequestError, ssl.SSLError, anyio.EndOfStream)
_SILENT = (openai.APITimeoutError, httpx2.TimeoutException)


class OpenAIProvider:
    """One host, called by the name it is configured under. Errors carry the host's words, never its key."""

    def __init__(
        self,
        name: str,
        table: ProviderSettings,
        settings: Settings,
        metrics: Metrics,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        environ = os.environ if environ is None else environ
        key = _key(name, table, environ)
        self._name = name
        self._metrics = metrics
        self._secrets = [value for value in [key or "", *table.headers.values()] if len(value) >= _SHORTEST_SECRET]
        self._headers = _headers(name, key, table, environ)
        self._read_seconds = table.timeout_seconds or settings.llm_timeout_seconds
        self._connect_seconds = settings.llm_connect_seconds
        self._where = _where(name, table.base_url)
        self._client = AsyncOpenAI(
            base_url=table.base_url,
            api_key="unused",  # the SDK demands one; the header of each call carries the real one
            max_retries=settings.llm_max_retries,
            timeout=self._timeout(self._read_seconds),
            http_client=_Http(follow_redirects=True, limits=openai.DEFAULT_CONNECTION_LIMITS),
        )

    @property
    def name(self) -> str:
        """The name it is configured under."""
        return self._name

    async def complete(self, body: JsonObject) -> JsonObject:
        """A `chat.completion` object, as the host sent it."""
        started = time.perf_counter()
        with self._failures():
            content = _encode(_whole(body))
            response = await self._client.post(
                _CHAT_PATH, cast_to=httpx2.Response, content=content, options={"headers": self._headers}
            )
            answer = self._object(response)
        self._observe("whole", started)
        self._count(answer.get("usage"))
        return answer

    async def stream(self, body: JsonObject) -> AsyncGenerator[JsonObject, None]:
        """The chunks as the host sent them; the connection is closed as soon as nobody reads on."""
        started = time.perf_counter()
        usage: object = None
        first = True
        try:
            with self._failures():
                async with contextlib.aclosing(self._chunks(body)) as chunks:
                    async for chunk in chunks:
                        usage = chunk.get("usage") or usage
                        if first and _has_token(chunk):
                            self._observe("first_token", started)
                            first = False
                        yield chunk
            self._observe("whole", started)
        finally:
            self._count(usage)

    async def models(self) -> list[ModelInfo]:
        """What `GET /models` lists; a host that lacks it is a ProviderError with its own status."""
        with self._failures():
            response = await self._client.get(
                "/models",
                cast_to=httpx2.Response,
                # A listing answers at once or not at all, and somebody may be waiting for it to be sent to a model.
                options={
                    "headers": self._headers,
                    "timeout": self._timeout(min(self._read_seconds, _LIST_SECONDS)),
                    "max_retries": 0,
                },
            )
            listed = self._json(response)
        rows = listed.get("data") if isinstance(listed, dict) else listed
        found = [row for row in rows or [] if isinstance(row, dict) and isinstance(row.get("id"), str)]
        return [_model(row, self._name) for row in found]

    async def aclose(self) -> None:
        """Close the connections to the host."""
        await self._client.close()

    async def _chunks(self, body: JsonObject) -> AsyncGenerator[JsonObject, None]:
        """The SDK's own reader does not tell a stream's end from its being cut, so the events are read here."""
        async with self._open(body) as response:
            finished = False
            events = aiter(httpx2.EventSource(response, max_event_size=_MAX_EVENT_BYTES))
            async for event in events:
                if event.data.startswith("[DONE]"):
                    await _drain(events)
                    return
                if event.data:
                    chunk = self._chunk(event)
                    finished = finished or _is_last(chunk)
                    yield chunk
            if not finished:
                raise ProviderUnreachable(f"{self._where} broke off its answer")

    @contextlib.asynccontextmanager
    async def _open(self, body: JsonObject) -> AsyncIterator[httpx2.Response]:
        stream = await self._client.post(
            _CHAT_PATH,
            cast_to=object,
            content=_encode(body | {"stream": True}),
            options={"headers": self._headers},
            stream=True,
            stream_cls=AsyncStream[object],
        )
        try:
            await self._refuse_plain(stream.response)
            yield stream.response
        finally:
            await stream.response.aclose()

    def _chunk(self, event: httpx2.ServerSentEvent) -> JsonObject:
        try:
            chunk = event.json()
        except ValueError:
            raise ProviderUnreachable(f"{self._where} sent an event that is not JSON") from None
        if not isinstance(chunk, dict):
            raise ProviderUnreachable(f"{self._where} sent an event that is not a JSON object")
        if chunk.get("error") or event.event == "error":
            raise self._host_error(_status_in(chunk), chunk)
        return chunk

    async def _refuse_plain(self, response: httpx2.Response) -> None:
        """Some hosts answer a streaming call with 200 and an error object as plain JSON."""
        if "json" in response.headers.get("content-type", ""):
            await response.aread()
            self._object(response)
            raise ProviderUnreachable(f"{self._where} did not stream its answer")

    def _object(self, response: httpx2.Response) -> JsonObject:
        answer = self._json(response)
        if not isinstance(answer, dict):
            raise ProviderUnreachable(f"{self._where} answered with JSON that is not an object")
        if answer.get("error"):
            raise self._host_error(_status_in(answer), answer)
        return answer

    def _json(self, response: httpx2.Response) -> Any:
        try:
            return response.json()
        except ValueError:
            raise ProviderUnreachable(f"{self._where} answered with something that is not JSON") from None

    @contextlib.contextmanager
    def _failures(self) -> Iterator[None]:
        """Turn what the SDK and its HTTP client raise into our errors, and count them.

        Causes are dropped: an SDK error's text is the host's, and a host may quote the key it was given.
        """
        try:
            try:
                yield
            except openai.APIStatusError as error:
                told = self._host_error(error.status_code, _body(error), _phrase(error))
                told.retry_after = error.response.headers.get("retry-after")
                raise told from None
            except _SILENT as error:
                raise ProviderTimeout(self._silence(error)) from None
            except _BROKEN as error:
                raise ProviderUnreachable(self._clean(f"{self._where} {_reason(error)}")) from None
        except ServiceError as error:
            self._metrics.provider_errors.labels(self._name, _label(error)).inc()
            raise

    def _host_error(self, status: int, body: JsonObject | None, text: str = "") -> ProviderError:
        message = _message(body) or text or "no reason given"
        # A redirect that leads nowhere must not become the answer to our own caller.
        return ProviderError(self._name, status if status >= 400 else 502, self._clean(body), self._clean(message))

    def _silence(self, error: BaseException) -> str:
        if isinstance(error, httpx2.ConnectTimeout) or isinstance(error.__cause__, httpx2.ConnectTimeout):
            return f"{self._where} could not be connected to within {self._connect_seconds:g} s"
        return f"{self._where} was silent for {self._read_seconds:g} s"

    def _clean(self, value: Any) -> Any:
        """The value with every secret in it blotted out, in however deep a string."""
        if isinstance(value, dict):
            return {key: self._clean(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._clean(item) for item in value]
        if isinstance(value, str):
            for secret in self._secrets:
                value = value.replace(secret, "[secret]")
        return value

    def _timeout(self, read_seconds: float) -> httpx2.Timeout:
        return httpx2.Timeout(read_seconds, connect=self._connect_seconds)

    def _observe(self, kind: str, started: float) -> None:
        self._metrics.provider_seconds.labels(self._name, kind).observe(time.perf_counter() - started)

    def _count(self, usage: object) -> None:
        for kind in ("prompt", "completion"):
            tokens = usage.get(f"{kind}_tokens") if isinstance(usage, dict) else None
            if isinstance(tokens, int) and tokens > 0:
                self._metrics.provider_tokens.labels(self._name, kind).inc(tokens)


class _Http(httpx2.AsyncClient):
    """Keeps the SDK from trying again after a silence: the host may well be at work, and would do and bill it twice."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        try:
            return await super().send(request, **options)
        except httpx2.ReadTimeout as error:
            raise openai.APITimeoutError(request=request) from error


def _key(name: str, table: ProviderSettings, environ: Mapping[str, str]) -> str | None:
    if table.api_key is not None:
        return table.api_key.get_secret_value().strip() or None
    if table.api_key_env is None:
        return None
    key = environ.get(table.api_key_env, "").strip()
    if not key:
        raise SettingsError(f"providers.{name}.api_key_env names {table.api_key_env}, which is not set")
    return key


def _headers(name: str, key: str | None, table: ProviderSettings, environ: Mapping[str, str]) -> dict[str, str | Omit]:
    """The headers of every call; those that the SDK would add from OPENAI_* variables are left out."""
    for field, value in [("api_key", key or ""), *table.headers.items()]:
        if not f"{field}{value}".isascii() or not f"{field}{value}".isprintable():
            raise SettingsError(f"providers.{name}: {field} holds a character that an HTTP header cannot carry")
    authorization = f"Bearer {key}" if key else Omit()
    return {
        **ambient_headers(environ),
        "Content-Type": "application/json",
        "Authorization": authorization,
        **table.headers,
    }


def _where(name: str, base_url: str) -> str:
    """The provider's name and address, without a password that may be in it."""
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL as error:
        raise SettingsError(f"providers.{name}.base_url is not an address: {error}") from None
    if not url.host:
        raise SettingsError(f"providers.{name}.base_url names no host")
    return f"{name} ({url.scheme}://{url.netloc.decode()}{url.path})"


def _whole(body: JsonObject) -> JsonObject:
    """The request for a whole answer; one that asks for no stream stays as it is."""
    if not body.get("stream"):
        return body
    return {key: value for key, value in body.items() if key not in _STREAM_FIELDS}


def _encode(body: JsonObject) -> bytes:
    """ASCII, so that even half a surrogate pair gets through."""
    try:
        return json.dumps(body, allow_nan=False).encode()
    except ValueError:
        raise BadInput("", "the request holds a number that JSON does not have (NaN or Infinity)") from None


async def _drain(events: AsyncIterator[Any]) -> None:
    """Read to the end of the body, so that the connection can be used again; a host that lingers is not waited for."""
    with contextlib.suppress(TimeoutError, *_BROKEN, *_SILENT):
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in events:
                pass


def _has_token(chunk: JsonObject) -> bool:
    return any(_filled(choice.get("delta")) for choice in _choices(chunk))


def _filled(delta: object) -> bool:
    return isinstance(delta, dict) and any(value for key, value in delta.items() if key != "role")


def _is_last(chunk: JsonObject) -> bool:
    return any(choice.get("finish_reason") for choice in _choices(chunk))


def _choices(chunk: JsonObject) -> Iterable[JsonObject]:
    choices = chunk.get("choices")
    return [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []


def _model(row: JsonObject, provider: str) -> ModelInfo:
    created, owner = row.get("created"), row.get("owned_by")
    return ModelInfo(row["id"], str(owner or provider), created if isinstance(created, int) else 0)


def _body(error: openai.APIStatusError) -> JsonObject | None:
    try:
        whole = error.response.json()
    except ValueError:
        return None
    return whole if isinstance(whole, dict) else None


def _phrase(error: openai.APIStatusError) -> str:
    return error.response.text.strip()[:_MAX_QUOTE] or error.response.reason_phrase


def _message(body: JsonObject | None) -> str:
    """The sentence in an error body; hosts disagree on where it is."""
    found: object = body
    for key in ("error", "message", "detail"):
        if isinstance(found, dict) and found.get(key):
            found = found[key]
    return found[:_MAX_QUOTE] if isinstance(found, str) else ""


def _status_in(body: JsonObject) -> int:
    error = body.get("error")
    code = error.get("code") if isinstance(error, dict) else body.get("code")
    return code if isinstance(code, int) and 400 <= code <= 599 else 502


def _reason(error: BaseException) -> str:
    cause = error.__cause__ or error
    what = "cannot be reached" if isinstance(cause, httpx2.ConnectError) else "broke off its answer"
    return f"{what}: {str(cause) or type(cause).__name__}"


def _label(error: ServiceError) -> str:
    if isinstance(error, ProviderError):
        return str(error.status)
    return "timeout" if isinstance(error, ProviderTimeout) else "unreachable"
