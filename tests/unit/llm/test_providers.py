"""Which host a model's name leads to, over real HTTP."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from souvenir.config import ProviderSettings, Settings
from souvenir.errors import BadInput, ProviderError, ProviderUnreachable
from souvenir.llm.offline import OfflineProvider
from souvenir.llm.openai import OpenAIProvider
from souvenir.llm.providers import Providers
from souvenir.metrics import Metrics
from souvenir.testing.clock import ManualClock
from souvenir.testing.openai_server import HttpError, ScriptedOpenAI, Stall

pytestmark = pytest.mark.req("TURN-6")

NOBODY = "http://127.0.0.1:9/v1"


Start = Callable[..., ScriptedOpenAI]
Configure = Callable[..., Providers]


@pytest.fixture
def start() -> Iterator[Start]:
    with ExitStack() as stack:
        yield lambda *models: stack.enter_context(ScriptedOpenAI(models=models))


@pytest.fixture
async def configure(clock: ManualClock) -> AsyncIterator[Configure]:
    """Make Providers of tables given by name: a server, or a server and the table's other fields."""
    made: list[Providers] = []

    def make(**rows: Any) -> Providers:
        tables = {name: _table(row) for name, row in rows.items()}
        settings, metrics = Settings(llm_max_retries=0), Metrics()
        clients = {name: OpenAIProvider(name, table, settings, metrics, {}) for name, table in tables.items()}
        made.append(Providers(clients, tables, clock))
        return made[-1]

    yield make
    for providers in made:
        await providers.aclose()


def _table(row: Any) -> ProviderSettings:
    host, fields = row if isinstance(row, tuple) else (row, {})
    return ProviderSettings(base_url=host if isinstance(host, str) else host.base_url, **fields)


async def where(providers: Providers, model: str) -> tuple[str, str]:
    resolved = await providers.resolve(model)
    return resolved.provider.name, resolved.model


async def ids(providers: Providers) -> list[str]:
    return [info.id for info in await providers.list()]


async def test_a_configured_model_is_found_without_asking_anybody(start: Start, configure: Configure) -> None:
    one, two = start("x"), start("y")
    providers = configure(one=(one, {"models": ["a", "b"]}), two=(two, {"models": ["c"]}))
    assert await where(providers, "souvenir") == ("one", "a")
    assert await where(providers, "b") == ("one", "b")
    assert await where(providers, "c") == ("two", "c")
    assert await where(providers, "two/c") == ("two", "c")
    assert one.requests == two.requests == []


async def test_souvenir_is_the_first_model_the_host_lists_that_can_chat(start: Start, configure: Configure) -> None:
    server = start("nomic-embed-text:latest", "llama3:latest", "other")
    assert await where(configure(one=server), "souvenir") == ("one", "llama3:latest")


async def test_souvenir_without_any_model_says_what_to_do(start: Start, configure: Configure) -> None:
    server = start()
    with pytest.raises(BadInput, match="SOUVENIR_LLM_MODEL") as caught:
        await configure(one=server).resolve("souvenir")
    assert (caught.value.field, caught.value.code) == ("model", "model_not_found")
    server.script_models(HttpError(404))
    with pytest.raises(BadInput, match="one lists no models"):
        await configure(one=server).resolve("souvenir")


async def test_souvenir_on_a_host_that_fails_is_the_hosts_failure(start: Start, configure: Configure) -> None:
    with pytest.raises(ProviderUnreachable):
        await configure(one=NOBODY).resolve("souvenir")
    server = start("a")
    server.script_models(HttpError(401, "Wrong key."))
    with pytest.raises(ProviderError, match=r"Wrong key\."):
        await configure(one=server).resolve("souvenir")


async def test_a_listed_model_is_found_by_its_bare_name_and_by_prefix(start: Start, configure: Configure) -> None:
    providers = configure(one=start("a", "both"), two=start("b", "both"))
    assert await where(providers, "b") == ("two", "b")
    assert await where(providers, "both") == ("one", "both")
    assert await where(providers, "two/both") == ("two", "both")


async def test_a_prefix_counts_only_if_it_names_a_provider(start: Start, configure: Configure) -> None:
    router = start("meta-llama/llama-3", "local/odd")
    providers = configure(router=router, local=start("phi"))
    assert await where(providers, "meta-llama/llama-3") == ("router", "meta-llama/llama-3")
    assert await where(providers, "router/meta-llama/llama-3") == ("router", "meta-llama/llama-3")
    assert await where(providers, "local/odd") == ("router", "local/odd")
    assert await where(providers, "local/phi") == ("local", "phi")


