"""A running server as `souvenir chat` calls it: over HTTP, in the name of one user, never past its routes."""

import ssl
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx2
from pydantic import BaseModel, ValidationError

from souvenir.api import memory_schemas as schemas
from souvenir.config import Settings, is_loopback
from souvenir.errors import BadInput, NotFound, RequestError, ServiceError, StartError, Unauthenticated
from souvenir.identity.caller import USER_HEADER
from souvenir.types import JsonObject, is_name

Model = TypeVar("Model", bound=BaseModel)

_SECONDS = 30.0
_SILENCE_SECONDS = 60.0  # the server says that it is still there far more often
_BROKEN = (httpx2.RequestError, ssl.SSLError)
_LAST = {"done", "error"}
_NO_KEY = "the server takes no key or another one: put yours into SOUVENIR_API_KEY (souvenir keys create --user NAME)"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened in an answer."""

    name: str
    data: JsonObject


class ChatClient:
    """The routes that a chat needs. Raises StartError when no server answers, else what the server says."""

    def __init__(self, url: str, key: str | None = None, user: str | None = None) -> None:
        headers = {b"authorization": f"Bearer {key}".encode()} if key else {}
        if user is not None:
            headers[USER_HEADER.encode()] = user.encode()
        self.url = url
        self._http = httpx2.Client(
            base_url=url,
            headers=headers,
            timeout=_SECONDS,
            # a proxy cannot reach this machine itself
            trust_env=not is_loopback(httpx2.URL(url).host),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.close()

    def whoami(self) -> str | None:
        """The user whom the server sees in us. Raises StartError when what answers is no Souvenir."""
        try:
            user: str | None = self._call("GET", "/whoami")["user_id"]
        except (NotFound, KeyError):
            raise self._stranger() from None
        return user

    def say(self, thread: str, message: JsonObject) -> Generator[Event, None, None]:
        """The events of an answer. When the connection drops, it is taken up once more after the last event seen."""
        path = f"/threads/{quote(thread, safe='')}/messages/stream"
        timeout = httpx2.Timeout(_SECONDS, read=_SILENCE_SECONDS)
        request = self._http.build_request("POST", path, json=message, timeout=timeout)
        seen = ""
        for _ in range(2):
            try:
                for event in self._events(request):
                    seen = event.id
                    yield Event(event.event, self._data(event))
                    if event.event in _LAST:
                        return
            except httpx2.ConnectError:
                raise self._nobody() from None
            except _BROKEN:
                pass
            if not seen:
                break
            request = self._http.build_request("GET", path, headers={"Last-Event-ID": seen}, timeout=timeout)
        raise ServiceError("the connection broke off before the answer was complete")

    def stop(self, thread: str) -> None:
        """Break off what is being answered in a thread."""
        self._call("POST", f"/threads/{quote(thread, safe='')}/stop")

    def memories(self, containing: str, limit: int) -> schemas.MemoryList:
        """What is remembered, newest first; only what contains the text if there is one."""
        only = {"q": containing} if containing else {}
        return self._read(schemas.MemoryList, "/memories", {"limit": str(limit), **only})

    def memory(self, memory_id: str) -> schemas.MemoryEntry | None:
        """One memory by its id."""
        try:
            return self._read(schemas.MemoryEntry, f"/memories/{quote(memory_id, safe='')}")
        except NotFound:
            return None

    def history(self, memory_id: str) -> schemas.MemoryHistory | None:
        """A memory's versions; None for what is not the user's own, or gone."""
        try:
            return self._read(schemas.MemoryHistory, f"/memories/{quote(memory_id, safe='')}/history")
        except NotFound:
            return None

    def forget(self, memory_id: str) -> None:
        """Forget a memory. Raises NotFound."""
        self._call("DELETE", f"/memories/{quote(memory_id, safe='')}")

    def _read(self, model: type[Model], path: str, params: dict[str, str] | None = None) -> Model:
        try:
            return model.model_validate(self._call("GET", path, params))
        except ValidationError:
            raise StartError(f"what answers at {self.url} is another version of Souvenir") from None

    def _call(self, method: str, path: str, params: dict[str, str] | None = None) -> JsonObject:
        try:
            response = self._http.request(method, path, params=params)
        except _BROKEN:
            raise self._nobody() from None
        self._refuse(response)
        try:
            return _object(response.json()) if response.content else {}
        except ValueError:
            raise self._stranger() from None

    def _events(self, request: httpx2.Request) -> Iterator[httpx2.ServerSentEvent]:
        response = self._http.send(request, stream=True)
        try:
            if response.is_error:
                response.read()
            self._refuse(response)
            yield from httpx2.EventSource(response)
        finally:
            response.close()

    def _data(self, event: httpx2.ServerSentEvent) -> JsonObject:
        try:
            return _object(event.json())
        except ValueError:
            raise self._stranger() from None

    def _refuse(self, response: httpx2.Response) -> None:
        if response.is_success:
            return
        detail = _detail(response)
        if response.status_code == 401:
            raise Unauthenticated(_NO_KEY)
        if response.status_code == 404:
            raise NotFound(detail)
        raise ServiceError(detail) if response.is_server_error else RequestError(detail)

    def _nobody(self) -> StartError:
        return StartError(f"no server answers at {self.url}; start one with: make run")

    def _stranger(self) -> StartError:
        return StartError(f"what answers at {self.url} is not Souvenir")


def address(url: str | None, settings: Settings) -> str:
    """Where the server is: as given, else where one with these settings listens. Raises BadInput."""
    if url is None:
        if settings.port == 0:
            raise BadInput("--url", "is needed: SOUVENIR_PORT=0 leaves open where the server is")
        host = settings.host if settings.host not in {"0.0.0.0", "::"} else "127.0.0.1"  # noqa: S104 - not bound here
        url = f"http://[{host}]:{settings.port}" if ":" in host else f"http://{host}:{settings.port}"
    try:
        parsed = httpx2.URL(url.strip())
    except httpx2.InvalidURL:
        parsed = httpx2.URL("")
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise BadInput("--url", "must be the server's address, such as http://127.0.0.1:5858")
    return str(parsed).rstrip("/").removesuffix("/v1")  # as OpenAI's clients are given it


def checked_user(user: str | None) -> str | None:
    """A user's name that can be one. Raises BadInput."""
    if user is not None and not is_name(user):
        raise BadInput("--user", "must be 1 to 255 characters, with no control characters or outer spaces")
    return user


def _object(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _detail(response: httpx2.Response) -> str:
    try:
        told = _object(response.json()).get("detail")
    except ValueError:
        told = None
    return str(told) if told else f"the server answered {response.status_code} {response.reason_phrase}".rstrip()
