"""Who answers a request: the model that was asked for, or one chosen by rules, and who takes over if it fails."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from souvenir.chat.intents import intents_of
from souvenir.chat.tokens import bytes_of
from souvenir.config import Settings
from souvenir.errors import BadInput, ServiceError
from souvenir.llm.port import Provider
from souvenir.llm.providers import DEFAULT_MODEL, Providers, Resolved
from souvenir.routing_rules import Intent, OrgRules
from souvenir.types import JsonObject

ASKED_FOR, BY_DEFAULT, NEXT = "asked for", "the default", "the next in line"

_BYTES_PER_TOKEN = 4
_IMAGES = {"image_url", "input_image"}
_REASONS: dict[Intent, str] = {
    "images": "it has pictures",
    "long_context": "it is long",
    "code": "it is about code",
    "reasoning": "it needs reasoning",
    "factual_current": "it asks for facts that a search finds",
    "creative": "it is creative",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the choice depends on: the model as the client named it, the last message, and the size of the whole."""

    model: str | None
    text: str
    has_images: bool = False
    tokens: int = 0
    org: str | None = None

    @classmethod
    def of(cls, body: JsonObject, text: str, messages: Sequence[JsonObject], org: str | None = None) -> "Asked":
        """Read from a request: its model, whether any of its messages has a picture, and roughly how long they are."""
        model = body.get("model")
        return cls(
            model=model if isinstance(model, str) else None,
            text=text,
            has_images=any(map(_has_images, messages)),
            tokens=sum(map(bytes_of, messages)) // _BYTES_PER_TOKEN,
            org=org,
        )


@dataclass(frozen=True, slots=True)
class Route:
    """A provider, the model's name as that host knows it, and why."""

    provider: Provider
    model: str
    reason: str


class Router:
    """Chooses by the settings. It reads what is asked and changes nothing of it."""

    def __init__(self, settings: Settings, providers: Providers) -> None:
        self._rules = settings.routing
        self._long = settings.route_long_context_tokens
        self._fallback_named = settings.route_fallback_named
        self._providers = providers

    async def routes(self, asked: Asked) -> list[Route]:
        """The one to try first, then those to try when it fails before its first token; never empty.

        Only a model that is not configured is ever waited for, as its host has to be asked. Raises BadInput for a named
        one that is unknown. A default whose host does not answer makes room for the next in line, if there is one.
        """
        if asked.model and asked.model != DEFAULT_MODEL:
            named = _route(await self._providers.resolve(asked.model), ASKED_FOR)
            return _once([named, *self._next(asked)]) if self._fallback_named else [named]
        chosen = self._by_intent(asked)
        if chosen is not None:
            return _once([chosen, *self._next(asked)])
        try:
            return _once([await self._default(asked), *self._next(asked)])
        except (ServiceError, BadInput):
            others = _once(list(self._next(asked)))
            if not others:
                raise
            return others

    def _by_intent(self, asked: Asked) -> Route | None:
        """By the first intent that has a rule, the org's own before everybody's."""
        for intent in self._intents(asked):
            own: str | None = getattr(self._of_org(asked), intent, None)
            if own is not None:
                return self._exactly(own, f"{_REASONS[intent]}, and the org prefers this model")
            everybodys: str | None = getattr(self._rules, intent)
            if everybodys is not None:
                return self._exactly(everybodys, _REASONS[intent])
        return None

    def _intents(self, asked: Asked) -> Iterator[Intent]:
        """Pictures and length come first: they decide which model can answer at all."""
        if asked.has_images:
            yield "images"
        if asked.tokens >= self._long:
            yield "long_context"
        yield from intents_of(asked.text)

    async def _default(self, asked: Asked) -> Route:
        org = self._of_org(asked)
        if org is not None and org.default is not None:
            return self._exactly(org.default, "the org's default")
        return _route(await self._providers.resolve(DEFAULT_MODEL), BY_DEFAULT)

    def _next(self, asked: Asked) -> Iterator[Route]:
        """Those listed as fallbacks, the org's own before everybody's; with no such list the default and all others."""
        org = self._of_org(asked)
        listed = org.fallback if org is not None and org.fallback is not None else self._rules.fallback
        if listed is not None:
            yield from (self._exactly(model, NEXT) for model in listed)
            return
        if org is not None and org.default is not None:
            yield self._exactly(org.default, NEXT)
        for name in self._providers.names:
            found = self._providers.default_of(name)
            if found is not None:
                yield _route(found, NEXT)

    def _of_org(self, asked: Asked) -> OrgRules | None:
        return self._rules.orgs.get(asked.org) if asked.org is not None else None

    def _exactly(self, named: str, reason: str) -> Route:
        provider, _, model = named.partition("/")
        return _route(self._providers.exactly(provider, model), reason)


def _has_images(message: JsonObject) -> bool:
    content = message.get("content")
    parts = content if isinstance(content, list) else ()
    return any(isinstance(part, dict) and part.get("type") in _IMAGES for part in parts)


def _route(found: Resolved, reason: str) -> Route:
    return Route(found.provider, found.model, reason)


def _once(routes: list[Route]) -> list[Route]:
    """Each model at its first place only."""
    first: dict[tuple[str, str], Route] = {}
    for route in routes:
        first.setdefault((route.provider.name, route.model), route)
    return list(first.values())
