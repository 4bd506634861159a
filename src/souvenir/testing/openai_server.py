"""A scripted OpenAI-compatible server over real HTTP, for tests of anything that calls a chat or embedding endpoint.

    with ScriptedOpenAI(models=["small"]) as server:
        server.script("Hello.", HttpError(429, headers={"retry-after": "0"}), Reply("Bye.", fault=Stall("middle")))
        ...  # talk to server.base_url, then look at server.requests

Replies are used up in order by chat calls; when none is left, the last user message is echoed. A stalled reply goes on
after `server.release()` or ends when the client hangs up, so tests need no sleeps. The waiting methods block their
thread: in async code that has to go on meanwhile, call them with `asyncio.to_thread`.

`python -m souvenir.testing.openai_server --port 9999` runs it as a process that echoes.
"""

import argparse
import asyncio
import contextlib
import json
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from souvenir.api.listener import open_listener
from souvenir.testing.openai_replies import (
    Abort,
    BadVectors,
    Cut,
    ErrorEvent,
    Fault,
    Garble,
    HttpError,
    Place,
    Reply,
    Scripted,
    Stall,
    Step,
    ToolCall,
    echo,
    embeddings,
)
from souvenir.types import JsonObject

__all__ = [
    "Abort",
    "BadVectors",
    "Cut",
    "ErrorEvent",
    "Fault",
    "Garble",
    "HttpError",
    "Place",
    "Recorded",
    "Reply",
    "Scripted",
    "ScriptedOpenAI",
    "Stall",
    "ToolCall",
    "echo",
]

Outcome = Literal["running", "done", "disconnected", "aborted"]
Trouble = HttpError | Stall | Abort

_WAIT_SECONDS = 10.0
_CHAT_PATH = "/v1/chat/completions"


@dataclass(slots=True)
class Recorded:
    """One request as it came in, and how it ended: `disconnected` means the client hung up before the end."""

    method: str
    path: str
    client: tuple[str, int] | None
    headers: dict[str, str]
    body: Any
    outcome: Outcome = "running"


