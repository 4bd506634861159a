"""One user's view of indexing and search over HTTP, for the tests of both."""

import uuid
from collections.abc import Mapping
from typing import Any, Self

import httpx2


class Memory:
    """Calls the routes; without a user it is somebody nobody else is, where the server lets the header name users."""

    def __init__(self, url: str, user: str | None = None, headers: Mapping[str, str] | None = None) -> None:
        self.user = user or f"user-{uuid.uuid4()}"
        named = {"x-openwebui-user-id": self.user} if headers is None else headers
        self.client = httpx2.Client(base_url=url, headers=dict(named), timeout=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def post(self, path: str, **body: Any) -> httpx2.Response:
        return self.client.post(path, json=body)

    def say(self, content: str, chat_id: str = "chat", role: str = "user", **more: Any) -> str:
        """Store a message; returns its id."""
        answer = self.post("/index-chat-message", chat_id=chat_id, role=role, content=content, **more)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["message_id"])

    def say_all(self, messages: list[dict[str, Any]], **more: Any) -> list[str]:
        answer = self.post("/index-chat-messages", messages=messages, **more)
        assert answer.status_code == 200, answer.text
        return [entry["message_id"] for entry in answer.json()["messages"]]

    def answer(self, query: str, **more: Any) -> dict[str, Any]:
        answer = self.post("/search", query=query, **more)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def hits(self, query: str, **more: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.answer(query, **more)["hits"]
        return found

    def everything(self, query: str = "anything", **more: Any) -> set[str]:
        """The texts of all that passes the filters, whatever its score."""
        return {hit["text"] for hit in self.hits(query, threshold=0, limit=100, **more)}


def message(content: str, chat_id: str = "chat", role: str = "user", **more: Any) -> dict[str, Any]:
    return {"chat_id": chat_id, "role": role, "content": content, **more}
