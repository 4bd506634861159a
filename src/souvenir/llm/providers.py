"""Which provider serves which model: by configuration, by what each host lists, and `souvenir` for the default."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from souvenir.clock import Clock
from souvenir.config import ProviderSettings
from souvenir.errors import BadInput, ProviderError, ServiceError
from souvenir.llm.port import ModelInfo, Provider

DEFAULT_MODEL = "souvenir"

_STALE = timedelta(minutes=5)
_ASK_AGAIN = timedelta(seconds=10)
_LATEST = ":latest"  # Ollama lists `llama3:latest` and answers to `llama3`
_LACKS_LISTING = {404, 405, 501}
_NAMED_IN_ERROR = 20
_NOT_CHAT = ("embed", "rerank", "whisper", "tts", "dall-e", "moderation", "transcribe")


@dataclass(frozen=True, slots=True)
class Resolved:
    """Where a request goes: the provider, and the model's name as that host knows it."""

    provider: Provider
    model: str


@dataclass(frozen=True, slots=True)
class Check:
    """How asking a provider for its models went, in words for a person."""

    name: str
    ok: bool
    detail: str


class Providers:
    """All configured hosts, the default first. Resolving a configured model, or one listed before, asks nobody."""

    def __init__(self, providers: Mapping[str, Provider], tables: Mapping[str, ProviderSettings], clock: Clock) -> None:
        if not providers:
            raise ValueError("there must be a provider, if only the offline one")
        ordered = [name for name in tables if name in providers] or list(providers)
        self._catalogs = {name: _Catalog(name, providers[name], tables.get(name), clock) for name in ordered}
        self._default = self._catalogs[ordered[0]]

    @property
    def names(self) -> list[str]:
        """The providers' names, the default first."""
        return list(self._catalogs)

    async def resolve(self, model: str) -> Resolved:
        """The provider of a model: `souvenir`, `NAME/model` or a bare name. Raises BadInput for an unknown one."""
        if model == DEFAULT_MODEL:
            return Resolved(self._default.provider, await self._default.first())
        found = await self._route(model)
        if found is None:
            raise BadInput("model", f"{model!r} is unknown; known: {self._known()}", code="model_not_found")
        return found

    def exactly(self, name: str, model: str) -> Resolved:
        """A model of a configured provider, by the very name it is given; nobody is asked."""
        return Resolved(self._catalogs[name].provider, model)

    def default_of(self, name: str) -> Resolved | None:
        """A provider's own default model, as far as it is known; where it is not, it is asked for in the background."""
        catalog = self._catalogs[name]
        model = catalog.known_first()
        return None if model is None else Resolved(catalog.provider, model)

    async def list(self) -> list[ModelInfo]:
        """`souvenir`, then every model; with several providers each is `NAME/model`. A dead host fails nothing."""
        await asyncio.gather(*(catalog.refresh(_STALE) for catalog in self._catalogs.values()))
        return [ModelInfo(DEFAULT_MODEL, "souvenir"), *self._all()]

    async def check(self, name: str) -> Check:
        """Ask one provider for its models, now, and tell how it went."""
        if name not in self._catalogs:
            return Check(name, False, f"there is no provider of this name; there are: {', '.join(self.names)}")
        return await self._catalogs[name].check()

    async def aclose(self) -> None:
        """Close every provider. Calling it twice is fine."""
        for catalog in self._catalogs.values():
            await catalog.aclose()

    async def _route(self, model: str) -> Resolved | None:
        found = self._known_as(model)
        if found is not None:
            return found
        named, name = self._named(model)
        if named is not None:
            await named.refresh_unless_open()
            found = self._known_as(model)
            if found is not None or named.takes_any:
                return found or Resolved(named.provider, name)
        await asyncio.gather(*(catalog.refresh_unless_open() for catalog in self._catalogs.values()))
        found = self._known_as(model)
        if found is None and named is None and self._default.takes_any:
            return Resolved(self._default.provider, model)
        return found

    def _named(self, model: str) -> "tuple[_Catalog | None, str]":
        """A prefix counts only if it names a provider: many models' own names have a slash in them."""
        prefix, _, name = model.partition("/")
        return (self._catalogs.get(prefix), name) if name else (None, model)

    def _known_as(self, model: str) -> Resolved | None:
        """What is configured under this very name wins, then what the prefix says, then the first that lists it."""
        named, name = self._named(model)
        places = [(catalog, model, catalog.configured_as) for catalog in self._catalogs.values()]
        places += [(named, name, named.listed_as)] if named is not None else []
        places += [(catalog, model, catalog.listed_as) for catalog in self._catalogs.values()]
        for catalog, wanted, find in places:
            found = find(wanted)
            if found is not None:
                return Resolved(catalog.provider, found)
        return None

    def _all(self) -> Iterable[ModelInfo]:
        several = len(self._catalogs) > 1
        for catalog in self._catalogs.values():
            for info in catalog.models():
                if several:
                    yield ModelInfo(f"{catalog.name}/{info.id}", info.owned_by, info.created)
                elif info.id != DEFAULT_MODEL:
                    yield info

    def _known(self) -> str:
        names = [DEFAULT_MODEL, *(info.id for info in self._all())]
        more = len(names) - _NAMED_IN_ERROR
        return ", ".join(names[:_NAMED_IN_ERROR]) + (f" and {more} more" if more > 0 else "")


