"""Every setting: one name, one default, one line of documentation, checked before anything starts.

A setting `x` is `x` in `souvenir.toml` and `SOUVENIR_X` in the environment; the environment wins. Providers beyond the
first and routing are tables in the file. `docs/reference/settings.md` is generated from this module.
"""

import ipaddress
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails

from souvenir.errors import SettingsError
from souvenir.routing_rules import RoutingSettings
from souvenir.types import is_name

PREFIX = "SOUVENIR_"
CONFIG_VARIABLE = "SOUVENIR_CONFIG"
DEFAULT_FILE = "souvenir.toml"

AuthMode = Literal["none", "jwt", "keys"]
ChatEngineName = Literal["postgres", "dynamodb", "redis"]
LogFormat = Literal["auto", "json", "pretty"]
LogLevel = Literal["debug", "info", "warning", "error"]
Fusion = Literal["weighed", "rrf"]
RerankForm = Literal["cohere", "jina", "tei"]
RerankMode = Literal["off", "endpoint", "llm"]


ContextTokens = Annotated[int, Field(ge=256, le=100_000_000)]


class ProviderSettings(BaseModel):
    """One host of chat models, a `[providers.NAME]` table of souvenir.toml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    base_url: str = Field(description="The address that `/chat/completions` is appended to.")
    api_key: SecretStr | None = Field(None, description="Its key, if it wants one.")
    api_key_env: str | None = Field(None, description="The environment variable that holds the key instead.")
    models: tuple[str, ...] = Field(
        (), description="Model names it serves besides those it lists; the first is its default."
    )
    unlisted_models: bool = Field(False, description="Send it model names it does not list.")
    timeout_seconds: float | None = Field(None, gt=0, description="Overrides `llm_timeout_seconds`.")
    headers: dict[str, str] = Field(default_factory=dict, description="Extra HTTP headers for every call.")
    context_tokens: ContextTokens | dict[str, ContextTokens] | None = Field(
        None, description="Its models' context window, or a table of windows by model. Unset: `context_tokens`."
    )

    @field_validator("base_url")
    @classmethod
    def _is_http(cls, value: str) -> str:
        return _http_url(value)


def _http_url(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("must start with http:// or https://")
    return value.rstrip("/")


class Settings(BaseModel):
    """The program's settings, in the order of the reference table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # where it listens
    host: str = Field("127.0.0.1", description="Address to listen on. Beyond loopback `auth` must not be `none`.")
    port: int = Field(5858, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    trusted_hosts: tuple[str, ...] = Field(
        ("localhost", "127.0.0.1", "::1", "host.docker.internal"),
        description="Host headers accepted with `auth` = `none`, so that no web page reaches in by DNS rebinding.",
    )
    max_body_bytes: int = Field(33_554_432, ge=1024, description="Largest request body; beyond it is 413.")
    max_import_bytes: int = Field(
        1_073_741_824, ge=1024, description="Largest body of `POST /memories/import`; beyond it is 413."
    )
    max_message_chars: int = Field(1_000_000, ge=1, description="Longest text of one message; beyond it is 413.")
    shutdown_seconds: float = Field(30, ge=0, description="How long running requests and jobs may finish on shutdown.")

    # where it keeps things
    data_dir: Path = Field(
        default_factory=lambda: platformdirs.user_data_path("souvenir"),
        description="Folder of the embedded database and caches.",
    )
    database_url: SecretStr | None = Field(
        None, description="A Postgres with pgvector (`postgresql://…`). Unset: the embedded one in `data_dir`."
    )
    database_pool_size: int = Field(10, ge=3, le=1000, description="Most connections to the database per process.")
    database_timeout_seconds: float = Field(
        10, gt=0, description="How long to wait for a database connection, and for an answer of Redis or DynamoDB."
    )

    chat_store: ChatEngineName = Field(
        "postgres", description="Where chats are kept: `postgres`, `dynamodb` or `redis`."
    )
    redis_url: SecretStr = Field(
        SecretStr("redis://127.0.0.1:6379/0"), description="Redis for chats; a Cluster is found out by itself."
    )
    dynamodb_table_prefix: str = Field(
        "souvenir-", pattern=r"^[A-Za-z0-9_.-]{0,200}$", description="Before the table names `Chats` and `Messages`."
    )
    dynamodb_region: str | None = Field(None, description="AWS region. Unset: what the AWS configuration says.")
    dynamodb_endpoint_url: str | None = Field(None, description="A DynamoDB-compatible endpoint instead of AWS.")
    history_messages: int = Field(12, ge=1, le=1000, description="Newest messages of a chat that the model sees.")
    summary_chars: int = Field(2000, ge=200, le=20_000, description="Longest running summary of the older ones.")

    # who may call
    auth: AuthMode = Field("none", description="`none` (loopback only), `jwt` (JWTs and API keys) or `keys`.")
    default_user: str = Field("local", description="The user when `auth` is `none`; empty: anonymous.")
    jwt_secret: SecretStr | None = Field(None, description="HS256 secret of at least 32 bytes.")
    jwt_public_key_file: Path | None = Field(None, description="PEM public key for RS256 or ES256.")
    jwt_jwks_url: str | None = Field(None, description="Address of the identity provider's key set (JWKS).")
    jwt_audience: str | None = Field(None, description="Required `aud`; unset: not checked.")
    jwt_issuer: str | None = Field(None, description="Required `iss`; unset: not checked.")
    jwt_require_expiry: bool = Field(False, description="Refuse tokens that carry no `exp`.")
    jwt_leeway_seconds: float = Field(10, ge=0, le=600, description="Clock difference forgiven in `exp` and `nbf`.")
    jwt_orgs_claim: str = Field("orgs", description="Claim that lists the orgs a token's user belongs to.")
    jwt_projects_claim: str = Field("projects", description="Claim that lists the projects a token's user belongs to.")
    api_key: SecretStr | None = Field(None, description="The key that `souvenir chat` shows to the server it talks to.")

    # chat models
    llm_base_url: str | None = Field(None, description="An OpenAI-compatible chat endpoint. Unset: offline.")
    llm_api_key: SecretStr | None = Field(None, description="Its key.")
    llm_model: str | None = Field(None, min_length=1, description="What the model `souvenir` stands for there.")
    llm_timeout_seconds: float = Field(120, gt=0, description="Longest silence of a chat endpoint.")
    llm_connect_seconds: float = Field(5, gt=0, description="Longest wait for a connection to a chat endpoint.")
    llm_max_retries: int = Field(2, ge=0, le=10, description="Tries again before the first token.")
    providers: dict[str, ProviderSettings] = Field(
        default_factory=dict, description="More chat endpoints, as `[providers.NAME]` tables in souvenir.toml."
    )
    default_provider: str | None = Field(None, description="The provider of the model `souvenir`. Unset: the first.")
    context_tokens: ContextTokens = Field(
        8192, description="Context window of models whose provider's table says nothing of it."
    )
    routing: RoutingSettings = Field(
        default_factory=RoutingSettings,
        description="Which model answers what, as a `[routing]` table in souvenir.toml.",
    )
    route_long_context_tokens: int = Field(
        16_000, ge=1, description="Tokens of a request from which on the rule `long_context` is for it."
    )
    route_fallback_named: bool = Field(
        False, description="Let another model answer when the one that a client asked for by name fails."
    )

    # the embedder
    embed_base_url: str | None = Field(None, description="An OpenAI-compatible `/embeddings` endpoint. Unset: MiniLM.")
    embed_api_key: SecretStr | None = Field(None, description="Its key.")
    embed_model: str | None = Field(None, min_length=1, description="Its model. Required with `embed_base_url`.")
    embed_dimension: int | None = Field(
        None, ge=1, le=16_000, description="Ask the endpoint for vectors of this length. Unset: its own."
    )
    embed_max_tokens: int = Field(
        2048, ge=32, description="The endpoint's window; longer texts are read in several and averaged."
    )
    embed_batch_texts: int = Field(64, ge=1, le=2048, description="Most texts in one call to the model or endpoint.")
    embed_timeout_seconds: float = Field(30, gt=0, description="Longest wait for the embedding endpoint.")
    embed_queue_texts: int = Field(20_000, ge=1, description="Texts that may wait to be embedded; more is 503.")
    embed_threads: int = Field(0, ge=0, description="Threads of the built-in model; 0: one per core.")
    embed_cache_size: int = Field(10_000, ge=0, description="Single-text embeddings kept in memory (LRU).")
    weights_dir: Path | None = Field(None, description="Folder with MiniLM's model.safetensors and tokenizer.json.")

    # search
    search_threshold: float | None = Field(
        None, ge=0, le=1, description="A hit's score must exceed this; by default what was measured for the model."
    )
    search_fusion: Fusion = Field(
        "weighed", description="How words and meaning become one ranking: `weighed`, which measures best, or `rrf`."
    )
    search_embed_timeout_seconds: float = Field(
        2.0, gt=0, le=60, description="How long a search waits for its embedding before it goes on by words alone."
    )
    index_memory_mb: int = Field(
        1024, ge=16, description="Memory for the spaces a process holds, in MiB; the least recently used are let go."
    )
    index_largest_space: int = Field(
        200_000, ge=1000, description="Passages beyond which a space is searched by the database's own indexes."
    )
    # the reranker
    rerank: RerankMode = Field(
        "off", description="Who puts found passages in a better order: `off`, `endpoint`, or `llm` (a chat model)."
    )
    rerank_url: str | None = Field(None, description="The whole address of a `/rerank` route, for `endpoint`.")
    rerank_api_key: SecretStr | None = Field(None, description="Its key.")
    rerank_model: str | None = Field(
        None, min_length=1, description="The endpoint's model. For `llm` a chat model; unset: the default one."
    )
    rerank_form: RerankForm = Field(
        "cohere", description="How the endpoint wants to be asked: `cohere` (vLLM too), `jina` or `tei`."
    )
    rerank_timeout_seconds: float = Field(
        2, gt=0, description="Longest wait for a ranking; without one the order stays. `llm` may need more."
    )
    rerank_candidates: int = Field(30, ge=2, le=1000, description="How many of the best passages are reranked.")

    # memory
    memory_model: str | None = Field(
        None, min_length=1, description="The chat model that extracts and resolves memories; unset: the default one."
    )
    memory_min_importance: int = Field(7, ge=1, le=10, description="Least importance, of 10, that is remembered.")
    memory_min_confidence: float = Field(0.7, ge=0, le=1, description="Least confidence that is remembered.")
    memory_confidence_identity: float | None = Field(None, ge=0, le=1, description="The same for who somebody is.")
    memory_confidence_preference: float | None = Field(None, ge=0, le=1, description="The same for what they like.")
    memory_confidence_project: float | None = Field(None, ge=0, le=1, description="The same for what they work on.")
    memory_confidence_context: float | None = Field(None, ge=0, le=1, description="The same for their circumstances.")
    memory_confidence_relationship: float | None = Field(None, ge=0, le=1, description="The same for their people.")
    memory_keep_days: int = Field(
        90, ge=1, description="How long memories stay readable after they expired, were replaced or deleted."
    )
    memory_decay_days: float | None = Field(
        None, gt=0, le=36_500, description="Days after which a memory nobody uses counts half; unset: none fade."
    )
    global_memories_file: Path | None = Field(
        None, description="Sentences for users with fewer than 5 memories of their own, one a line, `#` for comments."
    )
    memory_tokens_per_day: int | None = Field(
        None, ge=0, description="Tokens a user's memory may cost per day; beyond it rules do the work. Unset: no cap."
    )

    # the turn
    system_prompt: str | None = Field(
        None, max_length=20_000, description="What the model is told first in every thread. Unset: nothing."
    )
    turn_stage_seconds: float = Field(
        3, gt=0, le=60, description="How long memory, rewriting and each other step before the model may take."
    )
    rewrite_model: str | None = Field(
        None, min_length=1, description="The chat model that resolves what questions refer to. Unset: rules do."
    )
    rewrite_seconds: float = Field(2, gt=0, le=60, description="How long that model may take before rules do it.")

    # files
    source_roots: tuple[Path, ...] = Field(
        (), description="Folders that sources may lie in, separated by commas. Unset: no folder can be a source."
    )
    source_max_file_mb: int = Field(50, ge=1, le=1000, description="Largest file that is read, in MiB.")
    source_read_seconds: float = Field(60, gt=0, le=3600, description="How long reading one file may take.")
    source_chunk_tokens: int = Field(
        240, ge=32, le=8192, description="Longest chunk of a file, in the embedder's tokens; MiniLM reads 254 at once."
    )
    source_chunk_overlap: int = Field(24, ge=0, le=512, description="Tokens that neighbouring chunks of prose share.")
    source_watch_ms: int = Field(
        500, ge=50, le=60_000, description="How long changes of watched files are collected before they are indexed."
    )

    # background work
    worker: bool = Field(True, description="Run a job worker inside `souvenir serve`.")
    worker_concurrency: int = Field(4, ge=1, le=64, description="Jobs that one worker runs at a time.")
    job_heartbeat_seconds: float = Field(
        5, ge=0.2, le=60, description="How often a worker says it lives; one silent for 4 times this loses its jobs."
    )
    job_max_attempts: int = Field(8, ge=1, le=100, description="Tries before a job is listed as failed.")
    job_keep_days: int = Field(14, ge=1, description="How long finished jobs and their keys are kept.")

    # what it says
    log_level: LogLevel = Field("info", description="Least serious message to log.")
    log_format: LogFormat = Field("auto", description="`json`, `pretty`, or `auto`: pretty on a terminal.")

    @field_validator("trusted_hosts", "source_roots", mode="before")
    @classmethod
    def _split_commas(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("data_dir", "weights_dir", "jwt_public_key_file", "global_memories_file")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        return value.expanduser().absolute() if value is not None else None

    @field_validator("source_roots")
    @classmethod
    def _all_absolute(cls, value: tuple[Path, ...]) -> tuple[Path, ...]:
        return tuple(path.expanduser().absolute() for path in value)

    @field_validator("llm_base_url", "embed_base_url", "rerank_url", "jwt_jwks_url", "dynamodb_endpoint_url")
    @classmethod
    def _is_http(cls, value: str | None) -> str | None:
        return _http_url(value) if value is not None else None

    @field_validator("database_url")
    @classmethod
    def _is_postgres(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().startswith(("postgresql://", "postgres://")):
            raise ValueError("must start with postgresql://")
        return value

    @field_validator("redis_url")
    @classmethod
    def _is_redis(cls, value: SecretStr) -> SecretStr:
        if not value.get_secret_value().startswith(("redis://", "rediss://", "unix://")):
            raise ValueError("must start with redis://, rediss:// or unix://")
        return value

    @field_validator("default_user")
    @classmethod
    def _is_user(cls, value: str) -> str:
        if value and not is_name(value):
            raise ValueError("must be at most 255 characters, with no control characters or outer spaces")
        return value

    @model_validator(mode="after")
    def _agree(self) -> Self:
        self._check_auth()
        self._check_models()
        self._check_rerank()
        return self

    def _check_auth(self) -> None:
        if self.auth == "none" and not is_loopback(self.host):
            raise ValueError(
                f"auth=none is only allowed on a loopback address, and host is {self.host}: "
                f"set {PREFIX}AUTH=jwt or keys, or {PREFIX}HOST=127.0.0.1"
            )
        sources = [self.jwt_secret, self.jwt_public_key_file, self.jwt_jwks_url]
        if self.auth == "jwt" and sum(source is not None for source in sources) != 1:
            raise ValueError(
                f"auth=jwt needs exactly one of {PREFIX}JWT_SECRET, {PREFIX}JWT_PUBLIC_KEY_FILE, {PREFIX}JWT_JWKS_URL"
            )
        if self.jwt_secret is not None and not self.jwt_secret.get_secret_value():
            raise ValueError(f"{PREFIX}JWT_SECRET is empty")

    def _check_models(self) -> None:
        if self.embed_base_url is not None and self.embed_model is None:
            raise ValueError(f"embed_base_url needs the model's name: set {PREFIX}EMBED_MODEL")
        if self.embed_base_url is None and (self.embed_model is not None or self.embed_dimension is not None):
            raise ValueError(f"embed_model and embed_dimension are an endpoint's: set {PREFIX}EMBED_BASE_URL")
        if self.llm_base_url is None and self.llm_model is not None and not self.providers:
            raise ValueError(f"llm_model needs a host to run on: set {PREFIX}LLM_BASE_URL")
        for name in self.providers:
            if not name.replace("-", "").replace("_", "").isalnum() or name in {"default", "offline", "souvenir"}:
                raise ValueError(f"providers.{name}: a provider's name is letters, digits, - and _, and not reserved")
        if self.default_provider is not None and self.default_provider not in self.provider_tables():
            raise ValueError(f"default_provider: there is no provider named {self.default_provider!r}")
        self._check_routing()

    def _check_routing(self) -> None:
        tables = self.provider_tables()
        for rule, name in self.routing.named():
            provider, _, model = name.partition("/")
            if not model:
                raise ValueError(f"routing.{rule}: {name!r} must be PROVIDER/MODEL")
            if provider not in tables:
                known = ", ".join(tables) or "none, as no chat endpoint is configured"
                raise ValueError(f"routing.{rule}: there is no provider named {provider!r}; there are: {known}")

    def _check_rerank(self) -> None:
        if self.rerank == "endpoint" and self.rerank_url is None:
            raise ValueError(f"rerank=endpoint needs the address of a /rerank route: set {PREFIX}RERANK_URL")
        if self.rerank == "llm" and not self.provider_tables():
            raise ValueError(f"rerank=llm needs a chat model to ask: set {PREFIX}LLM_BASE_URL")

    def memory_confidence_of(self, category: str) -> float:
        """The least confidence that is remembered in a category."""
        own: float | None = getattr(self, f"memory_confidence_{category}", None)
        return self.memory_min_confidence if own is None else own

    def provider_tables(self) -> dict[str, ProviderSettings]:
        """All chat endpoints by name, the default one first; the one from `llm_base_url` is called `default`."""
        tables = dict(self.providers)
        if self.llm_base_url is not None:
            single = ProviderSettings(
                base_url=self.llm_base_url,
                api_key=self.llm_api_key,
                api_key_env=None,
                models=(self.llm_model,) if self.llm_model else (),
                unlisted_models=False,
                timeout_seconds=None,
            )
            tables = {"default": single, **tables}
        if self.default_provider in tables:
            tables = {self.default_provider: tables[self.default_provider], **tables}
        return tables


def is_loopback(host: str) -> bool:
    """Whether an address to listen on can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def load_settings(environ: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """Read souvenir.toml and the environment; the later wins: file, environment, overrides. Raises SettingsError."""
    environ = os.environ if environ is None else environ
    path = _file_path(environ)
    from_file = _read_file(path) if path is not None else {}
    from_environ = _read_environ(environ)
    origin = dict.fromkeys(from_file, str(path)) | {name: PREFIX + name.upper() for name in from_environ}
    try:
        return Settings(**(from_file | from_environ | overrides))
    except ValidationError as error:
        raise SettingsError(_explain(error.errors()[0], origin)) from None


def _file_path(environ: Mapping[str, str]) -> Path | None:
    named = environ.get(CONFIG_VARIABLE)
    if named:
        if not Path(named).is_file():
            raise SettingsError(f"{CONFIG_VARIABLE} names {named}, which is not a file")
        return Path(named)
    default = Path(DEFAULT_FILE)
    return default if default.is_file() else None


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None


def _read_environ(environ: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for variable, value in environ.items():
        name = variable.removeprefix(PREFIX).lower()
        if not variable.startswith(PREFIX) or variable == CONFIG_VARIABLE:
            continue
        if name not in Settings.model_fields:
            raise SettingsError(f"{variable} is not a setting{_nearest(name)}; docs/reference/settings.md lists them")
        if name in {"providers", "routing"}:
            raise SettingsError(f"{variable}: [{name}] is a table in {DEFAULT_FILE}, not a variable")
        if value == "" and _empty_means_unset(name):
            continue
        found[name] = value
    return found


def _empty_means_unset(name: str) -> bool:
    """`SOUVENIR_LLM_API_KEY=` in a compose file means no key; `SOUVENIR_DEFAULT_USER=` means the empty name."""
    return type(None) in get_args(Settings.model_fields[name].annotation)


def _nearest(name: str) -> str:
    import difflib  # noqa: PLC0415 - only for the error message

    close = difflib.get_close_matches(name, Settings.model_fields, n=1)
    return f" (did you mean {PREFIX}{close[0].upper()}?)" if close else ""


def _explain(error: ErrorDetails, origin: Mapping[str, str]) -> str:
    location = [str(part) for part in error["loc"]]
    message = error["msg"].removeprefix("Value error, ")
    if not location:
        return message
    name = location[0]
    if error["type"] == "extra_forbidden":
        return f"{origin.get(name, DEFAULT_FILE)}: {'.'.join(location)} is not a setting{_nearest(name)}"
    where = origin.get(name, PREFIX + name.upper())
    path = "" if where.startswith(PREFIX) and len(location) == 1 else f"{'.'.join(location)}: "
    return f"{where}: {path}{message}"
