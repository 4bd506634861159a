"""What the routes of facts take and give."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from souvenir.api.schemas import ChatId, Label, Moment, Text
from souvenir.stores.fact_ports import FactKind


class StoreRequest(BaseModel):
    """A fact to store."""

    model_config = ConfigDict(strict=True)

    topic: Annotated[Text, Field(max_length=200)] = Field(
        description="Any words; their spelling and number do not matter."
    )
    kind: FactKind = Field("ranked", description="`ranked`: one of a list, by its rank. `single`: the only one.")
    rank: int | None = Field(None, description="From 1 on; a ranked fact needs it, a single one has none.")
    value: Annotated[Text, Field(max_length=1000)] = Field(description="At most 1,000 characters.")
    chat_id: ChatId | None = Field(None, description="The chat it was said in; if not given, it is of no chat.")
    project_id: Label | None = Field(None, description="A project the caller belongs to; if not given, it is private.")
    source_message_id: Label | None = Field(None, description="The message it was said in.")
    created_at: Moment | None = Field(None, description="When it was said; now, if not given.")


class FactEntry(BaseModel):
    """A fact."""

    topic_key: str
    kind: FactKind
    rank: int | None
    value: str
    chat_id: str | None
    source_message_id: str | None
    created_at: datetime


class Stored(BaseModel):
    """What is stored now; `stored` is false when that was as new or newer, and nothing changed."""

    stored: bool
    fact: FactEntry


class FactList(BaseModel):
    """Facts by rank, a single one before them."""

    facts: list[FactEntry]


class TopicEntry(BaseModel):
    """A topic of a chat, how many facts it has, and when it was said last."""

    topic_key: str
    chat_id: str | None
    ranked: int
    single: int
    updated_at: datetime


class TopicList(BaseModel):
    """Topics, the one last said first."""

    topics: list[TopicEntry]