class ScriptedOpenAI:
    """The server; it listens on a loopback port inside `with`, once. Its public attributes may change while it runs.

    `models` are listed; with `strict_models` any other is 404. `refuse_response_format` answers a JSON schema with 400,
    as small local servers do. Vectors have `dimension` elements; a text over `max_input_chars` is 400.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        api_key: str | None = None,
        models: Iterable[str] = ("scripted",),
        strict_models: bool = False,
        refuse_response_format: bool = False,
        dimension: int = 8,
        max_input_chars: int | None = None,
        keep_requests: int = 10_000,
    ) -> None:
        self.api_key = api_key
        self.models = list(models)
        self.strict_models = strict_models
        self.refuse_response_format = refuse_response_format
        self.dimension = dimension
        self.max_input_chars = max_input_chars
        self.default: Callable[[JsonObject], Reply | HttpError] = echo
        self._changed = threading.Condition()
        self._requests: deque[Recorded] = deque(maxlen=keep_requests)
        self.reset()
        self._socket = open_listener("127.0.0.1", port)
        self._port = self._socket.getsockname()[1]
        self._server = _Server(self._app())
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), name="scripted-openai")

    @property
    def base_url(self) -> str:
        """What an OpenAI client takes as its base URL."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def requests(self) -> list[Recorded]:
        """Every request so far, oldest first."""
        return list(self._requests)

    @property
    def chats(self) -> list[Any]:
        """The bodies of the chat calls so far, oldest first."""
        return [request.body for request in self.requests if request.path == _CHAT_PATH]

    @property
    def disconnects(self) -> list[Recorded]:
        """The requests whose client hung up before the end."""
        return [request for request in self.requests if request.outcome == "disconnected"]

    def script(self, *replies: Scripted | str) -> None:
        """Queue answers to chat calls; a string is a plain text, a callable is given the request's body."""
        self._chat_script.extend(Reply(reply) if isinstance(reply, str) else reply for reply in replies)

    def script_models(self, *troubles: Trouble) -> None:
        """Queue failures of `GET /models`; when none is left it lists `models`."""
        self._models_script.extend(troubles)

    def script_embeddings(self, *troubles: Trouble | BadVectors) -> None:
        """Queue failures of `POST /embeddings`; when none is left it embeds."""
        self._embeddings_script.extend(troubles)

    def release(self) -> None:
        """Let one stalled reply go on: one that is stalled now, or else the next to stall."""
        self._server.call(self._permits.release)

    def reset(self) -> None:
        """Forget requests and scripts."""
        self._chat_script: deque[Scripted] = deque()
        self._models_script: deque[Trouble] = deque()
        self._embeddings_script: deque[Trouble | BadVectors] = deque()
        self._permits = asyncio.Semaphore(0)
        self._stalls = 0
        self._requests.clear()

    def wait_for_requests(self, count: int = 1, timeout: float = _WAIT_SECONDS) -> list[Recorded]:
        """Block until that many requests came in. Raises TimeoutError."""
        self._wait(lambda: len(self._requests) >= count, f"{count} requests", timeout)
        return self.requests

    def wait_for_stalls(self, count: int = 1, timeout: float = _WAIT_SECONDS) -> None:
        """Block until that many replies have stalled. Raises TimeoutError."""
        self._wait(lambda: self._stalls >= count, f"{count} stalled replies", timeout)

    def wait_for_disconnects(self, count: int = 1, timeout: float = _WAIT_SECONDS) -> list[Recorded]:
        """Block until that many clients hung up early. Raises TimeoutError."""
        self._wait(lambda: len(self.disconnects) >= count, f"{count} disconnects", timeout)
        return self.disconnects

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._server.ready.wait(_WAIT_SECONDS):
            raise RuntimeError("the scripted server did not start")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.call(self._server.stop.set)
        self._thread.join(_WAIT_SECONDS)
        self._socket.close()
        if self._thread.is_alive():
            raise RuntimeError("the scripted server did not stop")

    def _wait(self, reached: Callable[[], bool], what: str, timeout: float) -> None:
        with self._changed:
            if not self._changed.wait_for(reached, timeout):
                raise TimeoutError(f"waited {timeout} s for {what}")

    async def _stall(self) -> None:
        with self._changed:
            self._stalls += 1
            self._changed.notify_all()
        await self._permits.acquire()

    def _app(self) -> Starlette:
        routes = [
            Route(_CHAT_PATH, self._answer(self._chat), methods=["POST"]),
            Route("/v1/embeddings", self._answer(self._embeddings), methods=["POST"]),
            Route("/v1/models", self._answer(self._list_models), methods=["GET"]),
            Route("/v1/models/{name:path}", self._one_model, methods=["GET"]),
        ]
        return Starlette(routes=routes)

    def _answer(self, handle: Callable[[Any], "_Answer"]) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> "_Playing":
            content = await request.body()
            try:
                body = json.loads(content) if content else None
                answer = handle(body) if self._allowed(request) else _error(HttpError(401, "Incorrect API key."))
            except ValueError:
                body = content.decode(errors="replace")
                answer = _error(HttpError(400, "We could not parse the JSON body of your request."))
            return _Playing(self, self._record(request, body), answer)

        return endpoint

    def _allowed(self, request: Request) -> bool:
        return self.api_key is None or request.headers.get("authorization") == f"Bearer {self.api_key}"

    def _record(self, request: Request, body: Any) -> Recorded:
        recorded = Recorded(request.method, request.url.path, request.client, dict(request.headers), body)
        with self._changed:
            self._requests.append(recorded)
            self._changed.notify_all()
        return recorded

    def _finish(self, recorded: Recorded, outcome: Outcome) -> None:
        with self._changed:
            recorded.outcome = outcome
            self._changed.notify_all()

    def _chat(self, body: JsonObject) -> "_Answer":
        format_type = (body.get("response_format") or {}).get("type")
        if self.strict_models and body.get("model") not in self.models:
            return _error(_no_model(body.get("model")))
        if self.refuse_response_format and format_type == "json_schema":
            return _error(HttpError(400, "'response_format.type' must be 'text'.", param="response_format"))
        scripted = self._chat_script.popleft() if self._chat_script else self.default
        reply = scripted(body) if callable(scripted) else scripted
        if isinstance(reply, HttpError):
            return _error(reply)
        streams = bool(body.get("stream"))
        kind = reply.content_type or ("text/event-stream" if streams else "application/json")
        steps = reply.stream(body) if streams else reply.completion(body)
        return _Answer(steps, 200, ((b"content-type", kind.encode()),), reply.delay_seconds)

    async def _one_model(self, request: Request) -> "_Playing":
        name = request.path_params["name"]

        def found(_: None) -> "_Answer":
            if name not in self.models:
                return _error(_no_model(name))
            return _Answer([json.dumps(_model(name)).encode()])

        playing: _Playing = await self._answer(found)(request)
        return playing

    def _list_models(self, _: None) -> "_Answer":
        data = [_model(name) for name in self.models]
        trouble = self._models_script.popleft() if self._models_script else None
        return _troubled(trouble, {"object": "list", "data": data})

    def _embeddings(self, body: JsonObject) -> "_Answer":
        trouble = self._embeddings_script.popleft() if self._embeddings_script else None
        given = body.get("input", "")
        texts = [given] if isinstance(given, str) else [str(text) for text in given]
        if self.max_input_chars is not None and (longest := max(map(len, texts), default=0)) > self.max_input_chars:
            limit = f"This model's maximum context length is {self.max_input_chars} tokens"
            return _error(HttpError(400, f"{limit}, however you requested {longest} tokens. Reduce your prompt."))
        whole = embeddings(body, texts, self.dimension, trouble if isinstance(trouble, BadVectors) else None)
        return _troubled(None if isinstance(trouble, BadVectors) else trouble, whole)


