"""Rules for which model answers what, as souvenir.toml states them."""

from collections.abc import Iterator
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

Intent = Literal["images", "long_context", "code", "reasoning", "factual_current", "creative"]
INTENTS: tuple[Intent, ...] = get_args(Intent)


class RoutingRules(BaseModel):
    """Which model, as `PROVIDER/MODEL`, answers what."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    images: str | None = Field(None, description="Messages with pictures.")
    long_context: str | None = Field(None, description="Requests of at least `route_long_context_tokens`.")
    code: str | None = Field(None, description="Writing and mending code.")
    reasoning: str | None = Field(None, description="Mathematics, puzzles, decisions.")
    factual_current: str | None = Field(None, description="Facts, news, prices: for a model that searches.")
    creative: str | None = Field(None, description="Poems, stories, names.")
    fallback: tuple[str, ...] | None = Field(
        None, description="Who answers, in this order, when the chosen one fails. Unset: the other providers."
    )

    @model_validator(mode="before")
    @classmethod
    def _known(cls, rules: object) -> object:
        for name in rules if isinstance(rules, dict) else ():
            if name not in cls.model_fields:
                raise ValueError(f"{name!r} is no rule of routing; there are: {', '.join(cls.model_fields)}")
        return rules

    def named(self) -> Iterator[tuple[str, str]]:
        """Every model that is named, after the rule that names it."""
        for rule in type(self).model_fields:
            value = getattr(self, rule)
            models = (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ()
            yield from ((rule, model) for model in models)


class OrgRules(RoutingRules):
    """What an org prefers to the rules for everybody, a `[routing.orgs.NAME]` table."""

    default: str | None = Field(None, description="The org's default model. Unset: everybody's.")


class RoutingSettings(RoutingRules):
    """The rules for everybody, the `[routing]` table, and those of orgs."""

    orgs: dict[str, OrgRules] = Field(default_factory=dict, description="An org's own rules, by its name.")

    def named(self) -> Iterator[tuple[str, str]]:
        """Every model that is named, those of the orgs too."""
        yield from super().named()
        for org, rules in self.orgs.items():
            yield from ((f"orgs.{org}.{rule}", model) for rule, model in rules.named())