async def test_a_configured_name_that_begins_like_a_prefix_is_itself(start: Start, configure: Configure) -> None:
    providers = configure(router=(start(), {"models": ["router/auto"], "unlisted_models": True}))
    assert await where(providers, "router/auto") == ("router", "router/auto")


@pytest.mark.parametrize(
    ("listed", "asked", "found"), [("llama3:latest", "llama3", "llama3:latest"), ("llama3", "llama3:latest", "llama3")]
)
async def test_the_latest_tag_may_be_left_out(
    start: Start, configure: Configure, listed: str, asked: str, found: str
) -> None:
    assert await where(configure(one=start(listed)), asked) == ("one", found)


async def test_an_unknown_model_is_told_with_the_known_ones(start: Start, configure: Configure) -> None:
    with pytest.raises(BadInput) as caught:
        await configure(one=start("a", "b")).resolve("nope")
    error = caught.value
    assert (error.field, error.code) == ("model", "model_not_found")
    assert error.message == "'nope' is unknown; known: souvenir, a, b"


async def test_a_long_list_of_known_models_is_cut(start: Start, configure: Configure) -> None:
    with pytest.raises(BadInput, match="and 81 more"):
        await configure(one=start(*(f"m{n}" for n in range(100)))).resolve("nope")


@pytest.mark.parametrize("model", ["", "/", "one/", "/a", "a/", "ONE/a"])
async def test_odd_names_are_unknown(start: Start, configure: Configure, model: str) -> None:
    with pytest.raises(BadInput):
        await configure(one=start("a")).resolve(model)


@pytest.mark.parametrize("trouble", [HttpError(404), HttpError(500), HttpError(200, body="what?")], ids=str)
async def test_a_default_host_that_cannot_list_is_sent_any_name(
    start: Start, configure: Configure, trouble: HttpError
) -> None:
    server = start()
    server.script_models(trouble)
    assert await where(configure(one=server), "org/any:thing") == ("one", "org/any:thing")


async def test_a_host_that_takes_unlisted_models_is_not_even_asked(start: Start, configure: Configure) -> None:
    server, other = start("a"), start("b")
    providers = configure(one=(server, {"unlisted_models": True}), two=(other, {"unlisted_models": True}))
    assert await where(providers, "any") == ("one", "any")
    assert await where(providers, "two/any") == ("two", "any")
    assert server.requests == other.requests == []


async def test_only_the_default_host_is_sent_an_unknown_bare_name(start: Start, configure: Configure) -> None:
    providers = configure(one=start("a"), two=NOBODY)
    assert await where(providers, "two/any") == ("two", "any")
    with pytest.raises(BadInput):
        await providers.resolve("any")


async def test_a_prefix_of_a_host_that_lists_does_not_lead_to_the_default(start: Start, configure: Configure) -> None:
    providers = configure(one=NOBODY, two=start("a"))
    with pytest.raises(BadInput):
        await providers.resolve("two/nope")


async def test_a_dead_default_host_does_not_hide_the_others(start: Start, configure: Configure) -> None:
    assert await where(configure(one=NOBODY, two=start("b")), "b") == ("two", "b")


async def test_a_miss_asks_again_but_not_more_often_than_every_ten_seconds(
    start: Start, configure: Configure, clock: ManualClock
) -> None:
    server = start("a")
    providers = configure(one=server)
    await providers.resolve("a")
    server.models.append("new")
    with pytest.raises(BadInput):
        await providers.resolve("new")
    assert len(server.requests) == 1
    clock.advance(seconds=10)
    assert await where(providers, "new") == ("one", "new")
    assert len(server.requests) == 2


async def test_a_listing_is_kept_five_minutes_and_renewed_in_the_background(
    start: Start, configure: Configure, clock: ManualClock
) -> None:
    server = start("a")
    providers = configure(one=server)
    await providers.resolve("a")
    clock.advance(minutes=4, seconds=59)
    await providers.resolve("a")
    assert await ids(providers) == ["souvenir", "a"]
    assert len(server.requests) == 1
    clock.advance(seconds=1)
    server.script_models(Stall("headers"))
    assert await where(providers, "a") == ("one", "a")
    await asyncio.to_thread(server.wait_for_requests, 2)