class _Catalog:
    """One provider's models: those configured, and those it listed when last asked."""

    def __init__(self, name: str, provider: Provider, table: ProviderSettings | None, clock: Clock) -> None:
        self.name = name
        self.provider = provider
        self.configured = table.models if table is not None else ()
        self.unlisted = table.unlisted_models if table is not None else False
        self._clock = clock
        self._listed: tuple[ModelInfo, ...] | None = None
        self._error: ServiceError | None = None
        self._asked: datetime | None = None
        self._asking: asyncio.Task[None] | None = None

    @property
    def takes_any(self) -> bool:
        """Whether a name it is not known to serve may be sent to it all the same."""
        return self.unlisted or self._listed is None

    async def first(self) -> str:
        """The model that stands for the provider."""
        if not self.configured and not self._listed:
            await self.refresh(_ASK_AGAIN)
        known = self.known_first()
        if known is not None:
            return known
        if self._error is not None and not self._cannot_list:
            raise self._error.with_traceback(None)
        raise BadInput("model", f"{self.name} lists no models: name one, or set SOUVENIR_LLM_MODEL", "model_not_found")

    def known_first(self) -> str | None:
        """The same, if it is known already; a host that was not asked lately is asked in the background."""
        if self.configured:
            return self.configured[0]
        if self._is_due(_STALE if self._listed else _ASK_AGAIN):
            self._ask()
        names = [info.id for info in self._listed or ()]
        chatty = (name for name in names if not any(word in name.lower() for word in _NOT_CHAT))
        return next(chatty, names[0] if names else None)

    def configured_as(self, name: str) -> str | None:
        """The model's name as it is configured, if it is."""
        return _match(name, self.configured)

    def listed_as(self, name: str) -> str | None:
        """The model's name as the host knows it, if it is configured or was listed."""
        self._refresh_soon()
        return self.configured_as(name) or _match(name, (info.id for info in self._listed or ()))

    def models(self) -> Iterable[ModelInfo]:
        """Those configured, then those listed besides."""
        listed = {info.id: info for info in self._listed or ()}
        own = {name: ModelInfo(name, self.name) for name in self.configured}
        return (own | listed).values()

    async def refresh(self, age: timedelta) -> None:
        """Ask the host, unless it was asked less than `age` ago; whoever comes meanwhile shares the one call."""
        if self._is_due(age):
            # Shielded: one caller that goes away must not take the answer from the others.
            await asyncio.shield(self._ask())

    async def refresh_unless_open(self) -> None:
        """Ask for a model that is missing; a host that is sent unlisted names too need not be waited for."""
        if not self.unlisted:
            await self.refresh(_ASK_AGAIN)

    async def check(self) -> Check:
        """Ask the host now, and tell how it went."""
        try:
            await self.refresh(timedelta(0))
        except Exception as error:  # noqa: BLE001 - `souvenir doctor` reports what it finds, whatever that is
            return Check(self.name, False, str(error) or type(error).__name__)
        if self._cannot_list:
            return Check(self.name, True, "answers, but does not list its models")
        if self._error is not None:
            return Check(self.name, False, str(self._error))
        names = [info.id for info in self._listed or ()]
        missing = [model for model in self.configured if _match(model, names) is None]
        but = f", but not {', '.join(missing)}" if missing else ""
        return Check(self.name, True, f"lists {len(names)} models{but}")

    async def aclose(self) -> None:
        """Close the provider, and give up asking it."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait({self._asking})
        await self.provider.aclose()

    @property
    def _cannot_list(self) -> bool:
        return isinstance(self._error, ProviderError) and self._error.status in _LACKS_LISTING

    def _refresh_soon(self) -> None:
        """Ask in the background for what was listed long ago: its models stay good until the answer comes."""
        if self._listed is not None and self._is_due(_STALE):
            self._ask()

    def _is_due(self, age: timedelta) -> bool:
        # A host that says it cannot list will not learn to within seconds; one that was down may be up again.
        if self._error is not None and age:
            age = _STALE if self._cannot_list else min(age, _ASK_AGAIN)
        return self._asked is None or self._clock.now() - self._asked >= age

    def _ask(self) -> asyncio.Task[None]:
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._list(), name=f"models of {self.name}")
        return self._asking

    async def _list(self) -> None:
        try:
            self._listed = tuple(await self.provider.models())
            self._error = None
        except ServiceError as error:
            self._error = error
        finally:
            self._asked = self._clock.now()


def _match(name: str, known: Iterable[str]) -> str | None:
    names = set(known)
    candidates = (name, name + _LATEST, name.removesuffix(_LATEST))
    return next((candidate for candidate in candidates if candidate in names), None)
