"""The evaluation files' traps: dates on sessions, captions, several ids in one string, sessions that are not there."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bench.retrieval import data

LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "session_10_date_time": "12:09 am on 1 June, 2023",
            "session_10": [{"speaker": "Bo", "dia_id": "D10:1", "text": "Later."}],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [
                {"speaker": "Ann", "dia_id": "D2:1", "text": "Hello!"},
                {"speaker": "Bo", "dia_id": "D2:2", "text": "Look.", "blip_caption": "a photo of a dog"},
            ],
            "session_11_date_time": "3:00 pm on 2 June, 2023",
        },
        "qa": [
            {"question": "Whose dog?", "category": 1, "evidence": ["D2:2; D10:1", "D2:2"]},
            {"question": "Why?", "category": 5, "evidence": []},
        ],
    }
]
BEAM = [
    {
        "chat": 7,
        "messages": [
            {"id": 0, "role": "user", "date": "March-15-2024", "session": 1, "content": "Plan it."},
            {"id": 1, "role": "assistant", "date": "March-15-2024", "session": 1, "content": "Done."},
            {"id": 2, "role": "user", "date": "April-05-2024", "session": 2, "content": "Again."},
        ],
        "questions": [{"ability": "event_ordering", "question": "What first?", "evidence": [2, 0]}],
    }
]
FACTS = [
    {
        "source": f"factconsolidation_{kind}_6k",
        "context": "Here is a list of facts:\n0. Ann lives in Rome.\n1. Ann lives in Oslo.",
        "questions": ["Where does Ann live?"],
        "answers": [["Oslo"]],
    }
    for kind in ("mh", "sh")
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files: dict[str, Any] = {
        "locomo/locomo_dev.json": LOCOMO,
        "beam/beam_100k_dev.json": BEAM,
        "fact_consolidation/fact_consolidation_dev.json": FACTS,
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(json.dumps(content))
    return tmp_path


def test_locomo_turns_come_in_the_order_of_sessions_a_second_apart(folder: Path) -> None:
    (conversation,) = data.locomo(folder)
    assert [item.id for item in conversation.items] == ["D2:1", "D2:2", "D10:1"]
    assert [item.at for item in conversation.items] == [
        datetime(2023, 5, 8, 13, 56, 0, tzinfo=UTC),
        datetime(2023, 5, 8, 13, 56, 1, tzinfo=UTC),
        datetime(2023, 6, 1, 0, 9, tzinfo=UTC),
    ]


def test_a_caption_is_part_of_the_turn(folder: Path) -> None:
    item = data.locomo(folder)[0].items[1]
    assert item.text == "Look. [image: a photo of a dog]"
    assert (item.role, item.speaker, item.said) == ("user", "Bo", f"Bo: {item.text}")


def test_evidence_names_every_turn_once_and_questions_without_it_are_not_answerable(folder: Path) -> None:
    (conversation,) = data.locomo(folder)
    assert [(one.category, one.evidence) for one in conversation.questions] == [
        ("multi-hop", ("D2:2", "D10:1")),
        ("adversarial", ()),
    ]
    assert conversation.answerable == conversation.questions[:1]


@pytest.mark.parametrize(
    ("entries", "ids"),
    [
        (["D:11:26"], ("D11:26",)),
        (["D8:6; D9:17"], ("D8:6", "D9:17")),
        (["D1:1 D1:2", "D1:2"], ("D1:1", "D1:2")),
    ],
)
def test_odd_evidence_is_read(entries: list[str], ids: tuple[str, ...]) -> None:
    assert data.evidence_ids(entries) == ids


def test_beam_keeps_roles_and_ids(folder: Path) -> None:
    (conversation,) = data.beam(folder)
    assert [(item.id, item.role, item.speaker) for item in conversation.items] == [
        ("0", "user", None),
        ("1", "assistant", None),
        ("2", "user", None),
    ]
    assert [item.at.isoformat() for item in conversation.items] == [
        "2024-03-15T00:00:00+00:00",
        "2024-03-15T00:00:01+00:00",
        "2024-04-05T00:00:00+00:00",
    ]
    assert conversation.questions == (data.Question("What first?", "event ordering", ("2", "0")),)


def test_facts_are_a_minute_apart(folder: Path) -> None:
    facts = data.facts(folder)
    assert [item.text for item in facts.items] == ["Ann lives in Rome.", "Ann lives in Oslo."]
    assert (facts.items[1].at - facts.items[0].at).total_seconds() == 60
    assert facts.questions[0].answers == ("Oslo",)
