"""A turn that goes wrong, seen from its client and read back afterwards, as a row of docs/failures.md."""

import json
import os
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

from souvenir.testing.openai_server import ScriptedOpenAI
from tests.acceptance.remembering import Memory
from tests.acceptance.test_threads import events
from tests.acceptance.test_turns import until

PAGE = Path(__file__).parents[2] / "docs" / "failures.md"
WRITES = os.environ.get("FAILURES") == "write"
COMMAND = "FAILURES=write .venv/bin/pytest -q tests/acceptance/test_turn_failures.py"

STREAMED, WHOLE, THREAD = "gateway, streamed", "gateway, whole", "thread"
FRONTS = (STREAMED, WHOLE, THREAD)
QUESTION = "Count for me, please"
COUNT = "one two three four five six"

_CHAT = "counting"
_GATEWAY, _THREADS = "/v1/chat/completions", "/threads/{}/messages/stream"
_HEAD = ["| failure | front | the client sees | kept |", "|---|---|---|---|"]


@dataclass(frozen=True, slots=True)
class Row:
    """One failure at one front."""

    failure: str
    front: str
    seen: str
    kept: str

    @property
    def line(self) -> str:
        return f"| {' | '.join(map(_cell, (self.failure, self.front, self.seen, self.kept)))} |"


class Client:
    """Asks one question over one of the fronts. `shows_memories` adds how many came with the answer."""

    def __init__(self, memory: Memory, front: str, *, shows_memories: bool = False) -> None:
        self.memory = memory
        self.front = front
        self._shows_memories = shows_memories
        self.chat_id = _CHAT

    def ask(self, text: str = QUESTION, thread: str = "new", before: Sequence[Any] = (), **more: Any) -> str:
        """What the client sees, in words."""
        if self.front == THREAD:
            return self._thread(text, thread)
        body = self._body(text, before, more)
        headers = {"x-openwebui-chat-id": _CHAT}
        if self.front == WHOLE:
            answer = self.memory.client.post(_GATEWAY, json=body, headers=headers)
            return self._whole(answer.json()) if answer.status_code == 200 else _refused(answer)
        with self.memory.client.stream("POST", _GATEWAY, json=body, headers=headers) as answer:
            answer.read()
        return self._streamed(answer) if answer.status_code == 200 else _refused(answer)

    def leave(self, host: ScriptedOpenAI, at: bytes | None) -> None:
        """Ask and hang up as soon as these bytes have come; with none, when the model has fallen silent."""
        thread = self.front == THREAD
        body = json.dumps({"content": QUESTION} if thread else self._body(QUESTION, (), {})).encode()
        url = urlsplit(str(self.memory.client.base_url))
        lines = [
            f"POST {_THREADS.format('new') if thread else _GATEWAY} HTTP/1.1", f"Host: {url.netloc}",
            "Content-Type: application/json", f"Content-Length: {len(body)}",
            f"x-openwebui-user-id: {self.memory.user}", f"x-openwebui-chat-id: {_CHAT}", "", "",
        ]  # fmt: skip
        with socket.create_connection((url.hostname or "", url.port or 0), timeout=20) as connection:
            connection.sendall("\r\n".join(lines).encode() + body)
            read = b""
            if at is None:
                host.wait_for_stalls(1)
            while at is not None and at not in read:
                more = connection.recv(65536)
                assert more, read
                read += more
        if thread:
            self._note_thread(read.decode())

    def kept(self, least: int = 0) -> str:
        """The chat once nothing is being written to it, and so many messages are there, in words. It is never half."""
        messages: list[dict[str, Any]] = []

        def settled() -> bool:
            found = self._messages()
            messages[:] = found or ()
            return (
                found is not None and len(messages) >= least and all(one["status"] != "streaming" for one in messages)
            )

        until(settled, 30)
        asked = [one for one in messages if one["role"] == "user"]
        assert [(one["content"], one["status"]) for one in asked] in ([], [(QUESTION, "complete")])
        assert len(messages) in (0, 2)
        assert all(one["partial_tool_calls"] == [] for one in messages)
        return "; ".join(map(_message, messages)) or "nothing"

    def row(self, failure: str, seen: str, least: int = 0) -> Row:
        """`least` so many messages are waited for."""
        return Row(failure, self.front, seen, self.kept(least))

    def left(self, failure: str) -> Row:
        """Of a client that saw no end; what is kept may come after it."""
        return Row(failure, self.front, "", self.kept(2))

    def _body(self, text: str, before: Sequence[Any], more: Mapping[str, Any]) -> dict[str, Any]:
        messages = [*before, {"role": "user", "content": text}]
        return {"model": "souvenir", "messages": messages, "stream": self.front == STREAMED, **more}

    def _messages(self) -> list[dict[str, Any]] | None:
        """The last two; None while the database does not answer."""
        answer = self.memory.client.get("/chats/messages", params={"chat_id": self.chat_id, "limit": 2})
        if answer.status_code == 503:
            return None
        assert answer.status_code in (200, 403), answer.text
        return list(reversed(answer.json()["messages"])) if answer.status_code == 200 else []

    def _whole(self, answer: dict[str, Any]) -> str:
        message = answer["choices"][0]["message"]
        return " ".join([*self._memories(answer["memories"]), *_calls(message), _quoted(message["content"])])

    def _streamed(self, answer: httpx2.Response) -> str:
        lines = [line.removeprefix("data: ") for line in answer.text.split("\n\n") if line]
        chunks = [json.loads(line) for line in lines if line != "[DONE]"]
        deltas = [one["choices"][0]["delta"] for one in chunks if one.get("choices")]
        words = "".join(delta.get("content") or "" for delta in deltas)
        called = [call for delta in deltas for call in delta.get("tool_calls") or () if call["function"].get("name")]
        failed = [f"error: {one['error']['message']}" for one in chunks if "error" in one]
        assert len(failed) + lines.count("[DONE]") == 1, "an end, or one error"
        memories = self._memories(chunks[0].get("memories", ()))
        return " ".join([*memories, *_calls({"tool_calls": called}), _quoted(words), *(failed or ["[DONE]"])])

    def _thread(self, text: str, thread: str) -> str:
        with self.memory.client.stream("POST", _THREADS.format(thread), json={"content": text}) as answer:
            found = list(events(answer)) if answer.status_code == 200 else []
            if not found:
                answer.read()
                return _refused(answer)
        self.chat_id = found[0][2]["thread_id"]
        assert [name for _, name, _ in found if name in {"done", "error"}] == [found[-1][1]], "an end, or one error"
        words = "".join(data["content"] for _, name, data in found if name == "delta")
        names = list(dict.fromkeys(name for _, name, _ in found))[:-1]
        shown = [_quoted(words) if name == "delta" else name for name in names]
        memories = self._memories(next((data["memories"] for _, name, data in found if name == "memory"), ()))
        _, name, last = found[-1]
        after = f" retry_after: {last['retry_after']}" if "retry_after" in last else ""
        end = f"error {last['status']}: {last['message']}{after}" if name == "error" else name
        return " ".join([*memories, *shown, end])

    def _memories(self, found: Sequence[Any]) -> list[str]:
        return [f"{len(found)} {'memory' if len(found) == 1 else 'memories'}:"] if self._shows_memories else []

    def _note_thread(self, read: str) -> None:
        found = re.search(r'"thread_id":"([^"]+)"', read)
        assert found is not None
        self.chat_id = found[1]


