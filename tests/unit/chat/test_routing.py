"""Which model answers: the one asked for, or one by rules of intent and org; and who is next when it fails."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from souvenir.chat.intents import intents_of
from souvenir.chat.routing import Asked, Route, Router
from souvenir.config import Settings, load_settings
from souvenir.errors import BadInput, ProviderUnreachable, SettingsError
from souvenir.llm.offline import OfflineProvider
from souvenir.llm.openai import OpenAIProvider
from souvenir.llm.providers import Providers
from souvenir.metrics import Metrics
from souvenir.testing.clock import ManualClock
from souvenir.testing.openai_server import ScriptedOpenAI

pytestmark = pytest.mark.req("TURN-6")

NOBODY = "http://127.0.0.1:9/v1"
INTENTS: dict[str | None, list[str]] = {
    "code": [
        "Write a Python function that reverses a linked list",
        "Why does this throw a TypeError: 'NoneType' object is not iterable?",
        "Fix the bug in my React component",
        "```js\nconst a = [1,2,3]\n```\nwhat does this do",
        "How do I sort a dict by value in python?",
        "SELECT name, count(*) FROM users GROUP BY name -- why is this slow?",
        "Refactor this class so that it is easier to test",
        "give me a regex for email addresses",
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nKeyError: 'x'",
        "how to undo the last git commit",
        "What's the difference between let and const in JavaScript?",
        "def add(a, b):\n    return a - b\nsomething is off here",
        "Schreib mir eine Python-Funktion, die Primzahlen findet",
        "Escribe un script en bash que borre archivos viejos",
        "用Python写一个快速排序函数",
        "docker compose up fails with exit code 137",
        "My unit tests pass locally but fail in CI, any idea?",
        'Convert this JSON to a TypeScript interface: {"id": 1, "name": "x"}',
        "How can I center a div with CSS?",
        "I get a segmentation fault when I free the pointer twice",
        "Explain what async/await does in C#",
        "write a sql query to get the second highest salary",
        "npm install keeps failing with ERESOLVE",
        "Can you review my pull request? It touches the auth middleware",
        "how do i parse dates in golang",
        "public static void main(String[] args) { System.out.println(1); }",
        "Wie kann ich in Java eine Liste sortieren?",
        "Comment faire une boucle for en Python ?",
    ],
    "reasoning": [
        "Prove that the square root of 2 is irrational",
        "If all bloops are razzies and all razzies are lazzies, are all bloops lazzies?",
        "Solve x^2 - 5x + 6 = 0",
        "What is 17 * 23?",
        "Think step by step: a train leaves at 3pm travelling 60 mph...",
        "What are the pros and cons of renting versus buying?",
        "How many ways can 8 people sit around a round table?",
        "What's the probability of rolling two sixes in a row?",
        "Find the derivative of sin(x) * e^x",
        "Help me think through whether to take the job in Berlin",
        "Löse die Gleichung 3x + 7 = 22",
        "Calcula la integral de x al cuadrado",
        "Explain the trade-offs between these two strategies step by step",
        "Is 9991 a prime number?",
        "Alice is older than Bob, and Bob is older than Carol. Who is the youngest?",
        "Compute 15% of 240 plus 12",
        "What would follow logically if the premise were false?",
        "Derive the quadratic formula",
        "I have 12 balls and a scale; one is heavier. What's the minimum number of weighings?",
        "Evaluate the argument: every swan I saw is white so all swans are white",
        "What is the integral of 1/x from 1 to e?",
        "Beweise, dass es unendlich viele Primzahlen gibt",
        "Should I pay off my mortgage early or invest? Weigh the options carefully",
    ],
    "factual_current": [
        "Who is Donald Trump?",
        "Who are Donald Trump's children?",
        "What's the weather in Lisbon today?",
        "latest news about the ECB",
        "What is the price of Bitcoin right now?",
        "Who won the Champions League final?",
        "What is the capital of Australia?",
        "When does the next iPhone come out?",
        "Who is the CEO of OpenAI?",
        "How tall is the Eiffel Tower?",
        "What is the current exchange rate of the euro to the dollar?",
        "What happened in Ukraine this week?",
        "Wie ist das Wetter morgen in Berlin?",
        "¿Quién es el presidente de Argentina?",
        "Quelle est la population du Canada ?",
        "今天上海的天气怎么样?",
        "Search the web for opening hours of the Louvre",
        "Which country has won the most World Cups?",
        "What's the score of the Lakers game?",
        "Is it going to rain in Oslo tomorrow?",
        "How old is Taylor Swift?",
        "When was the Berlin Wall built?",
        "What are the newest features in iOS?",
        "Where is the headquarters of Nestlé?",
        "How much does a Tesla Model 3 cost?",
        "Any updates on the strike at Heathrow?",
        "Who wrote War and Peace?",
        "What time does the Apple event start?",
        "Wer ist der Bundeskanzler von Deutschland?",
        "Qui a gagné le Tour de France 2025 ?",
        "谁是现任美国总统?",
        "NVIDIA stock price",
    ],
    "creative": [
        "Write a poem about the sea",
        "Tell me a bedtime story about a dragon",
        "Come up with five names for my bakery",
        "Write a haiku",
        "Brainstorm some ideas for a birthday party",
        "Write lyrics for a country song about my truck",
        "Continue the story from where the knight enters the cave",
        "Make up a legend about a talking fox",
        "Write a wedding toast for my brother",
        "Schreib ein Gedicht über den Herbst",
        "Escribe un cuento corto sobre un gato",
        "Écris un poème sur la pluie",
        "写一首关于春天的诗",
        "Give me a catchy slogan for a coffee shop",
        "Write me a limerick about a cat from Peru",
        "Draft a short story set on Mars",
        "I need a funny caption for a photo of my dog",
        "Invent a new holiday and describe its traditions",
        "Pretend you are a pirate and greet me",
        "Suggest a title for my novel about lighthouses",
        "Compose a love letter in the style of Shakespeare",
        "Tell me a joke",
        "Erzähl mir eine Geschichte von einem Drachen",
        "Invente une histoire drôle pour les enfants",
    ],
    None: [
        "Hi, how are you?",
        "I moved to Lisbon last month",
        "What is my favorite color?",
        "Where do I live?",
        "Who is my sister?",
        "thanks!",
        "ok go on",
        "Summarize this for me please",
        "What did we talk about yesterday?",
        "My wife is Jane",
        "Remind me what I said about the trip",
        "Translate 'good morning' into French",
        "",
        "I saw a python at the zoo",
        "We spent two weeks on Java, the island",
        "I had a bad day at work today",
        "How should I answer this email from my boss?",
        "yes",
        "Give me a recipe for pancakes",
        "I love reading stories to my kids",
        "Good morning! I slept badly",
        "Do you remember where I parked?",
        "What's my dog's name?",
        "I started a new job at Siemens",
        "please make it shorter",
        "no, the other one",
        "When is my dentist appointment?",
        "Could you rephrase that more politely?",
        "I prefer tea over coffee",
        "Anna wants to go to the cinema on Friday",
        "what should i cook tonight",
        "I'm feeling a bit tired today",
        "Plan a weekend in Rome for us",
        "How do you say thank you in Japanese?",
        "Which of my friends likes jazz?",
        "Help me write an email to my landlord about the heating",
    ],
}
CODE, SMALL_TALK = "Write a Python function that reverses a list", "Good morning!"
THREE: dict[str, Any] = {
    "local": {"base_url": NOBODY, "models": ["llama3.2"]},
    "search": {"base_url": NOBODY, "models": ["sonar"]},
    "big": {"base_url": NOBODY, "models": ["large", "vision"]},
}
RULES: dict[str, Any] = {
    "code": "big/coder",
    "factual_current": "search/sonar",
    "images": "big/vision",
    "long_context": "big/meta/long",
}


@pytest.mark.parametrize(("text", "intent"), [(text, intent) for intent, texts in INTENTS.items() for text in texts])
def test_what_a_message_is_after_is_told_by_its_words(text: str, intent: str | None) -> None:
    assert next(iter(intents_of(text)), None) == intent


@pytest.mark.parametrize("text", ["x" * 100_000, "if all " * 15_000, "\n" * 100_000, "\ud800", "a" + " " * 100_000])
def test_any_text_is_read(text: str) -> None:
    assert list(intents_of(text)) == []


def test_of_a_long_message_both_ends_are_read() -> None:
    pasted = "Lorem ipsum dolor sit amet. " * 2_000
    assert intents_of(f"{pasted}\nFix the bug in this JavaScript code")[0] == "code"
    assert intents_of(f"Write a poem about this:\n{pasted}")[0] == "creative"


MakeRouter = Callable[..., Router]


@pytest.fixture
async def make_router(clock: ManualClock) -> AsyncIterator[MakeRouter]:
    made: list[Providers] = []

    def make(**given: Any) -> Router:
        settings = load_settings({}, llm_max_retries=0, **given)
        tables, metrics = settings.provider_tables(), Metrics()
        hosts = {name: OpenAIProvider(name, table, settings, metrics, {}) for name, table in tables.items()}
        made.append(Providers(hosts or {"offline": OfflineProvider(clock)}, tables, clock))
        return Router(settings, made[-1])

    yield make
    for providers in made:
        await providers.aclose()


def names(routes: list[Route]) -> list[str]:
    return [f"{route.provider.name}/{route.model}" for route in routes]


async def test_a_model_asked_for_by_name_is_used_and_nobody_takes_its_place(make_router: MakeRouter) -> None:
    router = make_router(providers=THREE, routing=RULES)
    routes = await router.routes(Asked("search/sonar", CODE))
    assert names(routes) == ["search/sonar"]
    assert routes[0].reason == "asked for"


async def test_others_take_the_place_of_a_named_model_only_where_a_setting_lets_them(make_router: MakeRouter) -> None:
    router = make_router(providers=THREE, routing=RULES, route_fallback_named=True)
    assert names(await router.routes(Asked("sonar", CODE))) == ["search/sonar", "local/llama3.2", "big/large"]


async def test_an_unknown_name_is_refused(make_router: MakeRouter) -> None:
    with ScriptedOpenAI(models=["llama3.2"]) as host:
        router = make_router(llm_base_url=host.base_url, routing={"code": "default/coder"}, route_fallback_named=True)
        with pytest.raises(BadInput, match="gpt-9"):
            await router.routes(Asked("gpt-9", CODE))


@pytest.mark.parametrize("model", [None, "", "souvenir"])
async def test_without_a_name_the_rule_for_the_intent_decides_and_says_why(
    make_router: MakeRouter, model: str | None
) -> None:
    router = make_router(providers=THREE, routing=RULES)
    routes = await router.routes(Asked(model, CODE))
    assert names(routes) == ["big/coder", "local/llama3.2", "search/sonar", "big/large"]
    assert [route.reason for route in routes] == ["it is about code", *["the next in line"] * 3]


async def test_what_no_rule_is_for_goes_to_the_default(make_router: MakeRouter) -> None:
    router = make_router(providers=THREE, routing=RULES, default_provider="search")
    for text in (SMALL_TALK, "Write a poem about the sea"):
        routes = await router.routes(Asked(None, text))
        assert names(routes) == ["search/sonar", "local/llama3.2", "big/large"]
        assert routes[0].reason == "the default"


async def test_pictures_and_length_come_before_words(make_router: MakeRouter) -> None:
    router = make_router(providers=THREE, routing=RULES, route_long_context_tokens=1000)
    assert names(await router.routes(Asked(None, CODE, has_images=True, tokens=5000)))[0] == "big/vision"
    assert names(await router.routes(Asked(None, CODE, tokens=1000)))[0] == "big/meta/long"
    assert names(await router.routes(Asked(None, CODE, tokens=999)))[0] == "big/coder"


async def test_an_org_has_preferences_of_its_own(make_router: MakeRouter) -> None:
    orgs = {"acme": {"code": "local/coder", "default": "big/large", "fallback": ["big/spare"]}, "other": {}}
    router = make_router(providers=THREE, routing=RULES | {"orgs": orgs})
    routes = await router.routes(Asked(None, CODE, org="acme"))
    assert names(routes) == ["local/coder", "big/spare"]
    assert "org prefers" in routes[0].reason
    assert names(await router.routes(Asked(None, SMALL_TALK, org="acme"))) == ["big/large", "big/spare"]
    assert names(await router.routes(Asked(None, "Who is Donald Trump?", org="acme")))[0] == "search/sonar"
    for org in ("other", "unheard of", None):
        assert names(await router.routes(Asked(None, CODE, org=org)))[0] == "big/coder"


async def test_fallbacks_are_those_listed_in_their_order_each_once(make_router: MakeRouter) -> None:
    listed = ["big/large", "local/llama3.2", "big/coder", "big/large"]
    router = make_router(providers=THREE, routing=RULES | {"fallback": listed})
    assert names(await router.routes(Asked(None, CODE))) == ["big/coder", "big/large", "local/llama3.2"]
    alone = make_router(providers=THREE, routing=RULES | {"fallback": []})
    assert names(await alone.routes(Asked(None, CODE))) == ["big/coder"]


async def test_a_default_whose_host_is_down_makes_room_for_the_next(make_router: MakeRouter) -> None:
    down = {"down": {"base_url": NOBODY}}
    assert names(await make_router(providers=down | THREE).routes(Asked(None, SMALL_TALK))) == [
        "local/llama3.2",
        "search/sonar",
        "big/large",
    ]
    with pytest.raises(ProviderUnreachable):
        await make_router(providers=down).routes(Asked(None, SMALL_TALK))


async def test_a_host_without_configured_models_is_in_line_once_it_has_listed_some(make_router: MakeRouter) -> None:
    with ScriptedOpenAI(models=["llama3.2:latest"]) as host:
        router = make_router(providers={"listed": {"base_url": host.base_url}} | THREE, default_provider="local")
        assert "listed/llama3.2:latest" not in names(await router.routes(Asked(None, SMALL_TALK)))
        await router.routes(Asked("listed/llama3.2", SMALL_TALK))
        assert names(await router.routes(Asked(None, SMALL_TALK)))[1] == "listed/llama3.2:latest"


async def test_with_no_provider_the_offline_one_answers(make_router: MakeRouter) -> None:
    assert names(await make_router().routes(Asked("souvenir", CODE))) == ["offline/souvenir"]


def test_a_request_is_read_for_its_model_pictures_and_length() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:,"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": "text", "text": "x" * 400}, picture]},
        {"role": "assistant", "content": None},
        {"role": "user", "content": "y" * 400},
    ]
    before = repr(messages)
    assert Asked.of({"model": "m"}, "y", messages, "acme") == Asked("m", "y", True, 200, "acme")
    assert Asked.of({"model": 7}, "y", messages[1:]) == Asked(None, "y", False, 100, None)
    assert repr(messages) == before


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('code = "opnai/gpt"', ["routing.code", "'opnai'", "local"]),
        ('code = "gpt"', ["routing.code", "'gpt'", "PROVIDER/MODEL"]),
        ('code = "local/"', ["routing.code", "PROVIDER/MODEL"]),
        ('coding = "local/x"', ["'coding'", "factual_current"]),
        ("code = 7", ["routing.code"]),
        ('fallback = ["local/x", "nobody/y"]', ["routing.fallback", "'nobody'"]),
        ('[routing.orgs.acme]\ncode = "nobody/y"', ["routing.orgs.acme.code", "'nobody'"]),
        ('[routing.orgs.acme]\ncoding = "local/y"', ["acme", "'coding'"]),
    ],
)
def test_a_wrong_rule_stops_the_start_with_a_line_that_names_it(tmp_path: Path, table: str, says: list[str]) -> None:
    file = tmp_path / "souvenir.toml"
    file.write_text(f'[providers.local]\nbase_url = "{NOBODY}"\n[routing]\n{table}\n')
    with pytest.raises(SettingsError) as error:
        load_settings({"SOUVENIR_CONFIG": str(file)})
    assert "\n" not in str(error.value)
    for words in says:
        assert words in str(error.value)


def test_rules_are_read_from_the_file(tmp_path: Path) -> None:
    file = tmp_path / "souvenir.toml"
    file.write_text(
        f'[providers.local]\nbase_url = "{NOBODY}"\ncontext_tokens = {{ "x" = 4096 }}\n'
        '[routing]\ncode = "local/x"\n[routing.orgs."Acme & Co"]\ndefault = "local/y"\n'
    )
    settings: Settings = load_settings({"SOUVENIR_CONFIG": str(file)})
    assert settings.routing.code == "local/x"
    assert settings.routing.orgs["Acme & Co"].default == "local/y"


def test_a_rule_needs_a_provider_and_no_variable_sets_one() -> None:
    with pytest.raises(SettingsError, match=r"routing\.code.*no chat endpoint is configured"):
        load_settings({}, routing={"code": "default/x"})
    with pytest.raises(SettingsError, match="table in souvenir"):
        load_settings({"SOUVENIR_ROUTING": "{}"})
    assert load_settings({}, llm_base_url=NOBODY, routing={"code": "default/x"}).routing.code == "default/x"