async def test_a_host_that_was_down_is_asked_again_soon(start: Start, configure: Configure, clock: ManualClock) -> None:
    server = start("a")
    server.script_models(HttpError(500))
    providers = configure(one=server)
    assert await ids(providers) == ["souvenir"]
    clock.advance(seconds=10)
    assert await ids(providers) == ["souvenir", "a"]


async def test_a_host_that_cannot_list_is_not_asked_again_soon(
    start: Start, configure: Configure, clock: ManualClock
) -> None:
    server = start("a")
    server.script_models(HttpError(404))
    providers = configure(one=server)
    await providers.resolve("x")
    clock.advance(minutes=4)
    await providers.resolve("x")
    assert len(server.requests) == 1


async def test_a_listing_that_fails_later_keeps_what_was_known(
    start: Start, configure: Configure, clock: ManualClock
) -> None:
    server = start("a")
    providers = configure(one=server)
    await providers.list()
    server.script_models(HttpError(500))
    clock.advance(minutes=5)
    assert await ids(providers) == ["souvenir", "a"]


async def test_calls_at_the_same_time_share_one_listing(start: Start, configure: Configure) -> None:
    server = start("a")
    server.script_models(Stall("headers"))
    providers = configure(one=server)
    calls = [asyncio.create_task(providers.resolve("a")) for _ in range(5)]
    await asyncio.to_thread(server.wait_for_stalls)
    calls[0].cancel()
    server.release()
    found = await asyncio.gather(*calls[1:])
    assert {resolved.model for resolved in found} == {"a"}
    assert len(server.requests) == 1


async def test_the_list_has_souvenir_first_and_bare_names_for_one_provider(start: Start, configure: Configure) -> None:
    providers = configure(one=(start("b", "a", "souvenir"), {"models": ["mine", "a"]}))
    assert await ids(providers) == ["souvenir", "mine", "a", "b"]


async def test_several_providers_are_listed_by_prefix_and_a_dead_one_by_what_is_configured(
    start: Start, configure: Configure
) -> None:
    providers = configure(one=start("a"), two=(NOBODY, {"models": ["mine"]}), three=NOBODY)
    assert await ids(providers) == ["souvenir", "one/a", "two/mine"]
    assert providers.names == ["one", "two", "three"]
    for listed in await ids(providers):
        await providers.resolve(listed)


async def test_the_default_is_the_first_table_whatever_the_order_of_the_providers(clock: ManualClock) -> None:
    offline = {name: OfflineProvider(clock, name) for name in ("one", "two")}
    tables = {name: ProviderSettings(base_url=NOBODY, models=("m",)) for name in ("two", "one")}
    assert await where(Providers(offline, tables, clock), "souvenir") == ("two", "m")


@pytest.mark.req("TURN-12")
async def test_the_offline_provider_alone_answers_to_souvenir_only(clock: ManualClock) -> None:
    providers = Providers({"offline": OfflineProvider(clock)}, {}, clock)
    assert await where(providers, "souvenir") == ("offline", "souvenir")
    assert await ids(providers) == ["souvenir"]
    assert (await providers.check("offline")).ok
    with pytest.raises(BadInput, match="known: souvenir"):
        await providers.resolve("gpt-4o")


def test_no_provider_at_all_is_a_mistake_of_the_program(clock: ManualClock) -> None:
    with pytest.raises(ValueError, match="offline"):
        Providers({}, {}, clock)


async def test_a_check_tells_how_it_went_and_never_raises(start: Start, configure: Configure) -> None:
    mute = start("a")
    providers = configure(good=(start("a", "b"), {"models": ["a", "gone"]}), mute=mute, dead=NOBODY)
    good = await providers.check("good")
    assert (good.ok, good.detail) == (True, "lists 2 models, but not gone")
    mute.script_models(HttpError(404), HttpError(401, "Wrong key."))
    assert (await providers.check("mute")).detail == "answers, but does not list its models"
    assert (await providers.check("mute")).detail == "mute answered 401: Wrong key."
    dead = await providers.check("dead")
    assert not dead.ok
    assert "cannot be reached" in dead.detail
    assert not (await providers.check("unheard-of")).ok


async def test_closing_gives_up_a_listing_that_hangs(start: Start, configure: Configure) -> None:
    server = start("a")
    server.script_models(Stall("headers"))
    providers = configure(one=server)
    task = asyncio.create_task(providers.list())
    await asyncio.to_thread(server.wait_for_stalls)
    await providers.aclose()
    await providers.aclose()
    with pytest.raises(asyncio.CancelledError):
        await task
    server.wait_for_disconnects()