class Page:
    """docs/failures.md: compared with what happens, or written anew with `FAILURES=write`."""

    def __init__(self, sections: Mapping[str, Sequence[tuple[str, str]]]) -> None:
        self._sections = sections
        self._seen: dict[tuple[str, str], Row] = {}
        self._lines = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []

    def tells(self, row: Row) -> bool:
        """Whether the page has this row; when it is being written, it will."""
        self._seen[row.failure, row.front] = row
        return WRITES or row.line in self._lines

    def is_whole(self) -> bool:
        """Whether it has a row for every failure, in order, and no other."""
        told = [tuple(_cells(line)[:2]) for line in self._lines if line.startswith("| ") and line not in _HEAD]
        return WRITES or told == [pair for pairs in self._sections.values() for pair in pairs]

    def write(self) -> None:
        """With what this run has seen: all of it, when every test ran."""
        parts = [_INTRODUCTION]
        for title, pairs in self._sections.items():
            parts += [f"\n## {title}\n", *_HEAD, *(self._seen[pair].line for pair in pairs if pair in self._seen)]
        PAGE.write_text("\n".join([*parts, ""]), encoding="utf-8")


_INTRODUCTION = f"""# When something fails

<!-- Written by `{COMMAND}`; the same tests keep it true. -->

Every way a turn can go wrong that we could think of, injected: what the client saw, and what the chat held afterwards.
The answer comes, or one clear error. The question is kept once; the answer is kept as far as it came, and none stays
"streaming". "kept" shows the question's status, then the answer's words and status.

The model was told to say "{COUNT}". Where it says less, that is where it broke. `thread`, `memory`, `route`,
`usage`, `done` are the events of a thread; `[DONE]` ends a stream of the gateway. While the database is away nothing
can be kept, and the answer comes all the same; question and answer are kept when it is back. A process that is killed
leaves what it had kept; half a minute later the answer reads as an error (`tests/acceptance/test_answer_kills.py`)."""


def expect(page: Page, row: Row) -> None:
    """The page must tell what happened."""
    assert page.tells(row), f"docs/failures.md does not tell this; run `{COMMAND}` if it is right:\n{row.line}"


def combined(failures: Sequence[str], fronts: Sequence[str] = FRONTS) -> list[tuple[str, str]]:
    return [(failure, front) for failure in failures for front in fronts]


def _refused(answer: httpx2.Response) -> str:
    told = answer.json()
    message = told["error"]["message"] if "error" in told else told["detail"]
    after = answer.headers.get("retry-after")
    return f"{answer.status_code}: {message}" + (f" Retry-After: {after}" if after else "")


def _message(message: Mapping[str, Any]) -> str:
    if message["role"] == "user":
        return f"question {message['status']}"
    called = _calls({"tool_calls": message["tool_calls"]})
    error = f": {message['error']}" if message["error"] else ""
    return " ".join(["answer", *called, _quoted(message["content"]), message["status"] + error])


def _calls(message: Mapping[str, Any]) -> list[str]:
    return [f"calls {call.get('name') or call['function']['name']}" for call in message.get("tool_calls") or ()]


def _quoted(text: str | None) -> str:
    return f'"{text or ""}"'


def _cell(text: str) -> str:
    return re.sub(r"http://127\.0\.0\.1:\d+", "http://host", text).replace("|", "\\|").replace("\n", " ")


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
