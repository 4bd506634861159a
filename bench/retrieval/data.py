"""The evaluation files as conversations of dated messages and questions that name the messages which answer them."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

SHARED = Path(__file__).parents[3] / "shared" / "data"
LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}

Role = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class Item:
    """One message, or one fact; `id` is the data set's own."""

    id: str
    role: Role
    speaker: str | None
    text: str
    at: datetime

    @property
    def said(self) -> str:
        """The text with its speaker before it, for those who have no other place for the name."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the ids of the messages that answer it; without any it counts for nothing but abstention."""

    text: str
    category: str
    evidence: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said, and what is asked about it."""

    name: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]

    @property
    def answerable(self) -> tuple[Question, ...]:
        """The questions that have evidence."""
        return tuple(question for question in self.questions if question.evidence)


def locomo(folder: Path = SHARED) -> list[Conversation]:
    """The five LoCoMo conversations."""
    return [_locomo_conversation(sample) for sample in _read(folder / "locomo" / "locomo_dev.json")]


def beam(folder: Path = SHARED) -> list[Conversation]:
    """The five BEAM chats of about 100K tokens."""
    return [_beam_conversation(chat) for chat in _read(folder / "beam" / "beam_100k_dev.json")]


def facts(folder: Path = SHARED, kind: Literal["sh", "mh"] = "sh") -> Conversation:
    """FactConsolidation: numbered facts, a later one overriding an earlier one, a minute apart."""
    sets = _read(folder / "fact_consolidation" / "fact_consolidation_dev.json")
    return _facts_conversation(next(entry for entry in sets if f"_{kind}_" in entry["source"]))


def _read(path: Path) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def _locomo_conversation(sample: Mapping[str, Any]) -> Conversation:
    spoken = sample["conversation"]
    # a date without its session happens; a session without its date does not
    sessions = sorted(int(name[8:]) for name in spoken if re.fullmatch(r"session_\d+", name))
    items: list[Item] = []
    for number in sessions:
        began = locomo_date(spoken[f"session_{number}_date_time"])
        for place, turn in enumerate(spoken[f"session_{number}"]):
            at = began + timedelta(seconds=place)
            items.append(Item(turn["dia_id"], "user", turn["speaker"], _with_caption(turn), at))
    questions = tuple(
        Question(qa["question"], LOCOMO_CATEGORIES[qa["category"]], evidence_ids(qa.get("evidence", [])))
        for qa in sample["qa"]
    )
    return Conversation(sample["sample_id"], tuple(items), questions)


def _with_caption(turn: Mapping[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [image: {caption}]" if caption else turn["text"]


def evidence_ids(entries: Iterable[str]) -> tuple[str, ...]:
    """The turns an evidence list names, each once: an entry may hold several ids, or one mistyped as `D:11:26`."""
    found = [match for entry in entries for match in re.findall(r"D:?(\d+):(\d+)", entry)]
    return tuple(dict.fromkeys(f"D{session}:{turn}" for session, turn in found))


def locomo_date(text: str) -> datetime:
    """A session's date, such as `1:56 pm on 8 May, 2023`."""
    return datetime.strptime(text.upper(), "%I:%M %p ON %d %B, %Y").replace(tzinfo=UTC)


def _beam_conversation(chat: Mapping[str, Any]) -> Conversation:
    items: list[Item] = []
    places: dict[int, int] = {}
    for message in chat["messages"]:
        place = places[message["session"]] = places.get(message["session"], -1) + 1
        at = beam_date(message["date"]) + timedelta(seconds=place)
        items.append(Item(str(message["id"]), message["role"], None, message["content"], at))
    questions = tuple(
        Question(
            entry["question"],
            entry["ability"].replace("_", " "),
            tuple(dict.fromkeys(str(number) for number in entry["evidence"])),
        )
        for entry in chat["questions"]
    )
    return Conversation(f"beam-{chat['chat']}", tuple(items), questions)


def beam_date(text: str) -> datetime:
    """A session's date, such as `March-15-2024`."""
    return datetime.strptime(text, "%B-%d-%Y").replace(tzinfo=UTC)


def _facts_conversation(entry: Mapping[str, Any]) -> Conversation:
    numbered = re.findall(r"^(\d+)\. (.+)$", entry["context"], re.MULTILINE)
    began = datetime(2024, 1, 1, tzinfo=UTC)
    items = tuple(
        Item(number, "user", None, text.strip(), began + timedelta(minutes=int(number))) for number, text in numbered
    )
    questions = tuple(
        Question(text, "newest fact", answers=tuple(answers))
        for text, answers in zip(entry["questions"], entry["answers"], strict=True)
    )
    return Conversation(entry["source"], items, questions)