@dataclass(frozen=True, slots=True)
class _Answer:
    steps: Sequence[Step]
    status: int = 200
    headers: Sequence[tuple[bytes, bytes]] = ((b"content-type", b"application/json"),)
    delay_seconds: float = 0.0


class _Playing:
    """Sends one answer step by step, and notes when the client hangs up before the last."""

    def __init__(self, server: ScriptedOpenAI, recorded: Recorded, answer: _Answer) -> None:
        self._server = server
        self._recorded = recorded
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        gone = asyncio.ensure_future(_hang_up(receive))
        play = asyncio.ensure_future(self._play(send))
        await asyncio.wait({gone, play}, return_when=asyncio.FIRST_COMPLETED)
        if not play.done():
            play.cancel()
            await asyncio.wait({play})
            self._server._finish(self._recorded, "disconnected")
        elif play.result():
            self._server._finish(self._recorded, "done")
            gone.cancel()
        else:
            self._server._finish(self._recorded, "aborted")
            self._server._server.hang_up(scope["client"])
            await gone

    async def _play(self, send: Send) -> bool:
        """Whether the answer was sent to its end, rather than aborted."""
        steps = deque(self._answer.steps)
        if isinstance(steps[0], Stall | Abort) and steps[0].at == "headers" and await self._abort(steps.popleft()):
            return False
        await send({"type": "http.response.start", "status": self._answer.status, "headers": self._answer.headers})
        for step in steps:
            if isinstance(step, bytes):
                await send({"type": "http.response.body", "body": step, "more_body": True})
                await asyncio.sleep(self._answer.delay_seconds)
            elif isinstance(step, Cut):
                break
            elif await self._abort(step):
                return False
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        return True

    async def _abort(self, step: Step) -> bool:
        if isinstance(step, Stall):
            await self._server._stall()
        return isinstance(step, Abort)


class _Server(uvicorn.Server):
    """uvicorn without its polling: it stops when told to, at once, whatever is still running."""

    def __init__(self, app: Starlette) -> None:
        quiet: dict[str, Any] = {"log_config": None, "access_log": False, "ws": "none", "lifespan": "off"}
        super().__init__(uvicorn.Config(app, proxy_headers=False, **quiet))
        self.ready = threading.Event()
        self.stop = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def main_loop(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.ready.set()
        await self.stop.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:  # noqa: ARG002 - uvicorn's signature
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        if self.server_state.tasks:
            await asyncio.wait(self.server_state.tasks, timeout=_WAIT_SECONDS / 2)

    def call(self, function: Callable[[], Any]) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function)

    def hang_up(self, client: tuple[str, int]) -> None:
        for connection in list(self.server_state.connections):
            if getattr(connection, "client", None) == tuple(client):
                connection.transport.close()


async def _hang_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _model(name: str) -> JsonObject:
    return {"id": name, "object": "model", "created": 1, "owned_by": "scripted"}


def _no_model(name: str | None) -> HttpError:
    message = f"The model `{name}` does not exist or you do not have access to it."
    return HttpError(404, message, code="model_not_found", param="model")


def _error(error: HttpError) -> _Answer:
    headers = {"content-type": "text/plain" if isinstance(error.body, str) else "application/json", **error.headers}
    coded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    return _Answer([error.content()], error.status, coded)


def _troubled(trouble: Trouble | None, whole: JsonObject) -> _Answer:
    content = json.dumps(whole).encode()
    if trouble is None:
        return _Answer([content])
    if isinstance(trouble, HttpError):
        return _error(trouble)
    half = len(content) // 2 if trouble.at == "middle" else 0
    return _Answer([content[:half], trouble, content[half:]] if half else [trouble, content])


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve echoes until interrupted; the address is the first line of the output."""
    parser = argparse.ArgumentParser(description="An OpenAI-compatible server that echoes.")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args(arguments)
    with ScriptedOpenAI(port=options.port, keep_requests=0) as server, contextlib.suppress(KeyboardInterrupt):
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
